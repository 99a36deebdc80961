"""From passages to vectors; each text once a model, wherever and however often it stands."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from explorer.task import Task
from explorer.workspace.store import transaction
from explorer.workspace.vectors import VectorFile

if TYPE_CHECKING:
    from explorer.models.batching import Output

_PASSAGES_A_WINDOW = 4096
_SECONDS_A_FLUSH = 0.5


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
    """Encode the passages that have no vector of this model yet; returns how many were encoded."""
    missing = connection.execute(
        "SELECT min(p.id) FROM passages p LEFT JOIN vectors v ON v.model = ? AND v.digest = p.digest "
        "WHERE v.row IS NULL GROUP BY p.digest ORDER BY min(p.id)",
        (model,),
    ).fetchall()
    for start in range(0, len(missing), _PASSAGES_A_WINDOW):
        window = [row[0] for row in missing[start : start + _PASSAGES_A_WINDOW]]
        _encode_window(connection, file, model, encoder, window, (start, len(missing)), task)
    return len(missing)


def _encode_window(
    connection: sqlite3.Connection,
    file: VectorFile,
    model: int,
    encoder: Encoder,
    window: Sequence[int],
    reached: tuple[int, int],
    task: Task,
) -> None:
    texts, keys = _texts(connection, window)
    waiting: list[Output] = []
    done, total = reached
    flushed = time.monotonic()
    for output in encoder.stream(texts, role="document", task=task.silent()):
        waiting.append(output)
        done += len(output.rows)
        if time.monotonic() - flushed > _SECONDS_A_FLUSH:
            _flush(connection, file, model, waiting, keys)
            waiting, flushed = [], time.monotonic()
        task.report(done, total, "encoding")
    _flush(connection, file, model, waiting, keys)


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


def _flush(
    connection: sqlite3.Connection,
    file: VectorFile,
    model: int,
    outputs: Sequence[Output],
    keys: Sequence[bytes],
) -> None:
    """First the vectors to the disk, then the rows that name them."""
    if not outputs:
        return
    first = file.append(np.concatenate([output.values for output in outputs]))
    rows = [keys[row] for output in outputs for row in output.rows]
    with transaction(connection):
        connection.executemany(
            "INSERT OR IGNORE INTO vectors (model, digest, row) VALUES (?, ?, ?)",
            [(model, key, first + place) for place, key in enumerate(rows)],
        )
