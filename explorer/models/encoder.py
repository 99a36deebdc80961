"""What the bi-encoder and the cross-encoder share: opening a model folder, running batches, saving."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from explorer.errors import ModelError
from explorer.models.files import model_folder
from explorer.models.files.model_folder import Kind, ModelFolder
from explorer.models.runtime import batching
from explorer.models.runtime import device as devices
from explorer.models.runtime.batching import Output, Tokens
from explorer.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.models.runtime.device import Device
    from explorer.models.runtime.network import Network

Text = TypeVar("Text")

_WRONG_KIND_TEMPLATES = {
    "bi": "{path}: this is a cross-encoder, which scores pairs. Choose a bi-encoder here.",
    "cross": "{path}: this is a bi-encoder, which scores no pairs. Choose a cross-encoder here.",
}


class TransformerModel:
    """A tokenizer and a network, opened from a model folder.

    Attributes:
        folder: The settings of the model's folder.
        device: Where it runs.
        tokenizer: Its tokenizer.
        network: The network itself, for training too.
    """

    KIND: ClassVar[Kind]

    def __init__(self, folder: ModelFolder, device: Device | None = None, network: Network | None = None) -> None:
        from explorer.models.runtime import network as networks
        from explorer.models.runtime.tokenizer import Tokenizer

        if folder.kind != self.KIND:
            raise ModelError(_WRONG_KIND_TEMPLATES[self.KIND], path=folder.path)
        self.folder = folder
        self.device = device or devices.choose()
        self.tokenizer = Tokenizer(folder)
        self.network = network or networks.load(folder, self.device)

    @classmethod
    def open(cls, path: Path | str, device: Device | None = None) -> Self:
        """Open the model of a folder.

        Raises:
            ModelError: The folder cannot be used; the message says why and what to do.
        """
        return cls(model_folder.read(path), device)

    @property
    def fingerprint(self) -> str:
        """One name for one function of texts, on every machine."""
        return self.folder.fingerprint

    def save(self, path: Path | str) -> ModelFolder:
        """Write the model so that sentence-transformers opens it, and read the new folder.

        Raises:
            ModelError: The folder exists and is not empty, or cannot be written, or the weights were rounded.
        """
        if self.device.precision != "float32":
            raise ModelError(
                "{path}: a model opened in {precision} cannot be saved, because its weights were rounded. "
                "Open it in float32.",
                path=path,
                precision=self.device.precision,
            )
        from explorer.models.runtime.network import save

        return save(self.folder, self.network, Path(path))

    def _stream(
        self,
        texts: Sequence[Text],
        tokenise: Callable[[Sequence[Text]], list[Tokens]],
        *,
        characters: Iterable[int],
        note: str,
        task: Task | None,
        unpooled: int = 0,
        network: Network | None = None,
    ) -> Generator[Output]:
        """Run the network on texts or pairs, batch by batch; see `batching.stream`.

        Progress counts characters, so that the time left is honest for texts of any length.
        """
        from explorer.models.runtime.network import infer

        typed = self.KIND == "cross" and self.tokenizer.types_pairs
        network = network or self.network

        def forward(tokens: list[Tokens]) -> NDArray[np.float32]:
            try:
                return infer(network, tokens, self.tokenizer.pad, typed=typed, unpooled=unpooled)
            except (RuntimeError, ValueError, IndexError) as error:
                if devices.out_of_memory(error):
                    raise
                # Settings that agree with the weights may still not agree with each other, or with the tokenizer.
                raise ModelError(
                    "{encoder}: the model cannot compute this text ({first_line}). Download the model again, or choose "
                    "another one.",
                    encoder=self.folder.encoder,
                    first_line=str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__,
                ) from error

        return batching.stream(
            texts,
            tokenise,
            forward,
            work=batching.effort(characters, self.folder.max_tokens),
            note=note,
            device=self.device,
            task=task or Task(),
        )
