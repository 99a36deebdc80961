"""Run work in background threads and bring its progress and results to the UI thread.

A job is plain Python; the runner is the only QObject, so that no Qt object is destroyed in a foreign thread.
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
from typing import Any, Literal, TypeVar, get_args

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from explorer.task import Cancelled, Progress, Task

_logger = logging.getLogger(__name__)

Worker = Literal[
    "model", "opening", "slow", "read", "quick", "rerank", "list", "aside", "saving", "training", "download", "watch"
]
Result = TypeVar("Result")

WORKERS: tuple[Worker, ...] = get_args(Worker)
ASKED: tuple[Worker, ...] = ("read", "quick", "rerank")  # what a person waits for
BACKGROUND: tuple[Worker, ...] = ("model", "slow")  # and what gives way to it
WAIT = 1.0  # seconds for which background work waits at most while a person waits for something else
PROGRESS_INTERVAL = 0.05  # seconds between two progress messages of a job
_URGENT, _USUAL, _LAST = range(3)  # the order of what waits for a worker
SLICE = 0.015  # seconds of handling results before key presses and painting get their turn


# A thread must not be the last to hold its runner either: runners live here until their threads have ended.
_with_threads: set[Runner] = set()


@dataclass(frozen=True)
class JobState:
    """A job as the window shows it.

    Attributes:
        id: Its id, ascending.
        key: What it is about; a new job of the same key replaces an older one.
        title: What it does, in the user's words.
        worker: Where it runs.
        status: "waiting", "running", "stopping" after a cancel.
        progress: How far it is; None before its first report.
        started: Monotonic time at which it began to run; None while it waits.
        quiet: Whether it is too small to be shown.
    """

    id: int
    key: str
    title: str
    worker: Worker
    status: str = "waiting"
    progress: Progress | None = None
    started: float | None = None
    quiet: bool = False


@dataclass
class _Job:
    """A job with its callbacks; belongs to the UI thread, except for `task`."""

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
    urgent: bool = False
    task: Task = field(default_factory=Task)
    wanted: bool = True  # false once it was silently cancelled or replaced: its results are dropped


class Runner(QObject):
    """Runs jobs, each in one of twelve worker threads.

    Signals:
        changed: The jobs or their progress changed.
        failed: A job without a `failed` callback failed: its title and the exception.
        finished: A job succeeded: its title.
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
        self._ids = itertools.count(1)
        self._jobs: dict[int, _Job] = {}
        self._ended_jobs: dict[int, _Job] = {}  # until their worker has let go of them, see _run
        self._messages: queue.SimpleQueue[tuple[int, str, Any]] = queue.SimpleQueue()
        # Urgent jobs first, then the older ones; None, which ends a worker, comes last.
        self._queues: dict[Worker, queue.PriorityQueue[tuple[int, int, _Job | None]]] = {
            worker: queue.PriorityQueue() for worker in WORKERS
        }
        self._threads: dict[Worker, threading.Thread] = {}
        self._owned: dict[int, set[int]] = {}  # jobs by the id() of the object whose destruction cancels them
        self._awake = threading.Event()
        self._closed = False
        self._lock, self._alive = threading.Lock(), 0  # worker threads that have not ended
        self._asked, self._idle = 0, threading.Event()  # jobs that a person waits for, and whether there are none
        self._idle.set()
        self._asked_since = 0.0
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)
        self._all_ended.connect(self._on_all_ended, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        key: str,
        work: Callable[[Task], Result],
        done: Callable[[Result], None],
        *,
        title: str = "",
        worker: Worker = "quick",
        failed: Callable[[BaseException], None] | None = None,
        stopped: Callable[[], None] | None = None,
        partial: Callable[[Any], None] | None = None,
        dropped: Callable[[Result], None] | None = None,
        quiet: bool = False,
        must_run: bool = False,
        owner: QObject | None = None,
        held: bool = False,
        urgent: bool = False,
    ) -> int:
        """Run `work(task)` in a worker; the latest job of a key wins.

        Args:
            key: What the job is about.
            work: Must not touch the session or a widget. May call `task.publish(value)` for partial results.
            done: Called in the UI thread with the result, also with the part that a cancelled job returns; not once
                the job is replaced.
            title: What it does, in the user's words.
            worker: "read" for opening a document, "quick" for searching, "rerank" for reranking and comparing: what
                a person waits for. "model" for reading and encoding and "slow" for clusters and map, which give way
                to these. "opening" for opening a model, "list" for the list of documents, "aside" for secondary
                results such as keywords, and for writing files, "saving" for the user's edits, which must never wait,
                "training" for hours and "download" for models, whatever folder is open, "watch" for waiting until
                something happens.
            failed: Called in the UI thread with the exception, instead of the signal.
            stopped: Called in the UI thread when the user cancelled it and it returned nothing.
            partial: Called in the UI thread with each published value.
            dropped: Called in the UI thread with the result of a superseded job, to release its resources.
            quiet: Whether it is too small to be shown.
            must_run: Whether it runs even if it was cancelled while it waited, because it saves the user's work.
            owner: Its destruction cancels the job silently; by default the object that `done` is a method of, if that
                is a QObject.
            held: Whether it waits, without occupying a worker, until `release` is called with its id.
            urgent: Whether it goes before the jobs that wait for the same worker.

        Returns:
            The job's id.
        """
        receiver = getattr(done, "__self__", None)
        owner = owner or (receiver if isinstance(receiver, QObject) else None)
        alive = owner is None or isValid(owner)
        if self._closed or not (alive or must_run):
            return 0
        self.cancel(key, notify=False)
        job_id = next(self._ids)
        job = _Job(
            JobState(job_id, key, title, worker, quiet=quiet),
            work,
            done,
            failed,
            stopped,
            partial,
            dropped,
            must_run,
            owner,
            held,
            urgent,
        )
        give_way = self._wait if worker in BACKGROUND else None
        job.task = Task(self._reporter(job_id), lambda value: self._post(job_id, "partial", value), give_way)
        self._jobs[job_id] = job
        job.wanted = alive
        if owner is not None and alive:
            self._own(owner, job_id)
        if worker not in self._threads:
            _with_threads.add(self)
            with self._lock:
                self._alive += 1
            self._threads[worker] = threading.Thread(
                target=self._run, args=(worker,), name=f"worker {worker}", daemon=True
            )
            self._threads[worker].start()
        if not held:
            self._queue(job)
        self.changed.emit()
        return job_id

    def release(self, job_id: int) -> None:
        """Let a job that was started with `held` run."""
        job = self._jobs.get(job_id)
        if job is not None and job.held:
            job.held = False
            self._queue(job)

    def _queue(self, job: _Job) -> None:
        self._queues[job.state.worker].put((_URGENT if job.urgent else _USUAL, job.state.id, job))

    def drain(self, workers: Sequence[Worker], then: Callable[[], None]) -> None:
        """Call `then` in the UI thread once these workers have finished all their jobs; a later drain replaces it."""
        waiting = set(workers)

        def passed(worker: Worker) -> None:
            waiting.discard(worker)
            if not waiting:
                then()

        for worker in workers:
            self.start(f"drain {worker}", partial(_echo, worker), passed, worker=worker, quiet=True)

    def _own(self, owner: QObject, job_id: int) -> None:
        """Cancel a job when its owner is destroyed; one connection for all jobs of an owner."""
        key, runner = id(owner), weakref.ref(self)
        if key not in self._owned:
            self._owned[key] = set()
            owner.destroyed.connect(lambda: _cancel_owned(runner(), key))
        self._owned[key].add(job_id)

    def cancel_owned(self, key: int) -> None:
        """Cancel the jobs of an owner that was destroyed, given its id()."""
        for job_id in self._owned.pop(key, ()):
            self._cancel(self._jobs.get(job_id), notify=False)

    def jobs(self) -> tuple[JobState, ...]:
        """Return the jobs that wait or run, oldest first, except for watching."""
        return tuple(job.state for job in self._jobs.values() if job.state.worker != "watch")

    def busy(self, key: str) -> bool:
        """Return whether a job of that key waits or runs."""
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
        self.release(job.state.id)  # a held job would never end
        self.changed.emit()

    def close(self, seconds: float = 2.5) -> bool:
        """Cancel everything and wait; no callback is called any more. Return whether all workers ended."""
        if not self._closed and not self._threads:
            self._all_ended.emit()
        self._closed = True
        for job in self._jobs.values():
            job.wanted = False
            job.task.cancel()
        for worker in self._threads:
            self._queues[worker].put((_LAST, 0, None))
        end = time.monotonic() + seconds
        for thread in self._threads.values():
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads.values())

    def _run(self, worker: Worker) -> None:
        """Run the jobs of a worker until it gets None."""
        while (job := self._queues[worker].get()[2]) is not None:
            job_id = job.state.id
            began = time.monotonic()
            self._post(job_id, "running", began)
            self._count_asked(worker, 1)
            try:
                if not job.must_run:
                    job.task.check()
                outcome = ("done", job.work(job.task))
                level = logging.DEBUG if job.state.quiet else logging.INFO
                _logger.log(level, "job %s done in %.1f s", job.state.key, time.monotonic() - began)
            except Cancelled:
                _logger.info("job %s cancelled", job.state.key)
                outcome = ("stopped", None)
            except BaseException as error:  # all of it crosses to the UI thread
                _logger.exception("job %s of the %s worker failed", job.state.key, worker)
                outcome = ("failed", error)
            self._count_asked(worker, -1)
            self._post(job_id, *outcome)
            # An idle worker must not keep vectors alive. Nor may it be the last to hold a job: what the job's callables
            # hold would be deleted in this thread, and a QObject must not be. The UI thread keeps it until "released".
            del job, outcome
            self._post(job_id, "released", None)
        with self._lock:
            self._alive -= 1
            last = self._alive == 0
        if last:
            self._all_ended.emit()

    def _count_asked(self, worker: Worker, step: int) -> None:
        """Note that a job which a person waits for has begun (1) or ended (-1)."""
        if worker in ASKED:
            with self._lock:
                if not self._asked:
                    self._asked_since = time.monotonic()
                self._asked += step
                (self._idle.clear if self._asked else self._idle.set)()

    def _wait(self) -> None:
        """Wait in background work while a person waits for something else, WAIT seconds in all for one thing.

        What a person waits for may itself wait for background work, such as a model that is being opened.
        """
        left = self._asked_since + WAIT - time.monotonic()
        if left > 0:
            self._idle.wait(left)

    def _reporter(self, job_id: int) -> Callable[[Progress], None]:
        last = 0.0

        def report(progress: Progress) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= PROGRESS_INTERVAL or progress.done == progress.total:
                last = now
                self._post(job_id, "progress", progress)

        return report

    def _post(self, job_id: int, what: str, value: Any) -> None:
        """Queue a message for the UI thread and wake it; called from any thread."""
        self._messages.put((job_id, what, value))
        if not self._awake.is_set() and not self._closed:
            self._awake.set()
            self._woken.emit()

    @Slot()
    def _on_woken(self) -> None:
        self._awake.clear()
        changed, end = False, time.monotonic() + SLICE
        while not self._closed:
            try:
                job_id, what, value = self._messages.get_nowait()
            except queue.Empty:
                break
            if what == "released":
                self._ended_jobs.pop(job_id, None)
                continue
            job = self._jobs.get(job_id)
            if job is not None:
                self._handle(job, what, value)
                changed = True
                if time.monotonic() > end:  # let key presses and painting come first
                    self._awake.set()
                    QTimer.singleShot(0, self, self._on_woken)
                    break
        if changed:
            self.changed.emit()

    @Slot()
    def _on_all_ended(self) -> None:
        for thread in self._threads.values():
            thread.join()  # each is past its last line, but may still hold the runner
        self.ended.emit()
        # Not here: the runner must not be deleted while Qt is delivering an event to it.
        QTimer.singleShot(0, partial(_with_threads.discard, self))

    def _handle(self, job: _Job, what: str, value: Any) -> None:
        if what == "running":
            status = "stopping" if job.task.cancelled else "running"
            job.state = replace(job.state, status=status, started=value)
        elif what == "progress":
            job.state = replace(job.state, progress=value)
        elif what == "partial":
            if job.wanted and not job.task.cancelled and job.partial is not None:
                job.partial(value)
        else:
            self._ended_jobs[job.state.id] = self._jobs.pop(job.state.id)
            if job.owner is not None:
                self._owned.get(id(job.owner), set()).discard(job.state.id)
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
    """Take the failure of a job that the user need not know of; the runner has logged it."""


def _cancel_owned(runner: Runner | None, key: int) -> None:
    if runner is not None and isValid(runner):  # at exit Qt may have deleted the runner before the owner
        runner.cancel_owned(key)


def _echo(worker: Worker, _task: Task) -> Worker:
    """Do nothing; the job only shows that the worker has reached it."""
    return worker
