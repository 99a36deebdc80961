"""The phases of a fine-tuning run, and how to pause it or end it early with the best so far."""

from __future__ import annotations

import threading
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.task import Task


class Phase(Enum):
    """What a fine-tuning run is doing; its progress carries it."""

    PREPARING = "preparing"
    TRAINING = "training"
    COMPARING = "comparing"


class Control:
    """Pause and stop requests from any thread, which the run checks after every step.

    Stopping finishes now with the best model so far. Cancelling the task instead leaves a checkpoint, from which the
    same run can be resumed.
    """

    def __init__(self) -> None:
        self._running = threading.Event()
        self._running.set()
        self._stopped = threading.Event()

    def pause(self) -> None:
        """Pause the run after the current step."""
        self._running.clear()

    def resume(self) -> None:
        """Resume the run."""
        self._running.set()

    def stop(self) -> None:
        """End the run after the current step, and keep the best so far."""
        self._stopped.set()
        self._running.set()

    @property
    def paused(self) -> bool:
        """Whether the run is paused, or will be after this step."""
        return not self._running.is_set()

    @property
    def stopped(self) -> bool:
        """Whether the run was asked to end."""
        return self._stopped.is_set()

    def wait(self, task: Task) -> None:
        """Block until the run may go on.

        Raises:
            Cancelled: The task was cancelled meanwhile.
        """
        while not self._running.wait(0.1):
            task.check()
