"""The columns of the documents table: their values, how they sort, and the filter field."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from explorer.workspace.storage.columns import CodedColumn, PackedTexts, RowsById, mapped

if TYPE_CHECKING:
    from explorer.services.overview import Clusters
    from explorer.workspace.search.search import Hit
    from explorer.workspace.storage.documents import Listing

TITLE, FOLDER, CLUSTER, DATE = "title", "folder", "cluster", "date"
LENGTH, LANGUAGE, ENCODING, SCORE, TAGS = "length", "language", "encoding", "score", "tags"
FIXED = (TITLE, FOLDER, CLUSTER, DATE, LENGTH, LANGUAGE, ENCODING, SCORE, TAGS)
FIELD = "field:"  # prefix of a metadata field
NO_CLUSTER = -1

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class DocumentColumns:
    """Everything that the table shows, by the rows of the listing.

    Attributes:
        listing: The documents.
        clusters: The clusters that are shown; None before there are any.
        hits: The search results, best first.
        tags: The tags of documents that have any.
    """

    listing: Listing
    clusters: Clusters | None = None
    hits: Sequence[Hit] = ()
    tags: dict[int, frozenset[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.listing)

    @cached_property
    def cluster_indices(self) -> NDArray[np.int64]:
        """(N,) the index of each document's cluster among the clusters, largest first; -1 for none."""
        indices, clusters = np.full(len(self), NO_CLUSTER, np.int64), self.clusters
        if clusters is None or not len(clusters.documents):
            return indices
        index_of = RowsById(np.array([cluster.id for cluster in clusters.clusters], np.int64))
        return index_of.of_each(clusters.labels_of(self.listing.ids))

    @cached_property
    def hit_of(self) -> dict[int, Hit]:
        """The search result of each document that has one."""
        return {hit.document: hit for hit in self.hits}

    @cached_property
    def hit_ranks(self) -> NDArray[np.float64]:
        """(N,) the rank of each document among the search results; NaN if it is not one."""
        ranks = np.full(len(self), np.nan)
        rows = self.listing.rows
        for hit in self.hits:
            if (row := rows.get(hit.document)) is not None:
                ranks[row] = hit.rank
        return ranks

    def values(self, column: str) -> Sequence[Any]:
        """Return the values of a column to sort by; None or empty where a document has none."""
        listing = self.listing
        if column == TITLE:
            return [title or path for title, path in zip(listing.titles, listing.paths, strict=True)]
        if column == FOLDER:
            return mapped(listing.paths, lambda path: path.rpartition("/")[0])
        if column == TAGS:
            return [", ".join(sorted(self.tags.get(id_, ()))) for id_ in listing.ids.tolist()]
        if column == LANGUAGE:
            return listing.languages
        if column == ENCODING:
            return listing.encodings
        return listing.fields.get(DATE if column == DATE else column.removeprefix(FIELD), [None] * len(self))


def cells(sheet: DocumentColumns, rows: Sequence[int], shown: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Yield rows to be exported: the columns that are shown, the file, and scores if there are search results."""
    listing, ids = sheet.listing, sheet.listing.ids.tolist()
    names = [cluster.name for cluster in sheet.clusters.clusters] if sheet.clusters else []
    indices = sheet.cluster_indices.tolist() if CLUSTER in shown else ()
    scores = {id_: round(float(hit.score), 4) for id_, hit in sheet.hit_of.items()}
    known: dict[str, Sequence[Any]] = {
        CLUSTER: [names[index] if index >= 0 else "" for index in indices],
        LENGTH: listing.characters.tolist(),
        SCORE: [scores.get(id_) for id_ in ids] if SCORE in shown else (),
    }
    values = [known[column] if column in known else sheet.values(column) for column in shown]
    for row in rows:
        exported = (*(column[row] for column in values), listing.paths[row])
        if sheet.hits:
            hit = sheet.hit_of.get(ids[row])
            details = (hit.rank, hit.bi_score, hit.keyword_score, hit.cross_score, hit.text) if hit else ()
            exported = (*exported, *(details or (None,) * 5))
        yield exported


def is_cheap(column: str) -> bool:
    """Return whether a column sorts by numbers that are at hand."""
    return column in (LENGTH, SCORE, CLUSTER)


def sort_keys(sheet: DocumentColumns, column: str) -> NDArray[np.float64]:
    """Return (N,) numbers that sort the documents by a column; NaN where a document has no value."""
    if column == LENGTH:
        return sheet.listing.characters.astype(np.float64)
    if column == SCORE:
        return -sheet.hit_ranks  # the best hit has the highest score
    if column == CLUSTER:
        indices = sheet.cluster_indices
        return np.where(indices == NO_CLUSTER, np.nan, indices)
    return ranks(sheet.values(column))


def ranks(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return (N,) ranks of values of any type: numbers, then texts in natural order; NaN for missing ones."""
    if isinstance(values, CodedColumn):
        return ranks(values.values)[values.codes]
    keys = [_key(value) for value in values]
    # Plain strings and plain numbers sort several times faster than pairs, and the sort holds the interpreter.
    numbers = sorted({key for key in keys if isinstance(key, float)})
    texts = sorted({key for key in keys if isinstance(key, str)})
    ordered: list[float | str] = [*numbers, *texts]
    rank_of: dict[float | str | None, float] = {key: float(rank) for rank, key in enumerate(ordered)}
    rank_of[None] = math.nan
    return np.array([rank_of[key] for key in keys], np.float64)


def _key(value: Any) -> float | str | None:
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, int | float):
        return float(value)
    # Padded, so that "part 2" comes before "part 10".
    return _DIGITS.sub(lambda digits: digits[0].zfill(12), str(value).casefold())


def sorted_rows(keys: NDArray[np.float64], *, descending: bool) -> NDArray[np.int64]:
    """Return (N,) rows sorted by their keys, ties in the order of the listing; rows without a key come last."""
    order = np.argsort(-keys if descending else keys, kind="stable")  # NaN goes to the end
    return order.astype(np.int64)


@lru_cache(maxsize=2)  # a search makes new columns of the same documents
def _filter_texts(listing: Listing) -> tuple[PackedTexts, PackedTexts, NDArray[np.int32] | None]:
    """Return titles and paths as the filter field compares them, and the path of each row where rows share them."""
    shared = listing.paths if isinstance(listing.paths, CodedColumn) else None
    titles, paths = (
        (texts if isinstance(texts, PackedTexts) else PackedTexts.pack(texts)).casefolded()
        for texts in (listing.titles, listing.paths if shared is None else shared.values)
    )
    return titles, paths, None if shared is None else shared.codes


def containing(sheet: DocumentColumns, text: str) -> NDArray[np.bool_]:
    """Return (N,) whether title, path or tags of each document contain every word of `text`."""
    words = unicodedata.normalize("NFC", text).casefold().split()
    (titles, paths, path_of), rows = _filter_texts(sheet.listing), sheet.listing.rows
    matches = np.ones(len(sheet), bool)
    for word in words:
        in_path = paths.containing(word)
        matches &= titles.containing(word) | (in_path if path_of is None else in_path[path_of])
    for document_id, tags in sheet.tags.items():
        row = rows.get(document_id)
        if row is not None and not matches[row]:
            whole = "\n".join([sheet.listing.titles[row], sheet.listing.paths[row], *tags]).casefold()
            matches[row] = all(word in whole for word in words)
    return matches
