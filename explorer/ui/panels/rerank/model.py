"""The model of search results before and after reranking, sortable by any column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, Qt
from PySide6.QtGui import QColor

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import LEFT, NO_PARENT, RIGHT, Index

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.workspace.search.search import Hit

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
        return next(
            (row for row, at in enumerate(self._order.tolist()) if self._hits[at].document == document), -1
        )

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
            self.index(self.row_of(document), index.column())
            for document, index in zip(documents, old, strict=True)
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
