"""The kNN graph of a workspace's documents: stored beside its vectors, and updated rather than built again.

The file says of each row which document it is and which vector it had, so that whatever happened since, it is known
which rows still hold. What cannot be read is computed again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.analysis.vectors.knn_graph import K, KnnGraph, build, update_rows
from explorer.task import Progress, Task
from explorer.workspace.storage.array_cache import read_arrays, write_arrays
from explorer.workspace.storage.vectors import table as matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import StoredModel, VectorTable
    from explorer.workspace.workspace import Workspace

NOTE = "graph"
log = logging.getLogger(__name__)
_FILE_KIND = "graph 1"
_KEY = 8  # bytes of the digest of a vector


@dataclass(frozen=True, eq=False)
class DocumentGraph:
    """The nearest documents of every encoded document.

    Attributes:
        ids: (N,) the documents, ascending.
        graph: Their neighbours; row i is document `ids[i]`.
    """

    ids: NDArray[np.int64]
    graph: KnnGraph


@dataclass(frozen=True, eq=False)
class _StoredGraph:
    """A graph and what it was made of.

    Attributes:
        graph: The graph.
        ids: (N,) what its rows are.
        keys: (N,) uint64, digests of the vectors.
        state: The state of the matrix they came from.
    """

    graph: KnnGraph
    ids: NDArray[np.int64]
    keys: NDArray[np.uint64]
    state: str


def document_graph(workspace: Workspace, matrix: VectorTable, *, k: int = K, task: Task | None = None) -> DocumentGraph:
    """Return the nearest documents of every document of a matrix, computing only what is not known yet.

    The writer of the workspace also stores the graph there.

    Raises:
        Cancelled: The task was cancelled; what was stored stays.
        WorkspaceError: The disk is full; what was stored stays.
    """
    stored = _read(graph_file(workspace, matrix.model))
    return _current(workspace, matrix, stored, k, task or Task())


def update_graph(workspace: Workspace, fingerprint: str, task: Task) -> None:
    """Bring the stored graph of a model's documents up to date; read no vector if nothing changed.

    Raises:
        Cancelled: The task was cancelled; what was stored stays.
        WorkspaceError: The disk is full; what was stored stays.
    """
    matrix = matrices.load(workspace, fingerprint)
    stored = _read(graph_file(workspace, matrix.model))
    if stored is None or stored.state != _state(matrix):
        _current(workspace, matrix, stored, K, task)
        log.info("updated the neighbour graph of %s", matrix.model.name)


def graph_file(workspace: Workspace, model: StoredModel, *, passages: bool = False) -> Path:
    """Return the file of the graph of a model's documents; earlier versions also stored one of its passages."""
    return workspace.folder / "graphs" / f"{model.id}{'-passages' if passages else ''}.graph"


def _current(
    workspace: Workspace, matrix: VectorTable, stored: _StoredGraph | None, k: int, task: Task
) -> DocumentGraph:
    """Return the graph of today, from the stored one as far as that goes; stored in turn if it may be."""
    ids, vectors = matrix.document_vectors()
    keys, state = _keys(vectors, task), _state(matrix)
    unchanged = np.full(len(ids), -1) if stored is None else _unchanged_rows(stored, ids, keys)
    # As wide as it was, so that two callers who want more and fewer neighbours do not take turns in computing it.
    width = max(k, stored.graph.rows.shape[1]) if stored else k
    if stored and len(stored.ids) == len(ids) and width == stored.graph.rows.shape[1] and _in_place(unchanged):
        graph = stored.graph
    else:
        subtask = Task(lambda progress: _tell(task, progress))
        task.report(0, len(ids), NOTE)
        graph = (
            update_rows(stored.graph, vectors, unchanged, width, task=subtask)
            if stored
            else build(vectors, width, task=subtask)
        )
    if workspace.writable and (stored is None or graph is not stored.graph or state != stored.state):
        _store(graph_file(workspace, matrix.model), _StoredGraph(graph, ids, keys, state))
    return DocumentGraph(ids, graph.narrowed(k))


def _tell(task: Task, progress: Progress) -> None:
    task.report(progress.done, progress.total, NOTE)


def _in_place(unchanged: NDArray[np.int64]) -> bool:
    return bool((unchanged == np.arange(len(unchanged))).all())


def _unchanged_rows(stored: _StoredGraph, ids: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the stored row of each id (N,) that still has the same vector; -1 for the others."""
    if not len(stored.ids):
        return np.full(len(ids), -1)
    order = np.argsort(stored.ids, kind="stable")
    row = order[np.minimum(np.searchsorted(stored.ids, ids, sorter=order), len(order) - 1)]
    return np.where((stored.ids[row] == ids) & (stored.keys[row] == keys), row, -1)


def _keys(vectors: NDArray[Any], task: Task) -> NDArray[np.uint64]:
    """Return a digest of each vector, (N,)."""
    digests = bytearray()
    for start in range(0, len(vectors), 4096):
        task.check()
        for row in np.ascontiguousarray(vectors[start : start + 4096]):
            digests += blake2b(row.data, digest_size=_KEY).digest()
    return np.frombuffer(bytes(digests), dtype="<u8")


def _state(matrix: VectorTable) -> str:
    """Return a value that differs for another model, other passages, or other rows in the vector file."""
    digest = blake2b(matrix.model.fingerprint.encode("utf-8", "surrogatepass"), digest_size=16)
    for column in (matrix.passages, matrix.documents, matrix.rows, matrix.lengths):
        digest.update(column.data)
    return digest.hexdigest()


def _read(path: Path) -> _StoredGraph | None:
    """Return the graph of a file; None where it is missing or damaged, or of a later version."""
    arrays = read_arrays(path, _FILE_KIND)
    if arrays is None:
        return None
    try:
        graph = KnnGraph(arrays["rows"], arrays["scores"], bool(arrays["exact"]))
        stored = _StoredGraph(graph, arrays["ids"], arrays["keys"], str(arrays["state"]))
    except (ValueError, KeyError):
        return None
    return stored if _sound(stored) else None


def _sound(stored: _StoredGraph) -> bool:
    """Return whether the parts have the shapes and types that they must have, and name only rows that are there."""
    graph, count = stored.graph, len(stored.ids) if stored.ids.ndim else -1
    parts: tuple[tuple[NDArray[Any], type, int], ...] = (
        (graph.rows, np.int32, 2),
        (graph.scores, np.float32, 2),
        (stored.ids, np.int64, 1),
        (stored.keys, np.uint64, 1),
    )
    if any(part.dtype != kind or part.ndim != axes or len(part) != count for part, kind, axes in parts):
        return False
    if graph.rows.shape != graph.scores.shape or len(np.unique(stored.ids)) != count:
        return False
    inside = (graph.rows >= -1) & (graph.rows < count)
    return bool(inside.all() and np.isfinite(graph.scores).all())


def _store(path: Path, stored: _StoredGraph) -> None:
    graph = stored.graph
    arrays: dict[str, NDArray[Any]] = {
        "ids": stored.ids,
        "keys": stored.keys,
        "rows": graph.rows,
        "scores": graph.scores,
        "exact": np.array(graph.exact),
        "state": np.array(stored.state),
    }
    write_arrays(path, _FILE_KIND, arrays)
