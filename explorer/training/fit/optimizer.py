"""Which weights of a network are trained, and how: freezing, weight decay, the optimiser and its pace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from torch import nn

from explorer.errors import DataError, ModelError

if TYPE_CHECKING:
    from explorer.models.runtime.network import Network
    from explorer.training.fit.losses import Objective
    from explorer.training.recipe import Recipe


def blocks(network: Network) -> nn.ModuleList:
    """The transformer's layers, lowest first: the longest list of modules in it.

    Raises:
        ModelError: There is none.
    """
    lists = [module for module in network.transformer.modules() if isinstance(module, nn.ModuleList)]
    if not lists:
        raise ModelError(
            "This architecture has no layers that could be told apart. Train all of its weights."
        )
    return max(lists, key=len)


def freeze(network: Network, layers: int) -> None:
    """Let the word vectors and so many of the lower layers stay as they are.

    Raises:
        DataError: The network has fewer layers.
    """
    found = blocks(network)
    if layers >= len(found):
        raise DataError(
            f"The model has {len(found)} layers: “freeze_layers” can be {len(found) - 1} at most."
        )
    lower = {id(parameter) for block in found[:layers] for parameter in block.parameters()}
    above = {id(parameter) for block in found[layers:] for parameter in block.parameters()}
    first = min(place for place, each in enumerate(network.transformer.parameters()) if id(each) in lower)
    for place, parameter in enumerate(network.transformer.parameters()):
        if id(parameter) in lower or (place < first and id(parameter) not in above):
            parameter.requires_grad_(False)


def choose(network: Network, recipe: Recipe, used: Iterable[int]) -> None:
    """Let the weights be trained that the recipe asks for.

    Args:
        network: The network.
        recipe: Says whether lower layers stay, and whether there are adapters.
        used: The token ids that occur in the training.

    Raises:
        DataError: More layers should stay than there are.
        ModelError: Adapters do not fit the architecture.
    """
    from explorer.training.fit import lora, sparse_embeddings

    network.requires_grad_(True)
    if recipe.adapter_rank:
        torch.manual_seed(recipe.seed)
        lora.install(network, recipe.adapter_rank)
    elif recipe.freeze_layers:
        freeze(network, recipe.freeze_layers)
    sparse_embeddings.install(network, used)
    if network.modes:  # vectors do not depend on the pooler that some architectures bring
        for name, parameter in network.transformer.named_parameters():
            if name.startswith("pooler."):
                parameter.requires_grad_(False)


def trained(network: Network, objective: Objective) -> dict[str, nn.Parameter]:
    """The weights that are trained, by name; those of the objective's head after the network's."""
    named = {name: each for name, each in network.named_parameters() if each.requires_grad}
    return named | {f"head.{place}": each for place, each in enumerate(objective.parameters())}


def optimiser(parameters: Iterable[nn.Parameter], recipe: Recipe, device: str) -> torch.optim.AdamW:
    """AdamW; biases and norms, which are vectors, do not decay."""
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


def pace(step: int, total: int, recipe: Recipe) -> float:
    """The learning rate of a step, counted from 0, as a share of the highest."""
    warm = round(recipe.warm_up * total)
    if step < warm:
        return (step + 1) / warm
    return 1.0 if recipe.schedule == "constant" else (total - step) / max(1, total - warm)
