"""All documents as a table: what each is, which are looked at, which are marked, which is in focus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.column_state import ColumnState
from explorer.ui.panels.documents.columns import (
    DocumentColumns,
    arranged,
    containing,
    is_cheap,
    sort_keys,
)
from explorer.ui.panels.documents.context_menu import ContextMenu
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.panels.documents.table_view import DocumentsTable
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Origin, Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.window.shortcuts import on_key

ALL, FILTERED, MARKED = range(3)
AT_ONCE = 10_000  # more documents than this are put in order behind the window
TYPED = 150  # milliseconds between the last letter in the filter field and its effect

_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)


class DocumentsPanel(Panel):
    """The table of documents with its tabs and its filter field.

    Signals:
        open_requested: The user wants to read a document: its number.
    """

    name = "documents"
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    shown_at_first = True
    opening_height = 0
    has_table = True

    open_requested = Signal(int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._sheet: DocumentColumns | None = None
        self._keys: dict[str, NDArray[np.float64]] = {}
        self._asked = ""  # the query whose results are shown
        self._narrowed = (False, False)  # whether a search and a filter were on
        self._build()
        self._listen()
        self.header.changed.connect(self.view_changed)
        self.tabs.currentChanged.connect(self.view_changed)
        self.retranslate()
        self._on_documents_changed()

    # What it is made of

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
        self._typed = QTimer(self, singleShot=True, interval=TYPED)
        self._choose = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self._choose.setIconSize(QSize(16, 16))
        self._choose.setMenu(QMenu(self._choose))
        self._why, self._drop = plain_label(), QToolButton()
        self._why.setProperty("kind", "faint")
        self._why_line = _line(self._why, self._drop)
        self._why_line.hide()
        self._best, self.more = plain_label(), QPushButton()
        self._best.setProperty("kind", "faint")
        self._best_line = _line(self._best, self.more)
        self._best_line.hide()
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(0)
        lines.addWidget(self.tabs)
        lines.addWidget(_line(self.field, self._choose))
        lines.addWidget(self._why_line)
        lines.addWidget(self.stage, 1)
        lines.addWidget(self._best_line)
        self._draw_icons()

    def _draw_icons(self) -> None:
        self._magnifier.setIcon(theme.icon("search", theme.current().faint))
        self._choose.setIcon(theme.icon("columns"))
        self._drop.setIcon(theme.icon("close"))

    def _listen(self) -> None:
        session, table = self._session, self.table
        session.documents_changed.connect(self._on_documents_changed)
        session.clusters_changed.connect(lambda: self._on_part_changed(columns.CLUSTER))
        session.tags_changed.connect(lambda: self._on_part_changed(columns.TAGS))
        session.results_changed.connect(self._on_results_changed)
        session.filter_changed.connect(self._on_filter_changed)
        session.selection_changed.connect(self._on_selection_changed)
        table.focus_changed.connect(self._on_row_focused)
        table.marks_changed.connect(self._on_rows_marked)
        table.opened.connect(self._on_opened)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._on_row_menu)
        self.header.changed.connect(self._arrange)
        self._choose.menu().aboutToShow.connect(lambda: self.header.fill_menu(self._choose.menu()))
        self.tabs.currentChanged.connect(lambda _: self._arrange())
        self.field.textChanged.connect(lambda _: self._typed.start())
        self.field.returnPressed.connect(self.enter)
        self._typed.timeout.connect(self._arrange)
        self._drop.clicked.connect(lambda: session.set_filter(None))
        self.more.clicked.connect(self._actions.search.find_more)
        self.stage.chosen.connect(self._on_show_all)
        on_key(self.field, Qt.Key.Key_Down, self.enter)
        on_key(self.field, Qt.Key.Key_Escape, self.field.clear)

    # For the window

    def step(self, by: int) -> None:
        """Move the focus along the rows as they are shown, such as 1 for the next and -1 for the one before."""
        row = self._model.row_of(self._session.selection.focus)
        document = self._model.document(max(0, row + by) if row >= 0 else 0)
        if document is not None:
            self._session.focus(document)

    def enter(self) -> None:
        """Give the rows the keyboard, from the filter field or the query box."""
        if self._typed.isActive():
            self._typed.stop()
            self._arrange()
        self.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.table.currentIndex().isValid() and self._model.rowCount():
            self.table.setCurrentIndex(self._model.index(0, 0))

    def export_table(self) -> ExportTable | None:
        """The rows as they are shown, to be exported; with what the search said of them."""
        sheet, rows, shown = self._sheet, self._model.rows, self._model.columns
        if sheet is None or not len(rows):
            return None
        header = (*(self._model.title(column) for column in shown), self.tr("File"))
        if sheet.hits:
            header = (
                *header, self.tr("Rank"), self.tr("Meaning"), self.tr("Words"), self.tr("Reranked"),
                self.tr("Passage"),
            )  # fmt: skip
        return ExportTable(header, lambda: columns.cells(sheet, rows.tolist(), shown))

    # What the session says

    def _on_documents_changed(self) -> None:
        self._keys.clear()
        self._gather()

    def _on_part_changed(self, column: str) -> None:
        self._keys.pop(column, None)
        self._gather()

    def _on_results_changed(self) -> None:
        self._keys.pop(columns.SCORE, None)
        self.header.set_searching(self._is_search())
        self._follow_narrowing()
        self._gather()
        search = self._session.search
        asked = search.text if search is not None and search.results is not None else ""
        if (
            asked and asked != self._asked
        ):  # the best is to be seen, not what lay where another list was looked at
            self.table.scrollToTop()
        self._asked = asked

    def _on_filter_changed(self) -> None:
        chosen = self._session.filter
        self._why_line.setVisible(chosen is not None)
        self._why.setText(chosen.why if chosen else "")
        self._follow_narrowing()
        self._arrange()

    def _on_selection_changed(self, origin: Origin) -> None:
        chosen = self._session.selection
        self._model.set_marked(chosen.marked)
        if self.tabs.currentIndex() == MARKED:
            self._arrange()
        else:
            self._count()
        if origin != Origin.DOCUMENTS:
            self.table.follow(self._model.row_of(chosen.focus))

    def _follow_narrowing(self) -> None:
        """Show what was found when a search or a filter begins, and everything when none is left."""
        now = (self._is_search(), self._session.filter is not None)
        began = any(on and not was for on, was in zip(now, self._narrowed, strict=True))
        self._narrowed = now
        tab = self.tabs.currentIndex()
        wanted = FILTERED if began else ALL if tab == FILTERED and not any(now) else tab
        if wanted != tab:
            self.tabs.blockSignals(True)  # the caller arranges the rows
            self.tabs.setTabEnabled(FILTERED, True)
            self.tabs.setCurrentIndex(wanted)
            self.tabs.blockSignals(False)

    def _is_search(self) -> bool:
        return self._session.search is not None and self._session.search.results is not None

    # Rows and columns

    def _gather(self) -> None:
        """Take what the session knows now."""
        session, search = self._session, self._session.search
        hits = search.results.hits if search and search.results else ()
        listing = session.listing
        self._sheet = (
            None if listing is None else DocumentColumns(listing, session.clusters, hits, session.tags)
        )
        self._arrange()

    def _arrange(self) -> None:
        """Show the rows of now in their order; a long sort goes on behind, and the old rows stay until it is done."""
        sheet, sort = self._sheet, self.header.sort
        if sheet is None:
            self._show(_NO_ROWS)
            return
        if sort.column and sort.column not in self._keys:
            if not is_cheap(sort.column) and len(sheet) > AT_ONCE:
                self._sort_behind(sheet, sort.column)
                return
            self._keys[sort.column] = sort_keys(sheet, sort.column)
        order = np.arange(len(sheet))
        if sort.column:
            order = arranged(self._keys[sort.column], descending=sort.descending)
        self._show(order[self._looked_at(sheet)[order]])

    def _sort_behind(self, sheet: DocumentColumns, column: str) -> None:
        def done(keys: NDArray[np.float64]) -> None:
            if sheet is self._sheet:
                self._keys[column] = keys
                self._arrange()

        self._actions.runner.start("documents order", lambda _: sort_keys(sheet, column), done, quiet=True)

    def _looked_at(self, sheet: DocumentColumns) -> NDArray[np.bool_]:
        """(N,) which documents the tab and the filter field leave."""
        listing, tab = sheet.listing, self.tabs.currentIndex()
        if tab == MARKED:
            kept = self._session.selection.marked.mask(listing.ids)
        elif tab == FILTERED:
            kept = self._filtered(sheet)
        else:
            kept = np.ones(len(sheet), bool)
        text = self.field.text().strip()
        return kept & containing(sheet, text) if text else kept

    def _filtered(self, sheet: DocumentColumns) -> NDArray[np.bool_]:
        kept = np.ones(len(sheet), bool)
        if self._session.filter is not None:
            kept &= self._session.filter.documents.mask(sheet.listing.ids)
        if self._is_search():
            kept &= ~np.isnan(sheet.hit_ranks)
        return kept

    def _show(self, rows: NDArray[np.int64]) -> None:
        bar = self.table.verticalScrollBar()
        place = bar.value()
        self._model.show(self._sheet, rows, self.header.columns)
        self.header.lay()
        self.table.follow(self._model.row_of(self._session.selection.focus), scroll=False)
        bar.setValue(place)
        self._count()
        self._say_empty()

    # What the user does

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

    def _on_row_menu(self, at: QPoint) -> None:
        document = self._model.document(self.table.rowAt(at.y()))
        if document is not None:
            menu = ContextMenu(document, self._session, self._actions, self)
            menu.read.triggered.connect(lambda: self.open_requested.emit(document))
            menu.popup(self.table.viewport().mapToGlobal(at))

    # Words

    def _count(self) -> None:
        sheet, tabs = self._sheet, self.tabs
        narrowed = any(self._narrowed)
        filtered = int(self._filtered(sheet).sum()) if sheet and narrowed else 0
        marked, every = len(self._session.selection.marked), len(sheet) if sheet else 0
        tabs.setTabText(ALL, self.tr("All {count}").format(count=f"{every:,}"))
        tabs.setTabText(
            FILTERED, self.tr("Filtered {count}").format(count=f"{filtered:,}" if narrowed else "").strip()
        )
        tabs.setTabText(MARKED, self.tr("Marked {count}").format(count=f"{marked:,}"))
        tabs.setTabEnabled(FILTERED, narrowed)
        found = len(sheet.hits) if sheet else 0
        self._best_line.setVisible(
            self._actions.search.may_find_more(found) and tabs.currentIndex() == FILTERED
        )
        self._best.setText(self.tr("Top {count}").format(count=f"{found:,}"))

    def _say_empty(self) -> None:
        """Instead of an empty table, what to do."""
        text, stage = self.field.text().strip(), self.stage
        if self._model.rowCount():
            stage.show_content()
        elif self._session.folder is None and self._sheet is None:
            stage.show_empty(self.tr("Open a folder to see its documents here."))
        elif not self._sheet:
            stage.show_empty(self.tr("No documents yet. They appear here as the folder is read."))
        elif text:
            told = self.tr("No title, path or tag contains “{text}”.").format(text=text)
            stage.show_empty(told, self.tr("Clear the field"))
        elif self.tabs.currentIndex() == MARKED:
            stage.show_empty(self.tr("No marked documents. Press Space or Ctrl-click a document to mark it."))
        else:
            stage.show_empty(self.tr("No results."), self.tr("Show all documents"))

    def view_state(self) -> dict[str, Any]:
        return {"columns": self.header.state()}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        if isinstance(columns := saved.get("columns"), dict):
            self.header.restore(columns)

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
        for button, word in (
            (self._choose, self.tr("Columns")),
            (self._drop, self.tr("Clear filter")),
        ):
            button.setAccessibleName(word)
            button.setToolTip(word)
        self._count()
        self._say_empty()

    def restyle(self) -> None:
        self._model.recolour()
        self._draw_icons()


def _line(first: QWidget, second: QWidget) -> QWidget:
    """Two controls side by side, the first as wide as there is room."""
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(8, 4, 8, 4)
    row.setSpacing(4)
    row.addWidget(first, 1)
    row.addWidget(second)
    return line
