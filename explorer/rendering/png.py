"""Write a map picture as PNG: points by the raster, text with the fonts of the machine."""

from __future__ import annotations

import io
import logging
import os
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.rendering.camera import Camera
from explorer.rendering.raster import Scene, paint
from explorer.rendering.snapshot import RATIO, SWATCH, Snapshot, Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    ("segoeui.ttf", "segoeuib.ttf"), ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"), ("Arial.ttf", "Arial Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
)  # fmt: skip
_NO_FONT = (
    "No font with Korean, Chinese or Japanese letters was found on this machine; such names are left out "
    "of the picture. Install one (for example Noto Sans CJK), or write the map as .svg or .html."
)


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
    drawn += [_draw_text(pen, text, halo=picture.style.ground) for text in labels]
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
    ImageDraw.Draw(mask).ellipse(
        [RATIO * fine, RATIO * fine, (side - RATIO) * fine, (side - RATIO) * fine], 255
    )
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
    return [
        home / ".local/share/fonts",
        home / ".fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
    ]
