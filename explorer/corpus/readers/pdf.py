"""Read PDF files: the text of all pages as running text, and the document's properties."""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import threading
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from explorer.corpus.dates import iso_date
from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers import recognition
from explorer.corpus.readers.files import damaged, one_line, open_file, tidy, title_of, without_text
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.readers.recognition import RecognisedPage
    from explorer.task import Task

# pdfium may not be called from two threads at once, not even about two documents.
_PDFIUM = threading.Lock()
_DATE = re.compile(r"D?:?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-])(\d{2})'?(\d{2})?)?.*", re.DOTALL)
_POOR_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|제목 ?없음.*|.*\.(?:docx?|hwpx?|indd|tex|dvi|qxd|pdf))",
    re.IGNORECASE,
)
_BREAKS = (0, 10, 13)
_FEW_LETTERS = 20  # on a page, below which it counts as a picture
_MOST_PIXELS = 25_000_000  # of a page that is drawn: A3 at 300 dots per inch has 17 million
_MOST_ANNOTATIONS = 10_000
_LONGEST_NOTE = 2**20  # bytes
_MANY_LINES = 50  # drawn on a page: letters that were turned into outlines
_MOST_OBJECTS = 1_000  # of a page that are looked at
HYPHEN = "\x02"  # what pdfium puts in place of a hyphen that ends a line, together with the line's end
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": ""})
_BROKEN_WORD = re.compile(rf"(\w*){HYPHEN}\s*(\w*)")
_WORD = re.compile(r"\w+(?:-\w+)*")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？…][\"'”’)\]」』]*$")
_ITEM = re.compile(r"(?:[•◦▪■□●○※–·*-]|\(?\d{1,3}[.)]|[가-힣][.)]|[①-⑳])\s")
_ENDS_WITH_HYPHEN = re.compile(r"\w[-\u2010]\s*$")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u3000-\u3002\uff00-\uff60]")


@dataclass(frozen=True)
class _Content:
    """What a PDF holds.

    Attributes:
        pages: The text of each page.
        failed: How many pages could not be opened.
        pictures: How many are pictures without text, or with hardly any.
        garbled: How many have text in fonts that do not say what their letters are.
        properties: Title, author and the like.
        recognised: The pages whose text was recognised, by their number.
    """

    pages: list[str]
    failed: int
    pictures: int
    garbled: int
    properties: dict[str, str]
    recognised: dict[int, RecognisedPage]


@dataclass(frozen=True)
class _Page:
    """A page: its own text, the comments and form fields on it, and whether it shows more than text."""

    text: str
    notes: list[str]
    is_drawn: bool

    @property
    def is_picture(self) -> bool:
        return self.is_drawn and sum(not letter.isspace() for letter in self.text) < _FEW_LETTERS

    @property
    def is_garbled(self) -> bool:
        letters = [letter for letter in self.text if not letter.isspace()]
        strange = sum(unicodedata.category(letter) in ("Co", "Cn", "Cc") or letter == "\ufffd" for letter in letters)
        return strange > 0.3 * len(letters)

    @property
    def whole(self) -> str:
        return "\n\n".join(text for text in (self.text, *self.notes) if text)


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a PDF file as one document.

    Yields:
        The document; `pages` in its metadata is how many pages there are.

    Raises:
        Unreadable: The file is encrypted, damaged, or has no text on any page.
    """
    content = _content(path, options, task)
    pages = join_hyphenated(content.pages)
    # Programs on the Mac write Korean letters as their parts.
    text = unicodedata.normalize("NFC", tidy("\n\n".join(page for page in pages if page))).strip()
    if not text:
        raise recognition.nothing(path) if options.recognise and content.pages else _without_text(path, content)
    title = one_line(content.properties.get("Title", ""))
    metadata = _metadata(content)
    remarks: list[str] = []
    if content.failed:
        remarks.append(
            UserMessage(
                "{failed} of {pages} pages are damaged and were left out.",
                failed=content.failed,
                pages=len(content.pages),
            )
        )
    if content.recognised:
        known, remark = recognition.notes([*content.recognised.values()], len(content.pages), content.recognised)
        metadata |= known
        remarks.append(remark)
    elif not options.recognise:
        remarks += _unrecognised(content)
        if unread := content.pictures + content.garbled:
            metadata[recognition.PICTURE_PAGES] = unread
    yield Document(
        text=text,
        title=title if title and not _POOR_TITLE.fullmatch(title) else title_of(text, path),
        metadata=metadata,
        remarks=tuple(remarks),
    )


def _unrecognised(content: _Content) -> Iterator[UserMessage]:
    """Yield what is to be said of the pages that only recognition can read."""
    count = len(content.pages)
    if content.pictures:
        yield UserMessage("{count} of {pages} pages are pictures, without text.", count=content.pictures, pages=count)
    if content.garbled:
        yield UserMessage(
            "The text of {count} of {pages} pages is garbled. Index with text recognition (OCR) to read them.",
            count=content.garbled,
            pages=count,
        )


def _without_text(path: Path, content: _Content) -> Unreadable:
    if not content.pages or content.failed == len(content.pages):
        return damaged(path, UserMessage("none of its pages can be opened"))
    if not content.pictures:
        return without_text(path)
    return Unreadable(
        "no text layer",
        "{file} holds pictures of pages, such as scans, and no text. Index with text recognition (OCR) to read it.",
        file=path.name,
    )


def _metadata(content: _Content) -> dict[str, Value]:
    metadata: dict[str, Value] = {"pages": len(content.pages)}
    for name in ("Author", "Subject", "Keywords"):
        if value := one_line(content.properties.get(name, "")):
            metadata[name.lower()] = value
    written = content.properties.get("CreationDate") or content.properties.get("ModDate") or ""
    if date := _iso(written):
        metadata["date"] = date
    elif written.strip():
        metadata["date_text"] = one_line(written)
    return metadata


def _iso(text: str) -> str:
    """Return a PDF date such as "D:20240131120000+09'00'" as ISO 8601; empty if it is none."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return iso_date(text)
    year, month, day, hour, minute, second, utc, sign, zone_hours, zone_minutes = match.groups()
    date = "-".join((year, month or "01", day or "01"))
    if hour is None:
        return iso_date(date)
    zone = "Z" if utc else f"{sign}{zone_hours}:{zone_minutes or '00'}" if sign else ""
    return iso_date(f"{date}T{hour}:{minute or '00'}:{second or '00'}{zone}")


def _content(path: Path, options: ReadOptions, task: Task) -> _Content:
    with open_file(path, options) as file, _open_pdf(path, file) as pdf:
        with _PDFIUM:
            count = len(pdf)
            properties = pdf.get_metadata_dict(skip_empty=True)
            pdf.init_forms()
        pages, failed, pictures, garbled = [], 0, 0, 0
        recognised: dict[int, RecognisedPage] = {}
        for index in range(count):
            task.check()
            page = _page(pdf, index)
            if page is None:
                failed += 1
                pages.append("")
                continue
            pictures += page.is_picture
            garbled += page.is_garbled
            if options.recognise and (page.is_picture or page.is_garbled):
                with _PDFIUM:
                    picture = _picture(pdf, index)
                read = recognition.recognise(path, picture, options.recognise, task)
                if len(read.text) > len(page.text) or (page.is_garbled and read.text):
                    recognised[index + 1] = read
                    page = replace(page, text=read.text)
            pages.append(page.whole)
    return _Content(pages, failed, pictures, garbled, properties, recognised)


def _picture(pdf: Any, index: int) -> Any:
    """Return a page drawn for recognition."""
    page = pdf[index]
    try:
        width, height = page.get_size()
        scale = min(recognition.DOTS_PER_INCH / 72, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
        return page.render(scale=scale, grayscale=True).to_pil()
    finally:
        page.close()


@contextmanager
def _open_pdf(path: Path, file: Any) -> Iterator[Any]:
    """Open a PDF and free what pdfium holds of it on every way out."""
    import pypdfium2 as pdfium

    with _PDFIUM:
        try:
            # The open file rather than its path: pdfium may misread Korean names on Windows.
            pdf = pdfium.PdfDocument(file)
        except pdfium.PdfiumError as error:
            raise _open_failure(path, error.err_code) from error
    try:
        yield pdf
    finally:
        with _PDFIUM:
            pdf.close()


def _open_failure(path: Path, code: int | None) -> Unreadable:
    import pypdfium2.raw as pdfium_c

    if code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
        return Unreadable(
            "encrypted", "{file} is protected by a password. Save a copy without one and load that.", file=path.name
        )
    return damaged(path, UserMessage("it cannot be opened as a PDF"))


def _page(pdf: Any, index: int) -> _Page | None:
    """Return a page, counted from 0; None where it cannot be opened."""
    import pypdfium2 as pdfium

    with _PDFIUM:
        page = text_page = None
        try:
            page = pdf[index]
            text_page = page.get_textpage()
            lines = _lines(text_page)
            notes = _annotations(page, pdf.formenv)
            is_drawn = _is_drawn(page)
        except pdfium.PdfiumError:
            return None
        finally:
            for part in (text_page, page):
                if part is not None:
                    part.close()
    return _Page(join_lines(lines), notes, is_drawn)


def _is_drawn(page: Any) -> bool:
    """Return whether a page shows a picture or many lines, which may be text; a blank page or a rule does not."""
    import pypdfium2.raw as pdfium_c

    lines = 0
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page.raw), _MOST_OBJECTS)):
        kind = pdfium_c.FPDFPageObj_GetType(pdfium_c.FPDFPage_GetObject(page.raw, index))
        # What is in a form is not looked into: scanners wrap their pictures in one.
        if kind in (pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_FORM):
            return True
        lines += kind == pdfium_c.FPDF_PAGEOBJ_PATH
    return lines >= _MANY_LINES


def _annotations(page: Any, form: Any) -> list[str]:
    """Return the comments on a page and what its form fields hold, which is no part of the page's own text."""
    import pypdfium2.raw as pdfium_c

    texts = []
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium_c.FPDF_ANNOT_WIDGET and form is not None:
            name = _wide(pdfium_c.FPDFAnnot_GetFormFieldName, form.raw, annotation)
            value = _wide(pdfium_c.FPDFAnnot_GetFormFieldValue, form.raw, annotation)
            if value.strip() and value != "Off":  # an unchecked box
                texts.append(f"[Field {name}: {value}]")
        elif kind not in (pdfium_c.FPDF_ANNOT_WIDGET, pdfium_c.FPDF_ANNOT_LINK, pdfium_c.FPDF_ANNOT_POPUP):
            content = _wide(pdfium_c.FPDFAnnot_GetStringValue, annotation, b"Contents")
            texts += [f"[Comment: {content.strip()}]"] if content.strip() else []
        pdfium_c.FPDFPage_CloseAnnot(annotation)
    return list(dict.fromkeys(texts))


def _wide(function: Any, *arguments: Any) -> str:
    """Return the text that a function of pdfium writes into a buffer as UTF-16."""
    import pypdfium2.raw as pdfium_c

    size = min(function(*arguments, None, 0), _LONGEST_NOTE)
    buffer = ctypes.create_string_buffer(size)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0").replace("\r", "\n")


def _lines(text_page: Any) -> list[PdfLine]:
    """Return the lines of a page with their places."""
    import pypdfium2.raw as pdfium_c

    raw = text_page.raw
    codes = [pdfium_c.FPDFText_GetUnicode(raw, index) for index in range(max(0, text_page.count_chars()))]
    lines: list[PdfLine] = []
    start = 0
    for end in range(len(codes) + 1):
        if end == len(codes) or codes[end] in _BREAKS:
            lines.extend(_line(text_page, codes, start, end))
            start = end + 1
        elif chr(codes[end]) == HYPHEN:
            # pdfium leaves out the line's end after a hyphen.
            lines.extend(_line(text_page, codes, start, end + 1))
            start = end + 1
    return lines


def _line(text_page: Any, codes: list[int], start: int, end: int) -> Iterator[PdfLine]:
    import pypdfium2.raw as pdfium_c

    visible = [index for index in range(start, end) if not chr(codes[index]).isspace()]
    if not visible:
        return
    first, last = visible[0], visible[-1]
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium_c.FPDFText_GetCharOrigin(text_page.raw, first, x, y)
    right = text_page.get_charbox(last)[2]
    # On some systems pdfium gives characters beyond 0xFFFF as two surrogates.
    text = "".join(map(chr, codes[start:end])).encode("utf-16-le", "surrogatepass")
    yield PdfLine(text.decode("utf-16-le", "replace"), x.value, right, y.value, _size(text_page, first))


def _size(text_page: Any, index: int) -> float:
    """Return the size a character is printed in: that of its font, as the page scales it."""
    import pypdfium2.raw as pdfium_c

    matrix = pdfium_c.FS_MATRIX()
    size = pdfium_c.FPDFText_GetFontSize(text_page.raw, index)
    if pdfium_c.FPDFText_GetMatrix(text_page.raw, index, matrix):
        size *= math.hypot(matrix.c, matrix.d)
    return round(size, 1) if math.isfinite(size) and size > 0 else 10.0


@dataclass(frozen=True)
class PdfLine:
    """One printed line.

    Attributes:
        text: Its characters, a space at its end kept.
        left: Where its first character begins, in points.
        right: Where its last character ends.
        baseline: Height of its foot above the page's.
        size: Font size of its first character.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float


def join_lines(lines: Sequence[PdfLine]) -> str:
    """Return the text of a page: paragraphs and headings with a blank line between them.

    Where a line ends is layout, not text. A paragraph ends where the type size changes, where the page
    leaves more than the usual room, where an item of a list begins, and after a sentence that stops
    short of the margin or is followed by an indented line.
    """
    lines = [line for line in lines if line.text.strip()]
    if not lines:
        return ""
    leading = _leading(lines)
    # The usual width of a full line; a quarter of the lines at most are wider.
    margin = sorted(line.right - line.left for line in lines)[(3 * len(lines)) // 4]
    keeps_spaces = any(line.text[-1].isspace() for line in lines)
    pieces = [lines[0].text.strip()]
    for before, line in itertools.pairwise(lines):
        if _begins_paragraph(before, line, leading, margin):
            pieces.append("\n\n")
        else:
            pieces.append(_glue(before.text, line.text, keeps_spaces=keeps_spaces))
        pieces.append(line.text.strip())
    return "".join(pieces).translate(_LIGATURES)


def join_hyphenated(texts: Iterable[str]) -> list[str]:
    """Return the texts with the words that line ends broke made whole.

    The hyphen is dropped, unless the document writes the word with one elsewhere ("well-known"), or what
    follows is a number or begins with a capital ("Anglo-Saxon").
    """
    texts = list(texts)
    if not any(HYPHEN in text for text in texts):
        return texts
    written = {word.lower() for text in texts for word in _WORD.findall(text)}
    return [_BROKEN_WORD.sub(lambda match: _rejoin_word(match[1], match[2], written), text) for text in texts]


def _rejoin_word(start: str, end: str, written: set[str]) -> str:
    whole, hyphenated = start + end, f"{start}-{end}"
    if not start or not end:
        return hyphenated
    if whole.lower() in written:
        return whole
    keeps = hyphenated.lower() in written or not end[0].islower() or start[-1].isdigit()
    return hyphenated if keeps else whole


def _leading(lines: Sequence[PdfLine]) -> float:
    """Return the usual distance from one line to the next."""
    steps = [before.baseline - line.baseline for before, line in itertools.pairwise(lines)]
    steps = [step for step in steps if step > 1]
    return min(median(steps), 2 * median(line.size for line in lines)) if steps else 0.0


def _begins_paragraph(before: PdfLine, line: PdfLine, leading: float, margin: float) -> bool:
    step = before.baseline - line.baseline
    closed = bool(_ENDS_SENTENCE.search(before.text.rstrip()))
    if not closed and line.text.lstrip()[:1].islower() and 0 < step < 1.8 * leading:
        return False  # an open sentence goes on, be it in another font
    if abs(line.size - before.size) > 0.08 * max(line.size, before.size) or _ITEM.match(line.text.lstrip()):
        return True
    short = before.right - before.left < 0.85 * margin
    if step < 0:  # the next column: the sentence may go on there
        return closed or short
    if step > 1.35 * leading:
        return True
    indented = line.left - before.left > 0.8 * line.size
    return (closed and (short or indented)) or (short and _looks_like_heading(before, line))


def _looks_like_heading(before: PdfLine, line: PdfLine) -> bool:
    """Return whether a short line that ends no sentence stands over a text rather than in it."""
    width = before.right - before.left
    return width < 0.6 * (line.right - line.left) and not line.text.lstrip()[:1].islower()


def _glue(before: str, after: str, *, keeps_spaces: bool) -> str:
    """Return what stands between two lines once they are one: a space, or nothing.

    Chinese and Japanese have no spaces. Korean breaks a line inside a word too: a page that keeps the
    spaces at the ends of its lines tells the two apart.
    """
    last, first = before.rstrip()[-1:], after.lstrip()[:1]
    if last == HYPHEN or (_ENDS_WITH_HYPHEN.search(before) and first.isalnum()):
        return ""
    if _UNSPACED.match(last) and _UNSPACED.match(first):
        return ""
    inside_word = keeps_spaces and not before[-1].isspace() and not after[0].isspace()
    return "" if inside_word and _HANGUL.match(last) and _HANGUL.match(first) else " "
