"""Contributions: the words of two texts sum to their cosine, whatever the pooling, the prompt and the script."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.models.bi_encoder import BiEncoder
from explorer.models.explain import (
    AttributedText,
    Contributions,
    explain,
    explain_pairs,
    shares,
    sums_words,
    word_spans,
)
from explorer.models.files import model_folder as folders
from explorer.models.files.model_folder import Dense, Layer, Normalize
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Task
from tests.conftest import ARCHITECTURES
from tests.models.test_bi_encoder import varied_texts

CPU = choose("cpu", precision="float32")
CAT, KITTEN = "The cat sat on the mat.", "A kitten rests on the rug, doesn't it?"


def total(side: AttributedText) -> float:
    return sum(word.value for word in side.words) + side.rest


def cosine(encoder: BiEncoder, first: str, second: str, roles: tuple[str | None, str | None]) -> float:
    vectors = [encoder.encode([text], role=role).whole()[0] for text, role in zip((first, second), roles, strict=True)]
    return float(vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1]))


def tiny_encoder(path: Path, *layers: Layer, pooling: tuple[str, ...] = ("mean",), **said: object) -> BiEncoder:
    torch.manual_seed(0)
    return BiEncoder(replace(folders.read(path), pooling=pooling, layers=layers, **said), CPU)


@pytest.mark.bundled
@pytest.mark.data
def test_words_sum_to_the_cosine_on_200_random_pairs(bundled: BiEncoder, data_folder: Path) -> None:
    chance = random.Random(4)
    titles = (data_folder / "stackoverflow_short/title_StackOverflow.txt").read_text("utf-8").splitlines()
    posts = sorted((data_folder / "mini_newsgroups/sci.space").iterdir())
    korean = (data_folder / "korsts/sts-dev.tsv").read_text("utf-8").splitlines()[1:]
    texts = [
        *chance.sample(titles, 40),
        *[path.read_text("latin-1") for path in chance.sample(posts, 2)],
        *[line.split("\t")[-1] for line in chance.sample(korean, 16)],
        "",
    ]
    pairs = [(chance.choice(texts), chance.choice(texts)) for _ in range(200)]
    vectors = dict(zip(texts, bundled.encode(texts, role="document").whole(), strict=True))
    for (first, second), found in zip(pairs, explain_pairs(bundled, pairs), strict=True):
        wanted = float(vectors[first] @ vectors[second])
        assert found.method == "exact"
        assert abs(found.cosine - wanted) < 1e-4
        assert abs(total(found.first) - wanted) < 1e-4
        assert abs(total(found.second) - wanted) < 1e-4


@pytest.mark.bundled
class TestMeaning:
    def test_the_word_that_matters_adds_most(self, bundled: BiEncoder) -> None:
        found = explain(bundled, CAT, KITTEN)
        for side, best in ((found.first, "cat"), (found.second, "kitten")):
            assert max(side.words, key=lambda word: word.value).text == best
        assert found.matrix is not None
        assert np.unravel_index(found.matrix.argmax(), found.matrix.shape) == (1, 1)

    def test_rows_of_the_matrix_and_the_rest_are_the_words(self, bundled: BiEncoder) -> None:
        found = explain(bundled, CAT, KITTEN)
        assert found.matrix is not None
        assert found.matrix.shape == (6, 8)
        [one, two] = shares(bundled, [CAT, KITTEN])
        rest = one.vectors[:-1] @ two.vectors[-1]
        np.testing.assert_allclose(found.matrix.sum(1) + rest, [word.value for word in found.first.words], atol=1e-6)

    def test_occlusion_finds_the_same_word(self, bundled: BiEncoder) -> None:
        blunt = BiEncoder(replace(bundled.folder, pooling=("cls",)), CPU)
        found = explain(blunt, CAT, KITTEN)
        assert found.method == "occlusion"
        assert max(found.first.words, key=lambda word: word.value).text == "cat"

    def test_korean_letters_make_words(self, bundled: BiEncoder) -> None:
        text = "학교에서 공부한다. 참 좋다!"
        found = explain(bundled, text, "학교 공부")
        assert [word.text for word in found.first.words] == ["학교에서", "공부한다", "참", "좋다"]
        assert all(text[word.start : word.end] == word.text for word in found.first.words)

    def test_a_text_beyond_the_limit_is_explained_as_far_as_it_is_read(self, bundled: BiEncoder) -> None:
        text = "river stone " * 300
        found = explain(bundled, text, CAT)
        assert len(found.first.words) == bundled.tokenizer.room
        assert found.first.read == 6 * bundled.tokenizer.room - 1
        assert found.second.read == len(CAT)
        assert abs(total(found.first) - cosine(bundled, text, CAT, (None, None))) < 1e-4


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_sums(checkpoints: dict[str, Path], architecture: str) -> None:
    encoder = tiny_encoder(checkpoints[architecture])
    texts = varied_texts(24)
    pairs = list(zip(texts, reversed(texts), strict=True))
    for (first, second), found in zip(pairs, explain_pairs(encoder, pairs), strict=True):
        assert abs(total(found.first) - cosine(encoder, first, second, (None, None))) < 1e-5
        spans = [(word.start, word.end) for word in found.first.words]
        assert all(start < end for start, end in spans)
        assert all(one[1] <= two[0] for one, two in pairwise(spans))


@pytest.mark.parametrize(
    ("pooling", "layers"),
    [
        (("mean_sqrt_len_tokens",), ()),
        (("weightedmean",), (Normalize(),)),
        (("mean", "weightedmean"), (Dense(64, 24, True, "Identity"), Normalize())),
        (("mean",), (Normalize(), Dense(32, 24, True, "Identity"), Dense(24, 8, False, "Identity"))),
    ],
)
def test_linear_layers_sum_too(tiny: Path, pooling: tuple[str, ...], layers: tuple[Layer, ...]) -> None:
    encoder = tiny_encoder(tiny, *layers, pooling=pooling)
    assert sums_words(encoder)
    found = explain(encoder, CAT, "the lazy dog ran under the bright moon")
    wanted = cosine(encoder, CAT, "the lazy dog ran under the bright moon", (None, None))
    assert abs(total(found.first) - wanted) < 1e-5
    assert abs(total(found.second) - wanted) < 1e-5


@pytest.mark.parametrize(
    ("pooling", "layers"),
    [(("cls",), ()), (("max",), ()), (("mean", "lasttoken"), ()), (("mean",), (Dense(32, 24, True, "Tanh"),))],
)
def test_other_models_lose_a_word_at_a_time(tiny: Path, pooling: tuple[str, ...], layers: tuple[Layer, ...]) -> None:
    encoder = tiny_encoder(tiny, *layers, pooling=pooling)
    found = explain(encoder, "cat sat moon", "dog ran")
    assert (found.method, found.matrix) == ("occlusion", None)
    loss = found.cosine - cosine(encoder, "cat  moon", "dog ran", (None, None))
    assert found.first.words[1].text == "sat"
    assert found.first.words[1].value == pytest.approx(loss, abs=1e-5)
    assert total(found.second) == pytest.approx(found.cosine)


def test_a_long_text_loses_few_words_at_a_time(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.models.explain._LEFT_OUT", 4)
    found = explain(tiny_encoder(tiny, pooling=("max",)), "cat sat moon dog ran tea ship", "dog")
    assert [word.text for word in found.first.words] == ["cat sat", "moon dog", "ran tea", "ship"]


@pytest.mark.parametrize("pools_prompt", [True, False])
@pytest.mark.parametrize("pooling", ["mean", "weightedmean", "max"])
def test_the_prompt_belongs_to_no_word(tiny: Path, pooling: str, pools_prompt: bool) -> None:
    prompts = {"query": "queen plays: ", "document": "king plays: "}
    encoder = tiny_encoder(tiny, pooling=(pooling,), prompts=prompts, pools_prompt=pools_prompt)
    roles = ("query", "document")
    found = explain(encoder, "cat sat", "moon and river", roles=roles)
    assert [word.text for word in found.first.words] == ["cat", "sat"]
    assert [(word.start, word.end) for word in found.second.words] == [(0, 4), (5, 8), (9, 14)]
    wanted = cosine(encoder, "cat sat", "moon and river", roles)
    assert found.cosine == pytest.approx(wanted, abs=1e-5)
    assert total(found.first) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_nothing_to_explain(tiny: Path, pooling: str) -> None:
    encoder = tiny_encoder(tiny, pooling=(pooling,))
    found = explain(encoder, "", " ... ")
    assert (found.first.words, found.second.words) == ((), ())
    assert found.first.rest == pytest.approx(found.cosine)
    assert explain_pairs(encoder, []) == []


def test_the_same_text_in_another_role_is_another(tiny: Path) -> None:
    encoder = tiny_encoder(tiny, prompts={"query": "green tea "})
    found: Contributions = explain(encoder, "cat", "cat", roles=("query", "document"))
    assert found.cosine < 0.9999


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_it_can_be_cancelled(tiny: Path, pooling: str) -> None:
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        explain(tiny_encoder(tiny, pooling=(pooling,)), "cat", "dog", task=task)


class TestWordSpans:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Don’t re-run C++, C# or 3.14!", ["Don’t", "re-run", "C++", "C#", "or", "3.14"]),
            ("a.b, (c) _d_", ["a", "b", "c", "d"]),
            ("東京です カメラ", ["東", "京", "です", "カメラ"]),
            ("हिन्दी में 😀 €5", ["हिन्दी", "में", "😀", "€", "5"]),
            ("", []),
        ],
    )
    def test_letters_make_words(self, text: str, words: list[str]) -> None:
        letters = [(place, place + 1) for place in range(len(text))]
        spans, owners = word_spans(text, letters)
        assert [text[start:end] for start, end in spans] == words
        for (start, _), owner in zip(letters, owners, strict=True):
            inside = [number for number, (first, last) in enumerate(spans) if first <= start < last]
            assert inside == ([] if owner is None else [owner])

    def test_a_token_over_several_keeps_them_together(self) -> None:
        assert word_spans("東京都 a", [(0, 2), (2, 3), (3, 5)]) == ([(0, 2), (2, 3), (4, 5)], [0, 1, 2])

    def test_what_no_token_stands_for_is_no_word(self) -> None:
        assert word_spans("one two three", [(0, 0), (4, 7)]) == ([(4, 7)], [None, 0])
