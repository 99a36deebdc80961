"""A still map as SVG: text stays text, points are circles or, where they are many, one picture."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from explorer import palette
from explorer.workspace.export.map_layout import HEIGHT, WIDTH, PictureLayout, Text
from explorer.workspace.export.map_png import raster

CIRCLES = 20_000  # above, circles make files that programs open slowly
TOOLTIPS = 5_000  # above, the titles would be most of the file
_FONTS = (
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif"
)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML has no place for them


def svg(layout: PictureLayout, titles: Sequence[str], name: str) -> str:
    """The picture as the text of an SVG file.

    Args:
        layout: The picture.
        titles: The title of each point, shown on hover where there are not too many.
        name: Of the whole picture, for those who cannot see it.
    """
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" font-family="{_FONTS}" role="img">',
            f"<title>{_safe(name)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.GROUND[0]}"/>',
            *_points(layout, titles),
            *(
                f'<circle cx="{dot.x:g}" cy="{dot.y:g}" r="5" fill="{dot.colour}"/>'
                for dot in layout.swatches
            ),
            *(_text(text) for text in layout.texts),
            f'<g stroke="{palette.GROUND[0]}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">',
            *(_text(text) for text in layout.names),
            "</g>",
            "</svg>\n",
        )
    )


def _points(layout: PictureLayout, titles: Sequence[str]) -> Iterator[str]:
    if len(layout.points) > CIRCLES:
        image = base64.b64encode(raster(layout)).decode()
        yield f'<image width="{WIDTH}" height="{HEIGHT}" href="data:image/png;base64,{image}"/>'
        return
    for group, colour in reversed(list(enumerate(layout.colours))):  # the leftovers lie below the rest
        yield f'<g fill="{colour}" fill-opacity="0.85">'
        for place in np.flatnonzero(layout.groups == group).tolist():
            x, y = layout.points[place]
            end = f"><title>{_safe(titles[place])}</title></circle>" if len(titles) <= TOOLTIPS else "/>"
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{layout.radius:.2g}"{end}'
        yield "</g>"


def _text(text: Text) -> str:
    weight = ' font-weight="600"' if text.bold else ""
    return (
        f'<text x="{text.x:.1f}" y="{text.y:.1f}" font-size="{text.size}" fill="{text.colour}"{weight} '
        f'text-anchor="{text.anchor}" dominant-baseline="central">{_safe(text.text)}</text>'
    )


def _safe(text: str) -> str:
    return escape(_FORBIDDEN.sub("", text))
