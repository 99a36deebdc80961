"""A slope chart of how ranks changed: a line for each result, from its rank before to its rank after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.charts import Plot, tinted
from explorer.ui.widgets.placeholder import plain_tip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.search.search import Hit

SLIDE = 220  # milliseconds
SIDE = 34  # pixels for the ranks beside the lines
NEAR = 8  # pixels from a line that still touch it
FARTHEST = 12  # results that are highlighted: those that moved the farthest


class SlopeChart(Plot):
    """A line for each result; those that moved farthest stand out.

    Signals:
        chosen: A line was clicked; carries its document.
    """

    chosen = Signal(int)
    lined = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("top", parent=parent)
        self._hits: Sequence[Hit] = ()
        self._before = self._after = np.zeros(0)
        self._far: frozenset[int] = frozenset()
        self._focus: int | None = None
        self._hovered = -1
        self._slide = QVariantAnimation(self, duration=SLIDE, startValue=0.0, endValue=1.0)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.valueChanged.connect(lambda _: self._draw())
        self.box.invertY(True)  # rank 1 is on top
        self.axes["top"].setStyle(tickLength=0)
        # From the faintest to the strongest: the others, those that fell far, those that rose far, hovered and focused.
        self._lines = [pg.PlotCurveItem(connect="pairs", antialias=True) for _ in range(4)]
        self._ends = [pg.ScatterPlotItem(size=size, pen=None) for size in (2, 4, 4, 4)]
        self._ranks = [pg.TextItem(anchor=(side, 0.5)) for side in (1, 0, 1, 0)]
        for item in (*self._lines, *self._ends, *self._ranks):
            self.box.addItem(item, ignoreBounds=True)
        self.viewport().setMouseTracking(True)
        self.box.sigResized.connect(lambda _: self._set_range())
        self.setMinimumHeight(56)
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(320, 190)

    def show_hits(self, hits: Sequence[Hit], *, move: bool) -> None:
        """Draw the reranked hits; `move` animates the lines to their new ranks."""
        self._hits = [hit for hit in hits if hit.cross_score is not None]
        self._before = np.array([hit.found_rank for hit in self._hits], dtype=np.float64)
        self._after = np.array([hit.rank for hit in self._hits], dtype=np.float64)
        moves = np.abs(self._before - self._after)
        farthest = np.argsort(-moves, kind="stable")[:FARTHEST].tolist()
        self._far = frozenset(row for row in farthest if moves[row] > 1)
        self._hovered = -1
        self._set_range()
        self._slide.stop()
        if move and len(self._hits) and self.isVisible():
            self._slide.start()
        else:
            self._slide.setCurrentTime(SLIDE)
        self._draw()

    def set_focus(self, document: int | None) -> None:
        """Highlight the line of a document."""
        self._focus = document
        self._draw()

    def name_sides(self, before: str, after: str) -> None:
        """Set the headings of the two sides."""
        self.axes["top"].setTicks([[(0, before), (1, after)]])

    def lines(self) -> NDArray[np.float64]:
        """Return where each line begins and ends now, (N, 2), in pixels from the top."""
        self.grid.activate()  # Qt lays out a scene late
        ends = self._ends_now()
        pixels = [self.box.mapViewToScene(QPointF(0, rank)).y() for rank in ends.ravel().tolist()]
        return np.array(pixels).reshape(ends.shape)

    def restyle(self) -> None:
        super().restyle()
        colours = theme.current()
        pens = ((tinted(colours.faint, 0.35), 1.0), (colours.faint, 1.4), (colours.accent, 1.4), (colours.ink, 2.4))
        for lines, ends, (colour, width) in zip(self._lines, self._ends, pens, strict=True):
            lines.setPen(colour, width=width)
            ends.setBrush(colour)
        for rank in self._ranks:
            rank.setColor(colours.ink)
            rank.setFont(self.font())

    def _set_range(self) -> None:
        beside = SIDE / max(1, self.width() - 2 * SIDE)
        lowest = max([2.0, *self._before.tolist(), *self._after.tolist()])
        rim = 0.04 * (lowest - 1)
        self.box.setRange(xRange=(-beside, 1 + beside), yRange=(1 - rim, lowest + rim), padding=0)

    def _ends_now(self) -> NDArray[np.float64]:
        """Return the ranks at which each line begins and ends at this moment of the animation, (N, 2)."""
        share = float(self._slide.currentValue())
        return np.column_stack((self._before, self._before + (self._after - self._before) * share))

    def _draw(self) -> None:
        ends, weights = self._ends_now(), np.array([self._weight(row) for row in range(len(self._hits))])
        for weight, (lines, dots) in enumerate(zip(self._lines, self._ends, strict=True)):
            y = ends[weights == weight].ravel() if len(ends) else ends.ravel()
            x = np.tile((0.0, 1.0), len(y) // 2)
            lines.setData(x, y)
            dots.setData(x, y)
        strong = np.flatnonzero(weights == 3)[:2].tolist()
        for number, text in enumerate(self._ranks):
            row, side = strong[number // 2] if number // 2 < len(strong) else -1, number % 2
            text.setText("" if row < 0 else str(int((self._before, self._after)[side][row])))
            if row >= 0:
                text.setPos(side, ends[row, side])

    def _weight(self, row: int) -> int:
        """Return the index of the curve that a line belongs to; later ones are drawn on top."""
        if row == self._hovered or self._hits[row].document == self._focus:
            return 3
        return 0 if row not in self._far else 2 if self._after[row] < self._before[row] else 1

    def _row_at(self, event: QMouseEvent) -> int:
        """Return the line under the mouse, or -1."""
        ends, at = self.lines(), event.position()
        if not len(ends):
            return -1
        share = min(1.0, max(0.0, (at.x() - SIDE) / max(1, self.width() - 2 * SIDE)))
        away = np.abs(ends[:, 0] + (ends[:, 1] - ends[:, 0]) * share - at.y())
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= NEAR else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event)
        if row != self._hovered:
            self._hovered = row
            tip = ""
            if row >= 0:
                tip = f"{self._hits[row].title}\n{int(self._before[row])} → {int(self._after[row])}"
            QToolTip.showText(event.globalPosition().toPoint(), plain_tip(tip), self)
            self._draw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event)
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self._hits[row].document)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self._draw()
        super().leaveEvent(event)
