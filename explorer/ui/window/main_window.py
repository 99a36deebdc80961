"""The main window: the map in the middle, panels around it, menus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from explorer import paths
from explorer.ui.panels.start.page import StartPage
from explorer.ui.widgets.first_paint import after_paint
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.export.window_exports import WindowExports
    from explorer.ui.finetune.launcher import FinetuneLauncher
    from explorer.ui.help.controller import HelpController
    from explorer.ui.map.panel import MapPanel
    from explorer.ui.state.session import Session
    from explorer.ui.window.docks import Docks
    from explorer.ui.window.menus import Menus
    from explorer.ui.window.query_bar import QueryBar

_FRAME = (16, 48)  # pixels for what the desktop draws around a window


class MainWindow(Themed, QMainWindow):
    """One window on one workspace, or on none.

    Attributes:
        session: What its panels share.
        actions: What the user can do in it.
        docks: Its panels.
        map: The map.
        start: The page that is shown where no folder is open.
        query: The query bar.
        exports: Exports of panels, map and report.
        finetune: Fine-tuning, which continues while its window is closed.
        menus: The menus.

    Signals:
        window_requested: Another window is requested, for a Path or None.
        quit_requested: All windows should close.
        closed: The window was closed.
        ready: The window is complete.
    """

    actions: Controllers  # type: ignore[assignment]  # replaces QWidget.actions(), which is not used

    window_requested = Signal(object)
    quit_requested = Signal()
    closed = Signal()
    ready = Signal()

    built = False  # whether it has more than the start page
    _later: Callable[[], object] | None = None
    docks: Docks
    map: MapPanel
    query: QueryBar
    exports: WindowExports
    help: HelpController
    finetune: FinetuneLauncher
    menus: Menus

    def __init__(
        self, session: Session, actions: Controllers, *, later: Callable[[], object] | None = None
    ) -> None:
        """Build everything; or, given `later`, only the start page until it has been painted.

        Args:
            session: What its panels share.
            actions: What the user can do in it.
            later: Called once the window has been painted and completed.
        """
        super().__init__()
        self.session, self.actions = session, actions
        self._later = later
        actions.after_paint = partial(after_paint, self)
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.resize(QSize(1400, 900).boundedTo(self.screen().availableSize() - QSize(*_FRAME)))
        self._restore("geometry")
        self.start = StartPage(session, actions)
        self.start.open_requested.connect(self._on_open_requested)
        self.start.window_requested.connect(self.window_requested)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.start)
        self.setCentralWidget(self._stack)
        if later is None:
            self.build()

    def build(self) -> None:
        """Add panels, map and menus to the start page."""
        from explorer.ui.export.window_exports import WindowExports
        from explorer.ui.finetune.launcher import FinetuneLauncher
        from explorer.ui.help.controller import HelpController
        from explorer.ui.window.docks import Docks
        from explorer.ui.window.menus import Menus
        from explorer.ui.window.status_bar import StatusBar
        from explorer.ui.window.view_state import ViewState

        if self.built:
            return
        session, actions = self.session, self.actions
        self._middle()
        self.docks = Docks(self, session, actions)
        self._bar()
        self._status = StatusBar(self.statusBar(), session, actions)
        self._status.problems_requested.connect(lambda: self.docks.show("problems"))
        self.exports, self.help = WindowExports(self), HelpController(self)
        self.finetune = FinetuneLauncher(session, actions, self)
        self.menus = Menus(self)
        self._join()
        self._restore("state")
        self._view_state = ViewState(self)
        self.built = True
        self._on_folder_changed()
        later, self._later = self._later, None
        if later is not None:
            later()
        self.ready.emit()

    def _middle(self) -> None:
        from explorer.ui.map.panel import MapPanel
        from explorer.ui.window.status_bar import LanguageWarning

        self.map = MapPanel(self.session, self.actions)
        self._stack.addWidget(self.map)
        advice = LanguageWarning(self.session, self.actions)
        advice.models_requested.connect(lambda: self.show_settings("models"))
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(advice)
        self.takeCentralWidget()
        column.addWidget(self._stack, 1)
        self.setCentralWidget(middle)

    def _bar(self) -> None:
        from explorer.ui.panels.progress import ProgressLine
        from explorer.ui.window.query_bar import QueryBar

        self.query = QueryBar(self.session, self.actions)
        bar = QToolBar(self)
        bar.setObjectName("query")
        bar.setMovable(False)
        bar.addWidget(self.query)
        line = ProgressLine(self.session, self.actions)
        line.details_requested.connect(lambda: self.docks.show("progress"))
        bar.addWidget(line)
        self._query_bar = bar
        self.addToolBar(bar)

    def _join(self) -> None:
        """Connect what panels request of each other."""
        docks, session = self.docks, self.session
        self.actions.files.how_requested.connect(self.show_file)
        docks.documents.open_requested.connect(lambda _document: docks.show("reader"))
        self.query.left.connect(docks.enter_documents)
        docks.clusters.zoom_requested.connect(self.map.zoom_to)
        docks.trends.zoom_requested.connect(self.map.zoom_to)
        docks.duplicates.compare_requested.connect(self._show_comparison)
        self.map.view.activated.connect(lambda _row: self.read())
        self.menus.use_on(self.map.view, docks.outliers.list, docks.rerank.table)
        session.folder_changed.connect(self._on_folder_changed)

    def _on_open_requested(self, path: str) -> None:
        """Open a folder that the start page offers, as soon as there are panels to show it in."""
        if self.built:
            self.actions.open_folder(Path(path))
        else:
            self.ready.connect(
                lambda: self.actions.open_folder(Path(path)), Qt.ConnectionType.SingleShotConnection
            )

    def ask_folder(self, *, new_window: bool = False) -> None:
        """Ask for a folder and open it, here or in a new window."""
        path = self.start.asked_folder()
        if path and new_window:
            self.window_requested.emit(Path(path))
        elif path:
            self.preview_folder(Path(path))

    def preview_folder(self, folder: Path) -> None:
        """Open a known folder; of a new one, first show what would be read."""
        if self.session.folder is not None:
            self.actions.close_folder()
        self.start.preview_folder(folder)

    def open_sample(self) -> None:
        """Open the sample texts."""
        self.actions.open_folder(paths.resources() / "sample")

    def show_tags(self) -> None:
        """Tag documents."""
        from explorer.ui.dialogs.tags import TagDialog

        TagDialog(self.session, self.actions, self).open()

    def show_file(self, path: str) -> None:
        """Show the read options of a file."""
        from explorer.ui.dialogs.file_options import FileOptionsDialog

        FileOptionsDialog(path, self.actions, self).open()

    def show_settings(self, page: str = "general") -> None:
        """Show a page of the settings dialog."""
        from explorer.ui.settings.dialog import SettingsDialog

        shown = self.findChild(SettingsDialog) or SettingsDialog(self.session, self.actions, self)
        shown.show_page(page)
        shown.show()
        shown.activateWindow()

    def show_palette(self) -> None:
        """Show the command palette."""
        from explorer.ui.window.command_palette import CommandPalette

        CommandPalette(self.menus.actions(), self).open()

    def go_query(self) -> None:
        """Move the keyboard focus to the query."""
        self.query.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.query.line.selectAll()

    def read(self) -> None:
        """Read the document in focus."""
        self.docks.show("reader")
        self.docks.reader.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def with_focus(self, action: Callable[[int], object]) -> None:
        """Do something with the document in focus, if there is one."""
        if self.session.selection.focus is not None:
            action(self.session.selection.focus)

    def rerank(self) -> None:
        """Rerank the results and show how they moved."""
        self.docks.show("rerank")
        self.docks.rerank.start()

    def pin_focus(self) -> None:
        """Pin the document in focus for comparison."""
        self.session.set_comparison(self.session.selection.focus)
        self.docks.show("compare")

    def _show_comparison(self, first: int, second: int) -> None:
        self.docks.show("compare")
        self.docks.compare.show_pair(first, second)

    def toggle_full_screen(self) -> None:
        """Enter or leave full screen."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _on_folder_changed(self) -> None:
        folder = self.session.folder
        self._stack.setCurrentWidget(self.start if folder is None else self.map)
        self._query_bar.setVisible(folder is not None)
        if folder is None:
            for dock in self.docks.docks.values():
                dock.hide()
        elif not self._view_state.restore_docks():
            self.docks.show_defaults()
            self.docks.resize_sides()
        self._name_window()

    def _name_window(self) -> None:
        folder = self.session.folder
        self.setWindowTitle("")  # Qt appends the program's name, which may have changed its language
        self.setWindowTitle(folder.path.name if folder else "")

    def retranslate(self) -> None:
        if not self.built:
            return
        self.docks.retranslate()
        self.menus.retranslate()  # which name the panels too
        self._status.show()
        self._name_window()

    def _restore(self, what: str) -> None:
        """Restore the window's "geometry" or its panels' "state"."""
        saved = QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat).value(what)
        if isinstance(saved, QByteArray):
            self.restoreGeometry(saved) if what == "geometry" else self.restoreState(saved)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        button = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(button, QAbstractButton):
            button.click()  # Enter presses a button as Space does
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.built:
            after_paint(self, self._load_library)

    def _load_library(self) -> None:
        """Import pyqtgraph in a worker, then build the rest of the window.

        Its import takes 0.6 s, half of it because it touches every class of Qt; in the UI thread it would block the
        start page for that long, in a worker the longest pause is 30 ms.
        """
        self.actions.runner.start(
            "pyqtgraph", lambda _task: import_module("pyqtgraph"), lambda _module: self.build(),
            worker="slow", quiet=True, failed=lambda _error: self.build(), owner=self,
        )  # fmt: skip

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(Path(url.toLocalFile()).is_dir() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        folders = [Path(url.toLocalFile()) for url in event.mimeData().urls()]
        folder = next((folder for folder in folders if folder.is_dir()), None)
        if folder is not None:
            self.preview_folder(folder)

    def closeEvent(self, event: QCloseEvent) -> None:
        saved = QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat)
        saved.setValue("geometry", self.saveGeometry())
        if self.built:
            if self.session.folder is not None:
                saved.setValue("state", self.saveState())
            self._view_state.save()
        super().closeEvent(event)
        self.closed.emit()
