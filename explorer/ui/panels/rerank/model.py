"""The results of a search before and after the cross-encoder read them, as a table that sorts by any column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QColor

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.workspace.search.search import Hit

Index = QModelIndex
TITLE, MOVED, BEFORE, AFTER, BI, CROSS = range(6)
HIT = Qt.ItemDataRole.UserRole.value
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RerankModel(QAbstractTableModel):
    """Hits, those on top whose place changed the most."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits: Sequence[Hit] = ()
        self._order = np.zeros(0, np.int64)
        self._sorted = (MOVED, Qt.SortOrder.DescendingOrder)
        self._names: Sequence[tuple[str, str]] = ()

    def show_hits(self, hits: Sequence[Hit]) -> None:
        """Take other hits."""
        self.beginResetModel()
        self._hits = hits
        self._order = order(hits, *self._sorted)
        self.endResetModel()

    def name_columns(self, names: Sequence[tuple[str, str]]) -> None:
        """Take the columns' names and what each means."""
        self._names = names
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(names) - 1)

    def hit(self, row: int) -> Hit:
        """The hit of a row."""
        return self._hits[int(self._order[row])]

    def row_of(self, document: int) -> int:
        """The row of a document; -1 if it is not there."""
        return next(
            (row for row, at in enumerate(self._order.tolist()) if self._hits[at].document == document), -1
        )

    def rowCount(self, parent: QModelIndex | Any = Index()) -> int:  # noqa: B008 - Qt's own default
        """How many hits."""
        return 0 if parent.isValid() else len(self._hits)

    def columnCount(self, parent: QModelIndex | Any = Index()) -> int:  # noqa: B008 - Qt's own default
        """Six."""
        return 0 if parent.isValid() else 6

    def headerData(self, section: int, direction: Qt.Orientation, role: int = 0) -> Any:
        """The columns' names, and what they mean."""
        if direction == Qt.Orientation.Horizontal and section < len(self._names):
            if role == Qt.ItemDataRole.DisplayRole:
                arrow = " ▾" if self._sorted[1] == Qt.SortOrder.DescendingOrder else " ▴"
                return self._names[section][0] + (arrow if section == self._sorted[0] else "")
            if role == Qt.ItemDataRole.ToolTipRole:
                return self._names[section][1]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return (
                    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter if section == TITLE else _RIGHT
                )
        return None

    def data(self, index: QModelIndex | Any, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        """What a cell says."""
        if not index.isValid():
            return None
        hit, column = self.hit(index.row()), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(hit, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column != TITLE:
            return _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and column == MOVED and moved(hit):
            return QColor(theme.current().accent if moved(hit) > 0 else theme.current().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{hit.title}\n{hit.text[:300]}")
        return hit if role == HIT else None

    def sort(self, column: int, direction: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; by moves it is their size that counts."""
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
    """By how many places a hit rose; negative where it fell."""
    return hit.found_rank - hit.rank if hit.cross_score is not None else 0


def order(hits: Sequence[Hit], column: int, direction: Qt.SortOrder) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The places of the hits in the order of a column; equals stay in the order of their rank."""
    if column == TITLE:
        keys = np.array([hit.title.casefold() for hit in hits] or [""], dtype=object)
    else:
        keys = np.array([_number(hit, column) for hit in hits], dtype=np.float64)
    keys = keys[: len(hits)]
    if direction == Qt.SortOrder.AscendingOrder:
        return np.argsort(keys, kind="stable")
    # Reversed twice, so that equals keep their order.
    return np.asarray(len(hits) - 1 - np.argsort(keys[::-1], kind="stable"), dtype=np.int64)[::-1]


def _number(hit: Hit, column: int) -> float:
    """What a cell is sorted by; a missing score comes after all others."""
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
        steps = moved(hit)
        return (
            ""
            if hit.cross_score is None
            else "="
            if not steps
            else f"{'▲' if steps > 0 else '▼'} {abs(steps)}"
        )
    score = hit.bi_score if column == BI else hit.cross_score
    return "–" if score is None else f"{score:.2f}"
