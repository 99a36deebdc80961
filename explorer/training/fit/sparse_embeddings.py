"""Training only the word vectors of words that occur: the rest of a large vocabulary costs no time and no memory.

A word without a gradient would only be worn down by weight decay, so that leaving it out loses nothing. Half of a small
model's weights are word vectors, of a multilingual one most.
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
    """Word vectors of which the rows in use are trained, the others kept.

    Attributes:
        rows: The vectors in use, (U, n).
    """

    def __init__(self, whole: nn.Embedding, used: Iterable[int]) -> None:
        super().__init__()
        self._whole = [whole]  # in a list: not a part of this module, its weights not among the trained
        ids = torch.tensor(sorted(set(used)), dtype=torch.long, device=whole.weight.device)
        places = torch.zeros(whole.num_embeddings, dtype=torch.long, device=whole.weight.device)
        places[ids] = torch.arange(len(ids), device=ids.device)
        self.ids: Tensor
        self.places: Tensor
        self.register_buffer("ids", ids, persistent=False)
        self.register_buffer("places", places, persistent=False)
        self.rows = nn.Parameter(whole.weight.detach()[ids].clone())
        pad = whole.padding_idx
        self._pad = int(places[pad]) if pad is not None and bool((ids == pad).any()) else None

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> (B, T, n); outside training any word may come."""
        if not self.training:
            return functional.embedding(ids, self._whole[0].weight)
        return functional.embedding(self.places[ids], self.rows, self._pad)

    def train(self, mode: bool = True) -> SparseEmbeddings:
        """Switch between training and use; for use, what was learned is written to the whole vocabulary."""
        if not mode:
            self.write_back()
        super().train(mode)
        return self

    def write_back(self) -> nn.Embedding:
        """The whole vocabulary with what was learned."""
        whole = self._whole[0]
        with torch.no_grad():
            whole.weight[self.ids] = self.rows
        return whole


def install(network: Network, used: Iterable[int]) -> None:
    """Put WordRows in the place of a network's word vectors, where it keeps them in the usual way."""
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
