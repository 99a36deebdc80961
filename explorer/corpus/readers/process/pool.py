"""Read files, foreign formats in up to two reading processes ahead of the caller, small plain texts in this one.

A process is started when it is first needed, reads one file after the other, and is started again when it has died.
What a file does to its process, by crashing, hanging or eating memory, ends as `Unreadable` for that file alone.

Not multiprocessing: its children import the main module again, which a user's script need not stand; and it pickles.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.encoding.detect import looks_binary
from explorer.corpus.readers import registry
from explorer.corpus.readers.inner import FileInMemory
from explorer.corpus.readers.process import limits, wire
from explorer.corpus.readers.process.worker import HELD, needed_memory, output_limit
from explorer.corpus.scan import diff
from explorer.messages import UserMessage
from explorer.paths import display_path
from explorer.task import Task

ARGUMENT = "--read-files"  # what the frozen program is given to be a reading process
WORKERS = 2
_AHEAD = 24  # files that are handed out before the caller asks for them
_BUFFERED = 2 * 2**20  # characters of a file that wait for the caller before its process has to
_SMALL = 2**20  # bytes of a plain text that is read in this process
_GRACE = 3.0  # seconds beyond a file's time, in which its process can still say what is wrong
_START_TIMEOUT = 60.0  # seconds in which a process must be there
_POLL = 0.05  # seconds between two looks at the clock and at the memory of the processes
# Plain texts: our own decoding and no library. They are most files of most folders.
_OWN = frozenset({"plain", "markdown", "restructured", "latex", "subtitles"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReadRequest:
    """A file to read.

    Attributes:
        path: Where it is.
        size: Its bytes when it was listed.
        options: How to read it.
        refused: Contents that brought a process down before, by digest; they are not tried again.
        mtime_ns: When it was last changed; 0 where nobody asks.
    """

    path: Path
    size: int
    options: ReadOptions
    refused: Mapping[str, Unreadable] = field(default_factory=dict)
    mtime_ns: int = 0


class Reading:
    """The documents of one file, as they are read.

    Attributes:
        request: What was asked for.
        digest: Of the content that was read, 40 hexadecimal digits; empty until it is known.
    """

    def __init__(self, request: ReadRequest) -> None:
        self.request = request
        self.digest = ""

    def documents(self, task: Task) -> Iterator[Document]:
        """Yield the documents.

        Raises:
            Unreadable: The file gave no text, or no more.
            Cancelled: The task was cancelled.
        """
        raise NotImplementedError


class _OwnReading(Reading):
    """A small plain text, read in this process when its turn comes."""

    def documents(self, task: Task) -> Iterator[Document]:
        path, options = self.request.path, self.request.options
        data = diff.read_whole(path, HELD)
        if data is None:  # it has grown
            self.digest = diff.fingerprint(path, task)
            yield from registry.read(path, options, task)
            return
        self.digest = hashlib.blake2b(data, digest_size=20).hexdigest()
        yield from registry.read(FileInMemory.hold(path, data), options, task)


class _RemoteReading(Reading):
    """A file that a process reads; what it sends waits here."""

    def __init__(self, request: ReadRequest, pool: ReaderPool) -> None:
        super().__init__(request)
        self._pool = pool
        self._ready: deque[Document] = deque()
        self._waiting = 0  # characters
        self._done = False
        self._failure: Unreadable | None = None
        self.abandoned = False

    def documents(self, task: Task) -> Iterator[Document]:
        while True:
            with self._pool.changed:
                while not self._ready and not self._done:
                    self._pool.changed.wait(_POLL)
                    task.check()
                    self._pool.look_after()
                document = self._ready.popleft() if self._ready else None
                if document is not None:
                    self._waiting -= len(document.text)
                    self._pool.changed.notify_all()
            if document is None:
                break
            yield document
        task.check()
        if self._failure is not None:
            raise self._failure

    def add(self, document: Document) -> None:
        """Add a document; waits while the caller is far behind. Called by the thread of a process."""
        with self._pool.changed:
            while self._waiting > _BUFFERED and not self.abandoned:
                self._pool.changed.wait()
            self._ready.append(document)
            self._waiting += len(document.text)
            self._pool.changed.notify_all()

    def note_digest(self, digest: str) -> None:
        """Note what is being read, as soon as the process has hashed it."""
        with self._pool.changed:
            self.digest = digest
            self._pool.changed.notify_all()

    def end(self, failure: Unreadable | None = None) -> None:
        """Note that nothing more comes."""
        with self._pool.changed:
            self._done, self._failure = True, failure
            self._pool.changed.notify_all()

    def abandon(self) -> None:
        """Drop what comes: nobody waits for it any more. The pool is locked."""
        self.abandoned = True
        self._ready.clear()
        self._waiting = 0


class ReaderPool:
    """Up to two processes that read files.

    Attributes:
        changed: Guards and announces what the threads of the processes and the caller share.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self.changed = threading.Condition()
        self._queue: deque[_RemoteReading] = deque()
        self._workers: list[_Worker] = []
        self._most = workers

    def read_files(self, requests: Iterable[ReadRequest]) -> Generator[Reading, None, None]:
        """Yield a reading for each file, in order; the processes work ahead on those that follow.

        Close the iterator when you stop early: what is being read is given up then.
        """
        ahead: deque[Reading] = deque()
        try:
            for request in requests:
                ahead.append(self._begin(request))
                if len(ahead) > _AHEAD:
                    yield ahead[0]
                    ahead.popleft()
            while ahead:
                yield ahead[0]
                ahead.popleft()
        finally:
            self._give_up([reading for reading in ahead if isinstance(reading, _RemoteReading)])

    def _begin(self, request: ReadRequest) -> Reading:
        if _is_own(request):
            return _OwnReading(request)
        reading = _RemoteReading(request, self)
        with self.changed:
            self._queue.append(reading)
            if len(self._workers) < self._most and not any(worker.is_idle for worker in self._workers):
                self._workers.append(_Worker(self, len(self._workers) + 1))
                self._workers[-1].start()
            self.changed.notify_all()
        return reading

    def _give_up(self, readings: Iterable[_RemoteReading]) -> None:
        with self.changed:
            for reading in readings:
                reading.abandon()
                with contextlib.suppress(ValueError):
                    self._queue.remove(reading)
            for worker in self._workers:
                if worker.reading is not None and worker.reading.abandoned:
                    worker.kill()
            self.changed.notify_all()

    def next_reading(self, worker: _Worker) -> _RemoteReading:
        """Wait for a file for a process."""
        with self.changed:
            worker.reading = None
            while not self._queue:
                self.changed.wait()
            worker.reading = self._queue.popleft()
            return worker.reading

    def look_after(self) -> None:
        """Kill the processes whose time is up, and note the memory they take. The pool is locked."""
        for worker in self._workers:
            worker.look_after()

    def processes(self) -> list[int]:
        """Return the ids of the processes that run."""
        return [worker.process.pid for worker in self._workers if worker.process and worker.process.poll() is None]

    def close(self) -> None:
        """Kill the processes; the next file starts others."""
        with self.changed:
            for worker in self._workers:
                worker.kill()


@cache
def shared_pool() -> ReaderPool:
    """Return the pool of this program; its processes end with it."""
    pool = ReaderPool()
    atexit.register(pool.close)
    return pool


def _is_own(request: ReadRequest) -> bool:
    """Return whether a file is a plain text that is small enough to be read here."""
    if request.size > _SMALL:
        return False
    suffix = request.path.suffix.lower()
    if suffix in registry.SUFFIXES or suffix in registry.UNSUPPORTED:
        return registry.SUFFIXES.get(suffix) in _OWN
    try:
        with request.path.open("rb") as file:
            head = file.read(registry.HEAD_BYTES)
    except OSError:
        return True  # says what is wrong when its turn comes
    return not looks_binary(head) and registry.by_text(head) in _OWN


class _Worker(threading.Thread):
    """One reading process and the thread that talks to it.

    Attributes:
        reading: The file that is being read; None while there is none.
        process: The process; None before it is started.
    """

    def __init__(self, pool: ReaderPool, index: int) -> None:
        super().__init__(name=f"reader {index}", daemon=True)
        self._pool = pool
        self.reading: _RemoteReading | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self._job = 0
        self._deadline = float("inf")
        self._limit = 0.0
        self._overdue = False
        self._size = self._most = 0  # bytes of its address space: at the start of a file, and the most seen since

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a file."""
        return self.reading is None

    def run(self) -> None:
        """Read files for ever."""
        while True:
            reading = self._pool.next_reading(self)
            try:
                failure = self._read(reading)
            except Exception as error:  # noqa: BLE001 - one file must never stop the reading of others
                _log.warning("A reading process failed", exc_info=True)
                self.kill()
                failure = self._not_started(reading, type(error).__name__)
            reading.end(failure)

    def _read(self, reading: _RemoteReading) -> Unreadable | None:
        """Have the process read a file; returns what went wrong."""
        request = reading.request
        for attempt in range(2):
            try:
                process = self._running()
                self._limit = registry.time_limit(request.size, request.options)
                self._overdue, self._size, self._most = False, limits.address_space(process.pid), 0
                self._wait_for_answer()
                wire.send(_pipe(process.stdin), self._message(reading))
                failure, is_over = self._listen(reading, _pipe(process.stdout))
            except OSError as error:  # it ended while it was idle
                self._reap()
                if attempt:
                    return self._not_started(reading, error.strerror or type(error).__name__)
                continue
            finally:
                self._deadline = float("inf")
            if not (is_over or reading.digest or reading.abandoned or self._overdue or attempt):
                self._reap()  # it had ended before the file came
                continue
            return failure if is_over else self._post_mortem(reading)
        return self._not_started(reading, "")

    def _message(self, reading: _RemoteReading) -> dict[str, Any]:
        request = reading.request
        return {
            "path": str(request.path),
            "options": asdict(request.options),
            "seconds": self._limit,
            "refused": [*request.refused],
        }

    def _listen(self, reading: _RemoteReading, pipe: IO[bytes]) -> tuple[Unreadable | None, bool]:
        """Take what the process says of a file; returns its failure, and whether it came to an end."""
        failure = None
        left = 1.2 * output_limit(reading.request.size, reading.request.options) + HELD
        with contextlib.suppress(wire.ProtocolError):
            while (message := wire.receive(pipe)) is not None:
                self._deadline = float("inf")
                if "end" in message:
                    return failure, True
                if "document" in message:
                    left -= len(message["document"].text)
                    if left < 0:  # the process should have said so itself
                        break
                    reading.add(message["document"])
                elif "failure" in message:
                    failure = message["failure"]
                elif "refused" in message:
                    failure = _refusal(reading)
                elif "digest" in message:
                    reading.note_digest(str(message["digest"]))
                elif "log" in message:
                    _log.warning("reading process: %s", message["log"])
                self._wait_for_answer()
        return None, False

    def _wait_for_answer(self) -> None:
        self._deadline = time.monotonic() + self._limit + _GRACE

    def look_after(self) -> None:
        """Kill the process if it is late; note the memory it takes, as there is no asking a dead one."""
        if self.reading is None or self.process is None:
            return
        self._most = max(self._most, limits.address_space(self.process.pid))
        if time.monotonic() > self._deadline:
            self._overdue = True
            self.process.kill()

    def _post_mortem(self, reading: _RemoteReading) -> Unreadable:
        """Return why a file brought its process down."""
        code = self._reap()
        path = reading.request.path
        _log.warning("A reading process ended with code %s on a file ending in %r", code, path.suffix)
        if self._overdue or code == -24:  # SIGXCPU
            return Unreadable(
                "timeout",
                "{file} could not be read within {seconds:.0f} s. Open it in its own program and save it "
                "again, or allow more "
                "time in the settings.",
                file=display_path(path.name),
                seconds=self._limit,
            )
        if self._most - self._size > 0.6 * limits.MEMORY:
            return needed_memory(path)
        return Unreadable(
            "crash",
            "{file} crashed the {format} reader. Open it in its own program and save it again.",
            file=display_path(path.name),
            format=path.suffix.removeprefix(".").upper() or "?",
        )

    def _not_started(self, reading: _RemoteReading, why: str) -> Unreadable:
        reading.digest = ""  # so that the next update tries again
        return Unreadable(
            "unreadable",
            "{file} was not read: no process for reading could be started ({reason}). Free memory and update again.",
            file=display_path(reading.request.path.name),
            reason=why or UserMessage("it ended at once"),
        )

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self._reap()
            self.process = _start()
            self._job = limits.put_in_job(int(getattr(self.process, "_handle", 0)))
            self._limit = _START_TIMEOUT
            self._wait_for_answer()
            ready = wire.receive(_pipe(self.process.stdout))
            if ready is None or "ready" not in ready:
                raise OSError(0, "it ended at once")
            _log.info("A reading process was started, limited by %s", ", ".join(ready["ready"]) or "nothing")
        return self.process

    def kill(self) -> None:
        """End the process at once."""
        if self.process is not None:
            self.process.kill()

    def _reap(self) -> int | None:
        """End what is left of the process; returns its exit code."""
        if self.process is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            # A process whose pipe broke is about to end by itself, with the code that says why.
            self.process.wait(0.5)
        self.process.kill()
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                _pipe(pipe).close()
        limits.close_job(self._job)
        self.process, self._job = None, 0
        return code


_MAIN = "import sys; sys.path.insert(0, sys.argv[1]); import explorer.corpus.readers.process.worker as w; w.main()"


def _start() -> subprocess.Popen[bytes]:
    package = str(Path(__file__).parents[4])
    # -P: the folder that the program was started in may hold a json.py.
    command = [sys.executable, ARGUMENT] if hasattr(sys, "frozen") else [sys.executable, "-P", "-c", _MAIN, package]
    return subprocess.Popen(  # noqa: S603 - our own program
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"},
    )


def _refusal(reading: _RemoteReading) -> Unreadable:
    """Return what was wrong with the same content under another name."""
    known = reading.request.refused[reading.digest]
    if not known.message.values:
        return known
    values = {**known.message.values, "file": display_path(reading.request.path.name)}
    return Unreadable(known.reason, known.message.template, **values)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise OSError(0, "the process has no pipe")
    return pipe
