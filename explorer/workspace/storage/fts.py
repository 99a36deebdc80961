"""The indexes of words and letters over the passages: kept in step with the analysis, compared, made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from explorer.analysis.text.tokenize import analyse_all, version
from explorer.task import Task
from explorer.workspace.storage.database import schema, transaction

NAMES = ("words", "letters")
_PASSAGES_A_COMMIT = 256
_ROWS = 10_000


def renew(connection: sqlite3.Connection, task: Task) -> None:
    """Bring the words up to date with the way in which texts are analysed; goes on where it was stopped.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    now, meta = version(), dict(connection.execute("SELECT key, value FROM meta"))
    if meta.get("words") == now:
        return
    done = int(meta["words_until"]) if meta.get("words_next") == now else 0
    last = connection.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()[0]
    fresh = analysed(connection, done)
    while some := list(islice(fresh, _PASSAGES_A_COMMIT)):
        task.report(some[-1][0], last, "making the index of words anew")
        with transaction(connection):
            for passage, _, terms in some:
                connection.execute("UPDATE words SET terms = ? WHERE rowid = ?", (terms, passage))
            _note(connection, words_next=now, words_until=str(some[-1][0]))
    with transaction(connection):
        connection.execute("DELETE FROM meta WHERE key IN ('words_next', 'words_until')")
        _note(connection, words=now)


def rebuild(connection: sqlite3.Connection, task: Task) -> None:
    """Make both indexes anew, whatever is there; within the caller's transaction.

    Raises:
        Cancelled: The task was cancelled.
    """
    for name in NAMES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    _fill(connection, connection, task, "making the index of words anew")
    _note(connection, words=version())


def differing(connection: sqlite3.Connection, task: Task) -> list[str]:
    """The indexes that do not hold what the texts say, by a comparison with new ones.

    Raises:
        sqlite3.Error: They are too damaged to be compared.
        Cancelled: The task was cancelled.
    """
    with closing(sqlite3.connect("")) as fresh:  # a file that SQLite removes by itself
        _fill(connection, fresh, task, "comparing the index of words")
        return [name for name in NAMES if not _same(connection, fresh, name, task)]


def analysed(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[int, str, str]]:
    """Each passage behind one: its number, its text, its terms."""
    rows = connection.execute(
        "SELECT id, document, start, stop FROM passages WHERE id > ? ORDER BY id", (after,)
    ).fetchall()
    for start in range(0, len(rows), _PASSAGES_A_COMMIT):
        some = rows[start : start + _PASSAGES_A_COMMIT]
        texts = _texts(connection, [row[1:] for row in some])
        yield from zip((row[0] for row in some), texts, analyse_all(texts), strict=True)


def _texts(connection: sqlite3.Connection, places: list[tuple[int, int, int]]) -> list[str]:
    found, text, last = [], "", None
    for document, start, stop in places:
        if document != last:
            query = "SELECT text FROM documents WHERE id = ?"
            text, last = connection.execute(query, (document,)).fetchone()[0], document
        found.append(text[start:stop])
    return found


def _note(connection: sqlite3.Connection, **values: str) -> None:
    connection.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())


def _fill(source: sqlite3.Connection, target: sqlite3.Connection, task: Task, note: str) -> None:
    made = schema()
    for name in NAMES:
        target.execute(made[name])
    total = source.execute("SELECT count(*) FROM passages").fetchone()[0]
    for done, (passage, text, terms) in enumerate(analysed(source)):
        task.report(done, total, note)
        target.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (passage, terms))
        target.execute("INSERT INTO letters (rowid, text) VALUES (?, ?)", (passage, text))


def _same(one: sqlite3.Connection, two: sqlite3.Connection, name: str, task: Task) -> bool:
    for db in (one, two):
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.all_{name} USING fts5vocab('main', '{name}', 'instance')"
        )
    queries = [
        f"SELECT id, sz FROM {name}_docsize ORDER BY id",  # noqa: S608 - our own names
        f"SELECT block FROM {name}_data WHERE id = 1",  # noqa: S608 - the counts that weigh the terms
        f"SELECT term, doc, col, offset FROM temp.all_{name}",  # noqa: S608
        *(["SELECT rowid, terms FROM words ORDER BY rowid"] if name == "words" else []),
    ]
    return all(_same_rows(one.execute(query), two.execute(query), task) for query in queries)


def _same_rows(one: sqlite3.Cursor, two: sqlite3.Cursor, task: Task) -> bool:
    while True:
        task.check()
        some = one.fetchmany(_ROWS)
        if some != two.fetchmany(_ROWS):
            return False
        if not some:
            return True
