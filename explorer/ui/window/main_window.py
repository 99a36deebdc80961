"""The main window: query bar, views, menus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QStackedWidget, QToolBar, QWidget

from explorer import paths
from explorer.ui.look import theme
from explorer.ui.panels.start.page import StartPage
from explorer.ui.widgets.layouts import column, container, tool_button
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.export.window_exports import WindowExports
    from explorer.ui.finetune.training_controller import FinetuneLauncher
    from explorer.ui.help.controller import HelpController
    from explorer.ui.map.panel import MapPanel
    from explorer.ui.state.session import Session
    from explorer.ui.widgets.popup import Toast
    from explorer.ui.window.docks import Docks
    from explorer.ui.window.menus import Menus
    from explorer.ui.window.query_bar import QueryBar
    from explorer.ui.window.status_bar import SelectionBar
    from explorer.ui.window.views import View, Views, ViewSwitcher, WorkPage


NARROW = 1200  # pixels of the window's width below which the views are icons, so that the query keeps its room
_FRAME = (16, 48)  # pixels for what the desktop draws around a window
UNPAINTED = 1000  # milliseconds; a window that is minimised or covered is never painted, but goes on too


class MainWindow(Themed, QMainWindow):
    """One window on one workspace, or on none.

    Attributes:
        session: What its panels share.
        actions: What the user can do in it.
        views: Its views.
        docks: Its panels.
        map: The map.
        start: The page that is shown where no folder is open.
        query: The query bar.
        exports: Exports of panels, map and report.
        finetune: Fine-tuning, which continues while its window is closed.
        menus: The menus.
        toast: The short notice with buttons.

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
    views: Views
    work: WorkPage
    docks: Docks
    map: MapPanel
    switcher: ViewSwitcher
    query: QueryBar
    exports: WindowExports
    help: HelpController
    finetune: FinetuneLauncher
    menus: Menus
    toast: Toast
    selection_bar: SelectionBar

    def __init__(self, session: Session, actions: Controllers, *, later: Callable[[], object] | None = None) -> None:
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
        saved = self._settings().value("geometry")
        if isinstance(saved, QByteArray):
            self.restoreGeometry(saved)
        self.start = StartPage(session, actions)
        self.start.open_requested.connect(self._on_open_requested)
        self.start.window_requested.connect(self.window_requested)
        self.start.delete_requested.connect(self.ask_delete)
        self.start.reading.left.connect(self._on_preview_left)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.start)
        self.setCentralWidget(self._stack)
        if later is None:
            self.build()

    def build(self) -> None:
        """Add panels, map and menus to the start page."""
        from explorer.ui.export.window_exports import WindowExports
        from explorer.ui.finetune.training_controller import FinetuneLauncher
        from explorer.ui.help.controller import HelpController
        from explorer.ui.widgets.popup import Toast
        from explorer.ui.window.docks import Docks
        from explorer.ui.window.menus import Menus
        from explorer.ui.window.status_bar import SelectionBar, StatusBar
        from explorer.ui.window.view_state import ViewState

        if self.built:
            return
        session, actions = self.session, self.actions
        self._middle()
        self.docks = Docks(self, self.views, session, actions)
        self._bar()
        self._status = StatusBar(self.statusBar(), session, actions)
        self._status.problems_requested.connect(lambda: self.docks.show("problems"))
        self.exports, self.help = WindowExports(self), HelpController(self)
        self.finetune = FinetuneLauncher(session, actions, self)
        self.menus = Menus(self)
        self.selection_bar = SelectionBar(self)
        self.toast = Toast(self, actions.notified, self.selection_bar)
        self._lines.addWidget(self.selection_bar)
        self._join()
        self._view_state = ViewState(self)
        self.built = True
        self.retranslate()
        self.restyle()
        self._fit_bar(self.width())
        self._on_folder_changed()
        later, self._later = self._later, None
        if later is not None:
            later()
        self.ready.emit()

    def _middle(self) -> None:
        from explorer.ui.map.panel import MapPanel
        from explorer.ui.window.status_bar import LanguageWarning
        from explorer.ui.window.views import PANELS, BesidePage, MapPage, PanelPage, View, Views, WorkPage

        self.views, self.work = Views(), WorkPage()
        self.views.add_page(View.WORK, self.work)
        self.views.add_page(View.MAP, MapPage())
        for view in (View.DUPLICATES, View.OUTLIERS, View.CATEGORIES):
            self.views.add_page(view, BesidePage(view.value))
        for view, names in PANELS.items():
            self.views.add_page(view, PanelPage(names))
        self.map = MapPanel(self.session, self.actions)
        self.map.set_compact(True)
        self.views.add_panel("map", self.map)
        self.views.view_changed.connect(lambda: self.map.set_compact(self.views.current is not View.MAP))
        self._stack.addWidget(self.views)
        advice = LanguageWarning(self.session, self.actions)
        advice.models_requested.connect(lambda: self.show_settings("models"))
        self.takeCentralWidget()
        self._lines = column(advice, (self._stack, 1))
        self.setCentralWidget(container(self._lines))

    def _bar(self) -> None:
        from explorer.ui.panels.progress import ProgressLine
        from explorer.ui.window.query_bar import QueryBar
        from explorer.ui.window.views import ViewSwitcher

        self.query = QueryBar(self.session, self.actions)
        self.switcher = ViewSwitcher(self.views)
        self._progress = ProgressLine(self.session, self.actions)
        self._progress.details_requested.connect(lambda: self.docks.show("progress"))
        bar = QToolBar(self)
        bar.setObjectName("query")
        bar.setMovable(False)
        self._sidebar = tool_button(size=18)
        self._sidebar.clicked.connect(self._on_sidebar)
        for part in (self._sidebar, self.query, self.switcher, self._progress):
            bar.addWidget(part)
        self._query_bar = bar
        self.addToolBar(bar)

    def _join(self) -> None:
        """Connect what panels request of each other."""
        docks, session = self.docks, self.session
        self.actions.files.how_requested.connect(self.show_file)
        docks.documents.open_requested.connect(lambda _document: self.read())
        docks.documents.paged.connect(docks.reader.view.scroll_page)
        self.work.folded.connect(docks.sources.set_folded)
        docks.sources.unfold_requested.connect(self.work.toggle_sources)
        docks.sources.facets_found.connect(self.query.set_facets)
        self.query.left.connect(docks.enter_documents)
        self.query.stepped.connect(docks.documents.step)
        self.query.line.textEdited.connect(self._on_query_edited)
        session.results_changed.connect(self._on_results_changed)  # after the list, which has shown them by then
        docks.clusters.zoom_requested.connect(self.map.zoom_to)
        docks.trends.zoom_requested.connect(self.map.zoom_to)
        docks.duplicates.compare_requested.connect(self._show_comparison)
        self.map.view.activated.connect(lambda _row: self.read())
        self.map.menu_requested.connect(self.show_document_menu)
        docks.documents.menu_requested.connect(self.show_document_menu)
        self.menus.use_on(self.map.view, docks.outliers.list, docks.rerank.table)
        session.folder_changed.connect(self._on_folder_changed)

    def _on_open_requested(self, path: str) -> None:
        """Open a folder that the start page offers, as soon as there are panels to show it in."""
        if self.built:
            self.actions.open_folder(Path(path))
        else:
            self.ready.connect(lambda: self.actions.open_folder(Path(path)), Qt.ConnectionType.SingleShotConnection)

    def ask_folder(self, *, new_window: bool = False) -> None:
        """Ask for a folder and open it, here or in a new window."""
        path = self.start.asked_folder()
        if path and new_window:
            self.window_requested.emit(Path(path))
        elif path:
            self.preview_folder(Path(path))

    def ask_file(self) -> None:
        """Ask for a single file, such as a table or a mailbox, and open it."""
        if path := self.start.asked_file():
            self.preview_folder(Path(path))

    def preview_folder(self, folder: Path) -> None:
        """Open a known folder; of a new one, first show what would be read."""
        self._stack.setCurrentWidget(self.start)  # the open one stays open until the user agrees
        self.start.preview_folder(folder)

    def _on_preview_left(self) -> None:
        if self.session.folder is not None:
            self._stack.setCurrentWidget(self.views)

    def open_sample(self) -> None:
        """Open the sample texts."""
        self.actions.open_folder(paths.resources() / "sample")

    def show_document_menu(self, document: int, at: QPoint) -> None:
        """Show the context menu of a document at a point of the screen."""
        from explorer.ui.dialogs.document_menu import DocumentMenu

        DocumentMenu(self, document).popup(at)

    def ask_delete(self, folder: Path | None = None) -> None:
        """Ask whether to delete the workspace of a folder, by default the open one."""
        from explorer.ui.dialogs.workspace_data import DeleteWorkspaceDialog

        opened = self.session.folder
        if folder is None and opened is not None:
            folder = opened.source
        if folder is not None:
            DeleteWorkspaceDialog(folder, self.actions, self).open()

    def show_saved_searches(self) -> None:
        """Save the current search under a name, or run a saved one."""
        from explorer.ui.dialogs.tags import SavedSearchDialog

        SavedSearchDialog(self.session, self.actions, self).open()

    def show_tags(self) -> None:
        """Tag documents."""
        from explorer.ui.dialogs.tags import TagDialog

        TagDialog(self.session, self.actions, self).open()

    def show_backups(self) -> None:
        """Offer earlier copies of the user's words."""
        from explorer.ui.dialogs.workspace_data import RestoreDialog

        RestoreDialog(self.actions, self).open()

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

    def pick(self) -> None:
        """Pick the selected documents, or the one in focus; unpick them if all are picked."""
        focus, marked = self.session.selection.focus, self.session.selection.marked
        self.actions.edits.toggle_picks(marked or ([] if focus is None else [focus]))

    def _on_results_changed(self) -> None:
        """Read the best hit of what was typed; the cursor stays in the query."""
        search = self.session.search
        if search is not None and search.results is not None and self.query.is_answered(search.text):
            self.session.focus(int(self.session.shown[0]) if len(self.session.shown) else None)

    def _on_query_edited(self, text: str) -> None:
        """Show the list, where a question would be answered in a view that has none."""
        shown = self.views.pages[self.views.current]
        if text.strip() and "documents" not in shown.slots() and not self.docks.is_docked("documents"):
            self.views.show_view(next(iter(self.views.pages)))

    def show_view(self, view: View) -> None:
        """Show a view; the map gets the keyboard too."""
        self.views.show_view(view)
        if view.value == "map":
            self.map.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def step_back(self) -> None:
        """Leave a full view, else clear the marks, the filter or the query, else leave the map (Esc)."""
        full = self.views.current.value not in ("work", "map")
        if not (full and self.views.go_back()) and not self.actions.step_back():
            self.views.go_back()

    def compare(self) -> None:
        """Compare two marked documents, or the one in focus with a marked or pinned one; else pin the one in focus."""
        session = self.session
        focus, marked = session.selection.focus, list(session.selection.marked)
        if len(marked) == 2:
            session.set_comparison(marked[0] if focus != marked[0] else marked[1])
            session.focus(marked[1] if focus != marked[0] else marked[0])
        elif len(marked) == 1 and focus not in (None, marked[0]):
            session.set_comparison(marked[0])
        elif session.comparison in (None, focus):
            session.set_comparison(focus)
            if focus is not None:
                self.actions.notify(self.tr("Pinned. Go to another document and press C to compare the two."))
            return
        self.docks.show("compare")

    def _show_comparison(self, first: int, second: int) -> None:
        self.docks.show("compare")
        self.docks.compare.show_pair(first, second)

    def toggle_full_screen(self) -> None:
        """Enter or leave full screen."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _on_folder_changed(self) -> None:
        folder = self.session.folder
        self._stack.setCurrentWidget(self.start if folder is None else self.views)
        self._query_bar.setVisible(folder is not None)
        if folder is None:
            self.docks.hide()
        else:
            self._view_state.restore_docks()
        self._name_window()

    def _name_window(self) -> None:
        folder = self.session.folder
        self.setWindowTitle("")  # Qt appends the program's name, which may have changed its language
        self.setWindowTitle(folder.name if folder else "")

    def _on_sidebar(self) -> None:
        self.views.show_view(next(iter(self.views.pages)))
        self.work.toggle_sources()

    def restyle(self) -> None:
        if self.built:
            self._sidebar.setIcon(theme.icon("sidebar"))
        super().restyle()

    def retranslate(self) -> None:
        if not self.built:
            return
        self._sidebar.setToolTip(self.tr("Show or fold the sources"))
        self._sidebar.setAccessibleName(self._sidebar.toolTip())
        self.docks.retranslate()
        self.menus.retranslate()  # which name the panels too
        self._status.show()
        self._name_window()

    def _settings(self) -> QSettings:
        return QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        button = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(button, QAbstractButton):
            button.click()  # Enter presses a button as Space does
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.built:
            self._fit_bar(event.size().width())

    def _fit_bar(self, width: int) -> None:
        """Leave the query its room."""
        self.switcher.set_narrow(width < NARROW)
        self._progress.set_room(width)

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
            "pyqtgraph",
            lambda _task: import_module("pyqtgraph"),
            lambda _module: self.build(),
            worker="slow",
            quiet=True,
            failed=lambda _error: self.build(),
            owner=self,
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        dropped = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        source = next((path for path in dropped if path.is_dir()), next(iter(dropped), None))
        if source is not None:
            self.preview_folder(source)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._settings().setValue("geometry", self.saveGeometry())
        if self.built:
            self._view_state.save()
        super().closeEvent(event)
        self.closed.emit()


def after_paint(widget: QWidget, then: Callable[[], object]) -> None:
    """Call `then` once, from the event loop, after the next paint of a widget or one of its children."""
    _PaintWatch(widget, then)


class _PaintWatch(QObject):
    """Waits for the next paint event of a widget and its children, then removes itself."""

    def __init__(self, widget: QWidget, then: Callable[[], object]) -> None:
        super().__init__(widget)
        self._then: Callable[[], object] | None = then
        # A widget that its children cover is not painted itself, so all of them are watched.
        for part in (widget, *widget.findChildren(QWidget)):
            part.installEventFilter(self)
        QTimer.singleShot(UNPAINTED, self, self._finish)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self, self._finish)  # when this round of painting is over
        return False

    def _finish(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            self.deleteLater()
            then()
