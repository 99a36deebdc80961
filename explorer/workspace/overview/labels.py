"""The cluster and the category of each document as last computed: what queries and facets ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.workspace.storage.array_cache import read_arrays, write_arrays

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from explorer.workspace.workspace import Workspace

LabelKind = Literal["clusters", "categories"]
_VERSION = "labels 1"


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
