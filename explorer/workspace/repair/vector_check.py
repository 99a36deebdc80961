"""Whether a model's vector file holds what the database says it holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from explorer.task import Task
from explorer.workspace.storage import database
from explorer.workspace.storage.vector_file import VectorFile

_BLOCK = 16_384  # rows looked at at once


class VectorCheck:
    """The check of one model's vectors.

    Attributes:
        count: Texts that have a vector.
    """

    def __init__(self, db: sqlite3.Connection, model: int, file: Path, dimension: int, kind: str) -> None:
        self._db, self._model = db, model
        self._file = VectorFile(file, max(1, dimension))
        self._shared = kind == "own"  # several texts may have one row, as the passages of a document do
        self._blank = kind == "draft"  # the vector of a text without a known word is zero
        self._bad: set[int] = set()
        self._keys: list[bytes] = []
        self._rows = np.zeros(0, dtype=np.int64)
        self.count = 0

    def trouble(self, task: Task) -> str:
        """What is wrong, as sentences; empty if nothing is."""
        named = self._db.execute(
            "SELECT digest, CAST(row AS INTEGER) FROM vectors WHERE model = ?", (self._model,)
        ).fetchall()
        self._keys = [key for key, _ in named]
        self._rows = np.array([row for _, row in named], dtype=np.int64)
        self.count = len(named)
        found = [*self._missing(), *self._named_twice(), *self._unusable(task)]
        tail = self._tail()
        if tail and not found:
            found = [f"{self._file.path.name} has {tail:,} bytes that no text owns, the remains of a crash."]
        return " ".join(found)

    def forget(self) -> None:
        """Take the bad vectors out of the database, and cut off what lies behind the last good one."""
        gone = [
            (self._model, key)
            for key, row in zip(self._keys, self._rows, strict=True)
            if int(row) in self._bad
        ]
        with database.transaction(self._db):
            self._db.executemany("DELETE FROM vectors WHERE model = ? AND digest = ?", gone)
        if self._file.path.exists():
            self._file.trim(self._kept())

    def _missing(self) -> list[str]:
        there = self._file.rows()
        bad = self._rows[(self._rows >= there) | (self._rows < 0)]
        self._bad.update(bad.tolist())
        return [f"{len(bad):,} vectors are missing from {self._file.path.name}."] if len(bad) else []

    def _named_twice(self) -> list[str]:
        if self._shared:
            return []
        rows, counts = np.unique(self._rows, return_counts=True)
        twice = set(rows[counts > 1].tolist()) - self._bad
        self._bad |= twice
        return [f"{len(twice):,} vectors belong to two texts, of which one is wrong."] if twice else []

    def _unusable(self, task: Task) -> list[str]:
        vectors = self._file.open()
        rows = np.unique(self._rows[(self._rows >= 0) & (self._rows < len(vectors))])
        count = 0
        for start in range(0, len(rows), _BLOCK):
            task.check()
            block = rows[start : start + _BLOCK]
            values = vectors[block]  # (B, n)
            empty = ~values.any(axis=1) & (not self._blank)
            bad = block[~np.isfinite(values).all(axis=1) | empty]
            self._bad.update(bad.tolist())
            count += len(bad)
        return [f"{count:,} vectors are empty or not numbers."] if count else []

    def _kept(self) -> int:
        good = [row for row in self._rows.tolist() if row not in self._bad]
        return max(good, default=-1) + 1

    def _tail(self) -> int:
        """Bytes behind the last good vector."""
        if not self._file.path.exists():
            return 0
        return self._file.path.stat().st_size - self._kept() * self._file.dimension * 2
