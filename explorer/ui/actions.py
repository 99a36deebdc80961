"""The verbs behind menus, buttons and keys: each starts work, and hands what comes of it to the session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from explorer import settings as settings_file
from explorer.errors import ExplorerError
from explorer.ui.changes import Changes
from explorer.ui.desk import Desk, Page, Survey
from explorer.ui.following import KEY as FOLLOWING
from explorer.ui.following import Following
from explorer.ui.jobs import Lane, Runner, say
from explorer.ui.messages import Message, message
from explorer.ui.model_verbs import ModelVerbs
from explorer.ui.sentences import told
from explorer.ui.session import Filter, Place, Search, Session

if TYPE_CHECKING:
    from explorer.index.cluster_edits import Edit
    from explorer.index.keywords import Keyword
    from explorer.index.outliers import Outlier
    from explorer.index.query import Query
    from explorer.models.contributions import Contributions
    from explorer.settings import Settings
    from explorer.task import Task
    from explorer.workspace.alike import Neighbour, Twice
    from explorer.workspace.comparison import Comparison
    from explorer.workspace.finding import Results
    from explorer.workspace.snippets import Similar

Result = TypeVar("Result")

LOOK_AGAIN = 1500  # milliseconds between two looks at what an update has read so far
HITS = 200  # documents that a query finds at first
MOST = 2000  # and when more of them are wanted; the search weighs no more passages


class Actions(QObject):
    """What the user can do in one window.

    Attributes:
        changes: What the user changes and can take back.
        models: What the user does with models.

    Signals:
        told: Something to say: a Message.
        updated: The folder was read to the end.
        leaving: The open workspace is about to be left.
    """

    told = Signal(object)
    updated = Signal()
    leaving = Signal()

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.runner = session, runner
        self._desk: Desk | None = None
        self._leaving: Desk | None = None
        self._survey: Survey | None = None
        self._hits = HITS
        self._looking = QTimer(self, interval=LOOK_AGAIN)
        self._looking.timeout.connect(self.refresh)
        self.changes, self.models = Changes(self), ModelVerbs(self)
        self._following = Following(self)
        session.settings_changed.connect(self._on_settings_changed)
        runner.failed.connect(lambda _title, error: self.told.emit(message(error)))

    # The place

    def open_folder(self, folder: Path) -> None:
        """Open a folder of texts or a workspace, and bring it up to date; what was open is left first."""
        chosen = self.session.settings

        def opened(desk: Desk) -> None:
            self._desk = desk
            desk.models.take(self.session.settings)
            where = desk.workspace
            self.session.set_place(Place(where.root, where.folder, where.writable, where.notice))
            self.change_settings(self.session.settings.opened(str(where.root)))
            if where.notice:
                self.told.emit(Message(told(where.notice)))
            self.refresh(then=self._opened)

        def failed(error: BaseException) -> None:
            self.session.set_place(None)
            self.told.emit(message(error))

        def go() -> None:
            self.runner.start(
                "open", lambda _: Desk.open(folder, chosen), opened, failed=failed, dropped=Desk.close,
                title=self.tr("Opening {name}").format(name=folder.name),
            )  # fmt: skip

        self._leave(go)

    def _opened(self) -> None:
        self._warm_up()
        self.survey()
        if self.session.place is not None and self.session.place.writable:
            self.update()

    def _warm_up(self) -> None:
        """Have the first query find everything loaded: the model first, beside the quick lane, then the rest."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                "warm", lambda _: desk.encoder(), lambda _: self._warm_search(desk), lane="model", quiet=True,
                failed=lambda _: None,
            )  # fmt: skip

    def _warm_search(self, desk: Desk) -> None:
        if desk is self._desk:
            self.runner.start(
                "warm", lambda _: desk.warm_up(), lambda _: None, quiet=True, failed=lambda _: None
            )

    def close_place(self) -> None:
        """Go back to the start page."""
        self._leave(lambda: self.session.set_place(None))

    def _leave(self, then: Callable[[], None]) -> None:
        """Stop what works on the open workspace, and close it once every lane has left it; the latest `then` wins."""
        self._looking.stop()
        self.leaving.emit()
        self.runner.cancel(FOLLOWING, told=False)
        if self._desk is not None:
            self._leaving, self._desk, self._survey = self._desk, None, None
        for job in self.runner.jobs():
            if job.lane not in ("training", "download"):  # they need no open workspace
                self.runner.cancel(job.key, told=False)
        self._pass(["model", "slow", "quick", "aside"], then)

    def _pass(self, lanes: list[Lane], then: Callable[[], None]) -> None:
        """Go through the lanes one after the other; each is then at rest."""
        if lanes:
            self.runner.start(
                "leave", lambda _: None, lambda _: self._pass(lanes[1:], then), lane=lanes[0], quiet=True
            )
            return
        if self._leaving is not None:
            self._leaving.close()
            self._leaving = None
        then()

    def shut(self) -> None:
        """Let go of the workspace when the window closes; the runner must be closed already."""
        for desk in (self._leaving, self._desk):
            if desk is not None:
                desk.close()
        self._leaving = self._desk = None

    # Reading and encoding

    def update(self, *, retry: bool = False) -> None:
        """Bring the open workspace up to date with its folder."""
        desk = self._desk
        if desk is None:
            return
        self._looking.start()

        def done(_: object) -> None:
            self._looking.stop()
            self.refresh(then=self._updated)

        self.runner.start(
            "update", lambda task: desk.update(task, retry=retry), done, lane="model",
            title=self.tr("Reading the folder"), stopped=lambda: done(None), failed=self._update_failed,
        )  # fmt: skip

    def _update_failed(self, error: BaseException) -> None:
        self._looking.stop()
        self.refresh()
        self.told.emit(message(error))

    def _updated(self) -> None:
        self.survey()
        self.updated.emit()
        if self.session.search is not None:
            self.ask(self.session.search.text)

    def refresh(self, then: Callable[[], None] | None = None) -> None:
        """Look at which documents there are now."""
        desk = self._desk
        if desk is None:
            return

        def done(found: Any) -> None:
            self.session.set_documents(*found)
            if then is not None:
                then()

        if then is None and self.runner.busy("documents"):
            return
        self.runner.start("documents", lambda _: desk.documents(), done, quiet=True)

    # Finding

    def ask(self, text: str) -> None:
        """Search as the user types; the latest query wins."""
        if not text.strip():
            self.runner.cancel("search", told=False)
            self.session.set_search(None)
            return
        desk, mode = self._desk, self.session.settings.mode
        before = self.session.search
        if before is None or before.text != text:
            self._hits = HITS
        hits = self._hits
        self.session.set_search(Search(text, before.results if before else None, stale=True))
        if desk is None:
            return

        def found(results: Results) -> None:
            self.session.set_search(Search(text, results))
            if self.session.settings.rerank:
                self.rerank()

        chosen: Any = mode
        self.runner.start(
            "search", lambda task: desk.search(text, chosen, hits, task), found, quiet=True,
            failed=lambda error: self._not_found(text, error),
        )  # fmt: skip

    def may_find_more(self, found: int) -> bool:
        """Whether a query that found so many documents may find more."""
        return found >= self._hits and self._hits < MOST

    def find_more(self) -> None:
        """Ask the query again for more documents."""
        if self.session.search is not None:
            self._hits = MOST
            self.ask(self.session.search.text)

    def _not_found(self, text: str, error: BaseException) -> None:
        if not isinstance(error, ExplorerError):
            self.told.emit(message(error))
        results = self.session.search.results if self.session.search else None
        where = getattr(error, "position", -1)
        self.session.set_search(Search(text, results, stale=True, error=message(error).sentence, where=where))

    def rerank(self, failed: Callable[[BaseException], None] | None = None) -> None:
        """Have the cross-encoder read the best results again; an error is told where nobody takes it."""
        desk, search = self._desk, self.session.search
        if desk is None or search is None:
            return
        text, chosen, hits = search.text, self.session.settings, self._hits
        mode: Any = chosen.mode

        def found(results: Results) -> None:
            now = self.session.search
            if now is not None and now.text == text:
                self.session.set_search(Search(text, results))

        self.runner.start(
            "rerank", lambda task: desk.rerank(text, mode, hits, task), found, lane="model",
            title=self.tr("Reranking the best results"), failed=failed,
        )  # fmt: skip

    def look_for_reranker(self, done: Callable[[bool], None]) -> None:
        """Find out whether there is a cross-encoder."""
        desk = self._desk
        if desk is not None:
            self.runner.start("reranker", lambda _: desk.has_reranker(), done, quiet=True)

    def read(
        self,
        document: int,
        done: Callable[[Page], None],
        failed: Callable[[BaseException], None] | None = None,
    ) -> None:
        """Fetch a document to read."""
        desk = self._desk
        if desk is not None:
            self.runner.start("read", lambda _: desk.page(document), done, quiet=True, failed=failed)

    def find_neighbours(
        self, like: Sequence[int], unlike: Sequence[int], metric: str, done: Callable[[list[Neighbour]], None]
    ) -> None:
        """Find the documents nearest to some."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                "neighbours", lambda task: desk.neighbours(like, unlike, 50, metric, task), done, quiet=True,
                failed=lambda _: done([]),
            )  # fmt: skip

    def find_similar(
        self, like: Sequence[int], unlike: Sequence[int], query: str, metric: str,
        done: Callable[[tuple[Similar, ...]], None], failed: Callable[[BaseException], None],
    ) -> None:  # fmt: skip
        """Find the documents nearest to some and to a query, with the lines that show why."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                "similar", lambda task: desk.similar(like, unlike, query, 50, metric, task), done, quiet=True,
                failed=failed,
            )  # fmt: skip

    def find_words(self, query: Query, texts: Sequence[str], done: Callable[[list[Any]], None]) -> None:
        """Find where in each text the words of a query are."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                "words", lambda task: desk.words(query, texts, task), done, quiet=True,
                failed=lambda _: done([]),
            )  # fmt: skip

    def explain(
        self, first: str, second: str, role: str, done: Callable[[Contributions], None], key: str = "explain"
    ) -> None:
        """Find what each word adds to the likeness of a "query" or "document" and a passage."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                key, lambda task: desk.why(first, second, role, task), done, lane="aside", quiet=True,
                failed=lambda _: None,
            )  # fmt: skip

    def find_keywords(self, document: int, done: Callable[[list[Keyword]], None]) -> None:
        """Find the key words of a document."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                "keywords", lambda task: desk.keywords(document, task), done, lane="aside", quiet=True,
                failed=lambda _: done([]),
            )  # fmt: skip

    def compare(
        self, first: int, second: int, done: Callable[[Comparison], None],
        failed: Callable[[BaseException], None] | None = None,
    ) -> None:  # fmt: skip
        """Lay two documents side by side."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                "compare", lambda task: desk.compare(first, second, task), done, lane="slow",
                title=self.tr("Comparing two documents"), failed=failed,
            )  # fmt: skip

    # Clusters and map

    def survey(self, *, anew: bool = False, granularity: float | None = None) -> None:
        """Bring graph, clusters and map up to date; `anew` draws all of the map again."""
        desk = self._desk
        if desk is None or not self.session.listing or not len(self.session.listing):
            return

        def work(task: Any) -> Survey:
            from explorer.index.cluster_methods import Recipe

            recipe = None if granularity is None else Recipe(granularity=granularity)
            return desk.survey(recipe, task, lambda found: say(task, found))

        def shown(found: Survey) -> None:
            self._survey = found
            self.session.set_landscape(found.landscape)
            self.session.set_clusters(found.clusters)

        def done(found: Survey) -> None:
            shown(found)
            self._draw(anew=anew)

        self.runner.start(
            "survey", work, done, lane="slow", partial=shown, title=self.tr("Grouping the documents"),
            failed=self._no_survey,
        )  # fmt: skip

    def _no_survey(self, error: BaseException) -> None:
        """Before anything is encoded there is nothing to group; that is no error."""
        if not isinstance(error, ExplorerError):
            self.told.emit(message(error))

    def _draw(self, *, anew: bool) -> None:
        desk, found = self._desk, self._survey
        if desk is None or found is None:
            return
        self.runner.start(
            "map",
            lambda task: desk.labels(
                found,
                desk.draw(found.landscape, anew=anew, task=task, say=lambda chart: say(task, chart)),
                task.silent(),
            ),
            self.session.set_chart, lane="slow", partial=self.session.set_chart, title=self.tr("Drawing the map"),
        )  # fmt: skip

    def change_clusters(self, make: Callable[[Survey], Iterable[Edit]], text: str = "") -> None:
        """Change the clusters that are shown: `make` turns them into edits, in a lane; `text` names the change."""
        if self._survey is not None:
            self.changes.change_clusters(self._survey, make, text)

    def rename_clusters(self) -> None:
        """Show names that were just changed; nothing else is computed again."""
        found = self._survey
        if found is None or found.clusters.tree is None or self.runner.busy("survey"):
            self.survey()
            return

        def done(named: Survey) -> None:
            old = {one.id: one.name for one in found.clusters.clusters}
            new = {old[one.id]: one.name for one in named.clusters.clusters if old[one.id] != one.name}
            self._survey = named
            self.session.set_clusters(named.clusters)
            chart = self.session.chart
            if chart is not None and chart.labels:
                first = tuple(replace(one, text=new.get(one.text, one.text)) for one in chart.labels[0])
                self.session.set_chart(replace(chart, labels=(first, *chart.labels[1:])))

        self.on_desk("names", lambda desk, _: desk.renamed(found), done, lane="slow")

    def undo_clusters(self) -> None:
        """Take the last change of clusters back."""
        self.changes.undo_clusters()

    def find_duplicates(
        self, threshold: float, done: Callable[[Twice], None], failed: Callable[[BaseException], None] | None = None
    ) -> None:  # fmt: skip
        """Find what stands in the workspace more than once."""
        self.on_desk(
            "duplicates", lambda desk, task: desk.duplicates(threshold, task), done, lane="slow", failed=failed,
            title=self.tr("Looking for duplicates"),
        )  # fmt: skip

    def find_outliers(
        self, done: Callable[[list[Outlier]], None], failed: Callable[[BaseException], None] | None = None
    ) -> None:
        """Find the documents far from all others."""
        land, listing = self.session.landscape, self.session.listing
        if land is not None and listing is not None:
            self.on_desk(
                "outliers", lambda desk, _: desk.outliers(land, listing), done, lane="slow", failed=failed
            )

    def on_desk(
        self, key: str, work: Callable[[Desk, Task], Result], done: Callable[[Result], None], *, title: str = "",
        lane: Lane = "quick", failed: Callable[[BaseException], None] | None = None, kept: bool = False,
    ) -> None:  # fmt: skip
        """Do something with the open workspace, in a lane; shown as a job where it has a title, done if `kept`."""
        desk = self._desk
        if desk is not None:
            self.runner.start(
                key, lambda task: work(desk, task), done, title=title, lane=lane, failed=failed, quiet=not title,
                kept=kept,
            )  # fmt: skip

    # What is looked at

    def filter_to(self, documents: Iterable[int], why: str) -> None:
        """Look at some documents only."""
        self.session.set_filter(Filter(frozenset(documents), why))

    def step_back(self) -> None:
        """Esc: give up the marks, then the filter, then the query."""
        if self.session.selection.marked:
            self.session.mark((), "actions")
        elif self.session.filter is not None:
            self.session.set_filter(None)
        elif self.session.search is not None:
            self.ask("")

    def open_original(self, document: int) -> None:
        """Open a document's file with the program that the system has for it."""
        self.open_path(self._path_of(document))

    def reveal(self, document: int) -> None:
        """Show a document's file in the file manager."""
        self.reveal_path(self._path_of(document))

    def open_path(self, path: str) -> None:
        """Open a file of the folder, given as documents and problems name it."""
        self._at_file(path, lambda file: file)

    def reveal_path(self, path: str) -> None:
        """Show such a file in the file manager."""
        self._at_file(path, lambda file: file.parent)

    def _path_of(self, document: int) -> str:
        listing = self.session.listing
        row = listing.rows.get(document) if listing else None
        return "" if listing is None or row is None else listing.paths[row]

    def _at_file(self, name: str, which: Callable[[Path], Path]) -> None:
        place = self.session.place
        if place is None or not name:
            return
        path = which(place.folder / name)
        if not path.exists():
            self.told.emit(Message(self.tr("{path}: the file is not there any more.").format(path=path)))
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def change_settings(self, chosen: Settings) -> None:
        """Take other settings and keep them."""
        self.session.set_settings(chosen)
        try:
            settings_file.save(chosen)
        except ExplorerError as error:
            self.told.emit(message(error))

    def _on_settings_changed(self) -> None:
        if self._desk is not None:
            self._desk.models.take(self.session.settings)

    @property
    def model_in_use(self) -> str:
        """The name of the bi-encoder that answers now; empty where no folder is open."""
        return "" if self._desk is None else self._desk.models.used_name

    def set_mode(self, mode: str) -> None:
        """Search by meaning, by word, or both."""
        self.change_settings(replace(self.session.settings, mode=mode))
        if self.session.search is not None:
            self.ask(self.session.search.text)
