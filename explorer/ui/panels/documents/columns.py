"""What each column of the documents table says of a document, and the order that it gives."""

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

if TYPE_CHECKING:
    from explorer.services.overview import Clusters
    from explorer.workspace.search.search import Hit
    from explorer.workspace.storage.document_table import Listing

TITLE, FOLDER, CLUSTER, DATE = "title", "folder", "cluster", "date"
LENGTH, LANGUAGE, ENCODING, SCORE, TAGS = "length", "language", "encoding", "score", "tags"
FIXED = (TITLE, FOLDER, CLUSTER, DATE, LENGTH, LANGUAGE, ENCODING, SCORE, TAGS)
FIELD = "field:"  # before the name of a field of metadata
NO_CLUSTER = -1

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class DocumentColumns:
    """All that the table shows, row by row of the listing.

    Attributes:
        listing: The documents.
        clusters: The clusters that are shown; None before there are any.
        hits: What the search found, best first.
        tags: The tags of documents that have any.
    """

    listing: Listing
    clusters: Clusters | None = None
    hits: Sequence[Hit] = ()
    tags: dict[int, frozenset[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.listing)

    @cached_property
    def cluster_places(self) -> NDArray[np.int64]:
        """(N,) the place of each document's cluster among the clusters, the largest first; -1 for none."""
        places = np.full(len(self), NO_CLUSTER, np.int64)
        found = self.clusters
        if found is None or not len(found.documents):
            return places
        place_of = {cluster.id: place for place, cluster in enumerate(found.clusters)}
        labels = np.array(
            [place_of.get(label, NO_CLUSTER) for label in found.shown.labels.tolist()], np.int64
        )
        at = np.searchsorted(found.documents, self.listing.ids).clip(max=len(found.documents) - 1)
        known = found.documents[at] == self.listing.ids
        places[known] = labels[at[known]]
        return places

    @cached_property
    def hit_of(self) -> dict[int, Hit]:
        """The hit of each document that was found."""
        return {hit.document: hit for hit in self.hits}

    @cached_property
    def hit_ranks(self) -> NDArray[np.float64]:
        """(N,) the place of each document among the hits; NaN where it was not found."""
        ranks = np.full(len(self), np.nan)
        rows = self.listing.rows
        for hit in self.hits:
            if (row := rows.get(hit.document)) is not None:
                ranks[row] = hit.rank
        return ranks

    def values(self, column: str) -> Sequence[Any]:
        """The values of a column, to sort by; None or empty where there is none."""
        listing = self.listing
        if column == TITLE:
            return [title or path for title, path in zip(listing.titles, listing.paths, strict=True)]
        if column == FOLDER:
            return [path.rpartition("/")[0] for path in listing.paths]
        if column == TAGS:
            return [", ".join(sorted(self.tags.get(number, ()))) for number in listing.ids.tolist()]
        if column == LANGUAGE:
            return listing.languages
        if column == ENCODING:
            return listing.encodings
        return listing.fields.get(DATE if column == DATE else column.removeprefix(FIELD), [None] * len(self))


def cells(sheet: DocumentColumns, rows: Sequence[int], shown: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """The values of some rows, to be exported: the columns that are shown, the file, and what a search said."""
    listing = sheet.listing
    clusters = [one.name for one in sheet.clusters.clusters] if sheet.clusters else []
    scores = {number: round(float(hit.score), 4) for number, hit in sheet.hit_of.items()}
    places, ids = sheet.cluster_places.tolist(), listing.ids.tolist()
    known: dict[str, Sequence[Any]] = {
        CLUSTER: [clusters[place] if place >= 0 else "" for place in places] if CLUSTER in shown else (),
        LENGTH: listing.characters.tolist(),
        SCORE: [scores.get(number) for number in ids] if SCORE in shown else (),
    }
    values = [known[column] if column in known else sheet.values(column) for column in shown]
    for row in rows:
        told = (*(column[row] for column in values), listing.paths[row])
        if sheet.hits:
            hit = sheet.hit_of.get(ids[row])
            more = (
                (hit.rank, hit.bi_score, hit.keyword_score, hit.cross_score, hit.text) if hit else (None,) * 5
            )
            told = (*told, *more)
        yield told


def is_cheap(column: str) -> bool:
    """Whether a column sorts by numbers that are there already."""
    return column in (LENGTH, SCORE, CLUSTER)


def sort_keys(sheet: DocumentColumns, column: str) -> NDArray[np.float64]:
    """(N,) numbers that order the documents by a column; NaN where a document has no value."""
    if column == LENGTH:
        return sheet.listing.characters.astype(np.float64)
    if column == SCORE:
        return -sheet.hit_ranks  # the best hit has the highest score
    if column == CLUSTER:
        places = sheet.cluster_places.astype(np.float64)
        places[places == NO_CLUSTER] = np.nan
        return places
    return ranks(sheet.values(column))


def ranks(values: Sequence[Any]) -> NDArray[np.float64]:
    """(N,) ranks of values of any kind: numbers first, then texts as people order them; NaN for nothing."""
    keys = [_key(value) for value in values]
    # Plain strings and plain numbers sort several times faster than pairs, and the sort holds the interpreter.
    numbers = sorted({key for key in keys if isinstance(key, float)})
    texts = sorted({key for key in keys if isinstance(key, str)})
    ordered: list[float | str] = [*numbers, *texts]
    place: dict[float | str | None, float] = {key: float(rank) for rank, key in enumerate(ordered)}
    place[None] = math.nan
    return np.array([place[key] for key in keys], np.float64)


def _key(value: Any) -> float | str | None:
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, int | float):
        return float(value)
    folded = str(value).casefold()
    return _DIGITS.sub(_padded, folded)


def _padded(digits: re.Match[str]) -> str:
    """So that "part 2" comes before "part 10"."""
    return digits[0].zfill(12)


def arranged(keys: NDArray[np.float64], *, descending: bool) -> NDArray[np.int64]:
    """(N,) rows in order of their keys, equal ones as they are listed; what has no key comes last both ways."""
    order = np.argsort(-keys if descending else keys, kind="stable")  # NaN goes to the end
    return order.astype(np.int64)


@lru_cache(maxsize=2)  # a search brings a new sheet, but not new documents
def haystacks(listing: Listing) -> list[str]:
    """What the filter field looks through: title and path of each document."""
    pairs = zip(listing.titles, listing.paths, strict=True)
    return [f"{title}\n{path}".casefold() for title, path in pairs]


def containing(sheet: DocumentColumns, text: str) -> NDArray[np.bool_]:
    """(N,) whether title, path or tags of each document contain every word of `text`."""
    words = unicodedata.normalize("NFC", text).casefold().split()
    hays, rows = haystacks(sheet.listing), sheet.listing.rows
    found = np.ones(len(hays), bool)
    for word in words:
        found &= np.array([word in hay for hay in hays], bool)
    for number, tags in sheet.tags.items():
        row = rows.get(number)
        if row is not None and not found[row]:
            hay = "\n".join([hays[row], *tags]).casefold()
            found[row] = all(word in hay for word in words)
    return found
