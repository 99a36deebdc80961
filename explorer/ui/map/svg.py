"""What is seen of the map as an SVG file: text stays text, points are circles or, where they are many, a picture."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from explorer.errors import DataError
from explorer.rendering.camera import Camera
from explorer.rendering.point_grid import gathered
from explorer.rendering.point_layers import GlowPoint
from explorer.rendering.raster import Scene
from explorer.rendering.style import MapStyle
from explorer.ui.map import overlays
from explorer.ui.map.frame_cache import FrameCache
from explorer.ui.map.labels import PlacedLabel

if TYPE_CHECKING:
    from numpy.typing import NDArray

CIRCLES = 20_000  # above, circles make files that programs open slowly
_FONTS = "system-ui, 'Segoe UI', 'Noto Sans', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML has no place for them


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything on the screen.

    Attributes:
        title: Of the picture, for those who cannot see it.
        scene: The points.
        camera: What is seen of them.
        style: The look.
        names: The names that found room.
        hits: The points that glow.
        contours: The lines of each density in the map's units, each (M, 2).
        focus: The pixel of the focused point.
        query: The pixel of the query.
    """

    title: str
    scene: Scene
    camera: Camera
    style: MapStyle
    names: Sequence[PlacedLabel] = ()
    hits: Sequence[GlowPoint] = ()
    contours: Sequence[Sequence[NDArray[np.float64]]] = ()
    focus: tuple[float, float] | None = None
    query: tuple[float, float] | None = None


def svg(seen: Snapshot) -> str:
    """The picture as the text of an SVG file."""
    width, height, look = seen.camera.width, seen.camera.height, seen.style
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="{_FONTS}" role="img">',
            f"<title>{_safe(seen.title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="{look.ground}"/>',
            *_points(seen),
            *_contours(seen),
            *_hits(seen),
            *_signs(seen),
            f'<g fill="{look.ink}" stroke="{look.ground}" stroke-width="4" stroke-linejoin="round" '
            f'paint-order="stroke" font-size="{look.text_size * 4 / 3:.1f}" font-weight="600" text-anchor="middle">',
            *(
                f'<text x="{name.x:.1f}" y="{name.y:.1f}" dominant-baseline="central">{_safe(name.text)}</text>'
                for name in seen.names
            ),
            "</g>",
            "</svg>\n",
        )
    )


def write(path: Path, seen: Snapshot, image: QImage) -> None:
    """Write a picture as .png or .svg.

    Raises:
        DataError: The name ends with neither, or the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".png", ".svg"):
        raise DataError(
            f"{path.name}: a map is saved as .png or .svg. Choose a name with one of these endings."
        )
    try:
        path.write_bytes(svg(seen).encode() if kind == ".svg" else _png(image))
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(
            f"{path}: the picture could not be written ({why}). Choose another folder."
        ) from error


def _points(seen: Snapshot) -> Iterator[str]:
    camera, scene = seen.camera, seen.scene
    box = camera.seen(scene.radius)
    found = [(layer, layer.cloud.spans(box)) for layer in scene.layers]
    if sum(span.stop - span.start for _, spans in found for span in spans) > CIRCLES:
        yield f'<image width="{camera.width:g}" height="{camera.height:g}" href="{_picture(seen)}"/>'
        return
    for layer, spans in found:
        x, y = gathered(layer.cloud.x, spans), gathered(layer.cloud.y, spans)
        inside = (x >= box.left) & (x <= box.right) & (y >= box.low) & (y <= box.high)
        of = gathered(layer.ink, spans)
        yield f'<g fill-opacity="{layer.opacity * scene.strength:.2f}">'
        for number, colour in enumerate(layer.colours):
            mine = np.flatnonzero(inside & (of == number))
            if len(mine):
                yield f'<g fill="{colour}">'
                for place in mine.tolist():
                    at_x, at_y = camera.on_screen(float(x[place]), float(y[place]))
                    yield f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="{scene.radius * layer.size:.2g}"/>'
                yield "</g>"
        yield "</g>"


def _picture(seen: Snapshot) -> str:
    """The points alone, twice as fine as the window, as an address that holds a PNG file."""
    frames = FrameCache()  # owns the pixels of the image
    image = frames.image(seen.scene, seen.camera, 2.0, moving=False)
    return "data:image/png;base64," + b64encode(_png(image)).decode()


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _contours(seen: Snapshot) -> Iterator[str]:
    camera = seen.camera
    for number, lines in enumerate(seen.contours):
        opacity = overlays.contour_opacity(number, len(seen.contours))
        path = "".join("M" + "L".join(_corner(camera, *corner) for corner in line.tolist()) for line in lines)
        yield f'<path d="{path}" fill="none" stroke="{seen.style.ink}" stroke-opacity="{opacity:.2f}"/>'


def _corner(camera: Camera, x: float, y: float) -> str:
    left, top = camera.on_screen(x, y)
    return f"{left:.1f} {top:.1f}"


def _hits(seen: Snapshot) -> Iterator[str]:
    if not seen.hits:
        return
    radius, look = seen.scene.radius, seen.style
    yield (
        f'<defs><radialGradient id="glow"><stop stop-color="{look.accent}" stop-opacity="0.7"/>'
        f'<stop offset="1" stop-color="{look.accent}" stop-opacity="0"/></radialGradient></defs>'
    )
    reach = max(12.0, 4.2 * radius)
    for hit in seen.hits:
        opacity = 0.35 + 0.65 * hit.strength
        yield f'<circle cx="{hit.x:.1f}" cy="{hit.y:.1f}" r="{reach:.1f}" fill="url(#glow)" opacity="{opacity:.2f}"/>'
    for hit in seen.hits:
        size = max(radius, 2.6) + 1.4 * hit.strength
        yield (
            f'<circle cx="{hit.x:.1f}" cy="{hit.y:.1f}" r="{size:.1f}" fill="{hit.colour}" '
            f'stroke="{look.accent}" stroke-width="1.6"/>'
        )


def _signs(seen: Snapshot) -> Iterator[str]:
    """The ring of the focus and the cross of the query."""
    for width, colour in ((5.5, seen.style.ground), (2.5, seen.style.accent)):
        if seen.focus is not None:
            x, y = seen.focus
            size = max(seen.scene.radius, 3) + 4
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="none" '
                f'stroke="{colour}" stroke-width="{width}"/>'
            )
        if seen.query is not None:
            x, y = seen.query
            yield (
                f'<path d="M{x - 12:.1f} {y:.1f}h8m8 0h8M{x:.1f} {y - 12:.1f}v8m0 8v8" fill="none" '
                f'stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>'
            )


def _safe(text: str) -> str:
    return escape(_FORBIDDEN.sub("", text))
