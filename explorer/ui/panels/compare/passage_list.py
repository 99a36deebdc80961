"""A column of passages: only those in view are laid out, so that a book scrolls like a letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.search.compare import Stretch

PAD, GAP = 8, 12  # pixels within a passage, and between two
SPACING = 1.35  # of lines
KEPT = 300  # passages whose layout is kept

Mark = tuple[int, int, QColor]  # from, to in the passage, ground


class PassageList(Themed, QAbstractScrollArea):
    """The passages of one document.

    Signals:
        chosen: A passage was chosen; says its place.
        moved: What is in view has changed.
    """

    chosen = Signal(int)
    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._passages: Sequence[Stretch] = ()
        self._marks: Mapping[int, Sequence[Mark]] = {}
        self._current = -1
        self._layouts: dict[int, QTextLayout] = {}
        self._heights = self._tops = np.zeros(0)
        self._measured = np.zeros(0, np.bool_)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.moved.emit())

    @property
    def current(self) -> int:
        """The passage that is chosen; -1 for none."""
        return self._current

    @property
    def laid_out(self) -> int:
        """How many passages are laid out."""
        return len(self._layouts)

    def show_passages(self, passages: Sequence[Stretch]) -> None:
        """Show others."""
        self._passages, self._marks, self._current = passages, {}, -1
        self._estimate()
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def set_marks(self, marks: Mapping[int, Sequence[Mark]]) -> None:
        """Light words: for each passage by its place."""
        changed = {*self._marks, *marks}
        self._marks = marks
        for place in changed:
            self._layouts.pop(place, None)
        self.viewport().update()

    def choose(self, place: int, top: float | None = None) -> None:
        """Choose a passage and bring it into view, at a height where one is wished."""
        self._current = place
        if 0 <= place < len(self._passages):
            self._show(place, top)
            self.setAccessibleDescription(self._passages[place].text)
        self.viewport().update()
        self.moved.emit()

    def extent(self, place: int) -> tuple[float, float]:
        """From where to where a passage reaches, in pixels of the view."""
        top = float(self._tops[place]) - self.verticalScrollBar().value()
        return top, top + float(self._heights[place]) - GAP

    def extents(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for many, (P, 2)."""
        tops = self._tops[places] - self.verticalScrollBar().value()
        return np.column_stack([tops, tops + self._heights[places] - GAP])

    # Heights

    def _estimate(self) -> None:
        """By the number of letters, until a passage is seen."""
        self._layouts.clear()
        metrics = QFontMetricsF(self.font())
        letters = max(10.0, self._width() / max(1.0, metrics.averageCharWidth()))
        sizes = np.array([len(one.text) + 30 * one.text.count("\n") for one in self._passages], np.float64)
        self._heights = np.ceil(sizes / letters + 0.5) * metrics.height() * SPACING + 2 * PAD + GAP
        self._measured = np.zeros(len(sizes), np.bool_)
        self._place()

    def _place(self) -> None:
        self._tops = (
            np.concatenate([[0.0], np.cumsum(self._heights)[:-1]]) if len(self._heights) else self._heights
        )
        whole = float(self._heights.sum())
        bar, view = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, round(whole) - view))
        bar.setPageStep(view)
        bar.setSingleStep(24)

    def _visible(self) -> range:
        """The places in view, all of them laid out."""
        if not len(self._heights):
            return range(0)
        scrolled = self.verticalScrollBar().value()
        first = max(0, int(np.searchsorted(self._tops, scrolled, side="right")) - 1)
        place, y, fresh = first, float(self._tops[first]), False
        while place < len(self._heights) and y < scrolled + self.viewport().height():
            fresh |= self._measure(place)
            y += float(self._heights[place])
            place += 1
        if fresh:  # what lies above has not changed, so nothing in view jumps
            self._place()
        return range(first, place)

    def _measure(self, place: int) -> bool:
        if place not in self._layouts:
            if len(self._layouts) > KEPT:
                self._layouts.clear()
            self._layouts[place] = self._laid(place)
        if self._measured[place]:
            return False
        self._heights[place] = self._layouts[place].boundingRect().height() + 2 * PAD + GAP
        self._measured[place] = True
        return True

    def _laid(self, place: int) -> QTextLayout:
        text = self._passages[place].text
        layout = QTextLayout(text.replace("\n", "\u2028"), self.font())
        layout.setCacheEnabled(True)
        layout.setFormats([_ground(text, *mark) for mark in self._marks.get(place, ())])
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self._width())
            line.setPosition(QPointF(0, y))
            y += line.height() * SPACING
        layout.endLayout()
        return layout

    def _width(self) -> float:
        return float(max(40, self.viewport().width() - 2 * PAD - 4))

    def _show(self, place: int, top: float | None) -> None:
        bar = self.verticalScrollBar()
        for _ in range(3):  # estimates on the way become measures
            above, below = self.extent(place)
            if top is not None:
                bar.setValue(round(float(self._tops[place]) - top))
            elif above < 0 or below > self.viewport().height():
                bar.setValue(round(float(self._tops[place]) - PAD))
            self._visible()

    # Drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what is in view: what is not matched in grey, the chosen passage lit."""
        before = self._tops.copy()
        seen = self._visible()
        painter = QPainter(self.viewport())
        colours = theme.current()
        painter.fillRect(self.viewport().rect(), QColor(colours.ground))
        for place in seen:
            top, bottom = self.extent(place)
            box = QRectF(2, top, self.viewport().width() - 4, bottom - top)
            if place == self._current:
                painter.fillRect(box, QColor(colours.lit))
            matched = self._passages[place].matched
            if not matched:
                painter.fillRect(box, QColor(colours.window))
            painter.setPen(QColor(colours.ink if matched or place == self._current else colours.faint))
            self._layouts[place].draw(painter, QPointF(PAD + 2, top + PAD))
            if place == self._current:
                painter.fillRect(QRectF(0, top, 3, bottom - top), QColor(colours.accent))
        painter.end()
        if not np.array_equal(before, self._tops):
            self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew, with the same passage on top."""
        first = int(np.searchsorted(self._tops, self.verticalScrollBar().value(), side="right")) - 1
        super().resizeEvent(event)
        self._estimate()
        if first > 0:
            self._show(first, 0)
        self.moved.emit()

    def restyle(self) -> None:
        self._estimate()
        self.viewport().update()

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a passage."""
        y = event.position().y() + self.verticalScrollBar().value()
        place = int(np.searchsorted(self._tops, y, side="right")) - 1
        if event.button() == Qt.MouseButton.LeftButton and 0 <= place < len(self._passages):
            self.chosen.emit(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Nothing more, but it is ours."""
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down choose the next passage; the clipboard gets the chosen one."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if event.matches(QKeySequence.StandardKey.Copy) and self._current >= 0:
            QApplication.clipboard().setText(self._passages[self._current].text)
        elif step:
            place = self._current + step
            if 0 <= place < len(self._passages):
                self.chosen.emit(place)
        else:
            super().keyPressEvent(event)


def _ground(text: str, start: int, end: int, colour: QColor) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length = _units(text[:start]), _units(text[start:end])
    style = QTextCharFormat()
    style.setBackground(colour)
    style.setForeground(QColor(theme.current().ink))
    made.format = style
    return made


def _units(text: str) -> int:
    """The length of a text as Qt counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
