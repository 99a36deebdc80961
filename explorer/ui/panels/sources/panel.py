"""What the list can show: all, the found or the picked documents; clusters, tags, folders and other facets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from explorer.ui.look import theme
from explorer.ui.look.language import name_of
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.sources.facets import Facet, facets_of
from explorer.ui.panels.sources.list_view import SourceList, SourceRow
from explorer.ui.state.session import Scope
from explorer.ui.widgets.layouts import column, container, hairline, tool_button
from explorer.ui.widgets.share_splitter import ShareSplitter
from explorer.ui.window.views import PanelSlot

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

SHORT = 6  # values of a facet that are shown at first
_ICONS = {"tag": "tag", "folder": "folder"}
_SCOPES = {Scope.ALL: "document", Scope.FOUND: "search", Scope.PICKED: "star"}


class SourcesPanel(Panel):
    """The column of sources; folded, it is a rail of icons.

    Signals:
        unfold_requested: An icon of the rail was pressed.
        facets_found: The values of each field that documents can be filtered by, by its name in queries.
    """

    name = "sources"
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    exportable = False

    unfold_requested = Signal()
    facets_found = Signal(object)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._facets: tuple[Facet, ...] = ()
        self._closed: set[str] = set()  # headings that the user has folded
        self._long: set[str] = set()  # facets of which all values are shown
        self.scopes, self.facets = SourceList(), SourceList()
        self.scopes.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.split = ShareSplitter(Qt.Orientation.Vertical, (0.55, 0.45))
        clusters = PanelSlot("clusters")
        clusters.setMinimumHeight(90)
        self.split.addWidget(clusters)
        self.split.addWidget(self.facets)
        self._open = container(column(self.scopes, hairline(), (self.split, 1)))
        self.rail = {name: tool_button(size=20) for name in ("all", "found", "picked", "clusters", "tag", "folder")}
        self._rail = container(column(*self.rail.values(), None, margins=6, spacing=4))
        self._rail.hide()
        column((self._open, 1), (self._rail, 1), parent=self)
        for name, button in self.rail.items():
            button.clicked.connect(lambda _=False, name=name: self._on_rail(name))
        for view in (self.scopes, self.facets):
            view.chosen.connect(self._on_chosen)
        session.documents_changed.connect(self._find_facets)
        session.tags_changed.connect(self._find_facets)
        session.categories_changed.connect(self._find_facets)
        session.folder_changed.connect(self._find_facets)
        for signal in (session.results_changed, session.picks_changed, session.scope_changed, session.filter_changed):
            signal.connect(self._show)
        actions.saved_searches.changed.connect(self._show)
        self.split.shares_changed.connect(self.view_changed)
        self.retranslate()
        self.restyle()

    def set_folded(self, folded: bool) -> None:
        """Show icons only, or everything."""
        self._open.setVisible(not folded)
        self._rail.setVisible(folded)

    def _on_rail(self, name: str) -> None:
        if name in ("all", "found", "picked"):
            self._on_chosen(("scope", name), False)
        else:
            self.unfold_requested.emit()

    def _find_facets(self) -> None:
        listing, tags = self._session.listing, dict(self._session.tags)
        if listing is None:
            self._facets = ()
            self._show()
            return
        labels = self._session.category_labels
        find = lambda *_: facets_of(listing, tags, labels)  # noqa: E731
        self._actions.with_workspace("facets", find, self._on_facets, worker="aside")
        self._show()

    def _on_facets(self, facets: tuple[Facet, ...]) -> None:
        self._facets = facets
        self._show()
        self.facets_found.emit(
            {facet.kind.removeprefix("field:"): [value for value, _ in facet.values] for facet in facets}
        )

    def _show(self) -> None:
        session = self._session
        total = len(session.listing) if session.listing is not None else 0
        results = session.search.results if session.search is not None else None
        counts = {Scope.ALL: total, Scope.FOUND: len(results.hits) if results else 0, Scope.PICKED: len(session.picks)}
        names = {Scope.ALL: self.tr("All"), Scope.FOUND: self.tr("Found"), Scope.PICKED: self.tr("Picked")}
        scopes = [scope for scope in Scope if scope is not Scope.FOUND or results is not None]
        self.scopes.show_rows(
            tuple(
                SourceRow(("scope", scope.value), names[scope], counts[scope], _SCOPES[scope], scope is session.scope)
                for scope in scopes
            )
        )
        self.scopes.setFixedHeight(len(scopes) * (self.scopes.fontMetrics().height() + 9) + 4)
        self.rail["found"].setVisible(results is not None)
        for scope in Scope:
            self.rail[scope.value].setChecked(scope is session.scope)
        on = {(part.kind, part.why) for part in session.filter.singles} if session.filter is not None else set()
        saved = self._saved_searches()
        self.facets.show_rows((*saved, *(row for facet in self._facets for row in self._rows(facet, on))))
        self.facets.setVisible(bool(self._facets or saved))

    def _saved_searches(self) -> list[SourceRow]:
        """Return the rows of the saved searches; those that match new documents say so."""
        searches, search = self._actions.saved_searches.searches, self._session.search
        if not searches:
            return []
        is_open, query = "saved" not in self._closed, search.text if search is not None else ""
        rows = [SourceRow(("heading", "saved"), self.tr("Saved searches"), on=is_open, heading=True)]
        for saved, new in searches if is_open else ():
            news = self.tr("%Ln new", "", new) if new else ""
            rows.append(SourceRow(("saved", saved.name), saved.name, None, "search", saved.query == query, news=news))
        return rows

    def _rows(self, facet: Facet, on: set[tuple[str, str]]) -> list[SourceRow]:
        kind = facet.kind
        titles = {
            "category": self.tr("Categories"),
            "tag": self.tr("Tags"),
            "folder": self.tr("Folders"),
            "language": self.tr("Languages"),
        }
        is_open = kind not in self._closed
        title = titles.get(kind, kind.removeprefix("field:"))
        rows = [SourceRow(("heading", kind), title, on=is_open, heading=True)]
        if not is_open:
            return rows
        shown = facet.values if kind in self._long else facet.values[:SHORT]
        for value, documents in shown:
            text = self._text(kind, value)
            rows.append(SourceRow((kind, value), text, len(documents), _ICONS.get(kind, ""), (kind, text) in on))
        if len(facet.values) > SHORT:
            more = self.tr("Show fewer") if kind in self._long else self.tr("Show all {count}")
            rows.append(SourceRow(("more", kind), more.format(count=f"{len(facet.values):,}")))
        return rows

    @staticmethod
    def _text(kind: str, value: str) -> str:
        return name_of(value) if kind == "language" else value

    def _on_chosen(self, key: tuple[str, str], add: bool) -> None:
        kind, value = key
        if kind == "heading":
            self._closed ^= {value}
            self._show()
        elif kind == "more":
            self._long ^= {value}
            self._show()
        elif kind == "scope":
            self._session.set_filter(None)
            self._session.set_scope(Scope(value))
        elif kind == "saved":
            searches = self._actions.saved_searches
            for saved in [saved for saved, _ in searches.searches if saved.name == value]:
                searches.run(saved)
        else:
            self._filter(kind, value, add=add)

    def _filter(self, kind: str, value: str, *, add: bool) -> None:
        """Filter by a value; the same again, alone, clears the filter."""
        documents = next((dict(facet.values).get(value) for facet in self._facets if facet.kind == kind), None)
        text, before = self._text(kind, value), self._session.filter
        alone = before is not None and not before.parts and (before.kind, before.why) == (kind, text)
        if documents is None or (alone and not add):
            self._session.set_filter(None)
        else:
            self._actions.filter_to(documents, text, kind=kind, add=add)

    def view_state(self) -> dict[str, Any]:
        return {"sources": {"shares": self.split.shares, "closed": sorted(self._closed)}}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        state = saved.get("sources")
        state = state if isinstance(state, dict) else {}
        self.split.restore(state.get("shares"))
        closed = state.get("closed")
        self._closed = {str(kind) for kind in closed} if isinstance(closed, list) else set()
        self._show()

    def title(self) -> str:
        return self.tr("Sources")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Sources"))
        self.scopes.setAccessibleName(self.tr("Documents to show"))
        self.facets.setAccessibleName(self.tr("Filters"))
        names = {
            "all": self.tr("All documents"),
            "found": self.tr("Found documents"),
            "picked": self.tr("Picked documents"),
            "clusters": self.tr("Clusters"),
            "tag": self.tr("Tags"),
            "folder": self.tr("Folders"),
        }
        for name, button in self.rail.items():
            button.setCheckable(name in ("all", "found", "picked"))
            button.setAccessibleName(names[name])
            button.setToolTip(names[name])
        self._show()

    def restyle(self) -> None:
        icons = {"all": "document", "found": "search", "picked": "star", "clusters": "clusters"}
        for name, button in self.rail.items():
            button.setIcon(theme.icon(icons.get(name, name)))
        super().restyle()
