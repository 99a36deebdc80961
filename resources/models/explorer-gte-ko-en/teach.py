"""The teaching: Korean texts learn gte-small's vectors of their originals, while its English stays where it is."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from explorer.models.runtime import batching
from explorer.training.fit.losses import RankingLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder

AMONG, ASKED, FOUND = 0.1, 0.03, 0.1  # weights of the losses below beside nearness
TEMPERATURE = 20.0  # cosines are multiplied by it before a softmax
WARM_UP = 0.05
DROPOUT = 0.05


@dataclass(frozen=True)
class Materials:
    """What is learned from.

    Attributes:
        scored: Korean pairs with a score, and the rows of their originals in `targets`: (ko, ko, row, row, score).
        originals: The English pairs of `scored`: (en, en, row, row, score).
        parallel: Korean texts and the rows of their originals: (ko, row).
        english: English texts that stay, by their rows.
        targets: The teacher's vectors of all English texts, (N, n).
        questions: Pairs of Korean questions and whether they mean the same.
        findable: Pairs of what is asked for and the text that answers; each other's wrong answers within a batch.
    """

    scored: Sequence[tuple[str, str, int, int, float]]
    originals: Sequence[tuple[str, str, int, int, float]]
    parallel: Sequence[tuple[str, int]]
    english: Sequence[tuple[str, int]]
    targets: NDArray[np.float32]
    questions: Sequence[tuple[str, str, float]]
    findable: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Stage:
    """A part of the teaching.

    Attributes:
        steps: How many there are.
        ranking: Weight of people's scores beside nearness to the originals.
        layers: Highest learning rate of the layers.
        rows: That of the word rows.
        map: That of the change which all Korean rows share.
        averaged: The weights are the mean over the steps after this share.
        batches: Of each course, examples in a batch, and every how many steps there is one.
    """

    steps: int
    ranking: float
    layers: float
    rows: float
    map: float
    averaged: float
    batches: Mapping[str, tuple[int, int]]


# Korean comes near its originals; then people's scores count more, of the originals too.
STAGES = (
    Stage(1600, 0.03, 5e-5, 3e-4, 1e-4, 0.7,
          {"scored": (24, 1), "parallel": (32, 1), "english": (24, 2), "questions": (24, 3), "findable": (16, 3)}),
    Stage(260, 0.15, 2e-5, 1e-4, 0.0, 0.5,
          {"scored": (24, 1), "originals": (24, 1), "parallel": (24, 2), "english": (24, 2), "questions": (24, 2),
           "findable": (16, 4)}),
)  # fmt: skip


class Mapped(nn.Module):
    """Word rows, and a change that all Korean pieces share: what one learns moves those that mean the like.

    Attributes:
        rows: The rows; their gradient is sparse, since a step sees a few thousand tokens of 53,000 pieces.
        map: From meanings to a change of rows, (m, n); nothing at first.
    """

    def __init__(self, rows: Tensor, meanings: Tensor) -> None:
        super().__init__()
        self.rows = nn.Embedding.from_pretrained(rows, freeze=False, sparse=True)
        self.map = nn.Parameter(torch.zeros(meanings.shape[1], rows.shape[1]))
        self._meanings = [meanings]  # (V, m); in a list: no weights of this module

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> (B, T, n)."""
        changed: Tensor = self.rows(ids) + self._meanings[0][ids] @ self.map
        return changed

    def merged(self) -> nn.Embedding:
        """Return all rows with the change."""
        with torch.no_grad():
            return nn.Embedding.from_pretrained(self.rows.weight + self._meanings[0] @ self.map, padding_idx=0)


@dataclass
class Teaching:
    """A student being taught, step by step.

    Attributes:
        student: Changed in place.
        materials: What it learns from.
        meanings: Of all pieces of the vocabulary, zeros for English, (V, m).
        stage: How it is taught.
        seed: Decides the order.
        limit: Tokens of a text that are read.
    """

    student: BiEncoder
    materials: Materials
    meanings: NDArray[np.float32]
    stage: Stage
    seed: int = 1
    limit: int = 80

    def run(self, after: Callable[[int, dict[str, float]], None]) -> None:
        """Teach the student; `after` is told of each step and its losses."""
        network: Any = self.student.network
        network.requires_grad_(True)
        transformer = network.transformer
        rows = Mapped(transformer.get_input_embeddings().weight.detach().clone(), torch.from_numpy(self.meanings))
        transformer.set_input_embeddings(rows)
        weights = {name: each for name, each in network.named_parameters() if not name.startswith("transformer.pooler")}
        optimisers = self._optimisers(weights)
        clipped = [each for each in weights.values() if each is not rows.rows.weight]
        coming = {name: self._order(len(getattr(self.materials, name)), name) for name in self.stage.batches}
        network.train()
        for module in network.modules():
            if isinstance(module, nn.Dropout):
                module.p = min(module.p, DROPOUT)
        sums: dict[str, Tensor] = {}
        count = 0
        for step in range(self.stage.steps):
            torch.manual_seed(self.seed * 1_000_003 + step)
            for optimiser in optimisers:
                for group in optimiser.param_groups:
                    group["lr"] = group["highest"] * self._factor(step)
            losses: dict[str, float] = {}
            for place, (name, (size, every)) in enumerate(self.stage.batches.items()):
                if (step + place) % every == 0:
                    value = getattr(self, f"_{name}")([next(coming[name]) for _ in range(size)])
                    value.backward()
                    losses[name] = float(value.detach())
            torch.nn.utils.clip_grad_norm_(clipped, 1.0)
            for optimiser in optimisers:
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
            if step >= self.stage.averaged * self.stage.steps and step % 5 == 0:
                count += 1
                with torch.no_grad():
                    for name, each in weights.items():
                        sums[name] = sums[name].add_(each) if name in sums else each.detach().clone()
            after(step + 1, losses)
        with torch.no_grad():
            for name, each in weights.items():
                each.copy_(sums[name] / count)
        network.eval()
        transformer.set_input_embeddings(rows.merged())

    def _factor(self, step: int) -> float:
        warm = max(1, round(WARM_UP * self.stage.steps))
        return (
            (step + 1) / warm
            if step < warm
            else 0.5 * (1 + math.cos(math.pi * (step - warm) / (self.stage.steps - warm)))
        )

    def _optimisers(self, weights: dict[str, nn.Parameter]) -> list[torch.optim.Optimizer]:
        layers, rows, maps = [], [], []
        for name, each in weights.items():
            (rows if name.endswith("rows.weight") else maps if name.endswith(".map") else layers).append(each)
        dense = [
            {"params": layers, "highest": self.stage.layers, "weight_decay": 0.01},
            {"params": maps, "highest": self.stage.map, "weight_decay": 0.0},
        ]
        sparse = torch.optim.SparseAdam([{"params": rows, "highest": self.stage.rows}], lr=self.stage.rows)
        return [torch.optim.AdamW(dense, lr=self.stage.layers, fused=True), sparse]

    def _order(self, count: int, name: str) -> Iterator[int]:
        chosen = random.Random(f"{self.seed} {name}")  # noqa: S311 - the same each time
        while True:
            order = list(range(count))
            chosen.shuffle(order)
            yield from order

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        """(B, n), in the order of the texts; they go through the network in groups of like lengths."""
        tokens = [self._cut(each.ids) for each in self.student.tokenizer.encode(texts)]
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        parts = []
        half = len(order) // 2 if len(tokens[order[-1]]) > 1.5 * len(tokens[order[len(order) // 2]]) else 0
        for group in (order[:half], order[half:]):
            if group:
                ids, mask = (
                    torch.from_numpy(part) for part in batching.padded([tokens[row] for row in group], 0)
                )  # (B, T)
                with torch.autocast("cpu", torch.bfloat16):
                    parts.append(self.student.network(ids, mask, torch.zeros_like(ids)).float())
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(parts)[back]

    def _cut(self, ids: Sequence[int]) -> list[int]:
        return list(ids) if len(ids) <= self.limit else [*ids[: self.limit - 1], ids[-1]]

    def _targets(self, rows: Sequence[int]) -> Tensor:
        return torch.from_numpy(self.materials.targets[list(rows)])

    def _scored(self, rows: Sequence[int]) -> Tensor:
        """Nearness to the originals, and people's scores by CoSENT, also of a Korean text with an original."""
        found = [self.materials.scored[row] for row in rows]
        both = self._vectors([each[0] for each in found] + [each[1] for each in found])
        u, v = both.chunk(2)
        s, t = self._targets([each[2] for each in found]), self._targets([each[3] for each in found])
        score = torch.tensor([each[4] for each in found])
        near = ((u - s).square().sum(1) + (v - t).square().sum(1)).mean() / 2
        ranking = RankingLoss()
        within, across = (
            ranking.loss((u, v), score),
            ranking.loss((torch.cat([u, s]), torch.cat([t, v])), score.repeat(2)),
        )
        value: Tensor = near + self.stage.ranking * (within + across / 2) + AMONG / 2 * self._among(u, s)
        return value

    def _originals(self, rows: Sequence[int]) -> Tensor:
        found = [self.materials.originals[row] for row in rows]
        u, v = self._vectors([each[0] for each in found] + [each[1] for each in found]).chunk(2)
        s, t = self._targets([each[2] for each in found]), self._targets([each[3] for each in found])
        near = ((u - s).square().sum(1) + (v - t).square().sum(1)).mean() / 2
        score = torch.tensor([each[4] for each in found])
        return near + self.stage.ranking * RankingLoss().loss((u, v), score)

    def _parallel(self, rows: Sequence[int]) -> Tensor:
        found = [self.materials.parallel[row] for row in rows]
        u, s = self._vectors([each[0] for each in found]), self._targets([each[1] for each in found])
        return (u - s).square().sum(1).mean() + AMONG * self._among(u, s)

    def _english(self, rows: Sequence[int]) -> Tensor:
        found = [self.materials.english[row] for row in rows]
        u, s = self._vectors([each[0] for each in found]), self._targets([each[1] for each in found])
        return 2 * (u - s).square().sum(1).mean()

    def _questions(self, rows: Sequence[int]) -> Tensor:
        found = [self.materials.questions[row] for row in rows]
        u, v = self._vectors([each[0] for each in found] + [each[1] for each in found]).chunk(2)
        value: Tensor = ASKED * RankingLoss().loss((u, v), torch.tensor([each[2] for each in found]))
        return value

    def _findable(self, rows: Sequence[int]) -> Tensor:
        found = [self.materials.findable[row] for row in rows]
        u, v = self._vectors([each[0] for each in found]), self._vectors([each[1] for each in found])
        return FOUND * (self._among(u, v) + self._among(v, u)) / 2

    @staticmethod
    def _among(u: Tensor, v: Tensor) -> Tensor:
        """Cross-entropy of finding each row's own partner among those of the batch; equal partners do not count."""
        scores = TEMPERATURE * u @ v.T
        same = (v @ v.T > 0.99) & ~torch.eye(len(v), dtype=torch.bool)
        return functional.cross_entropy(scores.masked_fill(same, -1e4), torch.arange(len(u)))


def told(step: int, began: float, losses: dict[str, float]) -> str:
    """Return a line about a step."""
    parts = " ".join(f"{name} {value:.3f}" for name, value in losses.items())
    return f"{step}: {parts} ({time.perf_counter() - began:.0f} s)"
