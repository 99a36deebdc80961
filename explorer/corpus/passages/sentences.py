"""Where sentences end, in English and its relatives, Korean, Chinese and Japanese."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    {
        "mr",
        "mrs",
        "ms",
        "mx",
        "dr",
        "prof",
        "rev",
        "hon",
        "fr",
        "sr",
        "jr",
        "st",
        "mt",
        "ft",
        "gen",
        "col",
        "lt",
        "sgt",
        "capt",
        "cmdr",
        "adm",
        "maj",
        "gov",
        "sen",
        "rep",
        "pres",
        "supt",
        "vs",
        "cf",
        "approx",
        "e.g",
        "i.e",
        "viz",
        "al",
        "ed",
        "eds",
        "trans",
        "dept",
        "univ",
        "mme",
        "mlle",
        "herr",
        "bzw",
        "ca",
        "z.b",
        "d.h",
        "u.a",
    }
)
# These stand before a number, and end a sentence before anything else.
_NUMBERED = frozenset(
    {
        "no",
        "nos",
        "nr",
        "art",
        "fig",
        "figs",
        "eq",
        "eqs",
        "sec",
        "ch",
        "vol",
        "pp",
        "p",
        "pt",
        "par",
        "col",
        "ref",
        "tab",
        "app",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    }
)


def ends(text: str, start: int, end: int) -> Iterator[int]:
    """The places within text[start:end] just after the end of a sentence and the quotes that close it.

    A text that is written without capitals, or with full stops for other things, may lose an end or two:
    a missed end costs less than a sentence torn at "Dr.".
    """
    for found in _END.finditer(text, start, end):
        if found.end() < end and _is_end(text, found, end):
            yield found.end()


def _is_end(text: str, found: re.Match[str], end: int) -> bool:
    mark = found[0]
    quoted = mark[-1] in CLOSERS
    if quoted and _QUOTED_ON.match(text, found.end(), end):
        return False
    if mark[0] in _WIDE:
        return True
    following = _NEXT.match(text, found.end(), end)
    opening, first = (following[1], following[2]) if following else ("", "")
    if first.islower():
        return False
    if mark[0] != "." or mark.startswith(".."):
        return True
    return not _is_abbreviation(text, found.start(), first, bool(opening))


def _is_abbreviation(text: str, stop: int, first: str, opened: bool) -> bool:
    """Whether the full stop at `stop` belongs to the word before it; `first` begins what follows."""
    found = _WORD.search(text[max(0, stop - _LOOK_BACK) : stop])
    if not found:
        return False
    word = found[0].strip("'’-&")
    if word.isdecimal():  # "2024. 3. 1." is a date, and "1. First" begins a line
        place = stop - len(found[0])
        return (
            first.isdecimal()
            or _begins_line(text, place)
            or _DATE.search(text, max(0, place - 6), place) is not None
        )
    low = word.lower()
    if low in _TITLES or (low in _NUMBERED and first.isdecimal()):
        return True
    if low in ("a.m", "p.m"):
        return first.isdecimal()
    if len(word) == 1:
        return _is_initial(text, stop, word, opened)
    return _ACRONYM.fullmatch(word) is not None


def _is_initial(text: str, stop: int, letter: str, opened: bool) -> bool:
    """Whether a single letter before a full stop is an initial, or numbers the line it begins."""
    if _begins_line(text, stop - 1):
        return True
    return letter.isupper() and letter != "I" and not opened


def _begins_line(text: str, place: int) -> bool:
    before = text[max(0, place - 8) : place].rstrip(" \t(")
    return place == 0 or before.endswith("\n") or (not before and place <= 8)
