"""Search by meaning and by word, with the query grammar, and reranking of the best by a cross-encoder."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.errors import WorkspaceError
from explorer.index.fusion import Fused, fuse, weight_for
from explorer.index.language import language
from explorer.index.neighbours import nearest
from explorer.index.query import FIELDS, Query, parse, phrase_spans
from explorer.index.words import match_any, terms
from explorer.task import Progress, Task
from explorer.workspace import matrix as matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.workspace.matrix import Matrix
    from explorer.workspace.workspace import Entry, Workspace

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
        score: What the hits are ordered by.
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


class Finder:
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
        self._matrix: Matrix | None = None
        self._seen: object = None

    def matrix(self) -> Matrix:
        """The model's vectors as they are now."""
        now = self.workspace.changes_seen()
        if self._matrix is None or now != self._seen:
            self._matrix, self._seen = matrices.load(self.workspace, self.encoder.fingerprint), now
        return self._matrix

    def search(
        self, text: str, *, mode: Mode = "hybrid", k: int = 20, reranker: CrossEncoder | None = None,
        seconds: float | None = None, task: Task | None = None,
    ) -> Results:  # fmt: skip
        """The best documents for a query, each with its best passage.

        Args:
            text: The query, in the grammar of `explorer.index.query`.
            mode: By meaning, by word, or both.
            k: How many documents.
            reranker: Scores the best RERANKED again, reading query and passage together.
            seconds: Time the reranker may take; what it has not reached by then keeps its order behind the rest.
            task: Progress and cancel.

        Raises:
            QueryError: The query cannot be understood; the message says where and why.
            WorkspaceError: Nothing is encoded yet, or a `like:` names no document.
        """
        task = task or Task()
        query = parse(text, [*FIELDS, *self._fields()])
        allowed = self._allowed(query)
        by_meaning = [] if mode == "keyword" else self._semantic(query, allowed, task)
        by_word = [] if mode == "semantic" else self._keyword(query, allowed)
        weight = weight_for(language(text), self.languages) if self.languages else None
        fused = fuse(by_meaning, by_word) if weight is None else fuse(by_meaning, by_word, weight)
        if not by_meaning and not by_word and allowed is not None:
            fused = self._all_of(allowed)
        wanted = max(k, RERANKED) if reranker else k
        hits = self._hits(fused, wanted)
        if reranker is None:
            return Results(query, tuple(hits))
        return self._reranked(query, hits, k, reranker, seconds, task)

    def _semantic(self, query: Query, allowed: set[int] | None, task: Task) -> list[tuple[int, float]]:
        aim = self._aim(query)
        table = self.matrix()
        if aim is None or len(table.rows) == 0:
            return []
        order = np.argsort(table.rows, kind="stable")
        chosen = order if allowed is None else order[np.isin(table.documents[order], list(allowed))]
        rows = np.unique(table.rows[chosen])
        if len(rows) == 0:
            return []
        found = nearest(
            table.vectors,
            aim[None],
            CANDIDATES,
            rows=None if len(rows) == len(table.vectors) else rows,
            task=task.silent(),
        )
        starts = np.searchsorted(table.rows[chosen], found.rows[0])
        ends = np.searchsorted(table.rows[chosen], found.rows[0], side="right")
        return [
            (int(table.passages[place]), float(score))
            for start, end, score in zip(starts, ends, found.scores[0], strict=True)
            for place in chosen[start:end]
        ]

    def _aim(self, query: Query) -> NDArray[np.float32] | None:
        """One vector for all that the query says: words and examples, weighted, summed, of length 1."""
        parts: list[tuple[NDArray[np.float32], float]] = []
        if query.aims:
            vectors = self.encoder.encode([aim.text for aim in query.aims], role="query").whole()
            parts += [(_unit(vector), aim.weight) for vector, aim in zip(vectors, query.aims, strict=True)]
        if query.likes:
            ids, vectors = self.matrix().document_vectors()
            for like in query.likes:
                place = np.searchsorted(ids, self.find_document(like.name).id)
                parts.append((vectors[place], like.weight))
        return _unit(np.sum([vector * weight for vector, weight in parts], axis=0)) if parts else None

    def _keyword(self, query: Query, allowed: set[int] | None) -> list[tuple[int, float]]:
        wanted = list(dict.fromkeys(term for aim in query.aims if aim.weight > 0 for term in terms(aim.text)))
        if not wanted:
            return []
        rows = self.workspace.connection.execute(
            "SELECT w.rowid, -bm25(words), p.document FROM words w JOIN passages p ON p.id = w.rowid "
            "WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?",
            (match_any(wanted), CANDIDATES if allowed is None else -1),
        )
        return [
            (passage, score) for passage, score, document in rows if allowed is None or document in allowed
        ][:CANDIDATES]

    def _allowed(self, query: Query) -> set[int] | None:
        """The documents that meet the query's hard conditions; None where it has none."""
        if not (query.filters or query.required or query.excluded):
            return None
        found = {
            entry.id
            for entry in self.workspace.documents()
            if all(condition.accepts(field_of(entry, condition.field)) for condition in query.filters)
        }
        required = [part.text for part in query.required]
        if required or query.excluded:
            found = {number for number in found if self._says(number, required, query.excluded)}
        return found

    def _says(self, number: int, required: Iterable[str], excluded: Iterable[str]) -> bool:
        text = self.workspace.text(number)
        return all(phrase_spans(text, words) for words in required) and not any(
            phrase_spans(text, words) for words in excluded
        )

    def _all_of(self, allowed: set[int]) -> list[Fused[int]]:
        """The first passage of each document, for a query of conditions alone."""
        rows = self.workspace.connection.execute(
            "SELECT id, document FROM passages WHERE place = 0 ORDER BY document"
        )
        return [
            Fused(passage, 0.0, None, None, None, None) for passage, document in rows if document in allowed
        ]

    def _hits(self, fused: Sequence[Fused[int]], k: int) -> list[Hit]:
        hits: list[Hit] = []
        seen: set[int] = set()
        for one in fused:
            document, start, end = self.workspace.connection.execute(
                "SELECT document, start, stop FROM passages WHERE id = ?", (one.id,)
            ).fetchone()
            if document in seen:
                continue
            seen.add(document)
            entry, rank = self.workspace.document(document), len(hits) + 1
            text = self.workspace.text(document)[start:end]
            hits.append(
                Hit(rank, document, entry.path, entry.part, entry.title, start, end, text, one.score,
                    one.semantic_score, one.keyword_score, None, rank)
            )  # fmt: skip
            if len(hits) == k:
                break
        return hits

    def _reranked(
        self, query: Query, hits: list[Hit], k: int, reranker: CrossEncoder, seconds: float | None, task: Task
    ) -> Results:
        words = " ".join(aim.text for aim in query.aims if aim.weight > 0)
        if not words or not hits:
            return Results(query, tuple(hits[:k]))
        scores = reranker.score([(words, hit.text) for hit in hits], task=_limited(task, seconds))
        task.check()
        relevance = scores.relevance()
        told = [
            replace(hit, cross_score=float(relevance[place]), score=float(relevance[place]))
            if scores.done[place]
            else hit
            for place, hit in enumerate(hits)
        ]
        told.sort(key=lambda hit: (hit.cross_score is None, -(hit.cross_score or 0.0), hit.found_rank))
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(told[:k], 1))
        return Results(query, ranked, reranked=int(scores.done.sum()))

    def find_document(self, name: str) -> Entry:
        """The document of a path, a path with its part, or a title.

        Raises:
            WorkspaceError: None or several are called so.
        """
        found = find_documents(self.workspace.connection, name)
        if len(found) != 1:
            what = "no document is" if not found else f"{len(found)} documents are"
            raise WorkspaceError(
                f"“{name}”: {what} called so. Give the path as “docexplorer documents” lists it."
            )
        return self.workspace.document(found[0])

    def _fields(self) -> set[str]:
        rows = self.workspace.connection.execute(
            "SELECT DISTINCT key FROM documents, json_each(documents.metadata)"
        )
        return {str(row[0]) for row in rows}


def field_of(entry: Entry, name: str) -> str | int | float | bool | None:
    """A document's value of a field: one of its own, or of its metadata."""
    own: dict[str, str | int] = {
        "path": entry.path,
        "title": entry.title,
        "language": entry.language,
        "encoding": entry.encoding,
        "part": entry.part,
        "length": entry.characters,
    }
    return own[name] if name in own else entry.metadata.get(name)


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


def _limited(task: Task, seconds: float | None) -> Task:
    """A task that reports to another, and is cancelled with it or when its time is over."""
    end = None if seconds is None else time.monotonic() + seconds

    def told(progress: Progress) -> None:
        task.report(progress.done, progress.total, progress.note)
        if end is not None and time.monotonic() >= end:
            inner.cancel()

    inner = Task(told)
    return inner


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)
