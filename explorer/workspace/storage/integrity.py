"""Find damage in the files of a workspace, and read what can still be read of them."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from explorer.corpus.document import Passage, ReadOptions
from explorer.corpus.passages.splitter import coverage
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.paths import display_path
from explorer.task import Task
from explorer.workspace.storage import connection as connections
from explorer.workspace.storage import database, passages
from explorer.workspace.storage.file_documents import seal
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.file import VectorFile
from explorer.workspace.storage.vectors.table import StoredModel

_log = logging.getLogger(__name__)
_BLOCK = 16_384  # vectors checked at once
_UNSOUND = "{file}: this is not a sound database ({reason})."
# SQLite errors that say nothing about the file itself.
_IN_THE_WAY = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
}  # fmt: skip


def damaged_structure(file: Path, schema: Mapping[str, str], version: int) -> str:
    """Return what is wrong with the structure of a database file, as a sentence; empty if nothing is.

    Args:
        file: The database.
        schema: The statements that made its tables and indexes, if it is of this version.
        version: The present version of its schema.

    Raises:
        WorkspaceError: It cannot be checked, because it is locked or may not be opened.
    """
    try:
        with closing(database.read_only(file)) as db:
            lines = [str(row[0]) for row in db.execute("PRAGMA integrity_check")]
            lines = [line for line in lines if line != "ok"]
            there, noted = database.statements(db), database.version(db)
        with file.open("rb") as stream:
            if (write_format := stream.read(19)[18:]) > b"\x02":  # SQLite would read it and never write
                lines.append(f"its format is {write_format[0]}")
    except UnicodeDecodeError as error:  # SQLite's message quotes damaged bytes
        return UserMessage(_UNSOUND, file=file, reason=error.object.decode("utf-8", "replace"))
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_THE_WAY:
            raise WorkspaceError(
                "{file}: cannot be looked at ({reason}). Close other programs that use it.", file=file, reason=error
            ) from error
        return UserMessage(_UNSOUND, file=file, reason=error)
    if lines:
        return UserMessage(_UNSOUND, file=file, reason=" ".join(lines[0].split()))
    if noted < version and there == schema:
        return UserMessage(
            "{file}: it has version number {noted}, but all of version {version}.",
            file=file,
            noted=noted,
            version=version,
        )
    names = {*schema, *there} if noted == version else set()
    if wrong := sorted(name for name in names if there.get(name) != schema.get(name)):
        return UserMessage(
            "{file}: these parts of the database are missing, changed or foreign: {names}.",
            file=file,
            names=", ".join(wrong),
        )
    return ""


def damaged_rows(db: sqlite3.Connection, folder: Path, task: Task, *, may_write: bool) -> str:
    """Return what in the cache does not agree with the rest of it, as a sentence; empty if nothing is.

    Raises:
        sqlite3.Error: It cannot be checked, because the database is busy or the disk full.
        Cancelled: The task was cancelled.
    """
    try:
        if absurd := vector_table.absurd_number(db):
            return absurd
        if lost := db.execute("PRAGMA main.foreign_key_check").fetchall():
            tables = ", ".join(sorted({row[0] for row in lost}))
            return UserMessage(
                "{count:,} rows of {tables} belong to nothing that is there.", count=len(lost), tables=tables
            )
        # All texts are fetched, because one that is not UTF-8 would end every update.
        for path, name, *_ in db.execute(
            "SELECT CAST(path AS BLOB), name, digest, read_as, reason, message FROM files"
        ):
            if display_path(name) != display_path(os.fsdecode(path)):  # earlier versions showed more marks
                return UserMessage("The record of a file is not as it was written.")
        ids = [row[0] for row in db.execute("SELECT id FROM documents ORDER BY id")]
        for done, document in enumerate(ids):
            task.report(done, len(ids), "checking documents")
            if trouble := _document_damage(db, document):
                return trouble
        task.report(0, 0, "checking the word index")
        return _index_damage(db, folder, may_write=may_write)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_THE_WAY:
            raise
        _log.warning("the cache cannot be read: %s", error)
        return UserMessage("The cache cannot be read ({reason}).", reason=error)


def _document_damage(db: sqlite3.Connection, document: int) -> str:
    text, key, splitter, valid, *record, sealed = db.execute(
        "SELECT text, digest, splitter, json_valid(metadata) AND json_valid(remarks), part, place, title, "
        "metadata, language, encoding, confidence, remarks, seal FROM documents WHERE id = ?",
        (document,),
    ).fetchone()
    is_stub = not text and not sealed  # it waits for its file to be read
    # Documents read by the first version, and parts of files not read to the end, have no seal.
    if not is_stub and not (valid and passages.digest(text) == key and (not sealed or seal(*record) == sealed)):
        return UserMessage("The record of a document is not as it was written.")
    cut: dict[int, list[tuple[int, int, int, bytes]]] = {}  # by the cuttings that cut it alike
    for bits, *span in db.execute(
        "SELECT cuttings, place, start, stop, digest FROM passages WHERE document = ? ORDER BY place", (document,)
    ):
        cut.setdefault(bits, []).append(tuple(span))
    known = dict(db.execute("SELECT key, id FROM cuttings"))
    wanted = sum(vector_table.cutting_bit(known[name]) for name in splitter.split("\n") if name in known)
    is_split = (bool(cut) or not text.strip()) and all(_covers(text, spans) for spans in cut.values())
    # In a workspace of an earlier version, opened for reading only, all passages are of one cutting.
    is_split = is_split and (not cut or -1 in cut or sum(cut) == wanted)
    if is_split or not splitter:
        return ""
    return UserMessage("The passages of a document do not agree with its text.")


def _covers(text: str, spans: Sequence[tuple[int, int, int, bytes]]) -> bool:
    return (
        [index for index, *_ in spans] == list(range(len(spans)))
        and all(0 <= start < stop <= len(text) for _, start, stop, _ in spans)
        and all(passages.digest(text[start:stop]) == key for _, start, stop, key in spans)
        and coverage(text, [Passage(start, stop) for _, start, stop, _ in spans]) >= 1.0
    )


def _index_damage(db: sqlite3.Connection, folder: Path, *, may_write: bool) -> str:
    for name in ("words", "letters"):
        there, wanted = f"SELECT rowid FROM {name}", "SELECT id FROM passages"  # noqa: S608 - our own names
        differ = f"{there} EXCEPT {wanted} UNION ALL SELECT * FROM ({wanted} EXCEPT {there})"  # noqa: S608
        if db.execute(f"SELECT 1 FROM ({differ}) LIMIT 1").fetchone():  # noqa: S608
            return UserMessage("The word index does not agree with the passages.")
        # FTS5 is asked to check itself by a statement that writes, though it changes nothing.
        ask = f"INSERT INTO {name} ({name}) VALUES ('integrity-check')"  # noqa: S608
        if may_write:
            db.execute(ask)
        elif database.version(db) == database.VERSION:
            with closing(database.open_uri(folder / database.FILE, "mode=rw")) as second:
                try:
                    second.execute(ask)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF not in _IN_THE_WAY:
                        raise
    return ""


def damaged_vectors(
    db: sqlite3.Connection, model: StoredModel, file: VectorFile, task: Task
) -> tuple[str, list[slice] | None]:
    """Return what is wrong with a model's vectors, as a sentence, and their rows; None for all, empty if nothing is.

    Bytes behind the last vector are no damage: a crash leaves them, and the next update cuts them off.
    """
    texts = vector_table.row_of_each_text(db, model.id)
    rows = np.array([row for _, row in texts], dtype=np.int64)
    there = file.rows()
    if (rows < 0).any() or (model.kind != "own" and len(np.unique(rows)) < len(rows)):
        # An imported vector is that of all passages of its document.
        return UserMessage("The database names rows of {file} that cannot exist.", file=file.path.name), None
    if missing := int((rows >= there).sum()):
        end = int(rows.max()) + 1
        return UserMessage("{count:,} vectors are missing from {file}.", count=missing, file=file.path.name), [
            slice(there, end)
        ]
    file.checksums.forget_verified()
    keys = {row: key for key, row in texts}
    bad = file.checksums.damaged(int(rows.max(initial=-1)) + 1) or file.checksums.exchanged(keys)
    unique, vectors = np.unique(rows), file.open()
    for start in range(0, 0 if bad else len(unique), _BLOCK):
        task.check()
        some = unique[start : start + _BLOCK]
        values = vectors[some]  # (B, n)
        # The draft of a text without a known word is zero.
        wrong = ~np.isfinite(values).all(axis=1) | (~values.any(axis=1) if model.kind != "draft" else False)
        bad += [slice(int(row), int(row) + 1) for row in some[wrong]]
    if not bad:
        return "", []
    count = sum(block.stop - block.start for block in bad)
    return UserMessage(
        "{count:,} vectors in {file} are not as they were written.", count=count, file=file.path.name
    ), bad


def rebuild_cache(folder: Path) -> bool:
    """Start a new cache database; return whether the vectors of the old one could be kept.

    Raises:
        WorkspaceError: It cannot be deleted or written.
    """
    models, vectors = (_read(folder / database.FILE, name) for name in ("models", "vectors"))
    known = {row[0] for row in models.rows}
    vectors = replace(vectors, rows=[row for row in vectors.rows if row[0] in known])
    keep = models.whole and vectors.whole and bool(vectors.rows) and not _has_absurd_number(folder / database.FILE)
    connections.delete_cache(folder, vectors=not keep)
    with closing(connections.connect(folder, writable=True)) as db, database.transaction(db):
        for table in (models, vectors) if keep else ():
            table.insert(db)
    return keep


def _has_absurd_number(file: Path) -> bool:
    try:
        with closing(database.read_only(file)) as db:
            return bool(vector_table.absurd_number(db))
    except (sqlite3.Error, UnicodeDecodeError):  # an earlier version, or tables that cannot be read
        return False


def recover_words(target: Path, damaged: Path, backup: Path) -> list[str]:
    """Write what can be read of the user's words into a new database.

    Args:
        target: The new database, which is not there yet.
        damaged: A user database, or a cache of an earlier version that had the words.
        backup: An earlier copy, from which comes what cannot be read of a damaged table.

    Returns:
        The tables of which something may be lost.

    Raises:
        WorkspaceError: The new one cannot be written.
    """
    lost = []
    with closing(database.open_uri(target, "mode=rwc")) as db:
        user_database.create(db)
        with database.transaction(db):
            for name in [name for name, made in database.statements(db).items() if made.startswith("CREATE TABLE")]:
                table = _read(damaged, name)
                table.insert(db)
                if not table.whole:
                    lost.append(name)
                    _read(backup, name).insert(db)
            _take_from_cache(damaged, db)
    return lost


def _take_from_cache(cache: Path, db: sqlite3.Connection) -> None:
    """Take what the user's words need from a damaged cache that held them; nothing from a user database."""
    for key, value in _read(cache, "meta", "key, value").rows:
        if key in user_database.SETTINGS:
            db.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (key, value))
    files = {file: rest for file, *rest in _read(cache, "files", "id, CAST(path AS BLOB), max(size, 0), digest").rows}
    for document, file, part, digest in _read(cache, "documents", "id, file, part, digest").rows:
        if file in files:
            path, size, content = files[file]
            db.execute(
                "INSERT OR IGNORE INTO document_keys (id, path, part, digest, file_size, file_digest) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (document, path, part, digest, size, content),
            )


@dataclass(frozen=True)
class _Table:
    """The readable rows of a table; `whole` if these are all of them."""

    name: str
    columns: list[str]
    rows: list[tuple[Any, ...]]
    whole: bool

    def insert(self, db: sqlite3.Connection) -> None:
        """Insert the rows into the table of the same name; those that are there stay."""
        if not self.rows:
            return
        known = {row[1] for row in db.execute(f"PRAGMA table_info({self.name})")}
        indices = [index for index, column in enumerate(self.columns) if column in known]
        names = ", ".join(self.columns[index] for index in indices)
        db.executemany(
            f"INSERT OR IGNORE INTO {self.name} ({names}) VALUES ({', '.join('?' * len(indices))})",  # noqa: S608
            ([row[index] for index in indices] for row in self.rows),
        )


def _read(file: Path, table: str, columns: str = "*") -> _Table:
    """Read a table from the beginning to a damage, and then from the end back to it.

    A table that is not there counts as empty: an earlier version did not have it.
    """
    rows: dict[tuple[Any, ...], None] = {}
    names: list[str] = []
    try:
        with closing(database.read_only(file)) as db:
            if table not in database.statements(db):
                return _Table(table, [], [], whole=database.version(db) > 0)
            keys = sorted((row[5], row[1]) for row in db.execute(f"PRAGMA table_info({table})") if row[5])
            whole = db.execute(f"PRAGMA integrity_check({table})").fetchall() == [("ok",)]
            for direction in ("ASC",) if whole else ("ASC", "DESC"):
                order = ", ".join(f"{name} {direction}" for _, name in keys)
                try:
                    cursor = db.execute(f"SELECT {columns} FROM {table} ORDER BY {order}")  # noqa: S608 - our own names
                    names = [column[0] for column in cursor.description]
                    for row in cursor:
                        rows[row] = None
                except (sqlite3.Error, UnicodeDecodeError):
                    whole = False
    except (sqlite3.Error, UnicodeDecodeError, OSError):
        whole = False
    return _Table(table, names, list(rows), whole)


def bad_options(db: sqlite3.Connection) -> list[bytes]:
    """Return the files whose read options cannot be understood."""
    bad = []
    for path, options in db.execute("SELECT path, options FROM file_options"):
        try:
            ReadOptions(**json.loads(options))
        except (TypeError, ValueError, RecursionError):
            bad.append(path)
    return bad


def forget_options(db: sqlite3.Connection, paths: Sequence[bytes]) -> None:
    """Forget how files are to be read.

    Raises:
        WorkspaceError: It cannot be written.
    """
    with database.transaction(db):
        db.executemany("DELETE FROM file_options WHERE path = ?", [(path,) for path in paths])


def half_read(db: sqlite3.Connection) -> int:
    """Count the files that were not read to their end."""
    query = "SELECT count(*) FROM files WHERE digest = '' AND reason = '' AND size >= 0"
    return int(db.execute(query).fetchone()[0])
