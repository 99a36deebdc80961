"""The cross-encoder: the hub's layout and our own head, scores as in the reference library."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.errors import ModelError
from explorer.models.cross_encoder import CrossEncoder, positive
from explorer.models.files import model_folder as folders
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Task
from tests.conftest import ARCHITECTURES, WORDS, make_checkpoint
from tests.models.test_bi_encoder import varied_texts

CPU = choose("cpu", precision="float32")


def pairs(count: int = 60) -> list[tuple[str, str]]:
    texts = [text for text in varied_texts(count + 1) if len(text) < 500]
    return [*pairwise(texts), ("moon " * 200, "cat"), ("cat", "moon " * 200), ("moon " * 40, "river stone " * 45)]


def reference(path: Path, **options: object) -> object:
    from sentence_transformers import CrossEncoder as Theirs

    return Theirs(str(path), device="cpu", **options)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("classes", [1, 3])
def test_the_hubs_layout_scores_as_the_reference_library(tmp_path: Path, architecture: str, classes: int) -> None:
    path = make_checkpoint(tmp_path / "model", architecture, classes=classes)
    ours = CrossEncoder.open(path, CPU)
    assert len(ours.labels) == classes
    wanted = reference(path).predict(pairs(), activation_fn=torch.nn.Identity())
    scores = ours.score(pairs())
    np.testing.assert_allclose(scores.whole().reshape(wanted.shape), wanted, atol=1e-5)
    saved = ours.save(tmp_path / "saved")
    np.testing.assert_allclose(
        reference(saved.path).predict(pairs(), activation_fn=torch.nn.Identity()), wanted, atol=1e-5
    )
    assert saved.fingerprint == ours.fingerprint


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("labels", [("score",), ("contradiction", "neutral", "entailment")])
def test_our_own_head_scores_the_same_in_the_reference_library(
    checkpoints: dict[str, Path], tmp_path: Path, architecture: str, labels: tuple[str, ...]
) -> None:
    torch.manual_seed(1)
    ours = CrossEncoder.on_encoder(folders.read(checkpoints[architecture]), labels, device=CPU)
    logits = ours.score(pairs()).whole()
    saved = ours.save(tmp_path / "saved")
    assert (saved.kind, saved.labels, saved.own_head) == ("cross", labels, True)
    theirs = reference(saved.path)
    assert theirs.num_labels == len(labels)
    wanted = theirs.predict(pairs(), activation_fn=torch.nn.Identity())
    np.testing.assert_allclose(wanted.reshape(logits.shape), logits, atol=1e-5)
    np.testing.assert_allclose(CrossEncoder(saved, CPU).score(pairs()).whole(), logits, atol=1e-6)


def test_cross_encoders_saved_by_the_reference_library_open_here(tmp_path: Path) -> None:
    theirs = reference(make_checkpoint(tmp_path / "raw", "electra", classes=1))
    theirs.save_pretrained(str(tmp_path / "saved"))
    ours = CrossEncoder.open(tmp_path / "saved", CPU)
    np.testing.assert_allclose(ours.score(pairs()).relevance(), theirs.predict(pairs()), atol=1e-5)


def test_the_head_is_cls_dropout_dense_gelu_dropout_projection(tiny: Path) -> None:
    torch.manual_seed(2)
    ours = CrossEncoder.on_encoder(folders.read(tiny), ("a", "b"), device=CPU)
    tokens = ours.tokenizer.encode_pairs([("the cat", "sat on the mat")])[0]
    ids, types = torch.tensor([tokens.ids]), torch.tensor([tokens.types])
    _, dense, _, projection = ours.network.layers
    with torch.inference_mode():
        cls = ours.network.transformer(input_ids=ids, token_type_ids=types).last_hidden_state[:, 0]
        by_hand = projection.linear(torch.nn.functional.gelu(dense.linear(cls)))
    np.testing.assert_allclose(ours.score([("the cat", "sat on the mat")]).whole(), by_hand.numpy(), atol=1e-5)
    ours.network.train()
    torch.manual_seed(0)
    first = ours.network(ids, torch.ones_like(ids), types)
    assert not torch.equal(first, ours.network(ids, torch.ones_like(ids), types))  # dropout is at work


def test_scores_lie_between_0_and_1(tmp_path: Path) -> None:
    model = CrossEncoder.open(make_checkpoint(tmp_path / "model", "bert", classes=1), CPU)
    relevance = model.score(pairs()).relevance()
    assert relevance.shape == (len(pairs()),)
    assert ((relevance >= 0) & (relevance <= 1)).all()


def test_a_model_that_declares_raw_scores_still_gives_0_to_1(tmp_path: Path) -> None:
    path = make_checkpoint(tmp_path / "model", "bert", classes=1)
    config = json.loads((path / "config.json").read_text())
    config["sentence_transformers"] = {"activation_fn": "torch.nn.modules.linear.Identity"}
    (path / "config.json").write_text(json.dumps(config))
    relevance = CrossEncoder.open(path, CPU).score(pairs()).relevance()
    assert ((relevance > 0) & (relevance < 1)).all()


def test_k_classes_give_probabilities_and_the_positive_one_is_the_score(tiny: Path) -> None:
    labels = ("entailment", "neutral", "contradiction")
    scores = CrossEncoder.on_encoder(folders.read(tiny), labels, device=CPU).score(pairs())
    shares = scores.probabilities()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(scores.relevance(), shares[:, 0])


@pytest.mark.parametrize(
    ("labels", "place"),
    [(("score",), 0), (("Contradiction", "Entailment", "Neutral"), 1), (("0", "1"), 1), (("no", "yes"), 1),
     (("LABEL_0", "LABEL_1"), 1), (("duplicate", "different"), 0)],
)  # fmt: skip
def test_the_label_that_means_belonging_together(labels: tuple[str, ...], place: int) -> None:
    assert positive(labels) == place


def test_the_longer_text_is_cut_first(tiny: Path) -> None:
    tokenizer = CrossEncoder.on_encoder(folders.read(tiny), device=CPU).tokenizer
    short, long = "the cat sat", "moon " * 300
    for pair in ((short, long), (long, short)):
        tokens = tokenizer.encode_pairs([pair])[0]
        assert len(tokens.ids) == tokenizer.max_tokens
        kept = tokenizer.encode([short])[0].ids[1:-1]
        text = " ".join(map(str, tokens.ids))
        assert " ".join(map(str, kept)) in text


def test_two_very_long_texts_cost_neither_time_nor_memory(tiny: Path) -> None:
    tokenizer = CrossEncoder.on_encoder(folders.read(tiny), device=CPU).tokenizer
    long = " ".join(WORDS * 2000)
    tokens = tokenizer.encode_pairs([(long, long), ("cat", long)])  # the library's own cut takes gigabytes for this
    assert [len(pair.ids) for pair in tokens] == [tokenizer.max_tokens] * 2


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_pairs_are_cut_as_the_library_cuts_them(checkpoints: dict[str, Path], architecture: str) -> None:
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(checkpoints[architecture])
    ours = CrossEncoder.on_encoder(folders.read(checkpoints[architecture]), device=CPU).tokenizer
    chance = random.Random(0)
    many = [tuple(" ".join(chance.choices(WORDS, k=chance.randint(1, 60))) for _ in range(2)) for _ in range(150)]
    for pair, tokens in zip(many, ours.encode_pairs(many), strict=True):
        wanted = theirs(*pair, truncation="longest_first", max_length=ours.max_tokens, return_token_type_ids=True)
        assert tokens.ids == wanted["input_ids"]
        assert tokens.types == wanted["token_type_ids"]


def test_a_cancelled_scoring_returns_what_it_did(tiny: Path) -> None:
    model = CrossEncoder.on_encoder(folders.read(tiny), device=CPU)
    many = pairs(3000)
    task = Task(lambda progress: task.cancel() if progress.done > progress.total / 2 else None)
    scores = model.score(many, task=task)
    assert 0 < scores.done.mean() < 1
    with pytest.raises(Cancelled):
        scores.whole()


def test_a_bi_encoder_is_refused(tiny: Path) -> None:
    with pytest.raises(ModelError, match="bi-encoder"):
        CrossEncoder.open(tiny, CPU)


def test_no_label_is_refused(tiny: Path) -> None:
    with pytest.raises(ModelError, match="label"):
        CrossEncoder.on_encoder(folders.read(tiny), (), device=CPU)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "distilbert"])
def test_scores_in_bfloat16_have_more_digits_than_bfloat16(tmp_path: Path, architecture: str) -> None:
    path = make_checkpoint(tmp_path / "cross", architecture, classes=1)
    rough = CrossEncoder.open(path, choose("cpu", precision="bfloat16")).score(pairs()).whole()
    np.testing.assert_allclose(rough, CrossEncoder.open(path, CPU).score(pairs()).whole(), atol=0.05)
    assert (torch.from_numpy(rough).bfloat16().float().numpy() != rough).any()
