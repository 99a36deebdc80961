"""Detect the delimiter and the quoting of delimited text, and split it into rows."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

NO_DELIMITER = "\x1f"  # of a table with one column
_STATED = re.compile(r"\ufeff?\"?sep=(.)\"?\s*$", re.IGNORECASE)  # Excel's word for the delimiter, on the first line
_LONGEST_QUOTE = 5_000  # lines one quoted cell may take; beyond, its quote was never meant as one
_LARGEST_QUOTE = 16 * 2**20  # characters, likewise
_SHORTEST_QUOTE, _SMALLEST_QUOTE = 20, 64 * 2**10  # what is left of these limits after many such quotes
_FEW_BROKEN = 0.05  # of the rows: a quote that is never closed costs its row, not the quoting of the others


@dataclass(frozen=True)
class Dialect:
    """How cells are separated.

    Attributes:
        delimiter: The character between two cells.
        quoting: "strict" by the rules of CSV, "sloppy" where quotes stand inside cells too, "none" where
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


def detect(sample: str, delimiters: str = ",;\t|") -> Dialect:
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


def split(lines: Iterable[str], dialect: Dialect) -> Iterator[CsvRow]:
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
    return list(split(io.StringIO(sample, newline="\n"), dialect))


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
