"""Match the documents that are read from a file with those that the database has of it.

The user's words are stored by document id, so a text keeps its id wherever it is in the file.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3

from explorer import messages
from explorer.analysis.text.language import language
from explorer.corpus.document import Document
from explorer.task import Task
from explorer.workspace.storage import database
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.documents import note_change
from explorer.workspace.storage.passages import digest, drop_passages
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.user import words as user_words

A_COMMIT = 64  # documents
_EARLIER = re.compile(r" \(earlier, \d+\)$")  # on the part of a document whose place another has taken
_NO_TEXT_NOW = {"binary", "encrypted", "no text layer"}  # reasons that do not pass by themselves
_HIGHEST = "highest_document"  # in meta: the highest id of a document that was removed


def seal(*values: object) -> bytes:
    """Return a checksum of a record, which tells whether it changed, or was damaged on the disk."""
    return hashlib.blake2b(json.dumps(values).encode(), digest_size=8).digest()


class FileDocuments:
    """The documents of a file that is being read; those it had keep their ids, and so their tags and ratings.

    A text that is in the file again is the same document, wherever it is. Once the whole file is read, a
    document whose text is gone becomes the new text in its part, such as "row 3"; until then it is kept,
    under another part where its own is taken. Reading may break off at any moment: documents with ids above the
    mark in meta were made since, and none of them keeps an earlier one from its part when the file is read again.
    """

    def __init__(self, connection: sqlite3.Connection, file: int) -> None:
        self._db = connection
        self._file = file
        self._position = 0
        self._since = _marked(connection, file)
        self._last = _highest(connection)
        self._has_gone = user_database.has_gone(connection)
        self._first: dict[bytes, int] = {}  # by digest; of equal texts the first in the file
        self._next: dict[int, int] = {}  # and the one that follows it
        for document_id, key in connection.execute(
            "SELECT id, digest FROM documents WHERE file = ? ORDER BY id > ? DESC, place DESC, id DESC",
            (file, self._since),
        ):
            if key in self._first:
                self._next[document_id] = self._first[key]
            self._first[key] = document_id

    def write(self, document: Document) -> None:
        """Store the next document of the file; one that is stored as it is stays untouched."""
        key = digest(document.text)
        document_id = self._claimed(key) or self._claimed_whole(document.part)
        record = (
            *(document.part, self._position, document.title),
            *(_json(dict(document.metadata)), language(document.text)),
            *(
                document.encoding,
                float(document.confidence),
                _json([messages.dump(remark) for remark in document.remarks]),
            ),
        )
        self._position += 1
        sealed = seal(*record)
        if document_id is not None:
            old = self._db.execute("SELECT digest, seal FROM documents WHERE id = ?", (document_id,)).fetchone()
            if old == (key, sealed):
                return
            if old[0] != key:
                drop_passages(self._db, document_id)
        if document_id is None and self._has_gone:
            document_id = user_database.returned(self._db, key, self._file)
        if document_id is None:
            document_id = self._last = self._last + 1
        values = (*record, document_id, self._file, document.text, key, sealed)
        try:
            self._store(values)
        except sqlite3.IntegrityError:  # rare, and looking first would cost a statement a row
            self._db.execute(
                "UPDATE documents SET part = part || ' (earlier, ' || id || ')', seal = x'' "
                "WHERE file = ? AND part = ? AND id != ?",
                (self._file, document.part, document_id),
            )
            self._store(values)

    def _store(self, values: tuple[object, ...]) -> None:
        self._db.execute(
            "INSERT INTO documents (part, place, title, metadata, language, encoding, confidence, remarks, "
            "id, file, text, digest, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET part = excluded.part, "
            "place = excluded.place, title = excluded.title, metadata = excluded.metadata, "
            "encoding = excluded.encoding, confidence = excluded.confidence, "
            "remarks = excluded.remarks, language = excluded.language, "
            "splitter = CASE WHEN digest = excluded.digest THEN splitter ELSE '' END, "
            "text = excluded.text, digest = excluded.digest, seal = excluded.seal",
            values,
        )

    def settle(self, task: Task) -> None:
        """Once the file is read, give documents whose text is gone the new text of their part, or remove them."""
        # Ids above the mark first: no part belongs to them then.
        left = sorted((*self._first.values(), *self._next.values()), reverse=True)
        for start in range(0, len(left), A_COMMIT):
            task.check()
            batch = left[start : start + A_COMMIT]
            for document in batch:
                # Where reading broke off, the user may have tagged the new one. Those words are moved first: a process
                # killed after that finds both documents as they were, and does the same again.
                successor, _ = self._successor(document)
                if successor is not None:
                    user_words.move(self._db, successor, document)
            with transaction(self._db):
                note_change(self._db)
                for document in batch:
                    self._succeed(document)

    def keep(self, reason: str) -> None:
        """After an error, keep what was not read this time as it was last read.

        A file that is empty, locked, damaged, too large or gone is often so for a moment, while it is saved or its
        disk is away; the list of problems tells that its texts are old. Where it holds no text any more (it is binary,
        encrypted or without a text layer now), or another text has taken a document's part, only documents stay of
        which the user has said something: an old text is less harm than a lost tag.
        """
        with transaction(self._db):
            note_change(self._db)
            for document_id in (*self._first.values(), *self._next.values()):
                (part,) = self._db.execute("SELECT part FROM documents WHERE id = ?", (document_id,)).fetchone()
                is_past = reason in _NO_TEXT_NOW or document_id > self._since or _EARLIER.search(part)
                if is_past and not user_words.is_annotated(self._db, document_id):
                    remove(self._db, document_id)

    def _claimed(self, key: bytes) -> int | None:
        """Return the first document with that text that was not found in the file yet."""
        document_id = self._first.pop(key, None)
        if document_id in self._next:
            self._first[key] = self._next.pop(document_id)
        return document_id

    def _claimed_whole(self, part: str) -> int | None:
        """Return the document that was the whole file, where it is one again; no other can have its text."""
        row = None
        if not part:
            query = "SELECT id, digest FROM documents WHERE file = ? AND part = ''"
            row = self._db.execute(query, (self._file,)).fetchone()
        return self._claimed(row[1]) if row and self._first.get(row[1]) == row[0] else None

    def _successor(self, document: int) -> tuple[int | None, str]:
        """Return the new document in the part of one whose text is gone, and that part."""
        (part,) = self._db.execute("SELECT part FROM documents WHERE id = ?", (document,)).fetchone()
        part = _EARLIER.sub("", part)
        row = self._db.execute(
            "SELECT id FROM documents WHERE file = ? AND part = ? AND id > ?", (self._file, part, self._since)
        ).fetchone()
        return None if row is None or document > self._since else int(row[0]), part

    def _succeed(self, document: int) -> None:
        """Give a document whose text is gone the new text in its part, or remove it."""
        successor, part = self._successor(document)
        if successor is None:
            remove(self._db, document)
            return
        drop_passages(self._db, document)
        self._db.execute(
            "UPDATE documents SET (place, title, text, digest, metadata, language, encoding, confidence, remarks, "
            "seal, splitter) = (SELECT place, title, text, digest, metadata, language, encoding, confidence, remarks, "
            "seal, '' FROM documents WHERE id = ?) WHERE id = ?",
            (successor, document),
        )
        remove(self._db, successor)
        self._db.execute("UPDATE documents SET part = ? WHERE id = ?", (part, document))


def _json(value: dict[str, object] | list[str]) -> str:
    if not value:  # of most rows of a table
        return "{}" if isinstance(value, dict) else "[]"
    return json.dumps(value, ensure_ascii=False)


def _highest(db: sqlite3.Connection) -> int:
    """Return the highest id a document has or had; a new document gets a higher one, so that ids are never reused."""
    (present,) = db.execute("SELECT max(id) FROM documents").fetchone()
    return max(_meta_number(db, _HIGHEST) or 0, present or 0, user_database.highest_id(db))


def _meta_number(db: sqlite3.Connection, key: str) -> int | None:
    row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (key,)).fetchone()
    return int(row[0]) if row else None


def remove(db: sqlite3.Connection, document: int) -> None:
    """Forget a document; its id is never used again."""
    if document >= _highest(db):
        database.set_meta(db, _HIGHEST, str(document))
    drop_passages(db, document)
    db.execute("DELETE FROM documents WHERE id = ?", (document,))


def mark(db: sqlite3.Connection, file: int) -> None:
    """Note which documents are there before a file is read again, until it is read to its end."""
    if db.execute("SELECT 1 FROM documents WHERE file = ?", (file,)).fetchone():
        db.execute("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (f"reading {file}", str(_highest(db))))


def _marked(db: sqlite3.Connection, file: int) -> int:
    noted = _meta_number(db, f"reading {file}")
    return _highest(db) if noted is None else noted


def unmark(db: sqlite3.Connection, file: int) -> None:
    """Note that a file is read to its end, or gone."""
    database.delete_meta(db, f"reading {file}")
