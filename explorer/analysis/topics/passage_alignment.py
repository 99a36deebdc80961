"""Match the passages of two documents, and find where two models disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIXED_LEVEL = 0.5  # where the folder is too small to tell what is usual in it
LUCK = 0.05  # how often a passage may find a match by chance
_SURE = 0.75  # of the way from the usual cosine to 1: no match need be closer than that
_PAIRS_AT_LEAST = 400  # that a level can be taken from
_PAIRS_ABOVE = 10
_ROUNDING = 1e-3  # of vectors kept in half precision
_FEW = 4  # pairs that cannot be ranked
_FAR_APART = 0.5  # of all ranks
_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Alignment:
    """The best match of each passage in the other document.

    Attributes:
        first: For each passage of the first document the nearest of the second, (P,); -1 where there is none.
        first_scores: Their cosines, (P,); 0 where there is none.
        second: For each passage of the second the nearest of the first, (Q,).
        second_scores: Their cosines, (Q,).
    """

    first: NDArray[np.int64]
    first_scores: NDArray[np.float32]
    second: NDArray[np.int64]
    second_scores: NDArray[np.float32]

    def pairs(self) -> list[Pair]:
        """Return the pairs in which one is the best match of the other, nearest first."""
        scores_by_pair = {
            (row, int(best)): float(score)
            for row, (best, score) in enumerate(zip(self.first, self.first_scores, strict=True))
        } | {
            (int(best), row): float(score)
            for row, (best, score) in enumerate(zip(self.second, self.second_scores, strict=True))
        }
        pairs = [
            Pair(first, second, score, bool(self.first[first] == second and self.second[second] == first))
            for (first, second), score in scores_by_pair.items()
            if min(first, second) >= 0
        ]
        return sorted(pairs, key=lambda pair: (-pair.score, not pair.mutual, pair.first, pair.second))


@dataclass(frozen=True)
class Pair:
    """Two passages by their places in their documents, their cosine, and whether each is the other's best match."""

    first: int
    second: int
    score: float
    mutual: bool


def align(first: NDArray[np.floating], second: NDArray[np.floating], *, task: Task | None = None) -> Alignment:
    """Return the best match of each passage in the other document, both ways; the first of equals.

    Args:
        first: The vectors of one document's passages, (P, n), of length 1.
        second: Those of the other, (Q, n).
        task: Progress and cancel.
    """
    task = task or Task()
    there, here = np.full(len(first), -1, np.int64), np.full(len(second), -1, np.int64)
    there_scores, here_scores = np.zeros(len(first), np.float32), np.full(len(second), -np.inf, np.float32)
    columns, places = second.astype(np.float32).T, np.arange(len(second))
    for start in range(0, len(first) if len(second) else 0, _BLOCK):
        task.report(start, len(first), "aligning")
        scores = np.clip(first[start : start + _BLOCK].astype(np.float32) @ columns, -1, 1)  # (<= _BLOCK, Q)
        rows = slice(start, start + len(scores))
        there[rows] = scores.argmax(1)
        there_scores[rows] = scores.max(1)
        best = scores.argmax(0)
        better = scores[best, places] > here_scores
        here[better], here_scores[better] = best[better] + start, scores[best, places][better]
    return Alignment(there, there_scores, here, np.where(here < 0, np.float32(0), here_scores))


def match_level(vectors: NDArray[np.floating], documents: NDArray[np.int64], candidates: int) -> float:
    """Return the cosine from which two passages count as matching, by what is usual in their folder.

    Of passages that have nothing to do with the other document, LUCK of them reach the level with the best of its
    passages: it is the 1 - LUCK / candidates quantile of the cosines of passages of different documents. In a folder
    of near-copies it would be too near to 1, and is at most _SURE of the way there from the median. Unlike a fixed
    figure it suits models whose every cosine is above 0.7. Where there are too few passages, FIXED_LEVEL.

    Args:
        vectors: Passages of the folder, but not of the two documents, (N, n), of length 1.
        documents: The document of each, (N,).
        candidates: Passages among which a match is looked for.
    """
    unit = vectors.astype(np.float32)
    apart = np.triu(documents[:, None] != documents[None, :])
    usual = (unit @ unit.T)[apart]
    if len(usual) < _PAIRS_AT_LEAST:
        return FIXED_LEVEL
    share = min(1 - LUCK / max(1, candidates), 1 - _PAIRS_ABOVE / len(usual))
    median, rare = np.quantile(usual, [0.5, share])
    return float(np.clip(min(rare, median + _SURE * (1 - median)), 0, 1 - _ROUNDING))


def disagree(cosines: NDArray[np.floating], relevance: NDArray[np.floating], level: float) -> NDArray[np.bool_]:
    """Return which pairs a bi-encoder and a cross-encoder disagree about, (N,).

    Their scores are on different scales, so their orders are compared: the models disagree on a pair that stands more
    than half of all ranks higher with one than with the other. Fewer than four pairs have no order to speak of; there
    they disagree where only one of them sees a match: the cosine reaches the level, or the relevance 0.5.
    """
    if len(cosines) < _FEW:
        return np.asarray((cosines >= level) != (relevance >= 0.5))
    ranks = [_shares(cosines), _shares(relevance)]
    return np.asarray(np.abs(ranks[0] - ranks[1]) > _FAR_APART)


def _shares(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the rank of each value, 0 for the lowest and 1 for the highest; equals share theirs."""
    ordered = np.sort(values)
    below, through = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return np.asarray((below + through - 1) / 2 / (len(values) - 1), dtype=np.float64)
