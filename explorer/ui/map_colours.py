"""What the colours of the map mean: clusters, trust, scores, or any field of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.ui import theme
from explorer.ui.map_ink import Amounts, Categories
from explorer.ui.map_ink import amounts as ramp_of
from explorer.ui.map_legend import Entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.session import Chart, Session
    from explorer.workspace.listing import Listing

_MOST = 30  # values of a field that have a colour each


def columns(listing: Listing | None) -> list[str]:
    """The fields that tell documents apart."""
    if listing is None:
        return []
    return [name for name, values in listing.fields.items() if len(set(map(str, values))) > 1]


def cluster_colours(session: Session) -> dict[int, str]:
    """The colour of each cluster, the same in every panel."""
    found = session.clusters
    if found is None:
        return {}
    colours = palette.qualitative(max(1, len(found.clusters)), dark=theme.current().dark)
    return {cluster.id: colour for cluster, colour in zip(found.clusters, colours, strict=False)}


@dataclass(frozen=True, eq=False)
class Colouring:
    """What the points are coloured by, and the names of its categories, of which a ramp has none."""

    of: Categories | Amounts
    names: tuple[str, ...] = ()

    def entries(self, nameless: str) -> list[Entry]:
        """The lines of a legend, the commonest categories first; `nameless` is what the others are called."""
        if isinstance(self.of, Amounts):
            return []
        dark = theme.current().dark
        colours = self.of.colours or tuple(palette.qualitative(max(1, len(self.names)), dark=dark))
        counts = np.bincount(self.of.of[self.of.of >= 0], minlength=len(self.names)).tolist()
        found = [Entry(place, name, colours[place], counts[place]) for place, name in enumerate(self.names)]
        rest = int((self.of.of < 0).sum())
        return found + ([Entry(-1, nameless, palette.LEFTOVER[dark], rest)] if rest else [])


def colouring(session: Session, chart: Chart, by: str) -> Colouring:
    """What each point of a chart is coloured by."""
    if by == "trust" and chart.trust is not None:
        return Colouring(Amounts(chart.trust, 0.0, 1.0))
    if by == "score":
        return Colouring(_scores(session, chart))
    if by.startswith("field:"):
        return _field(session, chart, by.removeprefix("field:"))
    return _clusters(session, chart)


def _clusters(session: Session, chart: Chart) -> Colouring:
    found = session.clusters
    if found is None:
        return Colouring(Categories(np.full(len(chart.documents), -1)))
    of, colours = found.of(), cluster_colours(session)
    places = {number: place for place, number in enumerate(colours)}
    labels = [places.get(of.get(number, -1), -1) for number in chart.documents.tolist()]
    names = {one.id: one.name for one in found.clusters}
    told = Categories(np.array(labels, np.int64), tuple(colours.values()))
    return Colouring(told, tuple(names[number] for number in colours))


def _scores(session: Session, chart: Chart) -> Amounts:
    results = session.search.results if session.search is not None else None
    scores = {hit.document: hit.score for hit in results.hits} if results is not None else {}
    return ramp_of(np.array([scores.get(number, np.nan) for number in chart.documents.tolist()]))


def _field(session: Session, chart: Chart, name: str) -> Colouring:
    listing = session.listing
    values = listing.fields.get(name) if listing is not None else None
    if listing is None or values is None:
        return Colouring(Categories(np.full(len(chart.documents), -1)))
    told = [
        values[row] if (row := listing.rows.get(number)) is not None else None
        for number in chart.documents.tolist()
    ]
    numbers = [one for one in told if isinstance(one, int | float) and not isinstance(one, bool)]
    if numbers and len(numbers) == sum(one is not None for one in told):
        return Colouring(ramp_of(_numbers(told)))
    most = [one for one, _ in Counter(str(one) for one in told if one is not None).most_common(_MOST)]
    places = {one: place for place, one in enumerate(most)}
    return Colouring(Categories(np.array([places.get(str(one), -1) for one in told], np.int64)), tuple(most))


def _numbers(values: Sequence[object]) -> NDArray[np.float64]:
    return np.array([float(one) if isinstance(one, int | float) else np.nan for one in values])
