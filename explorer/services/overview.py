"""Overview of an open workspace: clusters, map, trends, duplicates, outliers, and the user's own categories."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from explorer.workspace.storage.columns import RowsById, mapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.analysis.clusters.cluster import Clustering
    from explorer.analysis.clusters.edits import Edit
    from explorer.analysis.clusters.hierarchy import Tree
    from explorer.analysis.clusters.methods import ClusterRecipe
    from explorer.analysis.clusters.outliers import Outlier
    from explorer.analysis.clusters.trends import Trend, Trends
    from explorer.rendering.labels import Label
    from explorer.services.model_cache import ModelCache
    from explorer.services.open_workspace import VectorCache
    from explorer.task import Task
    from explorer.workspace.overview.clusters import Cluster
    from explorer.workspace.overview.documents import DocumentLabels, EncodedDocuments
    from explorer.workspace.search.duplicates import DuplicateGroups
    from explorer.workspace.storage.documents import Listing
    from explorer.workspace.workspace import Workspace


_logger = logging.getLogger(__name__)

_DATE_SAMPLE = 200  # values of a field that decide whether it holds dates
_DIRECTIONS = {"rising": 0, "falling": 1, "steady": 2, "too few": 3}


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters that are shown.

    Attributes:
        documents: Ids of the documents, ascending, (N,).
        shown: The cluster of each.
        clusters: What is known of each cluster, largest first.
        tree: Clusters within clusters; None until computed.
        stability: How likely each cluster is to be found again; None until computed.
        names: The topic words of the clusters of each level of the tree.
        ranks: The index of each cluster's colour; empty while nobody has given them colours.
    """

    documents: NDArray[np.int64]
    shown: Clustering
    clusters: tuple[Cluster, ...]
    tree: Tree | None = None
    stability: dict[int, float] | None = None
    names: tuple[Mapping[int, str], ...] = ()
    ranks: Mapping[int, int] = field(default_factory=dict)

    def colour_ranks(self) -> Mapping[int, int]:
        """Return the index of each cluster's colour; by size while none were given."""
        return self.ranks or {cluster.id: rank for rank, cluster in enumerate(self.clusters)}

    def labels_of(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cluster of each of some documents, -1 for none."""
        rows = RowsById(self.documents).of_each(documents)
        labels = self.shown.labels if len(self.documents) else np.full(1, -1)
        return np.where(rows < 0, -1, labels[rows])

    def by_document(self) -> dict[int, int]:
        """Return the cluster of each document, -1 for none."""
        return dict(zip(self.documents.tolist(), self.shown.labels.tolist(), strict=True))


def keep_ranks(before: Mapping[int, int], clusters: Iterable[int]) -> dict[int, int]:
    """Give each cluster the index of a colour that it keeps for good.

    Those that are gone keep theirs too, in case the user undoes what removed them, until one of the first dozen
    colours is needed by another.

    Args:
        before: The indices given so far.
        clusters: The ids of the clusters now, largest first.
    """
    from explorer.palette import DOZEN

    shown = list(clusters)
    ranks = dict(before)
    for cluster in shown:
        if cluster in ranks:
            continue
        free = next(rank for rank in range(len(ranks) + 1) if rank not in ranks.values())
        gone = [other for other in ranks if other not in shown and ranks[other] < DOZEN]
        if free >= DOZEN and gone:
            free = ranks.pop(gone[0])
        ranks[cluster] = free
    return ranks


@dataclass(frozen=True, eq=False)
class MapLayout:
    """The map.

    Attributes:
        documents: Ids of the documents, (N,).
        positions: Their positions, (N, 2).
        labels: Labels of the map, coarse to fine.
        trust: Share of each document's true neighbours that are near it, (N,); None while the map is drawn.
        mean_trust: Its mean.
        drawing: Whether the layout is still running.
        draft: Whether it was made from draft vectors.
    """

    documents: NDArray[np.int64]
    positions: NDArray[np.float32]
    labels: tuple[tuple[Label, ...], ...] = ()
    trust: NDArray[np.float32] | None = None
    mean_trust: float = 0.0
    drawing: bool = False
    draft: bool = False


@dataclass(frozen=True, eq=False)
class ClusterOverview:
    """Clusters and the encoded documents they were made of."""

    encoded: EncodedDocuments
    clusters: Clusters

    def shows(self, encoded: EncodedDocuments, shown: Clustering) -> bool:
        """Return whether everything is computed, of these documents in these clusters under these names."""
        mine = self.clusters.shown
        return (
            self.clusters.stability is not None
            and self.encoded.state == encoded.state
            and mine.recipe == shown.recipe
            and mine.names == shown.names
            and np.array_equal(mine.labels, shown.labels)
        )


class OverviewService:
    """Clusters and draws the documents; every method runs in the worker that its docstring names."""

    def __init__(self, saving: Workspace, slow: Workspace, models: ModelCache, vectors: VectorCache) -> None:
        """Take the connections of the saving and the slow worker."""
        self._saving, self._slow = saving, slow
        self._models, self._vectors = models, vectors

    def cluster(
        self,
        recipe: ClusterRecipe | None,
        task: Task,
        publish: Callable[[ClusterOverview], None],
        before: ClusterOverview | None = None,
    ) -> ClusterOverview:
        """Build graph and clusters; publish them at once, then again with the tree; slow worker.

        Returns:
            `before`, the overview of the last time, if documents and clusters are still the same.
        """
        from explorer.analysis.clusters.hierarchy import hierarchy
        from explorer.analysis.clusters.methods import ClusterRecipe
        from explorer.analysis.clusters.quality import stability
        from explorer.workspace.overview.clusters import cluster_documents, describe_clusters, save_cluster_labels
        from explorer.workspace.overview.documents import encoded_documents, term_counts
        from explorer.workspace.overview.overview import topic_names

        encoded = encoded_documents(self._slow, self._vectors.load(self._slow), task=task)
        default = ClusterRecipe(granularity=self._models.settings.granularity)
        shown = cluster_documents(self._slow, encoded, recipe, usual=default, task=task)
        if before is not None and before.shows(encoded, shown):
            return before
        counts = term_counts(self._slow, encoded, task=task)
        clusters = Clusters(encoded.documents, shown, describe_clusters(encoded, shown, counts))
        _logger.info("%d documents in %d clusters", len(encoded), len(clusters.clusters))
        save_cluster_labels(self._slow, clusters.documents, shown, clusters.clusters)
        publish(ClusterOverview(encoded, clusters))
        tree = hierarchy(encoded.graph, encoded.vectors, encoded.digests, shown, task=task)
        clusters = replace(clusters, tree=tree, names=topic_names(tree, counts))
        publish(ClusterOverview(encoded, clusters))
        stabilities = stability(encoded.graph, encoded.vectors, encoded.digests, shown, task=task)
        return ClusterOverview(encoded, replace(clusters, stability=stabilities))

    def draw(
        self, encoded: EncodedDocuments, *, redraw: bool, task: Task, publish: Callable[[MapLayout], None]
    ) -> MapLayout:
        """Lay out the map, published as it forms; slow worker."""
        from explorer.workspace.overview.map import map_documents

        def publish_positions(positions: NDArray[np.float32], _done: int, _total: int) -> None:
            publish(MapLayout(encoded.documents, positions, drawing=True, draft=draft))

        draft = any(model.kind == "draft" and model.fingerprint == encoded.model for model in self._slow.models())
        drawn = map_documents(self._slow, encoded, redraw=redraw, on_picture=publish_positions, task=task)
        _logger.info("map of %d documents drawn, trust %.2f", len(encoded), drawn.mean_trust)
        return MapLayout(encoded.documents, drawn.positions, (), drawn.trust, drawn.mean_trust, draft=draft)

    def labelled(self, overview: ClusterOverview, layout: MapLayout) -> MapLayout:
        """Return the map with labels; slow worker."""
        from explorer.workspace.overview.overview import map_labels

        tree = overview.clusters.tree
        if tree is None:
            return layout
        names = {cluster.id: cluster.name for cluster in overview.clusters.clusters}
        levels = map_labels(layout.positions, tree, names, overview.clusters.names)
        return replace(layout, labels=levels[tree.shown :])  # from the clusters that the panel lists

    def edit_clusters(self, edits: Iterable[Edit]) -> tuple[int, tuple[Edit, ...]]:
        """Save a change that the user made to clusters; return its id and the saved edits; saving worker."""
        from explorer.analysis.clusters.edits import SplitCluster
        from explorer.workspace.overview.clusters import add_edit, next_id

        saved, free = [], next_id(self._saving)
        for edit in edits:
            if isinstance(edit, SplitCluster):  # another split may have taken the ids since it was planned
                edit = replace(edit, new_ids=tuple(range(free, free + len(edit.new_ids))))  # noqa: PLW2901
                free += len(edit.new_ids)
            saved.append(edit)
        return (add_edit(self._saving, *saved) if saved else 0), tuple(saved)

    def rename(self, overview: ClusterOverview) -> ClusterOverview:
        """Return the same clusters under their current names, the topic's where the user gave none; slow worker."""
        from explorer.workspace.overview.clusters import cluster_documents, save_cluster_labels

        clusters = overview.clusters
        shown = cluster_documents(self._slow, overview.encoded)
        topics = clusters.names[clusters.tree.shown] if clusters.tree is not None else {}
        renamed = tuple(
            replace(
                cluster,
                name=shown.names.get(cluster.id) or topics.get(cluster.id, cluster.name),
                named=bool(shown.names.get(cluster.id)),
            )
            for cluster in clusters.clusters
        )
        save_cluster_labels(self._slow, clusters.documents, shown, renamed)
        return ClusterOverview(overview.encoded, replace(clusters, shown=shown, clusters=renamed))

    def undo_clusters(self) -> None:
        """Undo the last change of clusters; saving worker."""
        from explorer.workspace.overview.clusters import undo_edit

        undo_edit(self._saving)

    def duplicates(self, threshold: float, task: Task) -> DuplicateGroups:
        """Find documents and passages that occur more than once; slow worker."""
        from explorer.workspace.search.duplicates import duplicates

        vectors, languages = self._vectors.load(self._slow), self._models.languages()
        return duplicates(self._slow, vectors, threshold, languages=languages, task=task)

    def outliers(self, encoded: EncodedDocuments, listing: Listing) -> list[Outlier]:
        """Find the documents far from all others; slow worker."""
        from explorer.analysis.clusters.outliers import outliers
        from explorer.workspace.search.similar import reads

        rows = listing.rows.of_each(encoded.documents)
        languages = mapped(listing.languages, str).at_rows(rows).map(lambda code: code or "")
        readable = self._models.languages()
        return outliers(
            encoded.graph,
            encoded.vectors,
            languages=languages,
            unreadable={language for language in languages.values if not reads(readable, language)},
            lengths=np.where(rows < 0, 0, listing.characters[rows] if len(listing) else 0),
        )


# What the user does to clusters. Each function returns one that turns the clusters into edits, in a worker.

MakeEdits = Callable[[ClusterOverview], Iterable["Edit"]]


def renaming(cluster: int, name: str) -> MakeEdits:
    """Name a cluster; an empty name restores its topic words."""

    def make(overview: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        return [edits.rename(overview.clusters.shown, overview.encoded.keys, cluster, name)]

    return make


def merging(clusters: Sequence[int]) -> MakeEdits:
    """Merge clusters into the first."""

    def make(overview: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        return [edits.merge(overview.clusters.shown, overview.encoded.keys, clusters)]

    return make


def splitting(cluster: int, parts: int = 2) -> MakeEdits:
    """Split a cluster."""

    def make(overview: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        encoded = overview.encoded
        return [
            edits.split(overview.clusters.shown, encoded.graph, encoded.vectors, encoded.keys, cluster, parts=parts)
        ]

    return make


def moving(documents: Iterable[int], cluster: int) -> MakeEdits:
    """Move documents to a cluster; -1 removes them from all."""
    moved = tuple(documents)

    def make(overview: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        encoded = overview.encoded
        rows = [encoded.rows[document] for document in moved if document in encoded.rows]
        return [edits.move(overview.clusters.shown, encoded.keys, rows, cluster)] if rows else []

    return make


def assigning() -> MakeEdits:
    """Assign each unclustered document to the nearest cluster."""

    def make(overview: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits
        from explorer.analysis.clusters.cluster import assign_leftovers

        encoded, shown = overview.encoded, overview.clusters.shown
        labels = assign_leftovers(shown, encoded.vectors).labels
        moved = np.flatnonzero(labels != shown.labels)
        return [
            edits.move(shown, encoded.keys, moved[labels[moved] == cluster].tolist(), int(cluster))
            for cluster in np.unique(labels[moved])
        ]

    return make


@dataclass(frozen=True, eq=False)
class TrendData:
    """Clusters over time.

    Attributes:
        fields: The fields that hold dates, the fullest first.
        field: The field that was used; empty if there is none.
        trends: The clusters over time; None without dates.
        order: The indices of the trends, in the order they are listed.
    """

    fields: tuple[str, ...] = ()
    field: str = ""
    trends: Trends | None = None
    order: tuple[int, ...] = ()


def over_time(listing: Listing, clusters: Clusters, field: str = "") -> TrendData:
    """Return the clusters over time by a field; by the fullest one if it is absent or holds no dates."""
    from explorer.analysis.clusters.trends import days_of, trends

    fields = date_fields(listing)
    field = field if field in fields else next(iter(fields), "")
    if not field:
        return TrendData()
    dates = mapped(listing.fields[field], _text).at_rows(listing.rows.of_each(clusters.documents))
    days = days_of(dates.values)[dates.codes]
    result = trends(days, clusters.shown.labels)
    if not len(result.starts):
        return TrendData(fields, field)
    order = sorted(range(len(result.clusters)), key=lambda row: _trend_order(result.clusters[row]))
    return TrendData(fields, field, result, tuple(order))


def date_fields(listing: Listing) -> tuple[str, ...]:
    """Return the fields whose values are mostly dates, the fullest first."""
    from explorer.analysis.clusters.trends import days_of

    counts: dict[str, int] = {}
    for name, values in listing.fields.items():
        filled = [row for row, value in enumerate(values) if value not in (None, "")]
        sample = filled[:: max(1, len(filled) // _DATE_SAMPLE)]
        dated = ~np.isnat(days_of(_text(values[row]) for row in sample)) if sample else np.zeros(0, bool)
        if len(dated) and dated.mean() > 0.5:
            counts[name] = len(filled)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name != "date", name)))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _trend_order(trend: Trend) -> tuple[float, float]:
    """Sort what rises most first, then what falls most, then the largest."""
    moves = trend.direction in ("rising", "falling")
    return _DIRECTIONS[trend.direction], -abs(trend.slope) if moves else -float(trend.counts.sum())


class CategoryService:
    """Sorts documents into categories; every method runs in the worker that its docstring names."""

    def __init__(self, slow: Workspace, models: ModelCache, vectors: VectorCache) -> None:
        """Take the connection of the slow worker."""
        self._slow, self._models, self._vectors = slow, models, vectors

    def classify(self, task: Task, *, threshold: float = 0.5) -> DocumentLabels:
        """Sort every document into the categories of the workspace, and save the result; slow worker.

        Args:
            task: Progress and cancel.
            threshold: Documents less likely to belong to any category get none.

        Raises:
            Cancelled: The task was cancelled.
            DataError: A category has neither a name nor an example that means anything.
            WorkspaceError: Nothing is encoded yet, or the disk is full.
        """
        from explorer.analysis.clusters.classify import Category, classify
        from explorer.workspace.overview.documents import DocumentLabels, encoded_documents, save_labels
        from explorer.workspace.storage.user import lists as user_lists

        wanted = user_lists.categories(self._slow)
        encoded = encoded_documents(self._slow, self._vectors.load(self._slow), task=task)
        labels = DocumentLabels(encoded.documents, np.full(len(encoded), -1, np.int32), ())
        if wanted:
            encoder = self._models.encoder()
            if encoder.fingerprint != encoded.model:  # the vectors are still the draft's
                from explorer.models.static_encoder import static_encoder_of

                described = static_encoder_of(encoder, task.silent()).encode
            else:
                described = encoder.encode
            texts = [[category.name, *filter(None, [category.description])] for category in wanted]
            vectors = described([text for said in texts for text in said], task=task.silent()).whole()
            ends = np.cumsum([len(said) for said in texts])[:-1]
            categories = [
                Category(
                    category.name,
                    said,
                    [encoded.rows[document_id] for document_id in category.examples if document_id in encoded.rows],
                )
                for category, said in zip(wanted, np.split(vectors, ends), strict=True)
            ]
            classification = classify(encoded.vectors, categories, graph=encoded.graph, threshold=threshold, task=task)
            names = tuple(category.name for category in wanted)
            labels = DocumentLabels(encoded.documents, classification.labels, names, classification.confidence)
        save_labels(self._slow, "categories", labels)
        return labels

    def saved(self) -> DocumentLabels | None:
        """Return the categories as last computed; slow worker."""
        from explorer.workspace.overview.documents import load_labels

        return load_labels(self._slow, "categories")
