"""A bar chart of how examples are distributed over their labels or scores."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.ui.look import theme

_ROW, _BAR = 22, 8  # height of a row and of its bar, in pixels
_MOST = 8  # labels shown
_HEIGHT = 64  # of the histogram of scores, in pixels


class BarChart(QWidget):
    """One bar per label, or a small histogram of scores from low to high."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: tuple[tuple[str, int], ...] = ()
        self._scores: tuple[int, ...] = ()
        self._ends = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_labels(self, counts: Sequence[tuple[str, int]]) -> None:
        """Show how many examples have each label."""
        self._labels, self._scores = tuple(counts)[:_MOST], ()
        self._refresh(", ".join(f"{name}: {count:,}" for name, count in counts))

    def show_scores(self, counts: Sequence[int], low: str, high: str) -> None:
        """Show how many scores are in each of a few equal ranges."""
        self._labels, self._scores, self._ends = (), tuple(counts), (low, high)
        self._refresh(f"{low} – {high}: {', '.join(map(str, counts))}")

    def _refresh(self, description: str) -> None:
        self.setAccessibleDescription(description)
        self.setVisible(bool(self._labels or any(self._scores)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the bars need."""
        return QSize(200, len(self._labels) * _ROW if self._labels else _HEIGHT + 20)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if theme.is_change(event):
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        (self._paint_labels if self._labels else self._paint_scores)(painter)
        painter.end()

    def _paint_labels(self, painter: QPainter) -> None:
        look, metrics = theme.current(), self.fontMetrics()
        most = max(count for _, count in self._labels) or 1
        names = min(self.width() // 3, max(metrics.horizontalAdvance(name) for name, _ in self._labels) + 8)
        counts = metrics.horizontalAdvance(f"{most:,}") + 8
        room = max(10, self.width() - names - counts)
        for row, (name, count) in enumerate(self._labels):
            line = QRectF(0, row * _ROW, self.width(), _ROW)
            painter.setPen(QColor(look.ink))
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, names - 8)
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)
            painter.setPen(QColor(look.faint))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, f"{count:,}")
            bar = QRectF(names, line.center().y() - _BAR / 2, max(2.0, room * count / most), _BAR)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent))
            painter.drawRoundedRect(bar, 2, 2)

    def _paint_scores(self, painter: QPainter) -> None:
        look, most = theme.current(), max(self._scores, default=0) or 1
        width = self.width() / max(1, len(self._scores))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.accent))
        for column, count in enumerate(self._scores):
            high = max(1.5, (_HEIGHT - 6) * count / most) if count else 0.0
            painter.drawRoundedRect(QRectF(column * width + 1, _HEIGHT - high, width - 2, high), 1.5, 1.5)
        painter.fillRect(QRectF(0, _HEIGHT, self.width(), 1), QColor(look.hairline))
        painter.setPen(QColor(look.faint))
        below = QRectF(0, _HEIGHT + 2, self.width(), 18)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, self._ends[0])
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, self._ends[1])
