"""Batches of examples: tokens kept tight, like lengths together where that is right, the same order for a seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from explorer.models.runtime.batching import WINDOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from explorer.models.runtime.batching import Tokens
    from explorer.task import Task

Item = TypeVar("Item")

SPREAD = 50  # batches whose examples are sorted by length together: like meets like, and still by chance


@dataclass(frozen=True)
class Sequences:
    """Token sequences end to end in one array.

    Attributes:
        ids: All ids, (total,).
        types: Which text of a pair each token belongs to, (total,); None where texts stand alone.
        starts: Where each sequence begins, (N + 1,).
    """

    ids: NDArray[np.int32]
    types: NDArray[np.int8] | None
    starts: NDArray[np.int64]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each sequence, (N,)."""
        return np.diff(self.starts)

    def padded(
        self, rows: Sequence[int], pad: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64] | None]:
        """Ids, mask and types of some sequences, each (B, T)."""
        spans = [(int(self.starts[row]), int(self.starts[row + 1])) for row in rows]
        shape = (len(rows), max(1, *(end - start for start, end in spans)))
        ids, mask = np.full(shape, pad, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        types = None if self.types is None else np.zeros(shape, dtype=np.int64)
        for place, (start, end) in enumerate(spans):
            ids[place, : end - start] = self.ids[start:end]
            mask[place, : end - start] = 1
            if types is not None and self.types is not None:
                types[place, : end - start] = self.types[start:end]
        return ids, mask, types


def tokenised(
    items: Sequence[Item],
    encode: Callable[[Sequence[Item]], list[Tokens]],
    task: Task,
) -> Sequences:
    """The sequences of texts or pairs.

    Raises:
        Cancelled: The task was cancelled.
    """
    ids, types, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int8)], [0]
    typed = False
    for start in range(0, len(items), WINDOW):
        task.check()
        for tokens in encode(items[start : start + WINDOW]):
            ids.append(np.asarray(tokens.ids, np.int32))
            lengths.append(len(tokens.ids))
            if tokens.types is not None:
                typed = True
                types.append(np.asarray(tokens.types, np.int8))
    return Sequences(
        np.concatenate(ids),
        np.concatenate(types) if typed else None,
        np.cumsum(np.asarray(lengths, np.int64)),
    )


def epoch(
    lengths: NDArray[np.int64],
    batch: int,
    seed: Sequence[int],
    keys: Sequence[Sequence[Hashable]] = (),
    *,
    mixed: bool = False,
) -> list[list[int]]:
    """The batches of one round through the examples, in a random order that the seed decides.

    Args:
        lengths: How long each example is, (N,).
        batch: Examples of a batch.
        seed: Numbers that name this round.
        keys: Columns of which no value may come twice in a batch, where examples are each other's negatives.
        mixed: Whether long and short examples meet in a batch. They must where examples are compared with one
            another: else nothing tells a model how short ones stand to long ones.
    """
    chance = np.random.default_rng(list(seed))
    order = chance.permutation(len(lengths))
    made: list[list[int]] = []
    for start in range(0, len(order), SPREAD * batch):
        window = order[start : start + SPREAD * batch]
        if not mixed:
            window = window[np.argsort(lengths[window], kind="stable")]
        rows = window.tolist()
        made += _apart(rows, batch, keys) if keys else _cut(rows, batch)
    return [made[place] for place in chance.permutation(len(made))]


def steps(
    lengths: NDArray[np.int64],
    batch: int,
    accumulation: int,
    seed: int,
    keys: Sequence[Sequence[Hashable]] = (),
    *,
    mixed: bool = False,
) -> Iterator[list[list[int]]]:
    """The batches of each step, round after round without end."""
    number = 0
    while True:
        round_ = epoch(lengths, batch, (seed, number), keys, mixed=mixed)
        yield from (round_[start : start + accumulation] for start in range(0, len(round_), accumulation))
        number += 1


def by_padding(lengths: Sequence[int]) -> list[list[int]]:
    """Texts of one batch in one group, or in groups of shorter and longer ones where that saves much padding."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    groups = _parted(order, lengths)
    return [list(range(len(lengths)))] if len(groups) == 1 else groups


def _parted(order: list[int], lengths: Sequence[int]) -> list[list[int]]:
    """Texts in the order of their lengths, parted where that saves most; large parts again."""
    longest = lengths[order[-1]]
    costs = [
        place * lengths[order[place - 1]] + (len(order) - place) * longest for place in range(1, len(order))
    ]
    if not costs or min(costs) > _WORTH * longest * len(order):
        return [order]
    middle = 1 + costs.index(min(costs))
    halves = (order[:middle], order[middle:])
    return [part for half in halves for part in ([half] if len(half) < _FEW else _parted(half, lengths))]


_WORTH = 0.8  # a further pass through the network must save a fifth of the tokens
_FEW = 16  # texts that are not parted again


def _cut(rows: list[int], batch: int) -> list[list[int]]:
    return [rows[start : start + batch] for start in range(0, len(rows), batch)]


def _apart(rows: list[int], batch: int, keys: Sequence[Sequence[Hashable]]) -> list[list[int]]:
    """Batches in which no text comes twice; what does not fit waits for a later one."""
    made: list[list[int]] = []
    while rows:
        taken: list[int] = []
        seen: set[Hashable] = set()
        waiting: list[int] = []
        for place, row in enumerate(rows):
            own = {column[row] for column in keys}
            if len(taken) == batch:
                waiting += rows[place:]
                break
            if own & seen:
                waiting.append(row)
            else:
                taken.append(row)
                seen |= own
        made.append(taken)
        rows = waiting
    return made
