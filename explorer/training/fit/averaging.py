"""Half-way between two models: the weights themselves averaged, which keeps much of what either can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from explorer.errors import ModelError

if TYPE_CHECKING:
    from explorer.models.runtime.network import Network


def average(network: Network, base: Network, share: float) -> None:
    """Set every weight to (1 - share) base + share network.

    Raises:
        ModelError: The networks are not of the same form.
    """
    ours, theirs = dict(network.named_parameters()), dict(base.named_parameters())
    if {name: each.shape for name, each in ours.items()} != {
        name: each.shape for name, each in theirs.items()
    }:
        raise ModelError(
            "The weights cannot be averaged with the base's: the networks differ. Set “average” to 1."
        )
    with torch.no_grad():
        for name, weight in ours.items():
            weight.lerp_(theirs[name].to(weight.device), 1 - share)
