"""Divide a data set into units: runs of rows of a file that are found again by offset, and become one shard each."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from explorer.cluster.storage import everything, open_storage
from explorer.errors import DataError
from explorer.task import Task

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

FORMATS = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".txt": "text"}
_TEXT_COLUMNS = ("text", "content", "body", "document", "passage", "sentence")
_ID_COLUMNS = ("id", "_id", "doc_id", "docid", "pid")


@dataclass(frozen=True)
class Unit:
    """A run of rows of the source that becomes one shard.

    Attributes:
        path: The file, within its file system.
        kind: Its format.
        row: The number of its first row, from 0.
        rows: How many.
        start: Where the first row begins, in bytes; 0 for Parquet, which finds rows by number.
        end: Where the last one ends.
    """

    path: str
    kind: str
    row: int
    rows: int
    start: int = 0
    end: int = 0

    @property
    def key(self) -> str:
        """What the names of its file's shards begin with."""
        return hashlib.blake2b(self.path.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()

    @property
    def name(self) -> str:
        """The name of its shard: the same in every run."""
        return f"{self.key}-{self.row:012d}-{self.rows}.parquet"


@dataclass(frozen=True)
class Columns:
    """Which columns of a table hold text and id; empty to find them by their names."""

    text: str = ""
    id: str = ""


def find_units(source: str, rows: int, task: Task, out: str = "") -> Iterator[Unit]:
    """Divide the source into runs of rows; shards in a folder within it are not taken for a part of it.

    Raises:
        DataError: There is nothing that can be read, or the shards would go among the files of the source.
    """
    from pyarrow.fs import FileType

    filesystem, path = open_storage(source)
    info = filesystem.get_file_info(path)
    infos = [info] if info.type == FileType.File else filesystem.get_file_info(everything(path))
    paths = sorted(info.path for info in infos if PurePosixPath(info.path).suffix.lower() in FORMATS)
    target = PurePosixPath(open_storage(out)[1]) if out else None
    if (
        target is not None
        and any(PurePosixPath(file).parent == target for file in paths)
        and target == PurePosixPath(path)
    ):
        raise DataError("{folder}: shards need a folder of their own, not that of the source.", folder=out)
    paths = [file for file in paths if target is None or not PurePosixPath(file).is_relative_to(target)]
    if not paths:
        raise DataError(
            "{source}: no file of a known format was found here ({formats}). Check the name.",
            source=source,
            formats=", ".join(FORMATS),
        )
    for number, file in enumerate(paths):
        task.report(number, len(paths), "looking for files")
        kind = FORMATS[PurePosixPath(file).suffix.lower()]
        if kind == "parquet":
            from pyarrow import parquet

            with filesystem.open_input_file(file) as stream:
                count = parquet.ParquetFile(stream).metadata.num_rows
            yield from (Unit(file, kind, row, min(rows, count - row)) for row in range(0, count, rows))
        else:
            with filesystem.open_input_stream(file) as stream:
                yield from _runs(Unit(file, kind, 0, 0), _records(stream, kind), rows)


def _records(stream: Any, kind: str, *, head: bool = True) -> Iterator[tuple[int, int]]:
    """Yield where each record begins and ends; in a CSV file a line break within quotes is not an end."""
    position = start = 0
    quotes, named = 0, False
    for line in _lines(stream):
        position += len(line)
        if kind == "csv":
            quotes += line.count(b'"')  # a quote that is meant is doubled, so the count stays even
            if quotes % 2:
                continue
            if head and start == 0 and not named:  # the names of the columns
                start, named = position, True
                continue
        if line.strip() or kind == "text":
            yield start, position
        start = position
    if quotes % 2 and start < position:
        yield start, position


def _head(stream: Any) -> bytes:
    """Return the names of a CSV file's columns, as it writes them."""
    head = b""
    for line in _lines(stream):
        head += line
        if head.count(b'"') % 2 == 0:
            break
    return head


def _lines(stream: Any) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(2**22):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def _runs(unit: Unit, records: Iterator[tuple[int, int]], rows: int) -> Iterator[Unit]:
    first: int | None = None
    count, row, end = 0, 0, 0
    for start, end in records:
        first = start if first is None else first
        count += 1
        if count == rows:
            yield replace(unit, row=row, rows=count, start=first, end=end)
            first, count, row = None, 0, row + rows
    if first is not None:
        yield replace(unit, row=row, rows=count, start=first, end=end)


def halved(origin: FileSystem, unit: Unit) -> list[Unit]:
    """Divide a unit of several rows in two."""
    middle = unit.rows // 2
    first, second = replace(unit, rows=middle), replace(unit, row=unit.row + middle, rows=unit.rows - middle)
    if unit.kind == "parquet":
        return [first, second]
    with origin.open_input_file(unit.path) as stream:
        stream.seek(unit.start)
        records = list(_records(io.BytesIO(stream.read(unit.end - unit.start)), unit.kind, head=False))
    border = unit.start + records[middle][0]
    return [replace(first, end=border), replace(second, start=border)]


def check_columns(origin: FileSystem, units: Sequence[Unit], columns: Columns) -> None:
    """Make sure that every table has a column of texts: a wrong name would make each of its rows a failure.

    Raises:
        DataError: One has none.
    """
    for unit in {unit.path: unit for unit in reversed(units)}.values():  # the first of each file
        if unit.kind == "text":
            continue
        names = _column_names(origin, unit)
        if names is not None and not _matching_columns(names, columns.text, _TEXT_COLUMNS):
            raise _no_texts(unit.path, names)


def _column_names(origin: FileSystem, unit: Unit) -> list[str] | None:
    """Return the columns of a table, by its head or its first row; None if that cannot be read."""
    from pyarrow import parquet

    with origin.open_input_file(unit.path) as stream:
        if unit.kind == "parquet":
            return [str(name) for name in parquet.ParquetFile(stream).schema_arrow.names]
        if unit.kind == "csv":
            return next(csv.reader([_head(stream).decode("utf-8-sig", "replace")]), None)
        stream.seek(unit.start)
        first = next(_lines(stream), b"")
    try:
        row = json.loads(first.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # a row that is listed with the failures
        return None
    return [str(name) for name in row] if isinstance(row, dict) else None


def read_unit(filesystem: FileSystem, unit: Unit, columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield id and text of each row of a unit.

    Raises:
        DataError: A table has no column of texts.
    """
    if unit.kind == "parquet":
        rows = _parquet_rows(filesystem, unit)
    else:
        with filesystem.open_input_file(unit.path) as stream:
            head = _head(stream) if unit.kind == "csv" else b""
            stream.seek(unit.start)
            content = stream.read(unit.end - unit.start).decode("utf-8-sig" if unit.start == 0 else "utf-8")
        if unit.kind == "text":
            # Not by splitlines, to which a form feed or U+2028 is the end of a line too.
            for number, line in enumerate(content.removesuffix("\n").split("\n"), unit.row):
                yield str(number), line.removesuffix("\r")
            return
        if unit.kind == "jsonl":
            rows = (json.loads(line) for line in content.split("\n") if line.strip())
        else:
            names = next(csv.reader([head.decode("utf-8-sig")]))
            rows = csv.DictReader(io.StringIO(content, newline=""), names)
    for number, row in enumerate(rows, unit.row):
        text = _matching_columns(row, columns.text, _TEXT_COLUMNS)
        if not text:
            raise _no_texts(unit.path, row)
        name = _matching_columns(row, columns.id, _ID_COLUMNS)
        value = row[name[0]] if name else None
        # An empty cell has no passages.
        yield str(number) if value is None else str(value), "" if row[text[0]] is None else str(row[text[0]])


def _no_texts(file: str, columns: Iterable[Any]) -> DataError:
    return DataError(
        "{file}: it is not clear which column holds the texts; it has: {columns}. Name one with --text-column.",
        file=file,
        columns=", ".join(map(str, columns)),
    )


def _parquet_rows(filesystem: FileSystem, unit: Unit) -> Iterator[dict[str, Any]]:
    from pyarrow import parquet

    with filesystem.open_input_file(unit.path) as stream:
        file = parquet.ParquetFile(stream)
        first = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            low, high = max(unit.row, first), min(unit.row + unit.rows, first + count)
            if low < high:
                yield from file.read_row_group(group).slice(low - first, high - low).to_pylist()
            first += count


def _matching_columns(names: Iterable[Any], asked: str, usual: Sequence[str]) -> list[Any]:
    """Return the columns that were asked for by name, or have a usual one."""
    return [name for name in names if (name == asked if asked else str(name).lower() in usual)]


def divided(origin: FileSystem, unit: Unit) -> list[Unit]:
    """Divide a unit into sixteen, so that one bad row of twenty thousand is found in four steps."""
    parts = [unit]
    for _ in range(4):
        parts = [half for part in parts for half in (halved(origin, part) if part.rows > 1 else [part])]
    return parts
