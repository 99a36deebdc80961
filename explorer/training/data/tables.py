"""Rows out of CSV, TSV and JSON files, whatever their delimiter, quoting and header."""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from explorer.corpus.encoding import decode
from explorer.corpus.readers.tables import csv_dialect
from explorer.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
MISSING = frozenset({"", "na", "n/a", "nan", "null", "-"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_SAMPLE = 200  # rows looked at to tell a header or a kind of column
_SURE = 0.9  # of an encoding that nobody named
_MOST_SAMPLED = 300_000  # characters that tell how a table is written
_LONGEST_NAME = 40  # characters; a longer cell of the first line is a text, not a column's name


@dataclass(frozen=True)
class RowProblem:
    """A row that could not be used.

    Attributes:
        line: Line of the file on which the row begins, from 1; in a JSON list the number of the item.
        reason: What is wrong with it, in a few words.
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
        """The values of one column in the first rows, missing ones left out."""
        cells = (row.cells[column] for row in self.rows[:_SAMPLE] if column < len(row.cells))
        return [cell for cell in cells if cell is not None and not is_missing(cell)]


def read_table(path: Path, known: Collection[str], asked: Collection[str] = ()) -> DataTable:
    """Read a table from a CSV, TSV or JSON file.

    Args:
        path: The file. Its suffix is a hint; its content decides.
        known: Plain names (see `plain_name`) that tell a header from a first row.
        asked: Names of columns the caller asked for; a first row holding one is a header.

    Raises:
        DataError: The file cannot be opened, is not UTF-8 text, or is empty.
    """
    text = read_text(path)
    if path.suffix.lower() in JSON_SUFFIXES or _opens_with_object(text):
        return _json_table(path, text)
    rows = _rows(text, _delimiters(path))
    if not rows:
        raise DataError("{file} is empty: a table of texts was expected. Choose another file.", file=path)
    return _with_header(rows, known, asked)


def read_text(path: Path) -> str:
    """The text of a file, without its byte order mark: UTF-8, or another encoding that is told beyond doubt.

    Raises:
        DataError: The file cannot be opened or its encoding is in doubt.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError("There is no file {file}. Check its name.", file=path) from None
    except OSError as error:
        raise DataError(
            "{file} cannot be opened ({reason}). Check that you may read it.",
            file=path,
            reason=error.strerror,
        ) from error
    try:
        text = content.decode("utf-8-sig")
        doubt = "it holds zero bytes" if "\0" in text else ""
    except UnicodeDecodeError as error:
        text, doubt = "", f"byte {error.start + 1} does not fit"
    if not doubt:
        return text
    found = decode.decode(content, repair=False)
    if found.confidence < _SURE or found.flaws.invalid or found.flaws.controls:
        raise DataError(
            "{file} is not UTF-8 text ({doubt}), and no other encoding fits. Save it as UTF-8 and try again.",
            file=path,
            doubt=doubt,
        )
    return found.text


def plain_name(name: str) -> str:
    """A column's name in lower case, without signs and spaces: `Sentence_A` is `sentencea`."""
    return re.sub(r"[\W_]+", "", name).casefold()


def is_missing(cell: str | None) -> bool:
    """Whether a cell holds nothing, or a word for nothing."""
    return cell is None or cell.strip().casefold() in MISSING


def as_number(cell: str) -> float | None:
    """The finite number a cell holds, decimal commas allowed; None where it holds none."""
    cell = cell.strip()
    if _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def json_objects(text: str) -> Iterator[tuple[int, dict[str, object] | str]]:
    """The objects of JSON Lines with their line numbers; in a bad line's place what is wrong with it."""
    for line, source in enumerate(_lines(text), start=1):
        if not source.strip():
            continue
        try:
            value = json.loads(source)
        except (ValueError, RecursionError):
            yield line, "is not JSON"
        else:
            yield line, value if isinstance(value, dict) else "is not a JSON object"


def json_cell(value: object) -> str | None:
    """A JSON value as a cell; None for null, lists and objects."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None


def _opens_with_object(text: str) -> bool:
    first = next(iter(json_objects(text.lstrip()[:100_000].split("\n", 1)[0])), None)
    return first is not None and isinstance(first[1], dict)


def _json_table(path: Path, text: str) -> DataTable:
    objects = list(_json_items(path, text) if text.lstrip().startswith("[") else json_objects(text))
    if not objects:
        raise DataError(
            "{file} is empty: one JSON object a line was expected. Choose another file.", file=path
        )
    good = [(line, item) for line, item in objects if isinstance(item, dict)]
    problems = tuple(RowProblem(line, item) for line, item in objects if isinstance(item, str))
    columns = tuple(dict.fromkeys(key for _, item in good for key in item))
    rows = tuple(TableRow(line, tuple(json_cell(item.get(key)) for key in columns)) for line, item in good)
    return DataTable(columns, rows, True, problems)


def _json_items(path: Path, text: str) -> Iterator[tuple[int, dict[str, object] | str]]:
    try:
        items = json.loads(text)
    except RecursionError:
        raise DataError(
            "{file} is nested too deeply: a JSON list of objects was expected.", file=path
        ) from None
    except ValueError as error:
        raise DataError(
            "{file} is not valid JSON ({reason}). Fix it, or write one object per line.",
            file=path,
            reason=error,
        ) from None
    for number, item in enumerate(items, start=1):
        yield number, item if isinstance(item, dict) else "is not a JSON object"


def _delimiters(path: Path) -> str:
    return ",;\t" if path.suffix.lower() == ".csv" else "\t,;"


def _rows(text: str, delimiters: str) -> list[TableRow]:
    """The rows by the delimiter and the quoting that give the most even table; the first delimiter wins a draw."""
    text = "\n".join(_lines(text))
    found = csv_dialect.split(io.StringIO(text, newline="\n"), csv_dialect.detect(_start(text), delimiters))
    return [TableRow(row.line, row.cells) for row in found]


def _start(text: str) -> str:
    """Whole lines from the beginning, and from where quotes begin if that is later."""
    if len(text) <= _MOST_SAMPLED:
        return text
    start = text[: text.rfind("\n", 0, _MOST_SAMPLED) + 1] or text[:_MOST_SAMPLED]
    quote = text.find('"')
    if quote <= len(start):
        return start
    line = text.rfind("\n", 0, quote) + 1
    return start + text[line : max(text.rfind("\n", line, line + _MOST_SAMPLED), quote) + 1]


def _lines(text: str) -> list[str]:
    # Not str.splitlines: real files have \x1c, \x85 and \u2028 inside their texts.
    return text.replace("\r\n", "\n").split("\n") if "\n" in text else text.split("\r")


def _with_header(rows: list[TableRow], known: Collection[str], asked: Collection[str]) -> DataTable:
    names = tuple((cell or "").strip() for cell in rows[0].cells)
    if _is_header(names, rows[1:_SAMPLE], known, {plain_name(name) for name in asked}):
        return DataTable(names, tuple(rows[1:]), True)
    width = Counter(len(row.cells) for row in rows).most_common(1)[0][0]
    return DataTable(tuple(str(number + 1) for number in range(width)), tuple(rows), False)


def _is_header(
    names: Sequence[str], below: Sequence[TableRow], known: Collection[str], asked: Collection[str]
) -> bool:
    if any(as_number(name) is not None or is_missing(name) for name in names if name):
        return False
    plain = [plain_name(name) for name in names]
    recognised = [name for name in plain if name in known]
    if len(recognised) >= 2 or any(name in asked for name in plain):
        return True
    short = all(len(name) <= _LONGEST_NAME for name in names)
    telling = any(len(name) > 1 for name in recognised)  # an `a` alone may be a text
    return short and (telling or _stands_over_numbers(len(names), below))


def _stands_over_numbers(width: int, below: Sequence[TableRow]) -> bool:
    """Whether some column below holds numbers alone, so that a word above it is its name."""
    full = [row.cells for row in below if len(row.cells) == width]
    columns = zip(*full, strict=True)
    return any(_are_numbers(column) for column in columns)


def _are_numbers(cells: Sequence[str | None]) -> bool:
    present = [as_number(cell) for cell in cells if cell is not None and not is_missing(cell)]
    return bool(present) and None not in present
