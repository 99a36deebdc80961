"""The one shared mutable object of a window: what is open, known, found and chosen.

A signal says that something changed; the session says what. Values are frozen; setters belong to the UI thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from explorer.settings import Settings

if TYPE_CHECKING:
    from explorer.services.overview import Chart, Clusters
    from explorer.workspace.overview.documents import Landscape
    from explorer.workspace.search.search import Results
    from explorer.workspace.storage.annotations import Judgement
    from explorer.workspace.storage.document_table import Listing
    from explorer.workspace.workspace import Problem


@dataclass(frozen=True)
class Place:
    """What is open.

    Attributes:
        folder: The folder of texts.
        workspace: Where the workspace lies.
        writable: Whether this process may change it.
        notice: Why not; empty if it may.
    """

    folder: Path
    workspace: Path
    writable: bool
    notice: str = ""


@dataclass(frozen=True)
class Selection:
    """What the user chose: one document in focus, and any number of marked ones."""

    focus: int | None = None
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Filter:
    """The documents that are looked at; the others stay as context.

    Attributes:
        documents: Their numbers.
        why: What they have in common, in the user's words.
    """

    documents: frozenset[int]
    why: str


@dataclass(frozen=True)
class Search:
    """A query and what it found.

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
        place_changed: Another folder is open, or none.
        documents_changed: The list of documents, or of problems.
        landscape_changed: Vectors and graph.
        clusters_changed: The clusters.
        chart_changed: The map.
        search_changed: The query or its results.
        filter_changed: Which documents are looked at.
        selection_changed: Focus or marks; says who changed them, so that nobody answers itself.
        other_changed: The document that the one in focus is compared with.
        tags_changed: The tags of documents.
        judgements_changed: What the user said of pairs.
    """

    settings_changed = Signal()
    place_changed = Signal()
    documents_changed = Signal()
    landscape_changed = Signal()
    clusters_changed = Signal()
    chart_changed = Signal()
    search_changed = Signal()
    filter_changed = Signal()
    selection_changed = Signal(str)
    other_changed = Signal()
    tags_changed = Signal()
    judgements_changed = Signal()

    def __init__(self, settings: Settings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings or Settings()
        self._forget()

    def _forget(self) -> None:
        self._place: Place | None = None
        self._listing: Listing | None = None
        self._problems: tuple[Problem, ...] = ()
        self._landscape: Landscape | None = None
        self._clusters: Clusters | None = None
        self._chart: Chart | None = None
        self._search: Search | None = None
        self._filter: Filter | None = None
        self._selection = Selection()
        self._other: int | None = None
        self._tags: dict[int, frozenset[str]] = {}
        self._judgements: tuple[Judgement, ...] = ()

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self._settings

    @property
    def place(self) -> Place | None:
        """What is open."""
        return self._place

    @property
    def listing(self) -> Listing | None:
        """The documents."""
        return self._listing

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files that could not be read."""
        return self._problems

    @property
    def landscape(self) -> Landscape | None:
        """Vectors and graph of the documents."""
        return self._landscape

    @property
    def clusters(self) -> Clusters | None:
        """The clusters."""
        return self._clusters

    @property
    def chart(self) -> Chart | None:
        """The map."""
        return self._chart

    @property
    def search(self) -> Search | None:
        """The query and its results; None where nothing is asked."""
        return self._search

    @property
    def filter(self) -> Filter | None:
        """The documents that are looked at; None for all."""
        return self._filter

    @property
    def selection(self) -> Selection:
        """Focus and marks."""
        return self._selection

    @property
    def other(self) -> int | None:
        """The document that the one in focus is compared with."""
        return self._other

    @property
    def tags(self) -> dict[int, frozenset[str]]:
        """The tags of the documents that have any; not to be changed."""
        return self._tags

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """What the user said of pairs, first to last."""
        return self._judgements

    def set_settings(self, settings: Settings) -> None:
        """Take other settings."""
        self._here()
        if settings != self._settings:
            self._settings = settings
            self.settings_changed.emit()

    def set_place(self, place: Place | None) -> None:
        """Open something else; all that was known of the old place is forgotten."""
        self._here()
        self._forget()
        self._place = place
        for signal in (
            self.place_changed, self.documents_changed, self.landscape_changed, self.clusters_changed,
            self.chart_changed, self.search_changed, self.filter_changed, self.tags_changed, self.other_changed,
            self.judgements_changed,
        ):  # fmt: skip
            signal.emit()
        self.selection_changed.emit("session")

    def set_documents(self, listing: Listing, problems: Iterable[Problem]) -> None:
        """Take the documents of now; what is gone is neither in focus nor marked nor filtered any more."""
        self._here()
        self._listing, self._problems = listing, tuple(problems)
        there = listing.rows
        if self._filter is not None and not there.keys() >= self._filter.documents:
            self._filter = Filter(self._filter.documents & there.keys(), self._filter.why)
            self.filter_changed.emit()
        chosen = self._selection
        kept = Selection(chosen.focus if chosen.focus in there else None, chosen.marked & there.keys())
        self.documents_changed.emit()
        if kept != chosen:
            self._selection = kept
            self.selection_changed.emit("session")
        if self._other not in there:
            self.set_other(None)
        if self._search is not None:
            self.set_search(Search(self._search.text, self._search.results, stale=True))

    def set_landscape(self, landscape: Landscape | None) -> None:
        """Take other vectors and another graph; clusters and map stay until theirs come."""
        self._here()
        self._landscape = landscape
        self.landscape_changed.emit()

    def set_clusters(self, clusters: Clusters | None) -> None:
        """Take other clusters."""
        self._here()
        self._clusters = clusters
        self.clusters_changed.emit()

    def set_chart(self, chart: Chart | None) -> None:
        """Take another map."""
        self._here()
        self._chart = chart
        self.chart_changed.emit()

    def set_search(self, search: Search | None) -> None:
        """Take another query, or other results."""
        self._here()
        self._search = search
        self.search_changed.emit()

    def set_filter(self, chosen: Filter | None) -> None:
        """Look at some documents only, or at all."""
        self._here()
        if chosen != self._filter:
            self._filter = chosen
            self.filter_changed.emit()

    def set_tags(self, tags: dict[int, frozenset[str]]) -> None:
        """Take other tags."""
        self._here()
        self._tags = tags
        self.tags_changed.emit()

    def set_other(self, document: int | None) -> None:
        """Take another document to compare the one in focus with."""
        self._here()
        if document != self._other:
            self._other = document
            self.other_changed.emit()

    def set_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Take other judgements."""
        self._here()
        self._judgements = tuple(judgements)
        self.judgements_changed.emit()

    def focus(self, document: int | None, origin: str) -> None:
        """Put one document in focus."""
        self._select(Selection(document, self._selection.marked), origin)

    def mark(self, documents: Iterable[int], origin: str, how: str = "replace") -> None:
        """Mark documents.

        Args:
            documents: Which.
            origin: Who asks.
            how: "replace" the marks, "add" to them, "subtract" from them, "intersect" with them, "toggle" each.
        """
        new, old = frozenset(documents), self._selection.marked
        marked = {
            "replace": new, "add": old | new, "subtract": old - new, "intersect": old & new, "toggle": old ^ new,
        }[how]  # fmt: skip
        self._select(Selection(self._selection.focus, marked), origin)

    def _select(self, chosen: Selection, origin: str) -> None:
        self._here()
        if chosen != self._selection:
            self._selection = chosen
            self.selection_changed.emit(origin)

    def _here(self) -> None:
        if QThread.currentThread() is not self.thread():
            raise RuntimeError("the session may only be changed in the UI thread")
