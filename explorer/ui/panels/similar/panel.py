"""Documents similar to the one in focus, to the marked ones, or to the query; refined by examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.similar.list_view import (
    DOCUMENT,
    SimilarDelegate,
    SimilarList,
    SimilarModel,
)
from explorer.ui.state.session import Origin
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.placeholder import ContentStack, ElidedLabel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.snippets import Similar

SAMPLED = 100_000  # scores of the graph that a percentile is taken from
OF = ("focus", "marked", "query")
METRICS = ("cosine", "euclidean")


class SimilarPanel(Panel):
    """Similar documents.

    Signals:
        compared: Two documents were chosen to be laid side by side.
    """

    name = "neighbours"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    shown_at_first = True
    opening_height = 0
    has_table = True

    compared = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._anchor: tuple[int, ...] = ()
        self._query = ""
        self._examples: dict[int, int] = {}  # documents judged by plus (1) and minus (-1)
        self._levels: NDArray[np.float32] = np.zeros(0, np.float32)
        self._vectors: str | None = None  # the state of the vectors that are known
        self.similar_to, self.measure = QComboBox(), QComboBox()
        for name in OF:
            self.similar_to.addItem("", name)
        for name in METRICS:
            self.measure.addItem("", name)
        self.similar_to.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.similar_to.setMinimumContentsLength(10)
        self.about = ElidedLabel()
        self.about.setProperty("kind", "faint")
        self.chips = Chips("")
        self.list, self.model = SimilarList(), SimilarModel(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(SimilarDelegate(self))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.stage = ContentStack(self.list)
        self._lay_out()
        self._connect()
        self.retranslate()
        self._on_landscape()
        self.stage.show_empty(self._advice())
        self._anchor_anew()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        row.addWidget(self.similar_to, 1)
        row.addWidget(self.measure)
        column.addLayout(row)
        inner = QVBoxLayout()
        inner.setContentsMargins(8, 0, 8, 0)
        inner.addWidget(self.about)
        inner.addWidget(self.chips)
        column.addLayout(inner)
        column.addWidget(self.stage, 1)

    def _connect(self) -> None:
        session = self._session
        session.selection_changed.connect(self._on_selection)
        session.results_changed.connect(self._on_results_changed)
        session.graph_changed.connect(self._on_landscape)
        session.folder_changed.connect(self._anchor_anew)
        self.similar_to.currentIndexChanged.connect(self._anchor_anew)
        self.measure.currentIndexChanged.connect(self._ask)
        for box in (self.similar_to, self.measure):
            box.currentIndexChanged.connect(self.view_changed)
        self.chips.chosen.connect(lambda key: self.forget(int(key)))
        self.stage.retried.connect(self._ask)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.clicked.connect(self._on_current)
        self.list.doubleClicked.connect(self._on_walk)
        self.list.key_pressed.connect(self._on_key)
        self.list.judged.connect(self.judge)
        self.list.customContextMenuRequested.connect(self._on_menu)

    # What is asked

    @property
    def examples(self) -> dict[int, int]:
        """The documents judged by plus (1) and minus (-1)."""
        return dict(self._examples)

    def judge(self, document: int, sign: int) -> None:
        """Ask for more (1) or less (-1) of a document's kind; the same again takes it back."""
        if self._examples.get(document) == sign:
            del self._examples[document]
        else:
            self._examples[document] = sign
        self._ask()

    def forget(self, document: int) -> None:
        """Take an example back."""
        self._examples.pop(document, None)
        self._ask()

    def _on_selection(self, origin: Origin) -> None:
        if origin != Origin.SIMILAR and self.similar_to.currentData() != "query":
            self._anchor_anew()

    def _on_results_changed(self) -> None:
        if self.similar_to.currentData() == "query":
            self._anchor_anew()

    def _on_landscape(self) -> None:
        """Other vectors: other neighbours, and other scores of the graph, sampled and sorted, to compare them with."""
        land, before = self._session.graph, self._vectors
        self._vectors = None if land is None else land.state
        if land is None:
            self._levels = np.zeros(0, np.float32)
        else:
            graph = land.graph
            step = max(1, graph.scores.size // SAMPLED)
            scores = graph.scores.ravel()[::step]
            self._levels = np.sort(scores[graph.rows.ravel()[::step] >= 0])
        if not self.model.rows or before not in (None, self._vectors):
            if self._anchor or self._query:
                self._ask()
        else:
            self._show_rows(self.model.rows)

    def _anchor_anew(self) -> None:
        """Take what the combo box names as the thing to be near to, without examples."""
        chosen, search = self._session.selection, self._session.search
        of = self.similar_to.currentData()
        before = self._anchor, self._query
        self._anchor, self._query = (), ""
        if of == "focus" and chosen.focus is not None:
            self._anchor = (chosen.focus,)
        elif of == "marked":
            self._anchor = tuple(chosen.marked)
        elif of == "query" and search is not None and search.results is not None:
            self._query = search.results.query.semantic_text
        if (self._anchor, self._query) != before or self.stage.covered:
            self._examples = {}
            self._ask()

    def _ask(self) -> None:
        self._show_about()
        if not self._anchor and not self._query:
            self._actions.runner.cancel("similar", notify=False)
            self.stage.set_busy(False)
            self.model.show_rows((), (), (), distances=False)
            self.stage.show_empty(self._advice())
            return
        like = [*self._anchor, *(one for one, sign in self._examples.items() if sign > 0)]
        unlike = [one for one, sign in self._examples.items() if sign < 0]
        self.stage.set_busy(True)
        self._actions.documents.find_similar(
            like, unlike, self._query, self.measure.currentData(), self._on_found, self._on_failed
        )

    def _advice(self) -> str:
        if self._session.folder is None:
            return self.tr("Open a folder to see which documents are similar.")
        return {
            "focus": self.tr("Select a document to see similar ones."),
            "marked": self.tr("Mark documents to see similar ones: Ctrl-click, or draw a lasso on the map."),
            "query": self.tr("Type a query to see the closest documents."),
        }[self.similar_to.currentData()]

    def _show_about(self) -> None:
        listing = self._session.listing
        if self._query:
            told = self.tr("close to “{query}”").format(query=self._query)
        elif len(self._anchor) == 1 and listing:
            told = self.tr("similar to {title}").format(title=listing.name(self._anchor[0]))
        else:
            told = (
                self.tr("similar to {count} documents").format(count=len(self._anchor))
                if self._anchor
                else ""
            )
        self.about.tell(told)
        self.about.setVisible(bool(told))
        tip = self.tr("Remove “{title}”")
        names = {one: listing.name(one) if listing else str(one) for one in self._examples}
        self.chips.show_chips(
            [
                Chip(
                    str(one),
                    names[one],
                    "plus" if sign > 0 else "minus",
                    tip.format(title=names[one]),
                    closes=True,
                )
                for one, sign in self._examples.items()
            ]
        )

    # What was found

    def _on_found(self, found: tuple[Similar, ...]) -> None:
        self.stage.set_busy(False)
        if found:
            self.stage.show_content()
            self._show_rows(found)
        else:
            self.model.show_rows((), (), (), distances=False)
            self.stage.show_empty(self.tr("There are no other documents to compare with."))

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        self.model.show_rows((), (), (), distances=False)
        if self._actions.runner.busy("update"):  # which tells of the vectors when they are there
            self.stage.show_empty(self.tr("Similar documents appear here once this one is encoded."))
        else:
            self.stage.show_error(error)

    def _show_rows(self, found: Any) -> None:
        listing = self._session.listing
        distances = self.measure.currentData() == "euclidean"
        titles = [listing.name(one.document) if listing else "" for one in found]
        tips = [self.meaning(one.score, distance=distances) for one in found]
        self.model.show_rows(found, titles, tips, distances=distances)

    def meaning(self, score: float, *, distance: bool = False) -> str:
        """What a number is, and how it compares to the folder."""
        cosine = 1 - score**2 / 2 if distance else score
        told = (
            self.tr("Euclidean distance {score}: 0 is identical, 2 is opposite.")
            if distance
            else self.tr("Cosine similarity {score}: 1 is identical, 0 is unrelated.")
        ).format(score=f"{score:.2f}")
        if not len(self._levels):
            return told
        share = int(100 * np.searchsorted(self._levels, cosine) / len(self._levels))
        more = self.tr("Closer than {share} % of all nearest-neighbour pairs in this folder.")
        return told + "\n" + more.format(share=share)

    def export_table(self) -> ExportTable | None:
        """The list, to be exported."""
        rows, listing = tuple(self.model.rows), self._session.listing
        if not rows or listing is None:
            return None
        header = (self.tr("Rank"), self.tr("Score"), self.tr("Title"), self.tr("File"), self.tr("Text"))
        return ExportTable(header, lambda: [
            (rank, round(float(one.score), 4), listing.name(one.document), listing.path(one.document), one.text)
            for rank, one in enumerate(rows, 1)
        ])  # fmt: skip

    # What is done with a row

    def _on_current(self, index: QModelIndex) -> None:
        """Its own origin: the list stays as it is while one walks through it."""
        if index.isValid():
            self._session.focus(index.data(DOCUMENT), Origin.SIMILAR)

    def _on_walk(self, index: QModelIndex) -> None:
        """Go on from there."""
        if index.isValid():
            self._session.focus(index.data(DOCUMENT), Origin.SIMILAR)
            if self.similar_to.currentData() == "focus":
                self._anchor_anew()
            else:
                self.similar_to.setCurrentIndex(0)

    def _on_key(self, key: str) -> None:
        index = self.list.currentIndex()
        document = index.data(DOCUMENT)
        if key == "enter":
            self._on_walk(index)
        elif key == "c":
            self.compare(document)
        elif key == " ":
            self._session.mark([document], Origin.SIMILAR, "toggle")
        else:
            self.judge(document, 1 if key == "+" else -1)

    def compare(self, document: int) -> None:
        """Lay a row beside what the list is about, or keep it as the one to compare with."""
        if len(self._anchor) == 1:
            self._session.set_comparison(self._anchor[0])
            self._session.focus(document, Origin.SIMILAR)
        else:
            self._session.set_comparison(document)
        self.compared.emit()

    def _on_menu(self, where: QPoint) -> None:
        index = self.list.indexAt(where)
        if index.isValid():
            menu = self.menu(index.data(DOCUMENT))
            menu.exec(self.list.viewport().mapToGlobal(where))
            menu.deleteLater()

    def menu(self, document: int) -> QMenu:
        """What can be done with a row."""
        menu = QMenu(self)
        menu.addAction(theme.icon("plus"), self.tr("More like this"), lambda: self.judge(document, 1))
        menu.addAction(theme.icon("minus"), self.tr("Less like this"), lambda: self.judge(document, -1))
        menu.addSeparator()
        menu.addAction(theme.icon("compare"), self.tr("Compare"), lambda: self.compare(document))
        menu.addAction(self.tr("Mark"), lambda: self._session.mark([document], Origin.SIMILAR, "toggle"))
        menu.addAction(
            self.tr("Mark all"),
            lambda: self._session.mark([one.document for one in self.model.rows], Origin.SIMILAR),
        )
        menu.addSeparator()
        menu.addAction(theme.icon("open"), self.tr("Open original file"),
                       lambda: self._actions.files.open_original(document))  # fmt: skip
        return menu

    # Manners

    def view_state(self) -> dict[str, Any]:
        return {"similar": [self.similar_to.currentData(), self.measure.currentData()]}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        if isinstance(similar := saved.get("similar"), list):
            for box, value in zip((self.similar_to, self.measure), similar, strict=False):
                box.setCurrentIndex(max(0, box.findData(value)))

    def title(self) -> str:
        return self.tr("Similar")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Similar documents"))
        self.list.setAccessibleName(self.tr("Similar documents, closest first"))
        self.similar_to.setAccessibleName(self.tr("Similar to"))
        self.measure.setAccessibleName(self.tr("Similarity measure"))
        self.chips.setAccessibleName(self.tr("Examples"))
        of = (
            self.tr("Similar to current document"),
            self.tr("Similar to marked documents"),
            self.tr("Close to query"),
        )
        for place, text in enumerate(of):
            self.similar_to.setItemText(place, text)
        for place, text in enumerate((self.tr("Cosine"), self.tr("Euclidean"))):
            self.measure.setItemText(place, text)
        self.measure.setToolTip(
            self.tr(
                "Cosine compares directions, Euclidean compares distances; for unit vectors both give "
                "the same ranking."
            )
        )
        self._show_about()
        if self.stage.covered and not self.stage.failed:  # also while the first answer is awaited
            self.stage.show_empty(self._advice())
