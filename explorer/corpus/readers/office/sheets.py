"""Read spreadsheets with their comments and charts: a document per row of a table of texts, else one per sheet."""

from __future__ import annotations

import html
import re
import struct
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, file_title, open_file, tidy, unpacks_too_far, without_text, word_set
from explorer.corpus.readers.office.blocks import DrawingText
from explorer.corpus.readers.office.docx_odt import OpenDocumentText
from explorer.corpus.readers.office.package import open_archive, parse
from explorer.corpus.readers.tables.columns import column_names, guess_layout, is_header
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.readers.office.package import Archive
    from explorer.task import Task


_SAMPLE = 200  # rows looked at to tell a table of texts from a sheet of figures
_LONG = 40  # characters in the middle of a text column; shorter cells are names and figures
_MOST_CELLS = 5_000_000
_NAMED = 5  # damaged sheets that a remark names
_XML_NOTES = re.compile(r"xl/(?:comments|threadedComments|drawings|charts|diagrams)/?[^/]*\.xml$|xl/comments\d*\.xml$")
_BINARY_NOTES = re.compile(r"xl/comments\d*\.bin$")
_WORKSHEET = re.compile(r"xl/(?:work|chart)sheets/[^/]*\.xml$")
_ODF_CHART = re.compile(r"Object [^/]*/content\.xml")
_TAIL = 2**16  # bytes at the end of a sheet's XML, where its page header and footer are
_PAGE_MARGIN = re.compile(r"<(?:\w+:)?(?:odd|even|first)(Header|Footer)>([^<]*)<")
_PAGE_CODE = re.compile(r"&(?:\"[^\"]*\"|K[0-9A-F]{6}|\d+|[A-Za-z])")  # fonts, sizes, page numbers, dates
_STEPS = 5_000  # records between two looks at the clock
# Records of .xls.
_HEADER, _FOOTER, _CONTINUE, _OBJECT, _TEXT_OBJECT, _CHART_TEXT = 0x14, 0x15, 0x3C, 0x5D, 0x1B6, 0x100D
_COMMENT_OBJECT = 0x19
_COMMENT_TEXT = 637  # a record of .xlsb
_SHAPES = word_set("text-box custom-shape rect ellipse circle line polyline polygon path connector caption")
_ODF_MARKS = {
    "annotation": "Comment",
    **dict.fromkeys(("header", "header-left", "header-first"), "Header"),
    **dict.fromkeys(("footer", "footer-left", "footer-first"), "Footer"),
}
_ODF_FIELDS = word_set("sheet-name title page-number page-count date time file-name")
_LONGER_THAN_PAGE = 10  # letters beside a field: LibreOffice puts "Page 1" under every sheet


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read the sheets of a file in order, hidden ones marked.

    A sheet with column names over rows of which one column holds texts gives a document per row, its part being
    "Sheet row N"; any other sheet is one document, a line per row. Comments and text boxes follow.

    Raises:
        Unreadable: It is encrypted, damaged or empty, or has too many cells.
    """
    damaged_sheets: list[str] = []
    last: Document | None = None
    try:
        for document in _of_book(path, options, task, damaged_sheets):
            if last is not None:
                yield last
            last = document
    except Unreadable:
        if last is not None:  # it was read before the damage
            yield last
        raise
    if last is None:
        raise damaged(path, UserMessage("none of its sheets can be read")) if damaged_sheets else without_text(path)
    if damaged_sheets:
        names = ", ".join(damaged_sheets[:_NAMED])
        remark = UserMessage(
            "Sheets that are damaged and were left out: {count} ({names}).", count=len(damaged_sheets), names=names
        )
        last = replace(last, remarks=(*last.remarks, remark))
    yield last


def _of_book(path: Path, options: ReadOptions, task: Task, damaged_sheets: list[str]) -> Iterator[Document]:
    """Yield the documents of a file; the names of sheets that cannot be read are added to the list."""
    import python_calamine as calamine

    with open_file(path, options) as file:
        try:
            book = calamine.load_workbook(file)
        except calamine.PasswordError as error:
            raise Unreadable(
                "encrypted", "{file} is protected by a password. Save it without one and load it again.", file=path.name
            ) from error
        except (calamine.CalamineError, OSError, ValueError) as error:
            raise damaged(path, UserMessage("it cannot be opened as a spreadsheet")) from error
        left = _MOST_CELLS
        for sheet in book.sheets_metadata:
            task.check()
            try:
                rows = _rows(book.get_sheet_by_name(sheet.name))
            except (calamine.CalamineError, ValueError):
                if sheet.typ == calamine.SheetTypeEnum.WorkSheet:  # a chart has no cells to read
                    damaged_sheets.append(sheet.name)
                continue
            left -= sum(map(len, rows))
            if left < 0:
                raise unpacks_too_far(path)
            hidden = sheet.visible != calamine.SheetVisibleEnum.Visible
            yield from _documents(path, sheet.name, rows, options, hidden=hidden)
    if text := notes_of(path, options, task):
        yield Document(text=text, title=f"{file_title(path)}: comments", part="comments and boxes")


def _rows(sheet: Any) -> list[list[str]]:
    rows = [[_shown(cell) for cell in row] for row in sheet.to_python(skip_empty_area=True)]
    return [row for row in rows if any(row)]


def _shown(cell: object) -> str:
    """Return what a cell shows, about."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time(0):
        return cell.date().isoformat()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else tidy(str(cell)).strip()


def _documents(
    path: Path, name: str, rows: Sequence[list[str]], options: ReadOptions, *, hidden: bool
) -> Iterator[Document]:
    if not rows:
        return
    metadata: dict[str, Value] = {"sheet": name}
    if hidden:
        metadata["hidden"] = True
    layout = _text_layout(rows, options)
    if layout is None:
        lines = "\n".join("\t".join(row).rstrip() for row in rows)
        mark = "[Hidden sheet]\n" if hidden else ""
        yield Document(text=mark + lines, title=f"{file_title(path)}: {name}", part=name, metadata=metadata)
        return
    names, text_column, title_column = layout
    for number, row in enumerate(rows[1:], start=1):
        values: dict[str, Value] = {key: cell for key, cell in zip(names, row, strict=False) if cell}
        text = str(values.pop(text_column, ""))
        title = str(values.pop(title_column, "")) if title_column else ""
        if not text:  # a row without the long text is still a row
            text = "\n".join(f"{key}: {value}" for key, value in values.items()) or title
        if text:
            label = title or text.partition("\n")[0][:100]
            yield Document(text=text, title=label, part=f"{name} row {number}", metadata={**values, **metadata})


def _text_layout(rows: Sequence[list[str]], options: ReadOptions) -> tuple[tuple[str, ...], str, str] | None:
    """Return column names, the text's and the title's column of a table of texts; None for any other sheet."""
    sample = list(islice(rows[1:], _SAMPLE))
    asked = [options.text_column] if options.text_column else []
    if len(sample) < 2 or not is_header(rows[0], sample, asked=asked):
        return None
    names = column_names(rows[0])
    layout = guess_layout([dict(zip(names, row, strict=False)) for row in sample], options.text_column)
    if layout is None or layout.text not in names:
        return None
    lengths = sorted(len(row[names.index(layout.text)]) for row in sample if len(row) > names.index(layout.text))
    if not asked and (not lengths or lengths[len(lengths) // 2] < _LONG):
        return None
    return names, layout.text, layout.title


def notes_of(path: Path, options: ReadOptions, task: Task) -> str:
    """Return all text of a spreadsheet that is not in its cells, each kind marked; empty where there is none.

    Raises:
        Unreadable: A part is damaged, or unpacks to too much.
    """
    with path.open("rb") as file:
        is_archive = file.read(2) == b"PK"
    if is_archive:
        with open_archive(path, options) as archive:
            texts = list(_of_archive(archive, task))
    else:
        texts = list(_of_xls(path, options, task))
    texts = [tidy(text).strip() for text in texts]
    return "\n\n".join(dict.fromkeys(text for text in texts if text))


def _marked(mark: str, text: str) -> str:
    return f"[{mark}: {text.strip()}]" if mark and text.strip() else text


def _of_archive(archive: Archive, task: Task) -> Iterator[str]:
    for name in archive.names:
        task.check()
        if _XML_NOTES.match(name):
            drawing = DrawingText(task)
            parse(archive.chunks(name), drawing, archive.path)
            yield _marked("Comment" if "omments" in name else "Chart" if "/charts/" in name else "", drawing.text())
        elif _BINARY_NOTES.match(name):
            for text in _binary_comments(archive.read(name)):
                yield _marked("Comment", text)
        elif _WORKSHEET.match(name):
            yield from _page_margins(archive, name)
        elif _ODF_CHART.fullmatch(name):
            chart_text = OpenDocumentText(task)
            parse(archive.chunks(name), chart_text, archive.path)
            yield _marked("Chart", chart_text.text())
        elif name in ("content.xml", "styles.xml"):
            sides = _OpenDocumentSides(task)
            parse(archive.chunks(name), sides, archive.path)
            yield from sides.texts


def _page_margins(archive: Archive, name: str) -> Iterator[str]:
    """Yield the page headers and footers of a sheet, without parsing its cells again."""
    tail = b""
    for chunk in archive.chunks(name):
        tail = (tail + chunk)[-_TAIL:]
    for match in _PAGE_MARGIN.finditer(tail.decode("utf-8", "replace")):
        yield _marked(match[1], _plain(html.unescape(match[2])))


def _plain(margin: str) -> str:
    """Return a page header without its codes, such as "&L" for what is at the left."""
    return " ".join("&".join(_PAGE_CODE.sub(" ", part) for part in margin.split("&&")).split())


def _binary_comments(data: bytes) -> Iterator[str]:
    """Yield the comments of an .xlsb: records of a type and a size, both of seven bits a byte."""
    position = 0
    while position + 2 <= len(data):
        kind = data[position]
        position += 1
        if kind & 0x80:
            kind = kind & 0x7F | data[position] << 7  # there is a byte: the loop asked for two
            position += 1
        size = 0
        for shift in (0, 7, 14, 21):
            if position >= len(data):
                return
            size |= (data[position] & 0x7F) << shift
            position += 1
            if not data[position - 1] & 0x80:
                break
        if kind == _COMMENT_TEXT and size >= 5:  # a byte of flags, the length, the text
            length = min(struct.unpack_from("<I", data.ljust(position + 5, b"\0"), position + 1)[0], size // 2)
            yield data[position + 5 : position + 5 + 2 * length].decode("utf-16-le", "replace")
        position += size


def _of_xls(path: Path, options: ReadOptions, task: Task) -> Iterator[str]:
    """Yield the comments, text boxes, chart texts and page margins of an .xls of Excel 97 and later."""
    import olefile

    with open_file(path, options) as file:
        try:
            ole = olefile.OleFileIO(file)
            data = ole.openstream("Workbook").read() if ole.exists("Workbook") else b""
        except (OSError, ValueError, IndexError, struct.error, TypeError, AttributeError, RecursionError):
            return  # the cells were read; a container damaged elsewhere costs the notes
    mark, left, pieces = "", 0, list[str]()
    for number, (kind, content) in enumerate(_records(data)):
        if number % _STEPS == 0:
            task.check()
        if kind == _OBJECT and len(content) >= 6:
            mark = "Comment" if struct.unpack_from("<H", content, 4)[0] == _COMMENT_OBJECT else ""
        elif kind == _TEXT_OBJECT and len(content) >= 12:
            left, pieces = struct.unpack_from("<H", content, 10)[0], []  # the text is in the records that follow
        elif kind == _CONTINUE and left and content:
            piece = _letters(content, left)
            left -= max(1, len(piece))
            pieces.append(piece)
            if left <= 0:
                yield _marked(mark, "".join(pieces))
                left = 0
        elif kind == _CHART_TEXT and len(content) > 3:
            yield _marked("Chart", _letters(content[3:], content[2]))
        elif kind in (_HEADER, _FOOTER) and len(content) > 3:
            text = _plain(_letters(content[2:], struct.unpack_from("<H", content)[0]))
            yield _marked("Header" if kind == _HEADER else "Footer", text)


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 0
    while position + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, position)
        yield kind, data[position + 4 : position + 4 + size]
        position += 4 + size


def _letters(content: bytes, count: int) -> str:
    """Return up to that many letters behind a byte that says whether each takes two bytes."""
    if content[0] & 1:
        return content[1 : 1 + 2 * count].decode("utf-16-le", "replace")
    return content[1 : 1 + count].decode("latin-1")


class _OpenDocumentSides:
    """Gathers the comments, text boxes, page headers and footers of an .ods.

    Attributes:
        texts: What was found, marked.
    """

    def __init__(self, task: Task) -> None:
        self.texts: list[str] = []
        self._task = task
        self._steps = 0
        self._sides: list[list[str]] = []  # the paragraphs of each side text now open
        self._paragraphs: list[list[str]] = []
        self._fields = 0
        self._has_field = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        """See `package.Handler`."""
        self._steps += 1
        if self._steps % _STEPS == 0:
            self._task.check()
        if name in _SHAPES or name in _ODF_MARKS:
            self._sides.append([])
        elif self._sides and name == "p":
            self._paragraphs.append([])
            self._has_field = False
        elif self._paragraphs and name in _ODF_FIELDS:
            self._fields += 1
            self._has_field = True
        elif self._paragraphs and name in ("s", "tab", "line-break"):
            self._paragraphs[-1].append(" ")

    def data(self, text: str) -> None:
        """See `package.Handler`."""
        if self._paragraphs and not self._fields:
            self._paragraphs[-1].append(text)

    def end(self, name: str) -> None:
        """See `package.Handler`."""
        if name in _SHAPES or name in _ODF_MARKS:
            text = "\n".join(self._sides.pop()) if self._sides else ""
            self.texts.append(_marked(_ODF_MARKS.get(name, ""), text))
        elif self._sides and self._paragraphs and name == "p":
            text = " ".join("".join(self._paragraphs.pop()).split())
            if not self._has_field or sum(map(str.isalpha, text)) > _LONGER_THAN_PAGE:
                self._sides[-1].append(text)
        elif self._paragraphs and name in _ODF_FIELDS:
            self._fields -= 1
