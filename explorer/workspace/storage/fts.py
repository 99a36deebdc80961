"""The full-text indexes over the passages: `words` for keyword search, `letters` (trigrams) for exact phrases."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from explorer.analysis.text.tokenize import analyse, analyse_all, version
from explorer.corpus.document import Passage
from explorer.task import Task
from explorer.workspace.storage import database, documents, passages
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.passages import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PASSAGES_A_COMMIT = 256
log = logging.getLogger(__name__)


class WordIndex:
    """Read the statistics of the `words` index that ranking needs."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._ready: set[str] = set()

    def count_until(self, passage: int) -> int:
        """Count the passages up to an id."""
        (count,) = self._db.execute("SELECT count(*) FROM words_docsize WHERE id <= ?", (passage,)).fetchone()
        return int(count)

    def lengths_after(self, passage: int) -> list[tuple[int, bytes]]:
        """Return the passages behind an id with their number of terms, as FTS5's varint."""
        # The shadow table, because bm25() of FTS5 looks the lengths up one by one: https://sqlite.org/fts5.html#the_shadow_tables
        return self._db.execute(
            "SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id", (passage,)
        ).fetchall()

    def occurrences(self, term: str) -> NDArray[np.int64]:
        """Return the passage of each occurrence of a term, ascending."""
        self._vocabulary("occurrences", "instance")
        return numbers(
            self._db.execute("SELECT group_concat(doc) FROM temp.occurrences WHERE term = ?", (term,))
        )

    def passage_count(self, term: str) -> int:
        """Count the passages that have a term."""
        self._vocabulary("vocabulary", "row")
        row = self._db.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (term,)).fetchone()
        return 0 if row is None else int(row[0])

    def common_terms(self, more_than: int) -> dict[str, int]:
        """Return the terms of more than so many passages, with their counts, the rarest first."""
        self._vocabulary("vocabulary", "row")
        query = "SELECT term, doc FROM temp.vocabulary WHERE doc > ? ORDER BY doc"
        return dict(self._db.execute(query, (more_than,)).fetchall())

    def has_term_between(self, first: str, end: str) -> bool:
        """Return whether any term is in the range from `first` up to, but without, `end`."""
        self._vocabulary("vocabulary", "row")
        query = "SELECT 1 FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1"
        return self._db.execute(query, (first, end)).fetchone() is not None

    def _vocabulary(self, name: str, kind: str) -> None:
        """Make a view of the terms, once; in the connection's own temporary schema, so that readers may too."""
        if name not in self._ready:
            self._db.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', 'words', '{kind}')"
            )
            self._ready.add(name)


def documents_with(connection: sqlite3.Connection, piece: str) -> set[int]:
    """Return the documents in which a piece of at least three characters occurs, by the trigram index."""
    rows = connection.execute(
        "SELECT DISTINCT document FROM passages WHERE id IN (SELECT rowid FROM letters WHERE letters MATCH ?)",
        ('"' + piece.replace('"', '""') + '"',),
    )
    return {int(row[0]) for row in rows}


def add_passages(connection: sqlite3.Connection, document: int, text: str, found: Iterable[Passage]) -> None:
    """Store the passages of a document and index their words; within a transaction."""
    for place, passage in enumerate(found):
        words = text[passage.start : passage.end]
        row = passages.add(connection, document, place, passage, words)
        connection.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (row, analyse(words)))
        connection.execute("INSERT INTO letters (rowid, text) VALUES (?, ?)", (row, words))


def drop_passages(connection: sqlite3.Connection, document: int) -> None:
    """Remove the passages of a document and their words from the indexes; within a transaction."""
    spans = passages.spans(connection, document)
    text = documents.text(connection, document) if spans else ""
    for passage, span in spans.items():
        connection.execute("DELETE FROM words WHERE rowid = ?", (passage,))
        # `letters` stores no text of its own, so it must be given the text it is to forget.
        connection.execute(
            "INSERT INTO letters (letters, rowid, text) VALUES ('delete', ?, ?)",
            (passage, text[span.start : span.end]),
        )
    passages.drop(connection, document)


def renew(connection: sqlite3.Connection, task: Task) -> None:
    """Bring the words up to date with the way texts are tokenised; continue where it was stopped.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    now = version()
    if database.get_meta(connection, "words") == now:
        return
    resumed = database.get_meta(connection, "words_next") == now
    done = int(database.get_meta(connection, "words_until") or 0) if resumed else 0
    last = max(passages.all_ids(connection), default=0)
    fresh = _analysed(connection, done)
    while batch := list(islice(fresh, _PASSAGES_A_COMMIT)):
        task.report(batch[-1][0], last, "rebuilding the word index")
        with transaction(connection):
            for passage, _, terms in batch:
                connection.execute("UPDATE words SET terms = ? WHERE rowid = ?", (terms, passage))
            database.set_meta(connection, "words_next", now)
            database.set_meta(connection, "words_until", str(batch[-1][0]))
    with transaction(connection):
        database.delete_meta(connection, "words_next", "words_until")
        database.set_meta(connection, "words", now)
    log.info("indexed the words of %d passages again", last)


def _analysed(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[int, str, str]]:
    """Yield each passage behind an id: its id, its text, its terms."""
    ids = [passage for passage in passages.all_ids(connection) if passage > after]
    for start in range(0, len(ids), _PASSAGES_A_COMMIT):
        batch = ids[start : start + _PASSAGES_A_COMMIT]
        texts = passages.texts(connection, batch)
        yield from zip(batch, texts, analyse_all(texts), strict=True)
