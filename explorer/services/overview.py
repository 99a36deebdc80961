"""The whole of an open workspace: graph, clusters and map, what stands there twice and what stands alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.analysis.clusters.cluster import Clustering
    from explorer.analysis.clusters.edits import Edit
    from explorer.analysis.clusters.hierarchy import Tree
    from explorer.analysis.clusters.methods import ClusterRecipe
    from explorer.analysis.clusters.outliers import Outlier
    from explorer.rendering.labels import Label
    from explorer.services.model_cache import ModelCache
    from explorer.services.open_workspace import VectorCache
    from explorer.task import Task
    from explorer.workspace.overview.clusters import Cluster
    from explorer.workspace.overview.documents import EncodedDocuments
    from explorer.workspace.search.duplicates import DuplicateGroups
    from explorer.workspace.storage.document_table import Listing
    from explorer.workspace.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters that are shown.

    Attributes:
        documents: (N,) numbers of the documents, ascending.
        shown: The cluster of each.
        clusters: What is known of each cluster, the largest first.
        tree: Clusters within clusters; None until it is known.
        names: For each level of the tree the topic words of its clusters.
        stability: How surely each would be found again; empty until it is known.
    """

    documents: NDArray[np.int64]
    shown: Clustering
    clusters: tuple[Cluster, ...]
    tree: Tree | None = None
    stability: dict[int, float] | None = None
    names: tuple[Mapping[int, str], ...] = ()

    def by_document(self) -> dict[int, int]:
        """The cluster of each document, -1 for none."""
        return dict(zip(self.documents.tolist(), self.shown.labels.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class MapLayout:
    """The map as it stands.

    Attributes:
        documents: (N,) numbers of the documents.
        positions: (N, 2).
        labels: Names on it, from coarse to fine.
        trust: (N,) share of true neighbours kept near; None while it is being drawn.
        mean_trust: The mean of it.
        drawing: Whether it is still being drawn.
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
    """Clusters and what they were made of."""

    landscape: EncodedDocuments
    clusters: Clusters


class OverviewService:
    """Groups and draws the documents; every method runs in the worker that its docstring names."""

    def __init__(self, saving: Workspace, slow: Workspace, models: ModelCache, vectors: VectorCache) -> None:
        """Take the connections of the saving and the slow worker."""
        self._saving, self._slow = saving, slow
        self._models, self._vectors = models, vectors

    def survey(
        self, recipe: ClusterRecipe | None, task: Task, say: Callable[[ClusterOverview], None]
    ) -> ClusterOverview:
        """Graph and clusters: said at once, then again with tree and stability; slow worker."""
        from explorer.analysis.clusters.hierarchy import hierarchy
        from explorer.analysis.clusters.methods import ClusterRecipe
        from explorer.analysis.clusters.quality import stability
        from explorer.analysis.topics.topics import topics
        from explorer.workspace.overview.clusters import cluster_documents, describe_clusters
        from explorer.workspace.overview.documents import landscape
        from explorer.workspace.overview.terms import term_counts

        land = landscape(self._slow, self._vectors.load(self._slow), task=task)
        usual = ClusterRecipe(granularity=self._models.settings.granularity)
        shown = cluster_documents(self._slow, land, recipe, usual=usual, task=task)
        counts = term_counts(self._slow, land, task=task)
        found = Clusters(land.documents, shown, describe_clusters(land, shown, counts))
        say(ClusterOverview(land, found))
        tree = hierarchy(land.graph, land.vectors, land.digests, shown, task=task)
        names = tuple(
            {one.label: one.name for one in topics(counts, level.tolist())} for level in tree.levels
        )
        found = replace(found, tree=tree, names=names)
        say(ClusterOverview(land, found))
        sure = stability(land.graph, land.vectors, land.digests, shown, task=task)
        return ClusterOverview(land, replace(found, stability=sure))

    def draw(
        self, land: EncodedDocuments, *, anew: bool, task: Task, say: Callable[[MapLayout], None]
    ) -> MapLayout:
        """The map, said as it forms; slow worker."""
        from explorer.workspace.overview.map import map_documents

        def picture(positions: NDArray[np.float32], _done: int, _total: int) -> None:
            say(MapLayout(land.documents, positions, drawing=True, draft=draft))

        draft = any(one.kind == "draft" and one.fingerprint == land.model for one in self._slow.models())
        drawn = map_documents(self._slow, land, anew=anew, on_picture=picture, task=task)
        return MapLayout(land.documents, drawn.positions, (), drawn.trust, drawn.mean_trust, draft=draft)

    def labels(self, survey: ClusterOverview, chart: MapLayout, task: Task) -> MapLayout:
        """The map with names on it; slow worker."""
        from explorer.workspace.overview.overview import map_labels
        from explorer.workspace.overview.terms import term_counts

        clusters = survey.clusters
        if clusters.tree is None:
            return chart
        counts = term_counts(self._slow, survey.landscape, task=task)
        names = {one.id: one.name for one in clusters.clusters}
        levels = map_labels(chart.positions, clusters.tree, names, counts)
        return replace(chart, labels=levels[clusters.tree.shown :])  # from the clusters that the panel lists

    def edit_clusters(self, edits: Iterable[Edit]) -> tuple[int, tuple[Edit, ...]]:
        """Keep a change that the user made to clusters; returns its number and what was kept; saving worker."""
        from explorer.analysis.clusters.edits import SplitCluster
        from explorer.workspace.overview.clusters import add_edit, next_id

        made, free = [], next_id(self._saving)
        for edit in edits:
            if isinstance(edit, SplitCluster):  # another split may have taken the ids since it was planned
                edit = replace(edit, new_ids=tuple(range(free, free + len(edit.new_ids))))  # noqa: PLW2901
                free += len(edit.new_ids)
            made.append(edit)
        return (add_edit(self._saving, *made) if made else 0), tuple(made)

    def renamed(self, survey: ClusterOverview) -> ClusterOverview:
        """The same clusters under the names of now; slow worker. A name that was taken away is the topic's again."""
        from explorer.workspace.overview.clusters import cluster_documents

        clusters = survey.clusters
        shown = cluster_documents(self._slow, survey.landscape)
        topics = clusters.names[clusters.tree.shown] if clusters.tree is not None else {}
        told = tuple(
            replace(
                one,
                name=shown.names.get(one.id) or topics.get(one.id, one.name),
                named=bool(shown.names.get(one.id)),
            )
            for one in clusters.clusters
        )
        return ClusterOverview(survey.landscape, replace(clusters, shown=shown, clusters=told))

    def undo_clusters(self) -> None:
        """Take the last change of clusters back; saving worker."""
        from explorer.workspace.overview.clusters import undo_edit

        undo_edit(self._saving)

    def duplicates(self, threshold: float, task: Task) -> DuplicateGroups:
        """What stands in the workspace more than once; slow worker."""
        from explorer.workspace.search.duplicates import duplicates

        return duplicates(
            self._slow,
            self._vectors.load(self._slow),
            threshold,
            languages=self._models.languages(),
            task=task,
        )

    def outliers(self, land: EncodedDocuments, listing: Listing) -> list[Outlier]:
        """The documents far from all others; slow worker."""
        import numpy as np

        from explorer.analysis.clusters.outliers import outliers
        from explorer.workspace.search.similar import reads

        rows = [listing.rows.get(number, -1) for number in land.documents.tolist()]
        spoken = ["" if row < 0 else listing.languages[row] for row in rows]
        known = self._models.languages()
        return outliers(
            land.graph, land.vectors, languages=spoken,
            unreadable={code for code in set(spoken) if not reads(known, code)},
            lengths=np.array([0 if row < 0 else listing.characters[row] for row in rows]),
        )  # fmt: skip
