"""Read the records of JSON, JSON Lines and Parquet files, flattened to columns."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Unreadable
from explorer.corpus.readers.files import damaged, most_unpacked, open_file, size_of, too_large, unpacks_too_far
from explorer.corpus.readers.tables.columns import column_names, storable
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
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
            raise damaged(path, UserMessage("it is not a whole Parquet file")) from error


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
