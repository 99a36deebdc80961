"""The bi-encoder: encode each text alone as one vector, compared by cosine."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.messages import UserMessage
from explorer.models.encoder import TransformerModel
from explorer.models.runtime import batching
from explorer.models.runtime.batching import Output, Tokens
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The names under which models store the prompt of a role.
ROLES = {"query": ("query",), "document": ("document", "passage", "corpus")}


@dataclass(frozen=True)
class Encoding:
    """The result of `encode`, complete or up to its cancellation.

    Attributes:
        vectors: (N, n), float32; zeros where `done` is False.
        done: Which texts were encoded, (N,).
    """

    vectors: NDArray[np.float32]
    done: NDArray[np.bool_]

    def whole(self) -> NDArray[np.float32]:
        """Return all vectors, (N, n).

        Raises:
            Cancelled: Some texts were not encoded.
        """
        if not self.done.all():
            raise Cancelled
        return self.vectors


class BiEncoder(TransformerModel):
    """A transformer, a pooling, and possibly a dense layer and a normalisation.

    Example:
        >>> model = BiEncoder.open(catalog.default())                              # doctest: +SKIP
        >>> model.encode(["a cat sits", "a dog runs"]).whole().shape               # doctest: +SKIP
        (2, 384)
    """

    KIND = "bi"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.folder.dimension

    @property
    def max_tokens(self) -> int:
        """Tokens a text may have before its end is cut off, special tokens included."""
        return self.folder.max_tokens

    def prompt(self, role: str | None) -> str:
        """Return the text this model expects before a text of that role: "query", "document" or None."""
        prompts = self.folder.prompts
        names = (*ROLES.get(role or "", ()), self.folder.default_prompt or "")
        return next((prompts[name] for name in names if name in prompts), "")

    def encode(self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None) -> Encoding:
        """Encode all texts; if the task is cancelled on the way, return those that are done."""
        return Encoding(*batching.collect(self.stream(texts, role=role, task=task), len(texts), self.dimension))

    def stream(self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None) -> Generator[Output]:
        """Yield the vectors batch by batch, in the order in which they are ready.

        Raises:
            Cancelled: The task was cancelled; what was yielded stays valid.
            ModelError: The device's memory is too small for a single text.
        """
        prompt = self.prompt(role)

        def tokenise(window: Sequence[str]) -> list[Tokens]:
            return self.tokenizer.encode([prompt + text for text in window] if prompt else window)

        return self._stream(
            texts,
            tokenise,
            characters=map(len, texts),
            note=UserMessage("encoding"),
            task=task,
            unpooled=self.unpooled(prompt),
        )

    def unpooled(self, prompt: str) -> int:
        """Count the tokens at the beginning of a prompted text that the pooling leaves out."""
        return self.tokenizer.prompt_length(prompt) if prompt and not self.folder.pools_prompt else 0

    def token_vectors(self, tokens: Sequence[int], *, task: Task | None = None) -> NDArray[np.float32]:
        """Encode each token as a text of its own, not scaled to length 1. (V, n).

        Raises:
            Cancelled: The task was cancelled.
        """
        from explorer.models.runtime.network import without_normalisation

        outputs = self._stream(
            tokens,
            lambda window: [self.tokenizer.alone(token) for token in window],
            characters=[1] * len(tokens),
            note=UserMessage("distilling"),
            task=task,
            network=without_normalisation(self.network),
        )
        return Encoding(*batching.collect(outputs, len(tokens), self.dimension)).whole()
