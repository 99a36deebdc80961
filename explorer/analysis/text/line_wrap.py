"""Undo the hard wrapping of mail and plain text, so that a reader can wrap paragraphs to its own width."""

from __future__ import annotations

import re
from itertools import pairwise

_NARROWEST, _WIDEST = 50, 100  # characters of lines that a program wrapped
_FEWEST = 3  # lines that must be as long before any is joined
_GOING_ON = 0.5  # of the breaks are inside a sentence; in prose some 80 %, in logs and lists of records none
# A line that begins a paragraph, an item or a quotation of its own is never joined to the one before.
_OWN_LINE = re.compile(r"[\s>|}#*+=~_•‣·○●▪–—\-]|\(?[0-9a-zA-Z가-힣]{1,3}[.)]\s|[A-Z][\w-]*:\s")
# Columns of a table, code: spacing there says something.
_ALIGNED = re.compile(r"\S {3,}\S|\t|[;{}]$")


def unwrap_lines(text: str) -> str:
    """Replace the line breaks that only wrap a paragraph by spaces; the text keeps its length.

    A break only wraps if the first word of the next line would not have fitted into this one. That holds for the
    lines of a paragraph and hardly ever for verse, code or tables, whose breaks are kept.
    """
    lines = text.split("\n")
    width = _wrap_width(lines)
    if width is None:
        return text
    wrapped = [_wraps(line, following, width) for line, following in pairwise(lines)]
    going_on = sum(
        _goes_on(line, following)
        for (line, following), is_wrapped in zip(pairwise(lines), wrapped, strict=True)
        if is_wrapped
    )
    if going_on < _GOING_ON * sum(wrapped):
        return text
    return (
        "".join(line + (" " if is_wrapped else "\n") for line, is_wrapped in zip(lines, wrapped, strict=False))
        + lines[-1]
    )


def _wrap_width(lines: list[str]) -> int | None:
    """Return how wide a text was wrapped; None if it was not."""
    lengths = sorted(len(line) for line in lines if len(line) >= _NARROWEST and not _OWN_LINE.match(line))
    if len(lengths) < _FEWEST:
        return None
    # A few lines are longer than the width: addresses, headings. The same for texts of whole paragraphs a line.
    width = lengths[int(0.9 * (len(lengths) - 1))]
    return width if width <= _WIDEST else None


def _wraps(line: str, following: str, width: int) -> bool:
    word = following.partition(" ")[0]
    return (
        len(line) >= _NARROWEST
        and len(word) > 0
        and len(line) + 1 + len(word) > width - _slack(width)
        and not _OWN_LINE.match(line)
        and not _OWN_LINE.match(following)
        and not _ALIGNED.search(line)
    )


def _goes_on(line: str, following: str) -> bool:
    """Return whether a sentence seems to go on from one line to the next."""
    return following[0].islower() or ("가" <= following[0] <= "힣" and line[-1] not in ".!?")


def _slack(width: int) -> int:
    """Return by how much lines of one text differ: people and programs wrap quoted answers at other columns."""
    return width // 8
