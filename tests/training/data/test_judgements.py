"""Judgements keep what was said, the later one counts, and both scales become examples."""

import math

import numpy as np
import pytest

from explorer.errors import DataError
from explorer.judgement import Judgement
from explorer.task import Cancelled, Task
from explorer.training.data.judgements import (
    Agreement,
    agreement,
    border,
    disagreement,
    doubt,
    from_judgements,
    latest,
    suggest,
)


def test_the_later_judgement_counts_whichever_way_round():
    old, other, new = Judgement("a", "b", 1), Judgement("c", "d", 2), Judgement("B ", "a", 5)
    assert latest([old, other, new]) == [new, other]


def test_grades_become_scores():
    found = from_judgements([Judgement("a", "b", 5), Judgement("c", "d", 2), Judgement("e", "f", 1, "similar")])
    assert (found.kind, found.scores) == ("scored", (1.0, 0.4, 1.0))
    assert found.columns == (("a", "c", "e"), ("b", "d", "f"))


def test_similar_or_not_become_labels():
    both = [Judgement("a", "b", 1, "similar"), Judgement("c", "d", 0, "similar")]
    found = from_judgements(both)
    assert (found.kind, found.classes, found.names) == ("labelled", (1, 0), ("not similar", "similar"))
    assert from_judgements(both, "scored").scores == (1.0, 0.0)
    grades = [Judgement("a", "b", 3), Judgement("c", "d", 2)]
    assert from_judgements(grades, "labelled").classes == (1, 0)


def test_no_judgement_at_all():
    with pytest.raises(DataError, match="No pair was judged yet"):
        from_judgements([])


def test_agreement_is_the_share_of_comparisons_in_the_same_order():
    said = [Judgement("a", "b", value) for value in (0, 2, 2, 5)]
    assert agreement(said, [0.1, 0.4, 0.3, 0.9]) == Agreement(5, 1.0)
    assert agreement(said, [0.9, 0.4, 0.3, 0.1]) == Agreement(5, 0.0)
    assert agreement(said, [0.5, 0.5, 0.5, 0.5]) == Agreement(5, 0.5)
    assert agreement(said, [0.1, 0.4, 0.95, 0.9]) == Agreement(5, 0.8)
    nothing = agreement(said[1:3], [0.1, 0.2])
    assert nothing.comparisons == 0
    assert math.isnan(nothing.share)


COUNT = 120


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    made = rng.normal(size=(COUNT, 16)) + 2 * rng.normal(size=(12, 16))[np.arange(COUNT) % 12]
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


TEXTS = [f"text {number}" for number in range(COUNT)]
DOCUMENTS = [number // 2 for number in range(COUNT)]


class Opposite:
    """A cross-encoder that finds one text of all like every other."""

    labels = ("score",)

    def __init__(self, odd):
        self.odd = odd

    def score(self, pairs, *, task):
        task.check()
        values = np.asarray([1.0 if self.odd in pair else 0.1 for pair in pairs])
        return type("Scores", (), {"relevance": lambda _: values})()


def test_pairs_are_of_different_documents_each_once(vectors):
    found = suggest(TEXTS, vectors, DOCUMENTS, count=20)
    assert len(found) == 20
    used = [DOCUMENTS[row] for item in found for row in (item.first, item.second)]
    assert len(used) == len(set(used)) == 40
    for item in found:
        assert item.cosine == pytest.approx(float(vectors[item.first] @ vectors[item.second]), abs=1e-5)
        assert (item.reason, item.relevance) == ("unsure", None)


def test_the_worthiest_come_first_and_are_at_the_border(vectors):
    found = suggest(TEXTS, vectors, DOCUMENTS, count=5)
    worths = [item.worth for item in found]
    assert worths == sorted(worths, reverse=True)
    assert worths[0] > 0.99
    assert np.ptp([item.cosine for item in found]) < 0.1


def test_nothing_is_asked_twice(vectors):
    judged, asked = [], set()
    for _ in range(5):
        found = suggest(TEXTS, vectors, DOCUMENTS, count=10, judged=judged)
        new = {(item.first, item.second) for item in found}
        assert not new & asked
        asked |= new
        judged += [Judgement(TEXTS[second].upper(), TEXTS[first], 3) for first, second in new]
    assert len(asked) == 50


def test_the_border_follows_the_judgements(vectors):
    judged = [Judgement(f"a {n}", f"b {n}", 5 if n >= 5 else 0) for n in range(10)]
    similarities = [0.02 * n for n in range(10)]  # alike from 0.1 on
    found = suggest(TEXTS, vectors, DOCUMENTS, judged=judged, similarities=similarities, count=5)
    assert all(abs(item.cosine - 0.09) < 0.1 for item in found)
    near = np.linspace(0, 1, 11)
    assert border(near, judged, similarities) == pytest.approx(0.09)
    assert border(near, judged[:3], similarities[:3]) == pytest.approx(0.5)  # one side alone tells nothing
    assert border(near, judged, ()) == pytest.approx(0.5)


def test_disagreement_of_the_models_comes_first(vectors):
    odd = TEXTS[7]
    found = suggest(TEXTS, vectors, DOCUMENTS, cross=Opposite(odd), count=5)
    assert any(item.relevance == 1.0 and odd in (TEXTS[item.first], TEXTS[item.second]) for item in found)
    assert found[0].reason == "disagree"


def test_few_texts_give_few_pairs():
    assert suggest(["a", "b"], np.eye(2, dtype=np.float32), [0, 0]) == []
    assert suggest(["a", "A "], np.eye(2, dtype=np.float32), [0, 1]) == []
    assert suggest([], np.zeros((0, 2), np.float32), []) == []
    one = suggest(["a", "b"], np.eye(2, dtype=np.float32), [0, 1])
    assert [(item.first, item.second) for item in one] == [(0, 1)]


def test_pairs_that_ask_the_same_come_once():
    # Four documents say one thing and four another: one question between them, not four.
    rng = np.random.default_rng(0)
    sides = np.repeat(np.eye(2, 8), 4, axis=0) + 0.01 * rng.normal(size=(8, 8))
    found = suggest([f"t {n}" for n in range(8)], sides.astype(np.float32), list(range(8)), count=20)
    assert len([item for item in found if (item.first < 4) != (item.second < 4)]) == 1


def test_the_same_again(vectors):
    assert suggest(TEXTS, vectors, DOCUMENTS, seed=3) == suggest(TEXTS, vectors, DOCUMENTS, seed=3)


def test_cancel(vectors):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        suggest(TEXTS, vectors, DOCUMENTS, task=task)


def test_doubt_and_disagreement():
    near = np.asarray([0.0, 0.5, 1.0])
    assert doubt(near, 0.5).argmax() == 1
    assert disagreement(near, near * 100).tolist() == [0, 0, 0]
    assert disagreement(near, -near).tolist() == [1, 0, 1]
