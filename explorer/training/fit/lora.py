"""Low-rank adapters (LoRA): few trained weights beside many frozen ones, merged into them at the end.

y = W x + (s / r) B A x, with A (r, in) random, B (out, r) zero at first, and W frozen.
See https://arxiv.org/abs/2106.09685.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from explorer.errors import ModelError
from explorer.training.fit.optimizer import blocks

if TYPE_CHECKING:
    from explorer.models.runtime.network import Network

STRENGTH = 16.0  # s above


class LoraLinear(nn.Module):
    """A linear layer that stays, and its adapter.

    Attributes:
        down: A, (r, in).
        up: B, (out, r).
    """

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        weight = linear.weight
        self.linear = linear.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, linear.in_features, device=weight.device))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank, device=weight.device))
        self.scale = STRENGTH / rank
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, values: Tensor) -> Tensor:
        """(..., in) -> (..., out)."""
        small = functional.linear(functional.linear(values, self.down), self.up)
        whole: Tensor = self.linear(values)
        return whole + self.scale * small

    def merged(self) -> nn.Linear:
        """Return a plain linear layer that computes the same."""
        with torch.no_grad():
            self.linear.weight += self.scale * (self.up @ self.down)
        return self.linear.requires_grad_(True)


def install(network: Network, rank: int) -> None:
    """Give every linear layer of the transformer's blocks an adapter, and freeze the rest.

    Raises:
        ModelError: The architecture has no blocks of linear layers.
    """
    head = _head(network)
    for name, parameter in network.transformer.named_parameters():
        parameter.requires_grad_(name in head)
    adapted = 0
    for block in blocks(network):
        for parent, name, linear in _linears(block):
            setattr(parent, name, LoraLinear(linear, rank))
            adapted += 1
    if not adapted:
        raise ModelError("Adapters do not fit this architecture. Set “adapter_rank” to 0, or freeze layers instead.")


def merge(network: Network) -> None:
    """Merge the adapters into the weights and remove them."""
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, LoraLinear):
                setattr(module, name, child.merged())


def _linears(block: nn.Module) -> list[tuple[nn.Module, str, nn.Linear]]:
    return [
        (module, name, child)
        for module in block.modules()
        for name, child in module.named_children()
        if type(child) is nn.Linear
    ]


def _head(network: Network) -> set[str]:
    """Return the names of the weights of a classification head, which must always be trained."""
    if network.modes:
        return set()
    inner = getattr(network.transformer, network.transformer.base_model_prefix)
    prefix = network.transformer.base_model_prefix + "."
    below = {prefix + name for name, _ in inner.named_parameters() if not name.startswith("pooler.")}
    return {name for name, _ in network.transformer.named_parameters()} - below
