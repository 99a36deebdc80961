"""Colour the map by cluster, trust, score, category, tag, folder, language or any field of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.rendering.colours import Amounts, Categories, Colouring, categorise
from explorer.rendering.colours import amounts as ramp_of
from explorer.ui.look import theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.corpus.document import Value
    from explorer.services.overview import MapLayout
    from explorer.ui.state.session import Session
    from explorer.workspace.storage.documents import Listing

_MOST = 30  # values of a field that get a colour of their own
_SAMPLE = 200  # values by which a field is judged
_DIFFERENT = 0.8  # share of distinct values above which colours would not group anything


def columns(listing: Listing | None) -> list[str]:
    """Return the fields that are useful to colour by: numbers, dates, and values that repeat."""
    return [] if listing is None else [name for name, values in listing.fields.items() if _is_useful(values)]


def _is_useful(values: Sequence[Value | None]) -> bool:
    some = values[:: max(1, len(values) // _SAMPLE)]
    known = [value for value in some if value not in (None, "")]
    different = len(set(map(str, known)))
    rare = different > _MOST and different > _DIFFERENT * len(known)
    return different + (len(known) < len(some)) > 1 and not (rare and _amounts(known) is None)


def useful_keys(listing: Listing | None, tags: Mapping[int, frozenset[str]]) -> set[str]:
    """Return the other keys to colour by: clusters, trust and scores always, the rest if documents differ."""
    keys = {"cluster", "trust", "score"}
    if tags:
        keys.add("tag")
    if listing is not None and len({path.rpartition("/")[0] for path in listing.paths}) > 1:
        keys.add("folder")
    if listing is not None and len(set(listing.languages)) > 1:
        keys.add("language")
    return keys


def cluster_colours(session: Session) -> dict[int, str]:
    """Return the colour of each cluster, the same in every panel."""
    clusters = session.clusters
    if clusters is None:
        return {}
    ranks = clusters.colour_ranks()
    return {cluster.id: theme.colour(ranks[cluster.id]) for cluster in clusters.clusters}


def colouring(session: Session, layout: MapLayout, by: str) -> Colouring:
    """Return what each point of a map layout is coloured by."""
    if by == "trust" and layout.trust is not None:
        return Colouring(Amounts(layout.trust, 0.0, 1.0), ("0", "1"))
    if by == "score":
        scores = _scores(session, layout)
        return Colouring(scores, (f"{scores.low:.2f}", f"{scores.high:.2f}"))
    if by == "category" and session.category_labels is not None:
        labels = session.category_labels
        category_of = labels.by_document()
        values = [category_of.get(document) for document in layout.documents.tolist()]
        return categorise(values, labels.names, labels.names, theme.colours(max(1, len(labels.names))))
    if by == "cluster" or session.listing is None:
        return _clusters(session, layout)
    return _by_value(_document_values(session, layout, session.listing, by))


def _clusters(session: Session, layout: MapLayout) -> Colouring:
    clusters = session.clusters
    if clusters is None:
        return Colouring(Categories(np.full(len(layout.documents), -1)))
    cluster_of, colours = clusters.by_document(), cluster_colours(session)
    labels = [cluster_of.get(document, -1) for document in layout.documents.tolist()]
    names = {cluster.id: cluster.name for cluster in clusters.clusters}
    return categorise(labels, list(colours), [names[cluster] for cluster in colours], list(colours.values()))


def _scores(session: Session, layout: MapLayout) -> Amounts:
    results = session.search.results if session.search is not None else None
    scores = {hit.document: hit.score for hit in results.hits} if results is not None else {}
    return ramp_of(np.array([scores.get(document, np.nan) for document in layout.documents.tolist()]))


def _document_values(session: Session, layout: MapLayout, listing: Listing, by: str) -> list[Value | None]:
    """Return the value of each document of a layout: its tag, folder, language or field."""
    documents = layout.documents.tolist()
    if by == "tag":
        common = Counter(tag for tags in session.tags.values() for tag in tags)
        return [
            max(session.tags.get(document, ()), key=lambda tag: (common[tag], tag), default=None)
            for document in documents
        ]
    values: Sequence[Value | None] = {
        "folder": [path.rpartition("/")[0] or None for path in listing.paths] if by == "folder" else (),
        "language": listing.languages,
    }.get(by) or listing.fields.get(by.removeprefix("field:"), [None] * len(listing))
    rows = (listing.rows.get(document) for document in documents)
    return [None if row is None or values[row] == "" else values[row] for row in rows]


def _by_value(values: Sequence[Value | None]) -> Colouring:
    ramp = _amounts(values)
    if ramp is not None:
        return ramp
    most = [value for value, _ in Counter(str(value) for value in values if value is not None).most_common(_MOST)]
    return categorise(
        [None if value is None else str(value) for value in values], most, most, theme.colours(max(1, len(most)))
    )


def _amounts(values: Sequence[Value | None]) -> Colouring | None:
    """Return a ramp if all known values are numbers, or nearly all are dates; None otherwise."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        ramp = ramp_of(_numbers(values))
        return Colouring(ramp, (f"{ramp.low:,.4g}", f"{ramp.high:,.4g}"))
    if not _are_dates(known[:: max(1, len(known) // _SAMPLE)]):
        return None
    days = _days(values)
    ramp = ramp_of(np.where(np.isnat(days), np.nan, days.astype(np.int64)))
    return Colouring(ramp, (str(np.datetime64(round(ramp.low), "D")), str(np.datetime64(round(ramp.high), "D"))))


def _are_dates(values: Sequence[Value | None]) -> bool:
    """Whether nearly all values are dates, and not all the same."""
    days = _days(values)
    known = days[~np.isnat(days)]
    return len(known) > 0.9 * len(values) and len(np.unique(known)) > 1


def _days(values: Sequence[Value | None]) -> NDArray[np.datetime64]:
    from explorer.analysis.clusters.trends import days_of

    texts = [value if isinstance(value, str) else "" for value in values]
    try:
        return np.array(
            [value[:10] for value in texts], "datetime64[D]"
        )  # many at once, where all are as they should be
    except ValueError:
        return days_of(texts)


def _numbers(values: Sequence[object]) -> NDArray[np.float64]:
    return np.array([float(value) if isinstance(value, int | float) else np.nan for value in values])
