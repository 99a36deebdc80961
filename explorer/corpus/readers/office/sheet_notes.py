"""Read what spreadsheets hold beside their cells: comments, text boxes, labels of charts, page headers and footers.

python-calamine reads cells alone. [MS-XLS] and [MS-XLSB] are at
https://learn.microsoft.com/openspecs/office_file_formats/.
"""

from __future__ import annotations

import html
import re
import struct
from typing import TYPE_CHECKING

from explorer.corpus.readers.files import open_file, tidy, word_set
from explorer.corpus.readers.office.blocks import DrawingText
from explorer.corpus.readers.office.docx_odt import OpenDocumentText
from explorer.corpus.readers.office.package import open_archive, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from explorer.corpus.document import ReadOptions
    from explorer.corpus.readers.office.package import Archive
    from explorer.task import Task

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
    "annotation": "Comment", **dict.fromkeys(("header", "header-left", "header-first"), "Header"),
    **dict.fromkeys(("footer", "footer-left", "footer-first"), "Footer"),
}  # fmt: skip
_ODF_FIELDS = word_set("sheet-name title page-number page-count date time file-name")
_LONGER_THAN_PAGE = 10  # letters beside a field: LibreOffice puts "Page 1" under every sheet


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
            chart = OpenDocumentText(task)
            parse(archive.chunks(name), chart, archive.path)
            yield _marked("Chart", chart.text())
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
    place = 0
    while place + 2 <= len(data):
        kind = data[place]
        place += 1
        if kind & 0x80:
            kind = kind & 0x7F | data[place] << 7  # there is a byte: the loop asked for two
            place += 1
        size = 0
        for shift in (0, 7, 14, 21):
            if place >= len(data):
                return
            size |= (data[place] & 0x7F) << shift
            place += 1
            if not data[place - 1] & 0x80:
                break
        if kind == _COMMENT_TEXT and size >= 5:  # a byte of flags, the length, the text
            length = min(struct.unpack_from("<I", data.ljust(place + 5, b"\0"), place + 1)[0], size // 2)
            yield data[place + 5 : place + 5 + 2 * length].decode("utf-16-le", "replace")
        place += size


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
    place = 0
    while place + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, place)
        yield kind, data[place + 4 : place + 4 + size]
        place += 4 + size


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
        self._seen = 0
        self._sides: list[list[str]] = []  # the paragraphs of each side text now open
        self._paragraphs: list[list[str]] = []
        self._fields = 0
        self._has_field = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        """See `package.Handler`."""
        self._seen += 1
        if self._seen % _STEPS == 0:
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
