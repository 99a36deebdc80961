"""The cross-encoder: read both texts of a pair in one sequence, and score it or its k labels."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import ModelError
from explorer.messages import UserMessage
from explorer.models.encoder import TransformerModel
from explorer.models.files.model_folder import Dense, Dropout, ModelFolder
from explorer.models.runtime import batching
from explorer.models.runtime.batching import Output
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.device import Device

# Names under which k-class models store the label that means "these two belong together".
POSITIVE = ("entailment", "duplicate", "paraphrase", "equivalent", "similar", "relevant", "same", "yes", "true", "1")


@dataclass(frozen=True)
class Scores:
    """The result of `score`, complete or up to its cancellation.

    Attributes:
        logits: The network's raw outputs, (N, k); zeros where `done` is False.
        done: Which pairs were scored, (N,).
        labels: Names of the k outputs.
    """

    logits: NDArray[np.float32]
    done: NDArray[np.bool_]
    labels: tuple[str, ...]

    def whole(self) -> NDArray[np.float32]:
        """Return all logits, (N, k).

        Raises:
            Cancelled: Some pairs were not scored.
        """
        if not self.done.all():
            raise Cancelled
        return self.logits

    def probabilities(self) -> NDArray[np.float32]:
        """Return the softmax over the labels, (N, k); for k = 1 the sigmoid."""
        logits = self.logits.astype(np.float64)
        if logits.shape[1] == 1:
            return (0.5 * (1 + np.tanh(0.5 * logits))).astype(np.float32)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float32)

    def relevance(self) -> NDArray[np.float32]:
        """Return the probability of each pair that the two texts belong together, (N,)."""
        return self.probabilities()[:, positive(self.labels)]


class CrossEncoder(TransformerModel):
    """A transformer that reads two texts at once, with a head."""

    KIND = "cross"

    @classmethod
    def on_encoder(
        cls,
        encoder: ModelFolder,
        labels: Sequence[str] = ("score",),
        *,
        device: Device | None = None,
        dropout: float = 0.1,
    ) -> CrossEncoder:
        """Put an untrained head on any encoder.

        The head: [CLS] vector, dropout, dense (n to n), GELU, dropout, projection (n to k).
        Its weights come from torch's random generator; seed that to reproduce them.

        Args:
            encoder: A bi-encoder's folder or a raw checkpoint's.
            labels: One name for a score, k names for k classes.
            device: Where it runs.
            dropout: Share of values dropped in training.
        """
        if not labels:
            raise ModelError("A cross-encoder needs one label for a score, or k labels for k classes; none was given.")
        n = encoder.width
        head = (Dropout(dropout), Dense(n, n, True, "GELU"), Dropout(dropout), Dense(n, len(labels), True, "Identity"))
        activation = "Sigmoid" if len(labels) == 1 else "Identity"
        folder = replace(
            encoder,
            kind="cross",
            pooling=("cls",),
            layers=head,
            labels=tuple(labels),
            activation=activation,
            own_head=True,
            prompts={},
            default_prompt=None,
            pools_prompt=True,
        )
        return cls(folder, device)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the outputs: one for a score, k for k classes."""
        return self.folder.labels

    def score(self, pairs: Sequence[tuple[str, str]], *, task: Task | None = None) -> Scores:
        """Score all pairs; if the task is cancelled on the way, return those that are done."""
        logits, done = batching.collect(self.stream(pairs, task=task), len(pairs), len(self.labels))
        return Scores(logits, done, self.labels)

    def stream(self, pairs: Sequence[tuple[str, str]], *, task: Task | None = None) -> Generator[Output]:
        """Yield the logits batch by batch, in the order in which they are ready.

        Raises:
            Cancelled: The task was cancelled; what was yielded stays valid.
            ModelError: The device's memory is too small for a single pair.
        """
        lengths = (len(first) + len(second) for first, second in pairs)
        return self._stream(
            pairs, self.tokenizer.encode_pairs, characters=lengths, note=UserMessage("scoring"), task=task
        )


def positive(labels: Sequence[str]) -> int:
    """Return the index of the label that means that two texts belong together: a known name, else the last."""
    names = [label.lower() for label in labels]
    return next((names.index(name) for name in POSITIVE if name in names), len(names) - 1)
