"""Repair text encoded twice: UTF-8 that was once read as Latin-1 or Windows-1252 and saved as UTF-8 again."""

from __future__ import annotations

import re
from dataclasses import dataclass

# As browsers do, the five bytes that Windows-1252 leaves open stand for the control characters there.
_TO_BYTE = {
    bytes([b]).decode("latin-1" if b in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else "cp1252"): b for b in range(256)
}
_TO_BYTE.update({chr(b): b for b in range(0x80, 0xA0)})
_FROM_BYTE = {
    b: c for c, b in _TO_BYTE.items() if not "\x80" <= c < "\xa0" or b in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def _class(first: int, last: int) -> str:
    return "[" + re.escape("".join(c for c, b in _TO_BYTE.items() if first <= b <= last)) + "]"


_TAIL = _class(0x80, 0xBF)
_SEQUENCE = (
    f"(?:{_class(0xC2, 0xDF)}{_TAIL}|{_class(0xE0, 0xEF)}{_TAIL}{{2}}|{_class(0xF0, 0xF4)}{_TAIL}{{3}})"
)
_WORD = re.compile(
    rf"(?P<open>[\"'`“‘«(\[]?)(?P<body>[\w]*{_SEQUENCE}(?:{_SEQUENCE}|\w)*)(?P<close>[\"'`”’»)\]]?)"
)
# What is left of a sequence when a program dropped or changed one of its characters.
_REMAINS = re.compile(f"[ÃÂ]{_TAIL}|â€|[ê-í]{_TAIL}")
_FIRST = "ÃÂâêëìí"
_BEYOND = re.compile(r"[^\x00-\x7f]")
_EXAMINED = 200_000  # characters


@dataclass(frozen=True)
class Repair:
    """A text after the attempt.

    Attributes:
        text: The text, repaired where nothing can be lost.
        repaired: Lines that were repaired.
        left: Lines that look encoded twice but were left as they are.
    """

    text: str
    repaired: int = 0
    left: int = 0


def is_doubled(text: str) -> bool:
    """Return whether a text as a whole was encoded twice, rather than quoting such letters.

    Lines that hold letters beyond ASCII must nearly all turn into sound text, and the words with
    such letters must not stand in quotation marks: a text about the fault quotes it.
    """
    start = text[:_EXAMINED]
    lines = [line for line in start.split("\n") if _BEYOND.search(line)]
    sound = sum(1 for line in lines if _undone(line) is not None)
    if not lines or sound < 0.8 * len(lines):
        return False
    words = list(_WORD.finditer(start))
    quoted = sum(1 for word in words if word["open"] and word["close"])
    return len(words) > 2 * quoted


def suspects(text: str) -> int:
    """Return how many lines hold what looks encoded twice."""
    if not any(char in text for char in _FIRST) or not _REMAINS.search(text):
        return 0
    return sum(1 for line in text.split("\n") if len(_REMAINS.findall(line)) >= 2)


def undo(text: str) -> Repair:
    """Return the text with each line repaired that gives the very same line when encoded twice again."""
    lines = text.split("\n")
    repaired = left = 0
    for index, line in enumerate(lines):
        if not _BEYOND.search(line):
            continue
        better = _undone(line)
        if better is not None:
            lines[index] = better
            repaired += 1
        elif _REMAINS.search(line):
            left += 1
    return Repair("\n".join(lines), repaired, left)


def _undone(line: str) -> str | None:
    """Return the line before its second encoding; None where it is no such line or something would be lost."""
    try:
        better = bytes(_TO_BYTE[char] for char in line).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return None
    again = "".join(_FROM_BYTE[byte] for byte in better.encode("utf-8"))
    same = again == line or better.encode("utf-8").decode("latin-1") == line
    return better if same else None
