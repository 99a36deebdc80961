"""The docks of a window: default layout, title bars, and the panels in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMenu, QToolButton, QWidget

from explorer.ui.look import theme
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
from explorer.ui.panels.rerank.panel import RerankPanel
from explorer.ui.panels.similar.panel import SimilarPanel
from explorer.ui.panels.trends.panel import TrendsPanel
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea

PanelType = TypeVar("PanelType", bound=Panel)


class Docks(QObject):
    """The panels of a window, except the map.

    Attributes:
        panels: The panels.
        docks: Their docks.

    Signals:
        moved: A dock was moved, closed, opened or brought to the front.
        export_requested: A panel should be exported: its name.
        copy_requested: The table of a panel should be copied: its name.
    """

    moved = Signal()
    export_requested = Signal(str)
    copy_requested = Signal(str)

    def __init__(self, window: QMainWindow, session: Session, actions: Controllers) -> None:
        super().__init__(window)
        self._window = window
        corners = Qt.Corner  # the panels at the sides keep their height when something opens below the map
        window.setCorner(corners.BottomLeftCorner, _LEFT)
        window.setCorner(corners.BottomRightCorner, _RIGHT)
        self._enlarged: set[str] = set()  # docks that got their opening height already
        self._session, self._actions = session, actions
        self.panels: dict[str, Panel] = {}
        # In the order of the View menu, which gives the first nine the keys Alt+1 to Alt+9.
        self.clusters = self._add(ClustersPanel)
        self.documents = self._add(DocumentsPanel)
        self.reader = self._add(ReaderPanel)
        self.neighbours = self._add(SimilarPanel)
        self.rerank = self._add(RerankPanel)
        self.compare = self._add(ComparePanel)
        self.duplicates = self._add(DuplicatesPanel)
        self.outliers = self._add(OutliersPanel)
        self.trends = self._add(TrendsPanel)
        self.judge = self._add(JudgePanel)
        self._add(ProblemsPanel)
        self._add(ProgressPanel)
        self.docks = {name: self._dock(name, panel) for name, panel in self.panels.items()}
        self.neighbours.compared.connect(lambda: self.show("compare"))
        self.lay_out()
        self.retranslate()

    def _add(self, kind: Callable[[Session, Controllers], PanelType]) -> PanelType:
        panel = kind(self._session, self._actions)
        self.panels[panel.name] = panel
        return panel

    def _dock(self, name: str, panel: Panel) -> QDockWidget:
        dock = QDockWidget(self._window)
        dock.setObjectName(name)
        dock.setWidget(panel)
        export = (lambda: self.export_requested.emit(name)) if panel.exportable else None
        copy = (lambda: self.copy_requested.emit(name)) if panel.has_table else None
        dock.setTitleBarWidget(_Title(dock, export, copy))
        dock.visibilityChanged.connect(self.moved)
        dock.dockLocationChanged.connect(self.moved)
        dock.topLevelChanged.connect(self.moved)
        return dock

    def lay_out(self) -> None:
        """Restore the default layout."""
        window, docks = self._window, self.docks
        for dock in docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        # The lower panels on the right are tabs of one dock, and so are all at the bottom.
        tabbed = {_RIGHT: "neighbours", _BOTTOM: "duplicates"}
        for name, panel in self.panels.items():
            window.addDockWidget(panel.area, docks[name])
            host = tabbed.get(panel.area)
            if host is not None and name not in (host, "reader"):
                window.tabifyDockWidget(docks[host], docks[name])
        for name, panel in self.panels.items():
            docks[name].setVisible(panel.shown_at_first)
        docks["neighbours"].raise_()
        self._enlarged.clear()
        self.resize_sides()

    def resize_sides(self) -> None:
        """Size the panels at the sides so that the map stays the largest."""
        wide, docks = self._window.width(), self.docks
        sides = [min(max(240, wide // 4), 340), min(max(290, wide * 3 // 10), 420)]
        self._window.resizeDocks([docks["clusters"], docks["reader"]], sides, Qt.Orientation.Horizontal)
        for upper, lower, shares in (
            ("clusters", "documents", [300, 400]),
            ("reader", "neighbours", [400, 320]),
        ):
            self._window.resizeDocks([docks[upper], docks[lower]], shares, Qt.Orientation.Vertical)

    def show_defaults(self) -> None:
        """Show the panels that a new workspace opens with."""
        for name, panel in self.panels.items():
            if panel.shown_at_first:
                self.docks[name].show()

    def enter_documents(self) -> None:
        """Move the keyboard focus to the results, or to all documents."""
        self.show("documents")
        self.documents.enter()

    def show(self, name: str) -> None:
        """Bring a panel to the front; the first time, give it its opening height."""
        dock = self.docks[name]
        height = self.panels[name].opening_height
        fresh = height > 0 and name not in self._enlarged and not dock.isVisible()
        heights = [tab.height() for tab in self._window.tabifiedDockWidgets(dock) if tab.isVisible()]
        dock.show()
        dock.raise_()
        if fresh and not dock.isFloating():
            self._enlarged.add(name)
            wanted = round(height * self._window.height())
            if max(heights, default=0) < wanted:
                self._window.resizeDocks([dock], [wanted], Qt.Orientation.Vertical)

    def toggle(self, name: str) -> None:
        """Bring a panel to the front, or close it if it is there already."""
        if self.docks[name].visibleRegion().isEmpty():
            self.show(name)
        else:
            self.docks[name].close()

    def name_of(self, widget: QWidget | None) -> str:
        """Return the name of the panel that contains a widget; empty if none does."""
        return next(
            (name for name, panel in self.panels.items() if widget and panel.isAncestorOf(widget)), ""
        )

    def retranslate(self) -> None:
        for name, dock in self.docks.items():
            dock.setWindowTitle(self.panels[name].title())


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
            "close": self.tr("Close this panel (reopen it from the View menu)"),
        }
        for name, button in self._buttons.items():
            button.setToolTip(words[name])
            button.setAccessibleName(words[name])

    def restyle(self) -> None:
        for name, button in self._buttons.items():
            button.setIcon(theme.icon(name, theme.current().faint))
