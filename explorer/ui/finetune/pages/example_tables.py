"""The held-out examples on which the model came nearest to people's judgement, and those where it went away from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.training.measure.compare_models import Example


class ExampleTables(Themed, QWidget):
    """Two short tables.

    Attributes:
        best: The largest gains first.
        worst: The largest losses first.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._examples: tuple[Sequence[Example], Sequence[Example]] = ((), ())
        self.best, self.worst = RowTable(), RowTable()
        self._titles = (plain_label(), plain_label())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        for title, table in zip(self._titles, (self.best, self.worst), strict=True):
            column.addWidget(title)
            column.addWidget(table, 1)
        self.retranslate()

    def show_examples(self, best: Sequence[Example], worst: Sequence[Example]) -> None:
        """Show other examples."""
        self._examples = (best, worst)
        for examples, table in zip(self._examples, (self.best, self.worst), strict=True):
            width = max((len(one.texts) for one in examples), default=2)
            texts = [self.tr("First text"), self.tr("Second text")]
            if width > len(texts):
                texts = [self.tr("Text"), self.tr("Positive"), self.tr("Negative")]
            names = (*texts[:width], self.tr("Human"), self.tr("Before"), self.tr("After"))
            rows = [
                (*one.texts, one.gold or "–", f"{one.before:.2f}", f"{one.after:.2f}") for one in examples
            ]
            table.show_rows(names, rows, wide=range(width), numbers=(width, width + 1, width + 2))

    def retranslate(self) -> None:
        told = (self.tr("Closer to the human rating"), self.tr("Further from the human rating"))
        for title, table, text in zip(self._titles, (self.best, self.worst), told, strict=True):
            title.setText(text)
            table.setAccessibleName(text)
        self.show_examples(*self._examples)
