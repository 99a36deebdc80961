"""A line chart that grows while a model trains: the loss, or a metric on held-out examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.ui.look import theme

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 16.0, 40.0, 24.0  # pixels around the plot
_SMOOTH = 0.03  # share of all points on each side of the running median
_WIDEST = 400  # points on each side at most
_DRAWN = 200  # points of the smoothed line


class LineChart(QWidget):
    """One line over the steps of a training run.

    Attributes:
        title: The heading.
    """

    def __init__(self, *, smooth: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self._empty, self._end = "", "", ""
        self._smooth = smooth
        self._steps = self._values = np.zeros(0)
        self._total, self._best = 0, -1
        self._sampled, self._line, self._ends = np.zeros(0, np.intp), self._values, (0.0, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def tell(self, title: str, empty: str, end: str) -> None:
        """Set the heading, the text shown before there are values, and the label of the last step ("step {count}")."""
        self.title, self._empty, self._end = title, empty, end
        self._update_accessible_text()

    def show_line(self, steps: Sequence[int], values: Sequence[float], total: int, best: int = -1) -> None:
        """Show values at steps out of `total`; `best` is the index of the value to highlight."""
        self._steps, self._values = np.asarray(steps, float), np.asarray(values, float)
        self._total, self._best = total, best
        whole = (np.arange(len(self._values)), self._values)
        self._sampled, self._line = (
            _smooth_line(self._values) if self._smooth and len(self._values) else whole
        )
        self._ends = _ends(self._values, self._line, smooth=self._smooth)
        self._update_accessible_text()

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(480, 170)

    def minimumSizeHint(self) -> QSize:
        """As low as can still be read."""
        return QSize(240, 110)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if theme.is_change(event):
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Axes, then the line."""
        look, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(look.ground))
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(look.ink))
        painter.drawText(QRectF(12, 6, self.width() - 24, 20), Qt.AlignmentFlag.AlignVCenter, self.title)
        painter.setFont(self.font())
        if len(self._values):
            self._paint_line(painter, self._axes(painter))
        else:
            painter.setPen(QColor(look.faint))
            painter.drawText(self._frame(), Qt.AlignmentFlag.AlignCenter, self._empty)
        painter.end()

    def _frame(self) -> QRectF:
        return QRectF(_LEFT, _TOP, self.width() - _LEFT - _RIGHT, self.height() - _TOP - _BOTTOM)

    def _axes(self, painter: QPainter) -> tuple[float, float]:
        """Draw the grid lines and labels of the axes; return the ends of the y axis."""
        look, frame = theme.current(), self._frame()
        low, high = self._ends
        for share in (0.0, 0.5, 1.0):
            y = frame.bottom() - share * frame.height()
            painter.setPen(QColor(look.hairline))
            painter.drawLine(QPointF(frame.left(), y), QPointF(frame.right(), y))
            painter.setPen(QColor(look.faint))
            box = QRectF(0, y - 9, _LEFT - 8, 18)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, _number(low + share * (high - low), high - low))
        below = QRectF(frame.left(), frame.bottom() + 4, frame.width(), 18)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        told = self._end.format(count=f"{self._total:,}")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, told)
        return low, high

    def _paint_line(self, painter: QPainter, ends: tuple[float, float]) -> None:
        look, frame = theme.current(), self._frame()
        x = frame.left() + self._steps / max(1, self._total) * frame.width()
        accent = QColor(look.accent)
        if self._smooth:
            faint = QColor(accent)
            faint.setAlphaF(0.25)
            painter.setPen(QPen(faint, 1))
            painter.drawPolyline(_polygon(*_downsample(x, self._y(self._values, ends), int(frame.width()))))
        painter.setPen(QPen(accent, 1.8))
        x, y = x[self._sampled], self._y(self._line, ends)
        painter.drawPolyline(_polygon(x, y))
        if not self._smooth:
            self._paint_points(painter, x, y)

    def _paint_points(self, painter: QPainter, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        look = theme.current()
        for index, at in enumerate(map(QPointF, x.tolist(), y.tolist())):
            best = index == self._best
            painter.setBrush(QColor(look.accent if best else look.ground))
            painter.setPen(QPen(QColor(look.accent), 1.6))
            painter.drawEllipse(at, 4.5 if best else 3, 4.5 if best else 3)

    def _y(self, values: NDArray[np.float64], ends: tuple[float, float]) -> NDArray[np.float64]:
        frame, (low, high) = self._frame(), ends
        return np.asarray(frame.bottom() - (np.clip(values, low, high) - low) / (high - low) * frame.height())

    def _update_accessible_text(self) -> None:
        last = f"{self._values[-1]:.3f}" if len(self._values) else self._empty
        self.setAccessibleName(self.title)
        self.setAccessibleDescription(last)
        self.update()


def _ends(values: NDArray[np.float64], line: NDArray[np.float64], *, smooth: bool) -> tuple[float, float]:
    """Return the ends of the y axis with a margin: of all values, or of most values and the smoothed line."""
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    if smooth:
        known = np.concatenate([np.quantile(known, (0.1, 0.95)), line[np.isfinite(line)]])
    low, high = float(known.min()), float(known.max())
    room = max((0.15 if smooth else 0.06) * (high - low), 0.01 * max(abs(high), abs(low)), 1e-6)
    return (max(0.0, low - room) if low >= 0 else low - room), high + room  # a loss is never negative


def _number(value: float, span: float) -> str:
    digits = 1 if span > 5 else 2 if span > 0.2 else 3
    return f"{value:.{digits}f}"


def _smooth_line(values: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return some indices and the median around each.

    The median, unlike a mean, ignores the batches that guard against forgetting, whose loss is on another scale.
    """
    reach = min(_WIDEST, max(min(3, len(values) // 8), round(_SMOOTH * len(values))))
    indices = np.unique(np.linspace(0, len(values) - 1, min(len(values), _DRAWN)).astype(np.intp))
    around = [values[max(0, index - reach) : index + reach + 1] for index in indices.tolist()]
    return indices, np.array([np.median(part) for part in around])


def _downsample(
    x: NDArray[np.float64], y: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Reduce to the lowest and the highest point of each pixel column, so that peaks stay visible."""
    most = max(2, most)
    if len(x) <= 2 * most:
        return x, y
    cut = len(x) // most * most
    parts = y[:cut].reshape(most, -1)
    rows = np.arange(most) * parts.shape[1]
    kept = np.unique(np.concatenate([rows + parts.argmin(axis=1), rows + parts.argmax(axis=1), [len(x) - 1]]))
    return x[kept], y[kept]


def _polygon(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPolygonF:
    return QPolygonF([QPointF(*at) for at in zip(x.tolist(), y.tolist(), strict=True)])
