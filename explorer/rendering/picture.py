"""A whole map picture as values, written as SVG (text stays text) or as PNG (text in the fonts of the machine)."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import unicodedata
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.rendering.camera import Camera
from explorer.rendering.colours import MapStyle
from explorer.rendering.labels import PlacedLabel
from explorer.rendering.point_grid import gather
from explorer.rendering.point_layers import GlowPoint
from explorer.rendering.raster import Scene, paint

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATIO = 2  # pixels of a written picture for one pixel of its layout
SWATCH = 5  # radius of a dot of the legend
_log = logging.getLogger(__name__)
_COMPRESSION = 6  # zlib's own default; 9 takes three times as long for 2 % less
_WIDE_FONTS = (  # file names, regular and bold
    ("malgun.ttf", "malgunbd.ttf"), ("AppleSDGothicNeo.ttc", "AppleSDGothicNeo.ttc"),
    ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"), ("NotoSansCJKkr-Regular.otf", "NotoSansCJKkr-Bold.otf"),
    ("NotoSansKR-Regular.ttf", "NotoSansKR-Bold.ttf"), ("NotoSansKR-Regular.otf", "NotoSansKR-Bold.otf"),
    ("NanumGothic.ttf", "NanumGothicBold.ttf"), ("NanumBarunGothic.ttf", "NanumBarunGothicBold.ttf"),
    ("wqy-zenhei.ttc", "wqy-zenhei.ttc"), ("msgothic.ttc", "msgothic.ttc"), ("msyh.ttc", "msyhbd.ttc"),
)  # fmt: skip
_PLAIN_FONTS = (
    ("segoeui.ttf", "segoeuib.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("Arial.ttf", "Arial Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
)
_NO_FONT = (
    "No font with Korean, Chinese or Japanese letters was found on this machine; such names are left out "
    "of the picture. Install one (for example Noto Sans CJK), or write the map as .svg or .html."
)
CIRCLES = 20_000  # above, programs open a file of circles slowly
TOOLTIPS = 5_000  # above, titles would be most of the file
FONTS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not allowed in XML 1.0


@dataclass(frozen=True)
class Text:
    """A line of text; `y` is the middle of its letters, and `anchor` says which part of it is at `x`."""

    text: str
    x: float
    y: float
    size: float
    colour: str
    bold: bool = False
    anchor: str = "start"


@dataclass(frozen=True)
class Swatch:
    """A dot of the legend."""

    x: float
    y: float
    colour: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything in a map picture, in pixels unless said otherwise.

    The window alone has hits, contours, focus and query; the command line alone has texts, swatches and tooltips.

    Attributes:
        title: The picture's name, for screen readers.
        scene: The points.
        camera: The part of them that is visible.
        style: Colours.
        labels: The labels that found room.
        label_size: Height of the labels' letters.
        label_colours: The colours of the labels of clusters; others are written in the colour of text.
        texts: Heading and legend.
        swatches: The dots of the legend.
        tooltips: The title of each row, shown on hover; empty for none.
        hits: The points that glow.
        contours: For each density its lines in map coordinates, each (M, 2).
        focus: The position of the focused point.
        query: The position of the query.
    """

    title: str
    scene: Scene
    camera: Camera
    style: MapStyle
    labels: Sequence[PlacedLabel] = ()
    label_size: float = 14
    label_colours: Mapping[int, str] = field(default_factory=dict)
    texts: Sequence[Text] = ()
    swatches: Sequence[Swatch] = ()
    tooltips: Sequence[str] = ()
    hits: Sequence[GlowPoint] = ()
    contours: Sequence[Sequence[NDArray[np.float64]]] = ()
    focus: tuple[float, float] | None = None
    query: tuple[float, float] | None = None


def png(picture: Snapshot) -> tuple[bytes, list[str]]:
    """Return points, labels, texts and legend as a PNG file, and sentences about what could not be drawn.

    What the window alone shows (hits, contours, focus and query) is painted by the window.
    """
    from PIL import Image, ImageDraw

    image = Image.fromarray(_rgb(picture.scene, picture.camera))
    pen = ImageDraw.Draw(image)
    _draw_swatches(image, picture)
    labels = [
        Text(label.text, label.x, label.y, picture.label_size, picture.style.text, bold=True, anchor="middle")
        for label in picture.labels
    ]
    drawn = [_draw_text(pen, text) for text in picture.texts]
    drawn += [_draw_text(pen, text, halo=picture.style.background) for text in labels]
    return _encode(image), [] if all(drawn) else [_NO_FONT]


def points_png(scene: Scene, camera: Camera) -> bytes:
    """Return the points alone as a PNG file."""
    from PIL import Image

    return _encode(Image.fromarray(_rgb(scene, camera)))


def _rgb(scene: Scene, camera: Camera) -> NDArray[np.uint8]:
    """Draw the points; red, green and blue of each pixel, (H, W, 3)."""
    pixels = paint(scene, camera, RATIO).seen  # 0xffrrggbb
    return np.stack([(pixels >> shift & 255).astype(np.uint8) for shift in (16, 8, 0)], axis=-1)


def _encode(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_COMPRESSION)
    return file.getvalue()


def _draw_swatches(image: Any, picture: Snapshot) -> None:
    """Draw the legend's dots with smooth edges: Pillow's ellipses have none, so a mask four times as fine is shrunk."""
    from PIL import Image, ImageDraw

    side, fine = 2 * (SWATCH + 1) * RATIO, 4
    mask = Image.new("L", (side * fine, side * fine))
    ImageDraw.Draw(mask).ellipse([RATIO * fine, RATIO * fine, (side - RATIO) * fine, (side - RATIO) * fine], 255)
    mask = mask.resize((side, side), Image.Resampling.BOX)
    for dot in picture.swatches:
        left, top = round(dot.x * RATIO - side / 2), round(dot.y * RATIO - side / 2)
        image.paste(dot.colour, (left, top, left + side, top + side), mask)


def _draw_text(pen: Any, text: Text, halo: str = "") -> bool:
    """Draw a line of text; return False if no font has its letters."""
    wide = any(unicodedata.east_asian_width(letter) in "WF" for letter in text.text)
    font = _font(text.size * RATIO, wide=wide, bold=text.bold)
    if font is None:
        return False
    pen.text(
        (text.x * RATIO, text.y * RATIO),
        text.text,
        font=font,
        fill=text.colour,
        anchor={"start": "lm", "middle": "mm", "end": "rm"}[text.anchor],
        stroke_width=3 * RATIO // 2 if halo else 0,
        stroke_fill=halo or None,
    )
    return True


@cache
def _font(size: float, *, wide: bool, bold: bool) -> Any:
    """Return a font of the machine, or Pillow's own for plain letters; None if no font has wide letters."""
    from PIL import ImageFont

    names = tuple(pair[bold] for pair in (_WIDE_FONTS if wide else _PLAIN_FONTS))
    rank = {name.lower(): order for order, name in enumerate(names)}
    files = [path for path in _font_files() if path.name.lower() in rank]
    for path in sorted(files, key=lambda path: (rank[path.name.lower()], str(path))):
        try:
            return ImageFont.truetype(str(path), size)
        except OSError as error:
            _log.info("%s cannot be used as a font: %s", path.name, error)
    return None if wide else ImageFont.load_default(size)


@cache
def _font_files() -> list[Path]:
    return [path for folder in _font_folders() if folder.is_dir() for path in folder.rglob("*")]


def _font_folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", str(home))
        return [Path(os.environ.get("WINDIR", "")) / "Fonts", Path(local) / "Microsoft" / "Windows" / "Fonts"]
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library" / "Fonts"]
    return [home / ".local/share/fonts", home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")]


def svg(picture: Snapshot) -> str:
    """Return the picture as the text of an SVG file."""
    width, height, look = picture.camera.width, picture.camera.height, picture.style
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="{FONTS}" role="img">',
            f"<title>{escape_text(picture.title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="{look.background}"/>',
            *_points(picture),
            *_contours(picture),
            *_hits(picture),
            *_focus_and_query(picture),
            *(circle(dot.x, dot.y, SWATCH, f' fill="{dot.colour}"') for dot in picture.swatches),
            *(_text(text) for text in picture.texts),
            f'<g fill="{look.text}" stroke="{look.background}" stroke-width="4" stroke-linejoin="round" '
            f'paint-order="stroke" font-size="{picture.label_size:.3g}" font-weight="600" text-anchor="middle">',
            *(line for label in picture.labels for line in _label_lines(picture, label)),
            "</g>",
            "</svg>\n",
        )
    )


def _label_lines(picture: Snapshot, label: PlacedLabel) -> Iterator[str]:
    lines, colour = label.text.split("\n"), picture.label_colours.get(label.cluster, "")
    style = (f' fill="{colour}"' if colour else "") + (' font-weight="400" font-size="90%"' if label.title else "")
    step = 2 * label.half_height / len(lines)
    for number, line in enumerate(lines):
        y = label.y + (number - (len(lines) - 1) / 2) * step
        yield f'<text x="{label.x:.1f}" y="{y:.1f}" dominant-baseline="central"{style}>{escape_text(line)}</text>'


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
            coloured = np.flatnonzero(inside & (colours == index))
            if len(coloured):
                yield f'<g fill="{colour}">'
                for at in coloured.tolist():
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
    """Yield the ring of the focus and the cross of the query, each with a halo below it."""
    for width, colour in ((5.5, picture.style.background), (2.5, picture.style.accent)):
        stroke = f' fill="none" stroke="{colour}" stroke-width="{width}"'
        if picture.focus is not None:
            yield circle(*picture.focus, max(picture.scene.radius, 3) + 4, stroke)
        if picture.query is not None:
            x, y = picture.query
            path = f"M{x - 12:.1f} {y:.1f}h8m8 0h8M{x:.1f} {y - 12:.1f}v8m0 8v8"
            yield f'<path d="{path}"{stroke} stroke-linecap="round"/>'
