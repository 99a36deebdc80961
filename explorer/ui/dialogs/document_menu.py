"""The context menu of a document, the same on the map and in every list."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from explorer.ui.state.document_set import DocumentSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ui.window.main_window import MainWindow

_OFFERED = 10  # tags that can be set without typing


class DocumentMenu(QMenu):
    """What can be done with a document; tags go to all marked ones if it is one of them."""

    def __init__(self, window: MainWindow, document: int) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        session, files = window.session, window.actions.files
        marked = session.selection.marked
        self._add(self.tr("Read"), window.read, "Return")
        self._add(self.tr("Similar documents"), partial(window.docks.show, "neighbours"))
        self._add(self.tr("Compare"), window.compare, "C")
        self.addSeparator()
        pick = self.tr("Remove from picks") if document in session.picks else self.tr("Pick")
        self._add(pick, lambda: window.actions.edits.toggle_picks([document]), "P")
        mark = self.tr("Deselect") if document in marked else self.tr("Select")
        self._add(mark, lambda: session.mark([document], how="toggle"), "Ctrl+Space")
        chosen = marked if document in marked else DocumentSet([document])
        self._add_tags(self.addMenu(self.tr("Tag")), chosen)
        if session.categories:
            self._add_categories(self.addMenu(self.tr("Category")), chosen)
        self.addSeparator()
        self._add(self.tr("Open original file"), partial(files.open_original, document), "Ctrl+Return")
        self._add(self.tr("Show in file manager"), partial(files.reveal, document))
        self._add(self.tr("Read options…"), partial(files.ask_how, document))

    def _add(self, text: str, work: Callable[[], object], key: str = "") -> None:
        action = self.addAction(text)
        action.setShortcut(QKeySequence(key))  # only shown; the window's own action handles the key
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setShortcutVisibleInContextMenu(True)
        action.triggered.connect(lambda _: work())

    def _add_categories(self, menu: QMenu, chosen: DocumentSet) -> None:
        """Add the user's categories; choosing one makes the documents its examples."""
        session, assign = self._window.session, self._window.actions.categories.assign
        for category in session.categories:
            action = menu.addAction(category.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(all(document in category.examples for document in chosen))
            action.triggered.connect(lambda _=False, name=category.name: assign(chosen, name))
        menu.setEnabled(session.folder is not None and session.folder.writable)

    def _add_tags(self, menu: QMenu, chosen: DocumentSet) -> None:
        """Add the most common tags, ticked where all of some documents have them, and the dialog for others."""
        tags, edits, folder = self._window.session.tags, self._window.actions.edits, self._window.session.folder
        common = Counter(tag for of_one in tags.values() for tag in of_one)
        for tag, _ in common.most_common(_OFFERED):
            action = menu.addAction(tag.replace("&", "&&"))
            action.setCheckable(True)
            everywhere = all(tag in tags.get(document, ()) for document in chosen)
            action.setChecked(everywhere)
            change = partial(edits.remove_tag if everywhere else edits.add_tag, chosen, tag)
            action.triggered.connect(lambda _=False, change=change: change())
        menu.addSeparator()
        menu.addAction(self.tr("Other tag…")).triggered.connect(lambda _: self._window.show_tags())
        menu.setEnabled(folder is not None and folder.writable)
