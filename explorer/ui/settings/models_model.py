"""The models as a table: what each is for, how large it is, and whether it is here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, Qt
from PySide6.QtGui import QFont

from explorer.ui.widgets.row_table import Index

if TYPE_CHECKING:
    from explorer.models.files.catalog import CatalogEntry


NAME, USE, LANGUAGES, SIZE, LENGTH, QUALITY, LICENCE, STATE = range(8)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LANGUAGES_SHOWN = 3


def told_size(count: int) -> str:
    """A number of bytes for people: "92 MB"."""
    return QLocale().formattedDataSize(count, 0, QLocale.DataSizeFormat.DataSizeSIFormat)


class ModelsModel(QAbstractTableModel):
    """The models of the catalog that can be chosen, those that search first."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[CatalogEntry, ...] = ()
        self._used: frozenset[str] = frozenset()
        self._coming: frozenset[str] = frozenset()
        self._loading: Mapping[str, float | None] = {}

    def show_entries(self, entries: tuple[CatalogEntry, ...]) -> None:
        """Show other models."""
        self.beginResetModel()
        self.entries = tuple(sorted(entries, key=lambda one: (one.kind == "cross", not one.on_disk)))
        self.endResetModel()

    def show_state(
        self, used: frozenset[str], coming: frozenset[str], loading: Mapping[str, float | None]
    ) -> None:
        """Show which are in use, which will be once all is encoded with them, and which are being fetched."""
        if (used, coming, dict(loading)) != (self._used, self._coming, dict(self._loading)):
            self._used, self._coming, self._loading = used, coming, loading
            if self.entries:
                end = self.index(len(self.entries) - 1, STATE)
                self.dataChanged.emit(self.index(0, 0), end)

    def is_used(self, entry: CatalogEntry) -> bool:
        """Whether a model is in use, or will be soon."""
        return entry.name in self._used | self._coming

    def retranslate(self) -> None:
        """Name everything in the language of now."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, STATE)
        if self.entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.entries) - 1, STATE))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        """How many models."""
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        """How many columns."""
        return 0 if parent.isValid() else STATE + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                self.tr("Model"), self.tr("Use"), self.tr("Languages"), self.tr("Size"), self.tr("Length"),
                self.tr("Quality"), self.tr("Licence"), self.tr("State"),
            )[section]  # fmt: skip
        if role == Qt.ItemDataRole.ToolTipRole:
            return {
                USE: self.tr("Search: a bi-encoder. Reranking: a cross-encoder."),
                LENGTH: self.tr("Vector dimension: higher takes more space and time"),
                QUALITY: self.tr("Benchmark score; higher is better. Select a model for details."),
            }.get(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in (SIZE, LENGTH, QUALITY) else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell says."""
        if not 0 <= index.row() < len(self.entries):
            return None
        entry, column = self.entries[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(entry, column)
            case Qt.ItemDataRole.AccessibleTextRole if column == NAME:
                return f"{entry.name}, {self._text(entry, USE)}, {self._text(entry, STATE)}"
            case Qt.ItemDataRole.ToolTipRole:
                return entry.problem or (", ".join(entry.languages) if column == LANGUAGES else entry.name)
            case Qt.ItemDataRole.TextAlignmentRole if column in (SIZE, LENGTH, QUALITY):
                return _RIGHT
            case Qt.ItemDataRole.FontRole if entry.name in self._used:
                font = QFont()
                font.setBold(True)
                return font
        return None

    def _text(self, entry: CatalogEntry, column: int) -> str:
        more = len(entry.languages) - _LANGUAGES_SHOWN
        return {
            NAME: lambda: entry.name.rpartition("/")[2],
            USE: lambda: {"bi": self.tr("Search"), "cross": self.tr("Reranking")}.get(entry.kind, ""),
            LANGUAGES: lambda: ", ".join(entry.languages[:_LANGUAGES_SHOWN]) + (f" +{more}" if more > 0 else ""),
            SIZE: lambda: told_size(entry.bytes) if entry.bytes else "",
            LENGTH: lambda: f"{entry.dimension:,}" if entry.kind == "bi" and entry.dimension else "",
            QUALITY: lambda: f"{entry.measures[0][1]:.3g}" if entry.measures else "",
            LICENCE: lambda: entry.licence,
            STATE: lambda: self._state(entry),
        }[column]()  # fmt: skip

    def _state(self, entry: CatalogEntry) -> str:
        if entry.name in self._loading:
            share = self._loading[entry.name]
            told = self.tr("downloading")
            return (
                told if share is None else self.tr("downloading {percent} %").format(percent=int(100 * share))
            )
        if entry.problem:
            return self.tr("cannot be used")
        if entry.name in self._used:
            return self.tr("in use")
        if entry.name in self._coming:
            return self.tr("preparing")
        return self.tr("installed") if entry.on_disk else self.tr("not downloaded")
