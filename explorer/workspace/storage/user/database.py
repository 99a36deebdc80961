"""The user's own words (tags, judgements, cluster edits, read options) in a small database beside the cache.

The cache, `workspace.db`, can be deleted at any moment and is made again from the files. The user's words cannot, so
they are attached from a file of their own. They name documents by the ids of the cache; `document_keys` holds the
path, part and text digest of each, by which a new cache gives the same document the same id.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sqlite3
import uuid
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from explorer import disk
from explorer.paths import display_path
from explorer.workspace.storage import database, documents
from explorer.workspace.storage.database import transaction

log = logging.getLogger(__name__)

FILE = "user.db"
BACKUP = "user.db.bak"
VERSION = 2
TAKEN_OUT = 4  # the last version of the cache that held the user's words
_TAKEN = ("tags", "judgements", "cluster_edits", "file_options")  # from that cache
WORDS = (*_TAKEN, "picks", "saved_searches", "categories", "category_examples")  # the tables of what the user said
SETTINGS = ("root", "model name")  # that earlier versions noted in the cache
_PAIR = "generation"  # the cache that the ids belong to: in `meta` of the cache and in `settings` here
# A step a version: the first makes version 1 of an empty file, and so on.
_MIGRATIONS = (
    """
    CREATE TABLE {0}settings (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

    CREATE TABLE {0}document_keys (
        id INTEGER PRIMARY KEY,              -- in the cache
        path BLOB NOT NULL,
        part TEXT NOT NULL,
        digest BLOB NOT NULL,                -- of the text
        file_size INTEGER NOT NULL,
        file_digest TEXT NOT NULL,           -- tells a file that was renamed
        gone INTEGER NOT NULL DEFAULT 0      -- 1 once an update found it removed
    );
    CREATE INDEX {0}document_keys_by_digest ON document_keys (digest);

    CREATE TABLE {0}tags (
        document INTEGER NOT NULL,
        tag TEXT NOT NULL,
        PRIMARY KEY (document, tag)
    ) WITHOUT ROWID;

    CREATE TABLE {0}judgements (
        id INTEGER PRIMARY KEY,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        first_document INTEGER,
        second_document INTEGER,
        value INTEGER NOT NULL,              -- 0 or 1, or 0 to 5
        scale TEXT NOT NULL,                 -- "similar" or "grade"
        made TEXT NOT NULL                   -- when, in ISO 8601
    );

    CREATE TABLE {0}cluster_edits (id INTEGER PRIMARY KEY, edit TEXT NOT NULL);  -- as JSON, first to last

    CREATE TABLE {0}file_options (
        path BLOB PRIMARY KEY,
        options TEXT NOT NULL,               -- JSON object
        file INTEGER,                        -- in the cache
        file_size INTEGER NOT NULL DEFAULT 0,
        file_digest TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE {0}picks (document INTEGER PRIMARY KEY, made TEXT NOT NULL);  -- when, in ISO 8601

    CREATE TABLE {0}saved_searches (
        name TEXT PRIMARY KEY,
        query TEXT NOT NULL,
        mode TEXT NOT NULL,                  -- "hybrid", "semantic" or "keyword"
        seen BLOB NOT NULL                   -- beginnings of the text digests of the hits when the user last looked
    ) WITHOUT ROWID;

    CREATE TABLE {0}categories (
        id INTEGER PRIMARY KEY,              -- in the order they were made
        name TEXT NOT NULL UNIQUE,
        description TEXT NOT NULL
    );

    CREATE TABLE {0}category_examples (
        document INTEGER PRIMARY KEY,        -- an example of one category only
        category INTEGER NOT NULL
    );
    """,
)
_CURRENT_KEY = (
    "SELECT CAST(f.path AS BLOB), d.part, d.digest, f.size, coalesce(nullif(f.digest, ''), k.file_digest), 0 "
    "FROM documents d JOIN files f ON f.id = d.file WHERE d.id = k.id"
)


def attach(connection: sqlite3.Connection, folder: Path, *, writable: bool) -> None:
    """Attach the user's database to the cache; a reader gets an empty one where there is none.

    Raises:
        sqlite3.Error, UnicodeDecodeError: It cannot be opened, or is not a database.
    """
    file = folder / FILE
    if writable:
        if not file.exists() and (folder / BACKUP).is_file():
            log.warning("%s is gone; its copy takes its place", FILE)
            shutil.copy2(folder / BACKUP, folder / f"{FILE}.part")
            disk.replace(folder / f"{FILE}.part", file)
        disk.create(file)
        connection.execute("ATTACH ? AS user", (f"{file.absolute().as_uri()}?mode=rwc",))
        connection.execute("PRAGMA user.journal_mode = WAL")
        connection.execute("PRAGMA user.synchronous = FULL")  # nothing can bring these back
        require_own(connection, file)
        create(connection, "user.")
        return
    for how in ("mode=ro", "immutable=1") if file.is_file() else ():
        try:
            connection.execute("ATTACH ? AS user", (f"{file.absolute().as_uri()}?{how}",))
        except sqlite3.Error as error:  # a log cannot be made beside it, but it may still be read
            if how == "immutable=1" or not database.is_unwritable(error):
                raise
        else:
            try:
                if version(connection):
                    require_own(connection, file)
                    _stand_in(connection)
                    return
                connection.execute("DETACH user")  # its maker has not come to its tables
                break
            except sqlite3.Error as error:
                connection.execute("DETACH user")
                if how == "immutable=1" or not database.is_unwritable(error):
                    raise
    connection.execute("ATTACH ':memory:' AS user")
    create(connection, "user.")


def require_own(connection: sqlite3.Connection, file: Path, name: str = "user") -> None:
    """Refuse a database with anything in it that is not ours.

    Args:
        connection: The connection.
        file: The database's file, for the sentence.
        name: The database in it: "main" where it was opened by itself.

    Raises:
        WorkspaceError: It has something else.
    """
    noted = int(connection.execute(f"PRAGMA {name}.user_version").fetchone()[0])
    database.require_own_schema(connection, name, file, statements(noted), exact=noted <= VERSION)


def is_workspace(folder: Path) -> bool:
    """Return whether a folder has a user database of ours, as a workspace whose cache was deleted has it."""
    if not (folder / FILE).is_file():
        return False
    try:
        with closing(database.read_only(folder / FILE)) as db:
            return "document_keys" in database.statements(db)
    except (sqlite3.Error, UnicodeDecodeError):  # damaged; a workspace has its lock beside it
        return (folder / "workspace.lock").exists()


def has_words_of_cache(folder: Path) -> bool:
    """Return whether the user's words are here, and no longer in the cache as in earlier versions."""
    try:
        with closing(database.read_only(folder / FILE)) as db:
            return db.execute("SELECT 1 FROM settings WHERE key = ?", (_PAIR,)).fetchone() is not None
    except (sqlite3.Error, UnicodeDecodeError):
        return False


def create(connection: sqlite3.Connection, schema: str = "", latest: int = VERSION) -> None:
    """Make the tables, or those that are missing, in an attached database if its name and a dot are given."""
    (first,) = connection.execute(f"PRAGMA {schema}user_version").fetchone()
    steps = "".join(_MIGRATIONS[first:latest]).format(schema)
    if steps:
        connection.executescript(f"BEGIN IMMEDIATE;{steps}PRAGMA {schema}user_version = {latest};COMMIT;")


def _stand_in(connection: sqlite3.Connection) -> None:
    """Give a reader empty tables, in memory, for those that an earlier version does not have."""
    there = {name for (name,) in connection.execute("SELECT name FROM user.sqlite_master")}
    for name, made in statements().items():
        if name not in there and made.startswith("CREATE TABLE"):
            connection.execute(made.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))


def version(connection: sqlite3.Connection) -> int:
    """Return the version of the attached user database; 0 for one without tables."""
    return int(connection.execute("PRAGMA user.user_version").fetchone()[0])


def statements(version: int = VERSION) -> dict[str, str]:
    """Return the statement that makes each table and index of a version."""
    with closing(sqlite3.connect(":memory:")) as db:
        create(db, latest=version)
        return database.statements(db)


def may_take_over(connection: sqlite3.Connection) -> bool:
    """Return whether a cache that still holds words of the user is the one that the words here came from."""
    return setting(connection, _PAIR) in (None, database.get_meta(connection, _PAIR))


def take_over(connection: sqlite3.Connection) -> None:
    """Copy the user's words out of a cache of version 4, which had them; what is there already stays.

    The caller drops the old tables afterwards. A process killed in between copies them again, to the same keys.

    Raises:
        WorkspaceError: It cannot be written; nothing was changed.
    """
    with transaction(connection):
        _copy_words(connection, "main.")
        connection.execute(
            "UPDATE user.file_options SET (file, file_size, file_digest) = (SELECT id, max(size, 0), digest "
            "FROM files f WHERE f.path = file_options.path) WHERE path IN (SELECT path FROM files)"
        )
        marks = ", ".join("?" * len(SETTINGS))
        connection.execute(
            f"INSERT OR IGNORE INTO user.settings SELECT key, value FROM main.meta WHERE key IN ({marks})",  # noqa: S608
            SETTINGS,
        )
        remember_all(connection)
        _set(connection, _PAIR, _generation(connection))


def _copy_words(connection: sqlite3.Connection, source: str) -> None:
    for table in _TAKEN:
        columns = "path, options" if table == "file_options" else "*"
        into = f"user.{table} (path, options)" if table == "file_options" else f"user.{table}"
        connection.execute(f"INSERT OR IGNORE INTO {into} SELECT {columns} FROM {source}{table}")  # noqa: S608


def is_of_this_cache(connection: sqlite3.Connection) -> bool:
    """Return whether the ids here are those of the cache; a new cache, without documents, is made so.

    They are not where one of the two files was exchanged for an older copy.

    Raises:
        WorkspaceError: It cannot be written.
    """
    generation = database.get_meta(connection, _PAIR)
    if generation is not None and setting(connection, _PAIR) == generation:
        return True
    has_documents, has_keys = (
        connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()  # noqa: S608 - our own names
        for table in ("documents", "document_keys")
    )
    if has_documents and has_keys:
        return False
    with transaction(connection):
        generation = _generation(connection)
        # Another cache gives its files other ids.
        connection.execute("UPDATE file_options SET file = NULL")
    with transaction(connection):  # the cache first: until this is done, it has no documents
        _set(connection, _PAIR, generation)
    return True


def _generation(connection: sqlite3.Connection) -> str:
    generation = database.get_meta(connection, _PAIR) or uuid.uuid4().hex
    database.set_meta(connection, _PAIR, generation)
    return str(generation)


def has_words(connection: sqlite3.Connection) -> bool:
    """Return whether a user database, opened by itself, holds anything that the user said."""
    tables = [
        name
        for name, made in database.statements(connection).items()
        if made.startswith("CREATE TABLE") and name not in ("settings", "document_keys")
    ]
    return any(connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in tables)  # noqa: S608


def setting(connection: sqlite3.Connection, key: str) -> str | bytes | None:
    """Return what the user chose for the workspace, such as its clustering; None for nothing."""
    row = connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
    if row is None and key in SETTINGS and database.version(connection) < database.VERSION:
        return database.get_meta(connection, key)  # a reader of an earlier version
    return None if row is None else row[0]


def set_setting(connection: sqlite3.Connection, key: str, value: str | bytes) -> None:
    """Save what the user chose for the workspace.

    Raises:
        WorkspaceError: It cannot be written.
    """
    with transaction(connection):
        _set(connection, key, value)


def _set(connection: sqlite3.Connection, key: str, value: str | bytes) -> None:
    connection.execute("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", (key, value))


def remember(connection: sqlite3.Connection, documents: Iterable[int]) -> None:
    """Save what documents are known by, now that the user says something about them; within a transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO document_keys (id, path, part, digest, file_size, file_digest) "
        "SELECT d.id, CAST(f.path AS BLOB), d.part, d.digest, f.size, f.digest "
        "FROM documents d JOIN files f ON f.id = d.file WHERE d.id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(set(documents))),),
    )


def remember_all(connection: sqlite3.Connection) -> None:
    """Save what every document is known by that the user has said something about; within a transaction."""
    said = connection.execute(
        "SELECT document FROM user.tags UNION SELECT first_document FROM user.judgements "
        "UNION SELECT second_document FROM user.judgements UNION SELECT document FROM user.picks "
        "UNION SELECT document FROM user.category_examples"
    )
    ids = {document for (document,) in said if document is not None}
    for (text,) in connection.execute("SELECT edit FROM user.cluster_edits"):
        ids |= documents_of_edit(text)
    remember(connection, ids)


def documents_of_edit(text: str) -> set[int]:
    """Return the documents that a cluster edit, as JSON, names by their ids; none where it cannot be read."""
    try:
        values, keys = [json.loads(text)["edits"]], list[bytes]()
        while values:
            value = values.pop()
            if isinstance(value, dict):
                values.extend(item for name, item in value.items() if name not in {"do", "name"})
            elif isinstance(value, list):
                values.extend(value)
            elif isinstance(value, str):
                keys.append(bytes.fromhex(value))
    except (ValueError, KeyError, TypeError, RecursionError):
        return set()
    return {int(key) for key in keys if key.isdigit()}


def refresh_keys(connection: sqlite3.Connection, *, finished: bool = False) -> None:
    """Bring up to date what documents and files are known by, after they were edited, moved or removed.

    Derived from the cache alone, so that a process killed before it is made up for by the next.

    Args:
        connection: The database.
        finished: Whether the folder was read to its end, so that documents which are not there are gone.

    Raises:
        WorkspaceError: It cannot be written.
    """
    with transaction(connection):
        connection.execute(
            "UPDATE document_keys AS k SET (path, part, digest, file_size, file_digest, gone) = "  # noqa: S608
            f"({_CURRENT_KEY}) WHERE id IN (SELECT id FROM documents) "
            f"AND (path, part, digest, file_size, file_digest, gone) IS NOT ({_CURRENT_KEY})"
        )
        if finished:
            connection.execute(
                "UPDATE document_keys SET gone = 1 WHERE NOT gone AND id NOT IN (SELECT id FROM documents)"
            )
        _refresh_options(connection)


def _refresh_options(connection: sqlite3.Connection) -> None:
    """Give options the present path of their file; those said of the new path were said later, and win."""
    rows = connection.execute(
        "SELECT o.path, CAST(f.path AS BLOB) IS o.path, o.options, f.id, CAST(f.path AS BLOB), max(f.size, 0), "
        "coalesce(nullif(f.digest, ''), o.file_digest), o.file_size, o.file_digest, o.file FROM file_options o "
        "LEFT JOIN files f ON f.id = coalesce((SELECT id FROM files WHERE id = o.file), "
        "(SELECT id FROM files WHERE path = o.path)) ORDER BY 2"
    ).fetchall()
    options: dict[bytes, tuple[object, ...]] = {}
    before = {}
    for path, _, text, file, now, size, content, old_size, old_content, old_file in rows:
        before[bytes(path)] = (text, old_file, old_size, old_content)
        there = file is not None
        options[bytes(now if there else path)] = (
            text,
            file if there else None,
            size if there else old_size,
            content if there else old_content,
        )
    if options != before:
        connection.execute("DELETE FROM file_options")
        connection.executemany(
            "INSERT INTO file_options (path, options, file, file_size, file_digest) VALUES (?, ?, ?, ?, ?)",
            [(path, *values) for path, values in options.items()],
        )


def seed(connection: sqlite3.Connection) -> None:
    """Give a new cache the files (as unread) and documents (without text) that have words of the user.

    The files are then compared and read like any others, so that a document is found again under the rules for
    renamed files, edited texts and inserted rows, and gets the id it had.

    Raises:
        WorkspaceError: It cannot be written.
    """
    missing = connection.execute(
        "SELECT id, path, part, digest, file_size, file_digest FROM document_keys "
        "WHERE NOT gone AND id NOT IN (SELECT id FROM documents) ORDER BY id"
    ).fetchall()
    files = {bytes(path): (size, content) for _, path, _, _, size, content in missing}
    for path, size, content in connection.execute(
        "SELECT path, file_size, file_digest FROM file_options "
        "WHERE file_digest != '' AND path NOT IN (SELECT path FROM files)"
    ):
        files.setdefault(bytes(path), (size, content))
    if not files:
        return
    log.info("looking for %d documents and %d files that the user spoke of", len(missing), len(files))
    with transaction(connection):
        documents.note_change(connection)
        for path, (size, content) in files.items():
            # Files that the cache knows are read again: it lost a document of theirs.
            connection.execute(
                "INSERT INTO files (path, name, size, mtime_ns, digest, read_as) VALUES (?, ?, ?, -1, ?, '') "
                "ON CONFLICT (path) DO UPDATE SET digest = ''",
                (path, display_path(os.fsdecode(path)), max(size, 0), content),
            )
        for document, path, part, digest, *_ in missing:
            (file,) = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            taken = connection.execute("SELECT 1 FROM documents WHERE file = ? AND part = ?", (file, part))
            free = f"{part} (earlier, {document})" if taken.fetchone() else part
            connection.execute(
                "INSERT INTO documents (id, file, part, place, title, text, digest, metadata, language, encoding, "
                "confidence, remarks) VALUES (?, ?, ?, -1, ?, '', ?, '{}', '', '', 0, '[]')",
                (document, file, free, Path(display_path(os.fsdecode(path))).stem, digest),
            )


def has_gone(connection: sqlite3.Connection) -> bool:
    """Return whether any document with words of the user was removed since."""
    return connection.execute("SELECT 1 FROM document_keys WHERE gone LIMIT 1").fetchone() is not None


def returned(connection: sqlite3.Connection, digest: bytes, file: int) -> int | None:
    """Return the id of a document that was removed and had this text, of the same file if there are several."""
    row = connection.execute(
        "SELECT id FROM document_keys WHERE digest = ? AND gone AND id NOT IN (SELECT id FROM documents) "
        "ORDER BY path = (SELECT path FROM files WHERE id = ?) DESC, id LIMIT 1",
        (digest, file),
    ).fetchone()
    return int(row[0]) if row else None


def highest_id(connection: sqlite3.Connection) -> int:
    """Return the highest id of a document with words of the user; 0 for none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM document_keys").fetchone()[0])


def back_up(connection: sqlite3.Connection, folder: Path) -> None:
    """Copy the user's database if it is sound and was changed since the last copy; a failure is only logged."""
    file, copy = folder / FILE, folder / BACKUP
    try:
        changed = max(path.stat().st_mtime_ns for path in folder.glob(f"{FILE}*") if path.suffix in {".db", ".db-wal"})
        if copy.is_file() and copy.stat().st_mtime_ns >= changed:
            return
        if connection.execute("PRAGMA user.quick_check").fetchall() != [("ok",)]:
            log.warning("the user's database is damaged and was not copied")
            return
        half = copy.with_suffix(".part")
        with closing(sqlite3.connect(half)) as target:
            connection.backup(target, name="user")
        disk.replace(half, copy)
        disk.close(copy)
    except (sqlite3.Error, OSError) as error:
        log.warning("%s was not copied: %s", file.name, type(error).__name__)
