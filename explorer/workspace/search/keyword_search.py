"""Search by word: the occurrences of a query's terms come from FTS5 as one string each, and are weighed as arrays.

FTS5's own ranking looks up the length of every passage it scores, which takes a fifth of a second for a word that a
third of 100,000 passages have.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.search import bm25
from explorer.workspace.search.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEPT = 4_000_000  # occurrences that are remembered, 32 MB
_AGAIN = 1_000  # the last ids may have been given anew


class KeywordSearch:
    """Searches the words of one workspace; remembers what it read until the workspace changes."""

    def __init__(self, connection: sqlite3.Connection, changes: Callable[[], object]) -> None:
        """For a connection; `changes` gives something that differs whenever the workspace was changed."""
        self._db = connection
        self._changes = changes
        self._seen: object = None
        self._kept: dict[str, NDArray[np.int64]] = {}
        self._ids = np.zeros(0, np.int64)
        self._terms = np.zeros(0, np.int64)
        self._lengths = bm25.Lengths.of(self._ids, self._terms)
        self._vocabulary = Vocabulary(connection)
        self._made = False

    def best(self, wanted: Sequence[str], k: int, allowed: set[int] | None = None) -> list[tuple[int, float]]:
        """The passages that say most of some terms.

        Args:
            wanted: The terms.
            k: How many passages.
            allowed: The documents to look in; None for all.

        Returns:
            Passages with their BM25, the highest first.
        """
        self._look()
        wanted = self._vocabulary.telling(wanted)
        if not wanted:
            return []
        passages, scores = bm25.score([self._occurrences(term) for term in wanted], self._lengths)
        if allowed is not None:
            inside = np.isin(passages, self._passages_of(allowed), assume_unique=True)
            passages, scores = passages[inside], scores[inside]
        return bm25.best(passages, scores, k)

    def warm_up(self) -> None:
        """Read the common terms ahead, so that no query waits for them; until the workspace changes."""
        self._look()
        for term in self._vocabulary.common():
            if sum(map(len, self._kept.values())) > _KEPT // 2:
                break
            self._occurrences(term)

    def has_korean(self) -> bool:
        """Whether some passage has a word of Hangul."""
        return self._vocabulary.has_korean()

    def _look(self) -> None:
        """Forget what has changed, and read the lengths of what is new."""
        now = self._changes()
        if now == self._seen:
            return
        self._kept.clear()
        self._vocabulary.forget()
        known = int(self._ids[-1]) if len(self._ids) else 0
        same = self._db.execute("SELECT count(*) FROM words_docsize WHERE id <= ?", (known,)).fetchone()[0]
        after = known - _AGAIN if same == len(self._ids) else -1
        rows = self._db.execute(
            "SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id", (after,)
        ).fetchall()
        stay = int(np.searchsorted(self._ids, after, side="right"))
        self._ids = np.concatenate([self._ids[:stay], np.array([row[0] for row in rows], np.int64)])
        self._terms = np.concatenate([self._terms[:stay], bm25.varints(b"".join(row[1] for row in rows))])
        self._lengths = bm25.Lengths.of(self._ids, self._terms)
        self._seen = now

    def _occurrences(self, term: str) -> NDArray[np.int64]:
        """The passage of each occurrence of a term, ascending."""
        found = self._kept.get(term)
        if found is None:
            if not self._made:  # a table of this connection alone, which works for readers too
                self._db.execute(
                    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrences "
                    "USING fts5vocab('main', 'words', 'instance')"
                )
                self._made = True
            found = _numbers(
                self._db.execute("SELECT group_concat(doc) FROM temp.occurrences WHERE term = ?", (term,))
            )
            if sum(map(len, self._kept.values())) + len(found) > _KEPT:
                self._kept.clear()
            self._kept[term] = found
        return found

    def _passages_of(self, documents: set[int]) -> NDArray[np.int64]:
        return _numbers(
            self._db.execute(
                "SELECT group_concat(id) FROM passages WHERE document IN (SELECT value FROM json_each(?))",
                (json.dumps(sorted(documents)),),
            )
        )


def _numbers(rows: sqlite3.Cursor) -> NDArray[np.int64]:
    """The numbers of one string with commas."""
    text = rows.fetchone()[0]
    return np.zeros(0, np.int64) if not text else np.fromstring(text, np.int64, sep=",")
