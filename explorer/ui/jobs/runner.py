"""The one background mechanism: work in eight workers, its progress and its outcome brought to the UI thread.

A job is plain Python; the runner is the only QObject, so that nothing of Qt dies in a thread that is not its own.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from explorer.task import Cancelled, Progress, Task

_logger = logging.getLogger(__name__)

Worker = Literal["model", "slow", "quick", "aside", "saving", "training", "download", "watch"]
Result = TypeVar("Result")

WORKERS: tuple[Worker, ...] = ("model", "slow", "quick", "aside", "saving", "training", "download", "watch")
TOLD_EVERY = 0.05  # seconds between two progress messages of a job
A_TURN = 0.015  # seconds that answers may take before keys and paintings have their turn


@dataclass(frozen=True)
class JobState:
    """A job as the window shows it.

    Attributes:
        number: Its number, growing with time.
        key: What it is about; a new job of the same key replaces an older one.
        title: What it does, in the user's words.
        worker: Where it runs.
        status: "waiting", "running", "stopping" after a cancel.
        progress: How far it has come; None before it has said so.
        started: Monotonic time at which it began to run; None while it waits.
        quiet: Whether it is too small to be shown.
    """

    number: int
    key: str
    title: str
    worker: Worker
    status: str = "waiting"
    progress: Progress | None = None
    started: float | None = None
    quiet: bool = False


@dataclass
class _Job:
    """What runs: touched by the UI thread, but for `task` and the messages."""

    state: JobState
    work: Callable[[Task], Any]
    done: Callable[[Any], None]
    failed: Callable[[BaseException], None] | None
    stopped: Callable[[], None] | None
    partial: Callable[[Any], None] | None
    dropped: Callable[[Any], None] | None
    kept: bool = False
    task: Task = field(default_factory=Task)
    wanted: bool = True  # false once it was cancelled or replaced: what it still says is dropped


class Runner(QObject):
    """Runs jobs and tells the UI thread.

    Signals:
        changed: The jobs or their progress are not what they were.
        failed: A job without a handler of its own failed: its title and the exception.
        finished: A job ended well: its title.
    """

    changed = Signal()
    failed = Signal(str, object)
    finished = Signal(str)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._jobs: dict[int, _Job] = {}
        self._said: queue.SimpleQueue[tuple[int, str, Any]] = queue.SimpleQueue()
        self._queues: dict[Worker, queue.SimpleQueue[_Job | None]] = {
            worker: queue.SimpleQueue() for worker in WORKERS
        }
        self._threads: dict[Worker, threading.Thread] = {}
        self._awake = threading.Event()
        self._closed = False
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)

    def start(
        self, key: str, work: Callable[[Task], Result], done: Callable[[Result], None], *,
        title: str = "", worker: Worker = "quick", failed: Callable[[BaseException], None] | None = None,
        stopped: Callable[[], None] | None = None, partial: Callable[[Any], None] | None = None,
        dropped: Callable[[Result], None] | None = None, quiet: bool = False, kept: bool = False,
    ) -> int:  # fmt: skip
        """Run `work(task)` in a worker; the latest job of a key wins.

        Args:
            key: What the job is about.
            work: Gets values, never the session or a widget. May call `task.publish(value)` for partial results.
            done: Called in the UI thread with what it returned, also if that is less because it was cancelled; not
                called once it is replaced.
            title: What it does, in the user's words.
            worker: "model" for encoding and reranking, "slow" for what takes seconds, such as drawing the
                map, "quick" for what the user waits for, "aside" for what is told beside it, such as key words, and for
                files that are written, "saving" for what the user says, which is never to wait behind anything,
                "training" for hours and "download" for models, whatever folder is open, "watch" for what waits until
                something happens.
            failed: Called in the UI thread with the exception; otherwise the signal says it.
            stopped: Called in the UI thread when it ended because the user cancelled it.
            partial: Called in the UI thread with what was published.
            dropped: Called in the UI thread with what it returned once nobody wants it, to close what it opened.
            quiet: Whether it is too small to be shown.
            kept: Whether it runs even if it was cancelled while it waited, because it saves what the user did.

        Returns:
            The job's number.
        """
        if self._closed:
            return 0
        self.cancel(key, told=False)
        number = next(self._numbers)
        job = _Job(
            JobState(number, key, title, worker, quiet=quiet),
            work,
            done,
            failed,
            stopped,
            partial,
            dropped,
            kept,
        )
        job.task = Task(self._reporter(number), lambda value: self._say(number, "partial", value))
        self._jobs[number] = job
        if worker not in self._threads:
            self._threads[worker] = threading.Thread(
                target=self._run, args=(worker,), name=f"worker {worker}", daemon=True
            )
            self._threads[worker].start()
        self._queues[worker].put(job)
        self.changed.emit()
        return number

    def jobs(self) -> tuple[JobState, ...]:
        """What waits and runs, oldest first; to watch is no work."""
        return tuple(job.state for job in self._jobs.values() if job.state.worker != "watch")

    def busy(self, key: str) -> bool:
        """Whether a job of that key waits or runs."""
        return any(job.state.key == key and job.wanted for job in self._jobs.values())

    def cancel(self, key: str, *, told: bool = True) -> None:
        """Ask the jobs of a key to stop.

        Args:
            key: What they are about.
            told: Whether their `stopped` is called; a replacement stays silent.
        """
        for job in [job for job in self._jobs.values() if job.state.key == key]:
            if not told:
                job.wanted = False
            job.task.cancel()
            job.state = replace(job.state, status="stopping")
            self.changed.emit()

    def close(self, seconds: float = 2.5) -> bool:
        """Cancel everything and wait; nothing is said to anyone from now on. Returns whether all workers ended."""
        self._closed = True
        for job in self._jobs.values():
            job.wanted = False
            job.task.cancel()
        for worker in self._threads:
            self._queues[worker].put(None)
        end = time.monotonic() + seconds
        for thread in self._threads.values():
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads.values())

    def _run(self, worker: Worker) -> None:
        """The life of a worker's thread."""
        while (job := self._queues[worker].get()) is not None:
            number = job.state.number
            self._say(number, "running", time.monotonic())
            try:
                if not job.kept:
                    job.task.check()
                outcome = ("done", job.work(job.task))
            except Cancelled:
                outcome = ("stopped", None)
            except BaseException as error:  # all of it crosses to the UI thread
                _logger.exception("a job of the %s worker failed", worker)
                outcome = ("failed", error)
            self._say(number, *outcome)
            del job, outcome  # a worker at rest holds no vectors

    def _reporter(self, number: int) -> Callable[[Progress], None]:
        last = 0.0

        def report(progress: Progress) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= TOLD_EVERY or progress.done == progress.total:
                last = now
                self._say(number, "progress", progress)

        return report

    def _say(self, number: int, what: str, value: Any) -> None:
        """From any thread: leave a message and wake the UI thread once."""
        self._said.put((number, what, value))
        if not self._awake.is_set() and not self._closed:
            self._awake.set()
            self._woken.emit()

    @Slot()
    def _on_woken(self) -> None:
        self._awake.clear()
        changed, end = False, time.monotonic() + A_TURN
        while not self._closed:
            try:
                number, what, value = self._said.get_nowait()
            except queue.Empty:
                break
            job = self._jobs.get(number)
            if job is not None:
                self._hear(job, what, value)
                changed = True
                if time.monotonic() > end:  # the rest after whatever else waits: keys, paintings
                    self._awake.set()
                    QTimer.singleShot(0, self, self._on_woken)
                    break
        if changed:
            self.changed.emit()

    def _hear(self, job: _Job, what: str, value: Any) -> None:
        if what == "running":
            status = "stopping" if job.task.cancelled else "running"
            job.state = replace(job.state, status=status, started=value)
        elif what == "progress":
            job.state = replace(job.state, progress=value)
        elif what == "partial":
            if job.wanted and not job.task.cancelled and job.partial is not None:
                _tell(job.partial, value)
        else:
            del self._jobs[job.state.number]
            if job.wanted:
                self._end(job, what, value)
            elif what == "done" and job.dropped is not None:
                job.dropped(value)

    def _end(self, job: _Job, what: str, value: Any) -> None:
        if what == "failed":
            if job.failed is not None:
                _tell(job.failed, value)
            else:
                self.failed.emit(job.state.title, value)
        elif what == "stopped":
            if job.stopped is not None:
                _tell(job.stopped)
        else:
            _tell(job.done, value)
            if not job.state.quiet:
                self.finished.emit(job.state.title)


def _tell(listener: Callable[..., object], *values: Any) -> None:
    """Answer who asked; a box that was closed meanwhile needs no answer."""
    try:
        listener(*values)
    except RuntimeError as error:
        if "already deleted" not in str(error):
            raise
