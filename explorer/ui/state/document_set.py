"""Sets of document ids as sorted arrays, and the rows at which documents are shown.

A lasso around a million points marks a million documents. Python sets of that size take 100 ms and more for each
conversion, comparison or intersection; sorted arrays take a few milliseconds, so all of the window's panels use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]


_MANY = 1000  # ids; above, one pass over all rows (20 ms for a million) is faster than a binary search for each (200)


class DocumentSet(Set[int]):
    """A frozen set of document ids. It compares equal to any set of the same ids.

    Attributes:
        ids: The ids, ascending, each once, read-only, (N,).
    """

    __slots__ = ("ids",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, documents: Iterable[int] | Ids = ()) -> None:
        if isinstance(documents, DocumentSet):
            self.ids: Ids = documents.ids
            return
        ids = documents if isinstance(documents, np.ndarray) else np.fromiter(documents, np.int64)
        ids = np.asarray(ids, dtype=np.int64)
        # Ids of rows inside a lasso are mostly ascending already: checking takes 1 ms for a million, sorting 50.
        ids = ids.copy() if _is_ascending(ids) else _sorted_unique(ids)
        ids.flags.writeable = False
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __contains__(self, document: object) -> bool:
        if not isinstance(document, int | np.integer):
            return False
        at = int(np.searchsorted(self.ids, document))
        return at < len(self.ids) and int(self.ids[at]) == document

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DocumentSet):
            return self.ids is other.ids or np.array_equal(self.ids, other.ids)
        return super().__eq__(other)

    def __le__(self, other: Set[object]) -> bool:
        return bool(np.isin(self.ids, _ids(other)).all())

    def __and__(self, other: Iterable[object]) -> DocumentSet:
        return DocumentSet(self.ids[np.isin(self.ids, _ids(other))])

    def __or__(self, other: Iterable[object]) -> DocumentSet:
        return DocumentSet(np.concatenate((self.ids, _ids(other))))

    def __sub__(self, other: Iterable[object]) -> DocumentSet:
        return DocumentSet(self.ids[~np.isin(self.ids, _ids(other))])

    def __xor__(self, other: Iterable[object]) -> DocumentSet:
        return (self - (given := DocumentSet(_ids(other)))) | (given - self)

    def __repr__(self) -> str:
        return f"DocumentSet({self.ids.tolist() if len(self) < 20 else f'{len(self)} documents'})"

    def mask(self, documents: Ids) -> NDArray[np.bool_]:
        """Return whether each of some documents, (N,), is in the set."""
        return np.isin(documents, self.ids)

    def among(self, documents: Ids) -> DocumentSet:
        """Return those that are among some documents; itself if all are."""
        there = np.isin(self.ids, documents)
        return self if there.all() else DocumentSet(self.ids[there])


class RowIndex:
    """The rows of documents, found by binary search.

    Attributes:
        documents: The document of each row, (N,).
    """

    def __init__(self, documents: Ids | Iterable[int] = ()) -> None:
        self.documents: Ids = _ids(documents)
        self._order = None if _is_ascending(self.documents) else np.argsort(self.documents)
        self._sorted = self.documents if self._order is None else self.documents[self._order]

    def __len__(self) -> int:
        return len(self.documents)

    def row(self, document: int | None) -> int:
        """Return the row of a document, -1 if it has none."""
        rows = self.rows([] if document is None else [document])
        return int(rows[0]) if len(rows) else -1

    def rows(self, documents: Iterable[int] | Ids) -> NDArray[np.int64]:
        """Return the rows of those documents that have one, in the order of the documents."""
        wanted = _ids(documents)
        if not len(self._sorted):
            return np.empty(0, np.int64)
        if isinstance(documents, DocumentSet) and len(wanted) > _MANY:
            at = np.flatnonzero(np.isin(self._sorted, wanted))
            return np.asarray(at if self._order is None else self._order[at], np.int64)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        at = at[self._sorted[at] == wanted]
        return np.asarray(at if self._order is None else self._order[at], np.int64)


def _ids(documents: Iterable[object]) -> Ids:
    if isinstance(documents, DocumentSet):
        return documents.ids
    if isinstance(documents, np.ndarray):
        return np.asarray(documents, np.int64)
    return np.fromiter(documents, np.int64)


def _sorted_unique(ids: Ids) -> Ids:
    """Return ids ascending, each once.

    numpy 2.4 finds unique integers by hashing, which takes 3 s for a million; a sort that merges runs takes 50 ms.
    """
    ids = np.sort(ids, kind="stable")
    return ids[np.concatenate(([True], ids[1:] != ids[:-1]))] if len(ids) else ids


def _is_ascending(ids: Ids) -> bool:
    return bool((ids[1:] > ids[:-1]).all())
