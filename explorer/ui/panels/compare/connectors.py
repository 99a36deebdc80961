"""Bands between two columns that join the passages that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from explorer import palette
from explorer.ui.look import theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.panels.compare.passage_list import PassageList
    from explorer.workspace.search.compare import Aligned

WIDTH = 40


class Connectors(QWidget):
    """The space between the columns.

    Signals:
        chosen: A band was clicked; says the places of its passages.
    """

    chosen = Signal(int, int)

    def __init__(self, left: PassageList, right: PassageList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._left, self._right = left, right
        self._pairs: Sequence[Aligned] = ()
        self._places: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._current: tuple[int, int] | None = None
        self._level = 0.0
        left.moved.connect(self.update)
        right.moved.connect(self.update)
        self.setFixedWidth(WIDTH)

    def sizeHint(self) -> QSize:
        """Narrow."""
        return QSize(WIDTH, 100)

    def show_pairs(self, pairs: Sequence[Aligned], level: float) -> None:
        """Join the pairs that are matched; `level` is the cosine from which they are."""
        self._pairs = [pair for pair in pairs if pair.matched]
        self._places = np.array([(pair.first, pair.second) for pair in self._pairs], np.int64).reshape(-1, 2)
        self._level, self._current = level, None
        self.update()

    def choose(self, pair: tuple[int, int] | None) -> None:
        """Draw one band as the chosen one."""
        self._current = pair
        self.update()

    def bands(self) -> list[tuple[int, QPainterPath]]:
        """The bands in view, with their places among the pairs that are shown."""
        if not len(self._places):
            return []
        left, right = self._left.extents(self._places[:, 0]), self._right.extents(self._places[:, 1])
        height = self.height()
        above = (left[:, 1] < 0) & (right[:, 1] < 0)
        below = (left[:, 0] > height) & (right[:, 0] > height)
        seen = np.flatnonzero(~(above | below)).tolist()
        return [(at, self._band(*left[at], *right[at])) for at in seen]

    def _band(self, top: float, bottom: float, far_top: float, far_bottom: float) -> QPainterPath:
        width, half = float(self.width()), self.width() / 2
        path = QPainterPath()
        path.moveTo(0, top)
        path.cubicTo(half, top, half, far_top, width, far_top)
        path.lineTo(width, far_bottom)
        path.cubicTo(half, far_bottom, half, bottom, 0, bottom)
        path.closeSubpath()
        return path

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bands, the chosen one last and in the accent colour."""
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.ground))
        chosen = None
        for at, path in self.bands():
            pair = self._pairs[at]
            if (pair.first, pair.second) == self._current:
                chosen = path
                continue
            share = (pair.score - self._level) / max(1e-6, 1 - self._level)
            colour = QColor(palette.ramp(share, dark=colours.dark))
            colour.setAlphaF(0.4 if pair.mutual else 0.16)
            painter.fillPath(path, colour)
        if chosen is not None:
            colour = QColor(colours.accent)
            colour.setAlphaF(0.65)
            painter.fillPath(chosen, colour)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the nearest pair whose band is under the mouse."""
        here = event.position()
        under = [at for at, path in self.bands() if path.contains(here)]
        if under and event.button() == Qt.MouseButton.LeftButton:
            best = max(under, key=lambda at: (self._pairs[at].mutual, self._pairs[at].score))
            self.chosen.emit(self._pairs[best].first, self._pairs[best].second)
