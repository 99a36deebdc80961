"""The clusters of a workspace: computed from its graph, kept with their ids, and changed by the user.

The database holds the clusters as computed, and the user's changes apart from them; what is shown is the one with
the other on top, so that a change outlives every update and can be undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.analysis.clusters import edits as clusters_edits
from explorer.analysis.clusters.cluster import Clustering, cluster, follow
from explorer.analysis.clusters.edits import Edit, from_json, to_json
from explorer.analysis.clusters.methods import ClusterRecipe
from explorer.analysis.clusters.quality import describe
from explorer.analysis.topics.topic_words import TopicWord, topics
from explorer.errors import DataError
from explorer.task import Task
from explorer.workspace.overview.documents import cluster_labels, save_labels
from explorer.workspace.storage import documents
from explorer.workspace.storage.user import words as user_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.analysis.topics.topic_words import TermCounts
    from explorer.workspace.overview.documents import EncodedDocuments
    from explorer.workspace.workspace import Workspace

_META = "clusters"


@dataclass(frozen=True)
class Cluster:
    """A cluster as it is shown.

    Attributes:
        id: Its lasting id.
        name: What the user called it, or its topic words.
        named: Whether the user named it.
        size: How many documents it has.
        cohesion: How close its documents are, 0..1.
        words: Its topic words, best first.
        central: The documents nearest its middle.
    """

    id: int
    name: str
    named: bool
    size: int
    cohesion: float
    words: tuple[TopicWord, ...]
    central: tuple[int, ...]


@dataclass(frozen=True)
class _Known:
    """The stored state of the last run.

    Attributes:
        recipe: How it was computed.
        state: Of what: the state of the encoded documents.
        model: The model it was computed with.
        next_id: From where on ids are free.
        labels: The cluster of each document.
    """

    recipe: dict[str, Any]
    state: str
    model: str
    next_id: int
    labels: Mapping[int, int]


def cluster_documents(
    workspace: Workspace,
    encoded: EncodedDocuments,
    recipe: ClusterRecipe | None = None,
    *,
    usual: ClusterRecipe | None = None,
    task: Task | None = None,
) -> Clustering:
    """Return the cluster of each encoded document, with lasting ids and the user's changes.

    Computed only where documents, model or recipe are not those of the last time; stored if that may be.

    Args:
        workspace: The workspace.
        encoded: Its documents and their graph.
        recipe: How to divide them; as the last time if absent.
        usual: How, where there was no last time.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled; what was stored stays.
        WorkspaceError: The disk is full; what was stored stays.
    """
    known = _known(workspace)
    recipe = recipe or _recipe(known.recipe) or _recipe(_saved_recipe(workspace)) or usual or ClusterRecipe()
    labels = _labels(encoded, known.labels)
    if known.state != encoded.state or known.recipe != asdict(recipe):
        labels = _computed(workspace, encoded, recipe, known, task or Task())
    plain = Clustering(labels, recipe)
    return clusters_edits.apply(plain, edits(workspace), encoded.graph, encoded.keys).clustering


def describe_clusters(encoded: EncodedDocuments, shown: Clustering, counts: TermCounts) -> tuple[Cluster, ...]:
    """Return what is known of each cluster, the largest first."""
    topics_by_label = {topic.label: topic for topic in topics(counts, shown.labels)}
    described = []
    for quality in describe(shown, encoded.vectors, encoded.digests):
        topic, given = topics_by_label.get(quality.cluster_id), shown.names.get(quality.cluster_id, "")
        described.append(
            Cluster(
                id=quality.cluster_id,
                name=given or (topic.name if topic else ""),
                named=bool(given),
                size=quality.size,
                cohesion=quality.cohesion,
                words=topic.words if topic else (),
                central=tuple(int(encoded.documents[row]) for row in quality.central),
            )
        )
    return tuple(sorted(described, key=lambda entry: (-entry.size, entry.id)))


def save_cluster_labels(
    workspace: Workspace, documents: NDArray[np.int64], shown: Clustering, clusters: Iterable[Cluster]
) -> None:
    """Save which document is in which cluster under the names that are shown, for `cluster:` in a query.

    Raises:
        WorkspaceError: The disk is full.
    """
    names = {cluster.id: cluster.name for cluster in clusters}
    save_labels(workspace, "clusters", cluster_labels(documents, shown.labels, names))


def edits(workspace: Workspace) -> tuple[Edit, ...]:
    """Return the user's changes, first to last; one that cannot be read any more is passed over."""
    stored: list[Edit] = []
    for text in user_words.cluster_edits(workspace):
        try:
            stored.extend(from_json(text))
        except DataError:
            continue
    return tuple(stored)


def add_edit(workspace: Workspace, *made: Edit) -> int:
    """Save a change of the user's, which may be several edits that are undone together; return its id.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    return user_words.add_cluster_edit(workspace, to_json(made))


def remove_edit(workspace: Workspace, edit: int) -> None:
    """Remove one change; the others stay.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    user_words.remove_cluster_edit(workspace, edit)


def undo_edit(workspace: Workspace) -> Edit | None:
    """Remove the last change and return it; None where there is none.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    before = edits(workspace)
    user_words.remove_cluster_edit(workspace)
    return before[-1] if before else None


def next_id(workspace: Workspace) -> int:
    """Return from where on ids of clusters are free."""
    return clusters_edits.next_free(edits(workspace), _known(workspace).next_id)


def _computed(
    workspace: Workspace, encoded: EncodedDocuments, recipe: ClusterRecipe, known: _Known, task: Task
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the labels (N,) of a new run, under the ids of the last one."""
    same = known.recipe == asdict(recipe) and known.model == encoded.model
    start = {
        digest: known.labels[document_id]
        for digest, document_id in zip(encoded.digests, encoded.documents.tolist(), strict=True)
        if document_id in known.labels
    }
    clustering = cluster(
        encoded.graph,
        encoded.vectors,
        encoded.digests,
        method=recipe.method,
        granularity=recipe.granularity,
        count=recipe.count,
        seed=recipe.seed,
        earlier=start if same and start else None,
        task=task,
    )
    earlier = {b"%d" % document_id: label for document_id, label in known.labels.items()}
    followed = follow(earlier, encoded.keys, clustering.labels, next_id=next_id(workspace))
    if workspace.writable:
        _store(
            workspace,
            replace(known, recipe=asdict(recipe), state=encoded.state, model=encoded.model, next_id=followed.next_id),
            zip(encoded.documents.tolist(), followed.labels.tolist(), strict=True),
        )
    return followed.labels


def _labels(encoded: EncodedDocuments, known: Mapping[int, int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([known.get(document_id, -1) for document_id in encoded.documents.tolist()], np.int32)


def _known(workspace: Workspace) -> _Known:
    labels = documents.cluster_labels(workspace.connection)
    free = max(labels.values(), default=-1) + 1
    try:
        description = dict(json.loads(workspace.meta(_META) or "{}"))
        recipe, next_id = dict(description.get("recipe", {})), int(description.get("next_id", 0))
    except (ValueError, TypeError, RecursionError):  # damaged, or of another version
        return _Known({}, "", "", free, labels)
    return _Known(
        recipe, str(description.get("state", "")), str(description.get("model", "")), max(free, next_id), labels
    )


def _recipe(values: dict[str, Any]) -> ClusterRecipe | None:
    try:
        return ClusterRecipe(**values) if values else None
    except (TypeError, ValueError):  # of another version
        return None


def _saved_recipe(workspace: Workspace) -> dict[str, Any]:
    """Return the recipe that the user last chose, which outlives the cache."""
    try:
        return dict(json.loads(workspace.setting(_META) or "{}"))
    except (ValueError, TypeError, RecursionError):
        return {}


def _store(workspace: Workspace, known: _Known, labels: Any) -> None:
    description = {name: getattr(known, name) for name in ("recipe", "state", "model", "next_id")}
    documents.replace_clusters(workspace.connection, labels, _META, json.dumps(description))
    if _saved_recipe(workspace) != known.recipe:
        workspace.set_setting(_META, json.dumps(known.recipe))
