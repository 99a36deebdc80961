"""Three small drawings of what the program does: texts become a map, a question finds, two texts are compared."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer import palette
from explorer.ui.look import theme

WIDE, HIGH = 216, 120  # the size that the drawings are made for


class Picture(QWidget):
    """One drawing, in the colours of the theme."""

    def __init__(self, draw: Callable[[QPainter], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draw = draw
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumSize(140, HIGH)

    def sizeHint(self) -> QSize:
        """As large as it is drawn."""
        return QSize(WIDE, HIGH)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw it in the middle, as large as fits."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = min(self.width() / WIDE, self.height() / HIGH, 1.0)
        painter.translate((self.width() - WIDE * scale) / 2, (self.height() - HIGH * scale) / 2)
        painter.scale(scale, scale)
        self._draw(painter)
        painter.end()


def draw_map(painter: QPainter) -> None:
    """Pages on the left become points on the right; those alike lie together."""
    for place in range(3):
        _page(painter, QRectF(8 + place * 9, 22 + place * 12, 38, 50))
    _arrow(painter, QPointF(80, 60), QPointF(102, 60))
    colours = palette.qualitative(4, dark=theme.current().dark)
    middles = (QPointF(134, 34), QPointF(186, 42), QPointF(150, 84), QPointF(192, 92))
    chance = random.Random(7)  # noqa: S311 - the same dots every time
    painter.setPen(Qt.PenStyle.NoPen)
    for middle, colour in zip(middles, colours, strict=True):
        painter.setBrush(QColor(colour))
        for _ in range(11):
            painter.drawEllipse(middle + QPointF(chance.gauss(0, 8), chance.gauss(0, 8)), 2.6, 2.6)


def draw_search(painter: QPainter) -> None:
    """A question in plain words, and the few points that answer it."""
    look = theme.current()
    box = QRectF(20, 10, 176, 24)
    painter.setPen(QPen(QColor(look.accent), 1.4))
    painter.setBrush(QColor(look.raised))
    painter.drawRoundedRect(box, 5, 5)
    painter.drawEllipse(QPointF(34, 21), 4.5, 4.5)
    painter.drawLine(QPointF(37.4, 24.4), QPointF(41, 28))
    painter.setPen(QPen(QColor(look.faint), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    for start, end in ((50, 74), (80, 118), (124, 140)):
        painter.drawLine(QPointF(start, 22), QPointF(end, 22))
    chance = random.Random(3)  # noqa: S311 - the same dots every time
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(palette.CONTEXT[look.dark]))
    for _ in range(46):
        painter.drawEllipse(QPointF(chance.uniform(14, 202), chance.uniform(48, 114)), 2.4, 2.4)
    for at, far in (
        (QPointF(112, 78), 4.2),
        (QPointF(124, 72), 3.6),
        (QPointF(101, 86), 3.4),
        (QPointF(120, 90), 3.2),
    ):
        glow = QColor(look.accent)
        glow.setAlphaF(0.18)
        painter.setBrush(glow)
        painter.drawEllipse(at, far + 5, far + 5)
        painter.setBrush(QColor(look.accent))
        painter.drawEllipse(at, far, far)


def draw_compare(painter: QPainter) -> None:
    """Two pages, and ribbons between the passages that say the same."""
    look = theme.current()
    left, right = QRectF(24, 12, 58, 96), QRectF(134, 12, 58, 96)
    colours = palette.qualitative(3, dark=look.dark)
    for (first, second), colour in zip(((26, 42), (52, 22), (80, 78)), colours, strict=True):
        tint = QColor(colour)
        tint.setAlphaF(0.35)
        ribbon = QPainterPath(QPointF(left.right(), first))
        ribbon.cubicTo(QPointF(108, first), QPointF(108, second), QPointF(right.left(), second))
        ribbon.lineTo(QPointF(right.left(), second + 12))
        ribbon.cubicTo(QPointF(108, second + 12), QPointF(108, first + 12), QPointF(left.right(), first + 12))
        painter.fillPath(ribbon, tint)
    _page(painter, left)
    _page(painter, right)
    for (first, second), colour in zip(((26, 42), (52, 22), (80, 78)), colours, strict=True):
        tint = QColor(colour)
        tint.setAlphaF(0.35)
        painter.fillRect(QRectF(left.left() + 5, first, left.width() - 5, 12), tint)
        painter.fillRect(QRectF(right.left(), second, right.width() - 5, 12), tint)


def _page(painter: QPainter, page: QRectF) -> None:
    look = theme.current()
    painter.setPen(QPen(QColor(look.faint), 1.2))
    painter.setBrush(QColor(look.ground))
    painter.drawRoundedRect(page, 3, 3)
    painter.setPen(QPen(QColor(look.hairline), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    lines = int(page.height() / 9) - 1
    for line in range(lines):
        end = page.right() - (7 if line % 3 else 15)
        high = page.top() + 9 + line * 9
        painter.drawLine(QPointF(page.left() + 7, high), QPointF(end, high))


def _arrow(painter: QPainter, start: QPointF, end: QPointF) -> None:
    pen = QPen(QColor(theme.current().faint), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawLine(start, end)
    for turn in (math.radians(150), math.radians(210)):
        painter.drawLine(end, end + QPointF(6 * math.cos(turn), 6 * math.sin(turn)))
