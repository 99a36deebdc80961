"""An open workspace as the background lanes use it: a connection a lane, and models opened once.

Nothing here knows of widgets or of the session; every method runs in the lane that its docstring names.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import WorkspaceError
from explorer.settings import Settings
from explorer.task import Task
from explorer.ui import pace
from explorer.ui.desk_models import DeskModels
from explorer.ui.session import Chart, Clusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.corpus.changes import FileState
    from explorer.corpus.document import Passage
    from explorer.index.cluster_edits import Edit
    from explorer.index.cluster_methods import Recipe
    from explorer.index.keywords import Keyword
    from explorer.index.outliers import Outlier
    from explorer.index.query import Query
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.contributions import Contributions
    from explorer.workspace.advice import Advice
    from explorer.workspace.alike import Neighbour, Twice
    from explorer.workspace.comparison import Comparison
    from explorer.workspace.finding import Finder, Mode, Results
    from explorer.workspace.landscape import Landscape
    from explorer.workspace.listing import Listing
    from explorer.workspace.reading import Counts
    from explorer.workspace.snippets import Similar
    from explorer.workspace.workspace import Entry, Problem, Workspace


NAME = "model name"  # under which the workspace notes what the model in use is called


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


@dataclass(frozen=True)
class Facts:
    """How much is there: passages, the name of the model in use, and where it runs, empty while it is not open."""

    passages: int
    model: str
    device: str


@dataclass(frozen=True, eq=False)
class Survey:
    """Clusters and what they were made of."""

    landscape: Landscape
    clusters: Clusters


class Desk:
    """One open workspace.

    Attributes:
        models: The models that it uses.
        workspace: The connection of the model lane; its `folder`, `root` and `writable` may be read anywhere.
    """

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self.workspace = workspace
        self.models = DeskModels(settings, workspace.meta(NAME) or "", workspace.meta("model") or "")
        self._quick = workspace.another()
        self._slow = workspace.another()
        self._aside = workspace.another()
        self._finder: Finder | None = None
        self._rereader: Finder | None = None
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
        for one in (self._quick, self._slow, self._aside, self.workspace):
            one.close()

    def update(self, task: Task, *, retry: bool = False) -> Counts:
        """Bring the workspace up to date with its folder, draft vectors first; model lane.

        Where the settings want another model, everything is encoded with it first, and it is used from then on.
        """
        from explorer.corpus.document import ReadOptions
        from explorer.models.draft import draft_of

        chosen, name = self.models.settings, self.models.wanted_name
        task.report(0, 0, "opening the model")
        before, encoder = self.models.encoder(), self.models.wanted()
        options = ReadOptions(max_bytes=chosen.largest_file_mb * 2**20, seconds=chosen.seconds_a_file)
        if encoder.fingerprint != before.fingerprint:
            self.workspace.encode_ahead(encoder, task)
        draft = draft_of(encoder, task.silent())
        began = time.monotonic()
        done = self.workspace.update(encoder, draft=draft, options=options, retry=retry, task=task)
        self._note_pace(done, encoder, time.monotonic() - began)
        self.workspace.set_meta(NAME, name)
        self.models.adopt(encoder, name)
        return done

    def _note_pace(self, done: Counts, encoder: BiEncoder, seconds: float) -> None:
        """Learn from an update how long the next one will take; documents longer than one passage count by share."""
        if done.encoded:
            (letters,) = self.workspace.connection.execute(
                "SELECT sum(length(text)) FROM documents"
            ).fetchone()
            share = done.encoded / max(done.encoded, self.workspace.counts()["passages"])
            pace.note(
                (letters or 0) * share, seconds, pace.work_of(encoder.folder.path), self.models.settings
            )

    def documents(self) -> tuple[Listing, tuple[Problem, ...]]:
        """The documents and the problems as they are now; quick lane."""
        from explorer.workspace.listing import list_documents

        return list_documents(self._quick), tuple(self._quick.problems())

    def known_files(self) -> dict[str, FileState]:
        """The files as they were when they were read; aside lane."""
        from explorer.workspace.updating import remembered

        return remembered(self._aside)

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
        self._rereader = self._for_now(
            self._rereader, self.workspace
        )  # the quick lane may be searching with its own
        count = self.models.settings.rerank_count
        return self._rereader.search(
            text, mode=mode, k=k, reranker=self.models.reranker(), reranked=count, task=task
        )

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
        """What each word adds to the cosine of a text ("query" or "document") and a passage; aside lane."""
        from explorer.models.contributions import why

        return why(self.encoder(), first, second, roles=(role, "document"), task=task)

    def compare(self, first: int, second: int, task: Task) -> Comparison:
        """Two documents side by side, by the cross-encoder too where there is one; model lane."""
        from explorer.workspace.comparison import compare

        return compare(
            self._slow, self._matrix(self._slow), first, second, encoder=self.encoder(),
            reranker=self.models.reranker() if self.has_reranker() else None, task=task,
        )  # fmt: skip

    def keywords(self, document: int, task: Task) -> list[Keyword]:
        """The key words of a document; aside lane."""
        from explorer.index.keywords import keywords
        from explorer.workspace.alike import reads

        encoder, languages = self.encoder(), self.languages()
        matrix = self._matrix(self._aside)
        return keywords(
            self._aside.text(document), lambda texts: encoder.encode(texts).whole(), matrix.document_vector(document),
            reads=lambda spoken: reads(languages, spoken), task=task,
        )  # fmt: skip

    def text(self, document: int) -> str:
        """The text of a document; aside lane.

        Raises:
            WorkspaceError: It is gone.
        """
        return self._aside.text(document)

    def facts(self) -> Facts:
        """What stands at the foot of the window; quick lane."""
        return Facts(self._quick.counts()["passages"], self.models.used_name, self.models.device_name)

    def model_name(self) -> str:
        """What the bi-encoder in use is called; any lane."""
        return self.models.used_name

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

        from explorer.index.cluster_methods import Recipe
        from explorer.index.cluster_quality import stability
        from explorer.index.cluster_tree import hierarchy
        from explorer.index.topics import topics
        from explorer.workspace.clustering import cluster_documents, describe_clusters
        from explorer.workspace.landscape import landscape
        from explorer.workspace.topic_words import term_counts

        land = landscape(self._slow, self._matrix(self._slow), task=task)
        usual = Recipe(granularity=self.models.settings.granularity)
        shown = cluster_documents(self._slow, land, recipe, usual=usual, task=task)
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

    def renamed(self, survey: Survey) -> Survey:
        """The same clusters under the names of now; slow lane. A name that was taken away is the topic's again."""
        from dataclasses import replace

        from explorer.workspace.clustering import cluster_documents

        clusters = survey.clusters
        shown = cluster_documents(self._slow, survey.landscape)
        topics = clusters.names[clusters.tree.shown] if clusters.tree is not None else {}
        told = tuple(
            replace(
                one,
                name=shown.names.get(one.id) or topics.get(one.id, one.name),
                named=bool(shown.names.get(one.id)),
            )
            for one in clusters.clusters
        )
        return Survey(survey.landscape, replace(clusters, shown=shown, clusters=told))

    def undo_clusters(self) -> None:
        """Take the last change of clusters back; quick lane."""
        from explorer.workspace.clustering import undo_edit

        undo_edit(self._quick)

    def encoder(self) -> BiEncoder:
        """The bi-encoder in use, opened once; any lane but the UI's."""
        return self.models.encoder()

    def has_reranker(self) -> bool:
        """Whether a cross-encoder is chosen or there; any lane but the UI's."""
        return self.models.has_reranker()

    def finder(self) -> Finder:
        """The search, over the vectors as they are now; quick lane."""
        self._finder = self._for_now(self._finder, self._quick)
        return self._finder

    def _for_now(self, finder: Finder | None, workspace: Workspace) -> Finder:
        """A search with the model in use."""
        from explorer.workspace.finding import Finder

        encoder = self.encoder()
        same = finder is not None and finder.encoder is encoder
        return finder if same and finder else Finder(workspace, encoder, self.languages())

    def warm_up(self) -> None:
        """Load what the first query would wait for; quick lane, best when the model is open."""
        finder = self.finder()
        finder.warm_up()
        with suppress(WorkspaceError):  # nothing is encoded yet
            finder.nearby()

    def advice(self, spoken: Sequence[str]) -> Advice | None:
        """Whether the model in use reads the languages of the documents; aside lane."""
        from explorer.models import catalog
        from explorer.workspace.advice import advise_for

        return advise_for(Counter(spoken), self.languages(), self.models.used_name, catalog.entries())

    def languages(self) -> tuple[str, ...]:
        """The languages that the bi-encoder in use reads; empty if not known."""
        return self.models.languages()

    def _matrix(self, workspace: Workspace) -> Any:
        """The vectors as they are now, loaded anew only when the workspace has changed."""
        from explorer.workspace import matrix

        seen, known = workspace.changes_seen(), self._matrices.get(id(workspace))
        if known is None or known[0] != seen:
            known = self._matrices[id(workspace)] = (seen, matrix.load(workspace))
        return known[1]
