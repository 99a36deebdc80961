"""Batches of examples: packed tokens, similar lengths together where possible, the same order for a seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from explorer.models.runtime.batching import WINDOW
from explorer.models.runtime.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.runtime.batching import Tokens
    from explorer.task import Task
    from explorer.training.recipe import Recipe


Item = TypeVar("Item")

SPREAD = 50  # batches whose examples are sorted by length together: little padding, and still in random order
_WORTH = 0.8  # a further pass through the network must save a fifth of the tokens
_FEW = 16  # texts that are not split again


@dataclass(frozen=True)
class Sequences:
    """Token sequences end to end in one array.

    Attributes:
        ids: All ids, (total,).
        types: Which text of a pair each token belongs to, (total,); None for single texts.
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
        """Return the ids, mask and types of some sequences, each (B, T)."""
        spans = [(int(self.starts[row]), int(self.starts[row + 1])) for row in rows]
        shape = (len(rows), max(1, *(end - start for start, end in spans)))
        ids, mask = np.full(shape, pad, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        types = None if self.types is None else np.zeros(shape, dtype=np.int64)
        for index, (start, end) in enumerate(spans):
            ids[index, : end - start] = self.ids[start:end]
            mask[index, : end - start] = 1
            if types is not None and self.types is not None:
                types[index, : end - start] = self.types[start:end]
        return ids, mask, types


def tokenize(items: Sequence[Item], encode: Callable[[Sequence[Item]], list[Tokens]], task: Task) -> Sequences:
    """Tokenize texts or pairs, window by window.

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
        np.concatenate(ids), np.concatenate(types) if typed else None, np.cumsum(np.asarray(lengths, np.int64))
    )


def epoch(
    lengths: NDArray[np.int64],
    batch: int,
    seed: Sequence[int],
    keys: Sequence[Sequence[Hashable]] = (),
    *,
    mixed: bool = False,
) -> list[list[int]]:
    """Return the batches of one epoch, in a random order that the seed decides.

    Args:
        lengths: How long each example is, (N,).
        batch: Examples per batch.
        seed: Numbers that identify this epoch.
        keys: Columns in which no value may occur twice in a batch, where examples are each other's negatives.
        mixed: Whether long and short examples meet in a batch. They must where examples are compared with one
            another: else nothing teaches a model how short texts relate to long ones.
    """
    random = np.random.default_rng(list(seed))
    order = random.permutation(len(lengths))
    batches: list[list[int]] = []
    for start in range(0, len(order), SPREAD * batch):
        window = order[start : start + SPREAD * batch]
        if not mixed:
            window = window[np.argsort(lengths[window], kind="stable")]
        rows = window.tolist()
        if keys:
            batches += _without_repeats(rows, batch, keys)
        else:
            batches += (rows[first : first + batch] for first in range(0, len(rows), batch))
    return [batches[index] for index in random.permutation(len(batches))]


def steps(
    lengths: NDArray[np.int64],
    batch: int,
    accumulation: int,
    seed: int,
    keys: Sequence[Sequence[Hashable]] = (),
    *,
    mixed: bool = False,
) -> Iterator[list[list[int]]]:
    """Yield the batches of each step, epoch after epoch without end."""
    epoch_index = 0
    while True:
        round_ = epoch(lengths, batch, (seed, epoch_index), keys, mixed=mixed)
        yield from (round_[start : start + accumulation] for start in range(0, len(round_), accumulation))
        epoch_index += 1


def by_padding(lengths: Sequence[int]) -> list[list[int]]:
    """Group the texts of one batch by length where that saves much padding, else return one group."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    groups = _split_by_length(order, lengths)
    return [list(range(len(lengths)))] if len(groups) == 1 else groups


def _split_by_length(order: list[int], lengths: Sequence[int]) -> list[list[int]]:
    """Split texts, sorted by length, where that saves most padding; large parts again."""
    longest = lengths[order[-1]]
    costs = [index * lengths[order[index - 1]] + (len(order) - index) * longest for index in range(1, len(order))]
    if not costs or min(costs) > _WORTH * longest * len(order):
        return [order]
    middle = 1 + costs.index(min(costs))
    halves = (order[:middle], order[middle:])
    return [part for half in halves for part in ([half] if len(half) < _FEW else _split_by_length(half, lengths))]


def _without_repeats(rows: list[int], batch: int, keys: Sequence[Sequence[Hashable]]) -> list[list[int]]:
    """Fill batches in which no text occurs twice; what does not fit waits for a later one."""
    batches: list[list[int]] = []
    while rows:
        taken: list[int] = []
        seen: set[Hashable] = set()
        waiting: list[int] = []
        for index, row in enumerate(rows):
            own = {column[row] for column in keys}
            if len(taken) == batch:
                waiting += rows[index:]
                break
            if own & seen:
                waiting.append(row)
            else:
                taken.append(row)
                seen |= own
        batches.append(taken)
        rows = waiting
    return batches


@dataclass(frozen=True)
class TokenizedExamples:
    """Examples as tokens.

    Attributes:
        tokens: The sequences: all of the first column, then all of the second; pairs of a cross-encoder are one.
        count: Examples, N.
        unpooled: For each column, tokens at the beginning that the pooling leaves out.
        pad: Id of the padding token.
    """

    tokens: Sequences
    count: int
    unpooled: tuple[int, ...]
    pad: int

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of the longest text of each example, (N,)."""
        longest: NDArray[np.int64] = self.tokens.lengths.reshape(-1, self.count).max(axis=0)
        return longest

    def used(self) -> set[int]:
        """Return all token ids that occur, including padding."""
        return {self.pad, *np.unique(self.tokens.ids).tolist()}


def for_bi_encoder(model: BiEncoder, columns: Sequence[Sequence[str]], recipe: Recipe, task: Task) -> TokenizedExamples:
    """Tokenize examples for a bi-encoder: each text alone, after the prompt of its role."""
    tokenizer = _tokenizer(model, recipe)
    asking = recipe.objective == "contrastive"
    roles = [("query" if index == 0 else "document") if asking else None for index in range(len(columns))]
    prompts = [model.prompt(role) for role in roles]
    texts = [prompt + text for prompt, column in zip(prompts, columns, strict=True) for text in column]
    unpooled = [
        tokenizer.prompt_length(prompt) if prompt and not model.folder.pools_prompt else 0 for prompt in prompts
    ]
    tokens = tokenize(texts, tokenizer.encode, task)
    return TokenizedExamples(tokens, len(columns[0]), tuple(unpooled), tokenizer.pad)


def for_cross_encoder(
    model: CrossEncoder, columns: Sequence[Sequence[str]], recipe: Recipe, task: Task
) -> TokenizedExamples:
    """Tokenize examples for a cross-encoder: both texts in one sequence."""
    tokenizer = _tokenizer(model, recipe)
    pairs = list(zip(*columns, strict=True))
    tokens = tokenize(pairs, tokenizer.encode_pairs, task)
    if not tokenizer.types_pairs:
        tokens = replace(tokens, types=None)
    return TokenizedExamples(tokens, len(pairs), (0,), tokenizer.pad)


def outputs(network: nn.Module, examples: TokenizedExamples, rows: Sequence[int]) -> list[Tensor]:
    """Return the network's outputs for some examples, with gradients: (B, n) per column; for pairs one (B, k)."""
    device = next(network.parameters()).device
    columns = range(len(examples.unpooled))
    sequence_rows = [column * examples.count + row for column in columns for row in rows]
    skipped = np.repeat(examples.unpooled, len(rows))
    # A GPU computes padding at almost no cost; on a CPU every token costs time.
    lengths = examples.tokens.lengths[sequence_rows].tolist()
    groups = by_padding(lengths) if device.type == "cpu" else [list(range(len(sequence_rows)))]
    parts = []
    for group in groups:
        arrays = examples.tokens.padded([sequence_rows[each] for each in group], examples.pad)
        ids, mask, types = (None if a is None else torch.from_numpy(a).to(device) for a in arrays)
        assert ids is not None and mask is not None  # noqa: S101, PT018 - only the types may be none
        parts.append(network(ids, mask, types, _pooled(mask, skipped[group])).float())
    values = parts[0]
    if len(groups) > 1:
        back = np.argsort(np.concatenate(groups))
        values = torch.cat(parts)[torch.from_numpy(back).to(device)]
    return list(values.split(len(rows)))


def _pooled(mask: Tensor, skipped: NDArray[np.int64]) -> Tensor | None:
    if not skipped.any():
        return None
    positions = torch.arange(mask.shape[1], device=mask.device)
    return mask * (positions >= torch.from_numpy(skipped).to(mask.device)[:, None])


def _tokenizer(model: BiEncoder | CrossEncoder, recipe: Recipe) -> Tokenizer:
    """Return the model's tokenizer, with a lower limit if the recipe sets one."""
    limit = model.folder.max_tokens
    if not 0 < recipe.max_tokens < limit:
        return model.tokenizer
    return Tokenizer(replace(model.folder, max_tokens=recipe.max_tokens))
