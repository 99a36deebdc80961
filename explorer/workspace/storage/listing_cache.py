"""The list of documents as a file beside the database, so that a workspace of a million opens without reading them.

It is written when a folder is read to its end, and says which state of the documents it is of: every change of them
gives the workspace another one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.errors import WorkspaceError
from explorer.workspace.storage import database
from explorer.workspace.storage.array_cache import read_arrays, write_arrays
from explorer.workspace.storage.columns import CodedColumn, PackedNumbers, PackedTexts
from explorer.workspace.storage.documents import STATE, Listing, list_documents, note_change

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.workspace import Workspace

FILE = "documents.arrays"
_CHECKED = 65_536  # texts
LEAST = 20_000  # documents from which it pays: fewer are listed in a tenth of a second
_KIND = "documents 1"
_TEXTS = ("parts", "titles", "openings")
_SHARED = ("paths", "languages", "encodings")
_NUMBERS = {"ids": np.int64, "characters": np.int64, "sure": np.float32}
_log = logging.getLogger(__name__)
_Arrays = dict[str, "NDArray[Any]"]


def load_listing(workspace: Workspace) -> Listing:
    """Return the documents as they are now, from the file if it is of them; the writer brings the file up to date."""
    state, path = _state(workspace), workspace.folder / FILE
    arrays = read_arrays(path, _KIND) if state else None
    if arrays is not None and str(arrays.get("state", "")) == state:
        try:
            return _unpacked(arrays)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            _log.warning("the saved list of documents is damaged; it is made again")
    listing = list_documents(workspace)
    if not workspace.writable or len(listing) < LEAST or not _is_read(workspace):
        return listing
    try:
        if not state:  # of an earlier version; what is listed next is saved
            with database.transaction(workspace.connection):
                note_change(workspace.connection)
        elif _state(workspace) == state and (packed := _packed(listing)) is not None:
            # The state is read before and after, so that of a list read while documents change nothing is saved.
            write_arrays(path, _KIND, {**packed, "state": np.array(state)})
    except WorkspaceError:
        _log.warning("the list of documents cannot be saved")
    return listing


def _state(workspace: Workspace) -> str:
    return str(database.get_meta(workspace.connection, STATE) or "")


def _is_read(workspace: Workspace) -> bool:
    """Return whether every file is read to its end: while one is, the list changes every moment."""
    query = "SELECT 1 FROM files WHERE digest = '' AND reason = '' AND size >= 0 LIMIT 1"
    return workspace.connection.execute(query).fetchone() is None


def _packed(listing: Listing) -> _Arrays | None:
    """Return a list as arrays; None where a field has values that are no column of numbers or texts."""
    arrays: _Arrays = {name: getattr(listing, name) for name in _NUMBERS}
    columns = {name: getattr(listing, name) for name in (*_TEXTS, *_SHARED)}
    columns |= {f"field {number}": values for number, values in enumerate(listing.fields.values())}
    for name, column in columns.items():
        if isinstance(column, CodedColumn):
            arrays |= {f"{name} codes": column.codes, f"{name} values": _as_bytes(column.values)}
        elif isinstance(column, PackedTexts):
            arrays |= {f"{name} data": np.frombuffer(column.data, np.uint8), f"{name} ends": column.ends}
        elif isinstance(column, PackedNumbers):
            arrays[f"{name} numbers"] = column.numbers
        else:
            return None
        missing = getattr(column, "missing", None)
        if missing is not None:
            arrays[f"{name} missing"] = missing
    return {**arrays, "fields": _as_bytes(list(listing.fields))}


def _unpacked(arrays: _Arrays) -> Listing:
    """Return the list of arrays.

    Raises:
        ValueError, KeyError, TypeError, IndexError: They are not those of a list; whoever made the file may have
            written any.
    """
    numbers = {name: arrays[name].astype(kind) for name, kind in _NUMBERS.items()}
    count = len(numbers["ids"])
    if any(column.shape != (count,) for column in numbers.values()):
        raise ValueError("columns of different lengths")
    columns = {name: _column(arrays, name, count) for name in (*_TEXTS, *_SHARED)}
    names = _from_bytes(arrays["fields"])
    fields = {str(name): _column(arrays, f"field {number}", count) for number, name in enumerate(names)}
    return Listing(**numbers, **columns, fields=fields)  # type: ignore[arg-type]


def _column(arrays: _Arrays, name: str, count: int) -> Sequence[Any]:
    if f"{name} codes" in arrays:
        codes, values = arrays[f"{name} codes"].astype(np.int32), _from_bytes(arrays[f"{name} values"])
        if codes.shape != (count,) or codes.min(initial=0) < 0 or codes.max(initial=-1) >= len(values):
            raise ValueError(name)
        if any(isinstance(value, list | dict) for value in values):
            raise ValueError(name)
        return CodedColumn(codes, values)
    missing = arrays.get(f"{name} missing")
    if missing is not None and (missing.shape != (count,) or missing.dtype != np.bool_):
        raise ValueError(name)
    if f"{name} numbers" in arrays:
        numbers = arrays[f"{name} numbers"]
        if numbers.shape != (count,) or numbers.dtype not in (np.int64, np.float64):
            raise ValueError(name)
        return PackedNumbers(numbers, missing)
    return _texts(arrays[f"{name} data"], arrays[f"{name} ends"].astype(np.int64), missing, count)


def _texts(data: NDArray[Any], ends: NDArray[np.int64], missing: NDArray[Any] | None, count: int) -> PackedTexts:
    starts = np.concatenate(([0], ends))
    fits = ends.shape == (count,) and data.dtype == np.uint8 and starts[-1] == len(data)
    if not fits or (np.diff(starts) < 0).any():
        raise ValueError("texts of another length")
    inner = starts[starts < len(data)]
    if (data[inner] & 0xC0 == 0x80).any():
        raise ValueError("a text that begins within a character")
    packed = data.tobytes()
    for first in range(0, count, _CHECKED):
        packed[starts[first] : starts[min(first + _CHECKED, count)]].decode("utf-8", "surrogatepass")
    return PackedTexts(packed, ends, missing)


def _as_bytes(values: Sequence[Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(list(values)).encode(), np.uint8)


def _from_bytes(stored: NDArray[Any]) -> list[Any]:
    values = json.loads(stored.astype(np.uint8).tobytes())
    if not isinstance(values, list):
        raise TypeError("no list")
    return values
