"""Checksums of the databases of a workspace, beside them while no process writes.

SQLite has none, so that a bit that changes on the disk is taken for what was written: a title has another letter, a
word is found in another passage. The process that wrote last leaves the checksums when it gives up the lock; whoever
opens the workspace next compares them, and a writer removes them before its first change. After a crash there are
none: what the writer had not yet put into its log or back into the file is known to nobody, so that `doctor` has to go
by the digests of single records. Of a database that another program wrote since, as its time tells, these are checked
too.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from explorer import disk

_log = logging.getLogger(__name__)
_BLOCK = 2**20  # bytes of a checksum
# Bytes of a database that is read to its end when it is opened: 0.7 s from memory, some seconds from a usual disk. Of a
# larger one only `doctor` compares the checksums.
_AT_OPENING = 2**32
_EARLIER = 1_000_000  # nanoseconds, see `leave`
_verified: dict[str, tuple[int, ...]] = {}  # what this process has read, by path
_verifying = threading.Lock()


@dataclass(frozen=True)
class _Checksums:
    """The recorded state of a database: its size, its time and the checksum of each block."""

    size: int
    time: int
    blocks: tuple[int, ...]

    def to_bytes(self) -> bytes:
        data = np.array([self.size, self.time, *self.blocks], "<u8").tobytes()
        return data + _hash(data).to_bytes(8, "little")


def path_of(file: Path) -> Path:
    """Return where the checksums of a database are."""
    return file.with_suffix(".sums")


def differs(file: Path, *, again: bool = False) -> bool:
    """Return whether a database is not as the last writer left it; it is read once in a process, unless it is huge.

    Args:
        file: The database.
        again: Whether to read it in any case.

    Raises:
        OSError: It cannot be read.
    """
    with _verifying:
        noted = _read(path_of(file))
        if noted is None or _has_log(file) or not file.is_file():
            return False
        state = _state(file)
        if not again and (_verified.get(str(file)) == state or state[0] > _AT_OPENING):
            return False
        if state[0] == noted.size and _sum_up(file) == noted.blocks:
            _verified[str(file)] = state
            return False
        # A writer removes the checksums before it changes anything: if they are gone by now, it was not damage.
        return _read(path_of(file)) == noted


def was_written(file: Path) -> bool:
    """Return whether another program wrote a database after its checksums; what rots on a disk keeps its time.

    Raises:
        OSError: It cannot be looked at.
    """
    noted = _read(path_of(file))
    return noted is not None and _state(file)[1] != noted.time


def note_as_sound(file: Path) -> None:
    """Remember that the records of a database were checked, so that they are once in a process.

    Raises:
        OSError: It cannot be looked at.
    """
    with _verifying:
        _verified[str(file)] = _state(file)


def remove(file: Path) -> None:
    """Remove the checksums before a database is changed.

    Raises:
        OSError: They cannot be removed.
    """
    path_of(file).unlink(missing_ok=True)


def leave(file: Path) -> None:
    """Write the checksums of a database that nobody changes any more; those that are there stay.

    They are there still where the database was refused: what is damaged must not become what is right.
    """
    half = path_of(file).with_suffix(".sums.part")
    try:
        if path_of(file).exists() or not file.is_file() or _has_log(file):
            return
        # The clock of files ticks every few milliseconds, so that another program's change right after this could have
        # the time of the last one of ours.
        before = file.stat()
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns - _EARLIER))
        state = _state(file)
        noted = _Checksums(state[0], state[1], _sum_up(file))
        with open(half, "wb", opener=disk.opener) as stream:
            stream.write(noted.to_bytes())
        half.replace(path_of(file))
        with _verifying:
            _verified[str(file)] = state
    except OSError as error:  # a full or read-only disk: it is as good as before
        _log.info("no checksums of %s: %s", file.name, error.strerror)
        with suppress(OSError):
            half.unlink(missing_ok=True)


def _state(file: Path) -> tuple[int, ...]:
    state = file.stat()
    return state.st_size, state.st_mtime_ns, state.st_ino


def _has_log(file: Path) -> bool:
    """Return whether changes wait in the log of a database, which has checksums of its own."""
    log = file.with_name(f"{file.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _sum_up(file: Path) -> tuple[int, ...]:
    with file.open("rb") as stream:
        return tuple(_hash(block) for block in iter(lambda: stream.read(_BLOCK), b""))


def _read(path: Path) -> _Checksums | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) < 24 or len(data) % 8 or _hash(data[:-8]).to_bytes(8, "little") != data[-8:]:
        return None
    size, time, *blocks = np.frombuffer(data[:-8], "<u8").tolist()
    return _Checksums(size, time, tuple(blocks))


def _hash(data: bytes) -> int:
    from xxhash import xxh3_64_intdigest

    return xxh3_64_intdigest(data)
