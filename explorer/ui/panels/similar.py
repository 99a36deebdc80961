"""Documents similar to the one in focus, to the marked ones, or to the query; refined by examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Origin
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import ContentStack, ElidedLabel, plain_tip
from explorer.ui.widgets.row_table import RIGHT, ExplicitCurrent, FrozenListModel, Index
from explorer.ui.widgets.word_highlights import format_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.snippets import Similar


SAMPLED = 100_000  # scores of the graph, for percentiles
ANCHORS = ("focus", "marked", "query")
METRICS = ("cosine", "euclidean")
DOCUMENT, SIMILAR, SHARE, TIP = (Qt.ItemDataRole.UserRole.value + n for n in range(4))
BAR, BUTTON, PAD = 64, 22, 8  # pixels
LINES = 2  # of a snippet
_OWN_KEYS = ("c", "j", "k")


class SimilarPanel(Panel):
    """Similar documents, refined by examples.

    Signals:
        compared: Two documents were chosen to be compared.
    """

    name = "neighbours"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    has_table = True

    compared = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._anchor: tuple[int, ...] = ()
        self._query = ""
        self._examples: dict[int, int] = {}  # documents rated by plus (1) and minus (-1)
        self._graph_scores: NDArray[np.float32] = np.zeros(0, np.float32)  # sampled and sorted
        self._vectors: str | None = None  # the state of the vectors that the rows were made from
        self.similar_to, self.measure = QComboBox(), QComboBox()
        for name in ANCHORS:
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
        options = row((self.similar_to, 1), self.measure, margins=(8, 0, 8, 0))
        about = column(self.about, self.chips, margins=(8, 0, 8, 0), spacing=4)
        column(options, about, (self.stage, 1), parent=self, margins=(0, 8, 0, 0), spacing=4)
        self._connect()
        self.retranslate()
        self._on_graph_changed()
        self.stage.show_empty(self._advice())
        self._update_anchor()

    def _connect(self) -> None:
        session = self._session
        session.selection_changed.connect(self._on_selection)
        session.results_changed.connect(self._on_results_changed)
        session.graph_changed.connect(self._on_graph_changed)
        session.folder_changed.connect(self._update_anchor)
        self.similar_to.currentIndexChanged.connect(self._update_anchor)
        self.measure.currentIndexChanged.connect(self._find)
        for box in (self.similar_to, self.measure):
            box.currentIndexChanged.connect(self.view_changed)
        self.chips.chosen.connect(lambda key: self.forget(int(key)))
        self.stage.retried.connect(self._find)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.clicked.connect(self._on_current)
        self.list.doubleClicked.connect(self._on_opened)
        self.list.key_pressed.connect(self._on_key)
        self.list.judged.connect(self.judge)
        self.list.customContextMenuRequested.connect(self._on_menu)

    @property
    def examples(self) -> dict[int, int]:
        """The documents rated by plus (1) and minus (-1)."""
        return dict(self._examples)

    def judge(self, document: int, sign: int) -> None:
        """Ask for more (1) or less (-1) like a document; the same again undoes it."""
        if self._examples.get(document) == sign:
            del self._examples[document]
        else:
            self._examples[document] = sign
        self._find()

    def forget(self, document: int) -> None:
        """Remove an example."""
        self._examples.pop(document, None)
        self._find()

    def _on_selection(self, origin: Origin) -> None:
        if origin != Origin.SIMILAR and self.similar_to.currentData() != "query":
            self._update_anchor()

    def _on_results_changed(self) -> None:
        if self.similar_to.currentData() == "query":
            self._update_anchor()

    def _on_graph_changed(self) -> None:
        """Sample the scores of the graph; find similar documents again if the vectors have changed."""
        encoded, before = self._session.graph, self._vectors
        self._vectors = None if encoded is None else encoded.state
        if encoded is None:
            self._graph_scores = np.zeros(0, np.float32)
        else:
            graph = encoded.graph
            step = max(1, graph.scores.size // SAMPLED)
            scores = graph.scores.ravel()[::step]
            self._graph_scores = np.sort(scores[graph.rows.ravel()[::step] >= 0])
        if not self.model.rows or before not in (None, self._vectors):
            if self._anchor or self._query:
                self._find()
        else:
            self._show_rows(self.model.rows)

    def _update_anchor(self) -> None:
        """Start from what the combo box names, without examples."""
        selection, search = self._session.selection, self._session.search
        anchor = self.similar_to.currentData()
        before = self._anchor, self._query
        self._anchor, self._query = (), ""
        if anchor == "focus" and selection.focus is not None:
            self._anchor = (selection.focus,)
        elif anchor == "marked":
            self._anchor = tuple(selection.marked)
        elif anchor == "query" and search is not None and search.results is not None:
            self._query = search.results.query.semantic_text
        if (self._anchor, self._query) != before or self.stage.covered:
            self._examples = {}
            self._find()

    def _find(self) -> None:
        self._show_about()
        if not self._anchor and not self._query:
            self._actions.runner.cancel("similar", notify=False)
            self.stage.set_busy(False)
            self.model.show_similar((), (), (), distances=False)
            self.stage.show_empty(self._advice())
            return
        like = [*self._anchor, *(document for document, sign in self._examples.items() if sign > 0)]
        unlike = [document for document, sign in self._examples.items() if sign < 0]
        if self.stage.covered:
            self.stage.show_empty("")  # what it asked for is done
        self.stage.set_busy(True)
        self._actions.documents.find_similar(
            like, unlike, self._query, self.measure.currentData(), self._on_results, self._on_failed
        )

    def _advice(self) -> str:
        if self._session.folder is None:
            return self.tr("Open a folder to see which documents are similar.")
        return {
            "focus": self.tr("Select a document to see similar ones."),
            "marked": self.tr("Select documents to see similar ones: Ctrl-click, or draw a lasso on the map."),
            "query": self.tr("Type a query to see the closest documents."),
        }[self.similar_to.currentData()]

    def _show_about(self) -> None:
        listing = self._session.listing
        about = ""
        if self._query:
            about = self.tr("close to “{query}”").format(query=self._query)
        elif len(self._anchor) == 1 and listing:
            about = self.tr("similar to {title}").format(title=listing.name(self._anchor[0]))
        elif self._anchor:
            about = self.tr("similar to {count} documents").format(count=len(self._anchor))
        self.about.set_text(about)
        self.about.setVisible(bool(about))
        tip, chips = self.tr("Remove “{title}”"), []
        for document, sign in self._examples.items():
            name, icon = listing.name(document) if listing else str(document), "plus" if sign > 0 else "minus"
            chips.append(Chip(str(document), name, icon, tip.format(title=name), closes=True))
        self.chips.show_chips(chips)

    # Results

    def _on_results(self, results: tuple[Similar, ...]) -> None:
        self.stage.set_busy(False)
        if results:
            self.stage.show_content()
            self._show_rows(results)
        else:
            self.model.show_similar((), (), (), distances=False)
            self.stage.show_empty(self.tr("There are no other documents to compare with."))

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        self.model.show_similar((), (), (), distances=False)
        if self._actions.runner.busy("update"):  # it signals when the vectors are ready
            self.stage.show_empty(self.tr("Similar documents appear here once this one is encoded."))
        else:
            self.stage.show_error(error)

    def _show_rows(self, rows: Sequence[Similar]) -> None:
        listing = self._session.listing
        distances = self.measure.currentData() == "euclidean"
        titles = [listing.name(similar.document) if listing else "" for similar in rows]
        tips = [self.meaning(similar.score, distance=distances) for similar in rows]
        self.model.show_similar(rows, titles, tips, distances=distances)

    def meaning(self, score: float, *, distance: bool = False) -> str:
        """Return what a score means, and how it compares to others of the folder."""
        cosine = 1 - score**2 / 2 if distance else score
        text = (
            self.tr("Euclidean distance {score}: 0 is identical, 2 is opposite.")
            if distance
            else self.tr("Cosine similarity {score}: 1 is identical, 0 is unrelated.")
        ).format(score=f"{score:.2f}")
        if not len(self._graph_scores):
            return text
        share = int(100 * np.searchsorted(self._graph_scores, cosine) / len(self._graph_scores))
        more = self.tr("Closer than {share} % of all nearest-neighbour pairs in this folder.")
        return text + "\n" + more.format(share=share)

    def export_table(self) -> ExportTable | None:
        rows, listing = tuple(self.model.rows), self._session.listing
        if not rows or listing is None:
            return None
        header = (self.tr("Rank"), self.tr("Score"), self.tr("Title"), self.tr("File"), self.tr("Text"))

        def cells(rank: int, item: Similar) -> tuple[object, ...]:
            file = listing.name(item.document), listing.path(item.document)
            return rank, round(float(item.score), 4), *file, item.text

        return ExportTable(header, lambda: [cells(rank, item) for rank, item in enumerate(rows, 1)])

    # Commands

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid():  # with its own origin, the list stays as it is
            self._session.focus(index.data(DOCUMENT), Origin.SIMILAR)

    def _on_opened(self, index: QModelIndex) -> None:
        """Show what is similar to a row."""
        if index.isValid():
            self._session.focus(index.data(DOCUMENT), Origin.SIMILAR)
            if self.similar_to.currentData() == "focus":
                self._update_anchor()
            else:
                self.similar_to.setCurrentIndex(0)

    def _on_key(self, key: str) -> None:
        index = self.list.currentIndex()
        document = index.data(DOCUMENT)
        if key == "enter":
            self._on_opened(index)
        elif key == "c":
            self.compare(document)
        elif key == " ":
            self._session.mark([document], Origin.SIMILAR, "toggle")
        else:
            self.judge(document, 1 if key == "+" else -1)

    def compare(self, document: int) -> None:
        """Compare a row with the document that the list is about, or pin it for comparison."""
        if len(self._anchor) == 1:
            self._session.set_comparison(self._anchor[0])
            self._session.focus(document, Origin.SIMILAR)
        else:
            self._session.set_comparison(document)
        self.compared.emit()

    def _on_menu(self, position: QPoint) -> None:
        index = self.list.indexAt(position)
        if index.isValid():
            menu = self.menu(index.data(DOCUMENT))
            menu.exec(self.list.viewport().mapToGlobal(position))
            menu.deleteLater()

    def menu(self, document: int) -> QMenu:
        """Return the context menu of a row."""
        menu = QMenu(self)
        menu.addAction(theme.icon("plus"), self.tr("More like this"), lambda: self.judge(document, 1))
        menu.addAction(theme.icon("minus"), self.tr("Less like this"), lambda: self.judge(document, -1))
        menu.addSeparator()
        menu.addAction(theme.icon("compare"), self.tr("Compare"), lambda: self.compare(document))
        mark, every = self._session.mark, [similar.document for similar in self.model.rows]
        menu.addAction(self.tr("Mark"), lambda: mark([document], Origin.SIMILAR, "toggle"))
        menu.addAction(self.tr("Mark all"), lambda: mark(every, Origin.SIMILAR))
        menu.addSeparator()
        open_original = self._actions.files.open_original
        menu.addAction(theme.icon("open"), self.tr("Open original file"), lambda: open_original(document))
        return menu

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
        anchors = (
            self.tr("Similar to current document"),
            self.tr("Similar to selected documents"),
            self.tr("Close to query"),
        )
        for index, text in enumerate(anchors):
            self.similar_to.setItemText(index, text)
        for index, text in enumerate((self.tr("Cosine"), self.tr("Euclidean"))):
            self.measure.setItemText(index, text)
        self.measure.setToolTip(
            self.tr(
                "Cosine compares directions, Euclidean compares distances; for unit vectors both give the same ranking."
            )
        )
        self._show_about()
        if self.stage.covered and not self.stage.failed:  # also before the first results
            self.stage.show_empty(self._advice())


class SimilarModel(FrozenListModel["Similar"]):
    """Similar documents, nearest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._titles: Sequence[str] = ()
        self._tips: Sequence[str] = ()
        self._distances = False

    def show_similar(
        self, rows: Sequence[Similar], titles: Sequence[str], tips: Sequence[str], *, distances: bool
    ) -> None:
        """Replace the rows, each with a title and a tooltip; scores are distances or cosines."""
        self._titles, self._tips, self._distances = titles, tips, distances
        self.show_rows(rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        if not index.isValid():
            return None
        row = index.row()
        similar = self.rows[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[row]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{similar.score:.2f} {self._titles[row]} {similar.text}"
        if role == DOCUMENT:
            return similar.document
        if role == SIMILAR:
            return similar
        if role == SHARE:
            # The distance of two unit vectors is between 0 and 2.
            return max(0.0, min(1.0, 1 - similar.score / 2 if self._distances else similar.score))
        return self._tips[row] if role == TIP else None


class SimilarDelegate(QStyledItemDelegate):
    """Draws a row with its plus and minus buttons, and shows their tooltips."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        height = option.fontMetrics.height()
        return QSize(200, 2 * PAD + (1 + LINES) * height + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, box, state = theme.current(), QRect(option.rect), option.state
        painter.save()
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(box, QColor(colours.chosen))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(colours.window))
        painter.setPen(QPen(QColor(colours.hairline), 1))
        painter.drawLine(box.left() + PAD, box.bottom(), box.right() - PAD, box.bottom())
        font = QFont(option.font)
        metrics = QFontMetrics(font)
        self._draw_score(painter, box, metrics, index)
        left = box.left() + 2 * PAD + BAR
        width = box.right() - PAD - left - 2 * BUTTON - 4
        painter.setPen(QColor(colours.foreground))
        title = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPoint(left, box.top() + PAD + metrics.ascent()), title)
        snippet = QRect(left, box.top() + PAD + metrics.height() + 2, box.right() - PAD - left, 0)
        painter.setPen(QColor(colours.foreground if selected else colours.faint))
        self._draw_snippet(painter, snippet, font, index.data(SIMILAR))
        for sign, name in ((1, "plus"), (-1, "minus")):
            theme.icon(name, colours.faint).paint(painter, button(box, sign).adjusted(3, 3, -3, -3))
        painter.restore()

    def _draw_score(self, painter: QPainter, box: QRect, metrics: QFontMetrics, index: Index) -> None:
        colours = theme.current()
        score = f"{index.data(SIMILAR).score:.2f}"
        painter.setPen(QColor(colours.foreground))
        line = QRect(box.left() + PAD, box.top() + PAD, BAR, metrics.height())
        painter.drawText(line, RIGHT, score)
        bar = QRect(line.left(), line.bottom() + 4, BAR, 5)
        painter.fillRect(bar, QColor(colours.hairline))
        bar.setWidth(round(BAR * index.data(SHARE)))
        painter.fillRect(bar, QColor(colours.accent))

    def _draw_snippet(self, painter: QPainter, box: QRect, font: QFont, similar: Similar) -> None:
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.Bold)
        bold.setForeground(QColor(theme.current().foreground))
        layout = QTextLayout(similar.text, font)
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.setCacheEnabled(True)
        layout.setFormats([format_range(similar.text, start, end, bold) for start, end in similar.words])
        layout.beginLayout()
        metrics = QFontMetrics(font)
        for number in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(40, box.width()))
            # By the baselines of the row's own font: one that stands in for it, as for Korean, has taller lines.
            line.setPosition(QPointF(0, number * metrics.height() + metrics.ascent() - line.ascent()))
        layout.endLayout()
        layout.draw(painter, box.topLeft().toPointF())

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if not index.isValid():
            return False
        box, position = QRect(option.rect), event.pos()
        if button(box, 1).contains(position):
            tip = self.tr("More like this (+)")
        elif button(box, -1).contains(position):
            tip = self.tr("Less like this (-)")
        elif position.x() < box.left() + 2 * PAD + BAR:
            tip = index.data(TIP)
        else:
            tip = f"{index.data()}\n{index.data(SIMILAR).text}"
        QToolTip.showText(event.globalPos(), plain_tip(tip), view)
        return True


class SimilarList(ExplicitCurrent, QListView):
    """The view of the list.

    Signals:
        key_pressed: A key that the panel handles: "+", "-", "c", " " or "enter".
        judged: Plus (1) or minus (-1) of a document was pressed.
    """

    key_pressed = Signal(str)
    judged = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)

    def _judged(self, event: QMouseEvent) -> tuple[int, int] | None:
        """Return the document and the sign of the button under the mouse."""
        position = event.position().toPoint()
        index = self.indexAt(position)
        pressed = [sign for sign in (1, -1) if button(self.visualRect(index), sign).contains(position)]
        return (index.data(DOCUMENT), pressed[0]) if index.isValid() and pressed else None

    # The buttons do not select their row, and two quick presses are two presses.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._judged(event) is None:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        judged = self._judged(event)
        if judged is None:
            super().mouseReleaseEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.judged.emit(*judged)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._judged(event) is None:
            super().mouseDoubleClickEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # These keys mean the current row here, not the window's commands.
            own = event.text().lower() in _OWN_KEYS and not event.modifiers()
            if own and self.currentIndex().isValid():
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        key = "enter" if enter else event.text().lower()
        if key in {"enter", "+", "=", "-", "c", " "} and self.currentIndex().isValid():
            self.key_pressed.emit("+" if key == "=" else key)
        elif key in {"j", "k"}:
            step = 1 if key == "j" else -1
            index = self.model().index(self.currentIndex().row() + step, 0)
            if index.isValid():
                self.setCurrentIndex(index)
        else:
            super().keyPressEvent(event)


def button(box: QRect, sign: int) -> QRect:
    """Return the rectangle of the plus (1) or minus (-1) button of a row."""
    right = box.right() - PAD - (0 if sign < 0 else BUTTON + 2)
    return QRect(right - BUTTON, box.top() + 4, BUTTON, BUTTON)
