"""One training step: forward, backward, clip, update; in smaller parts if memory is short."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from explorer.errors import ModelError
from explorer.messages import UserMessage
from explorer.models.runtime import device as devices
from explorer.models.runtime import precision as precisions
from explorer.training.fit import batching, optimizer

if TYPE_CHECKING:
    from explorer.models.runtime.device import Device
    from explorer.training.fit.batching import TokenizedExamples
    from explorer.training.fit.losses import Objective
    from explorer.training.recipe import Recipe

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Batch:
    """A batch of examples of one source.

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
    """The network, its optimiser and the micro-batch size: all that a step changes.

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

    def step(self, step_index: int, batches: Sequence[Batch]) -> float:
        """Learn from batches; returns the weighted sum of their losses.

        Raises:
            ModelError: A single example is too large for the memory.
        """
        self.network.train()
        factor = optimizer.learning_rate_factor(step_index, self._total, self._recipe)
        for group in self._optimiser.param_groups:
            group["lr"] = self._recipe.learning_rate * factor
        while True:
            # Seeded per step, so that a step repeated after a resume drops out the same values.
            torch.manual_seed(self._recipe.seed * 1_000_003 + step_index)
            try:
                loss = self._gradients(batches)
                break
            except (RuntimeError, MemoryError) as error:
                if not devices.out_of_memory(error):
                    raise
                self._halve(error)
            devices.free_memory()  # outside the handler, whose traceback would hold the tensors
        if math.isfinite(loss):
            self._apply()
        return loss

    def _gradients(self, batches: Sequence[Batch]) -> float:
        self._optimiser.zero_grad(set_to_none=True)
        total = 0.0
        for batch in batches:
            for start in range(0, len(batch.rows), self.micro):
                rows = batch.rows[start : start + self.micro]
                share = batch.weight * len(rows) / len(batch.rows)
                with self._autocast():
                    outputs = batching.outputs(self.network, batch.source, rows)
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
                "There is not enough memory to train this model, even with one example at a time. Use a smaller model, "
                "lower “max_tokens”, freeze layers, or train adapters."
            ) from error
        self._optimiser.zero_grad(set_to_none=True)
        self.micro //= 2
        _log.warning("out of memory: micro-batches of %d examples from now on", self.micro)
        self.notes.append(
            UserMessage("Memory ran low: the network now processes {count} examples at a time.", count=self.micro)
        )

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights and the optimiser's state of each."""
        tensors: dict[str, Tensor] = {}
        for name, weight in self.weights.items():
            tensors[f"weight/{name}"] = weight
            state = self._optimiser.state.get(weight, {})
            tensors |= {f"{key}/{name}": torch.as_tensor(value) for key, value in state.items()}
        return tensors

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore the weights and the optimiser's state from a checkpoint.

        Raises:
            KeyError: A weight is missing.
        """
        self.load_weights({name: tensors[f"weight/{name}"] for name in self.weights})
        for name, weight in self.weights.items():
            state = {key: tensors[f"{key}/{name}"] for key in _MEMORY if f"{key}/{name}" in tensors}
            if state:
                self._optimiser.state[weight] = {key: value.to(weight.device) for key, value in state.items()}

    def load_weights(self, tensors: dict[str, Tensor]) -> None:
        """Set the trained weights."""
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(tensors[name])

    @property
    def scaler(self) -> dict[str, Any] | None:
        """The state of the loss scaling; None if there is none."""
        return self._scaler.state_dict() or None

    @scaler.setter
    def scaler(self, state: dict[str, Any] | None) -> None:
        if state:
            self._scaler.load_state_dict(state)


_MEMORY = ("step", "exp_avg", "exp_avg_sq")


def precision(asked: str, device: Device) -> torch.dtype:
    """Return the dtype in which the network computes; weights and their updates stay in 32 bits.

    On the CPU "auto" is what models compute in there, by the same trial: on a processor with bfloat16 it trained 2.4
    times as fast as float32, with losses within half a percent.
    """
    if asked == "auto":
        if device.name == "cpu":
            return torch.bfloat16 if precisions.best_of_processor() == "bfloat16" else torch.float32
        if device.name != "cuda":
            return torch.float32
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[asked]
