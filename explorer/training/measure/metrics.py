"""How good a result is, in numbers: correlation, classification, retrieval and clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats = NDArray[np.float64]


class Best(NamedTuple):
    """The best value over all thresholds; what scores at least `threshold` is taken as positive."""

    value: float
    threshold: float


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's correlation; 0 where it is not defined, as for constant input."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"{a.size} values cannot be correlated with {b.size}")
    if a.size < 2 or _is_constant(a) or _is_constant(b):
        return 0.0
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip((a / np.linalg.norm(a)) @ (b / np.linalg.norm(b)), -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation, ties at their mean rank; 0 where it is not defined."""
    from scipy.stats import rankdata

    return pearson(rankdata(x), rankdata(y))


def accuracy(truth: ArrayLike, guess: ArrayLike) -> float:
    """The share of guesses that are right."""
    return float(np.mean(np.asarray(truth) == np.asarray(guess)))


def macro_f1(truth: ArrayLike, guess: ArrayLike) -> float:
    """The mean F1 of all labels that occur in the truth or among the guesses, each counting alike."""
    t, g = np.asarray(truth), np.asarray(guess)
    scores = []
    for label in np.union1d(t, g):
        hits = np.sum((t == label) & (g == label))
        scores.append(2 * hits / (np.sum(t == label) + np.sum(g == label)))
    return float(np.mean(scores))


def triplet_accuracy(to_positive: ArrayLike, to_negative: ArrayLike) -> float:
    """The share of triplets with the positive nearer than the negative; as near does not count."""
    return float(np.mean(np.asarray(to_positive) < np.asarray(to_negative)))


def auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """The chance that a positive scores above a negative, ties counting half.

    Raises:
        ValueError: There are no positives or no negatives.
    """
    from scipy.stats import rankdata

    positive = _both_sides(truth)
    count = int(positive.sum())
    ranks = np.asarray(rankdata(scores), dtype=np.float64)
    above = ranks[positive].sum() - count * (count + 1) / 2
    return float(above / (count * (positive.size - count)))


def average_precision(truth: ArrayLike, scores: ArrayLike) -> float:
    """The precision at each threshold, weighted by the recall it adds.

    Raises:
        ValueError: There are no positives or no negatives.
    """
    positive = _both_sides(truth)
    hits, taken, _ = _at_thresholds(positive, scores)
    recall = hits / positive.sum()
    return float(np.sum(np.diff(recall) * (hits[1:] / taken[1:])))


def best_accuracy(truth: ArrayLike, scores: ArrayLike) -> Best:
    """The accuracy at the threshold that suits these very data best.

    The threshold is chosen on the data it is measured on, so the value is optimistic: an upper bound of
    what a threshold chosen beforehand would reach.
    """
    positive = np.asarray(truth, dtype=bool)
    hits, taken, thresholds = _at_thresholds(positive, scores)
    right = hits + (positive.size - positive.sum()) - (taken - hits)
    return _best(right / positive.size, thresholds)


def best_f1(truth: ArrayLike, scores: ArrayLike) -> Best:
    """The F1 of the positives at the threshold that suits these very data best; optimistic likewise."""
    positive = np.asarray(truth, dtype=bool)
    hits, taken, thresholds = _at_thresholds(positive, scores)
    return _best(2 * hits / np.maximum(taken + positive.sum(), 1), thresholds)


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain of one query.

    The gain is the grade itself, over log2(rank + 1), as in trec_eval and BEIR.
    """
    ideal = _gain(sorted(relevant.values(), reverse=True)[:depth])
    return _gain([relevant.get(key, 0) for key in ranking[:depth]]) / ideal if ideal else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 10) -> float:
    """One over the rank of the first relevant document; 0 if it is below `depth`."""
    for rank, key in enumerate(ranking[:depth], start=1):
        if relevant.get(key, 0) > 0:
            return 1 / rank
    return 0.0


def recall(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 100) -> float:
    """The share of a query's relevant documents among the first `depth`."""
    wanted = {key for key, grade in relevant.items() if grade > 0}
    return len(wanted.intersection(ranking[:depth])) / len(wanted) if wanted else 0.0


def retrieval_measures(
    rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, Mapping[str, int]]
) -> dict[str, float]:
    """The mean nDCG@10, MRR@10 and recall@100 over the queries of `rankings`."""
    queries = [(ranking, relevant.get(query, {})) for query, ranking in rankings.items()]
    return {
        "ndcg@10": float(np.mean([ndcg(ranking, grades) for ranking, grades in queries])),
        "mrr@10": float(np.mean([reciprocal_rank(ranking, grades) for ranking, grades in queries])),
        "recall@100": float(np.mean([recall(ranking, grades) for ranking, grades in queries])),
    }


def clustering_measures(truth: Sequence[object], guess: Sequence[object]) -> dict[str, float]:
    """Agreement of a clustering with known labels.

    The mutual information is normalised by the geometric mean of the two entropies; by the arithmetic
    mean it would be the v-measure again.
    """
    from sklearn import metrics

    return {
        "nmi": float(metrics.normalized_mutual_info_score(truth, guess, average_method="geometric")),
        "ari": float(metrics.adjusted_rand_score(truth, guess)),
        "v_measure": float(metrics.v_measure_score(truth, guess)),
    }


def _is_constant(values: Floats) -> bool:
    # Rounding leaves a constant some 1e-16 of its size about its mean.
    spread = float(np.linalg.norm(values - values.mean()))
    return bool(np.ptp(values) == 0) or spread <= 1e-13 * abs(float(values.mean()))


def _both_sides(truth: ArrayLike) -> NDArray[np.bool_]:
    positive = np.asarray(truth, dtype=bool)
    if positive.all() or not positive.any():
        raise ValueError("positives and negatives are both needed")
    return positive


def _at_thresholds(positive: NDArray[np.bool_], scores: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Positives taken, all taken, and the threshold, from one above all scores down to the lowest score."""
    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    values = values[order]
    last = np.append(np.flatnonzero(np.diff(values)), values.size - 1)  # the last of each run of ties
    hits = np.cumsum(positive[order], dtype=np.float64)[last]
    above = np.nextafter(values[0], np.inf)
    return np.append(0.0, hits), np.append(0.0, last + 1.0), np.append(above, values[last])


def _best(values: Floats, thresholds: Floats) -> Best:
    place = int(np.argmax(values))
    return Best(float(values[place]), float(thresholds[place]))


def _gain(grades: Sequence[int]) -> float:
    gains = np.maximum(np.asarray(grades, dtype=np.float64), 0)
    return float(np.sum(gains / np.log2(np.arange(gains.size) + 2)))
