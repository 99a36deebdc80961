"""A text file held as a whole: its decoded text, and the document made of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding.decode import Decoded, decode
from explorer.corpus.encoding.signatures import kind, looks_binary
from explorer.corpus.readers.files import LONGEST_TITLE, one_line, opened, too_large, without_text
from explorer.corpus.scan.paths import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value

_LARGEST = 64 * 2**20  # bytes; larger marked-up texts are not written by people
_SEARCHED_FOR_TITLE = 20  # lines


def whole_text(path: Path, options: ReadOptions, hint: Callable[[bytes], str] | None = None) -> Decoded:
    """The text of a file, which is read up to the size it has when opened.

    Args:
        path: The file.
        options: How it is read.
        hint: Finds the encoding that the bytes themselves state.

    Raises:
        Unreadable: It cannot be opened, is too large, or is not text in the chosen encoding.
    """
    limit = min(_LARGEST, options.max_unpacked)
    with opened(path, options) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise too_large(path, limit)
        data = file.read(size)
    refuse_binary(path, data, options)
    stated = hint(data[:4096]) if hint else ""
    return decode(data, options.encoding, options.repair, stated)


def refuse_binary(path: Path, data: bytes, options: ReadOptions) -> None:
    """Raise Unreadable if the first bytes hold no text; an encoding that the user chose is believed."""
    if options.encoding or not looks_binary(data):
        return
    what = kind(data)
    described = f"looks like a {what}" if what else "holds binary data"
    raise Unreadable("binary", f"{shown(path.name)} {described}, not text. Open it with its own program.")


def as_document(
    path: Path, read: Decoded, text: str, *, title: str = "", metadata: Mapping[str, Value] | None = None
) -> Document:
    """The document of a whole file; its title falls back on the first line, then on the file's name.

    Raises:
        Unreadable: There is no text.
    """
    text = text.strip("\n").rstrip()
    if not text.strip():
        raise without_text(path)
    return Document(
        text=text,
        title=one_line(title) or first_line(text) or name_of(path),
        metadata=dict(metadata or {}),
        encoding=read.encoding,
        confidence=read.confidence,
        remarks=read.remarks,
    )


def words(listed: str) -> frozenset[str]:
    """The set of some words written one after the other."""
    return frozenset(listed.split())


def name_of(path: Path) -> str:
    """The file's name without its suffix, for people."""
    return shown(path.stem) or shown(path.name) or "?"


def first_line(text: str) -> str:
    """The first line that says something, if it is short enough for a title; else empty."""
    for line in text[:10_000].split("\n")[:_SEARCHED_FOR_TITLE]:
        if any(map(str.isalnum, line)):
            title = " ".join(line.split())
            return title if len(title) <= LONGEST_TITLE else ""
    return ""
