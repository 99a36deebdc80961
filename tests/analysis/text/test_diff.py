"""Wording: differences that rebuild either text, runs in common; quick on long and repetitive texts."""

from __future__ import annotations

import random
import time

import pytest

from explorer.analysis.text.diff import common_runs, differences, sameness

LEASE = "The tenant shall pay the rent on the first day of each month, without deduction."


def squeezed(text: str) -> str:
    return "".join(text.split())


def check(first: str, second: str) -> None:
    """The stretches cover both texts in order, and what is called the same is the same."""
    changes = differences(first, second)
    assert "".join(squeezed(first[slice(*one.first)]) for one in changes) == squeezed(first)
    assert "".join(squeezed(second[slice(*one.second)]) for one in changes) == squeezed(second)
    for one in changes:
        same = squeezed(first[slice(*one.first)]) == squeezed(second[slice(*one.second)])
        assert same == (one.kind == "same")
        assert (one.first[0] == one.first[1]) == (one.kind == "second")
        assert (one.second[0] == one.second[1]) == (one.kind == "first")


def long_text(count: int, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    return [f"w{min(3000, int(chance.paretovariate(0.8)))}" for _ in range(count)]


class TestDifferences:
    def test_what_was_changed(self) -> None:
        changed = LEASE.replace("first", "third").replace(", without deduction", "").replace("The", "Now the")
        assert [
            (one.kind, LEASE[slice(*one.first)], changed[slice(*one.second)]) for one in differences(LEASE, changed)
        ] == [
            ("changed", "The", "Now the"),
            ("same", "tenant shall pay the rent on the", "tenant shall pay the rent on the"),
            ("changed", "first", "third"),
            ("same", "day of each month", "day of each month"),
            ("first", ", without deduction", ""),
            ("same", ".", "."),
        ]

    def test_spaces_and_line_ends_do_not_count(self) -> None:
        assert [one.kind for one in differences(LEASE, LEASE.replace(" ", "\n  "))] == ["same"]

    def test_words_met_by_chance_are_not_the_same(self) -> None:
        changes = differences("one two three of four five six", "seven eight nine of ten eleven twelve")
        assert [one.kind for one in changes] == ["changed"]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("", ""),
            ("a", ""),
            ("", "a b"),
            ("a b c", "c b a"),
            ("학교에서 공부한다", "학교에 가서 공부한다"),
            ("東京都に行く", "京都に行った"),
            ("a" * 50_000, "b"),
            ("e\u0301 \ud800 x", "x e\u0301"),
        ],
    )
    def test_both_texts_can_be_told_from_them(self, first: str, second: str) -> None:
        check(first, second)

    def test_random_texts_can_be_told_from_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        chance = random.Random(1)
        for costly in (100_000, 20, 0):  # small, so that short texts are cut like long ones
            monkeypatch.setattr("explorer.analysis.text.diff._COSTLY", costly)
            for _ in range(100):
                first = chance.choices("a b c d e f , .".split(), k=chance.randrange(40))
                second = [word for word in first if chance.random() < 0.8]
                check(" ".join(first), " ".join([*second, *chance.choices("a b x".split(), k=3)]))

    def test_ideographs_are_told_apart_one_by_one(self) -> None:
        changes = differences("東京都に行く予定です", "東京都に来る予定です")
        assert [one.kind for one in changes] == ["same", "changed", "same"]

    def test_long_texts_take_no_longer_than_they_should(self) -> None:
        words = long_text(6000)
        edited = ["x" if place % 40 == 0 else word for place, word in enumerate(words)]
        refrain = "The ship sails the cold sea. " * 1000
        started = time.process_time()
        changes = differences(" ".join(words), " ".join(edited))
        assert sameness(changes) > 0.95
        assert sameness(differences(refrain, f"Ho! {refrain[:9000]} tea {refrain[9000:]} Ho!")) > 0.9
        assert time.process_time() - started < 5  # difflib alone takes minutes


class TestSameness:
    def test_is_the_share_of_the_longer_text(self) -> None:
        assert sameness(differences("ab cd", "ab cd")) == 1
        assert sameness(differences("abc xyz", "abc")) == pytest.approx(0.5)
        assert sameness(differences("abc", "xyz")) == 0
        assert sameness(differences("", "")) == 1


class TestCommonRuns:
    def test_a_quotation_is_found_whatever_its_case_and_line_ends(self) -> None:
        quoted = LEASE.upper().replace(" ", "\n").replace(",", " -")
        first, second = f"As agreed: {LEASE} So be it.", f"They wrote\n> {quoted}\n and left."
        (run,) = common_runs(first, second)
        assert first[slice(*run.first)] == LEASE[:-1]
        assert second[slice(*run.second)] == quoted[:-1]
        assert run.words == 15

    def test_shorter_ones_are_accidents(self) -> None:
        assert common_runs(LEASE, "pay the rent on the first day") == ()
        assert len(common_runs(LEASE, "pay the rent on the first day", least=7)) == 1
        assert common_runs("", LEASE) == ()

    def test_the_longest_place_is_taken(self) -> None:
        short, long = " ".join(LEASE.split()[:9]), LEASE
        (run,) = common_runs(LEASE, f"{short} stop. {long}")
        assert run.second[0] == len(short) + 7
        assert run.words == 15

    def test_a_run_is_as_long_as_it_is(self) -> None:
        words = [str(number) for number in range(1000)]
        for size in (64, 65, 200, 999):
            (run,) = common_runs(" ".join(words), " ".join([*words[:size], "x"]))
            assert run.words == size

    def test_books_and_refrains_are_quick(self) -> None:
        started = time.process_time()
        words = long_text(100_000)
        (run,) = common_runs(" ".join(words), "x " + " ".join(words))
        assert run.words == 100_000
        refrain = "The ship sails the cold sea. " * 10_000
        assert len(common_runs(refrain, refrain)) == 1
        assert time.process_time() - started < 15
