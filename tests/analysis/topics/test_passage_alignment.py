"""Explaining two documents: best matches both ways, a level that suits the folder, models that disagree."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.analysis.topics import passage_alignment
from explorer.analysis.topics.passage_alignment import FIXED_LEVEL, LUCK, Pair, align, disagree, match_level
from explorer.task import Cancelled, Task


def unit(vectors: object) -> np.ndarray:
    values = np.asarray(vectors, dtype=np.float32)
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)


def random_units(count: int, seed: int = 0, width: int = 16, mean: float = 0.0) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(mean, size=(count, width)))


class TestAlign:
    def test_best_matches_are_those_of_the_whole_table(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first, second = random_units(50), random_units(33, 1)
        table = first @ second.T
        for block in (7, 1024):
            monkeypatch.setattr(passage_alignment, "_BLOCK", block)
            found = align(first, second)
            np.testing.assert_array_equal(found.first, table.argmax(1))
            np.testing.assert_array_equal(found.second, table.argmax(0))
            np.testing.assert_allclose(found.first_scores, table.max(1), atol=1e-6)
            np.testing.assert_allclose(found.second_scores, table.max(0), atol=1e-6)

    def test_pairs_are_told_once_nearest_first(self) -> None:
        first = unit([[1, 0], [1, 0.1]])
        second = unit([[0, 1], [1, 0], [1, 1]])
        pairs = align(first, second).pairs()
        assert [(pair.first, pair.second, pair.mutual) for pair in pairs] == [
            (0, 1, True),
            (1, 1, False),
            (1, 2, False),
            (1, 0, False),
        ]
        assert pairs[0].score == pytest.approx(1)
        assert pairs[1].score == pytest.approx(1 / np.sqrt(1.01))

    @pytest.mark.parametrize(("one", "two"), [(0, 0), (0, 2), (2, 0)])
    def test_an_empty_document_matches_nothing(self, one: int, two: int) -> None:
        found = align(random_units(one), random_units(two))
        assert found.first.tolist() == [-1] * one
        assert found.second.tolist() == [-1] * two
        assert not found.first_scores.any()
        assert not found.second_scores.any()
        assert found.pairs() == []

    def test_vectors_of_zeros_and_copies(self) -> None:
        found = align(np.zeros((1, 4), np.float16), random_units(2, width=4))
        assert found.pairs()[0] == Pair(0, 0, 0.0, True)
        same = random_units(1).repeat(3, axis=0)
        assert align(same, same).first.tolist() == [0, 0, 0]

    def test_it_can_be_cancelled(self) -> None:
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            align(random_units(3), random_units(3), task=task)


class TestMatchLevel:
    @pytest.mark.parametrize("mean", [0.0, 2.0])  # of a model whose cosines are about 0, and about 0.8
    @pytest.mark.parametrize("candidates", [1, 20])
    def test_strangers_seldom_reach_it(self, mean: float, candidates: int) -> None:
        level = match_level(random_units(300, 0, 64, mean), np.arange(300), candidates)
        passages = random_units(400, 1, 64, mean)
        scores = [align(passages, random_units(candidates, 2 + n, 64, mean)).first_scores for n in range(20)]
        assert LUCK / 2 < (np.array(scores) >= level).mean() < LUCK * 2
        assert level < 1

    def test_passages_of_one_document_say_nothing_of_strangers(self) -> None:
        vectors = random_units(60).repeat(5, axis=0)
        documents = np.arange(60).repeat(5)
        assert match_level(vectors, documents, 5) == pytest.approx(
            match_level(vectors[::5], documents[::5], 5), abs=0.02
        )

    def test_in_a_folder_of_copies_a_copy_still_matches(self) -> None:
        copies = random_units(1).repeat(100, axis=0)
        assert match_level(copies, np.arange(100), 10) <= 0.999
        some = random_units(60, width=64).repeat(5, axis=0)
        assert match_level(some, np.arange(300), 5) == pytest.approx(0.75, abs=0.03)
        near = unit(copies + np.random.default_rng(0).normal(0, 0.05, copies.shape))
        level = match_level(near, np.arange(100), 10)
        usual = float(np.median(near @ near.T))
        assert usual < level <= usual + 0.75 * (1 - usual) + 1e-6

    @pytest.mark.parametrize("count", [0, 1, 5])
    def test_a_small_folder_has_a_fixed_one(self, count: int) -> None:
        assert match_level(random_units(count), np.arange(count), 3) == FIXED_LEVEL
        assert match_level(random_units(100), np.zeros(100, np.int64), 3) == FIXED_LEVEL


class TestDisagree:
    def test_by_rank_whatever_the_scale(self) -> None:
        cosines = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
        assert not disagree(cosines, cosines / 100, 0.4).any()
        assert disagree(cosines, np.array([0.01, 0.5, 0.4, 0.3, 0.2]), 0.4).tolist() == [True, *[False] * 4]

    def test_equal_scores_have_no_order(self) -> None:
        assert not disagree(np.full(6, 0.5), np.full(6, 0.1), 0.4).any()
        assert not disagree(np.full(6, 0.5), np.linspace(0, 1, 6), 0.4).any()

    def test_few_pairs_by_what_either_calls_a_match(self) -> None:
        cosines, relevance = np.array([0.9, 0.8, 0.2]), np.array([0.9, 0.1, 0.7])
        assert disagree(cosines, relevance, 0.5).tolist() == [False, True, True]
        assert disagree(np.zeros(0), np.zeros(0), 0.5).tolist() == []
