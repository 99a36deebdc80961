"""Why two texts match, as highlights: how strongly each word is coloured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextLayout

from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS
from explorer.ui.look import theme

if TYPE_CHECKING:
    from explorer.models.explain import AttributedText, Word

FAINT, FULL = 1.5, 3.5  # multiples of the mean contribution: highlighted at all, and in full
_MOST = (0.42, 0.34)  # share of the accent in a full highlight, light and dark; text on it stays readable

Highlight = tuple[int, int, float]  # start, end, strength 0..1
Span = tuple[int, int]


def strengths(side: AttributedText, offset: int = 0) -> list[Highlight]:
    """Return the words that contribute clearly more than the mean of their text, with how much more, 0..1.

    Stop words and numbers are left out: they carry the meaning of the words around them, and highlighting them
    would explain nothing.

    Args:
        side: The words of the text.
        offset: Where the text begins in a larger one.
    """
    mean = sum(abs(word.value) for word in side.words) / max(1, len(side.words))
    if mean <= 0:
        return []
    highlights = [
        (word.start + offset, word.end + offset, min(1.0, (word.value / mean - FAINT) / (FULL - FAINT)))
        for word in side.words
        if not _says_little(word)
    ]
    return [highlight for highlight in highlights if highlight[2] > 0]


def strongest_words(side: AttributedText, count: int = 5) -> list[Word]:
    """Return the words that contribute most, without repeats, strongest first."""
    mean = sum(abs(word.value) for word in side.words) / max(1, len(side.words))
    best: dict[str, Word] = {}
    for word in sorted(side.words, key=lambda word: -word.value):
        if word.value > mean and word.text.strip() and not _says_little(word):
            best.setdefault(word.text.casefold(), word)
    return list(best.values())[:count]


def _says_little(word: Word) -> bool:
    return word.text.casefold() in ENGLISH_STOP_WORDS or not any(character.isalpha() for character in word.text)


def highlight_colour(strength: float, *, on_passage: bool = True) -> QColor:
    """Return the background of a word: the accent over that of a highlighted passage or of the text."""
    colours = theme.current()
    below, above = QColor(colours.lit if on_passage else colours.background), QColor(colours.accent)
    share = _MOST[colours.dark] * (0.3 + 0.7 * min(max(strength, 0.0), 1.0))
    return QColor(
        *(
            round(low + (high - low) * share)
            for low, high in zip(below.getRgb()[:3], above.getRgb()[:3], strict=True)  # type: ignore[index]
        )
    )


def format_range(text: str, start: int, end: int, style: QTextCharFormat) -> QTextLayout.FormatRange:
    """Return a style for some characters of a text that a QTextLayout shows."""
    made = QTextLayout.FormatRange()
    made.start, made.length = _utf16_length(text[:start]), _utf16_length(text[start:end])
    made.format = style
    return made


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
