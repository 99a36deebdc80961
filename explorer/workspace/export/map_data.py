"""A map ready to be exported: positions, texts, clusters and metadata of its documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.rendering.labels import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEFTOVER = -1  # the cluster of documents that belong to none
Value = str | int | float | bool | None
Kind = Literal["number", "date", "text"]
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ].*)?)?")


@dataclass(frozen=True, eq=False)
class MapPicture:
    """Everything that an exported map shows.

    Attributes:
        title: What the map shows, such as the name of the folder.
        positions: The position of each document, y upwards, (N, 2).
        ids: The id of each document.
        titles: The title of each document.
        snippets: The beginning of each text; may be long, files shorten it.
        paths: The file of each document, below the folder.
        parts: Which part of its file each document is; empty for whole files.
        clusters: The cluster of each document, LEFTOVER where it belongs nowhere, (N,).
        names: The name of each cluster.
        levels: Names on the map, from a few for all of it to many for close up.
        trust: The share of its true neighbours that are near each document on the map, NaN where not known, (N,).
        columns: What else is known, by name: a number, a date (ISO 8601), a text or None for each document.

    Raises:
        ValueError: The lengths differ, or a position is not a number.
    """

    title: str
    positions: NDArray[np.float32]
    ids: Sequence[int]
    titles: Sequence[str]
    snippets: Sequence[str]
    paths: Sequence[str]
    parts: Sequence[str]
    clusters: NDArray[np.int64]
    names: Mapping[int, str]
    levels: tuple[tuple[Label, ...], ...]
    trust: NDArray[np.float32]
    columns: Mapping[str, Sequence[Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        texts = (self.ids, self.titles, self.snippets, self.paths, self.parts, *self.columns.values())
        lengths = {len(self.clusters), len(self.trust), *(len(values) for values in texts)}
        if self.positions.shape != (len(self.ids), 2) or lengths - {len(self.ids)}:
            raise ValueError(f"positions {self.positions.shape} and lengths {lengths} do not fit together")
        if not np.isfinite(self.positions).all():
            raise ValueError("a position is not a number")

    @property
    def mean_trust(self) -> float | None:
        """Return the mean of the known trust values; None if there are none."""
        known = self.trust[np.isfinite(self.trust)]
        return float(known.mean()) if len(known) else None

    def name(self, cluster: int) -> str:
        """Return the name of a cluster; empty for the leftovers."""
        return "" if cluster == LEFTOVER else self.names.get(cluster) or str(cluster)

    def by_size(self) -> list[int]:
        """Return the clusters, the largest first, without the leftovers."""
        found, counts = np.unique(self.clusters[self.clusters != LEFTOVER], return_counts=True)
        return [int(found[place]) for place in np.lexsort((found, -counts))]


def kind(values: Sequence[Value]) -> Kind:
    """Return what a column holds: numbers or dates if every value present is one, otherwise text."""
    present = [value for value in values if value not in (None, "")]
    if not present or any(isinstance(value, bool) for value in present):
        return "text"
    if all(number(value) is not None for value in present):
        return "number"
    return "date" if all(moment(value) is not None for value in present) else "text"


def number(value: Value) -> float | None:
    """Return the value as a finite number, or None."""
    if value is None or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if np.isfinite(found) else None


def moment(value: Value) -> float | None:
    """Return the seconds since 1970 of an ISO 8601 date with at least year and month, or None."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    try:
        found = datetime.fromisoformat(value if len(value) > len("2000-01") else value + "-01")
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def amounts(values: Sequence[Value], of: Kind) -> NDArray[np.float64]:
    """Return a column of numbers or dates (as seconds), NaN where a value is missing, (N,)."""
    read = number if of == "number" else moment
    found = (read(value) for value in values)
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64)
