"""Texts that occur more than once in the folder: identical, nearly identical, or single passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QSlider, QTabBar, QTreeView, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import column, row, tool_button
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip, set_kind
from explorer.ui.widgets.row_table import NO_PARENT, RIGHT, ExplicitCurrent, Index

if TYPE_CHECKING:
    from explorer.workspace.search.duplicates import DuplicateGroups, Duplicates
    from explorer.workspace.storage.documents import Listing
    from explorer.workspace.storage.passages import PassageLocation

LOWEST, DEFAULT = 75, 92  # hundredths of a cosine
PAUSE = 250  # milliseconds after the last move of the slider
TITLE, WHERE, SCORE = range(3)
_TOP = 0  # internal id of a group; that of a member is its group's row + 1
KINDS = ("", "exact", "near", "passage")


class DuplicatesPanel(Panel):
    """Groups of duplicate texts, computed on demand.

    Signals:
        compare_requested: Two documents are to be shown side by side: their ids.
    """

    name = "duplicates"
    has_table = True

    compare_requested = Signal(int, int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._results: DuplicateGroups | None = None
        self._requested = False
        self._stale = False
        self._build()
        self._connect()
        self.retranslate()

    def _build(self) -> None:
        self.model, self.tree = DuplicatesModel(self), _GroupTree()
        self.tree.setModel(self.model)
        self.setFocusProxy(self.tree)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(WHERE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(SCORE, QHeaderView.ResizeMode.ResizeToContents)
        self.stage = ContentStack(self.tree)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(LOWEST, 100)
        self.slider.setValue(DEFAULT)
        self.slider.setMinimumWidth(48)
        self._value, self._threshold = plain_label(kind="faint"), plain_label(kind="faint")
        self._threshold.setAlignment(RIGHT)
        self._note = plain_label(wrap=True, kind="faint")
        self._note.setContentsMargins(8, 4, 8, 4)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self.tabs = QTabBar(drawBase=False, expanding=False, usesScrollButtons=False)
        self.tabs.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        for _ in KINDS:
            self.tabs.addTab("")
        self.again = self._add_action("refresh", self.search)
        self.compare = self._add_action("compare", self._on_compare)
        self.mark_copies = self._add_action("copies", self._on_mark_copies)
        buttons = [tool_button(action) for action in self.actions()]
        slider = ((self._threshold, 1), (self.slider, 1), self._value)
        column(row(self.tabs, *slider, *buttons, margins=(8, 4, 8, 4)), (self.stage, 1), self._note, parent=self)

    def _connect(self) -> None:
        self._session.folder_changed.connect(self._on_folder_changed)
        self._session.documents_changed.connect(self._on_documents_changed)
        self._session.graph_changed.connect(self._show_state)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self.slider.valueChanged.connect(self._on_slid)
        self._pause.timeout.connect(self.search)
        self.tabs.currentChanged.connect(self._show)
        self.stage.chosen.connect(self.search)
        self.stage.retried.connect(self.search)
        self.tree.selectionModel().currentChanged.connect(self._on_current_changed)
        self.tree.compared.connect(self._on_compare)

    def search(self) -> None:
        """Search for duplicates."""
        self._requested = True
        threshold = self.slider.value() / 100
        self._actions.overview.find_duplicates(threshold, self._on_results, self.stage.show_error)
        self._on_jobs_changed()

    def _on_results(self, results: DuplicateGroups) -> None:
        self._results, self._stale = results, False
        self.retranslate()
        self._show()

    def _on_slid(self) -> None:
        self._value.setText(f"{self.slider.value() / 100:.2f}")
        if self._requested:
            self._pause.start()

    def _on_folder_changed(self) -> None:
        self._results, self._requested, self._stale = None, False, False
        self.retranslate()
        self._show()

    def _on_documents_changed(self) -> None:
        self._stale = self._results is not None
        self._show_state()

    def _on_jobs_changed(self) -> None:
        job = self._job("duplicates")
        progress = job.progress if job is not None else None
        self.stage.set_busy(job is not None, *((progress.done, progress.total) if progress else ()))

    def groups(self) -> tuple[Duplicates, ...]:
        """Return the groups of the kind that is selected."""
        kind = KINDS[self.tabs.currentIndex()]
        groups = self._results.groups if self._results else ()
        return tuple(group for group in groups if not kind or group.kind == kind)

    def _show(self) -> None:
        self.model.show_groups(self.groups(), self._session.listing)
        self._show_state()

    def export_table(self) -> ExportTable | None:
        groups, listing = self.groups(), self._session.listing
        if not groups or listing is None:
            return None
        kinds = {"exact": self.tr("same text"), "near": self.tr("nearly the same"), "passage": self.tr("passage")}
        header = (
            self.tr("Group"),
            self.tr("Kind"),
            self.tr("Similarity"),
            self.tr("Title"),
            self.tr("File"),
            self.tr("From"),
            self.tr("To"),
        )

        def cells(number: int, group: Duplicates, member: PassageLocation) -> tuple[object, ...]:
            kind, score = kinds.get(group.kind, group.kind), round(float(group.score), 4)
            file = listing.name(member.document), listing.path(member.document)
            return number, kind, score, *file, member.start, member.end

        return ExportTable(
            header,
            lambda: [cells(number, group, member) for number, group in enumerate(groups, 1) for member in group.places],
        )

    def _show_state(self) -> None:
        ready = self._session.graph is not None
        for part in (self.slider, self.again, self.tabs):
            part.setEnabled(self._results is not None)
        self.compare.setEnabled(self.tree.currentIndex().isValid())
        self.mark_copies.setEnabled(bool(self.groups()))
        self._note.setVisible(False)
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to find duplicate texts."))
        elif self._results is None and not ready:
            self.stage.show_empty(self.tr("Available once the documents are encoded."))
        elif self._results is None:
            offer = self.tr(
                "Find texts that occur more than once: identical, nearly identical, or sharing single passages."
            )
            self.stage.show_empty(offer, self.tr("Find duplicates"))
        elif not self.groups():
            nothing = self.tr(
                "No duplicates found at {value} or above. Move the slider to the left to include less similar texts."
            )
            self.stage.show_empty(nothing.format(value=f"{self.slider.value() / 100:.2f}"))
        else:
            self.stage.show_content()
        if self._results is not None and (self._stale or self._results.left_out):
            set_kind(self._note, "stale" if self._stale else "faint")
            left_out = self.tr(
                "%Ln document(s) in a language the model cannot read: compared by exact text only.",
                "",
                self._results.left_out,
            )
            changed = self.tr("The documents have changed since. Search again for up-to-date results.")
            self._note.setText(changed if self._stale else left_out)
            self._note.setVisible(True)

    def _on_current_changed(self, current: QModelIndex) -> None:
        member = self.model.member(current)
        self.compare.setEnabled(member is not None)
        if member is not None:
            self._session.focus(member.document)

    def _on_compare(self) -> None:
        index = self.tree.currentIndex()
        group, member = self.model.group(index), self.model.member(index)
        if group is None or member is None:
            return
        others = [other.document for other in group.places if other.document != member.document]
        if others:
            self.compare_requested.emit(member.document, others[0])

    def _on_mark_copies(self) -> None:
        first = {group.places[0].document for group in self.groups()}
        self._session.mark({member.document for group in self.groups() for member in group.places} - first)

    def title(self) -> str:
        return self.tr("Duplicates")

    def retranslate(self) -> None:
        counts = Counter(group.kind for group in self._results.groups) if self._results else Counter()
        names = (self.tr("All"), self.tr("Identical"), self.tr("Near"), self.tr("Passages"))
        for tab, (kind, name) in enumerate(zip(KINDS, names, strict=True)):
            count = counts.total() if not kind else counts[kind]
            self.tabs.setTabText(tab, f"{name} {count:,}" if self._results else name)
        self.tabs.setAccessibleName(self.tr("Duplicate types"))
        self.tree.setAccessibleName(self.tr("Duplicate texts"))
        self.slider.setAccessibleName(self.tr("Similarity threshold"))
        self.slider.setToolTip(self.tr("Minimum similarity (cosine) for two texts to count as duplicates"))
        self._threshold.setText(self.tr("Threshold"))
        self._value.setText(f"{self.slider.value() / 100:.2f}")
        self.again.setText(self.tr("Search for duplicates again"))
        self.compare.setText(self.tr("Compare side by side"))
        self.mark_copies.setText(self.tr("Mark all but the first in each group"))
        self._show_state()


class _GroupTree(ExplicitCurrent, QTreeView):
    """The groups; Enter, C and a double click compare two texts.

    Signals:
        compared: The current row is to be compared with another of its group.
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
        # While a row has the keyboard, C compares it; elsewhere it is a shortcut of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            mine = event.key() == Qt.Key.Key_C and not event.modifiers()
            event.setAccepted(mine)
            return mine or super().event(event)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_C) and not event.modifiers():
            self.compared.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window


class DuplicatesModel(QAbstractItemModel):
    """A tree of groups with their members; names come from the listing."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[Duplicates, ...] = ()
        self._listing: Listing | None = None

    def show_groups(self, groups: Sequence[Duplicates], listing: Listing | None) -> None:
        """Replace all groups."""
        self.beginResetModel()
        self._groups, self._listing = tuple(groups), listing
        self.endResetModel()

    def group(self, index: Index) -> Duplicates | None:
        """Return the group at an index, or that its member belongs to."""
        if not index.isValid():
            return None
        id_ = index.internalId()
        return self._groups[index.row() if id_ == _TOP else id_ - 1]

    def member(self, index: Index) -> PassageLocation | None:
        """Return the member at an index; for a group, its first one."""
        group = self.group(index)
        if group is None:
            return None
        return group.places[0 if index.internalId() == _TOP else index.row()]

    def index(self, row: int, column: int, parent: Index = NO_PARENT) -> QModelIndex:
        if row < 0 or row >= self.rowCount(parent) or not 0 <= column <= SCORE:
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _TOP)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        id_ = index.internalId() if index.isValid() else _TOP
        return QModelIndex() if id_ == _TOP else self.createIndex(id_ - 1, 0, _TOP)

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        if not parent.isValid():
            return len(self._groups)
        # Only the first column has children: views and Qt's model tester expect it.
        inside = parent.internalId() == _TOP and parent.column() == 0
        return len(self._groups[parent.row()].places) if inside else 0

    def columnCount(self, parent: Index = NO_PARENT) -> int:  # noqa: ARG002
        return SCORE + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        group, member = self.group(index), self.member(index)
        if group is None or member is None or self._listing is None:
            return None
        is_group = index.internalId() == _TOP
        if index.column() == SCORE:
            return self._score(group, role) if is_group else None
        row = self._listing.rows.get(member.document)
        path = self._listing.paths[row] if row is not None else ""
        match role:
            case Qt.ItemDataRole.ForegroundRole if index.column() == WHERE:
                return QColor(theme.current().faint)
            case Qt.ItemDataRole.DisplayRole if index.column() == WHERE:
                return self._count(group) if is_group else self._where(group, member, path)
            case Qt.ItemDataRole.DisplayRole:
                return self._listing.name(member.document) or self.tr("A document that no longer exists")
            case Qt.ItemDataRole.ToolTipRole if index.column() == TITLE:
                return plain_tip(path)
        return None

    def _count(self, group: Duplicates) -> str:
        count = self.tr("{count} passages") if group.kind == "passage" else self.tr("{count} documents")
        return count.format(count=f"{len(group.places):,}")

    def _where(self, group: Duplicates, member: PassageLocation, path: str) -> str:
        if group.kind != "passage":
            return path
        span = self.tr("characters {start} to {end}")
        return f"{path}, {span.format(start=f'{member.start:,}', end=f'{member.end:,}')}"

    def _score(self, group: Duplicates, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr("identical") if group.kind == "exact" else f"{group.score:.2f}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            lowest = self.tr("{score}: the lowest similarity (cosine) between any two of them")
            exact = self.tr("Exactly the same text")
            return plain_tip(exact if group.kind == "exact" else lowest.format(score=f"{group.score:.3f}"))
        return None
