"""What is like what: the documents nearest to some, and those that say the same twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.analysis.search.fusion import EVERY_LANGUAGE
from explorer.analysis.vectors.exact import nearest
from explorer.analysis.vectors.similar_pairs import radius_pairs
from explorer.errors import WorkspaceError
from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.search.vector_search import VectorSearch
    from explorer.workspace.storage.vector_table import VectorTable
    from explorer.workspace.workspace import Workspace

Metric = Literal["cosine", "euclidean"]
# Languages that `language.language` never calls "latin".
_OTHER_SCRIPTS = frozenset(
    "en ko ja zh ru uk el hy he ar fa hi bn pa gu or ta te kn ml si th lo bo my ka am km mn".split()  # noqa: SIM905
)
_STRIP = 1024


@dataclass(frozen=True)
class Neighbour:
    """A document near to what was asked for; `score` is a cosine, or a Euclidean distance."""

    document: int
    score: float


@dataclass(frozen=True)
class PassageLocation:
    """A document, or a stretch of one."""

    document: int
    start: int
    end: int


@dataclass(frozen=True)
class NearPassage:
    """A passage near to another, with its text; `score` is a cosine."""

    place: PassageLocation
    text: str
    score: float


@dataclass(frozen=True)
class Duplicates:
    """Texts that are alike.

    Attributes:
        kind: "exact" for the same text, "near" for documents alike, "passage" for passages alike.
        places: Where they stand; the first is alike to all the others.
        score: The lowest similarity of any two of them, 1 for the same text.
    """

    kind: str
    places: tuple[PassageLocation, ...]
    score: float


@dataclass(frozen=True)
class DuplicateGroups:
    """What stands in a workspace more than once.

    Attributes:
        groups: The texts that are alike, exact ones first.
        left_out: Documents that were compared only as they stand, because the model cannot read their language.
    """

    groups: tuple[Duplicates, ...]
    left_out: int = 0


def neighbours(
    matrix: VectorTable,
    like: Sequence[int] = (),
    unlike: Sequence[int] = (),
    *,
    vector: NDArray[np.float32] | None = None,
    k: int = 10,
    metric: Metric = "cosine",
    task: Task | None = None,
) -> list[Neighbour]:
    """The documents nearest to the mean of some documents and of a vector, away from others, by the true vectors.

    Raises:
        WorkspaceError: One of the documents is not encoded.
    """
    aim = np.zeros(matrix.model.dimension, np.float32)
    for sign, documents in ((1, like), (-1, unlike)):
        for document in documents:
            aim += sign * matrix.document_vector(document)
    if vector is not None:
        aim += vector / max(float(np.linalg.norm(vector)), 1e-12)
    aim /= max(float(np.linalg.norm(aim)), 1e-12)
    ids, vectors = matrix.document_vectors()
    asked = {*like, *unlike}
    found = nearest(vectors, aim[None], k + len(asked), prepared=matrix.prepared_documents, task=task)
    scores = found.scores[0].astype(np.float64)
    if metric == "euclidean":
        # Both sides have unit length, so the order is the cosine's: |a - b|² = 2 - 2 cos(a, b).
        scores = np.sqrt(np.maximum(0.0, 2 - 2 * scores))
    named = [(int(ids[row]), float(score)) for row, score in zip(found.rows[0], scores, strict=True)]
    return [Neighbour(document, score) for document, score in named if document not in asked][:k]


def passage_neighbours(
    workspace: Workspace,
    nearby: VectorSearch,
    document: int,
    start: int,
    *,
    k: int = 10,
    task: Task | None = None,
) -> tuple[list[NearPassage], bool]:
    """The passages of other documents nearest to the one at a character of a document.

    Returns:
        The passages, nearest first, and whether every vector was looked at.

    Raises:
        WorkspaceError: The document has no encoded passage there.
    """
    row = workspace.connection.execute(
        "SELECT id FROM passages WHERE document = ? AND stop > ? ORDER BY place LIMIT 1", (document, start)
    ).fetchone()
    matrix = nearby.matrix
    here = np.flatnonzero(matrix.passages == (row[0] if row and start >= 0 else -1))
    if len(here) == 0:
        raise WorkspaceError(
            f"Document {document} has no encoded passage at character {start}. Give a place within its text."
        )
    aim = matrix.vectors[matrix.rows[here[0]]].astype(np.float32)
    own = {int(one) for one in matrix.passages[matrix.documents == document]}
    near = nearby.nearest(aim, k + len(own), task=task)
    told = (
        _near_passage(workspace, passage, score) for passage, score in near.passages if passage not in own
    )
    return list(islice((one for one in told if one is not None), k)), near.exact


def duplicates(
    workspace: Workspace,
    matrix: VectorTable,
    threshold: float,
    *,
    languages: Collection[str] = (),
    task: Task | None = None,
) -> DuplicateGroups:
    """All that stands in the workspace more than once: exactly, nearly, or in single passages.

    A passage group is left out where its documents are already listed as a whole.

    Args:
        workspace: The workspace.
        matrix: The vectors of its passages.
        threshold: The cosine from which two texts are alike.
        languages: What the model reads; empty for all. Texts in others are compared only as they stand.
        task: Progress and cancel.
    """
    task = task or Task()
    found = _exact(workspace)
    ids, vectors = matrix.document_vectors()
    told = workspace.connection.execute("SELECT id, length(text), language FROM documents").fetchall()
    lengths = {number: length for number, length, _ in told}
    foreign = {number for number, _, spoken in told if not reads(languages, spoken)}
    whole = {place.document for group in found for place in group.places[1:]}
    keep = np.array([one in lengths and one not in whole | foreign for one in ids.tolist()], dtype=np.bool_)
    near = _groups(vectors[keep], ids[keep], threshold, task)
    joined = {frozenset(members) for members, _ in near} | {
        frozenset(place.document for place in group.places) for group in found
    }
    found += [
        Duplicates("near", tuple(PassageLocation(one, 0, lengths[one]) for one in members), score)
        for members, score in near
    ]
    found += _passage_groups(workspace, matrix, threshold, joined, foreign, task)
    return DuplicateGroups(tuple(found), len(foreign))


def reads(languages: Collection[str], spoken: str) -> bool:
    """Whether a model of these languages (none: not known) makes sense of a text in a language (empty: no letters)."""
    if not languages or not spoken or EVERY_LANGUAGE in languages or spoken in languages:
        return True
    # "latin" is any language in Latin letters but English, so one of those that the model reads.
    return spoken == "latin" and not _OTHER_SCRIPTS.issuperset(languages)


def _near_passage(workspace: Workspace, passage: int, score: float) -> NearPassage | None:
    row = workspace.connection.execute(
        "SELECT p.document, p.start, p.stop, substr(d.text, p.start + 1, p.stop - p.start) FROM passages p "
        "JOIN documents d ON d.id = p.document WHERE p.id = ?",
        (passage,),
    ).fetchone()
    return None if row is None else NearPassage(PassageLocation(*row[:3]), str(row[3]), score)


def _exact(workspace: Workspace) -> list[Duplicates]:
    rows = workspace.connection.execute(
        "SELECT digest, id, length(text) FROM documents WHERE digest IN "
        "(SELECT digest FROM documents GROUP BY digest HAVING count(*) > 1) ORDER BY digest, id"
    ).fetchall()
    groups: dict[bytes, list[PassageLocation]] = {}
    for key, document, length in rows:
        groups.setdefault(key, []).append(PassageLocation(document, 0, length))
    return [
        Duplicates("exact", tuple(places), 1.0)
        for places in sorted(groups.values(), key=lambda p: p[0].document)
    ]


def _passage_groups(
    workspace: Workspace,
    matrix: VectorTable,
    threshold: float,
    joined: set[frozenset[int]],
    foreign: set[int],
    task: Task,
) -> list[Duplicates]:
    spans = {
        passage: PassageLocation(document, start, stop)
        for passage, document, start, stop in workspace.connection.execute(
            "SELECT id, document, start, stop FROM passages"
        )
        if document not in foreign
    }
    keep = np.array([passage in spans for passage in matrix.passages.tolist()], dtype=np.bool_)
    vectors = np.asarray(matrix.vectors[matrix.rows[keep]], dtype=np.float16)
    groups = []
    for members, score in _groups(vectors, matrix.passages[keep], threshold, task):
        places = tuple(spans[passage] for passage in members)
        documents = frozenset(place.document for place in places)
        if len(documents) > 1 and not any(documents <= known for known in joined):
            groups.append(Duplicates("passage", places, score))
    return groups


def _groups(
    vectors: NDArray[np.floating], names: NDArray[np.int64], threshold: float, task: Task
) -> list[tuple[tuple[int, ...], float]]:
    """Groups of rows with their lowest similarity, best first.

    The first row of a group is alike to each of the others. Rows that are only alike to one of those do not join,
    or chains of small steps would end in one group of everything.
    """
    pairs = radius_pairs(vectors, threshold, task=task)
    alike: dict[int, list[int]] = {}
    for first, second in pairs.rows.tolist():
        alike.setdefault(first, []).append(second)
    taken: set[int] = set()
    groups = []
    for leader in sorted(alike):
        members = [leader, *sorted(row for row in alike[leader] if row not in taken)]
        if leader in taken or len(members) < 2:
            continue
        taken.update(members)
        groups.append((tuple(int(names[row]) for row in members), _lowest(vectors[members])))
    return sorted(groups, key=lambda group: (-group[1], group[0]))


def _lowest(vectors: NDArray[np.floating]) -> float:
    """The lowest cosine of any two rows, (M, n)."""
    unit = vectors.astype(np.float32)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    lowest = min(
        float((unit[start : start + _STRIP] @ unit.T).min()) for start in range(0, len(unit), _STRIP)
    )
    return min(1.0, lowest)
