"""The panels in their docks: where each stands at first, what it is called, and what its title bar offers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMenu, QToolButton, QWidget

from explorer.ui.look import theme
from explorer.ui.panels.clusters.panel import ClustersPanel
from explorer.ui.panels.compare.panel import ComparePanel
from explorer.ui.panels.documents.panel import DocumentsPanel
from explorer.ui.panels.duplicates.panel import DuplicatesPanel
from explorer.ui.panels.judge.panel import JudgePanel
from explorer.ui.panels.outliers.panel import OutliersPanel
from explorer.ui.panels.problems.panel import ProblemsPanel
from explorer.ui.panels.progress.panel import ProgressPanel
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
USUAL = ("clusters", "documents", "reader", "neighbours", "rerank", "compare")  # shown at first
# Under the map, when they are wanted.
_BELOW = ("duplicates", "outliers", "trends", "judge", "problems", "progress")
# The share of the window's height that a panel needs. The reader and the similar documents have theirs from the start.
_ROOM = {"rerank": 0.48, "compare": 0.55} | dict.fromkeys(_BELOW, 0.33)
_SILENT = ("progress",)  # nothing to export


class Docks(QObject):
    """All panels of a window but the map, by name.

    Attributes:
        panels: The panels.
        docks: Their docks.

    Signals:
        moved: A dock was moved, closed, opened or brought to the front.
        export_requested: What a panel shows is to be written: its name.
        copy_requested: What a panel lists goes to the clipboard: its name.
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
        self._roomy: set[str] = set()  # the docks that have had room made for them
        made = (session, actions)
        self.clusters, self.documents = ClustersPanel(*made), DocumentsPanel(*made)
        self.reader, self.compare = ReaderPanel(*made), ComparePanel(*made)
        self.duplicates, self.trends, self.judge = (
            DuplicatesPanel(*made),
            TrendsPanel(*made),
            JudgePanel(*made),
        )
        self.outliers, self.neighbours = OutliersPanel(*made), SimilarPanel(*made)
        self.rerank = RerankPanel(*made)
        self.panels: dict[str, QWidget] = {
            "clusters": self.clusters, "documents": self.documents, "reader": self.reader,
            "neighbours": self.neighbours, "rerank": self.rerank, "compare": self.compare,
            "duplicates": self.duplicates, "outliers": self.outliers, "trends": self.trends,
            "judge": self.judge, "problems": ProblemsPanel(*made), "progress": ProgressPanel(*made),
        }  # fmt: skip
        self.docks = {name: self._dock(name, panel) for name, panel in self.panels.items()}
        self.neighbours.compared.connect(lambda: self.show("compare"))
        self.lay_out()
        self.retranslate()

    def _dock(self, name: str, panel: QWidget) -> QDockWidget:
        dock = QDockWidget(self._window)
        dock.setObjectName(name)
        dock.setWidget(panel)
        dock.setTitleBarWidget(
            _Title(
                dock,
                None if name in _SILENT else lambda: self.export_requested.emit(name),
                lambda: self.copy_requested.emit(name) if hasattr(panel, "listed") else None,
            )
        )
        dock.visibilityChanged.connect(self.moved)
        dock.dockLocationChanged.connect(self.moved)
        dock.topLevelChanged.connect(self.moved)
        return dock

    def lay_out(self) -> None:
        """Put every dock where the drawing has it; what is not usual waits behind the window."""
        window, docks = self._window, self.docks
        for dock in docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        for name, area in (
            ("clusters", _LEFT),
            ("documents", _LEFT),
            ("reader", _RIGHT),
            ("neighbours", _RIGHT),
        ):
            window.addDockWidget(area, docks[name])
        for name in ("rerank", "compare"):
            window.addDockWidget(_RIGHT, docks[name])
            window.tabifyDockWidget(docks["neighbours"], docks[name])
        for name in _BELOW:
            window.addDockWidget(_BOTTOM, docks[name])
            if name != "duplicates":
                window.tabifyDockWidget(docks["duplicates"], docks[name])
        for name, dock in docks.items():
            dock.setVisible(name in USUAL)
        docks["neighbours"].raise_()
        self._roomy.clear()
        self.share_out()

    def share_out(self) -> None:
        """Give the panels at the sides their share of the window, so that the map stays the largest."""
        wide, docks = self._window.width(), self.docks
        sides = [min(max(240, wide // 4), 340), min(max(290, wide * 3 // 10), 420)]
        self._window.resizeDocks([docks["clusters"], docks["reader"]], sides, Qt.Orientation.Horizontal)
        for upper, lower, shares in (
            ("clusters", "documents", [300, 400]),
            ("reader", "neighbours", [400, 320]),
        ):
            self._window.resizeDocks([docks[upper], docks[lower]], shares, Qt.Orientation.Vertical)

    def enter_documents(self) -> None:
        """Walk the results, or all documents where nothing is asked."""
        self.show("documents")
        self.documents.enter()

    def show(self, name: str) -> None:
        """Bring a panel to the front; where it comes for the first time, with room for it."""
        dock = self.docks[name]
        fresh = name in _ROOM and name not in self._roomy and not dock.isVisible()
        before = [one.height() for one in self._window.tabifiedDockWidgets(dock) if one.isVisible()]
        dock.show()
        dock.raise_()
        if fresh and not dock.isFloating():
            self._roomy.add(name)
            wanted = round(_ROOM[name] * self._window.height())
            if max(before, default=0) < wanted:
                self._window.resizeDocks([dock], [wanted], Qt.Orientation.Vertical)

    def toggle(self, name: str) -> None:
        """Bring a panel to the front; where it is there already, put it away."""
        if self.docks[name].visibleRegion().isEmpty():
            self.show(name)
        else:
            self.docks[name].close()

    def of(self, widget: QWidget | None) -> str:
        """The name of the panel that a widget is in; empty if in none."""
        return next(
            (name for name, panel in self.panels.items() if widget and panel.isAncestorOf(widget)), ""
        )

    def retranslate(self) -> None:
        """Name the docks in the language of now."""
        titles = {
            "clusters": self.tr("Clusters"), "documents": self.tr("Documents"), "reader": self.tr("Reader"),
            "neighbours": self.tr("Similar"), "rerank": self.tr("Rerank"), "compare": self.tr("Compare"),
            "duplicates": self.tr("Duplicates"), "outliers": self.tr("Outliers"), "trends": self.tr("Trends"),
            "judge": self.tr("Rate"), "problems": self.tr("Problems"), "progress": self.tr("Progress"),
        }  # fmt: skip
        for name, dock in self.docks.items():
            dock.setWindowTitle(titles[name])


class _Title(Themed, QWidget):
    """The bar on top of a dock: its name, export, and buttons to float and to close it."""

    def __init__(
        self, dock: QDockWidget, export: Callable[[], object] | None, copy: Callable[[], object]
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
        self._copy.triggered.connect(lambda _: copy())
        self._copy.setVisible(hasattr(dock.widget(), "listed"))
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
