"""The view of the cluster tree: how its rows are drawn, and its mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
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
from explorer.ui.panels.clusters.model import FOCUS, MARKED, NODE, ClusterModel, Node
from explorer.ui.widgets.row_table import LEFT, RIGHT, Index

UNSTABLE = 0.5  # stability below which a cluster should not be relied on
_DOT, _PAD, _BAR = 8, 8, 26  # pixels
_WIDE = 280  # pixels of a line that has room for the bars beside the words


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
        painter.setPen(QColor(colours.ink if node.key[0] == 0 and not node.is_unclustered else colours.faint))
        name, _ = _fitting(index.data(Qt.ItemDataRole.DisplayRole), painter.fontMetrics(), line.width() - room)
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


class ClusterTree(QTreeView):
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
