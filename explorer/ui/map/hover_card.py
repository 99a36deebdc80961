"""The hover card: a document's title and the beginning of its text beside the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from explorer.rendering.colours import MapStyle

_WIDTH = 300.0  # pixels of a line
_PAD = 12.0
_GAP = 4.0
_LETTERS = 600  # of a text; more would not fit


@dataclass(frozen=True)
class CardText:
    """What a card says.

    Attributes:
        title: Of the document; two lines at most.
        source: Where it is from, on one line; may be empty.
        text: Its beginning or its matching passage; six lines at most.
    """

    title: str
    source: str = ""
    text: str = ""


@dataclass(frozen=True)
class _CardLine:
    text: str
    font: QFont
    colour: str
    top: float


class HoverCard(QWidget):
    """Shows a text beside a point; transparent to the mouse."""

    def __init__(self, parent: QWidget, style: MapStyle) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        self._over = parent
        self._style = style
        self._lines: list[_CardLine] = []

    def set_style(self, style: MapStyle) -> None:
        """Use another style from the next text on."""
        self._style = style
        self.hide()

    def show_text(self, text: CardText, x: float, y: float, away: float) -> None:
        """Show a text beside pixel (x, y) of the parent, some pixels away, wherever there is room."""
        size = self._lay_out(text)
        left = x + away if x + away + size.width() < self._over.width() - 8 else x - away - size.width()
        left = min(max(left, 8), max(8, self._over.width() - 8 - size.width()))
        top = min(max(y - 20, 8), max(8, self._over.height() - 8 - size.height()))
        self.setGeometry(round(left), round(top), round(size.width()), round(size.height()))
        self.raise_()
        self.show()
        self.update()

    def lines(self) -> list[str]:
        """Return the lines that are shown."""
        return [line.text for line in self._lines]

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._style.line), 1))
        painter.setBrush(QColor(self._style.raised))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        for line in self._lines:
            painter.setFont(line.font)
            painter.setPen(QColor(line.colour))
            painter.drawText(QPointF(_PAD, line.top + QFontMetricsF(line.font).ascent()), line.text)

    def _lay_out(self, text: CardText) -> QSizeF:
        bold, plain = QFont(self.font()), QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        small = QFont(plain)
        small.setPointSizeF(max(9.0, plain.pointSizeF() - 1))
        parts = (
            (text.title, bold, self._style.text, 2),
            (text.source, small, self._style.faint, 1),
            (text.text, plain, self._style.text, 6),
        )
        self._lines, top, widest = [], _PAD - 2, 0.0
        for words, font, colour, most in parts:
            metrics = QFontMetricsF(font)
            for line in wrap_text(words, font, _WIDTH, most):
                self._lines.append(_CardLine(line, font, colour, top))
                widest = max(widest, metrics.horizontalAdvance(line))
                top += metrics.lineSpacing()
            top += _GAP if words else 0
        return QSizeF(min(widest, _WIDTH) + 2 * _PAD, top - _GAP + _PAD)


def wrap_text(text: str, font: QFont, width: float, most: int) -> list[str]:
    """Wrap a text to at most `most` lines, the last one cut with an ellipsis where more would follow."""
    text = " ".join(text[:_LETTERS].split())
    if not text:
        return []
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid() and len(starts) <= most:
        line.setLineWidth(width)
        starts.append(_utf16_to_letters(text, line.textStart()))
    layout.endLayout()
    bounds = [*starts, len(text)] if len(starts) <= most else starts
    lines = [text[start:stop].strip() for start, stop in pairwise(bounds)]
    if len(starts) > most:
        rest = text[starts[most - 1] :]
        lines[most - 1] = QFontMetricsF(font).elidedText(rest, Qt.TextElideMode.ElideRight, width)
    return lines


def _utf16_to_letters(text: str, index: int) -> int:
    """Convert an index in Qt's UTF-16 units to one in Python's code points."""
    return len(text.encode("utf-16-le")[: 2 * index].decode("utf-16-le", "ignore"))
