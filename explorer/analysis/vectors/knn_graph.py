"""The one neighbour graph: what clusters, map, outliers and neighbours are all derived from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.analysis.vectors.exact import choose, uncrowded
from explorer.analysis.vectors.exhaustive import STRIP, Answers, ExactSearch
from explorer.analysis.vectors.hnsw import HnswIndex
from explorer.analysis.vectors.scoring import (
    Matrix,
    Rows,
    block_of,
    blocks,
    directions,
    exact,
    lengths_of,
    precision,
)
from explorer.analysis.vectors.selection import ranked
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

K = 15  # neighbours of each row
REDO = 10_000  # rows whose comparison with hundreds of thousands costs as much as a new search index
PROBES = 32  # rows by which it is estimated how many others are too close to tell apart in float32
OPEN = 64  # such rows for each that never matter,
PAIRS = 500_000  # and such pairs in all
WORTH = 256  # products that take the time of one exact score
CROWD = 1024  # rows that stand for thousands of near copies


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

    def reordered(self, order: NDArray[np.int64]) -> KnnGraph:
        """The same graph with row `order[i]` as row i; `order` is a permutation of all rows, (N,)."""
        place = np.empty(len(order) + 1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        place[-1] = -1  # what a missing neighbour, -1, stays
        return KnnGraph(place[self.rows[order]], self.scores[order], self.exact)

    def narrowed(self, k: int) -> KnnGraph:
        """The same graph with the k nearest of each row; itself where it has no more."""
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
        task: Told of the progress.

    Returns:
        Rows and scores (N, k). Of equals the smaller row comes first.

    Raises:
        Cancelled: The task was cancelled.
    """
    task, live = task or Task(), _with_direction(vectors)
    most = min(k, len(live) - 1)
    if choose(len(live)) == "exact":
        return _joined([_compared(vectors, live, live, most, task, own=True)], len(vectors), k)
    index = HnswIndex.build(vectors[:0])
    index.add(vectors, live, threads=1, task=task)  # or else the same vectors give another graph each time
    near = index.all_pairs(vectors, most, task=task)
    whole = (near.rows[live] >= 0).all(axis=1)
    there = GraphRows(live[whole], near.rows[live[whole]], near.scores[live[whole]], exact=False)
    rest = _compared(vectors, live[~whole], live, most, task, own=True)  # where the index led to fewer
    return _joined([there, rest], len(vectors), k)


def updated(
    graph: KnnGraph, vectors: Matrix, kept: ArrayLike, k: int = K, *, task: Task | None = None
) -> KnnGraph:
    """Bring a graph up to date with rows that came, went or changed: what `build` gives, for less.

    Args:
        graph: The graph of earlier rows.
        vectors: (N, n), the rows of today.
        kept: (N,) for each of them the row it was in `graph`, with the same vector; -1 where it is new or changed.
            Ascending but for the -1, or of equal rows others may come first than `build` would name.
        k: How many neighbours; more than `graph` has means to compute it anew.
        task: Told of the progress.

    Raises:
        Cancelled: The task was cancelled.
    """
    task, kept = task or Task(), np.asarray(kept, np.int64)
    live = _with_direction(vectors)
    most = min(k, len(live) - 1)
    known, scores = _renumbered(graph, kept)
    whole = (known[live, : max(0, most)] >= 0).all(axis=1) & (kept[live] >= 0)
    stay, redo = live[whole], live[~whole]
    large = choose(len(live)) == "approximate" and len(redo) > REDO
    if large or graph.rows.shape[1] < most or not len(stay):
        return build(vectors, k, task=task)
    fresh = _compared(vectors, redo, live, most, task, own=True)
    old = GraphRows(stay, known[stay, :most], scores[stay, :most], graph.exact)
    merged = _merged(old, vectors, live[kept[live] < 0], task)
    return _joined([fresh, merged], len(vectors), k)


def _with_direction(vectors: Matrix) -> Rows:
    parts = [np.zeros(0), *(lengths_of(block_of(vectors, part)) for part in blocks(len(vectors)))]
    return np.flatnonzero(np.concatenate(parts))


def _renumbered(graph: KnnGraph, kept: Rows) -> tuple[Rows, NDArray[np.float32]]:
    """The lines of a graph in the numbers of today, (N, k): -1 for neighbours that are gone, and for new rows."""
    now = np.full(len(graph) + 1, -1, np.int64)  # one more, for the neighbour -1
    there = kept >= 0
    now[kept[there]] = np.flatnonzero(there)
    rows = np.full((len(kept), graph.rows.shape[1]), -1, np.int64)
    scores = np.zeros(rows.shape, np.float32)
    rows[there], scores[there] = now[graph.rows[kept[there]]], graph.scores[kept[there]]
    return rows, scores


def _joined(parts: list[GraphRows], count: int, k: int) -> KnnGraph:
    """The graph of `count` rows; those in no part have no neighbours."""
    rows, scores = np.full((count, k), -1, np.int32), np.zeros((count, k), np.float32)
    for part in parts:
        width = part.rows.shape[1]
        rows[part.lines, :width], scores[part.lines, :width] = part.rows, part.scores
    return KnnGraph(rows, scores, all(part.exact for part in parts))


def _compared(vectors: Matrix, lines: Rows, columns: Rows, k: int, task: Task, *, own: bool) -> GraphRows:
    """The k nearest of some rows (L,) among others."""
    if k < 1 or not len(lines):
        shape = len(lines), max(0, k)
        return GraphRows(lines, np.zeros(shape, np.int64), np.zeros(shape, np.float32))
    columns = uncrowded(vectors, columns, k)
    crowds = _undecided(vectors, lines, columns, k)
    work = float(crowds.sum(axis=1).mean())
    if work <= OPEN + len(columns) / WORTH or work * len(lines) <= PAIRS:
        return GraphRows(lines, *ExactSearch(vectors, columns, k, "cosine", own=own).of(vectors, lines, task))
    columns = _thinned(columns, crowds, max(CROWD, 4 * k))
    return GraphRows(lines, *_nearly(vectors, lines, columns, k, task, own=own), exact=False)


def _merged(known: GraphRows, vectors: Matrix, new: Rows, task: Task) -> GraphRows:
    """Let new rows enter the lists of others."""
    k = known.rows.shape[1]
    found = _compared(vectors, known.lines, new, min(k, len(new)), task, own=False)
    if not found.rows.size:
        return known
    rows, scores = known.rows, known.scores
    # Scores are rounded to float32, so those that look equal compete too.
    enters = np.flatnonzero(found.scores[:, 0] >= scores[:, -1])
    for part in blocks(len(enters), STRIP):
        here = enters[part]
        rivals = np.concatenate([rows[here], found.rows[here]], axis=1)
        line = np.repeat(np.arange(len(here)), rivals.shape[1])
        near = exact(vectors, known.lines[here][line], vectors, rivals.ravel(), "cosine")
        _, best, near = ranked(line, rivals.ravel(), near, k)
        rows[here], scores[here] = best.reshape(-1, k), near.reshape(-1, k)
        task.check()
    return GraphRows(known.lines, rows, scores, known.exact and found.exact)


def _undecided(vectors: Matrix, lines: Rows, columns: Rows, k: int) -> NDArray[np.bool_]:
    """For a few of the lines, which columns only exact scores could tell from their k nearest, (PROBES, C)."""
    probes = lines[np.unique(np.linspace(0, len(lines) - 1, PROBES).astype(np.int64))]
    unit, _ = directions(block_of(vectors, probes))
    parts = [unit @ directions(block_of(vectors, columns[part]))[0].T for part in blocks(len(columns))]
    near = np.concatenate(parts, axis=1)
    last = np.partition(near, -k, axis=1)[:, -k, None]
    undecided: NDArray[np.bool_] = near >= last - np.float32(2 * precision(unit.shape[1]))
    return undecided


def _thinned(columns: Rows, crowds: NDArray[np.bool_], most: int) -> Rows:
    """Let some of each crowd stand for all of it."""
    stay = np.ones(len(columns), bool)
    for crowd in crowds:
        members = np.flatnonzero(crowd & stay)
        if len(members) > most:
            stay[members] = False
            stay[members[np.linspace(0, len(members) - 1, most).astype(np.int64)]] = True
    return columns[stay]


def _nearly(vectors: Matrix, lines: Rows, columns: Rows, k: int, task: Task, *, own: bool) -> Answers:
    """The k nearest of some rows as far as float32 tells; what it proposes is scored exactly.

    For thousands of near copies, of which exact scores would have to be computed for every pair.
    """
    rows, scores = np.zeros((len(lines), k), np.int64), np.zeros((len(lines), k), np.float32)
    strips = blocks(len(lines), STRIP)
    for number, strip in enumerate(strips):
        asked = lines[strip]
        unit, _ = directions(block_of(vectors, asked))
        near, there = np.zeros((len(asked), 0), np.float32), np.zeros((len(asked), 0), np.int64)
        for part in blocks(len(columns)):
            cosines = unit @ directions(block_of(vectors, columns[part]))[0].T
            if own:
                cosines[asked[:, None] == columns[part]] = -np.inf
            best = _largest(cosines, 2 * k)
            near = np.concatenate([near, np.take_along_axis(cosines, best, 1)], axis=1)
            there = np.concatenate([there, columns[part][best]], axis=1)
            best = _largest(near, 2 * k)
            near, there = np.take_along_axis(near, best, 1), np.take_along_axis(there, best, 1)
            task.report(number * len(columns) + part.stop, len(strips) * len(columns), "comparing")
        line, place = np.nonzero(near > -np.inf)
        found = there[line, place]
        _, found, sure = ranked(line, found, exact(vectors, asked[line], vectors, found, "cosine"), k)
        rows[strip], scores[strip] = found.reshape(-1, k), sure.reshape(-1, k)
    return rows, scores


def _largest(values: NDArray[np.float32], count: int) -> Rows:
    """The places of the largest values of each line, in no order."""
    if values.shape[1] <= count:
        return np.tile(np.arange(values.shape[1]), (len(values), 1))
    return np.argpartition(values, -count, axis=1)[:, -count:]
