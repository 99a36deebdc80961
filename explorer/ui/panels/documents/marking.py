"""Keys and mouse of a view whose rows can be in focus or marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent

from explorer.ui.widgets.row_table import Index

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance
    from PySide6.QtWidgets import QAbstractItemView as _Base
else:
    _Base = object  # a mixin, named before the view

_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class MarkingView(_Base):
    """Mixin for a view of rows, of which one is in focus and any number are marked.

    Marks are not Qt's selection: they include documents that are not shown, and a click or Ctrl+click changes
    only one of focus and marks, so `selectionCommand` cannot express them. The view declares the signals
    `focus_changed(int)`, `marks_changed(int, int, str)` (first row, last row, how), `opened()` and `paged(int)`.
    """

    if TYPE_CHECKING:
        focus_changed: SignalInstance
        marks_changed: SignalInstance
        opened: SignalInstance
        paged: SignalInstance

    _anchor = -1  # the row where a range of marks begins
    _following = False

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
            self.scroll_to_row(row)
        self.viewport().update()

    def scroll_to_row(self, row: int) -> None:
        """Scroll a row into view."""
        self.scrollTo(self.model().index(row, 0))

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
        elif key == Qt.Key.Key_Space and held & _CTRL and before >= 0:
            self._anchor = before
            self.marks_changed.emit(before, before, "toggle")
        elif key == Qt.Key.Key_Space:
            self.paged.emit(-1 if held & _SHIFT else 1)
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
        pass  # letters are shortcuts of the window; the query finds titles

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
        row = self.indexAt(event.position().toPoint()).row()
        dragging = event.buttons() & Qt.MouseButton.LeftButton and not event.modifiers() & (_SHIFT | _CTRL)
        if dragging and self._anchor >= 0 and row >= 0 and row != self._anchor:
            self._mark_range(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.indexAt(event.position().toPoint()).isValid():
            self.opened.emit()
