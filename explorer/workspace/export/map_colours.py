"""Colour the points of an exported map by cluster, by trust or by a column of metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.errors import DataError
from explorer.rendering.colours import Categories, Colouring, categorise
from explorer.workspace.export.map_data import LEFTOVER, Kind, MapPicture, Value, amounts, kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLUSTER, TRUST = "cluster", "trust"
STEPS = 6  # ranges into which amounts are divided
MOST = 40  # values that get a colour of their own; a longer legend does not help


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
