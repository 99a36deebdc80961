"""Colours and sizes of a map, for a light and a dark theme."""

from __future__ import annotations

from dataclasses import dataclass

from explorer import palette


@dataclass(frozen=True)
class MapStyle:
    """Colours as "#rrggbb", and sizes.

    Attributes:
        dark: Whether the background is dark.
        ground: The background.
        raised: Of cards that lie on the map.
        text: Colour of text.
        faint: Of less important text.
        line: Of hairlines and contours.
        accent: Of the focus, the lasso and the query.
        context: Colour of points that do not match the filter.
        leftover: Colour of points without a category.
        text_size: Size of the labels, in points.
    """

    dark: bool
    ground: str
    raised: str
    text: str
    faint: str
    line: str
    accent: str
    context: str
    leftover: str
    text_size: int = 10


def style(*, dark: bool = False, text_size: int = 10, ground: str = "") -> MapStyle:
    """Return the style of a light or a dark window, with its own background if one is given."""
    return MapStyle(
        dark=dark,
        ground=ground or palette.GROUND[dark],
        raised=("#ffffff", "#22262d")[dark],
        text=palette.INK[dark],
        faint=palette.FAINT[dark],
        line=("#d5d9df", "#373d46")[dark],
        accent=palette.ACCENT[dark],
        context=palette.CONTEXT[dark],
        leftover=palette.LEFTOVER[dark],
        text_size=max(9, text_size),
    )
