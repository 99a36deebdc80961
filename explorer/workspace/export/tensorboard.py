"""Vectors and what is known of them, as the files that TensorBoard's embedding projector opens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from explorer import disk
from explorer.errors import DataError
from explorer.task import Task
from explorer.workspace.export.tables import harmless

if TYPE_CHECKING:
    from numpy.typing import NDArray

TENSORS, METADATA = "tensors.tsv", "metadata.tsv"
SETTINGS, SETTINGS_WEB = "projector_config.pbtxt", "projector_config.json"
_SETTINGS_TEXT = f'embeddings {{\n  tensor_path: "{TENSORS}"\n  metadata_path: "{METADATA}"\n}}\n'
_BLOCK = 2_048  # rows at a time: the vectors may be a file larger than memory
_LONGEST = 200  # characters of a cell: the projector draws them beside points


@dataclass(frozen=True)
class ProjectorFiles:
    """What was written, below one folder."""

    folder: Path
    rows: int
    dimension: int


def write_projector(
    folder: Path,
    vectors: NDArray[np.floating],
    columns: Mapping[str, Sequence[object]],
    *,
    name: str = "documents",
    task: Task | None = None,
) -> ProjectorFiles:
    """Write tensors.tsv, metadata.tsv and the settings that tie them together, row by row.

    Open the folder with `tensorboard --logdir FOLDER`, or load the two .tsv files in the projector on the web.

    Args:
        folder: Where to; created where it is missing. Files of these names are replaced.
        vectors: A vector a document, (N, n); may be memory-mapped.
        columns: By name, a value for each document; the first should be the title.
        name: Of the vectors, as the projector lists them.
        task: Receives the progress.

    Raises:
        DataError: A column has another length, there are none, or the folder cannot be written.
        Cancelled: The task was cancelled; no half-written file is left.
    """
    task = task or Task()
    count, dimension = vectors.shape
    wrong = [column for column, values in columns.items() if len(values) != count]
    if wrong or not columns:
        raise DataError(
            "The projector needs a value of each of the {count} documents: {what}.",
            count=count,
            what=wrong or "no column",
        )
    partial = {target: folder / f"{target}.partial" for target in (TENSORS, METADATA, SETTINGS, SETTINGS_WEB)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _opened(partial[TENSORS]) as tensors, _opened(partial[METADATA]) as metadata:
            _write(vectors, columns, tensors, metadata, task)
        partial[SETTINGS].write_text(_SETTINGS_TEXT, encoding="utf-8")
        partial[SETTINGS_WEB].write_text(_settings_web(name, count, dimension), encoding="utf-8")
        for target, file in partial.items():
            file.replace(folder / target)
            disk.share(folder / target)
    except OSError as error:
        raise DataError(
            "{folder}: cannot be written ({reason}). Free space or choose another place.",
            folder=folder,
            reason=error.strerror,
        ) from error
    finally:
        for file in partial.values():
            with suppress(OSError):
                file.unlink()
    return ProjectorFiles(folder, count, dimension)


def _opened(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", errors="replace", newline="\n")


def _write(
    vectors: NDArray[np.floating],
    columns: Mapping[str, Sequence[object]],
    tensors: TextIO,
    metadata: TextIO,
    task: Task,
) -> None:
    if len(columns) > 1:  # the projector takes the first line of a single column for a value
        metadata.write("\t".join(_cell(name) for name in columns) + "\n")
    for start in range(0, len(vectors), _BLOCK):
        task.report(start, len(vectors), "writing vectors")
        tensors.writelines(_lines(vectors[start : start + _BLOCK]))
        indices = range(start, min(start + _BLOCK, len(vectors)))
        rows = ("\t".join(_cell(values[row]) for values in columns.values()) for row in indices)
        metadata.writelines(f"{row}\n" for row in rows)
    task.report(len(vectors), len(vectors), "writing vectors")


def _lines(block: NDArray[np.floating]) -> Iterator[str]:
    pattern = "\t".join(["%.6g"] * block.shape[1]) + "\n"
    return (pattern % tuple(row) for row in block.tolist())


def _cell(value: object) -> str:
    """Return a value on one line, without tabs; never empty, since the projector drops empty lines."""
    text = " ".join(str("" if value is None else value).split())
    text = str(harmless(text)) if isinstance(value, str) else text
    return (text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…") or "-"


def _settings_web(name: str, count: int, dimension: int) -> str:
    embedding = {"tensorName": name, "tensorShape": [count, dimension], "tensorPath": TENSORS, "metadataPath": METADATA}
    return json.dumps({"embeddings": [embedding]}, ensure_ascii=False, indent=2) + "\n"
