"""The menus: every action of the window; the command palette lists them too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.undo import UndoController
from explorer.ui.window.views import View

if TYPE_CHECKING:
    from explorer.ui.map.input import Tool
    from explorer.ui.window.main_window import MainWindow

Name = Callable[[], str]


class Menus(QObject):
    """The menu bar of a window.

    Attributes:
        menus: The menus by name.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session, self._actions = window, window.session, window.actions
        self._named: dict[QAction | QMenu, Name] = {}
        self._chosen: dict[QAction, tuple[str, str]] = {}  # the setting that an action chooses, and its value
        self.menus: dict[str, QMenu] = {}
        for name, title, fill in (
            ("file", lambda: self.tr("&File"), self._file),
            ("edit", lambda: self.tr("&Edit"), self._edit),
            ("find", lambda: self.tr("F&ind"), self._find),
            ("map", lambda: self.tr("&Map"), self._map),
            ("clusters", lambda: self.tr("&Clusters"), self._clusters),
            ("view", lambda: self.tr("&View"), self._view),
            ("train", lambda: self.tr("&Train"), self._train),
            ("help", lambda: self.tr("&Help"), self._help),
        ):
            menu = window.menuBar().addMenu("")
            self.menus[name], self._named[menu] = menu, title
            fill(menu)
        self._session.settings_changed.connect(self._on_settings_changed)
        self._session.search_mode_changed.connect(self._on_settings_changed)
        self._session.folder_changed.connect(self._on_folder_changed)
        self._on_settings_changed()
        self._on_folder_changed()
        self.retranslate()

    # Making them

    def add(
        self, menu: QMenu, name: Name, work: Callable[[], object], *keys: str, needs_folder: bool = False
    ) -> QAction:
        """Add an action; `name` is called again when the language changes."""
        action = QAction(self._window)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(lambda _checked=False: work())
        action.setProperty("needs_folder", needs_folder)
        menu.addAction(action)
        self._named[action] = name
        return action

    def _submenu(self, menu: QMenu, name: Name, fill: Callable[[QMenu], object]) -> QMenu:
        """Add a submenu that is filled whenever it opens."""
        inner = menu.addMenu("")
        self._named[inner] = name

        def refill() -> None:
            inner.clear()
            fill(inner)

        inner.aboutToShow.connect(refill)
        return inner

    def _choices(self, menu: QMenu, setting: str, choices: Iterable[tuple[str, Name]]) -> None:
        """Add the values of a setting as exclusive actions."""
        group = QActionGroup(self._window)
        for value, name in choices:
            action = self.add(menu, name, partial(self._choose, setting, value))
            action.setCheckable(True)
            group.addAction(action)
            self._chosen[action] = (setting, value)

    def _choose(self, setting: str, value: str) -> None:
        if setting == "mode":
            self._actions.search.set_mode(value)
        else:
            changed: dict[str, object] = {setting: value}
            self._actions.change_settings(replace(self._session.settings, **changed))  # type: ignore[arg-type]

    def actions(self) -> list[QAction]:
        """Return all actions in the order of the menus, submenus included."""
        actions: list[QAction] = []

        def walk(menu: QMenu) -> None:
            for action in menu.actions():
                inner = action.menu()
                if isinstance(inner, QMenu):
                    inner.aboutToShow.emit()  # fills those that are filled when they open
                    walk(inner)
                elif not action.isSeparator() and action.text():
                    actions.append(action)

        for menu in self.menus.values():
            walk(menu)
        return actions

    def retranslate(self) -> None:
        self._undo.retranslate()
        for action, name in self._named.items():
            action.setTitle(name()) if isinstance(action, QMenu) else action.setText(name())

    def _on_settings_changed(self) -> None:
        settings = replace(self._session.settings, mode=self._session.search_mode)
        for action, (setting, value) in self._chosen.items():
            action.setChecked(getattr(settings, setting) == value)

    def _on_folder_changed(self) -> None:
        for action in self._named:
            if isinstance(action, QAction) and action.property("needs_folder"):
                action.setEnabled(self._session.folder is not None)

    # What is in them

    def _file(self, menu: QMenu) -> None:
        window = self._window
        self.add(menu, lambda: self.tr("New window"), lambda: window.window_requested.emit(None), "Ctrl+N")
        self.add(menu, lambda: self.tr("Open folder…"), window.ask_folder, "Ctrl+O")
        self.add(
            menu,
            lambda: self.tr("Open folder in a new window…"),
            lambda: window.ask_folder(new_window=True),
            "Ctrl+Shift+O",
        )
        self.add(menu, lambda: self.tr("Open file…"), window.ask_file)
        self._submenu(menu, lambda: self.tr("Open recent"), self._fill_recent)
        self.add(menu, lambda: self.tr("Open sample"), window.open_sample)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Refresh folder"), self._actions.update, "F5", needs_folder=True)
        self.add(menu, lambda: self.tr("Close folder"), self._actions.close_folder, "Ctrl+W", needs_folder=True)
        self.add(menu, lambda: self.tr("Delete workspace…"), window.ask_delete, needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Export this panel…"), window.exports.export, "Ctrl+E", needs_folder=True)
        self._submenu(menu, lambda: self.tr("Export"), self._fill_export)
        self.add(
            menu, lambda: self.tr("Report on selection…"), window.exports.ask_report, "Ctrl+Shift+E", needs_folder=True
        )
        self.add(menu, lambda: self.tr("Restore a backup…"), window.show_backups, needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Close window"), window.close, "Ctrl+Shift+W")
        self.add(menu, lambda: self.tr("Quit"), window.quit_requested.emit, "Ctrl+Q")

    def _fill_recent(self, menu: QMenu) -> None:
        for folder in self._session.settings.recent:
            path = Path(folder)
            action = menu.addAction(f"{path.name} · {path.parent}".replace("&", "&&"))
            action.triggered.connect(lambda _=False, path=path: self._window.preview_folder(path))

    def _fill_export(self, menu: QMenu) -> None:
        for name, title in self._window.exports.choices():
            action = menu.addAction(title + "…")
            action.setEnabled(self._session.folder is not None)
            action.triggered.connect(lambda _=False, name=name: self._window.exports.export(name))

    def _edit(self, menu: QMenu) -> None:
        window, session = self._window, self._session
        self._undo = UndoController(self._actions.edits.undo, window)
        self._undo.stepped.connect(self._actions.notify)
        menu.addActions([self._undo.undo, self._undo.redo])
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Copy as table"), window.exports.copy, "Ctrl+Shift+C", needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Pick"), window.pick, "P", needs_folder=True)
        self._mark = self.add(menu, lambda: self.tr("Select or deselect"), self._toggle_mark, "Ctrl+Space")
        self._mark.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # lists have keys of their own
        self.add(menu, lambda: self.tr("Select all shown"), self._mark_all, "Ctrl+Shift+A", needs_folder=True)
        self.add(menu, lambda: self.tr("Clear selection"), lambda: session.mark(()), needs_folder=True)
        self.add(menu, lambda: self.tr("Show selected only"), self._filter_marked, needs_folder=True)
        self.add(menu, lambda: self.tr("Clear filter"), lambda: session.set_filter(None), needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Tag…"), window.show_tags, "T", needs_folder=True)
        judge = self._submenu(menu, lambda: self.tr("How similar are they?"), lambda _menu: None)
        judge.aboutToShow.connect(lambda: self._offer_judging(judge))
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Step back"), window.step_back, "Esc", needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Settings…"), window.show_settings, "Ctrl+,")

    def _offer_judging(self, menu: QMenu) -> None:
        """Add the ratings without their keys, which in a menu would work in the whole window."""
        menu.clear()
        for verb in self._window.docks.judge.choices.values():
            entry = menu.addAction(verb.text(), verb.trigger)
            entry.setCheckable(True)
            entry.setChecked(verb.isChecked())
            entry.setEnabled(verb.isEnabled())

    def _toggle_mark(self) -> None:
        focus = self._session.selection.focus
        if focus is not None:
            self._session.mark([focus], how="toggle")

    def _mark_all(self) -> None:
        self._session.mark(DocumentSet(self._session.shown))
        if self._window.query.line.hasFocus():
            self._window.docks.enter_documents()  # where the keys for what is selected are no letters of the query

    def _filter_marked(self) -> None:
        if self._session.selection.marked:
            self._actions.filter_to(self._session.selection.marked, self.tr("Selected documents"))

    def _train(self, menu: QMenu) -> None:
        finetune = self._window.finetune
        self.add(menu, lambda: self.tr("Rate pairs…"), finetune.show_judge, needs_folder=True)
        self.add(menu, lambda: self.tr("Improve the model…"), finetune.show_wizard)

    def _find(self, menu: QMenu) -> None:
        window, docks, files = self._window, self._window.docks, self._actions.files
        self.add(menu, lambda: self.tr("Search"), window.go_query, "Ctrl+L", "/", needs_folder=True)
        self._choices(
            menu,
            "mode",
            (
                ("hybrid", lambda: self.tr("Search by meaning and keywords")),
                ("semantic", lambda: self.tr("Search by meaning")),
                ("keyword", lambda: self.tr("Search by keywords")),
            ),
        )
        self.add(
            menu, lambda: self.tr("Saved searches…"), window.show_saved_searches, "Ctrl+Shift+S", needs_folder=True
        )
        self.add(menu, lambda: self.tr("More results"), self._actions.search.find_more, needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Next document"), lambda: docks.documents.step(1), "J", needs_folder=True)
        self.add(menu, lambda: self.tr("Previous document"), lambda: docks.documents.step(-1), "K", needs_folder=True)
        self._read = self.add(menu, lambda: self.tr("Read current document"), window.read, "Return")
        page = partial(docks.reader.view.scroll_page, 1)
        self._page = self.add(menu, lambda: self.tr("Next page of the document"), page, "Space")
        for action in (self._read, self._page):  # Space and Enter press buttons elsewhere
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        open_original = partial(window.with_focus, files.open_original)
        self.add(menu, lambda: self.tr("Open original file"), open_original, "Ctrl+Return", needs_folder=True)
        reveal = partial(window.with_focus, files.reveal)
        self.add(menu, lambda: self.tr("Show in file manager"), reveal, needs_folder=True)
        how = partial(window.with_focus, files.ask_how)
        self.add(menu, lambda: self.tr("Read options…"), how, needs_folder=True)
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Rerank results"), window.rerank, "R", needs_folder=True)
        self.add(menu, lambda: self.tr("Compare"), window.compare, "C", needs_folder=True)
        similar = partial(docks.show, "neighbours")
        self.add(menu, lambda: self.tr("Similar documents"), similar, needs_folder=True)
        menu.addActions([*docks.duplicates.actions(), docks.outliers.mark_all])
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Command palette…"), window.show_palette, "Ctrl+K")

    def use_on(self, *widgets: QWidget) -> None:
        """Let Ctrl+Space select, Enter read and Space page the reader in these widgets."""
        for widget in widgets:
            widget.addActions([self._mark, self._read, self._page])

    def _map(self, menu: QMenu) -> None:
        panel = self._window.map
        self.add(menu, lambda: self.tr("Go to map"), partial(self._window.show_view, View.MAP), "M", needs_folder=True)
        self.add(menu, lambda: self.tr("Fit map to window"), panel.fit, "Ctrl+0", needs_folder=True)
        self.add(
            menu,
            lambda: self.tr("Zoom in"),
            lambda: panel.view.view_box.zoom(1.5),
            "Ctrl++",
            "Ctrl+=",
            needs_folder=True,
        )
        self.add(
            menu, lambda: self.tr("Zoom out"), lambda: panel.view.view_box.zoom(1 / 1.5), "Ctrl+-", needs_folder=True
        )
        menu.addSeparator()
        for name, label in (
            ("pan", lambda: self.tr("Pan by dragging")),
            ("lasso", lambda: self.tr("Select with lasso")),
            ("rectangle", lambda: self.tr("Select with rectangle")),
        ):
            self.add(menu, label, partial(panel.use_tool, cast("Tool", name)), needs_folder=True)
        menu.addSeparator()
        self._submenu(menu, lambda: self.tr("Colour by"), self._fill_colours)
        self._density = self.add(menu, lambda: self.tr("Show density"), self._set_terrain)
        self._contours = self.add(menu, lambda: self.tr("Show contour lines"), self._set_terrain)
        for action in (self._density, self._contours):
            action.setCheckable(True)
        menu.aboutToShow.connect(self.show_terrain)
        palettes = menu.addMenu("")
        self._named[palettes] = lambda: self.tr("Palette")
        self._choices(
            palettes,
            "palette",
            (
                ("clear", lambda: self.tr("Vivid colours")),
                ("colour-blind", lambda: self.tr("Colour-blind friendly")),
                ("grey", lambda: self.tr("Greyscale, for print")),
            ),
        )
        menu.addSeparator()
        again = partial(self._actions.overview.refresh, redraw=True)
        self.add(menu, lambda: self.tr("Redraw map"), again, needs_folder=True)
        save = partial(self._window.exports.export, "map")
        self.add(menu, lambda: self.tr("Save map…"), save, "Ctrl+S", needs_folder=True)

    def _set_terrain(self) -> None:
        self._window.map.view.set_terrain(density=self._density.isChecked(), contours=self._contours.isChecked())
        self._window.map.by_changed.emit()

    def show_terrain(self) -> None:
        """Tick what the map shows."""
        for action, on in zip((self._density, self._contours), self._window.map.view.terrain, strict=True):
            action.setChecked(on)

    def _fill_colours(self, menu: QMenu) -> None:
        for key, name in self._window.map.choices():
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(key == self._window.map.by)
            action.triggered.connect(lambda _=False, key=key: self._window.map.colour_by(key))

    def _clusters(self, menu: QMenu) -> None:
        panel = self._window.docks.clusters
        self.add(menu, lambda: self.tr("Adjust cluster granularity"), self._go_granularity, "G", needs_folder=True)
        menu.addActions(panel.actions())

    def _go_granularity(self) -> None:
        self._window.docks.show("clusters")
        self._window.docks.clusters.slider.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _view(self, menu: QMenu) -> None:
        window, views = self._window, self._window.views
        group = QActionGroup(window)
        entries: dict[View, QAction] = {}
        for index, view in enumerate(views.pages, 1):
            keys = (f"Alt+{index}",) if index <= 9 else ()
            name = partial(views.view_title, view)
            entries[view] = self.add(menu, name, partial(window.show_view, view), *keys, needs_folder=True)
            entries[view].setCheckable(True)
            group.addAction(entries[view])

        def check() -> None:
            entries[views.current].setChecked(True)

        views.view_changed.connect(check)
        check()
        menu.addSeparator()
        self._submenu(menu, lambda: self.tr("Docked panels"), self._fill_panels)
        self.add(menu, lambda: self.tr("Reset panel layout"), window.docks.lay_out)
        menu.addSeparator()
        self._choices(
            menu,
            "theme",
            (
                ("system", lambda: self.tr("System theme")),
                ("light", lambda: self.tr("Light theme")),
                ("dark", lambda: self.tr("Dark theme")),
            ),
        )
        menu.addSeparator()
        self.add(menu, lambda: self.tr("Full screen"), self._window.toggle_full_screen, "F11")

    def _fill_panels(self, menu: QMenu) -> None:
        docks = self._window.docks
        for name, panel in docks.panels.items():
            action = menu.addAction(panel.title().replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(docks.is_docked(name))
            action.setEnabled(self._session.folder is not None)
            action.triggered.connect(lambda on, name=name: docks.set_docked(name, on))

    def _help(self, menu: QMenu) -> None:
        window = self._window
        self.add(menu, lambda: self.tr("Help"), window.help.show, "F1")
        self.add(menu, lambda: self.tr("Take the tour"), window.help.take_tour, needs_folder=True)
        self.add(menu, lambda: self.tr("Keyboard shortcuts"), lambda: window.help.show_keys(self), "Ctrl+/")
        self.add(menu, lambda: self.tr("About"), window.help.show_about)
