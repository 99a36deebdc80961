"""The one background mechanism: work in eight workers, its progress and its outcome brought to the UI thread.

A job is plain Python; the runner is the only QObject, so that nothing of Qt dies in a thread that is not its own.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

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
    must_run: bool = False
    owner: QObject | None = None
    held: bool = False
    task: Task = field(default_factory=Task)
    wanted: bool = True  # false once it was cancelled or replaced: what it still says is dropped


class Runner(QObject):
    """Runs jobs and tells the UI thread.

    Signals:
        changed: The jobs or their progress are not what they were.
        failed: A job without a handler of its own failed: its title and the exception.
        finished: A job ended well: its title.
        ended: All workers have ended after `close`.
    """

    changed = Signal()
    failed = Signal(str, object)
    finished = Signal(str)
    ended = Signal()
    _woken = Signal()
    _all_ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._jobs: dict[int, _Job] = {}
        self._said: queue.SimpleQueue[tuple[int, str, Any]] = queue.SimpleQueue()
        self._queues: dict[Worker, queue.SimpleQueue[_Job | None]] = {
            worker: queue.SimpleQueue() for worker in WORKERS
        }
        self._threads: dict[Worker, threading.Thread] = {}
        self._owned: dict[int, set[int]] = {}  # jobs by the id() of the object whose destruction cancels them
        self._awake = threading.Event()
        self._closed = False
        self._lock, self._alive = threading.Lock(), 0  # worker threads that have not ended
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)
        self._all_ended.connect(self.ended, Qt.ConnectionType.QueuedConnection)

    def start(
        self, key: str, work: Callable[[Task], Result], done: Callable[[Result], None], *,
        title: str = "", worker: Worker = "quick", failed: Callable[[BaseException], None] | None = None,
        stopped: Callable[[], None] | None = None, partial: Callable[[Any], None] | None = None,
        dropped: Callable[[Result], None] | None = None, quiet: bool = False, must_run: bool = False,
        owner: QObject | None = None, held: bool = False,
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
            dropped: Called in the UI thread with the result of a superseded job, to release its resources.
            quiet: Whether it is too small to be shown.
            must_run: Whether it runs even if it was cancelled while it waited, because it saves what the user did.
            owner: Its destruction cancels the job, and nobody is told; by default the object that `done` is a method
                of, if that is a QObject.
            held: Whether it waits, without keeping a worker, until `release` is called with its number.

        Returns:
            The job's number.
        """
        receiver = getattr(done, "__self__", None)
        owner = owner or (receiver if isinstance(receiver, QObject) else None)
        alive = owner is None or isValid(owner)
        if self._closed or not (alive or must_run):
            return 0
        self.cancel(key, notify=False)
        number = next(self._numbers)
        job = _Job(
            JobState(number, key, title, worker, quiet=quiet),
            work,
            done,
            failed,
            stopped,
            partial,
            dropped,
            must_run,
            owner,
            held,
        )
        job.task = Task(self._reporter(number), lambda value: self._say(number, "partial", value))
        self._jobs[number] = job
        job.wanted = alive
        if owner is not None and alive:
            self._own(owner, number)
        if worker not in self._threads:
            with self._lock:
                self._alive += 1
            self._threads[worker] = threading.Thread(
                target=self._run, args=(worker,), name=f"worker {worker}", daemon=True
            )
            self._threads[worker].start()
        if not held:
            self._queues[worker].put(job)
        self.changed.emit()
        return number

    def release(self, number: int) -> None:
        """Let a job that was started with `held` run."""
        job = self._jobs.get(number)
        if job is not None and job.held:
            job.held = False
            self._queues[job.state.worker].put(job)

    def drain(self, workers: Sequence[Worker], then: Callable[[], None]) -> None:
        """Call `then` in the UI thread once these workers have done all they were given; a later drain replaces it."""
        waiting = set(workers)

        def passed(worker: Worker) -> None:
            waiting.discard(worker)
            if not waiting:
                then()

        for worker in workers:
            self.start(f"drain {worker}", partial(_echo, worker), passed, worker=worker, quiet=True)

    def _own(self, owner: QObject, number: int) -> None:
        """Cancel a job when its owner is destroyed; one connection for all jobs of an owner."""
        key, runner = id(owner), weakref.ref(self)
        if key not in self._owned:
            self._owned[key] = set()
            owner.destroyed.connect(lambda: _cancel_owned(runner(), key))
        self._owned[key].add(number)

    def cancel_owned(self, key: int) -> None:
        """Cancel the jobs of an owner that was destroyed, given its id()."""
        for number in self._owned.pop(key, ()):
            self._cancel(self._jobs.get(number), notify=False)

    def jobs(self) -> tuple[JobState, ...]:
        """What waits and runs, oldest first; to watch is no work."""
        return tuple(job.state for job in self._jobs.values() if job.state.worker != "watch")

    def busy(self, key: str) -> bool:
        """Whether a job of that key waits or runs."""
        return any(job.state.key == key and job.wanted for job in self._jobs.values())

    def cancel(self, key: str, *, notify: bool = True) -> None:
        """Ask the jobs of a key to stop.

        Args:
            key: What they are about.
            notify: Whether their `stopped` is called; a replacement stays silent.
        """
        for job in [job for job in self._jobs.values() if job.state.key == key]:
            self._cancel(job, notify=notify)

    def _cancel(self, job: _Job | None, *, notify: bool) -> None:
        if job is None:
            return
        if not notify:
            job.wanted = False
        job.task.cancel()
        job.state = replace(job.state, status="stopping")
        self.release(job.state.number)  # or it would never end
        self.changed.emit()

    def close(self, seconds: float = 2.5) -> bool:
        """Cancel everything and wait; nothing is said to anyone from now on. Returns whether all workers ended."""
        if not self._closed and not self._threads:
            self._all_ended.emit()
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
                if not job.must_run:
                    job.task.check()
                outcome = ("done", job.work(job.task))
            except Cancelled:
                outcome = ("stopped", None)
            except BaseException as error:  # all of it crosses to the UI thread
                _logger.exception("a job of the %s worker failed", worker)
                outcome = ("failed", error)
            self._say(number, *outcome)
            del job, outcome  # a worker at rest holds no vectors
        with self._lock:
            self._alive -= 1
            last = self._alive == 0
        if last:
            self._all_ended.emit()

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
                job.partial(value)
        else:
            del self._jobs[job.state.number]
            if job.owner is not None:
                self._owned.get(id(job.owner), set()).discard(job.state.number)
            if job.wanted:
                self._end(job, what, value)
            elif what == "done" and job.dropped is not None:
                job.dropped(value)

    def _end(self, job: _Job, what: str, value: Any) -> None:
        if what == "failed":
            if job.failed is not None:
                job.failed(value)
            else:
                self.failed.emit(job.state.title, value)
        elif what == "stopped":
            if job.stopped is not None:
                job.stopped()
        else:
            job.done(value)
            if not job.state.quiet:
                self.finished.emit(job.state.title)


def ignore_failure(_error: BaseException) -> None:
    """Handle the failure of a job that the user need not know of; the runner has logged it."""


def _cancel_owned(runner: Runner | None, key: int) -> None:
    if runner is not None and isValid(runner):  # at exit Qt may have deleted the runner before the owner
        runner.cancel_owned(key)


def _echo(worker: Worker, _task: Task) -> Worker:
    """Do nothing: the job only shows that the worker has come to it."""
    return worker
