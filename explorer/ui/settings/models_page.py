"""The settings page of models: a table of them, what is in use, downloads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QHBoxLayout, QHeaderView, QMessageBox, QPushButton

from explorer.ui.look.language import translated
from explorer.ui.settings.pages import IntegerBox, SettingsPage
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.row_table import Index, PlainTable

if TYPE_CHECKING:
    from explorer.models.files.catalog import CatalogEntry
    from explorer.services.encoding_speed import MeasuredSpeed
    from explorer.settings import Settings
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.messages import Notification
    from explorer.ui.state.session import Session

NAME, USE, LANGUAGES, SIZE, LENGTH, QUALITY, LICENCE, STATE = range(8)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LANGUAGES_SHOWN = 3
_TABLE_HIGH = 230
_STEADY = 48  # pixels that a column has at least


def format_size(count: int) -> str:
    """Format a number of bytes, as in "92 MB"."""
    return QLocale().formattedDataSize(count, 0, QLocale.DataSizeFormat.DataSizeSIFormat)


class ModelsModel(QAbstractTableModel):
    """The models that can be chosen, bi-encoders first."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[CatalogEntry, ...] = ()
        self._used: frozenset[str] = frozenset()
        self._coming: frozenset[str] = frozenset()
        self._loading: Mapping[str, float | None] = {}

    def show_entries(self, entries: tuple[CatalogEntry, ...]) -> None:
        """Show other models."""
        self.beginResetModel()
        self.entries = tuple(sorted(entries, key=lambda entry: (entry.kind == "cross", not entry.on_disk)))
        self.endResetModel()

    def show_state(self, used: frozenset[str], coming: frozenset[str], loading: Mapping[str, float | None]) -> None:
        """Show which models are in use, which are being prepared, and which are being downloaded."""
        if (used, coming, dict(loading)) != (self._used, self._coming, dict(self._loading)):
            self._used, self._coming, self._loading = used, coming, loading
            if self.entries:
                end = self.index(len(self.entries) - 1, STATE)
                self.dataChanged.emit(self.index(0, 0), end)

    def is_used(self, entry: CatalogEntry) -> bool:
        """Return whether a model is in use or being prepared."""
        return entry.name in self._used | self._coming

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, STATE)
        if self.entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.entries) - 1, STATE))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        return 0 if parent.isValid() else STATE + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                self.tr("Model"),
                self.tr("Use"),
                self.tr("Languages"),
                self.tr("Size"),
                self.tr("Length"),
                self.tr("Quality"),
                self.tr("Licence"),
                self.tr("State"),
            )[section]
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
        """Return what a cell says."""
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
            SIZE: lambda: format_size(entry.bytes) if entry.bytes else "",
            LENGTH: lambda: f"{entry.dimension:,}" if entry.kind == "bi" and entry.dimension else "",
            QUALITY: lambda: f"{entry.measures[0][1]:.3g}" if entry.measures else "",
            LICENCE: lambda: entry.licence,
            STATE: lambda: self._state(entry),
        }[column]()

    def _state(self, entry: CatalogEntry) -> str:
        if entry.name in self._loading:
            share = self._loading[entry.name]
            return (
                self.tr("downloading")
                if share is None
                else self.tr("downloading {percent} %").format(percent=int(100 * share))
            )
        if entry.problem:
            return self.tr("cannot be used")
        if entry.name in self._used:
            return self.tr("in use")
        if entry.name in self._coming:
            return self.tr("preparing")
        return self.tr("installed") if entry.on_disk else self.tr("not downloaded")


class ModelsPage(SettingsPage):
    """A table of models, what can be done with them, and where they run.

    Attributes:
        table: The table; one row is chosen at most.
        use: Uses the chosen model, for what it is made for.
        fetch: Downloads it, or stops that.
        remove: Deletes it, or forgets the folder that the user added.
        add: Lists the models of a folder.
        measure: Measures how fast this machine is.
    """

    names = ("device", "threads", "precision", "cluster")

    def __init__(self, session: Session, actions: Controllers) -> None:
        self._session, self._actions = session, actions
        self._model = ModelsModel()
        self.table = PlainTable(self._model)
        self.use, self.fetch, self.remove, self.add, self.measure = (QPushButton() for _ in range(5))
        self._intro, self._details, self._failure, self.speeds = (plain_label(wrap=True) for _ in range(4))
        self._chosen = self._failed = ""  # names of models: to be chosen once listed, and of the last failure
        super().__init__()
        self._lay_out()
        self.use.clicked.connect(self._on_use)
        self.fetch.clicked.connect(self._on_fetch)
        self.remove.clicked.connect(self._on_remove)
        self.add.clicked.connect(self._on_add)
        self.measure.clicked.connect(self._on_measure)
        self.table.selectionModel().currentRowChanged.connect(self._on_chosen)
        actions.models.changed.connect(self._look)
        actions.models.failed.connect(self._on_failed)
        actions.updated.connect(self._show_state)
        actions.runner.changed.connect(self._show_state)
        session.folder_changed.connect(self._show_state)
        session.settings_changed.connect(self._show_state)
        self._look()

    def _lay_out(self) -> None:
        table = self.table
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setMinimumHeight(_TABLE_HIGH)
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(_STEADY)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        buttons = QHBoxLayout()
        for button in (self.use, self.fetch, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.add)
        self.use.setProperty("kind", "main")
        self._intro.setProperty("kind", "faint")
        self._details.setProperty("kind", "faint")
        self._failure.setProperty("kind", "error")
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._failure.hide()
        self.room.insertWidget(0, self._intro)
        self.room.insertWidget(1, table, 1)
        self.room.insertLayout(2, buttons)
        self.room.insertWidget(3, self._failure)
        self.room.insertWidget(4, self._details)
        self.room.insertSpacing(5, 12)
        measuring = QHBoxLayout()
        measuring.addWidget(self.measure, 0, Qt.AlignmentFlag.AlignTop)
        measuring.addWidget(self.speeds, 1)
        self.speeds.setProperty("kind", "faint")
        self.room.insertLayout(self.room.count() - 1, measuring)

    @property
    def entry(self) -> CatalogEntry | None:
        """The chosen model."""
        row = self.table.currentIndex().row()
        return self._model.entries[row] if 0 <= row < len(self._model.entries) else None

    def choose(self, name: str) -> None:
        """Choose a model."""
        row = next((row for row, entry in enumerate(self._model.entries) if entry.name == name), -1)
        if row >= 0:
            self.table.setCurrentIndex(self._model.index(row, 0))
            self._on_chosen()

    def show_values(self, chosen: Settings) -> None:
        """Show the current settings."""
        super().show_values(chosen)
        self._show_state()

    def _look(self) -> None:
        self._actions.models.list_models(self._on_found)

    def _on_found(self, entries: list[CatalogEntry]) -> None:
        name = self.entry.name if self.entry else self._chosen
        self._model.show_entries(tuple(entry for entry in entries if entry.kind != "draft"))
        self._show_state()
        self.choose(name if any(entry.name == name for entry in self._model.entries) else self._wanted("bi"))

    def _wanted(self, kind: str) -> str:
        """Return the name of the model that is wanted: for the open folder, or by the settings."""
        chosen = self._actions.model_wanted if kind == "bi" else self._session.settings.reranker
        shipped = (entry.name for entry in self._model.entries if entry.kind == kind and entry.on_disk)
        return chosen or next(shipped, "")

    def _show_state(self) -> None:
        wanted, using = self._wanted("bi"), self._actions.model_in_use
        used = frozenset({using or wanted, self._wanted("cross")} - {""})
        self._model.show_state(used, frozenset({wanted} - used), self._actions.models.downloading())
        self._enable()

    def _on_chosen(self) -> None:
        self._failure.setVisible(self.entry is not None and self.entry.name == self._failed)
        self._enable()
        self._tell()

    def _enable(self) -> None:
        entry, loading = self.entry, self._actions.models.downloading()
        usable = entry is not None and entry.on_disk and not entry.problem
        name = "" if entry is None else entry.name
        self.use.setEnabled(usable and entry is not None and name != self._wanted(entry.kind))
        self.fetch.setEnabled(entry is not None and (not entry.on_disk or name in loading))
        own = entry is not None and entry.source in ("user", "folder")
        self.remove.setEnabled(own and entry is not None and not self._model.is_used(entry))
        self._name_buttons()

    def _name_buttons(self) -> None:
        entry = self.entry
        name = "" if entry is None else entry.name
        cross, folder = (entry is not None and entry.kind == "cross", entry is not None and entry.source == "folder")
        loading = name in self._actions.models.downloading()
        self.use.setText(self.tr("Use for reranking") if cross else self.tr("Use for search"))
        self.fetch.setText(self.tr("Cancel download") if loading else self.tr("Download"))
        self.remove.setText(self.tr("Remove from list") if folder else self.tr("Remove…"))
        self.add.setText(self.tr("Add folder…"))
        for button in (self.use, self.fetch, self.remove, self.add):
            button.setAccessibleName(button.text())

    def _tell(self) -> None:
        """Describe the chosen model, and what using it means."""
        entry = self.entry
        if entry is None:
            self._details.setText("")
            return
        lines = [entry.name]
        if entry.problem:
            lines.append(translated(entry.problem))
        if entry.languages:
            lines.append(self.tr("Languages: {names}").format(names=", ".join(entry.languages)))
        if entry.max_tokens:
            lines.append(
                self.tr("Reads up to {count} tokens at once; longer texts are split into passages.").format(
                    count=f"{entry.max_tokens:,}"
                )
            )
        if entry.measures:
            numbers = " · ".join(f"{name} {value:g}" for name, value in entry.measures)
            lines.append(self.tr("Benchmarks: {numbers}").format(numbers=numbers))
        lines.append(str(entry.path) if entry.path else self._offer(entry))
        if entry.kind == "bi" and not self._model.is_used(entry):
            lines.append(
                self.tr(
                    "Switching to this model re-encodes the open folder in the background. Until then "
                    "the current model stays in use. Its vectors are kept, so switching back is "
                    "instant."
                )
            )
        self._details.setText("\n".join(lines))

    def _offer(self, entry: CatalogEntry) -> str:
        offer = self.tr("Not installed. About {size} will be downloaded from huggingface.co.")
        return offer.format(size=format_size(entry.bytes))

    def _on_use(self) -> None:
        entry = self.entry
        if entry is not None:
            models = self._actions.models
            (models.rerank_with if entry.kind == "cross" else models.use)(entry.name)
            self._tell()

    def _on_fetch(self) -> None:
        entry, models = self.entry, self._actions.models
        if entry is not None:
            self._failure.hide()
            self._chosen, self._failed = entry.name, ""
            (models.stop_download if entry.name in models.downloading() else models.download)(entry.name)

    def _on_remove(self) -> None:
        entry = self.entry
        if entry is None or entry.path is None:
            return
        if entry.source == "folder":
            self._actions.models.forget_folder(entry.path)
            return
        asked = self.tr("Remove {name} from this computer? Its folder {path} will be deleted.")
        answer = QMessageBox.question(self, self.tr("Remove model"), asked.format(name=entry.name, path=entry.path))
        if answer == QMessageBox.StandardButton.Yes:
            self._actions.models.remove(entry.name)

    def _on_add(self) -> None:
        path = QFileDialog.getExistingDirectory(self, self.tr("Choose a folder with one or more models"))
        if path:
            self._chosen = path
            self._actions.models.add_folder(Path(path))

    def _on_measure(self) -> None:
        self.measure.setEnabled(False)
        self.speeds.setText(self.tr("A few seconds for each precision…"))
        self._actions.models.measure_speed(self, self._show_speeds)

    def _show_speeds(self, speeds: list[MeasuredSpeed] | str) -> None:
        lines = [speeds] if isinstance(speeds, str) else []
        for speed in () if isinstance(speeds, str) else speeds:
            words = self.tr("{device}, {precision}: {count} texts per second")
            line = words.format(device=speed.device.upper(), precision=speed.precision, count=f"{speed.texts:,.0f}")
            lines.append(self.tr("{line} (in use)").format(line=line) if speed.used else line)
        self.measure.setEnabled(True)
        self.speeds.setText("\n".join(lines))

    def _on_failed(self, name: str, failure: Notification) -> None:
        self._failure.setText(failure.sentence)
        self._chosen = self._failed = name
        self._look()

    def retranslate(self) -> None:
        self._intro.setText(
            self.tr(
                "A model turns texts into vectors so that they can be compared. Everything runs on this "
                "computer unless you name a cluster below; the network is used only to download models."
            )
        )
        self.table.setAccessibleName(self.tr("Models"))
        self._name_values(
            "device",
            {
                "auto": self.tr("Automatic"),
                "cpu": self.tr("Processor (CPU)"),
                "cuda": self.tr("Graphics card (CUDA)"),
                "mps": self.tr("Apple graphics (MPS)"),
            },
        )
        self._name_values("precision", {"auto": self.tr("Automatic")})
        self.fields.set_texts(
            {
                "precision": (
                    self.tr("Precision"),
                    self.tr("Automatic is the fastest. Results agree to three digits; nothing is encoded again."),
                ),
                "cluster": (
                    self.tr("Cluster"),
                    self.tr(
                        "Address of a Ray cluster that reads and encodes new documents: auto, HOST:PORT or "
                        "ray://HOST:PORT. Leave it empty to work on this machine."
                    ),
                ),
                "device": (self.tr("Device"), self.tr("A graphics card is many times faster, if there is one.")),
                "threads": (self.tr("Processor cores"), self.tr("Fewer cores leave more capacity for other programs.")),
            }
        )
        cores = self.fields.controls["threads"]
        if isinstance(cores, IntegerBox):
            cores.setSpecialValueText(self.tr("All"))  # for 0
        self.measure.setText(self.tr("Measure speed"))
        self.measure.setAccessibleName(self.measure.text())
        self._model.retranslate()
        self._name_buttons()
        self._tell()
