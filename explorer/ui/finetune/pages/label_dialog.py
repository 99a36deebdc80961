"""A small box to rename labels: two names made one join them, an empty name leaves their rows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.widgets.placeholder import plain_label


class LabelDialog(QDialog):
    """The labels of a file and what they are to be called.

    Attributes:
        table: A label a row; the second column can be edited.
    """

    def __init__(
        self, labels: Sequence[tuple[str, int]], renamed: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Rename labels"))
        told = plain_label(wrap=True)
        told.setText(self.tr("Labels with the same name are merged. Leave a name empty to skip its rows."))
        told.setProperty("kind", "faint")
        before = {new: old for old, new in renamed.items()}
        gone = [old for old, new in renamed.items() if not new]
        shown = [(before.get(name, name), name, str(count)) for name, count in labels]
        shown += [(name, "", "") for name in gone]
        self.table = QTableWidget(len(shown), 3)
        self.table.setHorizontalHeaderLabels([self.tr("In the file"), self.tr("New name"), self.tr("Rows")])
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for row, cells in enumerate(shown):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                if column != 1:
                    item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.table.setItem(row, column, item)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column_of = QVBoxLayout(self)
        column_of.addWidget(told)
        column_of.addWidget(self.table, 1)
        column_of.addWidget(buttons)
        self.resize(420, 320)

    def names(self) -> dict[str, str]:
        """The other name of each label that has one."""
        found = {}
        for row in range(self.table.rowCount()):
            old, new = (self.table.item(row, column) for column in (0, 1))
            if old is not None and new is not None and old.text() != new.text().strip():
                found[old.text()] = new.text().strip()
        return found
