"""BM25 over arrays of occurrences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from explorer.analysis.search import bm25


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_the_score_is_the_formula_by_hand() -> None:
    lengths = bm25.Lengths.from_counts(numbers(1, 3, 4), numbers(2, 4, 6))
    passages, scores = bm25.score([numbers(3, 3), numbers(4)], lengths)
    idf = math.log((3 - 1 + 0.5) / 1.5)
    assert passages.tolist() == [3, 4]
    assert scores[0] == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 4)))
    assert scores[1] == pytest.approx(idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 6 / 4)))


def test_a_term_that_nearly_all_have_counts_next_to_nothing_but_is_found() -> None:
    lengths = bm25.Lengths.from_counts(numbers(1, 2, 3), numbers(1, 1, 1))
    passages, scores = bm25.score([numbers(1, 2, 3)], lengths)
    assert passages.tolist() == [1, 2, 3]
    assert 0 < scores.max() < 1e-5


def test_no_occurrences_and_those_without_a_length_are_no_hits() -> None:
    lengths = bm25.Lengths.from_counts(numbers(1), numbers(5))
    passages, _ = bm25.score([numbers(), numbers(1, 7)], lengths)
    assert passages.tolist() == [1]
    assert bm25.score([numbers(1)], bm25.Lengths.from_counts(numbers(), numbers()))[0].tolist() == []


def test_the_best_are_in_order_and_equal_ones_by_id() -> None:
    found = bm25.best(numbers(1, 2, 3, 4, 5), np.array([0.5, 2.0, 0.5, 3.0, 0.5]), 4)
    assert found == [(4, 3.0), (2, 2.0), (1, 0.5), (3, 0.5)]


@pytest.mark.parametrize("values", [[], [0], [5, 127, 128, 300, 16_383, 16_384, 1]])
def test_packed_numbers_are_read(values: list[int]) -> None:
    packed = b"".join(pack(value) for value in values)
    assert bm25.varints(packed).tolist() == values


def pack(value: int) -> bytes:
    parts = [value & 127]
    while value := value >> 7:
        parts.insert(0, value & 127 | 128)
    return bytes(parts)
