"""What stands in the folder more than once: the same texts, nearly the same, and single passages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QSizePolicy,
    QSlider,
    QTabBar,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.duplicates.model import SCORE, TITLE, WHERE, DuplicatesModel
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label

if TYPE_CHECKING:
    from explorer.workspace.search.duplicates import DuplicateGroups, Duplicates

LOWEST, USUAL = 75, 92  # hundredths of a cosine
PAUSE = 250  # milliseconds after the last move of the slider
KINDS = ("", "exact", "near", "passage")


class DuplicatesPanel(Panel):
    """Groups of texts that are alike, found on demand.

    Signals:
        compare_requested: Two documents are to be shown side by side: their numbers.
    """

    name = "duplicates"
    has_table = True

    compare_requested = Signal(int, int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._found: DuplicateGroups | None = None
        self._asked = False
        self._stale = False
        self._build()
        self._listen()
        self.retranslate()

    def _build(self) -> None:
        self.model, self.tree = DuplicatesModel(self), _Groups()
        self.tree.setModel(self.model)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(WHERE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(SCORE, QHeaderView.ResizeMode.ResizeToContents)
        self.stage = ContentStack(self.tree)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(LOWEST, 100)
        self.slider.setValue(USUAL)
        self.slider.setMinimumWidth(48)
        self._value, self._from, self._note = plain_label(), plain_label(), plain_label(wrap=True)
        for label in (self._value, self._from, self._note):
            label.setProperty("kind", "faint")
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self.tabs = QTabBar(drawBase=False, expanding=False, usesScrollButtons=False)
        self.tabs.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        for _ in KINDS:
            self.tabs.addTab("")
        self.again = self._verb("refresh", self.look)
        self.compare = self._verb("compare", self._on_compare)
        self.mark_copies = self._verb("copies", self._on_mark_copies)
        self.verbs = (self.again, self.compare, self.mark_copies)
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 8, 4)
        head.setSpacing(8)
        for part, stretch in ((self.tabs, 0), (self._from, 1), (self.slider, 1), (self._value, 0)):
            head.addWidget(part, stretch)
        self._from.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for verb in self.verbs:
            button = QToolButton()
            button.setDefaultAction(verb)
            button.setIconSize(QSize(16, 16))
            head.addWidget(button)
        self._note.setContentsMargins(8, 4, 8, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        column.addWidget(self._note)
        self.restyle()

    def _verb(self, icon: str, work: object) -> QAction:
        action = QAction(self)
        action.setData(icon)
        action.triggered.connect(work)
        self.addAction(action)
        return action

    def _listen(self) -> None:
        self._session.folder_changed.connect(self._on_folder_changed)
        self._session.documents_changed.connect(self._on_documents_changed)
        self._session.graph_changed.connect(self._tell)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self.slider.valueChanged.connect(self._on_slid)
        self._pause.timeout.connect(self._on_paused)
        self.tabs.currentChanged.connect(self._show)
        self.stage.chosen.connect(self.look)
        self.stage.retried.connect(self.look)
        self.tree.selectionModel().currentChanged.connect(self._on_current_changed)
        self.tree.compared.connect(self._on_compare)

    # Finding

    def look(self) -> None:
        """Look for what stands more than once."""
        self._asked = True
        self._actions.overview.find_duplicates(
            self.slider.value() / 100, self._on_found, self.stage.show_error
        )
        self._on_jobs_changed()

    def _on_found(self, found: DuplicateGroups) -> None:
        self._found, self._stale = found, False
        self.retranslate()
        self._show()

    def _on_slid(self) -> None:
        self._value.setText(f"{self.slider.value() / 100:.2f}")
        if self._asked:
            self._pause.start()

    def _on_paused(self) -> None:
        self.look()

    def _on_folder_changed(self) -> None:
        self._found, self._asked, self._stale = None, False, False
        self.retranslate()
        self._show()

    def _on_documents_changed(self) -> None:
        self._stale = self._found is not None
        self._tell()

    def _on_jobs_changed(self) -> None:
        job = next((job for job in self._actions.runner.jobs() if job.key == "duplicates"), None)
        progress = job.progress if job is not None else None
        self.stage.set_busy(
            job is not None, progress.done if progress else 0, progress.total if progress else 0
        )

    # What is shown

    def groups(self) -> tuple[Duplicates, ...]:
        """The groups of the chosen kind."""
        kind = KINDS[self.tabs.currentIndex()]
        found = self._found.groups if self._found else ()
        return tuple(group for group in found if not kind or group.kind == kind)

    def _show(self) -> None:
        self.model.show_groups(self.groups(), self._session.listing)
        self._tell()

    def export_table(self) -> ExportTable | None:
        """The groups of the chosen kind, to be exported."""
        groups, listing = self.groups(), self._session.listing
        if not groups or listing is None:
            return None
        words = {
            "exact": self.tr("same text"),
            "near": self.tr("nearly the same"),
            "passage": self.tr("passage"),
        }
        header = (
            self.tr("Group"), self.tr("Kind"), self.tr("Similarity"), self.tr("Title"), self.tr("File"),
            self.tr("From"), self.tr("To"),
        )  # fmt: skip
        return ExportTable(header, lambda: [
            (number, words.get(group.kind, group.kind), round(float(group.score), 4), listing.name(place.document),
             listing.path(place.document), place.start, place.end)
            for number, group in enumerate(groups, 1) for place in group.places
        ])  # fmt: skip

    def _tell(self) -> None:
        """Say what there is to see, or to do."""
        ready = self._session.graph is not None
        for part in (self.slider, self.again, self.tabs):
            part.setEnabled(self._found is not None)
        self.compare.setEnabled(self.model.place(self.tree.currentIndex()) is not None)
        self.mark_copies.setEnabled(bool(self.groups()))
        self._note.setVisible(False)
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to find duplicate texts."))
        elif self._found is None and not ready:
            self.stage.show_empty(self.tr("Available once the documents are encoded."))
        elif self._found is None:
            told = self.tr(
                "Find texts that occur more than once: identical, nearly identical, or sharing single "
                "passages."
            )
            self.stage.show_empty(told, self.tr("Find duplicates"))
        elif not self.groups():
            told = self.tr(
                "No duplicates found at {value} or above. Move the slider to the left to include less "
                "similar texts."
            )
            self.stage.show_empty(told.format(value=f"{self.slider.value() / 100:.2f}"))
        else:
            self.stage.show_content()
        if self._found is not None and (self._stale or self._found.left_out):
            self._remark(self._found.left_out)

    def _remark(self, left_out: int) -> None:
        self._note.setProperty("kind", "stale" if self._stale else "faint")
        self._note.style().polish(self._note)
        told = self.tr(
            "%Ln document(s) in a language the model cannot read: compared by exact text only.",
            "",
            left_out,
        )
        changed = self.tr("The documents have changed since. Search again for up-to-date results.")
        self._note.setText(changed if self._stale else told)
        self._note.setVisible(True)

    # What the user chooses

    def _on_current_changed(self, current: QModelIndex) -> None:
        place = self.model.place(current)
        self.compare.setEnabled(place is not None)
        if place is not None:
            self._session.focus(place.document)

    def _on_compare(self) -> None:
        index = self.tree.currentIndex()
        group, place = self.model.group(index), self.model.place(index)
        if group is None or place is None:
            return
        others = [one.document for one in group.places if one.document != place.document]
        if others:
            self.compare_requested.emit(place.document, others[0])

    def _on_mark_copies(self) -> None:
        """Mark all but the first of each group, to tag or export them."""
        copies = {place.document for group in self.groups() for place in group.places[1:]}
        self._session.mark(copies - {group.places[0].document for group in self.groups()})

    # Words and looks

    def title(self) -> str:
        return self.tr("Duplicates")

    def retranslate(self) -> None:
        counts = Counter(group.kind for group in self._found.groups) if self._found else Counter()
        names = (self.tr("All"), self.tr("Identical"), self.tr("Near"), self.tr("Passages"))
        for place, (kind, name) in enumerate(zip(KINDS, names, strict=True)):
            count = counts.total() if not kind else counts[kind]
            self.tabs.setTabText(place, f"{name} {count:,}" if self._found else name)
        self.tabs.setAccessibleName(self.tr("Duplicate types"))
        self.tree.setAccessibleName(self.tr("Duplicate texts"))
        self.slider.setAccessibleName(self.tr("Similarity threshold"))
        self.slider.setToolTip(self.tr("Minimum similarity (cosine) for two texts to count as duplicates"))
        self._from.setText(self.tr("Threshold"))
        self._value.setText(f"{self.slider.value() / 100:.2f}")
        self.again.setText(self.tr("Search for duplicates again"))
        self.compare.setText(self.tr("Compare side by side"))
        self.mark_copies.setText(self.tr("Mark all but the first in each group"))
        for verb in self.verbs:
            for button in verb.associatedObjects():
                if isinstance(button, QToolButton):
                    button.setAccessibleName(verb.text())
        self._tell()

    def restyle(self) -> None:
        for verb in self.verbs:
            verb.setIcon(theme.icon(verb.data()))


class _Groups(QTreeView):
    """The groups; Enter, C and a double click show two of them side by side.

    Signals:
        compared: The current row is to be shown beside another of its group.
    """

    compared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)  # thousands of groups
        self.setIndentation(16)
        self.setStyleSheet("QTreeView::item { padding: 3px 4px; }")
        self.setExpandsOnDoubleClick(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(lambda _: self.compared.emit())

    def event(self, event: QEvent) -> bool:
        """C means these rows while they have the keyboard, not the document in focus."""
        asked = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if asked and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_C and not event.modifiers():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and C compare."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_C) and not event.modifiers():
            self.compared.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are keys of the window here."""
