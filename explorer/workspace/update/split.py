"""From documents to passages, and the word indexes over them."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

from explorer.analysis.text.tokenize import analyse
from explorer.corpus.passages import splitter
from explorer.task import Task
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.fts import renew

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.tokenizer import Tokenizer

_DOCUMENTS_A_COMMIT = 16


def digest(text: str) -> bytes:
    """The key of a text: the same text is encoded once, wherever it stands."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def budget_of(encoder: BiEncoder) -> int:
    """How many tokens a passage may have for a model: what its prompt leaves."""
    return encoder.tokenizer.room - len(encoder.tokenizer.spans(encoder.prompt("document")))


def drop_passages(connection: sqlite3.Connection, document: int) -> None:
    """Take a document's passages out of the word indexes and away."""
    rows = connection.execute(
        "SELECT p.id, substr(d.text, p.start + 1, p.stop - p.start) FROM passages p "
        "JOIN documents d ON d.id = p.document WHERE d.id = ?",
        (document,),
    ).fetchall()
    for passage, text in rows:
        connection.execute("DELETE FROM words WHERE rowid = ?", (passage,))
        connection.execute(
            "INSERT INTO letters (letters, rowid, text) VALUES ('delete', ?, ?)", (passage, text)
        )
    connection.execute("DELETE FROM passages WHERE document = ?", (document,))


def split_documents(
    connection: sqlite3.Connection, tokenizer: Tokenizer, budget: int, key: str, task: Task
) -> int:
    """Cut the documents that have no passages of this kind yet; returns how many were cut.

    What stays is analysed anew first, where the analysis of words has changed.
    """
    renew(connection, task)
    waiting = [
        row[0]
        for row in connection.execute("SELECT id FROM documents WHERE splitter != ? ORDER BY id", (key,))
    ]
    for start in range(0, len(waiting), _DOCUMENTS_A_COMMIT):
        task.report(start, len(waiting), "cutting into passages")
        with transaction(connection):
            for document in waiting[start : start + _DOCUMENTS_A_COMMIT]:
                _split(connection, document, tokenizer, budget, key, task)
    task.report(len(waiting), len(waiting), "cutting into passages")
    return len(waiting)


def _split(
    connection: sqlite3.Connection, document: int, tokenizer: Tokenizer, budget: int, key: str, task: Task
) -> None:
    drop_passages(connection, document)
    text = connection.execute("SELECT text FROM documents WHERE id = ?", (document,)).fetchone()[0]
    found = splitter.split(text, budget, tokenizer.spans, spans_batch=tokenizer.spans_batch, task=task)
    for place, passage in enumerate(found):
        words = text[passage.start : passage.end]
        row = connection.execute(
            "INSERT INTO passages (document, place, start, stop, digest) VALUES (?, ?, ?, ?, ?)",
            (document, place, passage.start, passage.end, digest(words)),
        ).lastrowid
        connection.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (row, analyse(words)))
        connection.execute("INSERT INTO letters (rowid, text) VALUES (?, ?)", (row, words))
    connection.execute("UPDATE documents SET splitter = ? WHERE id = ?", (key, document))
