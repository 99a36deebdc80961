"""Build and update the kNN graph that clusters, map, outliers and neighbours are derived from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.analysis.vectors.exact import (
    STRIP,
    Matrix,
    Rows,
    block_of,
    blocks,
    choose,
    cosines_of_pairs,
    lengths_of,
    rank_pairs,
    search_rows,
    without_crowds,
)
from explorer.analysis.vectors.hnsw import HnswIndex
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

K = 15  # neighbours of each row
# Changed rows that cost as much to compare with hundreds of thousands as a new HNSW index.
REBUILD_ABOVE = 10_000


@dataclass(frozen=True)
class KnnGraph:
    """The nearest rows of each row, itself excluded, nearest first.

    Attributes:
        rows: (N, k) int32; -1 where a row has fewer neighbours.
        scores: (N, k) float32 cosines; 0 where there is none.
        exact: Whether these are certainly the nearest.
    """

    rows: NDArray[np.int32]
    scores: NDArray[np.float32]
    exact: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def symmetric(self) -> csr_matrix:
        """(N, N): the cosine of two rows where either names the other and it is above 0."""
        from scipy.sparse import csr_matrix

        first = np.repeat(np.arange(len(self), dtype=np.int32), self.rows.shape[1])
        second, scores = self.rows.ravel(), self.scores.ravel()
        there = (second >= 0) & (scores > 0)
        one_way = csr_matrix((scores[there], (first[there], second[there])), shape=(len(self), len(self)))
        return one_way.maximum(one_way.T).tocsr()

    def narrowed(self, k: int) -> KnnGraph:
        """Return the graph with only the k nearest of each row; itself if it has no more."""
        if self.rows.shape[1] <= k:
            return self
        return KnnGraph(self.rows[:, :k].copy(), self.scores[:, :k].copy(), self.exact)


@dataclass(frozen=True)
class GraphRows:
    """Part of a graph: the neighbours of some rows.

    Attributes:
        lines: (L,) the rows they are the neighbours of.
        rows: (L, k) the neighbours, nearest first.
        scores: (L, k) their cosines.
        exact: Whether these are certainly the nearest.
    """

    lines: Rows
    rows: Rows
    scores: NDArray[np.float32]
    exact: bool = True


def build(vectors: Matrix, k: int = K, *, task: Task | None = None) -> KnnGraph:
    """Find the k nearest rows of every row.

    A row without a direction (zero, or not finite) has no neighbours and is nobody's.

    Args:
        vectors: (N, n), perhaps memory-mapped.
        k: How many.
        task: Progress and cancellation.

    Returns:
        Rows and scores (N, k). Of equals the smaller row comes first.
    """
    task, live = task or Task(), _with_direction(vectors)
    most = min(k, len(live) - 1)
    if choose(len(live)) == "exact":
        return _join([_compare(vectors, live, live, most, task, exclude_self=True)], len(vectors), k)
    index = HnswIndex.build(vectors[:0])
    index.add(vectors, live, threads=1, task=task)  # or else the same vectors give another graph each time
    near = index.all_pairs(vectors, most, task=task)
    whole = (near.rows[live] >= 0).all(axis=1)
    there = GraphRows(live[whole], near.rows[live[whole]], near.scores[live[whole]], exact=False)
    rest = _compare(vectors, live[~whole], live, most, task, exclude_self=True)  # where the index led to fewer
    return _join([there, rest], len(vectors), k)


def update_rows(
    graph: KnnGraph, vectors: Matrix, former: ArrayLike, k: int = K, *, task: Task | None = None
) -> KnnGraph:
    """Update a graph for rows that came, went or changed: the result of `build`, for less.

    Args:
        graph: The graph of earlier rows.
        vectors: (N, n), the current rows.
        former: (N,) for each of them the row it was in `graph`, with the same vector; -1 where it is new or changed.
            Ascending but for the -1; otherwise equal rows may come in another order than `build` gives.
        k: How many neighbours; more than `graph` has means to build it again.
        task: Progress and cancellation.
    """
    task, former = task or Task(), np.asarray(former, np.int64)
    live = _with_direction(vectors)
    most = min(k, len(live) - 1)
    known, scores = _renumber(graph, former)
    whole = (known[live, : max(0, most)] >= 0).all(axis=1) & (former[live] >= 0)
    stay, redo = live[whole], live[~whole]
    large = choose(len(live)) == "approximate" and len(redo) > REBUILD_ABOVE
    if large or graph.rows.shape[1] < most or not len(stay):
        return build(vectors, k, task=task)
    fresh = _compare(vectors, redo, live, most, task, exclude_self=True)
    old = GraphRows(stay, known[stay, :most], scores[stay, :most], graph.exact)
    merged = _merge(old, vectors, live[former[live] < 0], task)
    return _join([fresh, merged], len(vectors), k)


def _with_direction(vectors: Matrix) -> Rows:
    parts = [np.zeros(0), *(lengths_of(block_of(vectors, part)) for part in blocks(len(vectors)))]
    return np.flatnonzero(np.concatenate(parts))


def _renumber(graph: KnnGraph, former: Rows) -> tuple[Rows, NDArray[np.float32]]:
    """Return the lines of a graph in the current row numbers, (N, k): -1 for removed neighbours and for new rows."""
    now = np.full(len(graph) + 1, -1, np.int64)  # one more, for the neighbour -1
    there = former >= 0
    now[former[there]] = np.flatnonzero(there)
    rows = np.full((len(former), graph.rows.shape[1]), -1, np.int64)
    scores = np.zeros(rows.shape, np.float32)
    rows[there], scores[there] = now[graph.rows[former[there]]], graph.scores[former[there]]
    return rows, scores


def _join(parts: list[GraphRows], count: int, k: int) -> KnnGraph:
    """Join parts to a graph of `count` rows; rows in no part have no neighbours."""
    rows, scores = np.full((count, k), -1, np.int32), np.zeros((count, k), np.float32)
    for part in parts:
        width = part.rows.shape[1]
        rows[part.lines, :width], scores[part.lines, :width] = part.rows, part.scores
    return KnnGraph(rows, scores, all(part.exact for part in parts))


def _compare(vectors: Matrix, lines: Rows, columns: Rows, k: int, task: Task, *, exclude_self: bool) -> GraphRows:
    """Find the k nearest of some rows (L,) among others."""
    if k < 1 or not len(lines):
        shape = len(lines), max(0, k)
        return GraphRows(lines, np.zeros(shape, np.int64), np.zeros(shape, np.float32))
    columns = without_crowds(vectors, columns, k)
    return GraphRows(lines, *search_rows(vectors, columns, vectors, lines, k, exclude_self=exclude_self, task=task))


def _merge(known: GraphRows, vectors: Matrix, new: Rows, task: Task) -> GraphRows:
    """Insert new rows into the neighbour lists of others."""
    k = known.rows.shape[1]
    fresh = _compare(vectors, known.lines, new, min(k, len(new)), task, exclude_self=False)
    if not fresh.rows.size:
        return known
    rows, scores = known.rows, known.scores
    # Scores are rounded to float32, so those that look equal compete too.
    enters = np.flatnonzero(fresh.scores[:, 0] >= scores[:, -1])
    for part in blocks(len(enters), STRIP):
        here = enters[part]
        rivals = np.concatenate([rows[here], fresh.rows[here]], axis=1)
        line = np.repeat(np.arange(len(here)), rivals.shape[1])
        near = cosines_of_pairs(vectors, known.lines[here][line], vectors, rivals.ravel())
        _, best, near = rank_pairs(line, rivals.ravel(), near, k)
        rows[here], scores[here] = best.reshape(-1, k), near.reshape(-1, k)
        task.check()
    return GraphRows(known.lines, rows, scores, known.exact and fresh.exact)
