"""Tell the format of a file without a known suffix by its first bytes."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

from explorer.corpus.document import Unreadable
from explorer.corpus.encoding.decode import decode
from explorer.corpus.encoding.signatures import kind, looks_binary
from explorer.corpus.scan.paths import shown

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = 64 * 2**10
_PAGE = re.compile(
    r"(?:\s|<\?xml[^>]{0,200}\?>|<!--(?:(?!-->).){0,4000}-->)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_RECORD = re.compile(r"\{\s*\"[^\"\n]{1,200}\"\s*:.*\}\s*$")


def family_of(path: Path) -> str:
    """The name of the module that reads what a file holds.

    Raises:
        Unreadable: It holds no text.
        OSError: It cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    found = _by_sign(path, head) or ("" if looks_binary(head) else _by_text(head))
    if found:
        return found
    what = kind(head)
    described = f"looks like a {what}" if what else "holds binary data"
    raise Unreadable("binary", f"{shown(path.name)} {described}, not text. Open it with its own program.")


def _by_sign(path: Path, head: bytes) -> str:
    """The family of a format that begins with its own sign; empty for others."""
    if head.startswith(b"PK\x03\x04"):
        return _by_members(path)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PAR1"):
        return "tables"
    return "rtf" if head.startswith(b"{\\rtf") else ""


def _by_members(path: Path) -> str:
    """The family of a zip archive by what it holds; empty for ordinary archives."""
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
