"""Documents and hits written for other programs: csv, jsonl, parquet."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from explorer import disk
from explorer.errors import DataError

FORMATS = ("csv", "jsonl", "parquet")
_EXACT, _LARGEST = 2**53, 2**63 - 1  # integers that a column of floats, and one of integers, can hold
# Spreadsheets skip blanks, line breaks and invisible characters in front, and read full-width signs as plain ones.
_FORMULA = re.compile("[\\s\x00-\x1f\ufeff\u200b-\u200f]*[=+\\-@＝＋－＠]|[\t\r]")


def write_rows(rows: Iterable[Mapping[str, Any]], out: Path) -> int:
    """Write rows in the format of the file's suffix; the file appears whole or not at all.

    Returns:
        How many rows there were.

    Raises:
        DataError: The suffix is not known, or the file cannot be written.
    """
    kind = out.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise DataError(
            "{out}: the format “{suffix}” is not known. End the name with .csv, .jsonl or .parquet.",
            out=out,
            suffix=out.suffix,
        )
    table = [dict(row) for row in rows]
    write = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}[kind]
    write_whole(out, lambda partial: write(table, partial))
    return len(table)


def write_whole(out: Path, write: Callable[[Path], object]) -> None:
    """Have a file written beside its place and put there when it is whole.

    Args:
        out: The file.
        write: Writes to the path that it is given.

    Raises:
        DataError: The file cannot be written; nothing is left behind.
    """
    partial = out.with_name(out.name + ".partial")
    try:
        write(partial)
        partial.replace(out)
        disk.share(out)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise DataError(
            "{out}: cannot be written ({reason}). Free space or choose another place.", out=out, reason=error.strerror
        ) from error


def harmless(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe before a text that begins like one."""
    if isinstance(value, str) and _FORMULA.match(value):
        return "'" + value
    return value


def columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of all columns, in the order in which they first occur."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    with out.open("w", encoding="utf-8-sig", newline="") as file:  # the mark tells Excel that it is UTF-8
        writer = csv.writer(file)
        names = columns(rows)
        writer.writerow([harmless(name) for name in names])
        writer.writerows([harmless(_plain(row.get(name))) for name in names] for row in rows)


def _jsonl(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    with out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _parquet(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    names = columns(rows)
    table = {name: _column([row.get(name) for row in rows]) for name in names}
    parquet.write_table(pyarrow.table(table), out)


def _column(values: list[Any]) -> list[Any]:
    """Return one type a column: what is mixed becomes text."""
    kinds = {type(value) for value in values if value is not None}
    if (kinds <= {int, float} or len(kinds) <= 1) and _fit(values, _EXACT if float in kinds else _LARGEST):
        return values
    return [None if value is None else str(_plain(value)) for value in values]


def _fit(values: list[Any], largest: int) -> bool:
    return all(abs(value) <= largest for value in values if type(value) is int)


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict | tuple) else value
