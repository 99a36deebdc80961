"""A short move that explains what happened."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

DURATION = 200  # milliseconds


class StepAnimation(QVariantAnimation):
    """Calls a step with the share of the way that is done, at last with 1."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setStartValue(0.0)
        self.setEndValue(1.0)
        self.setDuration(DURATION)
        self.setEasingCurve(QEasingCurve.Type.OutQuad)
        self._step: Callable[[float], None] | None = None
        self.valueChanged.connect(self._on_value_changed)

    @property
    def under_way(self) -> bool:
        """Whether there are steps to come."""
        return self.state() == QVariantAnimation.State.Running

    def go(self, step: Callable[[float], None]) -> None:
        """Begin a move; one that is under way ends where it is."""
        self.stop()
        self._step = step
        self.start()

    def _on_value_changed(self, share: float) -> None:
        if self._step is not None and self.under_way:
            self._step(share)
