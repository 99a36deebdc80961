"""Two documents side by side, passage by passage: the one in focus and the one pinned for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QToolButton, QWidget

from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.compare.passages import Connectors, Marks, PassageList, changed_marks, run_marks, word_marks
from explorer.ui.panels.panel import LazyPanel
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.placeholder import ContentStack, ElidedLabel
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.analysis.text.diff import Difference
    from explorer.models.explain import Contributions
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.compare import Aligned, Comparison


class ComparePanel(LazyPanel):
    """Compares two documents."""

    name = "compare"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._requested: tuple[int, int] | None = None
        self._inputs: tuple[object, ...] | None = None  # models and texts of the request; None if unknown
        self._comparison: Comparison | None = None
        self._pair: Aligned | None = None
        self._why: Contributions | None = None
        self._changes: tuple[Difference, ...] | None = None
        self.left, self.right = PassageList(), PassageList()
        self.ribbons = Connectors(self.left, self.right)
        self.head = CompareHeader()
        sides = row((self.left, 1), self.ribbons, (self.right, 1), spacing=0)
        self.stage = ContentStack(container(column(self.head, (sides, 1))))
        column(self.stage, parent=self)
        self._connect()
        self.retranslate()
        self.load()

    def _connect(self) -> None:
        session = self._session
        # Also changes of its own origin: what it puts in focus is what it compares.
        session.selection_changed.connect(self.load)
        session.comparison_changed.connect(self.load)
        session.folder_changed.connect(self.load)
        session.graph_changed.connect(self._on_inputs_changed)
        session.settings_changed.connect(self._on_inputs_changed)
        self.stage.chosen.connect(self._on_button_pressed)
        self.stage.retried.connect(lambda: self.load(again=True))
        self.head.swapped.connect(self.swap_sides)
        self.left.chosen.connect(lambda passage: self.choose(0, passage))
        self.right.chosen.connect(lambda passage: self.choose(1, passage))
        self.ribbons.chosen.connect(self.choose_pair)
        self.head.shown_changed.connect(self._show_marks)
        self.head.word_chosen.connect(self._actions.search.ask)

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that is shown."""
        return self._comparison

    @property
    def pair(self) -> Aligned | None:
        """The pair of passages that is selected."""
        return self._pair

    # Which documents

    def show_pair(self, first: int, second: int) -> None:
        """Compare two documents; the second comes into focus."""
        self._session.set_comparison(first)
        self._session.focus(second)

    def swap_sides(self) -> None:
        """Swap the left and the right document."""
        focus, other = self._session.selection.focus, self._session.comparison
        if focus is not None and other is not None:
            self.show_pair(focus, other)

    def pin_focus(self) -> None:
        """Pin the document in focus as the one that others are compared with."""
        self._session.set_comparison(self._session.selection.focus)

    def _wanted(self) -> tuple[int, int] | None:
        focus, other = self._session.selection.focus, self._session.comparison
        return (other, focus) if focus is not None and other is not None and focus != other else None

    def _on_inputs_changed(self) -> None:
        """Compare again only if a text or a model has changed; anything else would interrupt reading."""
        before, self._inputs = self._inputs, self._current_inputs()
        self.load(again=self.stage.failed or (before is not None and before != self._inputs))

    def _current_inputs(self) -> tuple[object, ...] | None:
        """Return what a comparison depends on: the models and both texts."""
        wanted, graph = self._wanted(), self._session.graph
        if wanted is None or graph is None:
            return None
        texts = (graph.digests[graph.rows[id_]] if id_ in graph.rows else b"" for id_ in wanted)
        return (graph.model, self._session.settings.reranker, *texts)

    def load(self, *, again: bool = False) -> None:
        wanted = self._wanted()
        if wanted is None:
            self._requested = self._comparison = None
            self._actions.runner.cancel("compare", notify=False)
            self.stage.set_busy(False)
            self._show_advice()
        elif self._session.graph is None:
            self.stage.set_busy(True)  # clusters and map of a folder that was just opened come first
        elif (wanted != self._requested or again) and self.isVisible():
            self._requested, self._inputs = wanted, self._current_inputs()
            self.stage.set_busy(True)
            if self._comparison is None:
                self.stage.show_content()
            self._actions.documents.compare(*wanted, self._on_compared, self._on_failed)

    def _show_advice(self) -> None:
        selection, listing = self._session.selection, self._session.listing
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to compare two of its documents."))
        elif self._session.comparison is not None and listing is not None:
            advice = self.tr("Choose another document to compare with “{title}”.")
            self.stage.show_empty(advice.format(title=listing.name(self._session.comparison)))
        elif len(selection.marked) == 2:
            self.stage.show_empty(self.tr("Two documents are selected."), self.tr("Compare"))
        elif selection.focus is not None:
            self.stage.show_empty(
                self.tr("Pin this document (C), then choose another one to compare it with."),
                self.tr("Pin for comparison (C)"),
            )
        else:
            self.stage.show_empty(self.tr("Choose a document, pin it (C), then choose another one to compare it with."))

    def _on_button_pressed(self) -> None:
        marked = self._session.selection.marked
        if self._session.comparison is None and len(marked) == 2:
            self.show_pair(*marked)
        else:
            self.pin_focus()

    def _on_failed(self, error: BaseException) -> None:
        self._comparison = None
        self.stage.set_busy(False)
        self.stage.show_error(error)

    # The comparison

    def _on_compared(self, comparison: Comparison) -> None:
        if (comparison.first.entry.id, comparison.second.entry.id) != self._requested:
            return
        self._comparison, self._pair = comparison, None
        self.stage.set_busy(False)
        self.stage.show_content()
        self.left.show_passages(comparison.first.passages)
        self.right.show_passages(comparison.second.passages)
        self.ribbons.show_pairs(comparison.pairs, comparison.level)
        self.head.show_comparison(comparison)
        if comparison.pairs:
            self.choose_pair(comparison.pairs[0].first, comparison.pairs[0].second)
        else:
            self._show_marks()

    def choose(self, side: int, passage: int) -> None:
        """Select a passage of a side (0 or 1), and with it the nearest one of the other side."""
        if self._comparison is not None:
            best = (self._comparison.first, self._comparison.second)[side].passages[passage].best
            self.choose_pair(*((passage, best) if side == 0 else (best, passage)), fixed=side)

    def choose_pair(self, first: int, second: int, fixed: int = 0) -> None:
        """Select two passages; the `fixed` column does not scroll, the other one is aligned with it."""
        comparison = self._comparison
        if comparison is None:
            return
        pairs = {(pair.first, pair.second): pair for pair in comparison.pairs}
        self._pair = pairs.get((first, second))
        columns, rows = (self.left, self.right), (first, second)
        columns[fixed].choose(rows[fixed])
        columns[1 - fixed].choose(rows[1 - fixed], max(0.0, columns[fixed].extent(rows[fixed])[0]))
        self.ribbons.choose(rows)
        self._why = self._pair.why if self._pair else None
        self._changes = self._pair.differences if self._pair else None
        self.head.show_pair(self._pair)
        self._show_marks()
        self._explain(comparison.first.passages[first].text, comparison.second.passages[second].text)

    def _explain(self, first: str, second: str) -> None:
        """Request the highlights that the comparison does not contain."""
        pair = self._pair
        if self._why is None:
            self._actions.documents.explain(
                first, second, "document", lambda why: self._on_why(pair, why), "explain pair"
            )
        if self._changes is None:

            def work(_: object) -> tuple[Difference, ...]:
                from explorer.analysis.text.diff import differences

                return differences(first, second)

            self._actions.runner.start("changes", work, lambda changes: self._on_changes(pair, changes), quiet=True)

    def _on_why(self, pair: Aligned | None, why: Contributions) -> None:
        if pair is self._pair:
            self._why = why
            self._show_marks()

    def _on_changes(self, pair: Aligned | None, changes: tuple[Difference, ...]) -> None:
        if pair is self._pair:
            self._changes = changes
            self._show_marks()

    def _show_marks(self) -> None:
        pair, what = self._pair, self.head.shown
        marks: Marks = ({}, {})
        if self._comparison is not None and what == "runs":
            marks = run_marks(self._comparison)
        elif pair is not None and what == "words" and self._why is not None:
            marks = word_marks(pair, self._why)
        elif pair is not None and what == "changes" and self._changes is not None:
            marks = changed_marks(pair, self._changes)
        self.left.set_marks(marks[0])
        self.right.set_marks(marks[1])

    def export_table(self) -> ExportTable | None:
        if self._comparison is None:
            return None
        first, second, pairs = self._comparison.first, self._comparison.second, self._comparison.pairs
        titles = (side.entry.title or side.entry.path for side in (first, second))
        header = (self.tr("Similarity"), self.tr("Read together"), self.tr("Matched"), *titles)

        def cells(pair: Aligned) -> tuple[object, ...]:
            texts = first.passages[pair.first].text, second.passages[pair.second].text
            return round(pair.score, 4), pair.cross_score, pair.matched, *texts

        return ExportTable(header, lambda: [cells(pair) for pair in pairs])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_C and not event.modifiers():
            self.pin_focus()
        elif event.key() == Qt.Key.Key_X and not event.modifiers():
            self.swap_sides()
        else:
            super().keyPressEvent(event)

    def title(self) -> str:
        return self.tr("Compare")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Compare"))
        self.left.setAccessibleName(self.tr("Passages of the left document"))
        self.right.setAccessibleName(self.tr("Passages of the right document"))
        self.ribbons.setAccessibleName(self.tr("Matching passages"))
        if self._wanted() is None:
            self._show_advice()

    def restyle(self) -> None:
        self._show_marks()
        self.ribbons.update()


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
                "Similarity compares the meaning of the whole documents (cosine of the bi-encoder). “Read together” "
                "is the score of the more accurate model, which reads two passages at once (cross-encoder, 0 to 1)."
            ),
        )
        tip, words = self.tr("Search for “{word}”"), comparison.words
        chips = [Chip(word.text, word.text, "", tip.format(word=word.text)) for word in words.shared[:WORDS]]
        self.shared.show_chips(chips)
        for label, own in zip(self.only, (words.first, words.second), strict=True):
            names = ", ".join(word.text for word in own[:WORDS])
            label.set_text(self.tr("only here: {words}").format(words=names) if names else "")

    def _scores(self, comparison: Comparison) -> list[str]:
        parts = [self.tr("similarity {score}").format(score=f"{comparison.cosine:.2f}")]
        cross = [pair.cross_score for pair in comparison.pairs if pair.cross_score is not None]
        if cross:
            parts.append(self.tr("read together {score} at best").format(score=f"{max(cross):.2f}"))
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
            self.tr("similarity {score}").format(score=f"{pair.score:.2f}"),
        ]
        if pair.cross_score is not None:
            parts.append(self.tr("read together {score}").format(score=f"{pair.cross_score:.2f}"))
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
