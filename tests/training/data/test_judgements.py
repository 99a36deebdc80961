"""Judgements keep what was said, the later one counts, and both scales become examples."""

import math

import pytest

from explorer.errors import DataError
from explorer.judgement import Judgement
from explorer.training.data.judgements import Agreement, agreement, from_judgements, latest


def test_the_later_judgement_counts_whichever_way_round():
    old, other, new = Judgement("a", "b", 1), Judgement("c", "d", 2), Judgement("B ", "a", 5)
    assert latest([old, other, new]) == [new, other]


def test_grades_become_scores():
    found = from_judgements(
        [Judgement("a", "b", 5), Judgement("c", "d", 2), Judgement("e", "f", 1, "similar")]
    )
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
