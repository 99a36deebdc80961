"""Examples of one kind become another where their meaning allows it, and a sentence where not."""

import pytest

from explorer.errors import DataError
from explorer.training.data.convert import as_kind
from explorer.training.data.dataset import make_set

NLI = make_set(
    "labelled",
    (("p", "p", "p", "q"), ("e", "n", "c", "d")),
    classes=(1, 2, 0, 1),
    names=("contradiction", "entailment", "neutral"),
)
SCORED = make_set("scored", (("a", "a", "c"), ("b", "x", "d")), scores=(0.9, 0.1, 0.5), lines=(2, 3, 4))


def test_labels_become_scores():
    assert as_kind(NLI, "scored").scores == (1.0, 0.5, 0.0, 1.0)
    assert as_kind(NLI, "scored", positive="neutral").scores == (0.0, 1.0, 0.0, 0.0)


def test_scores_become_labels():
    found = as_kind(SCORED, "labelled")
    assert (found.classes, found.names, found.lines) == ((1, 0, 1), ("not similar", "similar"), (2, 3, 4))


def test_pairs_are_those_called_alike():
    assert as_kind(NLI, "pairs").columns == (("p", "q"), ("e", "d"))
    assert as_kind(SCORED, "pairs").columns == (("a",), ("b",))


def test_triplets_share_their_anchor():
    assert as_kind(NLI, "triplets").columns == (("p",), ("e",), ("c",))
    assert as_kind(SCORED, "triplets").columns == (("a",), ("b",), ("x",))
    assert as_kind(as_kind(SCORED, "triplets"), "pairs").columns == (("a",), ("b",))


def test_texts_come_once():
    assert as_kind(NLI, "texts").columns == (("p", "q", "e", "n", "c", "d"),)
    assert as_kind(make_set("pairs", (("A", "b"), ("a ", "c"))), "texts").columns == (("A", "b", "c"),)


def test_the_same_kind_is_the_same():
    assert as_kind(SCORED, "scored") is SCORED


def test_what_cannot_be():
    with pytest.raises(DataError, match="Pairs cannot be used as scored"):
        as_kind(as_kind(SCORED, "pairs"), "scored")
    colours = make_set("labelled", (("a", "b"), ("c", "d")), classes=(0, 1), names=("red", "blue"))
    with pytest.raises(DataError, match=r"Which label means 'similar'.*red, blue"):
        as_kind(colours, "scored")
    assert as_kind(colours, "scored", positive="Blue").scores == (0.0, 1.0)
    low = make_set("scored", (("a", "b"), ("c", "d")), scores=(0.1, 0.2))
    with pytest.raises(DataError, match="No pair is called alike"):
        as_kind(low, "pairs")
    with pytest.raises(DataError, match="no triplet"):
        as_kind(low, "triplets")
