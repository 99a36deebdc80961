"""Train only the embeddings of tokens that occur: the rest of a large vocabulary costs no time and no memory.

A token without a gradient would only shrink by weight decay, so leaving it out loses nothing. Half of a small
model's weights are token embeddings, and most of a multilingual model's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from explorer.models.runtime.network import Network


class SparseEmbeddings(nn.Module):
    """Token embeddings of which only the rows in use are trained.

    Attributes:
        rows: The vectors in use, (U, n).
    """

    def __init__(self, whole: nn.Embedding, used: Iterable[int]) -> None:
        super().__init__()
        self._whole = [whole]  # in a list: not a part of this module, its weights not among the trained
        ids = torch.tensor(sorted(set(used)), dtype=torch.long, device=whole.weight.device)
        row_of = torch.zeros(whole.num_embeddings, dtype=torch.long, device=whole.weight.device)
        row_of[ids] = torch.arange(len(ids), device=ids.device)
        self.ids: Tensor
        self.row_of: Tensor
        self.register_buffer("ids", ids, persistent=False)
        self.register_buffer("row_of", row_of, persistent=False)
        self.rows = nn.Parameter(whole.weight.detach()[ids].clone())
        pad = whole.padding_idx
        self._pad = int(row_of[pad]) if pad is not None and bool((ids == pad).any()) else None

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> (B, T, n); outside training any token may occur."""
        if not self.training:
            return functional.embedding(ids, self._whole[0].weight)
        return functional.embedding(self.row_of[ids], self.rows, self._pad)

    def train(self, mode: bool = True) -> SparseEmbeddings:
        """Switch between training and use; for use, what was learned is written to the whole vocabulary."""
        if not mode:
            self.write_back()
        super().train(mode)
        return self

    def write_back(self) -> nn.Embedding:
        """Write what was learned into the whole vocabulary, and return it."""
        whole = self._whole[0]
        with torch.no_grad():
            whole.weight[self.ids] = self.rows
        return whole


def install(network: Network, used: Iterable[int]) -> None:
    """Replace a network's token embeddings, if they are a plain nn.Embedding."""
    transformer: Any = network.transformer
    whole = transformer.get_input_embeddings()
    if type(whole) is nn.Embedding and whole.weight.requires_grad:
        whole.weight.requires_grad_(False)
        transformer.set_input_embeddings(SparseEmbeddings(whole, used))


def remove(network: Network) -> None:
    """Put the whole vocabulary back, with what was learned."""
    transformer: Any = network.transformer
    present = transformer.get_input_embeddings()
    if isinstance(present, SparseEmbeddings):
        transformer.set_input_embeddings(present.write_back())
