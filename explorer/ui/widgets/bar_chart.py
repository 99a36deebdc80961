"""A bar chart of how examples are distributed over their labels or scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.plot import Plot

_ROW, _BAR = 22, 8  # height of a row and of its bar, in pixels
_MOST = 8  # labels shown
_HEIGHT = 64  # of the histogram of scores, in pixels


class BarChart(Plot):
    """One bar per label, or a small histogram of scores from low to high."""

    lined = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("left", "right", "bottom", parent=parent)
        self._labels: tuple[tuple[str, int], ...] = ()
        self._scores: tuple[int, ...] = ()
        self._bars = pg.BarGraphItem(x=[], height=[], width=0)
        self.box.addItem(self._bars)
        self.box.invertY(True)
        self.box.sigResized.connect(lambda _: self._name_rows() if self._labels else None)
        for axis in self.axes.values():
            axis.setStyle(tickLength=0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.restyle()

    def show_labels(self, counts: Sequence[tuple[str, int]]) -> None:
        """Show how many examples have each label."""
        self._labels, self._scores = tuple(counts)[:_MOST], ()
        rows, values = np.arange(len(self._labels)), [count for _, count in self._labels]
        self._bars.setOpts(x=None, x0=0, x1=values, y=rows, y0=None, y1=None, height=_BAR / _ROW, width=None)
        self.box.setRange(xRange=(0, max([1, *values])), yRange=(-0.5, max(1, len(rows)) - 0.5), padding=0)
        self.axes["right"].setTicks([[(row, f"{count:,}") for row, count in enumerate(values)]])
        self._name_rows()
        self._refresh(", ".join(f"{name}: {count:,}" for name, count in counts), labels=True)

    def show_scores(self, counts: Sequence[int], low: str, high: str) -> None:
        """Show how many scores are in each of a few equal ranges."""
        self._labels, self._scores = (), tuple(counts)
        columns = np.arange(len(counts)) + 0.5
        self._bars.setOpts(
            x=columns, x0=None, x1=None, y=None, y0=0, y1=-np.asarray(counts), height=None, width=0.9
        )
        self.box.setRange(xRange=(0, max(1, len(counts))), yRange=(-max([1, *counts]), 0), padding=0)
        self.axes["bottom"].setTicks([[(0.5, low), (max(1, len(counts)) - 0.5, high)]])
        self._refresh(f"{low} – {high}: {', '.join(map(str, counts))}", labels=False)

    def _refresh(self, description: str, *, labels: bool) -> None:
        for side, axis in self.axes.items():
            axis.setVisible(labels == (side != "bottom"))
        self.setAccessibleDescription(description)
        self.setVisible(bool(self._labels or any(self._scores)))
        self.updateGeometry()

    def _name_rows(self) -> None:
        """Show the labels on the left, in a third of the width at most."""
        metrics, room = self.fontMetrics(), max(40, self.width() // 3)
        names = [metrics.elidedText(name, Qt.TextElideMode.ElideRight, room) for name, _ in self._labels]
        self.axes["left"].setTicks([list(enumerate(names))])
        self.axes["left"].setWidth(max([metrics.horizontalAdvance(name) for name in names], default=0) + 12)

    def restyle(self) -> None:
        super().restyle()
        colours = theme.current()
        self.setBackgroundBrush(QBrush())  # it lies on a page, not in a panel
        self._bars.setOpts(brush=colours.accent, pen=None)
        self.axes["left"].setTextPen(colours.ink)

    def sizeHint(self) -> QSize:
        return QSize(200, len(self._labels) * _ROW if self._labels else _HEIGHT + 20)
