"""Files of named arrays that can be computed again: written whole or not at all, and never trusted blindly."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from explorer import disk
from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEAL = 16  # bytes of the digest of the rest, at the beginning of a file
_KIND = "kind"  # the array that names what a file is
_storing = threading.Lock()  # of several threads one writes


def read_arrays(path: Path, kind: str) -> dict[str, NDArray[Any]] | None:
    """The arrays of a file; None where it is missing, damaged, or of another kind."""
    try:
        whole = path.read_bytes()  # at once, so that a writer on Windows finds the file closed
        if whole[:_SEAL] != _seal(whole[_SEAL:]):
            return None
        with np.load(BytesIO(whole[_SEAL:]), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, BadZipFile):
        return None
    return arrays if str(arrays.pop(_KIND, "")) == kind else None


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
                file.write(_seal(content.getvalue()))
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


def _seal(content: bytes) -> bytes:
    return blake2b(content, digest_size=_SEAL).digest()
