"""Models made to harm: refused with a sentence, before anything is built, fetched or run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.errors import ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import model_folder, untrusted
from explorer.models.runtime.device import choose

USUAL = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]*[\p{Ll}\p{M}]+(?i:'s|'t|'re)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+",
    " {2,}",
    r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*",
    r"[\r\n]",
    r"\s?\p{L}+",
    r"\d{1,3}(?=(?:\d{3})*\b)",
    r"^\s+|\s+$|\s{2,}",
)
ENDLESS = (
    r"(a+)+$", r"(a|a)*b", r"(.*)*", r"(x+x+)+y", r"(a)\1", r"(?:(?:a*)*)*", "(" * 5000 + ")" * 5000, "[",
    r"a*a*a*b", r"(?:a*)(a*)b", "a?" * 40 + "a" * 40, r"((a{1,10}){1,10}){1,10}b", "(a|aa)" * 8 + "b",
    r"\s*\w*\s*(?!x)", r"(?=a*a*b)",
)  # fmt: skip


@pytest.fixture
def model(tiny: Path, tmp_path: Path) -> Path:
    shutil.copytree(tiny, tmp_path / "model")
    return tmp_path / "model"


def change(file: Path, how: Callable[[dict[str, Any]], object]) -> None:
    values = json.loads(file.read_text("utf-8"))
    how(values)
    file.write_text(json.dumps(values), "utf-8")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", 1_000_000),
        ("num_hidden_layers", 3),
        ("hidden_size", 1_000_000),
        ("vocab_size", 2_000_000_000),
        ("intermediate_size", 100_000_000_000),
        ("intermediate_size", 1_000_000),
        ("max_position_embeddings", 5_000_000),
        ("_attn_implementation", "someone/kernels"),
        ("attn_implementation", {"text": "someone/kernels:flash"}),
        ("use_kernels", True),
        ("type_vocab_size", 10**12),
        ("text_config", {"num_hidden_layers": 10**9}),
        ("text_config", {"_attn_implementation": "someone/kernels"}),
        ("quantization_config", {"quant_method": "mxfp4"}),
        ("num_hidden_layers", 0),
        ("num_attention_heads", -4),
        ("chunk_size_feed_forward", 3),
    ],
)
def test_a_configuration_that_its_weights_do_not_bear_out(model: Path, key: str, value: object) -> None:
    change(model / "config.json", lambda config: config.update({key: value}))
    with pytest.raises(ModelError, match=r"config\.json"):
        model_folder.read(model)


def replacing(pattern: object, content: str, times: int = 1) -> dict[str, Any]:
    return {
        "type": "Sequence",
        "normalizers": [{"type": "Replace", "pattern": pattern, "content": content} for _ in range(times)],
    }


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("normalizer", replacing({"String": "a"}, "a" * 10**6)),
        ("normalizer", replacing({"String": "a"}, "aa", 30)),
        ("normalizer", replacing({"String": "a"}, "aa", 40)),
        ("normalizer", replacing({"Regex": "(a+)+$"}, "b")),
        ("normalizer", {"type": "Prepend", "prepend": "x" * 10**6}),
        ("normalizer", {"type": "Script", "code": "import os"}),
        ("pre_tokenizer", {"type": "Split", "pattern": {"Regex": "(a|a)*b"}, "behavior": "Isolated", "invert": False}),
        ("post_processor", {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}] * 1000, "pair": []}),
        ("added_tokens", [{"id": 0, "content": "x" * 10**6}]),
        ("added_tokens", [{"id": 10**9, "content": "x"}]),
        ("padding", {"strategy": {"Fixed": 10**9}, "direction": "Right", "pad_id": 0, "pad_token": "[PAD]"}),
        ("padding", {"strategy": "BatchLongest", "pad_to_multiple_of": 10**9, "pad_id": 0, "pad_token": "[PAD]"}),
        ("model", {"type": "WordPiece", "vocab": {"the": 10**9}}),
        ("model", {"type": "BPE", "vocab": {}, "merges": [], "dropout": 0.5}),
    ],
)
def test_a_tokenizer_that_never_ends(model: Path, part: str, value: object) -> None:
    change(model / "tokenizer.json", lambda table: table.update({part: value}))
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        model_folder.read(model)


def test_nesting_and_long_words_are_refused(model: Path) -> None:
    whole = (model / "tokenizer.json").read_text("utf-8")
    change(model / "tokenizer.json", lambda table: table["model"].update(max_input_chars_per_word=10**9))
    with pytest.raises(ModelError, match="long words"):
        model_folder.read(model)
    (model / "tokenizer.json").write_text(whole[:-1] + ', "x": ' + "[" * 20_000 + "]" * 20_000 + "}", "utf-8")
    with pytest.raises(ModelError, match="not valid JSON"):
        model_folder.read(model)


@pytest.mark.parametrize("pattern", USUAL)
def test_the_patterns_of_known_tokenizers_are_taken(pattern: str) -> None:
    assert untrusted.is_quick(pattern)


@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_that_may_never_end_is_not(pattern: str) -> None:
    assert not untrusted.is_quick(pattern)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_numbers_are_refused(model: Path, value: float) -> None:
    from safetensors.numpy import load_file, save_file

    weights = load_file(model / "model.safetensors")
    name = max(weights, key=lambda name: weights[name].size)
    weights[name] = weights[name].copy()
    weights[name].flat[7] = value
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="not numbers"):
        BiEncoder.open(model, choose("cpu"))


def test_a_panic_of_the_tokenizer_is_a_sentence(model: Path) -> None:
    change(model / "tokenizer.json", lambda table: table["model"].update(unk_token="[NOWHERE]"))
    with pytest.raises(ModelError):
        BiEncoder.open(model, choose("cpu"))


def test_a_network_that_fails_on_a_text_is_a_sentence(model: Path) -> None:
    # A number that the weights have no row for: only the text tells.
    change(model / "tokenizer.json", lambda table: table["model"]["vocab"].update(river=9_999_999))
    encoder = BiEncoder.open(model, choose("cpu"))
    with pytest.raises(ModelError, match="cannot compute this text"):
        encoder.encode(["the cold river"])
