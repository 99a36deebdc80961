"""The files of a folder as the workspace remembers them, and the user's options for single files."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from explorer import messages
from explorer.corpus.encoding.decode import DOUBTFUL
from explorer.workspace.storage.database import from_json, transaction


@dataclass(frozen=True)
class FileProblem:
    """A file that gave no document, or not all of them: its path, one of Unreadable.REASONS, and a sentence."""

    path: str
    reason: str
    message: str


@dataclass(frozen=True)
class FileRecord:
    """What is remembered about a file that was read.

    Attributes:
        path: Its path below the folder.
        size: Its size in bytes.
        mtime_ns: When it was last modified.
        digest: Of its content; empty if it was not read to its end.
        read_as: The options it was read with, as JSON.
        reason: Why it could not be read; empty if it could.
    """

    path: str
    size: int
    mtime_ns: int
    digest: str
    read_as: str
    reason: str


def path_key(path: str) -> bytes:
    """Return a relative path as the database stores it: names that are not UTF-8 survive."""
    return os.fsencode(path)


def records(connection: sqlite3.Connection) -> Iterator[FileRecord]:
    """Yield the files that were read; not those that were skipped."""
    for path, *values in connection.execute(
        "SELECT path, size, mtime_ns, digest, read_as, reason FROM files WHERE size >= 0"
    ):
        yield FileRecord(os.fsdecode(path), *values)


def with_suffix(connection: sqlite3.Connection, suffix: str) -> list[tuple[str, str]]:
    """Return path and digest of the files that were read and whose names end so, in any case."""
    rows = connection.execute(
        "SELECT CAST(path AS BLOB), digest FROM files WHERE digest != '' AND reason = '' "
        "AND lower(CAST(substr(path, -?1) AS TEXT)) = ?2",
        (len(suffix), suffix),
    )
    return [(os.fsdecode(path), str(digest)) for path, digest in rows]


def problems(connection: sqlite3.Connection) -> list[FileProblem]:
    """Return the files that could not be read, with the reason, and those whose encoding is uncertain."""
    rows = connection.execute("SELECT name, reason, message FROM files WHERE reason != '' ORDER BY path")
    unread = [FileProblem(name, reason, messages.load(message)) for name, reason, message in rows]
    doubtful = connection.execute(
        "SELECT f.name, d.encoding, min(d.confidence) FROM documents d JOIN files f ON f.id = d.file "
        "WHERE d.confidence < ? AND d.encoding != '' AND f.reason = '' GROUP BY f.id ORDER BY f.path",
        (DOUBTFUL,),
    )
    return unread + [
        FileProblem(
            name,
            "uncertain",
            messages.UserMessage(
                "{file} was read as {encoding}, but that is uncertain: please check its text. If it is wrong, choose "
                "another encoding in its read options.",
                file=name,
                encoding=encoding,
            ),
        )
        for name, encoding, _ in doubtful
    ]


def failures(connection: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """Return digest, options, reason and message of the files that were too much for their reader."""
    query = (
        "SELECT digest, read_as, reason, message FROM files "
        "WHERE digest != '' AND reason IN ('crash', 'timeout', 'too large')"
    )
    return [(*values, messages.load(message)) for *values, message in connection.execute(query)]


def without_text_layer(connection: sqlite3.Connection) -> set[str]:
    """Return the files that are pictures, or hold pages that are: text recognition may read them."""
    query = (
        "SELECT CAST(path AS BLOB) FROM files f WHERE digest != '' AND (reason = 'no text layer' OR EXISTS "
        "(SELECT 1 FROM documents d WHERE d.file = f.id AND d.metadata LIKE '%pages_without_text%'))"
    )
    return {os.fsdecode(path) for (path,) in connection.execute(query)}


def path_of_document(connection: sqlite3.Connection, document: int) -> str | None:
    """Return the path of a document's file as the system has it; None if the document is gone."""
    row = connection.execute(
        "SELECT CAST(f.path AS BLOB) FROM files f JOIN documents d ON d.file = f.id WHERE d.id = ?", (document,)
    ).fetchone()
    return os.fsdecode(row[0]) if row else None


def paths_shown_as(connection: sqlite3.Connection, name: str) -> list[str]:
    """Return the paths, as the system has them, of the files that are shown under a name."""
    query = "SELECT CAST(path AS BLOB) FROM files WHERE name = ? ORDER BY path"
    return [os.fsdecode(path) for (path,) in connection.execute(query, (name,))]


def options(connection: sqlite3.Connection, path: str) -> dict[str, Any]:
    """Return the user's options for one file; empty where there are none."""
    row = connection.execute("SELECT options FROM file_options WHERE path = ?", (path_key(path),)).fetchone()
    return from_json(row[0]) if row else {}


def all_options(connection: sqlite3.Connection) -> dict[bytes, str]:
    """Return the user's options for single files, as JSON, by path key."""
    return dict(connection.execute("SELECT path, options FROM file_options").fetchall())


def set_options(connection: sqlite3.Connection, path: str, **changed: Any) -> None:
    """Change some of the options for one file.

    Raises:
        WorkspaceError: It cannot be written.
    """
    merged = options(connection, path) | changed
    with transaction(connection):
        connection.execute(
            "INSERT OR REPLACE INTO file_options (path, options, file, file_size, file_digest) SELECT ?1, ?2, "
            "(SELECT id FROM files WHERE path = ?1), coalesce((SELECT max(size, 0) FROM files WHERE path = ?1), 0), "
            "coalesce((SELECT digest FROM files WHERE path = ?1), '')",
            (path_key(path), json.dumps(merged)),
        )


def forget_skipped(connection: sqlite3.Connection) -> None:
    """Remove the files that were skipped, so that none is in another's way; within a transaction."""
    connection.execute("DELETE FROM files WHERE size < 0")


def add_skipped(connection: sqlite3.Connection, path: str, name: str, reason: str, message: str) -> None:
    """Note a file that was skipped; within a transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO files (path, name, size, mtime_ns, digest, read_as, reason, message) "
        "VALUES (?, ?, -1, 0, '', '', ?, ?)",
        (path_key(path), name, reason, messages.dump(message)),
    )


def id_of(connection: sqlite3.Connection, path: str) -> int | None:
    """Return the id of a file; None if it is not known."""
    row = connection.execute("SELECT id FROM files WHERE path = ?", (path_key(path),)).fetchone()
    return int(row[0]) if row else None


def document_ids(connection: sqlite3.Connection, file: int) -> list[int]:
    """Return the documents of a file."""
    return [row[0] for row in connection.execute("SELECT id FROM documents WHERE file = ?", (file,))]


def remove(connection: sqlite3.Connection, file: int) -> None:
    """Forget a file whose documents are gone; within a transaction."""
    connection.execute("DELETE FROM files WHERE id = ?", (file,))


def move(connection: sqlite3.Connection, moved: Iterable[tuple[str, str, str, int, int]]) -> None:
    """Give files their new paths, names, sizes and times; within a transaction.

    The options of a file follow at the next `refresh_keys`.

    Args:
        connection: The database.
        moved: Old path, new path, new name, size and time of each.
    """
    moved = list(moved)
    for old, *_ in moved:  # out of each other's way: two may have swapped their names, and no path begins like this
        connection.execute("UPDATE files SET path = ? WHERE path = ?", (b"\0" + path_key(old), path_key(old)))
    for old, new, name, size, mtime_ns in moved:
        connection.execute(
            "UPDATE files SET path = ?, name = ?, size = ?, mtime_ns = ? WHERE path = ?",
            (path_key(new), name, size, mtime_ns, b"\0" + path_key(old)),
        )


def mark_unread(connection: sqlite3.Connection, path: str) -> None:
    """Have a file read again by this update, or by the next one if this one is killed; within a transaction."""
    connection.execute("UPDATE files SET digest = '' WHERE path = ?", (path_key(path),))


def record_of(connection: sqlite3.Connection, path: str) -> tuple[int, str, str]:
    """Return the id of a known file, the options it was read with, and why it could not be read."""
    file, read_as, reason = connection.execute(
        "SELECT id, read_as, reason FROM files WHERE path = ?", (path_key(path),)
    ).fetchone()
    return file, read_as, reason


def has_title_of_name(connection: sqlite3.Connection, file: int, name: str, stem: str) -> bool:
    """Return whether a document of a file is titled by the file's name, whole or "NAME (part 2)"."""
    query = (
        "SELECT 1 FROM documents WHERE file = ?1 AND (title IN (?2, ?3) "
        "OR instr(title, ?2 || ' (part ') = 1 OR instr(title, ?3 || ' (part ') = 1)"
    )
    return connection.execute(query, (file, name, stem)).fetchone() is not None


def set_state(connection: sqlite3.Connection, path: str, size: int, mtime_ns: int) -> None:
    """Note the size and time of a file whose content is the same; within a transaction."""
    connection.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, path_key(path)))


def begin(connection: sqlite3.Connection, path: str, name: str, size: int, mtime_ns: int, read_as: str) -> int:
    """Note that a file is being read, and return its id; within a transaction."""
    connection.execute(
        "INSERT INTO files (path, name, size, mtime_ns, digest, read_as) VALUES (?, ?, ?, ?, '', ?) "
        "ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, digest = '', "
        "read_as = excluded.read_as, reason = '', message = ''",
        (path_key(path), name, size, mtime_ns, read_as),
    )
    return int(id_of(connection, path) or 0)


def finish(connection: sqlite3.Connection, file: int, digest: str, reason: str, message: str) -> None:
    """Note that a file was read, or why it could not be; within a transaction."""
    connection.execute(
        "UPDATE files SET digest = ?, reason = ?, message = ? WHERE id = ?", (digest, reason, message, file)
    )
