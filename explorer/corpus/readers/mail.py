"""Read mail messages, mailboxes and newsgroup posts; each message is one document."""

from __future__ import annotations

import binascii
import email.errors
import email.header
import email.parser
import email.policy
import email.utils
import hashlib
import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding.decode import codec_of, decode
from explorer.corpus.encoding.detect import looks_binary
from explorer.corpus.readers import recognition, tnef
from explorer.corpus.readers.files import damaged, one_line, open_file, read_bytes, tidy, title_of, without_text
from explorer.corpus.readers.html import stated_encoding, to_text
from explorer.corpus.readers.inner import read_inner
from explorer.messages import UserMessage
from explorer.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from email.message import Message

    from explorer.corpus.document import ReadOptions, Value

_HEADER_LINE = re.compile(rb"([!-9;-~]+):")
_TELLING = frozenset(
    b"from to subject date message-id newsgroups received path mime-version return-path sender xref".split()
)
_HEAD = 64 * 2**10
_MOST_PARTS = 2_000  # of one message
_MOST_NAMES = 50  # of attachments
SMALLEST_SCAN = 20_000  # bytes of an attached picture that may show a page; smaller ones are logos and icons
_METADATA_HEADERS = (
    "from", "to", "cc", "reply-to", "sender", "newsgroups", "message-id", "in-reply-to", "followup-to",
    "organization", "keywords", "summary", "distribution", "list-id",
)  # fmt: skip
_DATES = ("date", "resent-date", "delivery-date", "nntp-posting-date", "x-original-date")
# Names of charsets that mail programs use and Python does not know; those that say nothing are empty.
_CHARSETS = {
    "windows-949": "cp949", "x-windows-949": "cp949", "ks_c_5601-1989": "cp949", "x-euc-kr": "cp949",
    "us-ascii": "", "ascii": "", "unknown-8bit": "", "x-unknown": "", "unknown": "", "default": "",
}  # fmt: skip
_SUFFIXES = {"text/html": ".html", "text/csv": ".csv", "text/rtf": ".rtf", "text/markdown": ".md"}
_REPLY = re.compile(
    r"^(?:(?:re|fwd?|aw|wg|sv|tr|rv|회신|답장|전달|返信|转发|回复)(?:\[\d+\])?\s*[:：]"
    r"|\[[^\]]{1,30}\](?=\s*(?:re|fwd?)\s*:))\s*",
    re.IGNORECASE,
)
_MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip
_LOOSE_DATE = re.compile(
    r"(\d{1,2})[ \-/.]+([A-Za-z]{3})[a-z]*\.?[ \-/.,]+(\d{4}|\d{2})(?:\D+(\d{1,2}):(\d{2})(?::(\d{2}))?)?"
)
_LOOSE_US_DATE = re.compile(r"([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2}),?(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s.*?(\d{4})\b")
MAX_MESSAGE_BYTES = 64 * 2**20  # bytes kept of one message
_LINE_BYTES = 64 * 2**10  # bytes of a line taken at once
_DATED = re.compile(rb"From \S.*\d{1,2}:\d\d.*\d{4}")
_UNDATED = re.compile(rb"From (?:\S+\s*$|.*\d)")
# An envelope as programs write it; after a blank line it begins a message even where the header below is broken.
_ENVELOPE = re.compile(rb"From \S+\s+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s.*\d{1,2}:\d\d.*\d{4}")
_HEADER_BELOW = re.compile(rb"[!-9;-~]+:|>From ")
_QUOTED = re.compile(rb">+From ")


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a message as one document, or a mailbox as one document per message ("message N").

    The text is the plain text of the message, else its HTML as text. Attachments are documents beside it, their parts
    named after them; those of a winmail.dat too.

    Raises:
        Unreadable: The file is damaged, encrypted, or holds no text.
    """
    with open_file(path, options) as file:
        head = file.read(5)
        is_mailbox = head == b"From " and path.suffix.lower() != ".eml"
        if is_mailbox or path.suffix.lower() in (".mbox", ".mbx"):
            file.seek(0)
            yield from _mailbox(path, split_mailbox(file), options, task)
            return
    task.check()
    data = read_bytes(path, options)
    yield from (_winmail if head.startswith(tnef.SIGNATURE) else _documents)(path, data, options, task)


def looks_like_mail(head: bytes) -> bool:
    """Return whether a file without a suffix begins as a message or a mailbox does.

    Args:
        head: Its first bytes, some thousands at least.
    """
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    lines = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0].split(b"\n")
    if lines[0].startswith(b"From "):
        lines = lines[1:]
    if not lines or not _HEADER_LINE.match(lines[0]):
        return False
    whole_lines = lines[:-1] if len(head) >= _HEAD else lines
    if not all(line[:1] in (b" ", b"\t", b">") or _HEADER_LINE.match(line) for line in whole_lines):
        return False
    names = {match[1].lower() for line in lines if (match := _HEADER_LINE.match(line))}
    return len(names & _TELLING) >= 2


def _mailbox(path: Path, messages: Iterator[MboxMessage], options: ReadOptions, task: Task) -> Iterator[Document]:
    """Yield the documents of a mailbox; a message that gives none is named in a remark on the next."""
    waiting: Document | None = None
    skipped: list[str] = []
    number = 0
    for number, message in enumerate(messages, start=1):
        task.check()
        try:
            document, *attached = _documents(path, message.data, options, task, f"message {number}")
        except Unreadable as error:
            skipped.append(
                UserMessage("Message {number} was skipped ({reason}).", number=number, reason=UserMessage(error.reason))
            )
            continue
        if waiting is not None:
            yield waiting
        if message.cut:
            skipped.append(UserMessage("The message is very large; only its beginning was read."))
        first = _add_remarks(document, skipped)
        # The last document waits, in case what follows it has to be told of.
        *ready, waiting = [first, *attached]
        yield from ready
        skipped = []
    if waiting is None:
        raise (without_text(path) if not number else damaged(path, UserMessage("none of its messages can be read")))
    yield _add_remarks(waiting, skipped)


def _add_remarks(document: Document, remarks: list[str]) -> Document:
    return replace(document, remarks=(*document.remarks, *remarks)) if remarks else document


def _documents(path: Path, data: bytes, options: ReadOptions, task: Task, part: str = "") -> list[Document]:
    """Parse a message into a document, followed by those of its attachments.

    Raises:
        Unreadable: It is encrypted, is not text, or holds none.
    """
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    message = _parse(path, data)
    broken = b""
    if message is None:
        # A line that is no header in front of the others, which the parser takes for the end of them.
        head = data[:_HEAD].split(b"\n", 6)
        for number in range(1, min(6, len(head))):
            if _HEADER_LINE.match(head[number]) and (message := _parse(path, data.split(b"\n", number)[number])):
                broken = b"\n".join(head[:number])
                break
    if message is None:
        return [_without_headers(path, data, options, part)]
    body = _Body(options)
    if broken:
        body.texts.append(decode(broken, options.encoding, options.repair).text)
        body.remarks.append(UserMessage("The header of the message is broken; what is not a header is in the text."))
    try:
        body.gather(message)
    except RecursionError:
        raise damaged(path, UserMessage("its parts nest too deeply")) from None
    attached = _attached(path, body, options, task, part)
    try:
        message_document = _compose(path, message, body, part)
    except Unreadable as error:
        if error.reason == "empty" and attached:
            return [_add_remarks(attached[0], body.remarks), *attached[1:]]
        raise
    thread = message_document.metadata.get("thread")
    if thread:
        attached = [replace(document, metadata={**document.metadata, "thread": thread}) for document in attached]
    return [message_document, *attached]


def _attached(path: Path, body: _Body, options: ReadOptions, task: Task, part: str) -> list[Document]:
    """Return the documents of the attachments; what could not be read is noted among the remarks of the message."""
    attached: list[Document] = []
    taken: set[str] = set()
    for name, content in body.contents[:_MOST_NAMES]:
        task.check()
        again = f" ({len(taken) + 1})" if name in taken else ""  # two attachments of one name
        taken.add(name + again)
        try:
            for document in read_inner(path, name, content, options, task):
                inside = document.part + again
                attached.append(replace(document, part=f"{part} › {inside}" if part else inside))
        except Unreadable as error:
            if error.reason == "no text layer" and len(content) >= SMALLEST_SCAN:
                body.scans.append(name)
            if error.reason not in ("binary", "empty", "no text layer"):
                reason = UserMessage(error.reason)
                body.remarks.append(
                    UserMessage("The attachment {name} was not read ({reason}).", name=name, reason=reason)
                )
    if len(body.contents) > _MOST_NAMES:
        body.remarks.append(more_attachments(len(body.contents) - _MOST_NAMES))
    if body.scans:
        body.remarks.append(scanned_attachments(body.scans))
    return attached


def _winmail(path: Path, data: bytes, options: ReadOptions, task: Task) -> list[Document]:
    """Parse a winmail.dat that was saved by itself, or a message that is attached inside one."""
    packed, body = tnef.unpack(data), _Body(options)
    body.add_packed(packed)
    attached = _attached(path, body, options, task, "")
    text = tidy("\n\n".join(body.texts)).strip() or packed.subject
    if not text and not attached:
        raise without_text(path)
    metadata: dict[str, Value] = {}
    if body.attachments:
        metadata["attachments"] = ", ".join(body.attachments[:_MOST_NAMES])
    if body.scans:
        metadata[recognition.PICTURE_PAGES] = len(body.scans)
    title = one_line(packed.subject) or title_of(text, path)
    message = Document(text, title, metadata=metadata, remarks=tuple(dict.fromkeys(body.remarks)))
    return [message, *attached] if text else [_add_remarks(attached[0], body.remarks), *attached[1:]]


def more_attachments(count: int) -> UserMessage:
    """Return what to say of attachments beyond those that are read."""
    return UserMessage("{count:,} more attachments were not read. Save them beside the message.", count=count)


def scanned_attachments(names: Sequence[str]) -> UserMessage:
    """Return what to say of attachments that only text recognition can read."""
    return UserMessage(
        "Attachments that are pictures, without text: {names}. Index with text recognition (OCR) to read them.",
        names=", ".join(names),
    )


def _compose(path: Path, message: Message, body: _Body, part: str) -> Document:
    subject = header(message, "subject")
    text = tidy("\n\n".join(body.texts)).strip("\n").rstrip()
    if not text.strip():
        if body.encrypted:
            raise Unreadable(
                "encrypted",
                "{file} is an encrypted message. Decrypt it in your mail program and save it.",
                file=path.name,
            )
        if not subject:
            raise without_text(path)
        text = subject
        body.remarks.append(UserMessage("The message has no text of its own; its subject is used instead."))
    metadata = header_metadata(message)
    if thread := thread_of(message):
        metadata["thread"] = thread
    if body.attachments:
        metadata["attachments"] = ", ".join(body.attachments[:_MOST_NAMES])
    if body.scans:
        metadata[recognition.PICTURE_PAGES] = len(body.scans)
    return Document(
        text=text,
        title=one_line(subject) or title_of(text, path),
        part=part,
        metadata=metadata,
        encoding=body.encoding,
        confidence=body.confidence,
        remarks=tuple(dict.fromkeys(body.remarks)),
    )


def _parse(path: Path, data: bytes) -> Message | None:
    """Return the message; None where there is no header that tells one.

    Read with the old, forgiving policy: the newer one raises all kinds of errors at headers that break
    the rules, and loses their 8-bit letters.
    """
    try:
        message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(data)
    except (RecursionError, ValueError, LookupError, IndexError, AssertionError) as error:
        raise damaged(path, UserMessage("its parts do not fit together")) from error
    names = {name.lower().encode("ascii", "replace") for name, _ in message.raw_items()}
    return message if names & _TELLING else None


def _without_headers(path: Path, data: bytes, options: ReadOptions, part: str) -> Document:
    if looks_binary(data):
        raise Unreadable("binary", "{file} is not a mail message. Check what program wrote it.", file=path.name)
    decoded = decode(data, encoding=options.encoding, repair=options.repair)
    text = tidy(decoded.text).strip()
    if not text:
        raise without_text(path)
    remarks = (*decoded.remarks, UserMessage("There is no mail header; all of it was taken as the text."))
    return Document(text, title_of(text, path), part, {}, decoded.encoding, decoded.confidence, remarks)


@dataclass
class _Body:
    """The contents of a message's parts.

    Attributes:
        options: How it is read.
        texts: Its text, piece by piece.
        attachments: Names of what is attached.
        contents: Name and content of those that can be read.
        encrypted: Whether some part is encrypted.
        encoding: What its first text was read with.
        confidence: How sure that is.
        remarks: Sentences about what was doubtful.
        scans: Names of attachments that are pictures of pages.
    """

    options: ReadOptions
    texts: list[str] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    contents: list[tuple[str, bytes]] = field(default_factory=list)
    encrypted: bool = False
    encoding: str = ""
    confidence: float = 1.0
    remarks: list[str] = field(default_factory=list)
    scans: list[str] = field(default_factory=list)
    _parts: int = 0

    def gather(self, part: Message) -> None:
        """Add the text of a part and of those inside it."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            return
        kind = part.get_content_type()
        self.encrypted |= kind in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
        if _is_attachment(part, kind):
            self._attach(_name(part, kind), part, kind)
        elif part.is_multipart():
            inner: Any = part.get_payload()
            inner = inner if isinstance(inner, list) else []
            for child in _best(inner) if kind == "multipart/alternative" else inner:
                self.gather(child)
        else:
            self._read_part(part, kind)

    def _attach(self, name: str, part: Message, kind: str) -> None:
        """Note an attachment; what Outlook packed into a winmail.dat is taken out of it."""
        payload: Any = part.get_payload(decode=True) if not part.is_multipart() else None
        if kind == "message/rfc822" and part.is_multipart():
            inner: Any = part.get_payload()
            try:
                payload = inner[0].as_bytes()
            except (ValueError, LookupError, TypeError, AttributeError):
                payload = None
            name = name if name.lower().endswith(".eml") else "message.eml" if name == kind else f"{name}.eml"
        if not isinstance(payload, bytes) or not payload:
            self.attachments.append(name)
        elif kind == "application/ms-tnef" or name.lower() == "winmail.dat":
            before = len(self.attachments)
            self.add_packed(tnef.unpack(payload))
            self.attachments += [name] if len(self.attachments) == before else []
        else:
            self.attachments.append(name)
            if "." not in name and kind.startswith("text/"):
                name += _SUFFIXES.get(kind, ".txt")
            self.contents.append((name, payload))

    def add_packed(self, packed: tnef.Packed) -> None:
        """Add what was in a winmail.dat: its attachments, and its text unless the message itself has it."""
        self.attachments += [name for name, _ in packed.attachments]
        self.contents += packed.attachments
        if self.texts:
            return
        text = packed.text
        if not text and packed.html:
            text = to_text(decode(packed.html, hint=stated_encoding(packed.html[:4096])).text)
        if not text and packed.rtf:
            from explorer.corpus.readers.office import rtf

            text = rtf.to_text(packed.rtf, Path("winmail.dat"), Task())
        self.texts += [text] if text.strip() else []

    def _read_part(self, part: Message, kind: str) -> None:
        """Add the text of a part that holds no others."""
        data: Any = part.get_payload(decode=True)
        if not isinstance(data, bytes) or not data.strip():
            return
        charset = charset_of(str(part.get_param("charset", "") or ""))
        if kind == "text/html":
            charset = charset or stated_encoding(data[:4096])
        text = self._decode(data, charset)
        self.texts.append(to_text(text) if kind == "text/html" else _unflow(text, part))

    def _decode(self, data: bytes, charset: str) -> str:
        decoded = decode(data, self.options.encoding, self.options.repair, hint=charset)
        self.remarks.extend(decoded.remarks)
        if charset and not self.options.encoding and decoded.encoding not in ("ascii", codec_of(charset)):
            self.remarks.append(
                UserMessage(
                    "The text is not in {charset} as its header says; read as {encoding}.",
                    charset=charset,
                    encoding=decoded.encoding,
                )
            )
        if not self.encoding:
            self.encoding, self.confidence = decoded.encoding, decoded.confidence
        return decoded.text


def _best(parts: list[Any]) -> list[Any]:
    """Choose among alternatives of one text: the plain one unless it is blank, else the last, which is the richest."""
    for part in parts:
        if part.get_content_type() == "text/plain" and (part.get_payload(decode=True) or b"").strip():
            return [part]
    return parts[-1:]


def _is_attachment(part: Message, kind: str) -> bool:
    if str(part.get("content-disposition", "")).lower().lstrip().startswith("attachment"):
        return True
    if kind.startswith(("text/plain", "text/html", "multipart/", "message/rfc822")):
        return False
    named = part.get_param("name") or part.get_param("filename", header="content-disposition")
    return bool(named) or kind.startswith(("image/", "audio/", "video/", "application/", "font/", "model/"))


def _name(part: Message, kind: str) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        name = ""
    return one_line(decode_words(str(name))) or kind


def _unflow(text: str, part: Message) -> str:
    """Return the text with the soft line ends of format=flowed taken back."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    return re.sub(r"(?m)(?<!^--) \r?\n(?![>\s]|$)", " ", text)


def header(message: Message, name: str) -> str:
    """Return the first header of that name, decoded, on one line; empty where there is none."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    text = decode_words(raw)
    return one_line(text) if len(text) < 300 else " ".join(text.split())[:2_000]


def thread_of(message: Message) -> str:
    """Return a name that all messages of a thread share: the subject, and a sign of the message that began it."""
    subject = header(message, "subject")
    while (shorter := _REPLY.sub("", subject).strip()) != subject:
        subject = shorter
    references = _MESSAGE_ID.findall(header(message, "references")) or _MESSAGE_ID.findall(
        header(message, "in-reply-to")
    )
    root = next(iter(references), "") or header(message, "message-id")
    sign = hashlib.blake2b(root.encode("utf-8", "replace"), digest_size=2).hexdigest() if root else ""
    return f"{subject} #{sign}" if subject and sign else subject


def header_metadata(message: Message) -> dict[str, Value]:
    """Return the headers worth keeping; "date" in ISO 8601, or "date_text" as it stands where it is not understood."""
    metadata: dict[str, Value] = {}
    for name in _METADATA_HEADERS:
        if value := header(message, name):
            metadata[name.replace("-", "_")] = value
    written = next((value for name in _DATES if (value := header(message, name))), "")
    if date := mail_date(written):
        metadata["date"] = date
    elif written:
        metadata["date_text"] = written
    return metadata


def mail_date(text: str) -> str:
    """Return the date of a header in ISO 8601; empty where it is not understood."""
    try:
        return email.utils.parsedate_to_datetime(text).isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        pass
    return iso_date(text) or _loose_date(text)


def charset_of(name: str) -> str:
    """Return a charset as headers name it, as decoding names it; empty where it says nothing of the bytes."""
    name = name.strip().strip("\"'").lower()
    return _CHARSETS.get(name, name)


def decode_words(raw: str) -> str:
    """Return a header with its encoded words and its plain 8-bit bytes decoded."""
    raw = re.sub(r"\?=\s+=\?", "?==?", raw)  # RFC 2047: no space between two encoded words
    if not raw.isascii():
        raw = decode(raw.encode("utf-8", "surrogateescape")).text
    if "=?" not in raw:
        return raw
    try:
        pieces = email.header.decode_header(raw)
    except (email.errors.HeaderParseError, binascii.Error, ValueError, LookupError):
        return raw
    return _join_pieces(pieces)


def _join_pieces(pieces: list[tuple[bytes | str, str | None]]) -> str:
    """Return the pieces as text; neighbours of one charset first joined, for some cut letters in two."""
    texts: list[str] = []
    data, charset = b"", ""
    for piece, name in pieces:
        if isinstance(piece, str):
            texts.append(piece)
            continue
        if data and (name or "") != charset:
            texts.append(decode(data, hint=charset_of(charset)).text)
            data = b""
        data, charset = data + piece, name or ""
    if data:
        texts.append(decode(data, hint=charset_of(charset)).text)
    return "".join(texts)


def _loose_date(text: str) -> str:
    if match := _LOOSE_DATE.search(text):
        day, month, year, hour, minute, second = match.groups()
    elif match := _LOOSE_US_DATE.search(text):
        month, day, hour, minute, second, year = match.groups()
    else:
        return ""
    full_year = int(year) if len(year) == 4 else int(year) + (1900 if int(year) > 68 else 2000)
    try:
        moment = datetime(full_year, _MONTHS[month.lower()], int(day))  # noqa: DTZ001 - the text names no zone
        if hour is None:
            return f"{moment:%Y-%m-%d}"
        return moment.replace(hour=int(hour), minute=int(minute), second=int(second or 0)).isoformat()
    except (KeyError, ValueError):
        return ""


@dataclass(frozen=True)
class MboxMessage:
    """The bytes of one message, and whether it was larger than MAX_MESSAGE_BYTES and cut there."""

    data: bytes
    cut: bool


def split_mailbox(file: BinaryIO) -> Iterator[MboxMessage]:
    """Yield the messages of an mbox file, in order.

    A message begins at a line "From ..." over a header, or at a whole envelope after a blank line. A sentence that
    begins so in a text is told from it by that, and by the blank line before or the date in it.
    """
    current: list[bytes] = []
    size, blank = 0, True
    for line, starts, following in _with_next_line(file):
        if (
            starts
            and line.startswith(b"From ")
            and (
                (blank and _ENVELOPE.match(line))
                or (_HEADER_BELOW.match(following) and (_DATED.match(line) or (blank and _UNDATED.match(line))))
            )
        ):
            if size:
                yield MboxMessage(b"".join(current), size > MAX_MESSAGE_BYTES)
            current, size, blank = [], 0, False
            continue
        blank = starts and not line.strip()
        size += len(line)
        if size <= MAX_MESSAGE_BYTES:
            current.append(line[1:] if starts and _QUOTED.match(line) else line)
    if size:
        yield MboxMessage(b"".join(current), size > MAX_MESSAGE_BYTES)


def _with_next_line(file: BinaryIO) -> Iterator[tuple[bytes, bool, bytes]]:
    """Yield each line, whether it is a line's beginning rather than the rest of a long one, and what follows it."""
    starts = True
    line = file.readline(_LINE_BYTES)
    while line:
        following = file.readline(_LINE_BYTES)
        yield line, starts, following
        starts = line.endswith(b"\n")
        line = following
