"""What the user does to clusters, as functions that turn a survey into edits; they run behind the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.analysis.clusters.edits import Edit
    from explorer.services.overview import ClusterOverview

Make = Callable[["ClusterOverview"], Iterable["Edit"]]


def renaming(cluster: int, name: str) -> Make:
    """Call a cluster by a name; an empty one gives it its topic words back."""

    def make(survey: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        return [edits.rename(survey.clusters.shown, survey.landscape.keys, cluster, name)]

    return make


def merging(clusters: Sequence[int]) -> Make:
    """Make one cluster of several; the first gives its name."""

    def make(survey: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        return [edits.merge(survey.clusters.shown, survey.landscape.keys, clusters)]

    return make


def splitting(cluster: int, parts: int = 2) -> Make:
    """Divide a cluster."""

    def make(survey: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        land = survey.landscape
        return [edits.split(survey.clusters.shown, land.graph, land.vectors, land.keys, cluster, parts=parts)]

    return make


def moving(documents: Iterable[int], cluster: int) -> Make:
    """Put documents into a cluster; -1 takes them out of all."""
    chosen = tuple(documents)

    def make(survey: ClusterOverview) -> Iterable[Edit]:
        from explorer.analysis.clusters import edits

        land = survey.landscape
        rows = [land.rows[number] for number in chosen if number in land.rows]
        return [edits.move(survey.clusters.shown, land.keys, rows, cluster)] if rows else []

    return make


def assigning() -> Make:
    """Put each leftover into the cluster it is nearest to."""

    def make(survey: ClusterOverview) -> Iterable[Edit]:
        import numpy as np

        from explorer.analysis.clusters import edits
        from explorer.analysis.clusters.cluster import assign_leftovers

        land, shown = survey.landscape, survey.clusters.shown
        whole = assign_leftovers(shown, land.vectors)
        moved = np.flatnonzero(whole.labels != shown.labels)
        return [
            edits.move(shown, land.keys, moved[whole.labels[moved] == number].tolist(), int(number))
            for number in np.unique(whole.labels[moved])
        ]

    return make
