"""The pages of the settings dialog and the controls they are made of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from explorer import paths, settings
from explorer.settings import CHOICES, RANGES
from explorer.ui.look.language import NAMES
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.settings import Settings

_STEPS = 100  # of a slider from 0 to 1
_NAMES_WIDE, _CONTROLS_WIDE = 150, 220


class ChoiceField(QComboBox):
    """A choice of values."""

    changed = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        for value in settings.CHOICES[name]:
            self.addItem(value, value)
        self.activated.connect(lambda _: self.changed.emit(self.currentData()))

    def show_value(self, value: object) -> None:
        """Show a value."""
        self.setCurrentIndex(self.findData(value))

    def set_names(self, words: Mapping[str, str]) -> None:
        """Set the names of the values."""
        for row in range(self.count()):
            self.setItemText(row, words.get(str(self.itemData(row)), str(self.itemData(row))))


class IntegerBox(QSpinBox):
    """An integer."""

    changed = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        low, high = settings.RANGES[name]
        self.setRange(int(low), int(high))
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(6, 0, 0, 0)  # the style's padding does not reach it
        self.setStepType(
            QAbstractSpinBox.StepType.AdaptiveDecimalStepType if high > 1000 else QSpinBox.StepType.DefaultStepType
        )
        self.valueChanged.connect(self.changed.emit)

    def show_value(self, value: int) -> None:
        """Show a value."""
        with QSignalBlocker(self):
            self.setValue(value)


class Switch(QCheckBox):
    """A switch."""

    changed = Signal(object)

    def __init__(self, _name: str) -> None:
        super().__init__()
        self.clicked.connect(lambda: self.changed.emit(self.isChecked()))

    def show_value(self, value: bool) -> None:
        """Show a value."""
        self.setChecked(value)


class Slide(QSlider):
    """A slider from 0 to 1."""

    changed = Signal(object)

    def __init__(self, _name: str) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, _STEPS)
        self.setTracking(False)
        self.valueChanged.connect(lambda value: self.changed.emit(value / _STEPS))

    def show_value(self, value: float) -> None:
        """Show a value."""
        with QSignalBlocker(self):
            self.setValue(round(value * _STEPS))


class Line(QLineEdit):
    """A line of text, taken when the user has finished it."""

    changed = Signal(object)

    def __init__(self, _name: str) -> None:
        super().__init__()
        self.editingFinished.connect(lambda: self.changed.emit(self.text().strip()))

    def show_value(self, value: str) -> None:
        """Show a value."""
        self.setText(value)


Control = ChoiceField | IntegerBox | Switch | Slide | Line


class Fields(QWidget):
    """Settings in rows: name, control, explanation.

    Signals:
        changed: The user changed a value: the name of the setting, and the value.
    """

    changed = Signal(str, object)

    def __init__(self, controls: Mapping[str, Control], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controls = dict(controls)
        self._names: dict[str, QLabel] = {}
        self._explanations: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnMinimumWidth(0, _NAMES_WIDE)
        grid.setColumnStretch(1, 1)
        for row, (name, control) in enumerate(self.controls.items()):
            self._add(grid, 3 * row, name, control)

    def _add(self, grid: QGridLayout, row: int, name: str, control: Control) -> None:
        label, explanation = plain_label(), plain_label(wrap=True)
        label.setBuddy(control)
        explanation.setProperty("kind", "faint")
        control.changed.connect(lambda value: self.changed.emit(name, value))
        # Otherwise the wheel, which scrolls the page, would change whatever control comes below the mouse.
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.installEventFilter(self)
        if not isinstance(control, Switch):
            control.setMinimumWidth(_CONTROLS_WIDE)
        grid.addWidget(label, row, 0)
        grid.addWidget(control, row, 1, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(explanation, row + 1, 1)
        grid.setRowMinimumHeight(row + 2, 8)
        self._names[name], self._explanations[name] = label, explanation

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def show_values(self, values: settings.Settings) -> None:
        """Show the current settings."""
        for name, control in self.controls.items():
            value: Any = getattr(values, name)
            control.show_value(value)

    def set_texts(self, words: Mapping[str, tuple[str, str]]) -> None:
        """Set the name and explanation of each setting."""
        for name, (label, explanation) in words.items():
            self._names[name].setText(label)
            self._explanations[name].setText(explanation)
            self.controls[name].setAccessibleName(label)
            self.controls[name].setAccessibleDescription(explanation)


class SettingsPage(Themed, QWidget):
    """A page of settings.

    Signals:
        changed: The user changed a value: the name of the setting, and the value.
    """

    changed = Signal(str, object)
    names: tuple[str, ...] = ()  # of the settings that it shows

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = Fields({name: self._control(name) for name in self.names})
        self.fields.changed.connect(self.changed)
        self.room = QVBoxLayout(self)
        self.room.setContentsMargins(12, 12, 12, 12)
        self.room.addWidget(self.fields)
        self.room.addStretch(1)
        self.retranslate()

    def _control(self, name: str) -> Control:
        if name in CHOICES:
            return ChoiceField(name)
        if name == "granularity":
            return Slide(name)
        if name == "cluster":
            return Line(name)
        return IntegerBox(name) if name in RANGES else Switch(name)

    def show_values(self, values: Settings) -> None:
        """Show the current settings."""
        self.fields.show_values(values)

    def retranslate(self) -> None:
        """Update all texts."""

    def _name_values(self, name: str, words: dict[str, str]) -> None:
        control = self.fields.controls[name]
        if isinstance(control, ChoiceField):
            control.set_names(words)


class GeneralSettingsPage(SettingsPage):
    """Language and appearance."""

    names = ("language", "theme", "text_size", "reader_size", "palette", "motion")

    def retranslate(self) -> None:
        self._name_values("language", {"system": self.tr("Same as system"), **NAMES})
        self._name_values(
            "theme", {"system": self.tr("Same as system"), "light": self.tr("Light"), "dark": self.tr("Dark")}
        )
        self._name_values(
            "palette",
            {
                "clear": self.tr("Vivid colours"),
                "colour-blind": self.tr("Colour-blind friendly"),
                "grey": self.tr("Greyscale, for print"),
            },
        )
        self.fields.set_texts(
            {
                "language": (
                    self.tr("Language"),
                    self.tr("Language of menus and messages. Your documents are not affected."),
                ),
                "theme": (self.tr("Theme"), self.tr("Light, dark, or following the system setting.")),
                "text_size": (self.tr("Font size"), self.tr("In points, everywhere except the reader.")),
                "reader_size": (self.tr("Reader font size"), self.tr("In points, for the text of documents.")),
                "palette": (self.tr("Cluster colours"), self.tr("Used on the map, in lists and in exported images.")),
                "motion": (
                    self.tr("Animation"),
                    self.tr("Animate points when the map changes and ranks when results are reranked."),
                ),
            }
        )


class SearchSettingsPage(SettingsPage):
    """Search and clusters."""

    names = ("mode", "rerank", "rerank_count", "granularity")

    def retranslate(self) -> None:
        self._name_values(
            "mode",
            {
                "hybrid": self.tr("By meaning and keywords"),
                "semantic": self.tr("By meaning"),
                "keyword": self.tr("By keywords"),
            },
        )
        self.fields.set_texts(
            {
                "mode": (self.tr("Search"), self.tr("Searching by both finds the most.")),
                "rerank": (
                    self.tr("Rerank"),
                    self.tr("Rerank the top results of every search with the more accurate cross-encoder."),
                ),
                "rerank_count": (
                    self.tr("Results to rerank"),
                    self.tr(
                        "How many of the top results are reranked. More takes longer: a few hundredths of "
                        "a second each."
                    ),
                ),
                "granularity": (
                    self.tr("Cluster granularity"),
                    self.tr(
                        "For newly opened folders: a few clusters on the left, hundreds on the right. For "
                        "an open folder, use the slider in the Clusters panel."
                    ),
                ),
            }
        )


class ReadingSettingsPage(SettingsPage):
    """Reading of files."""

    names = ("largest_file_mb", "seconds_a_file", "watch")

    def retranslate(self) -> None:
        self.fields.set_texts(
            {
                "largest_file_mb": (
                    self.tr("Maximum file size (MB)"),
                    self.tr("Larger files are not read; they are listed under Problems."),
                ),
                "seconds_a_file": (
                    self.tr("Time limit per file (s)"),
                    self.tr("Files that take longer are skipped, so that one file cannot hold up the rest."),
                ),
                "watch": (
                    self.tr("Watch folder for changes"),
                    self.tr(
                        "Detect new, changed and removed files while a folder is open. When off, only "
                        "when you open it or press F5."
                    ),
                ),
            }
        )


class DataSettingsPage(SettingsPage):
    """Where the program keeps its data."""

    names = ()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.where = QLineEdit(readOnly=True)
        self.choose, self.usual, self.forget = QPushButton(), QPushButton(), QPushButton()
        self._name, self._explanations, self._note = (plain_label(), plain_label(wrap=True), plain_label(wrap=True))
        self._recent_name, self._recent_told = plain_label(), plain_label(wrap=True)
        super().__init__(parent)
        self._name.setBuddy(self.choose)
        self.choose.clicked.connect(self._on_choose)
        self.usual.clicked.connect(lambda: self._want(""))
        self.forget.clicked.connect(lambda: self.changed.emit("recent", ()))
        self._note.setProperty("kind", "stale")
        self._section(self._name, self.where, (self.choose, self.usual), self._explanations, self._note)
        self._section(self._recent_name, None, (self.forget,), self._recent_told)

    def _section(
        self,
        heading: QLabel,
        field: QWidget | None,
        buttons: tuple[QPushButton, ...],
        explanation: QLabel,
        *more: QWidget,
    ) -> None:
        """Lay out name, field, buttons and explanation."""
        explanation.setProperty("kind", "faint")
        line = QHBoxLayout()
        for button in buttons:
            line.addWidget(button)
        line.addStretch(1)
        section = QVBoxLayout()
        section.addWidget(heading)
        if field is not None:
            section.addWidget(field)
        section.addLayout(line)
        for label in (explanation, *more):
            section.addWidget(label)
        section.addSpacing(16)
        self.room.insertLayout(self.room.count() - 1, section)

    def show_values(self, values: Settings) -> None:
        """Show the current settings."""
        wanted = Path(values.data_folder) if values.data_folder else paths.usual_data()
        self.where.setText(str(wanted))
        self.usual.setEnabled(bool(values.data_folder))
        self.forget.setEnabled(bool(values.recent))
        later = wanted != paths.data()
        self._note.setText(
            self.tr("Takes effect at the next start. Until then everything is saved in {folder}.").format(
                folder=paths.data()
            )
            if later
            else ""
        )
        self._note.setVisible(later)

    def _on_choose(self) -> None:
        path = QFileDialog.getExistingDirectory(self, self.tr("Choose data folder"), self.where.text())
        if path:
            self._want(path)

    def _want(self, folder: str) -> None:
        if folder and not os.access(folder, os.W_OK):
            self._note.setText(
                self.tr("{folder}: this folder is not writable. Choose another one.").format(folder=folder)
            )
            self._note.show()
            return
        self.changed.emit("data_folder", folder)

    def retranslate(self) -> None:
        self._name.setText(self.tr("Data folder"))
        self.where.setAccessibleName(self.tr("Data folder"))
        self._explanations.setText(
            self.tr(
                "Workspaces and downloaded or trained models are stored here. A new folder takes effect at "
                "the next start. Nothing is moved or deleted: existing data stays in the old folder. Copy it "
                "yourself, or folders will be read and encoded again when you open them."
            )
        )
        self.choose.setText(self.tr("Choose another folder…"))
        self.usual.setText(self.tr("Default location"))
        self._recent_name.setText(self.tr("Recent folders"))
        self._recent_told.setText(self.tr("Removes them from the start page and the menu. Their workspaces are kept."))
        self.forget.setText(self.tr("Clear recent folders"))
        for button in (self.choose, self.usual, self.forget):
            button.setAccessibleName(button.text())
