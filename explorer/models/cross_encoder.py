"""The cross-encoder: both texts of a pair in one sequence to a score, or to k labels."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import ModelError
from explorer.models.files import model_folder as folders
from explorer.models.files.model_folder import Dense, Dropout, ModelFolder
from explorer.models.runtime import batching
from explorer.models.runtime import device as devices
from explorer.models.runtime.batching import Output, Tokens
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.device import Device
    from explorer.models.runtime.network import Network

# Names under which k-class models keep the label that means "these two belong together".
POSITIVE = (
    "entailment",
    "duplicate",
    "paraphrase",
    "equivalent",
    "similar",
    "relevant",
    "same",
    "yes",
    "true",
    "1",
)


@dataclass(frozen=True)
class Scores:
    """What a `score` did, to the end or up to its cancellation.

    Attributes:
        logits: The network's raw outputs, (N, k); zeros where `done` is False.
        done: Which pairs were scored, (N,).
        labels: Names of the k outputs.
    """

    logits: NDArray[np.float32]
    done: NDArray[np.bool_]
    labels: tuple[str, ...]

    def whole(self) -> NDArray[np.float32]:
        """All logits, (N, k).

        Raises:
            Cancelled: Some pairs were not scored.
        """
        if not self.done.all():
            raise Cancelled
        return self.logits

    def probabilities(self) -> NDArray[np.float32]:
        """The share of each label, (N, k), rows summing to 1; for k = 1 the sigmoid, in 0..1."""
        logits = self.logits.astype(np.float64)
        if logits.shape[1] == 1:
            return (0.5 * (1 + np.tanh(0.5 * logits))).astype(np.float32)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float32)

    def relevance(self) -> NDArray[np.float32]:
        """One score a pair in 0..1, (N,): how surely the two belong together."""
        return self.probabilities()[:, positive(self.labels)]


class CrossEncoder:
    """A transformer that reads two texts at once, with a head.

    Attributes:
        folder: What the model's folder says.
        device: Where it runs.
        tokenizer: Its tokenizer.
        network: The network itself, for training too.
    """

    def __init__(
        self, folder: ModelFolder, device: Device | None = None, network: Network | None = None
    ) -> None:
        from explorer.models.runtime import network as networks
        from explorer.models.runtime.tokenizer import Tokenizer

        if folder.kind != "cross":
            raise ModelError(
                "{path}: this is a bi-encoder, which scores no pairs. Choose a cross-encoder here.",
                path=folder.path,
            )
        self.folder = folder
        self.device = device or devices.choose()
        self.tokenizer = Tokenizer(folder)
        self.network = network or networks.load(folder, self.device)

    @classmethod
    def open(cls, path: Path | str, device: Device | None = None) -> CrossEncoder:
        """The model of a folder.

        Raises:
            ModelError: The folder cannot be used; the message says why and what to do.
        """
        return cls(folders.read(path), device)

    @classmethod
    def on_encoder(
        cls,
        encoder: ModelFolder,
        labels: Sequence[str] = ("score",),
        *,
        device: Device | None = None,
        dropout: float = 0.1,
    ) -> CrossEncoder:
        """A new cross-encoder with an untrained head on any encoder.

        The head: [CLS] vector, dropout, dense (n to n), GELU, dropout, projection (n to k).
        Its first weights come from torch's random generator; seed that for the same ones again.

        Args:
            encoder: A bi-encoder's folder or a raw checkpoint's.
            labels: One name for a score, k names for k classes.
            device: Where it runs.
            dropout: Share of values dropped in training.
        """
        if not labels:
            raise ModelError(
                "A cross-encoder needs one label for a score, or k labels for k classes; none was given."
            )
        n = encoder.width
        head = (
            Dropout(dropout),
            Dense(n, n, True, "GELU"),
            Dropout(dropout),
            Dense(n, len(labels), True, "Identity"),
        )
        activation = "Sigmoid" if len(labels) == 1 else "Identity"
        folder = replace(
            encoder, kind="cross", pooling=("cls",), layers=head, labels=tuple(labels), activation=activation,
            own_head=True, prompts={}, default_prompt=None, pools_prompt=True,
        )  # fmt: skip
        return cls(folder, device)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the outputs: one for a score, k for k classes."""
        return self.folder.labels

    @property
    def fingerprint(self) -> str:
        """One name for one function from pair to score, on every machine."""
        return self.folder.fingerprint

    def score(self, pairs: Sequence[tuple[str, str]], *, task: Task | None = None) -> Scores:
        """The scores of all pairs; those that were ready, if the task is cancelled on the way."""
        logits, done = batching.collect(self.stream(pairs, task=task), len(pairs), len(self.labels))
        return Scores(logits, done, self.labels)

    def stream(self, pairs: Sequence[tuple[str, str]], *, task: Task | None = None) -> Generator[Output]:
        """The logits batch by batch, in the order in which they are ready.

        Raises:
            Cancelled: The task was cancelled; what was yielded stays valid.
            ModelError: The device's memory is too small for a single pair.
        """
        from explorer.models.runtime.network import infer

        def forward(tokens: list[Tokens]) -> NDArray[np.float32]:
            return infer(self.network, tokens, self.tokenizer.pad, typed=self.tokenizer.types_pairs)

        return batching.stream(
            pairs,
            self.tokenizer.encode_pairs,
            forward,
            work=batching.effort(
                (len(first) + len(second) for first, second in pairs), self.folder.max_tokens
            ),
            note="scoring",
            device=self.device,
            task=task or Task(),
        )

    def save(self, path: Path | str) -> ModelFolder:
        """Write the model so that sentence-transformers' CrossEncoder opens it; returns what can be read there.

        Raises:
            ModelError: The folder exists and is not empty, or cannot be written.
        """
        from explorer.models.files.save import save

        return save(self.folder, self.network, Path(path))


def positive(labels: Sequence[str]) -> int:
    """Which label means that two texts belong together: the known name, else the last."""
    names = [label.lower() for label in labels]
    return next((names.index(name) for name in POSITIVE if name in names), len(names) - 1)
