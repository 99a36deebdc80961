"""An exclusive option: a title, what it means, and its technical name below."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

_PAD, _GAP, _RING = 12, 2, 8.0  # pixels; the ring is the radius of the button's circle
_TEXT = 40  # where the text begins
_MIN_WIDTH = 220
_BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class OptionCard(Themed, QAbstractButton):
    """A radio button that wraps its texts to the width it has."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.about, self.note, self.side = "", "", ""
        self._by_key = False  # whether it got the focus by a key

    def tell(self, title: str, about: str = "", note: str = "", side: str = "") -> None:
        """Set its texts; `note` is the technical name below, `side` is shown at the right end."""
        self.setText(title)
        self.about, self.note, self.side = about, note, side
        self.setAccessibleName(title)
        self.setAccessibleDescription(" ".join(part for part in (about, note, side) if part))
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lines(width)[-1][1].bottom() + _PAD

    def sizeHint(self) -> QSize:
        return QSize(2 * _MIN_WIDTH, self.heightForWidth(max(self.width(), 2 * _MIN_WIDTH)))

    def minimumSizeHint(self) -> QSize:
        return QSize(_MIN_WIDTH, self.heightForWidth(max(self.width(), _MIN_WIDTH)))

    def restyle(self) -> None:
        self.updateGeometry()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_key = event.reason() in _BY_KEY
        super().focusInEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        active = self.isChecked() or (self.underMouse() and self.isEnabled())
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(QColor(look.accent if active else look.hairline), 1))
        painter.setBrush(QColor(look.background))
        painter.drawRoundedRect(frame, 6, 6)
        if self.isChecked():
            tint = QColor(look.chosen)
            tint.setAlphaF(1 / 3)
            painter.setBrush(tint)
            painter.drawRoundedRect(frame, 6, 6)
        if self._by_key and self.hasFocus():
            painter.setPen(QPen(QColor(look.faint), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(4, 4, -4, -4), 4, 4)
        lines = self._lines(self.width())
        self._paint_ring(painter, lines[0][1].center().y() + 0.5)
        for text, box, font, faint in lines:
            painter.setFont(font)
            painter.setPen(QColor(look.faint if faint or not self.isEnabled() else look.foreground))
            painter.drawText(box, Qt.TextFlag.TextWordWrap, text)
        if self.side:
            painter.setFont(self.font())
            painter.setPen(QColor(look.faint))
            first, width = lines[0][1], self._side_width()
            box = QRect(self.width() - _PAD - width, first.top(), width, first.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, self.side)
        painter.end()

    def _paint_ring(self, painter: QPainter, y: float) -> None:
        look, centre = theme.current(), QPointF(_TEXT / 2 + 1, y)
        colour = QColor(look.accent if self.isChecked() and self.isEnabled() else look.faint)
        painter.setPen(QPen(colour, 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, _RING - 1, _RING - 1)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(centre, _RING - 4, _RING - 4)

    def _side_width(self) -> int:
        return QFontMetrics(self.font()).horizontalAdvance(self.side) + 4 if self.side else 0

    def _lines(self, width: int) -> list[tuple[str, QRect, QFont, bool]]:
        """Return each text with its box, its font, and whether it is faint."""
        bold, small = QFont(self.font()), QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(max(9.0, small.pointSizeF() - 1))
        full = max(60, width - _TEXT - _PAD)
        first = full - (self._side_width() + _PAD if self.side else 0)
        top, made = _PAD, []
        for text, font, faint, room in (
            (self.text(), bold, False, first),
            (self.about, self.font(), False, full),
            (self.note, small, True, full),
        ):
            if text:
                box = QFontMetrics(font).boundingRect(
                    QRect(_TEXT, top, room, 10_000), int(Qt.TextFlag.TextWordWrap), text
                )
                box.setWidth(room)
                made.append((text, box, font, faint))
                top = box.bottom() + 1 + _GAP
        return made or [("", QRect(_TEXT, _PAD, full, 16), self.font(), False)]
