"""Compute similarities and rankings of texts with either kind of model."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from explorer.task import Task

Vectors = NDArray[np.floating[Any]]
Indices = NDArray[np.intp]
Item = TypeVar("Item", bound=Hashable)

CANDIDATES = 100  # documents kept for each query, and reranked by a cross-encoder
_BLOCK = 4_000_000  # similarities held at a time
_ROWS = 1000  # texts whose similarities to all others are held at a time
_ROUNDING = 1e-6  # of cosines in float32


class EncodingLike(Protocol):
    """The vectors of some texts."""

    def whole(self) -> NDArray[np.float32]:
        """Return the vectors, (N, n); raises Cancelled if the work was stopped half-way."""


class ScoresLike(Protocol):
    """A cross-encoder's outputs for some pairs."""

    def whole(self) -> NDArray[np.float32]:
        """Return the logits, (N, k); raises Cancelled if the work was stopped half-way."""

    def relevance(self) -> NDArray[Any]:
        """Return how similar each pair is, (N,), from 0 to 1."""

    def probabilities(self) -> NDArray[Any]:
        """Return the probability of each label, (N, k)."""


@runtime_checkable
class BiEncoderLike(Protocol):
    """A model that turns texts into vectors, which need not have unit length."""

    def encode(self, texts: Sequence[str], *, role: str | None = None, task: Task) -> EncodingLike:
        """Encode texts as queries, documents or neither."""


@runtime_checkable
class CrossEncoderLike(Protocol):
    """A model that scores pairs of texts."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its k outputs; one alone is a score."""

    def score(self, pairs: Sequence[tuple[str, str]], *, task: Task) -> ScoresLike:
        """Score pairs."""


@dataclass(frozen=True)
class Similarity:
    """How similar a model finds each pair: `order` to rank by, `value` from 0 to 1 or a cosine.

    A cross-encoder's value saturates, so its logits distinguish pairs that its values do not.
    """

    order: NDArray[Any]
    value: NDArray[Any]


def rank_documents(
    corpus: Mapping[str, str], queries: Mapping[str, str], model: BiEncoderLike, task: Task, depth: int = CANDIDATES
) -> dict[str, list[str]]:
    """Rank documents by cosine for each query, best first, ties in the order of ids.

    Every similarity is computed, in blocks.

    Raises:
        Cancelled: The task was cancelled.
    """
    ids = sorted(corpus)
    texts, indices = unique([corpus[key] for key in ids])
    documents = _unit(model.encode(texts, role="document", task=task).whole())  # (D, n)
    asked = _unit(model.encode(list(queries.values()), role="query", task=task).whole())  # (Q, n)
    rankings: dict[str, list[str]] = {}
    keys, step = list(queries), max(1, _BLOCK // len(ids))
    for start in range(0, len(keys), step):
        task.report(start, len(keys), "Searching")
        # Equal texts share one vector, so their similarities are exactly equal and only the id breaks the tie.
        block = (asked[start : start + step] @ documents.T)[:, indices]  # (q, N)
        for key, row in zip(keys[start : start + step], block, strict=True):
            rankings[key] = [ids[index] for index in _highest(row, depth)]
    task.report(len(keys), len(keys), "Searching")
    return rankings


def rerank(
    candidates: Mapping[str, Sequence[str]],
    corpus: Mapping[str, str],
    queries: Mapping[str, str],
    model: CrossEncoderLike,
    task: Task,
) -> dict[str, list[str]]:
    """Reorder the candidates of each query by a cross-encoder, ties in the order of ids.

    Raises:
        Cancelled: The task was cancelled.
    """
    asked = [(query, key) for query, keys in candidates.items() for key in keys]
    first, second = [queries[query] for query, _ in asked], [corpus[key] for _, key in asked]
    order = score_columns(model, first, second, task).order
    ranked = sorted(zip(asked, order.tolist(), strict=True), key=lambda item: (-item[1], item[0][1]))
    rankings: dict[str, list[str]] = {query: [] for query in candidates}
    for (query, key), _ in ranked:
        rankings[query].append(key)
    return rankings


def _highest(row: Vectors, depth: int) -> Indices:
    """Return the indices of the highest values, descending; of equal values the earlier first."""
    if depth < row.size:
        limit = np.partition(row, -depth)[-depth]
        indices = np.flatnonzero(row >= limit)
    else:
        indices = np.arange(row.size)
    return indices[np.argsort(-row[indices], kind="stable")][:depth]


def encode_columns(model: BiEncoderLike, columns: Sequence[Sequence[str]], task: Task) -> list[NDArray[np.float32]]:
    """Encode each column of texts; duplicates are encoded once."""
    texts, indices = unique([text for column in columns for text in column])
    vectors = model.encode(texts, task=task).whole()[indices]
    return np.split(vectors, len(columns))


def score_columns(model: CrossEncoderLike, first: Sequence[str], second: Sequence[str], task: Task) -> Similarity:
    """Score pairs with a cross-encoder; duplicates are scored once."""
    pairs, indices = unique(list(zip(first, second, strict=True)))
    scores = model.score(pairs, task=task)
    logits, value = scores.whole(), scores.relevance()
    order = logits[:, 0] if len(model.labels) == 1 else value
    return Similarity(order[indices], value[indices])


def unique(items: Sequence[Item]) -> tuple[list[Item], Indices]:
    """Return the distinct items, and the index of each item among them."""
    index_of: dict[Item, int] = {}
    indices = [index_of.setdefault(item, len(index_of)) for item in items]
    return list(index_of), np.asarray(indices, dtype=np.intp)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


def cosine(a: Vectors, b: Vectors) -> Vectors:
    """Return the cosine of each row of `a` with that of `b`; 0 for vectors of length 0."""
    cosines: Vectors = (_unit(a.astype(np.float64)) * _unit(b.astype(np.float64))).sum(axis=1)
    return cosines


def distance(a: Vectors, b: Vectors) -> Vectors:
    """Return the Euclidean distance of each row of `a` from that of `b`."""
    lengths: Vectors = np.linalg.norm(a.astype(np.float64) - b.astype(np.float64), axis=1)
    return lengths


def own_margin(first: Vectors, second: Vectors, task: Task) -> NDArray[np.float64]:
    """Return by how much the cosine of each pair exceeds that of its first vector with any other second, (N,).

    Equal up to rounding counts as 0, so that duplicate texts do not count against each other.

    Raises:
        Cancelled: The task was cancelled.
    """
    u, v = (each / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in (first, second))
    margins = np.zeros(len(u))
    for start in range(0, len(u), _ROWS):
        task.check()
        near = u[start : start + _ROWS] @ v.T  # (b, N)
        indices = np.arange(len(near))
        own = near[indices, start + indices].copy()
        near[indices, start + indices] = -1
        margins[start : start + _ROWS] = own - near.max(axis=1)
    margins[np.abs(margins) < _ROUNDING] = 0
    return margins
