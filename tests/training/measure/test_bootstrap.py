"""The bootstrap: every draw is measured as `measures` would measure it, and noise is called noise."""

import numpy as np
import pytest

from explorer.task import Cancelled, Task
from explorer.training.measure import bootstrap, metrics


def data(count=60, seed=0):
    """Gold with ties, a similarity with ties, labels and guesses."""
    random = np.random.default_rng(seed)
    gold = random.integers(0, 6, count).astype(float)
    similarity = np.round(gold + random.normal(scale=2, size=count), 1)
    guess = np.where(random.random(count) < 0.7, gold, random.integers(0, 6, count))
    return gold, similarity, guess


def intervals(statistics, count, **options):
    return {
        name: bootstrap.interval(bootstrap.value_of(statistic, count), bootstrap.draw_all(statistic, count, **options))
        for name, statistic in statistics.items()
    }


MEASURES = {
    "spearman": (metrics.spearman, "similarity gold"),
    "pearson": (metrics.pearson, "similarity gold"),
    "macro_f1": (metrics.macro_f1, "gold guess"),
    "auc": (metrics.auc, "positive similarity"),
    "auc_one_vs_rest": (metrics.auc_one_vs_rest, "gold similarity"),
    "average_precision": (metrics.average_precision, "positive similarity"),
    "best_accuracy": (lambda *two: metrics.best_accuracy(*two).value, "positive similarity"),
    "best_f1": (lambda *two: metrics.best_f1(*two).value, "positive similarity"),
}


@pytest.mark.parametrize("name", MEASURES)
def test_a_draw_has_the_measure_of_the_drawn_items(name):
    measure, columns = MEASURES[name]
    gold, similarity, guess = data()
    values = {"gold": gold, "similarity": similarity, "guess": guess, "positive": gold > 2}
    first, second = (values[column] for column in columns.split())
    statistic = bootstrap.statistic(measure, first, second)
    drawn = np.random.default_rng(1).integers(0, len(gold), (40, len(gold)))
    wanted = [float(measure(first[row], second[row])) for row in drawn]
    assert statistic(drawn) == pytest.approx(wanted, abs=1e-10)
    assert bootstrap.value_of(statistic, len(gold)) == pytest.approx(float(measure(first, second)))


def test_a_label_that_was_not_drawn_has_no_f1():
    truth, guess = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0])
    without = bootstrap.statistic(metrics.macro_f1, truth, guess)(np.array([[0, 1, 2], [0, 1, 3]]))
    assert without[0] == pytest.approx(metrics.macro_f1(truth[:3], guess[:3]))


def test_a_mean_of_drawn_items():
    values = [1.0, 0.0, 0.5]
    drawn = bootstrap.statistic(metrics.mean, values)(np.array([[0, 0, 0], [1, 2, 2]]))
    assert drawn == pytest.approx([1.0, 1 / 3])


def test_a_group_is_drawn_as_a_whole():
    values, groups = np.arange(7.0) ** 2, [4, 9, 4, 1, 9, 9, 4]  # sizes 3, 3 and 1: draws differ in length

    def whole(rows):
        counts = np.stack([np.bincount(row, minlength=7) for row in rows])
        for members in ([0, 2, 6], [1, 4, 5]):
            assert (counts[:, members] == counts[:, members[:1]]).all()
        assert (counts[:, [0, 1, 3]].sum(axis=1) == 3).all()  # as many groups as there are
        return rows.mean(axis=1)

    assert bootstrap.draw_all(whole, 7, groups=groups, resamples=200).shape == (200,)
    means = bootstrap.draw_all(bootstrap.statistic(metrics.mean, values), 7, groups=groups)
    assert len(np.unique(means.round(9))) == 10  # 3 draws of 3 groups, in any order


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_correlation_does_not_depend_on_the_scale(scale):
    gold, similarity, _ = data()
    for name in ("pearson", "spearman"):
        found = bootstrap.value_of(
            bootstrap.statistic(getattr(metrics, name), similarity * scale + 3 * scale, gold), len(gold)
        )
        assert found == pytest.approx(getattr(metrics, name)(similarity, gold))


def test_a_correlation_with_a_constant_is_nothing():
    constant = np.full(30, 0.1)
    for name in ("pearson", "spearman"):
        found = intervals({"r": bootstrap.statistic(getattr(metrics, name), constant, np.arange(30))}, 30)["r"]
        assert (found.value, found.low, found.high) == (0, 0, 0)


def test_draws_that_define_no_measure_are_left_out():
    truth = np.arange(12) == 0  # many a draw has no positive
    found = intervals({"auc": bootstrap.statistic(metrics.auc, truth, np.arange(12))}, 12)["auc"]
    assert 0 <= found.low <= found.high <= 1
    draws = bootstrap.draw_all(bootstrap.statistic(metrics.auc, truth, np.arange(12)), 12)
    assert 0.2 < np.isnan(draws).mean() < 0.5  # (11/12)^12 = 0.35


def test_an_interval_holds_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(0)
    held = 0
    for trial in range(200):
        values = random.random(80) < 0.7
        found = intervals({"accuracy": bootstrap.statistic(metrics.mean, values)}, 80, resamples=400, seed=trial)[
            "accuracy"
        ]
        held += found.low <= 0.7 <= found.high
    assert 0.88 <= held / 200 <= 0.985


def verdict(before, after, gold, **options):
    (found,) = bootstrap.compare(
        {"spearman": bootstrap.statistic(metrics.spearman, before, gold)},
        {"spearman": bootstrap.statistic(metrics.spearman, after, gold)},
        len(gold),
        **options,
    )
    return found


def test_a_gain_a_loss_and_noise():
    random = np.random.default_rng(3)
    gold = random.integers(0, 6, 400).astype(float)
    poor, good = gold + random.normal(scale=3, size=400), gold + random.normal(scale=1, size=400)
    alike = gold + random.normal(scale=3, size=400)
    gained, lost, same = verdict(poor, good, gold), verdict(good, poor, gold), verdict(poor, alike, gold)
    assert (gained.verdict, lost.verdict, same.verdict) == ("gain", "loss", "noise")
    assert gained.difference.low > 0 > lost.difference.high
    assert same.difference.low <= 0 <= same.difference.high
    assert "gain" in gained.sentence
    assert "loss" in lost.sentence
    assert "chance" in same.sentence


def test_a_model_compared_with_itself_is_noise():
    gold, similarity, _ = data()
    found = verdict(similarity, similarity, gold)
    assert found.verdict == "noise"
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)


def test_pairing_shows_a_small_but_constant_gain():
    random = np.random.default_rng(4)
    gold = random.normal(size=500)
    shared = random.normal(size=500)  # both models err alike
    found = verdict(gold + shared, gold + 0.85 * shared, gold)
    assert found.verdict == "gain"
    assert found.before.high > found.after.low  # apart, the two intervals overlap


def test_few_examples_are_called_too_few():
    gold = np.arange(6.0)
    found = verdict(-gold, gold, gold)
    assert found.verdict == "noise"
    assert "6 examples" in found.sentence


def test_copies_in_a_group_do_not_make_surer():
    gold, similarity, _ = data(80)
    five = np.repeat(np.arange(80), 5)
    statistics = {"r": bootstrap.statistic(metrics.pearson, similarity[five], gold[five])}
    single = intervals({"r": bootstrap.statistic(metrics.pearson, similarity, gold)}, 80)["r"]
    grouped = intervals(statistics, 400, groups=five.tolist())["r"]
    careless = intervals(statistics, 400)["r"]
    assert (grouped.low, grouped.high) == pytest.approx((single.low, single.high))
    assert careless.high - careless.low < 0.6 * (grouped.high - grouped.low)


def test_the_seed_decides():
    gold, similarity, _ = data()
    first, again, other = (verdict(similarity, similarity[::-1], gold, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.difference != other.difference


def test_blocks_change_nothing(monkeypatch):
    gold, similarity, _ = data()
    monkeypatch.setattr(bootstrap, "_BLOCK", 60 * 7)
    wide = verdict(similarity, similarity[::-1], gold, resamples=500).difference
    assert wide.low < wide.value < wide.high


def test_very_many_items_are_drawn_less_often(monkeypatch):
    monkeypatch.setattr(bootstrap, "_MOST", 60 * 700)
    statistic = bootstrap.statistic(metrics.mean, np.arange(60))
    assert len(bootstrap.draw_all(statistic, 60)) == 700
    assert len(bootstrap.draw_all(statistic, 60, resamples=50)) == 50


def test_it_can_be_cancelled():
    task = Task()
    task.cancel()
    gold, similarity, _ = data()
    with pytest.raises(Cancelled):
        verdict(similarity, similarity, gold, task=task)
