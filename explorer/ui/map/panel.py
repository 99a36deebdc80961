"""The map panel: shows what the session knows, passes what the user selects to the session, and exports the map."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QFrame, QLabel, QMenu, QToolButton, QWidget

from explorer.palette import readable
from explorer.rendering.camera import Camera, box_of
from explorer.rendering.colours import Amounts, Colouring, style
from explorer.rendering.picture import svg
from explorer.ui.export.exporter import ExportSource, ExportTable
from explorer.ui.look import theme
from explorer.ui.map.hover_card import CardText
from explorer.ui.map.legend import MapLegend, Ramp, cluster_colours, colouring, columns, useful_keys
from explorer.ui.map.view import MapView
from explorer.ui.state.document_set import DocumentSet, RowIndex
from explorer.ui.state.session import Origin
from explorer.ui.widgets.layouts import column, row
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
_RIM = 8  # pixels between a card and the edge of the map
_NARROW = 360  # pixels of the map below which the choice of colours is only in its menu
_FOLDING = 760  # pixels of the map below which the legend is folded until the user wants it: it would hide a cluster
_SAMPLED = 20_000  # points that say which corner is the emptier one
_COLUMNS = 40  # fields that a page can be coloured by


class MapPanel(Themed, QWidget):
    """The map with its tools.

    Attributes:
        view: The map itself.

    Signals:
        by_changed: The colours mean something else.
        menu_requested: The context menu of a document should be shown: its id, and the point of the screen.
    """

    by_changed = Signal()
    menu_requested = Signal(int, QPoint)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._map_layout: MapLayout | None = None
        self._rows = RowIndex()
        self._colouring: Colouring | None = None
        self._coloured_by = ""
        self._compact = False
        self._large: Camera | None = None  # what the large map shows, while the map is compact; None for all of it
        self._legend_filter: object = None  # the key of the filter that the legend set
        self.view = MapView(self)
        self.legend = MapLegend(self)
        self.legend.setObjectName("card")
        self.legend.hide()
        self.legend.size_changed.connect(self._place_cards)
        self.legend.title.clicked.connect(self._on_fold_chosen)
        self._fold_chosen = False
        self.legend.isolated_changed.connect(self._on_isolated_changed)
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
        session.categories_changed.connect(self._on_tags_changed)
        session.settings_changed.connect(self._on_settings_changed)
        self.view.menu_requested.connect(self._on_menu_requested)
        self.view.set_terrain(density=True, contours=True)
        self._on_settings_changed()

    def _lay_out(self) -> None:
        """Give the map all the room; tools and legend are cards that lie on it."""
        self._card = QFrame(self)
        self._card.setObjectName("card")
        group = QButtonGroup(self)
        for name, button in self._tools.items():
            button.setCheckable(True)
            group.addButton(button)
            button.clicked.connect(lambda _checked=False, name=name: self.use_tool(name))
        self._tools["pan"].setChecked(True)
        row(*self._tools.values(), self._fit, 4, self._by, parent=self._card, margins=(4, 4, 4, 4), spacing=2)
        self._trust.setParent(self)
        column(self.view, parent=self)
        self._card.raise_()
        self.legend.raise_()
        self._trust.raise_()
        self.setFocusProxy(self.view)

    def set_compact(self, compact: bool) -> None:
        """Show all of the map without its tools, as a small picture beside other panels, or the map as it was left."""
        if compact == self._compact:
            return
        box = self.view.view_box
        if compact:
            self._large = None if box.home else box.camera
        self._compact = compact
        self._card.setVisible(not compact)
        self._trust.setVisible(not compact)
        self._show_legend()
        if not compact and self._large is not None:
            box.look_at(self._large)
        else:
            box.fit(animate=False)

    def _place_cards(self) -> None:
        """Put the tools at the top left, the legend into a right corner, and the note at the bottom left."""
        self._by.setVisible(self.width() >= _NARROW)
        self._card.adjustSize()
        self._card.move(_RIM, _RIM)
        self._trust.adjustSize()
        self._trust.move(_RIM + 4, self.height() - self._trust.height() - _RIM)
        wide = min(max(130, self.legend.wanted_width()), max(130, self.width() * 3 // 10), 280)
        below = self._card.geometry().bottom() + _RIM if self._card.width() + wide + 3 * _RIM > self.width() else _RIM
        high = min(self.legend.sizeHint().height(), self.height() - below - _RIM)
        high = max(high, self.legend.title.sizeHint().height())
        top = QRect(self.width() - wide - _RIM, below, wide, high)
        bottom = top.translated(0, max(0, self.height() - high - _RIM - below))
        # At the top, where it is looked for, unless it hides many points there and few at the bottom.
        self.legend.setGeometry(bottom if 2 * self._hidden_by(bottom) < self._hidden_by(top) else top)
        cards = [card for card in (self._card, self.legend) if card.isVisibleTo(self)]
        self.view.set_covered([QRectF(card.geometry()) for card in cards])

    def _hidden_by(self, card: QRect) -> int:
        """Return how many points a card hides while the whole map is shown."""
        if self._map_layout is None or self._map_layout.drawing:
            return 0
        positions = self._map_layout.positions
        # Where points will be: they may still travel, and the view may not have its size yet.
        camera = Camera(width=self.width(), height=self.height()).fitted(box_of(positions))
        positions = positions[:: max(1, len(positions) // _SAMPLED)]
        x = camera.width / 2 + (positions[:, 0] - camera.x) * camera.scale
        y = camera.height / 2 - (positions[:, 1] - camera.y) * camera.scale
        inside = (x > card.left()) & (x < card.right()) & (y > card.top()) & (y < card.bottom())
        return int(np.count_nonzero(inside))

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
        box, (density, contours) = self.view.view_box, self.view.terrain
        camera = self._large if self._compact else None if box.home else box.camera
        clusters = self._session.clusters
        return {
            "by": self.by,
            "camera": None if camera is None else [camera.x, camera.y, camera.scale],
            "density": density,
            "contours": contours,
            "folded": self.legend.folded if self._fold_chosen else None,
            "colours": list(clusters.ranks.items()) if clusters is not None else [],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Show the map as it was; ignore what is not understood."""
        self.view.set_terrain(density=state.get("density") is not False, contours=state.get("contours") is not False)
        if isinstance(folded := state.get("folded"), bool):
            self._fold(folded=folded)
        ranks = state.get("colours")
        if isinstance(ranks, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in ranks):
            self._session.restore_cluster_ranks(
                {id_: rank for id_, rank in ranks if isinstance(id_, int) and isinstance(rank, int) and rank >= 0}
            )
        self.colour_by(str(state.get("by")))
        seen = state.get("camera")
        if isinstance(seen, list) and len(seen) == 3 and all(isinstance(number, int | float) for number in seen):
            camera = replace(self.view.view_box.camera, x=seen[0], y=seen[1], scale=max(seen[2], 1e-9))
            if self._compact:
                self._large = camera
            else:
                self.view.view_box.look_at(camera)

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
            self.view.set_levels(())  # the names of another folder
            self.view.set_query(None)
            self._colouring = None
            self._show_legend()
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
            self._trust.setText(self.tr("placement accuracy {share:.0%}").format(share=layout.mean_trust))
        self._place_cards()

    def _on_documents_changed(self) -> None:
        listing, key_before = self._session.listing, self._by.currentData()
        self._by.clear()
        keys = useful_keys(listing, self._session.tags)
        keys |= {"category"} if self._session.categories else set()
        for key, name in (
            ("cluster", self.tr("Cluster")),
            ("trust", self.tr("Placement accuracy")),
            ("score", self.tr("Score")),
            ("category", self.tr("Category")),
            ("tag", self.tr("Tag")),
            ("folder", self.tr("Folder")),
            ("language", self.tr("Language")),
        ):
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
            dark = theme.current().dark
            clusters = cluster_colours(self._session) if self.by == "cluster" else {}
            self.view.set_label_colours({id_: readable(colour, dark=dark) for id_, colour in clusters.items()})
            self._show_legend()

    def _show_legend(self) -> None:
        shown = self._colouring
        self.legend.setVisible(shown is not None and bool(shown.names) and not self._compact)
        self.legend.set_title(self._by.currentText())
        if shown is None:
            self._place_cards()
            return
        if isinstance(shown.points, Amounts):
            self.legend.set_ramp(Ramp(*shown.names))
        else:
            self.legend.set_entries(shown.entries(self.tr("other"), dark=theme.current().dark))

    def _on_tags_changed(self) -> None:
        """Follow the tags and the categories."""
        self._on_documents_changed()
        if self.by in ("tag", "category"):
            self._colour()

    def _on_settings_changed(self) -> None:
        self.view.view_box.motion = self._session.settings.motion

    def _on_isolated_changed(self, categories: frozenset[int]) -> None:
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
        self.view.set_query(self._query_at([row for row, _ in glowing[:10]], [score for _, score in glowing[:10]]))
        self._show_matching()
        if self._by.currentData() == "score":
            self._colour()

    def _query_at(self, rows: Sequence[int], scores: Sequence[float]) -> tuple[float, float] | None:
        if self._map_layout is None or not rows:
            return None
        from explorer.analysis.map.placement import place_query

        spot = place_query(self._map_layout.positions, np.array(rows), np.maximum(np.array(scores, np.float32), 1e-3))
        return None if spot is None else (float(spot[0]), float(spot[1]))

    def _show_matching(self) -> None:
        """Show what the filter leaves and the query found; all else is grey context."""
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

    def _on_menu_requested(self, row: int, at: QPoint) -> None:
        document = self._document(row)
        if document is None:
            self.menu().popup(at)
            return
        self._session.focus(document, Origin.MAP)
        self.menu_requested.emit(document, at)

    def menu(self) -> QMenu:
        """Return the context menu of the map beside its points."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._fit.toolTip()).triggered.connect(self.fit)
        chosen = self._session.selection.marked
        if chosen:
            menu.addAction(self.tr("Zoom to selection")).triggered.connect(lambda _: self.zoom_to(chosen))
        colours = menu.addMenu(self.tr("Colour by"))
        for key, name in self.choices():
            action = colours.addAction(name)
            action.setCheckable(True)
            action.setChecked(key == self.by)
            action.triggered.connect(lambda _=False, key=key: self.colour_by(key))
        menu.addSeparator()
        density, contours = self.view.terrain
        for text, shown, other in (
            (self.tr("Show density"), density, {"density": not density, "contours": contours}),
            (self.tr("Show contour lines"), contours, {"density": density, "contours": not contours}),
        ):
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(shown)
            action.triggered.connect(lambda _=False, other=other: self.view.set_terrain(**other))
        action = menu.addAction(self.tr("Show legend"))
        action.setCheckable(True)
        action.setChecked(not self.legend.folded)
        action.triggered.connect(lambda shown: self._fold(folded=not shown))
        return menu

    def _fold(self, *, folded: bool) -> None:
        """Fold or unfold the legend as the user wants it, whatever the room."""
        self._on_fold_chosen()
        self.legend.fold(folded=folded)

    def _on_fold_chosen(self) -> None:
        self._fold_chosen = True

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
            "pan": self.tr("Pan"),
            "lasso": self.tr("Select with lasso"),
            "rectangle": self.tr("Select with rectangle"),
        }
        for name, button in self._tools.items():
            button.setToolTip(texts[name])
            button.setAccessibleName(texts[name])
        self._fit.setToolTip(self.tr("Fit map to window"))
        self._fit.setAccessibleName(self._fit.toolTip())
        self._by.setToolTip(self.tr("Colour by"))
        self._by.setAccessibleName(self._by.toolTip())
        self._trust.setToolTip(
            self.tr("Trust: how many of a document's true neighbours are also near it on the map, on average")
        )
        self._on_documents_changed()
        self._show_legend()
        self._show_trust()

    def restyle(self) -> None:
        for name, button in self._tools.items():
            button.setIcon(theme.icon(name))
        self._fit.setIcon(theme.icon("fit"))
        shown = theme.current()
        look = style(dark=shown.dark, text_size=self.font().pointSize(), background=shown.background)
        self.view.set_style(look)
        self.legend.set_style(look)
        self._colour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._fold_chosen:
            self.legend.fold(folded=self.width() < _FOLDING)
        self._place_cards()


def _is_another(before: MapLayout, layout: MapLayout) -> bool:
    """Return whether most of what a map shows was not on the one before."""
    return bool(np.count_nonzero(np.isin(layout.documents, before.documents)) <= len(layout.documents) / 2)


@dataclass(frozen=True, eq=False)
class MapSource:
    """The parts of a map, taken from the session at one moment, for a worker thread."""

    title: str
    layout: MapLayout
    listing: Listing
    clusters: Clusters | None

    def picture(self) -> MapPicture:
        """Return the map with everything that can be written on it; runs in a worker."""
        from explorer.workspace.export.map_data import MapPicture

        listing = self.listing
        listed = listing.rows.of_each(self.layout.documents)
        points = np.flatnonzero(listed >= 0)
        documents, rows = self.layout.documents[points].tolist(), listed[points].tolist()
        cluster_of = self.clusters.by_document() if self.clusters is not None else {}
        trust = np.full(len(documents), np.nan, np.float32)
        fields = {name: [values[row] for row in rows] for name, values in listing.fields.items()}
        useful = {name: values for name, values in fields.items() if len(set(map(str, values))) > 1}
        return MapPicture(
            title=self.title,
            positions=self.layout.positions[points],
            ids=documents,
            titles=[listing.titles[row] or listing.paths[row] for row in rows],
            snippets=[listing.openings[row] if listing.openings else "" for row in rows],
            paths=[listing.paths[row] for row in rows],
            parts=[listing.parts[row] for row in rows],
            clusters=np.array([cluster_of.get(document, -1) for document in documents], np.int64),
            names={cluster.id: cluster.name for cluster in self.clusters.clusters} if self.clusters else {},
            levels=self.layout.labels,
            trust=trust if self.layout.trust is None else self.layout.trust[points],
            columns=dict(list(useful.items())[:_COLUMNS]),
        )


def map_source(session: Session) -> MapSource | None:
    """Return what the map is made of now; None if there is none."""
    if session.map_layout is None or session.listing is None or session.folder is None:
        return None
    return MapSource(session.folder.name, session.map_layout, session.listing, session.clusters)


class MapExport(QObject):
    """Makes the map ready for export."""

    def __init__(self, panel: MapPanel, session: Session) -> None:
        super().__init__(panel)
        self._panel, self._session = panel, session

    def source(self) -> ExportSource:
        """Return the map as it can be exported."""
        view = self._panel.view
        return ExportSource(self._panel, self._table, view.image, lambda: svg(view.snapshot()), self._page)

    def _page(self) -> Callable[[Task], str] | None:
        source, by = map_source(self._session), self._panel.by.removeprefix("field:")
        if source is None:
            return None

        def work(_task: Task) -> str:
            from explorer.workspace.export.map import html

            picture = source.picture()
            return html(picture, by if by in ("trust", *picture.columns) else "cluster")

        return work

    def _table(self) -> ExportTable | None:
        source = map_source(self._session)
        if source is None:
            return None
        words = {
            "id": self.tr("Number"),
            "path": self.tr("File"),
            "part": self.tr("Part"),
            "title": self.tr("Title"),
            "x": "x",
            "y": "y",
            "cluster": self.tr("Cluster number"),
            "cluster_name": self.tr("Cluster"),
            "trust": self.tr("Placement accuracy"),
        }

        def rows() -> list[tuple[object, ...]]:
            from explorer.workspace.export import map as export_map

            return [tuple(row[name] for name in words) for row in export_map.rows(source.picture())]

        return ExportTable(tuple(words.values()), rows)
