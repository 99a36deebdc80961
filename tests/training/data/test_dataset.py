"""A training set keeps its columns together, and examples that share a text share a group."""

from dataclasses import replace

import pytest

from explorer.corpus.readers.tables.data_table import RowProblem
from explorer.errors import DataError
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import (
    Dataset,
    find_groups,
    joined,
    make_set,
    prepare_for_training,
    require_measurable,
    text_key,
)


def test_groups_are_linked_through_shared_texts_however_far():
    first, second = ("a", "c", "e", "x"), ("b", "b", "C ", "y")
    assert find_groups((first, second)) == (0, 0, 0, 1)


def test_a_negative_links_too():
    assert find_groups((("a", "d"), ("b", "e"), ("c", "c"))) == (0, 0)


def test_what_is_told_to_be_together_is_one_group():
    assert find_groups((("a", "c", "e"), ("b", "d", "f")), ["one", "two", "one"]) == (0, 1, 0)


def test_an_empty_text_links_nothing():
    assert find_groups((("a", "c"), ("", " "))) == (0, 1)


def test_texts_differing_in_case_width_and_spaces_are_one():
    assert text_key(" The  ＣＡＴ\n") == text_key("the cat")
    assert text_key("한글") == text_key("한글")  # composed and not
    assert text_key("cat") != text_key("cats")


def test_scores_are_scaled_by_their_range():
    found = prepare_for_training(replace(Dataset.scored(("a", "b"), ("c", "d"), (1.0, 4.0), 1.0, 5.0), lines=(2, 3)))
    assert (found.kind, found.scores, found.lines) == ("scored", (0.0, 0.75), (2, 3))
    assert replace(found, groups=()) == Dataset.scored(("a", "b"), ("c", "d"), (0.0, 0.75))


@pytest.mark.parametrize(
    "examples",
    [
        Dataset.labelled(("a", "b"), ("c", "d"), (1, 0), ("no", "yes")),
        Dataset.triplets(("a",), ("b",), ("c",)),
        Dataset.pairs(("a",), ("b",)),
    ],
)
def test_examples_come_back_as_they_were(examples):
    assert replace(require_measurable(prepare_for_training(examples)), groups=()) == examples


def test_an_empty_text_is_a_problem_with_its_line():
    pairs = replace(Dataset.pairs(("a", "b", "c"), ("x", " ", "y")), problems=(RowProblem(9, "bad"),), lines=(2, 5, 10))
    found = prepare_for_training(pairs)
    assert found.columns == (("a", "c"), ("x", "y"))
    assert found.problems == (RowProblem(5, "has an empty text"), RowProblem(9, "bad"))
    with pytest.raises(DataError, match="empty text"):
        prepare_for_training(Dataset.pairs(("a",), ("",)))


def test_a_retrieval_folder_gives_its_relevant_pairs():
    data = Retrieval({"d1": "one", "d2": "two"}, {"q": "ask"}, {"q": {"d1": 2, "d2": 0}})
    assert prepare_for_training(data).columns == (("ask",), ("one",))
    with pytest.raises(DataError, match="relevant"):
        prepare_for_training(Retrieval({"d": "x"}, {"q": "ask"}, {"q": {"d": 0}}))


def test_take_keeps_columns_together():
    found = make_set(
        "labelled", (("a", "b", "c"), ("x", "y", "z")), classes=(0, 1, 0), names=("n", "p"), lines=(1, 2, 3)
    )
    part = found.select([2, 1])
    assert part.columns == (("c", "b"), ("z", "y"))
    assert (part.classes, part.groups, part.lines, part.names) == ((0, 1), (2, 1), (3, 2), ("n", "p"))


def test_columns_of_unlike_length_are_refused():
    with pytest.raises(ValueError, match="same length"):
        Dataset("pairs", (("a",), ("b", "c")), groups=(0,))
    with pytest.raises(ValueError, match="3 columns"):
        Dataset("triplets", (("a",), ("b",)), groups=(0,))
    with pytest.raises(ValueError, match="same length"):
        Dataset("scored", (("a",), ("b",)), groups=(0,))


def test_sets_are_joined_by_the_names_of_labels_and_shared_texts():
    one = make_set("labelled", (("a",), ("b",)), classes=(1,), names=("no", "yes"))
    two = make_set("labelled", (("c", "a"), ("d", "e")), classes=(0, 1), names=("yes", "maybe"))
    both = joined([one, two])
    assert both.names == ("no", "yes", "maybe")
    assert both.classes == (1, 1, 2)
    assert both.groups == (0, 1, 0)


def test_sets_of_two_kinds_are_not_joined():
    pair = (("a",), ("b",))
    with pytest.raises(DataError, match="pairs, scored"):
        joined([make_set("pairs", pair), make_set("scored", pair, scores=(1.0,))])
    with pytest.raises(DataError, match="none"):
        joined([])


def test_texts_alone_measure_nothing():
    with pytest.raises(DataError, match="measure"):
        require_measurable(make_set("texts", (("a",),)))


def test_what_an_objective_learns():
    pair = (("a",), ("b",))
    assert make_set("scored", pair, scores=(0.0,)).labels == (0.0,)
    assert make_set("labelled", pair, classes=(0,), names=("no", "yes")).labels == (0,)
    assert make_set("pairs", pair).labels is None
