"""How common the terms of the word index are, so that a search need not score half of it for "also"."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

MOST = 30_000  # passages that one search scores, at some 0.2 µs each; a single term may have more


class Vocabulary:
    """The terms of one workspace."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._made = False
        self._known: dict[str, int] = {}  # FTS5 counts by walking through all that has a term

    def telling(self, wanted: Sequence[str]) -> list[str]:
        """The terms to search for: the rarest, which say most, as long as MOST passages have them; at least one."""
        counts = {term: self._passages(term) for term in wanted}
        if sum(counts.values()) <= MOST:
            return list(wanted)
        kept: set[str] = set()
        scored = 0
        for term in sorted((term for term in wanted if counts[term]), key=lambda term: counts[term]):
            scored += counts[term]
            if kept and scored > MOST:
                break
            kept.add(term)
        return [term for term in wanted if term in kept]

    def common(self) -> list[str]:
        """The terms that take long to search for, the rarest first, for which `telling` decides first."""
        self._make()
        query = "SELECT term, doc FROM temp.vocabulary WHERE doc > ? ORDER BY doc"
        found = dict(self._db.execute(query, (MOST // 2,)))
        self._known |= found
        return list(found)

    def forget(self) -> None:
        """Count anew: the workspace has changed."""
        self._known.clear()

    def has_korean(self) -> bool:
        """Whether some passage has a word of Hangul."""
        self._make()
        query = "SELECT 1 FROM temp.vocabulary WHERE term >= '가' AND term < '힤' LIMIT 1"
        return self._db.execute(query).fetchone() is not None

    def _passages(self, term: str) -> int:
        """In how many passages a term occurs."""
        self._make()
        if term not in self._known:
            row = self._db.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (term,)).fetchone()
            self._known[term] = 0 if row is None else int(row[0])
        return self._known[term]

    def _make(self) -> None:
        if not self._made:
            # A table of this connection alone, which works for readers too.
            self._db.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"
            )
            self._made = True
