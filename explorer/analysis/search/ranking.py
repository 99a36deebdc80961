"""Rank passages: BM25 with the constants of FTS5, and the fusion of semantic and keyword results by their scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from explorer.analysis.text.language import LATIN_LANGUAGES, UNKNOWN_LATIN

if TYPE_CHECKING:
    from numpy.typing import NDArray


Id = TypeVar("Id", int, str)

WEIGHT = 0.7  # of the meaning, for a model that reads the query
# Korean words are found by their morphemes, which is hard to beat; the model that reads Korean learned little of it.
_WEIGHTS = {"ko": 0.5}
# Of that weight, what the meaning keeps while only the draft knows it. Worked out from the lists of both searches among
# 100,000 rows, 1 % encoded: with 0.7 the news of 200 headlines is among the first ten for 70 %, with 1 for 66 %;
# the answers to 43 questions for 84 % and 81 %. When all is encoded it is 80 % and 91 %.
_DRAFT_SHARE = 0.7
# Of the cross-encoder's score when results are reread; the search's own score has the rest. nDCG@10 by share, on
# queries that taught nothing:
#
#                                        search alone    0.1     0.2     0.3   cross alone
#   Cranfield 73 to 92, 20 best read         0.492      0.499   0.514   0.515     0.491
#   60 held-out Korean bills, 10 best        0.965      0.971   0.971   0.971     0.955
#
# By the place in the search, (20 + 1) / (20 + rank), in the place of its score: 0.506 and 0.971 with a share of 0.3.
CROSS_SHARE = 0.3

EVERY_LANGUAGE = "*"
_UNREADABLE = 0.05
_FOREIGN_LATIN = 0.3
# Cosines of a few passages may lie so close that their differences mean nothing: they are brought to 0..1 as if the
# worst of them was at least this share below the best.
_LEAST_SPREAD = 0.15
_K1, _B = 1.2, 0.75  # FTS5's own
_COMMON = 1e-6  # what FTS5 lets a term count that more than half of all passages have


@dataclass(frozen=True)
class Fused(Generic[Id]):
    """One result of both lists.

    Attributes:
        id: Whose result this is.
        score: What the results are ordered by: 1 for the first of both lists, towards 0 for the last.
        semantic_score: Its score by meaning; None where that list does not have it.
        keyword_score: Its score by word; None likewise.
        semantic_rank: Its rank in that list, from 1; None likewise.
        keyword_rank: Its rank in that list, from 1; None likewise.
    """

    id: Id
    score: float
    semantic_score: float | None
    keyword_score: float | None
    semantic_rank: int | None
    keyword_rank: int | None


def fuse(
    semantic: Sequence[tuple[Id, float]], keyword: Sequence[tuple[Id, float]], weight: float = WEIGHT
) -> list[Fused[Id]]:
    """Merge two result lists, best first.

    Equal scores are ordered by the better of a result's two ranks, then by id, so that the same lists always
    give the same order. What only a list of no weight has is left out.

    Args:
        semantic: Results by meaning with their cosines.
        keyword: Results by word with their scores; more is better, so FTS5's bm25 comes negated.
        weight: Share of the meaning, 0..1; the words have the rest.

    Raises:
        ValueError: The weight is not within 0..1.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"a weight within 0..1 was expected, not {weight}")
    meaning = _Ranking.rank(semantic if weight > 0 else ())
    words = _Ranking.rank(keyword if weight < 1 else ())
    near, matching = meaning.shares(_LEAST_SPREAD), words.shares(1.0)
    results = [
        _result(key, weight * near.get(key, 0.0) + (1 - weight) * matching.get(key, 0.0), meaning, words)
        for key in {**near, **matching}
    ]
    return sorted(results, key=_order)


def reread(cross: float, before: float, share: float = CROSS_SHARE) -> float:
    """Return the score after reranking, 0..1: the cross-encoder's and the search's, combined.

    A small cross-encoder reads more closely and knows less than the search with all its words; together they are
    better than either.

    Args:
        cross: The cross-encoder's score, 0..1.
        before: The score before.
        share: Of the cross-encoder's score.
    """
    return share * cross + (1 - share) * before


def weight_for(query_language: str, model_languages: Collection[str], final: float = 1.0) -> float:
    """Return how far to trust the meaning of a query, 0..1: the `weight` for `fuse`.

    A model that never read the query's language goes by accidental similarity of characters: then the words decide.

    Args:
        query_language: As returned by `language.language`.
        model_languages: The languages the model was trained on; with EVERY_LANGUAGE among them, all.
        final: Share of the passages that the model has encoded; the draft compares the others, which says less.
    """
    return _weight_when_final(query_language, model_languages) * (_DRAFT_SHARE + (1 - _DRAFT_SHARE) * final)


def _weight_when_final(query_language: str, model_languages: Collection[str]) -> float:
    readable = EVERY_LANGUAGE in model_languages or query_language in model_languages
    if readable or not query_language:
        return _WEIGHTS.get(query_language, WEIGHT)
    # Another language in Latin letters shares names and many roots with those the model knows.
    return _FOREIGN_LATIN if query_language in (UNKNOWN_LATIN, *LATIN_LANGUAGES) else _UNREADABLE


@dataclass(frozen=True)
class _Ranking(Generic[Id]):
    """The scores and ranks of one list, by id."""

    scores: Mapping[Id, float]
    ranks: Mapping[Id, int]

    @classmethod
    def rank(cls, results: Sequence[tuple[Id, float]]) -> _Ranking[Id]:
        best: dict[Id, float] = {}
        for key, score in results:
            best[key] = max(score, best.get(key, score))
        order = sorted(best, key=lambda key: (-best[key], key))
        return cls(best, {key: rank for rank, key in enumerate(order, start=1)})

    def shares(self, least_spread: float) -> dict[Id, float]:
        """Return the scores brought to 0..1: 1 for the best, 0 for one that is `least_spread` of the best below it."""
        if not self.scores:
            return {}
        best, worst = max(self.scores.values()), min(self.scores.values())
        span = max(best - worst, least_spread * abs(best))
        return {key: 1.0 - (best - score) / span if span else 1.0 for key, score in self.scores.items()}


def _result(key: Id, score: float, semantic: _Ranking[Id], keyword: _Ranking[Id]) -> Fused[Id]:
    return Fused(
        id=key,
        score=score,
        semantic_score=semantic.scores.get(key),
        keyword_score=keyword.scores.get(key),
        semantic_rank=semantic.ranks.get(key),
        keyword_rank=keyword.ranks.get(key),
    )


def _order(result: Fused[Id]) -> tuple[float, int, Id]:
    ranks = [rank for rank in (result.semantic_rank, result.keyword_rank) if rank is not None]
    return -result.score, min(ranks), result.id


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
