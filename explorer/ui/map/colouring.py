"""Colour the map by cluster, trust, score, tag, folder, language or any field of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.rendering.point_colours import Amounts, Categories, Colouring, categorise
from explorer.rendering.point_colours import amounts as ramp_of
from explorer.ui.look import theme

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


def colouring(session: Session, chart: MapLayout, by: str) -> Colouring:
    """What each point of a chart is coloured by."""
    if by == "trust" and chart.trust is not None:
        return Colouring(Amounts(chart.trust, 0.0, 1.0), ("0", "1"))
    if by == "score":
        found = _scores(session, chart)
        return Colouring(found, (f"{found.low:.2f}", f"{found.high:.2f}"))
    if by == "cluster" or session.listing is None:
        return _clusters(session, chart)
    return _by_value(_document_values(session, chart, session.listing, by))


def _clusters(session: Session, chart: MapLayout) -> Colouring:
    found = session.clusters
    if found is None:
        return Colouring(Categories(np.full(len(chart.documents), -1)))
    of, colours = found.of(), cluster_colours(session)
    labels = [of.get(document, -1) for document in chart.documents.tolist()]
    names = {cluster.id: cluster.name for cluster in found.clusters}
    return categorise(labels, list(colours), [names[cluster] for cluster in colours], list(colours.values()))


def _scores(session: Session, chart: MapLayout) -> Amounts:
    results = session.search.results if session.search is not None else None
    scores = {hit.document: hit.score for hit in results.hits} if results is not None else {}
    return ramp_of(np.array([scores.get(number, np.nan) for number in chart.documents.tolist()]))


def _document_values(session: Session, chart: MapLayout, listing: Listing, by: str) -> list[Value | None]:
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


def _by_value(told: Sequence[Value | None]) -> Colouring:
    found = _amounts(told)
    if found is not None:
        return found
    most = [one for one, _ in Counter(str(one) for one in told if one is not None).most_common(_MOST)]
    return categorise(
        [None if one is None else str(one) for one in told], most, most, theme.colours(max(1, len(most)))
    )


def _amounts(told: Sequence[Value | None]) -> Colouring | None:
    """A ramp, where all that is known are numbers, or nearly all of it dates; None where it is not."""
    there = [one for one in told if one is not None]
    if there and all(isinstance(one, int | float) and not isinstance(one, bool) for one in there):
        found = ramp_of(_numbers(told))
        return Colouring(found, (f"{found.low:,.4g}", f"{found.high:,.4g}"))
    if not _are_dates(there[:: max(1, len(there) // _LOOKED_AT)]):
        return None
    days = _days(told)
    found = ramp_of(np.where(np.isnat(days), np.nan, days.astype(np.int64)))
    return Colouring(
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
