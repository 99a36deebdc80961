"""The passages of documents, their texts, and the full-text index over their words."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.text.tokenize import analyse_all, version
from explorer.corpus.document import Passage
from explorer.task import Task
from explorer.workspace.storage import database, documents
from explorer.workspace.storage.database import transaction

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
    """Return where in its text each passage of a document is, as the model in use has them, by id, in order."""
    return _spans(connection, document, "current_passages")


def _spans(connection: sqlite3.Connection, document: int, table: str) -> dict[int, Passage]:
    rows = connection.execute(f"SELECT id, start, stop FROM {table} WHERE document = ? ORDER BY place", (document,))  # noqa: S608
    return {passage: Passage(start, stop) for passage, start, stop in rows}


def encoded_spans(connection: sqlite3.Connection, document: int, fingerprint: str | None) -> list[Passage]:
    """Return the passages of a document that have a vector of a model."""
    rows = connection.execute(
        "SELECT p.start, p.stop FROM current_passages p JOIN vectors v ON v.digest = p.digest "
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
    yield from connection.execute("SELECT id, document FROM current_passages WHERE place = 0 ORDER BY document")


def touching(connection: sqlite3.Connection) -> set[int]:
    """Return the documents in which two passages touch or overlap, so that a word may lie across them."""
    rows = connection.execute(
        "SELECT DISTINCT a.document FROM passages a JOIN passages b "
        "ON b.document = a.document AND b.place = a.place + 1 AND a.cuttings & b.cuttings WHERE b.start <= a.stop"
    )
    return {int(row[0]) for row in rows}


def without_vector(connection: sqlite3.Connection, model: int, cuttings: int = -1) -> list[int]:
    """Return one passage for each text that has no vector of a model yet, of some cuttings (bits), in order."""
    rows = connection.execute(
        "SELECT min(p.id) FROM passages p LEFT JOIN vectors v ON v.model = ? AND v.digest = p.digest "
        "WHERE v.row IS NULL AND p.cuttings & ? GROUP BY p.digest ORDER BY min(p.id)",
        (model, cuttings),
    )
    return [row[0] for row in rows]


def digests_of(connection: sqlite3.Connection, document: int) -> list[bytes]:
    """Return the keys of the passages of a document, of every cutting."""
    rows = connection.execute("SELECT digest FROM passages WHERE document = ?", (document,))
    return [row[0] for row in rows]


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
    for document, text, row in rows:
        for passage, start, stop, key in json.loads(row):
            location = PassageLocation(document, start, stop)
            yield StoredPassage(passage, location, bytes.fromhex(key), str(text)[start:stop])


_PASSAGES_A_COMMIT = 256
log = logging.getLogger(__name__)


class WordIndex:
    """Read the statistics of the `words` index that ranking needs."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._ready: set[str] = set()

    def count_until(self, passage: int) -> int:
        """Count the passages up to an id."""
        (count,) = self._db.execute("SELECT count(*) FROM words_docsize WHERE id <= ?", (passage,)).fetchone()
        return int(count)

    def lengths_after(self, passage: int) -> list[tuple[int, bytes]]:
        """Return the passages behind an id with their number of terms, as FTS5's varint."""
        # The shadow table, because bm25() of FTS5 looks the lengths up one by one: https://sqlite.org/fts5.html#the_shadow_tables
        return self._db.execute("SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id", (passage,)).fetchall()

    def occurrences(self, term: str) -> NDArray[np.int64]:
        """Return the passage of each occurrence of a term, ascending."""
        self._vocabulary("occurrences", "instance")
        return numbers(self._db.execute("SELECT group_concat(doc) FROM temp.occurrences WHERE term = ?", (term,)))

    def passage_count(self, term: str) -> int:
        """Count the passages that have a term."""
        self._vocabulary("vocabulary", "row")
        row = self._db.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (term,)).fetchone()
        return 0 if row is None else int(row[0])

    def common_terms(self, more_than: int) -> dict[str, int]:
        """Return the terms of more than so many passages, with their counts, the rarest first."""
        self._vocabulary("vocabulary", "row")
        query = "SELECT term, doc FROM temp.vocabulary WHERE doc > ? ORDER BY doc"
        return dict(self._db.execute(query, (more_than,)).fetchall())

    def has_term_between(self, first: str, end: str) -> bool:
        """Return whether any term is in the range from `first` up to, but without, `end`."""
        self._vocabulary("vocabulary", "row")
        query = "SELECT 1 FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1"
        return self._db.execute(query, (first, end)).fetchone() is not None

    def _vocabulary(self, name: str, kind: str) -> None:
        """Make a view of the terms, once; in the connection's own temporary schema, so that readers may too."""
        if name not in self._ready:
            self._db.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', 'words', '{kind}')"
            )
            self._ready.add(name)


def documents_with(connection: sqlite3.Connection, piece: str) -> set[int]:
    """Return the documents in which a piece of at least three characters occurs, by the trigram index."""
    rows = connection.execute(
        "SELECT DISTINCT document FROM passages WHERE id IN (SELECT rowid FROM letters WHERE letters MATCH ?)",
        ('"' + piece.replace('"', '""') + '"',),
    )
    return {int(row[0]) for row in rows}


def cutting(connection: sqlite3.Connection, *keys: str) -> tuple[int, str]:
    """Return the id and the key of the cutting that has one of the keys, added under the first if none has.

    Raises:
        WorkspaceError: It cannot be written.
    """
    marks = ", ".join("?" * len(keys))
    query = f"SELECT id, key FROM cuttings WHERE key IN ({marks}) ORDER BY key = ? DESC"  # noqa: S608 - only marks
    with transaction(connection):
        row = connection.execute(query, (*keys, keys[0])).fetchone()
        if row is None:
            connection.execute("INSERT INTO cuttings (key) VALUES (?)", (keys[0],))
            row = connection.execute(query, (*keys, keys[0])).fetchone()
    return int(row[0]), str(row[1])


def ids_in(connection: sqlite3.Connection, cuttings: int) -> NDArray[np.int64] | None:
    """Return the ids of the passages of some cuttings (bits), ascending; None where there is one cutting only."""
    if connection.execute("SELECT count(*) FROM cuttings").fetchone()[0] < 2:
        return None
    return np.sort(numbers(connection.execute("SELECT group_concat(id) FROM passages WHERE cuttings & ?", (cuttings,))))


def add_passages(
    connection: sqlite3.Connection, batch: Mapping[int, str], split: Sequence[Sequence[Passage]], cuttings: int
) -> None:
    """Store the passages of documents and index their words, beside those of other cuttings; within a transaction.

    A document that another cutting cut alike gets no new passages: those it has belong to both.

    Args:
        connection: The database.
        batch: The texts of the documents, by id.
        split: The passages of each.
        cuttings: The bit of the cutting that they are of.
    """
    known: dict[int, dict[int, list[tuple[int, int]]]] = {}  # by document and cuttings
    for document, bits, start, stop in connection.execute(
        "SELECT document, cuttings, start, stop FROM passages "
        "WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, place",
        (json.dumps(list(batch)),),
    ):
        known.setdefault(document, {}).setdefault(bits, []).append((start, stop))
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()
    rows: list[tuple[int, int, int, int, int, int, bytes]] = []
    words: list[str] = []
    for (document, text), passages in zip(batch.items(), split, strict=True):
        spans = [(passage.start, passage.end) for passage in passages]
        same_spans = next((bits for bits, others in known.get(document, {}).items() if others == spans), None)
        if same_spans is not None:
            connection.execute(
                "UPDATE passages SET cuttings = cuttings | ? WHERE document = ? AND cuttings = ?",
                (cuttings, document, same_spans),
            )
            continue
        for index, (start, end) in enumerate(spans):
            words.append(text[start:end])
            rows.append((last + len(words), document, cuttings, index, start, end, digest(words[-1])))
    ids = range(last + 1, last + 1 + len(words))
    connection.executemany(
        "INSERT INTO passages (id, document, cuttings, place, start, stop, digest) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
    )
    connection.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", zip(ids, analyse_all(words), strict=True))
    connection.executemany("INSERT INTO letters (rowid, text) VALUES (?, ?)", zip(ids, words, strict=True))


def drop_passages(connection: sqlite3.Connection, document: int) -> None:
    """Remove the passages of a document, of every cutting, and their words from the indexes; within a transaction."""
    stored = _spans(connection, document, "passages")
    text = documents.text(connection, document) if stored else ""
    for passage, span in stored.items():
        connection.execute("DELETE FROM words WHERE rowid = ?", (passage,))
        # `letters` stores no text of its own, so it must be given the text it is to forget.
        connection.execute(
            "INSERT INTO letters (letters, rowid, text) VALUES ('delete', ?, ?)", (passage, text[span.start : span.end])
        )
    connection.execute("DELETE FROM passages WHERE document = ?", (document,))


def renew(connection: sqlite3.Connection, task: Task) -> None:
    """Bring the words up to date with the way texts are tokenised; continue where it was stopped.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    now = version()
    if database.get_meta(connection, "words") == now:
        return
    resumed = database.get_meta(connection, "words_next") == now
    done = int(database.get_meta(connection, "words_until") or 0) if resumed else 0
    last = max(all_ids(connection), default=0)
    fresh = _analysed(connection, done)
    while batch := list(islice(fresh, _PASSAGES_A_COMMIT)):
        task.report(batch[-1][0], last, "rebuilding the word index")
        with transaction(connection):
            for passage, _, terms in batch:
                connection.execute("UPDATE words SET terms = ? WHERE rowid = ?", (terms, passage))
            database.set_meta(connection, "words_next", now)
            database.set_meta(connection, "words_until", str(batch[-1][0]))
    with transaction(connection):
        database.delete_meta(connection, "words_next", "words_until")
        database.set_meta(connection, "words", now)
    log.info("indexed the words of %d passages again", last)


def _analysed(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[int, str, str]]:
    """Yield each passage behind an id: its id, its text, its terms."""
    ids = [passage for passage in all_ids(connection) if passage > after]
    for start in range(0, len(ids), _PASSAGES_A_COMMIT):
        batch = ids[start : start + _PASSAGES_A_COMMIT]
        read = texts(connection, batch)
        yield from zip(batch, read, analyse_all(read), strict=True)
