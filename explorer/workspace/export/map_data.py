"""A map ready to be exported: positions, texts, clusters and metadata of its documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer import palette
from explorer.errors import DataError
from explorer.rendering.colours import Categories, Colouring, categorise
from explorer.rendering.labels import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray


LEFTOVER = -1  # the cluster of documents that belong to none
Value = str | int | float | bool | None
Kind = Literal["number", "date", "text"]
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ].*)?)?")
CLUSTER, TRUST = "cluster", "trust"
STEPS = 6  # ranges into which amounts are divided
MOST = 40  # values that get a colour of their own; a longer legend does not help


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
        cluster_ids, counts = np.unique(self.clusters[self.clusters != LEFTOVER], return_counts=True)
        return [int(cluster_ids[index]) for index in np.lexsort((cluster_ids, -counts))]


def kind(values: Sequence[Value]) -> Kind:
    """Return what a column holds: numbers or dates if every value present is one, otherwise text."""
    present = [value for value in values if value not in (None, "")]
    if not present or any(isinstance(value, bool) for value in present):
        return "text"
    if all(finite_number(value) is not None for value in present):
        return "number"
    return "date" if all(moment(value) is not None for value in present) else "text"


def finite_number(value: Value) -> float | None:
    """Return the value as a finite number, or None."""
    if value is None or isinstance(value, bool):
        return None
    try:
        parsed = float(value)
    except ValueError:
        return None
    return parsed if np.isfinite(parsed) else None


def moment(value: Value) -> float | None:
    """Return the seconds since 1970 of an ISO 8601 date with at least year and month, or None."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    try:
        parsed = datetime.fromisoformat(value if len(value) > len("2000-01") else value + "-01")
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def amounts(values: Sequence[Value], column_kind: Kind) -> NDArray[np.float64]:
    """Return a column of numbers or dates (as seconds), NaN where a value is missing, (N,)."""
    read = finite_number if column_kind == "number" else moment
    numbers = (read(value) for value in values)
    return np.array([np.nan if value is None else value for value in numbers], dtype=np.float64)


def colouring(picture: MapPicture, by: str = CLUSTER) -> Colouring:
    """Colour the points by cluster, by trust, or by the column of that name.

    Raises:
        DataError: There is no such column.
    """
    if by == CLUSTER:
        order = picture.by_size()
        return categorise(picture.clusters.tolist(), order, [picture.name(cluster) for cluster in order])
    if by == TRUST:
        return _by_range(picture.trust.astype(np.float64), "number")
    if by not in picture.columns:
        known = ", ".join([CLUSTER, TRUST, *picture.columns])
        raise DataError("The documents have no “{by}” to colour by. Choose one of: {known}.", by=by, known=known)
    values = picture.columns[by]
    column = kind(values)
    if column != "text":
        return _by_range(amounts(values, column), column)
    texts = common(values)[:MOST]
    return categorise([_text(value) for value in values], texts, texts)


def common(values: Sequence[Value]) -> list[str]:
    """Return the texts of a column, the most frequent first, without missing ones."""
    counts = Counter(_text(value) for value in values if value not in (None, ""))
    return sorted(counts, key=lambda text: (-counts[text], text))


def _text(value: Value) -> str:
    return "" if value is None else str(value)


def _by_range(values: NDArray[np.float64], column: Kind) -> Colouring:
    """Colour amounts by equal ranges between the 2nd and the 98th percentile, so that outliers do not widen them."""
    groups = np.full(len(values), LEFTOVER, dtype=np.int64)
    known = np.isfinite(values)
    if not known.any():
        return Colouring(Categories(groups))
    low, high = np.percentile(values[known], [2, 98])
    steps = STEPS if high > low else 1
    edges = np.linspace(low, high, steps + 1)
    groups[known] = np.clip(np.searchsorted(edges, values[known], side="right") - 1, 0, steps - 1)
    names = (
        " – ".join(_format_amount(edge, column, high - low) for edge in edges[step : step + 2]) for step in range(steps)
    )
    colours = tuple(palette.ramp((step + 0.5) / steps) for step in range(steps))
    return Colouring(Categories(groups, colours), tuple(names))


def _format_amount(value: float, column: Kind, span: float) -> str:
    """Write an amount with as many digits as a legend needs whose ranges cover `span` together."""
    if column == "date":
        return datetime.fromtimestamp(value, UTC).date().isoformat()
    return f"{value:,.{0 if span >= 20 else 1 if span >= 2 else 3}f}"
