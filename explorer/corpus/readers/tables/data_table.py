"""Read a table file whole, with its cells as they are written: for training data and imported ids."""

from __future__ import annotations

import io
import stat
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from explorer.corpus.encoding import decode, detect
from explorer.corpus.readers.tables import records
from explorer.corpus.readers.tables.columns import is_header, is_missing
from explorer.corpus.readers.tables.records import NOT_AN_OBJECT, json_lines, load_json
from explorer.errors import DataError
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    import pyarrow

MAX_BYTES = 128 * 2**20  # about a million pairs of sentences, and some 2 GB of memory while they are read
_SIGNATURE_BYTES = 4096  # the longest signature ends at byte 262
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_SAMPLE_ROWS = 200  # enough to recognise a header or the type of a column
_SAMPLE_CHARACTERS = 300_000  # from which the dialect is detected
_MIN_CONFIDENCE = 0.9  # of a detected encoding: wrong letters in training data would go unnoticed
_ADVICE_TEMPLATES = {
    "zip archive": "If it is a spreadsheet, save it as CSV; otherwise unpack it.",
    "document of an old office program": "If it is a spreadsheet, save it as CSV.",
    "gzip archive": "Unpack it first.",
    "": "Choose a CSV, TSV, JSON or Parquet file.",
}


@dataclass(frozen=True)
class RowProblem:
    """A row that could not be used.

    Attributes:
        line: Line of the file on which the row begins, from 1; in a JSON list the number of the item.
        reason: What is wrong with it, to follow "line 7" in a sentence.
    """

    line: int
    reason: str


class TableRow(NamedTuple):
    """One row; a cell is None where the row has no value for its column."""

    line: int
    cells: tuple[str | None, ...]


@dataclass(frozen=True)
class DataTable:
    """The rows of a file.

    Attributes:
        columns: Names from the header; "1", "2", ... where there is none.
        rows: Rows below the header, blank ones left out.
        has_header: Whether `columns` were read from the file.
        problems: Rows that could not even be split into cells.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    has_header: bool
    problems: tuple[RowProblem, ...] = ()

    def sample(self, column: int) -> list[str]:
        """Return the values of a column in the first rows, missing ones left out."""
        cells = (row.cells[column] for row in self.rows[:_SAMPLE_ROWS] if column < len(row.cells))
        return [cell for cell in cells if cell is not None and not is_missing(cell)]


def read_table(
    path: Path, known: Collection[str], asked: Collection[str] = (), *, max_bytes: int = MAX_BYTES
) -> DataTable:
    """Read a table from a CSV, TSV, JSON, JSON Lines or Parquet file.

    Args:
        path: The file. Its suffix is a hint; its content decides.
        known: Plain names (see `plain_name`) that distinguish a header from a first row.
        asked: Names of columns the caller asked for; a first row with one of them is a header.
        max_bytes: Larger files are refused before they fill the memory.

    Raises:
        DataError: The file is missing, a folder, unreadable, too large, empty, or not a table.
    """
    kind = detect.kind(read_head(path, max_bytes))
    if kind == "Parquet table":
        return _read_parquet(path, max_bytes)
    if path.suffix.lower() == ".parquet":
        raise DataError(
            "{file} has the extension .parquet but is not a Parquet file. Save it again, or rename it.", file=path
        )
    if kind:
        advice = UserMessage(_ADVICE_TEMPLATES.get(kind, _ADVICE_TEMPLATES[""]))
        raise DataError("{file} is not a table of texts but a {kind}. {advice}", file=path, kind=kind, advice=advice)
    text = read_raw_text(path)
    first_line = text.lstrip()[:100_000].split("\n", 1)[0]
    if path.suffix.lower() in _JSON_SUFFIXES or isinstance(next(json_lines([first_line]), (1, None))[1], dict):
        return _json_table(path, text)
    dialect = records.detect_dialect(_sample(text), records.delimiters(path))
    rows = list(records.split_rows(io.StringIO(text, newline="\n"), dialect))
    if not rows:
        raise _empty(path)
    names = tuple(cell.strip() for cell in rows[0].cells)
    below = [row.cells for row in rows[1:_SAMPLE_ROWS]]
    has_header = is_header(names, below, known, asked, over_texts=False)
    if not has_header:
        width = Counter(len(row.cells) for row in rows).most_common(1)[0][0]
        names = tuple(str(index + 1) for index in range(width))
    body = rows[1:] if has_header else rows
    return DataTable(names, tuple(TableRow(row.line, row.cells) for row in body), has_header)


def read_head(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the first bytes of a file after checking that it can be opened and is not too large.

    Raises:
        DataError: It is missing, a folder, unreadable, too large or empty.
    """
    if is_folder(path):
        raise DataError("{file} is a folder: a file of examples was expected. Choose a file in it.", file=path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait without end
            raise DataError("{file} is not a regular file. Choose a CSV, TSV, JSON or Parquet file.", file=path)
        with path.open("rb") as file:
            head = file.read(_SIGNATURE_BYTES)
    except FileNotFoundError:
        raise DataError("There is no file {file}. Check its name.", file=path) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            "{name} cannot be opened ({reason}). Check that you may read it.", name=str(path)[:200], reason=reason
        ) from error
    _check_size(path, status.st_size, max_bytes)
    if not head:
        raise _empty(path)
    return head


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; False for a name that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_raw_text(path: Path) -> str:
    """Return the text of a file in UTF-8 or in an encoding that is beyond doubt, with line feeds as line ends.

    Nothing else in the text is changed: a model is trained on what the file says.

    Raises:
        DataError: The file cannot be opened or its encoding is in doubt.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError("There is no file {file}. Check its name.", file=path) from None
    except OSError as error:
        raise DataError(
            "{name} cannot be opened ({reason}). Check that you may read it.", name=path, reason=error.strerror
        ) from error
    try:
        text = content.decode("utf-8-sig")
        if "\0" not in text:
            # Not str.splitlines: real files have \x1c, \x85 and \u2028 inside their texts.
            return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
        doubt = UserMessage("it holds zero bytes")
    except UnicodeDecodeError as error:
        doubt = UserMessage("byte {position} does not fit", position=error.start + 1)
    decoded = decode.decode(content, repair=False)
    if decoded.confidence < _MIN_CONFIDENCE or decoded.flaws.invalid or decoded.flaws.controls:
        raise DataError(
            "{file} is not UTF-8 text ({doubt}), and no other encoding fits. Save it as UTF-8 and try again.",
            file=path,
            doubt=doubt,
        )
    return decoded.text


def json_cell(value: object) -> str | None:
    """Return a JSON value as a cell; None for null, lists and objects."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None


def _empty(path: Path) -> DataError:
    return DataError("{file} is empty: a table of texts was expected. Choose another file.", file=path)


def _check_size(path: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DataError(
            "{file} holds {size:,.0f} MB; at most {max_bytes:,.0f} MB can be read as examples. Take "
            "a part of it: a hundred thousand examples are plenty.",
            file=path,
            size=size / 2**20,
            max_bytes=max_bytes / 2**20,
        )


def _sample(text: str) -> str:
    """Return whole lines from the beginning, and more from the first quote on if that comes later."""
    if len(text) <= _SAMPLE_CHARACTERS:
        return text
    start = text[: text.rfind("\n", 0, _SAMPLE_CHARACTERS) + 1] or text[:_SAMPLE_CHARACTERS]
    quote = text.find('"')
    if quote <= len(start):
        return start
    line = text.rfind("\n", 0, quote) + 1
    return start + text[line : max(text.rfind("\n", line, line + _SAMPLE_CHARACTERS), quote) + 1]


def _json_table(path: Path, text: str) -> DataTable:
    values = list(_json_items(path, text) if text.lstrip().startswith("[") else json_lines(text.split("\n")))
    if not values:
        raise DataError("{file} is empty: one JSON object per line was expected. Choose another file.", file=path)
    objects = [(line, value) for line, value in values if isinstance(value, dict)]
    problems = tuple(
        RowProblem(line, value if isinstance(value, UserMessage) else NOT_AN_OBJECT)
        for line, value in values
        if not isinstance(value, dict)
    )
    columns = tuple(dict.fromkeys(key for _, value in objects for key in value))
    rows = (TableRow(line, tuple(json_cell(value.get(key)) for key in columns)) for line, value in objects)
    return DataTable(columns, tuple(rows), True, problems)


def _json_items(path: Path, text: str) -> Iterable[tuple[int, object]]:
    try:
        return enumerate(load_json(text), start=1)
    except RecursionError:
        raise DataError("{file} is nested too deeply: a JSON list of objects was expected.", file=path) from None
    except ValueError as error:
        raise DataError(
            "{file} is not valid JSON ({reason}). Fix it, or write one object per line.", file=path, reason=error
        ) from None


def _read_parquet(path: Path, max_bytes: int) -> DataTable:
    """Read the columns of a Parquet file that hold plain values; lists, objects and bytes are not columns."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            groups = (file.metadata.row_group(index) for index in range(file.metadata.num_row_groups))
            _check_size(path, sum(group.total_byte_size for group in groups), max_bytes)
            columns = [field.name for field in file.schema_arrow if _is_plain(field.type)]
            values = (
                row
                for batch in file.iter_batches(columns=columns)
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
            rows = tuple(TableRow(line, tuple(map(json_cell, row))) for line, row in enumerate(values, 1))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            "{file} is a damaged Parquet file ({reason}). Save it again, or choose another file.",
            file=path,
            reason=str(error)[:100],
        ) from error
    if not rows:
        raise DataError("{file} is empty: it has columns but no row. Choose another file.", file=path)
    return DataTable(tuple(columns), rows, True)


def _is_plain(kind: pyarrow.DataType) -> bool:
    from pyarrow import types

    is_bytes = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return not (types.is_nested(kind) or is_bytes)
