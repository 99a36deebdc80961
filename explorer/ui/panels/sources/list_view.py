"""A list of sources: headings that fold, and rows with a count of which some are on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import RIGHT, FrozenListModel, Index

_PAD = 10
ROW = Qt.ItemDataRole.UserRole.value


@dataclass(frozen=True)
class SourceRow:
    """A row.

    Attributes:
        key: What a press on it means.
        text: Its name.
        count: Its documents; None for a heading.
        icon: The name of its icon, if any.
        on: Whether the list shows it; of a heading, whether it is open.
        heading: Whether it is a heading.
        news: What is new in it, in place of the count.
    """

    key: tuple[str, str]
    text: str
    count: int | None = None
    icon: str = ""
    on: bool = False
    heading: bool = False
    news: str = ""


class SourceModel(FrozenListModel[SourceRow]):
    """The rows."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(filter(None, (row.text, row.news or ("" if row.count is None else f"{row.count:,}"))))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(row.text)
        return row if role == ROW else None


class SourceDelegate(QStyledItemDelegate):
    """Draws a row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading = index.data(ROW).heading
        return QSize(80, option.fontMetrics.height() + (14 if heading else 9))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, box, look = index.data(ROW), QRect(option.rect), theme.current()
        painter.save()
        if row.on and not row.heading:
            painter.fillRect(box, QColor(look.chosen))
        view = option.widget
        if isinstance(view, QListView) and view.hasFocus() and view.currentIndex().row() == index.row():
            painter.setPen(QPen(QColor(look.accent), 1))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        inner = box.adjusted(_PAD, 0, -_PAD, 0)
        metrics = option.fontMetrics
        baseline = inner.center().y() + (metrics.ascent() - metrics.descent()) // 2 + (3 if row.heading else 1)
        if row.heading:
            icon = theme.icon("down" if row.on else "right", look.faint)
            icon.paint(painter, QRect(inner.right() - 11, baseline - 10, 12, 12))
            font = QFont(option.font)
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            painter.setPen(QColor(look.faint))
        else:
            count = row.news or ("" if row.count is None else f"{row.count:,}")
            painter.setPen(QColor(look.accent if row.news else look.faint))
            painter.drawText(inner, RIGHT, count)
            inner.setRight(inner.right() - metrics.horizontalAdvance(count) - 8)
            if row.icon:
                theme.icon(row.icon, look.faint).paint(painter, QRect(inner.left(), inner.center().y() - 7, 15, 15))
                inner.setLeft(inner.left() + 21)
            painter.setPen(QColor(look.ink))
        text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(QPoint(inner.left(), baseline), text)
        painter.restore()


class SourceList(QListView):
    """The view.

    Signals:
        chosen: A row was chosen: its key, and whether it is added to what is on.
    """

    chosen = Signal(object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = SourceModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(SourceDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)

    def show_rows(self, rows: tuple[SourceRow, ...]) -> None:
        """Replace the rows; position and current row stay."""
        if rows != self.rows.rows:
            scrolled, current = self.verticalScrollBar().value(), self.currentIndex().row()
            self.rows.show_rows(rows)
            self.setCurrentIndex(self.rows.index(current, 0))
            self.verticalScrollBar().setValue(scrolled)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            held = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
            self.chosen.emit(index.data(ROW).key, bool(held))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and index.isValid():
            self.chosen.emit(index.data(ROW).key, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window
