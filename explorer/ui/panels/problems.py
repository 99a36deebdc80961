"""The files that could not be read: which, why, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QHeaderView, QMenu, QPushButton, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import LEFT, NO_PARENT, Index, PlainTable
from explorer.ui.window.shortcuts import on_key

if TYPE_CHECKING:
    from explorer.workspace.storage.files import FileProblem

FILE, REASON, SENTENCE = range(3)


class ProblemsModel(QAbstractTableModel):
    """Problems as rows: file, reason, and the sentence that says what to do."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problems: tuple[FileProblem, ...] = ()
        self._sort = (FILE, False)
        self._reasons: dict[str, str] = {}
        self._titles = ("", "", "")

    def show(self, problems: tuple[FileProblem, ...]) -> None:
        """Replace the problems."""
        self.beginResetModel()
        self.problems = self._sorted(problems)
        self.endResetModel()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self._titles = (self.tr("File"), self.tr("Reason"), self.tr("What to do"))
        self._reasons = {
            "unreadable": self.tr("Cannot be opened"),
            "binary": self.tr("Not text"),
            "encrypted": self.tr("Password required"),
            "empty": self.tr("Empty"),
            "too large": self.tr("Too large"),
            "no text layer": self.tr("Images only"),
            "timeout": self.tr("Timed out"),
            "crash": self.tr("Crashed the reader"),
            "damaged": self.tr("Damaged"),
            "vanished": self.tr("Missing"),
            "link outside": self.tr("Link outside the folder"),
            "link to folder": self.tr("Link to a folder"),
            "broken link": self.tr("Broken link"),
            "not a file": self.tr("Not a file"),
            "path too long": self.tr("Path too long"),
            "rules too long": self.tr("Rules too long"),
            "visited": self.tr("Listed already"),
            "uncertain": self.tr("Encoding uncertain"),
        }
        self.show(self.problems)

    def reason(self, problem: FileProblem) -> str:
        """Return the reason as text."""
        return self._reasons.get(problem.reason, problem.reason)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the rows by a column."""
        self._sort = (column, order == Qt.SortOrder.DescendingOrder)
        self.show(self.problems)

    def _sorted(self, problems: tuple[FileProblem, ...]) -> tuple[FileProblem, ...]:
        column, descending = self._sort
        cells = {
            FILE: lambda problem: problem.path.casefold(),
            REASON: self.reason,
            SENTENCE: lambda problem: translated(problem.message),
        }
        return tuple(sorted(problems, key=cells.get(column, cells[FILE]), reverse=descending))

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.problems)

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT
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
    """The files that could not be read, with commands to retry and to open them."""

    name = "problems"
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self.model = ProblemsModel(self)
        self.table = PlainTable(self.model)
        self.setFocusProxy(self.table)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(FILE, Qt.SortOrder.AscendingOrder)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(SENTENCE, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(FILE, 200)
        header.resizeSection(REASON, 170)
        self.sentence = plain_label(wrap=True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.retry, self.open, self.reveal, self.copy = (QPushButton() for _ in range(4))
        buttons = row(self.retry, self.open, self.reveal, self.copy, None)
        foot = column(self.sentence, buttons, margins=8, spacing=8)
        self.stage = ContentStack(container(column((self.table, 1), foot)))
        column(self.stage, parent=self)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self._session.documents_changed.connect(self._on_documents_changed)
        self._session.folder_changed.connect(self._on_documents_changed)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.table.doubleClicked.connect(lambda _: self._on_open())
        self.table.customContextMenuRequested.connect(self._on_menu)
        self.retry.clicked.connect(lambda: self._actions.update(retry=True))
        self.open.clicked.connect(self._on_open)
        self.reveal.clicked.connect(self._on_reveal)
        self.copy.clicked.connect(self._on_copy)
        on_key(self.table, Qt.Key.Key_Return, self._on_open)
        on_key(self.table, QKeySequence.StandardKey.Copy, self._on_copy)

    def selected(self) -> tuple[FileProblem, ...]:
        """Return the problems that are selected."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(self.model.problems[row] for row in rows)

    def _on_documents_changed(self) -> None:
        """Show the problems; keep selection and scroll position while a folder is read."""
        paths = {problem.path for problem in self.selected()}
        bar = self.table.verticalScrollBar()
        scrolled = bar.value()
        self.model.show(self._session.problems)
        selection = self.table.selectionModel()
        for index, problem in enumerate(self.model.problems):
            if problem.path in paths:
                flags = selection.SelectionFlag.Select | selection.SelectionFlag.Rows
                selection.select(self.model.index(index, FILE), flags)
        bar.setValue(scrolled)
        self._show_state()

    def _on_jobs_changed(self) -> None:
        folder = self._session.folder
        self.retry.setEnabled(bool(folder and folder.writable) and not self._actions.runner.busy("update"))

    def _on_selection_changed(self) -> None:
        selected = self.selected()
        for button in (self.open, self.reveal, self.copy):
            button.setEnabled(bool(selected))
        self.sentence.setText(translated(selected[0].message) if len(selected) == 1 else "")
        self.sentence.setVisible(len(selected) == 1)

    def _on_open(self) -> None:
        for problem in self.selected()[:1]:
            self._actions.files.open_path(problem.path)

    def _on_reveal(self) -> None:
        for problem in self.selected()[:1]:
            self._actions.files.reveal_path(problem.path)

    def _on_copy(self) -> None:
        rows = (
            f"{problem.path}\t{self.model.reason(problem)}\t{translated(problem.message)}"
            for problem in self.selected()
        )
        QGuiApplication.clipboard().setText("\n".join(rows))

    def export_table(self) -> ExportTable | None:
        rows = [(item.path, self.model.reason(item), item.message) for item in self.model.problems]
        if not rows:
            return None
        header = tuple(self.model.headerData(column, Qt.Orientation.Horizontal) for column in range(3))
        return ExportTable(header, lambda: rows)

    def _on_menu(self, position: QPoint) -> None:
        if not self.selected():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in (self.open, self.reveal, self.copy, self.retry):
            menu.addAction(button.text()).triggered.connect(button.click)
        path, ask = self.selected()[0].path, self._actions.files.how_requested
        menu.addAction(self.tr("Read options…")).triggered.connect(lambda: ask.emit(path))
        menu.popup(self.table.viewport().mapToGlobal(position))

    def _show_state(self) -> None:
        if self._session.folder is None and not self.model.problems:
            self.stage.show_empty(self.tr("Files that cannot be read are listed here."))
        elif not self.model.problems:
            self.stage.show_empty(self.tr("All files were read."))
        else:
            self.stage.show_content()
        self._on_selection_changed()
        self._on_jobs_changed()

    def title(self) -> str:
        return self.tr("Problems")

    def retranslate(self) -> None:
        self.model.retranslate()
        texts = (self.tr("Retry all"), self.tr("Open"), self.tr("Show in file manager"), self.tr("Copy"))
        for button, text in zip((self.retry, self.open, self.reveal, self.copy), texts, strict=True):
            button.setText(text)
            button.setAccessibleName(text)
        self.retry.setToolTip(self.tr("Read these and all changed files again"))
        self.table.setAccessibleName(self.tr("Files that could not be read"))
        self._show_state()
