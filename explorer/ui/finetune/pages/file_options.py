"""Options to read a file of examples: columns, score range and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.services.finetuning.sources import ExamplePreview
from explorer.training.recipe import DataSource
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

ROLES: dict[str, tuple[str, ...]] = {
    "scored": ("first", "second", "score"),
    "labelled": ("first", "second", "label"),
    "triplets": ("anchor", "positive", "negative"),
    "pairs": ("first", "second"),
}
_END = 72  # pixels of a box for one end of the range


class FileOptionsForm(Themed, QWidget):
    """A file, and how it is read.

    Attributes:
        path: The file; None while none is chosen.
        source: How it is to be read, as a recipe says it; its path is the file's name.

    Signals:
        reading_changed: Another file, or another way to read it.
    """

    reading_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self.source = DataSource()
        self._preview = ExamplePreview()
        self.name, self.choose = ElidedLabel(), QPushButton()
        self.choose.clicked.connect(self._ask)
        self.kind, self._kind_label = QComboBox(), QLabel()
        self.kind.activated.connect(self._on_kind)
        self.roles = {
            role: QComboBox() for role in ("first", "second", "anchor", "positive", "negative", "score", "label")
        }
        self._role_labels = {role: QLabel() for role in self.roles}
        for role, box in self.roles.items():
            box.setMinimumContentsLength(7)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.activated.connect(lambda _, role=role: self._on_role(role))
        self.low, self.high, self._range_label, self._to = QLineEdit(), QLineEdit(), QLabel(), QLabel()
        for end in (self.low, self.high):
            end.setFixedWidth(_END)
            end.setValidator(QDoubleValidator(end))
            end.editingFinished.connect(self._on_range)
        self.low_is_same = QCheckBox()
        self.low_is_same.clicked.connect(lambda on: self._change(low_is_same=on))
        self.positive, self._positive_label, self.names = QComboBox(), QLabel(), QPushButton()
        self.positive.activated.connect(lambda _: self._change(positive=self.positive.currentText()))
        self.names.clicked.connect(self._ask_names)
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        first, second, third = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for row in (first, second, third):
            row.setSpacing(8)
        first.addWidget(self.name, 1)
        first.addWidget(self.choose)
        second.addWidget(self._kind_label)
        second.addWidget(self.kind)
        for role, box in self.roles.items():
            second.addWidget(self._role_labels[role])
            second.addWidget(box, 1)
        for part in (
            self._range_label,
            self.low,
            self._to,
            self.high,
            self.low_is_same,
            self._positive_label,
            self.positive,
            self.names,
        ):
            third.addWidget(part)
        third.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for line in (first, second, third):
            column.addLayout(line)

    def read(self, path: Path) -> None:
        """Read another file, with all options guessed."""
        self.path, self.source = path, DataSource(path=path.name)
        self._preview = ExamplePreview()
        self.reading_changed.emit()
        self._show()

    def show_preview(self, preview: ExamplePreview) -> None:
        """Show the guessed options."""
        self._preview = preview
        self._show()

    def _show(self) -> None:
        preview, there = self._preview, self.path is not None
        self.name.set_text("" if self.path is None else self.path.name, str(self.path or ""))
        self.choose.setVisible(there)
        self.choose.setText(self.tr("Another file…") if there else self.tr("Choose file…"))
        kind = preview.kind or self.source.kind or "scored"
        table = there and bool(preview.columns)
        self._show_kinds(preview, kind, table=table)
        for role, box in self.roles.items():
            shown = table and role in ROLES[kind if kind in ROLES else "pairs"]
            box.setVisible(shown)
            self._role_labels[role].setVisible(shown)
            if shown:
                _fill(box, ("", *preview.columns), preview.roles.get(role, self.source.columns.get(role, "")))
        self._show_values(preview, scored=table and kind == "scored" and preview.score_range is not None)

    def _show_kinds(self, preview: ExamplePreview, kind: str, *, table: bool) -> None:
        words = self._kind_words()
        offered = [item for item in words if item in (preview.kinds or words) or item == kind]
        self.kind.clear()
        for item in offered:
            self.kind.addItem(words[item], item)
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.kind.setVisible(table)
        self._kind_label.setVisible(table)

    def _show_values(self, preview: ExamplePreview, *, scored: bool) -> None:
        for part in (self._range_label, self.low, self._to, self.high, self.low_is_same):
            part.setVisible(scored)
        if scored and preview.score_range is not None:
            for end, value in zip((self.low, self.high), preview.score_range, strict=True):
                end.setText(f"{value:g}")
            self.low_is_same.setChecked(self.source.low_is_same)
        labels = [name for name, _ in preview.labels]
        labelled = preview.kind == "labelled" and bool(labels)
        for item in (self._positive_label, self.positive, self.names):
            item.setVisible(labelled)
        _fill(self.positive, ("", *labels), self.source.positive or preview.positive)

    def _ask(self) -> None:
        kinds = self.tr("Tables of examples (*.csv *.tsv *.txt *.json *.jsonl *.parquet);;All files (*)")
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Choose a file of examples"), "", kinds)
        if chosen:
            self.read(Path(chosen))

    def _ask_names(self) -> None:
        asked = LabelDialog(self._preview.labels, self.source.rename, self)
        if asked.exec():
            self._change(rename=asked.names(), positive="")

    def _on_kind(self) -> None:
        self._change(kind=str(self.kind.currentData()), score_range=(), positive="", rename={})

    def _on_role(self, role: str) -> None:
        columns = {**self._preview.roles, **self.source.columns, role: self.roles[role].currentText()}
        roles = {key: name for key, name in columns.items() if name and key in ROLES.get(self._kind(), ())}
        self._change(columns=roles, kind=self._kind(), score_range=(), rename={}, positive="")

    def _kind(self) -> str:
        return str(self.kind.currentData() or self._preview.kind)

    def _on_range(self) -> None:
        try:
            ends = (float(self.low.text()), float(self.high.text()))
        except ValueError:
            return
        if ends != self._preview.score_range:
            self._change(score_range=ends)

    def _change(self, **fields: object) -> None:
        self.source = replace(self.source, **fields)  # type: ignore[arg-type]
        self.reading_changed.emit()

    def _kind_words(self) -> dict[str, str]:
        return {
            "scored": self.tr("Pairs with a score"),
            "labelled": self.tr("Pairs with a label"),
            "pairs": self.tr("Matching pairs"),
            "triplets": self.tr("Triplets"),
        }

    def retranslate(self) -> None:
        words = {
            "first": self.tr("First text"),
            "second": self.tr("Second text"),
            "score": self.tr("Score"),
            "label": self.tr("Label"),
            "anchor": self.tr("Text"),
            "positive": self.tr("Positive"),
            "negative": self.tr("Negative"),
        }
        for role, label in self._role_labels.items():
            label.setText(words[role])
            self.roles[role].setAccessibleName(self.tr("Column: {role}").format(role=words[role]))
            label.setBuddy(self.roles[role])
        self._kind_label.setText(self.tr("Row type"))
        self.kind.setAccessibleName(self.tr("Row type"))
        self._range_label.setText(self.tr("Score range"))
        self._to.setText(self.tr("to"))
        self.low.setAccessibleName(self.tr("Lowest possible score"))
        self.high.setAccessibleName(self.tr("Highest possible score"))
        self.low_is_same.setText(self.tr("The lowest score means “identical”"))
        self._positive_label.setText(self.tr("Label that means “similar”"))
        self.positive.setAccessibleName(self._positive_label.text())
        self.names.setText(self.tr("Rename labels…"))
        self._show()


def _fill(box: QComboBox, names: tuple[str, ...], chosen: str) -> None:
    box.clear()
    box.addItems(list(names))
    box.setCurrentIndex(max(0, box.findText(chosen)))


class LabelDialog(QDialog):
    """Renames the labels of a file.

    Attributes:
        table: A label a row; the second column can be edited.
    """

    def __init__(
        self, labels: Sequence[tuple[str, int]], renamed: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Rename labels"))
        note = plain_label(wrap=True)
        note.setText(self.tr("Labels with the same name are merged. Leave a name empty to skip its rows."))
        note.setProperty("kind", "faint")
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
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column_of = QVBoxLayout(self)
        column_of.addWidget(note)
        column_of.addWidget(self.table, 1)
        column_of.addWidget(buttons)
        self.resize(420, 320)

    def names(self) -> dict[str, str]:
        """Return the new name of each renamed label."""
        renamed = {}
        for row in range(self.table.rowCount()):
            old, new = (self.table.item(row, column) for column in (0, 1))
            if old is not None and new is not None and old.text() != new.text().strip():
                renamed[old.text()] = new.text().strip()
        return renamed
