"""Clusters named by what their texts share."""

from __future__ import annotations

import random
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from explorer.analysis.text.phrases import read_words
from explorer.analysis.topics.topic_words import Topic, count_terms, topics
from explorer.task import Cancelled, Task

SPACE = [
    "NASA moved the space shuttle into a higher orbit.",
    "The space shuttle left its orbit; NASA was pleased.",
    "Orbits of the space shuttle are low, says NASA.",
    "A space telescope in orbit",
]
COOKING = [
    "Fry the onions in butter, then add garlic.",
    "Garlic and onions, slowly, in olive oil.",
    "An onion soup with butter and garlic bread",
]
KOREAN = [
    "우주왕복선의 발사가 성공했다. 우주왕복선은 궤도에 올랐다.",
    "우주 왕복선이 궤도를 돌았다.",
    "우주 왕복선을 발사대로 옮겼다.",
]
LABELS = [0] * len(SPACE) + [1] * len(COOKING)
# Words that a person would look for in the name of the group, by any one of which it counts as named.
GROUPS = {
    "alt.atheism": "atheist god", "comp.graphics": "image graphics", "comp.os.ms-windows.misc": "windows",
    "comp.sys.ibm.pc.hardware": "drive card bios", "comp.sys.mac.hardware": "mac apple",
    "comp.windows.x": "server x11r5",
    "misc.forsale": "sale sell", "rec.autos": "car", "rec.motorcycles": "bike motorcycle",
    "rec.sport.baseball": "baseball", "rec.sport.hockey": "hockey", "sci.crypt": "encryption key",
    "sci.electronics": "circuit", "sci.med": "patients medical doctor", "sci.space": "space orbit nasa",
    "soc.religion.christian": "christian god church", "talk.politics.guns": "gun firearms",
    "talk.politics.mideast": "israel arab", "talk.politics.misc": "president government law",
    "talk.religion.misc": "god christian",
}  # fmt: skip
RUBBISH = frozenset("writes wrote article edu com org subject lines don know think people".split())


def name(texts: list[str], labels: list[int] | None = None) -> list[Topic]:
    return topics(count_terms(texts), labels or [0] * len(texts))


def words(topic: Topic) -> list[str]:
    return [word.text for word in topic.words]


def test_clusters_are_named_by_what_only_they_have() -> None:
    space, cooking = name(SPACE + COOKING, LABELS)
    assert (space.label, cooking.label) == (0, 1)
    assert {"orbit", "NASA"} < set(space.name.split(" · "))
    assert {"garlic", "onions"} < set(cooking.name.split(" · "))
    assert len(space.name.split(" · ")) == 3


def test_what_every_cluster_has_comes_last() -> None:
    texts = ["telescope, comet", "telescope, comet", "telescope", "telescope, garlic", "telescope, garlic", "telescope"]
    assert [words(topic) for topic in name(texts, [0, 0, 0, 1, 1, 1])] == [
        ["comet", "telescope"],
        ["garlic", "telescope"],
    ]


def test_weights_fall_and_are_above_zero() -> None:
    for topic in name(SPACE + COOKING, LABELS):
        weights = [word.weight for word in topic.words]
        assert weights == sorted(weights, reverse=True)
        assert weights[-1] > 0


def test_a_word_is_shown_as_it_is_written_most_often() -> None:
    [topic] = name(["Orbits of NASA", "an orbit", "the orbits", "NASA and nasa, orbits"])
    assert words(topic) == ["orbits", "NASA"]


def test_a_phrase_stands_for_the_words_that_hardly_occur_without_it() -> None:
    [topic] = name(["The space shuttle flew.", "A space shuttle landed.", "Our space shuttle, an old one, sank."])
    assert words(topic)[0] == "space shuttle"
    assert not {"space", "shuttle"} & set(words(topic))


def test_a_word_that_stands_alone_as_often_is_not_hidden_by_a_phrase() -> None:
    [topic] = name(["shuttle", "shuttle", "shuttle", "shuttle", "space shuttle", "space shuttle", "space"])
    assert words(topic) == ["shuttle", "space"]


@pytest.mark.parametrize(("alone", "named"), [(2, "space station"), (12, "space")])
def test_a_phrase_names_a_cluster_only_where_it_is_typical(alone: int, named: str) -> None:
    texts = ["the space station"] * 4 + ["space, they say"] * alone + ["garlic soup"] * 16
    space, _ = name(texts, [0] * (4 + alone) + [1] * 16)
    assert space.name.split(" · ")[0] == named


def test_no_two_words_of_a_topic_say_the_same() -> None:
    [topic] = name(["Israel and Israeli towns", "Israelis of Israel", "the Israeli towns of Israel"])
    assert len([word for word in words(topic) if word.lower().startswith("israel")]) == 1


def test_phrases_do_not_cross_signs_or_stop_words() -> None:
    counts = count_terms(["space, shuttle", "space. Shuttle", "space of shuttle", "space shuttle"] * 2)
    phrases = {form for form, parts in zip(counts.forms, counts.parts, strict=True) if len(parts) > 1}
    assert phrases == {"space shuttle"}
    column = counts.forms.index("space shuttle")
    assert counts.texts_with[column] == 2


def test_phrases_of_three_words_are_counted() -> None:
    counts = count_terms(["national health service"] * 2)
    assert {"national health service", "national health", "health service", "service"} <= set(counts.forms)


def test_one_long_text_does_not_name_a_cluster() -> None:
    texts = ["parsnip " * 500, *["garlic soup"] * 5, *["orbit"] * 6]
    first, _ = name(texts, [0] * 6 + [1] * 6)
    assert words(first)[0] == "garlic soup"


def test_korean_and_english_in_one_cluster() -> None:
    korean, cooking = name([*KOREAN, "NASA도 우주왕복선 발사", *COOKING], [0] * 4 + [1] * 3)
    assert words(korean)[0] == "우주왕복선" or words(korean)[0] == "우주 왕복선"
    assert "궤도" in words(korean)
    assert not any(word.endswith(("를", "이", "은", "의")) for word in words(korean))
    assert "garlic" in cooking.name
    [mixed] = name(KOREAN + SPACE)
    assert {"NASA", "궤도"} <= set(words(mixed))


def test_names_differ_even_where_the_words_do_not() -> None:
    texts = SPACE * 3
    found = name(texts, [0] * 4 + [1] * 4 + [2] * 4)
    assert len({topic.name for topic in found}) == 3


@pytest.mark.parametrize("texts", [[""], ["", "  \n"], ["the of and", "1 2 3"]])
def test_texts_without_words_have_a_name_that_can_be_read(texts: list[str]) -> None:
    found = name(texts, list(range(len(texts))))
    assert [topic.words for topic in found] == [()] * len(texts)
    assert found[0].name == "no words"
    assert len({topic.name for topic in found}) == len(texts)


def test_no_texts_no_topics() -> None:
    assert topics(count_terms([]), []) == []
    assert topics(count_terms(SPACE), [-1] * len(SPACE)) == []


def test_what_belongs_nowhere_has_no_topic_and_names_nothing() -> None:
    texts = [*SPACE, *COOKING, "quokka", "quokka", "quokka"]
    found = name(texts, [*LABELS, -1, -1, -1])
    assert [topic.label for topic in found] == [0, 1]
    assert [topic.name for topic in found] == [topic.name for topic in name(SPACE + COOKING, LABELS)]


def test_the_order_of_texts_does_not_matter() -> None:
    texts = (SPACE + COOKING + KOREAN) * 9
    labels = (LABELS + [2] * len(KOREAN)) * 9
    texts += [f"word{letter} comet dust tail" * (1 + ord(letter) % 3) for letter in "abcdefghij" for _ in "12"]
    labels += [3] * 20
    expected = name(texts, labels)
    for seed in range(3):
        order = random.Random(seed).sample(range(len(texts)), len(texts))
        assert name([texts[place] for place in order], [labels[place] for place in order]) == expected


def test_counting_words_that_were_joined_is_counting_the_texts() -> None:
    joined = count_terms(read_words(SPACE).concatenate(read_words(COOKING)))
    whole = count_terms(SPACE + COOKING)
    assert (joined.forms, joined.parts) == (whole.forms, whole.parts)
    np.testing.assert_array_equal(joined.matrix.toarray(), whole.matrix.toarray())


def test_cancelling_stops_it() -> None:
    task = Task()
    counts = count_terms(SPACE)
    task.cancel()
    with pytest.raises(Cancelled):
        topics(counts, [0] * 4, task=task)
    with pytest.raises(Cancelled):
        count_terms(SPACE, task)


def test_new_labels_are_named_while_a_slider_moves() -> None:
    chooser = random.Random(0)
    letters = [f"{one}{other}{third}um" for one, other, third in combinations("bcdfghklmnprstvz", 3)]
    texts = [" ".join(chooser.choices(letters, k=8)) for _ in range(5_000)]
    counts = count_terms(texts)
    labels = [chooser.randrange(100) for _ in texts]
    topics(counts, labels)
    began = time.process_time()
    topics(counts, labels)
    assert time.process_time() - began < 0.3  # 0.04 on a busy machine; counting the words anew took 0.37


@pytest.mark.data
def test_newsgroups_get_names_that_a_person_would_give(data_folder: Path) -> None:
    folders = sorted(path for path in (data_folder / "mini_newsgroups").iterdir() if path.is_dir())
    texts, labels = [], []
    for number, folder in enumerate(folders):
        for path in sorted(folder.iterdir()):
            texts.append(path.read_text(encoding="latin-1").partition("\n\n")[2])
            labels.append(number)
    found = topics(count_terms(texts), labels)
    named = {folder.name: set(topic.name.lower().split(" · ")) for folder, topic in zip(folders, found, strict=True)}
    assert [group for group, wanted in GROUPS.items() if not named[group] & set(wanted.split())] == []
    assert not RUBBISH & {word.lower() for topic in found for word in words(topic)}
    assert len({topic.name for topic in found}) == 20
