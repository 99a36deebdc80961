"""Read plain text and source code: one document per file, several if it is huge."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document
from explorer.corpus.encoding.decode import Decoded, Flaws, decode_blocks
from explorer.corpus.readers.files import (
    file_title,
    first_line,
    open_file,
    refuse_binary,
    size_of,
    title_of,
    without_text,
)
from explorer.paths import display_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions
    from explorer.task import Task

PROSE = ("", ".txt", ".text", ".asc", ".me", ".log")
_DATE = re.compile(
    r"^\W{0,3}(?:date|날짜|일시|일자|작성일|등록일|日付|日期)\s*[:：]\s*(.{6,60}?)\s*$", re.IGNORECASE | re.MULTILINE
)
_DATE_FRONT = re.compile(r"\d{4}\s*[-./년]\s*\d{1,2}\s*[-./월]\s*\d{1,2}일?")
_TOP = 12  # lines in which a date is looked for
_HEAD = 64 * 2**10


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a text file as one document, or as "part 1", "part 2" and so on if it is huge.

    With `options.lines` each line that has letters is a document, "line N" with N counted from 1.

    Raises:
        Unreadable: It cannot be opened, is not text, or is empty.
    """
    with open_file(path, options) as file:
        size = size_of(file)
        refuse_binary(path, file.read(min(size, _HEAD)), options)
        file.seek(0)
        blocks = _check_each(decode_blocks(file, size, options.encoding, options.repair), task)
        if options.lines:
            yield from _lines(path, blocks, options.part_characters)
        else:
            yield from _documents(path, blocks, options.part_characters)


def date_near_top(text: str) -> str:
    """Return the date of a line such as "Date: 2023-02-16" among the first lines, in ISO 8601; else empty."""
    top = "\n".join(text[:4000].split("\n")[:_TOP])
    for match in _DATE.finditer(top):
        front = _DATE_FRONT.match(match[1])
        date = iso_date(match[1]) or (iso_date(front[0].replace(" ", "")) if front else "")
        if date:
            return date
    return ""


def _check_each(blocks: Iterable[Decoded], task: Task) -> Iterator[Decoded]:
    for block in blocks:
        task.check()
        yield block


def _lines(path: Path, blocks: Iterable[Decoded], limit: int) -> Iterator[Document]:
    """Yield the lines of a text; a line that does not end is cut at the limit."""
    number, rest, block, any_text = 0, "", None, False
    for block in blocks:
        *whole, rest = (rest + block.text).split("\n")
        if len(rest) > limit:
            whole, rest = [*whole, rest], ""
        for line in whole:
            number += 1
            if line.strip():
                yield _line(path, replace(block, text=line.strip()), number)
                any_text = True
    if block is not None and rest.strip():
        yield _line(path, replace(block, text=rest.strip()), number + 1)
    elif not any_text:
        raise without_text(path)


def _line(path: Path, line: Decoded, number: int) -> Document:
    return Document(
        text=line.text,
        title=title_of(line.text, path),
        part=f"line {number}",
        encoding=line.encoding,
        confidence=line.confidence,
    )


def _documents(path: Path, blocks: Iterable[Decoded], limit: int) -> Iterator[Document]:
    """Yield the parts of a text; a text that fits in one part has no part number."""
    title = ""
    parts = numbered = 0
    waiting: Decoded | None = None
    for part in _parts(blocks, limit):
        if waiting is not None:
            numbered += 1
            yield _document(waiting, title, numbered)
        title = title or _title(path, part.text)
        waiting, parts = part, parts + 1
    if waiting is None:
        raise without_text(path)
    yield _document(waiting, title, parts if parts > 1 else 0)


def _title(path: Path, text: str) -> str:
    if path.suffix.lower() not in PROSE and re.fullmatch(r"\.[a-z]\w{0,9}", path.suffix.lower()):
        return display_path(path.name)  # the first line of a program says little
    return first_line(text) or file_title(path)


def _document(part: Decoded, title: str, number: int) -> Document:
    date = date_near_top(part.text) if number <= 1 else ""
    return Document(
        text=part.text,
        title=f"{title} (part {number})" if number else title,
        part=f"part {number}" if number else "",
        metadata={"date": date} if date else {},
        encoding=part.encoding,
        confidence=part.confidence,
        remarks=part.remarks,
    )


def _parts(blocks: Iterable[Decoded], limit: int) -> Iterator[Decoded]:
    """Yield the blocks joined and cut again, at a paragraph if possible, each part with some text."""
    texts: list[str] = []
    length = 0
    flaws = Flaws()
    block: Decoded | None = None
    for block in blocks:
        texts.append(block.text)
        length += len(block.text)
        flaws += block.flaws
        if length <= limit:
            continue
        text = "".join(texts)
        start = 0
        while len(text) - start > limit:
            cut = _cut(text, start, limit)
            yield from _yield_text(block, text[start:cut], flaws)
            start, flaws = cut, Flaws()
        texts, length = [text[start:]], len(text) - start
    if block is not None:
        yield from _yield_text(block, "".join(texts), flaws)


def _yield_text(block: Decoded, text: str, flaws: Flaws) -> Iterator[Decoded]:
    text = text.strip("\n").rstrip()
    if text.strip():
        yield replace(block, text=text, flaws=flaws)


def _cut(text: str, start: int, limit: int) -> int:
    """Return where a part that begins at `start` ends: after a paragraph, a line or a word, else at the limit."""
    for mark in ("\n\n", "\n", " "):
        position = text.rfind(mark, start + limit // 2, start + limit)
        if position >= 0:
            return position + len(mark)
    return start + limit
