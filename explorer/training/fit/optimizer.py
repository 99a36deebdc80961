"""Which weights are trained, and how: freezing, LoRA, weight decay, the optimiser and the learning rate schedule."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from explorer.errors import DataError, ModelError

if TYPE_CHECKING:
    from explorer.models.runtime.network import Network
    from explorer.training.fit.losses import Objective
    from explorer.training.recipe import Recipe


STRENGTH = 16.0  # s above


def blocks(network: Network) -> nn.ModuleList:
    """Return the transformer's layers, lowest first: the longest list of modules in it.

    Raises:
        ModelError: There is none.
    """
    lists = [module for module in network.transformer.modules() if isinstance(module, nn.ModuleList)]
    if not lists:
        raise ModelError("This architecture has no separate layers. Train all of its weights.")
    return max(lists, key=len)


def freeze(network: Network, layers: int) -> None:
    """Freeze the token embeddings and a number of the lower layers.

    Raises:
        DataError: The network has fewer layers.
    """
    all_layers = blocks(network)
    if layers >= len(all_layers):
        raise DataError(
            "The model has {count} layers: “freeze_layers” can be {count2} at most.",
            count=len(all_layers),
            count2=len(all_layers) - 1,
        )
    lower = {id(parameter) for block in all_layers[:layers] for parameter in block.parameters()}
    above = {id(parameter) for block in all_layers[layers:] for parameter in block.parameters()}
    first = min(index for index, each in enumerate(network.transformer.parameters()) if id(each) in lower)
    for index, parameter in enumerate(network.transformer.parameters()):
        if id(parameter) in lower or (index < first and id(parameter) not in above):
            parameter.requires_grad_(False)


def select_weights(network: Network, recipe: Recipe, used: Iterable[int]) -> None:
    """Select the weights to train, as the recipe asks.

    Args:
        network: The network.
        recipe: Says whether lower layers stay, and whether there are adapters.
        used: The token ids that occur in the examples.

    Raises:
        DataError: The recipe freezes more layers than there are.
        ModelError: Adapters do not fit the architecture.
    """
    network.requires_grad_(True)
    if recipe.adapter_rank:
        torch.manual_seed(recipe.seed)
        install_lora(network, recipe.adapter_rank)
    elif recipe.freeze_layers:
        freeze(network, recipe.freeze_layers)
    install_sparse_embeddings(network, used)
    if network.modes:  # vectors do not depend on the pooler that some architectures bring
        for name, parameter in network.transformer.named_parameters():
            if name.startswith("pooler."):
                parameter.requires_grad_(False)


def trained_weights(network: Network, objective: Objective) -> dict[str, nn.Parameter]:
    """Return the weights that are trained, by name; those of the objective's head after the network's."""
    named = {name: each for name, each in network.named_parameters() if each.requires_grad}
    return named | {f"head.{index}": each for index, each in enumerate(objective.parameters())}


def optimiser(parameters: Iterable[nn.Parameter], recipe: Recipe, device: str) -> torch.optim.AdamW:
    """Return AdamW without weight decay on biases and norms, which are vectors."""
    every = list(parameters)
    groups = [
        {"params": [each for each in every if each.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [each for each in every if each.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=recipe.learning_rate,
        fused=True if device in ("cpu", "cuda") else None,
    )


def learning_rate_factor(step: int, total: int, recipe: Recipe) -> float:
    """Return the learning rate of a step, counted from 0, as a share of the highest: linear warm-up, then decay."""
    warm_up = round(recipe.warm_up * total)
    if step < warm_up:
        return (step + 1) / warm_up
    return 1.0 if recipe.schedule == "constant" else (total - step) / max(1, total - warm_up)


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


def install_sparse_embeddings(network: Network, used: Iterable[int]) -> None:
    """Replace a network's token embeddings, if they are a plain nn.Embedding."""
    transformer: Any = network.transformer
    whole = transformer.get_input_embeddings()
    if type(whole) is nn.Embedding and whole.weight.requires_grad:
        whole.weight.requires_grad_(False)
        transformer.set_input_embeddings(SparseEmbeddings(whole, used))


def remove_sparse_embeddings(network: Network) -> None:
    """Put the whole vocabulary back, with what was learned."""
    transformer: Any = network.transformer
    present = transformer.get_input_embeddings()
    if isinstance(present, SparseEmbeddings):
        transformer.set_input_embeddings(present.write_back())


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


def install_lora(network: Network, rank: int) -> None:
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


def merge_lora(network: Network) -> None:
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
