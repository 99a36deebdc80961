"""Clusters, map, duplicates and outliers of the open folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.analysis.clusters.outliers import Outlier
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.services.overview import ClusterOverview, MakeEdits, MapLayout
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.search.duplicates import DuplicateGroups

    Failed = Callable[[BaseException], None]

_ON_MAP = 0.9  # share of the documents below which the map is drawn again from draft vectors


class OverviewController(QObject):
    """Keeps graph, clusters and map of the session up to date."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._overview: ClusterOverview | None = None
        # What was requested of the refresh that is running, so that one that replaces it does not lose it.
        self._redraw = False
        self._granularity: float | None = None
        actions.leaving.connect(self._on_leaving)

    def _on_leaving(self) -> None:
        self._overview = None

    def show_saved_map(self) -> None:
        """Show the map as it was left, until it is brought up to date."""

        def done(layout: MapLayout | None) -> None:
            if layout is not None and self._session.map_layout is None:
                self._session.set_map_layout(layout)

        self._actions.with_workspace("saved map", lambda workspace, _: workspace.saved_map(), done, worker="aside")

    def refresh(self, *, redraw: bool = False, granularity: float | None = None) -> None:
        """Bring graph, clusters and map up to date.

        Args:
            redraw: Whether to lay out all of the map again.
            granularity: Of the clusters from now on; None keeps it.
        """
        if not self._session.listing or not len(self._session.listing):
            return
        if self._actions.runner.busy("clusters"):
            redraw = redraw or self._redraw
            granularity = self._granularity if granularity is None else granularity
        self._redraw, self._granularity, before = redraw, granularity, self._overview

        def work(workspace: OpenWorkspace, task: Task) -> ClusterOverview:
            from explorer.analysis.clusters.methods import ClusterRecipe

            recipe = None if granularity is None else ClusterRecipe(granularity=granularity)
            return workspace.overview.cluster(recipe, task, task.publish, before)

        def show(overview: ClusterOverview) -> None:
            self._granularity = None  # the workspace has saved it
            self._overview = overview
            self._session.set_graph(overview.encoded)
            self._session.set_clusters(overview.clusters)

        def done(overview: ClusterOverview) -> None:
            self._granularity = None
            if overview is not self._overview:
                show(overview)
            elif not redraw and self._is_drawn():
                return  # as when an update found nothing new
            self._draw(overview, redraw=redraw)

        def failed(error: BaseException) -> None:
            # Before anything is encoded there is nothing to cluster, which is not an error.
            if not isinstance(error, ExplorerError):
                self._actions.report_error(error)

        self._actions.with_workspace(
            "clusters", work, done, worker="slow", partial=show, title=self.tr("Grouping the documents"), failed=failed
        )

    def show_draft(self) -> None:
        """Show clusters and map of the draft vectors, if most documents are not on the map yet."""
        layout, listing = self._session.map_layout, self._session.listing
        if listing is not None and (layout is None or len(layout.documents) < _ON_MAP * len(listing)):
            self.refresh()

    def _is_drawn(self) -> bool:
        """Return whether the map is finished and has its labels."""
        layout = self._session.map_layout
        return layout is not None and layout.trust is not None and bool(layout.labels)

    def _draw(self, overview: ClusterOverview, *, redraw: bool) -> None:
        def work(workspace: OpenWorkspace, task: Task) -> MapLayout:
            layout = workspace.overview.draw(overview.encoded, redraw=redraw, task=task, publish=task.publish)
            return workspace.overview.labelled(overview, layout)

        show = self._session.set_map_layout
        self._actions.with_workspace("map", work, show, worker="slow", partial=show, title=self.tr("Drawing the map"))

    def change_clusters(self, make: MakeEdits, text: str = "") -> None:
        """Change the shown clusters: `make` turns them into edits, in a worker; `text` names the change."""
        if self._overview is not None:
            self._actions.edits.change_clusters(self._overview, make, text)

    def rename_clusters(self) -> None:
        """Show names that were just changed, without computing anything else again."""
        overview = self._overview
        if overview is None or overview.clusters.tree is None or self._actions.runner.busy("clusters"):
            self.refresh()
            return

        def done(renamed: ClusterOverview) -> None:
            old = {cluster.id: cluster.name for cluster in overview.clusters.clusters}
            new = {old[cluster.id]: cluster.name for cluster in renamed.clusters.clusters}
            self._overview = renamed
            self._session.set_clusters(renamed.clusters)
            layout = self._session.map_layout
            if layout is not None and layout.labels:
                first = tuple(replace(label, text=new.get(label.text, label.text)) for label in layout.labels[0])
                self._session.set_map_layout(replace(layout, labels=(first, *layout.labels[1:])))

        self._actions.with_workspace(
            "names", lambda workspace, _: workspace.overview.rename(overview), done, worker="slow"
        )

    def find_duplicates(
        self, threshold: float, done: Callable[[DuplicateGroups], None], failed: Failed | None = None
    ) -> None:
        """Find documents and passages that occur more than once."""
        self._actions.with_workspace(
            "duplicates",
            lambda workspace, task: workspace.overview.duplicates(threshold, task),
            done,
            worker="slow",
            title=self.tr("Looking for duplicates"),
            failed=failed,
        )

    def find_outliers(self, done: Callable[[list[Outlier]], None], failed: Failed | None = None) -> None:
        """Find the documents far from all others."""
        encoded, listing = self._session.graph, self._session.listing
        if encoded is not None and listing is not None:
            self._actions.with_workspace(
                "outliers",
                lambda workspace, _: workspace.overview.outliers(encoded, listing),
                done,
                worker="slow",
                failed=failed,
            )
