"""Columns and rows of widgets without the boilerplate of Qt's layouts, and the small parts they are made of."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QToolButton, QVBoxLayout, QWidget

# A widget or layout, alone or with its stretch; an int is a gap in pixels, None takes the space that is left.
Item = QWidget | QLayout | tuple[QWidget | QLayout, int] | int | None
Margins = int | tuple[int, int, int, int]  # all around, or left, top, right, bottom


def column(*items: Item, parent: QWidget | None = None, margins: Margins = 0, spacing: int = 0) -> QVBoxLayout:
    """Lay items out from top to bottom, as the layout of `parent` if one is given."""
    layout = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    _fill(layout, items, margins, spacing)
    return layout


def row(*items: Item, parent: QWidget | None = None, margins: Margins = 0, spacing: int = 8) -> QHBoxLayout:
    """Lay items out from left to right, as the layout of `parent` if one is given."""
    layout = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    _fill(layout, items, margins, spacing)
    return layout


def _fill(layout: QBoxLayout, items: tuple[Item, ...], margins: Margins, spacing: int) -> None:
    layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    layout.setSpacing(spacing)
    for item in items:
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        elif part is None:
            layout.addStretch(1)
        else:
            layout.addSpacing(part)


def container(layout: QLayout) -> QWidget:
    """Return a widget with a layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def hairline() -> QFrame:
    """Return a horizontal line, one pixel high, in the theme's colour."""
    line = QFrame()
    line.setFixedHeight(1)
    line.setAutoFillBackground(True)
    line.setBackgroundRole(line.palette().ColorRole.Mid)
    return line


def tool_button(action: QAction | None = None, size: int = 16) -> QToolButton:
    """Return a button with an icon of `size` pixels; its accessible name follows its action's text."""
    button = QToolButton()
    button.setIconSize(QSize(size, size))
    if action is not None:
        button.setDefaultAction(action)
        action.changed.connect(lambda: button.setAccessibleName(action.text()))
    return button
