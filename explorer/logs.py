"""The log file: what the program did and what failed, never what a document says.

Modules log with `logging.getLogger(__name__)`. Nothing is written until `start` is called, by the command line or by
the window; a program that imports the package configures logging itself.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import sys
import threading
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from explorer import disk, paths

FILE = "docexplorer.log"
MAX_BYTES = 1_000_000
BACKUPS = 2  # with the file in use, three files
_FORMAT = "%(asctime)s %(levelname)-7s %(process)d %(threadName)s %(name)s: %(message)s"
# Exceptions whose message comes from the interpreter or the system. Other messages may quote a document, a query or a
# cell of a table (`int("some text")` does), so the log has only their type and traceback.
_HARMLESS = (OSError, ImportError, MemoryError, AttributeError, NameError, RecursionError)

_logger = logging.getLogger(__name__)
_package = logging.getLogger("explorer")
_handlers: list[logging.Handler] = []


def log_file() -> Path:
    """Return the path of the log file in use, whether it exists or not."""
    return paths.data() / "logs" / FILE


def start(*, debug: bool = False) -> None:
    """Log to the file from now on, and with `debug` to standard error too, with all details.

    A second call replaces the first. A disk that is full or read-only costs the log, not the program.
    """
    stop()
    file = _PrivateFile(log_file(), maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8", delay=True)
    _add(file, logging.DEBUG if debug else logging.INFO)
    if debug and sys.stderr is not None:  # there is none in a windowed app on Windows
        _add(logging.StreamHandler(sys.stderr), logging.DEBUG)
    _package.setLevel(logging.DEBUG if debug else logging.INFO)


def stop() -> None:
    """Close the log file."""
    while _handlers:
        handler = _handlers.pop()
        _package.removeHandler(handler)
        with contextlib.suppress(OSError):  # a full disk: closing writes what is buffered
            handler.close()


def log_uncaught() -> None:
    """Log exceptions that nobody catches, in any thread, before they are reported as usual."""
    show, show_in_thread = sys.excepthook, threading.excepthook

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _logger.critical("uncaught exception", exc_info=(kind, error, trace))
        show(kind, error, trace)

    def uncaught_in_thread(caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            _logger.critical("uncaught exception in a thread", exc_info=caught.exc_value)
        show_in_thread(caught)

    sys.excepthook, threading.excepthook = uncaught, uncaught_in_thread


def _add(handler: logging.Handler, level: int) -> None:
    handler.setLevel(level)
    handler.setFormatter(_Formatter(_FORMAT))
    _package.addHandler(handler)
    _handlers.append(handler)


class _PrivateFile(RotatingFileHandler):
    """A rotating file that only the user can read: paths in it tell what the user works on."""

    def _open(self) -> Any:
        folder = Path(self.baseFilename).parent
        disk.make_folder(folder)
        return open(self.baseFilename, self.mode, encoding=self.encoding, errors="backslashreplace", opener=disk.opener)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name in logging
        """Lose the record: the disk is full, or another process holds the file while it is rotated (Windows)."""


class _Formatter(logging.Formatter):
    """Writes tracebacks without the messages of exceptions that may quote a document."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name in logging
        lines: list[str] = []
        error: BaseException | None = ei[1]
        seen: set[int] = set()
        while error is not None and id(error) not in seen:  # the last one first, then what caused it
            seen.add(id(error))
            lines += ["Traceback (most recent call last):\n", *traceback.format_tb(error.__traceback__)]
            lines.append(f"{_described(error)}\n")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
            lines += ["caused by:\n"] if error is not None else []
        return "".join(lines).rstrip("\n")


def _described(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    if isinstance(error, sqlite3.Error):
        return f"{name}: {getattr(error, 'sqlite_errorname', '')}".rstrip(": ")
    if isinstance(error, _HARMLESS) and not isinstance(error, UnicodeError):
        return f"{name}: {error}"
    return name
