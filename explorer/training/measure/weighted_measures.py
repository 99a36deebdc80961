"""The measures of items that count several times, or not at all: those a bootstrap has drawn.

A draw is a row of weights: how often each of the N items came. A statistic turns the weights of R draws at
once, (R, N), into R values, each equal to the function of the same name in `measures` on the drawn items.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]  # (R, N) -> (R,); NaN where the drawn items do not define it


def mean(values: ArrayLike) -> Statistic:
    """The mean of one value an item: accuracy, triplet accuracy, nDCG, reciprocal rank, recall."""
    each = np.asarray(values, dtype=np.float64)
    return lambda weights: np.asarray(weights @ each / weights.sum(axis=1))


def pearson(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Pearson's correlation; 0 where it is not defined."""
    a, b = _standard(x), _standard(y)
    columns = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)  # (N, 6)

    def statistic(weights: Floats) -> Floats:
        total, sum_a, sum_b, square_a, square_b, product = (weights @ columns).T
        return _correlation(
            product - sum_a * sum_b / total, square_a - sum_a**2 / total, square_b - sum_b**2 / total
        )

    return statistic


def spearman(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Spearman's rank correlation, ties at their mean rank; 0 where it is not defined."""
    first, second = _Ranking(x), _Ranking(y)

    def statistic(weights: Floats) -> Floats:
        a, square_a = first.centred(weights)
        b, square_b = second.centred(weights)
        return _correlation(np.einsum("rn,rn,rn->r", weights, a, b), square_a, square_b)

    return statistic


def macro_f1(truth: ArrayLike, guess: ArrayLike) -> Statistic:
    """The mean F1 of the labels that occur among the drawn items."""
    t, g = np.asarray(truth), np.asarray(guess)
    labels = np.union1d(t, g)
    right = np.stack([(t == label) & (g == label) for label in labels], axis=1).astype(np.float64)  # (N, k)
    seen = np.stack([(t == label) * 1.0 + (g == label) for label in labels], axis=1)  # (N, k)

    def statistic(weights: Floats) -> Floats:
        times = weights @ seen
        scores = 2 * (weights @ right) / np.maximum(times, 1)
        return np.asarray(scores.sum(axis=1) / (times > 0).sum(axis=1))

    return statistic


def auc(truth: ArrayLike, scores: ArrayLike) -> Statistic:
    """The chance that a positive scores above a negative, ties counting half."""
    positive, ranking = np.asarray(truth, dtype=bool), _Ranking(scores)

    def statistic(weights: Floats) -> Floats:
        ranks, _ = ranking.centred(weights)
        total, count = weights.sum(axis=1), weights[:, positive].sum(axis=1)
        # Centred ranks lack the mean rank (total + 1) / 2, once for each positive.
        above = np.einsum("rn,rn->r", weights[:, positive], ranks[:, positive]) + count * (total - count) / 2
        return _ratio(above, count * (total - count))

    return statistic


def auc_one_vs_rest(labels: ArrayLike, scores: ArrayLike) -> Statistic:
    """The mean over the labels of how well the score tells it from the rest, whichever way round."""
    codes = np.asarray(labels)
    each = [auc(codes == label, scores) for label in np.unique(codes)]

    def statistic(weights: Floats) -> Floats:
        areas = np.stack([area(weights) for area in each])  # (k, R)
        return np.asarray(np.maximum(areas, 1 - areas).mean(axis=0))

    return statistic


def average_precision(truth: ArrayLike, scores: ArrayLike) -> Statistic:
    """The precision at each threshold, weighted by the recall it adds."""
    falling = _Falling(truth, scores)

    def statistic(weights: Floats) -> Floats:
        hits, taken, positives = falling.at_thresholds(weights)
        gained = np.diff(hits, axis=1, prepend=0.0)
        found = (gained * (hits / np.maximum(taken, 1))).sum(axis=1)
        return np.where(positives < weights.sum(axis=1), _ratio(found, positives), np.nan)

    return statistic


def best_accuracy(truth: ArrayLike, scores: ArrayLike) -> Statistic:
    """The accuracy at the best threshold, chosen anew in each draw."""
    falling = _Falling(truth, scores)

    def statistic(weights: Floats) -> Floats:
        hits, taken, positives = falling.at_thresholds(weights)
        total = weights.sum(axis=1)
        better = np.maximum((2 * hits - taken).max(axis=1), 0)  # than taking none
        return np.asarray((total - positives + better) / total)

    return statistic


def best_f1(truth: ArrayLike, scores: ArrayLike) -> Statistic:
    """The F1 of the positives at the best threshold, chosen anew in each draw."""
    falling = _Falling(truth, scores)

    def statistic(weights: Floats) -> Floats:
        hits, taken, positives = falling.at_thresholds(weights)
        return np.asarray((2 * hits / np.maximum(taken + positives[:, None], 1)).max(axis=1))

    return statistic


class _Ranking:
    """The order of some values, for their ranks among drawn items."""

    def __init__(self, values: ArrayLike) -> None:
        numbers = np.asarray(values, dtype=np.float64)
        self._order = np.argsort(numbers, kind="stable")
        steps = np.diff(numbers[self._order]) != 0
        self._starts = np.append(0, np.flatnonzero(steps) + 1)  # of each run of ties
        self._run = np.empty(numbers.size, dtype=np.intp)
        self._run[self._order] = np.append(0, np.cumsum(steps))

    def centred(self, weights: Floats) -> tuple[Floats, Floats]:
        """Each item's rank less the mean rank, (R, N), and the sum of their squares over a draw, (R,)."""
        times = np.add.reduceat(np.take(weights, self._order, axis=1), self._starts, axis=1)  # (R, runs)
        ranks = np.cumsum(times, axis=1) - times / 2 - weights.sum(axis=1, keepdims=True) / 2
        return np.take(ranks, self._run, axis=1), np.einsum("ru,ru,ru->r", times, ranks, ranks)


class _Falling:
    """Items from the highest score down, for what is taken at each threshold."""

    def __init__(self, truth: ArrayLike, scores: ArrayLike) -> None:
        values = np.asarray(scores, dtype=np.float64)
        self._order = np.argsort(-values, kind="stable")
        self._positive = np.asarray(truth, dtype=bool)[self._order]
        falling = values[self._order]
        self._last = np.append(np.flatnonzero(np.diff(falling)), values.size - 1)  # of each run of ties

    def at_thresholds(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Positives taken and all taken at each threshold, (R, runs), and all positives, (R,)."""
        falling = np.take(weights, self._order, axis=1)
        taken = np.cumsum(falling, axis=1)[:, self._last]
        hits = np.cumsum(falling * self._positive, axis=1)[:, self._last]
        return hits, taken, hits[:, -1]


def _standard(values: ArrayLike) -> Floats:
    """The values with mean 0 and variance 1; zeros if they are constant but for rounding."""
    numbers = np.asarray(values, dtype=np.float64)
    centre = float(numbers.mean())
    spread = float(np.sqrt(np.mean((numbers - centre) ** 2)))
    return (numbers - centre) / spread if spread > 1e-13 * abs(centre) else np.zeros_like(numbers)


def _correlation(product: Floats, square_a: Floats, square_b: Floats) -> Floats:
    size = np.sqrt(np.maximum(square_a, 0) * np.maximum(square_b, 0))
    defined = size > 1e-9  # less is rounding
    return np.clip(np.where(defined, product, 0) / np.where(defined, size, 1), -1, 1)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """The ratio, NaN where the whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), np.nan)
