"""The key words of one document, and of two side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.topics.keywords import contrast, keywords
from explorer.analysis.topics.topic_words import count_terms
from explorer.task import Cancelled, Task

TELESCOPE = (
    "The Webb telescope unfolded its mirror in space. Engineers aligned every segment of the mirror for weeks. "
    "Lunch was a sandwich. The first pictures of distant galaxies amazed astronomers."
)
KOREAN = "제임스 웹 망원경의 거울은 금으로 덮여 있다. 망원경이 먼 은하를 찍었다. 거울 조각을 맞추는 데 몇 달이 걸렸다."
AXES = ("mirror", "galaxies", "lunch", "mirrors")


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """A toy meaning: an axis for each of three words, "mirrors" nearly that of "mirror", and one for all else."""
    rows = np.zeros((len(texts), 5), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for axis, word in enumerate(AXES):
            row[axis] = word in re.findall(r"\w+", text.lower())
        row[4] = 0.05
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def vector(*values: float) -> NDArray[np.float32]:
    array = np.array(values, dtype=np.float32)
    return array / np.linalg.norm(array)


def test_the_words_nearest_the_document_come_first() -> None:
    found = keywords("mirror lunch. galaxies", encode, vector(0.5, 0.8, 0.2, 0, 0))
    assert [word.text for word in found][:2] == ["galaxies", "mirror"]
    assert found[0].score == pytest.approx(float(vector(0.5, 0.8, 0.2, 0, 0)[1]), abs=0.01)
    assert [word.score for word in found] == sorted((word.score for word in found), reverse=True)


def test_without_a_vector_the_text_is_encoded() -> None:
    assert keywords("galaxies. Nothing, comet", encode)[0].text == "galaxies"


def test_what_is_far_from_the_document_is_no_key_word() -> None:
    found = keywords("galaxies, lunch", encode, vector(0, 1, 0.05, 0, 0))
    assert [word.text for word in found] == ["galaxies"]


def test_the_chosen_differ_from_each_other() -> None:
    def same_meaning(texts: Sequence[str]) -> NDArray[np.float32]:
        table = {"boat": (1, 0.1), "ship": (1, 0.12), "harbour": (0.8, -0.6)}
        return np.stack([vector(*table.get(text, (0, 1))) for text in texts])

    found = keywords("boat, ship, harbour", same_meaning, vector(1, 0), count=2)
    assert [word.text for word in found] == ["boat", "harbour"]


def test_a_phrase_and_its_words_do_not_both_appear() -> None:
    for found in (keywords("mirror lunch, mirror lunch, mirror", encode), keywords("mirror lunch. Mirror lunch.")):
        words = [part for word in found for part in word.text.lower().split()]
        assert len(words) == len(set(words)) > 0


def test_spans_lead_back_to_the_text() -> None:
    text = "Orbits of comets; the comet's ORBIT. 우주왕복선의 궤도를"
    found = {word.text: word for word in keywords(text)}
    assert {text[start:end] for start, end in found["comet"].spans} == {"comet", "comets"}
    assert [text[start:end] for start, end in found["궤도"].spans] == ["궤도"]
    assert all(word.spans for word in found.values())


def test_without_an_encoder_words_rare_elsewhere_win() -> None:
    corpus = count_terms(["galaxies and mirror"] * 30 + ["galaxies"] * 30 + ["mirror comet"] * 3)
    found = keywords("galaxies. comet. galaxies", corpus=corpus)
    assert [word.text for word in found] == ["comet", "galaxies"]
    assert [word.text for word in keywords("galaxies. comet. galaxies")] == ["galaxies", "comet"]


def test_a_language_that_the_encoder_does_not_read_is_not_given_to_it() -> None:
    seen: list[str] = []

    def watched(texts: Sequence[str]) -> NDArray[np.float32]:
        seen.extend(texts)
        return encode(texts)

    found = keywords(KOREAN, watched, reads=lambda code: code == "en")
    assert seen == []
    assert {"망원경", "거울"} <= {word.text for word in found}
    keywords("A mirror and galaxies for lunch, 망원경 as they say in Korea", watched, reads=lambda code: code == "en")
    assert "mirror" in seen
    assert "망원경" not in seen


@pytest.mark.parametrize("text", ["", "   ", "the of 12", "!!!"])
def test_a_text_without_words_has_no_key_words(text: str) -> None:
    assert keywords(text) == []
    assert keywords(text, encode) == []


def test_one_word_is_its_own_key_word() -> None:
    assert [word.text for word in keywords("Galaxies", encode)] == ["Galaxies"]


def test_no_more_than_asked_for() -> None:
    assert len(keywords(TELESCOPE, count=3)) == 3
    assert len(keywords(TELESCOPE, encode, count=1)) == 1


def test_a_zero_vector_does_no_harm() -> None:
    found = keywords("mirror, galaxies", encode, np.zeros(5, dtype=np.float32))
    assert {word.score for word in found} == {0.0}


def test_cancelling_stops_it() -> None:
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        keywords(TELESCOPE, encode, task=task)


def test_contrast_parts_what_is_shared_from_what_is_not() -> None:
    first, second = ("The telescope saw comets. A comet!", "Our telescope saw galaxies; one galaxy, two telescopes.")
    found = contrast(first, second)
    assert [word.text for word in found.shared] == ["telescope"]
    [shared] = found.shared
    assert [first[start:end] for start, end in shared.first] == ["telescope"]
    assert [second[start:end] for start, end in shared.second] == ["telescope", "telescopes"]
    assert {word.text for word in found.first} == {"comet"}
    assert {word.text for word in found.second} == {"galaxies"}
    assert [second[start:end] for start, end in found.second[0].spans] == ["galaxies", "galaxy"]


def test_contrast_is_the_same_the_other_way_round() -> None:
    there, back = contrast(TELESCOPE, KOREAN), contrast(KOREAN, TELESCOPE)
    assert (there.first, there.second) == (back.second, back.first)
    assert there.shared == ()
    same = contrast(TELESCOPE, TELESCOPE)
    assert same.shared
    assert (same.first, same.second) == ((), ())
    assert contrast("", "").shared == ()


def test_a_form_of_a_shared_word_is_no_difference() -> None:
    found = contrast("space shuttle", "a shuttle in space")
    assert found.first == found.second == ()


@pytest.mark.bundled
def test_the_real_model_finds_what_a_text_is_about(bundled: Any) -> None:
    found = keywords(TELESCOPE, lambda texts: bundled.encode(list(texts)).whole(), count=4)
    told = " ".join(word.text.lower() for word in found)
    assert "telescope" in told
    assert "sandwich" not in told
    assert "lunch" not in told
