"""The nearest neighbours of vectors, exactly: of a query, of every row, and kept true as rows come and go.

Fast scores choose candidates within a proven error; float64 scores of the stored numbers decide among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.analysis.vectors.exhaustive import ExactSearch, nearness_to_scores
from explorer.analysis.vectors.scoring import (
    Matrix,
    Metric,
    PreparedVectors,
    Rows,
    block_of,
    blocks,
    exact,
    lengths_of,
    prepare,
)
from explorer.analysis.vectors.selection import ranked
from explorer.analysis.vectors.similar_pairs import radius_pairs
from explorer.task import Task

__all__ = [
    "EXACT_LIMIT",
    "Neighbours",
    "PreparedVectors",
    "all_pairs",
    "choose",
    "nearest",
    "prepare",
    "radius_pairs",
    "renumber",
    "update",
]

EXACT_LIMIT = 200_000  # rows; above, comparing every row with every other takes minutes


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query, nearest first; of equals the smaller row.

    Attributes:
        rows: (Q, k) int64; -1 throughout the line of a row that takes no part.
        scores: (Q, k) float32: cosines, or Euclidean distances.
        exact: Whether these are certainly the nearest.
    """

    rows: Rows
    scores: NDArray[np.float32]
    exact: bool = True


def choose(count: int) -> Literal["exact", "approximate"]:
    """Say which search suits `count` rows."""
    return "exact" if count <= EXACT_LIMIT else "approximate"


def nearest(
    vectors: Matrix,
    queries: Matrix,
    k: int,
    *,
    metric: Metric = "cosine",
    rows: ArrayLike | None = None,
    prepared: PreparedVectors | None = None,
    task: Task | None = None,
) -> Neighbours:
    """Find the k rows nearest to each query, exactly.

    Args:
        vectors: (N, n) float16, float32 or float64, perhaps memory-mapped; never copied whole.
        queries: (Q, n) or (n,).
        k: How many; fewer are returned where there are fewer rows.
        metric: "cosine" (larger is nearer) or "euclidean" (smaller is nearer).
        rows: Search only these; all if absent.
        prepared: From `prepare(vectors)`; spares measuring the rows anew at each call.
        task: Told of the progress.

    Returns:
        Rows and scores (Q, min(k, rows searched)).

    Raises:
        Cancelled: The task was cancelled.
    """
    queries = np.atleast_2d(queries)
    columns = None if rows is None else np.unique(np.asarray(rows, np.int64))
    k = max(0, min(k, len(vectors) if columns is None else len(columns)))
    search = ExactSearch(vectors, columns, k, metric, prepared)
    return Neighbours(*search.of(queries, np.arange(len(queries)), task or Task()))


def all_pairs(
    vectors: Matrix,
    k: int,
    *,
    metric: Metric = "cosine",
    rows: ArrayLike | None = None,
    task: Task | None = None,
) -> Neighbours:
    """Find the k rows nearest to every row, itself excluded, exactly.

    Args:
        vectors: (N, n).
        k: How many; at most one fewer than the rows that take part.
        metric: "cosine" or "euclidean".
        rows: The rows that take part; all if absent.
        task: Told of the progress.

    Returns:
        Rows and scores (N, k); lines of rows that take no part hold -1 and 0.

    Raises:
        Cancelled: The task was cancelled.
    """
    live = np.arange(len(vectors)) if rows is None else np.unique(np.asarray(rows, np.int64))
    k = max(0, min(k, len(live) - 1))
    columns = uncrowded(vectors, live, k) if k else live
    found = ExactSearch(vectors, columns, k, metric, own=True).of(vectors, live, task or Task())
    return _spread(*found, live, len(vectors))


def update(
    neighbours: Neighbours,
    vectors: Matrix,
    added: ArrayLike,
    removed: ArrayLike,
    k: int,
    *,
    metric: Metric = "cosine",
    task: Task | None = None,
) -> Neighbours:
    """Bring `all_pairs` of earlier rows up to date: the same as computing it anew, for less.

    Args:
        neighbours: What `all_pairs` or `update` gave for the first M rows, with the same metric.
        vectors: (N, n), the first M rows unchanged.
        added: The new rows, numbered from M on.
        removed: Rows that take no part any more; rows removed before need not be named again.
        k: How many neighbours are wanted; may differ from before.
        metric: "cosine" or "euclidean".
        task: Told of the progress.

    Returns:
        What `all_pairs(vectors, k, rows=those that remain)` gives. `renumber` closes the gaps.

    Raises:
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    new, gone = np.unique(np.asarray(added, np.int64)), np.unique(np.asarray(removed, np.int64))
    alive = np.flatnonzero((neighbours.rows >= 0).all(axis=1))
    old, new = np.setdiff1d(alive, gone), np.setdiff1d(new, gone)
    live = np.union1d(old, new)
    k = max(0, min(k, len(live) - 1))
    if neighbours.rows.shape[1] < k:
        return all_pairs(vectors, k, metric=metric, rows=live, task=task)
    rows, scores = neighbours.rows[old, :k], neighbours.scores[old, :k]
    hurt = np.isin(rows, gone).any(axis=1)
    redo, stay = np.union1d(old[hurt], new), old[~hurt]
    fresh = ExactSearch(vectors, live, k, metric, own=True).of(vectors, redo, task)
    merged = _merge(rows[~hurt], scores[~hurt], vectors, stay, new, metric, task)
    rows, scores = np.concatenate([fresh[0], merged[0]]), np.concatenate([fresh[1], merged[1]])
    return _spread(rows, scores, np.concatenate([redo, stay]), len(vectors))


def renumber(neighbours: Neighbours, keep: ArrayLike) -> Neighbours:
    """Close the gaps that removed rows left.

    Args:
        neighbours: (N, k), whose lines in `keep` name only rows in `keep`.
        keep: (M,) the rows that remain, ascending; row `keep[i]` becomes row i.

    Returns:
        Lines and rows in the new numbers, (M, k).
    """
    keep = np.asarray(keep, np.int64)
    rows = np.searchsorted(keep, neighbours.rows[keep])
    return Neighbours(rows, neighbours.scores[keep], neighbours.exact)


def _merge(
    rows: Rows,
    scores: NDArray[np.float32],
    vectors: Matrix,
    lines: Rows,
    new: Rows,
    metric: Metric,
    task: Task,
) -> tuple[Rows, NDArray[np.float32]]:
    """Let new rows enter the lists of old ones: (M, k) rows and scores of `lines` (M,), changed where need be."""
    k = rows.shape[1]
    few = min(k, len(new))
    if not few or not len(lines):
        return rows, scores
    found, marks = ExactSearch(vectors, new, few, metric).of(vectors, lines, task)
    # Scores are rounded to float32, so those that look equal compete too.
    enters = marks[:, 0] >= scores[:, -1] if metric == "cosine" else marks[:, 0] <= scores[:, -1]
    rivals = np.concatenate([rows[enters], found[enters]], axis=1)
    line = np.repeat(np.flatnonzero(enters), k + few)
    near = exact(vectors, lines[line], vectors, rivals.ravel(), metric) * (1 if metric == "cosine" else -1)
    _, best, near = ranked(line, rivals.ravel(), near, k)
    rows[enters] = best.reshape(-1, k)
    scores[enters] = nearness_to_scores(near.reshape(-1, k), metric)
    return rows, scores


def _spread(rows: Rows, scores: NDArray[np.float32], lines: Rows, count: int) -> Neighbours:
    """Put the answers of `lines` at their places among `count` lines."""
    k = rows.shape[1]
    all_rows, all_scores = np.full((count, k), -1, np.int64), np.zeros((count, k), np.float32)
    all_rows[lines], all_scores[lines] = rows, scores
    return Neighbours(all_rows, all_scores)


def uncrowded(vectors: Matrix, rows: Rows, k: int) -> Rows:
    """Leave out rows that have more than k identical ones before them: those always come first.

    Without this a thousand copies of one page would each have to be told apart from all the others.
    """
    seen: dict[bytes, int] = {}
    stay = np.zeros(len(rows), bool)
    for part in blocks(len(rows)):
        block = block_of(vectors, rows[part])
        for place, (row, length) in enumerate(zip(block, lengths_of(block), strict=True), part.start):
            key = blake2b(row.tobytes(), digest_size=16).digest() if length else b""
            seen[key] = seen.get(key, 0) + 1
            stay[place] = seen[key] <= k + 1
    return rows[stay]
