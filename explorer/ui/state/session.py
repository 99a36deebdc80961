"""The state that the panels of a window share: folder, documents, results, selection.

A signal says that something changed; the session says what. Values are frozen; setters belong to the UI thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import reduce
from operator import and_, or_
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QThread, Signal

from explorer.services.overview import keep_ranks
from explorer.settings import Settings
from explorer.ui.state.document_set import DocumentSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.judgement import Judgement
    from explorer.services.overview import Clusters, MapLayout
    from explorer.workspace.overview.documents import DocumentLabels, EncodedDocuments
    from explorer.workspace.search.search import Results
    from explorer.workspace.storage.documents import Listing
    from explorer.workspace.storage.files import FileProblem
    from explorer.workspace.storage.user.lists import UserCategory


@dataclass(frozen=True)
class OpenFolder:
    """The open folder.

    Attributes:
        path: The folder of texts.
        source: What is read: the same, or the one file of it that was opened.
        workspace: Where its workspace is.
        writable: Whether this process may change it.
        notice: Why not; empty if it may.
    """

    path: Path
    workspace: Path
    writable: bool
    notice: str = ""
    source: Path = Path()

    @property
    def name(self) -> str:
        """The name of the folder, or of the one file that was opened."""
        return self.source.name or self.path.name


class Origin(Enum):
    """The view that changed the selection, so that it can ignore its own change."""

    CATEGORIES = auto()
    DOCUMENTS = auto()
    MAP = auto()
    OUTLIERS = auto()
    READER = auto()
    RERANK = auto()
    SIMILAR = auto()
    OTHER = auto()


class Scope(Enum):
    """What the list shows, before the filter; the value is its key in saved view states."""

    ALL = "all"
    FOUND = "found"
    PICKED = "picked"


@dataclass(frozen=True)
class Selection:
    """The document in focus, and the marked documents."""

    focus: int | None = None
    marked: DocumentSet = field(default_factory=DocumentSet)


@dataclass(frozen=True)
class DocumentFilter:
    """The documents to show; the others stay as context.

    Attributes:
        documents: Their ids.
        why: What they have in common, for the user.
        key: Identifies the filter to the view that set it, also after documents were deleted from it.
        kind: What it goes by: "cluster", "tag", "folder", a field; of one kind any will do, of several all must hold.
        parts: The filters that it combines; empty if it is a single one.
    """

    documents: DocumentSet
    why: str
    key: object = field(default=None, compare=False)
    kind: str = ""
    parts: tuple[DocumentFilter, ...] = ()

    @property
    def singles(self) -> tuple[DocumentFilter, ...]:
        """The single filters in it."""
        return self.parts or (self,)


def combined_filter(parts: Sequence[DocumentFilter]) -> DocumentFilter | None:
    """Return the filter of several: any of a kind, and all kinds; None for none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    kinds: dict[object, list[DocumentSet]] = {}
    for part in parts:
        kinds.setdefault(part.kind or id(part), []).append(part.documents)
    documents = reduce(and_, (reduce(or_, sets) for sets in kinds.values()))
    return DocumentFilter(documents, ", ".join(part.why for part in parts), parts=tuple(parts))


@dataclass(frozen=True)
class QueryState:
    """A query without its results; the attributes are those of `Search`."""

    text: str
    stale: bool = False
    error: str = ""
    where: int = -1


@dataclass(frozen=True)
class Search:
    """A query and its results.

    Attributes:
        text: The query as typed.
        results: What was found; None while the first answer is awaited.
        stale: Whether query or documents have changed since.
        error: Why the query cannot be answered; empty if it can.
        where: Where in the text the error is; -1 for nowhere.
    """

    text: str
    results: Results | None
    stale: bool = False
    error: str = ""
    where: int = -1


class Session(QObject):
    """What the panels of one window share.

    Signals:
        settings_changed: The user's settings.
        search_mode_changed: How this window searches.
        folder_changed: Another folder is open, or none.
        documents_changed: The list of documents, or of problems.
        graph_changed: Vectors and neighbour graph.
        clusters_changed: The clusters.
        map_changed: The map.
        query_changed: The query, or whether its results are still those of an earlier one; comes with every key.
        results_changed: The results of the search; what is costly to show follows this one.
        filter_changed: The filter.
        scope_changed: Whether the list shows all, the found or the picked documents.
        picks_changed: The picks.
        shown_changed: What the list shows, or its order.
        selection_changed: Focus or marks. Carries the Origin, so that a view can ignore its own changes.
        comparison_changed: The document that the one in focus is compared with.
        tags_changed: The tags of documents.
        categories_changed: The user's categories, or which documents are in them.
        judgements_changed: The user's judgements.
    """

    settings_changed = Signal()
    search_mode_changed = Signal()
    folder_changed = Signal()
    documents_changed = Signal()
    graph_changed = Signal()
    clusters_changed = Signal()
    map_changed = Signal()
    query_changed = Signal()
    results_changed = Signal()
    filter_changed = Signal()
    scope_changed = Signal()
    picks_changed = Signal()
    shown_changed = Signal()
    selection_changed = Signal(object)
    comparison_changed = Signal()
    tags_changed = Signal()
    categories_changed = Signal()
    judgements_changed = Signal()

    def __init__(self, settings: Settings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings or Settings()
        self._search_mode = self._settings.mode
        self._forget()

    def _forget(self) -> None:
        self._folder: OpenFolder | None = None
        self._listing: Listing | None = None
        self._problems: tuple[FileProblem, ...] = ()
        self._graph: EncodedDocuments | None = None
        self._clusters: Clusters | None = None
        self._ranks: dict[int, int] = {}  # the index of the colour of every cluster seen so far
        self._map_layout: MapLayout | None = None
        self._query: QueryState | None = None
        self._results: Results | None = None
        self._filter: DocumentFilter | None = None
        self._scope = Scope.ALL
        self._answered = ""  # the query whose results are shown
        self._picks = DocumentSet()
        self._shown: NDArray[np.int64] = np.zeros(0, np.int64)
        self._selection = Selection()
        self._comparison: int | None = None
        self._tags: dict[int, frozenset[str]] = {}
        self._categories: tuple[UserCategory, ...] = ()
        self._category_labels: DocumentLabels | None = None
        self._judgements: tuple[Judgement, ...] = ()

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self._settings

    @property
    def search_mode(self) -> str:
        """How this window searches: "hybrid", "semantic" or "keyword"; the settings only say how a new one does."""
        return self._search_mode

    @property
    def folder(self) -> OpenFolder | None:
        """The open folder."""
        return self._folder

    @property
    def listing(self) -> Listing | None:
        """The documents."""
        return self._listing

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """The files that could not be read."""
        return self._problems

    @property
    def graph(self) -> EncodedDocuments | None:
        """Vectors and neighbour graph of the documents."""
        return self._graph

    @property
    def clusters(self) -> Clusters | None:
        """The clusters."""
        return self._clusters

    @property
    def map_layout(self) -> MapLayout | None:
        """The map."""
        return self._map_layout

    @property
    def search(self) -> Search | None:
        """The query and its results; None without a query."""
        query = self._query
        if query is None:
            return None
        return Search(query.text, self._results, query.stale, query.error, query.where)

    @property
    def filter(self) -> DocumentFilter | None:
        """The documents to show; None for all."""
        return self._filter

    @property
    def scope(self) -> Scope:
        """Whether the list shows all, the found or the picked documents."""
        return self._scope

    @property
    def picks(self) -> DocumentSet:
        """The documents that the user has picked."""
        return self._picks

    @property
    def shown(self) -> NDArray[np.int64]:
        """The ids of the documents that the list shows, in its order."""
        return self._shown

    @property
    def selection(self) -> Selection:
        """Focus and marks."""
        return self._selection

    @property
    def comparison(self) -> int | None:
        """The document that the one in focus is compared with."""
        return self._comparison

    @property
    def tags(self) -> dict[int, frozenset[str]]:
        """The tags of the documents that have any; not to be changed."""
        return self._tags

    @property
    def categories(self) -> tuple[UserCategory, ...]:
        """The user's categories."""
        return self._categories

    @property
    def category_labels(self) -> DocumentLabels | None:
        """The category of each document, as last computed."""
        return self._category_labels

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """The user's judgements, first to last."""
        return self._judgements

    def set_settings(self, settings: Settings) -> None:
        """Change the settings."""
        self._here()
        if settings != self._settings:
            self._settings = settings
            self.settings_changed.emit()

    def set_search_mode(self, mode: str) -> None:
        """Search in another way."""
        self._here()
        if mode != self._search_mode:
            self._search_mode = mode
            self.search_mode_changed.emit()

    def set_folder(self, folder: OpenFolder | None) -> None:
        """Change the folder and forget everything about the one before."""
        self._here()
        self._forget()
        self._folder = folder
        for signal in (
            self.folder_changed,
            self.documents_changed,
            self.graph_changed,
            self.clusters_changed,
            self.map_changed,
            self.query_changed,
            self.results_changed,
            self.filter_changed,
            self.scope_changed,
            self.picks_changed,
            self.shown_changed,
            self.tags_changed,
            self.categories_changed,
            self.comparison_changed,
            self.judgements_changed,
        ):
            signal.emit()
        self.selection_changed.emit(Origin.OTHER)

    def set_documents(self, listing: Listing, problems: Iterable[FileProblem]) -> None:
        """Set the documents; drop deleted ones from focus, marks and filter."""
        self._here()
        self._listing, self._problems = listing, tuple(problems)
        there = listing.rows
        if self._filter is not None:
            left = self._filter.documents.among(listing.ids)
            if left is not self._filter.documents:
                self._filter = replace(self._filter, documents=left)
                self.filter_changed.emit()
        chosen = self._selection
        still_there = Selection(chosen.focus if chosen.focus in there else None, chosen.marked.among(listing.ids))
        self.documents_changed.emit()
        if still_there != chosen:
            self._selection = still_there
            self.selection_changed.emit(Origin.OTHER)
        if self._comparison not in there:
            self.set_comparison(None)
        if self._query is not None:
            self.set_search(Search(self._query.text, self._results, stale=True))

    def set_graph(self, encoded: EncodedDocuments | None) -> None:
        """Set vectors and graph; clusters and map stay until new ones arrive."""
        self._here()
        self._graph = encoded
        self.graph_changed.emit()

    def set_clusters(self, clusters: Clusters | None) -> None:
        """Set the clusters; each keeps its colour through merging, undo and another granularity."""
        self._here()
        if clusters is not None:
            self._ranks = keep_ranks(self._ranks, (cluster.id for cluster in clusters.clusters))
            clusters = replace(clusters, ranks=self._ranks)
        self._clusters = clusters
        self.clusters_changed.emit()

    def restore_cluster_ranks(self, ranks: Mapping[int, int]) -> None:
        """Give clusters the colours that they had in an earlier run."""
        self._ranks = dict(ranks)
        if self._clusters is not None:
            self.set_clusters(self._clusters)

    def set_map_layout(self, layout: MapLayout | None) -> None:
        """Set the map."""
        self._here()
        self._map_layout = layout
        self.map_changed.emit()

    def set_search(self, search: Search | None) -> None:
        """Set query and results; emit a signal for each that changed."""
        self._here()
        query = QueryState(search.text, search.stale, search.error, search.where) if search is not None else None
        results = search.results if search is not None else None
        # Results are compared by identity: two lists of hits may be equal and yet come from different texts.
        changed = (query != self._query, results is not self._results)
        scope, text = self._scope, search.text if search is not None and results is not None else ""
        if text and text != self._answered and changed[1]:
            scope = Scope.FOUND  # the first answer to a question is shown, whatever was shown before
        elif results is None and scope is Scope.FOUND:
            scope = Scope.ALL
        self._answered = text
        self._query, self._results = query, results
        scope, self._scope = self._scope, scope  # panels that follow the results find the scope that belongs to them
        scope_changed = scope is not self._scope
        signals = (self.query_changed, self.results_changed, self.scope_changed)
        for signal, is_changed in zip(signals, (*changed, scope_changed), strict=True):
            if is_changed:
                signal.emit()

    def set_filter(self, chosen: DocumentFilter | None) -> None:
        """Set the filter; None shows all documents."""
        self._here()
        before = self._filter
        if chosen != before or (chosen is not None and before is not None and chosen.key is not before.key):
            self._filter = chosen
            self.filter_changed.emit()

    def set_scope(self, scope: Scope) -> None:
        """Show all, the found or the picked documents in the list."""
        self._here()
        if scope is not self._scope:
            self._scope = scope
            self.scope_changed.emit()

    def set_picks(self, picks: DocumentSet) -> None:
        """Set the picks."""
        self._here()
        if picks != self._picks:
            self._picks = picks
            self.picks_changed.emit()

    def set_shown(self, documents: NDArray[np.int64]) -> None:
        """Note which documents the list shows, in its order."""
        self._here()
        if not np.array_equal(documents, self._shown):
            self._shown = documents
            self.shown_changed.emit()

    def set_tags(self, tags: dict[int, frozenset[str]]) -> None:
        """Set the tags."""
        self._here()
        self._tags = tags
        self.tags_changed.emit()

    def set_categories(self, categories: Iterable[UserCategory], labels: DocumentLabels | None) -> None:
        """Set the categories, and which documents are in them."""
        self._here()
        self._categories, self._category_labels = tuple(categories), labels
        self.categories_changed.emit()

    def set_comparison(self, document: int | None) -> None:
        """Set the document that the one in focus is compared with."""
        self._here()
        if document != self._comparison:
            self._comparison = document
            self.comparison_changed.emit()

    def set_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Set the judgements."""
        self._here()
        self._judgements = tuple(judgements)
        self.judgements_changed.emit()

    def focus(self, document: int | None, origin: Origin = Origin.OTHER) -> None:
        """Set the document in focus."""
        self._select(Selection(document, self._selection.marked), origin)

    def mark(self, documents: Iterable[int], origin: Origin = Origin.OTHER, how: str = "replace") -> None:
        """Mark documents.

        Args:
            documents: Their ids; best a DocumentSet or an array.
            origin: The view that asks.
            how: "replace" the marks, "add" to them, "subtract" from them, "intersect" with them, "toggle" each.
        """
        new, old = DocumentSet(documents), self._selection.marked
        match how:
            case "add":
                new = old | new
            case "subtract":
                new = old - new
            case "intersect":
                new = old & new
            case "toggle":
                new = old ^ new
        self._select(Selection(self._selection.focus, new), origin)

    def _select(self, chosen: Selection, origin: Origin) -> None:
        self._here()
        if chosen != self._selection:
            self._selection = chosen
            self.selection_changed.emit(origin)

    def _here(self) -> None:
        if QThread.currentThread() is not self.thread():
            raise RuntimeError("the session may only be changed in the UI thread")
