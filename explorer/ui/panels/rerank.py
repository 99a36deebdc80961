"""Search results of the bi-encoder, and how the cross-encoder reranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import (
    QAbstractTableModel,
    QEasingCurve,
    QEvent,
    QModelIndex,
    QPointF,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import QColor, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QSplitter, QToolTip, QWidget

from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Origin
from explorer.ui.widgets.charts import Plot, tinted
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import LEFT, NO_PARENT, RIGHT, Index, PlainTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
SLIDE = 220  # milliseconds
SIDE = 34  # pixels for the ranks beside the lines
NEAR = 8  # pixels from a line that still touch it
FARTHEST = 12  # results that are highlighted: those that moved the farthest


class RerankPanel(Panel):
    """Scores and ranks of both models side by side."""

    name = "rerank"
    area = Qt.DockWidgetArea.RightDockWidgetArea
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
        keys = np.array([_sort_value(hit, column) for hit in hits], dtype=np.float64)
    keys = keys[: len(hits)]
    if direction == Qt.SortOrder.AscendingOrder:
        return np.argsort(keys, kind="stable")
    # Reversed twice, so that ties keep their order.
    return np.asarray(len(hits) - 1 - np.argsort(keys[::-1], kind="stable"), dtype=np.int64)[::-1]


def _sort_value(hit: Hit, column: int) -> float:
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


class SlopeChart(Plot):
    """A line for each result; those that moved farthest stand out.

    Signals:
        chosen: A line was clicked; carries its document.
    """

    chosen = Signal(int)
    lined = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("top", parent=parent)
        self._hits: Sequence[Hit] = ()
        self._before = self._after = np.zeros(0)
        self._far: frozenset[int] = frozenset()
        self._focus: int | None = None
        self._hovered = -1
        self._slide = QVariantAnimation(self, duration=SLIDE, startValue=0.0, endValue=1.0)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.valueChanged.connect(lambda _: self._draw())
        self.box.invertY(True)  # rank 1 is on top
        self.axes["top"].setStyle(tickLength=0)
        # From the faintest to the strongest: the others, those that fell far, those that rose far, hovered and focused.
        self._lines = [pg.PlotCurveItem(connect="pairs", antialias=True) for _ in range(4)]
        self._ends = [pg.ScatterPlotItem(size=size, pen=None) for size in (2, 4, 4, 4)]
        self._ranks = [pg.TextItem(anchor=(side, 0.5)) for side in (1, 0, 1, 0)]
        for item in (*self._lines, *self._ends, *self._ranks):
            self.box.addItem(item, ignoreBounds=True)
        self.viewport().setMouseTracking(True)
        self.box.sigResized.connect(lambda _: self._set_range())
        self.setMinimumHeight(56)
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(320, 190)

    def show_hits(self, hits: Sequence[Hit], *, move: bool) -> None:
        """Draw the reranked hits; `move` animates the lines to their new ranks."""
        self._hits = [hit for hit in hits if hit.cross_score is not None]
        self._before = np.array([hit.found_rank for hit in self._hits], dtype=np.float64)
        self._after = np.array([hit.rank for hit in self._hits], dtype=np.float64)
        moves = np.abs(self._before - self._after)
        farthest = np.argsort(-moves, kind="stable")[:FARTHEST].tolist()
        self._far = frozenset(row for row in farthest if moves[row] > 1)
        self._hovered = -1
        self._set_range()
        self._slide.stop()
        if move and len(self._hits) and self.isVisible():
            self._slide.start()
        else:
            self._slide.setCurrentTime(SLIDE)
        self._draw()

    def set_focus(self, document: int | None) -> None:
        """Highlight the line of a document."""
        self._focus = document
        self._draw()

    def name_sides(self, before: str, after: str) -> None:
        """Set the headings of the two sides."""
        self.axes["top"].setTicks([[(0, before), (1, after)]])

    def lines(self) -> NDArray[np.float64]:
        """Return where each line begins and ends now, (N, 2), in pixels from the top."""
        self.grid.activate()  # Qt lays out a scene late
        ends = self._ends_now()
        pixels = [self.box.mapViewToScene(QPointF(0, rank)).y() for rank in ends.ravel().tolist()]
        return np.array(pixels).reshape(ends.shape)

    def restyle(self) -> None:
        super().restyle()
        colours = theme.current()
        pens = (
            (tinted(colours.faint, 0.35), 1.0),
            (colours.faint, 1.4),
            (colours.accent, 1.4),
            (colours.foreground, 2.4),
        )
        for lines, ends, (colour, width) in zip(self._lines, self._ends, pens, strict=True):
            lines.setPen(colour, width=width)
            ends.setBrush(colour)
        for rank in self._ranks:
            rank.setColor(colours.foreground)
            rank.setFont(self.font())

    def _set_range(self) -> None:
        beside = SIDE / max(1, self.width() - 2 * SIDE)
        lowest = max([2.0, *self._before.tolist(), *self._after.tolist()])
        rim = 0.04 * (lowest - 1)
        self.box.setRange(xRange=(-beside, 1 + beside), yRange=(1 - rim, lowest + rim), padding=0)

    def _ends_now(self) -> NDArray[np.float64]:
        """Return the ranks at which each line begins and ends at this moment of the animation, (N, 2)."""
        share = float(self._slide.currentValue())
        return np.column_stack((self._before, self._before + (self._after - self._before) * share))

    def _draw(self) -> None:
        ends, weights = self._ends_now(), np.array([self._weight(row) for row in range(len(self._hits))])
        for weight, (lines, dots) in enumerate(zip(self._lines, self._ends, strict=True)):
            y = ends[weights == weight].ravel() if len(ends) else ends.ravel()
            x = np.tile((0.0, 1.0), len(y) // 2)
            lines.setData(x, y)
            dots.setData(x, y)
        strong = np.flatnonzero(weights == 3)[:2].tolist()
        for number, text in enumerate(self._ranks):
            row, side = strong[number // 2] if number // 2 < len(strong) else -1, number % 2
            text.setText("" if row < 0 else str(int((self._before, self._after)[side][row])))
            if row >= 0:
                text.setPos(side, ends[row, side])

    def _weight(self, row: int) -> int:
        """Return the index of the curve that a line belongs to; later ones are drawn on top."""
        if row == self._hovered or self._hits[row].document == self._focus:
            return 3
        return 0 if row not in self._far else 2 if self._after[row] < self._before[row] else 1

    def _row_at(self, event: QMouseEvent) -> int:
        """Return the line under the mouse, or -1."""
        ends, at = self.lines(), event.position()
        if not len(ends):
            return -1
        share = min(1.0, max(0.0, (at.x() - SIDE) / max(1, self.width() - 2 * SIDE)))
        away = np.abs(ends[:, 0] + (ends[:, 1] - ends[:, 0]) * share - at.y())
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= NEAR else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event)
        if row != self._hovered:
            self._hovered = row
            tip = ""
            if row >= 0:
                tip = f"{self._hits[row].title}\n{int(self._before[row])} → {int(self._after[row])}"
            QToolTip.showText(event.globalPosition().toPoint(), plain_tip(tip), self)
            self._draw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event)
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self._hits[row].document)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self._draw()
        super().leaveEvent(event)
