"""Word processor files: .docx and .odt, and clear words about the older .doc and .hwp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, one_line, open_file, tidy, title_of, without_text
from explorer.corpus.readers.office import rtf
from explorer.corpus.readers.office.safe_zip import Archive, inside, open_archive
from explorer.corpus.readers.office.xml_stream import elements, parse
from explorer.corpus.readers.office.xml_text import OpenDocumentText, WordText
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.readers.office.xml_stream import Element
    from explorer.task import Task

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_HEAD = 4 * 2**20  # bytes searched for the sign of an encrypted package
_NAMES = {"creator": "author", "initial-creator": "author", "created": "date", "creation-date": "date"}
_KEPT = ("author", "subject", "keywords", "language", "date")


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a .docx or .odt file, told apart by content, as one document.

    A .doc that is RTF or .docx in truth is read as that.

    Raises:
        Unreadable: The file is encrypted, damaged, empty, unpacks to too much, or is of an old binary format.
    """
    with open_file(path, options) as file:
        head = file.read(_HEAD)
    if head.startswith(_OLE):
        raise _old_or_encrypted(path, head)
    if head.lstrip().startswith(b"{\\rtf"):
        yield from rtf.read(path, options, task)
        return
    with open_archive(path, options) as archive:
        document = _open_document(archive, task) if "content.xml" in archive else _word(archive, task)
    yield document


def _old_or_encrypted(path: Path, head: bytes) -> Unreadable:
    """OLE containers are what Word wrote before 2007, what Hancom writes, and what hides encrypted files."""
    if _PACKAGE in head:
        return Unreadable(
            "encrypted",
            "{file} is protected by a password. Save it without one and load it again.",
            file=path.name,
        )
    if path.suffix.lower() == ".hwp":
        return Unreadable(
            "binary",
            "{file} is a Hangul document. Save it as .docx, .odt or PDF in Hangul and load that.",
            file=path.name,
        )
    return Unreadable(
        "binary",
        "{file} is in the old binary format of Word. Open it in a word processor and save it as .docx.",
        file=path.name,
    )


def _word(archive: Archive, task: Task) -> Document:
    main = _main_part(archive)
    folder = main.rpartition("/")[0]
    notes = WordText(task)
    for kind in ("footnotes", "endnotes"):
        if (part := inside(folder, f"{kind}.xml")) in archive:
            parse(archive.chunks(part), notes, archive.path)
    body = WordText(task, notes.notes)
    parse(archive.chunks(main), body, archive.path)
    return _document(archive, body.text(), _properties(archive, "docProps/core.xml"))


def _main_part(archive: Archive) -> str:
    """Where the text is: named by the package's relations, else where Word puts it."""
    if "_rels/.rels" in archive:
        for element in elements(archive.chunks("_rels/.rels"), archive.path):
            if element.attributes.get("Type", "").endswith("/officeDocument"):
                target = element.attributes.get("Target", "").removeprefix("/")
                if (part := inside("", target)) in archive:
                    return part
    if "word/document.xml" not in archive:
        raise damaged(archive.path, UserMessage("it holds no Word document"))
    return "word/document.xml"


def _open_document(archive: Archive, task: Task) -> Document:
    manifest = "META-INF/manifest.xml"
    if manifest in archive:
        names = {element.name for element in elements(archive.chunks(manifest), archive.path)}
        if names & {"encryption-data", "encrypted-key"}:
            raise Unreadable(
                "encrypted",
                "{file} is protected by a password. Save it without one and load it again.",
                file=archive.path.name,
            )
    body = OpenDocumentText(task)
    parse(archive.chunks("content.xml"), body, archive.path)
    return _document(archive, body.text(), _properties(archive, "meta.xml"))


def _document(archive: Archive, text: str, properties: dict[str, str]) -> Document:
    text = tidy(text).strip()
    if not text:
        raise without_text(archive.path)
    metadata: dict[str, Value] = {name: properties[name] for name in _KEPT if name in properties}
    if "date" in metadata and not iso_date(str(metadata["date"])):
        metadata["date_text"] = metadata.pop("date")
    title = properties.get("title") or title_of(text, archive.path)
    return Document(text=text, title=title, metadata=metadata)


def _properties(archive: Archive, part: str) -> dict[str, str]:
    """Title, author and the like; none where the part is missing or damaged, for the text is what counts."""
    if part not in archive:
        return {}
    try:
        found = elements(archive.chunks(part), archive.path)
    except Unreadable as error:
        if error.reason != "damaged":
            raise
        return {}
    return _by_name(found)


def _by_name(found: list[Element]) -> dict[str, str]:
    properties: dict[str, str] = {}
    for element in found:
        value = one_line(element.text)
        name = _NAMES.get(element.name, element.name)
        if not value:
            continue
        # In .odt the first author is `initial-creator`, and `creator` whoever saved last.
        if name not in properties or element.name == "initial-creator":
            properties[name] = iso_date(value) or value if name == "date" else value
    return properties
