"""Files of named arrays that can be computed again: written whole or not at all, and never trusted blindly."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from explorer import disk
from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEAL = 16  # bytes of the digest of the rest, at the beginning of a file
_KIND = "kind"  # the array that names what a file is
_storing = threading.Lock()  # of several threads one writes


def read_arrays(path: Path, kind: str) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a file; None where it is missing, damaged, or of another kind."""
    try:
        whole = path.read_bytes()  # at once, so that a writer on Windows finds the file closed
        if whole[:_SEAL] != _seal(memoryview(whole)[_SEAL:]):
            return None
        with ZipFile(BytesIO(whole)) as archive:  # which finds its beginning by its end
            arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in archive.infolist()}
    except (OSError, ValueError, KeyError, SyntaxError, RecursionError, NotImplementedError, BadZipFile):
        return None
    return arrays if str(arrays.pop(_KIND, "")) == kind else None


def _array(archive: ZipFile, member: ZipInfo) -> NDArray[Any]:
    """Read one array, whose size must be that of its bytes: whoever made the file may have written any.

    Raises:
        ValueError: It is compressed, has another size, or holds objects.
    """
    if member.compress_type != ZIP_STORED or member.file_size != member.compress_size:
        raise ValueError(member.filename)
    data = archive.read(member)
    stream = BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError(member.filename)
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
    sized = min(shape, default=0) >= 0 and math.prod(shape) * dtype.itemsize == len(data) - stream.tell()
    if by_column or dtype.hasobject or not sized:
        raise ValueError(member.filename)
    # A copy, so that the array can be written to and the bytes of the file are let go.
    return np.frombuffer(data, dtype, math.prod(shape), stream.tell()).reshape(shape).copy()


def write_arrays(path: Path, kind: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file, which takes the old one's place only when it is whole and on the disk.

    Raises:
        WorkspaceError: The disk is full or the file cannot be written; the old one stays.
    """
    content = BytesIO()
    np.savez(content, **{_KIND: np.array(kind), **arrays})  # type: ignore[arg-type]
    half = path.with_suffix(".part")
    try:
        with _storing:
            disk.make_folder(path.parent)
            with open(half, "wb", opener=disk.opener) as file:
                file.write(_seal(content.getbuffer()))
                file.write(content.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            disk.replace(half, path)
    except OSError as error:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise WorkspaceError(
            "{file}: cannot be written ({reason}). Free space on its disk; nothing was lost.",
            file=path,
            reason=error.strerror,
        ) from error


def _seal(content: bytes | memoryview) -> bytes:
    return blake2b(content, digest_size=_SEAL).digest()
