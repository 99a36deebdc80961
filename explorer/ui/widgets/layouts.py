"""Columns, rows and splitters of widgets without the boilerplate of Qt's layouts, and the parts they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

# A widget or layout, alone or with its stretch; an int is a gap in pixels, None takes the space that is left.
Item = QWidget | QLayout | tuple[QWidget | QLayout, int] | int | None
Margins = int | tuple[int, int, int, int]  # all around, or left, top, right, bottom
_UNLIMITED = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


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


class ShareSplitter(QSplitter):
    """Divides its length by shares; a part that is hidden or has a fixed size leaves its share to the others.

    Signals:
        shares_changed: The user has moved a handle.
    """

    shares_changed = Signal()

    def __init__(self, orientation: Qt.Orientation, shares: Sequence[float], parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self._defaults, self._shares = tuple(shares), list(shares)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.splitterMoved.connect(self._on_moved)

    def addWidget(self, widget: QWidget) -> None:
        super().addWidget(widget)
        widget.installEventFilter(self)
        self.apply()

    @property
    def shares(self) -> list[float]:
        """The share of each part, whether it is shown or not."""
        return list(self._shares)

    def restore(self, shares: Any) -> None:
        """Apply saved shares, or the defaults if these are damaged."""
        numbers = isinstance(shares, list) and all(isinstance(share, int | float) and share > 0 for share in shares)
        self._shares = list(shares if numbers and len(shares) == len(self._defaults) else self._defaults)
        self.apply()

    def apply(self) -> None:
        """Size the parts by their shares."""
        free = self._free()
        if self.count() < len(self._shares) or not free:
            return
        across = self.orientation() == Qt.Orientation.Horizontal
        length = self.width() if across else self.height()
        sizes = [part.maximumWidth() if across else part.maximumHeight() for part in self._parts()]
        rest = length - sum(size for index, size in enumerate(sizes) if index not in free and size < _UNLIMITED)
        whole = sum(self._shares[index] for index in free)
        self.setSizes([round(rest * self._shares[n] / whole) if n in free else size for n, size in enumerate(sizes)])

    def _parts(self) -> list[QWidget]:
        return [part for index in range(self.count()) if (part := self.widget(index)) is not None]

    def _free(self) -> list[int]:
        """Return the parts that are shown and have no fixed size."""
        across = self.orientation() == Qt.Orientation.Horizontal
        return [
            index
            for index, part in enumerate(self._parts())
            if not part.isHidden() and (part.maximumWidth() if across else part.maximumHeight()) == _UNLIMITED
        ]

    def _on_moved(self) -> None:
        free, sizes = self._free(), self.sizes()
        whole, length = sum(self._shares[index] for index in free), sum(sizes[index] for index in free)
        if length > 0:
            for index in free:
                self._shares[index] = max(0.02, whole * sizes[index] / length)
            self.shares_changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.apply()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.apply()
