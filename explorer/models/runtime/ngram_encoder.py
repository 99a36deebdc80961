"""A network without attention: windows of a few tokens over a table of words. multilingual-use-v3 is one.

As in https://arxiv.org/abs/1907.04307 (its convolutional variant): a token's word vector and what branches of windows
of several sizes make of its neighbourhood are normalised together and projected. transformers is needed to define it,
so only `network.load` imports this module, with the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from explorer.models.files.model_folder import NGRAM_ENCODER

_MOST_BRANCHES, _WIDEST_WINDOW = 8, 16


class NgramConfig(PreTrainedConfig):  # type: ignore[misc]
    """The sizes of the network.

    Attributes:
        vocab_size: V.
        hidden_size: n, of the words and of what comes out.
        width: m, of a branch.
        windows: For each branch the tokens a window covers, and how many of them come before its own.
        layer_norm_eps: Keeps the normalisation from dividing by 0.
    """

    model_type = NGRAM_ENCODER

    def __init__(
        self,
        vocab_size: int = 1,
        hidden_size: int = 1,
        width: int = 1,
        windows: Sequence[Sequence[int]] = ((1, 0),),
        layer_norm_eps: float = 1e-12,
        **others: Any,
    ) -> None:
        self.vocab_size, self.hidden_size, self.width = int(vocab_size), int(hidden_size), int(width)
        self.windows = [(int(size), int(before)) for size, before in windows]
        self.layer_norm_eps = float(layer_norm_eps)
        if not 1 <= len(self.windows) <= _MOST_BRANCHES:
            raise ValueError(f"{len(self.windows)} branches; 1 to {_MOST_BRANCHES} can be computed")
        if not all(0 <= before < size <= _WIDEST_WINDOW for size, before in self.windows):
            raise ValueError(f"the windows {self.windows} do not hold the token they are for, or are too wide")
        super().__init__(**others)


class StepTable(nn.Module):
    """Word vectors as whole numbers 0 to 255, each word with the value of 0 and the size of a step.

    A quarter of the memory of float32, and no rounding beyond that of the table as it was published. It is not trained.
    The values and steps stay in float32 whatever the rest is computed in: they are what thousands of words have in
    common, and rounded to bfloat16 they take the lowest cosine to float32 from 0.99995 to 0.9936.
    """

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.steps: Tensor
        self.scale: Tensor
        self.lowest: Tensor
        self.register_buffer("steps", torch.zeros(words, width, dtype=torch.uint8))
        self.register_buffer("scale", torch.ones(words, 1))
        self.register_buffer("lowest", torch.zeros(words, 1))

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> (B, T, n), in float32."""
        vectors: Tensor = self.steps[ids] * self.scale[ids] + self.lowest[ids]
        return vectors

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        scale, lowest = self.scale, self.lowest
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.scale, self.lowest = (table.to(self.steps.device) for table in (scale, lowest))
        return self


class Branch(nn.Module):
    """Looks at windows of one size, twice: (B, T, n) -> (B, T, m)."""

    def __init__(self, config: NgramConfig, size: int, before: int) -> None:
        super().__init__()
        self.size, self.before = size, before
        self.input = nn.Linear(config.hidden_size, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.layer_norm_eps)
        self.first = nn.Linear(size * config.width, config.width)
        self.second = nn.Linear(size * config.width, config.width)

    def forward(self, words: Tensor, real: Tensor) -> Tensor:
        """Return what each token's neighbourhood gives; tokens where `real`, (B, T, 1), is 0 count as zeros."""
        values: Tensor = self.norm(self.input(words))
        for layer in (self.first, self.second):
            values = values + functional.relu(layer(self._windows(values * real)))
        return values

    def _windows(self, values: Tensor) -> Tensor:
        """(B, T, m) -> (B, T, size x m), zeros beyond both ends."""
        length = values.shape[1]
        padded = functional.pad(values, (0, 0, self.before, self.size - 1 - self.before))
        return torch.cat([padded[:, start : start + length] for start in range(self.size)], dim=-1)


class NgramEncoder(PreTrainedModel):  # type: ignore[misc]
    """Token ids to hidden states."""

    config_class = NgramConfig
    base_model_prefix = ""

    def __init__(self, config: NgramConfig) -> None:
        super().__init__(config)
        self.words = StepTable(config.vocab_size, config.hidden_size)
        self.branches = nn.ModuleList(Branch(config, size, before) for size, before in config.windows)
        features = config.hidden_size + len(config.windows) * config.width
        self.norm = nn.LayerNorm(features, eps=config.layer_norm_eps)
        self.output = nn.Linear(features, config.hidden_size)
        self.post_init()

    def get_input_embeddings(self) -> nn.Module:
        """Return the table of words."""
        return self.words

    def _init_weights(self, module: nn.Module) -> None:
        """Leave the modules as they are made: the library's own rule knows no table of whole numbers."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **_: Any) -> BaseModelOutput:
        """Compute the hidden states, (B, T, n), of ids and mask, (B, T)."""
        words = self.words(input_ids).to(self.output.weight.dtype)
        real = attention_mask.unsqueeze(-1).to(words.dtype)
        features = torch.cat([words, *(branch(words, real) for branch in self.branches)], dim=-1)
        return BaseModelOutput(last_hidden_state=self.output(self.norm(features)))
