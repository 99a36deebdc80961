"""Write a map picture as SVG: text stays text; points are circles or, where there are many, one image."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape

import numpy as np

from explorer.rendering.camera import Camera
from explorer.rendering.png import points_png
from explorer.rendering.point_grid import gather
from explorer.rendering.snapshot import SWATCH, Snapshot, Text

CIRCLES = 20_000  # above, programs open a file of circles slowly
TOOLTIPS = 5_000  # above, titles would be most of the file
FONTS = (
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif"
)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not allowed in XML 1.0


def svg(picture: Snapshot) -> str:
    """Return the picture as the text of an SVG file."""
    width, height, look = picture.camera.width, picture.camera.height, picture.style
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="{FONTS}" role="img">',
            f"<title>{escape_text(picture.title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="{look.ground}"/>',
            *_points(picture),
            *_contours(picture),
            *_hits(picture),
            *_focus_and_query(picture),
            *(circle(dot.x, dot.y, SWATCH, f' fill="{dot.colour}"') for dot in picture.swatches),
            *(_text(text) for text in picture.texts),
            f'<g fill="{look.text}" stroke="{look.ground}" stroke-width="4" stroke-linejoin="round" '
            f'paint-order="stroke" font-size="{picture.label_size:.3g}" font-weight="600" text-anchor="middle">',
            *(
                f'<text x="{label.x:.1f}" y="{label.y:.1f}" dominant-baseline="central">'
                f"{escape_text(label.text)}</text>"
                for label in picture.labels
            ),
            "</g>",
            "</svg>\n",
        )
    )


def circle(x: float, y: float, radius: float, attributes: str = "", title: str = "") -> str:
    """Return a circle element; a title is shown on hover."""
    end = f"><title>{escape_text(title)}</title></circle>" if title else "/>"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.2g}"{attributes}{end}'


def escape_text(text: str) -> str:
    """Return a text that is safe between tags and in quoted attributes."""
    return escape(_FORBIDDEN.sub("", text))


def _text(text: Text) -> str:
    weight = ' font-weight="600"' if text.bold else ""
    return (
        f'<text x="{text.x:.1f}" y="{text.y:.1f}" font-size="{text.size:g}" fill="{text.colour}"{weight} '
        f'text-anchor="{text.anchor}" dominant-baseline="central">{escape_text(text.text)}</text>'
    )


def _points(picture: Snapshot) -> Iterator[str]:
    camera, scene = picture.camera, picture.scene
    box = camera.seen(scene.radius)
    visible = [(layer, layer.grid.spans(box)) for layer in scene.layers]
    count = sum(span.stop - span.start for _, spans in visible for span in spans)
    if count > CIRCLES:
        image = b64encode(points_png(scene, camera)).decode()
        yield f'<image width="{camera.width:g}" height="{camera.height:g}" href="data:image/png;base64,{image}"/>'
        return
    tooltips = picture.tooltips if count <= TOOLTIPS else ()
    for layer, spans in visible:
        x, y = gather(layer.grid.x, spans), gather(layer.grid.y, spans)
        rows, colours = gather(layer.grid.rows, spans), gather(layer.colour_index, spans)
        inside = (x >= box.left) & (x <= box.right) & (y >= box.low) & (y <= box.high)
        yield f'<g fill-opacity="{layer.opacity * scene.strength:.2f}">'
        for index, colour in enumerate(layer.colours):
            mine = np.flatnonzero(inside & (colours == index))
            if len(mine):
                yield f'<g fill="{colour}">'
                for at in mine.tolist():
                    title = tooltips[rows[at]] if tooltips else ""
                    spot = camera.on_screen(float(x[at]), float(y[at]))
                    yield circle(*spot, scene.radius * layer.size, title=title)
                yield "</g>"
        yield "</g>"


def contour_opacity(index: int, count: int) -> float:
    """Return the opacity of a contour, counted from the outermost; inner ones are stronger."""
    return 0.14 + 0.26 * (index + 1) / max(count, 1)


def _contours(picture: Snapshot) -> Iterator[str]:
    camera, count = picture.camera, len(picture.contours)
    for index, lines in enumerate(picture.contours):
        path = "".join("M" + "L".join(_corner(camera, *corner) for corner in line.tolist()) for line in lines)
        opacity = contour_opacity(index, count)
        yield f'<path d="{path}" fill="none" stroke="{picture.style.text}" stroke-opacity="{opacity:.2f}"/>'


def _corner(camera: Camera, x: float, y: float) -> str:
    left, top = camera.on_screen(x, y)
    return f"{left:.1f} {top:.1f}"


def _hits(picture: Snapshot) -> Iterator[str]:
    if not picture.hits:
        return
    radius, look = picture.scene.radius, picture.style
    yield (
        f'<defs><radialGradient id="glow"><stop stop-color="{look.accent}" stop-opacity="0.7"/>'
        f'<stop offset="1" stop-color="{look.accent}" stop-opacity="0"/></radialGradient></defs>'
    )
    reach = max(12.0, 4.2 * radius)
    for hit in picture.hits:
        opacity = 0.35 + 0.65 * hit.strength
        yield circle(hit.x, hit.y, reach, f' fill="url(#glow)" opacity="{opacity:.2f}"')
    for hit in picture.hits:  # after all glows, so that none covers a point
        size = max(radius, 2.6) + 1.4 * hit.strength
        yield circle(hit.x, hit.y, size, f' fill="{hit.colour}" stroke="{look.accent}" stroke-width="1.6"')


def _focus_and_query(picture: Snapshot) -> Iterator[str]:
    """The ring of the focus and the cross of the query, each with a halo below it."""
    for width, colour in ((5.5, picture.style.ground), (2.5, picture.style.accent)):
        stroke = f' fill="none" stroke="{colour}" stroke-width="{width}"'
        if picture.focus is not None:
            yield circle(*picture.focus, max(picture.scene.radius, 3) + 4, stroke)
        if picture.query is not None:
            x, y = picture.query
            path = f"M{x - 12:.1f} {y:.1f}h8m8 0h8M{x:.1f} {y - 12:.1f}v8m0 8v8"
            yield f'<path d="{path}"{stroke} stroke-linecap="round"/>'
