"""The passages of two documents side by side, their highlights, and the bands that join matching ones."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from explorer import palette
from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed
from explorer.ui.widgets.word_highlights import format_range, highlight_colour, strengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.analysis.text.diff import Difference
    from explorer.models.explain import Contributions
    from explorer.workspace.search.compare import Aligned, Comparison, Stretch

PAD, GAP = 8, 12  # pixels inside a passage, and between two
LINE_SPACING = 1.35
CACHED = 300  # layouts of passages
WIDTH = 40  # pixels of the bands between the columns
CHANGED, SAME = 0.8, 0.5  # strength of the highlights of what differs, and of what is identical

Mark = tuple[int, int, QColor]  # start and end in the passage, background
SideMarks = dict[int, list[Mark]]  # by the index of the passage
Marks = tuple[SideMarks, SideMarks]


class PassageList(Themed, QAbstractScrollArea):
    """The passages of one document; only visible ones are laid out, so that a book scrolls as fast as a letter.

    Signals:
        chosen: A passage was clicked or reached by a key; carries its index.
        moved: The visible passages have moved.
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
        """The index of the current passage; -1 for none."""
        return self._current

    def show_passages(self, passages: Sequence[Stretch]) -> None:
        """Replace the passages."""
        self._passages, self._marks, self._current = passages, {}, -1
        self._estimate()
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def set_marks(self, marks: Mapping[int, Sequence[Mark]]) -> None:
        """Highlight words, by the index of their passage."""
        for passage in {*self._marks, *marks}:
            self._layouts.pop(passage, None)
        self._marks = marks
        self.viewport().update()

    def choose(self, row: int, top: float | None = None) -> None:
        """Make a passage the current one and scroll to it, so that it begins at `top` if that is given."""
        self._current = row
        if 0 <= row < len(self._passages):
            self._show(row, top)
            self.setAccessibleDescription(self._passages[row].text)
        self.viewport().update()
        self.moved.emit()

    def extent(self, row: int) -> tuple[float, float]:
        """Return where a passage begins and ends, in pixels of the view."""
        top = float(self._tops[row]) - self.verticalScrollBar().value()
        return top, top + float(self._heights[row]) - GAP

    def extents(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the same for several passages, (P, 2)."""
        tops = self._tops[rows] - self.verticalScrollBar().value()
        return np.column_stack([tops, tops + self._heights[rows] - GAP])

    # Heights

    def _estimate(self) -> None:
        """Estimate the heights by the number of characters, until a passage becomes visible."""
        self._layouts.clear()
        metrics = QFontMetricsF(self.font())
        per_line = max(10.0, self._width() / max(1.0, metrics.averageCharWidth()))
        # A line break ends a line early, half a line on average.
        sizes = np.array([len(item.text) + 30 * item.text.count("\n") for item in self._passages], np.float64)
        self._heights = np.ceil(sizes / per_line + 0.5) * metrics.height() * LINE_SPACING + 2 * PAD + GAP
        self._measured = np.zeros(len(sizes), np.bool_)
        self._update_tops()

    def _update_tops(self) -> None:
        self._tops = np.cumsum(self._heights) - self._heights
        bar, view = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, round(float(self._heights.sum())) - view))
        bar.setPageStep(view)
        bar.setSingleStep(24)

    def _visible(self) -> range:
        """Return the indices of the visible passages, after laying all of them out."""
        if not len(self._heights):
            return range(0)
        scrolled = self.verticalScrollBar().value()
        first = max(0, int(np.searchsorted(self._tops, scrolled, side="right")) - 1)
        row, y, measured = first, float(self._tops[first]), False
        while row < len(self._heights) and y < scrolled + self.viewport().height():
            measured |= self._measure(row)
            y += float(self._heights[row])
            row += 1
        if measured:  # heights above the view have not changed, so nothing in it jumps
            self._update_tops()
        return range(first, row)

    def _measure(self, row: int) -> bool:
        """Lay a passage out if it is not; return whether its height was only an estimate so far."""
        if row not in self._layouts:
            if len(self._layouts) > CACHED:
                self._layouts.clear()
            self._layouts[row] = self._layout(row)
        if self._measured[row]:
            return False
        self._heights[row] = self._layouts[row].boundingRect().height() + 2 * PAD + GAP
        self._measured[row] = True
        return True

    def _layout(self, row: int) -> QTextLayout:
        text = self._passages[row].text
        layout = QTextLayout(text.replace("\n", "\u2028"), self.font())
        layout.setCacheEnabled(True)
        formats = []
        for start, end, colour in self._marks.get(row, ()):
            style = QTextCharFormat()
            style.setBackground(colour)
            style.setForeground(QColor(theme.current().foreground))
            formats.append(format_range(text, start, end, style))
        layout.setFormats(formats)
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self._width())
            line.setPosition(QPointF(0, y))
            y += line.height() * LINE_SPACING
        layout.endLayout()
        return layout

    def _width(self) -> float:
        return float(max(40, self.viewport().width() - 2 * PAD - 4))

    def _show(self, row: int, top: float | None) -> None:
        bar = self.verticalScrollBar()
        for _ in range(3):  # while scrolling, measured heights replace estimates
            above, below = self.extent(row)
            if top is not None:
                bar.setValue(round(float(self._tops[row]) - top))
            elif above < 0 or below > self.viewport().height():
                bar.setValue(round(float(self._tops[row]) - PAD))
            self._visible()

    def paintEvent(self, _event: QPaintEvent) -> None:
        before = self._tops.copy()
        visible = self._visible()
        painter = QPainter(self.viewport())
        colours = theme.current()
        painter.fillRect(self.viewport().rect(), QColor(colours.background))
        for row in visible:
            top, bottom = self.extent(row)
            box = QRectF(2, top, self.viewport().width() - 4, bottom - top)
            if row == self._current:
                painter.fillRect(box, QColor(colours.lit))
            matched = self._passages[row].matched
            if not matched:
                painter.fillRect(box, QColor(colours.window))
            painter.setPen(QColor(colours.foreground if matched or row == self._current else colours.faint))
            self._layouts[row].draw(painter, QPointF(PAD + 2, top + PAD))
            if row == self._current:
                painter.fillRect(QRectF(0, top, 3, bottom - top), QColor(colours.accent))
        painter.end()
        if not np.array_equal(before, self._tops):
            self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        first = int(np.searchsorted(self._tops, self.verticalScrollBar().value(), side="right")) - 1
        super().resizeEvent(event)
        self._estimate()
        if first > 0:
            self._show(first, 0)
        self.moved.emit()

    def restyle(self) -> None:
        self._estimate()
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        y = event.position().y() + self.verticalScrollBar().value()
        row = int(np.searchsorted(self._tops, y, side="right")) - 1
        if event.button() == Qt.MouseButton.LeftButton and 0 <= row < len(self._passages):
            self.chosen.emit(row)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the press was handled here

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if event.matches(QKeySequence.StandardKey.Copy) and self._current >= 0:
            QApplication.clipboard().setText(self._passages[self._current].text)
        elif step:
            if 0 <= self._current + step < len(self._passages):
                self.chosen.emit(self._current + step)
        else:
            super().keyPressEvent(event)


class Connectors(QWidget):
    """Bands between the two columns.

    Signals:
        chosen: A band was clicked; carries the indices of its passages.
    """

    chosen = Signal(int, int)

    def __init__(self, left: PassageList, right: PassageList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._left, self._right = left, right
        self._pairs: Sequence[Aligned] = ()
        self._rows: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._current: tuple[int, int] | None = None
        self._level = 0.0
        left.moved.connect(self.update)
        right.moved.connect(self.update)
        self.setFixedWidth(WIDTH)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 100)

    def show_pairs(self, pairs: Sequence[Aligned], level: float) -> None:
        """Join the matched pairs; `level` is the cosine at which a pair counts as one."""
        self._pairs = [pair for pair in pairs if pair.matched]
        self._rows = np.array([(pair.first, pair.second) for pair in self._pairs], np.int64).reshape(-1, 2)
        self._level, self._current = level, None
        self.update()

    def choose(self, pair: tuple[int, int] | None) -> None:
        """Highlight the band of a pair."""
        self._current = pair
        self.update()

    def bands(self) -> list[tuple[int, QPainterPath]]:
        """Return the visible bands, each with the index of its pair."""
        if not len(self._rows):
            return []
        left, right = self._left.extents(self._rows[:, 0]), self._right.extents(self._rows[:, 1])
        height = self.height()
        above = (left[:, 1] < 0) & (right[:, 1] < 0)
        below = (left[:, 0] > height) & (right[:, 0] > height)
        visible = np.flatnonzero(~(above | below)).tolist()
        return [(pair, self._band(*left[pair], *right[pair])) for pair in visible]

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
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.background))
        current = None  # drawn last, above the others
        for index, path in self.bands():
            pair = self._pairs[index]
            if (pair.first, pair.second) == self._current:
                current = path
                continue
            share = (pair.score - self._level) / max(1e-6, 1 - self._level)
            colour = QColor(palette.ramp(share, dark=colours.dark))
            colour.setAlphaF(0.4 if pair.mutual else 0.16)
            painter.fillPath(path, colour)
        if current is not None:
            colour = QColor(colours.accent)
            colour.setAlphaF(0.65)
            painter.fillPath(current, colour)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = [self._pairs[index] for index, path in self.bands() if path.contains(event.position())]
        if hit and event.button() == Qt.MouseButton.LeftButton:
            best = max(hit, key=lambda pair: (pair.mutual, pair.score))
            self.chosen.emit(best.first, best.second)


def word_marks(pair: Aligned, why: Contributions) -> Marks:
    """Highlight the words that make two passages similar, the more they contribute the stronger."""
    first, second = (
        [(start, end, highlight_colour(strength)) for start, end, strength in strengths(side)]
        for side in (why.first, why.second)
    )
    return {pair.first: first}, {pair.second: second}


def changed_marks(pair: Aligned, changes: Sequence[Difference]) -> Marks:
    """Highlight what differs between two passages."""
    other = [change for change in changes if change.kind != "same"]
    first = [(*change.first, highlight_colour(CHANGED)) for change in other if change.first[0] < change.first[1]]
    second = [(*change.second, highlight_colour(CHANGED)) for change in other if change.second[0] < change.second[1]]
    return {pair.first: first}, {pair.second: second}


def run_marks(comparison: Comparison) -> Marks:
    """Highlight what is identical in both documents."""
    first = _by_passage(comparison.first.passages, [run.first for run in comparison.runs])
    return first, _by_passage(comparison.second.passages, [run.second for run in comparison.runs])


def _by_passage(passages: Sequence[Stretch], spans: Sequence[tuple[int, int]]) -> SideMarks:
    """Convert spans of a document to highlights of its passages."""
    marks: SideMarks = {}
    ends = [passage.end for passage in passages]
    for start, end in spans:
        for row in range(bisect_right(ends, start), len(passages)):
            passage = passages[row]
            if passage.start >= end:
                break
            cut = max(0, start - passage.start), min(passage.end, end) - passage.start
            marks.setdefault(row, []).append((*cut, highlight_colour(SAME)))
    return marks
