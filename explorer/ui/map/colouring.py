"""What the colours of the map mean: clusters, trust, scores, or any field of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.rendering.point_colours import Amounts, Categories
from explorer.rendering.point_colours import amounts as ramp_of
from explorer.ui.look import theme
from explorer.ui.map.legend import LegendEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.corpus.document import Value
    from explorer.services.overview import MapLayout
    from explorer.ui.state.session import Session
    from explorer.workspace.storage.document_table import Listing

_MOST = 30  # values of a field that have a colour each
_LOOKED_AT = 200  # values that tell what a field is like
_DIFFERENT = 0.8  # share of the values from which on hardly any comes twice, and colours tell nothing


def columns(listing: Listing | None) -> list[str]:
    """The fields that tell documents apart by colours: numbers, dates, and words that come more than once."""
    return [] if listing is None else [name for name, values in listing.fields.items() if _tells(values)]


def _tells(values: Sequence[Value | None]) -> bool:
    some = values[:: max(1, len(values) // _LOOKED_AT)]
    there = [one for one in some if one not in (None, "")]
    different = len(set(map(str, there)))
    rare = different > _MOST and different > _DIFFERENT * len(there)
    return different + (len(there) < len(some)) > 1 and not (rare and _amounts(there) is None)


def telling(listing: Listing | None, tags: Mapping[int, frozenset[str]]) -> set[str]:
    """What besides fields can be coloured by: always clusters, trust and scores, the rest where it tells apart."""
    found = {"cluster", "trust", "score"}
    if tags:
        found.add("tag")
    if listing is not None and len({path.rpartition("/")[0] for path in listing.paths}) > 1:
        found.add("folder")
    if listing is not None and len(set(listing.languages)) > 1:
        found.add("language")
    return found


def cluster_colours(session: Session) -> dict[int, str]:
    """The colour of each cluster, the same in every panel."""
    found = session.clusters
    if found is None:
        return {}
    colours = theme.colours(max(1, len(found.clusters)))
    return {cluster.id: colour for cluster, colour in zip(found.clusters, colours, strict=False)}


@dataclass(frozen=True, eq=False)
class MapColouring:
    """What the points are coloured by, with the names of its categories, or of the two ends of its ramp."""

    of: Categories | Amounts
    names: tuple[str, ...] = ()

    def entries(self, nameless: str) -> list[LegendEntry]:
        """The lines of a legend, the commonest categories first; `nameless` is what the others are called."""
        if isinstance(self.of, Amounts):
            return []
        dark = theme.current().dark
        colours = self.of.colours or tuple(theme.colours(max(1, len(self.names))))
        counts = np.bincount(self.of.of[self.of.of >= 0], minlength=len(self.names)).tolist()
        found = [
            LegendEntry(place, name, colours[place], counts[place]) for place, name in enumerate(self.names)
        ]
        rest = int((self.of.of < 0).sum())
        return found + ([LegendEntry(-1, nameless, palette.LEFTOVER[dark], rest)] if rest else [])


def colouring(session: Session, chart: MapLayout, by: str) -> MapColouring:
    """What each point of a chart is coloured by."""
    if by == "trust" and chart.trust is not None:
        return MapColouring(Amounts(chart.trust, 0.0, 1.0), ("0", "1"))
    if by == "score":
        found = _scores(session, chart)
        return MapColouring(found, (f"{found.low:.2f}", f"{found.high:.2f}"))
    if by == "cluster" or session.listing is None:
        return _clusters(session, chart)
    return _values(_told(session, chart, session.listing, by))


def _clusters(session: Session, chart: MapLayout) -> MapColouring:
    found = session.clusters
    if found is None:
        return MapColouring(Categories(np.full(len(chart.documents), -1)))
    of, colours = found.of(), cluster_colours(session)
    places = {number: place for place, number in enumerate(colours)}
    labels = [places.get(of.get(number, -1), -1) for number in chart.documents.tolist()]
    names = {one.id: one.name for one in found.clusters}
    told = Categories(np.array(labels, np.int64), tuple(colours.values()))
    return MapColouring(told, tuple(names[number] for number in colours))


def _scores(session: Session, chart: MapLayout) -> Amounts:
    results = session.search.results if session.search is not None else None
    scores = {hit.document: hit.score for hit in results.hits} if results is not None else {}
    return ramp_of(np.array([scores.get(number, np.nan) for number in chart.documents.tolist()]))


def _told(session: Session, chart: MapLayout, listing: Listing, by: str) -> list[Value | None]:
    """What is known of each document of a chart: a field, or what every document has."""
    numbers = chart.documents.tolist()
    if by == "tag":
        common = Counter(tag for tags in session.tags.values() for tag in tags)
        return [
            max(session.tags.get(one, ()), key=lambda tag: (common[tag], tag), default=None)
            for one in numbers
        ]
    values: Sequence[Value | None] = {
        "folder": [path.rpartition("/")[0] or None for path in listing.paths] if by == "folder" else (),
        "language": listing.languages,
    }.get(by) or listing.fields.get(by.removeprefix("field:"), [None] * len(listing))
    rows = (listing.rows.get(number) for number in numbers)
    return [None if row is None or values[row] == "" else values[row] for row in rows]


def _values(told: Sequence[Value | None]) -> MapColouring:
    found = _amounts(told)
    if found is not None:
        return found
    most = [one for one, _ in Counter(str(one) for one in told if one is not None).most_common(_MOST)]
    places = {one: place for place, one in enumerate(most)}
    groups = np.array([places.get(str(one), -1) for one in told], np.int64)
    return MapColouring(Categories(groups, tuple(theme.colours(max(1, len(most))))), tuple(most))


def _amounts(told: Sequence[Value | None]) -> MapColouring | None:
    """A ramp, where all that is known are numbers, or nearly all of it dates; None where it is not."""
    there = [one for one in told if one is not None]
    if there and all(isinstance(one, int | float) and not isinstance(one, bool) for one in there):
        found = ramp_of(_numbers(told))
        return MapColouring(found, (f"{found.low:,.4g}", f"{found.high:,.4g}"))
    if not _are_dates(there[:: max(1, len(there) // _LOOKED_AT)]):
        return None
    days = _days(told)
    found = ramp_of(np.where(np.isnat(days), np.nan, days.astype(np.int64)))
    return MapColouring(
        found, (str(np.datetime64(round(found.low), "D")), str(np.datetime64(round(found.high), "D")))
    )


def _are_dates(values: Sequence[Value | None]) -> bool:
    """Whether nearly all values are dates, and not all the same."""
    days = _days(values)
    known = days[~np.isnat(days)]
    return len(known) > 0.9 * len(values) and len(np.unique(known)) > 1


def _days(values: Sequence[Value | None]) -> NDArray[np.datetime64]:
    from explorer.analysis.clusters.trends import days_of

    texts = [one if isinstance(one, str) else "" for one in values]
    try:
        return np.array(
            [one[:10] for one in texts], "datetime64[D]"
        )  # many at once, where all are as they should be
    except ValueError:
        return days_of(texts)


def _numbers(values: Sequence[object]) -> NDArray[np.float64]:
    return np.array([float(one) if isinstance(one, int | float) else np.nan for one in values])
