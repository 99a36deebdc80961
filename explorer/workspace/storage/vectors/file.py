"""Append-only files of float16 vectors, read through a memory map.

A vector counts only once the database names its row, which happens after its bytes are on the disk; whatever lies
behind the last named row is the remains of a crash and is cut off by the next writer.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer import disk
from explorer.errors import DataError, WorkspaceError
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.checksums import VectorChecksums

if TYPE_CHECKING:
    from numpy.typing import NDArray


_ITEM = 2  # bytes of a float16


class VectorFile:
    """The vectors of one model.

    Attributes:
        path: The file; it need not exist yet.
        dimension: Numbers of a vector.
        checksums: What tells vectors that were damaged on the disk.
    """

    def __init__(self, path: Path, dimension: int, fingerprint: str) -> None:
        self.path = path
        self.dimension = dimension
        self.checksums = VectorChecksums(path, dimension * _ITEM, fingerprint)

    def rows(self) -> int:
        """Whole vectors in the file."""
        return self.path.stat().st_size // (_ITEM * self.dimension) if self.path.exists() else 0

    def identity(self) -> tuple[int, int]:
        """Return the device and the inode of the file; zeros while there is none."""
        if not self.path.exists():
            return 0, 0
        there = self.path.stat()
        return there.st_dev, there.st_ino

    def need(self, rows: int) -> None:
        """Make sure of the first `rows` vectors.

        Raises:
            WorkspaceError: There are fewer.
        """
        there = self.rows()
        if there < rows:
            raise WorkspaceError(
                "{file}: {rows:,} vectors are missing. Run “docexplorer doctor --repair” on the "
                "workspace; it forgets them, and the next update encodes those texts again.",
                file=self.path,
                rows=rows - there,
            )

    def trim(self, rows: int) -> None:
        """Cut off what lies behind the first `rows` vectors.

        Raises:
            WorkspaceError: There are fewer.
        """
        self.need(rows)
        with self._explain_full():
            self.checksums.trim(rows)
            if not self.path.exists():
                return
            if self.path.stat().st_size > rows * self.dimension * _ITEM:
                os.truncate(self.path, rows * self.dimension * _ITEM)
            self.checksums.complete(rows)

    def append(self, vectors: NDArray[np.floating], keys: Sequence[bytes] | None = None) -> int:
        """Write vectors to the end and to the disk; returns the row of the first.

        Args:
            vectors: The vectors, (B, n).
            keys: The digests of their texts, where each text has a row of its own.

        Raises:
            DataError: A value is infinite or not a number; nothing was written.
            WorkspaceError: The disk is full or the file cannot be written.
        """
        require_numbers(vectors)
        first, new = self.rows(), not self.path.exists()
        data = np.ascontiguousarray(vectors, dtype="<f2").tobytes()
        with self._explain_full():
            disk.make_folder(self.path.parent)
            with open(self.path, "ab", opener=disk.opener) as file:
                file.truncate(first * self.dimension * _ITEM)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self.checksums.append(first, data, keys)
            if new:
                disk.sync_folder(self.path.parent)
        return first

    def require_sound(self, rows: int) -> None:
        """Make sure that the first `rows` vectors are as they were written.

        Raises:
            WorkspaceError: Some are not.
        """
        try:
            bad = self.checksums.damaged(rows)
        except OSError as error:  # before the map touches it: there an error of the disk ends the process
            raise WorkspaceError(
                "{file}: cannot be read ({reason}). Its disk may be failing: copy your folder elsewhere.",
                file=self.path,
                reason=error.strerror,
            ) from error
        if bad:
            raise WorkspaceError(
                "{file}: {rows:,} vectors are damaged on the disk. Bring the folder up to date (“docexplorer index”), "
                "which encodes their texts again; vectors of your own must be imported again.",
                file=self.path,
                rows=sum(block.stop - block.start for block in bad),
            )

    def forget(self, blocks: Sequence[slice]) -> None:
        """Overwrite damaged rows, which the database does not name any more.

        Raises:
            WorkspaceError: The file cannot be written.
        """
        with self._explain_full():
            if blocks:
                self.checksums.forget(blocks)

    @contextmanager
    def _explain_full(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise WorkspaceError(
                "{file}: cannot be written ({reason}). Free space on its disk; nothing was lost.",
                file=self.path,
                reason=error.strerror,
            ) from error

    def open(self) -> NDArray[np.float16]:
        """Return all vectors as a read-only memory map, (N, n)."""
        count = self.rows()
        if count == 0:
            return np.zeros((0, self.dimension), dtype=np.float16)
        return np.memmap(self.path, dtype="<f2", mode="r", shape=(count, self.dimension))


def require_numbers(vectors: NDArray[np.floating]) -> None:
    """Refuse vectors that cannot be compared with others: one of them would make every search wrong.

    Raises:
        DataError: A value is not a number, or too large for half precision.
    """
    if not (np.abs(vectors) <= np.finfo(np.float16).max).all():  # also false for NaN
        raise DataError(
            "The model gives vectors with values that are infinite or not numbers; nothing of them was stored. Its "
            "weights are damaged or were trained badly: choose another model, or download it again."
        )


_KEY = 16  # bytes of a digest
_SECONDS_A_COMMIT = 0.5
log = logging.getLogger(__name__)


class VectorJournal:
    """The vectors of one model that are not committed yet, each with its digest.

    Attributes:
        path: The file; it exists only while something waits to be committed.
    """

    def __init__(self, path: Path, dimension: int, fingerprint: str) -> None:
        self.path = path
        self._record = np.dtype([("key", f"V{_KEY}"), ("vector", "<f2", (dimension,)), ("sum", "<u4")])
        self._seed = zlib.crc32(fingerprint.encode())  # another model's vectors fail their checksums

    def add(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Append vectors, (B, n), with their digests.

        Raises:
            DataError: A value is infinite or not a number; nothing was written.
            WorkspaceError: The disk is full or the file cannot be written.
        """
        require_numbers(vectors)
        records = np.zeros(len(keys), dtype=self._record)
        records["key"] = np.frombuffer(b"".join(keys), dtype=f"V{_KEY}")
        records["vector"] = vectors
        records["sum"] = self._sums(records)
        try:
            disk.make_folder(self.path.parent)
            with open(self.path, "ab", opener=disk.opener) as file:
                file.write(records.tobytes())
        except OSError as error:
            raise WorkspaceError(
                "{file}: cannot be written ({reason}). Free space on its disk; nothing was lost.",
                file=self.path,
                reason=error.strerror,
            ) from error

    def load(self) -> dict[bytes, NDArray[np.float16]]:
        """Return the intact vectors that an earlier process left here, by digest."""
        data = self.path.read_bytes() if self.path.exists() else b""
        records = np.frombuffer(data, dtype=self._record, count=len(data) // self._record.itemsize)
        good = records[records["sum"] == self._sums(records)]
        return {record["key"].tobytes(): record["vector"] for record in good}

    def clear(self) -> None:
        """Remove all of them: they are committed."""
        self.path.unlink(missing_ok=True)

    def _sums(self, records: NDArray[np.void]) -> NDArray[np.uint32]:
        bodies = (record.tobytes()[:-4] for record in records)
        return np.fromiter((zlib.crc32(body, self._seed) for body in bodies), dtype=np.uint32)


class VectorWriter:
    """Write the vectors of one model: at once to the journal, now and then to their file and the database."""

    def __init__(self, connection: sqlite3.Connection, file: VectorFile, model: int, fingerprint: str) -> None:
        self._db, self._file, self._model = connection, file, model
        self._journal = VectorJournal(file.path.with_suffix(".pending"), file.dimension, fingerprint)
        self._keys: list[bytes] = []
        self._vectors: list[NDArray[np.floating]] = []
        self._committed = time.monotonic()

    def recover(self) -> None:
        """Commit what a process that was killed had computed."""
        left = self._journal.load()
        known = vector_table.known_digests(self._db, self._model, left)
        for key, vector in left.items():
            if key not in known:
                self._keys.append(key)
                self._vectors.append(vector[None])
        if self._keys:
            log.info("recovered %d vectors that an earlier process had not committed", len(self._keys))
        self.commit()

    def add(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Write vectors, (B, n), with the digests of their texts."""
        self._journal.add(keys, vectors)
        self._keys.extend(keys)
        self._vectors.append(vectors)
        if time.monotonic() - self._committed > _SECONDS_A_COMMIT:
            self.commit()

    def commit(self) -> None:
        """Write the vectors to the disk first, then the rows that name them."""
        if self._keys:
            first = self._file.append(np.concatenate(self._vectors), self._keys)
            with transaction(self._db):
                rows = {key: first + row for row, key in enumerate(self._keys)}
                vector_table.add_rows(self._db, self._model, rows)
        self._journal.clear()
        self._keys, self._vectors, self._committed = [], [], time.monotonic()
