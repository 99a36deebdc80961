"""Open the storage of a path or an address: this machine's files, or object storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from explorer.errors import DataError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


def open_storage(address: str) -> tuple[FileSystem, str]:
    """Return the file system of a path or address, and the path in it: by pyarrow, or by fsspec what that lacks.

    Raises:
        DataError: The storage is not known, or does not answer.
    """
    import pyarrow
    from pyarrow import fs

    if "://" not in address:
        return fs.LocalFileSystem(), address.rstrip("/") or "/"
    try:
        try:
            return fs.FileSystem.from_uri(address)  # type: ignore[no-any-return]
        except pyarrow.ArrowInvalid:
            import fsspec

            filesystem, path = fsspec.url_to_fs(address)
            return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path
    except (pyarrow.ArrowException, ImportError, OSError, ValueError) as error:
        raise DataError(
            "{address}: this storage cannot be opened ({reason}). Check the address and the access to it.",
            address=address,
            reason=str(error).strip().split("\n")[0],
        ) from error


def everything(folder: str) -> Any:
    """Return what selects all files below a folder, and none where it does not exist."""
    from pyarrow.fs import FileSelector

    return FileSelector(folder, recursive=True, allow_not_found=True)


@contextmanager
def storage_errors() -> Iterator[None]:
    """Turn what a storage raises into a sentence.

    Raises:
        DataError: It does not answer, or refuses to read or write.
    """
    import pyarrow

    try:
        yield
    except ConnectionError:
        raise  # Ray Client's
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            "The storage cannot be used ({reason}). Check the address and the access to it; what was done is saved.",
            reason=str(error).strip().split("\n")[0].rstrip("."),
        ) from error
