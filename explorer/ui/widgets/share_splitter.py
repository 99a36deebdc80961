"""A splitter whose parts have shares of its length, which survive a change of its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_UNLIMITED = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export


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
        rest = length - sum(size for place, size in enumerate(sizes) if place not in free and size < _UNLIMITED)
        whole = sum(self._shares[place] for place in free)
        self.setSizes([round(rest * self._shares[n] / whole) if n in free else size for n, size in enumerate(sizes)])

    def _parts(self) -> list[QWidget]:
        return [part for place in range(self.count()) if (part := self.widget(place)) is not None]

    def _free(self) -> list[int]:
        """Return the parts that are shown and have no fixed size."""
        across = self.orientation() == Qt.Orientation.Horizontal
        return [
            place
            for place, part in enumerate(self._parts())
            if not part.isHidden() and (part.maximumWidth() if across else part.maximumHeight()) == _UNLIMITED
        ]

    def _on_moved(self) -> None:
        free, sizes = self._free(), self.sizes()
        whole, length = sum(self._shares[place] for place in free), sum(sizes[place] for place in free)
        if length > 0:
            for place in free:
                self._shares[place] = max(0.02, whole * sizes[place] / length)
            self.shares_changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.apply()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.apply()
