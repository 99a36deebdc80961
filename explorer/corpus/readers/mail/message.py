"""Mail and newsgroup posts: a message a document, from .eml files, mailboxes and files without suffix."""

from __future__ import annotations

import email.parser
import email.policy
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding.decode import codec_of, decode
from explorer.corpus.encoding.signatures import looks_binary
from explorer.corpus.readers.files import (
    damaged,
    one_line,
    open_file,
    read_bytes,
    tidy,
    title_of,
    without_text,
)
from explorer.corpus.readers.mail import headers, mbox
from explorer.corpus.readers.web.html import stated_encoding, to_text
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message
    from pathlib import Path

    from explorer.corpus.document import ReadOptions
    from explorer.task import Task

_HEADER = re.compile(rb"([!-9;-~]+):")
_TELLING = frozenset(
    b"from to subject date message-id newsgroups received path mime-version return-path sender xref".split()
)
_HEAD = 64 * 2**10
_MOST_PARTS = 2_000  # of one message
_MOST_NAMES = 50  # of attachments


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a message as one document, or a mailbox as one document a message ("message N").

    The text is the plain text of the message, else its HTML as text; attachments are named in the
    metadata, not read.

    Raises:
        Unreadable: The file is damaged, encrypted, or holds no text.
    """
    with open_file(path, options) as file:
        is_mailbox = file.read(5) == b"From " and path.suffix.lower() != ".eml"
        if is_mailbox or path.suffix.lower() in (".mbox", ".mbx"):
            file.seek(0)
            yield from _mailbox(path, mbox.messages(file), options, task)
            return
    task.check()
    yield _document(path, read_bytes(path, options), options)


def looks_like_mail(head: bytes) -> bool:
    """Whether a file without a suffix begins as a message or a mailbox does.

    Args:
        head: Its first bytes, some thousands at least.
    """
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    lines = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0].split(b"\n")
    if lines[0].startswith(b"From "):
        lines = lines[1:]
    if not lines or not _HEADER.match(lines[0]):
        return False
    whole_lines = lines[:-1] if len(head) >= _HEAD else lines
    if not all(line[:1] in (b" ", b"\t", b">") or _HEADER.match(line) for line in whole_lines):
        return False
    names = {match[1].lower() for line in lines if (match := _HEADER.match(line))}
    return len(names & _TELLING) >= 2


def _mailbox(
    path: Path, messages: Iterator[mbox.MboxMessage], options: ReadOptions, task: Task
) -> Iterator[Document]:
    """The documents of a mailbox; a message that gives none is named in a remark on the next."""
    held: Document | None = None
    skipped: list[str] = []
    number = 0
    for number, message in enumerate(messages, start=1):
        task.check()
        try:
            document = _document(path, message.data, options, part=f"message {number}")
        except Unreadable as error:
            skipped.append(
                UserMessage(
                    "Message {number} was skipped ({reason}).",
                    number=number,
                    reason=UserMessage(error.reason),
                )
            )
            continue
        if held is not None:
            yield held
        if message.cut:
            skipped.append(UserMessage("The message is very large; only its beginning was read."))
        held, skipped = _add_remarks(document, skipped), []
    if held is None:
        raise (
            without_text(path)
            if not number
            else damaged(path, UserMessage("none of its messages can be read"))
        )
    yield _add_remarks(held, skipped)


def _add_remarks(document: Document, remarks: list[str]) -> Document:
    return replace(document, remarks=(*document.remarks, *remarks)) if remarks else document


def _document(path: Path, data: bytes, options: ReadOptions, part: str = "") -> Document:
    """One message as a document.

    Raises:
        Unreadable: It is encrypted, is not text, or holds none.
    """
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    message = _parse(path, data)
    if message is None:
        return _without_headers(path, data, options, part)
    body = _Body(options)
    try:
        body.gather(message)
    except RecursionError:
        raise damaged(path, UserMessage("its parts nest too deeply")) from None
    return _compose(path, message, body, part)


def _compose(path: Path, message: Message, body: _Body, part: str) -> Document:
    subject = headers.header(message, "subject")
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
    found = headers.metadata(message)
    if body.attachments:
        found["attachments"] = ", ".join(body.attachments[:_MOST_NAMES])
    return Document(
        text=text,
        title=one_line(subject) or title_of(text, path),
        part=part,
        metadata=found,
        encoding=body.encoding,
        confidence=body.confidence,
        remarks=tuple(dict.fromkeys(body.remarks)),
    )


def _parse(path: Path, data: bytes) -> Message | None:
    """The message; None where there is no header that tells one.

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
        raise Unreadable(
            "binary", "{file} is not a mail message. Check what program wrote it.", file=path.name
        )
    found = decode(data, encoding=options.encoding, repair=options.repair)
    text = tidy(found.text).strip()
    if not text:
        raise without_text(path)
    remarks = (*found.remarks, UserMessage("There is no mail header; all of it was taken as the text."))
    return Document(text, title_of(text, path), part, {}, found.encoding, found.confidence, remarks)


@dataclass
class _Body:
    """What the parts of a message hold.

    Attributes:
        options: How it is read.
        texts: Its text, piece by piece.
        attachments: Names of what was not read.
        encrypted: Whether some part is encrypted.
        encoding: What its first text was read with.
        confidence: How sure that is.
        remarks: Sentences about what was doubtful.
    """

    options: ReadOptions
    texts: list[str] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    encrypted: bool = False
    encoding: str = ""
    confidence: float = 1.0
    remarks: list[str] = field(default_factory=list)
    _parts: int = 0

    def gather(self, part: Message) -> None:
        """Take the text of a part and of those inside it."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            return
        kind = part.get_content_type()
        self.encrypted |= kind in (
            "multipart/encrypted",
            "application/pkcs7-mime",
            "application/x-pkcs7-mime",
        )
        if _is_attachment(part, kind):
            self.attachments.append(_name(part, kind))
        elif part.is_multipart():
            inner = _parts_of(part)
            for child in _best(inner) if kind == "multipart/alternative" else inner:
                self.gather(child)
        else:
            self._read_part(part, kind)

    def _read_part(self, part: Message, kind: str) -> None:
        """The text of a part that holds no others."""
        data: Any = part.get_payload(decode=True)
        if not isinstance(data, bytes) or not data.strip():
            return
        charset = headers.charset_of(str(part.get_param("charset", "") or ""))
        if kind == "text/html":
            charset = charset or stated_encoding(data[:4096])
        text = self._decode(data, charset)
        self.texts.append(to_text(text) if kind == "text/html" else _unflow(text, part))

    def _decode(self, data: bytes, charset: str) -> str:
        found = decode(data, self.options.encoding, self.options.repair, hint=charset)
        self.remarks.extend(found.remarks)
        if charset and not self.options.encoding and found.encoding not in ("ascii", codec_of(charset)):
            self.remarks.append(
                UserMessage(
                    "The text is not in {charset} as its header says; read as {encoding}.",
                    charset=charset,
                    encoding=found.encoding,
                )
            )
        if not self.encoding:
            self.encoding, self.confidence = found.encoding, found.confidence
        return found.text


def _parts_of(part: Message) -> list[Any]:
    inner: Any = part.get_payload()
    return inner if isinstance(inner, list) else []


def _best(parts: list[Any]) -> list[Any]:
    """Of several forms of one text the plain one, unless it is blank; else the last, the richest."""
    for part in parts:
        if part.get_content_type() == "text/plain" and (part.get_payload(decode=True) or b"").strip():
            return [part]
    return parts[-1:]


def _is_attachment(part: Message, kind: str) -> bool:
    if str(part.get("content-disposition", "")).lower().lstrip().startswith("attachment"):
        return True
    return not kind.startswith(("text/plain", "text/html", "multipart/", "message/rfc822")) and (
        kind.startswith(("image/", "audio/", "video/", "application/", "font/", "model/")) or _has_name(part)
    )


def _has_name(part: Message) -> bool:
    return bool(part.get_param("name") or part.get_param("filename", header="content-disposition"))


def _name(part: Message, kind: str) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        name = ""
    return one_line(headers.decode_words(str(name))) or kind


def _unflow(text: str, part: Message) -> str:
    """The text with the soft line ends of format=flowed taken back."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    return re.sub(r"(?m)(?<!^--) \r?\n(?![>\s]|$)", " ", text)
