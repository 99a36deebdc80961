"""The script that makes the bilingual encoder: its dictionary, its tokenizer, and the rows that move together."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from explorer import paths
from explorer.models.bi_encoder import BiEncoder
from explorer.training.fit import optimizer

FOLDER = paths.resources() / "models" / "explorer-minilm-ko-en"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(FOLDER))

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


def test_words_that_come_together_translate_each_other(script) -> None:
    korean = [[0, 1], [0, 2], [1, 2], [0]]
    english = [[10, 11], [10, 12], [11, 12], [10]]
    source, target, counts = script("lexicon").dictionary(korean, english, 20)
    best = {int(word): int(target[source == word][counts[source == word].argmax()]) for word in set(source)}
    assert best == {0: 10, 1: 11, 2: 12}


def test_words_like_known_ones_are_placed_near_their_translations(script) -> None:
    meanings = np.array([[1, 0], [0, 1], [0.95, 0.05], [0.1, 0.9]], np.float32)
    known = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0], [0, 0, 0]])
    placed = script("lexicon").carried(meanings, known, np.array([0.9, 0.9, 0, 0]))
    assert placed[2, 0] > placed[2, 1]
    assert placed[3, 1] > placed[3, 0]


def test_new_pieces_leave_every_other_id(script, bundled_folder: Path) -> None:
    before = (bundled_folder / "tokenizer.json").read_text("utf-8")
    more = [f"가{chr(0xAC00 + number)}" for number in range(1200)]
    made, ids = script("pieces").tokenizer_json(before, ["고양이", "##가", *more])
    old = json.loads(before)["model"]["vocab"]
    new = json.loads(made)["model"]["vocab"]
    assert all(new[word] == number for word, number in old.items() if word in new)
    assert sorted(new.values()) == list(range(len(new)))
    assert len(set(ids)) == 1202
    tokenizer = Tokenizer.from_str(made)
    assert tokenizer.encode("고양이가 The cat", add_special_tokens=False).tokens == ["고양이", "##가", "the", "cat"]


def test_pieces_that_mean_the_like_move_together(script, checkpoints: dict[str, Path]) -> None:
    network = BiEncoder.open(checkpoints["bert"]).network
    whole = network.transformer.get_input_embeddings().weight.detach().clone()  # (V, n)
    meanings = torch.zeros(len(whole), 2)
    meanings[7], meanings[8] = torch.tensor([1.0, 0.0]), torch.tensor([0.5, 0.0])
    network.requires_grad_(True)
    optimizer.install_sparse_embeddings(network, [5, 7])
    teaching = script("teaching")
    teaching._install(network, meanings)
    network.train()
    rows = network.transformer.get_input_embeddings()
    rows(torch.tensor([[7]])).sum().backward()
    with torch.no_grad():
        rows.map += rows.map.grad
    network.eval()
    seen = rows(torch.tensor([[5, 7, 8]]))[0]
    teaching._remove(network)
    after = network.transformer.get_input_embeddings().weight.detach()
    torch.testing.assert_close(after[[5, 7, 8]], seen.detach())
    torch.testing.assert_close(after[7] - whole[7], torch.ones_like(whole[7]))
    torch.testing.assert_close(after[8] - whole[8], 0.5 * torch.ones_like(whole[8]))
    torch.testing.assert_close(after[5], whole[5])
