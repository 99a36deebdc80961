"""Quotations are found wherever they are, also with a word changed, and nothing else is."""

from __future__ import annotations

import random
import time

import pytest

from explorer.analysis.text.quotations import LEAST_WORDS, quotations
from explorer.task import Cancelled, Task

WORDS = [f"{first}{last}" for first in ("ba", "co", "du", "fi", "go", "ha", "ki") for last in ("rn", "ts", "ml", "p")]


def text(chance: random.Random, words: int) -> list[str]:
    return [f"{word}{chance.randrange(400)}" for word in chance.choices(WORDS, k=words)]


def test_planted_quotations_are_found_with_their_places() -> None:
    chance = random.Random(4)
    bodies = [text(chance, 300) for _ in range(60)]
    planted = {}
    for number in range(15):
        start, length, at = chance.randrange(250), chance.randrange(14, 40), chance.randrange(250)
        quoted = bodies[number][start : start + length]
        bodies[59 - number][at:at] = quoted
        planted[number, 59 - number] = quoted
    texts = [" ".join(body).capitalize() + "." for body in bodies]
    found = {(one.first, one.second): one for one in quotations(texts)}
    assert set(found) == set(planted)
    for pair, one in found.items():
        for number, span in ((one.first, one.first_span), (one.second, one.second_span)):
            assert texts[number][slice(*span)].lower() == " ".join(planted[pair]).lower()
        assert one.share == 1.0


def test_a_changed_word_does_not_break_it_and_korean_is_found() -> None:
    quoted = (
        "비가 많이 내려 강물이 불어났고 오래된 다리가 통제되었으며 밤이 되기 전에 모든 배들을 항구로 옮겼다고 "
        "시장이 말했고 주민들은 높은 곳으로 대피했다"
    )
    changed = quoted.replace("모든", "거의")
    [found] = quotations([f"어제 {quoted}. 그리고 끝.", f"기사에 따르면 “{changed}” 라고 한다."])
    assert 0.8 < found.share < 1
    assert found.words >= LEAST_WORDS


def test_short_common_and_repeated_words_are_no_quotation() -> None:
    assert quotations([]) == []
    assert quotations(["", "one", "one two three"]) == []
    assert quotations(["the quick brown fox jumps over it", "the quick brown fox jumps over that"]) == []
    signature = "sent from my phone please excuse any mistakes in this message and have a nice day"
    assert quotations([f"{number} {signature}" for number in range(40)]) == []
    assert quotations(["again and again " * 30]) == []  # within one text


def test_it_can_be_cancelled_and_is_quick() -> None:
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        quotations(["a"], task)
    chance = random.Random(1)
    texts = [" ".join(text(chance, 100)) for _ in range(1000)]
    began = time.process_time()
    assert quotations(texts) == []
    assert time.process_time() - began < 4
