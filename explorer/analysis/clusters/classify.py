"""Classify documents into the user's own categories by meaning, with a confidence and "none of these"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.exact import Matrix, block_of, blocks, unit_vectors
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.errors import DataError
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NONE = -1  # the label of a document that fits no category

_WORTH = 5.0  # examples that the name and description of a category together weigh as much as
_SHARPNESS = 20.0  # of the softmax over cosines by which documents count towards a category while learning
_LEARNT = 0.5  # how far a category may move towards the documents found for it
_ROUNDS = 2
_NEIGHBOURS = 0.7  # weight of the neighbours' scores in a document's own, if the nearest is a copy of it
# Fitted on three labelled corpora, balanced and unbalanced, with up to half of their classes withheld:
# deviations above the background at which a document is as likely in as out, and how surely more of them say more.
_BORDER, _SLOPE = 2.4, 0.75
_LEAD_SLOPE, _LEAD_OFFSET = 0.85, -0.75  # the same for the lead of the winner over the runner-up
_USUAL_SPREAD, _USUAL_WEIGHT = 0.08, 10.0  # what to start from, and how many documents outweigh it


@dataclass(frozen=True, eq=False)
class Category:
    """One category: texts that describe it, examples, or both.

    Attributes:
        name: Its name.
        prototypes: (p, n) vectors of texts that describe it: the name, a description.
        examples: Rows of documents that belong to it.
    """

    name: str
    prototypes: Matrix = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    examples: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class Classification:
    """The category of every document.

    Attributes:
        labels: (N,) int32 index of the category; -1 for none of these.
        confidence: (N,) float32, 0..1: the chance that the label is right, as well as can be estimated without labels.
        scores: (N, C) float32: cosines to the categories, evened out over neighbours.
        membership: (N,) float32, 0..1: the chance that the document belongs to any of the categories.
    """

    labels: NDArray[np.int32]
    confidence: NDArray[np.float32]
    scores: NDArray[np.float32]
    membership: NDArray[np.float32]


def classify(
    vectors: Matrix,
    categories: Sequence[Category],
    *,
    graph: KnnGraph | None = None,
    threshold: float = 0.5,
    task: Task | None = None,
) -> Classification:
    """Give every document a category, or none.

    A category begins as the mean of its name, description and examples and then learns from the documents that
    clearly are its own. Which category wins is decided with what was learnt. Whether any fits is decided with what
    the user said: learning pulls categories towards the documents that fit none.

    Args:
        vectors: (N, n) of the documents, perhaps memory-mapped.
        categories: What the user wants to tell apart.
        graph: Of the same documents; with it neighbours help each other.
        threshold: Documents whose membership is below this get none; 0 gives every document a category.
        task: Progress and cancellation.

    Returns:
        Labels and confidences. Examples keep the category the user gave them, unless they were given two.

    Raises:
        DataError: A category has neither a text nor an example that means anything.
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    given, neighbour_weights = _prototypes(vectors, categories), _neighbour_weights(graph)
    scores, nonzero = _scores(vectors, given, neighbour_weights, task)
    if not scores.size:
        shape, sure = len(vectors), np.ones(len(vectors), np.float32)
        return Classification(np.full(shape, NONE, np.int32), sure, scores, np.zeros_like(sure))
    refined = scores
    for _ in range(_ROUNDS):
        learnt = _learn(vectors, given, refined, task)
        refined, _ = _scores(vectors, learnt, neighbour_weights, task)
    best = refined.argmax(axis=1)
    membership = np.where(nonzero, _membership(scores, best), 0.0)
    certainty = membership * _certainty(refined)
    _apply_examples(best, membership, certainty, categories)
    inside = membership >= threshold
    return Classification(
        np.where(inside, best, NONE).astype(np.int32),
        np.where(inside, certainty, 1 - membership).astype(np.float32),
        refined,
        membership.astype(np.float32),
    )


def _prototypes(vectors: Matrix, categories: Sequence[Category]) -> NDArray[np.float32]:
    """Return a unit vector for each category, (C, n)."""
    width = vectors.shape[1] if vectors.ndim == 2 else 0
    means = np.zeros((len(categories), width), np.float32)
    for index, category in enumerate(categories):
        if category.prototypes.size:
            means[index] += _WORTH * _mean_direction(category.prototypes)
        if len(category.examples):
            rows = np.unique(np.asarray(category.examples, np.int64))
            means[index] += len(rows) * _mean_direction(block_of(vectors, rows))
        if not means[index].any():
            raise DataError(
                'Category "{name}": its name, description and examples hold no text the model can '
                "compare. Describe it in a few words or choose example documents.",
                name=category.name,
            )
    return unit_vectors(means)[0]


def _mean_direction(block: Matrix) -> NDArray[np.float32]:
    """Return the unit vector (n,) along the mean of the directions of some rows (B, n)."""
    mean = unit_vectors(block_of(block, slice(None)))[0].mean(axis=0, keepdims=True)
    return np.asarray(unit_vectors(mean)[0][0])


def _scores(
    vectors: Matrix, prototypes: NDArray[np.float32], neighbour_weights: csr_matrix | None, task: Task
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return cosines (N, C), evened out over neighbours, and which rows are not zero (N,)."""
    scores = np.zeros((len(vectors), len(prototypes)), np.float32)
    nonzero = np.zeros(len(vectors), bool)
    for part in blocks(len(vectors)):
        unit, lengths = unit_vectors(block_of(vectors, part))
        scores[part], nonzero[part] = unit @ prototypes.T, lengths > 0
        task.report(part.stop, len(vectors), "comparing with the categories")
    return (scores if neighbour_weights is None else _smooth(scores, neighbour_weights)), nonzero


def _neighbour_weights(graph: KnnGraph | None) -> csr_matrix | None:
    """Return what the neighbours' scores weigh in a row's own, (N, N): near ones more, unlike ones hardly anything."""
    from scipy.sparse import csr_matrix

    if graph is None or not graph.rows.size:
        return None
    near = np.where(graph.rows >= 0, np.maximum(graph.scores, 0), 0).astype(np.float32)  # (N, k)
    total = np.maximum((near**2).sum(axis=1, keepdims=True), 1e-9)
    weights = _NEIGHBOURS * near.max(axis=1, keepdims=True) * near**2 / total
    count, k = near.shape
    ends = np.arange(0, count * k + 1, k)
    return csr_matrix((weights.ravel(), np.maximum(graph.rows, 0).ravel(), ends), shape=(count, count))


def _smooth(scores: NDArray[np.float32], neighbour_weights: csr_matrix) -> NDArray[np.float32]:
    """Return scores (N, C) averaged with those of the neighbours."""
    own = 1 - np.asarray(neighbour_weights.sum(axis=1), np.float32).reshape(-1, 1)
    return np.asarray(own * scores + neighbour_weights @ scores, np.float32)


def _learn(vectors: Matrix, given: NDArray[np.float32], scores: NDArray[np.float32], task: Task) -> NDArray[np.float32]:
    """Move categories (C, n) towards the documents of which they have more than half, the more the surer."""
    sums, weight = np.zeros_like(given), np.zeros(len(given))
    for part in blocks(len(vectors)):
        own = np.maximum(0, 2 * _softmax(scores[part]) - 1)  # (B, C)
        sums += own.T @ unit_vectors(block_of(vectors, part))[0]
        weight += own.sum(axis=0)
        task.check()
    share = (_LEARNT * weight / (weight + _WORTH)).astype(np.float32)[:, None]
    return unit_vectors((1 - share) * given + share * unit_vectors(sums)[0])[0]


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(_SHARPNESS * (scores - scores.max(axis=1, keepdims=True)))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def _background(scores: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and deviation (C,) of each category's scores with documents that are not its own.

    Those are taken to be the documents for which two others score higher (one, where there are two). A lone category
    has no rivals: there the lower half of its scores shows the background.
    """
    count, width = scores.shape
    if width == 1:
        low, middle = np.quantile(scores, [0.16, 0.5])
        means, counts = np.array([middle]), np.array([count])
        spreads = np.array([middle - low])
    else:
        rivals = min(2, width - 1)
        foreign = scores < np.partition(scores, width - rivals, axis=1)[:, [width - rivals]]  # (N, C)
        counts = foreign.sum(axis=0)
        sizes = np.maximum(counts, 1)
        centre = (scores * foreign).sum() / max(1, counts.sum())
        means = ((scores * foreign).sum(axis=0) + _USUAL_WEIGHT * centre) / (counts + _USUAL_WEIGHT)
        spreads = np.sqrt((((scores - means) * foreign) ** 2).sum(axis=0) / sizes)
    squares = (counts * spreads**2 + _USUAL_WEIGHT * _USUAL_SPREAD**2) / (counts + _USUAL_WEIGHT)
    return means.astype(np.float64), np.sqrt(squares)


def _membership(scores: NDArray[np.float32], best: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance (N,) that a document belongs to any category: how far it stands out of the background."""
    means, spreads = _background(scores)
    height = (scores[np.arange(len(best)), best] - means[best]) / spreads[best]
    return _chance(_SLOPE * (height - _BORDER))


def _certainty(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the chance (N,) that the winner is right if any is: its lead over the runner-up."""
    if scores.shape[1] < 2:
        return np.ones(len(scores))
    top = np.partition(scores, -2, axis=1)
    lead = (top[:, -1] - top[:, -2]) / _background(scores)[1].mean()
    return _chance(_LEAD_SLOPE * lead + _LEAD_OFFSET)


def _chance(evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(evidence, -30, 30))), np.float64)


def _apply_examples(
    best: NDArray[np.int64],
    membership: NDArray[np.float64],
    certainty: NDArray[np.float64],
    categories: Sequence[Category],
) -> None:
    """Overwrite the labels of the examples with the user's, in place."""
    owners: dict[int, set[int]] = {}
    for index, category in enumerate(categories):
        for row in category.examples:
            owners.setdefault(int(row), set()).add(index)
    for row, places in owners.items():
        if len(places) == 1:
            best[row], membership[row], certainty[row] = next(iter(places)), 1, 1
