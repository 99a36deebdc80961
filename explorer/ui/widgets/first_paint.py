"""Run something after a widget has been painted, so that what changed is seen before more work begins."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

UNPAINTED = 1000  # milliseconds; a window that is minimised or covered is never painted, but goes on too


def after_paint(widget: QWidget, then: Callable[[], object]) -> None:
    """Call `then` once, from the event loop, after the next paint of a widget or one of its children."""
    _PaintWatch(widget, then)


class _PaintWatch(QObject):
    """Waits for the next paint event of a widget and its children, then removes itself."""

    def __init__(self, widget: QWidget, then: Callable[[], object]) -> None:
        super().__init__(widget)
        self._then: Callable[[], object] | None = then
        # A widget that its children cover is not painted itself, so all of them are watched.
        for part in (widget, *widget.findChildren(QWidget)):
            part.installEventFilter(self)
        QTimer.singleShot(UNPAINTED, self, self._finish)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self, self._finish)  # when this round of painting is over
        return False

    def _finish(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            self.deleteLater()
            then()
