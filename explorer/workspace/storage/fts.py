"""The full-text indexes over the passages: `words` for keyword search, `letters` (trigrams) for exact phrases."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.analysis.text.tokenize import analyse, analyse_all, version
from explorer.corpus.document import Passage
from explorer.messages import UserMessage
from explorer.task import Task
from explorer.workspace.storage import database, documents, passages
from explorer.workspace.storage.database import schema, transaction
from explorer.workspace.storage.passages import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMES = ("words", "letters")
_PASSAGES_A_COMMIT = 256
_ROWS = 10_000
_CANNOT_WRITE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN}
# Errors that say nothing about the indexes themselves.
_IN_THE_WAY = _CANNOT_WRITE | {
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}
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
    fresh = analysed(connection, done)
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


def rebuild(connection: sqlite3.Connection, task: Task) -> None:
    """Build both indexes again, whatever is there; within the caller's transaction.

    Raises:
        Cancelled: The task was cancelled.
    """
    for name in NAMES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    _fill(connection, connection, task, UserMessage("rebuilding the word index"))
    database.set_meta(connection, "words", version())


def bad_indexes(db: sqlite3.Connection, folder: Path, task: Task, *, may_write: bool) -> Sequence[str]:
    """Return the indexes that SQLite itself, or a comparison with the texts, finds to be wrong.

    Args:
        db: The database.
        folder: The workspace it belongs to.
        task: Progress and cancel.
        may_write: Whether this process is the workspace's writer.

    Raises:
        sqlite3.Error: They cannot be checked, because the database is busy or the disk full.
        Cancelled: The task was cancelled.
    """
    try:
        bad = [name for name in NAMES if not _has_all_passages(db, name)]
        for name in NAMES if not bad else ():
            _check_inside(db, folder, name, may_write=may_write)
        if bad or database.get_meta(db, "words") != version():  # another tokeniser's words cannot be compared
            return bad
        return _differing(db, task)
    except UnicodeDecodeError:  # SQLite's message quotes a damaged name
        return NAMES
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_THE_WAY:
            raise
        log.warning("the full-text indexes cannot be checked: %s", error)
        return NAMES


def analysed(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[int, str, str]]:
    """Yield each passage behind an id: its id, its text, its terms."""
    ids = [passage for passage in passages.all_ids(connection) if passage > after]
    for start in range(0, len(ids), _PASSAGES_A_COMMIT):
        batch = ids[start : start + _PASSAGES_A_COMMIT]
        texts = passages.texts(connection, batch)
        yield from zip(batch, texts, analyse_all(texts), strict=True)


def _differing(connection: sqlite3.Connection, task: Task) -> list[str]:
    """Return the indexes that do not hold what the texts say, by comparison with new ones."""
    with closing(sqlite3.connect("")) as fresh:  # a file that SQLite removes by itself
        _fill(connection, fresh, task, "comparing the word index")
        return [name for name in NAMES if not _same(connection, fresh, name, task)]


def _has_all_passages(db: sqlite3.Connection, name: str) -> bool:
    there, wanted = f"SELECT rowid FROM {name}", "SELECT id FROM passages"  # noqa: S608
    differ = f"{there} EXCEPT {wanted} UNION ALL SELECT * FROM ({wanted} EXCEPT {there})"  # noqa: S608
    return db.execute(f"SELECT 1 FROM ({differ}) LIMIT 1").fetchone() is None  # noqa: S608


def _check_inside(db: sqlite3.Connection, folder: Path, name: str, *, may_write: bool) -> None:
    """Let the index check itself, which changes nothing but is asked for by a statement that writes."""
    ask = f"INSERT INTO {name} ({name}) VALUES ('integrity-check')"  # noqa: S608
    if may_write:
        db.execute(ask)
    elif database.version(db) == database.VERSION:
        file = (folder / database.FILE).absolute().as_uri()
        with closing(sqlite3.connect(f"{file}?mode=rw", uri=True, timeout=1)) as second:
            try:
                second.execute(ask)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _CANNOT_WRITE:
                    raise


def _fill(source: sqlite3.Connection, target: sqlite3.Connection, task: Task, note: str) -> None:
    made = schema()
    for name in NAMES:
        target.execute(made[name])
    total = database.counts(source)["passages"]
    for done, (passage, text, terms) in enumerate(analysed(source)):
        task.report(done, total, note)
        target.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (passage, terms))
        target.execute("INSERT INTO letters (rowid, text) VALUES (?, ?)", (passage, text))


def _same(first: sqlite3.Connection, second: sqlite3.Connection, name: str, task: Task) -> bool:
    for db in (first, second):
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.all_{name} USING fts5vocab('main', '{name}', 'instance')"
        )
    queries = [
        f"SELECT id, sz FROM {name}_docsize ORDER BY id",  # noqa: S608 - our own names
        f"SELECT block FROM {name}_data WHERE id = 1",  # noqa: S608 - the counts that weigh the terms
        f"SELECT term, doc, col, offset FROM temp.all_{name}",  # noqa: S608
        *(["SELECT rowid, terms FROM words ORDER BY rowid"] if name == "words" else []),
    ]
    return all(_same_rows(first.execute(query), second.execute(query), task) for query in queries)


def _same_rows(first: sqlite3.Cursor, second: sqlite3.Cursor, task: Task) -> bool:
    while True:
        task.check()
        rows = first.fetchmany(_ROWS)
        if rows != second.fetchmany(_ROWS):
            return False
        if not rows:
            return True
