"""Two result lists to one."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from explorer.analysis.search import ranking
from explorer.analysis.search.ranking import EVERY_LANGUAGE, WEIGHT, fuse, reread, weight_for

MEANING = [("a", 0.9), ("b", 0.8), ("c", 0.1)]
WORDS = [("b", 12.0), ("d", 3.0)]


def order(results):
    return [result.id for result in results]


def test_scores_by_hand():
    results = fuse(MEANING, WORDS, 0.5)
    assert {result.id: result.score for result in results} == pytest.approx(
        {"a": 0.5, "b": 0.5 * 0.7 / 0.8 + 0.5, "c": 0.0, "d": 0.5 * 3 / 12}
    )
    assert order(results) == ["b", "a", "d", "c"]


def test_cosines_that_lie_close_together_do_not_outvote_the_words():
    assert order(fuse([(1, 0.71), (2, 0.70)], [(2, 9.0), (1, 2.0)])) == [2, 1]


def test_one_passage_and_equal_scores_count_fully():
    assert fuse([(1, 0.3)], [(1, 2.0)])[0].score == pytest.approx(1.0)
    assert [result.score for result in fuse([(1, 0.0), (2, 0.0)], [], 1.0)] == [1.0, 1.0]


def test_a_result_keeps_where_it_came_from():
    both, *_ = fuse(MEANING, WORDS)
    assert (both.id, both.semantic_score, both.keyword_score) == ("b", 0.8, 12.0)
    assert (both.semantic_rank, both.keyword_rank) == (2, 1)
    last = next(result for result in fuse(MEANING, WORDS) if result.id == "d")
    assert (last.semantic_score, last.semantic_rank, last.keyword_rank) == (None, None, 2)


def test_the_first_of_both_scores_one():
    assert fuse([(1, 0.5), (2, 0.4)], [(1, 9.0)])[0].score == pytest.approx(1.0)


def test_a_list_of_no_weight_is_left_out():
    assert order(fuse(MEANING, WORDS, 1.0)) == ["a", "b", "c"]
    assert order(fuse(MEANING, WORDS, 0.0)) == ["b", "d"]


def test_one_list_may_be_empty():
    assert order(fuse(MEANING, [])) == ["a", "b", "c"]
    assert order(fuse([], WORDS)) == ["b", "d"]
    assert fuse([], []) == []


def test_the_order_does_not_depend_on_that_of_the_lists():
    chance = random.Random(5)
    meaning = [(key, chance.choice([0.1, 0.2, 0.3])) for key in range(40)]
    words = [(key, chance.choice([1.0, 2.0])) for key in range(20, 60)]
    expected = fuse(meaning, words)
    for _ in range(5):
        chance.shuffle(meaning)
        chance.shuffle(words)
        assert fuse(meaning, words) == expected
    assert all(math.isfinite(result.score) for result in expected)


def test_equal_results_are_ordered_by_id():
    assert order(fuse([(3, 1.0)], [(2, 1.0)], 0.5)) == [2, 3]


def test_a_repeated_result_counts_once_by_its_best_score():
    assert fuse([("a", 0.2), ("b", 0.5), ("a", 0.9)], [])[0].semantic_score == 0.9


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan])
def test_impossible_weights_are_refused(weight):
    with pytest.raises(ValueError, match="weight"):
        fuse(MEANING, WORDS, weight)


def test_what_the_model_cannot_read_is_left_to_the_words():
    english = {"en"}
    assert weight_for("en", english) == weight_for("", english) == WEIGHT
    assert weight_for("ko", english) < weight_for("latin", english) < WEIGHT
    assert weight_for("th", {EVERY_LANGUAGE}) == WEIGHT


def test_words_count_more_in_korean():
    assert weight_for("ko", {"en"}) < weight_for("ko", {"en", "ko"}) < WEIGHT


def test_an_unreadable_query_keeps_the_order_of_the_words():
    words = [(key, 10.0 - key) for key in range(10)]
    noise = [(key, key / 100) for key in range(100)]
    assert order(fuse(noise, words, weight_for("ko", {"en"})))[:5] == [0, 1, 2, 3, 4]


def test_a_reread_result_goes_by_its_score_and_that_before():
    assert reread(0.8, 1.0, 0.5) == pytest.approx(0.9)
    assert reread(0.8, 0.5, 0.25) == pytest.approx(0.25 * 0.8 + 0.75 * 0.5)
    assert reread(0.3, 0.7, 1.0) == 0.3
    assert reread(0.9, 0.4) > reread(0.1, 0.4) > reread(0.1, 0.39)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_the_score_is_the_formula_by_hand() -> None:
    lengths = ranking.Lengths.from_counts(numbers(1, 3, 4), numbers(2, 4, 6))
    passages, scores = ranking.score([numbers(3, 3), numbers(4)], lengths)
    idf = math.log((3 - 1 + 0.5) / 1.5)
    assert passages.tolist() == [3, 4]
    assert scores[0] == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 4)))
    assert scores[1] == pytest.approx(idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 6 / 4)))


def test_a_term_that_nearly_all_have_counts_next_to_nothing_but_is_found() -> None:
    lengths = ranking.Lengths.from_counts(numbers(1, 2, 3), numbers(1, 1, 1))
    passages, scores = ranking.score([numbers(1, 2, 3)], lengths)
    assert passages.tolist() == [1, 2, 3]
    assert 0 < scores.max() < 1e-5


def test_no_occurrences_and_those_without_a_length_are_no_hits() -> None:
    lengths = ranking.Lengths.from_counts(numbers(1), numbers(5))
    passages, _ = ranking.score([numbers(), numbers(1, 7)], lengths)
    assert passages.tolist() == [1]
    assert ranking.score([numbers(1)], ranking.Lengths.from_counts(numbers(), numbers()))[0].tolist() == []


def test_the_best_are_in_order_and_equal_ones_by_id() -> None:
    found = ranking.best(numbers(1, 2, 3, 4, 5), np.array([0.5, 2.0, 0.5, 3.0, 0.5]), 4)
    assert found == [(4, 3.0), (2, 2.0), (1, 0.5), (3, 0.5)]


@pytest.mark.parametrize("values", [[], [0], [5, 127, 128, 300, 16_383, 16_384, 1]])
def test_packed_numbers_are_read(values: list[int]) -> None:
    packed = b"".join(pack(value) for value in values)
    assert ranking.varints(packed).tolist() == values


def pack(value: int) -> bytes:
    parts = [value & 127]
    while value := value >> 7:
        parts.insert(0, value & 127 | 128)
    return bytes(parts)
