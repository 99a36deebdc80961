"""The panels of a window, and the docks that they can be moved to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMenu, QToolButton, QWidget

from explorer.ui.look import theme
from explorer.ui.panels.categories import CategoriesPanel
from explorer.ui.panels.clusters.panel import ClustersPanel
from explorer.ui.panels.compare.panel import ComparePanel
from explorer.ui.panels.documents.panel import DocumentsPanel
from explorer.ui.panels.duplicates import DuplicatesPanel
from explorer.ui.panels.judge import JudgePanel
from explorer.ui.panels.outliers import OutliersPanel
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.problems import ProblemsPanel
from explorer.ui.panels.progress import ProgressPanel
from explorer.ui.panels.reader.panel import ReaderPanel
from explorer.ui.panels.rerank import RerankPanel
from explorer.ui.panels.similar import SimilarPanel
from explorer.ui.panels.sources import SourcesPanel
from explorer.ui.panels.trends import TrendsPanel
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.ui.window.views import Views

PanelType = TypeVar("PanelType", bound=Panel)


class Docks(QObject):
    """The panels of a window: each is in its place in a view, or in a dock if the user wants it there.

    Attributes:
        panels: The panels, except the map.
        docks: Their docks, hidden while the panels are in the views.

    Signals:
        moved: A dock was moved, closed, opened or brought to the front.
        export_requested: A panel should be exported: its name.
        copy_requested: The table of a panel should be copied: its name.
    """

    moved = Signal()
    export_requested = Signal(str)
    copy_requested = Signal(str)

    def __init__(self, window: QMainWindow, views: Views, session: Session, actions: Controllers) -> None:
        super().__init__(window)
        self._window, self._views = window, views
        self._session, self._actions = session, actions
        self.panels: dict[str, Panel] = {}
        self.sources = self._add(SourcesPanel)  # has the place of the clusters
        self.clusters = self._add(ClustersPanel)
        self.documents = self._add(DocumentsPanel)
        self.reader = self._add(ReaderPanel)
        self._views.add_panel("why", self.reader.why)
        self._views.add_panel("details", self.reader.details)
        self.neighbours = self._add(SimilarPanel)
        self.rerank = self._add(RerankPanel)
        self.compare = self._add(ComparePanel)
        self.duplicates = self._add(DuplicatesPanel)
        self.outliers = self._add(OutliersPanel)
        self.trends = self._add(TrendsPanel)
        self.categories = self._add(CategoriesPanel)
        self.judge = self._add(JudgePanel)
        self._add(ProblemsPanel)
        self._add(ProgressPanel)
        self.docks = {name: self._dock(name, panel) for name, panel in self.panels.items()}
        self.neighbours.compared.connect(lambda: self.show("compare"))
        self.retranslate()

    def _add(self, kind: Callable[[Session, Controllers], PanelType]) -> PanelType:
        panel = kind(self._session, self._actions)
        self.panels[panel.name] = panel
        self._views.add_panel(panel.name, panel)
        return panel

    def _dock(self, name: str, panel: Panel) -> QDockWidget:
        dock = _Dock(self._window)
        dock.setObjectName(name)
        export = (lambda: self.export_requested.emit(name)) if panel.exportable else None
        copy = (lambda: self.copy_requested.emit(name)) if panel.has_table else None
        dock.setTitleBarWidget(_Title(dock, export, copy))
        self._window.addDockWidget(panel.area, dock)
        dock.hide()
        dock.closed.connect(lambda: self.set_docked(name, False))
        dock.visibilityChanged.connect(self.moved)
        dock.dockLocationChanged.connect(self.moved)
        dock.topLevelChanged.connect(self.moved)
        return dock

    def is_docked(self, name: str) -> bool:
        """Return whether a panel is in its dock."""
        return self.docks[name].widget() is self.panels[name]

    def set_docked(self, name: str, docked: bool) -> None:
        """Move a panel out of the views into its dock, or back."""
        dock = self.docks[name]
        if docked:
            dock.setWidget(self._views.hand_over(name))
            dock.show()
            self.panels[name].show()
            dock.raise_()
        else:
            dock.hide()
            self._views.bring_home(name)
        self.moved.emit()

    def lay_out(self) -> None:
        """Put every panel back into its view, and give the views their default layout."""
        for name, dock in self.docks.items():
            dock.setFloating(False)
            self.set_docked(name, False)
        for page in self._views.pages.values():
            page.lay_out()

    def hide(self) -> None:
        """Hide all docks, because no folder is open."""
        for dock in self.docks.values():
            dock.hide()

    def restore(self) -> None:
        """Fill the docks that the window has just restored; the other panels go to their views."""
        for name, dock in self.docks.items():
            if dock.isHidden() == self.is_docked(name):
                self.set_docked(name, not dock.isHidden())

    def enter_documents(self) -> None:
        """Move the keyboard focus to the results, or to all documents."""
        self.show("documents")
        self.documents.enter()

    def show(self, name: str) -> None:
        """Bring a panel or the map to the front, in its dock or in a view."""
        if name in self.docks and self.is_docked(name):
            self.docks[name].show()
            self.docks[name].raise_()
        else:
            self._views.reveal(name)

    def name_of(self, widget: QWidget | None) -> str:
        """Return the name of the panel that contains a widget; empty if none does."""
        return next((name for name, panel in self.panels.items() if widget and panel.isAncestorOf(widget)), "")

    def retranslate(self) -> None:
        for name, dock in self.docks.items():
            dock.setWindowTitle(self.panels[name].title())


class _Dock(QDockWidget):
    """A dock that says when the user closes it.

    Signals:
        closed: It was closed.
    """

    closed = Signal()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class _Title(Themed, QWidget):
    """The title bar of a dock: its name, and buttons to export, float and close it."""

    def __init__(
        self, dock: QDockWidget, export: Callable[[], object] | None, copy: Callable[[], object] | None
    ) -> None:
        super().__init__(dock)
        self._dock = dock
        self.name = ElidedLabel()
        self._buttons = {name: QToolButton(self) for name in ("export", "float", "close")}
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 4, 3)
        row.setSpacing(0)
        row.addWidget(self.name, 1)
        for button in self._buttons.values():
            button.setIconSize(QSize(14, 14))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self._menu = QMenu(self)
        self._save, self._copy = self._menu.addAction(""), self._menu.addAction("")
        self._save.triggered.connect(lambda _: export() if export else None)
        self._copy.triggered.connect(lambda _: copy() if copy else None)
        self._copy.setVisible(copy is not None)
        self._buttons["export"].setMenu(self._menu)
        self._buttons["export"].setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._buttons["export"].setVisible(export is not None)
        self._buttons["float"].clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self._buttons["close"].clicked.connect(dock.close)
        dock.windowTitleChanged.connect(self.name.setText)
        self.retranslate()
        self.restyle()

    def retranslate(self) -> None:
        self._save.setText(self.tr("Export…"))
        self._copy.setText(self.tr("Copy as table"))
        words = {
            "export": self.tr("Export this panel"),
            "float": self.tr("Float or dock this panel"),
            "close": self.tr("Put this panel back into its view"),
        }
        for name, button in self._buttons.items():
            button.setToolTip(words[name])
            button.setAccessibleName(words[name])

    def restyle(self) -> None:
        for name, button in self._buttons.items():
            button.setIcon(theme.icon(name, theme.current().faint))
