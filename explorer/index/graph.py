"""The one neighbour graph: what clusters, map, outliers and neighbours are all derived from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

K = 15  # neighbours of each row


@dataclass(frozen=True)
class Graph:
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

    def reordered(self, order: NDArray[np.int64]) -> Graph:
        """The same graph with row `order[i]` as row i; `order` is a permutation of all rows, (N,)."""
        place = np.empty(len(order) + 1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        place[-1] = -1  # what a missing neighbour, -1, stays
        return Graph(place[self.rows[order]], self.scores[order], self.exact)
