"""The documents as a table: all, the filtered or the marked ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QTabBar, QToolButton, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.column_state import ColumnState
from explorer.ui.panels.documents.columns import (
    DocumentColumns,
    containing,
    is_cheap,
    sort_keys,
    sorted_rows,
)
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.panels.documents.table_view import DocumentsTable
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Origin, Session
from explorer.ui.widgets.layouts import column, container, row, tool_button
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.window.shortcuts import on_key

ALL, FILTERED, MARKED = range(3)
SORTED_AT_ONCE = 10_000  # more documents than this are sorted in the background
TYPING_PAUSE = 150  # milliseconds after the last key in the filter field

_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)


class DocumentsPanel(Panel):
    """The table of documents with its tabs and its filter field.

    Signals:
        open_requested: The user wants to read a document: its id.
    """

    name = "documents"
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    shown_at_first = True
    opening_height = 0
    has_table = True

    open_requested = Signal(int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._sheet: DocumentColumns | None = None
        self._keys: dict[str, NDArray[np.float64]] = {}
        self._query = ""  # whose results are shown
        self._narrowed = (False, False)  # whether there are a search and a filter
        self._build()
        self._connect()
        self.header.changed.connect(self.view_changed)
        self.tabs.currentChanged.connect(self.view_changed)
        self.retranslate()
        self._on_documents_changed()

    def _build(self) -> None:
        self._model = DocumentsModel(self)
        self.table = DocumentsTable(self._model)
        self.header = ColumnState(self.table, self._model, self)
        self.stage = ContentStack(self.table)
        self.tabs = QTabBar(drawBase=False, expanding=False)
        for _ in (ALL, FILTERED, MARKED):
            self.tabs.addTab("")
        self.field = QLineEdit(clearButtonEnabled=True)
        self._magnifier = QAction(self)
        self.field.addAction(self._magnifier, QLineEdit.ActionPosition.LeadingPosition)
        self._typing = QTimer(self, singleShot=True, interval=TYPING_PAUSE)
        self._choose_columns = tool_button()
        self._choose_columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._choose_columns.setMenu(QMenu(self._choose_columns))
        self._filter, self._clear_filter = plain_label(kind="faint"), QToolButton()
        self._filter_line = _line(self._filter, self._clear_filter)
        self._filter_line.hide()
        self._best, self.more = plain_label(kind="faint"), QPushButton()
        self._best_line = _line(self._best, self.more)
        self._best_line.hide()
        field = _line(self.field, self._choose_columns)
        column(self.tabs, field, self._filter_line, (self.stage, 1), self._best_line, parent=self)
        self.restyle()

    def _connect(self) -> None:
        session, table = self._session, self.table
        session.documents_changed.connect(self._on_documents_changed)
        session.clusters_changed.connect(lambda: self._on_column_changed(columns.CLUSTER))
        session.tags_changed.connect(lambda: self._on_column_changed(columns.TAGS))
        session.results_changed.connect(self._on_results_changed)
        session.filter_changed.connect(self._on_filter_changed)
        session.selection_changed.connect(self._on_selection_changed)
        table.focus_changed.connect(self._on_row_focused)
        table.marks_changed.connect(self._on_rows_marked)
        table.opened.connect(self._on_opened)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._on_row_menu)
        self.header.changed.connect(self._sort_rows)
        self._choose_columns.menu().aboutToShow.connect(
            lambda: self.header.fill_menu(self._choose_columns.menu())
        )
        self.tabs.currentChanged.connect(lambda _: self._sort_rows())
        self.field.textChanged.connect(lambda _: self._typing.start())
        self.field.returnPressed.connect(self.enter)
        self._typing.timeout.connect(self._sort_rows)
        self._clear_filter.clicked.connect(lambda: session.set_filter(None))
        self.more.clicked.connect(self._actions.search.find_more)
        self.stage.chosen.connect(self._on_show_all)
        on_key(self.field, Qt.Key.Key_Down, self.enter)
        on_key(self.field, Qt.Key.Key_Escape, self.field.clear)

    def step(self, rows: int) -> None:
        """Move the focus by some rows as they are shown: 1 for the next, -1 for the previous one."""
        current = self._model.row_of(self._session.selection.focus)
        document = self._model.document(max(0, current + rows) if current >= 0 else 0)
        if document is not None:
            self._session.focus(document)

    def enter(self) -> None:
        """Move the keyboard focus to the rows, from the filter field or the query box."""
        if self._typing.isActive():
            self._typing.stop()
            self._sort_rows()
        self.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.table.currentIndex().isValid() and self._model.rowCount():
            self.table.setCurrentIndex(self._model.index(0, 0))

    def export_table(self) -> ExportTable | None:
        sheet, rows, shown = self._sheet, self._model.rows, self._model.columns
        if sheet is None or not len(rows):
            return None
        header = (*(self._model.title(column) for column in shown), self.tr("File"))
        if sheet.hits:
            scores = (self.tr("Rank"), self.tr("Meaning"), self.tr("Words"), self.tr("Reranked"))
            header = (*header, *scores, self.tr("Passage"))
        return ExportTable(header, lambda: columns.cells(sheet, rows.tolist(), shown))

    # Changes of the session

    def _on_documents_changed(self) -> None:
        self._keys.clear()
        self._collect()

    def _on_column_changed(self, column: str) -> None:
        self._keys.pop(column, None)
        self._collect()

    def _on_results_changed(self) -> None:
        self._keys.pop(columns.SCORE, None)
        self.header.set_searching(self._is_search())
        self._switch_tab()
        self._collect()
        search = self._session.search
        query = search.text if search is not None and search.results is not None else ""
        if query and query != self._query:  # show the best results, not the scroll position of another list
            self.table.scrollToTop()
        self._query = query

    def _on_filter_changed(self) -> None:
        active = self._session.filter
        self._filter_line.setVisible(active is not None)
        self._filter.setText(active.why if active else "")
        self._switch_tab()
        self._sort_rows()

    def _on_selection_changed(self, origin: Origin) -> None:
        selection = self._session.selection
        self._model.set_marked(selection.marked)
        if self.tabs.currentIndex() == MARKED:
            self._sort_rows()
        else:
            self._show_counts()
        if origin != Origin.DOCUMENTS:
            self.table.follow(self._model.row_of(selection.focus))

    def _switch_tab(self) -> None:
        """Show the filtered tab when a search or a filter begins, and all documents when none is left."""
        now = (self._is_search(), self._session.filter is not None)
        began = any(on and not was for on, was in zip(now, self._narrowed, strict=True))
        self._narrowed = now
        tab = self.tabs.currentIndex()
        wanted = FILTERED if began else ALL if tab == FILTERED and not any(now) else tab
        if wanted != tab:
            self.tabs.blockSignals(True)  # the caller sorts the rows
            self.tabs.setTabEnabled(FILTERED, True)
            self.tabs.setCurrentIndex(wanted)
            self.tabs.blockSignals(False)

    def _is_search(self) -> bool:
        return self._session.search is not None and self._session.search.results is not None

    # Rows and columns

    def _collect(self) -> None:
        session, search = self._session, self._session.search
        hits = search.results.hits if search and search.results else ()
        listing = session.listing
        made = None if listing is None else DocumentColumns(listing, session.clusters, hits, session.tags)
        self._sheet = made
        self._sort_rows()

    def _sort_rows(self) -> None:
        """Show the rows in their order; a long sort runs in the background, and the old rows stay until it is done."""
        sheet, sort = self._sheet, self.header.sort
        if sheet is None:
            self._show(_NO_ROWS)
            return
        if sort.column and sort.column not in self._keys:
            if not is_cheap(sort.column) and len(sheet) > SORTED_AT_ONCE:
                self._sort_in_background(sheet, sort.column)
                return
            self._keys[sort.column] = sort_keys(sheet, sort.column)
        order = np.arange(len(sheet))
        if sort.column:
            order = sorted_rows(self._keys[sort.column], descending=sort.descending)
        self._show(order[self._is_shown(sheet)[order]])

    def _sort_in_background(self, sheet: DocumentColumns, column: str) -> None:
        def done(keys: NDArray[np.float64]) -> None:
            if sheet is self._sheet:
                self._keys[column] = keys
                self._sort_rows()

        self._actions.runner.start("documents order", lambda _: sort_keys(sheet, column), done, quiet=True)

    def _is_shown(self, sheet: DocumentColumns) -> NDArray[np.bool_]:
        """Return (N,) which documents pass the tab and the filter field."""
        tab, text = self.tabs.currentIndex(), self.field.text().strip()
        if tab == MARKED:
            shown = self._session.selection.marked.mask(sheet.listing.ids)
        else:
            shown = self._is_filtered(sheet) if tab == FILTERED else np.ones(len(sheet), bool)
        return shown & containing(sheet, text) if text else shown

    def _is_filtered(self, sheet: DocumentColumns) -> NDArray[np.bool_]:
        """Return (N,) which documents pass the filter and the search."""
        shown = np.ones(len(sheet), bool)
        if self._session.filter is not None:
            shown &= self._session.filter.documents.mask(sheet.listing.ids)
        if self._is_search():
            shown &= ~np.isnan(sheet.hit_ranks)
        return shown

    def _show(self, rows: NDArray[np.int64]) -> None:
        bar = self.table.verticalScrollBar()
        scrolled = bar.value()
        self._model.show(self._sheet, rows, self.header.columns)
        self.header.apply()
        self.table.follow(self._model.row_of(self._session.selection.focus), scroll=False)
        bar.setValue(scrolled)
        self._show_counts()
        self._show_state()

    # Input

    def _on_row_focused(self, row: int) -> None:
        self._session.focus(self._model.document(row), Origin.DOCUMENTS)

    def _on_rows_marked(self, first: int, last: int, how: str) -> None:
        self._session.mark(self._model.documents(first, last), Origin.DOCUMENTS, how)

    def _on_opened(self) -> None:
        document = self._model.document(self.table.currentIndex().row())
        if document is not None:
            self._session.focus(document, Origin.DOCUMENTS)
            self.open_requested.emit(document)

    def _on_show_all(self) -> None:
        if self.field.text():
            self.field.clear()
        else:
            self.tabs.setCurrentIndex(ALL)

    def _on_row_menu(self, position: QPoint) -> None:
        document = self._model.document(self.table.rowAt(position.y()))
        if document is not None:
            menu = ContextMenu(document, self._session, self._actions, self)
            menu.read.triggered.connect(lambda: self.open_requested.emit(document))
            menu.popup(self.table.viewport().mapToGlobal(position))

    # Texts

    def _show_counts(self) -> None:
        sheet, tabs = self._sheet, self.tabs
        narrowed = any(self._narrowed)
        filtered = f"{int(self._is_filtered(sheet).sum()) if sheet else 0:,}" if narrowed else ""
        marked, total = len(self._session.selection.marked), len(sheet) if sheet else 0
        tabs.setTabText(ALL, self.tr("All {count}").format(count=f"{total:,}"))
        tabs.setTabText(FILTERED, self.tr("Filtered {count}").format(count=filtered).strip())
        tabs.setTabText(MARKED, self.tr("Marked {count}").format(count=f"{marked:,}"))
        tabs.setTabEnabled(FILTERED, narrowed)
        hits = len(sheet.hits) if sheet else 0
        more = self._actions.search.may_find_more(hits) and tabs.currentIndex() == FILTERED
        self._best_line.setVisible(more)
        self._best.setText(self.tr("Top {count}").format(count=f"{hits:,}"))

    def _show_state(self) -> None:
        text, stage = self.field.text().strip(), self.stage
        if self._model.rowCount():
            stage.show_content()
        elif self._session.folder is None and self._sheet is None:
            stage.show_empty(self.tr("Open a folder to see its documents here."))
        elif not self._sheet:
            stage.show_empty(self.tr("No documents yet. They appear here as the folder is read."))
        elif text:
            nothing = self.tr("No title, path or tag contains “{text}”.").format(text=text)
            stage.show_empty(nothing, self.tr("Clear the field"))
        elif self.tabs.currentIndex() == MARKED:
            stage.show_empty(self.tr("No marked documents. Press Space or Ctrl-click a document to mark it."))
        else:
            stage.show_empty(self.tr("No results."), self.tr("Show all documents"))

    def view_state(self) -> dict[str, Any]:
        return {"columns": self.header.state()}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        if isinstance(state := saved.get("columns"), dict):
            self.header.restore(state)

    def title(self) -> str:
        return self.tr("Documents")

    def retranslate(self) -> None:
        names = {
            columns.TITLE: self.tr("Title"), columns.FOLDER: self.tr("Folder"), columns.CLUSTER: self.tr("Cluster"),
            columns.DATE: self.tr("Date"), columns.LENGTH: self.tr("Length"), columns.LANGUAGE: self.tr("Language"),
            columns.ENCODING: self.tr("Encoding"), columns.SCORE: self.tr("Score"), columns.TAGS: self.tr("Tags"),
        }  # fmt: skip
        self._model.set_titles(names)
        self.table.setAccessibleName(self.tr("Documents"))
        self.tabs.setAccessibleName(self.tr("Documents to show"))
        self.field.setPlaceholderText(self.tr("Filter by title, path or tag"))
        self.field.setAccessibleName(self.tr("Filter table"))
        self.more.setText(self.tr("Show more"))
        texts = ((self._choose_columns, self.tr("Columns")), (self._clear_filter, self.tr("Clear filter")))
        for button, text in texts:
            button.setAccessibleName(text)
            button.setToolTip(text)
        self._show_counts()
        self._show_state()

    def restyle(self) -> None:
        self._model.recolour()
        self._magnifier.setIcon(theme.icon("search", theme.current().faint))
        self._choose_columns.setIcon(theme.icon("columns"))
        self._clear_filter.setIcon(theme.icon("close"))


def _line(first: QWidget, second: QWidget) -> QWidget:
    """Return two controls side by side, the first one as wide as possible."""
    return container(row((first, 1), second, margins=(8, 4, 8, 4), spacing=4))


class ContextMenu(QMenu):
    """The menu of a document.

    Attributes:
        read: The command to read it.
    """

    def __init__(self, document: int, session: Session, actions: Controllers, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        marked, reason = session.selection.marked, self.tr("Marked documents")
        self.read = self._add(self.tr("Read"), lambda: session.focus(document, Origin.DOCUMENTS))
        self._add(self.tr("Open file"), lambda: actions.files.open_original(document))
        self._add(self.tr("Show in file manager"), lambda: actions.files.reveal(document))
        self._add(self.tr("Read options…"), lambda: actions.files.ask_how(document))
        self.addSeparator()
        self._add(self.tr("Pin for comparison"), lambda: session.set_comparison(document))
        self._add(self.tr("Mark or unmark"), lambda: session.mark([document], Origin.DOCUMENTS, "toggle"))
        only_marked = self._add(self.tr("Show marked only"), lambda: actions.filter_to(marked, reason))
        only_marked.setEnabled(bool(marked))

    def _add(self, text: str, work: Callable[[], object]) -> QAction:
        action = self.addAction(text)
        action.triggered.connect(lambda _=False: work())
        return action
