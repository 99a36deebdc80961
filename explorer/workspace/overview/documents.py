"""What clusters, map and categories are derived from (documents, vectors, graph, words), and the labels last given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

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
    from pathlib import Path

    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace


_DIGEST = 16  # bytes
LabelKind = Literal["clusters", "categories"]
_VERSION = "labels 1"


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
    vectors: NDArray[np.floating]
    graph: KnnGraph
    digests: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """What identifies a document whatever becomes of its text: its id."""
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


@dataclass(frozen=True, eq=False)
class DocumentLabels:
    """A label for each document.

    Attributes:
        documents: Their ids, ascending, (N,).
        codes: The index of each document's label in `names`, -1 for none, (N,).
        names: The labels.
        confidence: How likely each label is right, 0..1, (N,); empty where that is not known.
    """

    documents: NDArray[np.int64]
    codes: NDArray[np.int32]
    names: tuple[str, ...]
    confidence: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def by_document(self) -> dict[int, str]:
        """Return the label of each document that has one."""
        named = np.flatnonzero(self.codes >= 0)
        codes = self.codes[named].tolist()
        return {
            document: self.names[code] for document, code in zip(self.documents[named].tolist(), codes, strict=True)
        }


def cluster_labels(documents: NDArray[np.int64], labels: NDArray[np.int32], names: Mapping[int, str]) -> DocumentLabels:
    """Return clusters, by id, as labels; those without a name are called by their id."""
    ids, codes = np.unique(labels, return_inverse=True)
    known = ids >= 0
    shift = int((~known).sum())
    return DocumentLabels(
        documents,
        np.maximum(codes.astype(np.int32) - shift, -1),
        tuple(" ".join(names.get(cluster_id, "").split()) or f"#{cluster_id}" for cluster_id in ids[known].tolist()),
    )


def labels_file(workspace: Workspace, kind: LabelKind) -> Path:
    """Return the file of labels, whose time of change tells when they changed."""
    return workspace.folder / f"{kind}.arrays"


def save_labels(workspace: Workspace, kind: LabelKind, labels: DocumentLabels) -> None:
    """Save labels instead of the last ones; nothing where the workspace may not be written.

    Raises:
        WorkspaceError: The disk is full.
    """
    if not workspace.writable:
        return
    names = np.frombuffer("\n".join(labels.names).encode("utf-8", "surrogatepass"), np.uint8)
    write_arrays(
        labels_file(workspace, kind),
        f"{kind} {_VERSION}",
        {
            "documents": labels.documents,
            "codes": labels.codes,
            "names": names,
            "count": np.array(len(labels.names)),
            "confidence": labels.confidence,
        },
    )


def load_labels(workspace: Workspace, kind: LabelKind) -> DocumentLabels | None:
    """Return the labels as last computed; None where there are none."""
    stored = read_arrays(labels_file(workspace, kind), f"{kind} {_VERSION}")
    if stored is None or set(stored) != {"documents", "codes", "names", "count", "confidence"}:
        return None
    names: Sequence[str] = stored["names"].tobytes().decode("utf-8", "surrogatepass").split("\n")
    names = names[: int(stored["count"])]
    documents, codes = stored["documents"].astype(np.int64), stored["codes"].astype(np.int32)
    if len(documents) != len(codes) or codes.max(initial=-1) >= len(names):
        return None
    return DocumentLabels(documents, codes, tuple(names), stored["confidence"].astype(np.float32))
