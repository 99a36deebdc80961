"""The icons of Windows and macOS, from icon.svg when that was changed: python -m resources.app.shipping.icons."""

from __future__ import annotations

import io
import os
from pathlib import Path

APP = Path(__file__).resolve().parents[1]
WINDOWS, MAC = (16, 20, 24, 32, 40, 48, 64, 256), (16, 32, 64, 128, 256, 512, 1024)


def drawn(size: int) -> bytes:
    """The icon as PNG, each size drawn by itself."""
    from PySide6.QtCore import QBuffer, QIODevice
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(APP / "icon.svg")).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def main() -> None:
    """Write icon.ico and icon.icns."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PIL import Image
    from PySide6.QtGui import QGuiApplication

    _app = QGuiApplication([])
    for name, sizes in (("icon.ico", WINDOWS), ("icon.icns", MAC)):
        pictures = [Image.open(io.BytesIO(drawn(size))) for size in sizes]
        options = {"sizes": [(size, size) for size in sizes]} if name.endswith(".ico") else {}
        pictures[-1].save(APP / name, append_images=pictures[:-1], **options)


if __name__ == "__main__":
    main()
