"""An open workspace as the background lanes use it: a connection a lane, and models opened once.

Nothing here knows of widgets or of the session; every method runs in the lane that its docstring names.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import ModelError
from explorer.settings import Settings
from explorer.task import Task
from explorer.ui.session import Chart, Clusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.corpus.document import Passage
    from explorer.index.cluster_edits import Edit
    from explorer.index.cluster_methods import Recipe
    from explorer.index.keywords import Keyword
    from explorer.index.outliers import Outlier
    from explorer.index.query import Query
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.contributions import Contributions
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.workspace.alike import Neighbour, Twice
    from explorer.workspace.comparison import Comparison
    from explorer.workspace.finding import Finder, Mode, Results
    from explorer.workspace.landscape import Landscape
    from explorer.workspace.listing import Listing
    from explorer.workspace.reading import Counts
    from explorer.workspace.snippets import Similar
    from explorer.workspace.workspace import Entry, Problem, Workspace


@dataclass(frozen=True)
class Page:
    """A document opened for reading.

    Attributes:
        entry: What is known of it.
        text: Its text.
        passages: Where its passages begin and end.
        coverage: The share of its text that was encoded.
        file: The file it came from.
    """

    entry: Entry
    text: str
    passages: tuple[Passage, ...]
    coverage: float
    file: Path


@dataclass(frozen=True, eq=False)
class Survey:
    """Clusters and what they were made of."""

    landscape: Landscape
    clusters: Clusters


class Desk:
    """One open workspace.

    Attributes:
        workspace: The connection of the model lane; its `folder`, `root` and `writable` may be read anywhere.
    """

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self.workspace = workspace
        self._settings = settings
        self._quick = workspace.another()
        self._slow = workspace.another()
        self._opening = threading.Lock()
        self._encoder: BiEncoder | None = None
        self._finder: Finder | None = None
        self._rereader: Finder | None = None
        self._reranker: CrossEncoder | None = None
        self._matrices: dict[int, tuple[object, Any]] = {}  # of each connection, with what it had seen

    @property
    def quick(self) -> Workspace:
        """The connection of the quick lane, for that lane only."""
        return self._quick

    @classmethod
    def open(cls, folder: Path, settings: Settings) -> Desk:
        """Open the workspace of a folder, made if there is none; quick lane.

        Raises:
            WorkspaceError: It cannot be opened.
        """
        from explorer.workspace.workspace import open_workspace

        return cls(open_workspace(folder), settings)

    def close(self) -> None:
        """Close the connections; no lane may be working."""
        for one in (self._quick, self._slow, self.workspace):
            one.close()

    def update(self, task: Task, *, retry: bool = False) -> Counts:
        """Bring the workspace up to date with its folder, draft vectors first; model lane."""
        from explorer.corpus.document import ReadOptions
        from explorer.models.draft import draft_of

        chosen = self._settings
        task.report(0, 0, "opening the model")
        encoder = self.encoder()
        options = ReadOptions(max_bytes=chosen.largest_file_mb * 2**20, seconds=chosen.seconds_a_file)
        draft = draft_of(encoder, task.silent())
        return self.workspace.update(encoder, draft=draft, options=options, retry=retry, task=task)

    def documents(self) -> tuple[Listing, tuple[Problem, ...]]:
        """The documents and the problems as they are now; quick lane."""
        from explorer.workspace.listing import list_documents

        return list_documents(self._quick), tuple(self._quick.problems())

    def page(self, document: int) -> Page:
        """A document to read; quick lane.

        Raises:
            WorkspaceError: It is gone.
        """
        workspace = self._quick
        entry = workspace.document(document)
        return Page(
            entry, workspace.text(document), tuple(workspace.passages(document)), workspace.coverage(document),
            workspace.root / entry.path,
        )  # fmt: skip

    def search(self, text: str, mode: Mode, k: int, task: Task) -> Results:
        """The best documents for a query; quick lane."""
        return self.finder().search(text, mode=mode, k=k, task=task)

    def rerank(self, text: str, mode: Mode, k: int, task: Task) -> Results:
        """The same with the best read again by the cross-encoder; model lane.

        Raises:
            ModelError: There is no cross-encoder.
        """
        from explorer.workspace.finding import Finder

        reranker = self.reranker()
        if self._rereader is None:  # the quick lane may be searching with its own
            self._rereader = Finder(self.workspace, self.encoder(), self.languages())
        return self._rereader.search(text, mode=mode, k=k, reranker=reranker, task=task)

    def neighbours(
        self, like: Sequence[int], unlike: Sequence[int], k: int, metric: str, task: Task
    ) -> list[Neighbour]:
        """The documents nearest to some; quick lane."""
        from explorer.workspace import alike

        chosen: Any = metric
        return alike.neighbours(self._matrix(self._quick), like, unlike, k=k, metric=chosen, task=task)

    def similar(
        self, like: Sequence[int], unlike: Sequence[int], query: str, k: int, metric: str, task: Task
    ) -> tuple[Similar, ...]:
        """The same, and near to a query, with the lines that show why; quick lane."""
        from explorer.workspace import snippets

        chosen: Any = metric
        vector = self.encoder().encode([query], role="query").whole()[0] if query else None
        matrix = self.finder().matrix() if query else self._matrix(self._quick)
        return snippets.similar(
            self._quick, matrix, like, unlike, words=query, vector=vector, k=k, metric=chosen, task=task
        )

    def words(self, query: Query, texts: Sequence[str], task: Task) -> list[list[tuple[int, int]]]:
        """Where in each text the words of a query are; quick lane."""
        from explorer.index.query import phrase_spans
        from explorer.index.words import highlight, terms

        wanted = {term for aim in query.aims if aim.weight > 0 for term in terms(aim.text)}
        found = []
        for text in texts:
            task.check()
            exact = [span for part in query.required for span in phrase_spans(text, part.text)]
            found.append(sorted({*highlight(text, wanted), *exact}))
        return found

    def why(self, first: str, second: str, role: str, task: Task) -> Contributions:
        """What each word adds to the cosine of a text ("query" or "document") and a passage; model lane."""
        from explorer.models.contributions import why

        return why(self.encoder(), first, second, roles=(role, "document"), task=task)

    def compare(self, first: int, second: int, task: Task) -> Comparison:
        """Two documents side by side, by the cross-encoder too where there is one; model lane."""
        from explorer.workspace.comparison import compare

        return compare(
            self._slow, self._matrix(self._slow), first, second, encoder=self.encoder(),
            reranker=self.reranker() if self.has_reranker() else None, task=task,
        )  # fmt: skip

    def keywords(self, document: int, task: Task) -> list[Keyword]:
        """The key words of a document; model lane."""
        from explorer.index.keywords import keywords
        from explorer.workspace.alike import reads

        encoder, languages = self.encoder(), self.languages()
        matrix = self._matrix(self._slow)
        return keywords(
            self._slow.text(document), lambda texts: encoder.encode(texts).whole(), matrix.document_vector(document),
            reads=lambda spoken: reads(languages, spoken), task=task,
        )  # fmt: skip

    def duplicates(self, threshold: float, task: Task) -> Twice:
        """What stands in the workspace more than once; slow lane."""
        from explorer.workspace.alike import duplicates

        return duplicates(
            self._slow, self._matrix(self._slow), threshold, languages=self.languages(), task=task
        )

    def outliers(self, land: Landscape, listing: Listing) -> list[Outlier]:
        """The documents far from all others; slow lane."""
        import numpy as np

        from explorer.index.outliers import outliers
        from explorer.workspace.alike import reads

        rows = [listing.rows.get(number, -1) for number in land.documents.tolist()]
        spoken = ["" if row < 0 else listing.languages[row] for row in rows]
        known = self.languages()
        return outliers(
            land.graph, land.vectors, languages=spoken,
            unreadable={code for code in set(spoken) if not reads(known, code)},
            lengths=np.array([0 if row < 0 else listing.characters[row] for row in rows]),
        )  # fmt: skip

    def survey(self, recipe: Recipe | None, task: Task, say: Callable[[Survey], None]) -> Survey:
        """Graph and clusters: said at once, then again with tree and stability; slow lane."""
        from dataclasses import replace

        from explorer.index.cluster_quality import stability
        from explorer.index.cluster_tree import hierarchy
        from explorer.index.topics import topics
        from explorer.workspace.clustering import cluster_documents, describe_clusters
        from explorer.workspace.landscape import landscape
        from explorer.workspace.topic_words import term_counts

        land = landscape(self._slow, self._matrix(self._slow), task=task)
        shown = cluster_documents(self._slow, land, recipe, task=task)
        counts = term_counts(self._slow, land, task=task)
        found = Clusters(land.documents, shown, describe_clusters(land, shown, counts))
        say(Survey(land, found))
        tree = hierarchy(land.graph, land.vectors, land.digests, shown, task=task)
        names = tuple(
            {one.label: one.name for one in topics(counts, level.tolist())} for level in tree.levels
        )
        found = replace(found, tree=tree, names=names)
        say(Survey(land, found))
        sure = stability(land.graph, land.vectors, land.digests, shown, task=task)
        return Survey(land, replace(found, stability=sure))

    def draw(self, land: Landscape, *, anew: bool, task: Task, say: Callable[[Chart], None]) -> Chart:
        """The map, said as it forms; slow lane."""
        from explorer.workspace.mapping import map_documents

        def picture(positions: NDArray[np.float32], _done: int, _total: int) -> None:
            say(Chart(land.documents, positions, drawing=True))

        drawn = map_documents(self._slow, land, anew=anew, on_picture=picture, task=task)
        return Chart(land.documents, drawn.positions, (), drawn.trust, drawn.mean_trust)

    def labels(self, survey: Survey, chart: Chart, task: Task) -> Chart:
        """The map with names on it; slow lane."""
        from dataclasses import replace

        from explorer.workspace.overview import map_labels
        from explorer.workspace.topic_words import term_counts

        clusters = survey.clusters
        if clusters.tree is None:
            return chart
        counts = term_counts(self._slow, survey.landscape, task=task)
        names = {one.id: one.name for one in clusters.clusters}
        levels = map_labels(chart.positions, clusters.tree, names, counts)
        return replace(chart, labels=levels[clusters.tree.shown :])  # from the clusters that the panel lists

    def edit_clusters(self, edits: Iterable[Edit]) -> tuple[int, tuple[Edit, ...]]:
        """Keep a change that the user made to clusters; returns its number and what was kept; quick lane."""
        from dataclasses import replace

        from explorer.index.cluster_edits import Split
        from explorer.workspace.clustering import add_edit, next_id

        made, free = [], next_id(self._quick)
        for edit in edits:
            if isinstance(edit, Split):  # another split may have taken the ids since it was planned
                edit = replace(edit, new_ids=tuple(range(free, free + len(edit.new_ids))))  # noqa: PLW2901
                free += len(edit.new_ids)
            made.append(edit)
        return (add_edit(self._quick, *made) if made else 0), tuple(made)

    def undo_clusters(self) -> None:
        """Take the last change of clusters back; quick lane."""
        from explorer.workspace.clustering import undo_edit

        undo_edit(self._quick)

    def encoder(self) -> BiEncoder:
        """The bi-encoder, opened once; any lane but the UI's."""
        from explorer.models import catalog
        from explorer.models.bi_encoder import BiEncoder
        from explorer.models.device import choose

        with self._opening:
            if self._encoder is None:
                folder = catalog.find(self._settings.model) if self._settings.model else catalog.bundled()
                device = choose(self._settings.device, threads=self._settings.threads or None)
                self._encoder = BiEncoder.open(folder, device)
            return self._encoder

    def reranker(self) -> CrossEncoder:
        """The cross-encoder, opened once; any lane but the UI's.

        Raises:
            ModelError: None is chosen and none is there.
        """
        from explorer.models import catalog
        from explorer.models.cross_encoder import CrossEncoder
        from explorer.models.device import choose

        with self._opening:
            if self._reranker is None:
                found = self._reranker_name()
                if not found:
                    raise ModelError(
                        "There is no cross-encoder yet. Choose one in the settings, or train one."
                    )
                device = choose(self._settings.device, threads=self._settings.threads or None)
                self._reranker = CrossEncoder.open(catalog.find(found), device)
            return self._reranker

    def has_reranker(self) -> bool:
        """Whether a cross-encoder is chosen or there; any lane but the UI's."""
        return self._reranker is not None or bool(self._reranker_name())

    def _reranker_name(self) -> str:
        from explorer.models import catalog

        there = (entry.name for entry in catalog.entries() if entry.kind == "cross" and entry.on_disk)
        return self._settings.reranker or next(there, "")

    def finder(self) -> Finder:
        """The search, over the vectors as they are now; quick lane."""
        from explorer.workspace.finding import Finder

        encoder = self.encoder()
        if self._finder is None:
            self._finder = Finder(self._quick, encoder, self.languages())
        return self._finder

    def languages(self) -> tuple[str, ...]:
        """The languages that the bi-encoder reads; empty if not known."""
        from explorer.models import catalog

        name = self._settings.model or catalog.BUNDLED
        return next((tuple(entry.languages) for entry in catalog.entries() if entry.name == name), ())

    def _matrix(self, workspace: Workspace) -> Any:
        """The vectors as they are now, loaded anew only when the workspace has changed."""
        from explorer.workspace import matrix

        seen, known = workspace.changes_seen(), self._matrices.get(id(workspace))
        if known is None or known[0] != seen:
            known = self._matrices[id(workspace)] = (seen, matrix.load(workspace))
        return known[1]
