"""What clusters, map, outliers and categories are all derived from: documents, their vectors and their graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Task
from explorer.workspace.storage import documents
from explorer.workspace.update.knn_graph import document_graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace


@dataclass(frozen=True, eq=False)
class EncodedDocuments:
    """The encoded documents of a workspace, with one model.

    Attributes:
        model: The model's fingerprint.
        documents: (N,) their ids, ascending.
        vectors: (N, n) of unit length; zeros where a text had nothing to encode.
        graph: The nearest documents of each.
        digests: A digest of the text of each.
    """

    model: str
    documents: NDArray[np.int64]
    vectors: NDArray[np.float32]
    graph: KnnGraph
    digests: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """What a document is known by whatever becomes of its text: its id."""
        return tuple(b"%d" % number for number in self.documents.tolist())

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row of each document."""
        return {number: row for row, number in enumerate(self.documents.tolist())}

    @cached_property
    def state(self) -> str:
        """Differs when other documents are there, or other texts, or another model."""
        told = blake2b(self.model.encode(), digest_size=16)
        told.update(self.documents.tobytes())
        told.update(b"".join(self.digests))
        return told.hexdigest()


def encoded_documents(workspace: Workspace, matrix: VectorTable, *, task: Task | None = None) -> EncodedDocuments:
    """The documents of a matrix with their graph, which is stored if it was not.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    found = document_graph(workspace, matrix, task=task)
    _, vectors = matrix.document_vectors()
    known = documents.digests(workspace.connection)
    # A document that another process removed since keeps its place here, under a digest of nothing.
    digests = tuple(bytes(known.get(number, bytes(16))) for number in found.ids.tolist())
    return EncodedDocuments(matrix.model.fingerprint, found.ids, vectors, found.graph, digests)
