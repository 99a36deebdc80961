"""Checksums of the vectors of one model, in a file beside them.

A record covers the rows that one call appended. Its checksum depends on their bytes, on the model and on the number of
the first row, so that rows which were exchanged, shifted or taken from another model show. A second one depends on the
digests of the texts; `doctor` compares it with the database.

Rows without a record (of earlier versions, or where this file itself was lost) are taken as they are, and get theirs
from the next writer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from explorer import disk

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RECORD = np.dtype([("first", "<u8"), ("count", "<u8"), ("vectors", "<u8"), ("keys", "<u8"), ("self", "<u8")])
_UNKNOWN = 0  # the checksum of keys where rows and texts do not go together one to one
_ROWS = 4096  # a record of rows that were stored without one
# What this process has verified, by path: the rows do not change once they are written, so once is enough. xxh3 reads
# 11 GB/s here, crc32 0.7: a million vectors of 384 numbers take 0.07 s instead of 1.1.
_verified: dict[tuple[str, int], _Verified] = {}
_verifying = threading.Lock()


@dataclass
class _Verified:
    """What was verified of a vector file.

    Attributes:
        records: Its records.
        state: The state of the checksums' file when all of them were, and the number of rows; empty if some are bad.
        start: Where that file goes on behind them: what is appended is read alone, since a million vectors have
            thousands of records.
    """

    records: set[tuple[int, ...]] = field(default_factory=set)
    state: tuple[int, ...] = ()
    start: int = 0


class VectorChecksums:
    """The records of one vector file.

    Attributes:
        path: Their file; it need not exist.
    """

    def __init__(self, vectors: Path, row_bytes: int, fingerprint: str) -> None:
        from xxhash import xxh3_64_intdigest

        self.path = vectors.with_suffix(".sums")
        self._vectors, self._row = vectors, row_bytes
        self._hash = xxh3_64_intdigest
        self._model = self._hash(fingerprint.encode("utf-8", "surrogatepass"))

    def append(self, first: int, rows: bytes, keys: Sequence[bytes] | None) -> None:
        """Add the record of rows that are on the disk now.

        Raises:
            OSError: It cannot be written.
        """
        whole = self.path.stat().st_size // _RECORD.itemsize * _RECORD.itemsize if self.path.exists() else 0
        with open(self.path, "ab", opener=disk.opener) as file:
            file.truncate(whole)  # a record that a crash cut off would shift all that follow
            file.write(self._record(first, rows, keys).tobytes())
            file.flush()
            os.fsync(file.fileno())

    def _record(self, first: int, rows: bytes, keys: Sequence[bytes] | None) -> NDArray[np.void]:
        record = np.zeros(1, dtype=_RECORD)
        texts = self._hash(b"".join(keys)) or 1 if keys is not None else _UNKNOWN
        record[0] = (first, len(rows) // self._row, self._hash(rows, self._model ^ first), texts, 0)
        record["self"] = self._hash(record.tobytes()[:-8], self._model)
        return record

    def records(self, start: int = 0) -> NDArray[np.void]:
        """Return the sound records of rows that are there, by their first row; of two for the same row the later.

        Whoever made the workspace may have written any numbers with the right checksum.

        Args:
            start: Where to begin in the file.
        """
        rows = self._vectors.stat().st_size // self._row if self._vectors.exists() else 0
        sound: dict[int, NDArray[Any]] = {}
        for record in self._stored(start):
            first, count = int(record["first"]), int(record["count"])
            there = count > 0 and first + count <= rows
            if there and self._hash(record.tobytes()[:-8], self._model) == int(record["self"]):
                sound[first] = record
        return np.array([sound[first] for first in sorted(sound)], dtype=_RECORD)

    def _stored(self, start: int = 0) -> NDArray[np.void]:
        """Return what the file has from somewhere on, sound or not."""
        if not self.path.exists():
            return np.zeros(0, dtype=_RECORD)
        with self.path.open("rb") as file:
            file.seek(start)
            data = file.read()
        return np.frombuffer(data, dtype=_RECORD, count=len(data) // _RECORD.itemsize)

    def damaged(self, rows: int) -> list[slice]:
        """Return which of the first `rows` vectors are not as they were written; each is read once in a process."""
        if not self.path.exists() or not self._vectors.exists():
            return []
        bad = []
        with _verifying, self._vectors.open("rb") as file:
            known = _verified.setdefault((str(self._vectors), os.fstat(file.fileno()).st_ino), _Verified())
            there = self.path.stat()
            state = there.st_ino, there.st_mtime_ns, there.st_size, rows
            if known.state == state:
                return []
            if known.state[:1] != state[:1] or known.start > there.st_size:
                known.start = 0  # it was rewritten
            stored = self._stored(known.start)
            for record in self.records(known.start):
                mark = tuple(int(value) for value in record)
                first, count, checksum = mark[:3]
                if mark in known.records or first + count > rows:
                    continue
                if self._checksum(file, first, count) == checksum:
                    known.records.add(mark)
                else:
                    bad.append(slice(first, first + count))
            # Up to the first that speaks for rows which the database does not name yet.
            later = np.flatnonzero(stored["first"] + stored["count"] > rows)
            known.start += int(later[0] if len(later) else len(stored)) * _RECORD.itemsize
            known.state, known.start = ((), 0) if bad else (state, known.start)
        return bad

    def forget_verified(self) -> None:
        """Verify everything again the next time, as `doctor` does."""
        with _verifying:
            for key in [key for key in _verified if key[0] == str(self._vectors)]:
                del _verified[key]

    def exchanged(self, keys: Mapping[int, bytes]) -> list[slice]:
        """Return the rows whose texts are not those they were stored for.

        Args:
            keys: The digest of the text of each row that a text has.
        """
        bad = []
        for record in self.records():
            first, count = int(record["first"]), int(record["count"])
            if record["keys"] == _UNKNOWN or count > len(keys):
                continue
            texts = [keys.get(row, b"") for row in range(first, first + count)]
            if all(texts) and (self._hash(b"".join(texts)) or 1) != record["keys"]:
                bad.append(slice(first, first + count))
        return bad

    def trim(self, rows: int) -> None:
        """Drop the records of what lies behind the first `rows` vectors; call before the vectors are cut off.

        Those of rows that the file lost go too: they would be taken for records of the rows that come in their place.

        Raises:
            OSError: It cannot be written.
        """
        stored, end = self._stored(), np.uint64(max(0, rows))
        if ((stored["first"] > end) | (stored["count"] > end - stored["first"])).any():
            records = self.records()
            ends = records["first"] + records["count"]
            remaining = [records[ends <= rows]]
            for record in records[(ends > rows) & (records["first"] < rows)]:  # half of it goes
                with self._vectors.open("rb") as file:
                    first, count = int(record["first"]), int(record["count"])
                    data = self._read(file, first, count)
                if self._hash(data, self._model ^ first) == record["vectors"]:
                    remaining.append(self._record(first, data[: (rows - first) * self._row], None))
            self._replace(np.concatenate(remaining))

    def complete(self, rows: int) -> None:
        """Add records for those of the first `rows` vectors that have none.

        Raises:
            OSError: It cannot be written.
        """
        gaps = list(_gaps(self.records(), rows))
        if not gaps:
            return
        added = []
        with self._vectors.open("rb") as file:
            for gap in gaps:
                for first in range(gap.start, gap.stop, _ROWS):
                    data = self._read(file, first, min(_ROWS, gap.stop - first))
                    added.append(self._record(first, data, None))
        self._replace(np.concatenate([self.records(), *added]))

    def forget(self, blocks: Sequence[slice]) -> None:
        """Overwrite rows with zeros and drop their records; nothing names them any more.

        Raises:
            OSError: It cannot be written.
        """
        with self._vectors.open("r+b") as file:
            for rows in blocks:
                file.seek(rows.start * self._row)
                file.write(bytes((rows.stop - rows.start) * self._row))
            file.flush()
            os.fsync(file.fileno())
        records = self.records()
        self._replace(records[~np.isin(records["first"], [rows.start for rows in blocks])])

    def _checksum(self, file: BinaryIO, first: int, count: int) -> int:
        """Return the checksum of rows of the file, read piece by piece: a record may cover all of it."""
        from xxhash import xxh3_64

        made = xxh3_64(seed=self._model ^ first)
        for start in range(first, first + count, _ROWS):
            made.update(self._read(file, start, min(_ROWS, first + count - start)))
        return int(made.intdigest())

    def _read(self, file: BinaryIO, first: int, count: int) -> bytes:
        file.seek(first * self._row)
        return file.read(count * self._row)

    def _replace(self, records: NDArray[np.void]) -> None:
        half = self.path.with_suffix(".sums.part")
        try:
            with open(half, "wb", opener=disk.opener) as file:
                file.write(records[np.argsort(records["first"], kind="stable")].tobytes())
                file.flush()
                os.fsync(file.fileno())
            disk.replace(half, self.path)
        except OSError:
            with suppress(OSError):
                half.unlink(missing_ok=True)
            raise


def _gaps(records: NDArray[np.void], rows: int) -> Iterator[slice]:
    """Yield those of the first `rows` rows that no record covers."""
    end = 0
    for record in records:
        if record["first"] > end:
            yield slice(end, int(record["first"]))
        end = max(end, int(record["first"] + record["count"]))
    if end < rows:
        yield slice(end, rows)
