"""The colours of the points: by category, or by an amount on a ramp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette

if TYPE_CHECKING:
    from numpy.typing import NDArray

RAMP = 64  # steps of the ramp: more than an eye tells apart
_OUTER = 0.02  # share of the amounts at each end that get the colour of the end, so that one odd value hides nothing


@dataclass(frozen=True, eq=False)
class Categories:
    """A category a point.

    Attributes:
        of: The category of each point, negative for none, (N,).
        colours: Of the categories; empty for the usual ones of the theme.
    """

    of: NDArray[np.integer]
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Amounts:
    """An amount a point, NaN where it is not known, (N,), and the ends of the ramp."""

    of: NDArray[np.floating]
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class PointColours:
    """The colour of each point: a place in `colours`, whose last one is that of the leftovers, (N,)."""

    of: NDArray[np.int16]
    colours: tuple[str, ...]


def amounts(values: Sequence[float] | NDArray[np.floating]) -> Amounts:
    """Amounts with a ramp over nearly all of them; from 0 to 1 where none is known."""
    of = np.asarray(values, dtype=np.float64)
    known = of[np.isfinite(of)]
    if not len(known):
        return Amounts(of, 0.0, 1.0)
    low, high = np.quantile(known, (_OUTER, 1 - _OUTER))
    return Amounts(of, float(low), float(high))


def ink(colouring: Categories | Amounts, *, dark: bool) -> PointColours:
    """The colours of all points for a light or a dark ground."""
    leftover = palette.LEFTOVER[dark]
    if isinstance(colouring, Amounts):
        return _ramped(colouring, leftover, dark=dark)
    count = int(colouring.of.max(initial=-1)) + 1
    colours = colouring.colours or tuple(palette.qualitative(count, dark=dark))
    of = np.where((colouring.of < 0) | (colouring.of >= len(colours)), len(colours), colouring.of)
    return PointColours(of.astype(np.int16), (*colours, leftover))


def _ramped(colouring: Amounts, leftover: str, *, dark: bool) -> PointColours:
    span = colouring.high - colouring.low
    place = (
        (colouring.of - colouring.low) / span if span > 0 else np.where(np.isnan(colouring.of), np.nan, 0.5)
    )
    steps = np.nan_to_num(np.clip(place, 0, 1) * (RAMP - 1), nan=RAMP)
    colours = tuple(palette.ramp(step / (RAMP - 1), dark=dark) for step in range(RAMP))
    return PointColours(np.rint(steps).astype(np.int16), (*colours, leftover))
