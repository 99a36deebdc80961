"""Progress reporting, partial results and cancellation for long-running work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from explorer.messages import UserMessage


class Cancelled(Exception):  # noqa: N818 - a request that was granted, not an error
    """The user asked for the work to stop."""


@dataclass(frozen=True)
class Progress:
    """How far a piece of work has come.

    Attributes:
        done: Units finished, between 0 and `total`.
        total: Units in all; 0 where that is not known.
        note: What is being done, in a few words; a message, so that the window can say it in its language.
        seconds_left: Estimate of the time to the end; None until there is one.
        detail: What changes on the way, such as a loss.
        phase: The part of the work this belongs to, for code that depends on it; None if the work has no parts.
        warning: A sentence for the user about this work, such as that memory is short.
    """

    done: int
    total: int
    note: str
    seconds_left: float | None
    detail: str = ""
    phase: Enum | None = None
    warning: str = ""


class Task:
    """Progress and cancellation of one piece of work.

    The work calls `report` and `check` from its own thread; `cancel` may come from any thread.

    Example:
        >>> task = Task(lambda progress: print(progress.done))
        >>> task.report(1, 2, "halves")
        1
    """

    def __init__(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        on_partial: Callable[[Any], None] | None = None,
        give_way: Callable[[], None] | None = None,
    ) -> None:
        """Make a task; `give_way` is called at every `check` and may wait while something more urgent runs."""
        self._on_progress, self._on_partial, self._give_way = on_progress, on_partial, give_way
        self._cancelled = threading.Event()
        self._pace: _Pace | None = None
        self._phase: Enum | None = None

    def silent(self) -> Task:
        """Return a task for an inner loop: cancelled with this one, but without progress."""
        inner = Task(give_way=self._give_way)
        inner._cancelled = self._cancelled
        return inner

    def cancel(self) -> None:
        """Ask the work to stop at its next `check` or `report`."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Let more urgent work go first; raise Cancelled if the work was asked to stop."""
        if self._give_way is not None and not self._cancelled.is_set():
            self._give_way()
        if self._cancelled.is_set():
            raise Cancelled

    def enter(self, phase: Enum) -> None:
        """Begin a part of the work; the progress that follows, of inner functions too, carries it."""
        self._phase = phase

    def publish(self, value: Any) -> None:
        """Hand a partial result to whoever started the work; ignored if nobody listens."""
        if self._on_partial is not None:
            self._on_partial(value)

    def report(self, done: int, total: int, note: str = "", detail: str = "", warning: str = "") -> None:
        """Report how far the work has come, then `check`.

        A plain note is a template without values: a fixed phrase of the program, never a name or a number.
        A change of `total` or `note` starts a new estimate of the time left.
        """
        if self._on_progress is not None:
            if self._pace is None or not self._pace.measures(done, total, note):
                self._pace = _Pace(done, total, note)
            left = self._pace.seconds_left(done)
            self._on_progress(Progress(done, total, UserMessage(note), left, detail, self._phase, warning))
        self.check()


class _Pace:
    """Estimates the time left of one stage from its speed, recent speed weighing most."""

    HALF_LIFE = 8.0  # seconds after which an old speed counts half
    GAP = 120.0  # seconds of silence that may have been sleep
    AWAKE = 0.01  # the least share of a processor that work takes

    def __init__(self, done: int, total: int, note: str) -> None:
        self._total, self._note = total, note
        self._done, self._time, self._worked = done, time.monotonic(), time.process_time()
        self._units = self._seconds = 0.0

    def measures(self, done: int, total: int, note: str) -> bool:
        return (total, note) == (self._total, self._note) and done >= self._done

    def seconds_left(self, done: int) -> float | None:
        now, worked = time.monotonic(), time.process_time()
        step = max(0.0, now - self._time)
        if step > self.GAP and worked - self._worked < self.AWAKE * step:
            step = 0.0  # the machine slept, or the work was paused: that says nothing of its speed
        fade = 0.5 ** (step / self.HALF_LIFE)
        self._units = self._units * fade + (done - self._done)
        self._seconds = self._seconds * fade + step
        self._done, self._time, self._worked = done, now, worked
        if self._total <= 0 or self._units <= 0 or self._seconds <= 0:
            return None
        return max(0, self._total - done) * self._seconds / self._units
