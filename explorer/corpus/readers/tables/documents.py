"""Read tables of texts, one document per row: CSV, TSV, JSON, JSON Lines and Parquet."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, one_line, open_lines, tidy, title_of, without_text
from explorer.corpus.readers.tables.columns import (
    MISSING_IN_TEXTS,
    column_names,
    converter,
    guess_layout,
    is_header,
    is_missing,
)
from explorer.corpus.readers.tables.records import (
    Record,
    SkippedRow,
    delimiters,
    detect_dialect,
    json_records,
    line_records,
    parquet_records,
    split_rows,
)
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from explorer.corpus.document import ReadOptions
    from explorer.corpus.readers.files import LineReader
    from explorer.corpus.readers.tables.columns import ColumnLayout
    from explorer.corpus.readers.tables.records import CsvRow
    from explorer.task import Task

_SAMPLE = 200  # rows looked at to tell columns apart


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a table as one document per row, `part` being "row N" with N the data row from 1.

    The text is the column `options.text_column`, else one with a well-known name, else the one with the
    longest texts; other columns become metadata. Rows that cannot be used are named in a remark on the
    next document.

    Raises:
        Unreadable: The file is damaged, empty, not text, or no column of it holds text.
    """
    with _open_records(path, options, task) as (records, lines):
        for document in _documents(records, path, options):
            if lines is None:
                yield document
                continue
            remarks = (*lines.pop_remarks(), *document.remarks)
            yield replace(document, encoding=lines.encoding, confidence=lines.confidence, remarks=remarks)


def columns(path: Path, options: ReadOptions, task: Task) -> tuple[tuple[str, ...], str]:
    """Return the columns of a table, and the one that is taken for the text; empty where none is.

    Raises:
        Unreadable: The file is damaged, empty or not text.
    """
    with _open_records(path, options, task) as (records, _):
        first = [record.values for record in islice(records, _SAMPLE) if isinstance(record, Record)]
    layout = guess_layout(first, options.text_column)
    return tuple(dict.fromkeys(name for row in first for name in row)), layout.text if layout else ""


def records(path: Path, options: ReadOptions, task: Task) -> Iterator[dict[str, Any]]:
    """Yield the values of each row of a table by the names of its columns, for a look at it.

    Raises:
        Unreadable: The file is damaged, empty or not text.
    """
    with _open_records(path, options, task) as (rows, _):
        yield from (dict(record.values) for record in rows if isinstance(record, Record))


@contextmanager
def _open_records(
    path: Path, options: ReadOptions, task: Task
) -> Iterator[tuple[Iterator[Record | SkippedRow], LineReader | None]]:
    """Open the records of a table, with the lines they are read from if it is a text file."""
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".pq"):
        yield parquet_records(path, options, task), None
        return
    with open_lines(path, options, task) as lines:
        start = lines.sample.lstrip()[:1]
        if suffix in (".jsonl", ".ndjson"):
            yield line_records(lines), lines
        elif suffix == ".json" or (start in ("{", "[") and suffix not in (".csv", ".tsv", ".tab")):
            yield json_records(path, lines, options), lines
        else:
            yield _csv_records(path, lines, options), lines


def _documents(records: Iterator[Record | SkippedRow], path: Path, options: ReadOptions) -> Iterator[Document]:
    """Yield the documents of records, each told what was skipped before it, the last also what after."""
    first = list(islice(records, _SAMPLE))
    rows = [record.values for record in first if isinstance(record, Record)]
    layout = guess_layout(rows, options.text_column, options.title_column, options.date_column)
    if layout is None:
        raise _no_documents(path, first)
    waiting: Document | None = None
    skipped: list[SkippedRow] = []
    for record in chain(first, records):
        document = _document(record, layout, path) if isinstance(record, Record) else record
        if isinstance(document, SkippedRow):
            skipped.append(document)
            continue
        if waiting is not None:
            yield waiting
        remark = layout.remark if waiting is None else ""
        waiting = _add_remarks(document, remark, _skipped_remark(skipped))
        skipped = []
    if waiting is None:
        raise _no_documents(path, skipped)
    yield _add_remarks(waiting, _skipped_remark(skipped, after=True))


def _no_documents(path: Path, records: Sequence[Record | SkippedRow]) -> Unreadable:
    """Return the error for a table that gave no document."""
    skipped = [record for record in records if isinstance(record, SkippedRow)]
    if skipped and len(skipped) == len(records) and not all(record.blank for record in skipped):
        return damaged(
            path,
            UserMessage(
                "none of its rows can be read; {what} {reason}", what=skipped[0].what, reason=skipped[0].reason
            ),
        )
    if records and not skipped:
        return Unreadable(
            "empty", "No column of {file} holds text. Choose the column of the texts, or another file.", file=path.name
        )
    return without_text(path)


def _document(record: Record, layout: ColumnLayout, path: Path) -> Document | SkippedRow:
    values = dict(record.values)
    text = tidy(str(values.pop(layout.text, ""))).strip()
    if not text:
        return SkippedRow(UserMessage("row {number}", number=record.number), UserMessage("has no text"), blank=True)
    title = one_line(str(values.pop(layout.title, ""))) if layout.title else ""
    if layout.date in values:
        values["date"] = values[layout.date]
    return Document(
        text=text,
        title=title or title_of(text, path),
        part=f"row {record.number}",
        metadata=values,
        remarks=record.remarks,
    )


def _add_remarks(document: Document, *remarks: str) -> Document:
    added = tuple(remark for remark in remarks if remark)
    return replace(document, remarks=(*document.remarks, *added)) if added else document


def _skipped_remark(skipped: Sequence[SkippedRow], *, after: bool = False) -> str:
    """Return a sentence about the rows that were skipped before or after a document."""
    if not skipped:
        return ""
    what, reason = skipped[0].what, skipped[0].reason
    if len(skipped) == 1:
        return UserMessage(
            "Skipped after this: {row} {reason}." if after else "Skipped before this: {row} {reason}.",
            row=what,
            reason=reason,
        )
    return UserMessage(
        "Skipped after this: {count:,} rows; the first, {row} {reason}."
        if after
        else "Skipped before this: {count:,} rows; the first, {row} {reason}.",
        count=len(skipped),
        row=what,
        reason=reason,
    )


def _csv_records(path: Path, lines: LineReader, options: ReadOptions) -> Iterator[Record | SkippedRow]:
    """Yield the rows of delimited text, their cells turned into values."""
    rows = split_rows(lines, detect_dialect(lines.sample, delimiters(path)))
    sample = list(islice(rows, _SAMPLE + 1))
    if not sample:
        raise without_text(path)
    names, body = _names(sample, options.text_column)
    columns = [[row.cells[index] for row in body if index < len(row.cells)] for index in range(len(names))]
    convert = [converter(cells) for cells in columns]
    for number, row in enumerate(chain(body, rows), start=1):
        cells = zip(names, convert, row.cells, strict=False)
        values = {name: change(cell) for name, change, cell in cells if not is_missing(cell, MISSING_IN_TEXTS)}
        for index, cell in enumerate(row.cells[len(names) :], start=len(names) + 1):
            if (extra := tidy(cell)).strip():
                values[f"column {index}"] = extra
        yield Record(number, values, _ragged_remarks(row, len(names)))


def _names(sample: Sequence[CsvRow], asked: str) -> tuple[tuple[str, ...], Sequence[CsvRow]]:
    """Return the names of the columns, and the rows below them."""
    first, below = sample[0].cells, sample[1:]
    if is_header(first, [row.cells for row in below], asked=[asked] if asked else []):
        return column_names(first), below
    widths = sorted(len(row.cells) for row in sample)
    return column_names([""] * widths[len(widths) // 2]), sample


def _ragged_remarks(row: CsvRow, width: int) -> tuple[str, ...]:
    if row.broken:
        return (UserMessage("The quotes on line {line} do not match; they were taken as characters.", line=row.line),)
    if len(row.cells) == width or (not any(cell.strip() for cell in row.cells[width:]) and len(row.cells) > width):
        return ()
    return (
        UserMessage(
            "Line {line} has {count} cells where {expected} were expected.",
            line=row.line,
            count=len(row.cells),
            expected=width,
        ),
    )
