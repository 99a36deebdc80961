"""Encoding with another model while the vectors of the one in use stay as they are.

A model cuts documents in its own way, and cutting them anew leaves the vectors of the other without their passages.
So what the new model would cut is encoded first, from the texts themselves; the next update then finds every
vector ready, and going back finds the old ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.corpus.passages import splitter
from explorer.workspace.storage.vector_file import VectorFile
from explorer.workspace.update.encode import VectorWriter
from explorer.workspace.update.split import budget_of, digest

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.task import Task

_DOCUMENTS_A_WINDOW = 64


def encode_ahead(
    connection: sqlite3.Connection, file: VectorFile, model: int, encoder: BiEncoder, task: Task
) -> int:
    """Encode the documents as they would be cut for a model; returns how many passages were encoded.

    Raises:
        Cancelled: The task was cancelled; what was encoded stays, and the next call goes on from there.
        WorkspaceError: The disk is full.
    """
    into = VectorWriter(connection, file, model, encoder.fingerprint)
    into.take_over()
    documents = [row[0] for row in connection.execute("SELECT id FROM documents ORDER BY id")]
    encoded = 0
    for start in range(0, len(documents), _DOCUMENTS_A_WINDOW):
        window = documents[start : start + _DOCUMENTS_A_WINDOW]
        missing = _missing(connection, model, encoder, window, task)
        keys, done = list(missing), 0
        for output in encoder.stream(list(missing.values()), role="document", task=task.silent()):
            into.add([keys[row] for row in output.rows], output.values)
            done += len(output.rows)
            task.report(start + len(window) * done // len(keys), len(documents), "encoding")
        into.commit()
        encoded += len(keys)
        task.report(start + len(window), len(documents), "encoding")
    return encoded


def _missing(
    connection: sqlite3.Connection, model: int, encoder: BiEncoder, documents: Sequence[int], task: Task
) -> dict[bytes, str]:
    """The passages of some documents that have no vector of the model yet, by digest."""
    budget, tokenizer = budget_of(encoder), encoder.tokenizer
    found: dict[bytes, str] = {}
    for document in documents:
        row = connection.execute("SELECT text FROM documents WHERE id = ?", (document,)).fetchone()
        text = str(row[0]) if row else ""
        for one in splitter.split(
            text, budget, tokenizer.spans, spans_batch=tokenizer.spans_batch, task=task.silent()
        ):
            words = text[one.start : one.end]
            found.setdefault(digest(words), words)
    known = "SELECT 1 FROM vectors WHERE model = ? AND digest = ?"
    return {
        key: text for key, text in found.items() if connection.execute(known, (model, key)).fetchone() is None
    }
