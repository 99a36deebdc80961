"""The table of documents as it is drawn and used: a ring for the focus, filled rows for marks."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QTableView,
    QWidget,
)

from explorer.ui.panels.documents.delegate import CellDelegate
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.widgets.row_table import Index
from explorer.ui.widgets.themed import Themed

_KEYS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier


class DocumentsTable(Themed, QTableView):
    """A table in which one row is in focus and any number are marked.

    Signals:
        focus_changed: The user put a row in focus: its number.
        marks_changed: The user marks rows: the first, the last, and how ("toggle", "replace", "add").
        opened: The user wants to read the row in focus.
    """

    focus_changed = Signal(int)
    marks_changed = Signal(int, int, str)
    opened = Signal()

    def __init__(self, model: DocumentsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._anchor = -1  # where a range of marks begins
        self._following = False
        self._wide, self._wide_least, self._fitting = -1, 0, False
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

    def fill_with(self, column: int, least: int) -> None:
        """Give the room that is left to a column, but never less than `least` pixels; -1 for no column."""
        self._wide, self._wide_least = column, least
        self._fill()

    @property
    def is_fitting(self) -> bool:
        """Whether a column is being resized by the table itself."""
        return self._fitting

    def _fill(self) -> None:
        header = self.horizontalHeader()
        if not 0 <= self._wide < header.count():
            return
        others = header.length() - header.sectionSize(self._wide)
        beside = [one for one in range(header.count()) if one != self._wide and header.visualIndex(one) == 1]
        room = self.viewport().width()
        next_one = room - sum(header.sectionSize(one) for one in beside)  # in a narrow panel it is seen whole
        least = max(int(0.6 * self._wide_least), min(self._wide_least, next_one))
        self._fitting = True
        header.resizeSection(self._wide, max(least, room - others))
        self._fitting = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The wide column takes the room that is left."""
        super().resizeEvent(event)
        self._fill()

    def follow(self, row: int, *, scroll: bool = True) -> None:
        """Put the ring around a row and bring it into sight, without telling anyone; -1 for none."""
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
        """The ring moves as a whole row, and the panel hears of it."""
        super().currentChanged(current, previous)
        self.viewport().update()
        if not self._following and current.isValid() and current.row() != previous.row():
            self.focus_changed.emit(current.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space marks, Enter reads, Shift with the arrows marks a range, Ctrl+A marks all."""
        row, key, held = self.currentIndex().row(), event.key(), event.modifiers() & _KEYS
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0:
            self.opened.emit()
        elif key == Qt.Key.Key_Space and row >= 0:
            self._anchor = row
            self.marks_changed.emit(row, row, "toggle")
        elif key == Qt.Key.Key_A and held == Qt.KeyboardModifier.ControlModifier:
            self.marks_changed.emit(0, self.model().rowCount() - 1, "replace")
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and not held & Qt.KeyboardModifier.ShiftModifier:
            # A row is one thing here: to the first and the last row, not column.
            last = self.model().rowCount() - 1
            self.setCurrentIndex(self.model().index(0 if key == Qt.Key.Key_Home else last, 0))
            self._anchor = self.currentIndex().row()
        else:
            super().keyPressEvent(event)
            self._after_move(row, bool(held & Qt.KeyboardModifier.ShiftModifier))

    def _after_move(self, before: int, shift: bool) -> None:
        row = self.currentIndex().row()
        if row == before or row < 0:
            return
        if shift:
            self._anchor = before if self._anchor < 0 else self._anchor
            self.marks_changed.emit(min(self._anchor, row), max(self._anchor, row), "replace")
        else:
            self._anchor = row

    def keyboardSearch(self, search: str) -> None:
        """Letters are keys of the window here; the filter field finds titles."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click focuses, Ctrl marks, Shift marks from the focus to here."""
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            super().mousePressEvent(event)
            return
        held, row = event.modifiers() & _KEYS, index.row()
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if held & Qt.KeyboardModifier.ShiftModifier:
            start = row if self._anchor < 0 else self._anchor
            how = "add" if held & Qt.KeyboardModifier.ControlModifier else "replace"
            self.marks_changed.emit(min(start, row), max(start, row), how)
            return
        self._anchor = row
        if held:
            self.marks_changed.emit(row, row, "toggle")
        else:
            self.setCurrentIndex(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging over rows marks them."""
        row = self.rowAt(int(event.position().y()))
        dragging = event.buttons() & Qt.MouseButton.LeftButton and not event.modifiers() & _KEYS
        if dragging and self._anchor >= 0 and row >= 0 and row != self._anchor:
            self.marks_changed.emit(min(self._anchor, row), max(self._anchor, row), "replace")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click reads."""
        if event.button() == Qt.MouseButton.LeftButton and self.indexAt(event.position().toPoint()).isValid():
            self.opened.emit()

    def restyle(self) -> None:
        self.verticalHeader().setMinimumSectionSize(16)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
