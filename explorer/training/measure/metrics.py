"""Metrics: correlation, classification and retrieval.

Metrics of columns of values work along the last axis: (N,) gives one value, and the (R, N) values that the bootstrap
has drawn give R of them. Ranks come from scipy. scikit-learn serves as the reference of the tests: it measures one
sample per call, which for 2,000 draws took about 15 times as long as these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats = NDArray[np.float64]


class Best(NamedTuple):
    """The best value over all thresholds; items that score at least `threshold` are called positive."""

    value: Floats
    threshold: Floats


def mean(values: ArrayLike) -> Floats:
    """Return the mean of per-example values, such as accuracy, nDCG or reciprocal rank."""
    return np.asarray(np.mean(np.asarray(values, dtype=np.float64), axis=-1))


def pearson(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return Pearson's correlation, or 0 where it is undefined, as for constant input."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"{a.size} values cannot be correlated with {b.size}")
    if a.shape[-1] < 2:
        return np.zeros(a.shape[:-1])
    a, b = _standardize(a), _standardize(b)
    return np.asarray(np.clip(np.einsum("...n,...n->...", a, b), -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return Spearman's rank correlation, with ties at their mean rank, or 0 where it is undefined."""
    from scipy.stats import rankdata

    return pearson(rankdata(x, axis=-1), rankdata(y, axis=-1))


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> Floats:
    """Return the share of predictions that are right."""
    return mean(np.asarray(truth) == np.asarray(predicted))


def macro_f1(truth: ArrayLike, predicted: ArrayLike) -> Floats:
    """Return the unweighted mean F1 of all labels that occur in the truth or among the predictions."""
    t, p = np.asarray(truth), np.asarray(predicted)
    total, labels = np.zeros(t.shape[:-1]), np.zeros(t.shape[:-1])
    for label in np.union1d(t, p):
        right = ((t == label) & (p == label)).sum(axis=-1)
        occurrences = (t == label).sum(axis=-1) + (p == label).sum(axis=-1)
        total += 2 * right / np.maximum(occurrences, 1)
        labels += occurrences > 0  # a draw may lack a label altogether
    return np.asarray(total / labels)


def triplet_accuracy(to_positive: ArrayLike, to_negative: ArrayLike) -> Floats:
    """Return the share of triplets whose positive is strictly nearer than the negative."""
    return mean(np.asarray(to_positive) < np.asarray(to_negative))


def auc(truth: ArrayLike, scores: ArrayLike) -> Floats:
    """Return the area under the ROC curve; NaN without positives or without negatives.

    This is the probability that a positive scores above a negative, with ties counting half (Mann-Whitney U).
    """
    from scipy.stats import rankdata

    positive = np.asarray(truth, dtype=bool)
    positives = positive.sum(axis=-1)
    negatives = positive.shape[-1] - positives
    ranks = np.where(positive, rankdata(scores, axis=-1), 0.0)
    above = ranks.sum(axis=-1) - positives * (positives + 1) / 2
    return _ratio(above, positives * negatives)


def auc_one_vs_rest(labels: ArrayLike, scores: ArrayLike, classes: ArrayLike | None = None) -> Floats:
    """Return the mean over `classes` of how well one score separates a class from the rest, in either direction.

    The classes are those that occur among the labels if None; NaN if one of them does not occur.
    """
    codes = np.asarray(labels)
    areas = np.stack([auc(codes == label, scores) for label in np.unique(codes if classes is None else classes)])
    return np.asarray(np.maximum(areas, 1 - areas).mean(axis=0))


def average_precision(truth: ArrayLike, scores: ArrayLike) -> Floats:
    """Return the precision at each threshold weighted by the recall it adds; NaN where `auc` is."""
    positive, hits, taken, _ = _at_thresholds(truth, scores)
    positives = positive.sum(axis=-1)
    gained = np.where(positive, hits / taken, 0.0).sum(axis=-1)
    return np.where(positives < positive.shape[-1], _ratio(gained, positives), np.nan)


def best_accuracy(truth: ArrayLike, scores: ArrayLike) -> Best:
    """Return the accuracy at the threshold that suits this very sample best.

    The threshold is chosen on the data it is measured on, so the value is optimistic: an upper bound of what a
    threshold chosen beforehand would reach.
    """
    positive, hits, taken, thresholds = _at_thresholds(truth, scores)
    negatives = (~positive).sum(axis=-1, keepdims=True)
    none = negatives / positive.shape[-1]  # calling nothing positive
    right = (2 * hits - taken + negatives) / positive.shape[-1]
    return _best(none, right, thresholds)


def best_f1(truth: ArrayLike, scores: ArrayLike) -> Best:
    """Return the F1 of the positives at the threshold that suits this very sample best; optimistic likewise."""
    positive, hits, taken, thresholds = _at_thresholds(truth, scores)
    f1 = 2 * hits / (taken + positive.sum(axis=-1, keepdims=True))
    return _best(np.zeros_like(f1[..., :1]), f1, thresholds)


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 10) -> float:
    """Return the normalised discounted cumulative gain of one query.

    The gain is the grade itself, over log2(rank + 1), as in trec_eval and BEIR.
    """
    ideal = _gain(sorted(relevant.values(), reverse=True)[:depth])
    return _gain([relevant.get(key, 0) for key in ranking[:depth]]) / ideal if ideal else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 10) -> float:
    """Return one over the rank of the first relevant document; 0 if it is below `depth`."""
    for rank, key in enumerate(ranking[:depth], start=1):
        if relevant.get(key, 0) > 0:
            return 1 / rank
    return 0.0


def recall(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 100) -> float:
    """Return the share of a query's relevant documents among the first `depth`."""
    wanted = {key for key, grade in relevant.items() if grade > 0}
    return len(wanted.intersection(ranking[:depth])) / len(wanted) if wanted else 0.0


def _standardize(values: Floats) -> Floats:
    """Centre values and scale them to length 1; zeros for a constant."""
    centre = values.mean(axis=-1, keepdims=True)
    centred = values - centre
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    # Rounding leaves a constant some 1e-16 of its size about its mean.
    constant = (np.ptp(values, axis=-1, keepdims=True) == 0) | (length <= 1e-13 * np.abs(centre))
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, length))


def _at_thresholds(truth: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Floats, Floats, Floats]:
    """Sort items from the highest score down, and count what is taken with each item's score as the threshold.

    Returns:
        Whether each item is positive, the positives taken, all taken, and the threshold, all in the sorted order.
    """
    from scipy.stats import rankdata

    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-values, axis=-1, kind="stable")
    positive = np.take_along_axis(np.asarray(truth, dtype=bool), order, axis=-1)
    # Items with equal scores are taken together, so all of them have the highest rank among them.
    taken = np.take_along_axis(rankdata(-values, method="max", axis=-1), order, axis=-1).astype(np.intp)
    hits = np.take_along_axis(np.cumsum(positive, axis=-1, dtype=np.float64), taken - 1, axis=-1)
    return positive, hits, taken.astype(np.float64), np.take_along_axis(values, order, axis=-1)


def _best(none: Floats, values: Floats, thresholds: Floats) -> Best:
    """Choose the best of taking nothing, (..., 1), and of all thresholds, (..., N), the highest one of equals."""
    every = np.concatenate([none, values], axis=-1)
    above = np.nextafter(thresholds[..., :1], np.inf)
    index = every.argmax(axis=-1)[..., None]
    chosen = np.take_along_axis(np.concatenate([above, thresholds], axis=-1), index, axis=-1)
    return Best(np.take_along_axis(every, index, axis=-1)[..., 0], chosen[..., 0])


def _ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Divide, with NaN where the whole is 0."""
    numerator, denominator = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1), np.nan)


def _gain(grades: Sequence[int]) -> float:
    gains = np.maximum(np.asarray(grades, dtype=np.float64), 0)
    return float(np.sum(gains / np.log2(np.arange(gains.size) + 2)))
