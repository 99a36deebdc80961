"""Search by meaning and by word, with the query grammar, and reranking of the best by a cross-encoder."""

from __future__ import annotations

import sqlite3
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
from explorer.task import Progress, Task
from explorer.workspace.search.filters import SearchFilters
from explorer.workspace.search.keyword_search import KeywordSearch
from explorer.workspace.search.vector_search import (
    VectorHits,
    VectorSearch,
    graph_file,
    make_graph,
    open_graph,
)
from explorer.workspace.storage import vector_table as matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.workspace.storage.vector_table import VectorTable
    from explorer.workspace.workspace import DocumentEntry, Workspace

Mode = Literal["semantic", "keyword", "hybrid"]
CANDIDATES = 1000  # passages of either list that are fused
RERANKED = 100
_TOLD = (
    "SELECT p.document, f.name, d.part, d.title, p.start, p.stop, substr(d.text, p.start + 1, p.stop - p.start) "
    "FROM passages p JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file WHERE p.id = ?"
)


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
        self._words = KeywordSearch(workspace.connection, workspace.changes_seen)
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
        now = self.workspace.changes_seen()
        if self._nearby is None or now != self._seen:
            matrix = matrices.load(self.workspace, self.encoder.fingerprint)
            graph = open_graph(graph_file(self.workspace, matrix.model), matrix)
            self._nearby, self._seen = VectorSearch(matrix, graph), now
        return self._nearby

    def prepare(self, task: Task | None = None) -> None:
        """Build what makes the search in a large folder quick, or bring it up to date; minutes for a million passages.

        Searching works without, and looks at every vector.

        Raises:
            Cancelled: The task was cancelled.
        """
        nearby = self.nearby()
        nearby.graph = make_graph(graph_file(self.workspace, nearby.matrix.model), nearby.matrix, task=task)

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
        filled = self.workspace.connection.execute("SELECT 1 FROM passages LIMIT 1").fetchone()
        if filled is None:
            raise WorkspaceError(f"{self.workspace.folder}: nothing is indexed yet. Index the folder first.")
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
        if query.aims:
            vectors = self.encoder.encode([aim.text for aim in query.aims], role="query").whole()
            parts += [(_unit(vector), aim.weight) for vector, aim in zip(vectors, query.aims, strict=True)]
        if query.likes:
            matrix = self.matrix()
            parts += [
                (matrix.document_vector(self.find_document(like.name).id), like.weight)
                for like in query.likes
            ]
        return _unit(np.sum([vector * weight for vector, weight in parts], axis=0)) if parts else None

    def _keyword(self, query: Query, allowed: set[int] | None) -> list[tuple[int, float]]:
        wanted = list(dict.fromkeys(term for aim in query.aims if aim.weight > 0 for term in terms(aim.text)))
        return self._words.best(wanted, CANDIDATES, allowed)

    def _all_of(self, allowed: set[int]) -> list[Fused[int]]:
        """The first passage of each document, for a query of conditions alone."""
        rows = self.workspace.connection.execute(
            "SELECT id, document FROM passages WHERE place = 0 ORDER BY document"
        )
        return [
            Fused(passage, 0.0, None, None, None, None) for passage, document in rows if document in allowed
        ]

    def _hits(self, fused: Sequence[Fused[int]], k: int) -> list[Hit]:
        """The best passage of each of the first k documents; what was removed in the meantime is left out."""
        hits: list[Hit] = []
        seen: set[int] = set()
        for one in fused:
            if len(hits) >= k:
                break
            row = self.workspace.connection.execute(
                "SELECT document FROM passages WHERE id = ?", (one.id,)
            ).fetchone()
            if row is None or row[0] in seen:
                continue
            seen.add(row[0])
            told = self.workspace.connection.execute(_TOLD, (one.id,)).fetchone()
            if told is not None:
                rank = len(hits) + 1
                document, path, part, title, start, end, text = told
                hits.append(
                    Hit(rank, document, path, part, title, start, end, text, one.score,
                        one.semantic_score, one.keyword_score, None, rank)
                )  # fmt: skip
        return hits

    def find_document(self, name: str) -> DocumentEntry:
        """The document of a name, as the function of that name finds it."""
        return find_document(self.workspace, name)


def find_document(workspace: Workspace, name: str) -> DocumentEntry:
    """The document of a path, a path with its part, or a title.

    Raises:
        WorkspaceError: None or several are called so.
    """
    found = find_documents(workspace.connection, name)
    if len(found) != 1:
        what = "no document is" if not found else f"{len(found)} documents are"
        raise WorkspaceError(
            f"“{name}”: {what} called so. Give the path as “docexplorer documents” lists it."
        )
    return workspace.document(found[0])


def find_documents(connection: sqlite3.Connection, name: str) -> list[int]:
    """The numbers of the documents with that path, path and part ("table.csv row 3"), or title."""
    for condition in ("f.name = ?", "f.name || ' ' || d.part = ?", "d.title = ?"):
        rows = connection.execute(
            f"SELECT d.id FROM documents d JOIN files f ON f.id = d.file WHERE {condition} LIMIT 50",  # noqa: S608
            (name,),
        ).fetchall()
        if rows:
            return [int(row[0]) for row in rows]
    return []


def _reranked(
    found: Results, k: int, depth: int, reranker: CrossEncoder, seconds: float | None, task: Task
) -> Results:
    words = " ".join(aim.text for aim in found.query.aims if aim.weight > 0)
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


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)
