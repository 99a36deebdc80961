"""What is like what: the documents nearest to some, and those that say the same twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.errors import WorkspaceError
from explorer.index.neighbours import nearest
from explorer.index.pairs import radius_pairs
from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.matrix import Matrix
    from explorer.workspace.workspace import Workspace

Metric = Literal["cosine", "euclidean"]


@dataclass(frozen=True)
class Neighbour:
    """A document near to what was asked for; `score` is a cosine, or a Euclidean distance."""

    document: int
    score: float


@dataclass(frozen=True)
class Place:
    """A document, or a stretch of one."""

    document: int
    start: int
    end: int


@dataclass(frozen=True)
class Duplicates:
    """Texts that are alike.

    Attributes:
        kind: "exact" for the same text, "near" for documents alike, "passage" for passages alike.
        places: Where they stand.
        score: The lowest similarity that joins them, 1 for the same text.
    """

    kind: str
    places: tuple[Place, ...]
    score: float


def neighbours(
    matrix: Matrix, like: Sequence[int] = (), unlike: Sequence[int] = (), *, vector: NDArray[np.float32] | None = None,
    k: int = 10, metric: Metric = "cosine", task: Task | None = None,
) -> list[Neighbour]:  # fmt: skip
    """The documents nearest to the mean of some documents and of a vector, away from others, by the true vectors.

    Raises:
        WorkspaceError: One of the documents is not encoded.
    """
    ids, vectors = matrix.document_vectors()
    places = _places(ids, [*like, *unlike])
    signs = np.array([1.0] * len(like) + [-1.0] * len(unlike), dtype=np.float32)
    aim = (
        (vectors[places] * signs[:, None]).sum(axis=0)
        if len(places)
        else np.zeros(vectors.shape[1], np.float32)
    )
    if vector is not None:
        aim = aim + vector / max(float(np.linalg.norm(vector)), 1e-12)
    aim = aim / max(float(np.linalg.norm(aim)), 1e-12)
    found = nearest(vectors, aim[None].astype(np.float32), k + len(places), metric=metric, task=task)
    asked = {*like, *unlike}
    named = [(int(ids[row]), float(score)) for row, score in zip(found.rows[0], found.scores[0], strict=True)]
    return [Neighbour(document, score) for document, score in named if document not in asked][:k]


def duplicates(
    workspace: Workspace, matrix: Matrix, threshold: float, *, task: Task | None = None
) -> list[Duplicates]:
    """All that stands in the workspace more than once: exactly, nearly, or in single passages.

    A passage group is left out where its documents are already listed as a whole.
    """
    task = task or Task()
    found = _exact(workspace)
    ids, vectors = matrix.document_vectors()
    lengths = dict(workspace.connection.execute("SELECT id, length(text) FROM documents"))
    whole = {place.document for group in found for place in group.places[1:]}
    keep = np.array([document not in whole for document in ids], dtype=np.bool_)
    near = _groups(vectors[keep], ids[keep], threshold, task)
    joined = {frozenset(members) for members, _ in near} | {
        frozenset(p.document for p in g.places) for g in found
    }
    found += [
        Duplicates("near", tuple(Place(int(one), 0, lengths[one]) for one in members), score)
        for members, score in near
    ]
    return found + _passage_groups(workspace, matrix, threshold, joined, task)


def _exact(workspace: Workspace) -> list[Duplicates]:
    rows = workspace.connection.execute(
        "SELECT digest, id, length(text) FROM documents WHERE digest IN "
        "(SELECT digest FROM documents GROUP BY digest HAVING count(*) > 1) ORDER BY digest, id"
    ).fetchall()
    groups: dict[bytes, list[Place]] = {}
    for key, document, length in rows:
        groups.setdefault(key, []).append(Place(document, 0, length))
    return [
        Duplicates("exact", tuple(places), 1.0)
        for places in sorted(groups.values(), key=lambda p: p[0].document)
    ]


def _passage_groups(
    workspace: Workspace, matrix: Matrix, threshold: float, joined: set[frozenset[int]], task: Task
) -> list[Duplicates]:
    spans = {
        passage: Place(document, start, stop)
        for passage, document, start, stop in workspace.connection.execute(
            "SELECT id, document, start, stop FROM passages"
        )
    }
    vectors = np.asarray(matrix.vectors[matrix.rows], dtype=np.float16)
    groups = []
    for members, score in _groups(vectors, matrix.passages, threshold, task):
        places = tuple(spans[passage] for passage in members)
        documents = frozenset(place.document for place in places)
        if len(documents) > 1 and not any(documents <= known for known in joined):
            groups.append(Duplicates("passage", places, score))
    return groups


def _groups(
    vectors: NDArray[np.floating], names: NDArray[np.int64], threshold: float, task: Task
) -> list[tuple[tuple[int, ...], float]]:
    """Sets of rows joined by pairs above the threshold, with the lowest score that joined each; best first."""
    pairs = radius_pairs(vectors, threshold, task=task)
    parent = np.arange(len(vectors))

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = int(parent[row])
        return row

    lowest: dict[int, float] = {}
    for (first, second), score in zip(pairs.rows, pairs.scores, strict=True):  # best first
        one, two = root(int(first)), root(int(second))
        if one != two:
            parent[max(one, two)] = min(one, two)
            lowest[min(one, two)] = float(score)
    members: dict[int, list[int]] = {}
    for row in np.unique(pairs.rows):
        members.setdefault(root(int(row)), []).append(int(names[row]))
    groups = [(tuple(rows), lowest[top]) for top, rows in members.items()]
    return sorted(groups, key=lambda group: (-group[1], group[0]))


def _places(ids: NDArray[np.int64], documents: Sequence[int]) -> NDArray[np.int64]:
    places = np.searchsorted(ids, documents)
    for place, document in zip(places, documents, strict=True):
        if place >= len(ids) or ids[place] != document:
            raise WorkspaceError(f"Document {document} is not encoded yet. Wait for the update to finish.")
    return np.asarray(places, dtype=np.int64)
