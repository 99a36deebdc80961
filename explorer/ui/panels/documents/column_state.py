"""Which columns of the documents table are shown, how wide they are, and which one the rows are sorted by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu

from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.panels.documents.table_view import DocumentsTable

_DEFAULT = (columns.TITLE, columns.CLUSTER, columns.DATE, columns.LENGTH, columns.FOLDER)
# Widths in digits.
_DIGITS = {columns.TITLE: 24, columns.CLUSTER: 14, columns.SCORE: 11, columns.LENGTH: 8, columns.DATE: 11}
_OTHER_DIGITS = 13
_DESCENDING_FIRST = (columns.SCORE, columns.LENGTH)


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
