"""Colours of a map: its style for a light and a dark theme, and those of points by category or by amount."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette

if TYPE_CHECKING:
    from numpy.typing import NDArray

RAMP = 64  # steps of the ramp: more than an eye can distinguish
_OUTER = 0.02  # share at each end that gets the colour of the end, so that one outlier does not take the whole ramp


@dataclass(frozen=True)
class MapStyle:
    """Colours as "#rrggbb", and sizes.

    Attributes:
        dark: Whether the background is dark.
        background: Its colour.
        raised: Of cards on top of the map.
        text: Colour of text.
        faint: Of less important text.
        line: Of hairlines and contours.
        accent: Of the focus, the lasso and the query.
        context: Colour of points that do not match the filter.
        leftover: Colour of points without a category.
        text_size: Size of the labels, in points.
    """

    dark: bool
    background: str
    raised: str
    text: str
    faint: str
    line: str
    accent: str
    context: str
    leftover: str
    text_size: int = 10


def style(*, dark: bool = False, text_size: int = 10, background: str = "") -> MapStyle:
    """Return the style of a light or a dark window, with its own background if one is given."""
    return MapStyle(
        dark=dark,
        background=background or palette.BACKGROUND[dark],
        raised=("#ffffff", "#22262d")[dark],
        text=palette.FOREGROUND[dark],
        faint=palette.FAINT[dark],
        line=("#d5d9df", "#373d46")[dark],
        accent=palette.ACCENT[dark],
        context=palette.CONTEXT[dark],
        leftover=palette.LEFTOVER[dark],
        text_size=max(9, text_size),
    )


@dataclass(frozen=True, eq=False)
class Categories:
    """A category for each point.

    Attributes:
        values: The category of each point, negative for none, (N,).
        colours: Colours of the categories; empty for the palette's own.
    """

    values: NDArray[np.integer]
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Amounts:
    """An amount for each point, NaN where it is unknown, (N,), and the two ends of the ramp."""

    values: NDArray[np.floating]
    low: float
    high: float


@dataclass(frozen=True)
class LegendEntry:
    """A line of the legend.

    Attributes:
        category: The category it stands for; negative for points without one.
        text: Its name.
        colour: As "#rrggbb".
        count: How many points it has.
    """

    category: int
    text: str
    colour: str
    count: int


@dataclass(frozen=True, eq=False)
class Colouring:
    """What the colours of a map mean.

    Attributes:
        points: The category or amount of each point.
        names: The names of the categories, or of the two ends of the ramp.
    """

    points: Categories | Amounts
    names: tuple[str, ...] = ()

    @property
    def rest(self) -> int:
        """How many points have no category."""
        return 0 if isinstance(self.points, Amounts) else int((self.points.values < 0).sum())

    def entries(self, nameless: str = "", *, dark: bool = False) -> list[LegendEntry]:
        """Return the lines of a legend of categories, in their order; none for a ramp.

        Args:
            nameless: The name of the points without a category; they get no line if it is empty.
            dark: Whether the legend is drawn on a dark background.
        """
        if isinstance(self.points, Amounts):
            return []
        values = self.points.values
        colours = self.points.colours or tuple(palette.qualitative(len(self.names), dark=dark))
        counts = np.bincount(values[values >= 0], minlength=len(self.names)).tolist()
        entries = [
            LegendEntry(category, name, colours[category], counts[category]) for category, name in enumerate(self.names)
        ]
        if nameless and self.rest:
            entries.append(LegendEntry(-1, nameless, palette.LEFTOVER[dark], self.rest))
        return entries


def categorise(
    values: Sequence[Hashable], order: Sequence[Hashable], names: Sequence[str], colours: Sequence[str] = ()
) -> Colouring:
    """Colour each point by its value.

    Args:
        values: The value of each point.
        order: The values that are categories, in the legend's order; points with any other value have none.
        names: What each category is called.
        colours: The colour of each category; empty for the palette's own.
    """
    categories = {value: category for category, value in enumerate(order)}
    index = np.fromiter((categories.get(value, -1) for value in values), np.int64, len(values))
    return Colouring(Categories(index, tuple(colours)), tuple(names))


@dataclass(frozen=True, eq=False)
class PointColours:
    """The colour of each point as an index into `colours`, (N,); the last colour is that of points without one."""

    index: NDArray[np.int16]
    colours: tuple[str, ...]


def amounts(values: Sequence[float] | NDArray[np.floating]) -> Amounts:
    """Return amounts with a ramp over nearly all of them; from 0 to 1 where none is known."""
    numbers = np.asarray(values, dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return Amounts(numbers, 0.0, 1.0)
    low, high = np.quantile(known, (_OUTER, 1 - _OUTER))
    return Amounts(numbers, float(low), float(high))


def point_colours(colouring: Categories | Amounts, *, dark: bool) -> PointColours:
    """Return the colours of all points for a light or a dark background."""
    leftover = palette.LEFTOVER[dark]
    if isinstance(colouring, Amounts):
        return _ramp_colours(colouring, leftover, dark=dark)
    values = colouring.values
    colours = colouring.colours or tuple(palette.qualitative(int(values.max(initial=-1)) + 1, dark=dark))
    index = np.where((values < 0) | (values >= len(colours)), len(colours), values)
    return PointColours(index.astype(np.int16), (*colours, leftover))


def _ramp_colours(colouring: Amounts, leftover: str, *, dark: bool) -> PointColours:
    span, values = colouring.high - colouring.low, colouring.values
    # Equal amounts get the middle of the ramp, which stands out on both backgrounds.
    share = (values - colouring.low) / span if span > 0 else np.where(np.isnan(values), np.nan, 0.5)
    steps = np.nan_to_num(np.clip(share, 0, 1) * (RAMP - 1), nan=RAMP)
    colours = tuple(palette.ramp(step / (RAMP - 1), dark=dark) for step in range(RAMP))
    return PointColours(np.rint(steps).astype(np.int16), (*colours, leftover))
