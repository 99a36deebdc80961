"""What a model learns from: each objective in a few lines, with its formula and shapes.

u, v are the vectors of the texts of an example, (B, n); y its label. Each equals the loss function of
sentence-transformers of the same meaning, in value and gradient.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from explorer.errors import DataError

if TYPE_CHECKING:
    from torch import Tensor, nn

Labels = Literal["none", "score", "class", "vector"]

PARTS = ("u", "v", "difference", "product")  # of the concatenation that a classification sees
DISTANCES = ("euclidean", "cosine")
SCORE_LOSSES = ("squared", "entropy")
MOST_CLASSES = 10_000


class Objective:
    """What turns the network's outputs for a batch into one number to be made small.

    Attributes:
        name: Its name in a recipe.
        model: The kind of model it trains, "bi" or "cross".
        labels: What an example's label is: nothing, a score in 0..1, a class in 0..k-1, or a teacher's vector.
        batched: Whether the examples of a batch are compared with one another.
        texts: Texts of an example.
        classes: The number k of classes; 1 where labels are not classes.
    """

    name: ClassVar[str]
    model: ClassVar[Literal["bi", "cross"]] = "bi"
    labels: ClassVar[Labels] = "none"
    batched: ClassVar[bool] = False
    texts: int = 2
    classes: int = 1

    def parameters(self) -> Iterable[nn.Parameter]:
        """Return the weights of its own head, thrown away after the training."""
        return ()

    def to(self, device: str) -> None:
        """Move the head to a device."""

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """Return one number for a batch.

        Args:
            outputs: A bi-encoder's vectors, (B, n) for each text of the examples; a cross-encoder's logits, one (B, k).
            labels: Scores or classes (B,), vectors (B, n), or None.
        """
        raise NotImplementedError


@dataclass
class ClassificationLoss(Objective):
    """Softmax over k classes: cross-entropy of W [u; v; |u-v|] + b, W (k, 3n); other concatenations for study."""

    name = "classification"
    labels = "class"
    width: int
    classes: int
    parts: Sequence[str] = PARTS[:3]
    seed: int = 0
    head: nn.Linear = field(init=False)

    def __post_init__(self) -> None:
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            self.head = torch.nn.Linear(len(self.parts) * self.width, self.classes)

    def parameters(self) -> Iterable[nn.Parameter]:
        """W and b."""
        return self.head.parameters()

    def to(self, device: str) -> None:
        """Move W and b."""
        self.head.to(device)

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n), classes (B,) -> scalar."""
        import torch
        from torch.nn import functional

        u, v = outputs
        named = {"u": u, "v": v, "difference": (u - v).abs(), "product": u * v}
        logits = self.head(torch.cat([named[part] for part in self.parts], dim=1))  # (B, k)
        return functional.cross_entropy(logits, _given(labels).long())


@dataclass
class RegressionLoss(Objective):
    """Mean of (cos(u, v) - y)^2, y in 0..1."""

    name = "regression"
    labels = "score"

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n), scores (B,) -> scalar."""
        from torch.nn import functional

        u, v = outputs
        return functional.mse_loss(functional.cosine_similarity(u, v), _given(labels))


@dataclass
class TripletLoss(Objective):
    """Mean of max(d(a, p) - d(a, n) + margin, 0), d the Euclidean distance or 1 - cosine."""

    name = "triplet"
    texts = 3
    margin: float = 1.0
    distance: str = "euclidean"

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:  # noqa: ARG002
        """Anchors, positives, negatives, (B, n) each -> scalar."""
        anchor, near, far = outputs
        distance = _euclidean if self.distance == "euclidean" else _angular
        return (distance(anchor, near) - distance(anchor, far) + self.margin).relu().mean()


@dataclass
class ContrastiveLoss(Objective):
    """Cross-entropy of scale cos(u_i, v_j) over j: v_i is right, every other v_j of the batch wrong.

    Third texts, where examples have them, join the wrong ones.
    """

    name = "contrastive"
    batched = True
    texts: int = 2
    scale: float = 20.0

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:  # noqa: ARG002
        """(B, n) for each text -> scalar."""
        import torch
        from torch.nn import functional

        u, others = outputs[0], torch.cat(list(outputs[1:]))
        cosines = functional.normalize(u, dim=1) @ functional.normalize(others, dim=1).T  # (B, B) or (B, 2B)
        return functional.cross_entropy(self.scale * cosines, torch.arange(len(u), device=u.device))


@dataclass
class RankingLoss(Objective):
    """CoSENT: log(1 + sum of exp(scale (c_j - c_i)) over all i, j with y_i > y_j), c = cos(u, v)."""

    name = "ranking"
    labels = "score"
    batched = True
    scale: float = 20.0

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n), scores (B,) -> scalar."""
        import torch
        from torch.nn import functional

        (u, v), y = outputs, _given(labels)
        c = self.scale * functional.cosine_similarity(u, v)  # (B,)
        excess = (c[None, :] - c[:, None])[y[:, None] > y[None, :]]  # c_j - c_i
        return torch.cat([c.new_zeros(1), excess]).logsumexp(0)


@dataclass
class DistillationLoss(Objective):
    """Mean over an example's texts of MSE(student(text), teacher(first text)).

    One text: the student comes near the teacher. A text and its translation: it learns the other language.
    """

    name = "distillation"
    labels = "vector"
    texts: int = 1

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n) for each text, the teacher's vectors (B, n) -> scalar."""
        import torch
        from torch.nn import functional

        return torch.stack([functional.mse_loss(u, _given(labels)) for u in outputs]).mean()


@dataclass
class CrossRegressionLoss(Objective):
    """Mean of (s - y)^2, s = sigmoid(z) and y in 0..1; or the entropy -y log s - (1-y) log(1-s)."""

    name = "cross-regression"
    model = "cross"
    labels = "score"
    kind: str = "squared"

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """Return logits (B, 1), scores (B,) -> scalar."""
        from torch.nn import functional

        z, y = outputs[0].squeeze(1), _given(labels)
        if self.kind == "entropy":
            return functional.binary_cross_entropy_with_logits(z, y)
        return functional.mse_loss(z.sigmoid(), y)


@dataclass
class CrossClassificationLoss(Objective):
    """Cross-entropy of the k logits."""

    name = "cross-classification"
    model = "cross"
    labels = "class"
    classes: int

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """Return logits (B, k), classes (B,) -> scalar."""
        from torch.nn import functional

        return functional.cross_entropy(outputs[0], _given(labels).long())


_ALL: tuple[type[Any], ...] = (
    ClassificationLoss,
    RegressionLoss,
    TripletLoss,
    ContrastiveLoss,
    RankingLoss,
    DistillationLoss,
    CrossRegressionLoss,
    CrossClassificationLoss,
)
KINDS: Mapping[str, type[Any]] = {kind.name: kind for kind in _ALL}
_NO_OPTIONS = {"width", "seed", "head", "classes"}  # the model and the data decide these


def objective(
    name: str, *, width: int, classes: int = 1, options: Mapping[str, Any] | None = None, seed: int = 0
) -> Objective:
    """Return the objective of a name.

    Args:
        name: One of KINDS.
        width: Length n of a vector.
        classes: The number k of classes in the data, where labels are classes.
        options: What differs from the defaults.
        seed: For the first weights of a head.

    Raises:
        DataError: There is no such objective or option, an option has an impossible value, or k is below 2.
    """
    chosen = dict(options or {})
    check_options(name, chosen)
    kind = KINDS[name]
    if kind.labels == "class":
        if not 2 <= classes <= MOST_CLASSES:
            raise DataError(
                "The objective “{name}” tells classes apart, and the examples have {classes}. Add "
                "examples of another class, or choose another objective.",
                name=name,
                classes=classes,
            )
        chosen["classes"] = classes
    if kind is ClassificationLoss:
        chosen |= {"width": width, "seed": seed}
    made: Objective = kind(**chosen)
    return made


def options_of(name: str) -> dict[str, Any]:
    """Return the options of an objective with their defaults."""
    return {each.name: each.default for each in fields(KINDS[name]) if each.name not in _NO_OPTIONS}


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """See that an objective and its options exist and make sense.

    Raises:
        DataError: They do not.
    """
    if not isinstance(name, str) or name not in KINDS:
        raise DataError(
            "There is no objective “{name}”. Choose one of {kinds}.", name=str(name)[:40], kinds=", ".join(KINDS)
        )
    if not isinstance(options, Mapping):
        raise DataError("The options of the objective “{name}” must be an object of names and values.", name=name)
    known = options_of(name)
    for key, value in options.items():
        if key not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise DataError(
                "The objective “{name}” has no option “{key}”; {has}.", name=name, key=str(key)[:40], has=has
            )
        if not _possible(name, key, value):
            raise DataError(
                "The option “{key}” of the objective “{name}” cannot be {value}.",
                key=key,
                name=name,
                value=str(value)[:40],
            )


def _possible(name: str, key: str, value: Any) -> bool:
    if key == "parts":
        listed = isinstance(value, list | tuple) and len(value) > 0 and all(part in PARTS for part in value)
        return listed and len(set(value)) == len(value)
    if key in {"distance", "kind"}:
        return value in (DISTANCES if key == "distance" else SCORE_LOSSES)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    if key == "texts":
        return value in ((2, 3) if name == "contrastive" else (1, 2)) and isinstance(value, int)
    return math.isfinite(value) and 0 < value <= 1000


def _given(labels: Tensor | None) -> Tensor:
    if labels is None:
        raise DataError("This objective learns from labels, and the examples have none. Choose another.")
    return labels


def _euclidean(u: Tensor, v: Tensor) -> Tensor:
    """|u - v|, (B,); equal vectors pull nowhere, where the root's own gradient would be infinite."""
    squares = (u - v).square().sum(1)
    return squares.where(squares > 0, 1.0).sqrt() * (squares > 0)


def _angular(u: Tensor, v: Tensor) -> Tensor:
    """1 - cosine, (B,)."""
    from torch.nn import functional

    return 1 - functional.cosine_similarity(u, v)
