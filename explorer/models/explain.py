"""Explain the cosine of two texts by what each word adds to it.

If the pooling is a mean and everything after it is linear, a text's vector is a sum over its tokens, so the cosine of
two texts is exactly a sum over pairs of their words. A word's share depends on its sentence: the network has read the
words around it. For other models words are left out one after the other, to see what the cosine loses (occlusion).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

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
_LEFT_OUT = 64  # variants of a text that are encoded at most; more words are left out in groups

_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HIRAGANA = r"\u3041-\u309f"
# Scripts without spaces: ideographs, and the letters from Thailand to Cambodia with the marks on them.
_SINGLE = (
    r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# Marks that Python does not count as letters: accents written apart, vowels of Hebrew, Arabic and the scripts of India.
_MARKS = r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u0dff"
_LETTERS = rf"(?:[^\W_{_KATAKANA}{_HIRAGANA}{_SINGLE}]|[{_MARKS}])+"
_JOINT = r"(?:['’_\-‐‑]|(?<=\d)[.,](?=\d))"
_SEGMENT = re.compile(
    rf"{_LETTERS}(?:{_JOINT}{_LETTERS})*(?:\+\+|\#)?|[{_KATAKANA}]+|[{_HIRAGANA}]+|[{_SINGLE}]|[^\w\s]"
)
_MEANINGFUL = {"So", "Sc"}  # categories of emoji and currencies


@dataclass(frozen=True)
class Word:
    """A word, text[start:end], and what it adds to the cosine; by occlusion it may be a few words."""

    start: int
    end: int
    text: str
    value: float


@dataclass(frozen=True)
class AttributedText:
    """One of the two texts.

    Attributes:
        words: Its words, in order.
        rest: The share of punctuation, prompt, special tokens and biases; by occlusion what no single word explains.
            Together with the values of the words it sums to the cosine.
        read: Characters that the model reads; the text after them does not affect the cosine.
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
        second: The words of the second text.
        matrix: What each word of the first adds with each of the second, (W1, W2); None by occlusion.
    """

    method: Method
    cosine: float
    first: AttributedText
    second: AttributedText
    matrix: NDArray[np.float32] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Shares:
    """A text's unit vector, split into its words.

    Attributes:
        text: The text.
        spans: The spans of its words.
        vectors: The share of each word, and in the last row of everything else, (W + 1, m).
        read: Characters that the model reads.
    """

    text: str
    spans: tuple[Span, ...]
    vectors: NDArray[np.float32] = field(compare=False)
    read: int


def explain(
    encoder: BiEncoder, first: str, second: str, *, roles: Roles = DOCUMENTS, task: Task | None = None
) -> Contributions:
    """Compute what each word adds to the cosine of two passages, or of a query and a passage.

    Args:
        encoder: The model.
        first: A text; what is beyond the model's limit is not explained, see `AttributedText.read`.
        second: The other text.
        roles: Their roles for the model: "query", "document" or None.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
        ModelError: The device's memory is too small for a single text.
    """
    return explain_pairs(encoder, [(first, second)], roles=roles, task=task)[0]


def explain_pairs(
    encoder: BiEncoder, pairs: Sequence[tuple[str, str]], *, roles: Roles = DOCUMENTS, task: Task | None = None
) -> list[Contributions]:
    """`explain` many pairs; a text that occurs in several of them, such as a query, is encoded once."""
    task = task or Task()
    if not sums_words(encoder):
        return [_by_occlusion(encoder, first, second, roles, task) for first, second in pairs]
    known: dict[tuple[str, str | None], Shares] = {}
    for role in dict.fromkeys(roles):
        sides = [side for side in (0, 1) if roles[side] == role]
        texts = list(dict.fromkeys(pair[side] for pair in pairs for side in sides))
        known |= {(each.text, role): each for each in shares(encoder, texts, role=role, task=task)}
    return [_exact(known[first, roles[0]], known[second, roles[1]]) for first, second in pairs]


def sums_words(encoder: BiEncoder) -> bool:
    """Check whether the model's vectors are sums over tokens: a mean, then only linear layers and normalisation."""
    layers = encoder.folder.layers
    linear = all(layer.activation == "Identity" for layer in layers if isinstance(layer, Dense))
    return linear and set(encoder.folder.pooling) <= _LINEAR


def shares(
    encoder: BiEncoder, texts: Sequence[str], *, role: str | None = "document", task: Task | None = None
) -> list[Shares]:
    """Split each text's vector into the shares of its words, for a model that `sums_words`.

    Raises:
        Cancelled: The task was cancelled.
        ModelError: The device's memory is too small for a single text.
    """
    task = task or Task()
    prompt = encoder.prompt(role)
    full = [prompt + text for text in texts]
    tokens, spans = encoder.tokenizer.encode(full), encoder.tokenizer.spans_batch(full)
    unpooled = encoder.unpooled(prompt)
    results: dict[int, Shares] = {}
    for rows in batching.by_length([len(each.ids) for each in tokens], encoder.device.token_budget):
        task.report(len(results), len(texts), "explaining")
        with devices.threads(encoder.device.threads):
            parts = batching.halving(
                lambda batch: _token_shares(encoder, batch, unpooled),
                [tokens[row] for row in rows],
                lambda halves: [part for half in halves for part in half],
            )
        for row, part in zip(rows, parts, strict=True):
            results[row] = _by_word(encoder, texts[row], spans[row], len(prompt), part)
    return [results[row] for row in range(len(texts))]


def _exact(first: Shares, second: Shares) -> Contributions:
    table = first.vectors.astype(np.float64) @ second.vectors.T.astype(np.float64)  # (W1 + 1, W2 + 1)
    return Contributions(
        "exact",
        float(table.sum()),
        _side(first.text, first.spans, table.sum(1), first.read),
        _side(second.text, second.spans, table.sum(0), second.read),
        table[:-1, :-1].astype(np.float32),
    )


def _token_shares(encoder: BiEncoder, batch: list[Tokens], unpooled: int) -> list[NDArray[np.float32]]:
    """Write each text's unit vector as the sum of its tokens' rows and a last one for the biases, (T + 1, m)."""
    import torch

    from explorer.models.runtime.network import DenseLayer, UnitLength

    network: Any = encoder.network
    device = next(network.parameters()).device
    matrix, real = batching.padded([each.ids for each in batch], encoder.tokenizer.pad)
    with torch.inference_mode():
        ids, mask = (torch.from_numpy(part).to(device) for part in (matrix, real))
        hidden = network.transformer(input_ids=ids, attention_mask=mask).last_hidden_state.float()  # (B, T, n)
        mask[:, :unpooled] = 0
        # Pooling the identity gives the weights of the tokens.
        identity = torch.eye(mask.shape[1], device=device).expand(len(mask), -1, -1)  # (B, T, T)
        weights = [MODES[mode](identity, mask) for mode in network.modes]  # (B, T)
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
    return [np.concatenate([value[: len(tokens.ids)], value[-1:]]) for value, tokens in zip(values, batch, strict=True)]


def _unit_sum(parts: Any) -> Any:
    """Scale (B, T, m) so that each text's sum has length 1."""
    return parts / parts.sum(1, keepdim=True).norm(dim=-1, keepdim=True).clamp(min=1e-12)


def _by_word(encoder: BiEncoder, text: str, spans: Sequence[Span], prompt: int, parts: NDArray[np.float32]) -> Shares:
    """Sum the rows of tokens by word; those of no word go to the last row."""
    read = _read_spans(encoder, spans, prompt)
    words, owners = word_spans(text, read)
    before = encoder.tokenizer.prompt_length("")
    rows = np.full(len(parts), len(words), dtype=np.int64)
    rows[before : before + len(read)] = [len(words) if owner is None else owner for owner in owners]
    vectors = np.zeros((len(words) + 1, parts.shape[1]), dtype=np.float32)
    np.add.at(vectors, rows, parts)
    return Shares(text, tuple(words), vectors, _characters_read(text, spans, read))


def _read_spans(encoder: BiEncoder, spans: Sequence[Span], prompt: int) -> list[Span]:
    """Return the spans of the tokens that the model reads, counted from the end of the prompt; empty within it."""
    return [(max(0, start - prompt), max(0, end - prompt)) for start, end in spans[: encoder.tokenizer.room]]


def _characters_read(text: str, spans: Sequence[Span], read: Sequence[Span]) -> int:
    return len(text) if len(read) == len(spans) else max((end for _, end in read), default=0)


def _by_occlusion(encoder: BiEncoder, first: str, second: str, roles: Roles, task: Task) -> Contributions:
    readings = [_occlusions(encoder, text, role) for text, role in zip((first, second), roles, strict=True)]
    vectors = []
    for (text, spans), role in zip(readings, roles, strict=True):
        texts = [text, *(text[:start] + text[end:] for start, end in spans)]
        encoded = encoder.encode(texts, role=role, task=task).whole()
        vectors.append(encoded / np.maximum(np.linalg.norm(encoded, axis=1, keepdims=True), 1e-12))
    cosine = float(vectors[0][0] @ vectors[1][0])
    first_side, second_side = (
        _side(text, spans, _losses(vectors[side][1:] @ vectors[1 - side][0], cosine), len(text))
        for side, (text, spans) in enumerate(readings)
    )
    return Contributions("occlusion", cosine, first_side, second_side)


def _occlusions(encoder: BiEncoder, text: str, role: str | None) -> tuple[str, list[Span]]:
    """Return what the model reads of a text, and the stretches of words to leave out in turn."""
    prompt = encoder.prompt(role)
    spans = encoder.tokenizer.spans(prompt + text)
    read = _read_spans(encoder, spans, len(prompt))
    words, _ = word_spans(text, read)
    size = -(-len(words) // _LEFT_OUT) or 1
    groups = [words[start : start + size] for start in range(0, len(words), size)]
    return text[: _characters_read(text, spans, read)], [(group[0][0], group[-1][1]) for group in groups]


def _losses(cosines: NDArray[np.float32], cosine: float) -> NDArray[np.float64]:
    """Return what the cosine loses without each stretch, and last what they leave unexplained."""
    losses = cosine - cosines.astype(np.float64)
    return np.append(losses, cosine - losses.sum())


def _side(text: str, spans: Sequence[Span], values: NDArray[np.float64], read: int) -> AttributedText:
    words = tuple(
        Word(start, end, text[start:end], float(value)) for (start, end), value in zip(spans, values[:-1], strict=True)
    )
    return AttributedText(words, float(values[-1]), read)


def word_spans(text: str, tokens: Sequence[Span]) -> tuple[list[Span], list[int | None]]:
    """Return the words of a text that tokens represent, and the word of each token.

    Words end at spaces and punctuation; "don't", "3.14" and "C++" are one. In scripts without spaces a word is what
    the tokenizer keeps together, at least a character.

    Args:
        text: The text.
        tokens: The span of each token, in order; empty for a token that represents nothing in the text.

    Returns:
        The spans of the words in order, and for each token the index of its word, None for punctuation.

    Example:
        >>> word_spans("Don't go.", [(0, 3), (3, 4), (4, 5), (6, 8), (8, 9)])
        ([(0, 5), (6, 8)], [0, 0, 0, 1, None])
    """
    segments = [match.span() for match in _SEGMENT.finditer(text) if _is_word(match[0])]
    starts, ends = [start for start, _ in segments], [end for _, end in segments]
    covered = [
        range(bisect_right(ends, start), bisect_left(starts, end) if start < end else 0) for start, end in tokens
    ]
    joined = {index for indices in covered for index in indices[1:]}  # to the segment before
    read = sorted({index for indices in covered for index in indices})
    counts = accumulate(index not in joined for index in read)
    word_of = {index: count - 1 for index, count in zip(read, counts, strict=True)}
    words: dict[int, Span] = {}
    for index in read:
        word = word_of[index]
        words[word] = words.get(word, segments[index])[0], ends[index]
    return list(words.values()), [word_of[indices[0]] if indices else None for indices in covered]


def _is_word(segment: str) -> bool:
    return segment[0].isalnum() or len(segment) > 1 or unicodedata.category(segment[0]) in _MEANINGFUL
