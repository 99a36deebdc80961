"""The views of a window, shown one at a time: pages with places for panels, which move to the page that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QSizePolicy, QStackedWidget, QToolButton, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.layouts import ShareSplitter, column, container, hairline, row, tool_button
from explorer.ui.widgets.themed import Themed

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
COLUMNS = (190.0, 400.0, 810.0)  # sources, list, reader: pixels of a window that is 1400 wide, used as shares
READER = (0.6, 0.4)  # of the reader and of the drawer below it
MAP_SHARES = (0.68, 0.32)
BESIDE = (0.55, 0.45)
FOLDED = 1320  # pixels of the window's width below which the sources fold to icons
NARROW = 1100  # and below which list and reader remain
RAIL = 44  # pixels of the folded sources
_UNLIMITED = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


class View(Enum):
    """A view; the value is its key in saved view states."""

    WORK = "work"
    MAP = "map"
    COMPARE = "compare"
    DUPLICATES = "duplicates"
    OUTLIERS = "outliers"
    TRENDS = "trends"
    CATEGORIES = "categories"
    PROBLEMS = "problems"
    PROGRESS = "progress"


# The panels of views that are a page of panels and nothing else; those in `pages` have layouts of their own.
PANELS: dict[View, tuple[str, ...]] = {
    View.COMPARE: ("compare", "judge"),
    View.TRENDS: ("trends",),
    View.PROBLEMS: ("problems",),
    View.PROGRESS: ("progress",),
}
ICONS: dict[View, str] = {
    View.WORK: "document",
    View.MAP: "map",
    View.COMPARE: "compare",
    View.DUPLICATES: "copies",
    View.OUTLIERS: "outlier",
    View.TRENDS: "trends",
    View.CATEGORIES: "folder",
    View.PROBLEMS: "warning",
    View.PROGRESS: "refresh",
}
FIRST = (View.WORK, View.MAP, View.COMPARE)  # the switcher has buttons for these; the others are under "More"


class PanelSlot(QWidget):
    """The place of a panel on a page; takes no room while the panel is elsewhere.

    Attributes:
        name: The panel's name.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._lines = column(parent=self)
        self.hide()

    def receive(self, panel: QWidget) -> None:
        """Move a panel here."""
        if panel.parentWidget() is not self:
            self._lines.addWidget(panel)
        panel.show()
        self.show()


class ViewPage(QWidget):
    """A page of the views.

    Signals:
        changed: Something that `view_state` returns has changed.
    """

    changed = Signal()

    def slots(self) -> dict[str, PanelSlot]:
        """Return the places for panels, by the names of these."""
        return {slot.name: slot for slot in self.findChildren(PanelSlot)}

    def reveal(self, name: str) -> None:
        """Bring a panel of this page to the front, if it can be covered by another."""

    def view_state(self) -> dict[str, Any]:
        """Return what to save with the workspace, as JSON values."""
        return {}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        """Apply what `view_state` returned; ignore what is missing or damaged."""

    def lay_out(self) -> None:
        """Restore the default layout."""


class PanelPage(ViewPage):
    """Panels from top to bottom; the first has all the room that is left."""

    def __init__(self, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column(*((PanelSlot(name), 0 if index else 1) for index, name in enumerate(names)), parent=self)


class Views(Themed, QStackedWidget):
    """The pages of a window.

    Attributes:
        pages: The pages.

    Signals:
        view_changed: Another view is shown.
    """

    view_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages: dict[View, ViewPage] = {}
        self._panels: dict[str, QWidget] = {}
        self._docked: set[str] = set()
        self._before = View.WORK  # the view that Esc returns to

    def add_page(self, view: View, page: ViewPage) -> None:
        """Add the page of a view."""
        self.pages[view] = page
        self.addWidget(page)

    def add_panel(self, name: str, panel: QWidget) -> None:
        """Put a panel into the first page that has a place for it."""
        self._panels[name] = panel
        self.bring_home(name)

    @property
    def current(self) -> View:
        """The view that is shown."""
        shown = self.currentWidget()
        return next((view for view, page in self.pages.items() if page is shown), View.WORK)

    def show_view(self, view: View) -> None:
        """Show a view, with its panels in their places."""
        if view is self.current:
            return
        self._before = self.current
        keyboard = self.window().focusWidget()
        has_keyboard = keyboard is None or self.isAncestorOf(keyboard)
        if keyboard is not None and has_keyboard:
            keyboard.clearFocus()  # or Qt would hand it to whatever comes next
        page = self.pages[view]
        self._fill(page)
        self.setCurrentWidget(page)
        if has_keyboard:
            self._give_keyboard(page)
        self.view_changed.emit()

    def _give_keyboard(self, page: ViewPage) -> None:
        """Give the keyboard to the list of documents, or to the first panel of a full view, if nothing took it."""
        names = list(page.slots())
        panel = self._panels.get("documents" if "documents" in names else names[0])
        taken = self.window().focusWidget()
        if panel is not None and panel.focusProxy() is not None and not (taken and page.isAncestorOf(taken)):
            panel.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_back(self) -> bool:
        """Return from a full view to the one before it; return whether there was something to return from."""
        if self.current is View.WORK:
            return False
        self.show_view(self._before if self.current is not View.MAP and self._before in FIRST else View.WORK)
        return True

    def reveal(self, name: str) -> None:
        """Show a panel, where it is now or else in the first view that has a place for it."""
        views = [view for view, page in self.pages.items() if name in page.slots()]
        if views and self.current not in views:
            self.show_view(views[0])
        self.pages[self.current].reveal(name)

    def hand_over(self, name: str) -> QWidget:
        """Give a panel away to a dock; its places take no room."""
        self._docked.add(name)
        for page in self.pages.values():
            if name in page.slots():
                page.slots()[name].hide()
        return self._panels[name]

    def bring_home(self, name: str) -> None:
        """Take a panel back from its dock."""
        self._docked.discard(name)
        pages = [self.pages[self.current], *self.pages.values()]
        slot = next((page.slots()[name] for page in pages if name in page.slots()), None)
        if slot is not None:
            slot.receive(self._panels[name])

    def _fill(self, page: ViewPage) -> None:
        for name, slot in page.slots().items():
            if name in self._panels and name not in self._docked:
                slot.receive(self._panels[name])

    def view_title(self, view: View) -> str:
        """Return the name of a view."""
        return {
            View.WORK: self.tr("Work"),
            View.MAP: self.tr("Map"),
            View.COMPARE: self.tr("Compare"),
            View.DUPLICATES: self.tr("Duplicates"),
            View.OUTLIERS: self.tr("Outliers"),
            View.TRENDS: self.tr("Trends"),
            View.CATEGORIES: self.tr("Categories"),
            View.PROBLEMS: self.tr("Problems"),
            View.PROGRESS: self.tr("Progress"),
        }[view]


class ViewSwitcher(Themed, QWidget):
    """Buttons for the first views, and a menu of the others."""

    def __init__(self, views: Views, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._views = views
        self.buttons = {view: QToolButton() for view in FIRST}
        self.more = QToolButton()
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.more)
        self.more.setMenu(self.menu)
        group = QActionGroup(self)
        self.entries = {view: self.menu.addAction("") for view in views.pages if view not in FIRST}
        for view, button in self.buttons.items():
            button.clicked.connect(lambda _=False, view=view: self._on_chosen(view))
        for view, entry in self.entries.items():
            group.addAction(entry)
            entry.triggered.connect(lambda _=False, view=view: self._on_chosen(view))
        for widget in (*self.buttons.values(), self.more):
            widget.setCheckable(True)
            widget.setIconSize(QSize(16, 16))
            widget.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for entry in self.entries.values():
            entry.setCheckable(True)
        row(*self.buttons.values(), self.more, parent=self, spacing=2)
        views.view_changed.connect(self._on_view_changed)
        self.retranslate()
        self.restyle()

    def set_narrow(self, narrow: bool) -> None:
        """Show icons only, or names beside them."""
        styles = Qt.ToolButtonStyle
        style = styles.ToolButtonIconOnly if narrow else styles.ToolButtonTextBesideIcon
        for button in self.buttons.values():
            button.setToolButtonStyle(style)

    def _on_chosen(self, view: View) -> None:
        self._views.show_view(view)
        self._on_view_changed()  # a press must not uncheck the view that is shown

    def _on_view_changed(self) -> None:
        current = self._views.current
        for view, button in self.buttons.items():
            button.setChecked(view is current)
        for view, entry in self.entries.items():
            entry.setChecked(view is current)
        self.more.setChecked(current in self.entries)
        self._name_more()

    def _name_more(self) -> None:
        current = self._views.current
        text = self._views.view_title(current) if current in self.entries else self.tr("More")
        self.more.setText(f"{text} ▾")
        self.more.setIcon(theme.icon(ICONS[current] if current in self.entries else "more"))

    def retranslate(self) -> None:
        for view, button in self.buttons.items():
            button.setText(self._views.view_title(view))
            button.setToolTip(self._views.view_title(view))
            button.setAccessibleName(self._views.view_title(view))
        for view, entry in self.entries.items():
            entry.setText(self._views.view_title(view))
        self.more.setAccessibleName(self.tr("More views"))
        self.setAccessibleName(self.tr("View"))
        self._on_view_changed()

    def restyle(self) -> None:
        for view, button in self.buttons.items():
            button.setIcon(theme.icon(ICONS[view]))
        for view, entry in self.entries.items():
            entry.setIcon(theme.icon(ICONS[view]))
        self._name_more()


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
            "details": (self.tr("Details"), self.tr("File, date and everything else known about the document")),
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
        self.columns, self.side = ShareSplitter(_ACROSS, MAP_SHARES), ShareSplitter(_DOWN, (0.5, 0.5))
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
