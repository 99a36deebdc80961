"""Vectors that the user brings along: one a document, made by whatever program."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.corpus.scan.paths import display_path
from explorer.errors import DataError, WorkspaceError
from explorer.task import Task
from explorer.workspace.search import vector_search
from explorer.workspace.storage import database, passages, vector_table
from explorer.workspace.storage.vector_import_files import Id, read_own_vectors
from explorer.workspace.storage.vector_table import StoredModel
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
    """What came of an import.

    Attributes:
        model: The model that the vectors belong to.
        documents: Documents that have a vector now.
        without: Documents that have none.
        unknown: The ids that name no document, or more than one.
        shared: Passages that stand in several documents; they keep the vector of the first.
    """

    model: StoredModel
    documents: int
    without: int
    unknown: tuple[str, ...]
    shared: int


def import_vectors(
    workspace: Workspace, file: Path, ids: Path | None = None, *, column: str = "", vector_column: str = "",
    name: str = "", task: Task | None = None,
) -> Imported:  # fmt: skip
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
        raise WorkspaceError(
            "{folder}: there are no passages yet. Index the folder first.", folder=workspace.folder
        )
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
        "file": str(file.absolute()), "ids": str(ids.absolute()) if ids else "", "column": column,
        "vector_column": vector_column,
    }  # fmt: skip
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
                workspace, Path(source["file"]), Path(source["ids"]) if source["ids"] else None,
                column=source["column"], vector_column=source["vector_column"], name=name, task=task,
            )  # fmt: skip
        except DataError as error:
            _log.warning("the vectors %s were not imported again: %s", name, type(error).__name__)


def _sources(workspace: Workspace) -> dict[str, dict[str, str]]:
    """Return where the user's vectors came from, by name."""
    try:
        return dict(json.loads(workspace.setting(_SOURCES) or "{}"))
    except (ValueError, TypeError):
        return {}


def find_own(workspace: Workspace, name: str) -> StoredModel | None:
    """The user's own vectors of that name or fingerprint, or the only ones for "own"; None if they are not called so.

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
            "Bring some with “docexplorer vectors FOLDER --import FILE”, or name them.",
            folder=workspace.folder,
            listed=listed,
        )
    return own[0]


def _require_unique(file: Path, keys: Sequence[Id]) -> None:
    seen: dict[Id, int] = {}
    for row, key in enumerate(keys, 1):
        if key in seen:
            raise DataError(
                "{file}: “{key}” stands in rows {seen:,} and {row:,}. Leave one vector for each document.",
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
                "{file}: row {row:,} is all zeros and has no direction. Leave that row out.",
                file=file,
                row=row,
            )


def _blocks(vectors: NDArray[Any], task: Task) -> Iterator[tuple[int, NDArray[np.float64]]]:
    for start in range(0, len(vectors), _BLOCK):
        task.report(start, len(vectors), "checking vectors")
        yield start, np.asarray(vectors[start : start + _BLOCK], dtype=np.float64)


def _match(workspace: Workspace, keys: Sequence[Id]) -> tuple[dict[int, int], tuple[str, ...]]:
    """The row of each document that is named, and the ids that name none or not only one."""
    known: dict[tuple[str, str], int] = {}
    parts: dict[str, list[int]] = {}
    for entry in workspace.documents():
        known[entry.path, entry.part] = entry.id
        parts.setdefault(entry.path, []).append(entry.id)
    rows, unknown = {}, []
    for row, key in enumerate(keys):
        found = _document(key, known, parts)
        if found is None or found in rows:
            unknown.append(str(key))
        else:
            rows[found] = row
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
        for path in (workspace.vector_file(model).path, vector_search.hnsw_file(workspace, model), *graphs):
            with suppress(OSError):  # a window still reads it; whoever gets its number next replaces it
                path.unlink(missing_ok=True)
    return new, shared


def _append(
    workspace: Workspace, model: StoredModel, order: Sequence[int], vectors: NDArray[Any], task: Task
) -> None:
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
