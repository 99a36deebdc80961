"""The batches of each training step, including batches that prevent forgetting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.training.fit import batching, distillation, tokenized
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
    """All batches of a run, in an order that the recipe's seed decides.

    Attributes:
        recipe: The recipe.
        objective: What is learned from the examples.
        source: The examples.
        labels: Their labels, (N,) or (N, n); None where they have none.
        keys: Columns of which no text may occur twice in a batch.
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
                *(
                    Batch(self.source, rows, self.labels, self.objective, len(rows) / examples)
                    for rows in group
                ),
                *guard,
            ]

    def _guard_batches(self) -> Iterator[list[Batch]]:
        """Yield the guard's batches of each step."""
        if self.held is None:
            yield from ([] for _ in count())
            return
        source, targets = self.held
        guard = self.recipe.guard
        hold = distillation.Hold() if self.recipe.kind == "bi" else distillation.HoldScores()
        rounds = batching.steps(source.lengths, self.recipe.batch, 1, self.recipe.seed + 1)
        batches = (rows for group in rounds for rows in group)
        for step in count():
            due = islice(batches, distillation.batches_due(step, guard.share))
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
        source = tokenized.for_cross_encoder(model, data.columns, recipe, task)
        return BatchPlan(recipe, objective, source, labels, (), _held_scores(recipe, model, texts, task))
    base = keeper if isinstance(keeper, BiEncoder) else model
    source = tokenized.for_bi_encoder(model, data.columns, recipe, task)
    if objective.labels == "vector":
        labels = torch.from_numpy(distillation.teach(teacher or base, model, data.columns[0], task))
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
    return tokenized.for_bi_encoder(model, [texts], alone, task), torch.from_numpy(targets)


def _held_scores(
    recipe: Recipe, model: CrossEncoder, texts: list[str], task: Task
) -> tuple[TokenizedExamples, Tensor] | None:
    if not texts:
        return None
    pairs = distillation.pairs_to_hold(texts, recipe.seed)
    logits = model.score(pairs, task=task).whole()
    source = tokenized.for_cross_encoder(model, list(zip(*pairs, strict=True)), recipe, task)
    return source, torch.from_numpy(logits)
