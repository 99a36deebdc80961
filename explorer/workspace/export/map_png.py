"""A still map as PNG: points drawn with smooth edges by numpy, text with the fonts of the machine."""

from __future__ import annotations

import os
import struct
import sys
import unicodedata
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer import palette
from explorer.workspace.export.map_layout import HEIGHT, WIDTH, PictureLayout, Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALE = 2  # pixels of the file for one of the layout
_OPACITY = 0.85
_CHUNK = 20_000  # points at a time, so that their stamps stay small in memory
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_WIDE_FONTS = (  # names of files, regular and bold
    ("malgun.ttf", "malgunbd.ttf"), ("AppleSDGothicNeo.ttc", "AppleSDGothicNeo.ttc"),
    ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"), ("NotoSansCJKkr-Regular.otf", "NotoSansCJKkr-Bold.otf"),
    ("NotoSansKR-Regular.ttf", "NotoSansKR-Bold.ttf"), ("NotoSansKR-Regular.otf", "NotoSansKR-Bold.otf"),
    ("NanumGothic.ttf", "NanumGothicBold.ttf"), ("NanumBarunGothic.ttf", "NanumBarunGothicBold.ttf"),
    ("wqy-zenhei.ttc", "wqy-zenhei.ttc"), ("msgothic.ttc", "msgothic.ttc"), ("msyh.ttc", "msyhbd.ttc"),
)  # fmt: skip
_PLAIN_FONTS = (
    ("segoeui.ttf", "segoeuib.ttf"), ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"), ("Arial.ttf", "Arial Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
)  # fmt: skip
_NO_FONT = (
    "No font with Korean, Chinese or Japanese letters was found on this machine; such names are left out "
    "of the picture. Install one (for example Noto Sans CJK), or write the map as .svg or .html."
)


def png(layout: PictureLayout) -> tuple[bytes, list[str]]:
    """The picture as a PNG file.

    Returns:
        The bytes, and sentences about what could not be drawn.
    """
    from PIL import Image, ImageDraw

    canvas = ground(layout)
    dots = np.array([(dot.x, dot.y) for dot in layout.swatches], dtype=np.float64).reshape(-1, 2)
    _stamp(canvas, dots * SCALE, 5.0 * SCALE, [dot.colour for dot in layout.swatches], 1.0)
    image = Image.fromarray(_bytes(canvas))
    pen = ImageDraw.Draw(image)
    lines = [(text, False) for text in layout.texts] + [(text, True) for text in layout.names]
    drawn = [_write(pen, text, halo=halo) for text, halo in lines]
    return encoded(np.asarray(image)), [] if all(drawn) else [_NO_FONT]


def raster(layout: PictureLayout) -> bytes:
    """Only the points, as a PNG file."""
    return encoded(_bytes(ground(layout)))


def ground(layout: PictureLayout) -> NDArray[np.float32]:
    """The points on an empty ground, (HEIGHT * SCALE, WIDTH * SCALE, 3), 0..1."""
    canvas = np.empty((HEIGHT * SCALE, WIDTH * SCALE, 3), dtype=np.float32)
    canvas[:] = np.array(palette.channels(palette.GROUND[0])) / 255
    colours = [layout.colours[group] for group in layout.groups]
    _stamp(canvas, layout.points * SCALE, layout.radius * SCALE, colours, _OPACITY)
    return canvas


def encoded(pixels: NDArray[np.uint8]) -> bytes:
    """An (H, W, 3) image as the bytes of a PNG file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + width * 3), dtype=np.uint8)  # each row opens with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")
    return _SIGNATURE + b"".join(_part(name, body) for name, body in parts)


def _part(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _bytes(canvas: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.asarray(np.rint(canvas * 255), dtype=np.uint8)


def _stamp(
    canvas: NDArray[np.float32],
    middles: NDArray[np.float64],
    radius: float,
    colours: list[str],
    opacity: float,
) -> None:
    """Put discs on the canvas. Where they overlap their colours mix by coverage, whatever their order."""
    height, width, _ = canvas.shape
    kinds = sorted(set(colours))
    table = np.array([palette.channels(colour) for colour in kinds], dtype=np.float64).reshape(-1, 3) / 255
    row = {colour: number for number, colour in enumerate(kinds)}
    rgb = table[[row[colour] for colour in colours]]  # (N, 3)
    clear = np.zeros(height * width, dtype=np.float32)  # logarithm of what shows through
    weight = np.zeros(height * width, dtype=np.float32)
    mixed = np.zeros((height * width, 3), dtype=np.float32)
    for span in _spans(len(middles)):
        pixels, cover, owner = _covered(middles[span], radius, width, height)
        cover *= opacity
        touched, place = np.unique(pixels, return_inverse=True)
        clear[touched] += np.bincount(place, np.log1p(-np.minimum(cover, 0.999)))
        weight[touched] += np.bincount(place, cover)
        for channel in range(3):
            mixed[touched, channel] += np.bincount(place, cover * rgb[span][owner, channel])
    covered = np.flatnonzero(weight)
    through = np.exp(clear[covered])[:, None]
    flat = canvas.reshape(-1, 3)
    flat[covered] = flat[covered] * through + mixed[covered] / weight[covered, None] * (1 - through)


def _spans(count: int) -> Iterator[slice]:
    for start in range(0, count, _CHUNK):
        yield slice(start, start + _CHUNK)


def _covered(
    middles: NDArray[np.float64], radius: float, width: int, height: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """The pixels that discs touch, the share of each that is covered, and whose it is."""
    reach = int(np.ceil(radius + 0.5))
    offsets = np.arange(-reach, reach + 1)
    across, down = (grid.ravel() for grid in np.meshgrid(offsets, offsets))  # (K,)
    corner = np.floor(middles).astype(np.int64)  # (N, 2)
    x, y = corner[:, :1] + across, corner[:, 1:] + down  # (N, K)
    far = np.hypot(x + 0.5 - middles[:, :1], y + 0.5 - middles[:, 1:])
    cover = np.clip(radius + 0.5 - far, 0, 1)
    seen = (cover > 0) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    owner = np.broadcast_to(np.arange(len(middles))[:, None], seen.shape)[seen]
    return (y * width + x)[seen], cover[seen], owner


def _write(pen: Any, text: Text, *, halo: bool) -> bool:
    """Draw a line of text; false where no font has its letters."""
    wide = any(unicodedata.east_asian_width(letter) in "WF" for letter in text.text)
    font = _font(text.size * SCALE, wide=wide, bold=text.bold)
    if font is None:
        return False
    pen.text(
        (text.x * SCALE, text.y * SCALE),
        text.text,
        font=font,
        fill=text.colour,
        anchor={"start": "lm", "middle": "mm", "end": "rm"}[text.anchor],
        stroke_width=3 * SCALE // 2 if halo else 0,
        stroke_fill=palette.GROUND[0] if halo else None,
    )
    return True


@cache
def _font(size: int, *, wide: bool, bold: bool) -> Any:
    """A font of the machine, or Pillow's own for plain letters; None where wide letters have none."""
    from PIL import ImageFont

    for path in _found(tuple(pair[bold] for pair in (_WIDE_FONTS if wide else _PLAIN_FONTS))):
        try:
            return ImageFont.truetype(str(path), size)
        except OSError:  # a file that is no font
            continue
    return None if wide else ImageFont.load_default(size)


def _found(names: tuple[str, ...]) -> list[Path]:
    """The font files of these names, in their order."""
    rank = {name.lower(): place for place, name in enumerate(names)}
    known = [path for path in _font_files() if path.name.lower() in rank]
    return sorted(known, key=lambda path: (rank[path.name.lower()], str(path)))


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
    return [
        home / ".local/share/fonts",
        home / ".fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
    ]
