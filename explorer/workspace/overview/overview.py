"""The overview of a workspace: its documents on the map, in named clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.clusters.hierarchy import Tree, hierarchy
from explorer.analysis.topics.topic_words import topics
from explorer.rendering.labels import Label, label
from explorer.task import Task
from explorer.workspace.export.map_data import MapPicture, Value
from explorer.workspace.overview.clusters import Cluster, cluster_documents, describe_clusters
from explorer.workspace.overview.documents import EncodedDocuments, encoded_documents, term_counts
from explorer.workspace.overview.map import DocumentMap, map_documents
from explorer.workspace.storage import documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from explorer.analysis.clusters.cluster import Clustering
    from explorer.analysis.clusters.methods import ClusterRecipe
    from explorer.analysis.map.layout import Method, Picture
    from explorer.analysis.topics.topic_words import TermCounts
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

SNIPPET = 400  # characters of a text that are shown beside a point
_COLUMNS = 40  # of metadata that a map can be coloured by


@dataclass(frozen=True, eq=False)
class Overview:
    """The result of `compute_overview`.

    Attributes:
        encoded: The documents, their vectors and their graph.
        counts: The words of the documents.
        shown: The cluster of each document.
        clusters: What is known of each cluster, the largest first.
        tree: Clusters within clusters.
        map: The position of each document.
    """

    encoded: EncodedDocuments
    counts: TermCounts
    shown: Clustering
    clusters: tuple[Cluster, ...]
    tree: Tree
    map: DocumentMap

    def names(self) -> dict[int, str]:
        """Return the name of each cluster."""
        return {cluster.id: cluster.name for cluster in self.clusters}


def compute_overview(
    workspace: Workspace,
    matrix: VectorTable,
    *,
    recipe: ClusterRecipe | None = None,
    method: Method | None = None,
    redraw: bool = False,
    on_picture: Picture | None = None,
    task: Task | None = None,
) -> Overview:
    """Load graph, clusters with names and tree, and the map; compute and store what is missing.

    Raises:
        Cancelled: The task was cancelled; what was stored stays.
        DataError: There are too many documents for the map's method.
        WorkspaceError: The disk is full.
    """
    task = task or Task()
    encoded = encoded_documents(workspace, matrix, task=task)
    shown = cluster_documents(workspace, encoded, recipe, task=task)
    counts = term_counts(workspace, encoded, task=task)
    clusters = describe_clusters(encoded, shown, counts)
    tree = hierarchy(encoded.graph, encoded.vectors, encoded.digests, shown, task=task)
    drawn = map_documents(workspace, encoded, method=method, redraw=redraw, on_picture=on_picture, task=task)
    return Overview(encoded, counts, shown, clusters, tree, drawn)


def picture(workspace: Workspace, overview: Overview) -> MapPicture:
    """Return the map with all that can be written on it."""
    entries = {entry.id: entry for entry in workspace.documents()}
    rows = [row for row, document_id in enumerate(overview.encoded.documents.tolist()) if document_id in entries]
    shown = [entries[int(overview.encoded.documents[row])] for row in rows]
    # Twice as many as are shown, since runs of spaces and line breaks become one space.
    beginnings = documents.beginnings(workspace.connection, [entry.id for entry in shown], 2 * SNIPPET)
    return MapPicture(
        title=workspace.root.name,
        positions=overview.map.positions[rows],
        ids=[entry.id for entry in shown],
        titles=[entry.title for entry in shown],
        snippets=[" ".join(text.split())[:SNIPPET] for text in beginnings],
        paths=[entry.path for entry in shown],
        parts=[entry.part for entry in shown],
        clusters=overview.shown.labels[rows].astype(np.int64),
        names=overview.names(),
        levels=map_labels(
            overview.map.positions, overview.tree, overview.names(), topic_names(overview.tree, overview.counts)
        ),
        trust=overview.map.trust[rows],
        columns=_columns(shown),
    )


def topic_names(tree: Tree, counts: TermCounts) -> tuple[Mapping[int, str], ...]:
    """Return the topic words of the clusters of each level."""
    return tuple({topic.label: topic.name for topic in topics(counts, members)} for members in tree.levels)


def map_labels(
    positions: NDArray[np.float32], tree: Tree, names: Mapping[int, str], topic_names: Sequence[Mapping[int, str]]
) -> tuple[tuple[Label, ...], ...]:
    """Return the names to write on a map, from coarse to fine.

    Args:
        positions: Of the documents, (N, 2).
        tree: Their clusters.
        names: Of the clusters that are shown.
        topic_names: The topic words of the clusters of each level.
    """
    levels, clusters = [], tree.levels[tree.shown]
    for level, members in enumerate(tree.levels):
        level_names = names if level == tree.shown else topic_names[level]
        labels = []
        for label_id, name in level_names.items():
            inside = members == label_id
            if name and label_id >= 0 and inside.any():
                own = clusters[inside]
                labels.append(label(name, positions[inside], int(own[0]) if (own == own[0]).all() else -1))
        levels.append(tuple(labels))
    return tuple(levels)


def _columns(entries: list[DocumentEntry]) -> dict[str, list[Value]]:
    """Metadata that at least two documents have and that is not the same for all; the commonest fields first."""
    counts: dict[str, int] = {}
    for entry in entries:
        for name in entry.metadata:
            counts[name] = counts.get(name, 0) + 1
    names = sorted((name for name, count in counts.items() if count > 1), key=lambda name: (-counts[name], name))
    columns = {name: [_value(entry.metadata.get(name)) for entry in entries] for name in names[:_COLUMNS]}
    return {name: values for name, values in columns.items() if len(set(values)) > 1}


def _value(value: object) -> Value:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
