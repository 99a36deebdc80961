"""Export the map: as it is seen, as a table of positions, and as an HTML page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from explorer.rendering.svg import svg
from explorer.ui.export.exporter import ExportSource, ExportTable

if TYPE_CHECKING:
    from explorer.services.overview import Clusters, MapLayout
    from explorer.task import Task
    from explorer.ui.map.panel import MapPanel
    from explorer.ui.state.session import Session
    from explorer.workspace.export.map_data import MapPicture
    from explorer.workspace.storage.document_table import Listing

_COLUMNS = 40  # fields that a page can be coloured by


@dataclass(frozen=True, eq=False)
class MapSource:
    """What a map is made of, taken from the session at one moment, for a worker thread."""

    title: str
    chart: MapLayout
    listing: Listing
    clusters: Clusters | None

    def picture(self) -> MapPicture:
        """The map with all that can be written on it; behind the window."""
        from explorer.workspace.export.map_data import MapPicture

        listing, documents = self.listing, self.chart.documents.tolist()
        kept = [(place, listing.rows[one]) for place, one in enumerate(documents) if one in listing.rows]
        at, rows = [place for place, _ in kept], [row for _, row in kept]
        of = self.clusters.by_document() if self.clusters is not None else {}
        trust = (
            self.chart.trust if self.chart.trust is not None else np.full(len(documents), np.nan, np.float32)
        )
        fields = {name: [values[row] for row in rows] for name, values in listing.fields.items()}
        useful = {name: values for name, values in fields.items() if len(set(map(str, values))) > 1}
        return MapPicture(
            title=self.title, positions=self.chart.positions[at], ids=[documents[place] for place in at],
            titles=[listing.titles[row] or listing.paths[row] for row in rows],
            snippets=[listing.openings[row] if listing.openings else "" for row in rows],
            paths=[listing.paths[row] for row in rows], parts=[listing.parts[row] for row in rows],
            clusters=np.array([of.get(documents[place], -1) for place in at], np.int64),
            names={one.id: one.name for one in self.clusters.clusters} if self.clusters else {},
            levels=self.chart.labels, trust=trust[at],
            columns=dict(list(useful.items())[:_COLUMNS]),
        )  # fmt: skip


def map_source(session: Session) -> MapSource | None:
    """Return what the map is made of now; None if there is none."""
    if session.map_layout is None or session.listing is None or session.folder is None:
        return None
    return MapSource(session.folder.path.name, session.map_layout, session.listing, session.clusters)


class MapExport(QObject):
    """Makes the map ready for export."""

    def __init__(self, panel: MapPanel, session: Session) -> None:
        super().__init__(panel)
        self._panel, self._session = panel, session

    def source(self) -> ExportSource:
        """The map as it can be exported."""
        view = self._panel.view
        return ExportSource(self._panel, self._table, view.image, lambda: svg(view.snapshot()), self._page)

    def _page(self) -> Callable[[Task], str] | None:
        found, by = map_source(self._session), self._panel.by.removeprefix("field:")
        if found is None:
            return None

        def work(_task: Task) -> str:
            from explorer.workspace.export.map_html import html

            picture = found.picture()
            return html(picture, by if by in ("trust", *picture.columns) else "cluster")

        return work

    def _table(self) -> ExportTable | None:
        found = map_source(self._session)
        if found is None:
            return None
        words = {
            "id": self.tr("Number"), "path": self.tr("File"), "part": self.tr("Part"), "title": self.tr("Title"),
            "x": "x", "y": "y", "cluster": self.tr("Cluster number"), "cluster_name": self.tr("Cluster"),
            "trust": self.tr("Trust"),
        }  # fmt: skip

        def rows() -> list[tuple[object, ...]]:
            from explorer.workspace.export import map as export_map

            return [tuple(row[name] for name in words) for row in export_map.rows(found.picture())]

        return ExportTable(tuple(words.values()), rows)
