"""Read the OLE files of old office programs: Word 97 to 2003, PowerPoint 97 to 2003 and Outlook messages.

[MS-DOC], [MS-PPT], [MS-OXMSG]: https://learn.microsoft.com/openspecs/office_file_formats/. olefile opens the container;
the text is taken from the streams here, without layout.
"""

from __future__ import annotations

import re
import struct
from contextlib import contextmanager, suppress
from dataclasses import replace
from email.message import Message
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding.decode import decode
from explorer.corpus.readers.files import damaged, one_line, open_file, tidy, title_of, without_text
from explorer.corpus.readers.inner import read_inner
from explorer.corpus.readers.mail import more_attachments, thread_of
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD, _PACKAGE = 4 * 2**20, "EncryptedPackage".encode("utf-16-le")
_PROPERTIES = "__properties_version1.0"
# Parts of a Word text in their order: the offset of their length in the header, and what they are marked with.
_WORD_PARTS = (
    (0x4C, ""), (0x50, ""), (0x54, "Header or footer"), (0x58, ""), (0x5C, "Comment"), (0x60, ""), (0x64, ""),
    (0x68, "Header or footer"),
)  # fmt: skip
_FIELD_CODE = re.compile("\x13[^\x13\x14\x15]*(?:\x14|(?=\x15))")  # what a field is, before what it shows
_DROPPED = (1, 2, 3, 4, 5, 8, 19, 20, 21, 31)  # anchors of pictures and notes, field marks, optional hyphens
_WORD_MARKS = str.maketrans(
    {7: "\t", 11: "\n", 12: "\n\n", 13: "\n\n", 14: "\n", 30: "-", 0xA0: " ", **dict.fromkeys(_DROPPED, "")}
)
_WORD_LANGUAGES = {0x412: "cp949", 0x411: "cp932", 0x804: "gb18030", 0x404: "cp950", 0x419: "cp1251"}
_SLIDE_TEXT, _SLIDE_BYTES, _NOTES, _MASTER = 4000, 4008, 1008, 1016
_DEEPEST = 30
_MOST_PIECES = 1_000_000
_MOST_ATTACHMENTS = 50


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read an OLE file for what it is: a Word text, a presentation, a message, a sheet or a Hangul document.

    Raises:
        Unreadable: It is encrypted, damaged, empty, or of a program that is not known.
    """
    with _opened(path, options) as ole:
        if ole.exists("EncryptedPackage") or ole.exists("EncryptedSummary"):
            raise _encrypted(path)
        if ole.exists("WordDocument"):
            yield _make(path, _word(path, ole, task), ole)
            return
        if ole.exists("PowerPoint Document"):
            texts: list[str] = []
            data = ole.openstream("PowerPoint Document").read()
            _walk(data, (0, len(data)), 0, "", texts, task)
            yield _make(path, "\n\n".join(dict.fromkeys(texts)), ole)  # the outline repeats what is on the slides
            return
        if ole.exists(_PROPERTIES):
            yield from _message(path, ole, options, task)
            return
        is_sheet, is_hangul = ole.exists("Workbook") or ole.exists("Book"), ole.exists("FileHeader")
    if is_sheet:
        from explorer.corpus.readers.office import sheets

        yield from sheets.read(path, options, task)
    elif is_hangul:
        from explorer.corpus.readers.office import hangul

        yield from hangul.read(path, options, task)
    else:
        raise Unreadable(
            "binary",
            "{file} is of an old program that is not known here, such as Works. Save it as .docx or PDF in its "
            "program.",
            file=path.name,
        )


@contextmanager
def _opened(path: Path, options: ReadOptions) -> Iterator[Any]:
    import olefile

    with open_file(path, options) as file:
        head = file.read(_HEAD)
        file.seek(0)
        try:
            ole = olefile.OleFileIO(file)
            try:
                yield ole
            finally:
                ole.close()
        except Unreadable:
            raise
        except (OSError, ValueError, IndexError, struct.error, TypeError, AttributeError, RecursionError) as error:
            if _PACKAGE in head:
                raise _encrypted(path) from error
            raise damaged(path, UserMessage("its parts are not where it says they are")) from error


def _encrypted(path: Path) -> Unreadable:
    return Unreadable(
        "encrypted", "{file} is protected by a password. Save it without one and load it again.", file=path.name
    )


def _make(path: Path, text: str, ole: Any) -> Document:
    text = re.sub(r"\n{3,}", "\n\n", tidy(text)).strip()
    if not text:
        raise without_text(path)
    metadata: dict[str, Value] = {}
    known = ole.get_metadata()
    codec = "cp949" if known.codepage == 949 else "utf-8" if known.codepage == 65001 else "cp1252"
    for name in ("title", "author", "subject"):
        value = getattr(known, name)
        if plain := one_line(value.decode(codec, "replace").replace("\0", "")) if isinstance(value, bytes) else "":
            metadata[name] = plain
    title = str(metadata.pop("title", ""))
    if known.create_time and (date := iso_date(known.create_time.isoformat())):
        metadata["date"] = date
    return Document(text=text, title=title or title_of(text, path), metadata=metadata)


def _word(path: Path, ole: Any, task: Task) -> str:
    """Return the text of a Word file: the pieces that its piece table lists, in order."""
    main = ole.openstream("WordDocument").read()
    magic, version, language, flags = struct.unpack_from("<HH2xH2xH", main, 0)
    if magic not in (0xA5EC, 0xA5DC):
        raise damaged(path, UserMessage("it does not begin as a Word file does"))
    if flags & 0x100:
        raise _encrypted(path)
    if version < 0xC1:  # Word 6 and 95: one stretch of bytes
        start, end = struct.unpack_from("<II", main, 0x18)
        return _shown(main[start:end].decode(_WORD_LANGUAGES.get(language, "cp1252"), "replace"))
    table = ole.openstream("1Table" if flags & 0x200 else "0Table").read()
    offset, length = struct.unpack_from("<II", main, 0x1A2)
    text = "".join(_pieces(main, table[offset : offset + length], task))
    texts, start = [], 0
    for place, mark in _WORD_PARTS:
        (length,) = struct.unpack_from("<I", main, place)
        part = _shown(text[start : start + length]).strip()
        texts.append(f"[{mark}: {part}]" if mark and part else part)
        start += length
    return "\n\n".join(part for part in texts if part)


def _pieces(main: bytes, table: bytes, task: Task) -> Iterator[str]:
    place = 0
    while place < len(table) and table[place] == 1:  # how the pieces look
        place += 3 + struct.unpack_from("<H", table, place + 1)[0]
    (size,) = struct.unpack_from("<I", table, place + 1)
    place += 5
    count = min((size - 4) // 12, (len(table) - place - 4) // 12, _MOST_PIECES)
    ends = struct.unpack_from(f"<{count + 1}I", table, place)
    for number, (start, end) in enumerate(pairwise(ends)):
        if number % 1000 == 0:
            task.check()
        (where,) = struct.unpack_from("<I", table, place + 4 * (count + 1) + 8 * number + 2)
        length = max(0, min(end - start, len(main)))
        if where & 0x40000000:  # one byte a character
            where = (where & ~0x40000000) // 2
            yield main[where : where + length].decode("cp1252", "replace")
        else:
            yield main[where : where + 2 * length].decode("utf-16-le", "replace")


def _shown(text: str) -> str:
    """Return what a Word text shows: fields by their results, marks as what they stand for."""
    before = None
    while before != text:  # fields nest
        before, text = text, _FIELD_CODE.sub("", text)
    return text.translate(_WORD_MARKS)


def _walk(data: bytes, span: tuple[int, int], depth: int, mark: str, texts: list[str], task: Task) -> None:
    """Gather the texts of a stretch of PowerPoint's records."""
    task.check()
    start, end = span
    while start + 8 <= end:
        flags, kind, length = struct.unpack_from("<HHI", data, start)
        start += 8
        stop = min(start + length, end)
        if kind in (_SLIDE_TEXT, _SLIDE_BYTES):
            text = data[start:stop].decode("utf-16-le" if kind == _SLIDE_TEXT else "latin-1", "replace")
            text = text.replace("\r", "\n").replace("\x0b", "\n").strip()
            if text and text != "*":  # the number of the slide
                texts.append(f"[{mark}: {text}]" if mark else text)
        elif flags & 0xF == 0xF and depth < _DEEPEST and kind != _MASTER:  # a container; the master holds prompts
            _walk(data, (start, stop), depth + 1, "Notes" if kind == _NOTES else mark, texts, task)
        start = stop


def _message(path: Path, ole: Any, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Yield an Outlook message and its attachments."""
    subject, body = one_line(_property(ole, "", "0037")), _property(ole, "", "1000")
    html = _stream(ole, "__substg1.0_10130102")
    if not body.strip() and html:
        from explorer.corpus.readers.html import stated_encoding, to_text

        body = to_text(decode(html, hint=stated_encoding(html[:4096])).text)
    text = tidy(body).strip()
    sender, address = _property(ole, "", "0C1A"), _property(ole, "", "5D01") or _property(ole, "", "0C1F")
    sender = f"{sender} <{address}>" if "@" in address and address not in sender else sender
    fields = {"from": sender, "to": _property(ole, "", "0E04"), "cc": _property(ole, "", "0E03")}
    metadata: dict[str, Value] = {name: line for name, value in fields.items() if (line := one_line(value))}
    if written := re.search(r"^Date:\s*(.+)$", _property(ole, "", "007D"), re.MULTILINE):
        with suppress(ValueError, TypeError, OverflowError):
            metadata["date"] = parsedate_to_datetime(written[1].strip()).isoformat()
    if thread := _thread(ole):
        metadata["thread"] = thread
    names, attached, remarks = _attachments(path, ole, options, task)
    if names:
        metadata["attachments"] = ", ".join(names[:_MOST_ATTACHMENTS])
    if text or subject:
        title = subject or title_of(text, path)
        yield Document(text=text or title, title=title, metadata=metadata, remarks=tuple(remarks))
    elif not attached:
        raise without_text(path)
    shared = {name: value for name, value in metadata.items() if name != "attachments"}
    for document in attached:
        yield replace(document, metadata={**shared, **document.metadata})


def _attachments(
    path: Path, ole: Any, options: ReadOptions, task: Task
) -> tuple[list[str], list[Document], list[UserMessage]]:
    """Return the names of what is attached to a message, its documents, and what is to be said of the unread."""
    names: list[str] = []
    documents: list[Document] = []
    remarks: list[UserMessage] = []
    folders = sorted({entry[0] for entry in ole.listdir() if entry[0].startswith("__attach_version1.0_")})
    for folder in folders[:_MOST_ATTACHMENTS]:
        task.check()
        name = _property(ole, folder, "3707") or _property(ole, folder, "3704") or folder[-8:]
        while name in names:
            name = f"_{name}"
        names.append(name)
        data = _stream(ole, f"{folder}/__substg1.0_37010102")
        try:
            documents += read_inner(path, name, data, options, task) if data else ()
        except Unreadable as error:
            if error.reason == "too large":
                raise
            if error.reason not in ("binary", "empty", "no text layer"):
                reason = UserMessage(error.reason)
                remarks.append(UserMessage("The attachment {name} was not read ({reason}).", name=name, reason=reason))
    if len(folders) > _MOST_ATTACHMENTS:
        remarks.append(more_attachments(len(folders) - _MOST_ATTACHMENTS))
    return names, documents, remarks


def _thread(ole: Any) -> str:
    """Return the name of the thread that a message belongs to, as for other mail."""
    message = Message()
    fields = {"Subject": "0037", "Message-ID": "1035", "References": "1039", "In-Reply-To": "1042"}
    for name, tag in fields.items():
        if value := one_line(_property(ole, "", tag)):
            message[name] = value
    return thread_of(message)


def _property(ole: Any, folder: str, tag: str) -> str:
    """Return a text property of a message; empty where it has none."""
    prefix = f"{folder}/" if folder else ""
    if data := _stream(ole, f"{prefix}__substg1.0_{tag}001F"):
        return data.decode("utf-16-le", "replace").rstrip("\0")
    if data := _stream(ole, f"{prefix}__substg1.0_{tag}001E"):
        return decode(data.rstrip(b"\0")).text
    return ""


def _stream(ole: Any, name: str) -> bytes:
    if not ole.exists(name):
        return b""
    data: bytes = ole.openstream(name).read()
    return data
