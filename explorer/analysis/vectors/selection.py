"""Keeps, of scores that stream by with a known error, the few candidates that may be among the best k."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.scoring import Rows

Scorer = Callable[[Rows, Rows], NDArray[np.float64]]  # (P,) queries, (P,) rows -> (P,) nearness

GROUPS = 256  # of columns in a block, whose maxima stand for it
ROOM = 500_000  # candidates held before they are thinned


class Candidates:
    """The rows that may be among the k nearest of each of Q queries.

    The k-th best of group maxima is a floor under the k-th best of all, and costs one pass and a small partition.
    """

    def __init__(self, queries: int, k: int, score: Scorer) -> None:
        self._k, self._score = k, score
        self._room = max(ROOM, 2 * queries * k)
        self._floors = np.full((queries, k), -np.inf)  # the k best lower bounds seen, unordered
        self._queries: list[Rows] = []
        self._rows: list[Rows] = []
        self._upper: list[NDArray[np.float64]] = []
        self._held = 0

    def offer(self, near: NDArray[Any], error: NDArray[np.float64], rows: Rows) -> None:
        """Look at a block.

        Args:
            near: (Q, B) approximate nearness; -inf where a row is no candidate.
            error: (Q, 1) bound on its error.
            rows: (B,) the numbers of the rows.
        """
        tops = _tops(near, self._k)
        self._floors = _largest(np.concatenate([self._floors, tops - error], axis=1), self._k)
        floor = self._floors.min(axis=1, keepdims=True)
        # The bar is rounded down to the type of the scores: comparing mixed types would copy the block.
        bar = np.nextafter((floor - error).astype(near.dtype), np.array(-np.inf, near.dtype))
        flat = np.flatnonzero((near >= bar) & (near > -np.inf) if np.isneginf(bar).any() else near >= bar)
        query, column = np.divmod(flat, near.shape[1])
        self._add(query, rows[column], near[query, column] + error[query, 0])

    def rows(self) -> Rows:
        """All rows that are candidates of any query, ascending (C,)."""
        self._thin()
        return np.unique(self._rows[0])

    def best(self) -> tuple[Rows, NDArray[np.float64]]:
        """Score the candidates exactly: rows (Q, k) and nearness (Q, k), nearest first, then the smaller row.

        Needs at least k rows offered to each query.
        """
        self._thin()
        _, row, near = self._ranked()
        return row.reshape(-1, self._k), near.reshape(-1, self._k)

    def _add(self, query: Rows, rows: Rows, upper: NDArray[np.float64]) -> None:
        self._queries.append(query)
        self._rows.append(rows)
        self._upper.append(upper)
        self._held += len(rows)
        if self._held > self._room:
            self._thin()
        if self._held > self._room:
            query, rows, _ = self._ranked()
            self._hold(query, rows, np.full(len(rows), np.inf))

    def _hold(self, query: Rows, rows: Rows, upper: NDArray[np.float64]) -> None:
        self._queries, self._rows, self._upper = [query], [rows], [upper]
        self._held = len(rows)

    def _thin(self) -> None:
        """Drop candidates that the floors have since overtaken."""
        query, rows, upper = (np.concatenate(x) for x in (self._queries, self._rows, self._upper))
        stay = upper >= self._floors.min(axis=1)[query]
        self._hold(query[stay], rows[stay], upper[stay])

    def _ranked(self) -> tuple[Rows, Rows, NDArray[np.float64]]:
        """The best k of each query by exact nearness: three flat arrays, query after query."""
        query, rows = np.concatenate(self._queries), np.concatenate(self._rows)
        return ranked(query, rows, self._score(query, rows), self._k)


def ranked(
    query: Rows, rows: Rows, near: NDArray[np.float64], k: int
) -> tuple[Rows, Rows, NDArray[np.float64]]:
    """Put pairs (P,) in order of query, nearness and row, and keep the first k of each query."""
    order = np.lexsort((rows, -near, query))
    query, rows, near = query[order], rows[order], near[order]
    stay = np.arange(len(query)) - np.searchsorted(query, query) < k
    return query[stay], rows[stay], near[stay]


def _tops(near: NDArray[Any], k: int) -> NDArray[Any]:
    """At least the k largest lower bounds that a block offers cheaply: maxima of groups of columns."""
    size = near.shape[1] // max(GROUPS, 16 * k)
    if size < 2:
        return near
    width = near.shape[1] // size
    grouped = near[:, : width * size].reshape(len(near), size, width).max(axis=1)
    return _largest(np.concatenate([grouped, near[:, width * size :]], axis=1), k)


def _largest(values: NDArray[Any], k: int) -> NDArray[Any]:
    """The k largest of each line, in no order."""
    return np.partition(values, values.shape[1] - k, axis=1)[:, -k:] if values.shape[1] > k else values
