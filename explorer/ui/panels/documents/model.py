"""The documents as a table model: cells are looked up in frozen values, rows are an array of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor

from explorer import palette
from explorer.ui.look import theme
from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.columns import DocumentColumns
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import Index

_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_LONGEST = 200  # characters of a cell


class DocumentsModel(QAbstractTableModel):
    """The rows that are shown, in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sheet: DocumentColumns | None = None
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._columns: tuple[str, ...] = (columns.TITLE,)
        self._titles: dict[str, str] = {}
        self._arrow = ("", "")  # the column that orders the rows, and a sign of which way
        self._marked = DocumentSet()
        self._colours: list[QColor] = []
        self._amounts: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, from the first."""
        return self._columns

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the listing that are shown, in their order."""
        return self._rows

    @property
    def fields(self) -> tuple[str, ...]:
        """What else is known of the documents, by name."""
        return tuple(self._sheet.listing.fields) if self._sheet else ()

    def title(self, column: str) -> str:
        """What a column is called."""
        return self._titles.get(column, column.removeprefix(columns.FIELD))

    def show(self, sheet: DocumentColumns | None, rows: NDArray[np.int64], shown: Sequence[str]) -> None:
        """Show other rows or columns."""
        self.beginResetModel()
        self._sheet, self._rows, self._columns = sheet, rows, tuple(shown)
        self._amounts = frozenset(column for column in self._columns if _is_amount(sheet, column))
        self._recolour()
        self.endResetModel()

    def set_titles(self, titles: dict[str, str]) -> None:
        """What the columns are called, by column."""
        self._titles = titles
        if self._columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def set_arrow(self, column: str, arrow: str) -> None:
        """Show by which column the rows are ordered, and which way."""
        self._arrow = (column, arrow)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def set_marked(self, documents: DocumentSet) -> None:
        """Fill the rows of other documents."""
        self._marked = documents
        self._touch()

    def recolour(self) -> None:
        """Take the colours of another theme."""
        self._recolour()
        self._touch()

    def _recolour(self) -> None:
        clusters = self._sheet.clusters if self._sheet else None
        count = len(clusters.clusters) if clusters else 0
        dark = theme.current().dark
        # The last one answers to place -1: no cluster.
        names = [*theme.colours(count), palette.LEFTOVER[dark]]
        self._colours = [QColor(name) for name in names]

    def _touch(self) -> None:
        if len(self._rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._columns) - 1))

    def document(self, row: int) -> int | None:
        """The number of the document in a row; None if there is no such row."""
        if self._sheet is None or not 0 <= row < len(self._rows):
            return None
        return int(self._sheet.listing.ids[self._rows[row]])

    def documents(self, first: int, last: int) -> DocumentSet:
        """The numbers of the documents from one row to another, both included."""
        if self._sheet is None:
            return DocumentSet()
        return DocumentSet(self._sheet.listing.ids[self._rows[first : last + 1]])

    def row_of(self, document: int | None) -> int:
        """The row of a document; -1 if it is not shown."""
        place = None if self._sheet is None or document is None else self._sheet.listing.rows.get(document)
        if place is None:
            return -1
        found = np.flatnonzero(self._rows == place)
        return int(found[0]) if len(found) else -1

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = self._arrow[1] if column == self._arrow[0] else ""
            return f"{self.title(column)} {arrow}".strip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in self._amounts else _LEFT
        return None

    def drawn(self, row: int, column: int) -> tuple[bool, str, bool, QColor | None, float | None]:
        """What is drawn in a cell: whether it is marked, text, whether that stands right, dot, length of the bar."""
        sheet = self._sheet
        if sheet is None or row >= len(self._rows):
            return False, "", False, None, None
        place, name = int(self._rows[row]), self._columns[column]
        return (
            int(sheet.listing.ids[place]) in self._marked, self._text(sheet, place, name), name in self._amounts,
            self._dot(sheet, place) if name == columns.CLUSTER else None,
            self._share(sheet, place) if name == columns.SCORE else None,
        )  # fmt: skip

    def data(self, index: Index, role: int = 0) -> Any:
        sheet = self._sheet
        if sheet is None or not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = int(self._rows[index.row()]), self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(sheet, row, column)
        if role == Qt.ItemDataRole.BackgroundRole:
            marked = int(sheet.listing.ids[row]) in self._marked
            return QColor(theme.current().chosen) if marked else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in self._amounts else _LEFT
        if role == Qt.ItemDataRole.DecorationRole and column == columns.CLUSTER:
            return self._dot(sheet, row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(sheet, row, column)
        return None

    def _dot(self, sheet: DocumentColumns, row: int) -> QColor | None:
        return self._colours[sheet.cluster_places[row]] if sheet.clusters else None

    def _share(self, sheet: DocumentColumns, row: int) -> float | None:
        hit = sheet.hit_of.get(int(sheet.listing.ids[row]))
        # BM25 has no upper end; the best hit fills its bar.
        return None if hit is None else max(0.0, hit.score) / max(1.0, sheet.hits[0].score)

    def _text(self, sheet: DocumentColumns, row: int, column: str) -> str:
        listing = sheet.listing
        if column == columns.TITLE:
            return (listing.titles[row] or listing.paths[row].rpartition("/")[2])[:_LONGEST]
        if column == columns.FOLDER:
            return listing.paths[row].rpartition("/")[0]
        if column == columns.LENGTH:
            return f"{int(listing.characters[row]):,}"
        if column == columns.CLUSTER:
            place = int(sheet.cluster_places[row])
            return "" if sheet.clusters is None or place < 0 else sheet.clusters.clusters[place].name
        if column == columns.SCORE:
            hit = sheet.hit_of.get(int(listing.ids[row]))
            return "" if hit is None else f"{hit.score:.2f}"
        if column == columns.TAGS:
            return ", ".join(sorted(sheet.tags.get(int(listing.ids[row]), ())))
        if column == columns.LANGUAGE:
            return language_name(listing.languages[row])
        if column == columns.ENCODING:
            return listing.encodings[row]
        return self._known(sheet, row, column)

    def _known(self, sheet: DocumentColumns, row: int, column: str) -> str:
        values = sheet.listing.fields.get(column.removeprefix(columns.FIELD))
        value = None if values is None else values[row]
        if value is None:
            return ""
        if column == columns.DATE:
            return str(value)[:10]  # the day; the hour is in the reader
        return str(value)[:_LONGEST]

    def _tip(self, sheet: DocumentColumns, row: int, column: str) -> str:
        listing = sheet.listing
        path = listing.paths[row] + (f" · {listing.parts[row]}" if listing.parts[row] else "")
        lines = [listing.titles[row][:_LONGEST], path]
        hit = sheet.hit_of.get(int(listing.ids[row]))
        if column == columns.SCORE and hit is not None:
            lines.append(self.tr("Search result {rank}").format(rank=hit.rank))
            if hit.bi_score is not None:
                lines.append(
                    self.tr("Semantic similarity (cosine): {score}").format(score=f"{hit.bi_score:.2f}")
                )
            if hit.keyword_score is not None:
                lines.append(
                    self.tr("Keyword score (BM25): {score}").format(score=f"{hit.keyword_score:.1f}")
                )
        elif column not in (columns.TITLE, columns.FOLDER):
            lines.append(self._text(sheet, row, column))
        return plain_tip("\n".join(line for line in lines if line))


def _is_amount(sheet: DocumentColumns | None, column: str) -> bool:
    """Whether a column holds numbers, which stand at the right."""
    if column in (columns.LENGTH, columns.SCORE):
        return True
    name = column.removeprefix(columns.FIELD)
    if column == name or sheet is None:
        return False
    first = next((one for one in sheet.listing.fields.get(name, ()) if one is not None), None)
    return isinstance(first, int | float) and not isinstance(first, bool)


@lru_cache(maxsize=512)
def language_name(code: str) -> str:
    """A language as those who speak it call it; the code where it is not known."""
    language = QLocale.codeToLanguage(code)
    if not code or language in (QLocale.Language.AnyLanguage, QLocale.Language.C):
        return code
    return QLocale(language, QLocale.Country.World).nativeLanguageName() or code
