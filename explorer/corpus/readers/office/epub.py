"""Read EPUB books: the chapters in reading order as one text."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding.decode import decode
from explorer.corpus.encoding.detect import looks_binary
from explorer.corpus.readers.files import damaged, one_line, tidy, title_of, without_text
from explorer.corpus.readers.html import stated_encoding, to_text
from explorer.corpus.readers.office.package import elements, inside, open_archive
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.readers.office.package import Archive, Element
    from explorer.task import Task

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts are scrambled by these to keep them from being copied out; the text is not.
_FONT_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_HTML = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_METADATA = {"creator": "author", "language": "language", "publisher": "publisher", "subject": "subject"}


@dataclass(frozen=True)
class _Book:
    """What the package file of a book says: its chapters in order and its metadata."""

    chapters: list[str]
    elements: list[Element]


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a book as one document.

    Raises:
        Unreadable: The book is encrypted (DRM), damaged, empty, or unpacks to too much.
    """
    with open_archive(path, options) as archive:
        _refuse_encrypted(archive)
        book = _book(archive)
        texts, missing = _chapters(archive, book, task)
    text = tidy("\n\n".join(texts)).strip()
    if not text:
        raise damaged(path, UserMessage("its chapters are missing")) if missing else without_text(path)
    title, metadata = _read_metadata(book.elements)
    yield Document(
        text=text,
        title=title or title_of(text, path),
        metadata=metadata,
        remarks=(UserMessage("Chapters left out because they are missing or damaged: {count}.", count=missing),)
        if missing
        else (),
    )


def _refuse_encrypted(archive: Archive) -> None:
    if _ENCRYPTION not in archive:
        return
    parsed = elements(archive.chunks(_ENCRYPTION), archive.path)
    methods = {element.attributes.get("Algorithm", "") for element in parsed if element.name == "EncryptionMethod"}
    if methods - _FONT_OBFUSCATION:
        raise _protected(archive)


def _protected(archive: Archive) -> Unreadable:
    return Unreadable(
        "encrypted",
        "{file} is protected against copying (DRM). Only its own reader can open it; get a copy without protection.",
        file=archive.path.name,
    )


def _book(archive: Archive) -> _Book:
    package = _package(archive)
    parsed = elements(archive.chunks(package), archive.path)
    folder = posixpath.dirname(package)
    items = {element.attributes.get("id", ""): element.attributes for element in parsed if element.name == "item"}
    order = [element.attributes.get("idref", "") for element in parsed if element.name == "itemref"]
    listed = [items[name] for name in order if name in items] or list(items.values())
    references = [item.get("href", "") for item in listed if item.get("media-type", _HTML[0]).lower() in _HTML]
    chapters = (inside(folder, unquote(reference.partition("#")[0])) for reference in references)
    return _Book([chapter for chapter in dict.fromkeys(chapters) if chapter], parsed)


def _package(archive: Archive) -> str:
    """Return the package file: named by the container, else the only one there is."""
    if _CONTAINER in archive:
        for element in elements(archive.chunks(_CONTAINER), archive.path):
            full_path = element.attributes.get("full-path", "")
            if element.name == "rootfile" and (name := inside("", unquote(full_path))) in archive:
                return name
    packages = [name for name in archive.names if name.lower().endswith(".opf")]
    if not packages:
        raise damaged(archive.path, UserMessage("it has no table of its parts"))
    return packages[0]


def _chapters(archive: Archive, book: _Book, task: Task) -> tuple[list[str], int]:
    """Return the texts of the chapters, and how many could not be read."""
    texts, missing, ciphered = [], 0, 0
    for chapter in book.chapters:
        task.check()
        try:
            data = archive.read(chapter)
        except Unreadable as error:
            if error.reason != "damaged":
                raise
            missing += 1
            continue
        if looks_binary(data):  # enciphered, though nothing in the book says so
            ciphered += 1
            continue
        if text := to_text(decode(data, hint=stated_encoding(data[:4096])).text).strip():
            texts.append(text)
    if ciphered and not texts:
        raise _protected(archive)
    return texts, missing + ciphered


def _read_metadata(parsed: list[Element]) -> tuple[str, dict[str, Value]]:
    """Return title and metadata by the elements of the package file."""
    title = ""
    metadata: dict[str, Value] = {}
    for element in parsed:
        value = one_line(element.text)
        if not value:
            continue
        if element.name == "title":
            title = title or value
        elif element.name in _METADATA:
            name = _METADATA[element.name]
            metadata[name] = f"{metadata[name]}, {value}" if name in metadata else value
        elif element.name == "date" and "date" not in metadata:
            metadata.update(_date_field(value))
    return title, metadata


def _date_field(value: str) -> dict[str, Value]:
    if date := iso_date(value):
        return {"date": date}
    year = value if len(value) == 4 and value.isdecimal() else ""
    return {"date": year} if year else {"date_text": value}
