"""A small dialog over the window, for the keyboard; Esc closes it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from explorer.ui.look import theme


class Popup(QDialog):
    """A frameless dialog, centred near the top of its window."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.FramelessWindowHint | Qt.WindowType.Dialog)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(width)
        if parent is not None:
            window = parent.window()
            self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, max(40, window.height() // 8))))

    def fit(self) -> None:
        """Set the height to what the content needs."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            wide = layout.hasHeightForWidth()
            self.setFixedHeight(layout.totalHeightForWidth(self.width()) if wide else layout.totalSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().hairline))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
