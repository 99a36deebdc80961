"""Models of frozen rows, and plain tables to show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from explorer.ui.widgets.placeholder import plain_tip

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractItemView as _Base
else:
    _Base = object  # a mixin, named before the view

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CELL, _TIP = 400, 1200  # characters that a cell and its tooltip show
Row = TypeVar("Row")


class FrozenListModel(QAbstractListModel, Generic[Row]):
    """A list of values that only changes as a whole; subclasses add `data`.

    Attributes:
        rows: The values.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows)


class Rows(QAbstractTableModel):
    """Texts in columns.

    Attributes:
        rows: The cells.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self.rows: tuple[tuple[str, ...], ...] = ()
        self._numbers: frozenset[int] = frozenset()

    def show_rows(self, names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> None:
        """Replace all rows; columns of numbers are aligned to the right."""
        self.beginResetModel()
        self._names, self.rows = tuple(names), tuple(tuple(row) for row in rows)
        self._numbers = frozenset(numbers)
        self.endResetModel()

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return " ".join(text[:_CELL].split())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text[:_TIP])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if index.column() in self._numbers else LEFT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._names):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in self._numbers else LEFT
        return None


class ExplicitCurrent(_Base):
    """Mixin for an item view, named before it: only the user or the program makes a row current.

    Qt takes the first row as soon as a view without a current one gets the keyboard, also when that happens because
    another view was left; panels would follow as if the user had chosen it.
    """

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.currentIndex().isValid():
            self.setCurrentIndex(QModelIndex())  # which counts as set, so that Qt sets nothing itself
        super().focusInEvent(event)


class PlainTable(ExplicitCurrent, QTableView):
    """A table of whole rows: no grid, no row numbers, one line per row."""

    def __init__(self, model: QAbstractItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setStyleSheet("QTableView::item { padding: 0 5px; }")  # aligns cells with the header's texts
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        self.horizontalHeader().setHighlightSections(False)


class RowTable(PlainTable):
    """A plain table of texts.

    Attributes:
        shown: Its rows.
    """

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        self.shown = Rows()
        super().__init__(self.shown, parent)
        self.shown.setParent(self)
        self.setAccessibleName(name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_rows(
        self, names: Sequence[str], rows: Sequence[Sequence[str]], *, wide: Sequence[int], numbers: Sequence[int] = ()
    ) -> None:
        """Replace all rows; the `wide` columns share the width that the others leave."""
        self.shown.show_rows(names, rows, numbers)
        header = self.horizontalHeader()
        for column in range(len(names)):
            stretch, fit = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, stretch if column in wide else fit)
