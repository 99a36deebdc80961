"""How examples are made of the folder's own texts, without anyone's judgement."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QWidget

from explorer.training.recipe import DataSource
from explorer.ui.widgets.themed import Themed

WAYS = ("titles", "neighbours", "dropout")
_SUITS = {"search": "titles", "duplicates": "dropout", "classification": "neighbours", "language": "dropout"}


class CorpusOptions(Themed, QWidget):
    """The way examples are made.

    Attributes:
        source: As a recipe has it.

    Signals:
        reading_changed: Another way.
    """

    reading_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = DataSource(source="corpus", kind="titles")
        self.way, self._label, self.hard = QComboBox(), QLabel(), QCheckBox()
        self.way.activated.connect(self._on_changed)
        self.hard.clicked.connect(self._on_changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addWidget(self.way)
        row.addWidget(self.hard)
        row.addStretch(1)
        self._touched = False
        self.retranslate()

    def suit(self, goal: str) -> None:
        """Take the way that suits an aim, unless the user chose one."""
        if not self._touched:
            self.source = replace(self.source, kind=_SUITS.get(goal, "titles"))
            self.way.setCurrentIndex(WAYS.index(self.source.kind))
            self._show()

    def _on_changed(self) -> None:
        self._touched = True
        way = str(self.way.currentData())
        hard = self.hard.isChecked() and way != "dropout"
        self.source = replace(self.source, kind=way, negatives=int(hard))
        self._show()
        self.reading_changed.emit()

    def _show(self) -> None:
        self.hard.setEnabled(self.source.kind != "dropout")

    def retranslate(self) -> None:
        words = {
            "titles": self.tr("a title and the text below it"),
            "neighbours": self.tr("two consecutive passages"),
            "dropout": self.tr("each text with itself, with dropout"),
        }
        tips = {
            "titles": self.tr("Good for search: titles are short, like queries."),
            "neighbours": self.tr("Good for topical similarity."),
            "dropout": self.tr("Good for telling texts apart when there is no other data (SimCSE)."),
        }
        now = self.source.kind
        self.way.clear()
        for place, way in enumerate(WAYS):
            self.way.addItem(words[way], way)
            self.way.setItemData(place, tips[way], role=3)  # Qt.ItemDataRole.ToolTipRole
        self.way.setCurrentIndex(WAYS.index(now))
        self.way.setAccessibleName(self.tr("How examples are generated"))
        self._label.setText(self.tr("Matching pairs are"))
        self.hard.setText(self.tr("Add similar-looking non-matches"))
        self.hard.setToolTip(
            self.tr(
                "Hard negatives: texts that the current model considers similar although they do not match."
            )
        )
        self._show()
