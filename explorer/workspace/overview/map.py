"""The map of a workspace: drawn once and kept; new documents find their place without moving the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.analysis.map.layout import METHODS, FinishedLayout, Method, Picture, layout, trust
from explorer.analysis.map.placement import place_new
from explorer.task import Task
from explorer.workspace.storage import documents
from explorer.workspace.storage.array_cache import read_arrays, write_arrays

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from explorer.workspace.overview.documents import EncodedDocuments
    from explorer.workspace.workspace import Workspace

_KIND = "map 1"
_METHOD = "map method"
_DIGEST = "S16"  # of the text of a document
_ENOUGH = (
    1 / 3
)  # share of the documents that a map was drawn of; on a map of fewer the others have no place of their own


@dataclass(frozen=True, eq=False)
class DocumentMap:
    """The positions of the encoded documents.

    Attributes:
        positions: (N, 2) float32, one row per encoded document.
        trust: (N,) the share of each one's true neighbours that are near it on the map.
        mean_trust: The mean of it.
        method: How the map was drawn.
        finished: False where the drawing was stopped.
        placed: How many documents were placed since it was drawn.
    """

    positions: NDArray[np.float32]
    trust: NDArray[np.float32]
    mean_trust: float
    method: Method
    finished: bool
    placed: int


@dataclass(frozen=True, eq=False)
class _StoredMap:
    """A map and what it shows: documents, the digests of the texts they had, and their places."""

    documents: NDArray[np.int64]
    digests: NDArray[np.bytes_] | None  # not there in maps of earlier versions
    positions: NDArray[np.float32]
    method: Method
    model: str
    finished: bool
    drawn: int


def map_documents(
    workspace: Workspace,
    encoded: EncodedDocuments,
    *,
    method: Method | None = None,
    redraw: bool = False,
    on_picture: Picture | None = None,
    task: Task | None = None,
) -> DocumentMap:
    """Return the map of the documents: the stored one with new and rewritten documents placed on it, or a new one.

    Laid out again if asked, with another method, or with another model; the new map starts from the old one and is
    aligned with it, so that nothing jumps. Where most documents came after the old one was drawn, a new one owes
    nothing to it.

    Args:
        workspace: The workspace.
        encoded: Its documents and their graph.
        method: How to draw; as the last time if absent.
        redraw: Whether to lay out all of it again.
        on_picture: Given the positions (N, 2) as they form, the steps done and the steps in all.
        task: Progress and cancel; a cancelled drawing is kept as far as it came.

    Raises:
        DataError: There are too many documents for the method.
        WorkspaceError: The disk is full.
    """
    task, path = task or Task(), workspace.folder / "map.arrays"
    stored = _read(path)
    saved = workspace.setting(_METHOD)  # outlives the cache
    method = method or (stored.method if stored else METHODS[METHODS.index(saved)] if saved in METHODS else "tsne")
    if workspace.writable and method != (saved or "tsne"):
        workspace.set_setting(_METHOD, method)
    start = None if stored is None else _start(stored, encoded)
    if start is None or stored is None or _is_of_few(stored, start):
        drawn = layout(encoded.graph, encoded.vectors, method=method, on_picture=on_picture, task=task)
        stored = None
    elif redraw or method != stored.method or encoded.model != stored.model:
        drawn = layout(encoded.graph, encoded.vectors, method=method, start=start, on_picture=on_picture, task=task)
        stored = None
    else:
        drawn = FinishedLayout(place_new(encoded.graph, start), method, stored.finished)
    return _save(workspace, path, encoded, drawn, stored)


def kept_map(workspace: Workspace) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
    """Return the documents (N,) of today that lie on the map that is kept, and their places (N, 2); None for no map."""
    stored = _read(workspace.folder / "map.arrays")
    if stored is None:
        return None
    known = documents.ids(workspace.connection)
    there = np.isin(stored.documents, known)
    return stored.documents[there], stored.positions[there]


def kept_positions(folder: Path) -> NDArray[np.float32] | None:
    """Return the places (N, 2) on the map that a workspace's folder keeps; None where it has none yet."""
    stored = _read(folder / "map.arrays")
    return None if stored is None else stored.positions


def _save(
    workspace: Workspace, path: Path, encoded: EncodedDocuments, drawn: FinishedLayout, before: _StoredMap | None
) -> DocumentMap:
    """Store what is new, and measure what is shown; `before` is the map that documents were placed on."""
    count = before.drawn if before else len(encoded)
    if workspace.writable and not (before and _shows(before, encoded)):
        arrays: dict[str, NDArray[Any]] = {
            "documents": encoded.documents,
            "digests": _digests(encoded),
            "positions": drawn.positions,
            "method": np.array(drawn.method),
            "model": np.array(encoded.model),
            "finished": np.array(drawn.finished),
            "drawn": np.array(count),
        }
        write_arrays(path, _KIND, arrays)
    trusted = trust(drawn.positions, encoded.graph)
    placed = max(0, len(encoded) - count)
    return DocumentMap(drawn.positions, trusted.rows, trusted.mean, drawn.method, drawn.finished, placed)


def _digests(encoded: EncodedDocuments) -> NDArray[np.bytes_]:
    return np.array(encoded.digests, _DIGEST)


def _shows(stored: _StoredMap, encoded: EncodedDocuments) -> bool:
    """Return whether a map is of these documents with these texts."""
    return (
        stored.digests is not None
        and np.array_equal(stored.documents, encoded.documents)
        and np.array_equal(stored.digests, _digests(encoded))
    )


def _is_of_few(stored: _StoredMap, start: NDArray[np.float32]) -> bool:
    known = int(np.isfinite(start).all(1).sum())
    return min(stored.drawn, known) < _ENOUGH * len(start)


def _start(stored: _StoredMap, encoded: EncodedDocuments) -> NDArray[np.float32]:
    """Return the stored places (N, 2) of today's documents; NaN for those that have none, or another text since."""
    places = np.full((len(encoded), 2), np.nan, np.float32)
    _, here, there = np.intersect1d(encoded.documents, stored.documents, return_indices=True)
    if stored.digests is not None:
        same = _digests(encoded)[here] == stored.digests[there]
        here, there = here[same], there[same]
    places[here] = stored.positions[there]
    return places


def _read(path: Path) -> _StoredMap | None:
    arrays = read_arrays(path, _KIND)
    try:
        if arrays is None:
            return None
        digests = arrays["digests"].astype(_DIGEST) if "digests" in arrays else None
        stored = _StoredMap(
            arrays["documents"].astype(np.int64),
            digests,
            arrays["positions"].astype(np.float32),
            next(method for method in METHODS if method == str(arrays["method"])),
            str(arrays["model"]),
            bool(arrays["finished"]),
            int(arrays["drawn"]),
        )
    except (KeyError, ValueError, StopIteration, TypeError):
        return None
    fits = stored.positions.shape == (len(stored.documents), 2) and bool(np.isfinite(stored.positions).all())
    fits &= digests is None or digests.shape == stored.documents.shape
    return stored if fits else None
