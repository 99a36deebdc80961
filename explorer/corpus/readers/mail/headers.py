"""The headers of a message as text, whatever they are written in."""

from __future__ import annotations

import binascii
import email.errors
import email.header
import email.utils
import re
from datetime import datetime
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.encoding.decode import decode
from explorer.corpus.readers.files import one_line

if TYPE_CHECKING:
    from email.message import Message

    from explorer.corpus.document import Value

_KEPT = (
    "from", "to", "cc", "reply-to", "sender", "newsgroups", "message-id", "in-reply-to", "followup-to",
    "organization", "keywords", "summary", "distribution", "list-id",
)  # fmt: skip
_DATES = ("date", "resent-date", "delivery-date", "nntp-posting-date", "x-original-date")
# Names of charsets that mail programs use and Python does not know; those that say nothing are empty.
_CHARSETS = {
    "windows-949": "cp949", "x-windows-949": "cp949", "ks_c_5601-1989": "cp949", "x-euc-kr": "cp949",
    "us-ascii": "", "ascii": "", "unknown-8bit": "", "x-unknown": "", "unknown": "", "default": "",
}  # fmt: skip
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip
_LOOSE_DATE = re.compile(
    r"(\d{1,2})[ \-/.]+([A-Za-z]{3})[a-z]*\.?[ \-/.,]+(\d{4}|\d{2})(?:\D+(\d{1,2}):(\d{2})(?::(\d{2}))?)?"
)
_LOOSE_US_DATE = re.compile(
    r"([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2}),?(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s.*?(\d{4})\b"
)


def header(message: Message, name: str) -> str:
    """The first header of that name, decoded, on one line; empty where there is none."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    return _tidy_header(decode_words(raw))


def metadata(message: Message) -> dict[str, Value]:
    """The headers worth keeping; "date" in ISO 8601, or "date_text" as it stands where it is not understood."""
    found: dict[str, Value] = {}
    for name in _KEPT:
        if value := header(message, name):
            found[name.replace("-", "_")] = value
    written = next((value for name in _DATES if (value := header(message, name))), "")
    if date := mail_date(written):
        found["date"] = date
    elif written:
        found["date_text"] = written
    return found


def mail_date(text: str) -> str:
    """The date of a header in ISO 8601; empty where it is not understood."""
    try:
        return email.utils.parsedate_to_datetime(text).isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        pass
    return iso_date(text) or _loose_date(text)


def charset_of(name: str) -> str:
    """A charset as headers name it, as decoding names it; empty where it says nothing of the bytes."""
    name = name.strip().strip("\"'").lower()
    return _CHARSETS.get(name, name)


def decode_words(raw: str) -> str:
    """A header with its encoded words and its plain 8-bit bytes decoded."""
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
    """The pieces as text; neighbours of one charset first joined, for some cut letters in two."""
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


def _tidy_header(text: str) -> str:
    return one_line(text) if len(text) < 300 else " ".join(text.split())[:2_000]


def _loose_date(text: str) -> str:
    if match := _LOOSE_DATE.search(text):
        day, month, year, hour, minute, second = match.groups()
    elif match := _LOOSE_US_DATE.search(text):
        month, day, hour, minute, second, year = match.groups()
    else:
        return ""
    number = int(year) if len(year) == 4 else int(year) + (1900 if int(year) > 68 else 2000)
    try:
        moment = datetime(number, _MONTHS[month.lower()], int(day))  # noqa: DTZ001 - the text names no zone
        if hour is None:
            return f"{moment:%Y-%m-%d}"
        return moment.replace(hour=int(hour), minute=int(minute), second=int(second or 0)).isoformat()
    except (KeyError, ValueError):
        return ""
