"""The view of the documents table: which columns it shows, how rows are drawn, and its keys and mouse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from explorer.ui.look import theme
from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.columns import TITLE
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.widgets.row_table import LEFT, RIGHT, ExplicitCurrent, Index
from explorer.ui.widgets.themed import Themed

_DOT, _PAD, _BAR = 8, 8, 3  # pixels: a cluster's dot, beside the text, and the thickness of bars
_DEFAULT = (columns.TITLE, columns.CLUSTER, columns.DATE, columns.LENGTH, columns.FOLDER)
# Widths in digits.
_DIGITS = {columns.TITLE: 24, columns.CLUSTER: 14, columns.SCORE: 11, columns.LENGTH: 8, columns.DATE: 11}
_OTHER_DIGITS = 13
_DESCENDING_FIRST = (columns.SCORE, columns.LENGTH)


if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class MarkingView(ExplicitCurrent):
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
    _is_following = False

    def follow(self, row: int, *, scroll: bool = True) -> None:
        """Put the ring around a row and scroll to it, without emitting a signal; -1 for none."""
        model = self.model()
        column = max(0, self.currentIndex().column())
        index = model.index(row, min(column, model.columnCount() - 1)) if row >= 0 else QModelIndex()
        self._is_following = True
        self.setCurrentIndex(index)
        self._is_following = False
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
        if not self._is_following and current.isValid() and current.row() != previous.row():
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
            painter.setPen(QColor(look.foreground if marked or self._model.columns[column] == TITLE else look.faint))
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


@dataclass(frozen=True)
class Sort:
    """The column to sort by; an empty one means the order of the files."""

    column: str = ""
    descending: bool = False


_BEST_FIRST = Sort(columns.SCORE, True)


class ColumnState(QObject):
    """The columns, their widths and the sort order that the user has set.

    Saved by the names of the columns: `QHeaderView.saveState` goes by their indices, which change with every
    search and with the fields of the documents.

    Signals:
        changed: Columns or sort order have changed.
    """

    changed = Signal()

    def __init__(self, table: DocumentsTable, model: DocumentsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._table, self._model, self._view = table, model, table.horizontalHeader()
        self._chosen: tuple[str, ...] = _DEFAULT
        self._widths: dict[str, int] = {}  # as changed by the user
        self._searching = False
        self._sort, self._search_sort = Sort(), _BEST_FIRST
        self._view.sectionClicked.connect(self._on_clicked)
        self._view.sectionResized.connect(self._on_resized)
        self._view.customContextMenuRequested.connect(self._on_menu)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to show; a search adds the score."""
        if self._searching and columns.SCORE not in self._chosen:
            return (self._chosen[0], columns.SCORE, *self._chosen[1:])
        return self._chosen

    @property
    def sort(self) -> Sort:
        """The sort order; search results have their own, best first until the user changes it."""
        return self._search_sort if self._searching else self._sort

    def set_searching(self, on: bool) -> None:
        """Switch between search results and all documents."""
        self._searching = on
        if not on:
            self._search_sort = _BEST_FIRST

    def show_column(self, column: str, on: bool) -> None:
        """Show or hide a column; the title cannot be hidden."""
        others = tuple(shown for shown in self._in_visual_order() if shown != column)
        self._chosen = (*others, column) if on or column == columns.TITLE else others
        self.changed.emit()

    def apply(self) -> None:
        """Apply order and widths to the header of the table, and the arrow of the sort order."""
        view, shown = self._view, self._model.columns
        self._model.set_arrow(self.sort.column, "▾" if self.sort.descending else "▴")
        view.blockSignals(True)
        for section, column in enumerate(shown):
            view.moveSection(view.visualIndex(section), section)
            view.resizeSection(section, self._width(column))
        view.blockSignals(False)
        self._table.updateGeometries()
        self._table.fill_with(shown.index(columns.TITLE), self._width(columns.TITLE))

    def fill_menu(self, menu: QMenu) -> None:
        """Offer the columns to choose from: those of every document, then metadata fields."""
        menu.clear()
        self._add_choices(menu, columns.FIXED)
        names = [name for name in self._model.fields if name not in (columns.DATE, columns.TITLE)]
        if names:
            menu.addSeparator()
            self._add_choices(menu, [columns.FIELD + name for name in names])

    def _add_choices(self, menu: QMenu, choices: Iterable[str]) -> None:
        for column in choices:
            choice = menu.addAction(self._model.title(column).replace("&", "&&"))
            choice.setCheckable(True)
            choice.setChecked(column in self._chosen)
            choice.setEnabled(column != columns.TITLE)
            choice.toggled.connect(lambda on, column=column: self.show_column(column, on))

    def state(self) -> dict[str, Any]:
        """Return columns, widths and sort order as JSON values, for `restore`."""
        sort = {"sort": self._sort.column, "descending": self._sort.descending}
        return {"columns": list(self._in_visual_order()), "widths": dict(self._widths), **sort}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Apply what `state` returned; ignore what is missing or damaged."""
        chosen, widths, sort = state.get("columns"), state.get("widths"), state.get("sort")
        if isinstance(chosen, list) and columns.TITLE in chosen:
            self._chosen = tuple(dict.fromkeys(str(column) for column in chosen))
        if isinstance(widths, dict):
            self._widths |= {str(column): width for column, width in widths.items() if isinstance(width, int)}
        if isinstance(sort, str):
            self._sort = Sort(sort, bool(state.get("descending")))
        self.changed.emit()

    def _width(self, column: str) -> int:
        digits = _DIGITS.get(column, _OTHER_DIGITS) * self._table.fontMetrics().horizontalAdvance("0")
        return self._widths.get(column, digits + 18)

    def _in_visual_order(self) -> tuple[str, ...]:
        """Return the chosen columns in the order that the user has dragged them to."""
        shown = self._model.columns
        if set(shown) < set(self._chosen) or self._view.count() != len(shown):
            return self._chosen
        visual = (shown[self._view.logicalIndex(position)] for position in range(len(shown)))
        return tuple(column for column in visual if column in self._chosen)

    def _on_resized(self, section: int, _before: int, width: int) -> None:
        if not self._table.is_fitting and section < len(self._model.columns):
            self._widths[self._model.columns[section]] = width

    def _on_clicked(self, section: int) -> None:
        """Sort one way, then the other, then as without a sort column."""
        column, current = self._model.columns[section], self.sort
        first = column in _DESCENDING_FIRST
        if current.column != column:
            new = Sort(column, first)
        elif current.descending == first:
            new = Sort(column, not first)
        else:
            new = _BEST_FIRST if self._searching else Sort()
        if self._searching:
            self._search_sort = new
        else:
            self._sort = new
        self._chosen = self._in_visual_order()
        self.changed.emit()

    def _on_menu(self, position: QPoint) -> None:
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu)
        menu.popup(self._view.mapToGlobal(position))
