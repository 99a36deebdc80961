"""Run the Korean analyser in a separate process.

kiwipiepy holds the GIL for seconds while it loads, and as long as it reads a long line: a window in the same process
would freeze.

Not a ProcessPoolExecutor: at exit it waits for the call that is running, so that closing the window could take
seconds, and a killed worker breaks the whole pool. A daemon process and two pipes end at once and restart.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

MAX_FAILURES = 2  # processes that may die before this process does the work itself

_log = logging.getLogger(__name__)


class Morpheme(NamedTuple):
    """A morpheme: its form, its part of speech and its position in the line."""

    form: str
    tag: str
    start: int
    len: int


class Analyser(Protocol):
    """Splits lines into morphemes."""

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        """Return the morphemes of each line."""


class KoreanProcess:
    """An analyser in another process, which is restarted when it dies."""

    def __init__(self, load: Callable[[], Analyser]) -> None:
        """Prepare; the process is started by the first call.

        Args:
            load: Loads the analyser in the other process; a module-level function, since it is pickled.
        """
        self._load = load
        self._process: Any = None
        self._failures = 0

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        """Return the morphemes of each line.

        If no process can be started, or it died again, this process does the work.

        Raises:
            ImportError: The analyser is not installed.
            OSError: Its dictionary cannot be read.
        """
        while self._failures < MAX_FAILURES:
            try:
                if self._process is None:
                    self._start()
                self._requests.send(list(lines))
                response = self._responses.recv()
            except (EOFError, OSError) as error:
                _log.warning("The Korean analyser's process died (%s)", type(error).__name__)
                self._failures += 1
                self.stop()
                continue
            if isinstance(response, Exception):
                raise response
            results: list[list[Morpheme]] = response
            return results
        return self._load().tokenize(lines)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        requests, self._requests = context.Pipe(
            duplex=False
        )  # one-way pipes: multiprocessing makes duplex ones from sockets
        self._responses, responses = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(self._load, requests, responses), daemon=True)
        try:
            self._process.start()
        finally:
            requests.close()
            responses.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process is not None and bool(self._process.is_alive())

    def stop(self) -> None:
        """Close the pipes, so that the process ends by itself."""
        if self._process is not None:
            self._requests.close()
            self._responses.close()
            self._process = None


def _serve(load: Callable[[], Analyser], requests: Connection, responses: Connection) -> None:
    """Answer requests in the other process until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program, which then ends this process
    with contextlib.suppress(EOFError, OSError):
        while True:
            lines = requests.recv()
            try:
                response: object = load().tokenize(lines)
            except (ImportError, OSError) as error:
                response = error
            responses.send(response)
