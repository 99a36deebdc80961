"""Find all pairs of rows whose cosine reaches a threshold, for duplicates and paraphrases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.exact import (
    FLOAT32_ERROR,
    Matrix,
    Rows,
    block_of,
    blocks,
    cosines_of_pairs,
    unit_vectors,
)
from explorer.task import Task

LIMIT = 500_000
STRIP, BLOCK = 512, 1024  # rows compared at once; small, as every pair may be alike


@dataclass(frozen=True)
class SimilarPairs:
    """Similar pairs, the most similar first, then by their rows.

    Attributes:
        rows: (M, 2) int64, the smaller row first.
        scores: (M,) float32 cosines.
        capped: Whether there were more, less similar than these or later among equals.
    """

    rows: Rows
    scores: NDArray[np.float32]
    capped: bool


def radius_pairs(vectors: Matrix, threshold: float, *, limit: int = LIMIT, task: Task | None = None) -> SimilarPairs:
    """Find every pair of rows whose cosine reaches the threshold.

    Args:
        vectors: (N, n), perhaps memory-mapped.
        threshold: The smallest cosine wanted.
        limit: How many pairs are returned at most, the best of all.
        task: Progress and cancellation.

    Returns:
        The pairs; those with the zero vector score 0.
    """
    task, count = task or Task(), len(vectors)
    best = _BestPairs(threshold, max(0, limit))
    total = count * (count - 1) // 2
    for strip in blocks(count, STRIP):
        unit, _ = unit_vectors(block_of(vectors, strip))
        for part in blocks(count, BLOCK):
            if part.stop > strip.start + 1:
                best.add(vectors, *_pairs_above(vectors, unit, strip, part, best.floor))
                task.check()
        before = (2 * count - strip.stop - 1) * strip.stop // 2
        task.report(before, total, "looking for similar pairs")
        if best.full:
            break
    return best.sorted()


def _pairs_above(
    vectors: Matrix, unit: NDArray[np.float32], strip: slice, part: slice, floor: float
) -> tuple[Rows, Rows]:
    """Return pairs of a strip (S, n) with a block that may reach the floor, the smaller row first: (P,) and (P,)."""
    block, _ = unit_vectors(block_of(vectors, part))
    cosines = unit @ block.T
    first, second = np.divmod(np.flatnonzero(cosines >= np.float32(floor - FLOAT32_ERROR)), len(block))
    first, second = first + strip.start, second + part.start
    ordered = first < second
    return first[ordered], second[ordered]


class _BestPairs:
    """The best pairs so far.

    Attributes:
        floor: The score below which no pair is of use.
    """

    def __init__(self, threshold: float, limit: int) -> None:
        self.floor, self._limit, self._capped = threshold, limit, False
        self._first, self._second = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._scores = np.zeros(0)

    @property
    def full(self) -> bool:
        """Whether no later pair can be better than those stored."""
        return self._capped and (self.floor >= 1 or not self._limit)

    def add(self, vectors: Matrix, first: Rows, second: Rows) -> None:
        scores = cosines_of_pairs(vectors, first, vectors, second)
        stay = scores >= self.floor
        self._first = np.concatenate([self._first, first[stay]])
        self._second = np.concatenate([self._second, second[stay]])
        self._scores = np.concatenate([self._scores, scores[stay]])
        if len(self._scores) > 2 * self._limit:
            self._cut()

    def sorted(self) -> SimilarPairs:
        self._cut()
        rows = np.stack([self._first, self._second], axis=1)
        return SimilarPairs(rows, self._scores.astype(np.float32), self._capped)

    def _cut(self) -> None:
        order = np.lexsort((self._second, self._first, -self._scores))
        if len(order) > self._limit:
            order, self._capped = order[: self._limit], True
            self.floor = float(self._scores[order[-1]]) if len(order) else self.floor
        self._first, self._second = self._first[order], self._second[order]
        self._scores = self._scores[order]
