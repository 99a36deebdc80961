"""The pages of the settings: what can be chosen, named and explained in plain words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from explorer import paths
from explorer.settings import CHOICES, RANGES
from explorer.ui.look.language import NAMES
from explorer.ui.settings.fields import ChoiceField, Control, Fields, Number, Slide, Switch
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.settings import Settings


class SettingsPage(Themed, QWidget):
    """Some settings.

    Signals:
        changed: The user wants another value: the name of the setting, and the value.
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
        return Number(name) if name in RANGES else Switch(name)

    def show_values(self, chosen: Settings) -> None:
        """Show the settings as they are."""
        self.fields.show_values(chosen)

    def retranslate(self) -> None:
        """Name everything in the language of now."""

    def _name_values(self, name: str, words: dict[str, str]) -> None:
        control = self.fields.controls[name]
        if isinstance(control, ChoiceField):
            control.tell(words)


class GeneralSettingsPage(SettingsPage):
    """Language and looks."""

    names = ("language", "theme", "text_size", "reader_size", "palette", "motion")

    def retranslate(self) -> None:
        """Name everything in the language of now."""
        self._name_values("language", {"system": self.tr("Same as system"), **NAMES})
        self._name_values(
            "theme",
            {"system": self.tr("Same as system"), "light": self.tr("Light"), "dark": self.tr("Dark")},
        )
        self._name_values("palette", {
            "clear": self.tr("Vivid colours"), "colour-blind": self.tr("Colour-blind friendly"),
            "grey": self.tr("Greyscale, for print"),
        })  # fmt: skip
        self.fields.tell({
            "language": (self.tr("Language"), self.tr("Language of menus and messages. Your documents are "
                                                      "not affected.")),
            "theme": (self.tr("Theme"), self.tr("Light, dark, or following the system setting.")),
            "text_size": (self.tr("Font size"), self.tr("In points, everywhere except the reader.")),
            "reader_size": (self.tr("Reader font size"), self.tr("In points, for the text of documents.")),
            "palette": (
                self.tr("Cluster colours"),
                self.tr("Used on the map, in lists and in exported images."),
            ),
            "motion": (
                self.tr("Animation"),
                self.tr("Animate points when the map changes and ranks when results are reranked."),
            ),
        })  # fmt: skip


class SearchSettingsPage(SettingsPage):
    """How it is searched, and how finely documents are grouped."""

    names = ("mode", "rerank", "rerank_count", "granularity")

    def retranslate(self) -> None:
        """Name everything in the language of now."""
        self._name_values("mode", {
            "hybrid": self.tr("By meaning and keywords"), "semantic": self.tr("By meaning"),
            "keyword": self.tr("By keywords"),
        })  # fmt: skip
        self.fields.tell({
            "mode": (self.tr("Search"), self.tr("Searching by both finds the most.")),
            "rerank": (
                self.tr("Rerank"),
                self.tr("Rerank the top results of every search with the more accurate cross-encoder."),
            ),
            "rerank_count": (
                self.tr("Results to rerank"),
                self.tr("How many of the top results are reranked. More takes longer: a few hundredths of "
                        "a second each."),
            ),
            "granularity": (
                self.tr("Cluster granularity"),
                self.tr("For newly opened folders: a few clusters on the left, hundreds on the right. For "
                        "an open folder, use the slider in the Clusters panel."),
            ),
        })  # fmt: skip


class ReadingSettingsPage(SettingsPage):
    """What of a folder is read."""

    names = ("largest_file_mb", "seconds_a_file", "watch")

    def retranslate(self) -> None:
        """Name everything in the language of now."""
        self.fields.tell({
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
                self.tr("Detect new, changed and removed files while a folder is open. When off, only "
                        "when you open it or press F5."),
            ),
        })  # fmt: skip


class DataSettingsPage(SettingsPage):
    """Where the program keeps what it knows."""

    names = ()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.where = QLineEdit(readOnly=True)
        self.choose, self.usual, self.forget = QPushButton(), QPushButton(), QPushButton()
        self._name, self._told, self._note = plain_label(), plain_label(wrap=True), plain_label(wrap=True)
        self._recent_name, self._recent_told = plain_label(), plain_label(wrap=True)
        super().__init__(parent)
        self._name.setBuddy(self.choose)
        self.choose.clicked.connect(self._on_choose)
        self.usual.clicked.connect(lambda: self._want(""))
        self.forget.clicked.connect(lambda: self.changed.emit("recent", ()))
        self._note.setProperty("kind", "stale")
        self._section(self._name, self.where, (self.choose, self.usual), self._told, self._note)
        self._section(self._recent_name, None, (self.forget,), self._recent_told)

    def _section(
        self, name: QLabel, field: QWidget | None, buttons: tuple[QPushButton, ...], told: QLabel, *more: QWidget
    ) -> None:  # fmt: skip
        """A name, a field and buttons below it, and what they mean."""
        told.setProperty("kind", "faint")
        line = QHBoxLayout()
        for button in buttons:
            line.addWidget(button)
        line.addStretch(1)
        section = QVBoxLayout()
        section.addWidget(name)
        if field is not None:
            section.addWidget(field)
        section.addLayout(line)
        for one in (told, *more):
            section.addWidget(one)
        section.addSpacing(16)
        self.room.insertLayout(self.room.count() - 1, section)

    def show_values(self, chosen: Settings) -> None:
        """Show the settings as they are."""
        wanted = Path(chosen.data_folder) if chosen.data_folder else paths.usual_data()
        self.where.setText(str(wanted))
        self.usual.setEnabled(bool(chosen.data_folder))
        self.forget.setEnabled(bool(chosen.recent))
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
        """Name everything in the language of now."""
        self._name.setText(self.tr("Data folder"))
        self.where.setAccessibleName(self.tr("Data folder"))
        self._told.setText(self.tr(
            "Workspaces and downloaded or trained models are stored here. A new folder takes effect at "
            "the next start. Nothing is moved or deleted: existing data stays in the old folder. Copy it "
            "yourself, or folders will be read and encoded again when you open them."
        ))  # fmt: skip
        self.choose.setText(self.tr("Choose another folder…"))
        self.usual.setText(self.tr("Default location"))
        self._recent_name.setText(self.tr("Recent folders"))
        self._recent_told.setText(
            self.tr("Removes them from the start page and the menu. Their workspaces are kept.")
        )
        self.forget.setText(self.tr("Clear recent folders"))
        for button in (self.choose, self.usual, self.forget):
            button.setAccessibleName(button.text())
