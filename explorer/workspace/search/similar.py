"""Find the documents and passages nearest to others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.analysis.search.ranking import EVERY_LANGUAGE
from explorer.analysis.text.language import LATIN_LANGUAGES, UNKNOWN_LATIN
from explorer.analysis.vectors.exact import nearest
from explorer.errors import WorkspaceError
from explorer.task import Task
from explorer.workspace.storage import passages
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.search.vector_search import VectorSearch
    from explorer.workspace.storage.passages import PassageLocation
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

Metric = Literal["cosine", "euclidean"]


@dataclass(frozen=True)
class Neighbour:
    """A document near to what was asked for; `score` is a cosine, or a Euclidean distance."""

    document: int
    score: float


@dataclass(frozen=True)
class NearPassage:
    """A passage near to another, with its text; `score` is a cosine."""

    location: PassageLocation
    text: str
    score: float


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
    """Return the documents nearest to the mean of some documents and a vector, and away from others.

    Raises:
        WorkspaceError: One of the documents is not encoded.
    """
    query_vector = np.zeros(matrix.model.dimension, np.float32)
    for sign, documents in ((1, like), (-1, unlike)):
        for document in documents:
            query_vector += sign * matrix.document_vector(document)
    if vector is not None:
        query_vector += unit(vector)
    ids, vectors = matrix.document_vectors()
    asked = {*like, *unlike}
    hits = nearest(vectors, unit(query_vector)[None], k + len(asked), lengths=matrix.document_lengths, task=task)
    scores = hits.scores[0].astype(np.float64)
    if metric == "euclidean":
        # Both sides have unit length, so the order is the cosine's: |a - b|² = 2 - 2 cos(a, b).
        scores = np.sqrt(np.maximum(0.0, 2 - 2 * scores))
    scored = zip(ids[hits.rows[0]].tolist(), scores.tolist(), strict=True)
    return [Neighbour(document, score) for document, score in scored if document not in asked][:k]


def passage_neighbours(
    workspace: Workspace, search: VectorSearch, document: int, start: int, *, k: int = 10, task: Task | None = None
) -> tuple[list[NearPassage], bool]:
    """Return the passages of other documents nearest to the one at a character of a document.

    Returns:
        The passages, nearest first, and whether every vector was compared.

    Raises:
        WorkspaceError: The document has no encoded passage there.
    """
    matrix = search.matrix
    stored = passages.load(workspace.connection, matrix.passages[matrix.documents == document].tolist())
    passage = next((each.id for each in stored.values() if 0 <= start < each.location.end), None)
    here = np.flatnonzero(matrix.passages == (-1 if passage is None else passage))
    if len(here) == 0:
        raise WorkspaceError(
            "Document {document} has no encoded passage at character {start}. Give a place within its text.",
            document=document,
            start=start,
        )
    query_vector = matrix.vectors[matrix.rows[here[0]]].astype(np.float32)
    own = set(matrix.passages[matrix.documents == document].tolist())
    near = search.nearest(query_vector, k + len(own), task=task)
    scores = {passage: score for passage, score in near.passages if passage not in own}
    known = passages.load(workspace.connection, list(scores))
    results = (NearPassage(each.location, each.text, scores[each.id]) for each in known.values())
    return list(islice(results, k)), near.exact


def reads(languages: Collection[str], spoken: str) -> bool:
    """Return whether a model of these languages (none: not known) can read a text in a language (empty: no letters)."""
    if not languages or not spoken or EVERY_LANGUAGE in languages or spoken in languages:
        return True
    # Too short a text to name its language: perhaps one of those in Latin letters that the model reads.
    return spoken == UNKNOWN_LATIN and not LATIN_LANGUAGES.isdisjoint(languages)
