"""From passages to vectors; each text once a model, wherever and however often it stands."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from explorer.task import Task
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.vector_file import VectorFile
from explorer.workspace.storage.vector_journal import VectorJournal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.batching import Output

_PASSAGES_A_WINDOW = 4096
_SECONDS_A_COMMIT = 0.5


class Encoder(Protocol):
    """What turns passages into vectors."""

    @property
    def fingerprint(self) -> str:
        """Its name."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def stream(
        self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None
    ) -> Generator[Output]:
        """The vectors, batch by batch."""
        ...


def encode_passages(
    connection: sqlite3.Connection, file: VectorFile, model: int, encoder: Encoder, task: Task
) -> int:
    """Encode the passages that have no vector of this model yet; returns how many were encoded.

    Each batch is safe from the end of the process as soon as it is computed; what a killed process left is
    taken over first.
    """
    into = VectorWriter(connection, file, model, encoder.fingerprint)
    into.take_over()
    missing = connection.execute(
        "SELECT min(p.id) FROM passages p LEFT JOIN vectors v ON v.model = ? AND v.digest = p.digest "
        "WHERE v.row IS NULL GROUP BY p.digest ORDER BY min(p.id)",
        (model,),
    ).fetchall()
    (kind,) = connection.execute("SELECT kind FROM models WHERE id = ?", (model,)).fetchone()
    note = "sketching" if kind == "draft" else "encoding"
    for start in range(0, len(missing), _PASSAGES_A_WINDOW):
        texts, keys = _texts(connection, [row[0] for row in missing[start : start + _PASSAGES_A_WINDOW]])
        done = start
        for output in encoder.stream(texts, role="document", task=task.silent()):
            into.add([keys[row] for row in output.rows], output.values)
            done += len(output.rows)
            task.report(done, len(missing), note)
        into.commit()
    return len(missing)


def _texts(connection: sqlite3.Connection, window: Sequence[int]) -> tuple[list[str], list[bytes]]:
    texts, keys = [], []
    for passage in window:
        text, key = connection.execute(
            "SELECT substr(d.text, p.start + 1, p.stop - p.start), p.digest FROM passages p "
            "JOIN documents d ON d.id = p.document WHERE p.id = ?",
            (passage,),
        ).fetchone()
        texts.append(text)
        keys.append(key)
    return texts, keys


class VectorWriter:
    """Where the vectors of one model go: at once to the pending ones, now and then to their file and the database."""

    def __init__(
        self, connection: sqlite3.Connection, file: VectorFile, model: int, fingerprint: str
    ) -> None:
        self._db, self._file, self._model = connection, file, model
        self._pending = VectorJournal(file.path.with_suffix(".pending"), file.dimension, fingerprint)
        self._keys: list[bytes] = []
        self._vectors: list[NDArray[np.floating]] = []
        self._committed = time.monotonic()

    def take_over(self) -> None:
        """Commit what a process that was killed had computed."""
        known = "SELECT 1 FROM vectors WHERE model = ? AND digest = ?"
        for key, vector in self._pending.load().items():
            if self._db.execute(known, (self._model, key)).fetchone() is None:
                self._keys.append(key)
                self._vectors.append(vector[None])
        self.commit()

    def add(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Take vectors, (B, n), with their digests."""
        self._pending.add(keys, vectors)
        self._keys.extend(keys)
        self._vectors.append(vectors)
        if time.monotonic() - self._committed > _SECONDS_A_COMMIT:
            self.commit()

    def commit(self) -> None:
        """First the vectors to the disk, then the rows that name them."""
        if self._keys:
            first = self._file.append(np.concatenate(self._vectors))
            with transaction(self._db):
                self._db.executemany(
                    "INSERT OR IGNORE INTO vectors (model, digest, row) VALUES (?, ?, ?)",
                    [(self._model, key, first + place) for place, key in enumerate(self._keys)],
                )
        self._pending.clear()
        self._keys, self._vectors, self._committed = [], [], time.monotonic()
