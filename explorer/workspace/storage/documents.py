"""The documents of a workspace: their records and their texts."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from array import array
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer import messages
from explorer.corpus.document import Value
from explorer.errors import WorkspaceError
from explorer.workspace.storage import database
from explorer.workspace.storage.columns import ColumnBuilder, RowsById, TextBuilder
from explorer.workspace.storage.database import from_json, transaction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.workspace import Workspace


_COLUMNS = (
    "d.id, f.name, d.part, d.title, d.metadata, d.language, d.encoding, d.confidence, d.remarks, length(d.text), "
    "f.size, f.mtime_ns"
)
STATE = "documents"  # in meta: another one after every change of them
_BATCH = 1024  # ids in one SELECT
_SAME_NAME = 50  # documents of one name that are counted in a message
_HIGHEST = 2**31 - 2  # labels are 32-bit, and the next one must be free


@dataclass(frozen=True)
class DocumentEntry:
    """A document as the workspace lists it, without its text.

    Attributes:
        id: Its id in the workspace.
        path: Its file, relative to the folder.
        part: Which part of the file it is; empty for a whole file.
        title: Its title.
        metadata: What else is known about it.
        language: Code of its language; empty if unknown.
        encoding: How its bytes were decoded.
        confidence: How certain that is, 0..1.
        remarks: What was repaired or doubtful.
        characters: Length of its text.
    """

    id: int
    path: str
    part: str
    title: str
    metadata: Mapping[str, Value]
    language: str
    encoding: str
    confidence: float
    remarks: tuple[str, ...]
    characters: int


@dataclass(frozen=True)
class DocumentName:
    """The names of a document: its file, the part of that file, and its title."""

    path: str
    part: str
    title: str


def entries(connection: sqlite3.Connection) -> Iterator[DocumentEntry]:
    """Return all documents, in the order of their files."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM documents d JOIN files f ON f.id = d.file ORDER BY f.path, d.place"  # noqa: S608
    )
    return map(_entry, rows)


def entry(connection: sqlite3.Connection, document: int) -> DocumentEntry:
    """Return one document.

    Raises:
        WorkspaceError: There is no such document (any more).
    """
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM documents d JOIN files f ON f.id = d.file WHERE d.id = ?",  # noqa: S608
        (document,),
    ).fetchone()
    if row is None:
        raise _missing(document)
    return _entry(row)


def text(connection: sqlite3.Connection, document: int) -> str:
    """Return the text of a document.

    Raises:
        WorkspaceError: There is no such document (any more).
    """
    row = connection.execute("SELECT text FROM documents WHERE id = ?", (document,)).fetchone()
    if row is None:
        raise _missing(document)
    return str(row[0])


def texts(connection: sqlite3.Connection, ids: Sequence[int]) -> Generator[str]:
    """Yield the texts of documents, in the order of the ids; empty for those that were removed."""
    return _excerpts(connection, ids, "d.text")


def beginnings(connection: sqlite3.Connection, ids: Sequence[int], characters: int) -> Iterator[str]:
    """Yield the first characters of documents, in the order of the ids; empty for those that were removed."""
    return _excerpts(connection, ids, f"substr(d.text, 1, {int(characters)})")


def names(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, DocumentName]:
    """Return what documents are called, by id; those that were removed are left out."""
    rows = connection.execute(
        "SELECT d.id, f.name, d.part, d.title FROM documents d JOIN files f ON f.id = d.file "
        "WHERE d.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {document: DocumentName(*name) for document, *name in rows}


def find(connection: sqlite3.Connection, name: str) -> list[int]:
    """Return the documents with that path, path and part ("table.csv row 3"), or title."""
    for condition in ("f.name = ?", "f.name || ' ' || d.part = ?", "d.title = ?"):
        rows = connection.execute(
            f"SELECT d.id FROM documents d JOIN files f ON f.id = d.file WHERE {condition} LIMIT {_SAME_NAME}",  # noqa: S608
            (name,),
        ).fetchall()
        if rows:
            return [int(row[0]) for row in rows]
    return []


def ids(connection: sqlite3.Connection) -> list[int]:
    """Return the ids of all documents, ascending."""
    return [row[0] for row in connection.execute("SELECT id FROM documents ORDER BY id")]


def ids_by_file(connection: sqlite3.Connection) -> list[int]:
    """Return the ids of all documents, in the order of their files."""
    rows = connection.execute("SELECT d.id FROM documents d JOIN files f ON f.id = d.file ORDER BY f.path, d.place")
    return [row[0] for row in rows]


def digests(connection: sqlite3.Connection) -> dict[int, bytes]:
    """Return a digest of the text of each document."""
    return dict(connection.execute("SELECT id, digest FROM documents").fetchall())


def digests_of(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, bytes]:
    """Return a digest of the text of some documents; those that were removed are left out."""
    query = "SELECT id, digest FROM documents WHERE id IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(query, (json.dumps(list(ids)),)).fetchall())


def digests_beyond_ascii(connection: sqlite3.Connection) -> dict[int, bytes]:
    """Return a digest of the text of each document that has a character beyond ASCII."""
    # More bytes than characters; in SQL, so that most texts never reach Python.
    return dict(
        connection.execute(
            "SELECT id, digest FROM documents WHERE length(text) != length(CAST(text AS BLOB))"
        ).fetchall()
    )


def lengths_and_languages(connection: sqlite3.Connection) -> dict[int, tuple[int, str]]:
    """Return the length of the text and the language of each document."""
    rows = connection.execute("SELECT id, length(text), language FROM documents")
    return {document: (length, language) for document, length, language in rows}


def language_counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many documents are in each language."""
    return dict(connection.execute("SELECT language, count(*) FROM documents GROUP BY language").fetchall())


def dates(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the date of each document that has one, as its metadata has it."""
    rows = connection.execute(
        "SELECT id, json_extract(metadata, '$.date') FROM documents WHERE json_extract(metadata, '$.date') IS NOT NULL"
    )
    return {document: str(date) for document, date in rows}


def total_characters(connection: sqlite3.Connection) -> int:
    """Return the length of all texts together."""
    return int(connection.execute("SELECT coalesce(sum(length(text)), 0) FROM documents").fetchone()[0])


def metadata_fields(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the fields in the metadata of any document."""
    rows = connection.execute("SELECT DISTINCT key FROM documents, json_each(documents.metadata)")
    return {str(row[0]) for row in rows}


def same_text(connection: sqlite3.Connection) -> list[list[tuple[int, int]]]:
    """Return the groups of documents with the same text: the id and the length of each, first ids first."""
    rows = connection.execute(
        "SELECT digest, id, length(text) FROM documents WHERE digest IN "
        "(SELECT digest FROM documents GROUP BY digest HAVING count(*) > 1) ORDER BY digest, id"
    )
    groups: dict[bytes, list[tuple[int, int]]] = {}
    for key, document, length in rows:
        groups.setdefault(key, []).append((document, length))
    return sorted(groups.values())


def any_exist(connection: sqlite3.Connection) -> bool:
    """Return whether any document was read yet."""
    return connection.execute("SELECT 1 FROM documents WHERE place >= 0 LIMIT 1").fetchone() is not None


def note_change(connection: sqlite3.Connection) -> None:
    """Note that documents change; within the transaction that changes them."""
    database.set_meta(connection, STATE, secrets.token_hex(8))


def not_split(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Yield the documents that were read and not split into passages yet, the newest first, with their texts."""
    yield from connection.execute("SELECT id, text FROM documents WHERE splitter = '' ORDER BY id DESC")


def to_split(connection: sqlite3.Connection, splitter: str) -> list[int]:
    """Return the documents that have no passages made by that splitter."""
    rows = connection.execute(
        "SELECT id FROM documents WHERE splitter != ?1 "
        "AND instr(char(10) || splitter || char(10), char(10) || ?1 || char(10)) = 0 ORDER BY id",
        (splitter,),
    )
    return [row[0] for row in rows]


def set_splitter(connection: sqlite3.Connection, ids: Sequence[int], splitter: str) -> None:
    """Note that documents have passages made by a splitter, beside those they had; within a transaction."""
    connection.execute(
        "UPDATE documents SET splitter = iif(splitter = '', '', splitter || char(10)) || ? "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (splitter, json.dumps(ids)),
    )


def _excerpts(connection: sqlite3.Connection, ids: Sequence[int], column: str) -> Generator[str]:
    # json_each is the outer loop, so rows come in the order of the ids and one text at a time is in memory.
    query = f"SELECT {column} FROM json_each(?) wanted LEFT JOIN documents d ON d.id = wanted.value"  # noqa: S608
    for start in range(0, len(ids), _BATCH):
        batch = json.dumps([int(document) for document in ids[start : start + _BATCH]])
        for (excerpt,) in connection.execute(query, (batch,)):
            yield "" if excerpt is None else str(excerpt)


def _missing(document: int) -> WorkspaceError:
    return WorkspaceError(
        "There is no document {document} in this workspace. It may have been removed.", document=document
    )


def _entry(row: tuple[Any, ...]) -> DocumentEntry:
    (document, path, part, title, metadata, language, encoding, confidence, remarks, characters, size, mtime) = row
    base = {"folder": path.rpartition("/")[0], "size": size, "modified": mtime // 10**9}
    return DocumentEntry(
        document,
        path,
        part,
        title,
        base | from_json(metadata),
        language,
        encoding,
        confidence,
        tuple(map(messages.load, from_json(remarks))),
        characters,
    )


_OPENING, _SHOWN = 600, 240  # characters that are read, and kept: a million documents are listed in memory
_SAYS_SOMETHING = 40  # characters
# A quoted line of mail, and the lines that say who is quoted: "In article <…>, Kim writes:".
_QUOTED = re.compile(
    r"^[ \t]*[>|}].*$|^(?:In article\b|On\b|.{0,80}[<(@]).*(?:\n.*)?\b(?:writes|wrote):[ \t]*$", re.MULTILINE
)
_MOST_FIELDS = 60  # fields of metadata; a folder of tables may have thousands


@dataclass(frozen=True, eq=False)
class Listing:
    """The documents, in the order of their files.

    Attributes:
        ids: (N,) their ids in the workspace.
        paths: Their files, relative to the folder.
        parts: Which part of its file each is; empty for whole files.
        titles: Their titles.
        characters: (N,) lengths of their texts.
        languages: Codes of their languages; empty where not known.
        encodings: How their bytes were read.
        sure: (N,) how sure that is, 0..1.
        fields: What else is known, by name, a value a document; the commonest fields first.
        openings: How their texts begin.
    """

    ids: NDArray[np.int64]
    paths: Sequence[str]
    parts: Sequence[str]
    titles: Sequence[str]
    characters: NDArray[np.int64]
    languages: Sequence[str]
    encodings: Sequence[str]
    sure: NDArray[np.float32]
    fields: Mapping[str, Sequence[Value | None]] = field(default_factory=dict)
    openings: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def rows(self) -> RowsById:
        """The row of each document."""
        return RowsById(self.ids)

    def name(self, document_id: int) -> str:
        """Return a document's title, or its path where it has none; empty if it is gone."""
        row = self.rows.get(document_id)
        return "" if row is None else self.titles[row] or self.paths[row]

    def path(self, document_id: int) -> str:
        """Return a document's file; empty if it is gone."""
        row = self.rows.get(document_id)
        return "" if row is None else self.paths[row]


def list_documents(workspace: Workspace) -> Listing:
    """Return the documents as they are now."""
    rows = workspace.connection.execute(
        "SELECT d.id, f.name, d.part, d.title, length(d.text), d.language, d.encoding, d.confidence, d.metadata, "
        "substr(d.text, 1, ?) FROM documents d JOIN files f ON f.id = d.file ORDER BY f.path, d.place",
        (_OPENING,),
    )
    ids, characters, sure = array("q"), array("q"), array("f")
    paths, languages, encodings = ColumnBuilder(), ColumnBuilder(), ColumnBuilder()
    parts, titles, openings = TextBuilder(), TextBuilder(), TextBuilder()
    fields: dict[str, ColumnBuilder] = {}
    for row, values in enumerate(rows):
        document, path, part, title, length, language, encoding, confidence, known, opening = values
        ids.append(document)
        characters.append(length)
        sure.append(confidence)
        paths.add(row, path)
        parts.add(part)
        titles.add(title)
        languages.add(row, language)
        encodings.add(row, encoding)
        openings.add(_own_words(opening))
        if known != "{}":
            for name, value in from_json(known).items():
                if name not in fields:
                    fields[name] = ColumnBuilder()
                fields[name].add(row, value)
    count = len(ids)
    commonest = sorted(fields, key=lambda name: (-len(fields[name]), name))[:_MOST_FIELDS]
    return Listing(
        np.array(ids, np.int64),
        paths.finished(count),
        parts.finished(),
        titles.finished(),
        np.array(characters, np.int64),
        languages.finished(count),
        encodings.finished(count),
        np.array(sure, np.float32),
        {name: fields[name].finished(count) for name in commonest},
        openings.finished(),
    )


def _own_words(opening: str) -> str:
    """Return how a text begins, on one line; what a mail quotes at its beginning is left out if more follows."""
    if ">" in opening or "|" in opening or "wr" in opening:
        own = " ".join(_QUOTED.sub("", opening).split())
        if len(own) >= _SAYS_SOMETHING:
            return own[:_SHOWN]
    return " ".join(opening.split())[:_SHOWN]


def cluster_labels(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the cluster of each document; those whose number cannot be are left out."""
    rows = connection.execute("SELECT document, cluster FROM clusters WHERE cluster BETWEEN -1 AND ?", (_HIGHEST,))
    return dict(rows.fetchall())


def replace_clusters(
    connection: sqlite3.Connection, labels: Iterable[tuple[int, int]], key: str, description: str
) -> None:
    """Store the cluster of each document, and a description of the run under a key of the meta table.

    Raises:
        WorkspaceError: It cannot be written; what was stored stays.
    """
    with transaction(connection):
        connection.execute("DELETE FROM clusters")
        # Another process may have removed a document since it was clustered.
        connection.executemany(
            "INSERT INTO clusters (document, cluster) SELECT id, ? FROM documents WHERE id = ?",
            ((label, document) for document, label in labels),
        )
        database.set_meta(connection, key, description)
