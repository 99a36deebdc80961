"""The documents that stand apart from all others, the farthest first, with the reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.outliers.texts import OutlierTexts
from explorer.ui.panels.panel import LazyPanel
from explorer.ui.state.session import Origin, Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import Index

if TYPE_CHECKING:
    from explorer.analysis.clusters.outliers import Outlier
    from explorer.workspace.overview.documents import EncodedDocuments
    from explorer.workspace.storage.document_table import Listing

REASONS = int(Qt.ItemDataRole.UserRole) + 1
SCORE = REASONS + 1
_PAD, _BAR = 8, 60  # pixels


class OutliersPanel(LazyPanel):
    """A list of outliers, found as soon as it is looked at."""

    name = "outliers"
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._asked: EncodedDocuments | None = None  # whose outliers were asked for
        self._known: EncodedDocuments | None = None  # of which the list is
        self._found: tuple[Outlier, ...] = ()
        self.model = OutliersModel(OutlierTexts(self), self)
        self.list = _OutlierList(self.model)
        self.stage = ContentStack(self.list)
        self._count = plain_label()
        self._count.setProperty("kind", "faint")
        self.mark_all = QAction(self)
        self.mark_all.triggered.connect(self._on_mark_all)
        self.addAction(self.mark_all)
        self._button = QToolButton()
        self._button.setDefaultAction(self.mark_all)
        self._button.setIconSize(QSize(16, 16))
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 8, 4)
        head.addWidget(self._count, 1)
        head.addWidget(self._button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        session.graph_changed.connect(self.load)
        session.documents_changed.connect(self._show)
        session.selection_changed.connect(self._on_selection_changed)
        self.stage.retried.connect(self._look_again)
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)
        self.retranslate()

    def load(self) -> None:
        land = self._session.graph
        if land is None:
            self._known = self._asked = None
            self._found = ()
            self._show()
        elif self.isVisible() and land is not self._asked:
            self._asked = land
            self.stage.set_busy(True)
            self._actions.overview.find_outliers(lambda found: self._on_found(land, found), self._on_failed)

    def _look_again(self) -> None:
        self._asked = None
        self.stage.show_content()
        self.load()

    def _on_found(self, land: EncodedDocuments, found: Sequence[Outlier]) -> None:
        if land is self._asked:
            self._known, self._found = land, tuple(found)
            self.stage.set_busy(False)
            self._show()

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        self.stage.show_error(error)

    def _show(self) -> None:
        land, listing = self._known, self._session.listing
        self.model.show_outliers(self._found, land, listing)
        self.mark_all.setEnabled(bool(self._found))
        told = self.tr("%Ln outlier(s)", "", len(self._found))
        self._count.setText(told if self._found else "")
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to find outliers."))
        elif land is None:
            self.stage.show_empty(self.tr("Available once the documents are encoded."))
        elif not self._found:
            self.stage.show_empty(self.tr("No outliers found."))
        else:
            self.stage.show_content()
        self._on_selection_changed(Origin.OTHER)

    def _on_current_changed(self, current: QModelIndex) -> None:
        document = self.model.document(current.row())
        if document is not None:
            self._session.focus(document, Origin.OUTLIERS)

    def _on_selection_changed(self, origin: Origin) -> None:
        row = self.model.row_of(self._session.selection.focus)
        if origin != Origin.OUTLIERS and row != self.list.currentIndex().row():
            self.list.selectionModel().blockSignals(True)
            self.list.setCurrentIndex(self.model.index(row) if row >= 0 else QModelIndex())
            self.list.selectionModel().blockSignals(False)
        self.list.viewport().update()

    def _on_mark_all(self) -> None:
        found = (self.model.document(row) for row in range(self.model.rowCount()))
        self._session.mark([document for document in found if document is not None], Origin.OUTLIERS)

    def export_table(self) -> ExportTable | None:
        """The list, to be exported."""
        model, listing = self.model, self._session.listing
        if not model.rowCount() or listing is None:
            return None
        header = (self.tr("Rank"), self.tr("Title"), self.tr("File"), self.tr("Score"), self.tr("Reasons"))
        rows = []
        for row in range(model.rowCount()):
            index, document = model.index(row), model.document(row)
            score = float(index.data(SCORE))
            number = round(score, 2) if math.isfinite(score) else None
            rows.append((row + 1, index.data(), listing.path(document or 0), number, index.data(REASONS)))
        return ExportTable(header, lambda: rows)

    def title(self) -> str:
        return self.tr("Outliers")

    def retranslate(self) -> None:
        self.list.setAccessibleName(self.tr("Outliers"))
        self.mark_all.setText(self.tr("Mark all outliers"))
        self._button.setAccessibleName(self.mark_all.text())
        self.mark_all.setIcon(theme.icon("outlier"))
        self._show()

    def restyle(self) -> None:
        self.mark_all.setIcon(theme.icon("outlier"))


class OutliersModel(QAbstractListModel):
    """Outliers as rows."""

    def __init__(self, words: OutlierTexts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._found: tuple[Outlier, ...] = ()
        self._documents: list[int] = []
        self._listing: Listing | None = None

    def show_outliers(
        self, found: Sequence[Outlier], land: EncodedDocuments | None, listing: Listing | None
    ) -> None:
        """Show others; documents that are gone are left out."""
        self.beginResetModel()
        numbers = [int(land.documents[one.row]) for one in found] if land is not None else []
        there = [
            place for place, number in enumerate(numbers) if listing is not None and number in listing.rows
        ]
        self._found = tuple(found[place] for place in there)
        self._documents = [numbers[place] for place in there]
        self._listing = listing
        self.endResetModel()

    def document(self, row: int) -> int | None:
        """The number of the document in a row."""
        return self._documents[row] if 0 <= row < len(self._documents) else None

    def row_of(self, document: int | None) -> int:
        """The row of a document; -1 if it is none."""
        return self._documents.index(document) if document in self._documents else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        """How many stand apart."""
        return 0 if parent.isValid() else len(self._found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row says."""
        if not 0 <= index.row() < len(self._found) or self._listing is None:
            return None
        one, name = self._found[index.row()], self._listing.name(self._documents[index.row()])
        reasons = " ".join(self._words.sentence(reason) for reason in one.reasons)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return name
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{name}. {reasons}"
            case Qt.ItemDataRole.ToolTipRole:
                path = self._listing.paths[self._listing.rows[self._documents[index.row()]]]
                return plain_tip(f"{path}\n{self._words.score(one.score)}")
            case _ if role == REASONS:
                return reasons
            case _ if role == SCORE:
                return one.score
        return None


class _OutlierList(QListView):
    """Rows of several lines."""

    def __init__(self, model: OutliersModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(_OutlierDelegate(self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The reasons wrap anew."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyboardSearch(self, search: str) -> None:
        """Letters are keys of the window here."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters are keys of the window here, such as J and K."""
        if event.text().strip() and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)


class _OutlierDelegate(QStyledItemDelegate):
    """Draws the rank, the title, a bar for how far it is, and the reasons."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As many lines as the reasons take."""
        width = option.widget.viewport().width() if isinstance(option.widget, QListView) else 300
        metrics = QFontMetrics(option.font)
        return QSize(width, metrics.height() + self._reasons(metrics, width, index).height() + 14)

    def _reasons(self, metrics: QFontMetrics, width: int, index: Index) -> QRect:
        room = QRect(0, 0, width - 2 * _PAD - self._left(metrics), 10_000)
        return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data(REASONS)))

    def _left(self, metrics: QFontMetrics) -> int:
        return metrics.horizontalAdvance("000") + 6

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        colours, cell, metrics = theme.current(), option.rect, QFontMetrics(option.font)
        painter.save()
        painter.setFont(option.font)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, QColor(colours.chosen))
            painter.fillRect(QRect(cell.left(), cell.top(), 2, cell.height()), QColor(colours.accent))
        painter.fillRect(QRect(cell.left() + _PAD, cell.bottom(), cell.width(), 1), QColor(colours.hairline))
        line = QRect(cell.left() + _PAD, cell.top() + 5, cell.width() - 2 * _PAD, metrics.height())
        left = self._left(metrics)
        painter.setPen(QColor(colours.faint))
        rank = QRect(line.left(), line.top(), left - 8, line.height())
        painter.drawText(rank, Qt.AlignmentFlag.AlignRight, f"{index.row() + 1}")
        self._score(painter, line, float(index.data(SCORE)))
        painter.setPen(QColor(colours.ink))
        title = line.adjusted(left, 0, -_BAR - 60, 0)
        name = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, title.width())
        painter.drawText(title, Qt.AlignmentFlag.AlignLeft, name)
        painter.setPen(QColor(colours.faint))
        below = QRect(line.left() + left, line.bottom() + 3, line.width() - left, cell.height())
        painter.drawText(below, Qt.TextFlag.TextWordWrap, str(index.data(REASONS)))
        painter.restore()

    def _score(self, painter: QPainter, line: QRect, score: float) -> None:
        """A bar that is full at ten deviations, and the number."""
        colours = theme.current()
        number = "∞" if math.isinf(score) else f"{score:.1f}"
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, number)
        x, y = line.right() - _BAR - 44, line.center().y() - 1
        painter.fillRect(QRectF(x, y, _BAR, 3), QColor(colours.hairline))
        painter.fillRect(QRectF(x, y, _BAR * min(1.0, score / 10), 3), QColor(colours.accent))
