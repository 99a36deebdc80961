"""Edits of clusters as JSON, read with distrust: the file may come from anyone."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

from explorer.analysis.clusters.edits import (
    Edit,
    Keys,
    MergeClusters,
    MoveDocuments,
    RenameCluster,
    SplitCluster,
)
from explorer.errors import DataError

VERSION = 1
_MOST_EDITS = 100_000
_LONGEST_NAME = 200  # characters
_LONGEST_KEY = 64  # bytes
_LARGEST_ID = 2**31 - 1


def to_json(edits: Sequence[Edit]) -> str:
    """Write edits, first to last."""
    return json.dumps({"version": VERSION, "edits": [_written(edit) for edit in edits]}, ensure_ascii=False)


def from_json(text: str) -> tuple[Edit, ...]:
    """Read what `to_json` wrote.

    Raises:
        DataError: The text is something else; the message says which edit is wrong.
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"The changes to clusters cannot be read: not JSON ({error}). Restore a copy."
        ) from error
    if (
        not isinstance(whole, dict)
        or whole.get("version") != VERSION
        or not isinstance(whole.get("edits"), list)
    ):
        raise DataError(
            f"The changes to clusters cannot be read: not of version {VERSION}. Update the program."
        )
    if len(whole["edits"]) > _MOST_EDITS:
        raise DataError(f"The changes to clusters are more than {_MOST_EDITS}; the file is not one of ours.")
    return tuple(_read(value, place) for place, value in enumerate(whole["edits"], 1))


def _written(edit: Edit) -> dict[str, Any]:
    match edit:
        case RenameCluster(cluster, name):
            return {"do": "rename", "cluster": _hex(cluster), "name": name}
        case MergeClusters(clusters):
            return {"do": "merge", "clusters": [_hex(keys) for keys in clusters]}
        case SplitCluster(parts, new_ids):
            return {"do": "split", "parts": [_hex(keys) for keys in parts], "new_ids": list(new_ids)}
        case MoveDocuments(documents, target):
            return {"do": "move", "documents": _hex(documents), "target": _hex(target)}


def _hex(keys: Keys) -> list[str]:
    return [key.hex() for key in keys]


def _read(value: Any, place: int) -> Edit:
    try:
        match value:
            case {"do": "rename", "cluster": cluster, "name": str(name), **rest} if not rest:
                return RenameCluster(_keys(cluster), _name(name))
            case {"do": "merge", "clusters": list(clusters), **rest} if not rest and len(clusters) >= 2:
                return MergeClusters(tuple(_keys(keys) for keys in clusters))
            case {"do": "split", "parts": list(parts), "new_ids": list(ids), **rest} if not rest:
                return SplitCluster(tuple(_keys(keys) for keys in parts), _ids(ids, len(parts) - 1))
            case {"do": "move", "documents": documents, "target": target, **rest} if not rest:
                return MoveDocuments(_keys(documents), _keys(target, empty=True))
    except ValueError as error:
        raise DataError(f"Change {place} to the clusters is damaged: {error}. Restore a copy.") from error
    raise DataError(
        f"Change {place} to the clusters is of no known kind. Update the program or restore a copy."
    )


def _keys(value: Any, *, empty: bool = False) -> Keys:
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        raise ValueError("a list of document keys was expected")
    if not value and not empty:
        raise ValueError("it names no document")
    keys = tuple(bytes.fromhex(key) for key in value)
    if not all(0 < len(key) <= _LONGEST_KEY for key in keys):
        raise ValueError(f"a document key of 1 to {_LONGEST_KEY} bytes was expected")
    return keys


def _ids(value: list[Any], count: int) -> tuple[int, ...]:
    if len(value) != count or count < 1 or len(set(map(str, value))) != count:
        raise ValueError("a split needs at least two parts and an id of its own for each but the first")
    if not all(type(number) is int and 0 <= number <= _LARGEST_ID for number in value):
        raise ValueError("an id was expected to be a number from 0 on")
    return tuple(value)


def _name(value: str) -> str:
    if len(value) > _LONGEST_NAME:
        raise ValueError(f"the name is longer than {_LONGEST_NAME} characters")
    if any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in value):
        raise ValueError("the name has characters that cannot be shown")
    return value.strip()
