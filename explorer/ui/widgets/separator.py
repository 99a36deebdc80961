"""A line between things, in the place of a box around them."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame


def hairline() -> QFrame:
    """A line across, one pixel high."""
    line = QFrame()
    line.setFixedHeight(1)
    line.setAutoFillBackground(True)
    line.setBackgroundRole(line.palette().ColorRole.Mid)
    return line
