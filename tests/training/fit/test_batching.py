"""Batches hold every example once, like lengths together, in an order that the seed decides."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest

from explorer.models.runtime.batching import Tokens
from explorer.task import Cancelled, Task
from explorer.training.fit.batch_plan import batches_due, pick
from explorer.training.fit.batching import by_padding, epoch, steps, tokenize

LENGTHS = np.random.default_rng(0).integers(3, 60, 1003)


def test_every_example_comes_once_a_round() -> None:
    made = epoch(LENGTHS, 16, (0, 0))
    assert sorted(row for batch in made for row in batch) == list(range(1003))
    assert [len(batch) for batch in made].count(16) == 62


def test_like_lengths_meet_but_not_always_the_same() -> None:
    made, again, other, later = (epoch(LENGTHS, 16, seed) for seed in ((0, 0), (0, 0), (1, 0), (0, 1)))
    assert made == again
    assert made not in (other, later)
    padding = sum(len(batch) * LENGTHS[batch].max() for batch in made)
    random_padding = sum(16 * LENGTHS[start : start + 16].max() for start in range(0, 1003, 16))
    assert padding < 1.1 * LENGTHS.sum()
    assert random_padding > 1.6 * LENGTHS.sum()
    lengths_in_order = [LENGTHS[batch].mean() for batch in made]
    assert lengths_in_order != sorted(lengths_in_order)


def test_lengths_meet_where_examples_are_compared() -> None:
    made = epoch(LENGTHS, 16, (0, 0), mixed=True)
    assert sorted(row for batch in made for row in batch) == list(range(1003))
    spreads = [np.ptp(LENGTHS[batch]) for batch in made if len(batch) == 16]
    assert min(spreads) > 20


def test_no_text_comes_twice_where_examples_are_negatives() -> None:
    chance = random.Random(0)
    first = [f"q{chance.randint(0, 60)}" for _ in range(300)]
    second = [f"a{chance.randint(0, 200)}" for _ in range(300)]
    made = epoch(LENGTHS[:300], 16, (0, 0), (first, second))
    assert sorted(row for batch in made for row in batch) == list(range(300))
    for batch in made:
        assert len({first[row] for row in batch}) == len({second[row] for row in batch}) == len(batch) <= 16
    plain = epoch(LENGTHS[:300], 16, (0, 0))
    assert any(len({first[row] for row in batch}) < len(batch) for batch in plain)


def test_steps_go_round_and_round() -> None:
    taken = list(islice(steps(LENGTHS[:50], 8, 2, 0), 8))  # 7 batches a round: 4 steps
    assert [len(step) for step in taken] == [2, 2, 2, 1] * 2
    for half in (taken[:4], taken[4:]):
        assert sorted(row for step in half for batch in step for row in batch) == list(range(50))
    assert taken[:4] != taken[4:]


def test_a_batch_is_parted_where_that_saves_padding() -> None:
    assert by_padding([7, 7, 8, 8]) == [[0, 1, 2, 3]]
    assert by_padding([50, 5, 6, 49]) == [[1, 2], [3, 0]]
    lengths = LENGTHS[:64].tolist()
    groups = by_padding(lengths)
    assert len(groups) > 2
    assert sorted(place for group in groups for place in group) == list(range(64))
    assert sum(len(group) * max(lengths[place] for place in group) for group in groups) < 1.4 * sum(lengths)
    assert by_padding([4]) == [[0]]


def test_sequences_come_back_padded() -> None:
    texts = ["one", "three", "five!"] * 900
    encode = lambda window: [Tokens([ord(c) for c in text], [len(text)] * len(text)) for text in window]  # noqa: E731
    kept = tokenize(texts, encode, Task())
    assert kept.lengths.tolist() == [3, 5, 5] * 900
    ids, mask, types = kept.padded([2698, 0], 9)
    assert ids.tolist() == [[ord(c) for c in "three"], [*map(ord, "one"), 9, 9]]
    assert mask.tolist() == [[1] * 5, [1, 1, 1, 0, 0]]
    assert types is not None
    assert types.tolist() == [[5] * 5, [3, 3, 3, 0, 0]]
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        tokenize(texts, encode, task)


def test_the_guards_share_is_that_of_all_batches() -> None:
    for share in (0.0, 0.1, 0.25, 0.5, 0.75):
        due = sum(batches_due(step, share) for step in range(1000))
        assert due / (due + 1000) == pytest.approx(share, abs=0.002)


def test_texts_are_picked_by_chance_but_the_same_again() -> None:
    texts = [f"text {number % 50}" for number in range(100)] + ["", "  "]
    assert len(pick(texts, 100, 0)) == 50
    assert pick(texts, 10, 0) == pick(texts, 10, 0) != pick(texts, 10, 1)
    assert len(set(pick(texts, 10, 0))) == 10
