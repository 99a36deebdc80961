"""A line chart that grows while a model trains: the loss, or a metric on held-out examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.plot import Plot, tinted

_SMOOTH = 0.03  # share of all points on each side of the running median
_WIDEST = 400  # points on each side at most
_DRAWN = 200  # points of the smoothed line


class LineChart(Plot):
    """One line over the steps of a training run.

    With `smooth` the values are drawn faintly behind their running median, else as points on the line.
    """

    def __init__(self, *, smooth: bool, parent: QWidget | None = None) -> None:
        super().__init__("left", "bottom", parent=parent)
        self._empty, self._smooth = "", smooth
        self._values, self._best = np.zeros(0), -1
        self.grid.setContentsMargins(8, 6, 20, 6)
        self.set_grid("left")
        # A million steps are drawn as the lowest and the highest value of each pixel column.
        self._raw = pg.PlotDataItem(autoDownsample=True, downsampleMethod="peak", antialias=True)
        self._line, self._dots = pg.PlotDataItem(antialias=True), pg.ScatterPlotItem()
        self._note = pg.TextItem(anchor=(0.5, 0.5))
        for item in (self._raw, self._line, self._dots, self._note):
            self.box.addItem(item, ignoreBounds=True)
        self.restyle()

    def set_texts(self, title: str, empty: str, steps: str) -> None:
        """Set the heading, the text shown before there are values, and the name of the horizontal axis."""
        self._empty = empty
        self.set_title(title)
        self.axes["bottom"].setLabel(steps)
        self._describe()

    def show_line(self, steps: Sequence[int], values: Sequence[float], total: int, best: int = -1) -> None:
        """Show values at steps out of `total`; `best` is the index of the value to highlight."""
        x, self._values, self._best = np.asarray(steps, float), np.asarray(values, float), best
        sampled, line = np.arange(len(self._values)), self._values
        if self._smooth and len(self._values):
            sampled, line = _smooth_line(self._values)
            self._raw.setData(x, self._values)
        self._line.setData(x[sampled], line)
        if not self._smooth:
            self._dots.setData(x, self._values)
        low, high = _ends(self._values, line, smooth=self._smooth)
        self.box.setRange(xRange=(0, max(1, total)), yRange=(low, high), padding=0)
        self.restyle()
        self._describe()

    def restyle(self) -> None:
        super().restyle()
        colours = theme.current()
        self._raw.setPen(tinted(colours.accent, 0.25))
        self._line.setPen(colours.accent, width=1.8)
        count = len(self._dots.data)
        if count:
            self._dots.setPen(pg.mkPen(colours.accent, width=1.6))
            highlighted = np.arange(count) == self._best
            self._dots.setSize(np.where(highlighted, 9, 6))
            self._dots.setBrush(
                [pg.mkBrush(colours.accent if best else colours.ground) for best in highlighted]
            )
        self._note.setColor(colours.faint)

    def sizeHint(self) -> QSize:
        return QSize(480, 170)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 110)

    def _describe(self) -> None:
        """Show and read aloud the last value, or what is shown before there is one."""
        for axis in self.axes.values():
            axis.setStyle(maxTickLevel=0, showValues=len(self._values) > 0)
        self._note.setText("" if len(self._values) else self._empty)
        self._note.setPos(self.box.viewRect().center())
        self.setAccessibleDescription(f"{self._values[-1]:.3f}" if len(self._values) else self._empty)


def _ends(values: NDArray[np.float64], line: NDArray[np.float64], *, smooth: bool) -> tuple[float, float]:
    """Return the ends of the y axis with a margin: of all values, or of most values and the smoothed line."""
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    if smooth:
        known = np.concatenate([np.quantile(known, (0.1, 0.95)), line[np.isfinite(line)]])
    low, high = float(known.min()), float(known.max())
    room = max((0.15 if smooth else 0.06) * (high - low), 0.01 * max(abs(high), abs(low)), 1e-6)
    return (max(0.0, low - room) if low >= 0 else low - room), high + room  # a loss is never negative


def _smooth_line(values: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return some indices and the median around each.

    The median, unlike a mean, ignores the batches that guard against forgetting, whose loss is on another scale.
    """
    reach = min(_WIDEST, max(min(3, len(values) // 8), round(_SMOOTH * len(values))))
    indices = np.unique(np.linspace(0, len(values) - 1, min(len(values), _DRAWN)).astype(np.intp))
    around = [values[max(0, index - reach) : index + reach + 1] for index in indices.tolist()]
    return indices, np.array([np.median(part) for part in around])
