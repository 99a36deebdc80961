"""Read a model's files as plain data: JSON settings, safetensors headers, digests.

No torch here: the catalog looks at many folders, which must be cheap and must never run code.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer import paths as app_paths
from explorer.errors import ModelError

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
_LONGEST_HEADER = 100 * 2**20
_ITEM_BYTES = {8: "F64 I64 U64", 4: "F32 I32 U32", 2: "F16 BF16 I16 U16"}
_DIGESTS = "digests.json"  # in the cache folder: what was hashed before
_DIGESTS_AT_MOST = 200
_SETTLED = 2 * 10**9  # ns after which a file's time of change tells all changes apart


@dataclass(frozen=True)
class Tensor:
    """Where a tensor is in its file: bytes `start` to `end`; `dtype` as the format names it, such as "F32"."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


@contextmanager
def writing() -> Iterator[None]:
    """Turn the library's error for a full or read-only disk into an OSError, as for every other file."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        match = re.search(r"os error (\d+)", str(error))
        code = int(match[1]) if match else errno.EIO
        raise OSError(code, os.strerror(code) if code else str(error)) from error


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file; an empty one if the file does not exist.

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
    """List the weight files of a model folder: the single file, or the shards its index names.

    Raises:
        ModelError: There are none, only pickled ones, or the index points outside the folder.
    """
    if (folder / SINGLE).is_file():
        return [folder / SINGLE]
    if (folder / INDEX).is_file():
        return _shards(folder)
    pickled = sorted(path.name for path in folder.iterdir() if path.suffix in {".bin", ".pt", ".pth", ".ckpt", ".pkl"})
    if pickled:
        raise ModelError(
            "{folder}: the weights are stored in Python's pickle format, which can run code when it "
            "is opened. Convert the model to {single}, or get a copy that has it.",
            folder=folder / pickled[0],
            single=SINGLE,
        )
    raise ModelError(
        "{folder}: there is no {single} in this folder. Copy the model's weights into it.", folder=folder, single=SINGLE
    )


def tensors(path: Path) -> dict[str, Tensor]:
    """Read the header of a safetensors file and check it against the file's length.

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
        contents = {name: _tensor(entry, 8 + size) for name, entry in table.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path, "its table of contents cannot be read") from error
    _check_extent(path, contents, 8 + size, length)
    return contents


def digest(folder: Path) -> str:
    """Digest the names, types, shapes and values of a folder's weights, whatever the order or the number of files."""
    return cached_digest("weights", files(folder), lambda: _digest(folder))


def cached_digest(kind: str, paths: Sequence[Path], compute: Callable[[], str]) -> str:
    """Return what `compute` returns, computed once for files of the same path, size, time of change and inode.

    Hashing the 92 MB of the bundled model takes 0.25 s, which every command paid twice.
    """
    store = app_paths.cache() / _DIGESTS
    identity = _identity(kind, paths)
    known: dict[str, str] = {}
    with suppress(OSError, ValueError, TypeError):
        known = dict(json.loads(store.read_bytes()))
    if isinstance(known.get(identity), str):
        return known[identity]
    value = compute()
    changed = max((path.stat().st_mtime_ns for path in paths), default=0)
    # Like git, trust only old times: a file just written may be changed again within the same tick of the clock.
    if identity == _identity(kind, paths) and time.time_ns() - changed > _SETTLED:
        known = dict([*known.items(), (identity, value)][-_DIGESTS_AT_MOST:])
        with suppress(OSError):
            store.parent.mkdir(parents=True, exist_ok=True)
            fresh = store.with_suffix(f".{os.getpid()}.new")
            fresh.write_text(json.dumps(known), "utf-8")
            fresh.replace(store)
    return value


def _identity(kind: str, paths: Sequence[Path]) -> str:
    states = [(str(path.resolve()), path.stat()) for path in paths]
    text = repr([(kind, name, stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in states])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _digest(folder: Path) -> str:
    entries = [
        (name, tensor, path)
        for path in files(folder)
        for name, tensor in tensors(path).items()
        if not name.endswith("position_ids")  # counts 0, 1, 2, ...; only old files hold it
    ]
    whole = hashlib.sha256()
    for name, tensor, path in sorted(entries, key=lambda entry: entry[0]):
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
                "{folder}: “{name}” is not the name of a weights file in this folder.", folder=folder / INDEX, name=name
            )
        if not (folder / name).is_file():
            raise ModelError(
                "{folder}: this part of the weights is missing. Download the model again.", folder=folder / name
            )
        paths.append(folder / name)
    return paths


def _tensor(entry: Mapping[str, Any], base: int) -> Tensor:
    start, end = entry["data_offsets"]
    shape = tuple(int(length) for length in entry["shape"])
    return Tensor(str(entry["dtype"]), shape, base + int(start), base + int(end))


def _check_extent(path: Path, contents: Mapping[str, Tensor], base: int, length: int) -> None:
    if max((tensor.end for tensor in contents.values()), default=base) != length:
        raise _damaged(path, "it is cut short or has extra bytes")
    for name, tensor in contents.items():
        item = next((size for size, names in _ITEM_BYTES.items() if tensor.dtype in names.split()), None)
        right = item is None or math.prod(tensor.shape) * item == tensor.end - tensor.start
        if not right or tensor.start < base or tensor.end < tensor.start:
            raise _damaged(path, f"the tensor “{name}” does not fit its place")


def _damaged(path: Path, what: str) -> ModelError:
    return ModelError("{file}: the weights file is damaged: {what}. Copy or download it again.", file=path, what=what)
