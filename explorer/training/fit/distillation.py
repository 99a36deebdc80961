"""Distillation: learn a teacher model's vectors instead of people's labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.training.fit.losses import Objective
from explorer.training.measure.similarity import unique

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from explorer.models.bi_encoder import BiEncoder
    from explorer.task import Task


class Hold(Objective):
    """Mean of |u - t|^2, t the base's vector of the same text: the guard against forgetting.

    The same as distillation but for the scale: a sum over the n dimensions weighs about as much as other objectives.
    """

    name = "hold"
    labels = "vector"
    texts = 1

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n) -> scalar."""
        assert labels is not None  # noqa: S101
        return (outputs[0] - labels).square().sum(1).mean()


class HoldScores(Objective):
    """Mean of |p - t|^2, p the probabilities of a cross-encoder's logits and t its base's of the same pair."""

    name = "hold-scores"
    model = "cross"
    labels = "vector"

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, k), the base's logits (B, k) -> scalar."""
        assert labels is not None  # noqa: S101
        now, then = (
            each.sigmoid() if each.shape[1] == 1 else each.softmax(1) for each in (outputs[0], labels)
        )
        return (now - then).square().sum(1).mean()


def teach(teacher: BiEncoder, student: BiEncoder, texts: Sequence[str], task: Task) -> NDArray[np.float32]:
    """Return the teacher's vectors of texts in the student's space, (N, n); duplicates are encoded once.

    Raises:
        Cancelled: The task was cancelled.
    """
    distinct, indices = unique(list(texts))
    targets = teacher.encode(distinct, task=task).whole()
    if teacher.dimension != student.dimension:
        targets = align(targets, student.encode(distinct, task=task).whole())
    return targets[indices]


def align(vectors: NDArray[np.float32], own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Map vectors of another width, (N, m), to the space of `own`, (N, n), preserving angles as far as possible.

    Wider vectors are projected onto their n principal directions, narrower ones padded with zeros. A rotation
    (orthogonal Procrustes) then brings them near to `own`, so that the student starts close. Lengths stay.
    """
    wide, width = vectors.shape[1], own.shape[1]
    if wide > width:
        _, turned = np.linalg.eigh(vectors.T @ vectors)  # ascending
        fitted = vectors @ turned[:, : -width - 1 : -1]
    else:
        fitted = np.pad(vectors, ((0, 0), (0, width - wide)))
    left, _, right = np.linalg.svd(fitted.T @ own)
    fitted = fitted @ (left @ right)
    before, after = (np.linalg.norm(each, axis=1, keepdims=True) for each in (vectors, fitted))
    return np.asarray(fitted * (before / np.maximum(after, 1e-12)), np.float32)


def pairs_to_hold(texts: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Make pairs that a cross-encoder is held to: in turn two halves of one text, and two different texts."""
    random = np.random.default_rng([seed, 3])
    pairs = []
    for index, text in enumerate(texts):
        words = text.split()
        if index % 2 == 0 and len(words) > 3:
            middle = len(words) // 2
            pairs.append((" ".join(words[:middle]), " ".join(words[middle:])))
        else:
            pairs.append((text, texts[int(random.integers(len(texts)))]))
    return pairs


def pick(texts: Sequence[str], count: int, seed: int) -> list[str]:
    """Sample at most `count` of the distinct texts."""
    distinct = sorted({text for text in texts if text.strip()})
    if len(distinct) <= count:
        return distinct
    chosen = np.random.default_rng([seed, 1]).choice(len(distinct), count, replace=False)
    return [distinct[index] for index in sorted(chosen.tolist())]


def batches_due(step: int, share: float) -> int:
    """Return how many guard batches a step has, counted from 0, so that they are `share` of all batches."""
    each = share / (1 - share)
    return int((step + 1) * each + 1e-9) - int(step * each + 1e-9)
