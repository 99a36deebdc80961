"""Clusters over time, from the values of the session; computed behind the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.analysis.clusters.trends import Trend, Trends
    from explorer.services.overview import Clusters
    from explorer.workspace.storage.document_table import Listing

_LOOKED_AT = 200  # values of a field that tell whether it holds dates
_ORDER = {"rising": 0, "falling": 1, "steady": 2, "too few": 3}


@dataclass(frozen=True, eq=False)
class TrendData:
    """What the panel shows.

    Attributes:
        fields: The fields that hold dates, the fullest first.
        field: The one that was used; empty if there is none.
        trends: The clusters over time; None without dates.
        order: The places of the trends, as they are listed.
    """

    fields: tuple[str, ...] = ()
    field: str = ""
    trends: Trends | None = None
    order: tuple[int, ...] = ()


def over_time(listing: Listing, clusters: Clusters, field: str = "") -> TrendData:
    """The clusters over time by a field; by the fullest one if that is absent or holds no dates."""
    from explorer.analysis.clusters.trends import days_of, trends

    fields = date_fields(listing)
    chosen = field if field in fields else next(iter(fields), "")
    if not chosen:
        return TrendData()
    values = listing.fields[chosen]
    rows = (listing.rows.get(number) for number in clusters.documents.tolist())
    days = days_of(_text(values[row]) if row is not None else None for row in rows)
    found = trends(days, clusters.shown.labels)
    if not len(found.starts):
        return TrendData(fields, chosen)
    return TrendData(fields, chosen, found, _order(found.clusters))


def date_fields(listing: Listing) -> tuple[str, ...]:
    """The fields of which most values are dates, the fullest first."""
    from explorer.analysis.clusters.trends import days_of

    found: dict[str, int] = {}
    for name, values in listing.fields.items():
        there = [value for value in values if value not in (None, "")]
        some = there[:: max(1, len(there) // _LOOKED_AT)]
        dated = ~np.isnat(days_of(_text(value) for value in some)) if some else np.zeros(0, bool)
        if len(dated) and dated.mean() > 0.5:
            found[name] = len(there)
    return tuple(sorted(found, key=lambda name: (-found[name], name != "date", name)))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _order(found: Sequence[Trend]) -> tuple[int, ...]:
    """What rises most first, then what falls most, then the largest."""

    def key(place: int) -> tuple[float, float]:
        one = found[place]
        moves = one.direction in ("rising", "falling")
        return _ORDER[one.direction], -abs(one.slope) if moves else -float(one.counts.sum())

    return tuple(sorted(range(len(found)), key=key))
