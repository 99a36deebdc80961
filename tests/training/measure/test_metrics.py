"""The measures agree with values worked out by hand and with scipy and scikit-learn."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from explorer.training.measure import metrics as measure_metrics


@pytest.fixture
def random():
    return np.random.default_rng(0)


class TestCorrelation:
    def test_agrees_with_scipy(self, random):
        x = random.integers(0, 20, 500)  # many ties
        y = x + random.normal(0, 5, 500)
        assert measure_metrics.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
        assert measure_metrics.pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)

    def test_by_hand(self):
        assert measure_metrics.spearman([1, 2, 3, 4], [10, 20, 40, 30]) == pytest.approx(0.8)
        assert measure_metrics.pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)

    @pytest.mark.parametrize("constant", [[0.1] * 7, [0.0] * 7, [1e9 + 0.1] * 7])
    def test_constant_is_zero(self, constant):
        assert measure_metrics.pearson(constant, range(7)) == 0.0
        assert measure_metrics.spearman(range(7), constant) == 0.0

    def test_too_few(self):
        assert measure_metrics.pearson([1], [2]) == 0.0
        assert measure_metrics.spearman([], []) == 0.0
        with pytest.raises(ValueError, match="correlated"):
            measure_metrics.pearson([1, 2], [1, 2, 3])


class TestClassification:
    def test_by_hand(self):
        truth, guess = [0, 0, 1, 2], [0, 1, 1, 1]
        assert measure_metrics.accuracy(truth, guess) == 0.5
        assert measure_metrics.macro_f1(truth, guess) == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)

    def test_agrees_with_sklearn(self, random):
        truth, guess = random.integers(0, 4, 300), random.integers(0, 5, 300)
        assert measure_metrics.macro_f1(truth, guess) == pytest.approx(metrics.f1_score(truth, guess, average="macro"))
        assert measure_metrics.accuracy(truth, guess) == pytest.approx(metrics.accuracy_score(truth, guess))

    def test_triplets_as_near_do_not_count(self):
        assert measure_metrics.triplet_accuracy([1, 2, 3, 0], [2, 2, 1, 1]) == 0.5


class TestBinary:
    def test_agrees_with_sklearn(self, random):
        truth = random.integers(0, 2, 400)
        scores = np.round(truth + random.normal(0, 1, 400), 1)  # ties
        assert measure_metrics.auc(truth, scores) == pytest.approx(metrics.roc_auc_score(truth, scores))
        expected = metrics.average_precision_score(truth, scores)
        assert measure_metrics.average_precision(truth, scores) == pytest.approx(expected)

    def test_best_threshold_is_the_best(self, random):
        truth = random.integers(0, 2, 200)
        scores = np.round(truth + random.normal(0, 1, 200), 1)
        tried = [*np.unique(scores), 99.0]
        accuracy, f1 = measure_metrics.best_accuracy(truth, scores), measure_metrics.best_f1(truth, scores)
        assert accuracy.value == pytest.approx(max(metrics.accuracy_score(truth, scores >= t) for t in tried))
        assert accuracy.value == pytest.approx(metrics.accuracy_score(truth, scores >= accuracy.threshold))
        assert f1.value == pytest.approx(max(metrics.f1_score(truth, scores >= t) for t in tried[:-1]))
        assert f1.value == pytest.approx(metrics.f1_score(truth, scores >= f1.threshold))

    def test_it_may_be_best_to_take_none(self):
        best = measure_metrics.best_accuracy([False, False, True], [0.9, 0.8, 0.1])
        assert best.value == pytest.approx(2 / 3)
        assert 0.9 < best.threshold < 0.91

    @pytest.mark.parametrize("truth", [[1, 1], [0, 0]])
    def test_one_side_alone_has_no_area(self, truth):
        assert math.isnan(measure_metrics.auc(truth, [1, 2]))
        assert math.isnan(measure_metrics.average_precision(truth, [1, 2]))


class TestRetrieval:
    def test_by_hand(self):
        ranking, relevant = ["x", "a", "b"], {"a": 1, "b": 3, "c": 2, "x": 0}
        ideal = 3 + 2 / math.log2(3) + 1 / 2
        assert measure_metrics.ndcg(ranking, relevant) == pytest.approx((1 / math.log2(3) + 3 / 2) / ideal)
        assert measure_metrics.reciprocal_rank(ranking, relevant) == 0.5
        assert measure_metrics.recall(ranking, relevant) == pytest.approx(2 / 3)

    def test_depths(self):
        ranking = [str(n) for n in range(200)]
        assert measure_metrics.ndcg(ranking, {"10": 1}) == 0.0
        assert measure_metrics.reciprocal_rank(ranking, {"9": 1}) == 0.1
        assert measure_metrics.reciprocal_rank(ranking, {"10": 1}) == 0.0
        assert measure_metrics.recall(ranking, {"99": 1, "100": 1}) == 0.5

    def test_ndcg_agrees_with_sklearn(self, random):
        grades = random.integers(0, 4, 50)
        ranking = [str(place) for place in random.permutation(50)]
        scores = np.empty(50)
        scores[[int(key) for key in ranking]] = -np.arange(50)
        relevant = {str(place): int(grade) for place, grade in enumerate(grades)}
        expected = metrics.ndcg_score(grades[None], scores[None], k=10)
        assert measure_metrics.ndcg(ranking, relevant) == pytest.approx(expected)

    def test_nothing_relevant_and_nothing_found(self):
        for measure in (measure_metrics.ndcg, measure_metrics.reciprocal_rank, measure_metrics.recall):
            assert measure(["a"], {"a": 0}) == 0.0
            assert measure([], {"a": 1}) == 0.0
