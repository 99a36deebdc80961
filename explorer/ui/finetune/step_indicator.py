"""Where one is on the way: the names of the pages, the present one underlined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

_PAD, _GAP = 16, 24  # pixels


class StepIndicator(Themed, QWidget):
    """The pages in their order; it shows, and takes no clicks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._now = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def tell(self, names: Sequence[str], now: int) -> None:
        """Show other names, or another place among them."""
        self._names, self._now = tuple(names), now
        told = self.tr("Step {number} of {count}: {name}")
        self.setAccessibleName(told.format(number=now + 1, count=len(names), name=names[now]))
        self.update()

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(480, self.fontMetrics().height() + 2 * _PAD)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Numbers and names."""
        look, painter, left = theme.current(), QPainter(self), float(_PAD)
        for place, name in enumerate(self._names):
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold if place == self._now else QFont.Weight.Normal)
            text = f"{place + 1}  {name}"
            width = QFontMetrics(font).horizontalAdvance(text)
            painter.setFont(font)
            painter.setPen(QColor(look.ink if place <= self._now else look.faint))
            box = QRectF(left, 0, width + 4, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            if place == self._now:
                painter.fillRect(QRectF(left, self.height() - 3, width, 2), QColor(look.accent))
            left += width + _GAP
        painter.end()
