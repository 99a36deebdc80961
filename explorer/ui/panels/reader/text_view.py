"""A plain text in a narrow column, of which only the pieces around the visible part are laid out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
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

from explorer.analysis.text.line_wrap import unwrap_lines
from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed
from explorer.ui.widgets.word_highlights import Highlight, highlight_colour

COLUMN = 70  # characters of a line
MARGIN = 24  # pixels left of the text, for the brackets of passages
MAX_HIGHLIGHTS = 2000  # at once
_ENDLESS = re.compile(r"\S{1000}")
PIECE = 12_000  # characters that are laid out at once
MAX_PIECES = 7  # that are laid out
# Characters that QTextCursor interprets; each is replaced by one plain character.
_FORMAT = str.maketrans({"\r": " ", "\u2029": "\n", "\u2028": "\n", "\ufdd0": " ", "\ufdd1": " ", "\0": " "})

Span = tuple[int, int]


@dataclass(frozen=True)
class LoadedText:
    """A text, and which of its pieces are laid out.

    Attributes:
        text: The whole text.
        cuts: Where its pieces begin, and its end.
        first: The first piece that is laid out.
        last: The piece after the last one that is.
    """

    text: str = ""
    cuts: tuple[int, ...] = (0, 0)
    first: int = 0
    last: int = 1

    @classmethod
    def around(cls, text: str, cuts: tuple[int, ...], character: int) -> LoadedText:
        """Lay out the piece with a character, and one before and after it."""
        piece = min(max(0, bisect_right(cuts, character) - 1), len(cuts) - 2)
        return cls(text, cuts, max(0, piece - 1), min(len(cuts) - 1, piece + 2))

    @property
    def span(self) -> Span:
        """The range of characters that is laid out."""
        return self.cuts[self.first], self.cuts[self.last]

    @property
    def pieces(self) -> list[Span]:
        """The ranges of the pieces that are laid out."""
        return list(pairwise(self.cuts[self.first : self.last + 1]))

    @property
    def full(self) -> bool:
        """Whether no further piece may be laid out."""
        return self.last - self.first >= MAX_PIECES

    def contains(self, character: int) -> bool:
        """Return whether a character is laid out."""
        first, last = self.span
        return first <= character < last or character >= last == len(self.text)

    def plain(self, first: int, last: int) -> str:
        """Return the text of some pieces for QTextCursor, with as many characters as the original."""
        return unwrap_lines(self.text[self.cuts[first] : self.cuts[last]]).translate(_FORMAT)

    def position(self, character: int) -> int:
        """Return the position of a character in the QTextDocument, which counts UTF-16 units."""
        first, last = self.span
        offset = min(max(character, first), last) - first
        return offset + int(np.searchsorted(self._astral, offset))

    def character(self, position: int) -> int:
        """Return the character at a position of the QTextDocument."""
        astral = self._astral + np.arange(len(self._astral))
        return self.span[0] + position - int(np.searchsorted(astral, position))

    @cached_property
    def _astral(self) -> NDArray[np.int64]:
        """The offsets of the characters that take two UTF-16 units."""
        part = self.text[slice(*self.span)]
        if part.isascii():
            return np.zeros(0, np.int64)
        codes = np.frombuffer(part.encode("utf-32-le", "surrogatepass"), np.uint32)
        return np.flatnonzero(codes > 0xFFFF)


def cut_positions(text: str, size: int = PIECE) -> tuple[int, ...]:
    """Return where to cut a text into pieces of about `size`: after a line if possible, else at a space."""
    cuts = [0]
    while len(text) - cuts[-1] > size + size // 2:
        start, end = cuts[-1], cuts[-1] + size
        cut = text.rfind("\n", start + size // 2, end)
        cut = cut if cut >= 0 else text.rfind(" ", start + size // 2, end)
        cuts.append(cut + 1 if cut >= 0 else end)
    return (*cuts, len(text))


class TextView(Themed, QTextEdit):
    """Shows a text of any length; a few pieces around the visible part are laid out.

    Signals:
        loaded_changed: Another part of the text is laid out.
        search_requested: The user wants to search for the selected text.
    """

    loaded_changed = Signal()
    search_requested = Signal(str)

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
        self._loaded = LoadedText()
        self._target: int | None = None  # the character that stays visible while the panel is resized
        self._first = False  # whether it is in the first line
        self._moving = False
        self._passages: tuple[Span, ...] = ()
        self._show_brackets = False
        self._passage: Span | None = None
        self._words: Sequence[Highlight] = ()
        self._query_words: Sequence[Span] = ()
        self._points = 0
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled_by_user)

    # The text

    @property
    def loaded(self) -> LoadedText:
        """The text, and which part of it is laid out."""
        return self._loaded

    def show_text(self, text: str, passages: Sequence[Span] = (), at: int = 0) -> None:
        """Show another text, scrolled to a character."""
        self._passages = tuple(passages)
        self._passage, self._words, self._query_words = None, (), ()
        self._load(LoadedText.around(text, cut_positions(text), at))
        self.go_to(at)

    def go_to(self, at: int, *, first: bool = False) -> None:
        """Scroll a character into the upper part of the view, or its line to the very top."""
        self._target, self._first = at, first
        if not self._loaded.contains(at):
            self._load(LoadedText.around(self._loaded.text, self._loaded.cuts, at))
        self._moving = True
        bar = self.verticalScrollBar()
        top = self.cursorRect(self._cursor(at)).top() + bar.value()
        bar.setValue((top if first else top - self.viewport().height() // 5) if at > 0 else 0)
        self._moving = False
        self._on_scrolled()

    def scroll_page(self, pages: int) -> None:
        """Scroll by pages, with a line of the one before; down if positive."""
        self._target = None
        bar, line = self.verticalScrollBar(), int(self.fontMetrics().lineSpacing() * 1.5)
        bar.setValue(bar.value() + pages * max(line, self.viewport().height() - line))

    @property
    def top(self) -> int:
        """The first visible character."""
        return self._at(QPoint(self._left() + 1, 1))

    def set_font_size(self, points: int) -> None:
        """Set the font size in points."""
        self._points = points
        font = QFont(self.font())
        font.setPointSize(points)
        self.setFont(font)
        self._set_column()

    def highlight(
        self, passage: Span | None, words: Sequence[Highlight] = (), query_words: Sequence[Span] = ()
    ) -> None:
        """Highlight a passage and the words that make it match; underline the words of the query."""
        self._passage, self._words, self._query_words = passage, words, query_words
        self._show_highlights()

    def show_brackets(self, shown: bool) -> None:
        """Show or hide brackets where passages begin and end."""
        self._show_brackets = shown
        self.viewport().update()

    def _load(self, loaded: LoadedText) -> None:
        self._moving = True
        self._loaded = loaded
        self.document().clear()
        self._set_wrap()
        cursor = QTextCursor(self.document())
        layout = QTextBlockFormat()
        layout.setLineHeight(150, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(layout)
        cursor.insertText(loaded.plain(loaded.first, loaded.last))
        self.setTextCursor(QTextCursor(self.document()))
        self._set_column()
        self._moving = False
        self._on_loaded()

    def _grow(self, *, down: bool) -> None:
        """Lay out one more piece, and drop the one at the other end if there are too many."""
        self._moving = True
        old = self._loaded
        fixed = old.span[1] - 1 if down else old.span[0]  # must not jump
        before = self.cursorRect(self._cursor(fixed)).top()
        cursor = QTextCursor(self.document())
        if down:
            new = replace(old, first=old.first + old.full, last=old.last + 1)
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(old.plain(old.last, new.last))
            self._remove(0, old.position(old.cuts[new.first]))
        else:
            new = replace(old, first=old.first - 1, last=old.last - old.full)
            self._remove(old.position(old.cuts[new.last]), old.position(old.span[1]))
            cursor.insertText(old.plain(new.first, old.first))
        self._loaded = new
        self._set_wrap()
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(self._cursor(fixed)).top() - before)
        self._moving = False
        self._on_loaded()

    def _set_wrap(self) -> None:
        """Break lines between words, or anywhere if there are none: Qt would search for a space for seconds."""
        modes = QTextOption.WrapMode
        endless = _ENDLESS.search(self._loaded.text, *self._loaded.span)
        mode = modes.WrapAnywhere if endless else modes.WrapAtWordBoundaryOrAnywhere
        if mode != self.wordWrapMode():
            self.setWordWrapMode(mode)

    def _remove(self, start: int, end: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _on_loaded(self) -> None:
        self._show_highlights()
        self.loaded_changed.emit()

    def _cursor(self, at: int, end: int | None = None) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._loaded.position(at))
        if end is not None:
            cursor.setPosition(self._loaded.position(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _at(self, point: QPoint) -> int:
        """Return the character at a point of the view."""
        return self._loaded.character(self.cursorForPosition(point).position())

    # Highlights

    def _show_highlights(self) -> None:
        selections: list[QTextEdit.ExtraSelection] = []
        for start, end, strength in [word for word in self._words if self._is_loaded(word)][:MAX_HIGHLIGHTS]:
            style = QTextCharFormat()
            style.setBackground(highlight_colour(strength, on_passage=not self._lights_all))
            selections.append(self._selection(start, end, style))
        style = QTextCharFormat()
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        style.setUnderlineColor(QColor(theme.current().accent))
        loaded = [span for span in self._query_words if self._is_loaded(span)]
        selections += [self._selection(start, end, style) for start, end in loaded[:MAX_HIGHLIGHTS]]
        self.setExtraSelections(selections)
        self.viewport().update()

    def _is_loaded(self, span: Highlight | Span) -> bool:
        first, last = self._loaded.span
        return span[0] >= first and span[1] <= last

    def _selection(self, start: int, end: int, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = self._cursor(start, end), style
        return selection

    def paintEvent(self, event: QPaintEvent) -> None:
        self._draw_passage()
        super().paintEvent(event)
        if not self._show_brackets or not self._passages:
            return
        view = self.viewport().rect()
        top, bottom = self._at(view.topLeft()), self._at(view.bottomRight())
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, (start, end) in enumerate(self._passages):
            if start <= bottom and end >= top:
                self._draw_bracket(painter, index, start, end)
        painter.end()

    @property
    def _lights_all(self) -> bool:
        """Whether all of the text would be highlighted, which says nothing."""
        lit = self._passage
        return lit is not None and lit[1] - lit[0] >= len(self._loaded.text.strip())

    def _draw_passage(self) -> None:
        """Fill the passage as one area; backgrounds of characters would leave stripes between the lines."""
        first, last = self._loaded.span
        if self._passage is None or self._lights_all or self._passage[1] <= first or self._passage[0] >= last:
            return
        upper, lower = (self.cursorRect(self._cursor(character)) for character in self._passage)
        left, right = self._left() - 4, self.viewport().width() - self._right() + 4
        painter = QPainter(self.viewport())
        colour = QColor(theme.current().lit)
        if upper.top() == lower.top():
            painter.fillRect(upper.left(), upper.top(), lower.left() - upper.left(), upper.height(), colour)
        else:
            start = upper.left() if upper.left() > left + 8 else left
            painter.fillRect(start, upper.top(), right - start, upper.height(), colour)
            between = upper.bottom() + 1
            painter.fillRect(left, between, right - left, lower.top() - between, colour)
            painter.fillRect(left, lower.top(), lower.left() - left + 2, lower.height(), colour)
        painter.end()

    def _draw_bracket(self, painter: QPainter, index: int, start: int, end: int) -> None:
        colours = theme.current()
        upper, lower = (self.cursorRect(self._cursor(at)) for at in (start, max(start, end - 1)))
        left = self._left() - 10 - 4 * (index % 2)  # neighbouring passages may overlap
        overlaps = self._passage is not None and start < self._passage[1] and end > self._passage[0]
        painter.setPen(QPen(QColor(colours.accent if overlaps else colours.faint), 2 if overlaps else 1))
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
        layout.setMargin(0)
        layout.setLeftMargin(self._left())
        layout.setRightMargin(self._right())
        layout.setTopMargin(8)
        layout.setBottomMargin(24)
        frame.setFrameFormat(layout)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_column()
        if self._target is not None and not self._moving:  # a scroll bar may come while text is inserted
            self.go_to(self._target, first=self._first)

    def _on_scrolled(self) -> None:
        bar = self.verticalScrollBar()
        if self._moving:
            return
        page = max(200, self.viewport().height())
        if bar.value() >= bar.maximum() - page and self._loaded.span[1] < len(self._loaded.text):
            self._grow(down=True)
        elif bar.value() < page and self._loaded.first > 0:
            self._grow(down=False)

    def _on_scrolled_by_user(self) -> None:
        self._target = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self.go_to(0)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self.go_to(len(self._loaded.text))
        elif event.text().isalpha() and not event.modifiers():
            event.ignore()  # letters are shortcuts of the panel and the window
        else:
            self._target = None
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        selected = self.textCursor().selectedText().replace("\u2029", " ").strip()
        if selected:
            menu.addSeparator()
            menu.addAction(self.tr("Search for this"), lambda: self.search_requested.emit(selected))
        menu.exec(event.globalPos())
        menu.deleteLater()

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        return None  # a text never loads pictures or styles, and never contacts a server

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The style resets the font size when it is first applied.
        if self._points and self.font().pointSize() != self._points:
            self.set_font_size(self._points)

    def restyle(self) -> None:
        self._show_highlights()
