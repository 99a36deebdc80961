"""What the user does with the folder's shape: clusters and map, duplicates and outliers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.errors import ExplorerError
from explorer.ui.jobs.messages import message

if TYPE_CHECKING:
    from explorer.analysis.clusters.edits import Edit
    from explorer.analysis.clusters.outliers import Outlier
    from explorer.services.open_workspace import Desk
    from explorer.services.overview import Chart, Survey
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Actions
    from explorer.workspace.search.similar import Twice

    Failed = Callable[[BaseException], None]


MOST = 0.9


class OverviewVerbs(QObject):
    """The verbs of clusters and map; both are in the session."""

    def __init__(self, actions: Actions) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._survey: Survey | None = None
        self._anew = False  # what the survey under way is wanted for, with the granularity until it is there
        self._granularity: float | None = None
        actions.leaving.connect(self._forget)

    def _forget(self) -> None:
        self._survey = None

    def show_kept(self) -> None:
        """Show the map as it was left; it is brought up to date after that."""

        def done(chart: Chart | None) -> None:
            if chart is not None and self._session.chart is None:
                self._session.set_chart(chart)

        self._actions.on_desk("kept map", lambda desk, _: desk.kept_map(), done, lane="aside")

    def survey(self, *, anew: bool = False, granularity: float | None = None) -> None:
        """Bring graph, clusters and map up to date; `anew` draws all of the map again."""
        if not self._session.listing or not len(self._session.listing):
            return
        if self._actions.runner.busy("survey"):  # it is replaced: what was wanted of it is wanted of this one
            anew = anew or self._anew
            granularity = self._granularity if granularity is None else granularity
        self._anew, self._granularity = anew, granularity

        def work(desk: Desk, task: Task) -> Survey:
            from explorer.analysis.clusters.methods import Recipe

            recipe = None if granularity is None else Recipe(granularity=granularity)
            return desk.overview.survey(recipe, task, task.publish)

        def shown(found: Survey) -> None:
            self._granularity = None  # the workspace knows it now
            self._show(found)

        def done(found: Survey) -> None:
            shown(found)
            self._draw(found, anew=anew)

        self._actions.on_desk(
            "survey", work, done, lane="slow", partial=shown, title=self.tr("Grouping the documents"),
            failed=self._no_survey,
        )  # fmt: skip

    def sketch(self) -> None:
        """Show clusters and map of draft vectors, where most documents are on no map yet."""
        chart, listing = self._session.chart, self._session.listing
        if listing is not None and (chart is None or len(chart.documents) < MOST * len(listing)):
            self.survey()

    def _show(self, found: Survey) -> None:
        self._survey = found
        self._session.set_landscape(found.landscape)
        self._session.set_clusters(found.clusters)

    def _no_survey(self, error: BaseException) -> None:
        """Before anything is encoded there is nothing to group; that is no error."""
        if not isinstance(error, ExplorerError):
            self._actions.told.emit(message(error))

    def _draw(self, found: Survey, *, anew: bool) -> None:
        def work(desk: Desk, task: Task) -> Chart:
            land = found.landscape
            chart = desk.overview.draw(land, anew=anew, task=task, say=task.publish)
            return desk.overview.labels(found, chart, task.silent())

        shown = self._session.set_chart
        self._actions.on_desk(
            "map", work, shown, lane="slow", partial=shown, title=self.tr("Drawing the map")
        )

    def change_clusters(self, make: Callable[[Survey], Iterable[Edit]], text: str = "") -> None:
        """Change the clusters that are shown: `make` turns them into edits, in a lane; `text` names the change."""
        if self._survey is not None:
            self._actions.changes.change_clusters(self._survey, make, text)

    def rename_clusters(self) -> None:
        """Show names that were just changed; nothing else is computed again."""
        found = self._survey
        if found is None or found.clusters.tree is None or self._actions.runner.busy("survey"):
            self.survey()
            return

        def done(named: Survey) -> None:
            old = {one.id: one.name for one in found.clusters.clusters}
            new = {old[one.id]: one.name for one in named.clusters.clusters if old[one.id] != one.name}
            self._survey = named
            self._session.set_clusters(named.clusters)
            chart = self._session.chart
            if chart is not None and chart.labels:
                first = tuple(replace(one, text=new.get(one.text, one.text)) for one in chart.labels[0])
                self._session.set_chart(replace(chart, labels=(first, *chart.labels[1:])))

        self._actions.on_desk("names", lambda desk, _: desk.overview.renamed(found), done, lane="slow")

    def find_duplicates(
        self, threshold: float, done: Callable[[Twice], None], failed: Failed | None = None
    ) -> None:
        """Find what stands in the workspace more than once."""
        self._actions.on_desk(
            "duplicates", lambda desk, task: desk.overview.duplicates(threshold, task), done, lane="slow",
            title=self.tr("Looking for duplicates"), failed=failed,
        )  # fmt: skip

    def find_outliers(self, done: Callable[[list[Outlier]], None], failed: Failed | None = None) -> None:
        """Find the documents far from all others."""
        land, listing = self._session.landscape, self._session.listing
        if land is not None and listing is not None:
            self._actions.on_desk(
                "outliers", lambda desk, _: desk.overview.outliers(land, listing), done, lane="slow", failed=failed
            )  # fmt: skip
