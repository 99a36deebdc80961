"""The bi-encoder: each text alone to one vector, compared by cosine."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import ModelError
from explorer.models.files import model_folder as folders
from explorer.models.files.model_folder import ModelFolder
from explorer.models.runtime import batching
from explorer.models.runtime import device as devices
from explorer.models.runtime.batching import Output, Tokens
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.device import Device

# The names under which models keep the prompt of a role.
ROLES = {"query": ("query",), "document": ("document", "passage", "corpus")}


@dataclass(frozen=True)
class Encoding:
    """What an `encode` did, to the end or up to its cancellation.

    Attributes:
        vectors: (N, n), float32; zeros where `done` is False.
        done: Which texts were encoded, (N,).
    """

    vectors: NDArray[np.float32]
    done: NDArray[np.bool_]

    def whole(self) -> NDArray[np.float32]:
        """All vectors, (N, n).

        Raises:
            Cancelled: Some texts were not encoded.
        """
        if not self.done.all():
            raise Cancelled
        return self.vectors


class BiEncoder:
    """A transformer, a pooling, perhaps a dense layer and a normalisation.

    Attributes:
        folder: What the model's folder says.
        device: Where it runs.
        tokenizer: Its tokenizer.
        network: The network itself, for training too.

    Example:
        >>> model = BiEncoder.open(catalog.bundled())                              # doctest: +SKIP
        >>> model.encode(["a cat sits", "a dog runs"]).whole().shape               # doctest: +SKIP
        (2, 384)
    """

    def __init__(self, folder: ModelFolder, device: Device | None = None) -> None:
        from explorer.models.runtime import network
        from explorer.models.runtime.tokenizer import Tokenizer

        if folder.kind != "bi":
            raise ModelError(
                "{path}: this is a cross-encoder, which scores pairs. Choose a bi-encoder here.",
                path=folder.path,
            )
        self.folder = folder
        self.device = device or devices.choose()
        self.tokenizer = Tokenizer(folder)
        self.network = network.load(folder, self.device)

    @classmethod
    def open(cls, path: Path | str, device: Device | None = None) -> BiEncoder:
        """The model of a folder.

        Raises:
            ModelError: The folder cannot be used; the message says why and what to do.
        """
        return cls(folders.read(path), device)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.folder.dimension

    @property
    def max_tokens(self) -> int:
        """Tokens a text may have before its end is cut off, special tokens included."""
        return self.folder.max_tokens

    @property
    def fingerprint(self) -> str:
        """One name for one function from text to vector, on every machine."""
        return self.folder.fingerprint

    def prompt(self, role: str | None) -> str:
        """The text this model wants before a text of that role: "query", "document" or None."""
        prompts = self.folder.prompts
        names = (*ROLES.get(role or "", ()), self.folder.default_prompt or "")
        return next((prompts[name] for name in names if name in prompts), "")

    def encode(self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None) -> Encoding:
        """The vectors of all texts; those that were ready, if the task is cancelled on the way."""
        return Encoding(
            *batching.collect(self.stream(texts, role=role, task=task), len(texts), self.dimension)
        )

    def stream(
        self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None
    ) -> Generator[Output]:
        """The vectors batch by batch, in the order in which they are ready.

        Progress counts characters, so that the time left is honest for texts of any length.

        Raises:
            Cancelled: The task was cancelled; what was yielded stays valid.
            ModelError: The device's memory is too small for a single text.
        """
        from explorer.models.runtime.network import infer

        prompt = self.prompt(role)
        unpooled = self.tokenizer.prompt_length(prompt) if prompt and not self.folder.pools_prompt else 0

        def tokenise(window: Sequence[str]) -> list[Tokens]:
            return self.tokenizer.encode([prompt + text for text in window] if prompt else window)

        def forward(tokens: list[Tokens]) -> NDArray[np.float32]:
            return infer(self.network, tokens, self.tokenizer.pad, typed=False, unpooled=unpooled)

        return batching.stream(
            texts,
            tokenise,
            forward,
            work=batching.effort(map(len, texts), self.max_tokens),
            note="encoding",
            device=self.device,
            task=task or Task(),
        )

    def token_vectors(self, tokens: Sequence[int], *, task: Task | None = None) -> NDArray[np.float32]:
        """The vector of each token as a text of its own, not scaled to length 1. (V, n).

        Raises:
            Cancelled: The task was cancelled.
        """
        from explorer.models.runtime.network import infer, without_normalisation

        bare = without_normalisation(self.network)
        outputs = batching.stream(
            tokens,
            lambda window: [self.tokenizer.alone(token) for token in window],
            lambda batch: infer(bare, batch, self.tokenizer.pad, typed=False),
            work=[1] * len(tokens),
            note="distilling",
            device=self.device,
            task=task or Task(),
        )
        return Encoding(*batching.collect(outputs, len(tokens), self.dimension)).whole()

    def save(self, path: Path | str) -> ModelFolder:
        """Write the model in the sentence-transformers layout; returns what can be read there.

        Raises:
            ModelError: The folder exists and is not empty, or cannot be written.
        """
        from explorer.models.files.save import save

        return save(self.folder, self.network, Path(path))
