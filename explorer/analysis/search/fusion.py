"""Fuse the results of semantic search and keyword search by their scores, weighted by the language of the query.

Scores, each list brought to 0..1, say more than ranks: how far the first is ahead of the second, and that a list has
nothing good at all (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023).

nDCG@10 on development sets, parts of the data sets with the 1,000 best passages of either list ("minilm" is the
bundled model, "ko-en" explorer-minilm-ko-en; bills and questions are Korean):

| set, model              | meaning | words | ranks, 0.6 | scores, 0.4 | 0.5   | 0.6   | 0.7   | 0.8   |
|-------------------------|---------|-------|------------|-------------|-------|-------|-------|-------|
| Cranfield, minilm       | 0.469   | 0.413 | 0.503      | 0.479       | 0.499 | 0.507 | 0.505 | 0.500 |
| msmarco_mini, minilm    | 0.717   | 0.572 | 0.702      | 0.682       | 0.691 | 0.704 | 0.707 | 0.713 |
| cacm, minilm            | 0.518   | 0.439 | 0.585      | 0.575       | 0.598 | 0.606 | 0.597 | 0.584 |
| vaswani, minilm         | 0.719   | 0.667 | 0.772      | 0.755       | 0.765 | 0.776 | 0.778 | 0.771 |
| questions, ko-en        | 0.799   | 0.811 | 0.841      | 0.847       | 0.856 | 0.859 | 0.857 | 0.844 |
| bills by title, ko-en   | 0.644   | 0.855 | 0.762      | 0.875       | 0.867 | 0.857 | 0.834 | 0.802 |
| bills by aim, ko-en     | 0.775   | 0.884 | 0.849      | 0.886       | 0.895 | 0.895 | 0.888 | 0.869 |

At the weights taken below, hybrid is above the better of its halves on six of the seven, with the interval above zero
on four; on msmarco_mini it is 0.010 below (-0.035 to +0.013). The weights were chosen on these same sets.

What else is known of a query was tried with another model's vectors on Cranfield, msmarco_mini and the Korean sets: the
number of words, how rare the rarest is, what share of the words the best passage has, how far the two first tens agree,
and how far the first is ahead. Other weights for a third of a language's queries by any of these gained about 0.01 at
most, so the language alone decides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from explorer.analysis.text.language import LATIN_LANGUAGES, UNKNOWN_LATIN

Id = TypeVar("Id", int, str)

WEIGHT = 0.7  # of the meaning, for a model that reads the query
# Korean words are found by their morphemes, which is hard to beat; the model that reads Korean learned little of it.
_WEIGHTS = {"ko": 0.5}
RANK_CONSTANT = 20  # how slowly reciprocal ranks fall when results are reread
# Chosen on Cranfield's queries 73 to 112, the 30 best read by the cross-encoder that ships: nDCG@10 is 0.445 before,
# 0.435 by that score alone, and 0.458 to 0.463 with any share from 0.4 to 0.7.
CROSS_SHARE = 0.5

EVERY_LANGUAGE = "*"
_UNREADABLE = 0.05
_FOREIGN_LATIN = 0.3
# Cosines of a few passages may lie so close that their differences mean nothing: they are brought to 0..1 as if the
# worst of them was at least this share below the best.
_LEAST_SPREAD = 0.15


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


def reread(cross: float, found_rank: int, share: float = CROSS_SHARE, k: int = RANK_CONSTANT) -> float:
    """Return the score after reranking, 0..1: the cross-encoder's score and the rank before, combined.

    A small cross-encoder reads more closely and knows less than the search with all its words; together they are
    better than either.

    Args:
        cross: The cross-encoder's score, 0..1.
        found_rank: The rank before, from 1; it counts (k + 1) / (k + rank).
        share: Of the cross-encoder's score.
        k: How slowly the reciprocal ranks fall.
    """
    return share * cross + (1 - share) * (k + 1) / (k + found_rank)


def weight_for(query_language: str, model_languages: Collection[str]) -> float:
    """Return how far to trust the meaning of a query, 0..1: the `weight` for `fuse`.

    A model that never read the query's language goes by accidental similarity of characters: then the words decide.

    Args:
        query_language: As returned by `language.language`.
        model_languages: The languages the model was trained on; with EVERY_LANGUAGE among them, all.
    """
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
