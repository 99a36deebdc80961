"""Read Hangul documents: .hwp of versions 3 and 5, and .hwpx."""

from __future__ import annotations

import re
import struct
import zlib
from itertools import groupby
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding import hnc
from explorer.corpus.readers.files import (
    damaged,
    most_unpacked,
    one_line,
    read_bytes,
    tidy,
    title_of,
    too_large,
    unpacks_too_far,
    without_text,
)
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task


_BEFORE_5 = b"HWP Document File V"  # version 5 is an OLE file
SIGNATURE = b"HWP Document File V3.00 \x1a\x01\x02\x03\x04\x05"
_SETTINGS, _SUMMARY, _BODY = 30, 158, 1166  # where they begin
_ENCRYPTED, _COMPRESSED, _BLOCKS_LENGTH = _SETTINGS + 96, _SETTINGS + 124, _SETTINGS + 126
_SUMMARY_FIELD = 112  # bytes; title, subject, author, date, two of keywords, three of remarks
_FONT_LISTS, _FONT_NAME, _STYLE = 7, 40, 238
_PARAGRAPH, _CHARACTER_SHAPE, _PARAGRAPH_SHAPE, _LINE = 12, 31, 187, 14
_CELL, _TABLE_INFO, _PICTURE_INFO = 27, 84, 348
_DRAWING_HEADER, _AS_TEXT_BOX = 88, 1 << 19
# Parts of a drawing's header that a bit of its options says are there.
_DRAWING_PARTS = ((1 << 17, 32), (1 << 16, 28), (1 << 18, 278), (1 << 20, 5))
_DRAWN_BY_PROGRAM, _DRAWN_TEXT_BOX = 3, 6
_DEEPEST = 30
_CHUNK = 16 * 2**10
_STEPS = 1_000  # paragraphs between two looks at the clock
_PLAIN = re.compile(rb"(?:.[^\0]|[ -\xff]\0)*+", re.DOTALL)  # 16-bit codes from 32 on
_KOREAN_DATE = re.compile(r"[12]\d{3}년 *\d{1,2}월 *\d{1,2}일")
_END = 13
_TAB, _HARD_SPACE, _FIXED_SPACE = 9, 30, 31
_BOX, _PICTURE, _RULE, _HIDDEN_NOTE, _HEADER_FOOTER, _NOTE = 10, 11, 14, 15, 16, 17
_DATE, _NUMBER, _MERGE_FIELD, _OVERLAID, _REFERENCE = 8, 18, 22, 23, 29
# Codes whose content is stated to be that many bytes long.
_SIZED = frozenset({0, 1, 2, 3, 4, 5, 6, 12, 27, _REFERENCE})
# Bytes of the other codes between the code and its repetition.
_FIXED = {7: 80, _DATE: 92, _TAB: 4, _NUMBER: 4, 19: 4, 20: 4, 21: 4, _MERGE_FIELD: 20, _OVERLAID: 6, 24: 2, 25: 2,
          26: 242, 28: 60, _HARD_SPACE: 0, _FIXED_SPACE: 0}  # fmt: skip
_COUNTED = frozenset({3, 4, 5})  # numbers of figures, tables, equations; those of pages and notes are not text
_TABLE, _TEXT_BOX = 0, 1


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a Hangul document as one document.

    Raises:
        Unreadable: It is of a version before 3, has a password, is damaged or empty.
    """
    import unhwp

    data = read_bytes(path, options)
    task.check()
    if data.startswith(SIGNATURE):
        yield _read_version_3(path, data, options, task)  # the wheels of unhwp leave version 3 out
        return
    if data.startswith(_BEFORE_5):
        raise Unreadable(
            "binary",
            "{file} was written by a version of Hangul before 3, which is not read. Open it in Hangul, save it as "
            ".hwpx and load it again.",
            file=path.name,
        )
    try:
        with unhwp.parse_bytes(data) as result:
            text, title, author = result.plain_text, result.title, result.author
    except unhwp.UnhwpError as error:
        if re.search("password|encrypt", str(error), re.IGNORECASE):
            raise Unreadable(
                "encrypted", "{file} is protected by a password. Save it without one and load it again.", file=path.name
            ) from error
        raise damaged(path, UserMessage("it cannot be opened as a Hangul document")) from error
    text = tidy(text or "").strip()
    if not text:
        raise without_text(path)
    metadata: dict[str, Value] = {"author": one_line(author)} if author and author.strip() else {}
    yield Document(text=text, title=one_line(title or "") or title_of(text, path), metadata=metadata)


class _BrokenBodyError(Exception):
    """The bytes are not what has to be here, or there are none."""


def _read_version_3(path: Path, data: bytes, options: ReadOptions, task: Task) -> Document:
    """Read a document of Hangul 3 to 97.

    Raises:
        Unreadable: It has a password, is damaged, unpacks to too much, or holds no text.
    """
    if len(data) < _BODY:
        raise damaged(path, UserMessage("it cannot be opened as a Hangul document"))
    if data[_ENCRYPTED : _ENCRYPTED + 2] != b"\0\0":
        raise Unreadable(
            "encrypted", "{file} is protected by a password. Save it without one and load it again.", file=path.name
        )
    (length,) = struct.unpack_from("<H", data, _BLOCKS_LENGTH)
    body: bytes | bytearray = data[_BODY + length :]
    if data[_COMPRESSED]:
        body = _inflate(path, body, options, task)
    parser = _BodyParser(body, task)
    text = parser.run()
    if not text and parser.remarks:
        raise damaged(path, UserMessage("it cannot be opened as a Hangul document"))
    if not text:
        raise without_text(path)
    title, subject, author, written, *keywords = (_summary(data, number) for number in range(6))
    known = {"author": author, "subject": subject, "keywords": " ".join(keywords).strip()}
    metadata: dict[str, Value] = {name: value for name, value in known.items() if value}
    if written:
        korean = _KOREAN_DATE.search(written)  # what follows it is the day of the week and the time in words
        date = iso_date(written) or (iso_date(korean[0]) if korean else "")
        metadata["date" if date else "date_text"] = date or written
    remarks = [*parser.remarks]
    if unknown := text.count(hnc.UNKNOWN):
        remarks.append(
            UserMessage(
                "{count} unknown character was replaced by “�”."
                if unknown == 1
                else "{count:,} unknown characters were replaced by “�”.",
                count=unknown,
            )
        )
    return Document(text=text, title=title or title_of(text, path), metadata=metadata, remarks=tuple(remarks))


def _summary(data: bytes, field_index: int) -> str:
    start = _SUMMARY + field_index * _SUMMARY_FIELD
    return one_line(hnc.decode_field(data[start : start + _SUMMARY_FIELD]))


def _inflate(path: Path, data: bytes | bytearray, options: ReadOptions, task: Task) -> bytearray:
    """Unpack the body, up to where it is damaged or ends.

    Raises:
        Unreadable: It unpacks to more than is allowed.
    """
    limit = min(options.max_unpacked, most_unpacked(len(data)))
    stream, unpacked = zlib.decompressobj(-zlib.MAX_WBITS), bytearray()
    for start in range(0, len(data), _CHUNK):
        task.check()
        chunk, before = data[start : start + _CHUNK], stream.copy()
        try:
            unpacked += stream.decompress(chunk, limit + 1 - len(unpacked))
        except zlib.error:
            unpacked += _inflate_to_damage(before, chunk, limit + 1 - len(unpacked))
            break
        if len(unpacked) > limit:
            raise too_large(path, limit) if limit == options.max_unpacked else unpacks_too_far(path)
        if stream.eof:
            break
    return unpacked


def _inflate_to_damage(stream: zlib._Decompress, chunk: bytes | bytearray, most: int) -> bytearray:
    """Unpack what comes before the damage: an error takes with it what the same call had unpacked."""
    unpacked = bytearray()
    try:
        for position in range(len(chunk)):
            if len(unpacked) >= most:
                break
            unpacked += stream.decompress(chunk[position : position + 1], most - len(unpacked))
    except zlib.error:
        pass
    return unpacked


class _BodyParser:
    """Walks the body once.

    Attributes:
        remarks: What was left out because of damage, as sentences.
    """

    def __init__(self, data: bytes | bytearray, task: Task) -> None:
        self.remarks: list[UserMessage] = []
        self._data = data
        self._task = task
        self._at = 0
        self._end = len(data)
        self._is_broken = False
        self._depth = 0
        self._paragraphs_read = 0
        self._sides: dict[str, None] = {}  # headers and footers, each once: chapters repeat theirs

    def run(self) -> str:
        """Return the text of the whole document; empty where there is none."""
        blocks: list[str] = []
        try:
            for _ in range(_FONT_LISTS):
                self._skip(_FONT_NAME * self._word())
            self._skip(_STYLE * self._word())
        except _BrokenBodyError:
            self._break()
        else:
            blocks = self._paragraphs()
        return tidy("\n\n".join([*blocks, *self._sides])).strip()

    def _break(self) -> None:
        """Note that nothing can be read from here on."""
        if not self._is_broken:
            self._is_broken = True
            is_short = self._end == len(self._data) and self._end - self._at < _PARAGRAPH + _CHARACTER_SHAPE
            self._remark(
                UserMessage("The file is cut off; everything before that point was read.")
                if is_short
                else UserMessage("Part of the file is damaged and was left out.")
            )

    def _remark(self, remark: UserMessage) -> None:
        if remark not in self.remarks:
            self.remarks.append(remark)

    def _read_bytes(self, length: int) -> bytes:
        self._skip(length)
        return bytes(self._data[self._at - length : self._at])

    def _skip(self, length: int) -> None:
        if self._is_broken or length > self._end - self._at:
            raise _BrokenBodyError
        self._at += length

    def _word(self) -> int:
        return int.from_bytes(self._read_bytes(2), "little")

    def _long(self) -> int:
        return int.from_bytes(self._read_bytes(4), "little")

    def _expect(self, code: int) -> None:
        """Skip the repetition of a code."""
        if self._word() != code:
            self._at -= 2
            raise _BrokenBodyError

    def _paragraphs(self) -> list[str]:
        """Return the paragraphs of a list, up to the empty one that ends it or to damage."""
        blocks: list[str] = []
        if self._depth >= _DEEPEST:
            self._break()
        self._depth += 1
        while not self._is_broken and self._paragraph(blocks):
            pass
        self._depth -= 1
        return blocks

    def _paragraph(self, blocks: list[str]) -> bool:
        """Add a paragraph and what belongs to it to the blocks; return whether it was not the one that ends a list."""
        self._paragraphs_read += 1
        if self._paragraphs_read % _STEPS == 0:
            self._task.check()
        line: list[str] = []
        after: list[str] = []
        try:
            as_before, count, lines, has_shapes = struct.unpack_from("<BHHB", self._read_bytes(_PARAGRAPH))
            self._skip(_CHARACTER_SHAPE)
            if not count:
                return False
            self._skip((0 if as_before else _PARAGRAPH_SHAPE) + lines * _LINE)
            if has_shapes:
                self._skip_shapes(count)
            self._characters(count, line, after)
        except _BrokenBodyError:
            self._break()
        text = "".join(line).strip()
        blocks += [text, *after] if text else after
        return True

    def _skip_shapes(self, count: int) -> None:
        """Skip the shapes of characters: a byte each, and the shape where that is 0 and so not the one before."""
        while count:
            start = self._at
            if count > self._end - start:
                raise _BrokenBodyError
            position = self._data.find(b"\0", start, start + count)
            if position < 0:
                self._at += count
                return
            count -= position + 1 - start
            self._skip(position + 1 - start + _CHARACTER_SHAPE)

    def _characters(self, count: int, line: list[str], after: list[str]) -> None:
        """Add the text of a paragraph to its line, and what is not in the line to the blocks after it."""
        while count > 0:
            run = _PLAIN.match(self._data, self._at, min(self._end, self._at + 2 * count))
            length = run.end() - self._at if run else 0
            if length:
                line.append(hnc.decode(self._read_bytes(length)))
                count -= length // 2
                continue
            start, code = self._at, self._word()
            if code == _END:
                return
            if code in _FIXED:
                line.append(self._fixed(code))
                count -= (self._at - start) // 2
                continue
            count -= 4  # the code, a length, the code again; what follows is not counted
            length = self._long()
            self._expect(code)
            if code in _SIZED:
                line.append(self._reference(length) if code == _REFERENCE else "")
                self._at = start + 8
                self._skip(length)
            else:
                self._object(code, line, after)

    def _fixed(self, code: int) -> str:
        content = self._read_bytes(_FIXED[code])
        self._expect(code)
        if code == _TAB:
            return "\t"
        if code in (_HARD_SPACE, _FIXED_SPACE):
            return " "
        if code == _OVERLAID:
            return hnc.decode_field(content)
        if code == _MERGE_FIELD:
            return f"«{hnc.decode_bytes(content)}»"
        if code == _DATE:
            return _date(content)
        if code == _NUMBER:
            kind, number = struct.unpack("<HH", content)
            return str(number) if kind in _COUNTED else ""
        return ""

    def _reference(self, length: int) -> str:
        """Return what a reference to another place shows, such as its page."""
        if length < 46 or length > self._end - self._at:
            return ""
        (shown,) = struct.unpack_from("<H", self._data, self._at + 40)
        start = self._at + 46
        return hnc.decode(bytes(self._data[start : start + min(shown, length - 46)]))

    def _object(self, code: int, line: list[str], after: list[str]) -> None:
        """Read what has paragraphs of its own."""
        if code == _BOX:
            self._box(line, after)
        elif code == _PICTURE:
            self._picture(after)
        elif code == _RULE:
            self._skip(84)
        elif code == _HIDDEN_NOTE:
            self._skip(8)
            after += _marked("Comment", self._paragraphs())
        elif code == _HEADER_FOOTER:
            is_footer = self._read_bytes(10)[8]
            for text in _marked("Footer" if is_footer else "Header", self._paragraphs()):
                self._sides[text] = None
        elif code == _NOTE:
            self._skip(14)
            after += self._paragraphs()
        else:
            raise _BrokenBodyError

    def _box(self, line: list[str], after: list[str]) -> None:
        """Read a table, a text box, an equation or a button."""
        kind, count = struct.unpack_from("<HH", self._read_bytes(_TABLE_INFO), 78)
        places = [struct.unpack_from("<HH", self._read_bytes(_CELL), 4) for _ in range(count)]  # x, y
        cells: list[tuple[int, int, list[str]]] = []
        for x, y in places:
            if self._is_broken:
                break
            cells.append((y, x, self._paragraphs()))
        if kind == _TABLE:
            after += _rows(cells)
        elif kind == _TEXT_BOX:
            after += [block for *_, blocks in cells for block in blocks]
        else:
            line.append(" ".join(block for *_, blocks in cells for block in blocks))
        if not self._is_broken:
            after += self._paragraphs()  # the caption

    def _picture(self, after: list[str]) -> None:
        content = self._read_bytes(_PICTURE_INFO)
        (length,) = struct.unpack_from("<I", content)
        if length > self._end - self._at:
            raise _BrokenBodyError
        stop, outer = self._at + length, self._end
        if content[74] == _DRAWN_BY_PROGRAM:
            self._end = stop
            self._drawing(after)
            self._end = outer
        self._at = stop
        after += self._paragraphs()  # the caption

    def _drawing(self, after: list[str]) -> None:
        """Read the text boxes among drawn objects; damage here ends the drawing alone."""
        depth = self._depth
        try:
            self._skip(self._long())
            left = 1
            while left:
                left += self._drawn_object(after) - 1
        except _BrokenBodyError:
            self._remark(UserMessage("Part of the file is damaged and was left out."))
        if self._is_broken:
            self._is_broken, self._depth = False, depth

    def _drawn_object(self, after: list[str]) -> int:
        """Read an object and return how many it says follow: one beside it, and the first of those it groups."""
        size = self._long()
        stop = self._at + size
        header = self._read_bytes(_DRAWING_HEADER)
        kind = int.from_bytes(header[:2], "little")
        links = int.from_bytes(header[2:4], "little")
        (options,) = struct.unpack_from("<I", header, 84)
        known = _DRAWING_HEADER
        for flag, length in _DRAWING_PARTS:
            if options & flag and size >= known + length:
                self._skip(length)
                known += length
        if options & _AS_TEXT_BOX and size > known:
            self._skip(8)
            after += self._paragraphs()
        self._skip(max(0, stop - self._at))
        self._skip(self._long())
        length = self._long()
        stop = self._at + length
        if kind == _DRAWN_TEXT_BOX:
            after += self._paragraphs()
        self._skip(max(0, stop - self._at))
        return (links & 1) + (links >> 1 & 1)


def _marked(mark: str, blocks: list[str]) -> list[str]:
    text = "\n".join(blocks)
    return [f"[{mark}: {text}]"] if text else []


def _rows(cells: list[tuple[int, int, list[str]]]) -> list[str]:
    """Return a table as one block, a line for each row."""
    rows = []
    for _, row in groupby(sorted(cells, key=lambda cell: cell[:2]), key=lambda cell: cell[0]):
        texts = (" ".join(" ".join(block.split()) for block in blocks) for *_, blocks in row)
        rows.append("\t".join(texts).rstrip())
    return ["\n".join(filter(None, rows))] if any(rows) else []


def _date(content: bytes) -> str:
    """Return a date as it is shown: its form has a digit for each part, and the other characters as they are."""
    year, month, weekday, day, hour, minute = struct.unpack_from("<6H", content, 80)
    parts = {
        "1": f"{year:04}", "!": f"{year % 100:02}", "2": str(month), "3": str(day), "4": str(hour % 12 or 12),
        "$": str(hour), "5": str(minute), "%": str(minute), "6": "일월화수목금토"[weekday % 7],
        "7": "오후" if hour >= 12 else "오전", "&": "p.m." if hour >= 12 else "a.m.",
        "+": "P.M." if hour >= 12 else "A.M.",
    }  # fmt: skip
    form = hnc.decode_field(content[:80]) or "1년 2월 3일"
    if re.search(r"[@*#^_~]", form):  # names of months and days in other languages
        return f"{year:04}-{month:02}-{day:02}"
    shown = re.sub(r"(0?)([1-7!$%&+])", lambda part: parts[part[2]].rjust(2, "0") if part[1] else parts[part[2]], form)
    return shown.replace("\\", "")
