"""Draw the map of a report: all documents as grey context, its own in the colours of their clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.rendering.camera import Camera, box_of
from explorer.rendering.labels import by_size, place_labels, shorten, text_width
from explorer.rendering.picture import circle, escape_text

if TYPE_CHECKING:
    from explorer.workspace.export.map_data import MapPicture

WIDTH, HEIGHT = 800, 500
CONTEXT = 5000  # grey points at most; of more, every n-th is drawn
_MARGIN, _LABEL = 24, 13


def colour_rules(groups: int) -> str:
    """Return the colours of the groups as a style sheet, for light and dark."""

    def rules(dark: bool) -> str:
        colours = palette.qualitative(min(groups, palette.DOZEN), dark=dark)
        return "".join(f".g{group} {{ fill: {colour}; }}\n" for group, colour in enumerate(colours))

    return f"{rules(False)}@media screen and (prefers-color-scheme: dark) {{\n{rules(True)}}}\n"


def drawing(picture: MapPicture, chosen: Mapping[int, int], name: str) -> str:
    """Return the map as the text of an SVG element, coloured by the report's style sheet.

    Args:
        picture: The map.
        chosen: The group of each document of the report, -1 for none.
        name: What it shows, escaped already.
    """
    camera = Camera(width=WIDTH, height=HEIGHT).fitted(box_of(picture.positions), _MARGIN)
    points = [camera.on_screen(x, y) for x, y in picture.positions.tolist()]
    radius = float(np.clip(60 / np.sqrt(max(1, len(points))), 0.8, 4))
    is_chosen = np.array([document in chosen for document in picture.ids], bool)
    rest = np.flatnonzero(~is_chosen)
    rest = rest[:: max(1, -(-len(rest) // CONTEXT))]
    return "".join(
        (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{name}</title>',
            '<g class="other">', *(circle(*points[row], radius) for row in rest.tolist()), "</g>",
            *(
                f'<g class="{_css_class(chosen[picture.ids[row]])}">'
                + circle(*points[row], radius + 1.2, title=picture.titles[row]) + "</g>"
                for row in np.flatnonzero(is_chosen).tolist()
            ),
            *_labels(picture, camera),
            "</svg>",
        )
    )  # fmt: skip


def _css_class(group: int) -> str:
    return f"g{group % palette.DOZEN}" if group >= 0 else "share"


def _labels(picture: MapPicture, camera: Camera) -> Iterator[str]:
    """The labels of the coarsest level that find room."""
    level = picture.levels[0] if picture.levels else ()
    for label in place_labels(by_size(level), camera, _measure, 8, lift=10, right=WIDTH):
        text = escape_text(label.text)
        yield f'<text class="name" x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="middle">{text}</text>'


def _measure(name: str) -> tuple[str, float]:
    text = shorten(name, 220, _LABEL)
    return text, text_width(text, _LABEL)
