"""One step: forward, backward, clipped, applied; in smaller parts where memory is short."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from explorer.errors import ModelError
from explorer.models.runtime import device as devices
from explorer.training.fit import optimizer
from explorer.training.fit import tokenized as prepare

if TYPE_CHECKING:
    from explorer.models.runtime.device import Device
    from explorer.training.fit.losses import Objective
    from explorer.training.fit.tokenized import TokenizedExamples
    from explorer.training.recipe import Recipe


@dataclass(frozen=True)
class Batch:
    """Some rows of what is learned from.

    Attributes:
        source: The texts.
        rows: Which of them.
        labels: The labels of all, (N,) or (N, n).
        objective: What is learned from them.
        weight: What the batch counts in its step.
    """

    source: TokenizedExamples
    rows: Sequence[int]
    labels: Tensor | None
    objective: Objective
    weight: float


class Stepper:
    """The network, its optimiser, and how much goes through at once: all that a step changes.

    Attributes:
        network: The network.
        weights: What is trained, by name.
        micro: Examples that go through the network at once.
        notes: What the user should know.
    """

    def __init__(
        self, network: nn.Module, weights: dict[str, nn.Parameter], recipe: Recipe, device: Device, total: int
    ) -> None:
        self.network, self.weights = network, weights
        self.micro = recipe.batch
        self.notes: list[str] = []
        self._recipe, self._device, self._total = recipe, device, total
        self._optimiser = optimizer.optimiser(weights.values(), recipe, device.name)
        self._dtype = precision(recipe.precision, device)
        self._scaler = torch.amp.GradScaler(device.name, enabled=self._dtype is torch.float16)

    def step(self, number: int, batches: Sequence[Batch]) -> float:
        """Learn from batches; returns their loss, each by its weight.

        Raises:
            ModelError: A single example is too large for the memory.
        """
        self.network.train()
        for group in self._optimiser.param_groups:
            group["lr"] = self._recipe.learning_rate * optimizer.pace(number, self._total, self._recipe)
        while True:
            # Of every step alone: one that is done again, or in another process, drops out the same values.
            torch.manual_seed(self._recipe.seed * 1_000_003 + number)
            try:
                loss = self._gradients(batches)
                break
            except (RuntimeError, MemoryError) as error:
                if not devices.out_of_memory(error):
                    raise
                self._halve(error)
            devices.free_memory()
        if math.isfinite(loss):
            self._apply()
        return loss

    def _gradients(self, batches: Sequence[Batch]) -> float:
        self._optimiser.zero_grad(set_to_none=True)
        total = 0.0
        for batch in batches:
            for rows in _cut(batch.rows, self.micro):
                share = batch.weight * len(rows) / len(batch.rows)
                with self._autocast():
                    outputs = prepare.outputs(self.network, batch.source, rows)
                labels = None if batch.labels is None else batch.labels[list(rows)].to(outputs[0].device)
                loss = batch.objective.loss(outputs, labels)
                torch.autograd.backward(self._scaler.scale(loss * share))
                total += float(loss.detach()) * share
        return total

    def _autocast(self) -> AbstractContextManager[Any]:
        whole = self._dtype is torch.float32
        return nullcontext() if whole else torch.autocast(self._device.name, self._dtype)

    def _apply(self) -> None:
        self._scaler.unscale_(self._optimiser)
        if self._recipe.clipping:
            nn.utils.clip_grad_norm_(self.weights.values(), self._recipe.clipping)
        self._scaler.step(self._optimiser)
        self._scaler.update()

    def _halve(self, error: BaseException) -> None:
        if self.micro == 1:
            raise ModelError(
                "The memory is too small to train this model even with one example at a time. Use a smaller model, "
                "lower “max_tokens”, freeze layers, or train adapters."
            ) from error
        self._optimiser.zero_grad(set_to_none=True)
        self.micro //= 2
        self.notes.append(f"Memory was short: {self.micro} examples go through the network at once now.")

    def tensors(self) -> dict[str, Tensor]:
        """The weights and what the optimiser remembers of each."""
        found: dict[str, Tensor] = {}
        for name, weight in self.weights.items():
            found[f"weight/{name}"] = weight
            state = self._optimiser.state.get(weight, {})
            found |= {f"{key}/{name}": torch.as_tensor(value) for key, value in state.items()}
        return found

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take up the weights and the optimiser's memory of a checkpoint.

        Raises:
            KeyError: A weight is missing.
        """
        self.load_weights({name: tensors[f"weight/{name}"] for name in self.weights})
        for name, weight in self.weights.items():
            kept = {key: tensors[f"{key}/{name}"] for key in _MEMORY if f"{key}/{name}" in tensors}
            if kept:
                self._optimiser.state[weight] = {key: value.to(weight.device) for key, value in kept.items()}

    def load_weights(self, tensors: dict[str, Tensor]) -> None:
        """Set the trained weights."""
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(tensors[name])

    @property
    def scaler(self) -> dict[str, Any] | None:
        """The state of the loss scaling; None where there is none."""
        return self._scaler.state_dict() or None

    @scaler.setter
    def scaler(self, state: dict[str, Any] | None) -> None:
        if state:
            self._scaler.load_state_dict(state)


_MEMORY = ("step", "exp_avg", "exp_avg_sq")


def precision(asked: str, device: Device) -> torch.dtype:
    """The number type in which the network computes; weights and their updates stay in 32 bits."""
    if asked == "auto":
        if device.name != "cuda":
            return torch.float32
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[asked]


def _cut(rows: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
