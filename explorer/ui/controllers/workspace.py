"""The verbs behind menus, buttons and keys: each starts work, and hands what comes of it to the session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from explorer import settings as settings_file
from explorer.errors import ExplorerError
from explorer.services.open_workspace import OpenWorkspace
from explorer.ui.controllers.documents import DocumentController, FileController
from explorer.ui.controllers.edits import EditController
from explorer.ui.controllers.models import ModelController
from explorer.ui.controllers.overview import OverviewController
from explorer.ui.controllers.search import SearchController
from explorer.ui.jobs.folder_watcher import FolderWatcher
from explorer.ui.jobs.messages import Notification, describe_error
from explorer.ui.jobs.runner import Runner, Worker, ignore_failure
from explorer.ui.look.language import translated
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, OpenFolder, Session

if TYPE_CHECKING:
    from explorer.settings import Settings
    from explorer.task import Task

Result = TypeVar("Result")

LOOK_AGAIN = 1500  # milliseconds between two looks at what an update has read so far


class Controllers(QObject):
    """What the user can do in one window: here with the folder as a whole, in its attributes with what is in it.

    Attributes:
        edits: What the user changes and can take back.
        files: Files of the folder, shown by other programs.
        models: What the user does with models.
        overview: Clusters and map, duplicates and outliers.
        documents: Single documents.
        search: Queries.

    Signals:
        notified: There is something to tell the user: a Notification.
        updated: The folder was read to the end.
        leaving: The open workspace is about to be left.
    """

    notified = Signal(object)
    updated = Signal()
    leaving = Signal()

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.runner = session, runner
        # Set by the window to wait until it has been painted; without a window there is nothing to wait for.
        self.after_paint: Callable[[Callable[[], object]], object] = lambda then: then()
        self._workspace: OpenWorkspace | None = None
        self._leaving: OpenWorkspace | None = None
        self._looking = QTimer(self, interval=LOOK_AGAIN)
        self._looking.timeout.connect(self._look_again)
        self.edits, self.models, self.files = (
            EditController(self),
            ModelController(self),
            FileController(self),
        )
        self.search, self.documents, self.overview = (
            SearchController(self),
            DocumentController(self),
            OverviewController(self),
        )
        self._watcher = FolderWatcher(self)
        session.settings_changed.connect(self._on_settings_changed)
        runner.failed.connect(lambda _title, error: self.report_error(error))

    # The place

    def open_folder(self, folder: Path) -> None:
        """Open a folder of texts or a workspace, and bring it up to date; what was open is left first."""
        chosen = self.session.settings

        def opened(workspace: OpenWorkspace) -> None:
            self._workspace = workspace
            workspace.models.set_settings(self.session.settings)
            main = workspace.main
            self.session.set_folder(OpenFolder(main.root, main.folder, main.writable, main.notice))
            # Nothing else is done until the panels, which have all changed, are painted.
            waiting = self.refresh(then=self._opened, held=True)
            self.after_paint(lambda: self._note_opened(workspace, waiting))

        def failed(error: BaseException) -> None:
            self.session.set_folder(None)
            self.report_error(error)

        def start() -> None:
            self.runner.start(
                "open",
                lambda _: OpenWorkspace.open(folder, chosen),
                opened,
                failed=failed,
                dropped=OpenWorkspace.close,
                title=self.tr("Opening {name}").format(name=folder.name),
            )

        self._leave(start)

    def _note_opened(self, workspace: OpenWorkspace, waiting: int) -> None:
        self.runner.release(waiting)
        if workspace is self._workspace:
            self.change_settings(self.session.settings.opened(str(workspace.main.root)))
            if workspace.main.notice:
                self.notify(translated(workspace.main.notice))

    def _opened(self) -> None:
        self.overview.show_saved_map()
        self._warm_up()
        self.overview.refresh()
        if self.session.folder is not None and self.session.folder.writable:
            self.update()

    def _warm_up(self) -> None:
        """Have the first query find everything loaded: the model first, beside the quick worker, then the rest."""
        workspace = self._workspace
        if workspace is not None:
            self.runner.start(
                "warm",
                lambda _: workspace.models.encoder(),
                lambda _: self._warm_search(workspace),
                worker="model",
                quiet=True,
                failed=ignore_failure,
            )

    def _warm_search(self, workspace: OpenWorkspace) -> None:
        if workspace is self._workspace:
            self.runner.start(
                "warm",
                lambda _: workspace.search.warm_up(),
                lambda _: None,
                quiet=True,
                failed=ignore_failure,
            )

    def close_folder(self) -> None:
        """Go back to the start page."""
        self._leave(lambda: self.session.set_folder(None))

    def _leave(self, then: Callable[[], None]) -> None:
        """Stop what works on the open workspace, and close it once every worker has left it; the latest `then` wins."""
        self._looking.stop()
        self.leaving.emit()
        self._watcher.stop()
        if self._workspace is not None:
            self._leaving, self._workspace = self._workspace, None
        for job in self.runner.jobs():
            if job.worker not in ("training", "download"):  # they need no open workspace
                self.runner.cancel(job.key, notify=False)
        self.runner.drain(("saving", "model", "slow", "quick", "aside"), lambda: self._left(then))

    def _left(self, then: Callable[[], None]) -> None:
        if self._leaving is not None:
            self._leaving.close()
            self._leaving = None
        then()

    def close_workspace(self) -> None:
        """Let go of the workspace when the window closes; the runner must be closed already."""
        for workspace in (self._leaving, self._workspace):
            if workspace is not None:
                workspace.close()
        self._leaving = self._workspace = None

    # Reading and encoding

    def update(self, *, retry: bool = False) -> None:
        """Bring the open workspace up to date with its folder."""
        workspace = self._workspace
        if workspace is None:
            return
        self._looking.start()

        def done(_: object) -> None:
            self._looking.stop()
            self.refresh(then=self._updated)

        def stopped() -> None:
            self._looking.stop()
            self._watcher.stop()
            self.refresh(then=self._show_update)

        def work(task: Task) -> object:
            return workspace.update(task, retry=retry, on_sketched=lambda: task.publish(None))

        self.runner.start(
            "update",
            work,
            done,
            worker="model",
            title=self.tr("Reading the folder"),
            stopped=stopped,
            failed=self._update_failed,
            partial=lambda _: self._look_again(self.overview.show_draft),
        )

    def _update_failed(self, error: BaseException) -> None:
        self._looking.stop()
        self.refresh()
        self.report_error(error)

    def _updated(self) -> None:
        self._show_update()
        self.updated.emit()

    def _show_update(self) -> None:
        """Show what was read, to the end or until the user stopped it."""
        self.overview.refresh()
        if self.session.search is not None:
            self.search.ask(self.session.search.text)

    def _look_again(self, then: Callable[[], None] | None = None) -> None:
        self.refresh(then)

    def refresh(self, then: Callable[[], None] | None = None, *, held: bool = False) -> int:
        """Look at which documents there are now.

        Args:
            then: Called when they are in the session.
            held: Whether the job waits for `Runner.release`.

        Returns:
            The number of the job.
        """
        workspace = self._workspace
        if workspace is None or (then is None and self.runner.busy("documents")):
            return 0

        def done(found: Any) -> None:
            self.session.set_documents(*found)
            if then is not None:
                then()

        return self.runner.start(
            "documents", lambda _: workspace.list_documents(), done, quiet=True, held=held
        )

    # The workers

    def with_workspace(
        self,
        key: str,
        work: Callable[[OpenWorkspace, Task], Result],
        done: Callable[[Result], None],
        *,
        title: str = "",
        worker: Worker = "quick",
        failed: Callable[[BaseException], None] | None = None,
        partial: Callable[[Any], None] | None = None,
        must_run: bool = False,
        owner: QObject | None = None,
    ) -> None:
        """Run something with the open workspace in a worker; a job with a title is shown to the user.

        The arguments are those of `Runner.start`.
        """
        workspace = self._workspace
        if workspace is not None:
            self.runner.start(
                key,
                lambda task: work(workspace, task),
                done,
                title=title,
                worker=worker,
                failed=failed,
                partial=partial,
                quiet=not title,
                must_run=must_run,
                owner=owner,
            )

    # What is looked at

    def filter_to(self, documents: Iterable[int], why: str, key: object = None) -> None:
        """Show some documents only; `key` lets the caller recognise its own filter."""
        self.session.set_filter(DocumentFilter(DocumentSet(documents), why, key))

    def notify(self, sentence: str) -> None:
        """Tell the user something."""
        self.notified.emit(Notification(sentence))

    def report_error(self, error: BaseException) -> None:
        """Tell the user that something failed."""
        self.notified.emit(describe_error(error))

    def step_back(self) -> None:
        """Esc: give up the marks, then the filter, then the query."""
        if self.session.selection.marked:
            self.session.mark(())
        elif self.session.filter is not None:
            self.session.set_filter(None)
        elif self.session.search is not None:
            self.search.ask("")

    def change_settings(self, chosen: Settings) -> None:
        """Take other settings and keep them."""
        self.session.set_settings(chosen)
        try:
            settings_file.save(chosen)
        except ExplorerError as error:
            self.report_error(error)

    def _on_settings_changed(self) -> None:
        if self._workspace is not None:
            self._workspace.models.set_settings(self.session.settings)

    @property
    def model_in_use(self) -> str:
        """The name of the bi-encoder that answers now; empty where no folder is open."""
        return "" if self._workspace is None else self._workspace.models.used_name
