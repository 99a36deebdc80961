"""The vectors of a workspace in the shape that searching needs: which row belongs to which passage and document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from explorer.workspace.workspace import Model, Workspace


@dataclass(frozen=True)
class Matrix:
    """The encoded passages of one model, in the order of documents and places.

    Attributes:
        model: The model.
        vectors: All its vectors, memory-mapped, (R, n); one row may serve several passages.
        passages: Ids of the passages, (P,).
        documents: The document of each passage, (P,).
        rows: The row of each passage in `vectors`, (P,).
        lengths: Characters of each passage, (P,).
    """

    model: Model
    vectors: NDArray[np.float16]
    passages: NDArray[np.int64]
    documents: NDArray[np.int64]
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def document_vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """A vector a document: the mean of its passages' vectors weighted by their lengths, scaled to length 1.

        Returns:
            Ids of the documents, (D,), and their vectors, (D, n).
        """
        ids = np.unique(self.documents)
        if len(ids) == 0:
            return ids, np.zeros((0, self.model.dimension), dtype=np.float32)
        sums = np.zeros((len(ids), self.model.dimension), dtype=np.float32)
        places = np.searchsorted(ids, self.documents)
        for start in range(0, len(self.rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            weighted = self.vectors[self.rows[part]].astype(np.float32) * self.lengths[part, None]
            np.add.at(sums, places[part], weighted)
        return ids, sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)


_BLOCK = 65_536


def load(workspace: Workspace, fingerprint: str | None = None) -> Matrix:
    """The vectors of a model, or of the best model that covers the most passages.

    Raises:
        WorkspaceError: There are no vectors (of that model) yet.
    """
    models = [model for model in workspace.models() if fingerprint in (None, model.fingerprint)]
    if not models:
        raise WorkspaceError(f"{workspace.folder}: nothing is encoded yet. Index the folder first.")
    if fingerprint is None:
        counts = {model.id: _count(workspace.connection, model) for model in models}
        models.sort(key=lambda model: (-counts[model.id], model.kind == "draft"))
    model = models[0]
    rows = workspace.connection.execute(
        "SELECT p.id, p.document, v.row, p.stop - p.start FROM passages p "
        "JOIN vectors v ON v.model = ? AND v.digest = p.digest ORDER BY p.document, p.place",
        (model.id,),
    ).fetchall()
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 4)
    vectors = workspace.vector_file(model).open()
    return Matrix(model, vectors, *(np.ascontiguousarray(column) for column in table.T))


def _count(connection: sqlite3.Connection, model: Model) -> int:
    found = connection.execute(
        "SELECT count(*) FROM passages p JOIN vectors v ON v.model = ? AND v.digest = p.digest", (model.id,)
    ).fetchone()
    return int(found[0])
