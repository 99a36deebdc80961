"""The visible region of the map, and animated transitions between regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from explorer.rendering.camera import Camera, between
from explorer.rendering.point_layers import MapPoints
from explorer.ui.map.animation import StepAnimation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = Sequence[int] | NDArray[np.integer]

_EDGE = 60.0  # pixels from the edge at which a row is well inside
_RIM = 14  # pixels around the outermost points of a whole map, so that none is cut


class Viewport(QObject):
    """The visible region of a map widget.

    Attributes:
        camera: The view.
        home: Whether the view still shows the whole map because nobody has moved it.
        motion: Whether transitions are animated.

    Signals:
        changed: Another region is visible.
    """

    changed = Signal()

    def __init__(self, widget: QWidget, points: MapPoints) -> None:
        super().__init__(widget)
        self._widget, self._points = widget, points
        self._flight = StepAnimation(self)
        self.camera, self.home, self.motion = Camera(), True, True

    @property
    def sized(self) -> Camera:
        """Return the view in the widget's current size, which Qt reports late to a hidden widget."""
        return self.camera.sized(self._widget.width(), self._widget.height())

    @property
    def closeness(self) -> float:
        """Return the magnification relative to the view of the whole map."""
        return self.camera.scale / self.camera.fitted(self._points.box).scale

    @property
    def moving(self) -> bool:
        """Return whether a transition is running."""
        return self._flight.running

    def may_animate(self) -> bool:
        """Return whether to animate: the widget is visible and animations are on."""
        return self.motion and self._widget.isVisible()

    def look_at(self, camera: Camera, *, animate: bool = False) -> None:
        """Show another region, at once or by a short transition."""
        self.home = False
        goal = camera.sized(self._widget.width(), self._widget.height()).bounded(self._points.box)
        if animate and self.may_animate():
            start = self.camera
            self._flight.run(lambda share: self._see(between(start, goal, share)))
        else:
            self._flight.stop()
            self._see(goal)

    def fit(self, *, animate: bool = True) -> None:
        """Show the whole map."""
        self.look_at(self.sized.fitted(self._points.box), animate=animate)
        self.home = True

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
        self.look_at(self._points.around(rows, self.sized), animate=animate)

    def show_row(self, row: int, *, animate: bool = True) -> None:
        """Move the view so that a row is well inside, if it is not."""
        if not 0 <= row < len(self._points):
            return
        x, y = self._points.at(row, self.camera)
        wide, high = self._widget.width(), self._widget.height()
        edge = min(_EDGE, wide / 4, high / 4)
        if not (edge <= x <= wide - edge and edge <= y <= high - edge):
            self.move(wide / 2 - x, high / 2 - y, animate=animate)

    def resize(self) -> None:
        """Keep the middle, or the whole map where nobody moved it."""
        self._see(self.sized.fitted(self._points.box) if self.home else self.sized)

    def follow(self) -> None:
        """Keep the whole map visible after points moved, unless the user moved the view; ignore small changes."""
        goal = self.camera.fitted(self._points.box)
        seen, box, rim = self.camera.seen(), self._points.box, _RIM / self.camera.scale
        inside = (
            seen.left <= box.left - rim
            and seen.right >= box.right + rim
            and seen.low <= box.low - rim
            and seen.high >= box.high + rim
        )
        if self.home and not (inside and goal.scale < 1.4 * self.camera.scale):
            self._see(goal)

    def _see(self, camera: Camera) -> None:
        self.camera = camera.snapped(self._widget.devicePixelRatioF())
        self.changed.emit()
