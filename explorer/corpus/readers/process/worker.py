"""The reading process: it is given one file at a time and sends its documents back."""

from __future__ import annotations

import hashlib
import logging
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import IO, Any

from explorer.corpus.document import ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.readers.files import most_unpacked, unpacks_too_far
from explorer.corpus.readers.inner import FileInMemory
from explorer.corpus.readers.process import limits, wire
from explorer.corpus.scan import diff
from explorer.paths import display_path
from explorer.task import Task

HELD = 64 * 2**20  # bytes of a file that is read into memory once; a larger one is hashed, then read
_IDLE = 300.0  # seconds without a file after which the process ends; the next file starts another
_TIRED = 400 * 2**20  # bytes of memory after which it ends, since libraries leak


def main() -> None:
    """Answer requests until the program closes the pipe."""
    # The protocol has pipes of its own, so that a library that prints cannot break it.
    requests, responses = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program, which then ends this process
    logging.basicConfig(handlers=[_LogPipe(responses)], level=logging.WARNING)
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # its own reserves a gigabyte of addresses
    wire.send(responses, {"ready": limits.confine()})
    while _is_asked(requests) and (request := wire.receive(requests)) is not None:
        _answer(request, responses)
        wire.send(responses, {"end": True})
        if limits.resident(os.getpid()) > _TIRED:
            return


def _is_asked(requests: IO[bytes]) -> bool:
    """Wait for a request; false when the process has waited long enough."""
    if sys.platform == "win32":
        return True
    return bool(select.select([requests], [], [], _IDLE)[0])


def _answer(request: dict[str, Any], responses: IO[bytes]) -> None:
    path, options = Path(request["path"]), ReadOptions(**request["options"])
    try:
        limits.renew(request["seconds"])
        source, digest = _hashed(path)
        wire.send(responses, {"digest": digest})
        if digest in request["refused"]:
            wire.send(responses, {"refused": digest})
            return
        _send_documents(source, options, request["seconds"], responses)
    except Unreadable as error:
        wire.send_failure(responses, needed_memory(path) if isinstance(error.__cause__, MemoryError) else error)
    except MemoryError:
        wire.send_failure(responses, needed_memory(path))


def _send_documents(source: Path, options: ReadOptions, seconds: float, responses: IO[bytes]) -> None:
    renewed, left = time.monotonic(), output_limit(source.stat().st_size, options)
    for document in registry.read(source, options, Task()):
        left -= len(document.text) + 200  # and the rest of its row
        if left < 0:
            raise unpacks_too_far(source)
        wire.send_document(responses, document)
        if time.monotonic() - renewed > 1:
            renewed = time.monotonic()
            limits.renew(seconds)


def _hashed(path: Path) -> tuple[Path, str]:
    """Return a file and the digest of its content, with the content itself where it is small enough."""
    whole = diff.read_whole(path, HELD)
    if whole is None:
        return path, diff.fingerprint(path)
    return FileInMemory.hold(path, whole), hashlib.blake2b(whole, digest_size=20).hexdigest()


def output_limit(size: int, options: ReadOptions) -> int:
    """Return how many characters of text a file may give."""
    return min(max(options.max_unpacked, 4 * size), most_unpacked(size))


def needed_memory(path: Path) -> Unreadable:
    """Return the error for a file that took more memory than a reader may have."""
    return Unreadable(
        "too large",
        "{file} needed more than {megabytes:.0f} MB of memory to read. Open it in its own program and save it again, "
        "or split it.",
        file=display_path(path.name),
        megabytes=limits.MEMORY / 2**20,
    )


class _LogPipe(logging.Handler):
    """Hands log lines to the program, which has the log file."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__()
        self._pipe = pipe

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line."""
        wire.send(self._pipe, {"log": record.getMessage()[:4000]})
