"""The header of a comparison: titles, scores, shared keywords and those of one document only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QToolButton, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.workspace.search.compare import Aligned, Comparison

HIGHLIGHTS = ("words", "changes", "runs")
WORDS = 6  # keywords at most, shared and of each document


class CompareHeader(Themed, QWidget):
    """Titles, scores and keywords of two documents, and what to highlight in them.

    Signals:
        swapped: The sides are to be swapped.
        shown_changed: Something else is to be highlighted.
        word_chosen: A shared keyword was pressed.
    """

    swapped = Signal()
    shown_changed = Signal()
    word_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._pair: Aligned | None = None
        self.titles, self.only = (ElidedLabel(), ElidedLabel()), (ElidedLabel(), ElidedLabel())
        self.scores, self.pair_scores = ElidedLabel(), ElidedLabel()
        for label in (*self.only, self.pair_scores):
            label.setProperty("kind", "faint")
        self.choice, self.swap, self.shared = QComboBox(), QToolButton(), Chips("", lines=1)
        for name in HIGHLIGHTS:
            self.choice.addItem("", name)
        self.choice.currentIndexChanged.connect(lambda _: self.shown_changed.emit())
        self.swap.clicked.connect(self.swapped)
        self.shared.chosen.connect(self.word_chosen)
        sides = QGridLayout()
        sides.setHorizontalSpacing(8)
        sides.setVerticalSpacing(2)
        for side, (title, only) in enumerate(zip(self.titles, self.only, strict=True)):
            font = title.font()
            font.setBold(True)
            title.setFont(font)
            sides.addWidget(title, 0, 2 * side)
            sides.addWidget(only, 1, 2 * side)
            sides.setColumnStretch(2 * side, 1)
        sides.addWidget(self.swap, 0, 1, 2, 1)
        options = row((self.scores, 1), self.choice)
        column(sides, options, self.shared, self.pair_scores, parent=self, margins=(8, 8, 8, 4), spacing=4)
        self.restyle()
        self.retranslate()

    @property
    def shown(self) -> str:
        """What is to be highlighted, one of HIGHLIGHTS."""
        return str(self.choice.currentData())

    def show_comparison(self, comparison: Comparison) -> None:
        """Describe two documents."""
        self._comparison = comparison
        for label, side in zip(self.titles, (comparison.first, comparison.second), strict=True):
            label.set_text(side.entry.title or side.entry.path, side.entry.path)
        self.scores.set_text(
            " · ".join(self._scores(comparison)),
            self.tr(
                "Meaning is the cosine similarity of the whole documents; cross is the cross-encoder "
                "score, from 0 to 1."
            ),
        )
        tip, words = self.tr("Search for “{word}”"), comparison.words
        chips = [Chip(word.text, word.text, "", tip.format(word=word.text)) for word in words.shared[:WORDS]]
        self.shared.show_chips(chips)
        for label, own in zip(self.only, (words.first, words.second), strict=True):
            names = ", ".join(word.text for word in own[:WORDS])
            label.set_text(self.tr("only here: {words}").format(words=names) if names else "")

    def _scores(self, comparison: Comparison) -> list[str]:
        parts = [self.tr("meaning {score}").format(score=f"{comparison.cosine:.2f}")]
        cross = [pair.cross_score for pair in comparison.pairs if pair.cross_score is not None]
        if cross:
            parts.append(self.tr("best cross {score}").format(score=f"{max(cross):.2f}"))
        first, second = round(100 * comparison.first.matched), round(100 * comparison.second.matched)
        parts.append(self.tr("{first} % and {second} % matched").format(first=first, second=second))
        if comparison.runs:
            parts.append(self.tr("%Ln identical span(s)", "", len(comparison.runs)))
        return parts

    def show_pair(self, pair: Aligned | None) -> None:
        """Describe the two passages that are chosen."""
        self._pair = pair
        self.pair_scores.set_text("" if pair is None else " · ".join(self._pair_scores(pair)))

    def _pair_scores(self, pair: Aligned) -> list[str]:
        parts = [
            self.tr("passages {first} and {second}").format(first=pair.first + 1, second=pair.second + 1),
            self.tr("meaning {score}").format(score=f"{pair.score:.2f}"),
        ]
        if pair.cross_score is not None:
            parts.append(self.tr("cross {score}").format(score=f"{pair.cross_score:.2f}"))
        if pair.disagree:
            parts.append(self.tr("the two models disagree"))
        if not pair.matched:
            parts.append(self.tr("too different to count as a match"))
        return parts

    def retranslate(self) -> None:
        self.choice.setAccessibleName(self.tr("Highlight"))
        self.swap.setAccessibleName(self.tr("Swap sides (X)"))
        self.swap.setToolTip(self.swap.accessibleName())
        self.shared.setAccessibleName(self.tr("Shared keywords"))
        names = (self.tr("Matching words"), self.tr("Differences"), self.tr("Identical text"))
        for index, name in enumerate(names):
            self.choice.setItemText(index, name)
        if self._comparison is not None:
            self.show_comparison(self._comparison)
            self.show_pair(self._pair)

    def restyle(self) -> None:
        self.swap.setIcon(theme.icon("swap"))
