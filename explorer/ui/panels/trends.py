"""How clusters grow and shrink over time, where documents have dates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.services.overview import Clusters, TrendData, over_time
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import LazyPanel
from explorer.ui.state.session import Session
from explorer.ui.widgets.charts import Plot, tinted
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import ExplicitCurrent, Index

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.analysis.clusters.trends import Trend, Trends


Shares = NDArray[np.float64]
TREND = int(Qt.ItemDataRole.UserRole) + 1
COLOUR = TREND + 1
PEAK = TREND + 2
DIRECTION = TREND + 3
_PAD, _DOT, _PEAK = 8, 8, 42  # pixels; the last beside the curve for the top of its scale
_NAME, _TEXTS = 0.28, 0.26  # shares of the width: the name on the left, direction and speed on the right


class TrendsPanel(LazyPanel):
    """One curve per cluster, drawn once the panel is visible.

    Signals:
        zoom_requested: The map is to show these documents: a list of numbers.
    """

    name = "trends"
    has_table = True

    zoom_requested = Signal(object)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._trends = TrendData()
        self._asked: Clusters | None = None  # whose curves were asked for
        self._known: Clusters | None = None  # of which the curves are
        self._build()
        session.clusters_changed.connect(self.load)
        self.field.activated.connect(lambda _: self._look(self.field.currentText()))
        self.same_scale.toggled.connect(lambda _: self._show())
        self.list.clicked.connect(self._on_clicked)
        self.list.doubleClicked.connect(self._on_double_clicked)
        self.list.filter_requested.connect(self._on_filter_requested)
        self.stage.retried.connect(lambda: self._look(self._trends.field))
        self.retranslate()

    def _build(self) -> None:
        self.model = TrendsModel(self)
        self.list = TrendsList(self.model)
        self.setFocusProxy(self.list)
        self.axis = TimeAxis(self.list)
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.axis)
        rows.addWidget(self.list, 1)
        self.stage = ContentStack(content)
        self.field = QComboBox()
        self._by, self._span, self._note = plain_label(), plain_label(), plain_label(wrap=True)
        for label in (self._by, self._span, self._note):
            label.setProperty("kind", "faint")
        self._note.setContentsMargins(8, 4, 8, 4)
        self.same_scale = QAction(self, checkable=True)
        self.addAction(self.same_scale)
        self._scale = QToolButton()
        self._scale.setDefaultAction(self.same_scale)
        self._scale.setIconSize(QSize(16, 16))
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 8, 4)
        head.setSpacing(8)
        for part, stretch in ((self._by, 0), (self.field, 0), (self._span, 1), (self._scale, 0)):
            head.addWidget(part, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        column.addWidget(self._note)

    def load(self) -> None:
        if self._session.clusters is None:
            self._trends, self._known, self._asked = TrendData(), None, None
            self._show()
        elif self.isVisible() and self._session.clusters is not self._asked:
            self._look(self._trends.field)

    def _look(self, field: str) -> None:
        """Count again, by a field."""
        clusters, listing = self._session.clusters, self._session.listing
        if clusters is None or listing is None:
            return
        self._asked = clusters
        self.stage.set_busy(True)
        self._actions.runner.start(
            "trends",
            lambda _: over_time(listing, clusters, field),
            lambda trends: self._on_found(clusters, trends),
            failed=self._on_failed,
            quiet=True,
        )

    def _on_found(self, clusters: Clusters, trends: TrendData) -> None:
        self._known, self._trends = clusters, trends
        self.stage.set_busy(False)
        self._show()

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        self.stage.show_error(error)

    def _show(self) -> None:
        trends = self._trends
        self.model.show_trends(trends, self._known, same_scale=self.same_scale.isChecked())
        self.axis.show_time(trends)
        self.field.clear()
        self.field.addItems(trends.fields)
        self.field.setCurrentText(trends.field)
        for part in (self._by, self.field, self._span, self._scale):
            part.setVisible(trends.trends is not None)
        self._note.setVisible(trends.trends is not None)
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to see how its clusters change over time."))
        elif self._known is None:
            self.stage.show_empty(self.tr("Available once the documents are encoded."))
        elif trends.trends is None:
            message = self.tr(
                "No document has a date. Dates are read from emails, from the headers of texts and web "
                "pages, and from table columns, in forms such as 2024-03-05."
            )
            self.stage.show_empty(message)
        else:
            self.stage.show_content()
            self._tell()

    def _tell(self) -> None:
        trends = self._trends.trends
        if trends is None:
            return
        units = {
            "day": self.tr("by day"),
            "week": self.tr("by week"),
            "month": self.tr("by month"),
            "quarter": self.tr("by quarter"),
            "year": self.tr("by year"),
            "decade": self.tr("by decade"),
        }
        dated = self.tr("%Ln dated document(s), {unit}", "", int(trends.totals.sum()))
        self._span.setText(dated.format(unit=units[trends.unit]))
        parts = [
            text.format(count=f"{count:,}")
            for count, text in (
                (trends.undated, self.tr("%Ln document(s) without a date.", "", trends.undated)),
                (trends.implausible, self.tr("{count} with an implausible date.")),
                (trends.outside, self.tr("{count} far earlier or later than all others, excluded.")),
            )
            if count
        ]
        self._note.setText(" ".join(parts))
        self._note.setVisible(bool(parts))

    def export_table(self) -> ExportTable | None:
        """Return a row for each cluster and stretch of time, to be exported."""
        trends = self._trends.trends
        if trends is None:
            return None
        indices = [self.model.index(row) for row in range(self.model.rowCount())]
        rows = [(str(index.data()), index.data(TREND)) for index in indices]
        header = (
            self.tr("Cluster"),
            self.tr("Trend"),
            self.tr("p"),
            self.tr("From"),
            self.tr("Documents"),
            self.tr("Share"),
        )

        def cells() -> list[tuple[object, ...]]:
            return [
                (name, trend.direction, trend.p, str(start), int(count), int(count) / max(1, int(total)))
                for name, trend in rows
                for start, count, total in zip(trends.starts, trend.counts, trends.totals, strict=True)
            ]

        return ExportTable(header, cells)

    def _documents(self, row: int) -> list[int]:
        label, clusters = self.model.label(row), self._known
        if label is None or clusters is None:
            return []
        documents: list[int] = clusters.documents[clusters.shown.labels == label].tolist()
        return documents

    def _on_clicked(self, index: QModelIndex) -> None:
        self._session.mark(self._documents(index.row()))

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.zoom_requested.emit(self._documents(index.row()))

    def _on_filter_requested(self) -> None:
        index = self.list.currentIndex()
        if documents := self._documents(index.row()):
            self._actions.filter_to(documents, str(index.data()))

    def title(self) -> str:
        return self.tr("Trends")

    def retranslate(self) -> None:
        self._by.setText(self.tr("Dates from"))
        self.field.setAccessibleName(self.tr("Date field"))
        self.list.setAccessibleName(self.tr("Clusters over time"))
        self.same_scale.setText(self.tr("Use the same scale for all clusters"))
        self.same_scale.setIcon(theme.icon("trends"))
        self._scale.setAccessibleName(self.same_scale.text())
        self._show()

    def restyle(self) -> None:
        self.same_scale.setIcon(theme.icon("trends"))


class TrendsModel(QAbstractListModel):
    """One row per cluster."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Trends | None = None
        self._rows: list[Trend] = []
        self._names: dict[int, str] = {}
        self._ranks: Mapping[int, int] = {}
        self._same_scale = False

    def show_trends(self, data: TrendData, clusters: Clusters | None, *, same_scale: bool) -> None:
        """Show other trends."""
        self.beginResetModel()
        self._same_scale = same_scale
        known = clusters.clusters if clusters is not None else ()
        self._names = {cluster.id: cluster.name for cluster in known}
        self._ranks = clusters.colour_ranks() if clusters is not None else {}
        self._all = data.trends
        self._rows = [data.trends.clusters[row] for row in data.order] if data.trends else []
        self.endResetModel()

    def label(self, row: int) -> int | None:
        """Return the cluster in a row."""
        return self._rows[row].label if 0 <= row < len(self._rows) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self._rows):
            return None
        trend = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._names.get(trend.label) or self.tr("Cluster {number}").format(number=trend.label)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{index.data()}, {self._direction(trend)}, {self._speed(trend)}"
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(
                    f"{index.data()}\n{self._direction(trend)}\n{self._speed(trend)}\n{self._meaning(trend)}"
                )
            case _ if role == TREND:
                return trend
            case _ if role == COLOUR:
                return self._ranks.get(trend.label, -1)
            case _ if role == PEAK:
                everyone = self._rows if self._same_scale else [trend]
                return max((float(max(row.smooth.max(), 1e-9)) for row in everyone), default=1.0)
            case _ if role == DIRECTION:
                return self._direction(trend), self._speed(trend)
        return None

    def _direction(self, trend: Trend) -> str:
        """Return the direction of a trend in words; the p-value is in the tooltip."""
        if trend.direction == "too few":
            return self.tr("too few documents")
        ways = {"rising": self.tr("rising"), "falling": self.tr("falling"), "steady": self.tr("no clear trend")}
        return ways[trend.direction]

    def _speed(self, trend: Trend) -> str:
        """Return the slope in percentage points."""
        if trend.direction == "too few" or self._all is None:
            return self.tr("%Ln document(s)", "", int(trend.counts.sum()))
        speed = {
            "day": self.tr("{points} points per day"),
            "week": self.tr("{points} points per week"),
            "month": self.tr("{points} points per month"),
            "quarter": self.tr("{points} points per quarter"),
            "year": self.tr("{points} points per year"),
            "decade": self.tr("{points} points per decade"),
        }[self._all.unit]
        points = round(self._all.step(trend) * 100, 1) or 0.0  # not -0.0
        return speed.format(points=f"{points:+.1f}" if points else "0")

    def _meaning(self, trend: Trend) -> str:
        if trend.direction == "too few":
            return self.tr("Too few documents or time periods to tell.")
        steady = self.tr("No statistically significant trend.") + " " if trend.direction == "steady" else ""
        chance = "p < 0.001" if trend.p < 0.001 else f"p = {trend.p:.3f}"
        return f"{steady}{chance}. " + self.tr(
            "The curve is the smoothed share of all documents in each period; the number beside it is the "
            "top of the scale. p is the probability of a slope at least this steep if nothing changed "
            "(Cochran-Armitage test). With many clusters some small p values occur by chance: one in "
            "twenty of the trends called rising or falling may not be real."
        )


class TrendsList(ExplicitCurrent, QListView):
    """The rows.

    Signals:
        filter_requested: Only the documents of the current row are to be looked at.
    """

    filter_requested = Signal()

    def __init__(self, model: TrendsModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(_Curve(self))
        self.setUniformItemSizes(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)  # rows are as high as the page allows
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.filter_requested.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are keys of the window here."""


class _Curve(QStyledItemDelegate):
    """Draws a row: name, curve, direction."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        least, rows = 2 * QFontMetrics(option.font).height() + 14, index.model().rowCount()
        # A few trends share the height of the page, so that their curves are large.
        room = option.widget.viewport().height() if isinstance(option.widget, QAbstractScrollArea) else 0
        return QSize(200, min(max(least, room // max(rows, 1)), 2 * least))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, cell, metrics = theme.current(), option.rect, QFontMetrics(option.font)
        trend, rank, peak = index.data(TREND), index.data(COLOUR), index.data(PEAK)
        painter.save()
        painter.setFont(option.font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, QColor(colours.chosen))
            painter.fillRect(QRect(cell.left(), cell.top(), 2, cell.height()), QColor(colours.accent))
        painter.fillRect(QRect(cell.left() + _PAD, cell.bottom(), cell.width(), 1), QColor(colours.hairline))
        colour = QColor(theme.cluster_colour(rank, dark=colours.dark))
        left, middle, right = columns(cell)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(left.left() + _DOT / 2, cell.top() + 6 + metrics.height() / 2), 4, 4)
        name = left.adjusted(_DOT + 6, 6, -_PAD, 0)
        self._lines(painter, name, metrics, str(index.data()), f"{trend.counts.sum():,}", colours.foreground)
        texts = right.adjusted(_PAD, 6, 0, 0)
        moves = trend.direction in ("rising", "falling")
        way, speed = index.data(DIRECTION)
        self._lines(painter, texts, metrics, way, speed, colours.foreground if moves else colours.faint)
        _draw_curve(painter, middle.adjusted(0, 6, 0, -6), trend.smooth, peak, colour)
        painter.restore()

    def _lines(
        self, painter: QPainter, room: QRect, metrics: QFontMetrics, first: str, second: str, foreground: str
    ) -> None:
        for line, (text, colour) in enumerate(((first, foreground), (second, theme.current().faint))):
            painter.setPen(QColor(colour))
            box = QRect(room.left(), room.top() + line * metrics.height(), room.width(), metrics.height())
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def columns(cell: QRect) -> tuple[QRect, QRect, QRect]:
    """Return the rectangles of name, curve and direction of a row."""
    inner = cell.adjusted(_PAD, 0, -_PAD, 0)
    name, texts = int(inner.width() * _NAME), int(inner.width() * _TEXTS)
    left = QRect(inner.left(), cell.top(), name, cell.height())
    middle = QRect(inner.left() + name, cell.top(), inner.width() - name - texts - _PEAK, cell.height())
    right = QRect(inner.right() - texts, cell.top(), texts, cell.height())
    return left, middle, right


def _draw_curve(painter: QPainter, room: QRect, smooth: Shares, peak: float, colour: QColor) -> None:
    """Draw the smoothed share as a filled curve; the number is the top of the scale."""
    x = room.left() + (np.arange(len(smooth)) + 0.5) * room.width() / max(1, len(smooth))
    y = room.bottom() - np.clip(smooth / peak, 0, 1) * room.height()
    line = pg.arrayToQPath(x, y)
    area = QPainterPath(line)
    area.lineTo(x[-1], room.bottom())
    area.lineTo(x[0], room.bottom())
    painter.fillPath(area, tinted(colour.name(), 0.22))
    painter.strokePath(line, QPen(colour, 1.6))
    painter.setPen(QColor(theme.current().faint))
    beside = QRect(room.right(), room.top() - 2, _PEAK - 4, room.height())
    painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, f"{peak:.0%}")


class TimeAxis(Plot):
    """The time axis above the curves, with the number of documents of each period."""

    lined = False

    def __init__(self, rows: TrendsList) -> None:
        super().__init__("top")
        self._rows = rows
        self._data = TrendData()
        self._bars = pg.BarGraphItem(x=[], height=[], width=0)
        self.box.addItem(self._bars, ignoreBounds=True)
        self.box.sigResized.connect(lambda _: self._draw())
        self.axes["top"].setStyle(tickLength=0)
        self.restyle()

    def show_time(self, data: TrendData) -> None:
        """Show another time span."""
        self._data = data
        self._draw()

    def _draw(self) -> None:
        trends = self._data.trends
        if trends is None:
            return
        count, rows_width = len(trends.starts), self._rows.viewport().width()
        _, room, _ = columns(QRect(0, 0, rows_width, 1))
        self.grid.setContentsMargins(room.left(), 0, max(0, self.width() - room.right()), 2)
        self._bars.setOpts(x=np.arange(count) + 0.5, height=trends.totals, width=0.9)
        self.box.setRange(xRange=(0, count), yRange=(0, max(1, int(trends.totals.max()))), padding=0)
        letters = 10 if trends.unit in ("day", "week") else 4 if trends.unit in ("year", "decade") else 7
        width = self.fontMetrics().horizontalAdvance("0" * letters) + 12
        every = max(1, int(np.ceil(width * count / max(1, room.width()))))
        names = [(row + 0.5, str(trends.starts[row])[:letters]) for row in range(0, count, every)]
        self.axes["top"].setTicks([names])

    def restyle(self) -> None:
        super().restyle()
        self.setFixedHeight(self.fontMetrics().height() + 22)
        self.axes["top"].setHeight(self.fontMetrics().height() + 4)
        self._bars.setOpts(brush=tinted(theme.current().faint, 0.5), pen=None)
        self._draw()
