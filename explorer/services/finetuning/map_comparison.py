"""Compare two models on the same documents: a map of each, and how every document's neighbours changed.

Runs in a worker, takes values and returns values.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.services.finetuning.jobs import device_of, opened
from explorer.services.finetuning.requests import TrainingRequest
from explorer.task import Task

if TYPE_CHECKING:
    from explorer.analysis.vectors.knn_graph import KnnGraph

_BEGINNING = 2000  # characters of a document that are read, as many as the neighbours were compared by
DEPTH = 10  # neighbours compared


@dataclass(frozen=True, eq=False)
class MapComparison:
    """N documents before and after.

    Attributes:
        documents: (N,) their ids.
        before: (N, 2) places on the map before.
        after: (N, 2) places after, drawn from the same start so that what stayed is found again.
        near_before: (N, k) rows of the nearest before, -1 where there are fewer.
        near_after: (N, k) rows of the nearest after.
        kept_share: (N,) share of its nearest that each kept.
    """

    documents: NDArray[np.int64]
    before: NDArray[np.float32]
    after: NDArray[np.float32]
    near_before: NDArray[np.int32]
    near_after: NDArray[np.int32]
    kept_share: NDArray[np.float64]


def compare(
    order: TrainingRequest,
    trained: Path,
    documents: tuple[int, ...],
    known: tuple[NDArray[np.int64], NDArray[np.float32]] | None,
    task: Task,
) -> MapComparison | None:
    """Draw both maps; None if there are too few documents, or no vectors.

    Args:
        order: The training.
        trained: The model that came of it.
        documents: Which documents to show.
        known: The map of the window, documents (M,) and places (M, 2), from which both maps begin.
        task: Progress and cancel.

    Raises:
        ExplorerError: A model or the workspace cannot be used.
        Cancelled: The task was cancelled.
    """
    from explorer.analysis.map.layout import layout
    from explorer.services.finetuning.sources import model_folder

    if order.recipe.kind != "bi" or len(documents) < 3:
        return None
    document_ids = np.asarray(documents, np.int64)
    texts = _texts(order.workspace, documents)
    base = order.base or model_folder(order.recipe.base, order.root)
    graphs, vectors = [], []
    for folder in (base, trained):
        vectors.append(_encoded(order, folder, texts, task))
        graphs.append(_graph(vectors[-1], task))
    start = None if known is None else _places(document_ids, *known)
    if start is not None and np.isnan(start).all():
        start = None
    if start is None:
        start = layout(graphs[0], vectors[0], task=task.silent()).positions
    # Both from one start and in one way: what stands elsewhere does so for the model's sake.
    before, after = (
        layout(graph, rows, start=start, task=task.silent()).positions
        for graph, rows in zip(graphs, vectors, strict=True)
    )
    task.check()
    near = [graph.rows[:, :DEPTH] for graph in graphs]
    return MapComparison(document_ids, before, after, near[0], near[1], _shares_kept(near[0], near[1]))


def _texts(workspace: Path | None, documents: tuple[int, ...]) -> list[str]:
    with opened(workspace) as reading:
        return [] if reading is None else [reading.text(document_id)[:_BEGINNING] for document_id in documents]


def _encoded(order: TrainingRequest, folder: Path, texts: list[str], task: Task) -> NDArray[np.float32]:
    from explorer.models.bi_encoder import BiEncoder

    model = BiEncoder.open(folder, device_of(order))
    return np.asarray(model.encode(texts, role="document", task=task).whole(), np.float32)


def _graph(vectors: NDArray[np.floating], task: Task) -> KnnGraph:
    from explorer.analysis.vectors.knn_graph import build

    return build(vectors, task=task.silent())


def _places(
    document_ids: NDArray[np.int64], documents: NDArray[np.int64], positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the positions (N, 2) of documents on a map; NaN for those that are not on it."""
    positions = np.full((len(document_ids), 2), np.nan, np.float32)
    _, here, there = np.intersect1d(document_ids, documents, return_indices=True)
    positions[here] = positions[there]
    return positions


def _shares_kept(before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.float64]:
    same = (before[:, :, None] == after[:, None, :]) & (before[:, :, None] >= 0)
    there = np.maximum(1, (before >= 0).sum(axis=1))
    return np.asarray(same.any(axis=2).sum(axis=1) / there, np.float64)
