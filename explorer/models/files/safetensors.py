"""A model's files read as plain data: JSON settings, and what a safetensors file holds and whether it is whole.

No torch here: the catalog looks at many folders, and looking must be cheap and can never run code.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer.errors import ModelError

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
_LONGEST_HEADER = 100 * 2**20
_ITEM_BYTES = {
    "F64": 8,
    "I64": 8,
    "U64": 8,
    "F32": 4,
    "I32": 4,
    "U32": 4,
    "F16": 2,
    "BF16": 2,
    "I16": 2,
    "U16": 2,
}


@dataclass(frozen=True)
class Tensor:
    """One tensor's place in its file.

    Attributes:
        dtype: The format's name of the number type, such as "F32".
        shape: Lengths of its axes.
        start: First byte, counted from the beginning of the file.
        end: The byte after its last.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


@contextmanager
def writing() -> Iterator[None]:
    """Around what writes safetensors: a disk that cannot take them is an OSError, as with every other file."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        number = re.search(r"os error (\d+)", str(error))
        code = int(number[1]) if number else errno.EIO
        raise OSError(code, os.strerror(code) if number else str(error)) from error


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file, or an empty one where there is no such file.

    Raises:
        ModelError: The file is not a JSON object.
    """
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ModelError(
            "{file}: this is not valid JSON ({reason}). Download the model again.", file=path, reason=error
        ) from error
    if not isinstance(value, dict):
        raise ModelError("{file}: a JSON object was expected. Download the model again.", file=path)
    return value


def files(folder: Path) -> list[Path]:
    """The weight files of a model folder: the single file, or the shards its index names.

    Raises:
        ModelError: There are none, only pickled ones, or the index points outside the folder.
    """
    if (folder / SINGLE).is_file():
        return [folder / SINGLE]
    if (folder / INDEX).is_file():
        return _shards(folder)
    pickled = sorted(
        path.name for path in folder.iterdir() if path.suffix in {".bin", ".pt", ".pth", ".ckpt", ".pkl"}
    )
    if pickled:
        raise ModelError(
            "{folder}: the weights are stored in Python's pickle format, which can run code when it "
            "is opened. Convert the model to {single}, or get a copy that has it.",
            folder=folder / pickled[0],
            single=SINGLE,
        )
    raise ModelError(
        "{folder}: there is no {single} in this folder. Copy the model's weights into it.",
        folder=folder,
        single=SINGLE,
    )


def tensors(path: Path) -> dict[str, Tensor]:
    """The table of contents of a safetensors file, checked against the file's length.

    Raises:
        ModelError: The file is not safetensors, is cut short, or contradicts itself.
    """
    length = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        size = struct.unpack("<Q", head)[0] if len(head) == 8 else -1
        if not 2 <= size <= min(_LONGEST_HEADER, length):
            raise _damaged(path, "it is not a safetensors file or only its beginning was copied")
        header = file.read(size)
    try:
        table = json.loads(header)
        found = {name: _tensor(entry, 8 + size) for name, entry in table.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path, "its table of contents cannot be read") from error
    _check_extent(path, found, 8 + size, length)
    return found


def digest(folder: Path) -> str:
    """A digest of names, types, shapes and values, whatever the order or the number of files."""
    places = [
        (name, tensor, path)
        for path in files(folder)
        for name, tensor in tensors(path).items()
        if not name.endswith("position_ids")  # counts 0, 1, 2, ...; only old files hold it
    ]
    whole = hashlib.sha256()
    for name, tensor, path in sorted(places, key=lambda place: place[0]):
        whole.update(f"{name}\0{tensor.dtype}\0{tensor.shape}\0".encode())
        with path.open("rb") as file:
            file.seek(tensor.start)
            left = tensor.end - tensor.start
            while left > 0 and (block := file.read(min(left, 2**20))):
                whole.update(block)
                left -= len(block)
    return whole.hexdigest()


def _shards(folder: Path) -> list[Path]:
    names = read_json(folder / INDEX).get("weight_map", {})
    if not isinstance(names, Mapping) or not names:
        raise ModelError(
            "{folder}: the list of weight files is empty or unreadable. Download the model again.",
            folder=folder / INDEX,
        )
    paths = []
    for name in sorted(set(map(str, names.values()))):
        if Path(name).name != name or not name.endswith(".safetensors"):
            raise ModelError(
                "{folder}: “{name}” is not the name of a weights file in this folder.",
                folder=folder / INDEX,
                name=name,
            )
        if not (folder / name).is_file():
            raise ModelError(
                "{folder}: this part of the weights is missing. Download the model again.",
                folder=folder / name,
            )
        paths.append(folder / name)
    return paths


def _tensor(entry: Mapping[str, Any], base: int) -> Tensor:
    start, end = entry["data_offsets"]
    shape = tuple(int(length) for length in entry["shape"])
    return Tensor(str(entry["dtype"]), shape, base + int(start), base + int(end))


def _check_extent(path: Path, found: Mapping[str, Tensor], base: int, length: int) -> None:
    if max((tensor.end for tensor in found.values()), default=base) != length:
        raise _damaged(path, "it is cut short or has bytes too many")
    for name, tensor in found.items():
        item = _ITEM_BYTES.get(tensor.dtype)
        right = item is None or tensor.size * item == tensor.end - tensor.start
        if not right or tensor.start < base or tensor.end < tensor.start:
            raise _damaged(path, f"the tensor “{name}” does not fit its place")


def _damaged(path: Path, what: str) -> ModelError:
    return ModelError(
        "{file}: the weights file is damaged: {what}. Copy or download it again.", file=path, what=what
    )
