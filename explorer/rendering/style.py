"""How the map looks: its colours on a light and on a dark ground."""

from __future__ import annotations

from dataclasses import dataclass

from explorer import palette


@dataclass(frozen=True)
class MapStyle:
    """Colours as "#rrggbb", and sizes.

    Attributes:
        dark: Whether the ground is dark.
        ground: Behind everything.
        raised: Of cards that lie on the map.
        text: Of text.
        faint: Of less important text.
        line: Of hairlines and contours.
        accent: Of the focus, the lasso and the query.
        context: Of points that are not meant now.
        leftover: Of points that belong nowhere.
        text_size: Points of the names on the map.
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
    """The look for a light or a dark window, on its own ground where one is given."""
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
