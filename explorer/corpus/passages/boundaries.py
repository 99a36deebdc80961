"""Find cuts of a text and how good each is: sections, paragraphs, sentences, clauses, words, characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

CLOSERS = "\"'”’»›)\\]}」』】》〉）］｝"
_STOPS = ".!?…‥"
_WIDE = "。！？｡।॥؟۔"  # these end a sentence with no space after them

# Each alternative begins where a run of stops begins, so that a long run is looked at once.
_END = re.compile(
    rf"(?<![{_WIDE}])[{_WIDE}][{_WIDE}{_STOPS}]*+[{CLOSERS}]*+"
    rf"|(?<![{_STOPS}{_WIDE}])[{_STOPS}]++[{CLOSERS}]*+(?=\s|\Z)"
    r"|(?<=[다요까죠네오])[.!?]++(?=[가-힣])"  # Korean written without the space
)
_NEXT = re.compile(r"\s*+([\"'“‘«‹(\[{「『【《〈（［]*+)(\S?)")
_WORD = re.compile(r"(?:[^\W_]|[.&'’-])+\Z")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_QUOTED_ON = re.compile(r"\s*+(?:이?라고|이?라는|이?라며|이?란\s|하고|하며|고\s|며\s|는\s|と|って)")
_DATE = re.compile(r"\d\.\s*\Z")
_LOOK_BACK = 40

# A name or a number follows these, never the end of a sentence.
_TITLES = frozenset(
    (
        *("mr", "mrs", "ms", "mx", "dr", "prof", "rev", "hon", "fr", "sr", "jr", "st", "mt", "ft"),
        *("gen", "col", "lt", "sgt", "capt", "cmdr", "adm", "maj", "gov", "sen", "rep", "pres", "supt"),
        *("vs", "cf", "approx", "e.g", "i.e", "viz", "al", "ed", "eds", "trans", "dept", "univ", "mme"),
        *("mlle", "herr", "bzw", "ca", "z.b", "d.h", "u.a"),
    )
)
# These stand before a number, and end a sentence before anything else.
_NUMBERED = frozenset(
    (
        *("no", "nos", "nr", "art", "fig", "figs", "eq", "eqs", "sec", "ch", "vol", "pp", "p", "pt"),
        *("par", "col", "ref", "tab", "app", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep"),
        *("sept", "oct", "nov", "dec"),
    )
)
# How good a cut is, from worst to best.
GLUED = 0  # between a heading and what it is the heading of
CHARACTER, WORD, CLAUSE, SENTENCE, LINE, PARAGRAPH, SECTION = range(1, 8)

HEADING_CHARACTERS = 80
CLUSTER = 64  # code points searched for the end of a grapheme (what people see as one character)

_BREAK = re.compile(r"[\n\f\u2028\u2029]\s*+")
_NEWLINES = re.compile(r"[\n\f\u2028\u2029]")
_WORD_GAP = re.compile(r"\s++")
_CLAUSE_END = re.compile(
    rf"(?<![,;:.!?…—–])[,;:.!?…—–]++[{CLOSERS}]*+(?=\s)|[，、；：。！？・—…]++[{CLOSERS}]*+|[\n\f\u2028\u2029]"
)
_MARKED_HEADING = re.compile(r"#{1,6}\s|제\s?\d+\s?[장절편부조]|(?:chapter|part|section)\s+[\divxlc]+\b", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+•·◦▪※○●■□▶]|\(?\d{1,3}[.)]|\(?[a-zA-Z가-하][.)]|[①-⑳])\s")
_ENDING = tuple('.,;:!?。，、；：！？…"”’」』)|')
_RULE = re.compile(r"\W+")


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets within text[start:end] just after a sentence and the quotes that close it.

    A text that is written without capitals, or with full stops for other things, may lose an end or two:
    a missed end costs less than a sentence torn at "Dr.".
    """
    for match in _END.finditer(text, start, end):
        if match.end() < end and _is_end(text, match, end):
            yield match.end()


def _is_end(text: str, match: re.Match[str], end: int) -> bool:
    mark = match[0]
    quoted = mark[-1] in CLOSERS
    if quoted and _QUOTED_ON.match(text, match.end(), end):
        return False
    if mark[0] in _WIDE:
        return True
    following = _NEXT.match(text, match.end(), end)
    opening, first = (following[1], following[2]) if following else ("", "")
    if first.islower():
        return False
    if mark[0] != "." or mark.startswith(".."):
        return True
    return not _is_abbreviation(text, match.start(), first, bool(opening))


def _is_abbreviation(text: str, stop: int, first: str, opened: bool) -> bool:
    """Return whether the full stop at `stop` belongs to the word before it; `first` begins what follows."""
    match = _WORD.search(text[max(0, stop - _LOOK_BACK) : stop])
    if not match:
        return False
    word = match[0].strip("'’-&")
    if word.isdecimal():  # "2024. 3. 1." is a date, and "1. First" begins a line
        start = stop - len(match[0])
        return (
            first.isdecimal() or _begins_line(text, start) or _DATE.search(text, max(0, start - 6), start) is not None
        )
    low = word.lower()
    if low in _TITLES or (low in _NUMBERED and first.isdecimal()):
        return True
    if low in ("a.m", "p.m"):
        return first.isdecimal()
    if len(word) == 1:  # an initial, or the number of the line it begins
        return _begins_line(text, stop - 1) or (word.isupper() and word != "I" and not opened)
    return _ACRONYM.fullmatch(word) is not None


def _begins_line(text: str, offset: int) -> bool:
    before = text[max(0, offset - 8) : offset].rstrip(" \t(")
    return offset == 0 or before.endswith("\n") or (not before and offset <= 8)


class TextPiece(NamedTuple):
    """A span of a text without space at its ends, and how good it is to cut before it."""

    start: int
    end: int
    strength: int


class _TextLine(NamedTuple):
    start: int
    end: int
    newlines: int  # between it and the line before


def sentences_of(text: str) -> Iterator[TextPiece]:
    """Yield the sentences of a text and the items of its lists; together they hold all but the space between."""
    glued = False
    for lines, following in pairwise(chain(_paragraphs(text), [[]])):
        strength = SECTION if lines[0].newlines > 2 or _is_marked(text, lines[0]) else PARAGRAPH
        strength = GLUED if glued else strength
        glued = _is_heading(text, lines, following)
        start, end = lines[0].start, lines[-1].end
        if glued and strength == PARAGRAPH:
            strength = SECTION
        yield from _cut(text, TextPiece(start, end, strength), _inner(text, lines))


def clauses_of(text: str, piece: TextPiece) -> Iterator[TextPiece]:
    """Yield the parts of a piece between commas and the like, and between lines."""
    ends = (match.end() for match in _CLAUSE_END.finditer(text, piece.start, piece.end))
    return _cut(text, piece, ((end, CLAUSE) for end in ends))


def words_of(text: str, piece: TextPiece) -> Iterator[TextPiece]:
    """Yield the parts of a piece between spaces."""
    ends = (match.start() for match in _WORD_GAP.finditer(text, piece.start, piece.end))
    return _cut(text, piece, ((end, WORD) for end in ends))


def parts_of(text: str, piece: TextPiece, count: int) -> Iterator[TextPiece]:
    """Yield `count` parts of a piece of about the same length, or fewer; graphemes stay whole."""
    length = piece.end - piece.start
    count = min(count, length)
    wanted = (piece.start + length * step // count for step in range(1, count))
    offsets = (whole(text, offset, piece.start, piece.end) for offset in wanted)
    return _cut(text, piece, ((offset, CHARACTER) for offset in offsets))


def whole(text: str, offset: int, start: int, end: int) -> int:
    """Return the nearest offset strictly between start and end that cuts no grapheme in two.

    Returns `offset` itself if there is none within CLUSTER code points.
    """
    for step in range(CLUSTER):
        for near in (offset - step, offset + step):
            if start < near < end and not _joins(text, near, start):
                return near
    return offset


def _joins(text: str, offset: int, start: int) -> bool:
    """Return whether the code points on both sides of `offset` are one grapheme.

    A short form of the rules of UAX 29 (https://www.unicode.org/reports/tr29/) that needs no tables: marks, joiners,
    vowels and finals of decomposed Korean, skin tones, tags, and pairs of regional indicators.
    """
    before, after = text[offset - 1], text[offset]
    if after < "\u0300":
        return False
    if before == "\u200d" or after in "\u200d\u200c" or unicodedata.category(after)[0] == "M":
        return True
    if "\u1160" <= after <= "\u11ff" or "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff":  # flags are pairs
        first, start = offset, max(start, offset - CLUSTER)
        while first > start and "\U0001f1e6" <= text[first - 1] <= "\U0001f1ff":
            first -= 1
        return (offset - first) % 2 == 1
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"


def _cut(text: str, piece: TextPiece, cuts: Iterable[tuple[int, int]]) -> Iterator[TextPiece]:
    """Yield the parts of a piece, given rising offsets where it may be cut and how good each cut is."""
    start, strength = piece.start, piece.strength
    for offset, next_strength in cuts:
        left = text[start:offset].rstrip()
        if not left or offset >= piece.end:
            continue
        yield TextPiece(start, start + len(left), strength)
        start, strength = _past_space(text, offset), next_strength
    if start < piece.end:
        yield TextPiece(start, piece.end, strength)


def _past_space(text: str, offset: int) -> int:
    match = _WORD_GAP.match(text, offset)
    return match.end() if match else offset


def _lines(text: str) -> Iterator[_TextLine]:
    start, newlines = _past_space(text, 0), 0
    for match in _BREAK.finditer(text, start):
        end = start + len(text[start : match.start()].rstrip())
        if start < end:
            yield _TextLine(start, end, newlines)
        start, newlines = match.end(), len(_NEWLINES.findall(match[0]))
    end = start + len(text[start:].rstrip())
    if start < end:
        yield _TextLine(start, end, newlines)


def _paragraphs(text: str) -> Iterator[list[_TextLine]]:
    """Yield the lines of each paragraph; a marked heading is a paragraph of its own."""
    paragraph: list[_TextLine] = []
    was_heading = False
    for line in _lines(text):
        heading = _is_marked(text, line)
        if paragraph and (line.newlines > 1 or heading or was_heading):
            yield paragraph
            paragraph = []
        paragraph.append(line)
        was_heading = heading
    if paragraph:
        yield paragraph


def _is_marked(text: str, line: _TextLine) -> bool:
    """Return whether a line is marked as a heading."""
    return line.end - line.start <= HEADING_CHARACTERS and _MARKED_HEADING.match(text, line.start, line.end) is not None


def _is_heading(text: str, lines: list[_TextLine], following: list[_TextLine]) -> bool:
    """Return whether a paragraph is the heading of the one that follows."""
    line = lines[0]
    if not following or len(lines) > 1 or line.end - line.start > HEADING_CHARACTERS:
        return False
    if _is_marked(text, line):
        return True
    words = text[line.start : line.end]
    if words.endswith(_ENDING) or _ITEM.match(words) or _RULE.fullmatch(words):
        return False
    return following[-1].end - following[0].start > HEADING_CHARACTERS


def _inner(text: str, lines: list[_TextLine]) -> Iterator[tuple[int, int]]:
    """Yield the offsets within a paragraph where a sentence or an item ends."""
    items = [line.start for line in lines[1:] if _ITEM.match(text, line.start, line.end)]
    items.reverse()
    starts = {line.start for line in lines}
    for end in sentence_ends(text, lines[0].start, lines[-1].end):
        following = _past_space(text, end)
        while items and items[-1] <= following:
            yield items.pop(), LINE
        yield end, LINE if following in starts else SENTENCE
    yield from ((item, LINE) for item in reversed(items))


Finer = Callable[[str, TextPiece], Iterator[TextPiece]]
FINER: tuple[Finer, ...] = (clauses_of, words_of)
