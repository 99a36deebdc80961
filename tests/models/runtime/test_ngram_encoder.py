"""The network of windows over a table of words: what it computes, that it is checked, trained and saved."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from explorer.errors import ModelError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.models.runtime.ngram_encoder import NgramConfig, NgramEncoder
from explorer.training.fit import optimizer
from explorer.training.recipe import DataSource, Recipe
from tests.conftest import WORDS, make_tokenizer

CPU = {"precision": "float32", "threads": 1}
TEXTS = [" ".join(WORDS[:size]) for size in (1, 2, 3, 7, 20)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny random model with three branches."""
    tokenizer = make_tokenizer("xlm-roberta")
    config = NgramConfig(vocab_size=len(tokenizer), hidden_size=12, width=8, windows=((2, 0), (3, 1), (5, 2)))
    torch.manual_seed(3)
    network = NgramEncoder(config)
    network.words.steps.random_(0, 64)
    network.words.scale.uniform_(0.1, 0.6)
    network.words.lowest.uniform_(-8, -4)
    made = tmp_path / "ngram"
    network.save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


def test_it_computes_what_a_few_lines_of_numpy_do(folder: Path) -> None:
    model = BiEncoder.open(folder, choose("cpu", **CPU))
    weights = load_file(folder / "model.safetensors")
    for text, vector in zip(TEXTS, model.encode(TEXTS).whole(), strict=True):
        hidden = by_hand(weights, model.tokenizer.encode([text])[0].ids, ((2, 0), (3, 1), (5, 2)))
        np.testing.assert_allclose(vector, hidden.mean(axis=0), atol=1e-5)


def test_a_text_has_one_vector_whatever_it_is_encoded_with(folder: Path) -> None:
    model = BiEncoder.open(folder, choose("cpu", **CPU))
    together = model.encode(TEXTS).whole()
    alone = np.concatenate([model.encode([text]).whole() for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_bfloat16_rounds_no_step_of_the_table(folder: Path) -> None:
    whole, half = (BiEncoder.open(folder, choose("cpu", precision=each)) for each in ("float32", "bfloat16"))
    assert half.network.transformer.words.scale.dtype == torch.float32
    assert half.network.transformer.output.weight.dtype == torch.bfloat16
    vectors = [model.encode(TEXTS).whole() for model in (whole, half)]
    lengths = np.prod([np.linalg.norm(each, axis=1) for each in vectors], axis=0)
    assert ((vectors[0] * vectors[1]).sum(axis=1) / lengths).min() > 0.999


def test_an_update_waits_for_no_draft_of_it(folder: Path) -> None:
    """It encodes nearly as quickly itself, and its many words would take long to distil; who asks for one has it."""
    model = BiEncoder.open(folder, choose("cpu", **CPU))
    assert static_encoder.static_encoder_for_update(model) is None
    asked_for = static_encoder.static_encoder_of(model)
    again = static_encoder.static_encoder_for_update(model)
    assert again is not None
    assert again.fingerprint == asked_for.fingerprint


def test_what_is_saved_computes_the_same(folder: Path, tmp_path: Path) -> None:
    model = BiEncoder.open(folder, choose("cpu", **CPU))
    saved = model.save(tmp_path / "saved")
    assert saved.fingerprint == model.fingerprint
    again = BiEncoder.open(tmp_path / "saved", choose("cpu", **CPU))
    np.testing.assert_array_equal(again.encode(TEXTS).whole(), model.encode(TEXTS).whole())


@pytest.mark.parametrize("rank", [0, 2])
def test_all_but_the_table_can_be_trained(folder: Path, rank: int) -> None:
    network = BiEncoder.open(folder, choose("cpu", **CPU)).network
    recipe = Recipe("ranking", data=(DataSource(path="pairs.csv"),), adapter_rank=rank)
    optimizer.select_weights(network, recipe, used=[5, 6])
    trained = [each for each in network.parameters() if each.requires_grad]
    vectors = network.train()(torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.long))
    vectors.square().sum().backward()
    assert trained
    assert all(each.grad is not None and bool(each.grad.isfinite().all()) for each in trained)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"windows": [[2, 0], [3, 1], [4, 2]]}, r"branches\.2\.first"),  # other sizes than the weights
        ({"windows": [[2, 0], [3, 1]]}, "."),
        ({"windows": [[2, 2], [3, 1], [5, 2]]}, "windows"),  # does not hold its own token
        ({"windows": []}, "branches"),
        ({"windows": [[2, 0], [3, 1], [1_000_000, 0]]}, "too wide"),
        ({"windows": "ab"}, "."),
        ({"width": 16}, "."),
        ({"hidden_size": 8}, "."),
        ({"vocab_size": 12}, "."),
    ],
)
def test_settings_that_the_weights_do_not_fit_are_refused(
    folder: Path, changed: dict[str, object], reason: str
) -> None:
    config = json.loads((folder / "config.json").read_text("utf-8")) | changed
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(ModelError, match=reason):
        BiEncoder.open(folder, choose("cpu", **CPU))


def test_a_missing_weight_is_named(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["words.scale"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"words\.scale"):
        BiEncoder.open(folder, choose("cpu", **CPU))


@pytest.mark.parametrize("name", ["words.scale", "words.lowest", "output.weight"])
def test_weights_that_are_no_numbers_are_refused(folder: Path, name: str) -> None:
    weights = load_file(folder / "model.safetensors")
    weights[name][0, 0] = np.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="not numbers"):
        BiEncoder.open(folder, choose("cpu", **CPU))


def by_hand(weights: dict[str, np.ndarray], ids: list[int], windows: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The hidden states of one text, (T, n)."""
    words = weights["words.steps"][ids] * weights["words.scale"][ids] + weights["words.lowest"][ids]
    parts = [words]
    for index, (size, before) in enumerate(windows):
        name = f"branches.{index}."
        values = _normal(_linear(words, weights, name + "input"), weights, name + "norm")
        for layer in ("first", "second"):
            padded = np.pad(values, ((before, size - 1 - before), (0, 0)))
            seen = np.concatenate([padded[start : start + len(ids)] for start in range(size)], axis=1)
            values = values + np.maximum(_linear(seen, weights, name + layer), 0)
        parts.append(values)
    return _linear(_normal(np.concatenate(parts, axis=1), weights, "norm"), weights, "output")


def _linear(values: np.ndarray, weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    return values @ weights[name + ".weight"].T + weights[name + ".bias"]


def _normal(values: np.ndarray, weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    centred = values - values.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]
