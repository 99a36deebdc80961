"""How the points of a map are coloured: by cluster, by trust, or by what is known of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.errors import DataError
from explorer.workspace.export.map_data import LEFTOVER, Kind, MapPicture, Value, amounts, kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLUSTER, TRUST = "cluster", "trust"
STEPS = 6  # ranges into which amounts are divided
MOST = 40  # values that get a colour of their own; a legend of more helps nobody


@dataclass(frozen=True)
class PictureLegendEntry:
    """A line of the legend: a group of points, its colour and how many they are."""

    text: str
    colour: str
    count: int


@dataclass(frozen=True, eq=False)
class PictureColouring:
    """The groups of a map's points.

    Attributes:
        groups: The entry that each point belongs to, -1 for none, (N,).
        entries: The legend, in its order.
    """

    groups: NDArray[np.int64]
    entries: tuple[PictureLegendEntry, ...]

    @property
    def rest(self) -> int:
        """How many points belong to no entry."""
        return int((self.groups < 0).sum())


def colouring(picture: MapPicture, by: str = CLUSTER) -> PictureColouring:
    """The groups of the points by cluster, by trust or by the column of that name.

    Raises:
        DataError: There is no such column.
    """
    if by == CLUSTER:
        order = picture.by_size()
        return _grouped(picture.clusters.tolist(), order, [picture.name(cluster) for cluster in order])
    if by == TRUST:
        return _ranges(picture.trust.astype(np.float64), "number")
    if by not in picture.columns:
        known = ", ".join([CLUSTER, TRUST, *picture.columns])
        raise DataError(f"The documents have no “{by}” to colour by. Choose one of: {known}.")
    values = picture.columns[by]
    of = kind(values)
    if of != "text":
        return _ranges(amounts(values, of), of)
    order_of_texts = common(values)[:MOST]
    return _grouped([_text(value) for value in values], order_of_texts, order_of_texts)


def common(values: Sequence[Value]) -> list[str]:
    """The texts of a column, the most frequent first, without what is missing."""
    counts = Counter(_text(value) for value in values if value not in (None, ""))
    return sorted(counts, key=lambda text: (-counts[text], text))


def _text(value: Value) -> str:
    return "" if value is None else str(value)


def _grouped(values: Sequence[object], order: Sequence[object], names: Sequence[str]) -> PictureColouring:
    place = {value: number for number, value in enumerate(order)}
    groups = np.array([place.get(value, LEFTOVER) for value in values], dtype=np.int64)
    counts = np.bincount(groups[groups >= 0], minlength=len(order))
    entries = zip(names, palette.qualitative(len(order)), counts.tolist(), strict=True)
    return PictureColouring(groups, tuple(PictureLegendEntry(*entry) for entry in entries))


def _ranges(values: NDArray[np.float64], of: Kind) -> PictureColouring:
    """Equal ranges between the 2nd and the 98th percentile, so that one stray value does not take all the colours."""
    groups = np.full(len(values), LEFTOVER, dtype=np.int64)
    known = np.isfinite(values)
    if not known.any():
        return PictureColouring(groups, ())
    low, high = np.percentile(values[known], [2, 98])
    steps = STEPS if high > low else 1
    edges = np.linspace(low, high, steps + 1)
    groups[known] = np.clip(np.searchsorted(edges, values[known], side="right") - 1, 0, steps - 1)
    counts = np.bincount(groups[known], minlength=steps)
    entries = tuple(
        PictureLegendEntry(
            " – ".join(_written(edge, of, high - low) for edge in edges[step : step + 2]),
            palette.ramp((step + 0.5) / steps),
            int(counts[step]),
        )
        for step in range(steps)
    )
    return PictureColouring(groups, entries)


def _written(value: float, of: Kind, span: float) -> str:
    """An amount as it stands in a legend whose ranges cover `span` together."""
    if of == "date":
        return datetime.fromtimestamp(value, UTC).date().isoformat()
    return f"{value:,.{0 if span >= 20 else 1 if span >= 2 else 3}f}"
