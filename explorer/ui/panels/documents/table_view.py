"""The view of the documents table: a ring around the row in focus, filled rows for marks, dots and score bars."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from explorer.ui.look import theme
from explorer.ui.panels.documents.columns import TITLE
from explorer.ui.panels.documents.marking import MarkingView
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.widgets.row_table import LEFT, RIGHT, Index
from explorer.ui.widgets.themed import Themed

_DOT, _PAD, _BAR = 8, 8, 3  # pixels: a cluster's dot, beside the text, and the thickness of bars


class DocumentsTable(Themed, MarkingView, QTableView):
    """A table in which one row is in focus and any number are marked.

    Signals:
        focus_changed: The user put a row in focus.
        marks_changed: The user marks rows: the first, the last, and how ("toggle", "replace", "add").
        opened: The user wants to read the row in focus.
        paged: The reader is to go on (1) or back (-1) by a page.
    """

    focus_changed = Signal(int)
    marks_changed = Signal(int, int, str)
    opened = Signal()
    paged = Signal(int)

    def __init__(self, model: DocumentsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    def scroll_to_row(self, row: int) -> None:
        self.scrollTo(self.model().index(row, self.horizontalHeader().logicalIndex(0)))

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
