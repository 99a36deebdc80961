"""What a model is held to and learns from: vectors of any width, and scores of pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import model_folder as folders
from explorer.models.runtime.device import choose
from explorer.training.fit.batch_plan import HoldScores, align, pairs_to_hold
from explorer.training.fit.trainer import train
from explorer.training.recipe import Guard, Recipe
from tests.conftest import make_checkpoint
from tests.training.fit.test_trainer import scored, sentences

CPU = choose("cpu", threads=1, precision="float32")


def unit(rows: int, width: int, rank: int, seed: int = 0) -> np.ndarray:
    """Vectors of length 1 that lie in `rank` directions."""
    chance = np.random.default_rng(seed)
    found = chance.normal(size=(rows, rank)) @ chance.normal(size=(rank, width))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize("width", [12, 40])
def test_vectors_of_another_width_keep_their_angles(width: int) -> None:
    """Ten directions fit into either width, so that nothing need be lost."""
    vectors = unit(60, 24, 10)
    fitted = align(vectors, unit(60, width, width, seed=1))
    assert fitted.shape == (60, width)
    np.testing.assert_allclose(fitted @ fitted.T, vectors @ vectors.T, atol=1e-4)


def test_they_are_laid_onto_the_students_own() -> None:
    own = unit(60, 12, 12)
    turn, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(12, 12)))
    wide = np.pad(own @ turn, ((0, 0), (0, 8))).astype(np.float32)  # the same vectors, turned, in more numbers
    np.testing.assert_allclose(align(wide, own), own, atol=1e-4)


def test_pairs_to_hold_are_halves_and_strangers() -> None:
    texts = ["one two three four", "five six seven eight", "nine ten eleven twelve", "a b c d"]
    pairs = pairs_to_hold(texts, 0)
    assert pairs[0] == ("one two", "three four")
    assert pairs[1][0] == texts[1]
    assert pairs[1][1] in texts
    assert pairs == pairs_to_hold(texts, 0)


@pytest.mark.parametrize("classes", [1, 3])
def test_holding_scores_is_nothing_where_they_agree(classes: int) -> None:
    logits = torch.randn(4, classes)
    assert HoldScores().loss([logits], logits).item() == 0
    assert HoldScores().loss([logits + torch.arange(classes) + 1], logits).item() > 0


def test_the_guard_holds_a_cross_encoder_to_its_base(tmp_path: Path) -> None:
    base = folders.read(make_checkpoint(tmp_path / "base", "bert", classes=1))
    texts = sentences(60, 9)
    pairs = list(zip(texts[:30], texts[30:], strict=True))
    start = CrossEncoder(base, CPU).score(pairs).probabilities()
    recipe = Recipe("cross-regression", batch=8, epochs=4, learning_rate=1e-3)
    moved = {}
    for share in (0.0, 0.7):
        done = train(
            replace(recipe, guard=Guard(share=share, weight=5.0)),
            base,
            scored(),
            unlabelled=texts,
            folder=tmp_path / str(share),
            device=CPU,
        )
        after = CrossEncoder(done.folder, CPU).score(pairs).probabilities()
        moved[share] = float(np.abs(after - start).mean())
    assert moved[0.7] < 0.7 * moved[0.0]
