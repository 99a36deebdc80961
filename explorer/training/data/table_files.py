"""A file of examples as a table: what is no table at all is refused by name, Parquet is read, the rest is text."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from explorer.corpus.encoding import signatures
from explorer.errors import DataError
from explorer.training.data.roles import KNOWN_NAMES
from explorer.training.data.tables import DataTable, TableRow, json_cell, read_table

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    import pyarrow.parquet

MOST_BYTES = 128 * 2**20  # about a million pairs of sentences, and some 2 GB while they are read
_HEAD = 4096  # bytes that tell what a file is
_ADVICE = {
    "zip archive": "If it is a spreadsheet, save it as CSV; otherwise unpack it.",
    "document of an old office program": "If it is a spreadsheet, save it as CSV.",
    "gzip archive": "Unpack it first.",
}


def open_table(path: Path, asked: Collection[str] = (), *, most_bytes: int = MOST_BYTES) -> DataTable:
    """Read a table from a CSV, TSV, JSON, JSON Lines or Parquet file.

    Args:
        path: The file. Its suffix is a hint; its content decides.
        asked: Names of columns the caller asked for; a first row holding one is a header.
        most_bytes: Larger files are refused before they fill the memory.

    Raises:
        DataError: The file is missing, a folder, unreadable, too large, empty, or no table.
    """
    kind = signatures.kind(checked_head(path, most_bytes))
    if kind == "Parquet table":
        return _read_parquet(path, most_bytes)
    if path.suffix.lower() == ".parquet":
        raise DataError(
            "{file} is called .parquet but is not a Parquet file. Save it again, or rename it.", file=path
        )
    if kind:
        advice = _ADVICE.get(kind, "Choose a CSV, TSV, JSON or Parquet file.")
        raise DataError(
            "{file} is not a table of texts but a {kind}. {advice}", file=path, kind=kind, advice=advice
        )
    return read_table(path, KNOWN_NAMES, asked)


def checked_head(path: Path, most_bytes: int) -> bytes:
    """The first bytes of a file that can be opened and is not too large.

    Raises:
        DataError: It is missing, a folder, unreadable, too large or empty.
    """
    if is_folder(path):
        raise DataError(
            "{file} is a folder: a file of examples was expected. Choose a file in it.", file=path
        )
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for without end
            raise DataError(
                "{file} is not a regular file. Choose a CSV, TSV, JSON or Parquet file.", file=path
            )
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        raise DataError("There is no file {file}. Check its name.", file=path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        name = str(path)[:200]
        raise DataError(
            "{name} cannot be opened ({reason}). Check that you may read it.", name=name, reason=reason
        ) from error
    _check_size(path, status.st_size, most_bytes)
    if not head:
        raise DataError("{file} is empty: a table of texts was expected. Choose another file.", file=path)
    return head


def is_folder(path: Path) -> bool:
    """Whether a path is a folder; False for a name that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _check_size(path: Path, size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise DataError(
            "{file} holds {size:,.0f} MB; at most {most_bytes:,.0f} MB can be read as examples. Take "
            "a part of it: a hundred thousand examples are plenty.",
            file=path,
            size=size / 2**20,
            most_bytes=most_bytes / 2**20,
        )


def _read_parquet(path: Path, most_bytes: int) -> DataTable:
    """The columns of a Parquet file that hold plain values; lists and objects count as missing."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
            _check_size(path, sum(group.total_byte_size for group in groups), most_bytes)
            table = _parquet_rows(file)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            "{file} is a damaged Parquet file ({reason}). Save it again, or choose another file.",
            file=path,
            reason=str(error)[:100],
        ) from error
    if not table.rows:
        raise DataError("{file} is empty: it has columns but no row. Choose another file.", file=path)
    return table


def _parquet_rows(file: pyarrow.parquet.ParquetFile) -> DataTable:
    from pyarrow import types

    schema = file.schema_arrow
    plain = [field.name for field in schema if not (types.is_nested(field.type) or _is_bytes(field.type))]
    rows: list[TableRow] = []
    for batch in file.iter_batches(columns=plain):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            rows.append(TableRow(len(rows) + 1, tuple(map(json_cell, values))))
    return DataTable(tuple(plain), tuple(rows), True)


def _is_bytes(kind: object) -> bool:
    from pyarrow import types

    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))
