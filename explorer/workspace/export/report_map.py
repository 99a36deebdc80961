"""The map of a report: all documents as grey context, those of the report in the colours of their clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.workspace.export.map_layout import shortened, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.export.map_data import Label, MapPicture

WIDTH, HEIGHT = 800, 500
CONTEXT = 5000  # grey points that are drawn; of more, some evenly
_MARGIN, _NAME = 24, 13


def colour_rules(groups: int) -> str:
    """The colours of the groups as a style sheet, for light and dark."""

    def rules(dark: bool) -> str:
        colours = palette.qualitative(min(groups, palette.DOZEN), dark=dark)
        return "".join(f".g{place} {{ fill: {colour}; }}\n" for place, colour in enumerate(colours))

    return f"{rules(False)}@media screen and (prefers-color-scheme: dark) {{\n{rules(True)}}}\n"


def drawing(picture: MapPicture, chosen: Mapping[int, int], name: str) -> str:
    """The map as the text of an SVG element.

    Args:
        picture: The map.
        chosen: The group of each document of the report, -1 for none.
        name: What it shows, escaped already.
    """
    points = _pixels(picture.positions)
    radius = float(np.clip(60 / np.sqrt(max(1, len(points))), 0.8, 4))
    is_chosen = np.array([number in chosen for number in picture.ids], bool)
    rest = np.flatnonzero(~is_chosen)
    rest = rest[:: max(1, -(-len(rest) // CONTEXT))]
    return "".join(
        (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{name}</title>',
            '<g class="other">', *(_dot(points[place], radius) for place in rest.tolist()), "</g>",
            *(
                f'<g class="{_group(chosen[picture.ids[place]])}">'
                + _dot(points[place], radius + 1.2, picture.titles[place]) + "</g>"
                for place in np.flatnonzero(is_chosen).tolist()
            ),
            *_names(picture),
            "</svg>",
        )
    )  # fmt: skip


def _group(place: int) -> str:
    return f"g{place % palette.DOZEN}" if place >= 0 else "share"


def _dot(at: NDArray[np.float64], radius: float, title: str = "") -> str:
    told = f"><title>{escape(title)}</title></circle>" if title else "/>"
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:.1f}"{told}'


def _pixels(positions: NDArray[np.float32]) -> NDArray[np.float64]:
    low, high = positions.min(axis=0).astype(np.float64), positions.max(axis=0).astype(np.float64)
    room = np.array([WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN])
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    return np.asarray(
        np.array([WIDTH, HEIGHT]) / 2 + (positions - (low + high) / 2) * min(scale, 1e6) * [1, -1]
    )


def _names(picture: MapPicture) -> Iterator[str]:
    """The names of the coarsest level that find room, the largest cluster's first."""
    taken: list[tuple[float, float, float]] = []
    level: tuple[Label, ...] = picture.levels[0] if picture.levels else ()
    places = np.array([[one.x, one.y] for one in level], np.float32).reshape(-1, 2)
    spots = _pixels(np.concatenate([picture.positions, places]))[len(picture.ids) :]
    for one, spot in sorted(zip(level, spots.tolist(), strict=True), key=lambda pair: -pair[0].size):
        text = shortened(one.text, 220, _NAME)
        half = width(text, _NAME) / 2
        x, y = min(max(spot[0], half + 4), WIDTH - half - 4), max(spot[1] - 10, 14)
        if not any(abs(x - other) < half + reach + 6 and abs(y - down) < 16 for other, down, reach in taken):
            taken.append((x, y, half))
            yield f'<text class="name" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'
