"""A popup to tag documents (T): type, Enter, done."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QTabBar, QVBoxLayout, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.state.session import Session
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

WIDTH = 420
OFFERED = 8  # tags in use that can be added with a click
SCOPES = ("focus", "marked", "filter")


class TagDialog(Themed, Popup):
    """Tags of the document in focus, the marked ones, or those that query and filter leave."""

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._session, self._actions = session, actions
        self.scopes = QTabBar(drawBase=False, expanding=False)
        self._offered = [scope for scope in SCOPES if self._of(scope)]
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
        return self._of(self._offered[index]) if 0 <= index < len(self._offered) else []

    def _of(self, scope: str) -> list[int]:
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
            "marked": self.tr("{count} selected").format(count=f"{len(self._of('marked')):,}"),
            "filter": self.tr("{count} shown").format(count=f"{len(self._of('filter')):,}"),
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
