"""What the user changes in clusters: names, merges, splits and moves, kept apart and applied on top of any run.

An edit names documents by the keys of their texts, never by row or by a run's numbers. A cluster is named by some
of its members and found again as the one that holds most of them, so edits outlive updates and re-runs. Edits are
applied in order; to undo one is to leave it out.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.clusters.cluster import SMALLEST, Clustering, dissolve_small
from explorer.analysis.clusters.dedup_graph import Labels, Vectors, build_cluster_graph
from explorer.analysis.clusters.leiden import inner_edges
from explorer.analysis.clusters.methods import ClusterRecipe, divide
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.errors import DataError
from explorer.task import Task

WITNESSES = 64  # members that stand for a cluster: those with the smallest digests, as good as drawn by lot
_PARTS = (2, 50)  # parts a split may have
_FORMAT = 1
_MOST_EDITS = 100_000
_LONGEST_NAME = 200  # characters
_LONGEST_KEY = 64  # bytes
_LARGEST_ID = 2**31 - 1

Keys = tuple[bytes, ...]


@dataclass(frozen=True)
class RenameCluster:
    """The cluster that holds most of `cluster` is called `name`; an empty name removes the user's name."""

    cluster: Keys
    name: str


@dataclass(frozen=True)
class MergeClusters:
    """The clusters that hold most of each of `clusters` become one, with the id of the first."""

    clusters: tuple[Keys, ...]


@dataclass(frozen=True)
class SplitCluster:
    """The cluster that holds most of all `parts` falls into them.

    Attributes:
        parts: Members of each part, the largest part first. Members unknown here join the part they are tied to.
        new_ids: Ids of all parts but the first, which keeps the cluster's.
    """

    parts: tuple[Keys, ...]
    new_ids: tuple[int, ...]


@dataclass(frozen=True)
class MoveDocuments:
    """Documents go to the cluster that holds most of `target`, or out of all clusters if that is empty."""

    documents: Keys
    target: Keys


Edit = RenameCluster | MergeClusters | SplitCluster | MoveDocuments


@dataclass(frozen=True)
class EditedClusters:
    """A clustering with edits on top.

    Attributes:
        clustering: The outcome.
        void: Which of the edits, by place, found nothing to act on this time; they stay for another.
    """

    clustering: Clustering
    void: tuple[int, ...]


def rename(clustering: Clustering, keys: Sequence[bytes], cluster_id: int, name: str) -> RenameCluster:
    """Name a cluster."""
    return RenameCluster(witnesses(clustering, keys, cluster_id), name.strip())


def merge(clustering: Clustering, keys: Sequence[bytes], cluster_ids: Sequence[int]) -> MergeClusters:
    """Make one cluster of several; the first gives its id, and its name if it has one."""
    return MergeClusters(tuple(witnesses(clustering, keys, cluster_id) for cluster_id in cluster_ids))


def move(clustering: Clustering, keys: Sequence[bytes], rows: Iterable[int], cluster_id: int) -> MoveDocuments:
    """Put documents into a cluster; -1 takes them out of all."""
    target = witnesses(clustering, keys, cluster_id) if cluster_id >= 0 else ()
    return MoveDocuments(tuple(dict.fromkeys(keys[row] for row in rows)), target)


def split(
    clustering: Clustering,
    graph: KnnGraph,
    vectors: Vectors,
    keys: Sequence[bytes],
    cluster_id: int,
    *,
    parts: int = 2,
    next_id: int | None = None,
    task: Task | None = None,
) -> SplitCluster:
    """Divide a cluster by clustering its members alone.

    Args:
        clustering: What is shown, edits included.
        graph: The neighbours of N rows.
        vectors: (N, n).
        keys: A digest of the text of each row.
        cluster_id: Which cluster.
        parts: How many are wanted, from 2 to 50; about as many come.
        next_id: From where on ids are free; after the largest in use if absent.
        task: Receives the progress.

    Raises:
        DataError: The cluster does not fall apart.
        Cancelled: The task was cancelled.
    """
    task, wanted = task or Task(), min(max(parts, _PARTS[0]), _PARTS[1])
    base = build_cluster_graph(graph, vectors, keys, task)
    own = base.subset(np.flatnonzero(base.gather(clustering.labels) == cluster_id))
    labels = own.gather(clustering.labels)
    own = replace(own, weights=inner_edges(own.weights, labels))
    parted = divide(own, vectors, ClusterRecipe(count=wanted), None, task) if len(own) >= 2 * SMALLEST else labels * 0
    parted = dissolve_small(own, parted, SMALLEST)
    if len(np.unique(parted)) > _PARTS[1] or len(np.unique(parted[parted >= 0])) < _PARTS[0]:
        parted = divide(own, vectors, ClusterRecipe("kmeans", count=wanted), None, task)
    sizes = np.bincount(parted[parted >= 0]) if len(parted) else np.zeros(0, np.int64)
    order = [int(part) for part in np.argsort(-sizes, kind="stable") if sizes[part]]
    if len(order) < _PARTS[0]:
        raise DataError("This cluster cannot be split: it has too few documents, or they are all alike.")
    free = next_id if next_id is not None else int(clustering.labels.max(initial=-1)) + 1
    rows = own.spread(parted.astype(np.int32))  # (N,) copies included
    members = tuple(tuple({keys[int(row)]: None for row in np.flatnonzero(rows == part)}) for part in order)
    return SplitCluster(members, tuple(range(free, free + len(order) - 1)))


def witnesses(clustering: Clustering, keys: Sequence[bytes], cluster_id: int) -> Keys:
    """Return the keys that stand for a cluster.

    Raises:
        DataError: There is no such cluster.
    """
    members = {keys[row] for row in clustering.members(cluster_id)}
    if not members or cluster_id < 0:
        raise DataError("Cluster {cluster_id} no longer exists. List the clusters again.", cluster_id=cluster_id)
    return tuple(sorted(members)[:WITNESSES])


def apply(clustering: Clustering, edits: Sequence[Edit], graph: KnnGraph, keys: Sequence[bytes]) -> EditedClusters:
    """Apply edits in order on top of a clustering.

    Args:
        clustering: As computed, with the ids that `follow` gave.
        edits: What the user did, first to last.
        graph: The neighbours of N rows; tells new documents to which part of a split cluster they belong.
        keys: A digest of the text of each row.
    """
    if not edits:
        return EditedClusters(clustering, ())
    editor, void = _Editor(clustering, graph, keys), []
    for index, edit in enumerate(edits):
        if not editor.do(edit):
            void.append(index)
    names = {cluster_id: name for cluster_id, name in editor.names.items() if (editor.labels == cluster_id).any()}
    return EditedClusters(replace(clustering, labels=editor.labels, names=names), tuple(void))


class _Editor:
    """Labels and names while edits are applied to them."""

    def __init__(self, clustering: Clustering, graph: KnnGraph, keys: Sequence[bytes]) -> None:
        self.labels: Labels = clustering.labels.copy()
        self.names: dict[int, str] = dict(clustering.names)
        self._graph = graph
        self._rows: dict[bytes, list[int]] = {}
        for row, key in enumerate(keys):
            self._rows.setdefault(key, []).append(row)

    def do(self, edit: Edit) -> bool:
        """Apply one edit; False if it found nothing to act on."""
        match edit:
            case RenameCluster():
                return self._rename(edit)
            case MergeClusters():
                return self._merge(edit)
            case SplitCluster():
                return self._split(edit)
            case MoveDocuments():
                return self._move(edit)

    def _rename(self, edit: RenameCluster) -> bool:
        cluster_id = self._find(edit.cluster)
        if cluster_id is None:
            return False
        self.names.pop(cluster_id, None)
        if edit.name:
            self.names[cluster_id] = edit.name
        return True

    def _merge(self, edit: MergeClusters) -> bool:
        cluster_ids = [cluster_id for cluster_id in map(self._find, edit.clusters) if cluster_id is not None]
        numbers = list(dict.fromkeys(cluster_ids))
        if len(numbers) < 2:
            return False
        self.labels[np.isin(self.labels, numbers[1:])] = numbers[0]
        names = [self.names.pop(cluster_id) for cluster_id in numbers if cluster_id in self.names]
        if names:
            self.names[numbers[0]] = names[0]
        return True

    def _move(self, edit: MoveDocuments) -> bool:
        rows, cluster_id = self._known(edit.documents), self._find(edit.target) if edit.target else -1
        if cluster_id is None or not len(rows):
            return False
        self.labels[rows] = cluster_id
        return True

    def _split(self, edit: SplitCluster) -> bool:
        cluster_id = self._find(tuple(key for part in edit.parts for key in part))
        if cluster_id is None:
            return False
        part = np.full(len(self.labels), -1, np.int32)
        for index, members in enumerate(edit.parts):
            part[self._known(members)] = index
        inside = self.labels == cluster_id
        part[~inside] = -1
        if len(np.unique(part[part >= 0])) < _PARTS[0]:
            return False
        part = self._assign_unnamed(part, inside, len(edit.parts))
        self.labels[inside] = np.array([cluster_id, *edit.new_ids], np.int32)[part[inside]]
        return True

    def _assign_unnamed(self, part: Labels, inside: NDArray[np.bool_], count: int) -> Labels:
        """Give members that no part names the part they are tied to most; the first if to none."""
        unknown = np.flatnonzero(inside & (part < 0))
        if not len(unknown):
            return part
        known = part >= 0
        one_hot = np.zeros((len(part), count), np.float32)
        one_hot[known, part[known]] = 1
        part = part.copy()
        part[unknown] = np.asarray(self._graph.symmetric[unknown] @ one_hot).argmax(axis=1)
        return part

    def _find(self, members: Keys) -> int | None:
        """Return the cluster that holds most of the members that are still there, and at least a third of them."""
        held = self.labels[self._known(members)]
        if not (held >= 0).any():
            return None
        counts = np.bincount(held[held >= 0])
        best = int(counts.argmax())
        return best if counts[best] * 3 >= len(held) else None

    def _known(self, members: Keys) -> NDArray[np.int64]:
        return np.array([row for key in members for row in self._rows.get(key, ())], np.int64)


def next_free(edits: Iterable[Edit], next_id: int = 0) -> int:
    """Return the first id that neither `next_id` nor any split has taken."""
    taken = [cluster_id + 1 for edit in edits if isinstance(edit, SplitCluster) for cluster_id in edit.new_ids]
    return max([next_id, *taken])


def to_json(edits: Sequence[Edit]) -> str:
    """Return edits as JSON, first to last."""
    return json.dumps({"version": _FORMAT, "edits": [_as_dict(edit) for edit in edits]}, ensure_ascii=False)


def from_json(text: str) -> tuple[Edit, ...]:
    """Read what `to_json` wrote.

    Raises:
        DataError: The text is something else, which it may be: the file can come from anyone.
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(
            "The changes to clusters cannot be read: not JSON ({reason}). Restore a backup.", reason=error
        ) from error
    if not isinstance(whole, dict) or whole.get("version") != _FORMAT or not isinstance(whole.get("edits"), list):
        raise DataError(
            "The changes to clusters cannot be read: not of version {format}. Update the program.", format=_FORMAT
        )
    if len(whole["edits"]) > _MOST_EDITS:
        raise DataError(
            "There are more than {most_edits} changes to clusters; the program did not write this file.",
            most_edits=_MOST_EDITS,
        )
    return tuple(_read_edit(value, position) for position, value in enumerate(whole["edits"], 1))


def _as_dict(edit: Edit) -> dict[str, Any]:
    match edit:
        case RenameCluster(cluster, name):
            return {"do": "rename", "cluster": _hex(cluster), "name": name}
        case MergeClusters(clusters):
            return {"do": "merge", "clusters": [_hex(keys) for keys in clusters]}
        case SplitCluster(parts, new_ids):
            return {"do": "split", "parts": [_hex(keys) for keys in parts], "new_ids": list(new_ids)}
        case MoveDocuments(documents, target):
            return {"do": "move", "documents": _hex(documents), "target": _hex(target)}


def _hex(keys: Keys) -> list[str]:
    return [key.hex() for key in keys]


def _read_edit(value: Any, position: int) -> Edit:
    try:
        match value:
            case {"do": "rename", "cluster": cluster, "name": str(name), **rest} if not rest:
                return RenameCluster(_read_keys(cluster), _read_name(name))
            case {"do": "merge", "clusters": list(clusters), **rest} if not rest and len(clusters) >= 2:
                return MergeClusters(tuple(_read_keys(keys) for keys in clusters))
            case {"do": "split", "parts": list(parts), "new_ids": list(ids), **rest} if not rest:
                return SplitCluster(tuple(_read_keys(keys) for keys in parts), _read_ids(ids, len(parts) - 1))
            case {"do": "move", "documents": documents, "target": target, **rest} if not rest:
                return MoveDocuments(_read_keys(documents), _read_keys(target, empty=True))
    except ValueError as error:
        raise DataError(
            "Change {number} to the clusters is damaged: {reason}. Restore a backup.", number=position, reason=error
        ) from error
    raise DataError(
        "Change {number} to the clusters is of an unknown kind. Update the program or restore a backup.",
        number=position,
    )


def _read_keys(value: Any, *, empty: bool = False) -> Keys:
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        raise ValueError("a list of document keys was expected")
    if not value and not empty:
        raise ValueError("it names no document")
    keys = tuple(bytes.fromhex(key) for key in value)
    if not all(0 < len(key) <= _LONGEST_KEY for key in keys):
        raise ValueError(f"a document key of 1 to {_LONGEST_KEY} bytes was expected")
    return keys


def _read_ids(value: list[Any], count: int) -> tuple[int, ...]:
    if len(value) != count or count < 1 or len(set(map(str, value))) != count:
        raise ValueError("a split needs at least two parts and an id of its own for each but the first")
    if not all(type(id_) is int and 0 <= id_ <= _LARGEST_ID for id_ in value):
        raise ValueError("an id was expected to be a number from 0 on")
    return tuple(value)


def _read_name(value: str) -> str:
    if len(value) > _LONGEST_NAME:
        raise ValueError(f"the name is longer than {_LONGEST_NAME} characters")
    if any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in value):
        raise ValueError("the name has characters that cannot be shown")
    return value.strip()
