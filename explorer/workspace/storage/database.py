"""The SQLite database of what was computed from a folder, a cache: its schema, migrations and transactions."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from explorer.errors import WorkspaceError
from explorer.messages import UserMessage

FILE = "workspace.db"
VERSION = 6
# What SQLite says where it would make the files beside a write-ahead log and may not.
_UNWRITABLE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}  # the second where it makes room for the files beside the log

# What a workspace from elsewhere may ask of this process; SQLite's own limits are for trusted files.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 512 * 2**20,  # bytes of one text
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,  # what ON DELETE CASCADE takes
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 5_000,
}
_VIEWS = {"current_passages", "passages", "models"}  # the last two stand in for tables of earlier versions
_NEVER = {sqlite3.SQLITE_CREATE_TRIGGER, sqlite3.SQLITE_CREATE_TEMP_TRIGGER}
_TABLES = {"meta", "files", "documents", "passages", "models", "vectors"}  # of every version

# A step a schema version: MIGRATIONS[0] makes version 1 of an empty file, and so on.
MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path BLOB NOT NULL UNIQUE,           -- relative to the folder, separated by "/", as the system has it
        name TEXT NOT NULL,                  -- the same as people see it
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        digest TEXT NOT NULL,                -- of its bytes; empty if they could not be read
        read_as TEXT NOT NULL,               -- the options it was read with
        reason TEXT NOT NULL DEFAULT '',     -- why it gave no document, one of Unreadable.REASONS
        message TEXT NOT NULL DEFAULT ''     -- the same as a sentence
    );

    CREATE TABLE file_options (path BLOB PRIMARY KEY, options TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        part TEXT NOT NULL,
        place INTEGER NOT NULL,              -- order within the file
        title TEXT NOT NULL,
        text TEXT NOT NULL,
        digest BLOB NOT NULL,                -- of the text
        metadata TEXT NOT NULL,              -- JSON object
        language TEXT NOT NULL,
        encoding TEXT NOT NULL,
        confidence REAL NOT NULL,
        remarks TEXT NOT NULL,               -- JSON list
        splitter TEXT NOT NULL DEFAULT '',   -- what its passages were made with; empty until they are
        UNIQUE (file, part)
    );
    CREATE INDEX documents_to_split ON documents (splitter);

    CREATE TABLE passages (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        digest BLOB NOT NULL,                -- of text[start:stop]
        UNIQUE (document, place)
    );
    CREATE INDEX passages_by_digest ON passages (digest);

    CREATE TABLE models (
        id INTEGER PRIMARY KEY,
        fingerprint TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,                  -- "bi", "draft" or "own" for vectors brought by the user
        dimension INTEGER NOT NULL
    );

    CREATE TABLE vectors (
        model INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
        digest BLOB NOT NULL,
        row INTEGER NOT NULL,                -- its place in the model's vector file
        PRIMARY KEY (model, digest)
    ) WITHOUT ROWID;

    CREATE VIRTUAL TABLE words USING fts5 (terms, tokenize="unicode61 remove_diacritics 2");
    CREATE VIRTUAL TABLE letters USING fts5 (text, content='', tokenize='trigram');
    """,
    # Reveals a record that was damaged on the disk; empty in records of version 1, and of files not read to the end.
    """
    ALTER TABLE files ADD COLUMN seal BLOB NOT NULL DEFAULT x'';      -- of digest, read_as, reason, message
    ALTER TABLE documents ADD COLUMN seal BLOB NOT NULL DEFAULT x'';  -- of part to remarks, without the text
    """,
    # The clusters as they were computed last, and what the user changed in them.
    """
    CREATE TABLE clusters (
        document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        cluster INTEGER NOT NULL             -- its lasting id; -1 for what belongs nowhere
    );
    CREATE TABLE cluster_edits (id INTEGER PRIMARY KEY, edit TEXT NOT NULL);  -- as JSON, first to last
    """,
    # The user's words about documents. The texts of a judgement stay when their documents go.
    """
    CREATE TABLE tags (
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (document, tag)
    ) WITHOUT ROWID;
    CREATE TABLE judgements (
        id INTEGER PRIMARY KEY,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        first_document INTEGER REFERENCES documents (id) ON DELETE SET NULL,
        second_document INTEGER REFERENCES documents (id) ON DELETE SET NULL,
        value INTEGER NOT NULL,              -- 0 or 1, or 0 to 5
        scale TEXT NOT NULL,                 -- "similar" or "grade"
        made TEXT NOT NULL                   -- when, in ISO 8601
    );
    CREATE INDEX judgements_by_first ON judgements (first_document);    -- or removing a document reads all of them
    CREATE INDEX judgements_by_second ON judgements (second_document);
    """,
    # The user's words are in a database of their own now; `connection` copies them there first.
    """
    DROP TABLE tags;
    DROP TABLE judgements;
    DROP TABLE cluster_edits;
    DROP TABLE file_options;
    DELETE FROM meta WHERE key IN ('root', 'model name');
    """,
    # Models cut texts differently, so the passages of several live side by side. A document that two of them cut alike
    # has its passages once; `documents.splitter` has the keys of all its cuttings, one a line.
    """
    CREATE TABLE cuttings (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
    INSERT INTO cuttings (key) SELECT DISTINCT splitter FROM documents WHERE splitter != '' ORDER BY splitter;

    CREATE TABLE cut_passages (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        cuttings INTEGER NOT NULL,           -- a bit for the id of each cutting it belongs to
        place INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        digest BLOB NOT NULL                 -- of text[start:stop]
    );
    INSERT INTO cut_passages SELECT p.id, p.document, coalesce(1 << c.id, 0), p.place, p.start, p.stop, p.digest
        FROM passages p JOIN documents d ON d.id = p.document LEFT JOIN cuttings c ON c.key = d.splitter;
    DROP TABLE passages;
    ALTER TABLE cut_passages RENAME TO passages;
    CREATE INDEX passages_by_document ON passages (document, place);
    CREATE INDEX passages_by_digest ON passages (digest);

    ALTER TABLE models ADD COLUMN cutting INTEGER;  -- of the passages it encodes; NULL for those in use
    UPDATE models SET cutting = (SELECT max(id) FROM cuttings WHERE key LIKE '% ' || fingerprint
        OR fingerprint LIKE 'draft-%-' || substr(key, instr(key, ' ') + 1));
    INSERT INTO meta (key, value) SELECT 'cutting', id FROM cuttings
        WHERE key = (SELECT splitter FROM documents WHERE splitter != '' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1);

    CREATE VIEW current_passages AS SELECT * FROM passages  -- of the model in use
        WHERE cuttings & (SELECT 1 << CAST(value AS INTEGER) FROM meta WHERE key = 'cutting');
    CREATE INDEX documents_by_digest ON documents (digest);  -- finds copies
    """,
)


def version(connection: sqlite3.Connection) -> int:
    """Return the schema version of an open database."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def schema(version: int = VERSION) -> dict[str, str]:
    """Return the statement that makes each table and index of a version."""
    with closing(sqlite3.connect(":memory:")) as db:
        for step in MIGRATIONS[:version]:
            db.executescript(step)
        return statements(db)


def statements(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the statement that made each table, index, trigger and view of an open database."""
    return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())


def require_own_schema(
    connection: sqlite3.Connection, name: str, file: Path, expected: Mapping[str, str], *, exact: bool
) -> None:
    """Make sure that a database has our tables and indexes and nothing else, before anything is read from it.

    A workspace may come with a folder from someone else. A trigger in it would act when we write, a view in place of a
    table would answer when we read, and may never end.

    Args:
        connection: The connection.
        name: The database in it: "main" or "user".
        file: Its file, for the sentence.
        expected: The statements of our schema of its version.
        exact: Whether it must be that one; a later version may have other tables and indexes, but no other trigger or
            view, and no column that is computed.

    Raises:
        WorkspaceError: It has anything else.
    """
    rows = connection.execute(f"SELECT type, name, sql FROM {name}.sqlite_master WHERE sql IS NOT NULL").fetchall()  # noqa: S608
    tables = {str(key): _plain(sql) for _, key, sql in rows}
    wanted = {key: _plain(sql) for key, sql in expected.items()}
    acting = {str(key) for kind, key, _ in rows if kind not in ("table", "index")}
    foreign = sorted(key for key in ({*tables, *wanted} if exact else acting) if tables.get(key) != wanted.get(key))
    if not exact and not foreign:
        # Not of virtual tables, whose columns only their own program, perhaps not among ours, can tell.
        computed = (
            f"SELECT DISTINCT m.name FROM {name}.sqlite_master m, pragma_table_xinfo(m.name, '{name}') x "  # noqa: S608
            "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND x.hidden IN (2, 3)"
        )
        foreign = sorted(str(table) for (table,) in connection.execute(computed))
    if foreign:
        raise WorkspaceError(
            "{file}: this workspace is damaged or was not made by this program, so it is not used ({names}). "
            "“docexplorer doctor --repair” makes a new one; your own words in it are kept.",
            file=file,
            names=", ".join(foreign[:5]),
        )


def _plain(sql: str) -> str:
    """Return a statement without comments, and with one space between words."""
    return " ".join(re.sub(r"--[^\n]*", " ", str(sql)).split())


def from_json(text: str) -> Any:
    """Read JSON of a database.

    Raises:
        WorkspaceError: It is not JSON, or nested deeper than anything that is stored here.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError, TypeError) as error:
        raise WorkspaceError(damaged(type(error).__name__)) from error


def is_foreign(file: Path) -> bool:
    """Return whether a file of our name is the user's own: a database of other tables, or none among others' files."""
    try:
        with closing(read_only(file)) as db:
            there = statements(db)
    except (sqlite3.Error, UnicodeDecodeError):  # spoilt; a workspace has its lock and its vectors beside it
        return not any(file.with_name(name).exists() for name in ("workspace.lock", "vectors"))
    return bool(there) and len(_TABLES & there.keys()) < len(_TABLES) / 2  # one that lost a table is ours


def get_meta(connection: sqlite3.Connection, key: str) -> str | bytes | None:
    """Return what was noted under a key; None for nothing."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def set_meta(connection: sqlite3.Connection, key: str, value: str | bytes) -> None:
    """Note something under a key; within a transaction."""
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def delete_meta(connection: sqlite3.Connection, *keys: str) -> None:
    """Remove what was noted under keys; within a transaction."""
    connection.executemany("DELETE FROM meta WHERE key = ?", [(key,) for key in keys])


def change_token(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return a value that changes whenever the database does, by this connection or another."""
    (cache,), (user,) = (connection.execute(f"PRAGMA {name}.data_version").fetchone() for name in ("main", "user"))
    return int(cache), int(user), connection.total_changes


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Count files, documents, passages and problems."""
    tables = {
        "files": "files WHERE size >= 0",
        "documents": "documents",
        "passages": "current_passages",
        "problems": "files WHERE reason != ''",
    }
    return {
        name: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - our own words
        for name, table in tables.items()
    }


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Make changes all or nothing.

    Raises:
        WorkspaceError: The disk is full, the file is damaged, held by another program or cannot be written; nothing of
            the block remains.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if is_damage(error):
            raise WorkspaceError(damaged(error)) from error
        if is_held(error):
            raise WorkspaceError(
                "The workspace cannot be written, because another program holds it ({reason}). Close "
                "that program, then try again; nothing was lost.",
                reason=error,
            ) from error
        if isinstance(error, sqlite3.OperationalError):
            raise WorkspaceError(
                "The workspace cannot be written ({reason}). Free space on its disk, then continue; nothing was lost.",
                reason=error,
            ) from error
        raise


def is_damage(error: BaseException | None) -> bool:
    """Return whether an error says that the database file is bad, rather than busy or forbidden."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def is_held(error: BaseException | None) -> bool:
    """Return whether an error says that another program holds the database, so that waiting may help."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _HELD


def is_full(error: BaseException | None) -> bool:
    """Return whether an error says that nothing more can be written to the disk."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _FULL


def is_unwritable(error: BaseException) -> bool:
    """Return whether an error says that files beside the database cannot be made, which reading it can do without."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE | _FULL


def damaged(error: BaseException | str) -> str:
    """Return the sentence about a database file that is bad."""
    return UserMessage(
        "The workspace is damaged ({reason}). Repair it: “docexplorer doctor --repair FOLDER”; "
        "what cannot be saved is read from your files again.",
        reason=error,
    )


def read_only(file: Path) -> sqlite3.Connection:
    """Return a connection that changes nothing, also on a disk or in a folder that cannot be written.

    Raises:
        sqlite3.Error, UnicodeDecodeError: It cannot be opened, or is no database.
    """
    connection = open_uri(file, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        if not is_unwritable(error):
            raise
        connection = open_uri(file, "immutable=1")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, UnicodeDecodeError):
            connection.close()
            raise
    return connection


def open_uri(file: Path, how: str) -> sqlite3.Connection:
    """Open a file with the parameters of a URI, such as mode=ro."""
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?{how}", uri=True, isolation_level=None, timeout=30, check_same_thread=False
    )
    # A workspace from elsewhere runs nothing, whatever its schema was taken for: https://sqlite.org/security.html
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 12):  # before, SQLite's own switches cannot be reached from Python
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    for kind, most in _LIMITS.items():
        connection.setlimit(kind, most)
    connection.set_authorizer(_authorize)
    return connection


def _authorize(action: int, first: str | None, _second: str | None, _name: str | None, source: str | None) -> int:
    """Refuse every statement that a trigger, or a view that is not ours, takes part in; SQLite asks as it compiles one.

    Args:
        action: What the statement would do.
        first: To what, such as a table or a pragma.
        source: The innermost trigger or view that does it; None for the statement itself.
    """
    if source is not None:
        ours = source in _VIEWS and action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT)
        return sqlite3.SQLITE_OK if ours else sqlite3.SQLITE_DENY
    if action in _NEVER or (action == sqlite3.SQLITE_PRAGMA and first == "writable_schema"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
