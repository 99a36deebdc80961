"""The visible region of the map: a pyqtgraph view box, and animated transitions between regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QEasingCurve, QObject, QRectF, QVariantAnimation, Signal
from PySide6.QtWidgets import QGraphicsSceneResizeEvent, QWidget

from explorer.rendering.camera import Box, Camera, between
from explorer.rendering.point_layers import MapPoints

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = Sequence[int] | NDArray[np.integer]

DURATION = 200  # milliseconds of a transition
_EDGE = 40.0  # pixels from the edge at which a row that was outside comes to lie
_RIM = 14  # pixels around the outermost points of a whole map, so that none is cut


class StepAnimation(QVariantAnimation):
    """Calls a function with the eased progress from 0 to 1, each frame for 200 ms."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setStartValue(0.0)
        self.setEndValue(1.0)
        self.setDuration(DURATION)
        self.setEasingCurve(QEasingCurve.Type.OutQuad)
        self._step: Callable[[float], None] | None = None
        self.valueChanged.connect(self._on_value_changed)

    @property
    def running(self) -> bool:
        """Return whether the animation is running."""
        return self.state() == QVariantAnimation.State.Running

    def run(self, step: Callable[[float], None]) -> None:
        """Start; an animation that is running stops where it is."""
        self.stop()
        self._step = step
        self.start()

    def _on_value_changed(self, share: float) -> None:
        if self._step is not None and self.running:
            self._step(share)


class MapViewBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no type hints
    """The visible region of a map widget; its range is pyqtgraph's, so that two maps can be linked.

    Attributes:
        camera: The range as centre and scale, rounded to whole pixels of the screen.
        home: Whether the view still shows the whole map because nobody has moved it.
        motion: Whether transitions are animated.
        points: What is shown.

    Signals:
        changed: Another region is visible.
    """

    changed = Signal()

    def __init__(self, widget: QWidget, points: MapPoints) -> None:
        self.camera, self.home, self.motion = Camera(), True, True
        self._widget, self.points = widget, points
        self._partner: MapViewBox | None = None
        super().__init__(lockAspect=True, enableMenu=False, enableMouse=False, defaultPadding=0)
        self.disableAutoRange()
        # Nothing is drawn outside the widget, and a clip path costs 0.2 ms a frame.
        self.setFlag(self.GraphicsItemFlag.ItemClipsChildrenToShape, False)
        self._flight = StepAnimation(self)
        self.sigRangeChanged.connect(self._on_range_changed)

    @property
    def sized(self) -> Camera:
        """Return the view in the widget's current size, which Qt reports late to a hidden widget."""
        return self.camera.sized(self._widget.width(), self._widget.height())

    @property
    def moving(self) -> bool:
        """Return whether a transition is running."""
        return self._flight.running

    def may_animate(self) -> bool:
        """Return whether to animate: the widget is visible and animations are on."""
        return self.motion and self._widget.isVisible()

    def link(self, other: MapViewBox) -> None:
        """Show the same region as another map from now on, whichever of the two is moved."""
        self._partner, other._partner = other, self
        self.setXLink(other)
        self.setYLink(other)

    def look_at(self, camera: Camera, *, animate: bool = False, home: bool = False) -> None:
        """Show another region, at once or by a short transition."""
        self.home = home
        self.setGeometry(0, 0, self._widget.width(), self._widget.height())
        goal = camera.sized(self._widget.width(), self._widget.height()).bounded(self._extent())
        if animate and self.may_animate():
            start = self.camera
            self._flight.run(lambda share: self._show(between(start, goal, share)))
        else:
            self._flight.stop()
            self._show(goal)

    def fit(self, *, animate: bool = True) -> None:
        """Show the whole map."""
        self.look_at(self.sized.fitted(self._extent()), animate=animate, home=True)

    def move(self, right: float, down: float, *, animate: bool = False) -> None:
        """Drag the map by some pixels."""
        self.look_at(self.camera.moved(right, down), animate=animate)

    def zoom(self, factor: float, at: tuple[float, float] | None = None, *, animate: bool = True) -> None:
        """Magnify around a pixel, or around the centre."""
        x, y = at or (self._widget.width() / 2, self._widget.height() / 2)
        self.look_at(self.camera.closer(factor, x, y), animate=animate)

    def zoom_to(self, rows: Rows, *, animate: bool = True) -> None:
        """Show some rows, as close as shows nearly all of them.

        Raises:
            ValueError: There is no such row.
        """
        self.look_at(self.points.around(rows, self.sized), animate=animate)

    def show_row(self, row: int, *, animate: bool = True) -> None:
        """If a row is outside the view, move the view just as far as brings it inside."""
        if not 0 <= row < len(self.points):
            return
        x, y = self.points.at(row, self.camera)
        wide, high = self._widget.width(), self._widget.height()
        if 0 <= x <= wide and 0 <= y <= high:
            return
        edge = min(_EDGE, wide / 4, high / 4)
        inside_x, inside_y = min(max(x, edge), wide - edge), min(max(y, edge), high - edge)
        self.move(inside_x - x, inside_y - y, animate=animate)

    def follow(self) -> None:
        """Keep the whole map visible after points moved, unless the user moved the view; ignore small changes."""
        box = self._extent()
        goal, seen, rim = self.camera.fitted(box), self.camera.seen(), _RIM / self.camera.scale
        inside = (
            seen.left <= box.left - rim
            and seen.right >= box.right + rim
            and seen.low <= box.low - rim
            and seen.high >= box.high + rim
        )
        if self.home and not (inside and goal.scale < 1.4 * self.camera.scale):
            self._show(goal)

    def resizeEvent(self, event: QGraphicsSceneResizeEvent) -> None:
        before = self.camera
        super().resizeEvent(event)
        # pyqtgraph keeps the region and changes the scale; here the scale stays unless the whole map is shown.
        sized = before.sized(self.width(), self.height())
        self._show(sized.fitted(self._extent()) if self.home else sized)
        self._on_range_changed()  # a new size may come with the same range

    def linkedViewChanged(self, view: Any, axis: int) -> None:
        if view is not None:
            self.home = view.home
        super().linkedViewChanged(view, axis)

    def paint(self, *_args: object) -> None:
        pass  # no border

    def _extent(self) -> Box:
        """Return the box around the points, and around those of a linked map."""
        box = self.points.box
        if self._partner is None or not len(self._partner.points):
            return box
        other = self._partner.points.box
        return Box(
            min(box.left, other.left), min(box.low, other.low), max(box.right, other.right), max(box.high, other.high)
        )

    def _show(self, camera: Camera) -> None:
        seen = camera.seen()
        self.setRange(
            QRectF(seen.left, seen.low, seen.right - seen.left, seen.high - seen.low), padding=0, disableAutoRange=False
        )

    def _on_range_changed(self, *_range: object) -> None:
        (left, right), (low, high) = self.viewRange()
        scale = self.width() / (right - left)
        if abs(scale / self.camera.scale - 1) < 1e-9:
            scale = self.camera.scale  # only a picture of exactly the same scale can be shifted
        camera = Camera((left + right) / 2, (low + high) / 2, scale, self.width(), self.height())
        self.camera = camera.snapped(self._widget.devicePixelRatioF())
        self.changed.emit()
