"""Tell the format of a file without a known suffix by its first bytes."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

from explorer.corpus.encoding.decode import decode
from explorer.corpus.encoding.signatures import looks_binary
from explorer.corpus.readers.files import not_text

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = 64 * 2**10
_PAGE = re.compile(
    r"(?:\s|<\?xml[^>]{0,200}\?>|<!--(?:(?!-->).){0,4000}-->)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_RECORD = re.compile(r"\{\s*\"[^\"\n]{1,200}\"\s*:.*\}\s*$")


def family_of(path: Path) -> str:
    """Return the format family of a file by its content.

    Raises:
        Unreadable: It is binary.
        OSError: It cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    family = _by_signature(path, head) or ("" if looks_binary(head) else _by_text(head))
    if not family:
        raise not_text(path, head)
    return family


def _by_signature(path: Path, head: bytes) -> str:
    """Return the family of a format with a signature; empty for others."""
    if head.startswith(b"PK\x03\x04"):
        return _by_members(path)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PAR1"):
        return "tables"
    return "rtf" if head.startswith(b"{\\rtf") else ""


def _by_members(path: Path) -> str:
    """Return the family of a zip archive by its members; empty for ordinary archives."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist()[:5000])
            stated = archive.open("mimetype").read(200).strip() if "mimetype" in names else b""
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        return ""
    if stated == b"application/epub+zip":
        return "epub"
    if stated.startswith(b"application/vnd.oasis.opendocument.text") or "word/document.xml" in names:
        return "office"
    return ""


def _by_text(head: bytes) -> str:
    from explorer.corpus.readers.mail.message import looks_like_mail

    if looks_like_mail(head):
        return "mail"
    text = decode(head[: 16 * 2**10], repair=False).text
    if _PAGE.match(text):
        return "html"
    lines = [line for line in text.split("\n")[:20] if line.strip()]
    complete = lines[:-1] if len(head) > 16 * 2**10 else lines
    return "tables" if len(complete) >= 2 and all(map(_RECORD.match, complete)) else "plain"
