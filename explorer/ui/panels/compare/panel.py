"""Two documents side by side: the one in focus and the one that was kept, passage by passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from explorer.ui.export.exporter import ExportTable
from explorer.ui.panels.compare.connectors import Connectors
from explorer.ui.panels.compare.header import CompareHeader
from explorer.ui.panels.compare.highlights import Marks, changed_marks, run_marks, word_marks
from explorer.ui.panels.compare.passage_list import PassageList
from explorer.ui.panels.panel import LazyPanel
from explorer.ui.state.session import Origin
from explorer.ui.widgets.placeholder import ContentStack

if TYPE_CHECKING:
    from explorer.analysis.text.diff import Difference
    from explorer.models.explain import Contributions
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.compare import Aligned, Comparison


class ComparePanel(LazyPanel):
    """Two documents."""

    name = "compare"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    shown_at_first = True
    opening_height = 0.55
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._asked: tuple[int, int] | None = None
        self._read_by: tuple[object, ...] | None = (
            None  # the models and texts of what was asked; None if not known
        )
        self._found: Comparison | None = None
        self._pair: Aligned | None = None
        self._why: Contributions | None = None
        self._changes: tuple[Difference, ...] | None = None
        self.left, self.right = PassageList(), PassageList()
        self.ribbons = Connectors(self.left, self.right)
        self.head = CompareHeader()
        self.stage = ContentStack(self._content())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stage)
        self._connect()
        self.restyle()
        self.retranslate()
        self._ask()

    def _content(self) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        columns = QHBoxLayout()
        columns.setSpacing(0)
        columns.addWidget(self.left, 1)
        columns.addWidget(self.ribbons)
        columns.addWidget(self.right, 1)
        column.addLayout(columns, 1)
        return content

    def _connect(self) -> None:
        session = self._session
        session.selection_changed.connect(self._on_selection)
        session.comparison_changed.connect(self._ask)
        session.folder_changed.connect(self._ask)
        session.graph_changed.connect(self._on_vectors)
        session.settings_changed.connect(self._on_vectors)
        self.stage.chosen.connect(self._on_advice)
        self.stage.retried.connect(lambda: self._ask(again=True))
        self.head.swapped.connect(self.swap_sides)
        self.left.chosen.connect(lambda place: self.choose(0, place))
        self.right.chosen.connect(lambda place: self.choose(1, place))
        self.ribbons.chosen.connect(self.choose_pair)
        self.head.shown_changed.connect(self._show_marks)
        self.head.word_chosen.connect(self._actions.search.ask)

    @property
    def found(self) -> Comparison | None:
        """What is shown."""
        return self._found

    @property
    def pair(self) -> Aligned | None:
        """The pair of passages that is chosen."""
        return self._pair

    # Which documents

    def show_pair(self, first: int, second: int) -> None:
        """Compare two documents; the second comes into focus."""
        self._session.set_comparison(first)
        self._session.focus(second)

    def swap_sides(self) -> None:
        """Put the left document to the right."""
        focus, other = self._session.selection.focus, self._session.comparison
        if focus is not None and other is not None:
            self.show_pair(focus, other)

    def pin_focus(self) -> None:
        """Keep the document in focus as the one that others are compared with."""
        self._session.set_comparison(self._session.selection.focus)

    def _wanted(self) -> tuple[int, int] | None:
        focus, other = self._session.selection.focus, self._session.comparison
        return (other, focus) if focus is not None and other is not None and focus != other else None

    def _on_selection(self, _origin: Origin) -> None:
        """Its own origin too: what it puts in focus is what it compares."""
        self._ask()

    def _on_vectors(self) -> None:
        """Compare again what has another text or is read by other models; nothing else, or one could not read on."""
        before, self._read_by = self._read_by, self._readers()
        self._ask(again=self.stage.failed or (before is not None and before != self._read_by))

    def _readers(self) -> tuple[object, ...] | None:
        """What a comparison depends on: the models and both texts."""
        wanted, land = self._wanted(), self._session.graph
        if wanted is None or land is None:
            return None
        texts = (land.digests[land.rows[one]] if one in land.rows else b"" for one in wanted)
        return (land.model, self._session.settings.reranker, *texts)

    def load(self) -> None:
        self._ask()

    def _ask(self, *, again: bool = False) -> None:
        """Compare what is to be compared; a panel that nobody sees waits."""
        wanted = self._wanted()
        if wanted is None:
            self._asked = self._found = None
            self._actions.runner.cancel("compare", notify=False)
            self.stage.set_busy(False)
            self._advise()
        elif self._session.graph is None:
            self.stage.set_busy(True)  # clusters and map of a folder that was just opened come first
        elif (wanted != self._asked or again) and self.isVisible():
            self._asked, self._read_by = wanted, self._readers()
            self.stage.set_busy(True)
            if self._found is None:
                self.stage.show_content()
            self._actions.documents.compare(*wanted, self._on_found, self._on_failed)

    def _advise(self) -> None:
        selection, listing = self._session.selection, self._session.listing
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to compare two of its documents."))
        elif self._session.comparison is not None and listing is not None:
            told = self.tr("Choose another document to compare with “{title}”.")
            self.stage.show_empty(told.format(title=listing.name(self._session.comparison)))
        elif len(selection.marked) == 2:
            self.stage.show_empty(self.tr("Two documents are marked."), self.tr("Compare"))
        elif selection.focus is not None:
            self.stage.show_empty(
                self.tr("Pin this document (C), then choose another one to compare it with."),
                self.tr("Pin for comparison (C)"),
            )
        else:
            self.stage.show_empty(
                self.tr("Choose a document, pin it (C), then choose another one to compare it with.")
            )

    def _on_advice(self) -> None:
        marked = self._session.selection.marked
        if self._session.comparison is None and len(marked) == 2:
            self.show_pair(*marked)
        else:
            self.pin_focus()

    def _on_failed(self, error: BaseException) -> None:
        self._found = None
        self.stage.set_busy(False)
        self.stage.show_error(error)

    # What was found

    def _on_found(self, found: Comparison) -> None:
        if (found.first.entry.id, found.second.entry.id) != self._asked:
            return
        self._found, self._pair = found, None
        self.stage.set_busy(False)
        self.stage.show_content()
        self.left.show_passages(found.first.passages)
        self.right.show_passages(found.second.passages)
        self.ribbons.show_pairs(found.pairs, found.level)
        self.head.tell(found)
        if found.pairs:
            self.choose_pair(found.pairs[0].first, found.pairs[0].second)
        else:
            self._show_marks()

    def choose(self, side: int, place: int) -> None:
        """Choose a passage of a side (0 or 1), and with it the nearest one of the other side."""
        if self._found is not None:
            best = (self._found.first, self._found.second)[side].passages[place].best
            self.choose_pair(*((place, best) if side == 0 else (best, place)), held=side)

    def choose_pair(self, first: int, second: int, held: int = 0) -> None:
        """Choose two passages; the column that was touched stays, the other scrolls beside it."""
        found = self._found
        if found is None:
            return
        self._pair = next((one for one in found.pairs if (one.first, one.second) == (first, second)), None)
        columns, places = (self.left, self.right), (first, second)
        columns[held].choose(places[held])
        columns[1 - held].choose(places[1 - held], max(0.0, columns[held].extent(places[held])[0]))
        self.ribbons.choose(places)
        self._why = self._pair.why if self._pair else None
        self._changes = self._pair.differences if self._pair else None
        self.head.tell_pair(self._pair)
        self._show_marks()
        self._explain(found.first.passages[first].text, found.second.passages[second].text)

    def _explain(self, first: str, second: str) -> None:
        """Ask for what the comparison did not tell of a pair."""
        pair = self._pair
        if self._why is None:
            self._actions.documents.explain(
                first, second, "document", lambda why: self._on_why(pair, why), "explain pair"
            )
        if self._changes is None:

            def work(_: object) -> tuple[Difference, ...]:
                from explorer.analysis.text.diff import differences

                return differences(first, second)

            self._actions.runner.start("changes", work, lambda told: self._on_changes(pair, told), quiet=True)

    def _on_why(self, pair: Aligned | None, why: Contributions) -> None:
        if pair is self._pair:
            self._why = why
            self._show_marks()

    def _on_changes(self, pair: Aligned | None, changes: tuple[Difference, ...]) -> None:
        if pair is self._pair:
            self._changes = changes
            self._show_marks()

    def _show_marks(self) -> None:
        """Light words, changes or equal wording in both columns."""
        found, pair, what = self._found, self._pair, self.head.shown
        marks: Marks = ({}, {})
        if found is not None and what == "runs":
            marks = run_marks(found)
        elif pair is not None and what == "words" and self._why is not None:
            marks = word_marks(pair, self._why)
        elif pair is not None and what == "changes" and self._changes is not None:
            marks = changed_marks(pair, self._changes)
        self.left.set_marks(marks[0])
        self.right.set_marks(marks[1])

    def export_table(self) -> ExportTable | None:
        """The aligned passages, to be exported."""
        found = self._found
        if found is None:
            return None
        header = (
            self.tr("Meaning"), self.tr("Cross"), self.tr("Matched"), found.first.entry.title or found.first.entry.path,
            found.second.entry.title or found.second.entry.path,
        )  # fmt: skip
        return ExportTable(header, lambda: [
            (round(one.score, 4), one.cross_score, one.matched, found.first.passages[one.first].text,
             found.second.passages[one.second].text)
            for one in found.pairs
        ])  # fmt: skip

    # Manners

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """C keeps the document in focus; X swaps the sides."""
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
            self._advise()

    def restyle(self) -> None:
        self._show_marks()
        self.ribbons.update()
