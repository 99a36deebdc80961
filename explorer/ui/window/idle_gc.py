"""Run the garbage collector only in the UI thread, and in full only while the application is idle."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

INTERVAL = 1000  # milliseconds between two checks
CHECKS = 30  # between two collections


class IdleCollector(QObject):
    """Collects reference cycles from a timer of the UI thread; Python's own collections are off.

    They run in whatever thread allocates, and in the middle of whatever Qt is doing: a widget in a reference cycle was
    then deleted by a worker, or while a change of theme went through all widgets, and the process crashed.

    A full collection stops every thread: with the objects of torch and Qt it takes 250 ms, and imports trigger many of
    them. Objects made by imports live as long as the program, so they are frozen; collecting the rest takes
    milliseconds.
    """

    def __init__(self, idle: Callable[[], bool], parent: QObject | None = None) -> None:
        """Start checking; `idle` returns whether no work is running."""
        super().__init__(parent)
        self._idle = idle
        self._modules, self._checks, self._planned = 0, 0, False
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL)
        self._timer.timeout.connect(self.check)
        self._timer.start()

    def check(self) -> None:
        """Freeze what was imported since; collect if it is time to."""
        self._checks += 1
        gc.collect(1)  # young objects, in a few milliseconds
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            gc.freeze()
        elif self._planned and self._idle():
            self.collect_all()
        elif self._checks >= CHECKS and self._idle():
            self._checks = 0
            gc.collect()
            trim_heap()

    def plan_full_collection(self) -> None:
        """Collect everything once idle: the objects of a folder that is left were frozen with the rest."""
        self._planned = True

    def collect_all(self) -> None:
        """Collect everything, because a window is gone, and freeze what stays."""
        self._planned, self._checks = False, 0
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        trim_heap()


def trim_heap() -> None:
    """Return free memory to the system; the C library of Linux would keep it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not glibc
            ctypes.CDLL(None).malloc_trim(0)
