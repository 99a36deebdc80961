"""Why two texts match, as colours: how strongly each word is lit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor

from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS
from explorer.ui.look import theme

if TYPE_CHECKING:
    from explorer.models.explain import AttributedText, Word

FAINT, FULL = 1.5, 3.5  # times the mean that a word adds to the likeness, to be lit at all and in full
_MOST = (0.42, 0.34)  # share of the accent in a word lit in full, light and dark: text on it stays readable

Lit = tuple[int, int, float]  # from, to, strength 0..1


def strengths(side: AttributedText, offset: int = 0) -> list[Lit]:
    """The words of a text that add clearly more than the mean of their side, with how much more, 0..1.

    Words such as "the" and numbers have taken on the meaning of what stands around them; to light them would tell
    nobody anything.

    Args:
        side: The words of the text.
        offset: Where in a larger text it begins.
    """
    mean = sum(abs(word.value) for word in side.words) / max(1, len(side.words))
    if mean <= 0:
        return []
    told = [
        (word.start + offset, word.end + offset, min(1.0, (word.value / mean - FAINT) / (FULL - FAINT)))
        for word in side.words
        if not _says_little(word)
    ]
    return [one for one in told if one[2] > 0]


def telling(side: AttributedText, count: int = 5) -> list[Word]:
    """The words that add the most, each once, strongest first."""
    mean = sum(abs(word.value) for word in side.words) / max(1, len(side.words))
    best: dict[str, Word] = {}
    for word in sorted(side.words, key=lambda one: -one.value):
        if word.value > mean and word.text.strip() and not _says_little(word):
            best.setdefault(word.text.casefold(), word)
    return list(best.values())[:count]


def _says_little(word: Word) -> bool:
    return word.text.casefold() in ENGLISH_STOP_WORDS or not any(sign.isalpha() for sign in word.text)


def lit(strength: float, *, on_passage: bool = True) -> QColor:
    """The ground of a word, the accent laid over the ground of a lit passage or of the text."""
    colours = theme.current()
    ground = colours.lit if on_passage else colours.ground
    return blend(ground, colours.accent, _MOST[colours.dark] * (0.3 + 0.7 * min(max(strength, 0.0), 1.0)))


def blend(ground: str, over: str, share: float) -> QColor:
    """A colour laid over another."""
    below, above = QColor(ground), QColor(over)
    mixed = [
        round(low + (high - low) * share)
        for low, high in zip(below.getRgb()[:3], above.getRgb()[:3], strict=True)  # type: ignore[index]
    ]
    return QColor(*mixed)
