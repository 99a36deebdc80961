"""The list of similar documents: a score with a bar, the title, and a snippet with shared words in bold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import RIGHT, FrozenListModel, Index
from explorer.ui.widgets.word_highlights import format_range

if TYPE_CHECKING:
    from explorer.workspace.search.snippets import Similar

DOCUMENT, SIMILAR, SHARE, TIP = (Qt.ItemDataRole.UserRole.value + n for n in range(4))
BAR, BUTTON, PAD = 64, 22, 8  # pixels
LINES = 2  # of a snippet
_OWN_KEYS = ("c", "j", "k")


class SimilarModel(FrozenListModel["Similar"]):
    """Similar documents, nearest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._titles: Sequence[str] = ()
        self._tips: Sequence[str] = ()
        self._distances = False

    def show_similar(
        self, rows: Sequence[Similar], titles: Sequence[str], tips: Sequence[str], *, distances: bool
    ) -> None:
        """Replace the rows, each with a title and a tooltip; scores are distances or cosines."""
        self._titles, self._tips, self._distances = titles, tips, distances
        self.show_rows(rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        if not index.isValid():
            return None
        row = index.row()
        similar = self.rows[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[row]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{similar.score:.2f} {self._titles[row]} {similar.text}"
        if role == DOCUMENT:
            return similar.document
        if role == SIMILAR:
            return similar
        if role == SHARE:
            # The distance of two unit vectors is between 0 and 2.
            return max(0.0, min(1.0, 1 - similar.score / 2 if self._distances else similar.score))
        return self._tips[row] if role == TIP else None


class SimilarDelegate(QStyledItemDelegate):
    """Draws a row with its plus and minus buttons, and shows their tooltips."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        height = option.fontMetrics.height()
        return QSize(200, 2 * PAD + (1 + LINES) * height + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, box, state = theme.current(), QRect(option.rect), option.state
        painter.save()
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(box, QColor(colours.chosen))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(colours.window))
        painter.setPen(QPen(QColor(colours.hairline), 1))
        painter.drawLine(box.left() + PAD, box.bottom(), box.right() - PAD, box.bottom())
        font = QFont(option.font)
        metrics = QFontMetrics(font)
        self._draw_score(painter, box, metrics, index)
        left = box.left() + 2 * PAD + BAR
        width = box.right() - PAD - left - 2 * BUTTON - 4
        painter.setPen(QColor(colours.ink))
        title = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPoint(left, box.top() + PAD + metrics.ascent()), title)
        snippet = QRect(left, box.top() + PAD + metrics.height() + 2, box.right() - PAD - left, 0)
        painter.setPen(QColor(colours.ink if selected else colours.faint))
        self._draw_snippet(painter, snippet, font, index.data(SIMILAR))
        for sign, name in ((1, "plus"), (-1, "minus")):
            theme.icon(name, colours.faint).paint(painter, button(box, sign).adjusted(3, 3, -3, -3))
        painter.restore()

    def _draw_score(self, painter: QPainter, box: QRect, metrics: QFontMetrics, index: Index) -> None:
        colours = theme.current()
        score = f"{index.data(SIMILAR).score:.2f}"
        painter.setPen(QColor(colours.ink))
        line = QRect(box.left() + PAD, box.top() + PAD, BAR, metrics.height())
        painter.drawText(line, RIGHT, score)
        bar = QRect(line.left(), line.bottom() + 4, BAR, 5)
        painter.fillRect(bar, QColor(colours.hairline))
        bar.setWidth(round(BAR * index.data(SHARE)))
        painter.fillRect(bar, QColor(colours.accent))

    def _draw_snippet(self, painter: QPainter, box: QRect, font: QFont, similar: Similar) -> None:
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.Bold)
        bold.setForeground(QColor(theme.current().ink))
        layout = QTextLayout(similar.text, font)
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.setCacheEnabled(True)
        layout.setFormats([format_range(similar.text, start, end, bold) for start, end in similar.words])
        layout.beginLayout()
        metrics = QFontMetrics(font)
        for number in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(40, box.width()))
            # By the baselines of the row's own font: one that stands in for it, as for Korean, has taller lines.
            line.setPosition(QPointF(0, number * metrics.height() + metrics.ascent() - line.ascent()))
        layout.endLayout()
        layout.draw(painter, box.topLeft().toPointF())

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if not index.isValid():
            return False
        box, position = QRect(option.rect), event.pos()
        if button(box, 1).contains(position):
            tip = self.tr("More like this (+)")
        elif button(box, -1).contains(position):
            tip = self.tr("Less like this (-)")
        elif position.x() < box.left() + 2 * PAD + BAR:
            tip = index.data(TIP)
        else:
            tip = f"{index.data()}\n{index.data(SIMILAR).text}"
        QToolTip.showText(event.globalPos(), plain_tip(tip), view)
        return True


class SimilarList(QListView):
    """The view of the list.

    Signals:
        key_pressed: A key that the panel handles: "+", "-", "c", " " or "enter".
        judged: Plus (1) or minus (-1) of a document was pressed.
    """

    key_pressed = Signal(str)
    judged = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)

    def _judged(self, event: QMouseEvent) -> tuple[int, int] | None:
        """Return the document and the sign of the button under the mouse."""
        position = event.position().toPoint()
        index = self.indexAt(position)
        signs = [sign for sign in (1, -1) if button(self.visualRect(index), sign).contains(position)]
        return (index.data(DOCUMENT), signs[0]) if index.isValid() and signs else None

    # The buttons do not select their row, and two quick presses are two presses.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._judged(event) is None:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        judged = self._judged(event)
        if judged is None:
            super().mouseReleaseEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.judged.emit(*judged)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._judged(event) is None:
            super().mouseDoubleClickEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # These keys mean the current row here, not the window's commands.
            own = event.text().lower() in _OWN_KEYS and not event.modifiers()
            if own and self.currentIndex().isValid():
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        key = "enter" if enter else event.text().lower()
        if key in {"enter", "+", "=", "-", "c", " "} and self.currentIndex().isValid():
            self.key_pressed.emit("+" if key == "=" else key)
        elif key in {"j", "k"}:
            step = 1 if key == "j" else -1
            index = self.model().index(self.currentIndex().row() + step, 0)
            if index.isValid():
                self.setCurrentIndex(index)
        else:
            super().keyPressEvent(event)


def button(box: QRect, sign: int) -> QRect:
    """Return the rectangle of the plus (1) or minus (-1) button of a row."""
    right = box.right() - PAD - (0 if sign < 0 else BUTTON + 2)
    return QRect(right - BUTTON, box.top() + 4, BUTTON, BUTTON)
