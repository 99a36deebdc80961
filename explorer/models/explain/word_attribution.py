"""Why a bi-encoder finds two texts alike: what each word adds to the cosine.

Where the pooling is a mean and what follows is linear, a text's vector is a sum over its tokens, and so the cosine of
two texts is a sum over pairs of their words, to the last digit. A word's share is that of the word in its sentence: the
network has read the words around it. Elsewhere words are left out one after the other, to see what the cosine loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from explorer.models.explain.word_spans import word_spans
from explorer.models.files.model_folder import Dense
from explorer.models.runtime import batching
from explorer.models.runtime import device as devices
from explorer.models.runtime.pooling import MODES
from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.batching import Tokens

Method = Literal["exact", "occlusion"]
Span = tuple[int, int]
Roles = tuple[str | None, str | None]

DOCUMENTS: Roles = ("document", "document")
_LINEAR = {"mean", "mean_sqrt_len_tokens", "weightedmean"}
_LEFT_OUT = 64  # times that a text is encoded anew with something left out; more words are left out in groups


@dataclass(frozen=True)
class Word:
    """A word of a text, text[start:end], and what it adds to the cosine; by occlusion it may be a few words."""

    start: int
    end: int
    text: str
    value: float


@dataclass(frozen=True)
class AttributedText:
    """One of the two texts.

    Attributes:
        words: Its words, in order.
        rest: What belongs to no word: punctuation, the prompt, special tokens, a bias; by occlusion what no single
            word explains. With the values of the words it sums to the cosine.
        read: Characters that the model reads; what comes after them has no part in the cosine.
    """

    words: tuple[Word, ...]
    rest: float
    read: int


@dataclass(frozen=True)
class Contributions:
    """What the words of two texts add to their cosine.

    Attributes:
        method: "exact" where the values are the terms of a sum; "occlusion" where each is the loss without the word.
        cosine: The cosine.
        first: The words of the first text.
        second: Those of the second.
        matrix: What each word of the first adds with each of the second, (W1, W2); None by occlusion.
    """

    method: Method
    cosine: float
    first: AttributedText
    second: AttributedText
    matrix: NDArray[np.float32] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Shares:
    """A text's unit vector as the sum of its words.

    Attributes:
        text: The text.
        spans: Where its words are.
        vectors: The share of each word, and as the last row of all that belongs to none, (W + 1, m).
        read: Characters that the model reads.
    """

    text: str
    spans: tuple[Span, ...]
    vectors: NDArray[np.float32] = field(compare=False)
    read: int


def why(
    encoder: BiEncoder, first: str, second: str, *, roles: Roles = DOCUMENTS, task: Task | None = None
) -> Contributions:
    """What each word adds to the cosine of two passages, or of a query and a passage.

    Args:
        encoder: The model.
        first: A text; what is beyond the model's limit is not explained, see `Side.read`.
        second: The other.
        roles: What they are to the model: "query", "document" or None.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
        ModelError: The device's memory is too small for a single text.
    """
    return why_each(encoder, [(first, second)], roles=roles, task=task)[0]


def why_each(
    encoder: BiEncoder,
    pairs: Sequence[tuple[str, str]],
    *,
    roles: Roles = DOCUMENTS,
    task: Task | None = None,
) -> list[Contributions]:
    """`why` of many pairs; a text that stands in several of them, such as a query, is read once."""
    task = task or Task()
    if not sums_words(encoder):
        return [_by_occlusion(encoder, first, second, roles, task) for first, second in pairs]
    asked = list(
        dict.fromkeys((text, role) for pair in pairs for text, role in zip(pair, roles, strict=True))
    )
    known: dict[tuple[str, str | None], Shares] = {}
    for role in dict.fromkeys(roles):
        texts = [text for text, wanted in asked if wanted == role]
        known |= {(one.text, role): one for one in shares(encoder, texts, role=role, task=task)}
    return [meet(known[first, roles[0]], known[second, roles[1]]) for first, second in pairs]


def sums_words(encoder: BiEncoder) -> bool:
    """Whether the model's vectors are sums over tokens: a mean, and nothing but linear layers and lengths after it."""
    layers = encoder.folder.layers
    straight = all(layer.activation == "Identity" for layer in layers if isinstance(layer, Dense))
    return straight and set(encoder.folder.pooling) <= _LINEAR


def shares(
    encoder: BiEncoder, texts: Sequence[str], *, role: str | None = "document", task: Task | None = None
) -> list[Shares]:
    """The words' shares in each text's vector, for a model that `sums_words`.

    Raises:
        Cancelled: The task was cancelled.
        ModelError: The device's memory is too small for a single text.
    """
    task = task or Task()
    prompt = encoder.prompt(role)
    full = [prompt + text for text in texts]
    tokens, spans = encoder.tokenizer.encode(full), encoder.tokenizer.spans_batch(full)
    unpooled = encoder.tokenizer.prompt_length(prompt) if prompt and not encoder.folder.pools_prompt else 0
    found: dict[int, Shares] = {}
    for rows in batching.by_length([len(each.ids) for each in tokens], encoder.device.token_budget):
        task.report(len(found), len(texts), "explaining")
        with devices.threads(encoder.device.threads):
            parts = batching.halving(
                lambda batch: _token_shares(encoder, batch, unpooled),
                [tokens[row] for row in rows],
                lambda halves: [one for half in halves for one in half],
            )
        for row, part in zip(rows, parts, strict=True):
            found[row] = _gathered(encoder, texts[row], spans[row], len(prompt), part)
    return [found[row] for row in range(len(texts))]


def meet(first: Shares, second: Shares) -> Contributions:
    """What the words of two texts add to their cosine, as a sum that is exact."""
    table = first.vectors.astype(np.float64) @ second.vectors.T.astype(np.float64)  # (W1 + 1, W2 + 1)
    return Contributions(
        "exact",
        float(table.sum()),
        _side(first.text, first.spans, table.sum(1), first.read),
        _side(second.text, second.spans, table.sum(0), second.read),
        table[:-1, :-1].astype(np.float32),
    )


def _token_shares(encoder: BiEncoder, batch: list[Tokens], unpooled: int) -> list[NDArray[np.float32]]:
    """Each text's unit vector as the sum of its tokens' rows and a last one for the biases, (T + 1, m)."""
    import torch

    from explorer.models.runtime.network import DenseLayer, UnitLength

    network: Any = encoder.network
    device = next(network.parameters()).device
    matrix, places = batching.padded([each.ids for each in batch], encoder.tokenizer.pad)
    with torch.inference_mode():
        ids, mask = (torch.from_numpy(part).to(device) for part in (matrix, places))
        hidden = network.transformer(
            input_ids=ids, attention_mask=mask
        ).last_hidden_state.float()  # (B, T, n)
        mask[:, :unpooled] = 0
        # What a pooling makes of the identity are the weights it gives to the tokens.
        each = torch.eye(mask.shape[1], device=device).expand(len(mask), -1, -1)  # (B, T, T)
        weights = [MODES[mode](each, mask) for mode in network.modes]  # (B, T)
        parts = torch.cat([hidden * weight.unsqueeze(-1) for weight in weights], dim=-1)
        parts = torch.nn.functional.pad(parts, (0, 0, 0, 1))  # (B, T + 1, m)
        for layer in network.layers:
            if isinstance(layer, DenseLayer):
                parts = parts @ layer.linear.weight.T
                if layer.linear.bias is not None:
                    parts[:, -1] += layer.linear.bias
            elif isinstance(layer, UnitLength):
                parts = _unit_sum(parts)
        values: NDArray[np.float32] = _unit_sum(parts).cpu().numpy()
    return [
        np.concatenate([value[: len(each.ids)], value[-1:]])
        for value, each in zip(values, batch, strict=True)
    ]


def _unit_sum(parts: Any) -> Any:
    """(B, T, m), scaled so that each text's sum has length 1."""
    return parts / parts.sum(1, keepdim=True).norm(dim=-1, keepdim=True).clamp(min=1e-12)


def _gathered(
    encoder: BiEncoder, text: str, spans: Sequence[Span], prompt: int, parts: NDArray[np.float32]
) -> Shares:
    """Tokens put together to words, all else to the last row."""
    kept = _in_text(encoder, spans, prompt)
    words, owners = word_spans(text, kept)
    before = encoder.tokenizer.prompt_length("")
    rows = np.full(len(parts), len(words), dtype=np.int64)
    rows[before : before + len(kept)] = [len(words) if owner is None else owner for owner in owners]
    vectors = np.zeros((len(words) + 1, parts.shape[1]), dtype=np.float32)
    np.add.at(vectors, rows, parts)
    return Shares(text, tuple(words), vectors, _read(text, spans, kept))


def _in_text(encoder: BiEncoder, spans: Sequence[Span], prompt: int) -> list[Span]:
    """The spans of the tokens that the model reads, counted from where the prompt ends; empty within it."""
    return [(max(0, start - prompt), max(0, end - prompt)) for start, end in spans[: encoder.tokenizer.room]]


def _read(text: str, spans: Sequence[Span], kept: Sequence[Span]) -> int:
    return len(text) if len(kept) == len(spans) else max((end for _, end in kept), default=0)


def _by_occlusion(encoder: BiEncoder, first: str, second: str, roles: Roles, task: Task) -> Contributions:
    one, two = (_Cut.of(encoder, text, role) for text, role in zip((first, second), roles, strict=True))
    vectors = [
        _unit(encoder.encode([cut.text, *cut.without()], role=role, task=task).whole())
        for cut, role in zip((one, two), roles, strict=True)
    ]
    whole = float(vectors[0][0] @ vectors[1][0])
    return Contributions(
        "occlusion",
        whole,
        _side(first, one.spans, _losses(vectors[0][1:] @ vectors[1][0], whole), len(one.text)),
        _side(second, two.spans, _losses(vectors[1][1:] @ vectors[0][0], whole), len(two.text)),
    )


@dataclass(frozen=True)
class _Cut:
    """What a model reads of a text, and the stretches that are left out of it in turn."""

    text: str
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, encoder: BiEncoder, text: str, role: str | None) -> _Cut:
        prompt = encoder.prompt(role)
        spans = encoder.tokenizer.spans(prompt + text)
        kept = _in_text(encoder, spans, len(prompt))
        words, _ = word_spans(text, kept)
        size = -(-len(words) // _LEFT_OUT) or 1
        groups = [words[start : start + size] for start in range(0, len(words), size)]
        stretches = tuple((group[0][0], group[-1][1]) for group in groups)
        return cls(text[: _read(text, spans, kept)], stretches)

    def without(self) -> list[str]:
        return [self.text[:start] + self.text[end:] for start, end in self.spans]


def _losses(cosines: NDArray[np.float32], whole: float) -> NDArray[np.float64]:
    """What the cosine loses without each stretch, and as the last what they leave unexplained."""
    losses = whole - cosines.astype(np.float64)
    return np.append(losses, whole - losses.sum())


def _side(text: str, spans: Sequence[Span], values: NDArray[np.float64], read: int) -> AttributedText:
    words = tuple(
        Word(start, end, text[start:end], float(value))
        for (start, end), value in zip(spans, values[:-1], strict=True)
    )
    return AttributedText(words, float(values[-1]), read)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
