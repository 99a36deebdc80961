"""Read plain texts from a file: one per line, or a column of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.corpus.readers.tables.columns import plain_name
from explorer.corpus.readers.tables.data_table import (
    MAX_BYTES,
    DataTable,
    read_head,
    read_raw_text,
    read_table,
)
from explorer.errors import DataError
from explorer.training.data.roles import KNOWN_NAMES

if TYPE_CHECKING:
    from pathlib import Path

ROLE = "text"  # under which a recipe names the column


def read_texts(path: Path, column: str = "", *, max_bytes: int = MAX_BYTES) -> tuple[str, ...]:
    """Return the texts of a file, empty ones left out.

    Args:
        path: A .txt file with one text per line, or a table as `read_table` reads it.
        column: The column of a table; the one with the longest texts if empty.
        max_bytes: Larger files are refused.

    Raises:
        DataError: The file cannot be read, there is no such column, or no text.
    """
    if path.suffix.lower() == ".txt" and not column:
        read_head(path, max_bytes)
        texts = tuple(line.strip() for line in read_raw_text(path).split("\n"))
    else:
        table = read_table(path, KNOWN_NAMES, [column] if column else [], max_bytes=max_bytes)
        index = _named(path, table, column) if column else _longest(table)
        texts = tuple((row.cells[index] or "") if index < len(row.cells) else "" for row in table.rows)
    texts = tuple(text for text in texts if text.strip())
    if not texts:
        raise DataError(
            "{file} holds no text. Choose another file, or name the column of the texts.", file=path
        )
    return texts


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
    sizes = [sum(map(len, table.sample(index))) for index in range(len(table.columns))]
    return sizes.index(max(sizes, default=0)) if sizes else 0
