"""The rows of similar documents: a bar and a number, title, and a snippet with the shared words bold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, QRect, QSize, Qt, Signal
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

if TYPE_CHECKING:
    from explorer.workspace.search.snippets import Similar

Index = QModelIndex
DOCUMENT, SIMILAR, SHARE, TIP = (Qt.ItemDataRole.UserRole.value + n for n in range(4))
BAR, BUTTON, PAD = 64, 22, 8
LINES = 2  # of a snippet
_OWN_KEYS = ("c", "j", "k")


class SimilarModel(QAbstractListModel):
    """Similar documents, nearest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Similar] = ()
        self._titles: Sequence[str] = ()
        self._tips: Sequence[str] = ()
        self._distances = False

    def show_rows(
        self, rows: Sequence[Similar], titles: Sequence[str], tips: Sequence[str], *, distances: bool
    ) -> None:
        """Take other rows, a title and a tooltip for each; scores are distances or cosines."""
        self.beginResetModel()
        self._rows, self._titles, self._tips, self._distances = rows, titles, tips, distances
        self.endResetModel()

    @property
    def rows(self) -> Sequence[Similar]:
        """What is shown."""
        return self._rows

    def rowCount(self, parent: QModelIndex | Any = Index()) -> int:  # noqa: B008 - Qt's own default
        """How many rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | Any, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        """What a row says."""
        if not index.isValid():
            return None
        row = index.row()
        one = self._rows[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[row]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{one.score:.2f} {self._titles[row]} {one.text}"
        if role == DOCUMENT:
            return one.document
        if role == SIMILAR:
            return one
        if role == SHARE:
            # Two unit vectors are 0 to 2 apart.
            return max(0.0, min(1.0, 1 - one.score / 2 if self._distances else one.score))
        return self._tips[row] if role == TIP else None


class SimilarDelegate(QStyledItemDelegate):
    """Draws a row with its plus and minus, and tells what is under the mouse."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex | Any) -> QSize:
        """A title and two lines."""
        height = option.fontMetrics.height()
        return QSize(200, 2 * PAD + (1 + LINES) * height + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | Any) -> None:
        """Draw it."""
        colours, box, state = theme.current(), _rect(option), _state(option)
        painter.save()
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if chosen:
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
        self._draw_snippet(painter, QRect(left, box.top() + PAD + metrics.height() + 2, box.right() - PAD - left, 0),
                           font, index.data(SIMILAR), chosen=chosen)  # fmt: skip
        for sign, name in ((1, "plus"), (-1, "minus")):
            theme.icon(name, colours.faint).paint(painter, button(box, sign).adjusted(3, 3, -3, -3))
        painter.restore()

    def _draw_score(self, painter: QPainter, box: QRect, metrics: QFontMetrics, index: QModelIndex) -> None:
        colours = theme.current()
        score = f"{index.data(SIMILAR).score:.2f}"
        painter.setPen(QColor(colours.ink))
        line = QRect(box.left() + PAD, box.top() + PAD, BAR, metrics.height())
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, score)
        bar = QRect(line.left(), line.bottom() + 4, BAR, 5)
        painter.fillRect(bar, QColor(colours.hairline))
        bar.setWidth(round(BAR * index.data(SHARE)))
        painter.fillRect(bar, QColor(colours.accent))

    def _draw_snippet(
        self, painter: QPainter, box: QRect, font: QFont, one: Similar, *, chosen: bool
    ) -> None:
        """Two lines of text, cut off in the second."""
        colours = theme.current()
        painter.setPen(QColor(colours.ink if chosen else colours.faint))
        layout = QTextLayout(one.text, font)
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.setCacheEnabled(True)
        layout.setFormats([_bold(one.text, start, end, colours.ink) for start, end in one.words])
        layout.beginLayout()
        y = 0.0
        for _ in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(40, box.width()))
            line.setPosition(QPoint(0, round(y)).toPointF())
            y += line.height()
        layout.endLayout()
        layout.draw(painter, box.topLeft().toPointF())

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | Any,
    ) -> bool:
        """On the score, what it means; on the buttons, what they do; elsewhere the whole snippet."""
        if not index.isValid():
            return False
        box, here = _rect(option), event.pos()
        if button(box, 1).contains(here):
            told = self.tr("More like this (+)")
        elif button(box, -1).contains(here):
            told = self.tr("Less like this (-)")
        elif here.x() < box.left() + 2 * PAD + BAR:
            told = index.data(TIP)
        else:
            told = f"{index.data()}\n{index.data(SIMILAR).text}"
        QToolTip.showText(event.globalPos(), plain_tip(told), view)
        return True


class SimilarList(QListView):
    """The list itself.

    Signals:
        key_pressed: A key that belongs to the panel: "+", "-", "c", " " or "enter".
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
        """The document and the sign of the plus or minus under the mouse."""
        here = event.position().toPoint()
        index = self.indexAt(here)
        signs = [sign for sign in (1, -1) if button(self.visualRect(index), sign).contains(here)]
        return (index.data(DOCUMENT), signs[0]) if index.isValid() and signs else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Plus and minus judge; they do not choose the row."""
        if self._judged(event) is None:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Judge, where the mouse is still on the button."""
        judged = self._judged(event)
        if judged is None:
            super().mouseReleaseEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.judged.emit(*judged)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two quick presses of plus are two presses."""
        if self._judged(event) is None:
            super().mouseDoubleClickEvent(event)

    def event(self, event: QEvent) -> bool:
        """C, J and K mean these rows while they have the keyboard, not the whole window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = event.text().lower() in _OWN_KEYS and not event.modifiers()
            if own and self.currentIndex().isValid():
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Judge, compare, mark and open by key."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        key = "enter" if enter else event.text().lower()
        if key in {"enter", "+", "=", "-", "c", " "} and self.currentIndex().isValid():
            self.key_pressed.emit("+" if key == "=" else key)
        elif key in {"j", "k"}:
            step = 1 if key == "j" else -1
            there = self.model().index(self.currentIndex().row() + step, 0)
            if there.isValid():
                self.setCurrentIndex(there)
        else:
            super().keyPressEvent(event)


def button(box: QRect, sign: int) -> QRect:
    """Where the plus (1) or the minus (-1) of a row is."""
    right = box.right() - PAD - (0 if sign < 0 else BUTTON + 2)
    return QRect(right - BUTTON, box.top() + 4, BUTTON, BUTTON)


def _rect(option: QStyleOptionViewItem) -> QRect:
    return QRect(option.rect)


def _state(option: QStyleOptionViewItem) -> QStyle.StateFlag:
    state: QStyle.StateFlag = option.state
    return state


def _bold(text: str, start: int, end: int, colour: str) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start = _units(text[:start])
    made.length = _units(text[start:end])
    style = QTextCharFormat()
    style.setFontWeight(QFont.Weight.Bold)
    style.setForeground(QColor(colour))
    made.format = style
    return made


def _units(text: str) -> int:
    """The length of a text as Qt counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
