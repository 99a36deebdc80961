"""The documents whose neighbours changed most, and of the chosen one the neighbours before and after."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelection, Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from explorer.services.finetuning.map_comparison import MapComparison
from explorer.ui.state.session import Session
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

_MOST = 100  # documents listed


class ChangedNeighbours(Themed, QWidget):
    """A list of documents, and beside it what became of the neighbours of one.

    Attributes:
        documents: Those that changed most, the most changed first.
        before: The neighbours before; those that are gone are named so.
        after: The neighbours after; those that are new are named so.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._twins: MapComparison | None = None
        self._order: list[int] = []
        self.documents, self.before, self.after = RowTable(), RowTable(), RowTable()
        for table in (self.before, self.after):
            table.setSelectionMode(RowTable.SelectionMode.NoSelection)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        for table in (self.documents, self.before, self.after):
            parts.addWidget(table)
        parts.setSizes([340, 280, 280])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.addWidget(parts)
        self.documents.selectionModel().selectionChanged.connect(self._on_chosen)
        self.retranslate()

    def show_twins(self, twins: MapComparison) -> None:
        """Show other documents."""
        self._twins = twins
        order = np.argsort(twins.kept, kind="stable")
        self._order = [row for row in order.tolist()[:_MOST] if twins.kept[row] < 1]
        self._show()
        if self._order:
            self.documents.selectRow(0)

    def _show(self) -> None:
        names = (self.tr("Most changed"), self.tr("Kept"))
        twins = self._twins
        rows = [] if twins is None else [(self._name(row), f"{twins.kept[row]:.0%}") for row in self._order]
        self.documents.show_rows(names, rows, wide=(0,), numbers=(1,))
        self._show_near(-1)

    def _name(self, row: int) -> str:
        listing, twins = self._session.listing, self._twins
        return "" if listing is None or twins is None else listing.name(int(twins.documents[row]))

    def _on_chosen(self, chosen: QItemSelection, _before: QItemSelection) -> None:
        rows = [index.row() for index in chosen.indexes()]
        if rows and self._twins is not None:
            row = self._order[rows[0]]
            self._show_near(row)
            self._session.focus(int(self._twins.documents[row]))

    def _show_near(self, row: int) -> None:
        twins = self._twins
        sides = {"before": list[int](), "after": list[int]()}
        if twins is not None and row >= 0:
            for side, near in (("before", twins.near_before), ("after", twins.near_after)):
                sides[side] = [one for one in near[row].tolist() if one >= 0]
        for side, other, table, title, changed in (
            ("before", "after", self.before, self.tr("Similar before"), self.tr("removed")),
            ("after", "before", self.after, self.tr("Similar now"), self.tr("new")),
        ):
            told = [(self._name(one), "" if one in sides[other] else changed) for one in sides[side]]
            table.show_rows((title, ""), told, wide=(0,))

    def retranslate(self) -> None:
        self.documents.setAccessibleName(self.tr("Documents whose neighbours changed most"))
        self.before.setAccessibleName(self.tr("Neighbours before"))
        self.after.setAccessibleName(self.tr("Neighbours after"))
        self._show()
