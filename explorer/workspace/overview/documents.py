"""What clusters, map, outliers and categories are all derived from: documents, their vectors and their graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.text.phrases import VERSION, DocumentTerms, read_words
from explorer.analysis.text.tokenize import version
from explorer.analysis.topics.topic_words import TermCounts, count_terms
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Task
from explorer.workspace.storage import documents
from explorer.workspace.storage.array_cache import read_arrays, write_arrays
from explorer.workspace.update.knn_graph import document_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace


_DIGEST = 16  # bytes


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
        return tuple(b"%d" % document_id for document_id in self.documents.tolist())

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row of each document."""
        return {document_id: row for row, document_id in enumerate(self.documents.tolist())}

    @cached_property
    def state(self) -> str:
        """Differs when other documents are there, or other texts, or another model."""
        digest = blake2b(self.model.encode(), digest_size=16)
        digest.update(self.documents.tobytes())
        digest.update(b"".join(self.digests))
        return digest.hexdigest()


def encoded_documents(workspace: Workspace, matrix: VectorTable, *, task: Task | None = None) -> EncodedDocuments:
    """Return the documents of a matrix with their graph, which is stored if it was not.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    graph = document_graph(workspace, matrix, task=task)
    _, vectors = matrix.document_vectors()
    known = documents.digests(workspace.connection)
    # A document that another process removed since keeps its place here, under a digest of nothing.
    digests = tuple(bytes(known.get(document_id, bytes(16))) for document_id in graph.ids.tolist())
    return EncodedDocuments(matrix.model.fingerprint, graph.ids, vectors, graph.graph, digests)


def term_counts(workspace: Workspace, encoded: EncodedDocuments, *, task: Task | None = None) -> TermCounts:
    """Return how often each document has each word and phrase; only texts not seen before are read.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    task = task or Task()
    path, kind = workspace.folder / "words.arrays", f"words {VERSION}, {version()}"
    known, words = _stored(read_arrays(path, kind))
    wanted = list(dict.fromkeys(encoded.digests))
    fresh = [digest for digest in wanted if digest not in known]
    if fresh or len(known) > 2 * len(wanted):
        texts = _Texts(workspace, dict(zip(encoded.digests, encoded.documents.tolist(), strict=True)), fresh)
        stored = [digest for digest in wanted if digest in known]
        words = words.subset([known[digest] for digest in stored]).concatenate(read_words(texts, task))
        known = {digest: row for row, digest in enumerate([*stored, *fresh])}
        if workspace.writable:
            write_arrays(path, kind, _arrays(list(known), words))
    return count_terms(words.subset([known[digest] for digest in encoded.digests]), task)


class _Texts(Sequence[str]):
    """Texts of documents, read from the database as they are iterated over."""

    def __init__(self, workspace: Workspace, ids: Mapping[bytes, int], digests: Sequence[bytes]) -> None:
        self._db, self._ids = workspace.connection, [ids[digest] for digest in digests]

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, row: int) -> str:  # type: ignore[override]
        return next(documents.texts(self._db, [self._ids[row]]))

    def __iter__(self) -> Iterator[str]:
        return documents.texts(self._db, self._ids)


def _arrays(digests: Sequence[bytes], words: DocumentTerms) -> dict[str, NDArray[np.generic]]:
    forms = "\n".join(words.forms).encode("utf-8", "surrogatepass")
    return {
        "digests": np.frombuffer(b"".join(digests), np.uint8),
        "forms": np.frombuffer(forms, np.uint8),
        "tokens": words.tokens,
        "ends": words.ends,
    }


def _stored(arrays: dict[str, NDArray[np.generic]] | None) -> tuple[dict[bytes, int], DocumentTerms]:
    """Return the row of each digest, and the words; nothing where the arrays do not fit together."""
    nothing = dict[bytes, int](), DocumentTerms((), np.zeros(0, np.int32), np.zeros(0, np.int64))
    if arrays is None or set(arrays) != {"digests", "forms", "tokens", "ends"}:
        return nothing
    digests = arrays["digests"].tobytes()
    forms = tuple(arrays["forms"].tobytes().decode("utf-8", "surrogatepass").split("\n"))
    tokens, ends = arrays["tokens"].astype(np.int32), arrays["ends"].astype(np.int64)
    fits = len(digests) == _DIGEST * len(ends) and (not len(ends) or ends[-1] == len(tokens))
    if not fits or tokens.max(initial=-1) >= len(forms) or (np.diff(ends, prepend=0) < 0).any():
        return nothing
    rows = {digests[row * _DIGEST : (row + 1) * _DIGEST]: row for row in range(len(ends))}
    return rows, DocumentTerms(forms, tokens, ends)
