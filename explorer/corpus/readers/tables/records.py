"""Read the rows of delimited text, whose dialect is detected, and the records of JSON, JSON Lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from explorer.corpus.document import Unreadable
from explorer.corpus.readers.files import damaged, most_unpacked, open_file, size_of, too_large, unpacks_too_far
from explorer.corpus.readers.tables.columns import column_names, storable
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task


_MOST_COLUMNS = 1_000  # of one record
_MOST_ITEMS = 100_000  # nodes of one record that are looked at
_BATCH = 256  # rows of Parquet in memory
_ROWS = 16  # rows of them as Python values
_LONGEST_NUMBER = 1_000  # digits
_LONG = 60  # characters; lists of longer texts are paragraphs, others are words
_ROW_TEMPLATES = {"line": "line {number}", "item": "item {number}", "row": "row {number}"}
NOT_JSON = UserMessage("is not JSON")
NOT_AN_OBJECT = UserMessage("is not a JSON object")
NO_DELIMITER = "\x1f"  # of a table with one column
_STATED = re.compile(r"\ufeff?\"?sep=(.)\"?\s*$", re.IGNORECASE)  # Excel's word for the delimiter, on the first line
_LONGEST_QUOTE = 5_000  # lines one quoted cell may take; beyond, its quote was never meant as one
_LARGEST_QUOTE = 16 * 2**20  # characters, likewise
_SHORTEST_QUOTE, _SMALLEST_QUOTE = 20, 64 * 2**10  # what is left of these limits after many such quotes
_FEW_BROKEN = 0.05  # of the rows: a quote that is never closed costs its row, not the quoting of the others


@dataclass(frozen=True)
class Record:
    """A row by column.

    Attributes:
        number: Which data row it is, from 1.
        values: Its cells, missing ones left out.
        remarks: Sentences about what was wrong with it.
    """

    number: int
    values: Mapping[str, Value]
    remarks: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class SkippedRow:
    """A row that gives no document.

    Attributes:
        what: Which one: "line 7".
        reason: What is wrong, to follow `what` in a sentence.
        blank: Whether it is merely empty.
    """

    what: str
    reason: str
    blank: bool = False


def load_json(source: str) -> Any:
    """Return the value of a JSON text; a number too long for Python's own limit stays text.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It nests too deeply.
    """
    try:
        return json.loads(source)
    except json.JSONDecodeError:
        raise
    except ValueError:  # more than 4,300 digits, which Python does not convert
        return json.loads(source, parse_int=lambda digits: int(digits) if len(digits) < _LONGEST_NUMBER else digits)


def json_lines(lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """Yield the line number and the value of each line of JSON Lines; NOT_JSON in place of a bad value."""
    for line, source in enumerate(lines, start=1):
        if source.strip():
            try:
                yield line, load_json(source)
            except (ValueError, RecursionError):
                yield line, NOT_JSON


def line_records(lines: Iterable[str]) -> Iterator[Record | SkippedRow]:
    """Yield the records of JSON Lines."""
    for number, (line, value) in enumerate(json_lines(lines), start=1):
        yield _record(number, value, "line", line)


def json_records(path: Path, lines: Iterable[str], options: ReadOptions) -> Iterator[Record | SkippedRow]:
    """Yield the items of a JSON list, of the one list inside an object, or the object itself.

    Raises:
        Unreadable: The file is not JSON, or too large to be held in memory.
    """
    source = _join(path, lines, options.max_unpacked // 4)
    try:
        value = load_json(source)
    except RecursionError:
        raise damaged(path, UserMessage("its values nest too deeply")) from None
    except ValueError as error:
        yield from _objects_a_line(path, source, error)
        return
    items = _items(value)
    del source, value
    for number, item in enumerate(items, start=1):
        yield _record(number, item, "item", number)


def parquet_records(path: Path, options: ReadOptions, task: Task) -> Iterator[Record | SkippedRow]:
    """Yield the rows of a Parquet file, a few hundred at a time.

    Raises:
        Unreadable: The file is damaged or encrypted.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    with open_file(path, options) as file:
        left = most_unpacked(size_of(file))
        try:
            table = pq.ParquetFile(file)
            for batch in table.iter_batches(batch_size=_BATCH, use_threads=False):
                task.check()
                for start in range(0, len(batch), _ROWS):
                    for row in batch.slice(start, _ROWS).to_pylist():
                        number += 1
                        left -= sum(len(cell) for cell in row.values() if isinstance(cell, str | bytes | list))
                        if left < 0:  # 500 bytes can repeat one long text in gigabytes of rows
                            raise unpacks_too_far(path)
                        yield _record(number, row, "row", number)
        except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError, KeyError) as error:
            if "encrypt" in str(error).lower():
                raise Unreadable(
                    "encrypted", "{file} is encrypted. Save it without encryption and load it again.", file=path.name
                ) from error
            raise damaged(path, UserMessage("the Parquet file is incomplete")) from error


def _join(path: Path, lines: Iterable[str], limit: int) -> str:
    pieces, size = [], 0
    for line in lines:
        size += len(line)
        if size > limit:
            raise too_large(path, limit)
        pieces.append(line)
    return "".join(pieces)


def _objects_a_line(path: Path, source: str, error: ValueError) -> Iterator[Record | SkippedRow]:
    """Yield the records of JSON Lines under another name: no JSON as a whole, but its first line is an object."""
    first = source.lstrip().partition("\n")[0]
    try:
        is_object = isinstance(load_json(first), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise damaged(path, UserMessage("it is not JSON ({reason})", reason=error)) from None
    yield from line_records(source.split("\n"))


def _items(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list) and item]
        if len(lists) == 1 and all(isinstance(item, dict) for item in lists[0]):
            return lists[0]
    return [value]


def _record(number: int, value: object, unit: str, position: int) -> Record | SkippedRow:
    if isinstance(value, str) and value is not NOT_JSON:
        value = {"text": value}
    if isinstance(value, dict):
        return Record(number, _flatten(value))
    # Formatted only here: most rows are good, and a message takes longer to make than a row to read.
    what = UserMessage(_ROW_TEMPLATES[unit], number=position)
    return SkippedRow(what, NOT_JSON if value is NOT_JSON else NOT_AN_OBJECT)


def _flatten(record: dict[str, Any]) -> dict[str, Value]:
    """Return the values of a record by their path, "a.b"; deep nesting takes no recursion."""
    cells: list[tuple[str, Value]] = []
    waiting: list[tuple[str, Any]] = [(str(key), value) for key, value in reversed(record.items())]
    seen = 0
    while waiting and len(cells) < _MOST_COLUMNS and seen < _MOST_ITEMS:
        name, value = waiting.pop()
        seen += 1
        if isinstance(value, dict):
            waiting.extend((f"{name}.{key}", inner) for key, inner in reversed(value.items()))
        elif isinstance(value, list | tuple) and any(isinstance(item, dict | list) for item in value):
            waiting.extend((f"{name}.{index}", inner) for index, inner in reversed(list(enumerate(value, 1))))
        elif (scalar := _scalar(value)) is not None:
            cells.append((name, scalar))
    names = column_names([name for name, _ in cells])
    return dict(zip(names, (value for _, value in cells), strict=True))


def _scalar(value: object) -> Value | None:
    if isinstance(value, list | tuple):
        words = [str(word) for item in value if (word := _scalar(item)) is not None]
        return ("\n" if any(len(word) > _LONG for word in words) else ", ").join(words) or None
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return storable(float(value))
    if isinstance(value, bytes):  # Parquet written by some programs holds its texts as bytes
        try:
            return storable(value.decode())
        except UnicodeDecodeError:
            return None
    return storable(value)


@dataclass(frozen=True)
class Dialect:
    """How cells are separated.

    Attributes:
        delimiter: The character between two cells.
        quoting: "strict" by the rules of CSV, "sloppy" where quotes also occur inside cells, "none" where
            they are characters like any other.
    """

    delimiter: str
    quoting: Literal["none", "sloppy", "strict"]


class CsvRow(NamedTuple):
    """One row.

    Attributes:
        line: Line of the file on which it begins, from 1.
        cells: Its cells.
        broken: Whether its quotes break the rules, so that they were taken as characters.
    """

    line: int
    cells: tuple[str, ...]
    broken: bool = False


def delimiters(path: Path) -> str:
    """Return the delimiters to try for a file, the likeliest first."""
    return ",;\t|" if path.suffix.lower() == ".csv" else "\t,;|"


def detect_dialect(sample: str, delimiters: str = ",;\t|") -> Dialect:
    """Return the dialect in which a sample gives the most even table.

    Args:
        sample: Whole lines from the beginning of the file.
        delimiters: Those to try; the first wins a draw.

    Quotes are taken at their word if every cell that opens with one closes with one and obeying them
    costs no row; sloppy quoting is obeyed only where that repairs rows which quoted delimiters broke.
    """
    stated = _STATED.match(sample.partition("\n")[0])
    if stated:
        return _measure(sample, stated[1])[1]
    best = max((_measure(sample, delimiter) for delimiter in delimiters), key=lambda measured: measured[0])
    evenness, dialect, rows = best
    one_cell = sum(len(row.cells) == 1 for row in rows)
    if evenness and one_cell * 2 > len(rows):
        return Dialect(NO_DELIMITER, dialect.quoting)
    return dialect


def split_rows(lines: Iterable[str], dialect: Dialect) -> Iterator[CsvRow]:
    """Yield the rows of a file, blank ones left out.

    Args:
        lines: Its lines with their ends; read as the rows are asked for.
        dialect: How it is written. A line whose quotes break the rules is split without them.
    """
    csv.field_size_limit(2**31 - 1)  # the default refuses a cell of more than 131,072 characters
    rows: Iterator[CsvRow]
    if dialect.quoting == "none":
        rows = (
            CsvRow(number, tuple(line.rstrip("\r\n").split(dialect.delimiter)))
            for number, line in enumerate(_without_statement(lines), start=1)
        )
    else:
        rows = _split_quoted(_without_statement(lines), dialect)
    return (row for row in rows if any(cell.strip() for cell in row.cells))


def _without_statement(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, a first one that states the delimiter as a blank one."""
    for number, line in enumerate(lines):
        yield "\n" if number == 0 and _STATED.match(line) else line


def _measure(sample: str, delimiter: str) -> tuple[float, Dialect, list[CsvRow]]:
    """Return how even the sample is by one delimiter, in the quoting that suits it best."""
    dialect = Dialect(delimiter, "none")
    rows = _sample_rows(sample, dialect)
    if '"' in sample:
        strict, sloppy = Dialect(delimiter, "strict"), Dialect(delimiter, "sloppy")
        by_rule = _sample_rows(sample, strict)
        if _obeys(by_rule) and _even(by_rule) >= _even(rows):
            dialect, rows = strict, by_rule
        elif _even(repaired := _sample_rows(sample, sloppy)) > _even(rows):
            dialect, rows = sloppy, repaired
    return _even(rows) / max(1, len(rows)), dialect, rows


def _obeys(rows: Sequence[CsvRow]) -> bool:
    """Return whether hardly any row breaks the rules; one near the end may be cut in two by the sample's end."""
    if len(rows) > 20:
        rows = rows[: len(rows) * 4 // 5]
    return sum(row.broken for row in rows) <= _FEW_BROKEN * len(rows)


def _sample_rows(sample: str, dialect: Dialect) -> list[CsvRow]:
    return list(split_rows(io.StringIO(sample, newline="\n"), dialect))


def _even(rows: Sequence[CsvRow]) -> int:
    """Return how many rows have the most common width, one-cell rows left out."""
    widths = Counter(len(row.cells) for row in rows if len(row.cells) > 1)
    return widths.most_common(1)[0][1] if widths else 0


def _split_quoted(lines: Iterable[str], dialect: Dialect) -> Iterator[CsvRow]:
    """Yield rows by the rules of CSV; where these fail, split one line without quotes and start again after it."""
    feed = _Feed(lines)
    while not feed.exhausted:
        reader = csv.reader(feed, delimiter=dialect.delimiter, strict=dialect.quoting == "strict")
        try:
            for cells in reader:
                line = feed.line
                feed.accept()
                yield CsvRow(line, tuple(cells))
        except (csv.Error, _RunawayQuoteError):
            line, source = feed.line, feed.give_back()
            yield CsvRow(line, tuple(source.rstrip("\r\n").split(dialect.delimiter)), broken=True)


class _RunawayQuoteError(Exception):
    """A quote that opens and does not close within reason."""


class _Feed:
    """Lines on their way to the csv reader, kept until the row they make is accepted.

    Attributes:
        line: Number of the first line not yet accepted.
        exhausted: Whether all lines were read and accepted.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._source = iter(lines)
        self._again: list[str] = []
        self._taken: list[str] = []
        self._size = 0
        self._wasted = [0, 0]  # lines and characters read in vain, less those of the rows accepted since
        self.line = 1
        self.exhausted = self._cut_short = False

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        # Each line read in vain shortens the patience with the next quote, so that all takes linear time.
        lines, characters = self._wasted
        if len(self._taken) > max(_SHORTEST_QUOTE, _LONGEST_QUOTE - lines) or self._size > max(
            _SMALLEST_QUOTE, _LARGEST_QUOTE - characters
        ):
            raise _RunawayQuoteError
        line = self._again.pop() if self._again else next(self._source, None)
        if line is None:
            self.exhausted, self._cut_short = not self._taken, bool(self._taken)
            raise StopIteration
        self._taken.append(line)
        self._size += len(line)
        return line

    def accept(self) -> None:
        """Drop the lines taken, since they have become a row; raise where they ended inside a quoted cell."""
        if self._cut_short:
            raise _RunawayQuoteError
        self.line += len(self._taken)
        self._wasted = [max(0, self._wasted[0] - len(self._taken)), max(0, self._wasted[1] - self._size)]
        self._taken.clear()
        self._size = 0

    def give_back(self) -> str:
        """Return the first line taken; the others will be read again."""
        first, *rest = self._taken or [""]
        self._again.extend(reversed(rest))
        self._wasted = [self._wasted[0] + len(rest), self._wasted[1] + self._size]
        self._cut_short = False
        self._taken, self._size = [], 0
        self.line += 1
        return first
