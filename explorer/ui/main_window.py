"""The main window: docks, menus, geometry; no logic."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QSettings, Qt
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QDockWidget,
    QFileDialog,
    QLabel,
    QMainWindow,
    QStackedWidget,
    QToolBar,
    QToolButton,
    QWidget,
)

from explorer import paths
from explorer.ui.command_palette import CommandPalette
from explorer.ui.judge_box import JudgeBox
from explorer.ui.map_panel import MapPanel
from explorer.ui.panels.clusters import ClustersPanel
from explorer.ui.panels.compare import ComparePanel
from explorer.ui.panels.documents import DocumentsPanel
from explorer.ui.panels.duplicates import DuplicatesPanel
from explorer.ui.panels.neighbours import NeighboursPanel
from explorer.ui.panels.outliers import OutliersPanel
from explorer.ui.panels.problems import ProblemsPanel
from explorer.ui.panels.progress import ProgressLine, ProgressPanel
from explorer.ui.panels.reader import ReaderPanel
from explorer.ui.panels.rerank import RerankPanel
from explorer.ui.panels.start_page import StartPage
from explorer.ui.panels.trends import TrendsPanel
from explorer.ui.query_box import QueryBox
from explorer.ui.tag_box import TagBox
from explorer.ui.undo import UndoVerbs

if TYPE_CHECKING:
    from explorer.ui.actions import Actions
    from explorer.ui.messages import Message
    from explorer.ui.session import Session

_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


class MainWindow(QMainWindow):
    """One window on one workspace, or on none."""

    def __init__(self, session: Session, actions: Actions) -> None:
        super().__init__()
        self._session, self._actions = session, actions
        self._docks: dict[str, QDockWidget] = {}
        self._named: dict[QAction, Callable[[], str]] = {}
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.resize(1400, 900)
        self._middle()
        self._panels()
        self._bar()
        self._menus()
        self._status()
        self._retranslate()
        self._restore()
        session.place_changed.connect(self._on_place_changed)
        session.documents_changed.connect(self._on_documents_changed)
        actions.told.connect(self._on_told)
        self._on_place_changed()

    def _middle(self) -> None:
        self.map = MapPanel(self._session, self._actions)
        self.start = StartPage(self._session, self._actions)
        self.start.open_requested.connect(lambda path: self._actions.open_folder(Path(path)))
        self._stack = QStackedWidget()
        self._stack.addWidget(self.start)
        self._stack.addWidget(self.map)
        self.setCentralWidget(self._stack)

    def _panels(self) -> None:
        """The panels in their docks, as the drawing has them; the rest behind tabs."""
        made = (self._session, self._actions)
        clusters, compare = ClustersPanel(*made), ComparePanel(*made)
        self._dock("clusters", clusters, _LEFT)
        self._documents = DocumentsPanel(*made)
        self._documents.open_requested.connect(lambda _document: self._show("reader"))
        self._dock("documents", self._documents, _LEFT)
        self._dock("reader", ReaderPanel(*made), _RIGHT)
        self._dock("neighbours", NeighboursPanel(*made), _RIGHT)
        for name, panel in (("rerank", RerankPanel(*made)), ("compare", compare)):
            self._tab("neighbours", self._dock(name, panel, _RIGHT))
        duplicates, trends = DuplicatesPanel(*made), TrendsPanel(*made)
        rest = {
            "duplicates": duplicates, "outliers": OutliersPanel(*made), "trends": trends,
            "judge": JudgeBox(*made), "problems": ProblemsPanel(*made), "progress": ProgressPanel(*made),
        }  # fmt: skip
        for name, one in rest.items():
            dock = self._dock(name, one, _BOTTOM)
            dock.hide()
            if name != "duplicates":
                self.tabifyDockWidget(self._docks["duplicates"], dock)
        self._docks["neighbours"].raise_()
        self.resizeDocks(
            [self._docks["clusters"], self._docks["reader"]], [330, 400], Qt.Orientation.Horizontal
        )
        clusters.zoom_requested.connect(self.map.zoom_to)
        trends.zoom_requested.connect(self.map.zoom_to)
        duplicates.compare_requested.connect(self._show_comparison)
        self._compare = compare

    def _dock(self, name: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(self)
        dock.setObjectName(name)
        dock.setWidget(panel)
        self.addDockWidget(area, dock)
        self._docks[name] = dock
        return dock

    def _tab(self, beside: str, dock: QDockWidget) -> None:
        self.tabifyDockWidget(self._docks[beside], dock)

    def _bar(self) -> None:
        self.query = QueryBox(self._session, self._actions)
        bar = QToolBar(self)
        bar.setObjectName("query")
        bar.setMovable(False)
        bar.addWidget(self.query)
        line = ProgressLine(self._session, self._actions)
        line.details_requested.connect(lambda: self._show("progress"))
        bar.addWidget(line)
        self._query_bar = bar
        self.addToolBar(bar)

    def _menus(self) -> None:
        """Every action in a menu, with a key where there is one, and so in the command palette."""
        self._menu_file = self.menuBar().addMenu("")
        self._act(self._menu_file, lambda: self.tr("Open folder…"), self._ask_folder, "Ctrl+O")
        self._act(self._menu_file, lambda: self.tr("Open the sample"), self._open_sample)
        self._act(self._menu_file, lambda: self.tr("Read the folder again"), self._actions.update, "F5")
        self._act(self._menu_file, lambda: self.tr("Close the folder"), self._actions.close_place, "Ctrl+W")
        self._act(self._menu_file, lambda: self.tr("Quit"), self.close, "Ctrl+Q")
        self._menu_edit = self.menuBar().addMenu("")
        self._verbs = UndoVerbs(self._actions.changes.undo, self)
        self._menu_edit.addActions([self._verbs.undo, self._verbs.redo])
        self._act(self._menu_edit, lambda: self.tr("Tag…"), self._show_tags, "T")
        self._act(self._menu_edit, lambda: self.tr("One step back"), self._actions.step_back, "Esc")
        self._menu_find = self.menuBar().addMenu("")
        self._act(self._menu_find, lambda: self.tr("Search"), self._go_query, "Ctrl+L", "/")
        self._act(self._menu_find, lambda: self.tr("Next document"), lambda: self._documents.step(1), "J")
        self._act(
            self._menu_find, lambda: self.tr("Previous document"), lambda: self._documents.step(-1), "K"
        )
        self._act(self._menu_find, lambda: self.tr("Rerank the results"), self._actions.rerank, "R")
        self._act(self._menu_find, lambda: self.tr("Compare with the next focus"), self._keep_focus, "C")
        self._act(self._menu_find, lambda: self.tr("Commands…"), self._show_palette, "Ctrl+K")
        self._menu_map = self.menuBar().addMenu("")
        self._act(self._menu_map, lambda: self.tr("Go to the map"), self.map.setFocus, "M")
        self._act(self._menu_map, lambda: self.tr("Show all of the map"), self.map.fit, "Ctrl+0")
        self._act(
            self._menu_map, lambda: self.tr("Draw the map again"), lambda: self._actions.survey(anew=True)
        )
        self._menu_view = self.menuBar().addMenu("")
        for dock in self._docks.values():
            self._menu_view.addAction(dock.toggleViewAction())
        self._menu_view.addSeparator()
        for name, label in (
            ("system", lambda: self.tr("Theme of the system")), ("light", lambda: self.tr("Light theme")),
            ("dark", lambda: self.tr("Dark theme")),
        ):  # fmt: skip
            self._act(self._menu_view, label, partial(self._use_theme, name))

    def _act(self, menu: QWidget, name: Callable[[], str], work: Callable[[], object], *keys: str) -> QAction:
        action = QAction(self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(lambda _checked=False: work())
        menu.addAction(action)
        self._named[action] = name
        return action

    def _status(self) -> None:
        self._told = QLabel()
        self._told.setWordWrap(True)
        self._counts = QLabel()
        self._troubles = QToolButton()
        self._troubles.clicked.connect(lambda: self._show("problems"))
        self.statusBar().addWidget(self._counts)
        self.statusBar().addWidget(self._told, 1)
        self.statusBar().addPermanentWidget(self._troubles)
        self.statusBar().setSizeGripEnabled(False)

    def _show(self, name: str) -> None:
        self._docks[name].show()
        self._docks[name].raise_()

    def _show_tags(self) -> None:
        TagBox(self._session, self._actions, self).open()

    def _keep_focus(self) -> None:
        self._session.set_other(self._session.selection.focus)
        self._show("compare")

    def _show_comparison(self, first: int, second: int) -> None:
        self._show("compare")
        self._compare.show_pair(first, second)

    def _show_palette(self) -> None:
        CommandPalette(
            [*self._named, *(dock.toggleViewAction() for dock in self._docks.values())], self
        ).open()

    def _go_query(self) -> None:
        self.query.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.query.line.selectAll()

    def _ask_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, self.tr("Choose a folder of texts"))
        if path:
            self._consider(Path(path))

    def _consider(self, folder: Path) -> None:
        """Open a folder that is known; of a new one tell first what reading it means."""
        if self._session.place is not None:
            self._actions.close_place()
        self.start.consider(folder)

    def _open_sample(self) -> None:
        self._actions.open_folder(paths.resources() / "sample")

    def _use_theme(self, name: str) -> None:
        from dataclasses import replace

        self._actions.change_settings(replace(self._session.settings, theme=name))

    def _on_place_changed(self) -> None:
        place = self._session.place
        self._stack.setCurrentWidget(self.start if place is None else self.map)
        self._query_bar.setVisible(place is not None)
        for name, dock in self._docks.items():
            if place is None or name in (
                "clusters",
                "documents",
                "reader",
                "neighbours",
                "rerank",
                "compare",
            ):
                dock.setVisible(place is not None)
        self.setWindowTitle(place.folder.name if place else "")
        self._on_documents_changed()

    def _on_documents_changed(self) -> None:
        listing, problems = self._session.listing, self._session.problems
        count = len(listing) if listing else 0
        self._counts.setText(self.tr("{count} documents").format(count=f"{count:,}") if listing else "")
        self._troubles.setVisible(bool(problems))
        self._troubles.setText(self.tr("{count} problems").format(count=f"{len(problems):,}"))

    def _on_told(self, told: Message) -> None:
        self._told.setText(told.sentence)
        self._told.setToolTip(told.details or told.sentence)

    def _retranslate(self) -> None:
        self._verbs.retranslate()
        for action, text_of in self._named.items():
            action.setText(text_of())
        for menu, text in (
            (self._menu_file, self.tr("&File")), (self._menu_edit, self.tr("&Edit")),
            (self._menu_find, self.tr("F&ind")),
            (self._menu_map, self.tr("&Map")), (self._menu_view, self.tr("&View")),
        ):  # fmt: skip
            menu.setTitle(text)
        titles = {
            "clusters": self.tr("Clusters"), "documents": self.tr("Documents"), "reader": self.tr("Reader"),
            "neighbours": self.tr("Similar"), "rerank": self.tr("Rerank"), "compare": self.tr("Compare"),
            "duplicates": self.tr("Duplicates"), "outliers": self.tr("Outliers"), "trends": self.tr("Trends"),
            "judge": self.tr("Judge"),
            "problems": self.tr("Problems"), "progress": self.tr("Progress"),
        }  # fmt: skip
        for name, dock in self._docks.items():
            dock.setWindowTitle(titles[name])

    def _restore(self) -> None:
        kept = QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat)
        geometry, state = kept.value("geometry"), kept.value("state")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        if isinstance(state, QByteArray):
            self.restoreState(state)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take folders only."""
        if any(Path(url.toLocalFile()).is_dir() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        folders = [Path(url.toLocalFile()) for url in event.mimeData().urls()]
        for folder in [one for one in folders if one.is_dir()][:1]:
            self._consider(folder)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember where everything was."""
        kept = QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat)
        kept.setValue("geometry", self.saveGeometry())
        if self._session.place is not None:
            kept.setValue("state", self.saveState())
        super().closeEvent(event)
