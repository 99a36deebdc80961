"""The analyser of Korean in a process of its own.

It holds the interpreter for seconds while it loads, and for as long as it reads a long line: a window in the same
process would stand still meanwhile.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

TRIES = 2  # processes that may end before this one does the work


class Morpheme(NamedTuple):
    """What the analyser says of a stretch of text: its form, its part of speech, its place."""

    form: str
    tag: str
    start: int
    len: int


class Analyser(Protocol):
    """Takes lines apart."""

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        """The morphemes of each line."""


class KoreanProcess:
    """Asks another process, which is begun anew where it ended."""

    def __init__(self, load: Callable[[], Analyser]) -> None:
        """Begin nothing yet.

        Args:
            load: Makes the analyser, there; a function of a module.
        """
        self._load = load
        self._process: Any = None
        self._ended = 0

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        """The morphemes of each line.

        Where no process can be had, or it ended again, this one does the work.

        Raises:
            ImportError: The analyser is not there.
            OSError: Its dictionary cannot be read.
        """
        while self._ended < TRIES:
            try:
                if self._process is None:
                    self._start()
                self._questions.send(list(lines))
                answer = self._answers.recv()
            except (EOFError, OSError):
                self._ended += 1
                self.end()
                continue
            if isinstance(answer, Exception):
                raise answer
            found: list[list[Morpheme]] = answer
            return found
        return self._load().tokenize(lines)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        questions, self._questions = context.Pipe(duplex=False)  # one way each: no sockets
        self._answers, answers = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(self._load, questions, answers), daemon=True)
        try:
            self._process.start()
        finally:
            questions.close()
            answers.close()

    @property
    def is_there(self) -> bool:
        """Whether the process is there and waits to be asked."""
        return self._process is not None and bool(self._process.is_alive())

    def end(self) -> None:
        """Let the process go: it ends because nobody can ask it any more."""
        if self._process is not None:
            self._questions.close()
            self._answers.close()
            self._process = None


def _serve(load: Callable[[], Analyser], questions: Connection, answers: Connection) -> None:
    """In the other process: answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is meant for the program, which ends this one
    with contextlib.suppress(EOFError, OSError):
        while True:
            lines = questions.recv()
            try:
                answer: object = load().tokenize(lines)
            except (ImportError, OSError) as error:
                answer = error
            answers.send(answer)
