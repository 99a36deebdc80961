"""Open the two databases of a workspace as one connection: the cache, and the user's words attached to it."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from explorer import disk
from explorer.errors import WorkspaceError
from explorer.task import Task
from explorer.workspace.storage import database, database_checksums, location
from explorer.workspace.storage.user import database as user_database

_log = logging.getLogger(__name__)
_LOGS = ("-wal", "-shm", "")  # the files of a database; its log first, or the next database would be given it


def connect(folder: Path, *, writable: bool, verify: bool = True) -> sqlite3.Connection:
    """Open the databases of a workspace folder, made or brought up to date if they are writable.

    Args:
        folder: The workspace.
        writable: Whether to write.
        verify: Whether to compare them with their checksums first, as everyone but `doctor` does.

    Raises:
        WorkspaceError: They are not there, damaged, or cannot be opened.
    """
    location.require_own_files(folder)
    file = folder / database.FILE
    if not writable and not file.is_file():
        raise WorkspaceError(
            "{folder}: there is no workspace here. Index a folder first: docexplorer index FOLDER", folder=folder
        )
    for checked in (file, folder / user_database.FILE):
        if verify:
            _require_unchanged(checked)
        if writable:
            _forget_checksums(checked)
    with _explain(file):
        connection = _open(file) if writable else database.read_only(file)
    try:
        with _explain(file):
            _require_own(connection, file)
        with _explain(folder / user_database.FILE):
            user_database.attach(connection, folder, writable=writable)
        with _explain(file):
            has_words = database.version(connection) in range(1, user_database.TAKEN_OUT + 1)
            if writable and has_words and not user_database.may_take_over(connection):
                connection.close()
                aside = set_aside(folder, database.FILE)
                _log.warning("%s is of another workspace than the user's words; now %s", file.name, aside.name)
                return connect(folder, writable=True)
            if writable:
                if database.version(connection) == 0:
                    _delete_derived(folder)
                _migrate(connection)
            elif database.version(connection) < database.VERSION:
                _stand_in(connection)
            if not writable or user_database.is_of_this_cache(connection):
                return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    _log.warning("the cache is not the one that the user's words belong to; it is made again")
    delete_cache(folder)
    return connect(folder, writable=True)


def _require_unchanged(file: Path) -> None:
    """Make sure that a database is as it was left.

    Raises:
        WorkspaceError: It is damaged, or cannot be read.
    """
    try:
        if database_checksums.differs(file) and not (database_checksums.was_written(file) and _is_sound(file)):
            raise WorkspaceError(
                "{file}: some of its bytes changed on the disk, so it is not used. “docexplorer doctor "
                "--repair {folder}” "
                "makes it again from your files, and saves your own words.",
                file=file,
                folder=file.parent,
            )
    except OSError as error:
        raise WorkspaceError(
            "{file}: cannot be read ({reason}). Its disk may be failing: copy your folder elsewhere.",
            file=file,
            reason=error.strerror,
        ) from error


def _forget_checksums(file: Path) -> None:
    """Remove the checksums of a database, which must not outlive the changes of a writer.

    Raises:
        WorkspaceError: They cannot be removed.
    """
    try:
        database_checksums.remove(file)
    except OSError as error:
        raise WorkspaceError(
            "{file}: cannot be deleted ({reason}). Close other programs that use it, then try again.",
            file=database_checksums.path_of(file),
            reason=error.strerror,
        ) from error


def _is_sound(file: Path) -> bool:
    """Check the records of a database that another program wrote, which may have been an editor of bytes."""
    from explorer.workspace.storage import integrity  # which imports this module

    words = file.name == user_database.FILE
    schema, latest = (
        (user_database.statements(), user_database.VERSION) if words else (database.schema(), database.VERSION)
    )
    try:
        with closing(database.read_only(file)) as db:
            if database.version(db) != latest or database.statements(db) != schema:
                return True  # the schema is compared next, with a sentence of its own
            if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                return False
            if not words and integrity.damaged_rows(db, file.parent, Task(), may_write=False):
                return False
    except (sqlite3.Error, UnicodeDecodeError):
        return True  # opening it reports what is wrong
    database_checksums.note_as_sound(file)
    return True


def _require_own(connection: sqlite3.Connection, file: Path) -> None:
    version = database.version(connection)
    if version or database.statements(connection):  # a new file has neither
        expected = database.schema(version or database.VERSION)
        database.require_own_schema(connection, "main", file, expected, exact=version <= database.VERSION)


def is_newer(folder: Path) -> bool:
    """Return whether a workspace was written by a later version of the program, and may only be read."""
    for name, latest in ((database.FILE, database.VERSION), (user_database.FILE, user_database.VERSION)):
        if not (folder / name).is_file():
            continue
        try:
            with closing(database.read_only(folder / name)) as connection:
                if database.version(connection) > latest:
                    return True
        except (sqlite3.Error, UnicodeDecodeError):
            continue  # opening it reports what is wrong
    return False


def root_of(folder: Path) -> Path:
    """Return the folder of texts that a workspace belongs to.

    Raises:
        WorkspaceError: It does not say, or cannot be opened.
    """
    with closing(connect(folder, writable=False)) as connection:
        noted = user_database.setting(connection, "root")
    if noted is None:
        raise WorkspaceError(
            "{folder}: the workspace does not say which folder it belongs to. Index the folder again.", folder=folder
        )
    return Path(os.fsdecode(noted.encode() if isinstance(noted, str) else noted))


def delete_cache(folder: Path, *, vectors: bool = True) -> None:
    """Delete everything that the next update computes again from the files; the user's words stay.

    Args:
        folder: The workspace.
        vectors: Whether the vectors go too, which take the longest to make again.

    Raises:
        WorkspaceError: A file cannot be deleted.
    """
    caches = [folder / f"{database.FILE}{end}" for end in _LOGS]
    try:
        for path in caches:
            path.unlink(missing_ok=True)
        _delete_derived(folder)
        if vectors and (folder / "vectors").exists():
            shutil.rmtree(folder / "vectors")
    except OSError as error:
        raise WorkspaceError(
            "{folder}: the cache cannot be deleted ({reason}). Close other programs that use it, then try again.",
            folder=folder,
            reason=error.strerror,
        ) from error


def _delete_derived(folder: Path) -> None:
    """Delete the map and the graphs, which name documents by the ids of their cache."""
    for path in (*folder.glob("*.arrays"), *folder.glob("graphs/*")):
        path.unlink(missing_ok=True)


def set_aside(folder: Path, name: str) -> Path:
    """Rename a database, with its log, so that nothing of it is lost; return its new path.

    Raises:
        WorkspaceError: It cannot be renamed.
    """
    suffix = next(suffix for suffix in range(1, 10**6) if not (folder / f"{name}.damaged-{suffix}").exists())
    try:
        for end in _LOGS:
            if (folder / f"{name}{end}").exists():
                (folder / f"{name}{end}").rename(folder / f"{name}.damaged-{suffix}{end}")
    except OSError as error:
        raise WorkspaceError(
            "{file}: cannot be moved aside ({reason}). Close other programs that use it, then try again.",
            file=folder / name,
            reason=error.strerror,
        ) from error
    return folder / f"{name}.damaged-{suffix}"


@contextmanager
def _explain(file: Path) -> Iterator[None]:
    """Turn errors of SQLite about a file into sentences that say what to do."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second where SQLite's message quotes damaged bytes
        if database.is_full(error):
            raise WorkspaceError(
                "{file}: the workspace cannot be written ({reason}). Free space on its disk; nothing was lost.",
                file=file,
                reason=error,
            ) from error
        if database.is_held(error):
            raise WorkspaceError(
                "{file}: another program holds the workspace ({reason}). Close that program, then try again.",
                file=file,
                reason=error,
            ) from error
        raise WorkspaceError(
            "{file}: the workspace cannot be opened ({reason}). “docexplorer doctor --repair "
            "{folder}” saves what it can.",
            file=file,
            reason=error,
            folder=file.parent,
        ) from error


def _open(file: Path) -> sqlite3.Connection:
    disk.create(file)  # SQLite gives the files beside it the same permissions
    connection = database.open_uri(file, "mode=rwc")
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        # A power failure may take the last transactions with it, which the next update makes up for.
        connection.execute("PRAGMA main.synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    first = database.version(connection)
    if first == 0:
        steps = [("\n".join(database.MIGRATIONS), database.VERSION)]
    else:
        steps = [(database.MIGRATIONS[step], step + 1) for step in range(first, database.VERSION)]
    for statements, version in steps:
        if first and version == user_database.TAKEN_OUT + 1:
            user_database.take_over(connection)
        connection.executescript(f"BEGIN IMMEDIATE;\n{statements}\nPRAGMA user_version = {version};\nCOMMIT;")


def _stand_in(connection: sqlite3.Connection) -> None:
    """Give a reader empty tables, in memory, for those that a workspace of an earlier version does not have."""
    there, schema = database.statements(connection), database.schema()
    for name, made in schema.items():
        if name not in there and made.startswith("CREATE TABLE"):
            connection.execute(made.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
    if "current_passages" in there:
        return
    if "passages" not in there:  # an empty database
        connection.execute(schema["current_passages"].replace("CREATE VIEW", "CREATE TEMP VIEW", 1))
    else:  # all passages are of one cutting
        connection.execute("CREATE TEMP VIEW passages AS SELECT *, -1 AS cuttings FROM main.passages")
        connection.execute("CREATE TEMP VIEW models AS SELECT *, NULL AS cutting FROM main.models")
        connection.execute("CREATE TEMP VIEW current_passages AS SELECT * FROM temp.passages")
