"""What is done with a database file that SQLite itself calls damaged: moved aside, and what is sound carried over."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from explorer.errors import WorkspaceError
from explorer.workspace.storage import database, location
from explorer.workspace.storage.fts import NAMES

# Tables that are only of use together, and what is lost without them.
_GROUPS = (
    (("file_options",), "how single files are to be read"),
    (("models", "vectors"), "the vectors, so the next index encodes every text again"),
    (("files", "documents", "passages"), "the texts, so the next index reads every file again"),
)
# What the user said. All but judgements, which keep their texts, is of no use without the documents.
_SAID = (
    ("judgements", "what you said of pairs of texts"),
    ("tags", "your tags"),
    ("cluster_edits", "your changes to clusters"),
)
_ROWS = 1000


def damage(file: Path) -> str:
    """What is wrong with the structure of a database file, as a sentence; empty if nothing is.

    Raises:
        WorkspaceError: It cannot be looked at, because it is locked or may not be opened.
    """
    try:
        with closing(look_at(file)) as db:
            lines = [str(row[0]) for row in db.execute("PRAGMA integrity_check")]
            lines = [line for line in lines if line != "ok" and "FTS5" not in line]
            lost = _lost_tables(db)
            lines += [] if lost else _unopenable(db)
        with file.open("rb") as stream:
            if (format_of_file := stream.read(19)[18:]) > b"\x02":  # SQLite would read it and never write
                lines.append(f"its format is {format_of_file[0]}")
    except UnicodeDecodeError as error:  # Python cannot read SQLite's complaint about a spoilt name
        return f"{file}: this is not a sound database ({error.object.decode('utf-8', 'replace')})."
    except sqlite3.Error as error:
        if not database.is_damage(error):
            raise WorkspaceError(
                "{file}: cannot be looked at ({reason}). Close other programs that use it.",
                file=file,
                reason=error,
            ) from error
        return f"{file}: this is not a sound database ({error})."
    if lines:
        return f"{file}: the database is damaged ({' '.join(lines[0].split())})."
    return f"{file}: the database is not whole: {', '.join(lost)}." if lost else ""


def look_at(file: Path) -> sqlite3.Connection:
    """A connection that changes nothing, also on a disk that cannot be written.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    db = database.read_only(file)
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


def salvage(folder: Path, root: Path | None) -> str:
    """Move a damaged database aside and start a new one with what is sound; nothing is deleted.

    Args:
        folder: The workspace, which this process may write.
        root: Its folder of texts, where that is known.

    Returns:
        Sentences about what became of it.

    Raises:
        WorkspaceError: Something cannot be moved or written.
    """
    number = next(n for n in range(1, 10**6) if not _aside(folder / database.FILE, n).exists())
    old = _move_aside(folder, number)
    with closing(database.connect(folder, writable=True)) as db:
        known = root or _root_of(old, folder)
        if known is not None:
            with database.transaction(db):
                db.execute(
                    "INSERT OR REPLACE INTO meta (key, value) VALUES ('root', ?)", (location.as_noted(known),)
                )
        lost = [what for tables, what in _GROUPS if not _carry_over(old, db, tables)]
        lost += [what for table, what in _SAID if not _carry_said(old, db, table)]
        empty = db.execute("SELECT count(*) FROM vectors").fetchone()[0] == 0
    vectors = folder / "vectors"
    if empty and vectors.is_dir():  # without the table nobody knows whose they are
        _rename(vectors, _aside(vectors, number))
    told = f"The damaged file is kept as {old.name}, and a new one was made."
    told += f" Lost is {'; '.join(lost)}." if lost else " All of its tables were saved."
    return told + ("" if known is not None else " Index the folder again, by its own name.")


def _lost_tables(db: sqlite3.Connection) -> list[str]:
    there, wanted = database.statements(db), database.schema()
    version = database.version(db)
    if version < database.VERSION and there == wanted:
        return [f"its version number is {version}, but it has all of version {database.VERSION}"]
    if version != database.VERSION:
        return []
    gone = {index for index in NAMES if not any(name.startswith(index) for name in there)}  # easily made anew
    return [name for name in wanted if there.get(name) != wanted[name] and name.partition("_")[0] not in gone]


def _unopenable(db: sqlite3.Connection) -> list[str]:
    """Word indexes that cannot even be removed, and so cannot be made anew where they are."""
    for name in NAMES:
        try:
            db.execute(f"SELECT rowid FROM {name} LIMIT 1").fetchall()  # noqa: S608 - our own names
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                return [str(error)]
        except sqlite3.DatabaseError:  # can be removed
            pass
    return []


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.damaged-{number}")


def _move_aside(folder: Path, number: int) -> Path:
    """Rename the file together with its log, so that the two still belong to each other."""
    file = folder / database.FILE
    old = _aside(file, number)
    for end in ("-wal", "-shm", ""):
        part = file.with_name(file.name + end)
        if part.exists():
            _rename(part, old.with_name(old.name + end))
    return old


def _rename(path: Path, new: Path) -> None:
    try:
        path.rename(new)
    except OSError as error:
        raise WorkspaceError(
            "{file}: cannot be moved aside ({reason}). Close other programs that use it, then try again.",
            file=path,
            reason=error.strerror,
        ) from error


def _root_of(old: Path, folder: Path) -> Path | None:
    if folder.name == location.INSIDE:
        return folder.parent
    try:
        with closing(look_at(old)) as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'root'").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    if row is None or (isinstance(row[0], str) and "\ufffd" in row[0]):
        return None
    return location.as_path(row[0])


def _carry_over(old: Path, db: sqlite3.Connection, tables: tuple[str, ...]) -> bool:
    """Copy tables if all of them are sound; returns whether they were."""
    try:
        with closing(look_at(old)) as source:
            for table in tables:
                if [row[0] for row in source.execute(f"PRAGMA integrity_check({table})")] != ["ok"]:
                    return False
            with database.transaction(db):
                for table in tables:
                    _copy(source, db, table)
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    except WorkspaceError as error:
        if database.is_damage(error.__cause__):  # of the old file; a disk that is full is another matter
            return False
        raise
    return True


def _carry_said(old: Path, db: sqlite3.Connection, table: str) -> bool:
    """Copy what the user said, but for what is about documents that are gone; returns whether nothing is lost."""
    if _is_empty(old, table):
        return True
    there = db.execute("SELECT count(*) FROM documents").fetchone()[0] > 0
    if not there and table != "judgements":
        return False
    db.execute("PRAGMA foreign_keys = OFF")
    carried = _carry_over(old, db, (table,))
    if carried:
        with database.transaction(db):
            drop_orphans(db)
    db.execute("PRAGMA foreign_keys = ON")
    return carried


def _is_empty(old: Path, table: str) -> bool:
    """Whether a file surely had nothing in a table, or is of a version before it."""
    try:
        with closing(look_at(old)) as source:
            if table not in database.statements(source):
                return database.version(source) < database.VERSION
            return source.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None  # noqa: S608 - our own names
    except (sqlite3.Error, UnicodeDecodeError):
        return False


def drop_orphans(db: sqlite3.Connection) -> None:
    """Remove rows that belong to nothing that is there; judgements keep their texts. Within a transaction."""
    db.execute("DELETE FROM documents WHERE file NOT IN (SELECT id FROM files)")
    for table in ("passages", "clusters", "tags"):
        db.execute(f"DELETE FROM {table} WHERE document NOT IN (SELECT id FROM documents)")  # noqa: S608
    for side in ("first_document", "second_document"):
        db.execute(f"UPDATE judgements SET {side} = NULL WHERE {side} NOT IN (SELECT id FROM documents)")  # noqa: S608
    db.execute("DELETE FROM vectors WHERE model NOT IN (SELECT id FROM models)")


def _copy(source: sqlite3.Connection, db: sqlite3.Connection, table: str) -> None:
    names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    rows = source.execute(f"SELECT {', '.join(names)} FROM {table}")  # noqa: S608 - our own names
    into = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608
    while some := rows.fetchmany(_ROWS):
        db.executemany(into, some)
