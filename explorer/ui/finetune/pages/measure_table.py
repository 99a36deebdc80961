"""Measures before and after with what is sure of the change, as numbers and as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.ui.finetune import texts
from explorer.ui.finetune.result_texts import FEW
from explorer.ui.look import theme
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.training.measure.bootstrap import MetricChange

_LINE = 4  # the column in which the interval is drawn
_WIDTH = 150  # pixels of it
_WIDTHS = {1: 76, 2: 76, 3: 84, _LINE: _WIDTH, 5: 170}


class MeasureTable(Themed, RowTable):
    """A measure a row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._changes: tuple[MetricChange, ...] = ()
        self._lines = _MeasureLines(self)
        self.setItemDelegateForColumn(_LINE, self._lines)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(RowTable.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_changes(self, changes: Sequence[MetricChange], name: str) -> None:
        """Show other measures."""
        self._changes = tuple(changes)
        self.setAccessibleName(name)
        names = (
            name, self.tr("Before"), self.tr("After"), self.tr("Change"), self.tr("95 % interval"),
            self.tr("Verdict"),
        )  # fmt: skip
        self.show_rows(names, [self._row(change) for change in self._changes], wide=(0,), numbers=(1, 2, 3))
        self._lines.show_changes(self._changes)
        for (
            column,
            width,
        ) in _WIDTHS.items():  # tables one below the other have their columns below each other
            self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, width)
        height = (
            self.horizontalHeader().sizeHint().height()
            + len(changes) * self.verticalHeader().defaultSectionSize()
        )
        self.setFixedHeight(height + 2)

    def _row(self, change: MetricChange) -> tuple[str, ...]:
        spread = change.difference
        return (
            texts.measure(change.measure), f"{change.before.value:.3f}", f"{change.after.value:.3f}",
            f"{spread.value:+.3f}", f"{spread.low:+.3f} … {spread.high:+.3f}",
            texts.verdict(change.verdict, change.count < FEW, spread.low == spread.high == 0),
        )  # fmt: skip

    def restyle(self) -> None:
        self.viewport().update()


class _MeasureLines(QStyledItemDelegate):
    """Draws an interval around the change, with a line where nothing changed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._changes: tuple[MetricChange, ...] = ()
        self._reach = 0.01

    def show_changes(self, changes: tuple[MetricChange, ...]) -> None:
        """Take other intervals, all to one scale."""
        self._changes = changes
        ends = [abs(end) for one in changes for end in (one.difference.low, one.difference.high)]
        self._reach = max([0.01, *(end for end in ends if end == end)])

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Room for a line."""
        return QSize(_WIDTH, super().sizeHint(option, index).height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The line; the numbers are in its tooltip."""
        change, look = self._changes[index.row()], theme.current()
        box = QRectF(option.rect).adjusted(12, 0, -12, 0)
        middle, y = box.center().x(), box.center().y()
        per = box.width() / 2 / self._reach
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(look.hairline))
        painter.drawLine(QPointF(middle, box.top() + 2), QPointF(middle, box.bottom() - 2))
        sure = change.verdict != "noise"
        colour = QColor(look.accent if change.verdict == "gain" else look.ink if sure else look.stale)
        if change.difference.low == change.difference.high == 0:
            colour = QColor(look.faint)
        painter.setPen(QPen(colour, 2))
        spread = change.difference
        painter.drawLine(QPointF(middle + per * spread.low, y), QPointF(middle + per * spread.high, y))
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(middle + per * spread.value, y), 4, 4)
        painter.restore()
