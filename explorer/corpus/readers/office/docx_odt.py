"""Read .docx and .odt files, and explain what to do about older formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, one_line, open_file, tidy, title_of, without_text
from explorer.corpus.readers.office import rtf
from explorer.corpus.readers.office.package import Archive, elements, inside, open_archive, parse
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.readers.office.package import Element
    from explorer.task import Task

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_HEAD = 4 * 2**20  # bytes searched for the sign of an encrypted package
_NAMES = {"creator": "author", "initial-creator": "author", "created": "date", "creation-date": "date"}
_KEPT = ("author", "subject", "keywords", "language", "date")
_STEPS = 5_000  # elements between two looks at the clock
_MOST_SPACES = 1_000  # an attribute can ask for any number of them


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
    """Return the error for an OLE container: Word before 2007, Hangul, or an encrypted file."""
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


class _Blocks:
    """Paragraphs and tables under construction.

    A container is the document, a cell of a table, or a note; `_containers` are those now open, the
    innermost last, and `_lines` the paragraphs now open: a text box is a paragraph within a paragraph.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._containers: list[list[str]] = [[]]
        self._lines: list[list[str]] = []
        self._rows: list[list[str]] = []
        self._cells: list[list[str]] = []
        self._hidden = 0
        self._seen = 0

    def text(self) -> str:
        """Return all that was gathered, with blank lines between paragraphs."""
        return "\n\n".join(self._containers[0])

    def _tick(self) -> None:
        self._seen += 1
        if self._seen % _STEPS == 0:
            self._task.check()

    def _add(self, text: str) -> None:
        if self._lines and not self._hidden:
            self._lines[-1].append(text)

    def _end_paragraph(self) -> None:
        if not self._lines:
            return
        text = "".join(self._lines.pop()).strip()
        if text:
            self._containers[-1].append(text)

    def _end_container(self) -> list[str]:
        return self._containers.pop() if len(self._containers) > 1 else []

    def _end_cell(self) -> None:
        text = " ".join(" ".join(block.split()) for block in self._end_container())
        if self._cells:
            self._cells[-1].append(text)

    def _end_row(self) -> None:
        row = "\t".join(self._cells.pop()).rstrip() if self._cells else ""
        if row and self._rows:
            self._rows[-1].append(row)

    def _end_table(self) -> None:
        rows = self._rows.pop() if self._rows else []
        if rows:
            self._containers[-1].append("\n".join(rows))


class WordText(_Blocks):
    """Gathers the text of a part of a .docx.

    Text that was deleted or moved away, field codes and the second form of drawings are left out.
    A note follows the paragraph that refers to it.

    Attributes:
        notes: Notes by their id, where the part is one of notes.
    """

    _HIDDEN = frozenset({"Fallback", "moveFrom", "del"})

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
        elif name in ("footnoteReference", "endnoteReference"):
            self._wanted.append(f"{name[:-9]} {attributes.get('id', '')}")
        elif name in ("footnote", "endnote"):
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
        elif name == "tbl":
            self._rows.append([])
        elif name == "tr":
            self._cells.append([])
        elif name == "tc":
            self._containers.append([])

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
        elif name == "p":
            self._end_paragraph()
            wanted, self._wanted = self._wanted, []
            self._containers[-1].extend(text for note in wanted if (text := self._known.get(note, "")))
        elif name == "tc":
            self._end_cell()
        elif name == "tr":
            self._end_row()
        elif name == "tbl":
            self._end_table()
        elif name in ("footnote", "endnote"):
            self.notes[self._note] = "\n".join(self._end_container())


class OpenDocumentText(_Blocks):
    """Gathers the text of an .odt; a note follows the paragraph that refers to it."""

    _HIDDEN = frozenset({"tracked-changes", "annotation", "note-citation", "ruby-text", "desc"})
    _PARAGRAPHS = frozenset({"p", "h"})

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._notes: list[str] = []
        self._note_depth = 0
        self._in_body = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `package.Handler`."""
        self._tick()
        if name == "body":
            self._in_body = True
        elif name in self._HIDDEN:
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
        elif name in ("note-body", "table-cell"):
            self._note_depth += name == "note-body"
            self._containers.append([])
        elif name == "table":
            self._rows.append([])
        elif name == "table-row":
            self._cells.append([])

    def data(self, text: str) -> None:
        """See `package.Handler`."""
        self._add(" ".join(f".{text}.".split())[1:-1] if "\n" in text else text)

    def end(self, name: str) -> None:
        """See `package.Handler`."""
        if name in self._HIDDEN:
            self._hidden -= 1
        elif name in self._PARAGRAPHS and self._in_body:
            self._end_paragraph()
            if not self._note_depth:
                self._containers[-1].extend(self._notes)
                self._notes = []
        elif name == "note-body":
            self._note_depth -= 1
            self._notes.extend(self._end_container())
        elif name == "table-cell":
            self._end_cell()
        elif name == "table-row":
            self._end_row()
        elif name == "table":
            self._end_table()
