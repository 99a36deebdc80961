"""The folder of the shards: what it holds, and from which source."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from explorer.cluster.storage import everything
from explorer.cluster.units import Unit, halved
from explorer.errors import DataError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

FAILED = "failed.jsonl"  # beside the shards: rows that no worker could encode
MADE_BY = ".shards.json"  # beside the shards: what they are of, so that a later run does not add others to them


def states_of(origin: FileSystem, units: Sequence[Unit]) -> dict[str, list[int]]:
    """Return size and time of each file of the source, by which a change shows."""
    paths = sorted({unit.path for unit in units})
    return {info.path: [info.size, info.mtime_ns or 0] for info in origin.get_file_info(paths)} if paths else {}


def require_same(target: FileSystem, folder: str, options: dict[str, Any], states: dict[str, list[int]]) -> None:
    """Make sure that the shards of a folder belong together, and note their source.

    Raises:
        DataError: Those that are there are of another model, of other options, or of files that have changed since.
    """
    from pyarrow.fs import FileType

    noted: dict[str, Any] = {"options": options, "files": {}}
    if target.get_file_info(f"{folder}/{MADE_BY}").type == FileType.File:
        with target.open_input_stream(f"{folder}/{MADE_BY}") as stream:
            noted = json.loads(stream.read())
    if other := [name for name, value in options.items() if noted["options"].get(name) != value]:
        raise DataError(
            "{folder}: its shards were made with another value of {names}. Use the same, or write to another folder.",
            folder=folder,
            names=", ".join(f"--{name}" for name in other),
        )
    for file, state in states.items():
        if noted["files"].get(file, state) != state:
            raise DataError(
                "{file}: this file has changed since shards were made of it. Write to a folder other than {folder}.",
                file=file,
                folder=folder,
            )
    noted["files"] |= states
    with target.open_output_stream(f"{folder}/{MADE_BY}") as stream:
        stream.write(json.dumps(noted).encode())


class ShardFolder:
    """What the folder of shards already holds: shards, and rows that no worker could encode."""

    def __init__(self, target: FileSystem, folder: str) -> None:
        self._target, self._file = target, f"{folder}/{FAILED}"
        names = [PurePosixPath(info.path).name for info in target.get_file_info(everything(folder))]
        self._names = {name for name in names if name.endswith(".parquet") and not name.startswith(".")}
        self.shards = len(self._names)
        self._failures = b""
        if FAILED in names:
            with target.open_input_stream(self._file) as stream:
                self._failures = stream.read()
        self._names |= {json.loads(line)["name"] for line in self._failures.splitlines()}
        self._rows: dict[str, list[int]] = {}  # key of a file -> first rows of its shards, ascending
        for name in self._names:
            key, row, _ = name.split("-")
            self._rows.setdefault(key, []).append(int(row))
        for first_rows in self._rows.values():
            first_rows.sort()

    def missing(self, origin: FileSystem, unit: Unit) -> list[Unit]:
        """Return the missing parts of a unit; an earlier run may have divided it."""
        if unit.name in self._names:
            return []
        known = self._rows.get(unit.key, [])
        index = bisect_left(known, unit.row)
        if unit.rows == 1 or index == len(known) or known[index] >= unit.row + unit.rows:
            return [unit]
        return [part for half in halved(origin, unit) for part in self.missing(origin, half)]

    def fail(self, unit: Unit, reason: str) -> tuple[str, int, str]:
        """Note a row that no worker could encode, so that the next run does not try it again."""
        line = {"name": unit.name, "file": unit.path, "row": unit.row, "reason": reason}
        self._failures += json.dumps(line, ensure_ascii=False).encode() + b"\n"
        with self._target.open_output_stream(self._file) as stream:
            stream.write(self._failures)
        return unit.path, unit.row, reason
