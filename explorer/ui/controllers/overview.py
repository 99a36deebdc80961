"""What the user does with the folder's shape: clusters and map, duplicates and outliers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.analysis.clusters.edits import Edit
    from explorer.analysis.clusters.outliers import Outlier
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.services.overview import ClusterOverview, MapLayout
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.search.duplicates import DuplicateGroups

    Failed = Callable[[BaseException], None]


MOST = 0.9


class OverviewController(QObject):
    """The verbs of clusters and map; both are in the session."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._survey: ClusterOverview | None = None
        self._anew = False  # what the survey under way is wanted for, with the granularity until it is there
        self._granularity: float | None = None
        actions.leaving.connect(self._forget)

    def _forget(self) -> None:
        self._survey = None

    def show_saved_map(self) -> None:
        """Show the map as it was left; it is brought up to date after that."""

        def done(chart: MapLayout | None) -> None:
            if chart is not None and self._session.map_layout is None:
                self._session.set_map_layout(chart)

        self._actions.with_workspace(
            "kept map", lambda workspace, _: workspace.saved_map(), done, worker="aside"
        )

    def survey(self, *, anew: bool = False, granularity: float | None = None) -> None:
        """Bring graph, clusters and map up to date; `anew` draws all of the map again."""
        if not self._session.listing or not len(self._session.listing):
            return
        if self._actions.runner.busy("survey"):  # it is replaced: what was wanted of it is wanted of this one
            anew = anew or self._anew
            granularity = self._granularity if granularity is None else granularity
        self._anew, self._granularity = anew, granularity

        def work(workspace: OpenWorkspace, task: Task) -> ClusterOverview:
            from explorer.analysis.clusters.methods import ClusterRecipe

            recipe = None if granularity is None else ClusterRecipe(granularity=granularity)
            return workspace.overview.survey(recipe, task, task.publish)

        def shown(found: ClusterOverview) -> None:
            self._granularity = None  # the workspace knows it now
            self._show(found)

        def done(found: ClusterOverview) -> None:
            shown(found)
            self._draw(found, anew=anew)

        self._actions.with_workspace(
            "survey",
            work,
            done,
            worker="slow",
            partial=shown,
            title=self.tr("Grouping the documents"),
            failed=self._no_survey,
        )

    def sketch(self) -> None:
        """Show clusters and map of draft vectors, where most documents are on no map yet."""
        chart, listing = self._session.map_layout, self._session.listing
        if listing is not None and (chart is None or len(chart.documents) < MOST * len(listing)):
            self.survey()

    def _show(self, found: ClusterOverview) -> None:
        self._survey = found
        self._session.set_graph(found.landscape)
        self._session.set_clusters(found.clusters)

    def _no_survey(self, error: BaseException) -> None:
        """Before anything is encoded there is nothing to group; that is no error."""
        if not isinstance(error, ExplorerError):
            self._actions.report_error(error)

    def _draw(self, found: ClusterOverview, *, anew: bool) -> None:
        def work(workspace: OpenWorkspace, task: Task) -> MapLayout:
            land = found.landscape
            chart = workspace.overview.draw(land, anew=anew, task=task, say=task.publish)
            return workspace.overview.labels(found, chart, task.silent())

        shown = self._session.set_map_layout
        self._actions.with_workspace(
            "map", work, shown, worker="slow", partial=shown, title=self.tr("Drawing the map")
        )

    def change_clusters(self, make: Callable[[ClusterOverview], Iterable[Edit]], text: str = "") -> None:
        """Change the clusters that are shown: `make` turns them into edits, in a worker; `text` names the change."""
        if self._survey is not None:
            self._actions.edits.change_clusters(self._survey, make, text)

    def rename_clusters(self) -> None:
        """Show names that were just changed; nothing else is computed again."""
        found = self._survey
        if found is None or found.clusters.tree is None or self._actions.runner.busy("survey"):
            self.survey()
            return

        def done(named: ClusterOverview) -> None:
            old = {one.id: one.name for one in found.clusters.clusters}
            new = {old[one.id]: one.name for one in named.clusters.clusters if old[one.id] != one.name}
            self._survey = named
            self._session.set_clusters(named.clusters)
            chart = self._session.map_layout
            if chart is not None and chart.labels:
                first = tuple(replace(one, text=new.get(one.text, one.text)) for one in chart.labels[0])
                self._session.set_map_layout(replace(chart, labels=(first, *chart.labels[1:])))

        self._actions.with_workspace(
            "names", lambda workspace, _: workspace.overview.renamed(found), done, worker="slow"
        )

    def find_duplicates(
        self, threshold: float, done: Callable[[DuplicateGroups], None], failed: Failed | None = None
    ) -> None:
        """Find what stands in the workspace more than once."""
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
        land, listing = self._session.graph, self._session.listing
        if land is not None and listing is not None:
            self._actions.with_workspace(
                "outliers",
                lambda workspace, _: workspace.overview.outliers(land, listing),
                done,
                worker="slow",
                failed=failed,
            )
