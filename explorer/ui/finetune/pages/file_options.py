"""How a file of examples is read: which column is what, between which ends its scores lie, what its labels mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.services.finetuning.example_preview import ExamplePreview
from explorer.training.recipe import DataSource
from explorer.ui.finetune.pages.label_dialog import LabelDialog
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

ROLES: dict[str, tuple[str, ...]] = {
    "scored": ("first", "second", "score"), "labelled": ("first", "second", "label"),
    "triplets": ("anchor", "positive", "negative"), "pairs": ("first", "second"),
}  # fmt: skip
_END = 72  # pixels of a box for one end of the range


class FileOptionsForm(Themed, QWidget):
    """The file and how it is read.

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
        self._found = ExamplePreview()
        self.name, self.choose = ElidedLabel(), QPushButton()
        self.choose.clicked.connect(self._ask)
        self.kind, self._kind_label = QComboBox(), QLabel()
        self.kind.activated.connect(self._on_kind)
        self.roles = {
            role: QComboBox()
            for role in ("first", "second", "anchor", "positive", "negative", "score", "label")
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
        self.alike, self._alike_label, self.names = QComboBox(), QLabel(), QPushButton()
        self.alike.activated.connect(lambda _: self._change(positive=self.alike.currentText()))
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
            self._range_label, self.low, self._to, self.high, self.low_is_same, self._alike_label, self.alike,
            self.names,
        ):  # fmt: skip
            third.addWidget(part)
        third.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for line in (first, second, third):
            column.addLayout(line)

    def take(self, path: Path) -> None:
        """Read another file, all of it guessed."""
        self.path, self.source = path, DataSource(path=path.name)
        self._found = ExamplePreview()
        self.reading_changed.emit()
        self._show()

    def show_found(self, found: ExamplePreview) -> None:
        """Show what was guessed."""
        self._found = found
        self._show()

    def _show(self) -> None:
        found, there = self._found, self.path is not None
        self.name.tell("" if self.path is None else self.path.name, str(self.path or ""))
        self.choose.setVisible(there)
        self.choose.setText(self.tr("Another file…") if there else self.tr("Choose file…"))
        kind = found.kind or self.source.kind or "scored"
        table = there and bool(found.columns)
        self._show_kinds(found, kind, table=table)
        for role, box in self.roles.items():
            shown = table and role in ROLES[kind if kind in ROLES else "pairs"]
            box.setVisible(shown)
            self._role_labels[role].setVisible(shown)
            if shown:
                _fill(box, ("", *found.columns), found.roles.get(role, self.source.columns.get(role, "")))
        self._show_values(found, scored=table and kind == "scored" and found.score_range is not None)

    def _show_kinds(self, found: ExamplePreview, kind: str, *, table: bool) -> None:
        words = self._kind_words()
        offered = [one for one in words if one in (found.kinds or words) or one == kind]
        self.kind.clear()
        for one in offered:
            self.kind.addItem(words[one], one)
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.kind.setVisible(table)
        self._kind_label.setVisible(table)

    def _show_values(self, found: ExamplePreview, *, scored: bool) -> None:
        for part in (self._range_label, self.low, self._to, self.high, self.low_is_same):
            part.setVisible(scored)
        if scored and found.score_range is not None:
            for end, value in zip((self.low, self.high), found.score_range, strict=True):
                end.setText(f"{value:g}")
            self.low_is_same.setChecked(self.source.low_is_same)
        labels = [name for name, _ in found.labels]
        labelled = found.kind == "labelled" and bool(labels)
        for one in (self._alike_label, self.alike, self.names):
            one.setVisible(labelled)
        _fill(self.alike, ("", *labels), self.source.positive or found.positive)

    def _ask(self) -> None:
        kinds = self.tr("Tables of examples (*.csv *.tsv *.txt *.json *.jsonl *.parquet);;All files (*)")
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Choose a file of examples"), "", kinds)
        if chosen:
            self.take(Path(chosen))

    def _ask_names(self) -> None:
        asked = LabelDialog(self._found.labels, self.source.rename, self)
        if asked.exec():
            self._change(rename=asked.names(), positive="")

    def _on_kind(self) -> None:
        self._change(kind=str(self.kind.currentData()), score_range=(), positive="", rename={})

    def _on_role(self, role: str) -> None:
        columns = {**self._found.roles, **self.source.columns, role: self.roles[role].currentText()}
        kept = {key: name for key, name in columns.items() if name and key in ROLES.get(self._kind(), ())}
        self._change(columns=kept, kind=self._kind(), score_range=(), rename={}, positive="")

    def _kind(self) -> str:
        return str(self.kind.currentData() or self._found.kind)

    def _on_range(self) -> None:
        try:
            ends = (float(self.low.text()), float(self.high.text()))
        except ValueError:
            return
        if ends != self._found.score_range:
            self._change(score_range=ends)

    def _change(self, **fields: object) -> None:
        self.source = replace(self.source, **fields)  # type: ignore[arg-type]
        self.reading_changed.emit()

    def _kind_words(self) -> dict[str, str]:
        return {
            "scored": self.tr("Pairs with a score"), "labelled": self.tr("Pairs with a label"),
            "pairs": self.tr("Matching pairs"), "triplets": self.tr("Triplets"),
        }  # fmt: skip

    def retranslate(self) -> None:
        words = {
            "first": self.tr("First text"), "second": self.tr("Second text"), "score": self.tr("Score"),
            "label": self.tr("Label"), "anchor": self.tr("Text"), "positive": self.tr("Positive"),
            "negative": self.tr("Negative"),
        }  # fmt: skip
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
        self._alike_label.setText(self.tr("Label that means “similar”"))
        self.alike.setAccessibleName(self._alike_label.text())
        self.names.setText(self.tr("Rename labels…"))
        self._show()


def _fill(box: QComboBox, names: tuple[str, ...], chosen: str) -> None:
    box.clear()
    box.addItems(list(names))
    box.setCurrentIndex(max(0, box.findText(chosen)))
