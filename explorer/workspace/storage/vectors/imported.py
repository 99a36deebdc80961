"""Vectors that the user imports, made by any program: their files, and where they are stored."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from explorer.corpus.readers.tables.data_table import read_raw_text, read_table
from explorer.errors import DataError, WorkspaceError
from explorer.paths import display_path
from explorer.task import Task
from explorer.workspace.search import vector_search
from explorer.workspace.storage import database, passages
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.table import StoredModel
from explorer.workspace.update.knn_graph import graph_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.workspace import Workspace


KIND = "own"
_SOURCES = "imported vectors"  # the setting that says where they came from
_log = logging.getLogger(__name__)
_BLOCK = 8192


@dataclass(frozen=True)
class Imported:
    """The result of an import.

    Attributes:
        model: The model that the vectors belong to.
        documents: Documents that have a vector now.
        without: Documents that have none.
        unknown: The ids that name no document, or more than one.
        shared: Passages that occur in several documents; they keep the vector of the first.
    """

    model: StoredModel
    documents: int
    without: int
    unknown: tuple[str, ...]
    shared: int


def import_vectors(
    workspace: Workspace,
    file: Path,
    ids: Path | None = None,
    *,
    column: str = "",
    vector_column: str = "",
    name: str = "",
    task: Task | None = None,
) -> Imported:
    """Take vectors into a workspace as a model of kind "own", in place of one of the same name.

    Each vector is scaled to length 1 and given to every passage of its document.

    Args:
        workspace: An indexed workspace, opened for writing.
        file: A `.npy` file, (N, n), or a Parquet file with a column of vectors.
        ids: The documents of a `.npy` file's rows: text, csv, jsonl or parquet.
        column: The column that names the documents.
        vector_column: The column that holds the vectors.
        name: What to call them; the name of the file where empty.
        task: Progress and cancel.

    Raises:
        DataError: A file cannot be used; nothing was changed.
        WorkspaceError: The workspace cannot be written or holds no passages.
    """
    task = task or Task()
    workspace.require_writable()
    if not workspace.counts()["passages"]:
        raise WorkspaceError("{folder}: there are no passages yet. Index the folder first.", folder=workspace.folder)
    keys, vectors = read_own_vectors(file, ids, column, vector_column)
    _require_unique(ids or file, keys)
    _require_usable(file, vectors, task)
    rows, unknown = _match(workspace, keys)
    if not rows:
        raise DataError(
            "{what}: none of its {count:,} ids is a document of {root}, such as “{keys}”. Name "
            "documents by their path below that folder.",
            what=ids or file,
            count=len(keys),
            root=workspace.root,
            keys=keys[0],
        )
    name = name or file.stem
    fingerprint = f"own-{name}-{_digest(keys, vectors)}"
    model, shared = _write(workspace, name, fingerprint, rows, vectors, task)
    source = {
        "file": str(file.absolute()),
        "ids": str(ids.absolute()) if ids else "",
        "column": column,
        "vector_column": vector_column,
    }
    workspace.set_setting(_SOURCES, json.dumps(_sources(workspace) | {name: source}))
    without = workspace.counts()["documents"] - len(rows)
    return Imported(model, len(rows), without, unknown, shared)


def restore_vectors(workspace: Workspace, task: Task) -> None:
    """Import vectors again that were lost with the cache, if their files are still there."""
    there = {model.name for model in workspace.models() if model.kind == KIND}
    for name, source in _sources(workspace).items():
        if name in there or not Path(source["file"]).is_file():
            continue
        try:
            import_vectors(
                workspace,
                Path(source["file"]),
                Path(source["ids"]) if source["ids"] else None,
                column=source["column"],
                vector_column=source["vector_column"],
                name=name,
                task=task,
            )
        except DataError as error:
            _log.warning("the vectors %s were not imported again: %s", name, type(error).__name__)


def _sources(workspace: Workspace) -> dict[str, dict[str, str]]:
    """Return where the user's vectors came from, by name."""
    try:
        return dict(json.loads(workspace.setting(_SOURCES) or "{}"))
    except (ValueError, TypeError, RecursionError):
        return {}


def find_own(workspace: Workspace, name: str) -> StoredModel | None:
    """Return the user's own vectors of that name or fingerprint, or the only ones for "own"; None if there are none.

    Raises:
        DataError: "own" was asked for, and there are none or several.
    """
    own = [model for model in workspace.models() if model.kind == KIND]
    named = [model for model in own if name in (model.name, model.fingerprint)]
    if named or name != KIND:
        return named[0] if named else None
    if len(own) != 1:
        listed = ", ".join(f"“{model.name}”" for model in own) or "none"
        raise DataError(
            "{folder}: it is not clear which vectors of your own are meant; there are {listed}. "
            "Import some with “docexplorer vectors FOLDER --import FILE”, or name them.",
            folder=workspace.folder,
            listed=listed,
        )
    return own[0]


def _require_unique(file: Path, keys: Sequence[Id]) -> None:
    seen: dict[Id, int] = {}
    for row, key in enumerate(keys, 1):
        if key in seen:
            raise DataError(
                "{file}: “{key}” appears in rows {seen:,} and {row:,}. Leave one vector for each document.",
                file=file,
                key=key,
                seen=seen[key],
                row=row,
            )
        seen[key] = row


def _require_usable(file: Path, vectors: NDArray[Any], task: Task) -> None:
    for start, block in _blocks(vectors, task):
        bad = ~np.isfinite(block).all(axis=1)
        if bad.any():
            row = start + int(bad.argmax()) + 1
            raise DataError(
                "{file}: row {row:,} has a value that is infinite or not a number. Make that vector again.",
                file=file,
                row=row,
            )
        if (empty := ~block.any(axis=1)).any():
            row = start + int(empty.argmax()) + 1
            raise DataError(
                "{file}: row {row:,} is all zeros and has no direction. Leave that row out.", file=file, row=row
            )


def _blocks(vectors: NDArray[Any], task: Task) -> Iterator[tuple[int, NDArray[np.float64]]]:
    for start in range(0, len(vectors), _BLOCK):
        task.report(start, len(vectors), "checking vectors")
        yield start, np.asarray(vectors[start : start + _BLOCK], dtype=np.float64)


def _match(workspace: Workspace, keys: Sequence[Id]) -> tuple[dict[int, int], tuple[str, ...]]:
    """Return the row of each document that is named, and the ids that name none or not only one."""
    known: dict[tuple[str, str], int] = {}
    parts: dict[str, list[int]] = {}
    for entry in workspace.documents():
        known[entry.path, entry.part] = entry.id
        parts.setdefault(entry.path, []).append(entry.id)
    rows, unknown = {}, []
    for row, key in enumerate(keys):
        document_id = _document(key, known, parts)
        if document_id is None or document_id in rows:
            unknown.append(str(key))
        else:
            rows[document_id] = row
    return rows, tuple(unknown)


def _document(key: Id, known: dict[tuple[str, str], int], parts: dict[str, list[int]]) -> int | None:
    for written in (key.path, key.path.replace("\\", "/")):  # as Windows writes it
        path = display_path(written).removeprefix("./")
        if (path, key.part) in known:
            return known[path, key.part]
        if not key.part and len(parts.get(path, ())) == 1:
            return parts[path][0]
    return None


def _digest(keys: Sequence[Id], vectors: NDArray[Any]) -> str:
    content = hashlib.blake2b("\n".join(map(str, keys)).encode("utf-8", "surrogateescape"), digest_size=8)
    for start in range(0, len(vectors), _BLOCK):
        content.update(np.ascontiguousarray(vectors[start : start + _BLOCK], dtype="<f4").tobytes())
    return content.hexdigest()


def _write(
    workspace: Workspace, name: str, fingerprint: str, rows: dict[int, int], vectors: NDArray[Any], task: Task
) -> tuple[StoredModel, int]:
    """Put the vectors in place of those of the same name, all or nothing."""
    db = workspace.connection
    old = [model for model in workspace.models() if model.kind == KIND and model.name == name]
    with database.transaction(db):
        for model in old:  # the same vectors may come again
            vector_table.retire_model(db, model)
        new = vector_table.add_model(db, fingerprint, name, KIND, vectors.shape[1])
        _append(workspace, new, [rows[document] for document in rows], vectors, task)
        shared = _name_rows(workspace, new, list(rows))
        for model in old:
            vector_table.remove_model(db, model)
    for model in old:
        graphs = [graph_file(workspace, model, passages=passages) for passages in (False, True)]
        file = workspace.vector_file(model)
        for path in (file.path, file.checksums.path, vector_search.hnsw_file(workspace, model), *graphs):
            with suppress(OSError):  # a window still reads it; whoever gets its number next replaces it
                path.unlink(missing_ok=True)
    return new, shared


def _append(workspace: Workspace, model: StoredModel, order: Sequence[int], vectors: NDArray[Any], task: Task) -> None:
    file = workspace.vector_file(model)
    file.trim(0)
    for start in range(0, len(order), _BLOCK):
        task.report(start, len(order), "taking in vectors")
        block = np.asarray(vectors[order[start : start + _BLOCK]], dtype=np.float64)
        block /= np.abs(block).max(axis=1, keepdims=True)  # or else squares may overflow
        file.append((block / np.linalg.norm(block, axis=1, keepdims=True)).astype(np.float32))


def _name_rows(workspace: Workspace, model: StoredModel, documents: Sequence[int]) -> int:
    """Give each document's row to its passages; returns how many were another document's already."""
    db, owners, shared = workspace.connection, dict[bytes, int](), set[bytes]()
    for row, document in enumerate(documents):
        for key in passages.digests_of(db, document):
            if owners.setdefault(key, row) != row:
                shared.add(key)
    vector_table.add_rows(db, model.id, owners)
    return len(shared)


_ID_COLUMNS = ("document", "path", "file", "id")  # “docexplorer export” writes the first, with “part”
_VECTOR_COLUMNS = ("vector", "vectors", "embedding", "embeddings")
_MAX_TABLE_BYTES = 4 * 2**30


class Id(NamedTuple):
    """What names a document: its path, and its part where the file has several."""

    path: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.path}\t{self.part}" if self.part else self.path


def read_own_vectors(file: Path, ids: Path | None, column: str, vector_column: str) -> tuple[list[Id], NDArray[Any]]:
    """Return the ids and as many vectors, (N, n); a `.npy` file is mapped, not read.

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
                "{file}: the format “{suffix}” is not known. Give a .npy or .parquet file.",
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
            "{file}: {count:,} vectors, but {what} has {count2:,} ids. The numbers must match.",
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
        raise DataError("{file}: line {line:,} {reason}. Correct or remove it.", file=file, line=line, reason=reason)
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
        raise DataError("{file}: this is an archive of arrays. Save the one array with numpy.save.", file=file)
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


def _from_parquet(file: Path, ids: Path | None, column: str, vector_column: str) -> tuple[list[Id], NDArray[Any]]:
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
    """Return a column of lists as rows, (N, n)."""
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
