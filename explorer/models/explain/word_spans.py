"""From the pieces of a tokenizer back to words: where the words of a text are, and which piece belongs to which."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

Span = tuple[int, int]

_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HIRAGANA = r"\u3041-\u309f"
# Scripts without spaces: ideographs, and the letters from Thailand to Cambodia with the marks on them.
_SINGLE = (
    r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# Marks that are no letters to Python: accents written apart, vowels of Hebrew, Arabic and the scripts of India.
_MARKS = r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u0dff"
_LETTERS = rf"(?:[^\W_{_KATAKANA}{_HIRAGANA}{_SINGLE}]|[{_MARKS}])+"
_JOINT = r"(?:['’_\-‐‑]|(?<=\d)[.,](?=\d))"
_SEGMENT = re.compile(
    rf"{_LETTERS}(?:{_JOINT}{_LETTERS})*(?:\+\+|\#)?|[{_KATAKANA}]+|[{_HIRAGANA}]+|[{_SINGLE}]|[^\w\s]"
)
_TELLING = {"So", "Sc"}  # signs that mean something: emoji, currencies


def word_spans(text: str, tokens: Sequence[Span]) -> tuple[list[Span], list[int | None]]:
    """The words of a text that tokens stand for, and the word of each token.

    Words end at spaces and punctuation; "don't", "3.14" and "C++" are one. Where there are no spaces a word is what
    the tokenizer keeps together, at least a character.

    Args:
        text: The text.
        tokens: The span of each token, in order; empty for a token that stands for nothing in the text.

    Returns:
        The spans of the words in order, and for each token the place of its word, None for punctuation.

    Example:
        >>> word_spans("Don't go.", [(0, 3), (3, 4), (4, 5), (6, 8), (8, 9)])
        ([(0, 5), (6, 8)], [0, 0, 0, 1, None])
    """
    segments = [match.span() for match in _SEGMENT.finditer(text) if _tells(match[0])]
    starts, ends = [start for start, _ in segments], [end for _, end in segments]
    covered = [
        range(bisect_right(ends, start), bisect_left(starts, end) if start < end else 0)
        for start, end in tokens
    ]
    read = {place for places in covered for place in places}
    glued = {place for places in covered for place in places[1:]}  # to the segment before
    kept = sorted(read)
    counted = accumulate(place not in glued for place in kept)
    numbers = {place: count - 1 for place, count in zip(kept, counted, strict=True)}
    words: dict[int, Span] = {}
    for place in kept:
        number = numbers[place]
        words[number] = words.get(number, segments[place])[0], ends[place]
    return list(words.values()), [numbers[places[0]] if places else None for places in covered]


def _tells(segment: str) -> bool:
    return segment[0].isalnum() or len(segment) > 1 or unicodedata.category(segment[0]) in _TELLING
