"""Every objective equals the reference library's loss, in value and in gradient, and refuses what it cannot learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from explorer.errors import DataError
from explorer.training.fit.losses import KINDS, objective, options_of

WIDTH, BATCH = 24, 9


def vectors(count: int, width: int = WIDTH, seed: int = 0) -> list[torch.Tensor]:
    chance = torch.Generator().manual_seed(seed)
    return [torch.randn(BATCH, width, generator=chance).requires_grad_() for _ in range(count)]


def scores(seed: int = 1) -> torch.Tensor:
    """Scores with ties among them."""
    return torch.randint(0, 6, (BATCH,), generator=torch.Generator().manual_seed(seed)) / 5


def teacher() -> torch.Tensor:
    return vectors(1, seed=7)[0].detach()


def classes(k: int) -> torch.Tensor:
    return torch.arange(BATCH) % k


class Student(torch.nn.Module):
    """What the reference's losses take for a model: features in, the vectors of that column out."""

    device = torch.device("cpu")

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        return {"sentence_embedding": features["values"]}

    def get_embedding_dimension(self) -> int:
        return WIDTH


def reference(loss: torch.nn.Module, outputs: list[torch.Tensor], labels: torch.Tensor | None) -> torch.Tensor:
    return loss([{"values": each} for each in outputs], labels)


def check_equal(
    ours: torch.Tensor, theirs: torch.Tensor, ours_of: list[torch.Tensor], theirs_of: list[torch.Tensor]
) -> None:
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-5)
    mine, other = torch.autograd.grad(ours, ours_of), torch.autograd.grad(theirs, theirs_of)
    assert all(float(gradient.abs().max()) > 1e-6 for gradient in mine)
    for a, b in zip(mine, other, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("parts", "flags"),
    [
        (["u", "v", "difference"], (True, True, False)),
        (["difference"], (False, True, False)),
        (["u", "v"], (True, False, False)),
        (["u", "v", "difference", "product"], (True, True, True)),
        (["product"], (False, False, True)),
    ],
)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_classification_is_softmax_loss(parts: list[str], flags: tuple[bool, ...], k: int) -> None:
    from sentence_transformers.sentence_transformer.losses import SoftmaxLoss

    mine = objective("classification", width=WIDTH, classes=k, options={"parts": parts}, seed=3)
    theirs = SoftmaxLoss(Student(), WIDTH, k, *flags)
    theirs.classifier.load_state_dict(mine.head.state_dict())
    outputs = vectors(2)
    check_equal(
        mine.loss(outputs, classes(k)),
        reference(theirs, outputs, classes(k)),
        [*outputs, *mine.parameters()],
        [*outputs, *theirs.classifier.parameters()],
    )
    assert mine.head.out_features == k


# Made when a test runs: importing the reference library takes every worker 5 s.
Labels = Callable[[], torch.Tensor]
REFERENCES: dict[str, tuple[str, dict[str, Any], Callable[[Any, Student], Any], int, Labels | None]] = {
    "regression": ("regression", {}, lambda losses, model: losses.CosineSimilarityLoss(model), 2, scores),
    "triplet": ("triplet", {}, lambda losses, model: losses.TripletLoss(model, triplet_margin=1), 3, None),
    "triplet by cosine": (
        "triplet", {"distance": "cosine", "margin": 0.3},
        lambda losses, model: losses.TripletLoss(
            model, distance_metric=losses.TripletDistanceMetric.COSINE, triplet_margin=0.3
        ), 3, None,
    ),
    "contrastive": ("contrastive", {}, lambda losses, model: losses.MultipleNegativesRankingLoss(model), 2, None),
    "contrastive, hard negatives": (
        "contrastive", {"texts": 3, "scale": 10.0},
        lambda losses, model: losses.MultipleNegativesRankingLoss(model, scale=10.0), 3, None,
    ),
    "ranking": ("ranking", {}, lambda losses, model: losses.CoSENTLoss(model), 2, scores),
    "ranking, other scale": (
        "ranking", {"scale": 5.0}, lambda losses, model: losses.CoSENTLoss(model, scale=5.0), 2, scores,
    ),
    "distillation": ("distillation", {}, lambda losses, model: losses.MSELoss(model), 1, teacher),
    "distillation, two languages": (
        "distillation", {"texts": 2}, lambda losses, model: losses.MSELoss(model), 2, teacher,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(REFERENCES))
def test_equals_the_reference(case: str) -> None:
    from sentence_transformers.sentence_transformer import losses

    name, options, make, texts, make_labels = REFERENCES[case]
    mine = objective(name, width=WIDTH, options=options)
    assert mine.texts == texts
    outputs, labels = vectors(texts), make_labels and make_labels()
    check_equal(mine.loss(outputs, labels), reference(make(losses, Student()), outputs, labels), outputs, outputs)


@pytest.mark.parametrize(("kind", "their_name"), [("squared", "MSELoss"), ("entropy", "BinaryCrossEntropyLoss")])
def test_cross_regression_is_the_references(kind: str, their_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sentence_transformers.cross_encoder import losses

    logits = vectors(1, 1)
    given = {"activation_fn": torch.nn.Sigmoid()} if kind == "squared" else {}
    theirs = cross_reference(getattr(losses, their_name), logits[0], 1, given)
    mine = objective("cross-regression", width=WIDTH, options={"kind": kind})
    check_equal(mine.loss(logits, scores()), theirs([["a"], ["b"]], scores()), logits, logits)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_cross_classification_is_the_references(k: int) -> None:
    from sentence_transformers.cross_encoder import losses

    logits = vectors(1, k)
    theirs = cross_reference(losses.CrossEntropyLoss, logits[0], k, {})
    mine = objective("cross-classification", width=WIDTH, classes=k)
    check_equal(mine.loss(logits, classes(k)), theirs([["a"], ["b"]], classes(k)), logits, logits)


def cross_reference(kind: Any, logits: torch.Tensor, k: int, given: dict[str, Any]) -> Any:
    """The reference's loss with a model that says those logits."""
    from sentence_transformers import CrossEncoder

    class Says(CrossEncoder):
        num_labels = k
        device = torch.device("cpu")

        def __init__(self) -> None:
            torch.nn.Module.__init__(self)

        def preprocess(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {}

        def forward(self, *_: Any, **__: Any) -> dict[str, torch.Tensor]:
            return {"scores": logits}

    return kind(Says(), **given)


def test_a_ranking_without_order_teaches_nothing() -> None:
    outputs = vectors(2)
    assert objective("ranking", width=WIDTH).loss(outputs, torch.full((BATCH,), 0.4)).item() == 0.0


def test_equal_texts_do_not_break_the_triplets_gradient() -> None:
    same = torch.ones(3, WIDTH, requires_grad=True)
    other = torch.zeros(3, WIDTH, requires_grad=True)
    loss = objective("triplet", width=WIDTH).loss([same, same, other], None)
    gradients = torch.autograd.grad(loss + same.sum() * 0, [same])
    assert all(bool(each.isfinite().all()) for each in gradients)


def test_a_head_begins_the_same_for_the_same_seed_and_leaves_chance_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, two, other = (objective("classification", width=4, classes=2, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(1), expected)
    assert torch.equal(one.head.weight, two.head.weight)
    assert not torch.equal(one.head.weight, other.head.weight)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_labels_are_asked_for_where_they_are_needed(name: str) -> None:
    mine = objective(name, width=WIDTH, classes=3)
    if mine.labels == "none":
        return
    with pytest.raises(DataError, match="labels"):
        mine.loss(vectors(1, 1) if mine.model == "cross" else vectors(mine.texts), None)


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("softmax", {}, "There is no objective"),
        ("regression", {"margin": 1}, "has no option"),
        ("classification", {"classes": 3}, "has no option"),
        ("triplet", {"margin": -1}, "cannot be"),
        ("triplet", {"margin": math.nan}, "cannot be"),
        ("triplet", {"margin": True}, "cannot be"),
        ("triplet", {"distance": "manhattan"}, "cannot be"),
        ("contrastive", {"scale": "20"}, "cannot be"),
        ("contrastive", {"texts": 4}, "cannot be"),
        ("distillation", {"texts": 1.0}, "cannot be"),
        ("classification", {"parts": []}, "cannot be"),
        ("classification", {"parts": ["u", "u"]}, "cannot be"),
        ("classification", {"parts": "u"}, "cannot be"),
        ("cross-regression", {"kind": "cubic"}, "cannot be"),
    ],
)
def test_impossible_options_are_told(name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(DataError, match=told):
        objective(name, width=WIDTH, classes=2, options=options)


@pytest.mark.parametrize("name", ["classification", "cross-classification"])
def test_one_class_is_none(name: str) -> None:
    with pytest.raises(DataError, match="classes apart"):
        objective(name, width=WIDTH, classes=1)


def test_the_options_are_listed_with_their_defaults() -> None:
    assert options_of("triplet") == {"margin": 1.0, "distance": "euclidean"}
    assert SimpleNamespace(**options_of("ranking")).scale == 20.0
