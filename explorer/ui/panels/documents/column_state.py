"""The columns of the documents table: which there are, how wide, and which one orders the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu

from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.model import DocumentsModel
from explorer.ui.panels.documents.table_view import DocumentsTable

_FIRST = (columns.TITLE, columns.CLUSTER, columns.DATE, columns.LENGTH, columns.FOLDER)
_LETTERS = {columns.TITLE: 24, columns.CLUSTER: 14, columns.SCORE: 11, columns.LENGTH: 8, columns.DATE: 11}
_OTHERS = 13  # letters that fit into any other column
_MOST_FIRST = (columns.SCORE, columns.LENGTH)


@dataclass(frozen=True)
class Sort:
    """By which column; an empty one means the order of the files."""

    column: str = ""
    descending: bool = False


_BEST_FIRST = Sort(columns.SCORE, True)


class ColumnState(QObject):
    """What the user chose to see of each document, and in which order.

    Signals:
        changed: Other columns, or another order.
    """

    changed = Signal()

    def __init__(self, table: DocumentsTable, model: DocumentsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._table, self._model, self._view = table, model, table.horizontalHeader()
        self._chosen: tuple[str, ...] = _FIRST
        self._widths: dict[str, int] = {}  # where the user changed them
        self._searching = False
        self._sort, self._found_sort = Sort(), _BEST_FIRST
        self._view.sectionClicked.connect(self._on_clicked)
        self._view.sectionResized.connect(self._on_resized)
        self._view.customContextMenuRequested.connect(self._on_menu)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to show; the score comes by itself while a search is on."""
        if self._searching and columns.SCORE not in self._chosen:
            return (self._chosen[0], columns.SCORE, *self._chosen[1:])
        return self._chosen

    @property
    def sort(self) -> Sort:
        """The order of the rows; a search has one of its own, the best first."""
        return self._found_sort if self._searching else self._sort

    def set_searching(self, on: bool) -> None:
        """Show what a search found, or documents as they are."""
        self._searching = on
        if not on:
            self._found_sort = _BEST_FIRST

    def show_column(self, column: str, on: bool) -> None:
        """Show or hide a column; the title always stays."""
        kept = tuple(one for one in self._moved() if one != column)
        self._chosen = (*kept, column) if on or column == columns.TITLE else kept
        self.changed.emit()

    def lay(self) -> None:
        """Columns from left to right as they are listed, with the widths they had, and the arrow of the order."""
        view, shown = self._view, self._model.columns
        self._model.set_arrow(self.sort.column, "▾" if self.sort.descending else "▴")
        view.blockSignals(True)
        for place, column in enumerate(shown):
            view.moveSection(view.visualIndex(place), place)
            view.resizeSection(place, self._width(column))
        view.blockSignals(False)
        self._table.updateGeometries()
        self._table.fill_with(shown.index(columns.TITLE), self._width(columns.TITLE))

    def fill_menu(self, menu: QMenu) -> None:
        """The columns to choose from: what every document has, then what files say of themselves."""
        menu.clear()
        self._add_choices(menu, columns.FIXED)
        known = [
            columns.FIELD + name for name in self._model.fields if name not in (columns.DATE, columns.TITLE)
        ]
        if known:
            menu.addSeparator()
            self._add_choices(menu, known)

    def _add_choices(self, menu: QMenu, choices: Iterable[str]) -> None:
        for column in choices:
            choice = menu.addAction(self._model.title(column).replace("&", "&&"))
            choice.setCheckable(True)
            choice.setChecked(column in self._chosen)
            choice.setEnabled(column != columns.TITLE)
            choice.toggled.connect(lambda on, column=column: self.show_column(column, on))

    def state(self) -> dict[str, Any]:
        """Columns, widths and order, for `restore`; JSON."""
        return {
            "columns": list(self._moved()), "widths": dict(self._widths), "sort": self._sort.column,
            "descending": self._sort.descending,
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Show columns and order as they were; what is not understood is left alone."""
        chosen, widths, sort = state.get("columns"), state.get("widths"), state.get("sort")
        if isinstance(chosen, list) and columns.TITLE in chosen:
            self._chosen = tuple(dict.fromkeys(str(one) for one in chosen))
        if isinstance(widths, dict):
            self._widths |= {str(one): wide for one, wide in widths.items() if isinstance(wide, int)}
        if isinstance(sort, str):
            self._sort = Sort(sort, bool(state.get("descending")))
        self.changed.emit()

    def _width(self, column: str) -> int:
        letters = _LETTERS.get(column, _OTHERS) * self._table.fontMetrics().horizontalAdvance("0")
        return self._widths.get(column, letters + 18)

    def _moved(self) -> tuple[str, ...]:
        """The chosen columns as the user has moved them."""
        shown = self._model.columns
        if set(shown) < set(self._chosen) or self._view.count() != len(shown):
            return self._chosen
        moved = (shown[self._view.logicalIndex(place)] for place in range(len(shown)))
        return tuple(column for column in moved if column in self._chosen)

    def _on_resized(self, section: int, _before: int, wide: int) -> None:
        if not self._table.is_fitting and section < len(self._model.columns):
            self._widths[self._model.columns[section]] = wide

    def _on_clicked(self, section: int) -> None:
        """Once one way, once the other, then back to the order of the files, or of the search."""
        column, now = self._model.columns[section], self.sort
        first = column in _MOST_FIRST
        if now.column != column:
            new = Sort(column, first)
        elif now.descending == first:
            new = Sort(column, not first)
        else:
            new = _BEST_FIRST if self._searching else Sort()
        if self._searching:
            self._found_sort = new
        else:
            self._sort = new
        self._chosen = self._moved()
        self.changed.emit()

    def _on_menu(self, at: QPoint) -> None:
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu)
        menu.popup(self._view.mapToGlobal(at))
