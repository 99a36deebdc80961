"""The legend of the map, a card that floats and folds: what the colours mean, and how many points there are of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer import palette
from explorer.rendering.colours import LegendEntry, MapStyle, style

_ENTRY = Qt.ItemDataRole.UserRole
_DOT = 10
_PAD = 8
_ROW = 24


@dataclass(frozen=True)
class Ramp:
    """Amounts: what is written at the two ends of the ramp."""

    low: str
    high: str


class MapLegend(QFrame):
    """Lines with colours, names and counts, or a ramp, under a title that folds them.

    Attributes:
        title: The button that folds and unfolds the card.

    Signals:
        kept_changed: The categories that are to be shown alone, a frozenset of int; empty for all.
        size_changed: The card needs more room, or less.
    """

    kept_changed = Signal(object)
    size_changed = Signal()

    def __init__(self, parent: QWidget | None = None, look: MapStyle | None = None) -> None:
        super().__init__(parent)
        self._style = look or style()
        self._lines = _LegendLines(self)
        self._painter = _LineDelegate(self._style, self._lines)
        self._lines.setItemDelegate(self._painter)
        self._ramp = _RampBar(self)
        self.title = QToolButton(toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.setCheckable(True)
        self.title.setChecked(True)
        self.title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.title.setObjectName("fold")
        self._content = QWidget()
        inside = QVBoxLayout(self._content)
        inside.setContentsMargins(0, 0, 0, 4)
        inside.setSpacing(4)
        for part in (self._lines, self._ramp):
            inside.addWidget(part)
        inside.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self._content, 1)
        self.title.toggled.connect(self._on_folded)
        self._lines.itemSelectionChanged.connect(lambda: self.kept_changed.emit(self.kept()))
        self.set_style(self._style)
        self.set_entries(())
        self._on_folded()

    def set_title(self, text: str) -> None:
        """Say what the colours mean."""
        self.title.setText(text)

    def wanted_width(self) -> int:
        """Return the pixels in which every line can be read to its end."""
        metrics = self._lines.fontMetrics()
        entries = [self._lines.item(row).data(_ENTRY) for row in range(self._lines.count())]
        texts = [metrics.horizontalAdvance(f"{entry.text}{entry.count:,}") for entry in entries]
        return max(texts, default=0) + 2 * _PAD + _DOT + 24

    @property
    def folded(self) -> bool:
        """Whether only the title is shown."""
        return not self.title.isChecked()

    def fold(self, *, folded: bool) -> None:
        """Show the title alone, or everything."""
        self.title.setChecked(not folded)

    def _on_folded(self) -> None:
        self._content.setVisible(not self.folded)
        self.title.setArrowType(Qt.ArrowType.RightArrow if self.folded else Qt.ArrowType.DownArrow)
        self.size_changed.emit()

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show categories in this order, without empty ones; lines of the same name stay selected."""
        had = {_known_by(item.data(_ENTRY)) for item in self._lines.selectedItems()}
        self._lines.blockSignals(True)
        self._lines.clear()
        for entry in entries:
            if entry.count:
                item = QListWidgetItem(self._lines)
                item.setData(_ENTRY, entry)
                item.setToolTip(entry.text)
                item.setSelected(_known_by(entry) in had)
        self._name()
        self._lines.blockSignals(False)
        self._ramp.hide()
        self._lines.setVisible(self._lines.count() > 0)
        self._lines.updateGeometry()
        self.size_changed.emit()

    def _name(self) -> None:
        """Set the texts that screen readers read."""
        self._lines.setAccessibleName(self.tr("Colour by"))
        for row in range(self._lines.count()):
            entry = self._lines.item(row).data(_ENTRY)
            text = self.tr("{name}, %Ln document(s)", "", entry.count).format(name=entry.text)
            self._lines.item(row).setData(Qt.ItemDataRole.AccessibleTextRole, text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._name()

    def set_ramp(self, ramp: Ramp) -> None:
        """Show a ramp instead of categories."""
        self.set_entries(())
        self._ramp.set_ramp(ramp, self._style)
        self._ramp.show()
        self.size_changed.emit()

    def set_style(self, look: MapStyle) -> None:
        """Change to another theme."""
        self._style = look
        self._painter.look = look
        self._ramp.set_style(look)
        self._lines.viewport().update()

    def kept(self) -> frozenset[int]:
        """The categories that are to be shown alone; empty for all."""
        return frozenset(item.data(_ENTRY).category for item in self._lines.selectedItems())

    def keep(self, categories: Sequence[int]) -> None:
        """Show some categories alone, as if they were clicked."""
        self._lines.blockSignals(True)
        for row in range(self._lines.count()):
            item = self._lines.item(row)
            item.setSelected(item.data(_ENTRY).category in categories)
        self._lines.blockSignals(False)
        self._lines.viewport().update()
        self.kept_changed.emit(self.kept())

    def release(self) -> None:
        """Clear the selection without a signal: the caller knows."""
        self._lines.blockSignals(True)
        self._lines.clearSelection()
        self._lines.blockSignals(False)


def _known_by(entry: LegendEntry) -> tuple[bool, str]:
    """Return what identifies a line when the entries are set again; a value may have the same name as 'other'."""
    return entry.category < 0, entry.text


class _LegendLines(QListWidget):
    """A list as high as its lines, where each click takes a line in or out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.viewport().setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        height = max(_ROW, self.fontMetrics().height() + 6)
        return QSize(200, height * self.count() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, min(4, self.count()) * _ROW)


class _LineDelegate(QStyledItemDelegate):
    """Paints a line: dot, name, count; faint where other lines are kept alone."""

    def __init__(self, look: MapStyle, lines: _LegendLines) -> None:
        super().__init__(lines)
        self.look = look
        self._lines = lines

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, max(_ROW, QFontMetrics(option.font).height() + 6))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry, look = index.data(_ENTRY), self.look
        state, rect = option.state, QRectF(option.rect)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        filtered = bool(self._lines.selectedItems())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            ground = QColor(look.accent)
            ground.setAlphaF(0.16 if selected else 0.07)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(rect.adjusted(2, 1, -2, -1), 4, 4)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(look.accent), 1.5))
            painter.drawRoundedRect(rect.adjusted(2.5, 1.5, -2.5, -1.5), 4, 4)
        self._write(painter, rect, entry, faint=filtered and not selected)
        painter.restore()

    def _write(self, painter: QPainter, rect: QRectF, entry: LegendEntry, *, faint: bool) -> None:
        look, metrics = self.look, painter.fontMetrics()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.context if faint else entry.colour))
        painter.drawEllipse(QRectF(rect.left() + _PAD, rect.center().y() - _DOT / 2, _DOT, _DOT))
        count = f"{entry.count:,}"
        inside = rect.adjusted(_PAD + _DOT + 8, 0, -_PAD, 0)
        painter.setPen(QColor(look.faint))
        aligned = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, aligned | Qt.AlignmentFlag.AlignRight, count)
        room = inside.width() - metrics.horizontalAdvance(count) - 8
        painter.setPen(QColor(look.faint if faint else look.text))
        text = metrics.elidedText(entry.text, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(inside, aligned | Qt.AlignmentFlag.AlignLeft, text)


class _RampBar(QWidget):
    """The colours of amounts from low to high."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = Ramp("", "")
        self._look = style()
        self.hide()

    def set_ramp(self, ramp: Ramp, look: MapStyle) -> None:
        self._text, self._look = ramp, look
        self.setAccessibleName(f"{ramp.low} – {ramp.high}")
        self.update()

    def set_style(self, look: MapStyle) -> None:
        self._look = look
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, 12 + self.fontMetrics().height() + 3 * 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(_PAD, 4, self.width() - 2 * _PAD, 12)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(11):
            gradient.setColorAt(step / 10, QColor(palette.ramp(step / 10, dark=self._look.dark)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar, 3, 3)
        painter.setPen(QColor(self._look.faint))
        below = QRectF(_PAD, 20, bar.width(), self.fontMetrics().height())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, self._text.low)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, self._text.high)
