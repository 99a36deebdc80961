"""Read subtitles as running text: no numbers, no times, no repeated lines."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from explorer.corpus.document import Unreadable
from explorer.corpus.readers.files import file_title, make_document, read_text
from explorer.paths import display_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_TIME = re.compile(
    r"(?<!\s)\s*+((?:\d{1,3}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})\s*-->\s*((?:\d{1,3}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})"
)
_MARKUP = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_UNSPOKEN = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)")
_PAUSE = 4.0  # seconds after which a new paragraph begins


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a .srt or .vtt file as one document.

    Raises:
        Unreadable: It cannot be opened, is not text, or nothing is said in it.
    """
    source = read_text(path, options)
    task.check()
    if _TIME.search(source.text) is None:
        raise Unreadable(
            "damaged", "{file} has no times, as subtitles do. Check what it really is.", file=display_path(path.name)
        )
    yield make_document(path, source, to_text(source.text), title=file_title(path))


def to_text(source: str) -> str:
    """Return what is said, in paragraphs parted by pauses; a line that only repeats the one before is left out."""
    paragraphs: list[list[str]] = [[]]
    before, ended = "", 0.0
    for start, end, lines in _cues(source):
        if start - ended >= _PAUSE and paragraphs[-1]:
            paragraphs.append([])
        ended = end
        for line in lines:
            if line != before:
                paragraphs[-1].append(line)
            before = line
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _cues(source: str) -> Iterator[tuple[float, float, list[str]]]:
    """Yield start, end and lines of each cue; blocks without a time are notes or headers."""
    for block in re.split(r"\n[ \t]*\n", source):
        lines = block.split("\n")
        at = next((number for number, line in enumerate(lines[:4]) if _TIME.match(line)), None)
        if at is None or (_UNSPOKEN.match(lines[0]) and at > 1):
            continue
        time = _TIME.match(lines[at])
        spoken = _spoken(lines[at + 1 :])
        if time is not None and spoken:
            yield _seconds(time[1]), _seconds(time[2]), spoken


def _spoken(lines: list[str]) -> list[str]:
    """Return the lines without markup; a missing blank line lets the next cue's number and time in, which go too."""
    texts: list[str] = []
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if _TIME.match(line) or (line.strip().isdigit() and _TIME.match(following)):
            continue
        text = " ".join(html.unescape(_MARKUP.sub("", line)).split())
        if text:
            texts.append(text)
    return texts


def _seconds(time: str) -> float:
    total = 0.0
    for part in time.replace(",", ".").split(":"):
        total = total * 60 + float(part)
    return total
