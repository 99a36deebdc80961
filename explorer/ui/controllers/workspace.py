"""What the user can do in a window: open and update a folder; the controllers of everything in it.

Each method starts work in a worker and hands the result to the session.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from explorer import settings as settings_file
from explorer.errors import ExplorerError
from explorer.services.open_workspace import OpenWorkspace
from explorer.ui.controllers.categories import CategoryController
from explorer.ui.controllers.documents import DocumentController, FileController
from explorer.ui.controllers.edits import EditController
from explorer.ui.controllers.models import ModelController
from explorer.ui.controllers.overview import OverviewController
from explorer.ui.controllers.search import SavedSearchController, SearchController
from explorer.ui.jobs.messages import Notification, describe_error
from explorer.ui.jobs.runner import Runner, Worker, ignore_failure
from explorer.ui.look.language import translated
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, OpenFolder, Session, combined_filter
from explorer.workspace.storage.user import backups
from explorer.workspace.workspace import UpdatePhase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.corpus.scan.diff import FileState, FolderChanges
    from explorer.settings import Settings
    from explorer.task import Task
    from explorer.workspace.update.sync_files import Counts


_logger = logging.getLogger(__name__)

Result = TypeVar("Result")

REFRESH = 1500  # milliseconds after which the list of documents is loaded again during an update
WATCH, _KNOWN_FILES = "follow", "known files"
_PATIENCE = 4  # times as long as listing took, in which documents are not listed again while they are read
_AFTER_READING = frozenset(UpdatePhase) - {UpdatePhase.READ}


class Controllers(QObject):
    """The controllers of one window; its own methods are about the folder as a whole.

    Attributes:
        categories: The user's own categories.
        documents: Single documents.
        edits: What the user changes and can undo.
        files: The files behind documents.
        models: Models.
        overview: Clusters, map, duplicates and outliers.
        saved_searches: Queries with a name.
        search: Queries.
        is_stopped: Whether the user has stopped reading or encoding the open folder.

    Signals:
        notified: There is something to tell the user: a Notification.
        updated: The folder was read to the end.
        encoding_advanced: More documents than before are encoded; what they are has not changed.
        leaving: The open workspace is about to be left.
    """

    notified = Signal(object)
    updated = Signal()
    encoding_advanced = Signal()
    leaving = Signal()

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.runner = session, runner
        # Set by the window to wait until it has been painted; without a window there is nothing to wait for.
        self.after_paint: Callable[[Callable[[], object]], object] = lambda then: then()
        self.is_stopped = False
        self._workspace: OpenWorkspace | None = None
        self._leaving: OpenWorkspace | None = None
        self._refresh_timer = QTimer(self, interval=REFRESH)
        self._refresh_timer.timeout.connect(self._on_refresh_due)
        self._listed_phase: Enum | None = None  # of the update, when the documents were last listed
        self._listed_at = self._listing_took = 0.0  # seconds of the clock
        self.edits, self.models = EditController(self), ModelController(self)
        self.categories, self.saved_searches = CategoryController(self), SavedSearchController(self)
        self.documents, self.files = DocumentController(self), FileController(self)
        self.search, self.overview = SearchController(self), OverviewController(self)
        self._watcher = FolderWatcher(self)
        session.settings_changed.connect(self._on_settings_changed)
        runner.failed.connect(lambda _title, error: self.report_error(error))

    def open_folder(self, folder: Path) -> None:
        """Open a folder or a workspace and bring it up to date; leave the open one first."""
        settings = self.session.settings

        def done(workspace: OpenWorkspace) -> None:
            self._workspace = workspace
            workspace.models.set_settings(self.session.settings)
            main = workspace.main
            self.session.set_folder(OpenFolder(main.root, main.folder, main.writable, main.notice, main.source))
            # All panels have changed: let them be painted before the documents are loaded.
            job = self.refresh(then=self._on_opened, held=True)
            self.after_paint(lambda: painted(workspace, job))

        def painted(workspace: OpenWorkspace, job: int) -> None:
            self.runner.release(job)
            if workspace is self._workspace:
                self.change_settings(self.session.settings.opened(str(workspace.main.source)))
                if workspace.main.notice:
                    self.notify(translated(workspace.main.notice))

        def failed(error: BaseException) -> None:
            self.session.set_folder(None)
            self.report_error(error)

        def start() -> None:
            self.runner.start(
                "open",
                lambda _: OpenWorkspace.open(folder, settings),
                done,
                failed=failed,
                dropped=OpenWorkspace.close,
                title=self.tr("Opening {name}").format(name=folder.name),
            )

        self._leave(start)

    def _on_opened(self) -> None:
        self.overview.show_saved_map()
        self._warm_up()
        self.overview.refresh()
        if self.session.folder is not None and self.session.folder.writable:
            self.update()

    def _warm_up(self) -> None:
        """Load what the first query needs: the model in its own worker, then the index in the quick one."""
        workspace = self._workspace
        if workspace is None:
            return

        def warm_search(_: object) -> None:
            if workspace is self._workspace:
                self.search.complete_results()
                self.runner.start(
                    "warm", lambda _: workspace.search.warm_up(), lambda _: None, quiet=True, failed=ignore_failure
                )

        self.runner.start(
            "warm",
            lambda _: workspace.models.encoder(),
            warm_search,
            worker="opening",  # the folder is read meanwhile
            quiet=True,
            failed=ignore_failure,
        )

    def close_folder(self) -> None:
        """Go back to the start page."""
        self._leave(lambda: self.session.set_folder(None))

    def delete_workspace(self, folder: Path) -> None:
        """Delete the workspace of a folder, which is left first if it is open."""

        def work(_: object) -> Path:
            from explorer.services.folder_preview import delete_workspace

            return delete_workspace(folder)

        def done(_: Path) -> None:
            settings = self.session.settings
            recent = tuple(path for path in settings.recent if Path(path) != folder)
            self.change_settings(replace(settings, recent=recent))
            self.notify(self.tr("The workspace of {folder} was deleted.").format(folder=folder))

        def start() -> None:
            self.runner.start("delete workspace", work, done, worker="saving", title=self.tr("Deleting the workspace"))

        def leave() -> None:
            self.session.set_folder(None)
            start()

        is_open = self.session.folder is not None and folder in (self.session.folder.source, self.session.folder.path)
        self._leave(leave) if is_open else start()

    def restore_words(self, backup: Path) -> None:
        """Put a copy in the place of the user's words about the open folder, and open it again."""
        if self._workspace is None:
            return
        main = self._workspace.main
        folder, root = main.folder, main.source

        def failed(error: BaseException) -> None:
            self.report_error(error)
            self.open_folder(root)

        def start() -> None:
            self.runner.start(
                "restore",
                lambda _: backups.restore(folder, root, backup),
                lambda _: self.open_folder(root),
                failed=failed,
                title=self.tr("Restoring a backup"),
            )

        self._leave(start)

    def _leave(self, then: Callable[[], None]) -> None:
        """Stop all work on the open workspace and close it once every worker is done; the latest `then` wins."""
        self.is_stopped = False
        self._refresh_timer.stop()
        self.leaving.emit()
        self._watcher.stop()
        if self._workspace is not None:
            _logger.info("leaving %s", self._workspace.main.folder)
            self._leaving, self._workspace = self._workspace, None
        for job in self.runner.jobs():
            if job.worker not in ("training", "download"):  # these need no open workspace
                self.runner.cancel(job.key, notify=False)

        def drained() -> None:
            if self._leaving is not None:
                self._leaving.close()
                self._leaving = None
            then()

        self.runner.drain(("saving", "model", "opening", "slow", "read", "quick", "rerank", "list", "aside"), drained)

    def close_workspace(self) -> None:
        """Close the workspace when the window closes; the runner must be closed already."""
        for workspace in (self._leaving, self._workspace):
            if workspace is not None:
                workspace.close()
        self._leaving = self._workspace = None

    def update(self, *, retry: bool = False) -> None:
        """Bring the open workspace up to date with its folder; `retry` also reads the files that failed."""
        workspace = self._workspace
        if workspace is None:
            return
        self.is_stopped = False
        self._listed_phase = None
        model = self.model_in_use
        self._refresh_timer.start()

        def work(task: Task) -> Counts:
            return workspace.update(task, retry=retry, on_sketched=lambda: task.publish(None))

        def show_draft(_: object) -> None:
            self.refresh(then=self.overview.show_draft)

        def done(counts: Counts) -> None:
            if counts.damaged:
                self.notify(
                    self.tr(
                        "%Ln vector(s) were damaged on the disk; their texts were encoded again.", "", counts.damaged
                    )
                )
            self._refresh_timer.stop()
            changed = any((counts.read, counts.removed, counts.split, counts.encoded, counts.damaged))
            self.refresh(then=lambda: updated(changed or model != self.model_in_use))

        def updated(is_new: bool) -> None:
            # Where nothing is new, the clustering that began when the folder was opened goes on.
            self._show_update(clusters=is_new or not self.runner.busy("clusters"))
            self.updated.emit()

        def stopped() -> None:
            self.is_stopped = True
            self._refresh_timer.stop()
            self._watcher.stop()
            self.refresh(then=self._show_update)

        def failed(error: BaseException) -> None:
            self._refresh_timer.stop()
            self.refresh()
            self.report_error(error)

        self.runner.start(
            "update",
            work,
            done,
            worker="model",
            title=self.tr("Reading the folder"),
            stopped=stopped,
            failed=failed,
            partial=show_draft,
        )

    def _on_refresh_due(self) -> None:
        """Show how far the update is.

        Documents are listed again while they are read and once after it. From then on they stay the same for hours
        perhaps, and listing 100,000 of them every other second would take more time than a search.
        """
        progress = next((job.progress for job in self.runner.jobs() if job.key == "update"), None)
        phase = progress.phase if progress is not None else None
        if phase not in _AFTER_READING or self._listed_phase not in _AFTER_READING:
            if time.monotonic() - self._listed_at < _PATIENCE * self._listing_took:
                return  # a million documents take seconds, which their reading needs
            if self.refresh():
                self._listed_phase = phase
        else:
            self.encoding_advanced.emit()
            self.search.complete_results()

    def _show_update(self, *, clusters: bool = True) -> None:
        """Show what was read, to the end or until the user stopped it."""
        if clusters:
            self.overview.refresh()
        if self.session.search is not None:
            self.search.ask(self.session.search.text)

    def refresh(self, then: Callable[[], None] | None = None, *, held: bool = False) -> int:
        """Load the list of documents again.

        Args:
            then: Called once it is in the session.
            held: Whether the job waits for `Runner.release`.

        Returns:
            The id of the job.
        """
        workspace = self._workspace
        if workspace is None or (then is None and self.runner.busy("documents")):
            return 0

        began = time.monotonic()

        def done(listed: Any) -> None:
            self._listed_at = time.monotonic()
            self._listing_took = self._listed_at - began
            self.session.set_documents(*listed)
            if then is not None:
                then()
            else:
                self.search.complete_results()

        return self.runner.start(
            "documents", lambda _: workspace.list_documents(), done, worker="list", quiet=True, held=held
        )

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
        urgent: bool = False,
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
                urgent=urgent,
            )

    def filter_to(
        self, documents: Iterable[int], why: str, key: object = None, *, kind: str = "", add: bool = False
    ) -> None:
        """Show some documents only.

        Args:
            documents: Their ids.
            why: What they have in common, for the user.
            key: Lets the caller recognise its own filter.
            kind: What the filter goes by; see `DocumentFilter`.
            add: Whether other filters stay; the same one again is removed.
        """
        before = self.session.filter.singles if add and self.session.filter is not None else ()
        others = [part for part in before if (part.kind, part.why) != (kind, why)]
        new = [] if len(others) < len(before) else [DocumentFilter(DocumentSet(documents), why, key, kind)]
        self.session.set_filter(combined_filter([*others, *new]))

    def drop_filter(self, index: int) -> None:
        """Remove one of the filters, by its place among them."""
        if self.session.filter is not None:
            parts = list(self.session.filter.singles)
            del parts[index]
            self.session.set_filter(combined_filter(parts))

    def step_back(self) -> bool:
        """Clear the marks, else the filter, else the query; return whether there was one."""
        if self.session.selection.marked:
            self.session.mark(())
        elif self.session.filter is not None:
            self.session.set_filter(None)
        elif self.session.search is not None:
            self.search.ask("")
        else:
            return False
        return True

    def notify(self, sentence: str, *choices: tuple[str, Callable[[], object]]) -> None:
        """Tell the user something, with buttons for what can be done about it."""
        self.notified.emit(Notification(sentence, choices=choices))

    def report_error(self, error: BaseException) -> None:
        """Tell the user that something failed."""
        self.notified.emit(describe_error(error))

    def change_settings(self, settings: Settings) -> None:
        """Use other settings and save them."""
        self.session.set_settings(settings)
        try:
            settings_file.save(settings)
        except ExplorerError as error:
            _logger.warning("the settings cannot be saved", exc_info=True)
            self.report_error(error)

    def _on_settings_changed(self) -> None:
        if self._workspace is not None:
            self._workspace.models.set_settings(self.session.settings)

    def choose_model(self, name: str) -> bool:
        """Have the next update encode the open folder with a model, and no other folder; False if none is open."""
        if self._workspace is None:
            return False
        self._workspace.models.chosen = name
        return True

    @property
    def model_wanted(self) -> str:
        """The name of the bi-encoder that the open folder is to have; that of the settings if no folder is open."""
        return self.session.settings.model if self._workspace is None else self._workspace.models.wanted_name

    @property
    def model_in_use(self) -> str:
        """The name of the bi-encoder in use; empty if no folder is open."""
        return "" if self._workspace is None else self._workspace.models.used_name


class FolderWatcher(QObject):
    """Watches from the end of one update to the next, if the settings say so. Watching needs no workspace."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions = actions
        self._last: object = None
        self._on = actions.session.settings.watch
        actions.updated.connect(self._begin)
        actions.session.settings_changed.connect(self._on_settings_changed)

    def _on_settings_changed(self) -> None:
        before, self._on = self._on, self._actions.session.settings.watch
        if not self._on:
            self.stop()
        elif not before and not self._actions.runner.busy("update"):  # which begins it when it is done
            self._begin()

    def stop(self) -> None:
        """Stop watching until an update ends; files that a stopped update did not read would count as new."""
        for key in (_KNOWN_FILES, WATCH):
            self._actions.runner.cancel(key, notify=False)

    def _begin(self) -> None:
        folder = self._actions.session.folder
        if folder is not None and folder.writable and self._actions.session.settings.watch:
            root = folder.source
            self._actions.with_workspace(
                _KNOWN_FILES,
                lambda workspace, _: workspace.known_files(),
                lambda known: self._watch(root, known),
                worker="aside",
            )

    def _watch(self, root: Path, known: Mapping[str, FileState]) -> None:
        folder = self._actions.session.folder
        if folder is None or folder.source != root or not self._actions.session.settings.watch:
            return  # something changed while the known files were read

        def work(task: Task) -> FolderChanges:
            from explorer.workspace.update.watch import wait_for_changes

            return wait_for_changes(root, known, task.silent())

        def done(changes: FolderChanges) -> None:
            if changes != self._last:  # an update did not settle these; another would not either
                self._last = changes
                self._actions.update()

        self._actions.runner.start(WATCH, work, done, worker="watch", quiet=True, failed=self._actions.report_error)
