"""What is doubtful about examples is told with counts and places; what is not is not."""

import pytest

from explorer.corpus.readers.tables.data_table import RowProblem
from explorer.errors import DataError
from explorer.training.data.checks import (
    find_remarks,
    leaking,
    positive_label,
    require_trainable,
    without_duplicates,
    without_leaks,
)
from explorer.training.data.dataset import make_set


def scored(*rows):
    first, second, scores = zip(*rows, strict=True)
    return make_set("scored", (first, second), scores=scores, lines=tuple(range(2, len(rows) + 2)))


def labelled(*rows, names=("no", "yes")):
    first, second, labels = zip(*rows, strict=True)
    return make_set("labelled", (first, second), classes=labels, names=names)


def plain(count=60):
    return [(f"first {n}", f"second {n}", n / 100) for n in range(count)]


def named(found):
    return {remark.kind: remark for remark in find_remarks(found)}


def test_good_examples_have_no_remark():
    assert find_remarks(scored(*plain())) == ()
    assert find_remarks(labelled(*[(f"a {n}", f"b {n}", n % 2) for n in range(60)])) == ()
    require_trainable(scored(*plain()))


def test_duplicates_whichever_way_round_scores():
    found = scored(*plain(), ("second 1", "FIRST 1", 0.01))
    remark = named(found)["duplicates"]
    assert (remark.count, remark.examples, remark.fatal) == (1, (60,), False)
    assert "line 62" in remark.sentence
    assert "contradictions" not in named(found)
    assert len(without_duplicates(found)) == 60


def test_labels_may_depend_on_the_order():
    rows = [(f"a {n}", f"b {n}", n % 2) for n in range(60)]
    assert find_remarks(labelled(*rows, ("b 1", "a 1", 0))) == ()
    assert named(labelled(*rows, ("a 1", "b 1", 0)))["contradictions"].examples == (1, 60)


def test_contradictory_scores_are_far_apart():
    assert "contradictions" not in named(scored(*plain(), ("first 1", "second 1", 0.2)))
    remark = named(scored(*plain(), ("first 1", "second 1", 0.9)))["contradictions"]
    assert (remark.count, remark.examples) == (2, (1, 60))


def test_contradictory_triplets():
    rows = [(f"a {n}", f"p {n}", f"n {n}") for n in range(60)] + [("a 0", "n 0", "p 0"), ("x", "y", "Y")]
    assert named(make_set("triplets", tuple(zip(*rows, strict=True))))["contradictions"].examples == (0, 60, 61)


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (labelled(*[(f"a {n}", f"b {n}", 1) for n in range(60)]), "single class"),
        (scored(*[(f"a {n}", f"b {n}", 0.5) for n in range(60)]), "single score"),
        (scored(("a", "b", 0.5)), "few"),
        (scored(*[("a", "b", 0.5)] * 60), "duplicates"),
        (labelled(*[("a", "b", n % 2) for n in range(60)]), "contradictions"),
    ],
)
def test_what_forbids_training(found, kind):
    assert named(found)[kind].fatal
    assert find_remarks(found)[0].fatal
    with pytest.raises(DataError):
        require_trainable(found)


def test_rare_and_uneven_labels():
    rows = [(f"a {n}", f"b {n}", 0) for n in range(60)]
    found = named(labelled(*rows, ("x", "y", 1)))
    assert found["rare class"].examples == (60,)
    assert "yes (1)" in found["rare class"].sentence
    assert "60 examples of no" in found["uneven classes"].sentence


def test_numbers_and_words_as_labels():
    rows = [(f"a {n}", f"b {n}", n % 3) for n in range(60)]
    remark = named(labelled(*rows, names=("0", "1", "yes")))["mixed labels"]
    assert remark.count == 20
    assert "yes" in remark.sentence


def test_identical_texts_with_low_scores():
    found = named(scored(*plain(), *[(f"same {n}", f"same {n}", 0.0) for n in range(3)]))
    assert found["same text"].count == 3
    assert "reverse the scores" in found["same text"].sentence


def test_bad_rows_are_counted():
    found = make_set("pairs", (("a", "b"), ("c", "d")), problems=(RowProblem(7, "has no label"),))
    assert "line 7 has no label" in named(found)["bad rows"].sentence


def test_texts_in_training_and_test():
    train = make_set("pairs", (("a", "b", "c"), ("x", "y", "z")))
    test = make_set("pairs", (("Q", "Y "), ("r", "s")))
    assert leaking(train, test) == [1]
    clean = without_leaks(train, test)
    assert clean.columns == (("a", "c"), ("x", "z"))
    assert leaking(clean, test) == []
    with pytest.raises(DataError, match="Every training example"):
        without_leaks(train, train)


def test_identical_texts_tell_the_label_that_means_similar():
    rows = [(f"a {n}", f"b {n}", n % 2) for n in range(20)]
    assert positive_label(labelled(*rows, names=("0", "1"))) == "1"
    same = [(f"same {n}", f"Same {n}", 0) for n in range(6)]
    assert positive_label(labelled(*rows, *same, names=("0", "1"))) == "0"
    assert positive_label(labelled(*rows, names=("red", "blue"))) is None
    assert positive_label(scored(*plain())) is None
