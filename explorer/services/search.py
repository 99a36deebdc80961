"""Search of an open workspace, and single documents: their text, key words, similar ones, comparison."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from explorer.analysis.search.query import Query
    from explorer.analysis.topics.keywords import Keyword
    from explorer.corpus.document import Passage
    from explorer.models.explain import Contributions
    from explorer.services.model_cache import ModelCache
    from explorer.services.open_workspace import VectorCache
    from explorer.task import Task
    from explorer.workspace.search.compare import Comparison
    from explorer.workspace.search.search import Mode, Results, Searcher
    from explorer.workspace.search.snippets import Similar
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.storage.user.lists import SavedSearch
    from explorer.workspace.update.read_options import FileReadOptions
    from explorer.workspace.workspace import Workspace


MATCHING = 10_000  # documents that a query of conditions alone finds: who tags 500 expects to find 500
_LOOKED_FOR = 200  # best matches of a saved search among which new ones are looked for


class SearchService:
    """Finds documents; every method runs in the worker that its docstring names."""

    def __init__(self, quick: Workspace, reread: Workspace, models: ModelCache, vectors: VectorCache) -> None:
        """Take the connections of the quick worker and of the rerank worker."""
        self._quick, self._reread = quick, reread
        self._models, self._vectors = models, vectors
        self._finder: Searcher | None = None
        self._rereader: Searcher | None = None

    def search(self, text: str, mode: Mode, k: int, task: Task) -> Results:
        """Return the best documents for a query; quick worker.

        While the model is being opened, which takes seconds, the words answer alone.
        """
        if mode == "hybrid" and self._models.open_encoder is None:
            from explorer.workspace.search.search import Searcher

            by_word = Searcher(self._quick, None, self._models.languages())
            results = by_word.search(text, mode="keyword", k=k, matching=MATCHING, task=task)
            waits = bool(results.query.semantic_parts or results.query.likes)  # conditions alone need no model
            return replace(results, final_share=float(not waits), words_only=waits)
        return self._find().search(text, mode=mode, k=k, matching=MATCHING, task=task)

    def rerank(self, results: Results, task: Task) -> Results:
        """Rerank the top results of a search with the cross-encoder; rerank worker.

        Raises:
            ModelError: There is no cross-encoder.
        """
        self._rereader = self._for_now(self._rereader, self._reread)  # the quick worker searches with its own
        depth, reranker = self._models.settings.rerank_count, self._models.reranker()
        return self._rereader.rerank(results, reranker, len(results.hits), depth, task=task)

    def with_snippets(self, results: Results, first: int, end: int, task: Task) -> Results:
        """Return results whose hits from `first` up to `end` have their snippets; quick worker.

        The first hits have theirs from the start; the window asks for more as they come into view.
        """
        task.check()
        shown = self._find().with_snippets(results.query, results.hits[first:end])
        return replace(results, hits=(*results.hits[:first], *shown, *results.hits[end:]))

    def similar(
        self, like: Sequence[int], unlike: Sequence[int], query: str, k: int, metric: str, task: Task
    ) -> tuple[Similar, ...]:
        """Return the documents nearest to some and to a query, with the lines that show why; quick worker."""
        from explorer.workspace.search import snippets

        chosen: Any = metric
        vector = self._models.encoder().encode([query], role="query").whole()[0] if query else None
        matrix = self._find().matrix() if query else self._vectors.load_for(self._quick, [*like, *unlike])
        return snippets.similar(
            self._quick, matrix, like, unlike, words=query, vector=vector, k=k, metric=chosen, task=task
        )

    def words(self, query: Query, texts: Sequence[str], task: Task) -> list[list[tuple[int, int]]]:
        """Return where each text contains words of a query; quick worker."""
        from explorer.analysis.search.query import phrase_spans
        from explorer.analysis.text.tokenize import highlight, terms

        wanted = {term for part in query.semantic_parts if part.weight > 0 for term in terms(part.text)}
        matching = []
        for text in texts:
            task.check()
            exact = [span for part in query.required for span in phrase_spans(text, part.text)]
            matching.append(sorted({*highlight(text, wanted), *exact}))
        return matching

    def saved(self, task: Task) -> tuple[tuple[SavedSearch, int], ...]:
        """Return the saved searches, each with the number of matches that the user has not seen; quick worker."""
        from explorer.workspace.storage import documents
        from explorer.workspace.storage.user import lists as user_lists

        counted = []
        for saved in user_lists.saved_searches(self._quick):
            mode: Any = saved.mode
            hits = self.search(saved.query, mode, _LOOKED_FOR, task).hits
            digests = documents.digests_of(self._quick.connection, [hit.document for hit in hits])
            counted.append((saved, len(user_lists.hits_seen(digests.values()) - saved.seen)))
        return tuple(counted)

    def warm_up(self) -> None:
        """Load what the first query needs; quick worker, best when the model is open."""
        finder = self._find()
        finder.warm_up()
        with suppress(WorkspaceError):  # nothing is encoded yet
            finder.vector_search()

    def _find(self) -> Searcher:
        """Return the searcher over the current vectors; quick worker."""
        self._finder = self._for_now(self._finder, self._quick)
        return self._finder

    def _for_now(self, finder: Searcher | None, workspace: Workspace) -> Searcher:
        """Return a searcher with the model in use."""
        from explorer.workspace.search.search import Searcher

        encoder = self._models.encoder()
        if finder is not None and finder.encoder is encoder:
            return finder
        return Searcher(workspace, encoder, self._models.languages(), self._vectors.load)


@dataclass(frozen=True)
class TextPage:
    """A document opened for reading.

    Attributes:
        entry: Its entry.
        text: Its text.
        passages: Where its passages begin and end.
        coverage: The share of its text that was encoded.
        file: The file it came from.
    """

    entry: DocumentEntry
    text: str
    passages: tuple[Passage, ...]
    coverage: float
    file: Path


class DocumentService:
    """Reads documents; every method runs in the worker that its docstring names."""

    def __init__(
        self, reading: Workspace, asked: Workspace, aside: Workspace, models: ModelCache, vectors: VectorCache
    ) -> None:
        """Take the connections of the read, the rerank and the aside worker."""
        self._read, self._asked, self._aside = reading, asked, aside
        self._models, self._vectors = models, vectors

    def page(self, document: int) -> TextPage:
        """Return a document to read; read worker.

        Raises:
            WorkspaceError: It is gone.
        """
        from explorer.workspace.update.read_options import file_of

        workspace = self._read
        entry = workspace.document(document)
        return TextPage(
            entry,
            workspace.text(document),
            tuple(workspace.passages(document)),
            workspace.coverage(document),
            file_of(workspace, document),
        )

    def how_read(self, path: str, task: Task) -> FileReadOptions:
        """Return how a file is read, and its options; aside worker.

        Raises:
            ExplorerError: It is gone, or cannot be opened.
        """
        from explorer.workspace.update.read_options import how_read

        return how_read(self._aside, path, task)

    def text(self, document: int) -> str:
        """Return the text of a document; aside worker.

        Raises:
            WorkspaceError: It is gone.
        """
        return self._aside.text(document)

    def keywords(self, document: int, task: Task) -> list[Keyword]:
        """Return the keywords of a document; aside worker."""
        from explorer.analysis.topics.keywords import keywords
        from explorer.workspace.search.similar import reads

        encoder, languages = self._models.encoder(), self._models.languages()
        matrix = self._vectors.load_for(self._aside, [document])
        return keywords(
            self._aside.text(document),
            lambda texts: encoder.encode(texts).whole(),
            matrix.document_vector(document),
            reads=lambda spoken: reads(languages, spoken),
            task=task,
        )

    def why(self, first: str, second: str, role: str, task: Task) -> Contributions:
        """Return what each word adds to the cosine of a "query" or "document" and a passage; aside worker."""
        from explorer.models.explain import explain

        return explain(self._models.encoder(), first, second, roles=(role, "document"), task=task)

    def compare(self, first: int, second: int, task: Task) -> Comparison:
        """Compare two documents, also by the cross-encoder if there is one; rerank worker."""
        from explorer.workspace.search.compare import compare

        return compare(
            self._asked,
            self._vectors.load_for(self._asked, [first, second]),
            first,
            second,
            encoder=self._models.encoder(),
            reranker=self._models.reranker() if self._models.has_reranker() else None,
            task=task,
        )
