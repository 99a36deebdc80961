"""Colour the map by cluster, score, tag or any field, and the legend that says what the colours mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
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
from explorer.rendering.colours import Amounts, Categories, Colouring, LegendEntry, MapStyle, categorise, style
from explorer.rendering.colours import amounts as ramp_of
from explorer.ui.look import theme
from explorer.workspace.storage.columns import CodedColumn, RowsById, mapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.corpus.document import Value
    from explorer.services.overview import MapLayout
    from explorer.ui.state.session import Session
    from explorer.workspace.storage.documents import Listing


_ENTRY = Qt.ItemDataRole.UserRole
_DOT = 10
_PAD = 8
_ROW = 24
_MOST = 30  # values of a field that get a colour of their own
_SAMPLE = 200  # values by which a field is judged
_DIFFERENT = 0.8  # share of distinct values above which colours would not group anything


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
        isolated_changed: The categories that are to be shown alone, a frozenset of int; empty for all.
        size_changed: The card needs more room, or less.
    """

    isolated_changed = Signal(object)
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
        self._lines.itemSelectionChanged.connect(lambda: self.isolated_changed.emit(self.isolated()))
        self.set_style(self._style)
        self.set_entries(())
        self._on_folded()

    def set_title(self, text: str) -> None:
        """Set the title that says what the colours mean."""
        self.title.setText(text)

    def wanted_width(self) -> int:
        """Return the width in pixels at which no line is cut."""
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

    def isolated(self) -> frozenset[int]:
        """Return the categories that are to be shown alone; empty for all."""
        return frozenset(item.data(_ENTRY).category for item in self._lines.selectedItems())

    def release(self) -> None:
        """Clear the selection without a signal: the caller knows."""
        self._lines.blockSignals(True)
        self._lines.clearSelection()
        self._lines.blockSignals(False)


def _known_by(entry: LegendEntry) -> tuple[bool, str]:
    """Return what identifies a line when the entries are set again; a value may have the same name as 'other'."""
    return entry.category < 0, entry.text


class _LegendLines(QListWidget):
    """A list as high as its lines, where each click selects or deselects a line."""

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
            tint = QColor(look.accent)
            tint.setAlphaF(0.16 if selected else 0.07)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint)
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


def columns(listing: Listing | None) -> list[str]:
    """Return the fields that are useful to colour by: numbers, dates, and values that repeat."""
    return [] if listing is None else [name for name, values in listing.fields.items() if _is_useful(values)]


def _is_useful(values: Sequence[Value | None]) -> bool:
    some = values[:: max(1, len(values) // _SAMPLE)]
    known = [value for value in some if value not in (None, "")]
    different = len(set(map(str, known)))
    rare = different > _MOST and different > _DIFFERENT * len(known)
    return different + (len(known) < len(some)) > 1 and not (rare and _amounts(known) is None)


def useful_keys(listing: Listing | None, tags: Mapping[int, frozenset[str]]) -> set[str]:
    """Return the other keys to colour by: clusters, trust and scores always, the rest if documents differ."""
    keys = {"cluster", "trust", "score"}
    if tags:
        keys.add("tag")
    if listing is not None and len(_folders(listing).values) > 1:
        keys.add("folder")
    if listing is not None and len(mapped(listing.languages, str).values) > 1:
        keys.add("language")
    return keys


def cluster_colours(session: Session) -> dict[int, str]:
    """Return the colour of each cluster, the same in every panel."""
    clusters = session.clusters
    if clusters is None:
        return {}
    ranks = clusters.colour_ranks()
    return {cluster.id: theme.colour(ranks[cluster.id]) for cluster in clusters.clusters}


def colouring(session: Session, layout: MapLayout, by: str) -> Colouring:
    """Return what each point of a map layout is coloured by."""
    if by == "trust" and layout.trust is not None:
        return Colouring(Amounts(layout.trust, 0.0, 1.0), ("0", "1"))
    if by == "score":
        scores = _scores(session, layout)
        return Colouring(scores, (f"{scores.low:.2f}", f"{scores.high:.2f}"))
    if by == "category" and session.category_labels is not None:
        labels = session.category_labels
        category_of = labels.by_document()
        values = [category_of.get(document) for document in layout.documents.tolist()]
        return categorise(values, labels.names, labels.names, theme.colours(max(1, len(labels.names))))
    if by == "cluster" or session.listing is None:
        return _clusters(session, layout)
    return _by_value(_document_values(session, layout, session.listing, by))


def _clusters(session: Session, layout: MapLayout) -> Colouring:
    clusters = session.clusters
    if clusters is None:
        return Colouring(Categories(np.full(len(layout.documents), -1)))
    colours = cluster_colours(session)
    index_of = RowsById(np.array(list(colours), np.int64))
    index = index_of.of_each(clusters.labels_of(layout.documents))
    names = {cluster.id: cluster.name for cluster in clusters.clusters}
    return Colouring(Categories(index, tuple(colours.values())), tuple(names[cluster] for cluster in colours))


def _scores(session: Session, layout: MapLayout) -> Amounts:
    results = session.search.results if session.search is not None else None
    hits = results.hits if results is not None else ()
    rows = RowsById(layout.documents).of_each(np.array([hit.document for hit in hits], np.int64))
    scores = np.full(len(layout.documents), np.nan)
    scores[rows[rows >= 0]] = np.array([hit.score for hit in hits], np.float64)[rows >= 0]
    return ramp_of(scores)


def _document_values(
    session: Session, layout: MapLayout, listing: Listing, by: str
) -> CodedColumn[Any] | list[Value | None]:
    """Return the value of each document of a layout: its tag, folder, language or field."""
    if by == "tag":
        common = Counter(tag for tags in session.tags.values() for tag in tags)
        return mapped(
            layout.documents.tolist(),
            lambda document: max(session.tags.get(document, ()), key=lambda tag: (common[tag], tag), default=None),
        )
    rows = listing.rows.of_each(layout.documents)
    if by == "folder":
        values: Sequence[Any] = _folders(listing)
    elif by == "language":
        values = listing.languages
    else:
        values = listing.fields.get(by.removeprefix("field:"), [None] * len(listing))
    if isinstance(values, CodedColumn):
        return values.at_rows(rows).map(lambda value: None if value == "" else value)
    return [None if row < 0 or values[row] == "" else values[row] for row in rows.tolist()]


def _folders(listing: Listing) -> CodedColumn[str]:
    return mapped(listing.paths, lambda path: path.rpartition("/")[0])


def _by_value(values: Sequence[Any]) -> Colouring:
    ramp = _amounts(values)
    if ramp is not None:
        return ramp
    texts = mapped(values, lambda value: None if value is None else str(value))
    common = [value for value, _ in texts.rows_of_each() if value is not None][:_MOST]
    shown: dict[str | None, int] = {value: index for index, value in enumerate(common)}
    index = np.array([shown.get(value, -1) for value in texts.values], np.int64)[texts.codes]
    return Colouring(Categories(index, tuple(theme.colours(max(1, len(common))))), tuple(common))


def _amounts(values: Sequence[Any]) -> Colouring | None:
    """Return a ramp if all known values are numbers, or nearly all are dates; None otherwise."""
    distinct = values.values if isinstance(values, CodedColumn) else values
    known = [value for value in distinct if value is not None]
    if known and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        ramp = ramp_of(_of_each(_numbers(distinct), values))
        return Colouring(ramp, (f"{ramp.low:,.4g}", f"{ramp.high:,.4g}"))
    if not _are_dates(known[:: max(1, len(known) // _SAMPLE)]):
        return None
    days = _of_each(_days(distinct), values)
    ramp = ramp_of(np.where(np.isnat(days), np.nan, days.astype(np.int64)))
    return Colouring(ramp, (str(np.datetime64(round(ramp.low), "D")), str(np.datetime64(round(ramp.high), "D"))))


def _of_each(computed: NDArray[Any], values: Sequence[Any]) -> NDArray[Any]:
    """Return what was computed of different values for each point."""
    return computed[values.codes] if isinstance(values, CodedColumn) else computed


def _are_dates(values: Sequence[Value | None]) -> bool:
    """Return whether nearly all values are dates, and not all the same."""
    days = _days(values)
    known = days[~np.isnat(days)]
    return len(known) > 0.9 * len(values) and len(np.unique(known)) > 1


def _days(values: Sequence[Value | None]) -> NDArray[np.datetime64]:
    from explorer.analysis.clusters.trends import days_of

    texts = [value if isinstance(value, str) else "" for value in values]
    try:
        return np.array(
            [value[:10] for value in texts], "datetime64[D]"
        )  # many at once, where all are as they should be
    except ValueError:
        return days_of(texts)


def _numbers(values: Sequence[object]) -> NDArray[np.float64]:
    return np.array([float(value) if isinstance(value, int | float) else np.nan for value in values])
