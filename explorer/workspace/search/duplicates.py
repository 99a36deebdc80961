"""Find duplicates: identical texts, nearly identical documents, and nearly identical passages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.text.quotations import quotations
from explorer.analysis.vectors.exact import radius_pairs
from explorer.task import Task
from explorer.workspace.search.similar import reads
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage.passages import PassageLocation
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

_STRIP = 1024  # rows compared with all others at once
_SLACK = 20  # characters that a quotation may be longer than the passages that were found already
_PAIRED = 30  # places of a group of which each two are looked at


@dataclass(frozen=True)
class Duplicates:
    """A group of texts that are the same or nearly the same.

    Attributes:
        kind: "exact" for the same text, "near" for similar documents, "passage" for similar passages.
        places: Where they are; the first is similar to all the others.
        score: The lowest similarity of any two of them, 1 for the same text.
        words: Of a quotation, a "passage" found by its words: how many; the first place is the source as far as dates
            tell. 0 for all others.
    """

    kind: str
    places: tuple[PassageLocation, ...]
    score: float
    words: int = 0


@dataclass(frozen=True)
class DuplicateGroups:
    """Everything that a workspace has more than once.

    Attributes:
        groups: The groups, exact ones first.
        left_out: Documents compared only for equal text, because the model cannot read their language.
    """

    groups: tuple[Duplicates, ...]
    left_out: int = 0


def duplicates(
    workspace: Workspace,
    matrix: VectorTable,
    threshold: float,
    *,
    languages: Collection[str] = (),
    task: Task | None = None,
) -> DuplicateGroups:
    """Find everything that the workspace has more than once: exactly, nearly, or in single passages.

    A group of passages is left out if its documents are already listed as a whole.

    Args:
        workspace: The workspace.
        matrix: The vectors of its passages.
        threshold: The cosine from which two texts are alike.
        languages: What the model reads; empty for all. Texts in others are compared only as they stand.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    groups = [
        Duplicates("exact", tuple(PassageLocation(document, 0, length) for document, length in group), 1.0)
        for group in documents.same_text(workspace.connection)
    ]
    ids, vectors = matrix.document_vectors()
    known = documents.lengths_and_languages(workspace.connection)
    foreign = {document for document, (_, spoken) in known.items() if not reads(languages, spoken)}
    whole = {location.document for group in groups for location in group.places[1:]}
    left_out = whole | foreign
    keep = np.array([document in known and document not in left_out for document in ids.tolist()], dtype=np.bool_)
    near = _groups(vectors if keep.all() else vectors[keep], ids[keep], threshold, task)
    joined = {frozenset(members) for members, _ in near} | {
        frozenset(location.document for location in group.places) for group in groups
    }
    groups += [
        Duplicates("near", tuple(PassageLocation(document, 0, known[document][0]) for document in members), score)
        for members, score in near
    ]
    near_passages = _passage_groups(workspace, matrix, threshold, joined, foreign, task)
    groups += _quotations(workspace, sorted(known.keys() - whole), [*groups, *near_passages], task)
    groups += near_passages
    return DuplicateGroups(tuple(groups), len(foreign))


def _quotations(workspace: Workspace, ids: Sequence[int], others: Sequence[Duplicates], task: Task) -> list[Duplicates]:
    """Return what one document quotes of another, word for word, except for what other groups have already."""
    listed: dict[tuple[int, int], list[tuple[PassageLocation, PassageLocation]]] = {}
    for group in others:
        for first, second in combinations(sorted(group.places, key=lambda location: location.document)[:_PAIRED], 2):
            listed.setdefault((first.document, second.document), []).append((first, second))
    dates = documents.dates(workspace.connection)
    groups = []
    for quotation in quotations(documents.texts(workspace.connection, ids), task):
        locations = (
            PassageLocation(ids[quotation.first], *quotation.first_span),
            PassageLocation(ids[quotation.second], *quotation.second_span),
        )
        if any(
            _within(locations[0], first) and _within(locations[1], second)
            for first, second in listed.get((locations[0].document, locations[1].document), ())
        ):
            continue
        # The source is the earlier of the two; without dates, the one that was read first.
        dated = tuple(sorted(locations, key=lambda location: dates.get(location.document, "")))
        groups.append(Duplicates("passage", dated, quotation.share, quotation.words))
    return groups


def _within(location: PassageLocation, other: PassageLocation) -> bool:
    return other.start <= location.start + _SLACK and location.end <= other.end + _SLACK


def _passage_groups(
    workspace: Workspace,
    matrix: VectorTable,
    threshold: float,
    joined: set[frozenset[int]],
    foreign: set[int],
    task: Task,
) -> list[Duplicates]:
    spans = {
        passage: location
        for passage, location in passages.locations(workspace.connection).items()
        if location.document not in foreign
    }
    keep = np.array([passage in spans for passage in matrix.passages.tolist()], dtype=np.bool_)
    vectors = np.asarray(matrix.vectors[matrix.rows[keep]], dtype=np.float16)
    groups = []
    for members, score in _groups(vectors, matrix.passages[keep], threshold, task):
        places = tuple(spans[passage] for passage in members)
        documents = frozenset(member.document for member in places)
        if len(documents) > 1 and not any(documents <= known for known in joined):
            groups.append(Duplicates("passage", places, score))
    return groups


def _groups(
    vectors: NDArray[np.floating], names: NDArray[np.int64], threshold: float, task: Task
) -> list[tuple[tuple[int, ...], float]]:
    """Return groups of rows with their lowest similarity, best first.

    The first row of a group is similar to each of the others. Rows that are only similar to one of those do not join,
    or chains of small steps would end in one group of everything.
    """
    pairs = radius_pairs(vectors, threshold, task=task)
    similar: dict[int, list[int]] = {}
    for first, second in pairs.rows.tolist():
        similar.setdefault(first, []).append(second)
    taken: set[int] = set()
    groups = []
    for leader in sorted(similar):
        members = [leader, *sorted(row for row in similar[leader] if row not in taken)]
        if leader in taken or len(members) < 2:
            continue
        taken.update(members)
        groups.append((tuple(int(names[row]) for row in members), _lowest(vectors[members])))
    return sorted(groups, key=lambda group: (-group[1], group[0]))


def _lowest(vectors: NDArray[np.floating]) -> float:
    """Return the lowest cosine of any two rows, (M, n)."""
    units = unit(vectors)
    lowest = min(float((units[start : start + _STRIP] @ units.T).min()) for start in range(0, len(units), _STRIP))
    return min(1.0, lowest)
