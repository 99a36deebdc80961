"""The files in which users bring vectors and the names of the documents they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from explorer.corpus.readers.tables.data_table import read_raw_text, read_table
from explorer.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ID_COLUMNS = ("document", "path", "file", "id")  # “docexplorer export” writes the first, with “part”
_VECTOR_COLUMNS = ("vector", "vectors", "embedding", "embeddings")
_MAX_TABLE_BYTES = 4 * 2**30


class Id(NamedTuple):
    """What names a document: its path, and its part where the file has several."""

    path: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.path}\t{self.part}" if self.part else self.path


def read_own_vectors(
    file: Path, ids: Path | None, column: str, vector_column: str
) -> tuple[list[Id], NDArray[Any]]:
    """The ids and as many vectors, (N, n); a `.npy` file is mapped, not read.

    Raises:
        DataError: A file is not there, not of its kind, or the two do not fit.
    """
    try:
        if file.suffix.lower() == ".parquet":
            keys, vectors = _from_parquet(file, ids, column, vector_column)
        elif file.suffix.lower() == ".npy":
            vectors = _from_npy(file)
            if ids is None:
                raise DataError(
                    "{file}: it does not say whose vectors these are. Name them with --ids FILE.", file=file
                )
            keys = read_ids(ids, column)
        else:
            raise DataError(
                "{file}: the format “{suffix}” is not known. Bring a .npy or .parquet file.",
                file=file,
                suffix=file.suffix,
            )
    except OSError as error:
        name = error.filename or file
        raise DataError(
            "{name}: cannot be read ({reason}). Check the file.", name=name, reason=error.strerror or error
        ) from error
    if len(keys) != len(vectors):
        raise DataError(
            "{file}: {count:,} vectors, but {what} has {count2:,} ids. There must be as many.",
            file=file,
            count=len(vectors),
            what=ids or file,
            count2=len(keys),
        )
    if vectors.size == 0:
        raise DataError("{file}: there are no vectors in it. Choose another file.", file=file)
    return keys, vectors


def read_ids(file: Path, column: str = "") -> list[Id]:
    """Read ids from a text file with one per line, or from a table.

    Raises:
        DataError: It cannot be read, is not UTF-8, not a table, or has no such column.
    """
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        return _parquet_ids(file, _open_parquet(file), column)
    if suffix not in (".csv", ".jsonl"):
        lines = (line.partition("\t") for line in read_raw_text(file).split("\n") if line.strip())
        return [Id(path, part) for path, _, part in lines]
    # An export has whole texts beside the ids, so the table may be larger than any training data.
    table = read_table(file, (*_ID_COLUMNS, "part"), [column] if column else [], max_bytes=_MAX_TABLE_BYTES)
    if table.problems:
        line, reason = table.problems[0].line, table.problems[0].reason
        raise DataError(
            "{file}: line {line:,} {reason}. Correct or remove it.", file=file, line=line, reason=reason
        )
    chosen = _id_column(file, table.columns, column)
    rows = (dict(zip(table.columns, row.cells, strict=False)) for row in table.rows)
    return [_id(file, row, chosen, number) for number, row in enumerate(rows, 1)]


def _id(file: Path, row: Mapping[str, Any], column: str, number: int) -> Id:
    if not row.get(column):
        raise DataError(
            "{file}: row {number:,} has nothing in the column “{column}”. Fill or remove that row.",
            file=file,
            number=number,
            column=column,
        )
    return Id(str(row[column]), str(row.get("part") or ""))


def _id_column(file: Path, names: Sequence[str], asked: str) -> str:
    matches = [name for name in ((asked,) if asked else _ID_COLUMNS) if name in names]
    if not matches:
        wanted = f"“{asked}”" if asked else " or ".join(f"“{name}”" for name in _ID_COLUMNS)
        raise DataError(
            "{file}: there is no column {wanted}. It has: {columns}. Name one with --column NAME.",
            file=file,
            wanted=wanted,
            columns=", ".join(names),
        )
    return matches[0]


def _from_npy(file: Path) -> NDArray[Any]:
    try:
        vectors = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise DataError(
            "{file}: this is not a sound .npy file of numbers. Save it with numpy.save.", file=file
        ) from error
    if not isinstance(vectors, np.ndarray):
        raise DataError(
            "{file}: this is an archive of arrays. Save the one array with numpy.save.", file=file
        )
    if vectors.ndim != 2 or vectors.dtype.kind != "f":
        raise DataError(
            "{file}: it holds {dtype} of shape {shape}, not rows of floats. Save an array of shape "
            "(documents, dimension) as float32.",
            file=file,
            dtype=vectors.dtype,
            shape=vectors.shape,
        )
    return vectors


def _open_parquet(file: Path) -> Any:
    import pyarrow
    from pyarrow import parquet

    if not file.is_file():
        raise DataError("{file}: there is no such file. Check its name.", file=file)
    try:
        return parquet.ParquetFile(file)
    except pyarrow.ArrowException as error:
        raise DataError("{file}: this is not a sound Parquet file. Write it again.", file=file) from error


def _parquet_ids(file: Path, source: Any, column: str) -> list[Id]:
    names = source.schema_arrow.names
    chosen = _id_column(file, names, column)
    wanted = [chosen, *(["part"] if "part" in names and chosen != "part" else [])]
    rows = source.read(columns=wanted).to_pylist()
    return [_id(file, row, chosen, number) for number, row in enumerate(rows, 1)]


def _from_parquet(
    file: Path, ids: Path | None, column: str, vector_column: str
) -> tuple[list[Id], NDArray[Any]]:
    source = _open_parquet(file)
    chosen = _vector_column(file, source.schema_arrow, vector_column)
    keys = read_ids(ids, column) if ids is not None else _parquet_ids(file, source, column)
    return keys, _stacked(file, chosen, source.read(columns=[chosen]).column(chosen))


def _vector_column(file: Path, schema: Any, asked: str) -> str:
    from pyarrow import types

    def holds_vectors(kind: Any) -> bool:
        lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        return lists and bool(types.is_floating(kind.value_type))

    names = [field.name for field in schema if holds_vectors(field.type)]
    usual = [name for name in names if name.lower() in _VECTOR_COLUMNS]
    fitting = [asked] if asked in names else [] if asked else names if len(names) == 1 else usual
    if len(fitting) != 1:
        raise DataError(
            "{file}: it is not clear which column holds the vectors. Its columns of lists of floats: "
            "{what}. Name one with --vector-column NAME.",
            file=file,
            what=", ".join(names) or "none",
        )
    return fitting[0]


def _stacked(file: Path, name: str, column: Any) -> NDArray[Any]:
    """A column of lists as rows, (N, n)."""
    from pyarrow import compute

    if len(column) == 0:
        return np.zeros((0, 0), dtype=np.float32)
    lengths = compute.list_value_length(column).to_numpy()
    wrong = lengths != lengths[0]  # also where there is no list: NaN
    if wrong.any() or np.isnan(float(lengths[0])):
        row = int(wrong.argmax()) + 1
        raise DataError(
            "{file}: the vector in row {row:,} of “{name}” is not as long as the first. Make it again.",
            file=file,
            row=row,
            name=name,
        )
    values = compute.list_flatten(column).to_numpy()
    return np.asarray(values).reshape(len(column), -1)
