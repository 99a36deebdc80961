"""Texts that are alike, as a tree model: a row a group, and its members within."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import Index

if TYPE_CHECKING:
    from explorer.workspace.search.duplicates import Duplicates
    from explorer.workspace.storage.document_table import Listing
    from explorer.workspace.storage.passages import PassageLocation

TITLE, WHERE, SCORE = range(3)
_TOP = 0  # the inner number of a group; a member has that of its group + 1


class DuplicatesModel(QAbstractItemModel):
    """Groups with their members; names come from the listing."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[Duplicates, ...] = ()
        self._listing: Listing | None = None

    def show_groups(self, groups: Sequence[Duplicates], listing: Listing | None) -> None:
        """Show other groups."""
        self.beginResetModel()
        self._groups, self._listing = tuple(groups), listing
        self.endResetModel()

    def group(self, index: Index) -> Duplicates | None:
        """The group of a row, or that a member belongs to."""
        if not index.isValid():
            return None
        number = index.internalId()
        return self._groups[index.row() if number == _TOP else number - 1]

    def place(self, index: Index) -> PassageLocation | None:
        """The member at a row; the first one for a group."""
        group = self.group(index)
        if group is None:
            return None
        return group.places[0 if index.internalId() == _TOP else index.row()]

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's own
        """The place of a row."""
        if row < 0 or row >= self.rowCount(parent) or not 0 <= column <= SCORE:
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _TOP)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """The place of a member's group."""
        number = index.internalId() if index.isValid() else _TOP
        return QModelIndex() if number == _TOP else self.createIndex(number - 1, 0, _TOP)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Groups, or members of one."""
        if not parent.isValid():
            return len(self._groups)
        # Only the first column has children: views and Qt's model tester expect it.
        inside = parent.internalId() == _TOP and parent.column() == 0
        return len(self._groups[parent.row()].places) if inside else 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: ARG002, B008
        """Title, file or stretch, likeness."""
        return SCORE + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell says."""
        group, place = self.group(index), self.place(index)
        if group is None or place is None or self._listing is None:
            return None
        whole = index.internalId() == _TOP
        if index.column() == SCORE:
            return self._score(group, role) if whole else None
        if index.column() == WHERE:
            return self._where(group, None if whole else place, role)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._listing.name(place.document) or self.tr("A document that no longer exists")
            case Qt.ItemDataRole.ToolTipRole:
                row = self._listing.rows.get(place.document)
                return plain_tip(self._listing.paths[row]) if row is not None else None
        return None

    def _where(self, group: Duplicates, place: PassageLocation | None, role: int) -> Any:
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.current().faint)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if place is None:
            passages = group.kind == "passage"
            told = self.tr("{count} passages") if passages else self.tr("{count} documents")
            return told.format(count=f"{len(group.places):,}")
        row = self._listing.rows.get(place.document) if self._listing else None
        path = self._listing.paths[row] if self._listing and row is not None else ""
        if group.kind != "passage":
            return path
        where = self.tr("characters {start} to {end}").format(start=f"{place.start:,}", end=f"{place.end:,}")
        return f"{path}, {where}"

    def _score(self, group: Duplicates, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr("identical") if group.kind == "exact" else f"{group.score:.2f}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            told = self.tr("{score}: the lowest similarity (cosine) between any two of them").format(
                score=f"{group.score:.3f}"
            )
            return plain_tip(self.tr("Exactly the same text") if group.kind == "exact" else told)
        return None
