"""The view of the documents table: a ring around the row in focus, filled rows for marks, dots and score bars."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from explorer.ui.look import theme
from explorer.ui.panels.documents.columns import TITLE
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.widgets.row_table import LEFT, RIGHT, Index
from explorer.ui.widgets.themed import Themed

_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_DOT, _PAD, _BAR = 8, 8, 3  # pixels: a cluster's dot, beside the text, and the thickness of bars


class DocumentsTable(Themed, QTableView):
    """A table in which one row is in focus and any number are marked.

    Marks are not Qt's selection: they include documents that are not shown, and a click or Ctrl+click changes
    only one of focus and marks, so `selectionCommand` cannot express them.

    Signals:
        focus_changed: The user put a row in focus.
        marks_changed: The user marks rows: the first, the last, and how ("toggle", "replace", "add").
        opened: The user wants to read the row in focus.
    """

    focus_changed = Signal(int)
    marks_changed = Signal(int, int, str)
    opened = Signal()

    def __init__(self, model: DocumentsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._anchor = -1  # the row where a range of marks begins
        self._following = False
        self._wide, self._wide_minimum, self._fitting = -1, 0, False
        self.setModel(model)
        self.setItemDelegate(CellDelegate(self, model))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.restyle()
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setMinimumSectionSize(40)
        header.sectionPressed.disconnect()  # or it would move the focus to the first row
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def fill_with(self, column: int, minimum: int) -> None:
        """Give the remaining width to a column, but at least `minimum` pixels."""
        self._wide, self._wide_minimum = column, minimum
        self._fill()

    @property
    def is_fitting(self) -> bool:
        """Whether the table itself is resizing a column."""
        return self._fitting

    def _fill(self) -> None:
        header, room = self.horizontalHeader(), self.viewport().width()
        if not 0 <= self._wide < header.count():
            return
        others = header.length() - header.sectionSize(self._wide)
        # In a narrow panel the wide column shrinks until the one beside it is completely visible.
        second = header.logicalIndex(1)
        beside = header.sectionSize(second) if second not in (-1, self._wide) else 0
        minimum = max(int(0.6 * self._wide_minimum), min(self._wide_minimum, room - beside))
        self._fitting = True
        header.resizeSection(self._wide, max(minimum, room - others))
        self._fitting = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill()

    def follow(self, row: int, *, scroll: bool = True) -> None:
        """Put the ring around a row and scroll to it, without emitting a signal; -1 for none."""
        model = self.model()
        column = max(0, self.currentIndex().column())
        index = model.index(row, min(column, model.columnCount() - 1)) if row >= 0 else QModelIndex()
        self._following = True
        self.setCurrentIndex(index)
        self._following = False
        self._anchor = row
        if row >= 0 and scroll:
            self.scrollTo(model.index(row, self.horizontalHeader().logicalIndex(0)))
        self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()  # the ring is around the whole row
        if not self._following and current.isValid() and current.row() != previous.row():
            self.focus_changed.emit(current.row())

    def _mark_range(self, row: int, how: str = "replace") -> None:
        self.marks_changed.emit(min(self._anchor, row), max(self._anchor, row), how)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before, key, held = self.currentIndex().row(), event.key(), event.modifiers() & (_SHIFT | _CTRL)
        last = self.model().rowCount() - 1
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and before >= 0:
            self.opened.emit()
        elif key == Qt.Key.Key_Space and before >= 0:
            self._anchor = before
            self.marks_changed.emit(before, before, "toggle")
        elif key == Qt.Key.Key_A and held == _CTRL:
            self.marks_changed.emit(0, last, "replace")
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and not held & _SHIFT:
            # To the first and the last row, where Qt would go to the first and the last column.
            self.setCurrentIndex(self.model().index(0 if key == Qt.Key.Key_Home else last, 0))
            self._anchor = self.currentIndex().row()
        else:
            super().keyPressEvent(event)
            row = self.currentIndex().row()
            if row == before or row < 0:
                return
            if held & _SHIFT:
                self._anchor = before if self._anchor < 0 else self._anchor
                self._mark_range(row)
            else:
                self._anchor = row

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window; the filter field finds titles

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            super().mousePressEvent(event)
            return
        held, row = event.modifiers() & (_SHIFT | _CTRL), index.row()
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._anchor < 0 or not held & _SHIFT:
            self._anchor = row
        if held & _SHIFT:
            self._mark_range(row, "add" if held & _CTRL else "replace")
        elif held:
            self.marks_changed.emit(row, row, "toggle")
        else:
            self.setCurrentIndex(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.rowAt(int(event.position().y()))
        dragging = event.buttons() & Qt.MouseButton.LeftButton and not event.modifiers() & (_SHIFT | _CTRL)
        if dragging and self._anchor >= 0 and row >= 0 and row != self._anchor:
            self._mark_range(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.indexAt(event.position().toPoint()).isValid():
            self.opened.emit()

    def restyle(self) -> None:
        self.verticalHeader().setMinimumSectionSize(16)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)


class CellDelegate(QStyledItemDelegate):
    """Draws a cell; by hand, since the style would call the Python model a dozen times per cell."""

    def __init__(self, table: QTableView, model: DocumentsModel) -> None:
        super().__init__(table)
        self._table, self._model = table, model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        cell: QRect = option.rect
        row, column, look = index.row(), index.column(), theme.current()
        marked, text, right, dot, share = self._model.drawn(row, column)
        if marked:
            painter.fillRect(cell, QColor(look.chosen))
        room = cell.adjusted(_PAD, 0, -_PAD, 0)
        if dot is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(dot)
            centre = QPointF(room.left() + _DOT / 2, cell.center().y() + 0.5)
            painter.drawEllipse(centre, _DOT / 2, _DOT / 2)
            painter.restore()
            room.setLeft(room.left() + _DOT + 6)
        if share is not None:
            colour = QColor(look.accent)
            colour.setAlphaF(0.55)
            width = (cell.width() - option.fontMetrics.horizontalAdvance("0.00") - 26) * min(1.0, share)
            painter.fillRect(QRectF(room.left(), cell.center().y() - 1, max(0.0, width), _BAR), colour)
        if text:
            painter.setPen(QColor(look.ink if marked or self._model.columns[column] == TITLE else look.faint))
            cut = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, int((RIGHT if right else LEFT) | Qt.TextFlag.TextSingleLine), cut)
        if row == self._table.currentIndex().row():
            self._draw_ring(painter, cell, column)

    def _draw_ring(self, painter: QPainter, cell: QRect, column: int) -> None:
        """Draw the part of the row's ring that belongs to a cell."""
        header, accent = self._table.horizontalHeader(), QColor(theme.current().accent)
        position = header.visualIndex(column)
        pen = QPen(accent)
        pen.setCosmetic(True)
        painter.save()
        painter.setPen(pen)
        painter.drawLine(cell.topLeft(), cell.topRight())
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        if position == 0:
            painter.fillRect(QRect(cell.left(), cell.top(), _BAR, cell.height()), accent)
        if position == header.count() - 1:
            painter.drawLine(cell.topRight(), cell.bottomRight())
        painter.restore()
