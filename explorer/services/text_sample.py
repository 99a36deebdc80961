"""A look at a few files of a folder before it is read: languages, what its tables hold, whether PDFs are scans."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.corpus.scan.scanner import FileEntry
    from explorer.task import Task

_logger = logging.getLogger(__name__)

_FILES = 40  # that are looked at, spread over the folder
_BYTES = 64 * 1024  # of each
_TABLES = 3  # whose columns are shown, the largest first
_ROWS = 4  # of a table that are shown
_PDFS, _PDF_SECONDS = 8, 2.0  # that are opened, in as many seconds each at most
_SCANNED_PAGE = 150_000  # bytes, about
_TEXTS = ("plain", "markdown", "restructured", "latex", "html", "subtitles", "mail", "notebook")  # read as text here


@dataclass(frozen=True)
class TablePreview:
    """The beginning of a table.

    Attributes:
        path: The file, below the folder.
        columns: Its columns.
        text_column: The column that is taken for the text.
        title_column: That for the title; empty where there is none.
        date_column: That for the date; empty where there is none.
        rows: The first rows, a cell for each column.
        count: About how many rows there are.
    """

    path: str
    columns: tuple[str, ...]
    text_column: str
    title_column: str
    date_column: str
    rows: tuple[tuple[str, ...], ...]
    count: int


@dataclass(frozen=True)
class TextSample:
    """What a look at some texts shows.

    Attributes:
        spoken: How many of the texts are in each language, by its code.
        tables: The largest tables.
        scanned_pages: About how many pages of all PDF files are pictures, by some of them.
    """

    spoken: Counter[str]
    tables: tuple[TablePreview, ...] = ()
    scanned_pages: int = 0


def sample_texts(entries: Sequence[FileEntry], task: Task) -> TextSample:
    """Look at some files; those that cannot be read are passed over.

    Raises:
        Cancelled: The task was cancelled.
    """
    from explorer.analysis.text.language import language
    from explorer.corpus.encoding.decode import decode
    from explorer.corpus.readers.registry import SUFFIXES

    spoken: Counter[str] = Counter()
    kinds = {"": "plain", **SUFFIXES}
    texts = [entry for entry in entries if kinds.get(entry.suffix) in _TEXTS and entry.size]
    for entry in texts[:: max(1, len(texts) // _FILES)][:_FILES]:
        task.check()
        try:
            with entry.location.open("rb") as file:
                spoken[language(decode(file.read(_BYTES)).text)] += 1
        except (OSError, ValueError, ExplorerError):
            _logger.info("a file could not be sampled", exc_info=True)
    tables = sorted((entry for entry in entries if kinds.get(entry.suffix) == "tables"), key=lambda one: -one.size)
    previews = [table for entry in tables[:_TABLES] if (table := _table(entry, task)) is not None]
    for table in previews:
        place = table.columns.index(table.text_column) if table.text_column in table.columns else -1
        spoken.update(language(row[place]) for row in table.rows if place >= 0)
    del spoken[""]
    return TextSample(spoken, tuple(previews), scanned_pages(entries, task))


def scanned_pages(entries: Sequence[FileEntry], task: Task) -> int:
    """Return about how many pages of the PDF files are pictures that only text recognition can read.

    Raises:
        Cancelled: The task was cancelled.
    """
    from explorer.corpus.document import ReadOptions, Unreadable
    from explorer.corpus.readers.process.pool import ReadRequest, shared_pool
    from explorer.corpus.readers.recognition import PICTURE_PAGES
    from explorer.corpus.readers.registry import SUFFIXES

    files = [entry for entry in entries if SUFFIXES.get(entry.suffix) == "pdf" and entry.size]
    opened = files[:: max(1, len(files) // _PDFS)][:_PDFS]
    pages, options = 0, ReadOptions(seconds=_PDF_SECONDS)
    requests = [ReadRequest(entry.location, entry.size, options) for entry in opened]
    with closing(shared_pool().read_files(requests)) as readings:
        for reading in readings:
            try:
                for document in reading.documents(task):
                    found = document.metadata.get(PICTURE_PAGES, 0)
                    pages += found if isinstance(found, int) else 0
            except Unreadable as error:
                if error.reason == "no text layer":  # it does not say of how many pages
                    pages += max(1, reading.request.size // _SCANNED_PAGE)
            except OSError:
                _logger.info("a file could not be sampled", exc_info=True)
    return round(pages * len(files) / len(opened)) if opened else 0


def _table(entry: FileEntry, task: Task) -> TablePreview | None:
    """Return the beginning of a table; None where it cannot be read as one."""
    from explorer.corpus.document import ReadOptions
    from explorer.corpus.readers.tables.columns import guess_layout
    from explorer.corpus.readers.tables.documents import columns, records

    options = ReadOptions()
    try:
        names, text = columns(entry.location, options, task)
        first = list(islice(records(entry.location, options, task), 50))
    except (OSError, ValueError, ExplorerError):
        _logger.info("a table could not be sampled", exc_info=True)
        return None
    if not names or not first:
        return None
    letters = sum(len(str(value)) + 1 for values in first for value in values.values())
    rows = tuple(tuple(str(values.get(name, "") or "") for name in names) for values in first[:_ROWS])
    packed = entry.suffix in (".parquet", ".pq")
    count = len(first) if len(first) < 50 else max(50, round(entry.size * (3 if packed else 1) * len(first) / letters))
    layout = guess_layout(first, "")
    dates = [name for name in names if _is_dates([values.get(name) for values in first])]
    date = next((name for name in dates if name.casefold() == "date"), next(iter(dates), ""))
    return TablePreview(entry.path, names, text, layout.title if layout else "", date, rows, count)


def _is_dates(values: Sequence[object]) -> bool:
    """Whether most of some values are dates; numbers are not."""
    from explorer.corpus.dates import iso_date

    dated = [isinstance(value, str) and bool(iso_date(value)) for value in values if value not in (None, "")]
    return bool(dated) and sum(dated) > len(dated) / 2
