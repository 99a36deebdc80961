"""The controls of the settings: each shows one field, and says what it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QSlider,
    QSpinBox,
    QWidget,
)

from explorer import settings
from explorer.ui.widgets.placeholder import plain_label

_STEPS = 100  # of a slider from 0 to 1
_NAMES_WIDE, _CONTROLS_WIDE = 150, 220


class ChoiceField(QComboBox):
    """One of the values that a setting can have."""

    changed = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        for value in settings.CHOICES[name]:
            self.addItem(value, value)
        self.activated.connect(lambda _: self.changed.emit(self.currentData()))

    def show_value(self, value: object) -> None:
        """Show a value."""
        self.setCurrentIndex(self.findData(value))

    def tell(self, words: Mapping[str, str]) -> None:
        """Call the values by names."""
        for place in range(self.count()):
            self.setItemText(place, words.get(str(self.itemData(place)), str(self.itemData(place))))


class Number(QSpinBox):
    """A whole number."""

    changed = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        low, high = settings.RANGES[name]
        self.setRange(int(low), int(high))
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(6, 0, 0, 0)  # the style's padding does not reach it
        self.setStepType(
            QAbstractSpinBox.StepType.AdaptiveDecimalStepType
            if high > 1000
            else QSpinBox.StepType.DefaultStepType
        )
        self.valueChanged.connect(self.changed.emit)

    def show_value(self, value: int) -> None:
        """Show a value."""
        with QSignalBlocker(self):
            self.setValue(value)


class Switch(QCheckBox):
    """Yes or no; its explanation stands beside it."""

    changed = Signal(object)

    def __init__(self, _name: str) -> None:
        super().__init__()
        self.clicked.connect(lambda: self.changed.emit(self.isChecked()))

    def show_value(self, value: bool) -> None:
        """Show a value."""
        self.setChecked(value)


class Slide(QSlider):
    """A share from 0 to 1."""

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


Control = ChoiceField | Number | Switch | Slide


class Fields(QWidget):
    """Settings one below the other: name, control, explanation.

    Signals:
        changed: The user wants another value: the name of the setting, and the value.
    """

    changed = Signal(str, object)

    def __init__(self, controls: Mapping[str, Control], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controls = dict(controls)
        self._names: dict[str, QLabel] = {}
        self._told: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnMinimumWidth(0, _NAMES_WIDE)
        grid.setColumnStretch(1, 1)
        for place, (name, control) in enumerate(self.controls.items()):
            self._add(grid, 3 * place, name, control)

    def _add(self, grid: QGridLayout, row: int, name: str, control: Control) -> None:
        label, told = plain_label(), plain_label(wrap=True)
        label.setBuddy(control)
        told.setProperty("kind", "faint")
        control.changed.connect(lambda value: self.changed.emit(name, value))
        if not isinstance(control, Switch):
            control.setMinimumWidth(_CONTROLS_WIDE)
        grid.addWidget(label, row, 0)
        grid.addWidget(control, row, 1, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(told, row + 1, 1)
        grid.setRowMinimumHeight(row + 2, 8)
        self._names[name], self._told[name] = label, told

    def show_values(self, chosen: settings.Settings) -> None:
        """Show the settings as they are."""
        for name, control in self.controls.items():
            value: Any = getattr(chosen, name)
            control.show_value(value)

    def tell(self, words: Mapping[str, tuple[str, str]]) -> None:
        """Name each setting and explain it."""
        for name, (label, told) in words.items():
            self._names[name].setText(label)
            self._told[name].setText(told)
            self.controls[name].setAccessibleName(label)
            self.controls[name].setAccessibleDescription(told)
