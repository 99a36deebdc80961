"""Charts in the window's theme, on pyqtgraph: the plot they share, line charts and bar charts."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsView, QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    _GraphicsView = QGraphicsView  # pyqtgraph has no type hints
else:
    _GraphicsView = pg.GraphicsView


_PLACES = {"top": (1, 1), "left": (2, 0), "right": (2, 2), "bottom": (3, 1)}  # rows and columns of the layout
_OVERHANG = 60  # pixels by which the name of a tick at the end of an axis may stick out; more are left out


class Plot(Themed, _GraphicsView):
    """A plot that cannot be panned or zoomed, with a title and the axes that are named.

    Not a PlotItem: that one makes 45 hidden widgets for its menus, which takes 12 ms and slows each change of theme.

    Attributes:
        box: Where curves and bars are added.
        axes: The axes by their side: "left", "right", "top", "bottom".
        lined: Whether axes are drawn as lines with ticks, not only as numbers and names.
    """

    lined = True

    def __init__(self, *axes: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setInteractive(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        remove_export_action(self)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.disableAutoRange()
        self.axes = {side: pg.AxisItem(side) for side in axes}
        self._title, self._heading = "", pg.LabelItem(justify="left")
        self.grid: QGraphicsGridLayout = cast(Any, self).centralLayout
        self.grid.setSpacing(0)
        self.grid.addItem(self.box, 2, 1)
        for side, axis in self.axes.items():
            axis.linkToView(self.box)
            axis.enableAutoSIPrefix(False)
            axis.setZValue(-200)  # its grid lies behind the curves
            axis.setStyle(hideOverlappingLabels=_OVERHANG, tickAlpha=255 if self.lined else 0)
            self.grid.addItem(axis, *_PLACES[side])

    @property
    def title(self) -> str:
        """Return the heading."""
        return self._title

    def set_title(self, title: str) -> None:
        """Show a heading."""
        if not self._title:
            self.grid.addItem(self._heading, 0, 1)
        self._title = title
        size = f"{self.font().pointSize()}pt"
        self._heading.setText(html.escape(title), color=theme.current().foreground, bold=True, size=size)
        self.setAccessibleName(title)

    def set_grid(self, side: str) -> None:
        """Draw a line across the plot at each tick of an axis."""
        self.axes[side].setGrid(255)

    def restyle(self) -> None:
        """Apply the theme to the background, the axes and the heading; subclasses draw their items again."""
        colours = theme.current()
        self.setBackgroundBrush(QColor(colours.background))
        for axis in self.axes.values():
            axis.setPen(colours.hairline if self.lined else None)
            axis.setTextPen(colours.faint)
            axis.setTickFont(self.font())
            size = f"{self.font().pointSize()}pt"
            axis.setLabel(axis.labelText, color=colours.faint, **{"font-size": size})
            axis.showLabel(bool(axis.labelText))
        if self._title:
            self.set_title(self._title)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page around it scrolls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()

    def close(self) -> bool:
        return QWidget.close(self)  # pyqtgraph's own clears the scene, but a chart may be shown again


def remove_export_action(view: QGraphicsView) -> None:
    """Remove "Export..." from the scene of a pyqtgraph view: it is not translated, and the window exports itself."""
    for action in cast(Any, view.scene()).contextMenu:
        action.setParent(None)
    cast(Any, view.scene()).contextMenu = []


def tinted(colour: str, alpha: float) -> QColor:
    """Return a colour with an opacity, 0..1."""
    shade = QColor(colour)
    shade.setAlphaF(alpha)
    return shade


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
            self._dots.setBrush([pg.mkBrush(colours.accent if best else colours.background) for best in highlighted])
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
        self._bars.setOpts(x=columns, x0=None, x1=None, y=None, y0=0, y1=-np.asarray(counts), height=None, width=0.9)
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
        self.axes["left"].setTextPen(colours.foreground)

    def sizeHint(self) -> QSize:
        return QSize(200, len(self._labels) * _ROW if self._labels else _HEIGHT + 20)
