"""The lines of a printed page, put back together into paragraphs of running text."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HYPHEN = "\x02"  # what pdfium puts in place of a hyphen that ends a line, together with the line's end
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": ""}
)
_BROKEN_WORD = re.compile(rf"(\w*){HYPHEN}\s*(\w*)")
_WORD = re.compile(r"\w+(?:-\w+)*")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？…][\"'”’)\]」』]*$")
_ITEM = re.compile(r"(?:[•◦▪■□●○※–·*-]|\(?\d{1,3}[.)]|[가-힣][.)]|[①-⑳])\s")
_ENDS_WITH_HYPHEN = re.compile(r"\w[-\u2010]\s*$")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u3000-\u3002\uff00-\uff60]")


@dataclass(frozen=True)
class PdfLine:
    """One printed line.

    Attributes:
        text: Its characters, a space at its end kept.
        left: Where its first character begins, in points.
        right: Where its last character ends.
        baseline: Height of its foot above the page's.
        size: Font size of its first character.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float


def join_lines(lines: Sequence[PdfLine]) -> str:
    """The text of a page: paragraphs and headings with a blank line between them.

    Where a line ends is layout, not text. A paragraph ends where the type size changes, where the page
    leaves more than the usual room, where an item of a list begins, and after a sentence that stops
    short of the margin or is followed by an indented line.
    """
    lines = [line for line in lines if line.text.strip()]
    if not lines:
        return ""
    leading = _leading(lines)
    margin = _margin(lines)
    keeps_spaces = any(line.text[-1].isspace() for line in lines)
    pieces = [lines[0].text.strip()]
    for before, line in itertools.pairwise(lines):
        if _begins_paragraph(before, line, leading, margin):
            pieces.append("\n\n")
        else:
            pieces.append(_glue(before.text, line.text, keeps_spaces=keeps_spaces))
        pieces.append(line.text.strip())
    return "".join(pieces).translate(_LIGATURES)


def mend_hyphens(texts: Iterable[str]) -> list[str]:
    """The texts with the words that line ends broke made whole.

    The hyphen is dropped, unless the document writes the word with one elsewhere ("well-known"), or what
    follows is a number or begins with a capital ("Anglo-Saxon").
    """
    texts = list(texts)
    if not any(HYPHEN in text for text in texts):
        return texts
    written = {word.lower() for text in texts for word in _WORD.findall(text)}
    return [_BROKEN_WORD.sub(lambda match: _rejoin_word(match[1], match[2], written), text) for text in texts]


def _rejoin_word(start: str, end: str, written: set[str]) -> str:
    whole, hyphenated = start + end, f"{start}-{end}"
    if not start or not end:
        return hyphenated
    if whole.lower() in written:
        return whole
    keeps = hyphenated.lower() in written or not end[0].islower() or start[-1].isdigit()
    return hyphenated if keeps else whole


def _leading(lines: Sequence[PdfLine]) -> float:
    """The usual distance from one line to the next."""
    steps = [before.baseline - line.baseline for before, line in itertools.pairwise(lines)]
    steps = [step for step in steps if step > 1]
    return min(median(steps), 2 * median(line.size for line in lines)) if steps else 0.0


def _margin(lines: Sequence[PdfLine]) -> float:
    """The usual width of a full line; a quarter of the lines at most are wider."""
    widths = sorted(line.right - line.left for line in lines)
    return widths[(3 * len(widths)) // 4]


def _begins_paragraph(before: PdfLine, line: PdfLine, leading: float, margin: float) -> bool:
    step = before.baseline - line.baseline
    closed = bool(_ENDS_SENTENCE.search(before.text.rstrip()))
    if not closed and line.text.lstrip()[:1].islower() and 0 < step < 1.8 * leading:
        return False  # an open sentence goes on, be it in another font
    if abs(line.size - before.size) > 0.08 * max(line.size, before.size) or _ITEM.match(line.text.lstrip()):
        return True
    short = before.right - before.left < 0.85 * margin
    if step < 0:  # the next column: the sentence may go on there
        return closed or short
    if step > 1.35 * leading:
        return True
    indented = line.left - before.left > 0.8 * line.size
    return (closed and (short or indented)) or (short and _looks_like_heading(before, line))


def _looks_like_heading(before: PdfLine, line: PdfLine) -> bool:
    """Whether a short line that ends no sentence stands over a text rather than in it."""
    width = before.right - before.left
    return width < 0.6 * (line.right - line.left) and not line.text.lstrip()[:1].islower()


def _glue(before: str, after: str, *, keeps_spaces: bool) -> str:
    """What stands between two lines once they are one: a space, or nothing.

    Chinese and Japanese have no spaces. Korean breaks a line inside a word too: a page that keeps the
    spaces at the ends of its lines tells the two apart.
    """
    last, first = before.rstrip()[-1:], after.lstrip()[:1]
    if last == HYPHEN or (_ENDS_WITH_HYPHEN.search(before) and first.isalnum()):
        return ""
    if _UNSPACED.match(last) and _UNSPACED.match(first):
        return ""
    inside_word = keeps_spaces and not before[-1].isspace() and not after[0].isspace()
    return "" if inside_word and _HANGUL.match(last) and _HANGUL.match(first) else " "
