"""A first step on texts alone: the words are learned, the model stays one, and a stop changes nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import model_folder as folders
from explorer.models.files.model_folder import ModelFolder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.training.fit import checkpoints, masked_lm
from explorer.training.fit.masked_lm import MaskedLanguageModel
from explorer.training.fit.trainer import train
from explorer.training.recipe import Masked, Recipe
from tests.conftest import make_checkpoint
from tests.training.fit.test_trainer import scored

CPU = choose("cpu", threads=1, precision="float32")
RECIPE = Recipe("regression", batch=8, epochs=1, learning_rate=1e-3, masked=Masked(4, 0.2, 2e-3))


def corpus(count: int = 64) -> list[str]:
    """Sentences in which one word tells the next."""
    chance = random.Random(1)
    pairs = ("cat dog", "moon bright", "river stone", "green tea", "king queen")
    return [" ".join(chance.choices(pairs, k=4)) + f" {number}" for number in range(count)]


@pytest.fixture
def base(tiny: Path) -> ModelFolder:
    return folders.read(tiny)


def loss_of(folder: ModelFolder) -> float:
    """How badly hidden words of the corpus are guessed with a head that does nothing, on the same draws."""
    model = BiEncoder(folder, CPU)
    added = model.tokenizer.whole_copy().get_added_tokens_decoder()
    mask = next(number for number, token in added.items() if token.content in ("[MASK]", "<mask>"))
    network = MaskedLanguageModel(model.network, mask, list(added), 0.2).eval()
    ids = [tokens.ids for tokens in model.tokenizer.encode(corpus())]
    length = max(map(len, ids))
    matrix = torch.tensor([row + [model.tokenizer.pad] * (length - len(row)) for row in ids])
    torch.manual_seed(0)
    with torch.no_grad():
        sums, numbers = network(matrix, (matrix != model.tokenizer.pad).long(), None, None).unbind(1)
    return float(sums.sum() / numbers.sum())


@pytest.mark.parametrize("architecture", ["bert", "roberta", "electra", "distilbert", "mpnet"])
def test_the_words_are_learned(architecture: str, checkpoints: dict[str, Path], tmp_path: Path) -> None:
    start = folders.read(checkpoints[architecture])
    made = masked_lm.adapt(RECIPE, start, corpus(), tmp_path / "made", CPU, Task())
    assert made.dimension == start.dimension
    assert loss_of(made) < loss_of(start)


def test_a_training_begins_with_it_and_leaves_nothing_of_it(base: ModelFolder, tmp_path: Path) -> None:
    notes: list[str] = []
    task = Task(lambda progress: notes.append(progress.note))
    done = train(RECIPE, base, scored(), unlabelled=corpus(), folder=tmp_path / "made", device=CPU, task=task)
    assert notes.index(masked_lm.NOTE) < notes.index("training")
    plain = train(replace(RECIPE, masked=Masked()), base, scored(), folder=tmp_path / "plain", device=CPU)
    assert done.losses[0] != plain.losses[0]
    assert {path.name for path in tmp_path.iterdir()} >= {"made", "plain"}
    assert not list(tmp_path.glob(".*"))


def test_cancelled_and_gone_on_with_it_comes_to_the_same(base: ModelFolder, tmp_path: Path) -> None:
    whole = masked_lm.adapt(RECIPE, base, corpus(), tmp_path / "whole", CPU, Task())

    def heard(progress: Progress) -> None:
        if progress.done == 10:
            task.cancel()

    task = Task(heard)
    with pytest.raises(Cancelled):
        masked_lm.adapt(RECIPE, base, corpus(), tmp_path / "made", CPU, task)
    assert checkpoints.read(checkpoints.words_folder(tmp_path / "made")).step == 10
    seen: list[int] = []
    made = masked_lm.adapt(
        RECIPE, base, corpus(), tmp_path / "made", CPU, Task(lambda progress: seen.append(progress.done))
    )
    assert seen[0] == 10
    vectors = [BiEncoder(each, CPU).encode(corpus(5)).whole() for each in (whole, made)]
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)
    again = masked_lm.adapt(RECIPE, base, corpus(), tmp_path / "made", CPU, Task())  # is there already
    assert again.fingerprint == made.fingerprint


def test_what_cannot_be_done_is_told(base: ModelFolder, tmp_path: Path) -> None:
    cross = folders.read(make_checkpoint(tmp_path / "cross", "bert", classes=1))
    with pytest.raises(DataError, match="before a head"):
        masked_lm.adapt(RECIPE, cross, corpus(), tmp_path / "made", CPU, Task())
    with pytest.raises(DataError, match="no texts to learn words from"):
        masked_lm.adapt(RECIPE, base, ["", " "], tmp_path / "made", CPU, Task())
