"""Search by meaning and by word, with the query grammar, and reranking of the best by a cross-encoder."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.analysis.search.fusion import WEIGHT, Fused, fuse, reread, weight_for
from explorer.analysis.search.query import Query, parse
from explorer.analysis.text import korean
from explorer.analysis.text.language import language
from explorer.analysis.text.tokenize import terms
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.task import Progress, Task
from explorer.workspace.search.filters import SearchFilters
from explorer.workspace.search.keyword_search import KeywordSearch
from explorer.workspace.search.vector_search import (
    VectorHits,
    VectorSearch,
    build_hnsw,
    hnsw_file,
    open_hnsw,
)
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage import vector_table as matrices
from explorer.workspace.storage.vector_table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.storage.vector_table import VectorTable
    from explorer.workspace.workspace import Workspace

Mode = Literal["semantic", "keyword", "hybrid"]
CANDIDATES = 1000  # passages of either list that are fused
RERANKED = 100


@dataclass(frozen=True)
class Hit:
    """A passage that was found, the best of its document.

    Attributes:
        rank: Its place, from 1.
        document: The document's number in the workspace.
        path: The document's file, relative to the folder.
        part: Which part of the file the document is.
        title: The document's title.
        start: Where in the document's text the passage begins.
        end: Where it ends.
        text: The passage.
        score: What the hits are ordered by; of reranked ones, both models' say.
        bi_score: Cosine of the bi-encoder; None where it was not among the nearest.
        keyword_score: BM25; None where no word matched.
        cross_score: The cross-encoder's, 0..1; None where it was not asked or had no time.
        found_rank: The place before reranking, from 1.
    """

    rank: int
    document: int
    path: str
    part: str
    title: str
    start: int
    end: int
    text: str
    score: float
    bi_score: float | None
    keyword_score: float | None
    cross_score: float | None = None
    found_rank: int = 0


@dataclass(frozen=True)
class Results:
    """What a search found.

    Attributes:
        query: The query as it was understood.
        hits: Best first.
        exact: Whether every vector was looked at.
        reranked: How many hits the cross-encoder had the time to score.
    """

    query: Query
    hits: tuple[Hit, ...]
    exact: bool = True
    reranked: int = 0


class Searcher:
    """Searches one workspace with one model; holds its vectors, and looks anew when the workspace has changed.

    Attributes:
        workspace: The workspace.
        encoder: The model; its vectors must be in the workspace.
        languages: What the model reads; empty for all.
    """

    def __init__(self, workspace: Workspace, encoder: BiEncoder, languages: Collection[str] = ()) -> None:
        self.workspace = workspace
        self.encoder = encoder
        self.languages = languages
        self._conditions = SearchFilters(workspace)
        self._words = KeywordSearch(workspace.connection, workspace.change_token)
        self._nearby: VectorSearch | None = None
        self._seen: object = None

    def matrix(self) -> VectorTable:
        """The model's vectors as they are now.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        return self.nearby().matrix

    def nearby(self) -> VectorSearch:
        """The search among those vectors, with the graph over them where there is one.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        now = self.workspace.change_token()
        if self._nearby is None or now != self._seen:
            matrix = matrices.load(self.workspace, self.encoder.fingerprint)
            graph = open_hnsw(hnsw_file(self.workspace, matrix.model), matrix)
            self._nearby, self._seen = VectorSearch(matrix, graph), now
        return self._nearby

    def prepare(self, task: Task | None = None) -> None:
        """Build what makes the search in a large folder quick, or bring it up to date; minutes for a million passages.

        Searching works without, and looks at every vector.

        Raises:
            Cancelled: The task was cancelled.
        """
        nearby = self.nearby()
        nearby.graph = build_hnsw(hnsw_file(self.workspace, nearby.matrix.model), nearby.matrix, task=task)

    def warm_up(self) -> None:
        """Load what the first queries would wait for, the Korean part in the background; for windows that stay open."""
        if self._words.has_korean():
            korean.warm_up()
        self._words.warm_up()

    def search(
        self, text: str, *, mode: Mode = "hybrid", k: int = 20, reranker: CrossEncoder | None = None,
        reranked: int | None = None, seconds: float | None = None, task: Task | None = None,
    ) -> Results:  # fmt: skip
        """The best documents for a query, each with its best passage.

        Args:
            text: The query, in the grammar of `explorer.analysis.search.query`.
            mode: By meaning, by word, or both.
            k: How many documents.
            reranker: Scores the best again, reading query and passage together.
            reranked: How many of them, at most; if absent, RERANKED or k, whatever is more.
            seconds: Time the reranker may take; what it has not reached by then keeps its order behind the rest.
            task: Progress and cancel.

        Raises:
            Cancelled: The task was cancelled.
            QueryError: The query cannot be understood; the message says where and why.
            WorkspaceError: Nothing is encoded yet, or a `like:` names no document.
        """
        task = task or Task()
        task.check()
        self._check_filled(mode)
        query = parse(text, self._conditions.fields())
        allowed = self._conditions.allowed(query)
        near = VectorHits([]) if mode == "keyword" else self._semantic(query, allowed, task)
        by_word = [] if mode == "semantic" else self._keyword(query, allowed)
        weight = weight_for(language(text), self.languages) if self.languages else WEIGHT
        fused = fuse(near.passages, by_word, weight)
        if not fused and allowed is not None and not (query.meaning or query.likes):
            fused = self._all_of(allowed)
        depth = max(k, RERANKED) if reranked is None else reranked
        hits = self._hits(fused, max(k, depth) if reranker else k)
        found = Results(query, tuple(hits), near.exact)
        return found if reranker is None else _reranked(found, k, depth, reranker, seconds, task)

    def _check_filled(self, mode: Mode) -> None:
        """Words can be searched before anything is encoded, but not before anything is read."""
        if not passages.any_exist(self.workspace.connection):
            raise WorkspaceError(
                "{folder}: nothing is indexed yet. Index the folder first.", folder=self.workspace.folder
            )
        if mode != "keyword":
            self.nearby()

    def _semantic(self, query: Query, allowed: set[int] | None, task: Task) -> VectorHits:
        aim = self._aim(query)
        if aim is None:
            return VectorHits([])
        return self.nearby().nearest(aim, CANDIDATES, allowed=allowed, task=task)

    def _aim(self, query: Query) -> NDArray[np.float32] | None:
        """One vector for all that the query says: words and examples, weighted, summed, of length 1."""
        parts: list[tuple[NDArray[np.float32], float]] = []
        if query.semantic_parts:
            vectors = self.encoder.encode([aim.text for aim in query.semantic_parts], role="query").whole()
            parts += [
                (unit(vector), aim.weight) for vector, aim in zip(vectors, query.semantic_parts, strict=True)
            ]
        if query.likes:
            matrix = self.matrix()
            parts += [
                (matrix.document_vector(find_document(self.workspace, like.name).id), like.weight)
                for like in query.likes
            ]
        return unit(np.sum([vector * weight for vector, weight in parts], axis=0)) if parts else None

    def _keyword(self, query: Query, allowed: set[int] | None) -> list[tuple[int, float]]:
        wanted = list(
            dict.fromkeys(term for aim in query.semantic_parts if aim.weight > 0 for term in terms(aim.text))
        )
        return self._words.best(wanted, CANDIDATES, allowed)

    def _all_of(self, allowed: set[int]) -> list[Fused[int]]:
        """Return the first passage of each document, for a query of filters alone."""
        return [
            Fused(passage, 0.0, None, None, None, None)
            for passage, document in passages.first_of_each_document(self.workspace.connection)
            if document in allowed
        ]

    def _hits(self, fused: Sequence[Fused[int]], k: int) -> list[Hit]:
        """Return the best passage of each of the first k documents; what was removed in the meantime is left out."""
        connection = self.workspace.connection
        documents_of = passages.documents_of(connection, [each.id for each in fused])
        best: dict[int, Fused[int]] = {}  # by document
        for each in fused:
            document = documents_of.get(each.id)
            if document is not None and document not in best and len(best) < k:
                best[document] = each
        texts = passages.load(connection, [each.id for each in best.values()])
        names = documents.names(connection, list(best))
        hits: list[Hit] = []
        for document, each in best.items():
            passage, name = texts.get(each.id), names.get(document)
            if passage is None or name is None:
                continue
            rank, span = len(hits) + 1, passage.location
            hits.append(
                Hit(rank, document, name.path, name.part, name.title, span.start, span.end, passage.text, each.score,
                    each.semantic_score, each.keyword_score, None, rank)
            )  # fmt: skip
        return hits


def find_document(workspace: Workspace, name: str) -> DocumentEntry:
    """Return the document of a path, a path with its part, or a title.

    Raises:
        WorkspaceError: None or several are called so.
    """
    found = documents.find(workspace.connection, name)
    if len(found) != 1:
        what = (
            UserMessage("no document is")
            if not found
            else UserMessage("{count} documents are", count=len(found))
        )
        raise WorkspaceError(
            "“{name}”: {what} called so. Give the path as “docexplorer documents” lists it.",
            name=name,
            what=what,
        )
    return workspace.document(found[0])


def _reranked(
    found: Results, k: int, depth: int, reranker: CrossEncoder, seconds: float | None, task: Task
) -> Results:
    words = " ".join(aim.text for aim in found.query.semantic_parts if aim.weight > 0)
    hits = found.hits
    if not words or not hits:
        return replace(found, hits=hits[:k])
    scores = reranker.score([(words, hit.text) for hit in hits[:depth]], task=_limited(task, seconds))
    task.check()
    relevance = scores.relevance()
    told = [
        _reread(hit, float(relevance[place])) if place < depth and scores.done[place] else hit
        for place, hit in enumerate(hits)
    ]
    told.sort(key=lambda hit: (hit.cross_score is None, -hit.score, hit.found_rank))
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(told[:k], 1))
    return replace(found, hits=ranked, reranked=int(scores.done.sum()))


def _reread(hit: Hit, cross: float) -> Hit:
    return replace(hit, cross_score=cross, score=reread(cross, hit.found_rank))


def _limited(task: Task, seconds: float | None) -> Task:
    """A task that reports to another, and is cancelled with it or when its time is over."""
    end = None if seconds is None else time.monotonic() + seconds

    def told(progress: Progress) -> None:
        task.report(progress.done, progress.total, progress.note)
        if end is not None and time.monotonic() >= end:
            inner.cancel()

    inner = Task(told)
    if seconds is not None and seconds <= 0:
        inner.cancel()
    return inner
