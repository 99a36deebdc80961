"""A popup to save the current search under a name, and to ask a saved one again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

WIDTH = 460


class SavedSearchDialog(Themed, Popup):
    """The saved searches: Enter or a click asks one again, Delete removes it."""

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._session, self._actions = session, actions
        self.name, self.save, self.list = QLineEdit(maxLength=100), QPushButton(), QListWidget()
        self._query, self._hint = plain_label(wrap=True, kind="faint"), plain_label(wrap=True, kind="faint")
        self.list.setFixedHeight(220)
        self.list.installEventFilter(self)
        head = row((self.name, 1), self.save)
        column(head, self._query, self.list, self._hint, parent=self, margins=(12, 12, 12, 12), spacing=8)
        self.name.returnPressed.connect(self._on_save)
        self.save.clicked.connect(self._on_save)
        self.list.itemClicked.connect(lambda _: self._on_run())
        self.list.itemActivated.connect(lambda _: self._on_run())
        actions.saved_searches.changed.connect(self.retranslate)
        actions.saved_searches.check()
        self.retranslate()
        (self.name if self.name.isEnabled() else self.list).setFocus()

    def _on_save(self) -> None:
        if self.name.text().strip():
            self._actions.saved_searches.save(self.name.text())
            self.accept()

    def _on_run(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._actions.saved_searches.searches):
            self.accept()
            self._actions.saved_searches.run(self._actions.saved_searches.searches[row][0])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            row, searches = self.list.currentRow(), self._actions.saved_searches.searches
            if event.key() == Qt.Key.Key_Delete and 0 <= row < len(searches):
                self._actions.saved_searches.remove(searches[row][0].name)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._on_run()
                return True
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        search, folder = self._session.search, self._session.folder
        may = search is not None and bool(search.text) and folder is not None and folder.writable
        self.setWindowTitle(self.tr("Saved searches"))
        self.name.setPlaceholderText(self.tr("Name for the current search"))
        self.name.setAccessibleName(self.name.placeholderText())
        self.save.setText(self.tr("Save"))
        self.name.setEnabled(may)
        self.save.setEnabled(may)
        self._query.setText(search.text if search is not None and may else self.tr("Search for something to save it."))
        self._hint.setText(self.tr("Enter asks a saved search again; Delete removes it."))
        self.list.setAccessibleName(self.tr("Saved searches"))
        current = self.list.currentRow()
        self.list.clear()
        for saved, new in self._actions.saved_searches.searches:
            text = self.tr("{name}  ·  %Ln new", "", new).format(name=saved.name) if new else saved.name
            item = QListWidgetItem(text, self.list)
            item.setToolTip(plain_tip(saved.query))
            font = item.font()
            font.setBold(bool(new))
            item.setFont(font)
        self.list.setCurrentRow(max(0, min(current, self.list.count() - 1)))
        self.fit()
