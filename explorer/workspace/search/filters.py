"""Which documents meet a query's hard conditions: fields, exact words, and exact words that must not occur."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from explorer.analysis.search.query import FIELDS, Filter, Query, phrase_spans
from explorer.analysis.text.characters import normalise
from explorer.corpus.dates import local_time
from explorer.workspace.overview.documents import load_labels
from explorer.workspace.search.vector_search import PATIENCE, SLOW
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage.user import words as user_words

if TYPE_CHECKING:
    from explorer.corpus.document import Value
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.workspace import Workspace

OWN_FIELDS = FIELDS | {"folder", "modified", "encoding", "part", "length"}
SENDER = "from"  # of mail: its author
_PIECES = 3  # of a phrase that are looked up; the longest are the rarest
_LEAST = 3  # characters the trigram index can look up
# Dotted and dotless i are the same letter to the search in the text and not to the index.
_TURKISH = ("ı", "İ")


class SearchFilters:
    """Answers for one workspace, remembering what it read until the workspace changes."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._token: object = None
        self._took = self._at = 0.0  # seconds that reading took, and when it was
        self._columns: dict[str, dict[int, Value | frozenset[str] | None]] = {}
        self._fields: frozenset[str] | None = None
        self._unsure: frozenset[int] | None = None
        self._uneven: dict[int, tuple[bytes, bool]] = {}

    def fields(self) -> frozenset[str]:
        """Return the fields that a query may name: those every document has, and those of the metadata."""
        self._look()
        if self._fields is None:
            with self._timed():
                named = documents.metadata_fields(self._workspace.connection)
                self._fields = OWN_FIELDS | named | ({"author"} if SENDER in named else set())
        return self._fields

    def allowed(self, query: Query) -> set[int] | None:
        """Return the documents that meet the conditions; None where the query has none."""
        if not (query.filters or query.required or query.excluded):
            return None
        self._look()
        matching: set[int] | None = None
        for condition in query.filters:
            column = self._column(condition.field)
            candidates = column.keys() if matching is None else matching
            matching = {document_id for document_id in candidates if _meets(condition, column.get(document_id))}
        for part in query.required:
            matching = self._saying(part.text, matching)
        for words in query.excluded:
            matching = self._everything() if matching is None else matching
            matching = matching - self._saying(words, matching)
        return matching

    def _look(self) -> None:
        """Forget what was read before the last change."""
        now = self._workspace.change_token()
        # While a folder is encoded it changes every few seconds; what takes long to read is then a little behind.
        behind = self._took > SLOW and time.monotonic() - self._at < PATIENCE * self._took
        if now != self._token and not behind:
            self._token, self._columns, self._fields, self._unsure, self._took = now, {}, None, None, 0.0

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._at = time.monotonic()
        self._took += self._at - began

    def _column(self, name: str) -> dict[int, Value | frozenset[str] | None]:
        """Return a field's value of each document."""
        if name not in self._columns:
            with self._timed():
                self._columns[name] = self._read(name)
        return self._columns[name]

    def _read(self, name: str) -> dict[int, Value | frozenset[str] | None]:
        if name not in ("tag", "cluster", "category"):
            return {entry.id: field_of(entry, name) for entry in self._workspace.documents()}
        column: dict[int, Value | frozenset[str] | None] = dict.fromkeys(self._everything())
        if name == "tag":
            return {**column, **user_words.tags_of(self._workspace)}
        labels = load_labels(self._workspace, "clusters" if name == "cluster" else "categories")
        return {**column, **(labels.by_document() if labels is not None else {})}

    def _everything(self) -> set[int]:
        return set(documents.ids(self._workspace.connection))

    def _saying(self, words: str, among: set[int] | None) -> set[int]:
        """Return the documents with these exact words: proposed by the index, then looked for in the text."""
        candidates = self._candidates(words)
        if candidates is None:
            candidates = self._everything() if among is None else among
        elif among is not None:
            candidates = candidates & among
        wanted = sorted(candidates)
        texts = documents.texts(self._workspace.connection, wanted)
        return {document for document, text in zip(wanted, texts, strict=True) if phrase_spans(text, words)}

    def _candidates(self, words: str) -> set[int] | None:
        """Return all documents that may have the words; None where the index cannot tell."""
        wanted = pieces(words)
        if not wanted:
            return None
        having = (passages.documents_with(self._workspace.connection, piece) for piece in wanted)
        return set.intersection(*having) | self._not_in_the_index()

    def _not_in_the_index(self) -> frozenset[int]:
        """Return documents whose words the index may not have as the query spells them.

        Where two passages touch, a word may lie across them. Texts that are not in NFKC (such as the ligatures
        of a PDF) are indexed as they stand, but searched in NFKC.
        """
        if self._unsure is None:
            self._unsure = frozenset(passages.touching(self._workspace.connection) | self._not_in_nfkc())
        return self._unsure

    def _not_in_nfkc(self) -> set[int]:
        """Return the documents that are not in NFKC; only texts beyond ASCII that are new or changed are read."""
        known, self._uneven = self._uneven, {}
        digests = documents.digests_beyond_ascii(self._workspace.connection)
        fresh = [document for document, key in digests.items() if known.get(document, (b"",))[0] != key]
        texts = documents.texts(self._workspace.connection, fresh)
        uneven = dict(zip(fresh, map(_is_uneven, texts), strict=True))
        for document, key in digests.items():
            is_uneven = uneven[document] if document in uneven else known[document][1]
            self._uneven[document] = key, is_uneven
        return {document for document, (_, is_uneven) in self._uneven.items() if is_uneven}


def _is_uneven(text: str) -> bool:
    return not unicodedata.is_normalized("NFKC", text) or any(letter in text for letter in _TURKISH)


def pieces(words: str) -> list[str]:
    """Return what to ask the index for exact words, at most _PIECES: runs of letters whose case it folds as we do."""
    cleaned = "".join(sign if sign.isascii() or sign.lower() == sign.upper() else " " for sign in normalise(words).text)
    parts: Iterable[str] = dict.fromkeys(piece for piece in cleaned.split() if len(piece) >= _LEAST)
    return sorted(parts, key=len, reverse=True)[:_PIECES]


def _meets(condition: Filter, value: Value | frozenset[str] | None) -> bool:
    """Return whether a document with a value of a field stays; of several values one must be the wanted one."""
    if not isinstance(value, frozenset):
        return condition.accepts(value)
    return condition.negated != any(condition.accepts(item) != condition.negated for item in value)


def field_of(entry: DocumentEntry, name: str) -> Value | None:
    """Return a document's value of a field: one of its own, or of its metadata."""
    own: dict[str, str | int] = {
        "path": entry.path,
        "title": entry.title,
        "language": entry.language,
        "encoding": entry.encoding,
        "part": entry.part,
        "length": entry.characters,
        "type": PurePosixPath(entry.path).suffix.lower().lstrip("."),
    }
    if name == "type" and "type" in entry.metadata:
        return entry.metadata["type"]
    if name in own:
        return own[name]
    value = entry.metadata.get(name)
    if name == "author" and value is None:
        value = entry.metadata.get(SENDER)
    if name == "modified" and isinstance(value, int) and (changed := local_time(value)):
        return changed.strftime("%Y-%m-%dT%H:%M:%S")
    return value
