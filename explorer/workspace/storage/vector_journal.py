"""Vectors that are computed and not yet in the database, kept where the end of the process does not reach them.

To commit every batch would be to wait for the disk at every batch. So a batch is written here first, which
outlives the process, and twice a second all of them go to the vector file and the database together. Should the
machine itself fail, what did not reach the disk is told by its checksum.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_KEY = 16  # bytes of a digest


class VectorJournal:
    """The vectors of one model that wait for their commit, each with its digest.

    Attributes:
        path: The file; it is there only while something waits.
    """

    def __init__(self, path: Path, dimension: int, fingerprint: str) -> None:
        self.path = path
        self._record = np.dtype([("key", f"V{_KEY}"), ("vector", "<f2", (dimension,)), ("sum", "<u4")])
        self._seed = zlib.crc32(fingerprint.encode())  # another model's vectors fail their checksums

    def add(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Write vectors, (B, n), with their digests to the end.

        Raises:
            WorkspaceError: The disk is full or the file cannot be written.
        """
        records = np.zeros(len(keys), dtype=self._record)
        records["key"] = np.frombuffer(b"".join(keys), dtype=f"V{_KEY}")
        records["vector"] = vectors
        records["sum"] = self._sums(records)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(records.tobytes())
        except OSError as error:
            raise WorkspaceError(
                f"{self.path}: cannot be written ({error.strerror}). Free space on its disk; nothing was lost."
            ) from error

    def load(self) -> dict[bytes, NDArray[np.float16]]:
        """The whole vectors that an earlier process left here, by digest."""
        data = self.path.read_bytes() if self.path.exists() else b""
        records = np.frombuffer(data, dtype=self._record, count=len(data) // self._record.itemsize)
        good = records[records["sum"] == self._sums(records)]
        return {record["key"].tobytes(): record["vector"] for record in good}

    def clear(self) -> None:
        """Forget all of them: they are committed."""
        self.path.unlink(missing_ok=True)

    def _sums(self, records: NDArray[np.void]) -> NDArray[np.uint32]:
        bodies = (record.tobytes()[:-4] for record in records)
        return np.fromiter((zlib.crc32(body, self._seed) for body in bodies), dtype=np.uint32)
