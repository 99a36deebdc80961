"""A small box that comes up over the window, is used by the keyboard, and goes by Esc."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from explorer.ui.look import theme


class Popup(QDialog):
    """A dialog without a frame, below the top of the window, in its middle."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.FramelessWindowHint | Qt.WindowType.Dialog)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(width)
        if parent is not None:
            window = parent.window()
            self.move(
                window.mapToGlobal(QPoint((window.width() - width) // 2, max(40, window.height() // 8)))
            )

    def fit(self) -> None:
        """Be as high as the content wants."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            wide = layout.hasHeightForWidth()
            self.setFixedHeight(
                layout.totalHeightForWidth(self.width()) if wide else layout.totalSizeHint().height()
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        """A hairline around it."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().hairline))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
