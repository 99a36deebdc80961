"""The passages of documents: where they are, and their texts, which are always read in batches."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.corpus.document import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 1024  # ids in one SELECT


@dataclass(frozen=True)
class PassageLocation:
    """A document, or a stretch of one."""

    document: int
    start: int
    end: int


@dataclass(frozen=True)
class StoredPassage:
    """A passage with its text.

    Attributes:
        id: Its id in the workspace.
        location: Its document, and where in the text it is.
        digest: The key of its text.
        text: The text.
    """

    id: int
    location: PassageLocation
    digest: bytes
    text: str


def digest(text: str) -> bytes:
    """Return the key of a text: equal texts are encoded once, however often they occur."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def load(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, StoredPassage]:
    """Read passages by id; those that were removed in the meantime are left out."""
    known = {passage.id: passage for batch in _batches(ids) for passage in _read(connection, batch)}
    return {passage: known[passage] for passage in ids if passage in known}  # in the order of the ids


def texts(connection: sqlite3.Connection, ids: Sequence[int]) -> list[str]:
    """Read the texts of passages, in the order of the ids; empty for those that were removed."""
    known = load(connection, ids)
    return [known[passage].text if passage in known else "" for passage in ids]


def spans(connection: sqlite3.Connection, document: int) -> dict[int, Passage]:
    """Return where in its text each passage of a document is, by id, in order."""
    rows = connection.execute(
        "SELECT id, start, stop FROM passages WHERE document = ? ORDER BY place", (document,)
    )
    return {passage: Passage(start, stop) for passage, start, stop in rows}


def encoded_spans(connection: sqlite3.Connection, document: int, fingerprint: str | None) -> list[Passage]:
    """Return the passages of a document that have a vector of a model."""
    rows = connection.execute(
        "SELECT p.start, p.stop FROM passages p JOIN vectors v ON v.digest = p.digest "
        "JOIN models m ON m.id = v.model WHERE p.document = ? AND m.fingerprint = ?",
        (document, fingerprint),
    )
    return [Passage(*row) for row in rows]


def locations(connection: sqlite3.Connection) -> dict[int, PassageLocation]:
    """Return the location of every passage, by id."""
    rows = connection.execute("SELECT id, document, start, stop FROM passages")
    return {passage: PassageLocation(*location) for passage, *location in rows}


def documents_of(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, int]:
    """Return the document of each passage that is still there."""
    query = "SELECT id, document FROM passages WHERE id IN (SELECT value FROM json_each(?))"
    return {
        passage: document
        for batch in _batches(ids)
        for passage, document in connection.execute(query, (json.dumps(batch),))
    }


def ids_of(connection: sqlite3.Connection, documents: Collection[int]) -> NDArray[np.int64]:
    """Return the ids of all passages of some documents."""
    rows = connection.execute(
        "SELECT group_concat(id) FROM passages WHERE document IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(documents)),),
    )
    return numbers(rows)


def all_ids(connection: sqlite3.Connection) -> list[int]:
    """Return the ids of all passages, ascending."""
    return [row[0] for row in connection.execute("SELECT id FROM passages ORDER BY id")]


def any_exist(connection: sqlite3.Connection) -> bool:
    """Return whether any document was split into passages yet."""
    return connection.execute("SELECT 1 FROM passages LIMIT 1").fetchone() is not None


def first_of_each_document(connection: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Yield the first passage of each document and the document, in the order of documents."""
    yield from connection.execute("SELECT id, document FROM passages WHERE place = 0 ORDER BY document")


def at(connection: sqlite3.Connection, document: int, character: int) -> int | None:
    """Return the passage at a character of a document, or the next one behind it; None where there is none."""
    row = connection.execute(
        "SELECT id FROM passages WHERE document = ? AND stop > ? ORDER BY place LIMIT 1",
        (document, character),
    ).fetchone()
    return int(row[0]) if row else None


def touching(connection: sqlite3.Connection) -> set[int]:
    """Return the documents in which two passages touch or overlap, so that a word may lie across them."""
    rows = connection.execute(
        "SELECT DISTINCT a.document FROM passages a JOIN passages b "
        "ON b.document = a.document AND b.place = a.place + 1 WHERE b.start <= a.stop"
    )
    return {int(row[0]) for row in rows}


def without_vector(connection: sqlite3.Connection, model: int) -> list[int]:
    """Return one passage for each text that has no vector of a model yet, in order."""
    rows = connection.execute(
        "SELECT min(p.id) FROM passages p LEFT JOIN vectors v ON v.model = ? AND v.digest = p.digest "
        "WHERE v.row IS NULL GROUP BY p.digest ORDER BY min(p.id)",
        (model,),
    )
    return [row[0] for row in rows]


def digests_of(connection: sqlite3.Connection, document: int) -> list[bytes]:
    """Return the keys of the passages of a document."""
    rows = connection.execute("SELECT digest FROM passages WHERE document = ?", (document,))
    return [row[0] for row in rows]


def add(connection: sqlite3.Connection, document: int, place: int, passage: Passage, words: str) -> int:
    """Store a passage of a document, and return its id; within a transaction."""
    row = connection.execute(
        "INSERT INTO passages (document, place, start, stop, digest) VALUES (?, ?, ?, ?, ?)",
        (document, place, passage.start, passage.end, digest(words)),
    ).lastrowid
    return int(row or 0)


def drop(connection: sqlite3.Connection, document: int) -> None:
    """Remove the passages of a document; within a transaction."""
    connection.execute("DELETE FROM passages WHERE document = ?", (document,))


def numbers(rows: sqlite3.Cursor) -> NDArray[np.int64]:
    """Return the numbers of one group_concat: an object for each of a million ids would take most of the time."""
    text = rows.fetchone()[0]
    return np.zeros(0, np.int64) if not text else np.fromstring(text, np.int64, sep=",")


def _batches(ids: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _BATCH):
        yield [int(passage) for passage in ids[start : start + _BATCH]]


def _read(connection: sqlite3.Connection, ids: Sequence[int]) -> Iterator[StoredPassage]:
    # One row per document, sliced here: SQLite's substr() counts characters from the beginning of the text for every
    # passage, which took 109 s for the 5,000 passages of a text of 5 MB; this takes 0.4 s.
    rows = connection.execute(
        "SELECT d.id, d.text, (SELECT json_group_array(json_array(p.id, p.start, p.stop, hex(p.digest))) "
        "FROM passages p WHERE p.document = d.id AND p.id IN (SELECT value FROM json_each(?1))) FROM documents d "
        "WHERE d.id IN (SELECT document FROM passages WHERE id IN (SELECT value FROM json_each(?1)))",
        (json.dumps(ids),),
    )
    for document, text, found in rows:
        for passage, start, stop, key in json.loads(found):
            location = PassageLocation(document, start, stop)
            yield StoredPassage(passage, location, bytes.fromhex(key), str(text)[start:stop])
