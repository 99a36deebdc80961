"""A table of a few rows that are shown as they are: examples, problems, measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from explorer.ui.widgets.placeholder import plain_tip

Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LONGEST = 400  # characters of a cell that are shown; a tooltip has more
_TIP = 1200


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

    def show_rows(
        self, names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()
    ) -> None:
        """Show other rows; columns of numbers stand right."""
        self.beginResetModel()
        self._names, self.rows = tuple(names), tuple(tuple(row) for row in rows)
        self._numbers = frozenset(numbers)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        """How many there are."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """As many as there are names."""
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell on one line; all of it in the tooltip."""
        text = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return " ".join(text[:_LONGEST].split())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text[:_TIP])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() in self._numbers else _LEFT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._names):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in self._numbers else _LEFT
        return None


class RowTable(QTableView):
    """A calm table: no grid, no numbers at the side, texts share the room.

    Attributes:
        shown: Its rows.
    """

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = Rows(self)
        self.setModel(self.shown)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setStyleSheet("QTableView::item { padding: 0 5px; }")  # the header's own eight with its margin
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        self.horizontalHeader().setHighlightSections(False)

    def show_rows(
        self, names: Sequence[str], rows: Sequence[Sequence[str]], *, wide: Sequence[int], numbers: Sequence[int] = ()
    ) -> None:  # fmt: skip
        """Show other rows; the `wide` columns share the room that the others leave."""
        self.shown.show_rows(names, rows, numbers)
        header = self.horizontalHeader()
        for column in range(len(names)):
            stretch, fit = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, stretch if column in wide else fit)
