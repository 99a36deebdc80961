"""Parts share no text, are as large as wanted where that can be, and are the same for the same seed."""

from __future__ import annotations

import pytest

from explorer.errors import DataError
from explorer.training.data.dataset import make_set, text_key
from explorer.training.data.split import as_kind, split
from tests.training.data.training_files import read_training_set

NLI = make_set(
    "labelled",
    (("p", "p", "p", "q"), ("e", "n", "c", "d")),
    classes=(1, 2, 0, 1),
    names=("contradiction", "entailment", "neutral"),
)
SCORED = make_set("scored", (("a", "a", "c"), ("b", "x", "d")), scores=(0.9, 0.1, 0.5), lines=(2, 3, 4))


def pairs(count, shared=1):
    """Pairs of which `shared` in a row have the first text in common."""
    first = tuple(f"premise {number // shared}" for number in range(count))
    return make_set("pairs", (first, tuple(f"text {number}" for number in range(count))))


def keys(part):
    return {text_key(text) for column in part.columns for text in column}


def parts(found, **options):
    done = split(found, **options)
    return done.train, done.dev, done.test


@pytest.mark.parametrize("shared", [1, 3, 7])
def test_no_text_is_on_two_sides_and_none_is_lost(shared):
    found = pairs(500, shared)
    train, dev, test = parts(found)
    assert not keys(train) & keys(dev)
    assert not keys(train) & keys(test)
    assert not keys(dev) & keys(test)
    everything = sorted(found.example(place) for place in range(500))
    assert sorted(part.example(place) for part in (train, dev, test) for place in range(len(part))) == everything


def test_sizes_are_exact_where_groups_allow():
    assert list(map(len, parts(pairs(1000)))) == [800, 100, 100]
    assert list(map(len, parts(pairs(103), shares=(0.7, 0.2, 0.1)))) == [72, 21, 10]
    sizes = list(map(len, parts(pairs(1000, 7))))
    assert all(abs(size - goal) <= 7 for size, goal in zip(sizes, (800, 100, 100), strict=True))


def test_large_groups_are_placed_first():
    sizes = [2] * 25 + [10] * 5
    first = [f"hub {number}" for number, size in enumerate(sizes) for _ in range(size)]
    found = make_set("pairs", (tuple(first), tuple(f"text {n}" for n in range(100))))
    assert all(
        list(map(len, parts(found, shares=(0.5, 0.25, 0.25), seed=seed))) in ([50, 24, 26], [50, 26, 24])
        for seed in range(20)
    )


def test_every_label_has_its_share_in_every_part():
    count = 900
    texts = (tuple(f"p {n // 3}" for n in range(count)), tuple(f"h {n}" for n in range(count)))
    labels = tuple((1 if n % 10 == 0 else 0) for n in range(count))
    for part in parts(make_set("labelled", texts, classes=labels, names=("no", "yes"))):
        assert sum(part.classes) / len(part) == pytest.approx(0.1, abs=0.02)


def test_scores_are_spread_alike():
    count = 500
    texts = (tuple(f"a {n}" for n in range(count)), tuple(f"b {n}" for n in range(count)))
    scores = tuple(n / (count - 1) for n in range(count))
    for part in parts(make_set("scored", texts, scores=scores)):
        assert sum(part.scores) / len(part) == pytest.approx(0.5, abs=0.03)


def test_the_seed_decides():
    found = pairs(200)
    assert split(found, seed=3) == split(found, seed=3)
    assert split(found, seed=3).test != split(found, seed=4).test


def test_a_share_of_nothing_gives_an_empty_part():
    assert list(map(len, parts(pairs(50), shares=(0.8, 0.2, 0)))) == [40, 10, 0]


def test_a_large_group_is_told():
    texts = (("hub",) * 95 + tuple("abcde"), tuple(f"t {n}" for n in range(100)))
    done = split(make_set("pairs", texts))
    assert len(done.train) == 95
    assert len(done.dev) + len(done.test) == 5
    assert "95 of 100 are linked" in done.remark
    assert split(pairs(100)).remark == ""


@pytest.mark.parametrize("count", [1, 2])
def test_too_few_groups(count):
    with pytest.raises(DataError, match=f"share no text: {count} in"):
        split(pairs(count))


@pytest.mark.parametrize("count", [3, 4, 5, 7])
def test_no_part_is_empty_where_there_are_groups_enough(count):
    sizes = list(map(len, parts(pairs(count))))
    assert min(sizes) >= 1
    assert sum(sizes) == count
    assert sizes[0] == max(sizes)


def test_one_group_of_many():
    with pytest.raises(DataError, match="share no text: 1 in"):
        split(pairs(100, 100))


@pytest.mark.parametrize(
    "shares", [(0.5, 0.5), (0.8, 0.1, 0.2), (1.1, -0.1, 0), (0, 0.5, 0.5), (float("nan"), 0.5, 0.5)]
)
def test_shares_that_are_none(shares):
    with pytest.raises(DataError, match="sum to 1"):
        split(pairs(20), shares=shares)


@pytest.mark.data
@pytest.mark.parametrize("name", ["sick/SICK_train.txt", "kornli_xnli/xnli.dev.ko.tsv", "trecqa_wang/train.csv"])
def test_real_files(data_folder, name):
    found = read_training_set(data_folder / name)
    train, dev, test = parts(found)
    assert not keys(train) & (keys(dev) | keys(test))
    assert not keys(dev) & keys(test)
    assert len(dev) == pytest.approx(len(found) / 10, rel=0.05)
    assert len(test) == pytest.approx(len(found) / 10, rel=0.05)


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
    with pytest.raises(DataError, match="No pair is labelled similar"):
        as_kind(low, "pairs")
    with pytest.raises(DataError, match="no triplet"):
        as_kind(low, "triplets")
