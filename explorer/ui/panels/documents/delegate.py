"""A cell of the documents table: its text, and a dot, a bar or the ring of the focus where they belong."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView

from explorer.ui.look import theme
from explorer.ui.panels.documents.columns import TITLE
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.widgets.row_table import Index

_DOT = 8  # pixels across, of a cluster's dot
_PAD = 8  # pixels beside the text
_BAR = 3  # pixels: the thickness of the focus bar and of score bars


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class CellDelegate(QStyledItemDelegate):
    """Draws a cell: text, and a dot, a bar or the ring where they belong."""

    def __init__(self, table: QTableView, model: DocumentsModel) -> None:
        super().__init__(table)
        self._table, self._model = table, model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell; by hand, as the style would ask Python a dozen questions for each."""
        cell: QRect = option.rect
        row, column, look = index.row(), index.column(), theme.current()
        marked, text, right, dot, share = self._model.drawn(row, column)
        if marked:
            painter.fillRect(cell, QColor(look.chosen))
        room = cell.adjusted(_PAD, 0, -_PAD, 0)
        if dot is not None:
            self._dot(painter, cell, dot)
            room.setLeft(room.left() + _DOT + 6)
        if share is not None:
            self._bar(painter, cell, share)
        if text:
            painter.setPen(QColor(look.ink if marked or self._model.columns[column] == TITLE else look.faint))
            cut = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, _RIGHT if right else _LEFT, cut)
        if row == self._table.currentIndex().row():
            self._ring(painter, cell, column)

    def _dot(self, painter: QPainter, cell: QRect, colour: QColor) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(
            QPointF(cell.left() + _PAD + _DOT / 2, cell.center().y() + 0.5), _DOT / 2, _DOT / 2
        )
        painter.restore()

    def _bar(self, painter: QPainter, cell: QRect, share: float) -> None:
        colour = QColor(theme.current().accent)
        colour.setAlphaF(0.55)
        room = cell.width() - self._table.fontMetrics().horizontalAdvance("0.00") - 26
        painter.fillRect(
            QRectF(cell.left() + _PAD, cell.center().y() - 1, max(0.0, room * min(1.0, share)), _BAR),
            colour,
        )

    def _ring(self, painter: QPainter, cell: QRect, column: int) -> None:
        header, accent = self._table.horizontalHeader(), QColor(theme.current().accent)
        place = header.visualIndex(column)
        pen = QPen(accent)
        pen.setCosmetic(True)
        painter.save()
        painter.setPen(pen)
        painter.drawLine(cell.topLeft(), cell.topRight())
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        if place == 0:
            painter.fillRect(QRect(cell.left(), cell.top(), _BAR, cell.height()), accent)
        if place == header.count() - 1:
            painter.drawLine(cell.topRight(), cell.bottomRight())
        painter.restore()
