"""The clusters as a tree: the model of coarser and finer ones, and the view that draws their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from explorer.analysis.topics.topic_words import BETWEEN
from explorer.ui.look import theme
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import LEFT, NO_PARENT, RIGHT, ExplicitCurrent, Index

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from explorer.analysis.clusters.hierarchy import Tree
    from explorer.services.overview import Clusters
    from explorer.workspace.overview.clusters import Cluster


Key = tuple[int, int]

UNCLUSTERED = -1
FINER_LEVELS = 1  # within the clusters that are shown
NODE = int(Qt.ItemDataRole.UserRole) + 1
MARKED = NODE + 1  # the share of a row's documents that is marked
FOCUS = NODE + 2  # whether the document in focus is in the row
_MOST = 0.7  # share of all documents above which a coarser cluster is left out
_TIP_WORDS = 12  # topic words in a tooltip
UNSTABLE = 0.5  # stability below which a cluster should not be relied on
_DOT, _PAD, _BAR = 8, 8, 26  # pixels
_WIDE = 280  # pixels of a line that has room for the bars beside the words


@dataclass(frozen=True, eq=False)
class Node:
    """A row of the tree.

    Attributes:
        key: Its level (0 is what is shown, below 0 is coarser, above is finer) and its label there.
        name: Its name; empty if it has none.
        documents: (n,) the ids of its documents.
        colour: The index of its colour in the palette; -1 for none of its own.
        cluster: What is known of it, if it is one of the clusters that are shown.
        stability: How reliably it reappears in samples; None while that is not known.
        children: The rows within it.
    """

    key: Key
    name: str
    documents: NDArray[np.int64]
    colour: int = -1
    cluster: Cluster | None = None
    stability: float | None = None
    children: tuple[Node, ...] = ()

    @property
    def size(self) -> int:
        """The number of its documents."""
        return len(self.documents)

    @property
    def is_unclustered(self) -> bool:
        """Whether it holds the documents that belong to no cluster."""
        return self.key == (0, UNCLUSTERED)


def nodes(clusters: Clusters) -> tuple[Node, ...]:
    """Return the top rows, largest first; the unclustered documents, if there are any, come last."""
    build = _Builder(clusters)
    top = build.shown() if clusters.tree is None else build.level(clusters.tree)
    rest = clusters.documents[clusters.shown.labels < 0]
    return (*top, Node((0, UNCLUSTERED), "", rest)) if len(rest) else top


class _Builder:
    """Makes rows from the levels of a tree."""

    def __init__(self, clusters: Clusters) -> None:
        self._clusters = clusters
        self._known = {cluster.id: cluster for cluster in clusters.clusters}
        self._colours = clusters.colour_ranks()

    def shown(self) -> tuple[Node, ...]:
        """Return the clusters that are shown, without coarser or finer ones."""
        members, none = _members(self._clusters.shown.labels), np.zeros(0, np.int64)
        return tuple(self._shown(id_, members.get(id_, none)) for id_ in self._known)

    def level(self, tree: Tree, level: int = 0, rows: NDArray[np.int64] | None = None) -> tuple[Node, ...]:
        """Return the rows of a level among some documents, largest first, with those below them."""
        rows = np.arange(len(self._clusters.documents)) if rows is None else rows
        members = _members(tree.levels[level][rows])
        made: list[Node] = []
        for label, places in members.items():
            node = self._node(tree, level, label, rows[places])
            # A coarser cluster of most documents says nothing; those within it do.
            hides = node.key[0] < 0 and node.size > _MOST * len(self._clusters.documents)
            made += node.children if hides else [node]
        return tuple(sorted(made, key=lambda node: (-node.size, node.key)))

    def _node(self, tree: Tree, level: int, label: int, rows: NDArray[np.int64]) -> Node:
        last = min(tree.shown + FINER_LEVELS, len(tree.levels) - 1)
        below = self.level(tree, level + 1, rows) if level < last else ()
        if level < tree.shown and len(below) == 1:
            return below[0]  # a coarser cluster with a single child would only repeat it
        below = below[0].children if len(below) == 1 else below
        if level == tree.shown:
            return self._shown(label, rows, below)
        names: Mapping[int, str] = self._clusters.names[level] if level < len(self._clusters.names) else {}
        documents = self._clusters.documents[rows]
        return Node((level - tree.shown, label), names.get(label, ""), documents, children=below)

    def _shown(self, label: int, rows: NDArray[np.int64], below: tuple[Node, ...] = ()) -> Node:
        cluster = self._known.get(label)
        stability = (self._clusters.stability or {}).get(label)
        name, colour = cluster.name if cluster is not None else "", self._colours.get(label, -1)
        return Node((0, label), name, self._clusters.documents[rows], colour, cluster, stability, below)


def _members(labels: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """Return the indices of each label, without the negative ones."""
    order = np.argsort(labels, kind="stable")
    names, starts = np.unique(labels[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {int(name): part for name, part in zip(names, parts, strict=True) if name >= 0}


class ClusterModel(QAbstractItemModel):
    """Rows of clusters.

    Signals:
        renamed: The user typed a name for a cluster: its id and the name.
    """

    renamed = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._top: tuple[Node, ...] = ()
        self._flat: list[tuple[Node, int, int]] = []  # a node, its row, and its parent's index here
        self._positions: dict[Key, int] = {}  # in the flat list
        self._total = 0
        self._shares: dict[Key, float] = {}
        self._flags = np.zeros(1, bool)  # by document id: whether it is marked
        self._marked = DocumentSet()
        self._focus: int | None = None

    def show_nodes(self, top: tuple[Node, ...], total: int) -> None:
        """Replace all rows; `total` is the number of documents."""
        self.beginResetModel()
        self._top, self._total, self._flat = top, total, []
        self._flatten(top, -1)
        self._positions = {node.key: position for position, (node, _, _) in enumerate(self._flat)}
        self._shares = {}
        self.endResetModel()

    def _flatten(self, children: tuple[Node, ...], parent: int) -> None:
        for row, node in enumerate(children):
            position = len(self._flat)
            self._flat.append((node, row, parent))
            self._flatten(node.children, position)

    def set_selection(self, focus: int | None, marked: DocumentSet) -> None:
        """Show which documents are in focus and marked."""
        self._focus = focus
        if marked is not self._marked:
            self._marked, self._shares = marked, {}
            self._flags = np.zeros(int(marked.ids[-1]) + 2 if marked else 1, bool)
            self._flags[marked.ids] = True

    def _marked_share(self, node: Node) -> float:
        """Return the share of a row's documents that is marked; computed when the row is drawn."""
        if node.key not in self._shares:
            ids = np.minimum(node.documents, len(self._flags) - 1)  # the last flag is never set
            self._shares[node.key] = np.count_nonzero(self._flags[ids]) / max(1, node.size)
        return self._shares[node.key]

    def nodes(self) -> Iterator[Node]:
        """Return all rows, a row before those within it."""
        return (node for node, _, _ in self._flat)

    def index_of(self, key: Key) -> QModelIndex:
        """Return the index of a row; an invalid one if there is no such row."""
        position = self._positions.get(key)
        return QModelIndex() if position is None else self.createIndex(self._flat[position][1], 0, position)

    def node(self, index: Index) -> Node | None:
        """Return the row at an index."""
        return self._flat[index.internalId()][0] if index.isValid() else None

    def index(self, row: int, column: int, parent: Index = NO_PARENT) -> QModelIndex:
        above = self.node(parent)
        inside = self._top if above is None else above.children
        if column != 0 or not 0 <= row < len(inside):
            return QModelIndex()
        return self.createIndex(row, 0, self._positions[inside[row].key])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        above = self._flat[index.internalId()][2] if index.isValid() else -1
        return QModelIndex() if above < 0 else self.createIndex(self._flat[above][1], 0, above)

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        above = self.node(parent)
        return len(self._top if above is None else above.children)

    def columnCount(self, parent: Index = NO_PARENT) -> int:  # noqa: ARG002
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        node = self.node(index)
        if node is None:
            return Qt.ItemFlag.NoItemFlags
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return plain | Qt.ItemFlag.ItemIsEditable if node.cluster is not None else plain

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        if node is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._name(node)
            case Qt.ItemDataRole.EditRole:
                return node.name
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(node)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(node)
            case Qt.ItemDataRole.StatusTipRole:
                return self._second_line(node)
            case _ if role == NODE:
                return node
            case _ if role == MARKED:
                return self._marked_share(node)
            case _ if role == FOCUS:
                return self._focus is not None and bool((node.documents == self._focus).any())
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        node = self.node(index)
        if role != Qt.ItemDataRole.EditRole or node is None or node.cluster is None:
            return False
        name = " ".join(str(value).split())
        if name != node.name:
            self.renamed.emit(node.cluster.id, name)
        return True

    # Texts

    def _name(self, node: Node) -> str:
        if node.is_unclustered:
            return self.tr("Unclustered")
        return node.name or self.tr("Cluster {number}").format(number=node.key[1])

    def _second_line(self, node: Node) -> str:
        """Return the topic words that are not in the name; for the unclustered documents, their share."""
        if node.is_unclustered:
            return self.tr("{share} of all documents").format(share=f"{node.size / max(1, self._total):.1%}")
        if node.cluster is None:
            return ""
        shown = node.cluster.name.casefold()
        return ", ".join(word.text for word in node.cluster.words if word.text.casefold() not in shown)

    def _spoken(self, node: Node) -> str:
        text = self.tr("{name}, %Ln document(s)", "", node.size).format(name=self._name(node))
        return f"{text}, {self._second_line(node)}" if node.is_unclustered else text

    def _tip(self, node: Node) -> str:
        lines = [self._spoken(node)]
        if node.is_unclustered:
            lines.append(
                self.tr(
                    "These documents are too far from every cluster. “Assign” moves each one to the nearest cluster."
                )
            )
        if node.cluster is not None:
            words = ", ".join(word.text for word in node.cluster.words[:_TIP_WORDS])
            lines += [words] if words else []
            lines.append(
                self.tr("Cohesion {value}: how close the documents are to the cluster centre (mean cosine).").format(
                    value=f"{node.cluster.cohesion:.2f}"
                )
            )
            lines.append(
                self.tr("Stability: not computed yet.")
                if node.stability is None
                else self.tr(
                    "Stability {value}: how reliably this cluster reappears in samples of 80 % of the documents. "
                    "Below 0.50 it should not be relied on."
                ).format(value=f"{node.stability:.2f}")
            )
        return plain_tip("\n".join(lines))


def _fitting(name: str, metrics: QFontMetrics, room: int) -> tuple[str, list[str]]:
    """Return the words of a name that have room in a line, and the others: half a word says nothing."""
    words = name.split(BETWEEN)
    count = len(words)
    while count > 1 and metrics.horizontalAdvance(BETWEEN.join(words[:count])) > room:
        count -= 1
    return metrics.elidedText(BETWEEN.join(words[:count]), Qt.TextElideMode.ElideRight, room), words[count:]


class ClusterRow(QStyledItemDelegate):
    """Draws a row: a dot, the name and the size; below, topic words, and bars for cohesion and stability.

    Signals:
        assign_requested: "Assign" was pressed in the row of the unclustered documents.
    """

    assign_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.assign_text = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        node: Node = index.data(NODE)
        lines = 2 if node.key[0] == 0 else 1
        return QSize(120, lines * QFontMetrics(option.font).height() + 10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, node = theme.current(), index.data(NODE)
        cell: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(QRect(cell.left(), cell.top(), 2, cell.height()), QColor(colours.accent))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.drawRect(QRectF(cell).adjusted(0.5, 0.5, -0.5, -0.5))
        inner = cell.adjusted(_PAD, 5, -_PAD, -5)
        self._dot(painter, inner, node, ringed=index.data(FOCUS))
        if node.colour >= 0 or node.is_unclustered:
            inner.setLeft(inner.left() + _DOT + 6)
        painter.setFont(option.font)
        self._first_line(painter, inner, index, node)
        if node.key[0] == 0:
            self._second_line(painter, inner, index, node)
        painter.restore()

    def _dot(self, painter: QPainter, inner: QRect, node: Node, *, ringed: bool) -> None:
        colours = theme.current()
        middle = QPointF(inner.left() + _DOT / 2, inner.top() + painter.fontMetrics().height() / 2)
        if node.colour >= 0 or node.is_unclustered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.cluster_colour(node.colour, dark=colours.dark)))
            painter.drawEllipse(middle, _DOT / 2, _DOT / 2)
        if ringed and node.key[0] == 0:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.accent), 1.6))
            painter.drawEllipse(middle, _DOT / 2 + 2.5, _DOT / 2 + 2.5)

    def _first_line(self, painter: QPainter, inner: QRect, index: Index, node: Node) -> None:
        colours, height = theme.current(), painter.fontMetrics().height()
        line = QRect(inner.left(), inner.top(), inner.width(), height)
        size = f"{node.size:,}"
        room = painter.fontMetrics().horizontalAdvance(size) + _PAD
        painter.setPen(QColor(colours.faint))
        painter.drawText(line, RIGHT, size)
        font = painter.font()
        font.setBold(node.cluster is not None and node.cluster.named)
        painter.setFont(font)
        painter.setPen(QColor(colours.foreground if node.key[0] == 0 and not node.is_unclustered else colours.faint))
        name, metrics = index.data(Qt.ItemDataRole.DisplayRole), painter.fontMetrics()
        if node.key[0] == 0:
            name, _ = _fitting(name, metrics, line.width() - room)
        else:  # without a second line for the rest; a group must not be called like the first cluster in it
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, line.width() - room)
        painter.drawText(line, LEFT, name)
        font.setBold(False)
        painter.setFont(font)

    def _second_line(self, painter: QPainter, inner: QRect, index: Index, node: Node) -> None:
        colours, height = theme.current(), painter.fontMetrics().height()
        line = QRect(inner.left(), inner.top() + height, inner.width(), height)
        if node.is_unclustered:
            link = self._link(painter.fontMetrics(), line)
            painter.setPen(QColor(colours.accent))
            painter.drawText(link, RIGHT, self.assign_text)
            line.setRight(link.left() - _PAD)
        elif node.cluster is not None and line.width() > _WIDE:  # in a narrow column the words say more
            self._bars(painter, line, node.cluster.cohesion, node.stability)
            line.setRight(line.right() - 2 * _BAR - 2 * _PAD)
        painter.setPen(QColor(colours.faint))
        metrics, words = painter.fontMetrics(), index.data(Qt.ItemDataRole.StatusTipRole)
        room = inner.width() - metrics.horizontalAdvance(f"{node.size:,}") - _PAD
        _, rest = _fitting(index.data(Qt.ItemDataRole.DisplayRole), metrics, room)
        text = ", ".join([*rest, words] if words else rest)
        painter.drawText(line, LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width()))

    def _bars(self, painter: QPainter, line: QRect, cohesion: float, stability: float | None) -> None:
        colours, top = theme.current(), line.center().y() - 1
        left = line.right() - 2 * _BAR - 6
        unstable = stability is not None and stability < UNSTABLE
        for position, (share, colour) in enumerate(
            ((cohesion, colours.accent), (stability, colours.stale if unstable else colours.accent))
        ):
            x = left + position * (_BAR + 6)
            painter.fillRect(QRectF(x, top, _BAR, 3), QColor(colours.hairline))
            if share is not None:
                painter.fillRect(QRectF(x, top, _BAR * min(max(share, 0.0), 1.0), 3), QColor(colour))

    def _link(self, metrics: QFontMetrics, line: QRect) -> QRect:
        width = metrics.horizontalAdvance(self.assign_text)
        return QRect(line.right() - width, line.top(), width + 1, line.height())

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        node = index.data(NODE)
        released = event.type() == QEvent.Type.MouseButtonRelease
        if node.is_unclustered and released and isinstance(event, QMouseEvent):
            metrics = QFontMetrics(option.font)
            inner: QRect = option.rect.adjusted(_PAD, 5, -_PAD, -5)
            line = QRect(inner.left(), inner.top() + metrics.height(), inner.width(), metrics.height())
            if self._link(metrics, line).adjusted(-4, -2, 4, 4).contains(event.position().toPoint()):
                self.assign_requested.emit()
                return True
        return super().editorEvent(event, model, option, index)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:  # noqa: ARG002
        line = QLineEdit(parent)
        line.setAccessibleName(str(index.data(Qt.ItemDataRole.DisplayRole)))
        line.setPlaceholderText(str(index.data(Qt.ItemDataRole.DisplayRole)))
        line.setMaxLength(200)
        return line

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: ARG002
        cell: QRect = option.rect
        left = cell.left() + _PAD + _DOT
        height = editor.sizeHint().height()
        editor.setGeometry(left, cell.top() + (cell.height() - height) // 2, cell.right() - left - 2, height)


class ClusterTree(ExplicitCurrent, QTreeView):
    """The tree; a click or Enter filters, a double click zooms, Space selects the documents, F2 renames.

    Signals:
        marks_requested: The documents of the selected rows are to be marked.
        zoom_requested: The map is to show the current row.
        filter_requested: Only the documents of the selected rows are to be shown.
    """

    marks_requested = Signal()
    zoom_requested = Signal()
    filter_requested = Signal()

    def __init__(self, model: ClusterModel, row: ClusterRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(row)
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAllColumnsShowFocus(True)
        self.clicked.connect(lambda _: self.filter_requested.emit())
        self.doubleClicked.connect(lambda _: self.zoom_requested.emit())

    # A row is filled as far as its documents are marked.
    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        share, row = float(index.data(MARKED)), options.rect
        width = self.viewport().width() * share
        painter.fillRect(QRectF(0, row.top(), width, row.height()), QColor(theme.current().chosen))
        super().drawRow(painter, options, index)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if not self.model().hasChildren(index):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().faint), 1.4))
        middle = QPointF(rect.right() - 6, rect.top() + 5 + self.fontMetrics().height() / 2)
        near, far = (QPointF(-3.5, -1.8), QPointF(3.5, -1.8)), QPointF(0, 2)
        if not self.isExpanded(index):
            near, far = (QPointF(-1.8, -3.5), QPointF(-1.8, 3.5)), QPointF(2, 0)
        painter.drawPolyline([middle + near[0], middle + far, middle + near[1]])
        painter.restore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.filter_requested.emit()
        elif event.key() == Qt.Key.Key_Space:
            self.marks_requested.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window
