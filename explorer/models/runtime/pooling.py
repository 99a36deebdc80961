"""Pool the token vectors of a text into one vector: mean, cls, max and others.

Padding never takes part, and the model's output is never changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    Pooling = Callable[[Tensor, Tensor], Tensor]


def pool(hidden: Tensor, mask: Tensor, modes: Sequence[str]) -> Tensor:
    """Return one vector per text.

    Args:
        hidden: The encoder's last hidden state, (B, T, n).
        mask: 1 for the tokens that count, 0 for the others, (B, T).
        modes: Names of MODES; several are concatenated.

    Returns:
        (B, n x number of modes), in float32 whatever the precision of `hidden`.
    """
    import torch

    hidden = hidden.float()
    return torch.cat([MODES[mode](hidden, mask) for mode in modes], dim=-1)


def mean(hidden: Tensor, mask: Tensor) -> Tensor:
    """Sum of the real tokens' vectors / their number."""
    counts = mask.sum(1, keepdim=True).clamp(min=1)  # (B, 1)
    return _sum(hidden, mask) / counts


def mean_sqrt_len(hidden: Tensor, mask: Tensor) -> Tensor:
    """Sum of the real tokens' vectors / the square root of their number."""
    counts = mask.sum(1, keepdim=True).clamp(min=1)  # (B, 1)
    return _sum(hidden, mask) / counts.sqrt()


def weighted_mean(hidden: Tensor, mask: Tensor) -> Tensor:
    """Mean in which the first token weighs 1, the second 2, and so on."""
    import torch

    weights = mask * torch.arange(1, mask.shape[1] + 1, device=mask.device)  # (B, T)
    return _sum(hidden, weights) / weights.sum(1, keepdim=True).clamp(min=1)


def maximum(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the largest value of each dimension over the real tokens."""
    return hidden.masked_fill(mask.unsqueeze(-1) == 0, float("-inf")).amax(1)


def first(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the vector of the first real token, [CLS]."""
    return _pick(hidden, mask.int().argmax(1))


def last(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the vector of the last real token."""
    return _pick(hidden, mask.shape[1] - 1 - mask.int().flip(1).argmax(1))


def _sum(hidden: Tensor, weights: Tensor) -> Tensor:
    """(B, T, n), (B, T) -> (B, n)."""
    import torch

    return torch.bmm(weights.to(hidden.dtype).unsqueeze(1), hidden).squeeze(1)


def _pick(hidden: Tensor, tokens: Tensor) -> Tensor:
    """(B, T, n), (B,) -> (B, n)."""
    index = tokens.view(-1, 1, 1).expand(-1, 1, hidden.shape[-1])
    return hidden.gather(1, index).squeeze(1)


MODES: dict[str, Pooling] = {
    "mean": mean,
    "cls": first,
    "max": maximum,
    "mean_sqrt_len_tokens": mean_sqrt_len,
    "weightedmean": weighted_mean,
    "lasttoken": last,
}
