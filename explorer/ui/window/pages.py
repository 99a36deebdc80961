"""The pages of views: sources, list and reader; the map with list and reader; a list of documents and the reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QStackedWidget, QToolButton, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.layouts import ShareSplitter, column, container, hairline, row, tool_button
from explorer.ui.widgets.themed import Themed
from explorer.ui.window.views import PanelSlot, ViewPage

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
COLUMNS = (190.0, 400.0, 810.0)  # sources, list, reader: pixels of a window that is 1400 wide, used as shares
READER = (0.6, 0.4)  # of the reader and of the drawer below it
MAP = (0.68, 0.32)
BESIDE = (0.55, 0.45)
FOLDED = 1320  # pixels of the window's width below which the sources fold to icons
NARROW = 1100  # and below which list and reader remain
RAIL = 44  # pixels of the folded sources
_UNLIMITED = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


class Drawer(Themed, QWidget):
    """The drawer below the reader: one of several panels at a time, or only their names.

    Signals:
        changed: Another panel is in front, or the drawer was opened or closed.
    """

    changed = Signal()

    def __init__(self, names: tuple[str, ...], icons: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_open = True
        self._icons, self._stack, self._group = icons, QStackedWidget(), QButtonGroup(self)
        self.tabs: dict[str, QToolButton] = {}
        for name in names:
            tab = self.tabs[name] = tool_button(size=16)
            tab.setCheckable(True)
            tab.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            tab.clicked.connect(lambda _=False, name=name: self._on_pressed(name))
            self._group.addButton(tab)
            # A slot hides itself while its panel is elsewhere; a stack would show it again.
            self._stack.addWidget(container(column((PanelSlot(name), 1))))
        self.fold = tool_button(size=16)
        self.fold.clicked.connect(lambda: self.set_open(not self.is_open))
        self._head = container(row(*self.tabs.values(), None, self.fold, margins=(8, 2, 8, 2), spacing=2))
        self._head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column(hairline(), self._head, (self._stack, 1), parent=self)
        self.tabs[names[0]].setChecked(True)
        self.retranslate()
        self.restyle()

    @property
    def current(self) -> str:
        """The panel in front."""
        return list(self.tabs)[self._stack.currentIndex()]

    def reveal(self, name: str) -> None:
        """Open the drawer with a panel in front."""
        if name in self.tabs:
            self.tabs[name].setChecked(True)
            self._stack.setCurrentIndex(list(self.tabs).index(name))
            self.set_open(True)

    def set_open(self, is_open: bool) -> None:
        """Open the drawer, or fold it to its names."""
        self.is_open = is_open
        self._stack.setVisible(is_open)
        self.setMaximumHeight(_UNLIMITED if is_open else self._head.sizeHint().height() + 1)
        splitter = self.parentWidget()
        if isinstance(splitter, ShareSplitter):
            splitter.apply()
        self.restyle()
        self.changed.emit()

    def _on_pressed(self, name: str) -> None:
        self.set_open(False) if self.is_open and name == self.current else self.reveal(name)

    def retranslate(self) -> None:
        names = {
            "neighbours": (self.tr("Similar"), self.tr("Similar documents")),
            "map": (self.tr("Map"), self.tr("Where the document is on the map")),
            "rerank": (self.tr("Rerank"), self.tr("How the more accurate model changes the order")),
            "why": (self.tr("Why"), self.tr("Why the document was found")),
            "details": (self.tr("Details"), self.tr("File, date and all else that is known of the document")),
        }
        for name, tab in self.tabs.items():
            tab.setText(names[name][0])
            tab.setToolTip(names[name][1])
            tab.setAccessibleName(names[name][1])
        self.fold.setAccessibleName(self.tr("Open or close the drawer"))
        self.fold.setToolTip(self.fold.accessibleName())

    def restyle(self) -> None:
        self.fold.setIcon(theme.icon("down" if self.is_open else "up"))
        for name, tab in self.tabs.items():
            tab.setIcon(theme.icon(self._icons[name]))


class WorkPage(ViewPage):
    """Sources, list, reader; the drawer is below the reader.

    Signals:
        folded: Whether the sources are icons only.
    """

    folded = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        icons = {"neighbours": "neighbours", "map": "map", "rerank": "rerank", "why": "why", "details": "details"}
        self.drawer = Drawer(("neighbours", "map", "rerank", "why", "details"), icons)
        self.sources = PanelSlot("sources")
        self._kind = ""  # "wide", "folded" or "narrow"
        self._wanted: bool | None = None  # whether the user wants the sources open; None to go by the width
        self.columns = ShareSplitter(_ACROSS, COLUMNS)
        self.right = ShareSplitter(_DOWN, READER)
        reader = PanelSlot("reader")
        reader.setMinimumHeight(120)
        self.right.addWidget(reader)
        self.right.addWidget(self.drawer)
        self.columns.addWidget(self.sources)
        self.columns.addWidget(PanelSlot("documents"))
        self.columns.addWidget(self.right)
        column((self.columns, 1), parent=self)
        self.drawer.changed.connect(self.changed)
        for splitter in (self.columns, self.right):
            splitter.shares_changed.connect(self.changed)

    def reveal(self, name: str) -> None:
        if name in ("sources", "clusters") and not self.is_open:
            self.toggle_sources()
        self.drawer.reveal(name)

    @property
    def is_open(self) -> bool:
        """Whether the sources are shown with their names."""
        return self._kind == "wide" if self._wanted is None else self._wanted

    def toggle_sources(self) -> None:
        """Open the sources, or fold them."""
        self._wanted = not self.is_open
        self._fold()
        self.changed.emit()

    def _fold(self) -> None:
        """Fold the sources to icons in a narrow window, and hide them in a very narrow one, unless they are wanted."""
        width = self.window().width()
        kind = "wide" if width >= FOLDED else "folded" if width >= NARROW else "narrow"
        if kind != self._kind and self._kind:
            self._wanted = None
        self._kind = kind
        has_panel = self.sources.findChild(QWidget) is not None
        self.sources.setMinimumWidth(150 if self.is_open else 0)
        self.sources.setMaximumWidth(_UNLIMITED if self.is_open else RAIL)
        self.sources.setVisible(has_panel and (self.is_open or kind == "folded"))
        self.folded.emit(not self.is_open)
        self.columns.apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fold()

    def lay_out(self) -> None:
        self._wanted = None
        self.restore_view_state({})
        self._fold()

    def view_state(self) -> dict[str, Any]:
        return {
            "columns": self.columns.shares,
            "reader": self.right.shares,
            "drawer": self.drawer.current,
            "open": self.drawer.is_open,
        }

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        self.columns.restore(saved.get("columns"))
        self.right.restore(saved.get("reader"))
        self.drawer.reveal(str(saved.get("drawer") or "neighbours"))
        self.drawer.set_open(saved.get("open") is not False)


class BesidePage(ViewPage):
    """A panel that lists documents, with the reader beside it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns = ShareSplitter(_ACROSS, BESIDE)
        for slot in (name, "reader"):
            self.columns.addWidget(PanelSlot(slot))
        column((self.columns, 1), parent=self)
        self.columns.shares_changed.connect(self.changed)

    def lay_out(self) -> None:
        self.columns.restore(None)

    def view_state(self) -> dict[str, Any]:
        return {"columns": self.columns.shares}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        self.columns.restore(saved.get("columns"))


class MapPage(ViewPage):
    """The map, with the list and the reader at its side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns, self.side = ShareSplitter(_ACROSS, MAP), ShareSplitter(_DOWN, (0.5, 0.5))
        for name in ("documents", "reader"):
            self.side.addWidget(PanelSlot(name))
        self.columns.addWidget(PanelSlot("map"))
        self.columns.addWidget(self.side)
        column((self.columns, 1), parent=self)
        for splitter in (self.columns, self.side):
            splitter.shares_changed.connect(self.changed)

    def lay_out(self) -> None:
        self.restore_view_state({})

    def view_state(self) -> dict[str, Any]:
        return {"columns": self.columns.shares, "side": self.side.shares}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        self.columns.restore(saved.get("columns"))
        self.side.restore(saved.get("side"))
