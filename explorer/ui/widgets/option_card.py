"""One of a few ways to go on: a title, what it means, and its technical name beneath."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

_PAD, _GAP, _RING = 12, 2, 8.0  # pixels; the ring is the radius of the button's circle
_TEXT = 40  # where the words begin
_NARROW = 220
_BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class OptionCard(Themed, QAbstractButton):
    """A button of which one of its parent's is down; it wraps its words to the room it has."""

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
        self._by_key = False  # the keyboard came here by a key

    def tell(self, title: str, about: str = "", note: str = "", side: str = "") -> None:
        """Say what it is; `note` stands beneath for those who know, `side` at the right end."""
        self.setText(title)
        self.about, self.note, self.side = about, note, side
        self.setAccessibleName(title)
        self.setAccessibleDescription(" ".join(part for part in (about, note, side) if part))
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        """Words wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines."""
        return self._lines(width)[-1][1].bottom() + _PAD

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(2 * _NARROW, self.heightForWidth(max(self.width(), 2 * _NARROW)))

    def minimumSizeHint(self) -> QSize:
        """It gives way, and grows downwards."""
        return QSize(_NARROW, self.heightForWidth(max(self.width(), _NARROW)))

    def restyle(self) -> None:
        self.updateGeometry()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be pressed."""
        super().enterEvent(event)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is, if it came by a key."""
        self._by_key = event.reason() in _BY_KEY
        super().focusInEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """And not any more."""
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A frame, a ring, and the words."""
        look, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground, chosen = QColor(look.ground), QColor(look.chosen)
        if self.isChecked():
            ground = QColor(
                *((2 * one + other) // 3 for one, other in zip(_rgb(ground), _rgb(chosen), strict=True))
            )
        lively = self.isChecked() or (self.underMouse() and self.isEnabled())
        painter.setPen(QPen(QColor(look.accent if lively else look.hairline), 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        if self._by_key and self.hasFocus():
            painter.setPen(
                QPen(QColor(look.faint), 1, Qt.PenStyle.DashLine)
            )  # where, not which one is chosen
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(4, 4, -4, -4), 4, 4)
        lines = self._lines(self.width())
        self._paint_ring(painter, lines[0][1].center().y() + 0.5)
        for text, box, font, faint in lines:
            painter.setFont(font)
            painter.setPen(QColor(look.faint if faint or not self.isEnabled() else look.ink))
            painter.drawText(box, Qt.TextFlag.TextWordWrap, text)
        if self.side:
            painter.setFont(self.font())
            painter.setPen(QColor(look.faint))
            painter.drawText(self._side_box(lines[0][1]), Qt.AlignmentFlag.AlignRight, self.side)
        painter.end()

    def _paint_ring(self, painter: QPainter, middle: float) -> None:
        look, at = theme.current(), QPointF(_TEXT / 2 + 1, middle)
        on = self.isChecked() and self.isEnabled()
        painter.setPen(QPen(QColor(look.accent if on else look.faint), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, _RING - 1, _RING - 1)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent if on else look.faint))
            painter.drawEllipse(at, _RING - 4, _RING - 4)

    def _side_box(self, first: QRect) -> QRect:
        return QRect(
            self.width() - _PAD - self._side_width(), first.top(), self._side_width(), first.height()
        )

    def _side_width(self) -> int:
        return QFontMetrics(self.font()).horizontalAdvance(self.side) + 4 if self.side else 0

    def _lines(self, width: int) -> list[tuple[str, QRect, QFont, bool]]:
        """Each text with its box, its font, and whether it is faint."""
        bold, small = QFont(self.font()), QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(max(9.0, small.pointSizeF() - 1))
        room = max(60, width - _TEXT - _PAD)
        first = room - (self._side_width() + _PAD if self.side else 0)
        top, made = _PAD, []
        for text, font, faint, across in (
            (self.text(), bold, False, first), (self.about, self.font(), False, room), (self.note, small, True, room),
        ):  # fmt: skip
            if text:
                box = QFontMetrics(font).boundingRect(
                    QRect(_TEXT, top, across, 10_000), int(Qt.TextFlag.TextWordWrap), text
                )
                box.setWidth(across)
                made.append((text, box, font, faint))
                top = box.bottom() + 1 + _GAP
        return made or [("", QRect(_TEXT, _PAD, room, 16), self.font(), False)]


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
