"""Popups over the window: tag documents (T), and save a search or run a saved one."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCompleter,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.state.session import Session
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

WIDTH = 420
OFFERED = 8  # tags in use that can be added with a click
SCOPES = ("focus", "marked", "filter")
SEARCHES_WIDTH = 460


class TagDialog(Themed, Popup):
    """Tags of the document in focus, the marked ones, or those that query and filter leave."""

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._session, self._actions = session, actions
        self.scopes = QTabBar(drawBase=False, expanding=False)
        self._offered = [scope for scope in SCOPES if self._in_scope(scope)]
        for _ in self._offered:
            self.scopes.addTab("")
        self.line = QLineEdit(maxLength=100)
        self._known = QStringListModel(self)
        completer = QCompleter(self._known, self.line)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.line.setCompleter(completer)
        self.line.installEventFilter(self)
        self.line.returnPressed.connect(self._add)  # while tags are offered, the filter does not see the key
        self.on_them, self.others = Chips(self.tr("Tags of these documents")), Chips(self.tr("Tags in use"))
        self._have, self._message = plain_label(), plain_label(wrap=True)
        for label in (self._have, self._message):
            label.setProperty("kind", "faint")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        for part in (self.scopes, self.line, self._have, self.on_them, self.others, self._message):
            column.addWidget(part)
        column.addStretch(1)
        self.scopes.currentChanged.connect(self._show)
        self.on_them.chosen.connect(lambda tag: self._actions.edits.remove_tag(self.documents(), tag))
        self.others.chosen.connect(lambda tag: self._actions.edits.add_tag(self.documents(), tag))
        session.tags_changed.connect(self._show)
        if "marked" in self._offered:
            self.scopes.setCurrentIndex(self._offered.index("marked"))
        self.retranslate()
        self.line.setFocus()

    def documents(self) -> list[int]:
        """Return the documents to tag."""
        index = self.scopes.currentIndex()
        return self._in_scope(self._offered[index]) if 0 <= index < len(self._offered) else []

    def _in_scope(self, scope: str) -> list[int]:
        chosen, filtered = self._session.selection, self._session.filter
        match scope:
            case "focus":
                return [] if chosen.focus is None else [chosen.focus]
            case "marked":
                return list(chosen.marked)
        search = self._session.search
        if search is None or search.results is None:
            return list(filtered.documents) if filtered is not None else []
        hits = [hit.document for hit in search.results.hits]
        return hits if filtered is None else [document for document in hits if document in filtered.documents]

    def _show(self) -> None:
        documents, tags = self.documents(), self._session.tags
        counts = Counter(tag for document_id in documents for tag in tags.get(document_id, ()))
        everywhere = Counter(tag for document_tags in tags.values() for tag in document_tags)
        self._known.setStringList([tag for tag, _ in everywhere.most_common()])
        self.on_them.show_chips([self._chip(tag, count, len(documents)) for tag, count in counts.most_common()])
        missing = [tag for tag, _ in everywhere.most_common() if counts[tag] < len(documents)][:OFFERED]
        self.others.show_chips([Chip(tag, tag, "plus", self.tr("Add tag “{tag}”").format(tag=tag)) for tag in missing])
        self._have.setVisible(bool(counts))
        self.line.setEnabled(bool(documents) and self._may())
        self.fit()

    def _chip(self, tag: str, count: int, total: int) -> Chip:
        text = (
            tag if count == total else self.tr("{tag} ({count} of {total})").format(tag=tag, count=count, total=total)
        )
        return Chip(tag, text, "close", self.tr("Remove tag “{tag}”").format(tag=tag))

    def _may(self) -> bool:
        return self._session.folder is not None and self._session.folder.writable

    def _add(self) -> None:
        """Add the typed tags, which are separated by commas."""
        for tag in dict.fromkeys(part.strip() for part in self.line.text().split(",")):
            if tag:
                self._actions.edits.add_tag(self.documents(), tag)
        self.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._add()
                return True
            step = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}.get(Qt.Key(event.key()), 0)
            if step:
                self.scopes.setCurrentIndex((self.scopes.currentIndex() + step) % max(1, self.scopes.count()))
                return True
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        listing = self._session.listing
        focus = self._session.selection.focus
        name = listing.name(focus) if listing is not None and focus is not None else ""
        names = {
            "focus": name if len(name) < 30 else f"{name[:29]}…",
            "marked": self.tr("{count} selected").format(count=f"{len(self._in_scope('marked')):,}"),
            "filter": self.tr("{count} shown").format(count=f"{len(self._in_scope('filter')):,}"),
        }
        for index, scope in enumerate(self._offered):
            self.scopes.setTabText(index, names[scope].replace("&", "&&"))
        self.setWindowTitle(self.tr("Tag"))
        self.scopes.setAccessibleName(self.tr("Documents to tag"))
        self.line.setAccessibleName(self.tr("Tag"))
        self.line.setPlaceholderText(self.tr("One or more tags, separated by commas"))
        self._have.setText(self.tr("Current tags"))
        self._message.setText(self._advice())
        self._message.setVisible(bool(self._advice()))
        self._show()

    def _advice(self) -> str:
        if not self._offered:
            return self.tr("Select documents first, then tag them.")
        if not self._may():
            return self.tr("This workspace is read-only, so documents cannot be tagged.")
        return ""


class SavedSearchDialog(Themed, Popup):
    """The saved searches: Enter or a click runs one, Delete removes it."""

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(SEARCHES_WIDTH, parent)
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
        self._hint.setText(self.tr("Enter runs a saved search; Delete removes it."))
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
