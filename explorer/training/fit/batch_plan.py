"""What each step of a training learns from: batches of examples, and of texts that must not be forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.training.fit import batching, distillation
from explorer.training.fit import tokenized as prepare
from explorer.training.fit.step import Batch

if TYPE_CHECKING:
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.task import Task
    from explorer.training.data.dataset import Dataset
    from explorer.training.fit.losses import Objective
    from explorer.training.fit.tokenized import TokenizedExamples
    from explorer.training.recipe import Recipe

GUARD_TEXTS = 20_000  # unlabelled texts that the base encodes at most


@dataclass(frozen=True)
class BatchPlan:
    """Everything that is learned from, in an order that the recipe's seed decides.

    Attributes:
        recipe: The recipe.
        objective: What is learned from the examples.
        source: The examples.
        labels: Their labels, (N,) or (N, n); None where they have none.
        keys: Columns of which no text may come twice in a batch.
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
        """Steps in all."""
        return planned(self.recipe, self.source.count)

    def used(self) -> set[int]:
        """All token ids that occur."""
        return self.source.used() | (self.held[0].used() if self.held else set())

    def steps(self, start: int) -> Iterator[list[Batch]]:
        """The batches of each step from `start` on, without end."""
        recipe = self.recipe
        lengths = self.source.lengths
        groups = batching.steps(
            lengths, recipe.batch, recipe.accumulation, recipe.seed, self.keys, mixed=self.objective.batched
        )
        guarding = self._guarding()
        for step, group, guard in islice(zip(count(), groups, guarding, strict=False), start, None):  # noqa: B007
            examples = sum(map(len, group))
            yield [
                *(
                    Batch(self.source, rows, self.labels, self.objective, len(rows) / examples)
                    for rows in group
                ),
                *guard,
            ]

    def _guarding(self) -> Iterator[list[Batch]]:
        """The guard's batches of each step."""
        if self.held is None:
            yield from ([] for _ in count())
            return
        source, targets = self.held
        guard = self.recipe.guard
        hold = distillation.Hold() if self.recipe.kind == "bi" else distillation.HoldScores()
        rounds = batching.steps(source.lengths, self.recipe.batch, 1, self.recipe.seed + 1)
        coming = (rows for group in rounds for rows in group)
        for step in count():
            due = islice(coming, distillation.batches_due(step, guard.share))
            yield [Batch(source, rows, targets, hold, guard.weight) for rows in due]


def planned(recipe: Recipe, examples: int) -> int:
    """Steps of a recipe for so many examples."""
    each = -(-examples // (recipe.batch * recipe.accumulation))
    return recipe.steps or max(1, round(recipe.epochs * each))


def of(
    recipe: Recipe,
    model: BiEncoder | CrossEncoder,
    objective: Objective,
    data: Dataset,
    unlabelled: Sequence[str],
    teacher: BiEncoder | None,
    keeper: BiEncoder | CrossEncoder | None,
    task: Task,
) -> BatchPlan:
    """Make the examples ready, and ask the teacher where there is one.

    Args:
        recipe: The recipe.
        model: The model to be trained, as it is before the first step.
        objective: What it learns.
        data: The examples.
        unlabelled: Texts for the guard; those of the examples, if none are given.
        teacher: Whom it learns from by distillation; the keeper or itself, if none is given.
        keeper: What the guard holds it to; itself, if none is given.
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
        source = prepare.for_cross_encoder(model, data.columns, recipe, task)
        return BatchPlan(recipe, objective, source, labels, (), _held_scores(recipe, model, texts, task))
    base = keeper if isinstance(keeper, BiEncoder) else model
    source = prepare.for_bi_encoder(model, data.columns, recipe, task)
    if objective.labels == "vector":
        labels = torch.from_numpy(distillation.teach(teacher or base, model, data.columns[0], task))
    elif objective.labels == "none":
        labels = None
    keys = data.columns if recipe.objective == "contrastive" else ()
    held = _held_vectors(recipe, model, base, texts, task)
    return BatchPlan(recipe, objective, source, labels, keys, held)


def _to_hold(recipe: Recipe, examples: int, pool: Sequence[str]) -> list[str]:
    """The texts of the guard; none without one."""
    share = recipe.guard.share
    if not share:
        return []
    needed = recipe.batch * (1 + int(planned(recipe, examples) * share / (1 - share)))
    texts = distillation.pick(pool, min(needed, GUARD_TEXTS), recipe.seed)
    if not texts:
        raise DataError("The guard needs texts to hold the model to, and all of those given are empty.")
    return texts


def _held_vectors(
    recipe: Recipe, model: BiEncoder, keeper: BiEncoder, texts: list[str], task: Task
) -> tuple[TokenizedExamples, Tensor] | None:
    if not texts:
        return None
    targets = distillation.teach(keeper, model, texts, task)
    alone = replace(recipe, objective="distillation", options={})
    return prepare.for_bi_encoder(model, [texts], alone, task), torch.from_numpy(targets)


def _held_scores(
    recipe: Recipe, model: CrossEncoder, texts: list[str], task: Task
) -> tuple[TokenizedExamples, Tensor] | None:
    if not texts:
        return None
    pairs = distillation.pairs_to_hold(texts, recipe.seed)
    logits = model.score(pairs, task=task).whole()
    source = prepare.for_cross_encoder(model, list(zip(*pairs, strict=True)), recipe, task)
    return source, torch.from_numpy(logits)
