"""Tiny workspaces as every earlier version of the program left them, in SQL.

Written down here and not taken from the program, so that no change of a migration goes unseen. A new version of the
schema adds what it added; nothing that is here is ever changed.
"""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from pathlib import Path

import numpy as np

TEXTS = {"a.txt": "the cold winter river froze", "b.txt": "a hot summer sea and a ship"}
MODEL = "fingerprint of a model that is gone"
WIDTH = 8

# What each version added to the tables, and what it held.
STEPS = (
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
    """
    ALTER TABLE files ADD COLUMN seal BLOB NOT NULL DEFAULT x'';      -- of digest, read_as, reason, message
    ALTER TABLE documents ADD COLUMN seal BLOB NOT NULL DEFAULT x'';  -- of part to remarks, without the text
    """,
    """
    CREATE TABLE clusters (
        document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        cluster INTEGER NOT NULL             -- its lasting id; -1 for what belongs nowhere
    );
    CREATE TABLE cluster_edits (id INTEGER PRIMARY KEY, edit TEXT NOT NULL);  -- as JSON, first to last
    INSERT INTO clusters VALUES (1, 7), (2, 7);
    """,
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
    INSERT INTO tags VALUES (1, 'to read');
    INSERT INTO judgements VALUES (1, 'one', 'two', 1, 2, 1, 'similar', '2025-01-01T00:00:00+00:00');
    """,
    """
    DROP TABLE tags;
    DROP TABLE judgements;
    DROP TABLE cluster_edits;
    DROP TABLE file_options;
    DELETE FROM meta WHERE key IN ('root', 'model name');
    INSERT INTO meta VALUES ('generation', 'of the first');
    """,
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

# The user's words, which have a database of their own from version 5 on.
USER = """
    CREATE TABLE settings (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    CREATE TABLE document_keys (
        id INTEGER PRIMARY KEY,              -- in the cache
        path BLOB NOT NULL,
        part TEXT NOT NULL,
        digest BLOB NOT NULL,                -- of the text
        file_size INTEGER NOT NULL,
        file_digest TEXT NOT NULL,           -- tells a file that was renamed
        gone INTEGER NOT NULL DEFAULT 0      -- 1 once an update found it removed
    );
    CREATE INDEX document_keys_by_digest ON document_keys (digest);
    CREATE TABLE tags (
        document INTEGER NOT NULL,
        tag TEXT NOT NULL,
        PRIMARY KEY (document, tag)
    ) WITHOUT ROWID;
    CREATE TABLE judgements (
        id INTEGER PRIMARY KEY,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        first_document INTEGER,
        second_document INTEGER,
        value INTEGER NOT NULL,              -- 0 or 1, or 0 to 5
        scale TEXT NOT NULL,                 -- "similar" or "grade"
        made TEXT NOT NULL                   -- when, in ISO 8601
    );
    CREATE TABLE cluster_edits (id INTEGER PRIMARY KEY, edit TEXT NOT NULL);  -- as JSON, first to last
    CREATE TABLE file_options (
        path BLOB PRIMARY KEY,
        options TEXT NOT NULL,               -- JSON object
        file INTEGER,                        -- in the cache
        file_size INTEGER NOT NULL DEFAULT 0,
        file_digest TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    PRAGMA user_version = 1;
"""
USER_2 = """
    CREATE TABLE picks (document INTEGER PRIMARY KEY, made TEXT NOT NULL);  -- when, in ISO 8601
    CREATE TABLE saved_searches (
        name TEXT PRIMARY KEY,
        query TEXT NOT NULL,
        mode TEXT NOT NULL,                  -- "hybrid", "semantic" or "keyword"
        seen BLOB NOT NULL                   -- beginnings of the text digests of the hits when the user last looked
    ) WITHOUT ROWID;
    CREATE TABLE categories (
        id INTEGER PRIMARY KEY,              -- in the order they were made
        name TEXT NOT NULL UNIQUE,
        description TEXT NOT NULL
    );
    CREATE TABLE category_examples (
        document INTEGER PRIMARY KEY,        -- an example of one category only
        category INTEGER NOT NULL
    );
    PRAGMA user_version = 2;
"""
SAID = """
    INSERT INTO settings VALUES ('generation', 'of the first');
    INSERT INTO tags VALUES (1, 'to read');
    INSERT INTO judgements VALUES (1, 'one', 'two', 1, 2, 1, 'similar', '2025-01-01T00:00:00+00:00');
"""


def make(folder: Path, texts: Path, version: int) -> None:
    """Write a workspace of a version with its vectors, and the texts it was made of."""
    texts.mkdir()
    (folder / "vectors").mkdir(parents=True)
    db = sqlite3.connect(folder / "workspace.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(STEPS[0])
    db.execute("INSERT INTO meta VALUES ('root', ?), ('model', ?)", (str(texts), MODEL))
    db.execute("INSERT INTO models VALUES (1, ?, 'old', 'bi', ?)", (MODEL, WIDTH))
    for number, (name, text) in enumerate(TEXTS.items(), 1):
        _fill(db, number, texts / name, text)
    for step in STEPS[1:version]:
        db.executescript(step)
    db.execute(f"PRAGMA user_version = {version}")
    if version >= 5:
        user = sqlite3.connect(folder / "user.db", isolation_level=None)
        user.execute("PRAGMA journal_mode = WAL")
        user.executescript(USER + (USER_2 if version >= 6 else "") + SAID)
        user.execute("INSERT INTO settings VALUES ('root', ?)", (str(texts),))
        keys = "SELECT d.id, path, part, d.digest, size, f.digest, 0 FROM documents d JOIN files f ON f.id = d.file"
        user.executemany("INSERT INTO document_keys VALUES (?, ?, ?, ?, ?, ?, ?)", db.execute(keys).fetchall())
        user.close()
    db.close()
    (folder / "vectors" / "1.f16").write_bytes(np.eye(len(TEXTS), WIDTH, dtype="<f2").tobytes())


def _fill(db: sqlite3.Connection, number: int, file: Path, text: str) -> None:
    file.write_text(text)
    status, content = file.stat(), blake2b(text.encode(), digest_size=20).hexdigest()
    key = blake2b(text.encode(), digest_size=16).digest()
    db.execute(
        "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, '{}', '', '')",
        (number, file.name.encode(), file.name, status.st_size, status.st_mtime_ns, content),
    )
    db.execute(
        "INSERT INTO documents VALUES (?, ?, '', 0, ?, ?, ?, '{}', 'en', 'utf-8', 1.0, '[]', 'old')",
        (number, number, file.stem, text, key),
    )
    db.execute("INSERT INTO passages VALUES (?, ?, 0, 0, ?, ?)", (number, number, len(text), key))
    db.execute("INSERT INTO vectors VALUES (1, ?, ?)", (key, number - 1))
    db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (number, text))
    db.execute("INSERT INTO letters (rowid, text) VALUES (?, ?)", (number, text))
