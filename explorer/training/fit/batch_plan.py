"""The batches of each training step, including batches that prevent forgetting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.training.fit import batching
from explorer.training.fit.losses import Objective
from explorer.training.fit.step import Batch
from explorer.training.measure.similarity import unique

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.cross_encoder import CrossEncoder
    from explorer.task import Task
    from explorer.training.data.dataset import Dataset
    from explorer.training.fit.batching import TokenizedExamples
    from explorer.training.recipe import Recipe


GUARD_TEXTS = 20_000  # unlabelled texts that the base encodes at most


@dataclass(frozen=True)
class BatchPlan:
    """All batches of a run, in an order that the recipe's seed decides.

    Attributes:
        recipe: The recipe.
        objective: What is learned from the examples.
        source: The examples.
        labels: Their labels, (N,) or (N, n); None where they have none.
        keys: Columns in which no text may occur twice in a batch.
        held: Unlabelled texts with the base's vectors of them, (M, n), or pairs with its logits, (M, k); None
            without a guard.
    """

    recipe: Recipe
    objective: Objective
    source: TokenizedExamples
    labels: Tensor | None
    keys: Sequence[Sequence[str]]
    held: tuple[TokenizedExamples, Tensor] | None

    @property
    def total(self) -> int:
        """The number of steps."""
        return planned_steps(self.recipe, self.source.count)

    def used(self) -> set[int]:
        """Return all token ids that occur."""
        return self.source.used() | (self.held[0].used() if self.held else set())

    def steps(self, start: int) -> Iterator[list[Batch]]:
        """Yield the batches of each step from `start` on, without end."""
        recipe = self.recipe
        lengths = self.source.lengths
        groups = batching.steps(
            lengths, recipe.batch, recipe.accumulation, recipe.seed, self.keys, mixed=self.objective.batched
        )
        guard_batches = self._guard_batches()
        for step, group, guard in islice(zip(count(), groups, guard_batches, strict=False), start, None):  # noqa: B007
            examples = sum(map(len, group))
            yield [
                *(Batch(self.source, rows, self.labels, self.objective, len(rows) / examples) for rows in group),
                *guard,
            ]

    def _guard_batches(self) -> Iterator[list[Batch]]:
        """Yield the guard's batches of each step."""
        if self.held is None:
            yield from ([] for _ in count())
            return
        source, targets = self.held
        guard = self.recipe.guard
        hold = Hold() if self.recipe.kind == "bi" else HoldScores()
        rounds = batching.steps(source.lengths, self.recipe.batch, 1, self.recipe.seed + 1)
        batches = (rows for group in rounds for rows in group)
        for step in count():
            due = islice(batches, batches_due(step, guard.share))
            yield [Batch(source, rows, targets, hold, guard.weight) for rows in due]


def planned_steps(recipe: Recipe, examples: int) -> int:
    """Return the number of steps that a recipe makes for a number of examples."""
    each = -(-examples // (recipe.batch * recipe.accumulation))
    return recipe.steps or max(1, round(recipe.epochs * each))


def build(
    recipe: Recipe,
    model: BiEncoder | CrossEncoder,
    objective: Objective,
    data: Dataset,
    unlabelled: Sequence[str],
    teacher: BiEncoder | None,
    keeper: BiEncoder | CrossEncoder | None,
    task: Task,
) -> BatchPlan:
    """Tokenize the examples, and compute the targets of the teacher and the guard.

    Args:
        recipe: The recipe.
        model: The model to be trained, as it is before the first step.
        objective: What it learns.
        data: The examples.
        unlabelled: Texts for the guard; those of the examples, if none are given.
        teacher: The model it learns from by distillation; the keeper or itself, if None.
        keeper: The model that the guard holds it to; itself, if None.
        task: Progress and cancel.

    Raises:
        DataError: The guard has no texts.
        Cancelled: The task was cancelled.
    """
    task.report(0, 0, "preparing")
    labels = None if data.labels is None else torch.tensor(data.labels, dtype=torch.float32)
    pool = unlabelled or [text for column in data.columns for text in column]
    texts = _to_hold(recipe, len(data), pool)
    if not isinstance(model, BiEncoder):
        source = batching.for_cross_encoder(model, data.columns, recipe, task)
        return BatchPlan(recipe, objective, source, labels, (), _held_scores(recipe, model, texts, task))
    base = keeper if isinstance(keeper, BiEncoder) else model
    source = batching.for_bi_encoder(model, data.columns, recipe, task)
    if objective.labels == "vector":
        labels = torch.from_numpy(teach(teacher or base, model, data.columns[0], task))
    elif objective.labels == "none":
        labels = None
    keys = data.columns if recipe.objective == "contrastive" else ()
    held = _held_vectors(recipe, model, base, texts, task)
    return BatchPlan(recipe, objective, source, labels, keys, held)


def _to_hold(recipe: Recipe, examples: int, pool: Sequence[str]) -> list[str]:
    """Return the texts of the guard; none without a guard."""
    share = recipe.guard.share
    if not share:
        return []
    needed = recipe.batch * (1 + int(planned_steps(recipe, examples) * share / (1 - share)))
    texts = pick(pool, min(needed, GUARD_TEXTS), recipe.seed)
    if not texts:
        raise DataError("The guard needs texts to hold the model to, and all of those given are empty.")
    return texts


def _held_vectors(
    recipe: Recipe, model: BiEncoder, keeper: BiEncoder, texts: list[str], task: Task
) -> tuple[TokenizedExamples, Tensor] | None:
    if not texts:
        return None
    targets = teach(keeper, model, texts, task)
    alone = replace(recipe, objective="distillation", options={})
    return batching.for_bi_encoder(model, [texts], alone, task), torch.from_numpy(targets)


def _held_scores(
    recipe: Recipe, model: CrossEncoder, texts: list[str], task: Task
) -> tuple[TokenizedExamples, Tensor] | None:
    if not texts:
        return None
    pairs = pairs_to_hold(texts, recipe.seed)
    logits = model.score(pairs, task=task).whole()
    source = batching.for_cross_encoder(model, list(zip(*pairs, strict=True)), recipe, task)
    return source, torch.from_numpy(logits)


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
        now, then = (each.sigmoid() if each.shape[1] == 1 else each.softmax(1) for each in (outputs[0], labels))
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
