"""What stands above two documents side by side: titles, scores, and the words of both and of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.workspace.search.compare import Aligned, ComparedText, Comparison

SHOWN = ("words", "changes", "runs")
WORDS = 6  # shared words that are shown, and words of one document


class CompareHeader(Themed, QWidget):
    """The head of a comparison.

    Signals:
        swapped: The sides are to be swapped.
        shown_changed: Something else is to be coloured.
        word_chosen: A shared word was pressed.
    """

    swapped = Signal()
    shown_changed = Signal()
    word_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Comparison | None = None
        self._pair: Aligned | None = None
        self.titles, self.only = (ElidedLabel(), ElidedLabel()), (ElidedLabel(), ElidedLabel())
        self.told, self.pair_told = ElidedLabel(), ElidedLabel()
        for label in (*self.only, self.pair_told):
            label.setProperty("kind", "faint")
        self.choice, self.swap, self.shared = QComboBox(), QToolButton(), Chips("", lines=1)
        for name in SHOWN:
            self.choice.addItem("", name)
        self.choice.currentIndexChanged.connect(lambda _: self.shown_changed.emit())
        self.swap.clicked.connect(self.swapped)
        self.shared.chosen.connect(self.word_chosen)
        self._lay_out()
        self.restyle()
        self.retranslate()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 4)
        column.setSpacing(4)
        sides = QGridLayout()
        sides.setHorizontalSpacing(8)
        sides.setVerticalSpacing(2)
        for place, (title, only) in enumerate(zip(self.titles, self.only, strict=True)):
            _embolden(title)
            sides.addWidget(title, 0, 2 * place)
            sides.addWidget(only, 1, 2 * place)
            sides.setColumnStretch(2 * place, 1)
        sides.addWidget(self.swap, 0, 1, 2, 1)
        column.addLayout(sides)
        row = QHBoxLayout()
        row.addWidget(self.told, 1)
        row.addWidget(self.choice)
        column.addLayout(row)
        column.addWidget(self.shared)
        column.addWidget(self.pair_told)

    @property
    def shown(self) -> str:
        """What is to be coloured, one of SHOWN."""
        return str(self.choice.currentData())

    def tell(self, found: Comparison) -> None:
        """Tell of two documents."""
        self._found = found
        for label, side in zip(self.titles, (found.first, found.second), strict=True):
            label.tell(side.entry.title or side.entry.path, side.entry.path)
        self.told.tell(
            " · ".join(self._scores(found)),
            self.tr(
                "Meaning is the cosine similarity of the whole documents; cross is the cross-encoder "
                "score, from 0 to 1."
            ),
        )
        tip, words = self.tr("Search for “{word}”"), found.words
        chips = [Chip(one.text, one.text, "", tip.format(word=one.text)) for one in words.shared[:WORDS]]
        self.shared.show_chips(chips)
        for label, own in zip(self.only, (words.first, words.second), strict=True):
            names = ", ".join(one.text for one in own[:WORDS])
            label.tell(self.tr("only here: {words}").format(words=names) if names else "")

    def _scores(self, found: Comparison) -> list[str]:
        told = [self.tr("meaning {score}").format(score=f"{found.cosine:.2f}")]
        cross = [pair.cross_score for pair in found.pairs if pair.cross_score is not None]
        if cross:
            told.append(self.tr("best cross {score}").format(score=f"{max(cross):.2f}"))
        first, second = _percent(found.first), _percent(found.second)
        told.append(self.tr("{first} % and {second} % matched").format(first=first, second=second))
        if found.runs:
            told.append(self.tr("%Ln identical span(s)", "", len(found.runs)))
        return told

    def tell_pair(self, pair: Aligned | None) -> None:
        """Tell of the two passages that are chosen."""
        self._pair = pair
        self.pair_told.tell("" if pair is None else " · ".join(self._pair_scores(pair)))

    def _pair_scores(self, pair: Aligned) -> list[str]:
        told = [
            self.tr("passages {first} and {second}").format(first=pair.first + 1, second=pair.second + 1),
            self.tr("meaning {score}").format(score=f"{pair.score:.2f}"),
        ]
        if pair.cross_score is not None:
            told.append(self.tr("cross {score}").format(score=f"{pair.cross_score:.2f}"))
        if pair.disagree:
            told.append(self.tr("the two models disagree"))
        if not pair.matched:
            told.append(self.tr("too different to count as a match"))
        return told

    def retranslate(self) -> None:
        self.choice.setAccessibleName(self.tr("Highlight"))
        self.swap.setAccessibleName(self.tr("Swap sides (X)"))
        self.swap.setToolTip(self.swap.accessibleName())
        self.shared.setAccessibleName(self.tr("Shared keywords"))
        names = (self.tr("Matching words"), self.tr("Differences"), self.tr("Identical text"))
        for place, name in enumerate(names):
            self.choice.setItemText(place, name)
        if self._found is not None:
            self.tell(self._found)
            self.tell_pair(self._pair)

    def restyle(self) -> None:
        self.swap.setIcon(theme.icon("swap"))


def _embolden(label: QLabel) -> None:
    font = label.font()
    font.setBold(True)
    label.setFont(font)


def _percent(side: ComparedText) -> int:
    return round(100 * side.matched)
