"""Base of the charts: a pyqtgraph plot in the window's theme."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, cast

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsView, QWidget

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
        self._heading.setText(html.escape(title), color=theme.current().ink, bold=True, size=size)
        self.setAccessibleName(title)

    def set_grid(self, side: str) -> None:
        """Draw a line across the plot at each tick of an axis."""
        self.axes[side].setGrid(255)

    def restyle(self) -> None:
        """Apply the theme to the background, the axes and the heading; subclasses draw their items again."""
        colours = theme.current()
        self.setBackgroundBrush(QColor(colours.ground))
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
