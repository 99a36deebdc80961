"""Read the OLE files of old office programs: Word 97 to 2003, PowerPoint 97 to 2003 and Outlook messages.

[MS-DOC], [MS-PPT], [MS-OXMSG]: https://learn.microsoft.com/openspecs/office_file_formats/. olefile opens the container;
the text is taken from the streams here, without layout.
"""

from __future__ import annotations

import re
import struct
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding.decode import decode
from explorer.corpus.readers import recognition, tnef
from explorer.corpus.readers.files import damaged, one_line, open_file, tidy, title_of, too_large, without_text
from explorer.corpus.readers.html import stated_encoding, to_text
from explorer.corpus.readers.inner import DEEPEST, read_inner
from explorer.corpus.readers.mail import SMALLEST_SCAN, more_attachments, scanned_attachments, thread_of
from explorer.corpus.readers.office import rtf
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD, _PACKAGE = 4 * 2**20, "EncryptedPackage".encode("utf-16-le")
_PROPERTIES = "__properties_version1.0"
_MESSAGE_INSIDE = "__substg1.0_3701000D/"  # the storage of a message that is attached to another
_SENT, _DELIVERED = 0x00390040, 0x0E060040
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
            "{file} comes from an old, unsupported program such as Works. Save it as .docx or PDF in its program.",
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
    for offset, mark in _WORD_PARTS:
        (length,) = struct.unpack_from("<I", main, offset)
        part = _shown(text[start : start + length]).strip()
        texts.append(f"[{mark}: {part}]" if mark and part else part)
        start += length
    return "\n\n".join(part for part in texts if part)


def _pieces(main: bytes, table: bytes, task: Task) -> Iterator[str]:
    position = 0
    while position < len(table) and table[position] == 1:  # how the pieces look
        position += 3 + struct.unpack_from("<H", table, position + 1)[0]
    (size,) = struct.unpack_from("<I", table, position + 1)
    position += 5
    count = min((size - 4) // 12, (len(table) - position - 4) // 12, _MOST_PIECES)
    ends = struct.unpack_from(f"<{count + 1}I", table, position)
    for index, (start, end) in enumerate(pairwise(ends)):
        if index % 1000 == 0:
            task.check()
        (where,) = struct.unpack_from("<I", table, position + 4 * (count + 1) + 8 * index + 2)
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


def _message(path: Path, ole: Any, options: ReadOptions, task: Task, prefix: str = "") -> Iterator[Document]:
    """Yield an Outlook message and its attachments; the prefix is the storage of one that is attached to another."""
    subject = one_line(_property(ole, prefix, "0037"))
    text = tidy(_message_text(path, ole, prefix, task)).strip()
    sender = _property(ole, prefix, "0C1A")
    address = _property(ole, prefix, "5D01") or _property(ole, prefix, "0C1F")
    sender = f"{sender} <{address}>" if "@" in address and address not in sender else sender
    fields = {"from": sender, "to": _property(ole, prefix, "0E04"), "cc": _property(ole, prefix, "0E03")}
    metadata: dict[str, Value] = {name: line for name, value in fields.items() if (line := one_line(value))}
    if date := _message_date(ole, prefix):
        metadata["date"] = date
    if thread := _thread(ole, prefix):
        metadata["thread"] = thread
    attached = _attachments(path, ole, options, task, prefix)
    if attached.names:
        metadata["attachments"] = ", ".join(attached.names[:_MOST_ATTACHMENTS])
    shared = {name: value for name, value in metadata.items() if name != "attachments"}
    if attached.scans:
        metadata[recognition.PICTURE_PAGES] = len(attached.scans)
    documents = [replace(document, metadata={**shared, **document.metadata}) for document in attached.documents]
    if text or subject:
        title = subject or title_of(text, path)
        documents.insert(0, Document(text=text or title, title=title, metadata=metadata))
    elif not documents:
        raise without_text(path)
    documents[0] = replace(documents[0], remarks=(*documents[0].remarks, *attached.remarks))
    yield from documents


def _message_text(path: Path, ole: Any, prefix: str, task: Task) -> str:
    """Return the text of a message: the plain one, else that of its HTML, else that of its RTF."""
    if (body := _property(ole, prefix, "1000")).strip():
        return body
    html = _stream(ole, f"{prefix}__substg1.0_10130102")
    if text := decode(html, hint=stated_encoding(html[:4096])).text if html else _property(ole, prefix, "1013"):
        return to_text(text)
    packed = tnef.unpack_rtf(_stream(ole, f"{prefix}__substg1.0_10090102"))
    return rtf.to_text(packed, path, task) if packed else ""


def _message_date(ole: Any, prefix: str) -> str:
    """Return when a message was sent, by its mail header, else by its property; a draft has neither."""
    if written := re.search(r"^Date:\s*(.+)$", _property(ole, prefix, "007D"), re.MULTILINE):
        with suppress(ValueError, TypeError, OverflowError):
            return parsedate_to_datetime(written[1].strip()).isoformat()
    properties = _stream(ole, prefix + _PROPERTIES)
    times = {}
    for position in range(24 if prefix else 32, len(properties) - 15, 16):
        tag, _, moment = struct.unpack_from("<IIQ", properties, position)
        times[tag] = moment
    moment = times.get(_SENT) or times.get(_DELIVERED) or 0
    with suppress(OverflowError):
        # Hundreds of nanoseconds since 1601.
        return (datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=moment // 10)).isoformat() if moment else ""
    return ""


@dataclass
class _Attached:
    """What is attached to a message: all names, the documents, those that are pictures, and what to say of the rest."""

    names: list[str] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    scans: list[str] = field(default_factory=list)
    remarks: list[UserMessage] = field(default_factory=list)


def _attachments(path: Path, ole: Any, options: ReadOptions, task: Task, prefix: str) -> _Attached:
    attached = _Attached()
    depth = prefix.count("/")
    inside = [
        entry[depth] for entry in ole.listdir() if len(entry) > depth and "/".join([*entry[:depth], ""]) == prefix
    ]
    folders = sorted({name for name in inside if name.startswith("__attach_version1.0_")})
    for folder in (f"{prefix}{name}/" for name in folders[:_MOST_ATTACHMENTS]):
        task.check()
        tags = ("3707", "3704", "3001")  # the long name, the short one, and that of a message
        name = next((name for tag in tags if (name := one_line(_property(ole, folder, tag)))), folder[-9:-1])
        while name in attached.names:
            name = f"_{name}"
        attached.names.append(name)
        data = _stream(ole, f"{folder}__substg1.0_37010102")
        try:
            if data:
                attached.documents += read_inner(path, name, data, options, task)
            elif ole.exists(f"{folder}{_MESSAGE_INSIDE}{_PROPERTIES}"):
                if depth >= 2 * DEEPEST:
                    raise too_large(path, options.max_unpacked)
                for document in _message(path, ole, options, task, folder + _MESSAGE_INSIDE):
                    part = f"{name} › {document.part}" if document.part else name
                    attached.documents.append(replace(document, part=part))
        except Unreadable as error:
            if error.reason == "too large" and data:
                raise
            if error.reason == "no text layer" and len(data) >= SMALLEST_SCAN:
                attached.scans.append(name)
            if error.reason not in ("binary", "empty", "no text layer"):
                reason = UserMessage(error.reason)
                attached.remarks.append(
                    UserMessage("The attachment {name} was not read ({reason}).", name=name, reason=reason)
                )
    if len(folders) > _MOST_ATTACHMENTS:
        attached.remarks.append(more_attachments(len(folders) - _MOST_ATTACHMENTS))
    if attached.scans:
        attached.remarks.append(scanned_attachments(attached.scans))
    return attached


def _thread(ole: Any, prefix: str) -> str:
    """Return the name of the thread that a message belongs to, as for other mail."""
    message = Message()
    fields = {"Subject": "0037", "Message-ID": "1035", "References": "1039", "In-Reply-To": "1042"}
    for name, tag in fields.items():
        if value := one_line(_property(ole, prefix, tag)):
            message[name] = value
    return thread_of(message)


def _property(ole: Any, prefix: str, tag: str) -> str:
    """Return a text property of a message or an attachment; empty where it has none."""
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
