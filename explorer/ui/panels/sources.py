"""What the list can show: all, the found or the picked documents; clusters, tags, folders and other facets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.ui.look import theme
from explorer.ui.look.language import name_of
from explorer.ui.panels.panel import Panel
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import Scope
from explorer.ui.widgets.layouts import ShareSplitter, column, container, hairline, tool_button
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import RIGHT, ExplicitCurrent, FrozenListModel, Index
from explorer.ui.window.views import PanelSlot
from explorer.workspace.storage.columns import CodedColumn, mapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.overview.documents import DocumentLabels
    from explorer.workspace.storage.documents import Listing


SHORT = 6  # values of a facet that are shown at first
_ICONS = {"tag": "tag", "folder": "folder"}
_SCOPES = {Scope.ALL: "document", Scope.FOUND: "search", Scope.PICKED: "star"}
_PAD = 10
ROW = Qt.ItemDataRole.UserRole.value
MAX_VALUES = 40  # a field with more is not a facet
MAX_FIELDS = 4
_OFFERED = 200  # folders and tags that are offered
_LOOKED_AT = 1_000  # values that tell whether there are too many to choose from


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


@dataclass(frozen=True)
class SourceRow:
    """A row.

    Attributes:
        key: What a press on it means.
        text: Its name.
        count: Its documents; None for a heading.
        icon: The name of its icon, if any.
        on: Whether the list shows it; of a heading, whether it is open.
        heading: Whether it is a heading.
        news: What is new in it, in place of the count.
    """

    key: tuple[str, str]
    text: str
    count: int | None = None
    icon: str = ""
    on: bool = False
    heading: bool = False
    news: str = ""


class SourceModel(FrozenListModel[SourceRow]):
    """The rows."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole.value) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(filter(None, (row.text, row.news or ("" if row.count is None else f"{row.count:,}"))))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(row.text)
        return row if role == ROW else None


class SourceDelegate(QStyledItemDelegate):
    """Draws a row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading = index.data(ROW).heading
        return QSize(80, option.fontMetrics.height() + (14 if heading else 9))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, box, look = index.data(ROW), QRect(option.rect), theme.current()
        painter.save()
        if row.on and not row.heading:
            painter.fillRect(box, QColor(look.chosen))
        view = option.widget
        if isinstance(view, QListView) and view.hasFocus() and view.currentIndex().row() == index.row():
            painter.setPen(QPen(QColor(look.accent), 1))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        inner = box.adjusted(_PAD, 0, -_PAD, 0)
        metrics = option.fontMetrics
        baseline = inner.center().y() + (metrics.ascent() - metrics.descent()) // 2 + (3 if row.heading else 1)
        if row.heading:
            icon = theme.icon("down" if row.on else "right", look.faint)
            icon.paint(painter, QRect(inner.right() - 11, baseline - 10, 12, 12))
            font = QFont(option.font)
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            painter.setPen(QColor(look.faint))
        else:
            count = row.news or ("" if row.count is None else f"{row.count:,}")
            painter.setPen(QColor(look.accent if row.news else look.faint))
            painter.drawText(inner, RIGHT, count)
            inner.setRight(inner.right() - metrics.horizontalAdvance(count) - 8)
            if row.icon:
                theme.icon(row.icon, look.faint).paint(painter, QRect(inner.left(), inner.center().y() - 7, 15, 15))
                inner.setLeft(inner.left() + 21)
            painter.setPen(QColor(look.foreground))
        text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(QPoint(inner.left(), baseline), text)
        painter.restore()


class SourceList(ExplicitCurrent, QListView):
    """The view.

    Signals:
        chosen: A row was chosen: its key, and whether it is added to what is on.
    """

    chosen = Signal(object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = SourceModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(SourceDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)

    def show_rows(self, rows: tuple[SourceRow, ...]) -> None:
        """Replace the rows; position and current row stay."""
        if rows != self.rows.rows:
            scrolled, current = self.verticalScrollBar().value(), self.currentIndex().row()
            self.rows.show_rows(rows)
            self.setCurrentIndex(self.rows.index(current, 0))
            self.verticalScrollBar().setValue(scrolled)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            held = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
            self.chosen.emit(index.data(ROW).key, bool(held))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and index.isValid():
            self.chosen.emit(index.data(ROW).key, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window


@dataclass(frozen=True)
class Facet:
    """One property of documents.

    Attributes:
        kind: "category", "tag", "folder", "language", or the name of a field after "field:".
        values: The documents of each value, the commonest values first; folders by name.
    """

    kind: str
    values: tuple[tuple[str, DocumentSet], ...]


def facets_of(
    listing: Listing, tags: Mapping[int, frozenset[str]], labels: DocumentLabels | None = None
) -> tuple[Facet, ...]:
    """Return the facets of some documents; those with a single value are left out, except tags and categories.

    Args:
        listing: The documents.
        tags: The tags of those that have any.
        labels: The user's category of each; None if there are no categories.
    """
    sorted_in = [
        (name, DocumentSet(labels.documents[labels.codes == code]))
        for code, name in enumerate(labels.names if labels is not None else ())
        if labels is not None
    ]
    tagged = [(tag, document) for document, names in tags.items() for tag in names if document in listing.rows]
    folders = mapped(listing.paths, lambda path: path.partition("/")[0] if "/" in path else "")
    by_tag = mapped(tagged, lambda pair: pair[0])
    tagged_ids = np.array([document for _, document in tagged], np.int64)
    made = [
        Facet("category", tuple((name, documents) for name, documents in sorted_in if documents)),
        Facet("tag", _grouped(by_tag, tagged_ids, _OFFERED)),
        Facet("folder", tuple(sorted(_grouped(folders, listing.ids, _OFFERED)))),
        Facet("language", _grouped(mapped(listing.languages, str), listing.ids, MAX_VALUES)),
    ]
    fields = 0
    for name, values in listing.fields.items():
        if fields < MAX_FIELDS and name != "date" and (groups := _few(values, listing.ids)):
            made.append(Facet(f"field:{name}", groups))
            fields += 1
    return tuple(facet for facet in made if len(facet.values) > (facet.kind not in ("tag", "category")))


def _few(values: Sequence[Any], ids: NDArray[np.int64]) -> tuple[tuple[str, DocumentSet], ...]:
    """Return the groups of a field, or none if it has too many values to choose from, or too long ones."""
    if len(set(map(str, values[:: max(1, len(values) // _LOOKED_AT)]))) > MAX_VALUES + 1:  # one is that of None
        return ()
    texts = mapped(values, lambda value: "" if value is None else str(value))
    distinct = set(texts.values) - {""}
    if not 1 < len(distinct) <= MAX_VALUES or max(map(len, distinct)) > MAX_VALUES:
        return ()
    return _grouped(texts, ids, MAX_VALUES)


def _grouped(column: CodedColumn[str], ids: NDArray[np.int64], most: int) -> tuple[tuple[str, DocumentSet], ...]:
    groups = [(value, rows) for value, rows in column.rows_of_each() if value]
    largest = sorted(groups, key=lambda group: (-len(group[1]), group[0]))[:most]
    return tuple((value, DocumentSet(ids[rows])) for value, rows in largest)
