"""Whether the indexes of words and letters hold what the passages say."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from explorer.analysis.text import tokenize
from explorer.task import Task
from explorer.workspace.storage import database
from explorer.workspace.storage.fts import NAMES, differing

_CANNOT_WRITE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN}
# What says nothing about the database.
_IN_THE_WAY = _CANNOT_WRITE | {
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}


def bad_indexes(db: sqlite3.Connection, folder: Path, task: Task, *, may_write: bool) -> Sequence[str]:
    """The indexes that SQLite itself, or a comparison with the texts, finds wrong.

    Args:
        db: The database.
        folder: The workspace it belongs to.
        task: Progress and cancel.
        may_write: Whether this process is the workspace's writer.

    Raises:
        sqlite3.Error: They cannot be looked at, because the database is busy or the disk full.
        Cancelled: The task was cancelled.
    """
    try:
        bad = [name for name in NAMES if not _fits(db, name)]
        for name in NAMES if not bad else ():
            _check_inside(db, folder, name, may_write=may_write)
        row = db.execute("SELECT value FROM meta WHERE key = 'words'").fetchone()
        if bad or row != (tokenize.version(),):  # what another analysis gave cannot be compared
            return bad
        return differing(db, task)
    except UnicodeDecodeError:  # in naming what is spoilt
        return NAMES
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_THE_WAY:
            raise
        return NAMES


def _fits(db: sqlite3.Connection, name: str) -> bool:
    """Whether an index has the passages that there are."""
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
