"""Append-only files of float16 vectors, read through a memory map.

A vector counts only once the database names its row, which happens after its bytes are on the disk; whatever lies
behind the last named row is the remains of a crash and is cut off by the next writer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ITEM = 2  # bytes of a float16


class VectorFile:
    """The vectors of one model.

    Attributes:
        path: The file; it need not exist yet.
        dimension: Numbers of a vector.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        self.path = path
        self.dimension = dimension

    def rows(self) -> int:
        """Whole vectors in the file."""
        return self.path.stat().st_size // (_ITEM * self.dimension) if self.path.exists() else 0

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
        if self.path.exists() and self.path.stat().st_size > rows * self.dimension * _ITEM:
            os.truncate(self.path, rows * self.dimension * _ITEM)

    def append(self, vectors: NDArray[np.float32]) -> int:
        """Write vectors to the end and to the disk; returns the row of the first.

        Raises:
            WorkspaceError: The disk is full or the file cannot be written.
        """
        first = self.rows()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.truncate(first * self.dimension * _ITEM)
                file.write(np.ascontiguousarray(vectors, dtype="<f2").tobytes())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WorkspaceError(
                "{file}: cannot be written ({reason}). Free space on its disk; nothing was lost.",
                file=self.path,
                reason=error.strerror,
            ) from error
        return first

    def open(self) -> NDArray[np.float16]:
        """All vectors as a read-only memory map, (N, n)."""
        count = self.rows()
        if count == 0:
            return np.zeros((0, self.dimension), dtype=np.float16)
        return np.memmap(self.path, dtype="<f2", mode="r", shape=(count, self.dimension))
