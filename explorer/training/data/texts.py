"""Plain texts out of a file: one a line, or one column of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import DataError
from explorer.training.data.table_files import MOST_BYTES, checked_head, open_table
from explorer.training.data.tables import DataTable, plain_name, read_text

if TYPE_CHECKING:
    from pathlib import Path

ROLE = "text"  # under which a recipe names the column


def read_texts(path: Path, column: str = "", *, most_bytes: int = MOST_BYTES) -> tuple[str, ...]:
    """The texts of a file, empty ones left out.

    Args:
        path: A .txt file with one text a line, or a table as `open_table` reads it.
        column: The column of a table; the one with the longest texts if empty.
        most_bytes: Larger files are refused.

    Raises:
        DataError: The file cannot be read, there is no such column, or no text.
    """
    if path.suffix.lower() == ".txt" and not column:
        checked_head(path, most_bytes)
        texts = tuple(line.strip() for line in read_text(path).split("\n"))
    else:
        table = open_table(path, [column] if column else [], most_bytes=most_bytes)
        place = _named(path, table, column) if column else _longest(table)
        texts = tuple((row.cells[place] or "") if place < len(row.cells) else "" for row in table.rows)
    kept = tuple(text for text in texts if text.strip())
    if not kept:
        raise DataError(
            "{file} holds no text. Choose another file, or name the column of the texts.", file=path
        )
    return kept


def _named(path: Path, table: DataTable, column: str) -> int:
    names = [plain_name(name) for name in table.columns]
    if plain_name(column) not in names:
        raise DataError(
            "{file} has no column {column}. There are {table}.",
            file=path,
            column=column,
            table=", ".join(table.columns),
        )
    return names.index(plain_name(column))


def _longest(table: DataTable) -> int:
    sizes = [sum(map(len, table.sample(place))) for place in range(len(table.columns))]
    return sizes.index(max(sizes, default=0)) if sizes else 0
