"""Search results of the bi-encoder, and how the cross-encoder reranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QSplitter, QWidget

from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.rerank.slope_chart import SlopeChart
from explorer.ui.state.session import Origin
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import LEFT, NO_PARENT, RIGHT, Index, PlainTable

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.search import Hit, Results


JOB = "rerank"
# The model writes the sort arrow into the title, since Qt draws it over the text.
_HEADER = """
    QHeaderView::section { padding: 4px; }
    QHeaderView::up-arrow, QHeaderView::down-arrow { image: none; width: 0; height: 0; }
"""
WIDTHS = (120, 76, 60, 54, 74, 66)  # pixels of the columns
SIDE_BY_SIDE = 620  # pixels from which on the chart is beside the table, where it has the height to be read


class RerankPanel(Panel):
    """Scores and ranks of both models side by side."""

    name = "rerank"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    shown_at_first = True
    opening_height = 0.48
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._results: Results | None = None
        self._available: bool | None = None  # whether there is a cross-encoder; None while that is not known
        self._error: BaseException | None = None
        self.button = QPushButton()
        self.button.setProperty("kind", "main")
        self.button.clicked.connect(self._on_pressed)
        self.summary = plain_label(wrap=True, kind="faint")
        self.slopes, self.model = SlopeChart(), RerankModel(self)
        self.slopes.chosen.connect(self._session.focus)
        self.table = self._make_table()
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.addWidget(self.slopes)
        self.split.addWidget(self.table)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([110, 150])
        self.stage = ContentStack(self.split)
        self.stage.retried.connect(self.start)
        head = row((self.summary, 1), self.button, margins=(8, 0, 8, 0))
        column(head, (self.stage, 1), parent=self, margins=(0, 8, 0, 0), spacing=4)
        self.retranslate()
        session.query_changed.connect(self._show)
        session.results_changed.connect(self._on_results_changed)
        session.selection_changed.connect(self._on_selection)
        session.folder_changed.connect(self._on_model_changed)
        session.documents_changed.connect(self._check_model)
        session.settings_changed.connect(self._on_model_changed)
        actions.runner.changed.connect(self._on_jobs)
        self._on_model_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= SIDE_BY_SIDE
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if orientation != self.split.orientation():
            self.split.setOrientation(orientation)
            self.split.setSizes([40, 60] if wide else [110, 150])

    def _make_table(self) -> PlainTable:
        table = PlainTable(self.model)
        table.setStyleSheet("")  # no padding: its columns of numbers are narrow
        table.setMinimumHeight(48)
        table.setSortingEnabled(True)
        table.sortByColumn(MOVED, Qt.SortOrder.DescendingOrder)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = table.horizontalHeader()
        header.setMinimumSectionSize(40)
        for section, width in enumerate(WIDTHS):
            header.resizeSection(section, width)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        header.setStyleSheet(_HEADER)
        table.selectionModel().currentChanged.connect(self._on_current)
        table.clicked.connect(self._on_current)
        return table

    def _on_model_changed(self) -> None:
        """Check again whether there is a cross-encoder."""
        self._available = None
        self._check_model()
        self._show()

    def _check_model(self) -> None:
        # Only once there are documents: the check imports modules, which would delay filling the window.
        if self._available is None and self._session.listing is not None:
            self._actions.search.check_reranker(self._on_model_checked)

    def _on_model_checked(self, available: bool) -> None:
        self._available = available
        self._show()

    def _on_results_changed(self) -> None:
        search = self._session.search
        results = search.results if search else None
        before, self._results, self._error = self._results, results, None
        hits = results.hits if results else ()
        again = before is not None and results is not None and results.reranked > before.reranked
        self.model.show_hits(hits)
        self.slopes.show_hits(hits, move=again and self._session.settings.motion)
        self._follow_focus()
        self.table.scrollToTop()  # where the models disagree most
        self._show()

    def _show(self) -> None:
        results, search = self._results, self._session.search
        busy = self._actions.runner.busy(JOB)
        self.button.setVisible(search is not None and self._available is not False)
        self.button.setText(self.tr("Stop") if busy else self.tr("Rerank"))
        self.slopes.setVisible(results is not None and results.reranked > 0)
        self.summary.setText(self._summary())
        if search is None or (results is None and not search.error):
            self.stage.show_empty(
                self.tr("Type a query above. Its results can then be reranked by a more accurate model.")
            )
        elif self._error is not None:
            self.stage.show_error(self._error)
        elif self._available is False:
            self.stage.show_empty(self.tr("No cross-encoder is installed. Choose one in the settings, or train one."))
        elif results is None or not results.hits:
            self.stage.show_empty(self.tr("No results for this query. Try other words."))
        else:
            self.stage.show_content()

    def _summary(self) -> str:
        results = self._results
        if results is None or not results.hits or self._available is False or self._session.search is None:
            return ""
        if not results.reranked:
            return self.tr("%Ln result(s), in search order", "", len(results.hits))
        far = sum(abs(moved(hit)) >= 10 for hit in results.hits)
        summary = self.tr("%Ln result(s) reranked; {far} moved by 10 places or more", "", results.reranked)
        return summary.format(far=far)

    def _on_pressed(self) -> None:
        if self._actions.runner.busy(JOB):
            self._actions.search.stop_reranking()
        else:
            self.start()

    def start(self) -> None:
        """Rerank the results with the cross-encoder."""
        self._error = None
        self._actions.search.rerank(self._on_failed)
        self._show()

    def _on_failed(self, error: BaseException) -> None:
        self._error = error
        self._show()

    def _on_jobs(self) -> None:
        job = self._job(JOB)
        busy = job is not None and self._actions.runner.busy(JOB)
        progress = job.progress if job is not None else None
        self.stage.set_busy(busy, *((progress.done, progress.total) if progress else ()))
        wanted = self.tr("Stop") if busy else self.tr("Rerank")
        if self.button.text() != wanted:
            self.button.setText(wanted)

    def export_table(self) -> ExportTable | None:
        rows = [self.model.hit(row) for row in range(self.model.rowCount())]
        if not rows or self.stage.covered:
            return None
        header = (
            self.tr("Title"),
            self.tr("File"),
            self.tr("Moved"),
            self.tr("Before"),
            self.tr("After"),
            self.tr("Meaning"),
            self.tr("Reread"),
            self.tr("Text"),
        )
        return ExportTable(
            header,
            lambda: [
                (
                    hit.title or hit.path,
                    hit.path,
                    moved(hit),
                    hit.found_rank,
                    hit.rank,
                    hit.bi_score,
                    hit.cross_score,
                    hit.text,
                )
                for hit in rows
            ],
        )

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid():
            document = index.data(HIT).document
            self.slopes.set_focus(document)
            self._session.focus(document, Origin.RERANK)

    def _on_selection(self, origin: Origin) -> None:
        if origin != Origin.RERANK:
            self._follow_focus()

    def _follow_focus(self) -> None:
        focus = self._session.selection.focus
        self.slopes.set_focus(focus)
        row = self.model.row_of(focus) if focus is not None else -1
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        if row < 0:
            self.table.clearSelection()
        else:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0))
        selection.blockSignals(False)
        self.table.viewport().update()

    def title(self) -> str:
        return self.tr("Rerank")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Rerank"))
        self.table.setAccessibleName(self.tr("Results before and after reranking"))
        self.slopes.setAccessibleName(self.tr("Chart of rank changes"))
        self.slopes.name_sides(self.tr("search"), self.tr("reranked"))
        self.button.setAccessibleName(self.tr("Rerank or stop"))
        self.button.setToolTip(
            self.tr("Read query and result together with a cross-encoder: slower but more accurate (R)")
        )
        self.model.name_columns(
            (
                (self.tr("Title"), self.tr("Document")),
                (self.tr("Moved"), self.tr("Places up or down: where the two models disagree")),
                (self.tr("Before"), self.tr("Search rank")),
                (
                    self.tr("After"),
                    self.tr("Rank from the cross-encoder score and the previous rank, weighted equally"),
                ),
                (
                    self.tr("Meaning"),
                    self.tr("Cosine similarity from the bi-encoder, which reads query and text separately"),
                ),
                (self.tr("Reread"), self.tr("Score from the cross-encoder, which reads both together, from 0 to 1")),
            )
        )
        self._show()


TITLE, MOVED, BEFORE, AFTER, BI, CROSS = range(6)
HIT = Qt.ItemDataRole.UserRole.value


class RerankModel(QAbstractTableModel):
    """Search results, those whose rank changed most on top."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits: Sequence[Hit] = ()
        self._order = np.zeros(0, np.int64)
        self._sorted = (MOVED, Qt.SortOrder.DescendingOrder)
        self._names: Sequence[tuple[str, str]] = ()

    def show_hits(self, hits: Sequence[Hit]) -> None:
        """Replace the results."""
        self.beginResetModel()
        self._hits = hits
        self._order = order(hits, *self._sorted)
        self.endResetModel()

    def name_columns(self, names: Sequence[tuple[str, str]]) -> None:
        """Set the names of the columns and their tooltips."""
        self._names = names
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(names) - 1)

    def hit(self, row: int) -> Hit:
        """Return the result in a row."""
        return self._hits[int(self._order[row])]

    def row_of(self, document: int) -> int:
        """Return the row of a document; -1 if it is not a result."""
        return next((row for row, at in enumerate(self._order.tolist()) if self._hits[at].document == document), -1)

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._hits)

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else 6

    def headerData(self, section: int, direction: Qt.Orientation, role: int = 0) -> Any:
        if direction == Qt.Orientation.Horizontal and section < len(self._names):
            if role == Qt.ItemDataRole.DisplayRole:
                arrow = " ▾" if self._sorted[1] == Qt.SortOrder.DescendingOrder else " ▴"
                return self._names[section][0] + (arrow if section == self._sorted[0] else "")
            if role == Qt.ItemDataRole.ToolTipRole:
                return self._names[section][1]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return LEFT if section == TITLE else RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        if not index.isValid():
            return None
        hit, column = self.hit(index.row()), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(hit, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column != TITLE:
            return RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and column == MOVED and moved(hit):
            return QColor(theme.current().accent if moved(hit) > 0 else theme.current().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{hit.title}\n{hit.text[:300]}")
        return hit if role == HIT else None

    def sort(self, column: int, direction: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; moves are sorted by their size, up or down."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        documents = [self.hit(index.row()).document for index in old]
        self._sorted = column, direction
        self._order = order(self._hits, column, direction)
        new = [
            self.index(self.row_of(document), index.column()) for document, index in zip(documents, old, strict=True)
        ]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)


def moved(hit: Hit) -> int:
    """Return by how many ranks a result rose; negative if it fell."""
    return hit.found_rank - hit.rank if hit.cross_score is not None else 0


def order(hits: Sequence[Hit], column: int, direction: Qt.SortOrder) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the indices of the results sorted by a column, ties in the order of their rank."""
    if column == TITLE:
        keys = np.array([hit.title.casefold() for hit in hits] or [""], dtype=object)
    else:
        keys = np.array([_number(hit, column) for hit in hits], dtype=np.float64)
    keys = keys[: len(hits)]
    if direction == Qt.SortOrder.AscendingOrder:
        return np.argsort(keys, kind="stable")
    # Reversed twice, so that ties keep their order.
    return np.asarray(len(hits) - 1 - np.argsort(keys[::-1], kind="stable"), dtype=np.int64)[::-1]


def _number(hit: Hit, column: int) -> float:
    """Return what a cell is sorted by; a missing score is below all others."""
    if column == MOVED:
        return abs(moved(hit))
    if column in (BEFORE, AFTER):
        return hit.found_rank if column == BEFORE else hit.rank
    score = hit.bi_score if column == BI else hit.cross_score
    return -2.0 if score is None else score


def _cell(hit: Hit, column: int) -> str:
    if column == TITLE:
        return hit.title or hit.path
    if column in (BEFORE, AFTER):
        return str(hit.found_rank) if column == BEFORE else str(hit.rank)
    if column == MOVED:
        ranks = moved(hit)
        if hit.cross_score is None:
            return ""
        return f"{'▲' if ranks > 0 else '▼'} {abs(ranks)}" if ranks else "="
    score = hit.bi_score if column == BI else hit.cross_score
    return "–" if score is None else f"{score:.2f}"
