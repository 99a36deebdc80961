"""Read .docx, .odt and .fodt files: the text with its notes, comments, headers, charts and diagrams."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, one_line, open_file, size_of, tidy, title_of, too_large, without_text
from explorer.corpus.readers.inner import inner_text
from explorer.corpus.readers.office import legacy, rtf
from explorer.corpus.readers.office.blocks import DrawingText, TextBlocks
from explorer.corpus.readers.office.package import Archive, elements, inside, open_archive, parse, relations
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.readers.office.package import Element
    from explorer.task import Task

_HEAD = 2**16
_NAMES = {"creator": "author", "initial-creator": "author", "created": "date", "creation-date": "date"}
_METADATA_NAMES = ("author", "subject", "keywords", "language", "date")
_ODF_MARKS = {"annotation": "Comment", "notes": "Notes", "header": "Header", "footer": "Footer"}
_SIDE_PARTS = {"header": "Header", "footer": "Footer", "chart": "Chart", "diagramData": "Diagram"}
_MOST_SPACES = 1_000  # an attribute can ask for any number of them


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a .docx or .odt file, told apart by content, as one document.

    A .doc that is RTF or .docx in truth is read as that.

    Raises:
        Unreadable: The file is encrypted, damaged, empty, unpacks to too much, or is of an old binary format.
    """
    with open_file(path, options) as file:
        head = file.read(_HEAD)
        if head.startswith(legacy.OLE):
            yield from legacy.read(path, options, task)
            return
        if head.lstrip()[:1] == b"<":
            file.seek(0)
            yield _flat(path, file, options, task)
            return
    if head.lstrip().startswith(b"{\\rtf"):
        yield from rtf.read(path, options, task)
        return
    with open_archive(path, options) as archive:
        document = open_document(archive, task) if "content.xml" in archive else _word(archive, options, task)
    yield document


def _flat(path: Path, file: BinaryIO, options: ReadOptions, task: Task) -> Document:
    """Read an OpenDocument text or presentation that is one XML file (.fodt, .fodp)."""
    if size_of(file) > options.max_unpacked:
        raise too_large(path, options.max_unpacked)
    body = OpenDocumentText(task)
    parse(iter(lambda: file.read(_HEAD), b""), body, path)
    text = tidy(body.text()).strip()
    if not text:
        raise without_text(path)
    return Document(text=text, title=title_of(text, path))


def _word(archive: Archive, options: ReadOptions, task: Task) -> Document:
    main = _main_part(archive)
    targets = relations(archive, main)
    known: dict[str, str] = {}
    for kind in ("comments", "footnotes", "endnotes"):  # the last two may have comments of their own
        usual = inside(main.rpartition("/")[0], f"{kind}.xml")
        parts = [target.part for target in targets.values() if target.kind == kind] or [usual]
        if parts[0] in archive:
            notes = WordText(task, known)
            parse(archive.chunks(parts[0]), notes, archive.path)
            known |= notes.notes
    for key, target in targets.items():
        if target.kind == "aFChunk":  # another document, whole, in this one
            known[f"altChunk {key}"] = inner_text(archive.path, target.part, archive.read(target.part), options, task)
    body = WordText(task, known)
    parse(archive.chunks(main), body, archive.path)
    texts = [body.text()]
    for target in targets.values():
        if target.kind in _SIDE_PARTS:
            side: WordText | DrawingText = (
                DrawingText(task) if target.kind in ("chart", "diagramData") else WordText(task, known)
            )
            parse(archive.chunks(target.part), side, archive.path)
            text = f"[{_SIDE_PARTS[target.kind]}: {side.text()}]" if side.text().strip() else ""
            if text and text not in texts:  # each section repeats its header
                texts.append(text)
    # Comments on what is not shown, such as a deleted header.
    gathered = " ".join(" ".join(texts).split())
    comments = [text for key, text in known.items() if key.startswith("comment ") and text]
    texts += [text for text in comments if " ".join(text.split()) not in gathered]
    return make(archive, "\n\n".join(texts), "docProps/core.xml")


def _main_part(archive: Archive) -> str:
    """Return where the text is: named by the package's relations, else where Word puts it."""
    if "_rels/.rels" in archive:
        for element in elements(archive.chunks("_rels/.rels"), archive.path):
            if element.attributes.get("Type", "").endswith("/officeDocument"):
                target = element.attributes.get("Target", "").removeprefix("/")
                if (part := inside("", target)) in archive:
                    return part
    if "word/document.xml" not in archive:
        raise damaged(archive.path, UserMessage("it holds no Word document"))
    return "word/document.xml"


def open_document(archive: Archive, task: Task) -> Document:
    """Read an OpenDocument text or presentation; raises as `read` does."""
    manifest = "META-INF/manifest.xml"
    if manifest in archive:
        names = {element.name for element in elements(archive.chunks(manifest), archive.path)}
        if names & {"encryption-data", "encrypted-key"}:
            raise Unreadable(
                "encrypted",
                "{file} is protected by a password. Save it without one and load it again.",
                file=archive.path.name,
            )
    texts = []
    # The headers and footers are in the styles, charts in objects of their own.
    objects = [name for name in archive.names if re.fullmatch(r"Object [^/]*/content\.xml", name)]
    for part in ("content.xml", "styles.xml", *objects):
        if part in archive:
            body = OpenDocumentText(task)
            parse(archive.chunks(part), body, archive.path)
            text = body.text()
            texts.append(f"[Chart: {text}]" if part in objects and text else text)
    return make(archive, "\n\n".join(texts), "meta.xml")


def make(archive: Archive, text: str, properties_part: str) -> Document:
    """Make the document of an archive, with the properties of that part; raises Unreadable where there is no text."""
    properties = _properties(archive, properties_part)
    text = tidy(text).strip()
    if not text:
        raise without_text(archive.path)
    metadata: dict[str, Value] = {name: properties[name] for name in _METADATA_NAMES if name in properties}
    if "date" in metadata and not iso_date(str(metadata["date"])):
        metadata["date_text"] = metadata.pop("date")
    title = properties.get("title") or title_of(text, archive.path)
    return Document(text=text, title=title, metadata=metadata)


def _properties(archive: Archive, part: str) -> dict[str, str]:
    """Return title, author and the like; none if the part is missing or damaged, since the text is what counts."""
    if part not in archive:
        return {}
    try:
        parsed = elements(archive.chunks(part), archive.path)
    except Unreadable as error:
        if error.reason != "damaged":
            raise
        return {}
    return _by_name(parsed)


def _by_name(parsed: list[Element]) -> dict[str, str]:
    properties: dict[str, str] = {}
    for element in parsed:
        value = one_line(element.text)
        name = _NAMES.get(element.name, element.name)
        if not value:
            continue
        # In .odt the first author is `initial-creator`, and `creator` whoever saved last.
        if name not in properties or element.name == "initial-creator":
            properties[name] = iso_date(value) or value if name == "date" else value
    return properties


class WordText(TextBlocks):
    """Gathers the text of a part of a .docx.

    Text that was deleted or moved away, field codes and the second form of drawings are left out.
    A note follows the paragraph that refers to it.

    Attributes:
        notes: Notes by their id, where the part is one of notes.
    """

    _HIDDEN = frozenset({"Fallback", "moveFrom", "del"})
    _NOTES = frozenset({"footnote", "endnote", "comment"})

    def __init__(self, task: Task, notes: Mapping[str, str] | None = None) -> None:
        super().__init__(task)
        self.notes: dict[str, str] = {}
        self._known = notes or {}
        self._wanted: list[str] = []
        self._in_text = False
        self._note = ""
        self._parents: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `package.Handler`."""
        self._tick()
        parent = self._parents[-1] if self._parents else ""
        self._parents.append(name)
        if name in self._HIDDEN:
            self._hidden += 1
        elif name == "p":
            self._lines.append([])
        elif name == "t":
            self._in_text = True
        elif name in ("footnoteReference", "endnoteReference", "commentReference", "altChunk"):
            self._wanted.append(f"{name.removesuffix('Reference')} {attributes.get('id', '')}")
        elif name in self._NOTES:
            self._note = f"{name} {attributes.get('id', '')}"
            self._containers.append([])
        else:
            self._start_other(name, parent)

    def _start_other(self, name: str, parent: str) -> None:
        if name == "tab" and parent != "tabs":  # in `tabs` it is a stop on the ruler
            self._add("\t")
        elif name in ("br", "cr"):
            self._add("\n")
        elif name == "noBreakHyphen":
            self._add("-")
        else:
            self._start_table(name, "tbl", "tr", "tc")

    def data(self, text: str) -> None:
        """See `package.Handler`."""
        if self._in_text:
            self._add(text)

    def end(self, name: str) -> None:
        """See `package.Handler`."""
        self._parents.pop()
        if name in self._HIDDEN:
            self._hidden -= 1
        elif name == "t":
            self._in_text = False
        elif name in ("p", "altChunk"):
            if name == "p":
                self._end_paragraph()
            wanted, self._wanted = self._wanted, []
            self._containers[-1].extend(text for note in wanted if (text := self._known.get(note, "")))
        elif name in self._NOTES:
            text = "\n".join(self._end_container())
            self.notes[self._note] = f"[Comment: {text}]" if name == "comment" and text else text
        else:
            self._finish_table(name, "tbl", "tr", "tc")


class OpenDocumentText(TextBlocks):
    """Gathers the text of an .odt; a note follows the paragraph that refers to it."""

    _HIDDEN = frozenset({"tracked-changes", "note-citation", "ruby-text", "desc"})
    _OF_COMMENTS = frozenset({"creator", "date", "sender-initials", "creator-initials"})
    _PARAGRAPHS = frozenset({"p", "h"})

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._notes: list[str] = []
        self._note_depth = 0
        self._in_comment = False
        self._in_body = False
        self._in_chart = 0
        self._in_spreadsheet = False
        self._is_figure = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `package.Handler`."""
        self._tick()
        if name in ("body", "master-styles"):
            self._in_body = True
        elif self._hides(name):
            self._hidden += 1
        elif name in self._PARAGRAPHS and self._in_body:
            self._lines.append([])
        elif name == "s":
            count = attributes.get("c", "1")
            self._add(" " * min(int(count) if count.isdecimal() and len(count) < 10 else 1, _MOST_SPACES))
        elif name == "tab":
            self._add("\t")
        elif name == "line-break":
            self._add("\n")
        elif name == "note-body" or name in _ODF_MARKS:
            self._note_depth += 1
            self._in_comment = name == "annotation"
            self._containers.append([])
        elif name in ("chart", "spreadsheet"):
            self._in_chart += name == "chart"
            self._in_spreadsheet |= name == "spreadsheet"
        else:
            self._start_table(name, "table", "table-row", "table-cell")
            if name == "table" and self._in_spreadsheet and (sheet := attributes.get("name", "")):
                self._containers[-1].append(sheet)
            elif name == "table-cell" and self._in_chart and attributes.get("value-type") == "float":
                self._is_figure = True  # what the chart draws is in the document already
                self._hidden += 1

    def _hides(self, name: str) -> bool:
        return name in self._HIDDEN or (self._in_comment and name in self._OF_COMMENTS)

    def data(self, text: str) -> None:
        """See `package.Handler`."""
        self._add(" ".join(f".{text}.".split())[1:-1] if "\n" in text else text)

    def end(self, name: str) -> None:
        """See `package.Handler`."""
        if self._hides(name):
            self._hidden -= 1
        elif name in self._PARAGRAPHS and self._in_body:
            self._end_paragraph()
            if not self._note_depth:
                self._containers[-1].extend(self._notes)
                self._notes = []
        elif name == "note-body" or name in _ODF_MARKS:
            self._note_depth -= 1
            self._in_comment = False
            texts = self._end_container()
            mark = _ODF_MARKS.get(name)
            self._notes.extend([f"[{mark}: {chr(10).join(texts)}]"] if mark and texts else texts)
            if not self._lines:  # of a page or a slide, not of a paragraph
                self._containers[-1].extend(self._notes)
                self._notes = []
        elif name == "chart":
            self._in_chart -= 1
        else:
            if name == "table-cell" and self._is_figure:
                self._is_figure = False
                self._hidden -= 1
            self._finish_table(name, "table", "table-row", "table-cell")
