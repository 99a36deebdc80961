"""A slope chart of how ranks changed: a line for each result, from its rank before to its rank after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.search.search import Hit

SLIDE = 220  # milliseconds
SIDE, EDGE = 34, 18  # pixels for the ranks beside the lines, and above them
NEAR = 8  # pixels from a line that still touch it
FARTHEST = 12  # results that are highlighted: those that moved the farthest


class SlopeChart(QWidget):
    """A line for each result; those that moved farthest stand out.

    Signals:
        chosen: A line was clicked; carries its document.
    """

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits: Sequence[Hit] = ()
        self._before = self._after = np.zeros(0)
        self._far: frozenset[int] = frozenset()
        self._focus: int | None = None
        self._over = -1
        self._names = ("", "")
        self._slide = QVariantAnimation(self, duration=SLIDE, startValue=0.0, endValue=1.0)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.valueChanged.connect(lambda _: self.update())
        self.setMouseTracking(True)
        self.setMinimumHeight(56)

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(320, 190)

    def show_hits(self, hits: Sequence[Hit], *, move: bool) -> None:
        """Draw the reranked hits; `move` animates the lines to their new ranks."""
        self._hits = [hit for hit in hits if hit.cross_score is not None]
        self._before = np.array([hit.found_rank for hit in self._hits], dtype=np.float64)
        self._after = np.array([hit.rank for hit in self._hits], dtype=np.float64)
        moves = np.abs(self._before - self._after)
        farthest = np.argsort(-moves, kind="stable")[:FARTHEST].tolist()
        self._far = frozenset(at for at in farthest if moves[at] > 1)
        self._over = -1
        self._slide.stop()
        if move and len(self._hits) and self.isVisible():
            self._slide.start()
        else:
            self._slide.setCurrentTime(SLIDE)
        self.update()

    def set_focus(self, document: int | None) -> None:
        """Highlight the line of a document."""
        self._focus = document
        self.update()

    def name_sides(self, before: str, after: str) -> None:
        """Set the headings of the two sides."""
        self._names = (before, after)
        self.update()

    def lines(self) -> NDArray[np.float64]:
        """Return where each line begins and ends now, (N, 2), in pixels from the top."""
        if not len(self._before):
            return np.zeros((0, 2))
        lowest = max(2.0, self._before.max(), self._after.max())
        share = float(self._slide.currentValue())
        now = self._before + (self._after - self._before) * share
        room = self.height() - EDGE - 10
        return np.column_stack([EDGE + (ranks - 1) / (lowest - 1) * room for ranks in (self._before, now)])

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the lines, those that moved far and the one in focus last."""
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.ground))
        painter.setPen(QColor(colours.faint))
        top = self.rect().adjusted(8, 0, -8, -(self.height() - EDGE))
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._names[0])
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._names[1])
        ends = self.lines()
        for at in sorted(range(len(ends)), key=self._weight):
            self._draw(painter, at, ends[at])
        painter.end()

    def _weight(self, at: int) -> int:
        """Return the drawing order of a line; the heaviest is drawn last, on top."""
        if self._hits[at].document == self._focus:
            return 3
        return 2 if at == self._over else int(at in self._far)

    def _draw(self, painter: QPainter, at: int, ends: NDArray[np.float64]) -> None:
        colours, weight = theme.current(), self._weight(at)
        rose = self._after[at] < self._before[at]
        colour = QColor(colours.ink if weight >= 2 else colours.accent if weight and rose else colours.faint)
        colour.setAlphaF(1.0 if weight else 0.35)
        painter.setPen(QPen(colour, 2.4 if weight >= 2 else 1.4 if weight else 1.0))
        left, right = QPointF(SIDE, ends[0]), QPointF(self.width() - SIDE, ends[1])
        painter.drawLine(left, right)
        painter.setBrush(colour)
        for end in (left, right):
            painter.drawEllipse(end, 1.8, 1.8)
        if weight >= 2:
            painter.setPen(QColor(colours.ink))
            for end, rank, side in ((left, self._before[at], -30), (right, self._after[at], 6)):
                painter.drawText(QPointF(end.x() + side, end.y() + 4), f"{int(rank)}")

    def _under(self, event: QMouseEvent) -> int:
        """Return the line under the mouse, or -1."""
        ends, here = self.lines(), event.position()
        if not len(ends):
            return -1
        share = (here.x() - SIDE) / max(1, self.width() - 2 * SIDE)
        away = np.abs(ends[:, 0] + (ends[:, 1] - ends[:, 0]) * min(1.0, max(0.0, share)) - here.y())
        best = int(np.argmin(away))
        return best if away[best] <= NEAR else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Name the line under the mouse."""
        at = self._under(event)
        if at != self._over:
            self._over = at
            tip = (
                "" if at < 0 else f"{self._hits[at].title}\n{int(self._before[at])} → {int(self._after[at])}"
            )
            QToolTip.showText(event.globalPosition().toPoint(), plain_tip(tip), self)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the line under the mouse."""
        at = self._under(event)
        if at >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self._hits[at].document)

    def leaveEvent(self, event: QEvent) -> None:
        """No line is under the mouse any more."""
        self._over = -1
        self.update()
        super().leaveEvent(event)
