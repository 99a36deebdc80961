"""When garbage is collected: never while the window would feel it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

LOOK = 1000  # milliseconds
SWEEP = 30  # looks between two sweeps
_THRESHOLDS = (2000, 20, 1_000_000)  # young objects as ever; a full collection never by itself


class IdleCollector(QObject):
    """Collects what only Python's collector frees, while nothing else is to be done.

    A full collection holds every thread while it goes through all objects. The libraries make so many that it takes a
    quarter of a second, and their imports call for one again and again. What an import makes lives as long as the
    program: it is set aside. A sweep goes through the rest in milliseconds.
    """

    def __init__(self, idle: Callable[[], bool], parent: QObject | None = None) -> None:
        """Begin.

        Args:
            idle: Whether nothing is being worked at.
            parent: Its owner.
        """
        super().__init__(parent)
        self._idle = idle
        self._modules, self._looks, self._planned = 0, 0, False
        gc.set_threshold(*_THRESHOLDS)
        self._timer = QTimer(self, interval=LOOK)
        self._timer.timeout.connect(self.check)
        self._timer.start()

    def check(self) -> None:
        """Set aside what was imported meanwhile; sweep where it is time to."""
        self._looks += 1
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            gc.freeze()
        elif self._planned and self._idle():
            self.collect_all()
        elif self._looks >= SWEEP and self._idle():
            self._looks = 0
            gc.collect()
            trim_heap()

    def plan_full_collection(self) -> None:
        """Sweep through everything as soon as nothing is done, because a folder is left: it was set aside with all."""
        self._planned = True

    def collect_all(self) -> None:
        """Sweep through everything, because a window is gone; what stays is set aside again."""
        self._planned, self._looks = False, 0
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        trim_heap()


def trim_heap() -> None:
    """Hand memory that is free to the system: the C library keeps it, and what is open longest would hold it all."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
