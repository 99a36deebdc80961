"""The phases of a fine-tuning run, and how it is paused or ended early with what it has."""

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
    """Asked by the training after every step; told by any thread.

    To stop is to finish now with the best so far. To cancel the task is to leave: what was reached stays as a
    checkpoint, from which the same training goes on later.
    """

    def __init__(self) -> None:
        self._running = threading.Event()
        self._running.set()
        self._stopped = threading.Event()

    def pause(self) -> None:
        """Let the training wait after the step it is at."""
        self._running.clear()

    def resume(self) -> None:
        """Let it go on."""
        self._running.set()

    def stop(self) -> None:
        """Let it end after the step it is at, and keep the best so far."""
        self._stopped.set()
        self._running.set()

    @property
    def paused(self) -> bool:
        """Whether it waits, or will after this step."""
        return not self._running.is_set()

    @property
    def stopped(self) -> bool:
        """Whether it was asked to end."""
        return self._stopped.is_set()

    def wait(self, task: Task) -> None:
        """Return when the training may go on.

        Raises:
            Cancelled: The task was cancelled meanwhile.
        """
        while not self._running.wait(0.1):
            task.check()
