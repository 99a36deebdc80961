"""The documents as a list or a table: all, the found or the picked ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QStackedWidget, QToolButton, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.jobs.runner import ignore_failure
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.columns import DocumentColumns, containing, is_cheap, sort_keys, sorted_rows
from explorer.ui.panels.documents.list_view import DocumentList
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.panels.documents.table_view import ColumnState, DocumentsTable
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Origin, Scope, Session
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, container, hairline, row, tool_button
from explorer.ui.widgets.placeholder import ContentStack, ElidedLabel, plain_label
from explorer.ui.window.shortcuts import on_key

if TYPE_CHECKING:
    from explorer.workspace.search.search import Results

SORTED_AT_ONCE = 10_000  # more documents than this are sorted in the background
TYPING_PAUSE = 150  # milliseconds after the last key in the filter field
LIST, TABLE = range(2)
ROWS_AT_ONCE, CHUNK = 12, 50  # rows that are seen at once, and results whose sentences are found at once
SCROLL_PAUSE = 120  # milliseconds after scrolling

_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)


class DocumentsPanel(Panel):
    """All, the found or the picked documents as a list or as a table.

    Signals:
        open_requested: The user wants to read a document: its id.
        paged: The reader is to go on (1) or back (-1) by a page.
        menu_requested: The context menu of a document is to be shown at a point of the screen.
    """

    name = "documents"
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    has_table = True

    open_requested = Signal(int)
    paged = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._sheet: DocumentColumns | None = None
        self._keys: dict[str, NDArray[np.float64]] = {}
        self._query = ""  # whose results are shown
        self._scope = session.scope
        self._expanded: set[int] = set()  # hits whose copies are shown
        self._build()
        self._connect()
        self.header.changed.connect(self.view_changed)
        self.retranslate()
        self._on_documents_changed()

    def _build(self) -> None:
        self._model = DocumentsModel(self)
        self.list, self.table = DocumentList(self._model), DocumentsTable(self._model)
        self.header = ColumnState(self.table, self._model, self)
        self.pages = QStackedWidget()
        for view in (self.list, self.table):
            self.pages.addWidget(view)
        self.setFocusProxy(self.list)
        self.stage = ContentStack(self.pages)
        self.field = QLineEdit(clearButtonEnabled=True)
        self._magnifier = QAction(self)
        self.field.addAction(self._magnifier, QLineEdit.ActionPosition.LeadingPosition)
        self._typing = QTimer(self, singleShot=True, interval=TYPING_PAUSE)
        self._scrolling = QTimer(self, singleShot=True, interval=SCROLL_PAUSE)
        self._choose_columns, self.switch = tool_button(), tool_button()
        self._choose_columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._choose_columns.setMenu(QMenu(self._choose_columns))
        self.count = ElidedLabel()
        self.chips = Chips("")
        self.notice, self.resume = plain_label(wrap=True, kind="stale"), QPushButton()
        self._notice_line = _line(self.notice, self.resume)
        self._field_line = _line(self.field, self._choose_columns)
        self._best, self.more = plain_label(kind="faint"), QPushButton()
        self._best_line = _line(self._best, self.more)
        head = container(row((self.count, 1), self.switch, margins=(10, 4, 8, 4), spacing=4))
        self._chip_line = container(row((self.chips, 1), margins=(8, 0, 8, 4)))
        for part in (self._notice_line, self._field_line, self._best_line, self._chip_line):
            part.hide()
        lines = (head, self._chip_line, self._notice_line, self._field_line, hairline())
        column(*lines, (self.stage, 1), self._best_line, parent=self)
        self.restyle()

    def _connect(self) -> None:
        session, actions = self._session, self._actions
        session.documents_changed.connect(self._on_documents_changed)
        session.clusters_changed.connect(lambda: self._on_column_changed(columns.CLUSTER))
        session.tags_changed.connect(lambda: self._on_column_changed(columns.TAGS))
        session.results_changed.connect(self._on_results_changed)
        session.filter_changed.connect(self._on_filter_changed)
        session.scope_changed.connect(self._on_scope_changed)
        session.picks_changed.connect(self._on_picks_changed)
        session.selection_changed.connect(self._on_selection_changed)
        for view in (self.list, self.table):
            view.focus_changed.connect(self._on_row_focused)
            view.marks_changed.connect(self._on_rows_marked)
            view.opened.connect(self._on_opened)
            view.paged.connect(self.paged)
            view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            view.customContextMenuRequested.connect(self._on_row_menu)
        self.list.pick_toggled.connect(self._on_star)
        self.list.copies_toggled.connect(self._on_copies)
        self.header.changed.connect(self._sort_rows)
        self._choose_columns.menu().aboutToShow.connect(lambda: self.header.fill_menu(self._choose_columns.menu()))
        self._scrolling.timeout.connect(self._on_scrolled)
        self.list.verticalScrollBar().valueChanged.connect(lambda _: self._scrolling.start())
        self.field.textChanged.connect(lambda _: self._typing.start())
        self.field.returnPressed.connect(self.enter)
        self._typing.timeout.connect(self._sort_rows)
        self.switch.clicked.connect(lambda: self.show_as(TABLE if self.pages.currentIndex() == LIST else LIST))
        self.chips.chosen.connect(lambda key: actions.drop_filter(int(key)))
        self.resume.clicked.connect(lambda _: actions.update())
        actions.runner.changed.connect(self._on_jobs_changed)
        self.more.clicked.connect(actions.search.find_more)
        self.stage.chosen.connect(self._on_show_all)
        on_key(self.field, Qt.Key.Key_Down, self.enter)
        on_key(self.field, Qt.Key.Key_Escape, self.field.clear)

    @property
    def view(self) -> DocumentList | DocumentsTable:
        """The list or the table, whichever is shown."""
        return self.table if self.pages.currentIndex() == TABLE else self.list

    def show_as(self, page: int) -> None:
        """Show the documents as LIST or as TABLE."""
        focused = self.view.hasFocus()
        self.pages.setCurrentIndex(page)
        self.setFocusProxy(self.view)
        self._field_line.setVisible(page == TABLE)
        if page == LIST:
            self.field.clear()
        if focused:
            self.view.setFocus()
        current = self.view.currentIndex().row()
        if current >= 0:  # a hidden view has no size to scroll by
            self.view.scroll_to_row(current)
        self.restyle()
        self.retranslate()
        self.view_changed.emit()

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
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.view.currentIndex().isValid() and self._model.rowCount():
            self.view.setCurrentIndex(self._model.index(0, 0))

    def export_table(self) -> ExportTable | None:
        return self._table_of(self._model.rows)

    def selected_table(self) -> ExportTable | None:
        """Return the selected documents, to be exported, whether they are shown or not."""
        if self._sheet is None:
            return None
        rows = self._sheet.listing.rows.of_each(self._session.selection.marked.ids)
        return self._table_of(rows[rows >= 0])

    def _table_of(self, rows: NDArray[np.int64]) -> ExportTable | None:
        sheet, shown = self._sheet, self._model.columns
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
        self._scope = self._session.scope
        self.header.set_searching(self._is_search())
        self._expanded.clear()
        self._collect()
        search = self._session.search
        query = search.text if search is not None and search.results is not None else ""
        if query and query != self._query:  # show the best results, not the scroll position of another list
            for view in (self.list, self.table):
                view.scrollToTop()
        self._query = query

    def _on_filter_changed(self) -> None:
        active, tip = self._session.filter, self.tr("Remove this filter")
        parts = active.singles if active is not None else ()
        self.chips.show_chips([Chip(str(n), part.why, "", tip, closes=True) for n, part in enumerate(parts)])
        self._chip_line.setVisible(bool(parts))
        self._sort_rows()

    def _on_scope_changed(self) -> None:
        if self._scope is not self._session.scope:  # results that begin a scope have been shown with it
            self._scope = self._session.scope
            self._sort_rows()

    def _on_picks_changed(self) -> None:
        self._model.set_picked(self._session.picks)
        if self._session.scope is Scope.PICKED:
            self._sort_rows()
        else:
            self._show_counts()

    def _on_selection_changed(self, origin: Origin) -> None:
        selection = self._session.selection
        self._model.set_marked(selection.marked)
        row = self._model.row_of(selection.focus)
        for view in (self.list, self.table):
            if origin != Origin.DOCUMENTS or view is not self.view:
                view.follow(row)

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
        rows = np.flatnonzero(self._is_shown(sheet))
        if sort.column:  # only what is shown: a search finds thousands of a million
            rows = rows[sorted_rows(self._keys[sort.column][rows], descending=sort.descending)]
        copies: dict[int, int] = {}
        for document in self._expanded & set(sheet.hit_of):
            hit, at = sheet.hit_of[document], sheet.listing.rows
            below = [at[copy] for copy in hit.copies if copy in at]
            position = np.flatnonzero(rows == at[document])
            if len(position):
                rows = np.insert(rows, position[0] + 1, below)
                copies |= {int(sheet.listing.ids[row]): document for row in below}
        self._show(rows, copies)

    def _sort_in_background(self, sheet: DocumentColumns, column: str) -> None:
        def done(keys: NDArray[np.float64]) -> None:
            if sheet is self._sheet:
                self._keys[column] = keys
                self._sort_rows()

        self._actions.runner.start("documents order", lambda _: sort_keys(sheet, column), done, quiet=True)

    def _is_shown(self, sheet: DocumentColumns) -> NDArray[np.bool_]:
        """Return (N,) which documents pass the scope, the filter and the filter field."""
        session, text = self._session, self.field.text().strip()
        shown = np.ones(len(sheet), bool)
        if session.scope is Scope.PICKED:
            shown = session.picks.mask(sheet.listing.ids)
        elif session.scope is Scope.FOUND:
            shown = ~np.isnan(sheet.hit_ranks)
        if session.filter is not None:
            shown &= session.filter.documents.mask(sheet.listing.ids)
        return shown & containing(sheet, text) if text else shown

    def _show(self, rows: NDArray[np.int64], copies: Mapping[int, int] | None = None) -> None:
        bars = [view.verticalScrollBar() for view in (self.list, self.table)]
        scrolled = [bar.value() for bar in bars]
        self._model.show(self._sheet, rows, self.header.columns, copies)
        self.header.apply()
        focus = self._model.row_of(self._session.selection.focus)
        for view, bar, value in zip((self.list, self.table), bars, scrolled, strict=True):
            view.follow(focus, scroll=False)
            bar.setValue(value)
        self._session.set_shown(_NO_ROWS if self._sheet is None else self._sheet.listing.ids[rows])
        self._show_counts()
        self._show_state()

    def _on_scrolled(self) -> None:
        """Find the sentences of results further down once they are seen; the first ones come with the results."""
        sheet, search, view = self._sheet, self._session.search, self.list
        results = search.results if search is not None else None
        top = self._model.document(view.indexAt(QPoint(10, 1)).row())
        hit = sheet.hit_of.get(top) if sheet is not None and top is not None else None
        if results is None or sheet is None or hit is None:
            return
        places = range(hit.rank - 1, min(hit.rank + ROWS_AT_ONCE, len(results.hits)))
        bare = [row for row in places if not sheet.hit_of[results.hits[row].document].snippet]
        if not bare:
            return

        def done(more: Results) -> None:
            if sheet is self._sheet:
                for known in more.hits[bare[0] : bare[0] + CHUNK]:
                    sheet.hit_of[known.document] = known
                self._model.refresh()

        self._actions.with_workspace(
            "snippets",
            lambda workspace, task: workspace.search.with_snippets(results, bare[0], bare[0] + CHUNK, task),
            done,
            failed=ignore_failure,
        )

    # Input

    def _on_row_focused(self, row: int) -> None:
        self._session.focus(self._model.document(row), Origin.DOCUMENTS)

    def _on_rows_marked(self, first: int, last: int, how: str) -> None:
        self._session.mark(self._model.documents(first, last), Origin.DOCUMENTS, how)

    def _on_star(self, row: int) -> None:
        document = self._model.document(row)
        if document is not None:
            self._actions.edits.toggle_picks([document])

    def _on_copies(self, row: int) -> None:
        document = self._model.document(row)
        if document is not None:
            self._expanded ^= {document}
            self._sort_rows()

    def _on_opened(self) -> None:
        document = self._model.document(self.view.currentIndex().row())
        if document is not None:
            self._session.focus(document, Origin.DOCUMENTS)
            self.open_requested.emit(document)

    def _on_show_all(self) -> None:
        if self.field.text():
            self.field.clear()
        elif self._session.filter is not None:
            self._session.set_filter(None)
        else:
            self._session.set_scope(Scope.ALL)

    def _on_row_menu(self, position: QPoint) -> None:
        view = self.view
        document = self._model.document(view.indexAt(position).row())
        if document is not None:
            self._session.focus(document, Origin.DOCUMENTS)
            self.view.follow(self._model.row_of(document))
            self.menu_requested.emit(document, view.viewport().mapToGlobal(position))

    # Texts

    def _show_counts(self) -> None:
        session, count = self._session, self._model.rowCount()
        texts = {
            Scope.ALL: self.tr("%Ln document(s)", "", count),
            Scope.FOUND: self.tr("%Ln found", "", count),
            Scope.PICKED: self.tr("%Ln picked", "", count),
        }
        self.count.set_text(texts[session.scope] if session.folder is not None else "")
        hits = len(self._sheet.hits) if self._sheet else 0
        self._best_line.setVisible(self._actions.search.may_find_more(hits) and session.scope is Scope.FOUND)
        self._best.setText(self.tr("Top {count}").format(count=f"{hits:,}"))
        self._show_notice()

    def _show_notice(self) -> None:
        """Say how much of the answer is final, and what else the user should know of it."""
        results = self._session.search.results if self._session.search is not None else None
        sentences = [translated(notice) for notice in results.notices] if results is not None else []
        if results is not None and results.words_only:
            sentences.insert(0, self.tr("By words only so far; by meaning as soon as the model is open."))
        elif results is not None and results.final_share < 1:
            text = self.tr("By meaning: {percent} % final, the rest is a draft.")
            sentences.insert(0, text.format(percent=int(100 * results.final_share)))
        self.notice.setText(" ".join(sentences))
        self.notice.setVisible(bool(sentences))
        self._on_jobs_changed()

    def _on_jobs_changed(self) -> None:
        """Offer to go on where the user has stopped reading or encoding the folder."""
        stopped = self._actions.is_stopped and not self._actions.runner.busy("update")
        self.resume.setVisible(stopped)
        self._notice_line.setVisible(stopped or bool(self.notice.text()))

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
        elif self._session.scope is Scope.PICKED and not self._session.picks:
            stage.show_empty(self.tr("Nothing is picked yet. Press P to pick the document you are reading."))
        elif self._waits_for_model():
            stage.show_empty("")  # the line above says that more will come
        else:
            stage.show_empty(self.tr("No results."), self.tr("Show all documents"))

    def _waits_for_model(self) -> bool:
        search = self._session.search
        return search is not None and search.results is not None and search.results.words_only

    def view_state(self) -> dict[str, Any]:
        return {"columns": self.header.state(), "table": self.pages.currentIndex() == TABLE}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        if isinstance(state := saved.get("columns"), dict):
            self.header.restore(state)
        self.show_as(TABLE if saved.get("table") is True else LIST)

    def title(self) -> str:
        return self.tr("Documents")

    def retranslate(self) -> None:
        names = {
            columns.TITLE: self.tr("Title"),
            columns.FOLDER: self.tr("Folder"),
            columns.CLUSTER: self.tr("Cluster"),
            columns.DATE: self.tr("Date"),
            columns.LENGTH: self.tr("Length"),
            columns.LANGUAGE: self.tr("Language"),
            columns.ENCODING: self.tr("Encoding"),
            columns.SCORE: self.tr("Score"),
            columns.TAGS: self.tr("Tags"),
        }
        self._model.set_titles(names)
        for view in (self.list, self.table):
            view.setAccessibleName(self.tr("Documents"))
        self.chips.setAccessibleName(self.tr("Filters"))
        self.resume.setText(self.tr("Resume"))
        self.resume.setToolTip(self.tr("Continue reading and encoding the folder"))
        self.field.setPlaceholderText(self.tr("Filter by title, path or tag"))
        self.field.setAccessibleName(self.tr("Filter table"))
        self.more.setText(self.tr("Show more"))
        as_table = self.pages.currentIndex() == TABLE
        texts = (
            (self._choose_columns, self.tr("Columns")),
            (self.switch, self.tr("Show as a list") if as_table else self.tr("Show as a table")),
        )
        for button, text in texts:
            button.setAccessibleName(text)
            button.setToolTip(text)
        self._show_counts()
        self._show_state()

    def restyle(self) -> None:
        self._model.recolour()
        self._magnifier.setIcon(theme.icon("search", theme.current().faint))
        self._choose_columns.setIcon(theme.icon("columns"))
        self.switch.setIcon(theme.icon("list" if self.pages.currentIndex() == TABLE else "columns"))


def _line(first: QWidget, second: QWidget) -> QWidget:
    """Return two controls side by side, the first one as wide as possible."""
    return container(row((first, 1), second, margins=(8, 4, 8, 4), spacing=4))
