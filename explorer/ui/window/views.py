"""The views of a window, shown one at a time: pages with places for panels, which move to the page that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QStackedWidget, QToolButton, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.themed import Themed


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

    def take(self, panel: QWidget) -> None:
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
        self._before = View.WORK  # what Esc goes back to

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
        self._fill(self.pages[view])
        self.setCurrentWidget(self.pages[view])
        self.view_changed.emit()

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
            slot.take(self._panels[name])

    def _fill(self, page: ViewPage) -> None:
        for name, slot in page.slots().items():
            if name in self._panels and name not in self._docked:
                slot.take(self._panels[name])

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
