"""Score passages by BM25 with the constants of FTS5, a hundred times as fast for common words.

BM25: Robertson and Zaragoza (2009), https://doi.org/10.1561/1500000019.

FTS5's own ranking calls a function for each row; here each term is one array of occurrences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_K1, _B = 1.2, 0.75  # FTS5's own
_COMMON = 1e-6  # what FTS5 lets a term count that more than half of all passages have


@dataclass(frozen=True)
class Lengths:
    """How long the passages are.

    Attributes:
        terms: (largest id + 1,) number of terms of each passage; 0 where there is none of that id.
        count: How many passages there are.
    """

    terms: NDArray[np.float32]
    count: int

    @staticmethod
    def from_counts(ids: NDArray[np.int64], terms: NDArray[np.int64]) -> Lengths:
        """Make lengths from ids and the number of terms of each."""
        sizes = np.zeros(int(ids.max()) + 1 if len(ids) else 0, np.float32)
        sizes[ids] = terms
        return Lengths(sizes, len(ids))

    @property
    def mean(self) -> float:
        """Terms of the average passage."""
        return float(self.terms.sum(dtype=np.float64)) / max(self.count, 1)


def score(occurrences: Sequence[NDArray[np.int64]], lengths: Lengths) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the passages that contain any of the terms, with their scores.

    A term that occurs f times in a passage of l terms adds idf * f (k1 + 1) / (f + k1 (1 - b + b l / mean)).

    Args:
        occurrences: For each term the passage of each of its occurrences, ascending, with repetitions.
        lengths: Of all passages.

    Returns:
        Passages ascending, and a score for each.
    """
    total = np.zeros(len(lengths.terms))
    for each in occurrences:
        known = each[: np.searchsorted(each, len(total))]  # a passage added just now has no length yet
        if not len(known):
            continue
        starts = np.flatnonzero(np.diff(known, prepend=known[0] - 1))
        passages, times = known[starts], np.diff(starts, append=len(known))
        weight = np.log((lengths.count - len(passages) + 0.5) / (len(passages) + 0.5))
        fill = _K1 * (1 - _B + _B * lengths.terms[passages] / lengths.mean)
        total[passages] += max(weight, _COMMON) * times * (_K1 + 1) / (times + fill)
    matches = np.flatnonzero(total)
    return matches, total[matches]


def best(passages: NDArray[np.int64], scores: NDArray[np.float64], k: int) -> list[tuple[int, float]]:
    """Return the k highest scores, highest first; of equal ones the smaller id."""
    if len(scores) > k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        passages, scores = passages[scores >= least], scores[scores >= least]
    order = np.lexsort((passages, -scores))[:k]
    return [(int(passages[at]), float(scores[at])) for at in order]


def varints(packed: bytes) -> NDArray[np.int64]:
    """Decode SQLite's variable-length integers: seven bits per byte, the highest first, the last byte below 128."""
    data = np.frombuffer(packed, np.uint8).astype(np.int64)
    ends = np.flatnonzero(data < 128)
    if not len(ends):
        return np.zeros(0, np.int64)
    starts = np.concatenate(([0], ends[:-1] + 1))
    behind = np.repeat(ends, ends - starts + 1) - np.arange(len(data))
    return np.add.reduceat((data & 127) << (7 * behind), starts)
