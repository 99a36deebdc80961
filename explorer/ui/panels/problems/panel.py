"""The files that gave no text: which, why, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import Index
from explorer.ui.window.shortcuts import on_key

if TYPE_CHECKING:
    from explorer.workspace.storage.files import FileProblem

FILE, REASON, SENTENCE = range(3)
_NOWHERE = QModelIndex()


class ProblemsModel(QAbstractTableModel):
    """Problems as rows: file, reason in plain words, the whole sentence."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problems: tuple[FileProblem, ...] = ()
        self._sort = (FILE, False)
        self._words: dict[str, str] = {}
        self._titles = ("", "", "")

    def show(self, problems: tuple[FileProblem, ...]) -> None:
        """Show other problems."""
        self.beginResetModel()
        self.problems = self._arranged(problems)
        self.endResetModel()

    def retranslate(self) -> None:
        """Say all words in the language of now."""
        self._titles = (self.tr("File"), self.tr("Reason"), self.tr("What to do"))
        self._words = {
            "unreadable": self.tr("Cannot be opened"), "binary": self.tr("Not text"),
            "encrypted": self.tr("Password required"), "empty": self.tr("Empty"), "too large": self.tr("Too large"),
            "no text layer": self.tr("Images only"), "timeout": self.tr("Timed out"),
            "damaged": self.tr("Damaged"), "vanished": self.tr("Missing"),
            "link outside": self.tr("Link outside the folder"),
            "link to folder": self.tr("Link to a folder"), "broken link": self.tr("Broken link"),
            "not a file": self.tr("Not a file"), "path too long": self.tr("Path too long"),
            "visited": self.tr("Listed already"),
        }  # fmt: skip
        self.show(self.problems)

    def reason(self, problem: FileProblem) -> str:
        """The reason in plain words."""
        return self._words.get(problem.reason, problem.reason)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by a column."""
        self._sort = (column, order == Qt.SortOrder.DescendingOrder)
        self.show(self.problems)

    def _arranged(self, problems: tuple[FileProblem, ...]) -> tuple[FileProblem, ...]:
        column, descending = self._sort
        cells = {
            FILE: lambda one: one.path.casefold(),
            REASON: self.reason,
            SENTENCE: lambda one: translated(one.message),
        }
        return tuple(sorted(problems, key=cells.get(column, cells[FILE]), reverse=descending))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.problems)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid():
            return None
        problem = self.problems[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (problem.path, self.reason(problem), translated(problem.message))[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{problem.path}\n{translated(problem.message)}")
        if role == Qt.ItemDataRole.ForegroundRole and index.column() != FILE:
            return QColor(theme.current().faint)
        return None


class ProblemsPanel(Panel):
    """The files that could not be read, with ways to try again and to look at them."""

    name = "problems"
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self.model = ProblemsModel(self)
        self.table = self._make_table()
        self.sentence = plain_label(wrap=True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.retry, self.open, self.reveal, self.copy = (QPushButton() for _ in range(4))
        content = QWidget()
        lines = QVBoxLayout(content)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(0)
        lines.addWidget(self.table, 1)
        lines.addWidget(self._make_foot())
        self.stage = ContentStack(content)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stage)
        self._listen()
        self.retranslate()

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setSortingEnabled(True)
        table.sortByColumn(FILE, Qt.SortOrder.AscendingOrder)
        table.setStyleSheet("QTableView::item { padding-left: 5px; }")  # below the words of the header
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(SENTENCE, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(FILE, 200)
        header.resizeSection(REASON, 110)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        return table

    def _make_foot(self) -> QWidget:
        foot = QWidget()
        lines = QVBoxLayout(foot)
        lines.setContentsMargins(8, 8, 8, 8)
        lines.setSpacing(8)
        lines.addWidget(self.sentence)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.retry, self.open, self.reveal, self.copy):
            row.addWidget(button)
        row.addStretch(1)
        lines.addLayout(row)
        return foot

    def _listen(self) -> None:
        self._session.documents_changed.connect(self._on_documents_changed)
        self._session.folder_changed.connect(self._on_documents_changed)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self.table.selectionModel().selectionChanged.connect(self._on_row_changed)
        self.table.doubleClicked.connect(lambda _: self._on_open())
        self.table.customContextMenuRequested.connect(self._on_menu)
        self.retry.clicked.connect(lambda: self._actions.update(retry=True))
        self.open.clicked.connect(self._on_open)
        self.reveal.clicked.connect(self._on_reveal)
        self.copy.clicked.connect(self._on_copy)
        on_key(self.table, Qt.Key.Key_Return, self._on_open)
        on_key(self.table, QKeySequence.StandardKey.Copy, self._on_copy)

    def chosen(self) -> tuple[FileProblem, ...]:
        """The problems that the user selected."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(self.model.problems[row] for row in rows)

    def _on_documents_changed(self) -> None:
        """Keep the selection and the place while a folder is read."""
        kept = {problem.path for problem in self.chosen()}
        bar = self.table.verticalScrollBar()
        place = bar.value()
        self.model.show(self._session.problems)
        selection = self.table.selectionModel()
        for row, problem in enumerate(self.model.problems):
            if problem.path in kept:
                chosen = selection.SelectionFlag.Select | selection.SelectionFlag.Rows
                selection.select(self.model.index(row, FILE), chosen)
        bar.setValue(place)
        self._say()

    def _on_jobs_changed(self) -> None:
        place = self._session.folder
        self.retry.setEnabled(bool(place and place.writable) and not self._actions.runner.busy("update"))

    def _on_row_changed(self) -> None:
        chosen = self.chosen()
        for button in (self.open, self.reveal, self.copy):
            button.setEnabled(bool(chosen))
        self.sentence.setText(translated(chosen[0].message) if len(chosen) == 1 else "")
        self.sentence.setVisible(len(chosen) == 1)

    def _on_open(self) -> None:
        for problem in self.chosen()[:1]:
            self._actions.files.open_path(problem.path)

    def _on_reveal(self) -> None:
        for problem in self.chosen()[:1]:
            self._actions.files.reveal_path(problem.path)

    def _on_copy(self) -> None:
        """As a table, for a letter to those who keep the files."""
        rows = (f"{one.path}\t{self.model.reason(one)}\t{translated(one.message)}" for one in self.chosen())
        QGuiApplication.clipboard().setText("\n".join(rows))

    def export_table(self) -> ExportTable | None:
        """The list, to be exported."""
        rows = [(one.path, self.model.reason(one), one.message) for one in self.model.problems]
        if not rows:
            return None
        header = tuple(self.model.headerData(column, Qt.Orientation.Horizontal) for column in range(3))
        return ExportTable(header, lambda: rows)

    def _on_menu(self, at: QPoint) -> None:
        if not self.chosen():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in (self.open, self.reveal, self.copy, self.retry):
            menu.addAction(button.text()).triggered.connect(button.click)
        path, ask = self.chosen()[0].path, self._actions.files.how_requested
        menu.addAction(self.tr("Read options…")).triggered.connect(lambda: ask.emit(path))
        menu.popup(self.table.viewport().mapToGlobal(at))

    def _say(self) -> None:
        """The table, or a sentence where there is nothing in it."""
        if self._session.folder is None and not self.model.problems:
            self.stage.show_empty(self.tr("Files that cannot be read are listed here."))
        elif not self.model.problems:
            self.stage.show_empty(self.tr("All files were read."))
        else:
            self.stage.show_content()
        self._on_row_changed()
        self._on_jobs_changed()

    def title(self) -> str:
        return self.tr("Problems")

    def retranslate(self) -> None:
        self.model.retranslate()
        words = (
            self.tr("Retry all"),
            self.tr("Open"),
            self.tr("Show in file manager"),
            self.tr("Copy"),
        )
        for button, word in zip((self.retry, self.open, self.reveal, self.copy), words, strict=True):
            button.setText(word)
            button.setAccessibleName(word)
        self.retry.setToolTip(self.tr("Read these and all changed files again"))
        self.table.setAccessibleName(self.tr("Files that could not be read"))
        self._say()
