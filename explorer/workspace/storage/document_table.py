"""All documents of a workspace as one table of columns, for those who show many at once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.corpus.document import Value
    from explorer.workspace.workspace import Workspace

_OPENING = 300  # characters
_COLUMNS = 60  # fields of metadata; a folder of tables may have thousands


@dataclass(frozen=True, eq=False)
class Listing:
    """The documents, in the order of their files.

    Attributes:
        ids: (N,) their numbers in the workspace.
        paths: Their files, relative to the folder.
        parts: Which part of its file each is; empty for whole files.
        titles: Their titles.
        characters: (N,) lengths of their texts.
        languages: Codes of their languages; empty where not known.
        encodings: How their bytes were read.
        sure: (N,) how sure that is, 0..1.
        fields: What else is known, by name, a value a document; the commonest fields first.
        openings: How their texts begin.
    """

    ids: NDArray[np.int64]
    paths: Sequence[str]
    parts: Sequence[str]
    titles: Sequence[str]
    characters: NDArray[np.int64]
    languages: Sequence[str]
    encodings: Sequence[str]
    sure: NDArray[np.float32]
    fields: Mapping[str, Sequence[Value | None]] = field(default_factory=dict)
    openings: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row of each document."""
        return {number: row for row, number in enumerate(self.ids.tolist())}

    def name(self, number: int) -> str:
        """A document's title, or its path where it has none; empty if it is gone."""
        row = self.rows.get(number)
        return "" if row is None else self.titles[row] or self.paths[row]

    def path(self, number: int) -> str:
        """A document's file; empty if it is gone."""
        row = self.rows.get(number)
        return "" if row is None else self.paths[row]


def list_documents(workspace: Workspace) -> Listing:
    """The documents as they are now."""
    found = workspace.connection.execute(
        "SELECT d.id, f.name, d.part, d.title, length(d.text), d.language, d.encoding, d.confidence, d.metadata, "
        "substr(d.text, 1, ?) FROM documents d JOIN files f ON f.id = d.file ORDER BY f.path, d.place",
        (_OPENING,),
    ).fetchall()
    ids, paths, parts, titles, characters, languages, encodings, sure, metadata, openings = (
        zip(*found, strict=True) if found else ([],) * 10
    )
    return Listing(
        np.array(ids, np.int64), list(paths), list(parts), list(titles), np.array(characters, np.int64),
        list(languages), list(encodings), np.array(sure, np.float32), _fields([json.loads(one) for one in metadata]),
        [" ".join(one.split()) for one in openings],
    )  # fmt: skip


def _fields(metadata: Sequence[Mapping[str, Value]]) -> dict[str, list[Value | None]]:
    counts: dict[str, int] = {}
    for one in metadata:
        for name in one:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(counts, key=lambda name: (-counts[name], name))[:_COLUMNS]
    return {name: [one.get(name) for one in metadata] for name in names}
