"""Short animations of the map."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

DURATION = 200  # milliseconds


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
