"""The teaching: Korean texts learn the bundled model's vectors of their translations, while its English stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task
from explorer.training.fit import batching, losses, optimizer
from explorer.training.fit import batching as prepare
from explorer.training.fit.batch_plan import Hold
from explorer.training.fit.losses import Objective
from explorer.training.fit.step import Batch, Stepper
from explorer.training.recipe import Recipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.models.runtime.network import Network
    from explorer.training.fit.batching import TokenizedExamples


@dataclass
class Bilingual(Objective):
    """(|u - s|^2 + |v - t|^2) / 2 plus weighted CoSENT on the score; s, t the teacher's vectors of the translations."""

    name = "bilingual"
    labels = "vector"
    ranking: float = 0.1

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n), labels (B, 1 + 2n): score, s, t -> scalar."""
        assert labels is not None  # noqa: S101
        u, v = outputs
        score, s, t = labels.split([1, u.shape[1], v.shape[1]], dim=1)
        near = ((u - s).square().sum(1) + (v - t).square().sum(1)).mean() / 2
        return near + self.ranking * losses.RankingLoss().loss(outputs, score[:, 0])


@dataclass
class Weighted(Objective):
    """CoSENT by a weight."""

    name = "weighted"
    labels = "score"
    ranking: float = 0.1

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n), scores (B,) -> scalar."""
        return self.ranking * losses.RankingLoss().loss(outputs, labels)


class Mapped(nn.Module):
    """Word rows, and a change that all Korean pieces share: what one learns moves those that mean the like.

    Attributes:
        rows: The rows in use, as the training trains them.
        map: From meanings to a change of rows, (m, n); nothing at first.
    """

    def __init__(self, rows: nn.Module, meanings: Tensor, width: int) -> None:
        super().__init__()
        self.rows = rows
        self.map = nn.Parameter(torch.zeros(meanings.shape[1], width))
        self._meanings = [meanings]  # (V, m); in a list: no weights of this module

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> (B, T, n)."""
        changed: Tensor = self.rows(ids) + self._meanings[0][ids] @ self.map
        return changed

    def merged(self) -> nn.Embedding:
        """All rows with the change."""
        whole: nn.Embedding = self.rows.write_back()  # type: ignore[operator]
        with torch.no_grad():
            whole.weight += self._meanings[0] @ self.map
        return whole


@dataclass(frozen=True)
class Course:
    """Examples of one kind.

    Attributes:
        source: Their tokens.
        labels: What is to be reached.
        objective: What is learned from them.
        share: Batches of them in a step, less than one too.
        weight: What a batch counts.
        batch: Examples of a batch.
    """

    source: TokenizedExamples
    labels: Tensor
    objective: Objective
    share: float = 1.0
    weight: float = 1.0
    batch: int = 24

    def steps(self, seed: int) -> Iterator[list[Batch]]:
        """The batches that are due in each step."""
        coming = (rows for group in batching.steps(self.source.lengths, self.batch, 1, seed) for rows in group)
        number = 0
        while True:
            due = int((number + 1) * self.share + 1e-9) - int(number * self.share + 1e-9)
            yield [Batch(self.source, rows, self.labels, self.objective, self.weight) for rows in islice(coming, due)]
            number += 1


def scored_course(
    student: BiEncoder, columns: Sequence[Sequence[str]], scores: Sequence[float], recipe: Recipe,
    teacher: Sequence[NDArray[np.float32]] = (), **settings: Any,
) -> Course:  # fmt: skip
    """Pairs with a score, and the teacher's vectors of their translations, where there are some."""
    source = prepare.for_bi_encoder(student, columns, recipe, Task())
    told = torch.tensor(scores, dtype=torch.float32)
    if len(teacher):
        told = torch.cat([told[:, None], *map(torch.from_numpy, teacher)], dim=1)  # (N, 1 + 2n)
    return Course(source, told, **settings)


def held_course(
    student: BiEncoder, texts: Sequence[str], targets: NDArray[np.float32], recipe: Recipe, **settings: Any
) -> Course:
    """Texts whose vectors are to stay, or to become, the teacher's."""
    source = prepare.for_bi_encoder(student, [texts], recipe, Task())
    return Course(source, torch.from_numpy(targets), Hold(), **settings)


def teach(
    student: BiEncoder,
    courses: Sequence[Course],
    recipe: Recipe,
    meanings: NDArray[np.float32],
    after: Callable[[int, float], None],
    average_from: float = 0.6,
) -> None:
    """Train the student on all courses at once; its weights become the mean of those after the later steps.

    Args:
        student: Changed in place.
        courses: What it learns from.
        recipe: Learning rate, steps, seed.
        meanings: Of all pieces of the vocabulary, zeros for English, (V, m).
        after: Told of each step and its loss.
        average_from: Share of the steps after which weights are averaged.
    """
    network = student.network
    used = {token for course in courses for token in course.source.used()}
    optimizer.select_weights(network, recipe, used)
    _install(network, torch.from_numpy(meanings))
    weights = optimizer.trained_weights(network, Bilingual())
    stepper = Stepper(network, weights, recipe, student.device, recipe.steps)
    coming = zip(*(course.steps(recipe.seed + place) for place, course in enumerate(courses)), strict=True)
    first = round(average_from * recipe.steps)
    sums = {name: torch.zeros_like(each) for name, each in weights.items()}
    for number, groups in enumerate(islice(coming, recipe.steps)):
        loss = stepper.step(number, [batch for group in groups for batch in group])
        if number >= first:
            with torch.no_grad():
                torch._foreach_add_(list(sums.values()), list(weights.values()))
        after(number + 1, loss)
    stepper.load_weights({name: total / (recipe.steps - first) for name, total in sums.items()})
    network.eval()
    _remove(network)


def _install(network: Network, meanings: Tensor) -> None:
    transformer: Any = network.transformer
    rows = transformer.get_input_embeddings()
    transformer.set_input_embeddings(Mapped(rows, meanings, transformer.config.hidden_size))


def _remove(network: Network) -> None:
    transformer: Any = network.transformer
    transformer.set_input_embeddings(transformer.get_input_embeddings().merged())
