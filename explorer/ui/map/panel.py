"""The map panel: shows what the session knows, passes what the user selects to the session, and exports the map."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.rendering.colours import Amounts, Colouring, style
from explorer.rendering.picture import svg
from explorer.ui.export.exporter import ExportSource, ExportTable
from explorer.ui.look import theme
from explorer.ui.map.colouring import colouring, columns, useful_keys
from explorer.ui.map.hover_card import CardText
from explorer.ui.map.legend import MapLegend, Ramp
from explorer.ui.map.view import MapView
from explorer.ui.state.document_set import DocumentSet, RowIndex
from explorer.ui.state.session import Origin
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.services.overview import Clusters, MapLayout
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.map.input import Tool
    from explorer.ui.state.session import Session
    from explorer.workspace.export.map_data import MapPicture
    from explorer.workspace.storage.documents import Listing

GLOWING = 20  # of the best results
_COLUMNS = 40  # fields that a page can be coloured by


class MapPanel(Themed, QWidget):
    """The map with its tools.

    Attributes:
        view: The map itself.

    Signals:
        by_changed: The colours mean something else.
    """

    by_changed = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._map_layout: MapLayout | None = None
        self._rows = RowIndex()
        self._colouring: Colouring | None = None
        self._coloured_by = ""
        self._legend_filter: object = None  # the key of the filter that the legend set
        self.view = MapView(self)
        self.legend = MapLegend(self)
        self.legend.setObjectName("legend")  # stands on the ground of the map
        self.legend.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.legend.hide()
        self.legend.kept_changed.connect(self._on_kept_changed)
        self.view.set_describe(self._describe)
        self.view.set_neighbours(self._neighbours)
        self._by = QComboBox()
        self._by.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._trust = QLabel()
        self._trust.setProperty("kind", "faint")
        self._fit = QToolButton()
        self._tools = {name: QToolButton() for name in ("pan", "lasso", "rectangle")}
        self._lay_out()
        self.retranslate()
        self.restyle()
        self.view.clicked.connect(self._on_clicked)
        self.view.selected.connect(self._on_selected)
        self._by.activated.connect(lambda _: self.colour_by(self.by))
        self._fit.clicked.connect(self.fit)
        session.map_changed.connect(self._on_map_changed)
        session.clusters_changed.connect(self._colour)
        session.documents_changed.connect(self._on_documents_changed)
        session.results_changed.connect(self._on_results_changed)
        session.filter_changed.connect(self._on_filter_changed)
        session.selection_changed.connect(self._on_selection_changed)
        session.tags_changed.connect(self._on_tags_changed)
        session.settings_changed.connect(self._on_settings_changed)
        self._on_settings_changed()

    def _lay_out(self) -> None:
        group = QButtonGroup(self)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        bar.setSpacing(4)
        for name, button in self._tools.items():
            button.setCheckable(True)
            group.addButton(button)
            bar.addWidget(button)
            button.clicked.connect(lambda _checked=False, name=name: self.use_tool(name))
        self._tools["pan"].setChecked(True)
        bar.addWidget(self._fit)
        bar.addSpacing(8)
        bar.addWidget(self._by)
        bar.addStretch(1)
        bar.addWidget(self._trust)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.view, 1)
        row.addWidget(self.legend)
        column.addLayout(row, 1)
        self.setFocusProxy(self.view)

    def use_tool(self, name: Tool) -> None:
        """Set what dragging on the map does."""
        self._tools[name].setChecked(True)
        self.view.set_tool(name)

    @property
    def by(self) -> str:
        """Return what the colours mean."""
        return str(self._by.currentData() or "cluster")

    def choices(self) -> list[tuple[str, str]]:
        """Return what the colours can mean: keys and names."""
        return [(str(self._by.itemData(row)), self._by.itemText(row)) for row in range(self._by.count())]

    def colour_by(self, key: str) -> None:
        """Colour by another key; do nothing if there is no such key."""
        row = self._by.findData(key)
        if row >= 0:
            self._by.setCurrentIndex(row)
            self._colour()
            self.by_changed.emit()

    def state(self) -> dict[str, Any]:
        """Return how the map is shown, for `restore`; JSON."""
        camera, (density, contours) = self.view.view_box.camera, self.view.terrain
        seen = None if self.view.view_box.home else [camera.x, camera.y, camera.scale]
        return {"by": self.by, "camera": seen, "density": density, "contours": contours}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Show the map as it was; ignore what is not understood."""
        self.view.set_terrain(density=state.get("density") is True, contours=state.get("contours") is True)
        self.colour_by(str(state.get("by")))
        seen = state.get("camera")
        if (
            isinstance(seen, list)
            and len(seen) == 3
            and all(isinstance(number, int | float) for number in seen)
        ):
            self.view.view_box.look_at(
                replace(self.view.view_box.camera, x=seen[0], y=seen[1], scale=max(seen[2], 1e-9))
            )

    def fit(self) -> None:
        """Show the whole map."""
        self.view.view_box.fit()

    def zoom_to(self, documents: Iterable[int]) -> None:
        """Zoom to some documents."""
        rows = self._rows.rows(documents)
        if len(rows):
            self.view.view_box.zoom_to(rows)

    def _document(self, row: int) -> int | None:
        return int(self._map_layout.documents[row]) if self._map_layout is not None and row >= 0 else None

    def _on_map_changed(self) -> None:
        layout, before = self._session.map_layout, self._map_layout
        self._map_layout = layout
        if layout is None:
            self._rows = RowIndex()
            self.view.set_positions(np.zeros((0, 2), np.float32))
            self._trust.clear()
            return
        same = before is not None and np.array_equal(before.documents, layout.documents)
        self.view.set_positions(layout.positions, animate=same)
        if not same:
            self._rows = RowIndex(layout.documents)
            if before is None or _is_another(before, layout):  # else nothing jumps under the user's eyes
                self.view.view_box.fit(animate=False)
        if not same or not layout.drawing:
            self._colour()
            self._on_results_changed()
            self._show_selection(follow=False)
        self.view.set_levels(layout.labels)
        self._show_trust()

    def _show_trust(self) -> None:
        layout = self._map_layout
        if layout is None:
            return
        if layout.drawing:
            self._trust.setText(self.tr("drawing …"))
        elif layout.draft:
            self._trust.setText(self.tr("preliminary until all documents are encoded"))
        else:
            self._trust.setText(self.tr("trust {share:.0%}").format(share=layout.mean_trust))

    def _on_documents_changed(self) -> None:
        listing, key_before = self._session.listing, self._by.currentData()
        self._by.clear()
        keys = useful_keys(listing, self._session.tags)
        for key, name in (
            ("cluster", self.tr("Cluster")), ("trust", self.tr("Trust")), ("score", self.tr("Score")),
            ("tag", self.tr("Tag")), ("folder", self.tr("Folder")), ("language", self.tr("Language")),
        ):  # fmt: skip
            if key in keys:
                self._by.addItem(name, key)
        for name in columns(listing):
            self._by.addItem(name, f"field:{name}")
        self._by.setCurrentIndex(max(0, self._by.findData(key_before)))
        if self.by != self._coloured_by:  # what the colours meant is gone
            self._colour()

    def _colour(self) -> None:
        if self._map_layout is not None and len(self._map_layout.documents):
            if self.by != self._coloured_by:  # a line of the same name means something else now
                self._coloured_by = self.by
                self.legend.release()
            self._colouring = colouring(self._session, self._map_layout, self.by)
            self.view.set_colouring(self._colouring.points)
            self._show_legend()

    def _show_legend(self) -> None:
        """The legend; of clusters the clusters' own panel is one."""
        shown = self._colouring
        self.legend.setVisible(shown is not None and self._by.currentData() not in (None, "cluster"))
        if shown is None:
            return
        if isinstance(shown.points, Amounts):
            self.legend.set_ramp(Ramp(*shown.names))
        else:
            self.legend.set_entries(shown.entries(self.tr("other"), dark=theme.current().dark))

    def _on_tags_changed(self) -> None:
        self._on_documents_changed()
        if self.by == "tag":
            self._colour()

    def _on_settings_changed(self) -> None:
        self.view.view_box.motion = self._session.settings.motion

    def _on_kept_changed(self, categories: frozenset[int]) -> None:
        shown, layout = self._colouring, self._map_layout
        if shown is None or layout is None or isinstance(shown.points, Amounts) or not categories:
            self._session.set_filter(None)
            return
        names = ", ".join(
            shown.names[category] if category >= 0 else self.tr("other") for category in sorted(categories)
        )
        self._legend_filter = object()
        documents = layout.documents[np.isin(shown.points.values, list(categories))]
        self._actions.filter_to(documents, names, self._legend_filter)

    def _on_filter_changed(self) -> None:
        """Show what matches; the legend shows only a filter that it set itself."""
        filtered = self._session.filter
        if filtered is None or filtered.key is None or filtered.key is not self._legend_filter:
            self._legend_filter = None
            self.legend.release()
        self._show_matching()

    def _on_results_changed(self) -> None:
        search = self._session.search
        if self._map_layout is None:
            return
        hits = search.results.hits if search is not None and search.results is not None else ()
        placed = ((self._rows.row(hit.document), hit.score) for hit in hits[:GLOWING])
        glowing = [(row, score) for row, score in placed if row >= 0]
        self.view.set_hits([row for row, _ in glowing], [score for _, score in glowing])
        self.view.set_query(
            self._query_at([row for row, _ in glowing[:10]], [score for _, score in glowing[:10]])
        )
        self._show_matching()
        if self._by.currentData() == "score":
            self._colour()

    def _query_at(self, rows: Sequence[int], scores: Sequence[float]) -> tuple[float, float] | None:
        if self._map_layout is None or not rows:
            return None
        from explorer.analysis.map.placement import place_query

        spot = place_query(
            self._map_layout.positions, np.array(rows), np.maximum(np.array(scores, np.float32), 1e-3)
        )
        return None if spot is None else (float(spot[0]), float(spot[1]))

    def _show_matching(self) -> None:
        """What the filter leaves and the query found; all else is grey context."""
        if self._map_layout is None:
            return
        filtered, search = self._session.filter, self._session.search
        shown = [] if filtered is None else [filtered.documents]
        if search is not None and search.results is not None:
            shown.append(DocumentSet(hit.document for hit in search.results.hits))
        masks = [documents.mask(self._map_layout.documents) for documents in shown]
        self.view.set_filter(np.logical_and.reduce(masks) if masks else None)

    def _on_selection_changed(self, origin: Origin) -> None:
        self._show_selection(follow=origin is not Origin.MAP)

    def _show_selection(self, *, follow: bool) -> None:
        """Show marks and focus; `follow` moves the view to a focus outside it."""
        if self._map_layout is not None:
            selection = self._session.selection
            self.view.set_marks(self._rows.rows(selection.marked))
            self.view.set_focused(self._rows.row(selection.focus), show=follow)

    def _on_clicked(self, row: int, keys: Qt.KeyboardModifier) -> None:
        document = self._document(row)
        if document is None:
            if not keys & Qt.KeyboardModifier.ControlModifier:
                self._session.mark((), Origin.MAP)
        elif keys & Qt.KeyboardModifier.ControlModifier:
            self._session.mark([document], Origin.MAP, "toggle")
        else:
            self._session.focus(document, Origin.MAP)

    def _on_selected(self, rows: NDArray[np.intp], how: str) -> None:
        if self._map_layout is not None:
            self._session.mark(self._map_layout.documents[rows], Origin.MAP, how)

    def _describe(self, row: int) -> CardText:
        document, listing = self._document(row), self._session.listing
        at = listing.rows.get(document) if listing is not None and document is not None else None
        if listing is None or at is None:
            return CardText("")
        opening = listing.openings[at] if listing.openings else ""
        return CardText(listing.titles[at] or listing.paths[at], listing.paths[at], opening)

    def _neighbours(self, row: int) -> Sequence[int]:
        graph, document = self._session.graph, self._document(row)
        at = graph.rows.get(document) if graph is not None and document is not None else None
        if graph is None or at is None:
            return []
        near = [int(other) for other in graph.graph.rows[at] if other >= 0]
        rows: list[int] = self._rows.rows(graph.documents[near]).tolist()
        return rows

    def retranslate(self) -> None:
        texts = {
            "pan": self.tr("Pan"), "lasso": self.tr("Select with lasso"),
            "rectangle": self.tr("Select with rectangle"),
        }  # fmt: skip
        for name, button in self._tools.items():
            button.setToolTip(texts[name])
            button.setAccessibleName(texts[name])
        self._fit.setToolTip(self.tr("Fit map to window"))
        self._fit.setAccessibleName(self._fit.toolTip())
        self._by.setToolTip(self.tr("Colour by"))
        self._by.setAccessibleName(self._by.toolTip())
        self._trust.setToolTip(
            self.tr("How many of a document's true neighbours are also near it on the map, on average")
        )
        self._on_documents_changed()
        self._show_trust()

    def restyle(self) -> None:
        for name, button in self._tools.items():
            button.setIcon(theme.icon(name))
        self._fit.setIcon(theme.icon("fit"))
        shown = theme.current()
        look = style(dark=shown.dark, text_size=self.font().pointSize(), ground=shown.ground)
        self.view.set_style(look)
        self.legend.set_style(look)
        self._colour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.legend.setFixedWidth(min(max(110, self.width() // 3), 220))


def _is_another(before: MapLayout, layout: MapLayout) -> bool:
    """Whether most of what a map shows was not on the one before."""
    return bool(np.count_nonzero(np.isin(layout.documents, before.documents)) <= len(layout.documents) / 2)


@dataclass(frozen=True, eq=False)
class MapSource:
    """The parts of a map, taken from the session at one moment, for a worker thread."""

    title: str
    chart: MapLayout
    listing: Listing
    clusters: Clusters | None

    def picture(self) -> MapPicture:
        """Return the map with everything that can be written on it; runs in a worker."""
        from explorer.workspace.export.map_data import MapPicture

        listing = self.listing
        points = [
            row for row, document in enumerate(self.chart.documents.tolist()) if document in listing.rows
        ]
        documents = self.chart.documents[points].tolist()
        rows = [listing.rows[document] for document in documents]
        cluster_of = self.clusters.by_document() if self.clusters is not None else {}
        trust = np.full(len(documents), np.nan, np.float32)
        fields = {name: [values[row] for row in rows] for name, values in listing.fields.items()}
        useful = {name: values for name, values in fields.items() if len(set(map(str, values))) > 1}
        return MapPicture(
            title=self.title,
            positions=self.chart.positions[points],
            ids=documents,
            titles=[listing.titles[row] or listing.paths[row] for row in rows],
            snippets=[listing.openings[row] if listing.openings else "" for row in rows],
            paths=[listing.paths[row] for row in rows],
            parts=[listing.parts[row] for row in rows],
            clusters=np.array([cluster_of.get(document, -1) for document in documents], np.int64),
            names={cluster.id: cluster.name for cluster in self.clusters.clusters} if self.clusters else {},
            levels=self.chart.labels,
            trust=trust if self.chart.trust is None else self.chart.trust[points],
            columns=dict(list(useful.items())[:_COLUMNS]),
        )


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
        source, by = map_source(self._session), self._panel.by.removeprefix("field:")
        if source is None:
            return None

        def work(_task: Task) -> str:
            from explorer.workspace.export.map_html import html

            picture = source.picture()
            return html(picture, by if by in ("trust", *picture.columns) else "cluster")

        return work

    def _table(self) -> ExportTable | None:
        source = map_source(self._session)
        if source is None:
            return None
        words = {
            "id": self.tr("Number"), "path": self.tr("File"), "part": self.tr("Part"), "title": self.tr("Title"),
            "x": "x", "y": "y", "cluster": self.tr("Cluster number"), "cluster_name": self.tr("Cluster"),
            "trust": self.tr("Trust"),
        }  # fmt: skip

        def rows() -> list[tuple[object, ...]]:
            from explorer.workspace.export import map as export_map

            return [tuple(row[name] for name in words) for row in export_map.rows(source.picture())]

        return ExportTable(tuple(words.values()), rows)
