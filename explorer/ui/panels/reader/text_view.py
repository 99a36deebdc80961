"""A text to read: plain, in a narrow column, and never more of it laid out than can be scrolled at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from explorer.ui.look import theme
from explorer.ui.panels.reader.loaded_text import LoadedText, Span, cuts
from explorer.ui.widgets.themed import Themed
from explorer.ui.widgets.word_highlights import Lit, lit

COLUMN = 70  # characters of a line
MARGIN = 24  # pixels left of the text, where passages are marked
MOST_WORDS = 2000  # that are lit at once
_ENDLESS = re.compile(r"\S{1000}")


class TextView(Themed, QTextEdit):
    """A text of any length, of which a few pieces around the place that is read are laid out.

    Signals:
        loaded_changed: Another part of the text is laid out.
        search_asked: The user wants to search for the text that is selected.
    """

    loaded_changed = Signal()
    search_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._window = LoadedText()
        self._aim: int | None = None  # what stays in view while the panel changes its size
        self._first = False  # whether that is the first line
        self._moving = False
        self._passages: tuple[Span, ...] = ()
        self._bounds = False
        self._lit: Span | None = None
        self._words: Sequence[Lit] = ()
        self._found: Sequence[Span] = ()
        self._points = 0
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().actionTriggered.connect(self._on_taken)

    # The text

    @property
    def part(self) -> LoadedText:
        """The text, and which of it is laid out."""
        return self._window

    def show_text(self, text: str, passages: Sequence[Span] = (), at: int = 0) -> None:
        """Show another text, from a character on."""
        self._passages = tuple(passages)
        self._lit, self._words, self._found = None, (), ()
        self._load(LoadedText.around(text, cuts(text), at))
        self.go_to(at)

    def go_to(self, at: int, *, first: bool = False) -> None:
        """Bring a character into the upper part of the view, or make its line the first one."""
        self._aim, self._first = at, first
        if not self._window.holds(at):
            self._load(LoadedText.around(self._window.text, self._window.cuts, at))
        self._moving = True
        bar = self.verticalScrollBar()
        top = self.cursorRect(self._cursor(at)).top() + bar.value()
        bar.setValue((top if first else top - self.viewport().height() // 5) if at > 0 else 0)
        self._moving = False
        self._on_scrolled()

    @property
    def top(self) -> int:
        """The first character in view."""
        return self._at(QPoint(self._left() + 1, 1))

    def set_font_size(self, points: int) -> None:
        """Use letters of another size."""
        self._points = points
        font = QFont(self.font())
        font.setPointSize(points)
        self.setFont(font)
        self._set_column()

    def light(self, passage: Span | None, words: Sequence[Lit] = (), found: Sequence[Span] = ()) -> None:
        """Light a passage, the words that make it match, and the words that were searched for."""
        self._lit, self._words, self._found = passage, words, found
        self._show_marks()

    def show_bounds(self, shown: bool) -> None:
        """Mark where passages begin and end, or do not."""
        self._bounds = shown
        self.viewport().update()

    def _load(self, window: LoadedText) -> None:
        self._moving = True
        self._window = window
        self.document().clear()
        self._set_wrap()
        cursor = QTextCursor(self.document())
        layout = QTextBlockFormat()
        layout.setLineHeight(150, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(layout)
        cursor.insertText(window.plain(window.first, window.last))
        self.setTextCursor(QTextCursor(self.document()))
        self._set_column()
        self._moving = False
        self._on_loaded()

    def _grow(self, *, down: bool) -> None:
        """Lay out one more piece, and let go of the one at the other end if there are too many."""
        self._moving = True
        old = self._window
        kept = old.span[1] - 1 if down else old.span[0]  # must not jump
        before = self.cursorRect(self._cursor(kept)).top()
        cursor = QTextCursor(self.document())
        if down:
            new = replace(old, first=old.first + old.full, last=old.last + 1)
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(old.plain(old.last, new.last))
            self._drop(0, old.place(old.cuts[new.first]))
        else:
            new = replace(old, first=old.first - 1, last=old.last - old.full)
            self._drop(old.place(old.cuts[new.last]), old.place(old.span[1]))
            cursor.insertText(old.plain(new.first, old.first))
        self._window = new
        self._set_wrap()
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(self._cursor(kept)).top() - before)
        self._moving = False
        self._on_loaded()

    def _set_wrap(self) -> None:
        """Break lines between words; anywhere where there are none, since Qt looks for a space for seconds."""
        modes = QTextOption.WrapMode
        endless = _ENDLESS.search(self._window.text, *self._window.span)
        mode = modes.WrapAnywhere if endless else modes.WrapAtWordBoundaryOrAnywhere
        if mode != self.wordWrapMode():
            self.setWordWrapMode(mode)

    def _drop(self, start: int, end: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _on_loaded(self) -> None:
        self._show_marks()
        self.loaded_changed.emit()

    def _cursor(self, at: int, end: int | None = None) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._window.place(at))
        if end is not None:
            cursor.setPosition(self._window.place(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _at(self, point: QPoint) -> int:
        """The character under a point of the view."""
        return self._window.character(self.cursorForPosition(point).position())

    # Marks

    def _show_marks(self) -> None:
        first, last = self._window.span
        marks = []
        here = [one for one in self._words if one[0] >= first and one[1] <= last]
        marks += [
            self._mark(start, end, lit(strength, on_passage=not self._is_alone))
            for start, end, strength in here[:MOST_WORDS]
        ]
        found = [one for one in self._found if one[0] >= first and one[1] <= last]
        marks += [self._underlined(start, end) for start, end in found[:MOST_WORDS]]
        self.setExtraSelections(marks)
        self.viewport().update()

    def _mark(self, start: int, end: int, ground: QColor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        style = QTextCharFormat()
        style.setBackground(ground)
        mark.cursor, mark.format = self._cursor(start, end), style
        return mark

    def _underlined(self, start: int, end: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        style = QTextCharFormat()
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        style.setUnderlineColor(QColor(theme.current().accent))
        mark.cursor, mark.format = self._cursor(start, end), style
        return mark

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text on the ground of the passage that is lit, and where its passages are."""
        self._draw_ground()
        super().paintEvent(event)
        if not self._bounds or not self._passages:
            return
        view = self.viewport().rect()
        top, bottom = self._at(view.topLeft()), self._at(view.bottomRight())
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, (start, end) in enumerate(self._passages):
            if start <= bottom and end >= top:
                self._draw_bracket(painter, number, start, end)
        painter.end()

    @property
    def _is_alone(self) -> bool:
        """Whether the text is a single passage; to light all of it would tell nothing."""
        return len(self._passages) == 1

    def _draw_ground(self) -> None:
        """One calm area; grounds of characters would leave a stripe between any two lines."""
        first, last = self._window.span
        if self._lit is None or self._is_alone or self._lit[1] <= first or self._lit[0] >= last:
            return
        upper, lower = (
            self.cursorRect(self._cursor(self._lit[0])),
            self.cursorRect(self._cursor(self._lit[1])),
        )
        left, right = self._left() - 4, self.viewport().width() - self._right() + 4
        painter = QPainter(self.viewport())
        ground = QColor(theme.current().lit)
        if upper.top() == lower.top():
            painter.fillRect(upper.left(), upper.top(), lower.left() - upper.left(), upper.height(), ground)
        else:
            start = upper.left() if upper.left() > left + 8 else left
            painter.fillRect(start, upper.top(), right - start, upper.height(), ground)
            between = upper.bottom() + 1
            painter.fillRect(left, between, right - left, lower.top() - between, ground)
            painter.fillRect(left, lower.top(), lower.left() - left + 2, lower.height(), ground)
        painter.end()

    def _draw_bracket(self, painter: QPainter, number: int, start: int, end: int) -> None:
        colours = theme.current()
        upper, lower = (
            self.cursorRect(self._cursor(start)),
            self.cursorRect(self._cursor(max(start, end - 1))),
        )
        left = self._left() - 10 - 4 * (number % 2)  # passages may overlap
        here = self._lit is not None and start < self._lit[1] and end > self._lit[0]
        painter.setPen(QPen(QColor(colours.accent if here else colours.faint), 2 if here else 1))
        painter.drawLine(left, upper.top() + 3, left, lower.bottom() - 3)
        painter.drawLine(left, upper.top() + 3, left + 4, upper.top() + 3)
        painter.drawLine(left, lower.bottom() - 3, left + 4, lower.bottom() - 3)

    # Size and scrolling

    def _left(self) -> int:
        width = self.viewport().width()
        column = QFontMetricsF(self.font()).averageCharWidth() * COLUMN
        return int(max(MARGIN, (width - column) / 2))

    def _right(self) -> int:
        left = self._left()
        return 12 if left == MARGIN else left

    def _set_column(self) -> None:
        frame = self.document().rootFrame()
        layout = frame.frameFormat()
        left = self._left()
        layout.setMargin(0)
        layout.setLeftMargin(left)
        layout.setRightMargin(self._right())
        layout.setTopMargin(8)
        layout.setBottomMargin(24)
        frame.setFrameFormat(layout)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column and what is looked at."""
        super().resizeEvent(event)
        self._set_column()
        if self._aim is not None and not self._moving:  # a scroll bar may come while text is inserted
            self.go_to(self._aim, first=self._first)

    def _on_scrolled(self) -> None:
        bar = self.verticalScrollBar()
        if self._moving:
            return
        page = max(200, self.viewport().height())
        if bar.value() >= bar.maximum() - page and self._window.span[1] < len(self._window.text):
            self._grow(down=True)
        elif bar.value() < page and self._window.first > 0:
            self._grow(down=False)

    def _on_taken(self) -> None:
        """From now on the user says what is in view."""
        self._aim = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Beginning and end are those of the whole text; letters belong to the panel."""
        if event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self.go_to(0)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self.go_to(len(self._window.text))
        elif event.text().isalpha() and not event.modifiers():
            event.ignore()
        else:
            self._aim = None
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy, or search for what is selected."""
        menu = self.createStandardContextMenu()
        chosen = self.textCursor().selectedText().replace("\u2029", " ").strip()
        if chosen:
            menu.addSeparator()
            menu.addAction(self.tr("Search for this"), lambda: self.search_asked.emit(chosen))
        menu.exec(event.globalPos())
        menu.deleteLater()

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Nothing: a text brings no pictures, no styles, and asks no server."""
        return None

    def showEvent(self, event: QShowEvent) -> None:
        """The style takes the size of letters back as it is first applied."""
        super().showEvent(event)
        if self._points and self.font().pointSize() != self._points:
            self.set_font_size(self._points)

    def restyle(self) -> None:
        self._show_marks()
