"""Tokenized examples, and the network's outputs for a batch of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from explorer.models.runtime.tokenizer import Tokenizer
from explorer.training.fit import batching
from explorer.training.fit.batching import Sequences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.task import Task
    from explorer.training.recipe import Recipe


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


def for_bi_encoder(
    model: BiEncoder, columns: Sequence[Sequence[str]], recipe: Recipe, task: Task
) -> TokenizedExamples:
    """Tokenize examples for a bi-encoder: each text alone, after the prompt of its role."""
    tokenizer = _tokenizer(model, recipe)
    asking = recipe.objective == "contrastive"
    roles = [("query" if index == 0 else "document") if asking else None for index in range(len(columns))]
    prompts = [model.prompt(role) for role in roles]
    texts = [prompt + text for prompt, column in zip(prompts, columns, strict=True) for text in column]
    unpooled = [
        tokenizer.prompt_length(prompt) if prompt and not model.folder.pools_prompt else 0
        for prompt in prompts
    ]
    tokens = batching.tokenize(texts, tokenizer.encode, task)
    return TokenizedExamples(tokens, len(columns[0]), tuple(unpooled), tokenizer.pad)


def for_cross_encoder(
    model: CrossEncoder, columns: Sequence[Sequence[str]], recipe: Recipe, task: Task
) -> TokenizedExamples:
    """Tokenize examples for a cross-encoder: both texts in one sequence."""
    tokenizer = _tokenizer(model, recipe)
    pairs = list(zip(*columns, strict=True))
    tokens = batching.tokenize(pairs, tokenizer.encode_pairs, task)
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
    groups = batching.by_padding(lengths) if device.type == "cpu" else [list(range(len(sequence_rows)))]
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
