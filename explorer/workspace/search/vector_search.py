"""Find the passages nearest to a vector: by comparing all, or by an HNSW graph for large folders."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from explorer import disk
from explorer.analysis.vectors import exact as vectors_exact
from explorer.analysis.vectors.hnsw import HnswIndex
from explorer.errors import DataError
from explorer.task import Task
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import StoredModel, VectorTable
    from explorer.workspace.workspace import Workspace


TAIL = 20_000  # rows that may be missing from the graph; they are looked at one by one
_PROBES = 64  # rows by which a graph is tried
_SAME = 1 - 1e-6
Loaded = TypeVar("Loaded")

# The cosine to expect of the bundled model, given that of its draft: on 40 questions and 500 passages of MS MARCO the
# line over all pairs is -0.04 + 0.62 x, over the 20 that the draft ranks first -0.22 + 1.33 x. It is what to start
# from; the passages of the folder that are encoded count more with every one.
_OFFSET, _SLOPE = -0.1, 1.0
_PRIOR = 40.0  # passages that the start is worth
_SAMPLE = 400  # encoded passages by which a query is calibrated
SLOW, PATIENCE = 0.1, 20  # seconds; what took longer to load is not loaded again for as many times as long


@dataclass(frozen=True)
class VectorHits:
    """Passages with their cosines, nearest first, and whether every vector was compared."""

    passages: list[tuple[int, float]]
    exact: bool = True


class VectorSearch:
    """Searches one matrix.

    Attributes:
        matrix: The vectors.
        graph: The graph over them, or over all but the last; None where there is none.
    """

    def __init__(self, matrix: VectorTable, graph: HnswIndex | None = None) -> None:
        self.matrix = matrix
        self.graph = graph
        self._asked = 0

    def nearest(
        self,
        query_vector: NDArray[np.float32],
        k: int,
        *,
        allowed: Collection[int] | None = None,
        task: Task | None = None,
    ) -> VectorHits:
        """Return the passages of the k rows nearest to a vector (n,), of the allowed documents.

        Raises:
            Cancelled: The task was cancelled.
        """
        task, table = (task or Task()).silent(), self.matrix
        places, rows = table.by_row, table.live
        if allowed is not None:
            places = places[np.isin(table.documents[places], np.fromiter(allowed, np.int64, len(allowed)))]
            rows = vectors_exact.distinct(table.rows[places])
        if len(rows) == 0:
            return VectorHits([])
        if allowed is None and self.graph is not None:
            nearest_rows, scores = self._by_graph(self.graph, query_vector, k, task)
        else:
            nearest_rows, scores = self._by_all(query_vector, k, rows, task)
        self._asked += 1
        here = table.rows[places] if allowed is not None else table.rows_in_order
        first, end = np.searchsorted(here, nearest_rows), np.searchsorted(here, nearest_rows, side="right")
        passages = [
            (int(table.passages[row]), float(score))
            for start, stop, score in zip(first, end, scores, strict=True)
            for row in places[start:stop]
        ]
        return VectorHits(passages, exact=allowed is not None or self.graph is None)

    def _by_all(
        self, query_vector: NDArray[np.float32], k: int, rows: NDArray[np.int64], task: Task
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        table = self.matrix
        # For a single query measuring all rows costs more than it saves.
        lengths = table.row_lengths if self._asked else None
        others = len(table.vectors) - len(rows)
        if others > k:
            hits = vectors_exact.nearest(table.vectors, query_vector[None], k, rows=rows, lengths=lengths, task=task)
            return hits.rows[0], hits.scores[0]
        hits = vectors_exact.nearest(table.vectors, query_vector[None], k + others, lengths=lengths, task=task)
        stay = among(hits.rows[0], rows)
        return hits.rows[0][stay][:k], hits.scores[0][stay][:k]

    def _by_graph(
        self, graph: HnswIndex, query_vector: NDArray[np.float32], k: int, task: Task
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        table = self.matrix
        spare = min(k, len(table.vectors) - len(table.live))
        hits = graph.nearest(table.vectors, query_vector[None], k + spare, task=task)
        rows, scores = hits.rows[0], hits.scores[0]
        tail = table.live[np.searchsorted(table.live, len(graph)) :]
        if len(tail):
            late = vectors_exact.nearest(table.vectors, query_vector[None], k, rows=tail, task=task)
            rows, scores = np.concatenate([rows, late.rows[0]]), np.concatenate([scores, late.scores[0]])
        stay = among(rows, table.live)
        rows, scores = rows[stay], scores[stay]
        best = np.lexsort((rows, -scores))[:k]
        return rows[best], scores[best]


def among(rows: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows are among others; of few rows in a million it takes a hundredth of the time of `np.isin`."""
    if not len(ascending):
        return np.zeros(len(rows), bool)
    at = np.minimum(np.searchsorted(ascending, rows), len(ascending) - 1)
    are_among: NDArray[np.bool_] = ascending[at] == rows
    return are_among


def hnsw_file(workspace: Workspace, model: StoredModel) -> Path:
    """Return the file of the HNSW index over a model's vectors."""
    return workspace.vector_file(model).path.with_suffix(".usearch")


def open_hnsw(path: Path, matrix: VectorTable) -> HnswIndex | None:
    """Return the graph of a file, memory-mapped; None where it is missing, damaged, of other vectors, or too old."""
    if vectors_exact.choose(len(matrix.vectors)) == "exact" or not path.is_file():
        return None
    graph = _opened(path, matrix, mapped=True)
    return graph if graph is not None and len(matrix.vectors) - len(graph) <= TAIL else None


def build_hnsw(path: Path, matrix: VectorTable, *, task: Task | None = None) -> HnswIndex | None:
    """Build the graph of a file, or bring it up to date with new rows; None where too few rows need one.

    Raises:
        Cancelled: The task was cancelled; the file is as it was.
    """
    count = len(matrix.vectors)
    if vectors_exact.choose(count) == "exact":
        return None
    graph = _opened(path, matrix, mapped=False) if path.is_file() else None
    if graph is None:
        graph = HnswIndex.build(matrix.vectors, task=task)
    elif len(graph) < count:
        graph.add(matrix.vectors, np.arange(len(graph), count), task=task)
    else:
        return _opened(path, matrix, mapped=True) or graph
    try:
        disk.make_folder(path.parent)
        graph.save(path)
        disk.close(path)
    except (OSError, RuntimeError):
        return graph  # it serves as long as this process runs, and the next one builds its own
    return _opened(path, matrix, mapped=True) or graph


def _opened(path: Path, matrix: VectorTable, *, mapped: bool) -> HnswIndex | None:
    try:
        graph = HnswIndex.open(path, mapped=mapped)
        return graph if _fits(graph, matrix) else None
    except DataError:
        return None


def _fits(graph: HnswIndex, matrix: VectorTable) -> bool:
    """Return whether a graph is one over these vectors: nearly all rows of a sample are their own nearest."""
    if not 0 < len(graph) <= len(matrix.vectors):
        return False
    sample = np.unique(np.linspace(0, len(graph) - 1, _PROBES).astype(np.int64))
    try:
        hits = graph.nearest(matrix.vectors, matrix.vectors[sample].astype(np.float32), 1)
    except (RuntimeError, ValueError, IndexError):
        return False
    return bool((hits.scores[:, 0] > _SAME).mean() > 0.9)


class Reloaded(Generic[Loaded]):
    """A part of a workspace that is reloaded when the workspace has changed.

    While a folder is encoded it changes every few seconds; what takes long to load is then a little behind, so that
    a search does not wait.
    """

    def __init__(self, load: Callable[[], Loaded], token: Callable[[], object]) -> None:
        self._load, self._token = load, token
        self._loaded_for: object = None
        self._value: Loaded | None = None
        self._took = self._at = 0.0

    def get(self) -> Loaded:
        """Return it, loaded again if that is due."""
        now, began = self._token(), time.monotonic()
        behind = self._took > SLOW and began - self._at < PATIENCE * self._took
        if self._value is None or (now != self._loaded_for and not behind):
            self._value = self._load()
            self._loaded_for, self._at = now, time.monotonic()
            self._took = self._at - began
        return self._value


class DraftSearch:
    """Searches the draft's vectors.

    Attributes:
        search: The search among them.
    """

    def __init__(self, matrix: VectorTable) -> None:
        self.search = VectorSearch(matrix)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.search.matrix.passages, kind="stable")

    def nearest(
        self,
        query: NDArray[np.float32],
        asked: NDArray[np.float32],
        k: int,
        real: VectorTable | None,
        *,
        allowed: Collection[int] | None,
        task: Task,
    ) -> VectorHits:
        """Return the passages without a vector of the model that are nearest to a query, with the cosines to expect.

        Args:
            query: The model's vector of the query, (n,).
            asked: The draft's, (m,).
            k: How many.
            real: The vectors of the model; None where it has none yet.
            allowed: The documents to search in; None for all.
            task: Cancel.
        """
        known = np.zeros(0, np.int64) if real is None else real.passages
        hits = self.search.nearest(asked, k + min(k, len(known)), allowed=allowed, task=task)
        ids = np.array([passage for passage, _ in hits.passages], np.int64)
        scores = np.array([score for _, score in hits.passages], np.float32)
        fresh = ~np.isin(ids, known)
        offset, slope = self._calibrate(query, asked, real)
        expected = np.clip(offset + slope * scores[fresh][:k], -1.0, 1.0)
        return VectorHits(list(zip(ids[fresh][:k].tolist(), expected.tolist(), strict=True)))

    def _calibrate(
        self, query: NDArray[np.float32], asked: NDArray[np.float32], real: VectorTable | None
    ) -> tuple[float, float]:
        """Return offset and slope by which the draft's cosine gives the one to expect of the model, for one query."""
        matrix = self.search.matrix
        if real is None or not len(real.passages):
            return _OFFSET, _SLOPE
        # Half of the sample are the passages that the model finds nearest: those are what a draft competes with.
        rows = np.linspace(0, len(real.passages) - 1, min(len(real.passages), 10 * _SAMPLE)).astype(np.int64)
        rows = np.unique(rows)
        cosines = unit(real.vectors[real.rows[rows]]) @ query
        best = np.argsort(-cosines)[: _SAMPLE // 2]
        some = np.unique(np.concatenate([best, np.linspace(0, len(rows) - 1, _SAMPLE // 2).astype(np.int64)]))
        ids = real.passages[rows[some]]
        at = np.minimum(np.searchsorted(matrix.passages[self._order], ids), len(matrix.passages) - 1)
        places = self._order[at]
        both = matrix.passages[places] == ids
        if not both.any():
            return _OFFSET, _SLOPE
        x = unit(matrix.vectors[matrix.rows[places[both]]]) @ asked
        y = cosines[some][both]
        # Ridge regression towards the start: x and y are about as long as cosines are.
        weight = _PRIOR / (_PRIOR + len(x))
        centre_x, centre_y = float(x.mean()), float(y.mean())
        spread = float(((x - centre_x) ** 2).sum())
        slope = float(((x - centre_x) * (y - centre_y)).sum() + _PRIOR * 0.02 * _SLOPE) / (spread + _PRIOR * 0.02)
        slope = min(max(slope, 0.0), 1.5)
        offset = weight * _OFFSET + (1 - weight) * (centre_y - slope * centre_x)
        return offset, slope
