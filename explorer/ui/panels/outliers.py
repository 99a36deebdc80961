"""The documents that are far from all others, farthest first, with the reasons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import language, theme
from explorer.ui.panels.panel import LazyPanel
from explorer.ui.state.session import Origin, Session
from explorer.ui.widgets.layouts import column, row, tool_button
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import ExplicitCurrent, FrozenListModel, Index

if TYPE_CHECKING:
    from explorer.analysis.clusters.outliers import Outlier, Reason
    from explorer.workspace.overview.documents import EncodedDocuments
    from explorer.workspace.storage.documents import Listing

REASONS = int(Qt.ItemDataRole.UserRole) + 1
SCORE = REASONS + 1
_PAD, _BAR = 8, 60  # pixels


class OutliersPanel(LazyPanel):
    """A list of outliers, computed when the panel becomes visible."""

    name = "outliers"
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._requested: EncodedDocuments | None = None  # whose outliers were requested
        self._shown: EncodedDocuments | None = None  # whose outliers are shown
        self._outliers: tuple[Outlier, ...] = ()
        self.model = OutliersModel(self)
        self.list = _OutlierList(self.model)
        self.setFocusProxy(self.list)
        self.stage = ContentStack(self.list)
        self._count = plain_label(kind="faint")
        self.mark_all = self._add_action("outlier", self._on_mark_all)
        head = row((self._count, 1), tool_button(self.mark_all), margins=(8, 4, 8, 4))
        column(head, (self.stage, 1), parent=self)
        session.graph_changed.connect(self.load)
        session.documents_changed.connect(self._show)
        session.selection_changed.connect(self._on_selection_changed)
        self.stage.retried.connect(self._on_retried)
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)
        self.retranslate()

    def load(self) -> None:
        documents = self._session.graph
        if documents is None:
            self._shown = self._requested = None
            self._outliers = ()
            self._show()
        elif self.isVisible() and documents is not self._requested:
            self._requested = documents
            self.stage.set_busy(True)
            self._actions.overview.find_outliers(
                lambda outliers: self._on_outliers(documents, outliers), self._on_failed
            )

    def _on_retried(self) -> None:
        self._requested = None
        self.stage.show_content()
        self.load()

    def _on_outliers(self, documents: EncodedDocuments, outliers: Sequence[Outlier]) -> None:
        if documents is self._requested:
            self._shown, self._outliers = documents, tuple(outliers)
            self.stage.set_busy(False)
            self._show()

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        self.stage.show_error(error)

    def _show(self) -> None:
        self.model.show_outliers(self._outliers, self._shown, self._session.listing)
        self.mark_all.setEnabled(bool(self._outliers))
        count = self.tr("%Ln outlier(s)", "", len(self._outliers))
        self._count.setText(count if self._outliers else "")
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to find outliers."))
        elif self._shown is None:
            self.stage.show_empty(self.tr("Available once the documents are encoded."))
        elif not self._outliers:
            self.stage.show_empty(self.tr("No outliers found."))
        else:
            self.stage.show_content()
        self._on_selection_changed(Origin.OTHER)

    def _on_current_changed(self, current: QModelIndex) -> None:
        document = self.model.document(current.row())
        if document is not None:
            self._session.focus(document, Origin.OUTLIERS)

    def _on_selection_changed(self, origin: Origin) -> None:
        current = self.model.row_of(self._session.selection.focus)
        if origin != Origin.OUTLIERS and current != self.list.currentIndex().row():
            self.list.selectionModel().blockSignals(True)
            self.list.setCurrentIndex(self.model.index(current) if current >= 0 else QModelIndex())
            self.list.selectionModel().blockSignals(False)
        self.list.viewport().update()

    def _on_mark_all(self) -> None:
        self._session.mark([document for document, _ in self.model.rows], Origin.OUTLIERS)

    def export_table(self) -> ExportTable | None:
        model, listing = self.model, self._session.listing
        if not model.rowCount() or listing is None:
            return None
        header = (self.tr("Rank"), self.tr("Title"), self.tr("File"), self.tr("Score"), self.tr("Reasons"))
        rows = []
        for rank, (document, outlier) in enumerate(model.rows, 1):
            score = round(float(outlier.score), 2) if math.isfinite(outlier.score) else None
            index = model.index(rank - 1)
            rows.append((rank, index.data(), listing.path(document), score, index.data(REASONS)))
        return ExportTable(header, lambda: rows)

    def title(self) -> str:
        return self.tr("Outliers")

    def retranslate(self) -> None:
        self.list.setAccessibleName(self.tr("Outliers"))
        self.mark_all.setText(self.tr("Mark all outliers"))
        self._show()


class OutlierTexts(QObject):
    """Sentences about outliers."""

    def sentence(self, reason: Reason) -> str:
        """Return a reason as a sentence."""
        near = {"value": f"{reason.value:.2f}", "typical": f"{reason.typical:.2f}"}
        count = {"value": f"{reason.value:,.0f}", "typical": f"{reason.typical:,.0f}"}
        spoken = {"language": self.language(reason.language)}
        match reason.kind:
            case "empty":
                return self.tr("It contains nothing the model can compare.")
            case "far":
                return self.tr(
                    "Far from every other document: the nearest has a similarity of {value}; {typical} is typical."
                ).format(**near)
            case "few":
                return self.tr(
                    "Hardly any documents are like it: beyond the nearest few, similarity falls to {value}; "
                    "{typical} is typical."
                ).format(**near)
            case "group" if len(reason.members) == 1:
                return self.tr(
                    "This and one other document are far from the rest: the next has a similarity of "
                    "{value}; {typical} is typical."
                ).format(**near)
            case "group":
                return self.tr(
                    "This and {count} other documents are far from the rest: the next has a similarity of "
                    "{value}; {typical} is typical."
                ).format(count=len(reason.members), **near)
            case "unreadable":
                return self.tr("The model cannot read its language ({language}).").format(**spoken)
            case "language":
                text = self.tr("Few other documents are in its language ({language}): {value} of {typical}.")
                return text.format(**count, **spoken)
            case "short":
                text = self.tr("Much shorter than typical: {value} characters instead of {typical}.")
                return text.format(**count)
            case "long":
                text = self.tr("Much longer than typical: {value} characters instead of {typical}.")
                return text.format(**count)

    def language(self, code: str) -> str:
        """Return the name of a language."""
        return self.tr("in Latin script") if code == "latin" else language.name_of(code)

    def score(self, score: float) -> str:
        """Return what the number beside a document means."""
        if score == float("inf"):
            return self.tr("Nothing to compare it with")
        text = self.tr("{score} standard deviations further from the others than typical")
        return text.format(score=f"{score:.1f}")


class OutliersModel(FrozenListModel[tuple[int, "Outlier"]]):
    """Outliers with the ids of their documents."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = OutlierTexts(self)
        self._listing: Listing | None = None
        self._copies: Counter[int] = Counter()  # documents with the same text

    def show_outliers(
        self, outliers: Sequence[Outlier], documents: EncodedDocuments | None, listing: Listing | None
    ) -> None:
        """Replace the outliers; leave out documents that no longer exist, and show copies once."""
        self._listing, self._copies = listing, Counter()
        first: dict[bytes, int] = {}  # the document that stands for all of the same text
        rows = []
        if documents is not None and listing is not None:
            for outlier in outliers:
                document = int(documents.documents[outlier.row])
                if document in listing.rows:
                    shown = first.setdefault(documents.digests[outlier.row], document)
                    self._copies[shown] += 1
                    rows += [(document, outlier)] if shown == document else []
        self.show_rows(rows)

    def document(self, row: int) -> int | None:
        """Return the id of the document in a row."""
        return self.rows[row][0] if 0 <= row < len(self.rows) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document; -1 if it is not an outlier."""
        return next((row for row, (listed, _) in enumerate(self.rows) if listed == document), -1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self.rows) or self._listing is None:
            return None
        document, outlier = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._listing.name(document)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._listing.name(document)}. {index.data(REASONS)}"
            case Qt.ItemDataRole.ToolTipRole:
                path = self._listing.paths[self._listing.rows[document]]
                return plain_tip(f"{path}\n{self._texts.score(outlier.score)}")
            case _ if role == REASONS:
                sentences = [self._texts.sentence(reason) for reason in outlier.reasons]
                if self._copies[document] > 1:
                    sentences.insert(0, self.tr("%Ln copies.", "", self._copies[document]))
                return " ".join(sentences)
            case _ if role == SCORE:
                return outlier.score
        return None


class _OutlierList(ExplicitCurrent, QListView):
    """Rows whose height follows the wrapped reasons."""

    def __init__(self, model: OutliersModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(_OutlierDelegate(self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text().strip() and not event.modifiers():
            event.ignore()  # J and K belong to the window
        else:
            super().keyPressEvent(event)


class _OutlierDelegate(QStyledItemDelegate):
    """Draws the rank, the title, a bar for the score, and the reasons."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = option.widget.viewport().width() if isinstance(option.widget, QListView) else 300
        metrics = QFontMetrics(option.font)
        room = QRect(0, 0, width - 2 * _PAD - self._left(metrics), 10_000)
        reasons = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data(REASONS)))
        return QSize(width, metrics.height() + reasons.height() + 14)

    def _left(self, metrics: QFontMetrics) -> int:
        return metrics.horizontalAdvance("000") + 6

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, cell, metrics = theme.current(), option.rect, QFontMetrics(option.font)
        painter.save()
        painter.setFont(option.font)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, QColor(colours.chosen))
            painter.fillRect(QRect(cell.left(), cell.top(), 2, cell.height()), QColor(colours.accent))
        painter.fillRect(QRect(cell.left() + _PAD, cell.bottom(), cell.width(), 1), QColor(colours.hairline))
        line = QRect(cell.left() + _PAD, cell.top() + 5, cell.width() - 2 * _PAD, metrics.height())
        left, score = self._left(metrics), float(index.data(SCORE))
        painter.setPen(QColor(colours.faint))
        rank = QRect(line.left(), line.top(), left - 8, line.height())
        painter.drawText(rank, Qt.AlignmentFlag.AlignRight, f"{index.row() + 1}")
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, "∞" if math.isinf(score) else f"{score:.1f}")
        x, y = line.right() - _BAR - 44, line.center().y() - 1
        painter.fillRect(QRectF(x, y, _BAR, 3), QColor(colours.hairline))
        # The bar is full at ten standard deviations.
        painter.fillRect(QRectF(x, y, _BAR * min(1.0, score / 10), 3), QColor(colours.accent))
        painter.setPen(QColor(colours.foreground))
        title = line.adjusted(left, 0, -_BAR - 60, 0)
        name = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, title.width())
        # By the baseline: letters of another font, such as Korean ones, are taller than a line of this one.
        painter.drawText(QPoint(title.left(), title.top() + metrics.ascent()), name)
        painter.setPen(QColor(colours.faint))
        below = QRect(line.left() + left, line.bottom() + 3, line.width() - left, cell.height())
        painter.drawText(below, Qt.TextFlag.TextWordWrap, str(index.data(REASONS)))
        painter.restore()
