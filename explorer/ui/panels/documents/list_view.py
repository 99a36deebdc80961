"""The list of documents: title, the sentence that matched, and one line of facts; a ring around the one in focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from explorer.ui.look import theme
from explorer.ui.panels.documents.model import Card, DocumentsModel
from explorer.ui.panels.documents.table_view import MarkingView
from explorer.ui.widgets.row_table import Index
from explorer.ui.widgets.themed import Themed
from explorer.ui.widgets.word_highlights import Span, format_range, highlight_colour

PAD, GAP, BAR, DOT = 10, 3, 44, 8  # pixels: around a row, between its lines, the score's bar, a cluster's dot
LINES = 2  # of the snippet
_TRIES, _LONGEST_WORD = 8, 20  # words that are left off for the ellipsis, and the characters of one
MAX_LAYOUTS = 400  # rows whose snippets stay laid out


class DocumentList(Themed, MarkingView, QTableView):
    """Rows of three parts; see `MarkingView` for focus and marks.

    A table of one column: QListView asks the model for the index of every row, which takes 2.4 s for a million.

    Signals:
        focus_changed: The user put a row in focus.
        marks_changed: The user marks rows: the first, the last, and how ("toggle", "replace", "add").
        opened: The user wants to read the row in focus.
        paged: The reader is to go on (1) or back (-1) by a page.
        pick_toggled: The star of a row was pressed.
        copies_toggled: The copies of a row are to be shown or hidden.
    """

    focus_changed = Signal(int)
    marks_changed = Signal(int, int, str)
    opened = Signal()
    paged = Signal(int)
    pick_toggled = Signal(int)
    copies_toggled = Signal(int)

    def __init__(self, model: DocumentsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._row = model, RowDelegate(self, model)
        self.setModel(model)
        self.setItemDelegate(self._row)
        self.setMouseTracking(True)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.horizontalHeader().hide()
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(24)
        self.setTabKeyNavigation(False)
        model.modelReset.connect(self._on_reset)
        model.dataChanged.connect(self._on_data_changed)
        self.restyle()

    def _on_reset(self) -> None:
        self._row.forget()
        for section in range(1, self._model.columnCount()):
            self.setColumnHidden(section, True)
        self._fill()

    def _fill(self) -> None:
        self.setColumnWidth(0, self.viewport().width())

    def _on_data_changed(self) -> None:
        self._row.forget()
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        # Space pages the reader here, wherever else it is a shortcut.
        is_space = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if is_space and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().row()
        if event.key() in (Qt.Key.Key_Right, Qt.Key.Key_Left) and row >= 0 and self._model.card(row).copies:
            if (event.key() == Qt.Key.Key_Right) != self._model.card(row).expanded:
                self.copies_toggled.emit(row)
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = event.position().toPoint()
        index = self.indexAt(spot)
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton and not event.modifiers():
            part = self._row.part_at(index.row(), self.visualRect(index), spot)
            if part:
                (self.pick_toggled if part == "star" else self.copies_toggled).emit(index.row())
                return
        super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._row.forget()
        self._fill()

    def restyle(self) -> None:
        self._row.forget()
        self.verticalHeader().setMinimumSectionSize(16)
        self.verticalHeader().setDefaultSectionSize(row_height(self.fontMetrics()))
        super().restyle()


class RowDelegate(QStyledItemDelegate):
    """Draws a row by hand; snippets stay laid out until the rows or their width change."""

    def __init__(self, view: DocumentList, model: DocumentsModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._layouts: dict[int, QTextLayout] = {}

    def forget(self) -> None:
        """Lay the snippets out again."""
        self._layouts.clear()

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, row_height(option.fontMetrics))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        box, row, look = QRect(option.rect), index.row(), theme.current()
        card, metrics = self._model.card(row), option.fontMetrics
        current = row == self._view.currentIndex().row()
        painter.save()
        if card.marked:
            painter.fillRect(box, QColor(look.chosen))
        painter.setPen(QPen(QColor(look.hairline), 1))
        painter.drawLine(box.left() + PAD, box.bottom(), box.right() - PAD, box.bottom())
        inner = box.adjusted(PAD + (14 if card.is_copy else 0), PAD - 2, -PAD, -PAD)
        self._draw_title(painter, inner, option.font, card, current=current)
        top = inner.top() + metrics.height() + GAP
        painter.setPen(QColor(look.foreground if card.words or card.marked else look.faint))
        self._snippet(row, card, option.font, inner.width()).draw(painter, QPointF(inner.left(), top))
        painter.setFont(option.font)
        self._draw_facts(
            painter, QRect(inner.left(), inner.bottom() - metrics.height() + 1, inner.width(), metrics.height()), card
        )
        if current:
            accent = QColor(look.accent)
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), accent)
            painter.setPen(QPen(accent, 1))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.restore()

    def _draw_title(self, painter: QPainter, inner: QRect, font: QFont, card: Card, *, current: bool) -> None:
        look, strong = theme.current(), QFont(font)
        strong.setWeight(QFont.Weight.DemiBold)
        star = self._star(inner)
        if card.picked or current:
            colour = look.accent if card.picked else look.faint
            theme.icon("star-filled" if card.picked else "star", colour).paint(painter, star)
        painter.setPen(QColor(look.foreground))
        layout = title_layout(card.title, card.title_words, strong, star.left() - inner.left() - 6)
        layout.draw(painter, QPointF(inner.left(), inner.top()))

    def _snippet(self, row: int, card: Card, font: QFont, width: int) -> QTextLayout:
        layout = self._layouts.get(row)
        if layout is None:
            if len(self._layouts) > MAX_LAYOUTS:
                self._layouts.clear()
            self._layouts[row] = layout = _fitted(card.snippet, card.words, font, width)
        return layout

    def _draw_facts(self, painter: QPainter, line: QRect, card: Card) -> None:
        """Draw the score, the cluster's dot, folder and date, tags, copies, and how far the row moved."""
        look, metrics, x = theme.current(), painter.fontMetrics(), line.left()
        middle = line.center().y()
        if card.share is not None:
            painter.fillRect(QRectF(x, middle - 1, BAR, 3), QColor(look.hairline))
            bar = QColor(look.stale if card.draft else look.accent)
            painter.fillRect(QRectF(x, middle - 1, BAR * min(1.0, card.share), 3), bar)
            x += BAR + 6
            painter.setPen(QColor(look.foreground))
            painter.drawText(QPoint(x, line.top() + metrics.ascent()), card.score)
            x += metrics.horizontalAdvance(card.score) + 10
        right = line.right()
        if card.moved:
            text = f"{'▲' if card.moved > 0 else '▼'}{abs(card.moved)}"
            painter.setPen(QColor(look.accent if card.moved > 0 else look.faint))
            right -= metrics.horizontalAdvance(text)
            painter.drawText(QPoint(right, line.top() + metrics.ascent()), text)
            right -= 8
        if card.copies:
            copies = self._copies(line, card, metrics)
            painter.setPen(QColor(look.accent))
            painter.drawText(QPoint(copies.left(), line.top() + metrics.ascent()), card.copies_text)
            right = copies.left() - 8
        if card.dot is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(card.dot)
            painter.drawEllipse(QPointF(x + DOT / 2, middle + 0.5), DOT / 2, DOT / 2)
            painter.restore()
            x += DOT + 5
        tags = metrics.elidedText(card.tags, Qt.TextElideMode.ElideRight, max(0, (right - x) * 2 // 5))
        room = (
            right - x - (metrics.horizontalAdvance(tags) + 8 if tags else 0)
        )  # folder and cluster do not hide the tags
        painter.setPen(QColor(look.faint))
        text = metrics.elidedText(card.facts, Qt.TextElideMode.ElideRight, max(0, room))
        painter.drawText(QPoint(x, line.top() + metrics.ascent()), text)
        painter.setPen(QColor(look.accent))
        painter.drawText(QPoint(x + metrics.horizontalAdvance(text) + 8, line.top() + metrics.ascent()), tags)

    @staticmethod
    def _star(inner: QRect) -> QRect:
        return QRect(inner.right() - 16, inner.top(), 17, 17)

    @staticmethod
    def _copies(line: QRect, card: Card, metrics: QFontMetrics) -> QRect:
        moved = metrics.horizontalAdvance(f"▲{abs(card.moved)}") + 8 if card.moved else 0
        width = metrics.horizontalAdvance(card.copies_text)
        return QRect(line.right() - moved - width, line.top(), width, line.height())

    def part_at(self, row: int, box: QRect, spot: QPoint) -> str:
        """Return what a click at a point of a row means: "star", "copies", or the row itself: ""."""
        card, metrics = self._model.card(row), self._view.fontMetrics()
        inner = box.adjusted(PAD, PAD - 2, -PAD, -PAD)
        line = QRect(inner.left(), inner.bottom() - metrics.height() + 1, inner.width(), metrics.height())
        if self._star(inner).adjusted(-4, -4, 4, 4).contains(spot):
            return "star"
        return (
            "copies" if card.copies and self._copies(line, card, metrics).adjusted(-2, -4, 2, 4).contains(spot) else ""
        )

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if not index.isValid():
            return False
        part = self.part_at(index.row(), QRect(option.rect), event.pos())
        if part == "star":
            tip = self.tr("Remove from picks (P)") if self._model.card(index.row()).picked else self.tr("Pick (P)")
        else:
            tip = self._model.tip(index.row())
        QToolTip.showText(event.globalPos(), tip, view)
        return True


def row_height(metrics: QFontMetrics) -> int:
    """Return the pixels of a row: a title, the lines of the snippet, and the facts."""
    return 2 * PAD - 2 + (2 + LINES) * metrics.height() + 2 * GAP


def _fitted(text: str, words: Sequence[Span], font: QFont, width: int) -> QTextLayout:
    """Lay out as much of a text as its lines hold, with an ellipsis where it is cut."""
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.Bold)
    layout, end = _laid_out(text, words, font, width, bold)
    if end >= len(text):
        return layout
    shortened = text[:end].rstrip()
    for _ in range(_TRIES):  # Qt may break the line before the ellipsis, which is then not seen
        cut = shortened.rstrip(" .,:;…") + "…"
        layout, end = _laid_out(cut, [span for span in words if span[1] < len(cut)], font, width, bold)
        if end >= len(cut):
            break
        space = shortened.rfind(" ", len(shortened) - _LONGEST_WORD)
        shortened = shortened[:space] if space > 0 else shortened[:-1]
    return layout


def title_layout(title: str, words: Sequence[Span], font: QFont, width: int) -> QTextLayout:
    """Lay a title out on one line, with an ellipsis where it is cut; its matching words are tinted, as all is bold."""
    shown = QFontMetrics(font).elidedText(title, Qt.TextElideMode.ElideRight, width)
    whole = len(shown) if shown == title else len(shown) - 1  # without the ellipsis
    style = QTextCharFormat()
    style.setFontWeight(QFont.Weight.Bold)
    style.setBackground(highlight_colour(0.4, on_passage=False))
    inside = [(start, min(end, whole)) for start, end in words if start < whole]
    return _laid_out(shown, inside, font, 2 * width, style, lines=1)[0]


def _laid_out(
    text: str, words: Sequence[Span], font: QFont, width: int, style: QTextCharFormat, *, lines: int = LINES
) -> tuple[QTextLayout, int]:
    """Lay a text out in a few lines; return it, and how much of the text that is."""
    layout = QTextLayout(text, font)
    layout.setCacheEnabled(True)
    layout.setFormats([format_range(text, start, end, style) for start, end in words])
    layout.beginLayout()
    metrics, end = QFontMetrics(font), len(text)
    for number in range(lines):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(max(40, width))
        # By the baselines of the row's own font: one that stands in for it, as for Korean, has taller lines.
        line.setPosition(QPointF(0, number * metrics.height() + metrics.ascent() - line.ascent()))
        end = line.textStart() + line.textLength()
    layout.endLayout()
    # Qt counts UTF-16 units: with characters outside the basic plane the cut comes a little late, never early.
    return layout, end
