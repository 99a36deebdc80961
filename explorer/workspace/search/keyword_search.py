"""Search passages by keyword: BM25 over the term occurrences that FTS5 stores.

FTS5's own ranking looks up the length of every passage it scores, which takes 0.2 s for a word that occurs in a third
of 100,000 passages. So the occurrences of each term are read as one string and scored as arrays.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.search import ranking
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.workspace.storage import database, passages
from explorer.workspace.storage.passages import WordIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 30_000  # passages that one search scores, at some 0.2 µs each; a single term may have more
_CACHED = 4_000_000  # occurrences that are remembered, 32 MB
_SPARSE, _HIGHEST = 64, 2**25  # ids for each passage, and besides: what years of changing files leave behind
_REUSED = 1_000  # SQLite may give the highest ids to new passages once the old ones are deleted


class KeywordSearch:
    """Search the words of one workspace, caching what was read until the workspace changes."""

    def __init__(
        self, connection: sqlite3.Connection, change_token: Callable[[], object], cuttings: Callable[[], int]
    ) -> None:
        """Read from a connection.

        Args:
            connection: The database.
            change_token: Returns a value that changes whenever the workspace does.
            cuttings: Returns the bit of the cutting whose passages are searched.
        """
        self._db = connection
        self._index = WordIndex(connection)
        self._change_token, self._cuttings = change_token, cuttings
        self._token: object = None
        self._cache: dict[str, NDArray[np.int64]] = {}
        self._counts: dict[str, int] = {}  # FTS5 counts by reading everything that has the term
        self._ids = np.zeros(0, np.int64)  # of every cutting
        self._terms = np.zeros(0, np.int64)
        self._inside: NDArray[np.bool_] | None = None  # by id: whether it is of the cutting; None if there is only one
        self._lengths = ranking.Lengths.from_counts(self._ids, self._terms)
        self._count = 0

    def best(self, wanted: Sequence[str], k: int, allowed: set[int] | None = None) -> list[tuple[int, float]]:
        """Return the k passages with the highest BM25 scores, best first.

        Args:
            wanted: The terms.
            k: How many passages.
            allowed: The documents to search in; None for all.
        """
        self._refresh()
        wanted = self._rarest(wanted)
        if not wanted:
            return []
        ids, scores = ranking.score([self._occurrences(term) for term in wanted], self._lengths)
        if allowed is not None:
            inside = np.isin(ids, passages.ids_of(self._db, allowed), assume_unique=True)
            ids, scores = ids[inside], scores[inside]
        return ranking.best(ids, scores, k)

    def warm_up(self) -> None:
        """Read the common terms ahead, so that no query waits for them; until the workspace changes."""
        self._refresh()
        common = self._index.common_terms(MOST // 2)
        self._counts |= common
        for term in common:
            if self._cached() > _CACHED // 2:
                break
            self._occurrences(term)

    def passage_count(self) -> int:
        """Return how many passages there are."""
        self._refresh()
        return self._count

    def has_korean(self) -> bool:
        """Return whether any passage has a word in Hangul."""
        return self._index.has_term_between("가", "힤")  # the Hangul syllables block and the letter behind it

    def _refresh(self) -> None:
        """Drop what has changed, and read the lengths of new passages."""
        now = self._change_token()
        if now == self._token:
            return
        self._cache.clear()
        self._counts.clear()
        known = int(self._ids[-1]) if len(self._ids) else 0
        # An equal count up to the last known id means that nothing was deleted; only the tail is read then.
        after = known - _REUSED if self._index.count_until(known) == len(self._ids) else -1
        rows = self._index.lengths_after(after)
        stay = int(np.searchsorted(self._ids, after, side="right"))
        self._ids = np.concatenate([self._ids[:stay], np.array([row[0] for row in rows], np.int64)])
        self._terms = np.concatenate([self._terms[:stay], ranking.varints(b"".join(row[1] for row in rows))])
        # Arrays are as long as the highest id, which in a workspace from elsewhere may be anything.
        if self._ids.max(initial=0) > _SPARSE * len(self._ids) + _HIGHEST or self._ids.min(initial=0) < 0:
            self._ids, self._terms = self._ids[:0], self._terms[:0]
            raise WorkspaceError(database.damaged(UserMessage("its word index has passages that cannot exist")))
        wanted = passages.ids_in(self._db, self._cuttings())
        ids, terms, self._inside = self._ids, self._terms, None
        if wanted is not None:
            self._inside = np.zeros(int(self._ids.max(initial=0)) + 1, np.bool_)
            self._inside[wanted[wanted < len(self._inside)]] = True
            ids, terms = ids[self._inside[ids]], terms[self._inside[ids]]
        self._lengths = ranking.Lengths.from_counts(ids, terms)
        self._count = len(ids)
        self._token = now

    def _rarest(self, wanted: Sequence[str]) -> list[str]:
        """Choose the terms to search for: the rarest, while at most MOST passages have them; at least one.

        Otherwise a search would score half of the index for "also".
        """
        counts = {term: self._count_of(term) for term in wanted}
        if sum(counts.values()) <= MOST:
            return list(wanted)
        chosen: set[str] = set()
        scored = 0
        for term in sorted((term for term in wanted if counts[term]), key=lambda term: counts[term]):
            scored += counts[term]
            if chosen and scored > MOST:
                break
            chosen.add(term)
        return [term for term in wanted if term in chosen]

    def _count_of(self, term: str) -> int:
        if term not in self._counts:
            self._counts[term] = self._index.passage_count(term)
        return self._counts[term]

    def _occurrences(self, term: str) -> NDArray[np.int64]:
        """Return the passage of each occurrence of a term, ascending."""
        if term not in self._cache:
            occurrences = self._index.occurrences(term)
            if self._inside is not None:
                occurrences = occurrences[self._inside[occurrences]]
            if self._cached() + len(occurrences) > _CACHED:
                self._cache.clear()
            self._cache[term] = occurrences
        return self._cache[term]

    def _cached(self) -> int:
        return sum(map(len, self._cache.values()))
