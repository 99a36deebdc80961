"""Search by meaning and by word, with the query grammar, and reranking of the best by a cross-encoder."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.analysis.search.query import Query, parse
from explorer.analysis.search.ranking import EVERY_LANGUAGE, Fused, fuse, reread, weight_for
from explorer.analysis.text import korean
from explorer.analysis.text.language import language
from explorer.analysis.text.tokenize import terms
from explorer.errors import NotEncodedError, WorkspaceError
from explorer.messages import UserMessage
from explorer.models.static_encoder import ready_static_encoder
from explorer.task import Progress, Task
from explorer.workspace.search.filters import SearchFilters
from explorer.workspace.search.keyword_search import KeywordSearch
from explorer.workspace.search.similar import reads
from explorer.workspace.search.snippets import SentenceFinder
from explorer.workspace.search.vector_search import (
    DraftSearch,
    Reloaded,
    VectorHits,
    VectorSearch,
    build_hnsw,
    hnsw_file,
    open_hnsw,
)
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage.vectors import table as matrices
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

Mode = Literal["semantic", "keyword", "hybrid"]
CANDIDATES = 1000  # passages of either list that are fused
RERANKED = 100
FIRST_RERANKED = 20  # of them, scored first and published: a second on two cores, and what is seen without scrolling
# Passages that draft and words together rank best for a query: they are encoded next, a second or two on two cores.
# Worked out from the lists of both for 200 headlines among 100,000 rows, 1 % encoded: with 128 of these the news
# is among the first ten for 81 %, with the draft's own 64 for 74 %, when all is encoded for 80 %.
ASKED = 128
_READING = 0.15  # seconds that documents are looked at which are not split yet
_SENTENCE = 3  # words beside those in quotation marks
_PLACES = 40  # occurrences of a word that are looked at
_AROUND = 300  # characters before and after a word in them
SNIPPETS = 50  # hits whose sentence is found at once, in some 20 ms


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
        found_score: The score before reranking; None where it was not reranked.
        snippet: The sentence that matched best and what is around it, on one line of about 200 characters; empty
            behind the first SNIPPETS hits until `Searcher.with_snippets` is asked for it.
        words: Where in the snippet the words are that matched, by themselves or by meaning.
        title_words: Where in the title they are; known where the snippet is.
        sentence: Where in the document's text that sentence begins and ends.
        copies: Other documents with the same text, which are not hits of their own.
        draft: Whether the meaning was compared by the static encoder, as the passage is not encoded yet.
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
    found_score: float | None = None
    snippet: str = ""
    words: tuple[tuple[int, int], ...] = ()
    sentence: tuple[int, int] = (0, 0)
    copies: tuple[int, ...] = ()
    draft: bool = False
    title_words: tuple[tuple[int, int], ...] = ()

    @property
    def is_scored(self) -> bool:
        """Whether words or meaning were compared; a query of conditions alone, such as `tag:later`, compares none."""
        return any(score is not None for score in (self.bi_score, self.keyword_score, self.cross_score))


@dataclass(frozen=True)
class Results:
    """What a search found.

    Attributes:
        query: The query as it was understood.
        hits: Best first.
        exact: Whether every vector was looked at.
        reranked: How many hits the cross-encoder had the time to score.
        final_share: Share of the passages that the model has encoded, 0..1; the rest is compared by words and draft.
        notices: What the user should know about the answer.
        words_only: Whether only words were compared so far, as the model is still being opened.
    """

    query: Query
    hits: tuple[Hit, ...]
    exact: bool = True
    reranked: int = 0
    final_share: float = 1.0
    notices: tuple[UserMessage, ...] = ()
    words_only: bool = False


class Searcher:
    """Searches one workspace with one model; holds its vectors, and reloads them when the workspace has changed.

    Attributes:
        workspace: The workspace.
        encoder: The model; its vectors must be in the workspace. A search by word alone does without.
        languages: What the model reads; empty for all.
    """

    def __init__(
        self,
        workspace: Workspace,
        encoder: BiEncoder | None,
        languages: Collection[str] = (),
        load_vectors: Callable[[Workspace, str], VectorTable] = matrices.load,
    ) -> None:
        self.workspace = workspace
        self._load_table = load_vectors
        self._encoder = encoder
        self.languages = languages
        self._filters = SearchFilters(workspace)
        self._words = KeywordSearch(workspace.connection, workspace.change_token, self._cuttings)
        self._vector_search = Reloaded(self._load_vectors, workspace.change_token)
        self._drafts = Reloaded(self._load_drafts, workspace.change_token)
        self._sentences: SentenceFinder | None = None

    @property
    def encoder(self) -> BiEncoder:
        """The model."""
        assert self._encoder is not None, "only keyword search works without a model"  # noqa: S101
        return self._encoder

    def matrix(self) -> VectorTable:
        """Return the model's vectors as they are now.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        return self.vector_search().matrix

    def vector_search(self) -> VectorSearch:
        """Return the search among those vectors, with the graph over them where there is one.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        return self._vector_search.get()

    def _load_vectors(self) -> VectorSearch:
        matrix = self._load_table(self.workspace, self.encoder.fingerprint)
        return VectorSearch(matrix, open_hnsw(hnsw_file(self.workspace, matrix.model), matrix))

    def _load_drafts(self) -> DraftSearch | None:
        static_encoder = self._sentence_finder().static_encoder
        if static_encoder is None or static_encoder.fingerprint not in {
            model.fingerprint for model in self.workspace.models()
        }:
            return None
        return DraftSearch(self._load_table(self.workspace, static_encoder.fingerprint))

    def prepare(self, task: Task | None = None) -> None:
        """Build or update the index for quick search in a large folder; takes minutes for a million passages.

        Searching works without, and looks at every vector.

        Raises:
            Cancelled: The task was cancelled.
        """
        vector_search = self.vector_search()
        vector_search.graph = build_hnsw(
            hnsw_file(self.workspace, vector_search.matrix.model), vector_search.matrix, task=task
        )

    def warm_up(self) -> None:
        """Load what the first queries would wait for, the Korean part in the background; for windows that stay open."""
        if self._words.has_korean():
            korean.warm_up()
        self._words.warm_up()
        self._sentence_finder().find(parse("word"), ["A word."])

    def search(
        self,
        text: str,
        *,
        mode: Mode = "hybrid",
        k: int = 20,
        matching: int = 0,
        reranker: CrossEncoder | None = None,
        reranked: int | None = None,
        seconds: float | None = None,
        task: Task | None = None,
    ) -> Results:
        """Return the best documents for a query, each with its best passage.

        While the folder is indexed all that is known answers: the model's vectors where they are, the draft's
        elsewhere, words wherever documents are split, and the bare texts of those that are only read.

        Args:
            text: The query, in the grammar of `explorer.analysis.search.query`.
            mode: By meaning, by word, or both.
            k: How many documents.
            matching: How many, if more, for a query of conditions alone, such as `tag:later`: it has no best.
            reranker: Scores the best again, reading query and passage together.
            reranked: How many of them, at most; if absent, RERANKED or k, whatever is more.
            seconds: Time the reranker may take; what it has not reached by then keeps its order behind the rest.
            task: Progress and cancel.

        Raises:
            Cancelled: The task was cancelled.
            QueryError: The query cannot be understood; the message says where and why.
            WorkspaceError: Nothing is read yet, or a `like:` names no document.
        """
        task = task or Task()
        task.check()
        if not documents.any_exist(self.workspace.connection):
            raise WorkspaceError(
                "{folder}: nothing is indexed yet. Index the folder first.", folder=self.workspace.folder
            )
        query = parse(text, self._filters.fields(), strict=True)
        allowed = self._filters.allowed(query)
        notices: list[UserMessage] = []
        if query.required and not allowed and _is_pasted(text):
            # A pasted sentence with quotation marks is no condition: that cost 0.03 nDCG@10 on a public set.
            soft = replace(query, meaning=(*query.meaning, *query.required), required=())
            allowed = self._filters.allowed(soft)
            notices.append(
                UserMessage(
                    "No document has the exact words in quotation marks, so they were searched like any other words."
                )
            )
            query = soft
        near, drafts = (VectorHits([]), VectorHits([])) if mode == "keyword" else self._semantic(query, allowed, task)
        by_word = [] if mode == "semantic" else self._keyword(query, allowed)
        by_meaning = mode != "keyword" and bool(query.semantic_parts or query.likes)  # not of conditions alone
        final = self._final_share() if by_meaning else 1.0
        weight = weight_for(language(text), self.languages or (EVERY_LANGUAGE,), final)
        meant = sorted([*near.passages, *drafts.passages], key=lambda each: -each[1])[:CANDIDATES]
        fused = fuse(meant, by_word, weight if meant else 0.0)  # words alone: the best of them has a full score
        if drafts.passages:
            known = {passage for passage, _ in near.passages}
            wanted = (each.id for each in fused[: 2 * ASKED] if each.id not in known)
            self.workspace.encoding_order.ask(islice(wanted, ASKED))
        if not fused and allowed is not None and not (query.meaning or query.likes):
            fused = self._all_of(allowed)
            k = max(k, matching)
        depth = max(k, RERANKED) if reranked is None else reranked
        hits = self._hits(fused, max(k, depth) if reranker else k, {passage for passage, _ in drafts.passages})
        if len(hits) < k:
            hits += self._only_read(query, allowed, k - len(hits), hits)
        if mode == "semantic":  # its own measure: a rank's share says nothing of how near a text is
            hits = [replace(hit, score=hit.bi_score) if hit.bi_score is not None else hit for hit in hits]
        results = Results(query, tuple(hits), near.exact, final_share=final, notices=tuple(notices))
        results = self._with_first_snippets(results)  # before reranking, which publishes its first rows
        return results if reranker is None else self.rerank(results, reranker, k, depth, seconds, task)

    def rerank(
        self,
        results: Results,
        reranker: CrossEncoder,
        k: int,
        depth: int,
        seconds: float | None = None,
        task: Task | None = None,
    ) -> Results:
        """Return the best `k` of results, the first `depth` of the search reordered; publishes its first rows.

        Nothing is searched again, and results that were reranked before start from the order of the search.
        """
        by_search = sorted(results.hits, key=lambda hit: hit.found_rank)
        results = replace(results, hits=tuple(by_search), reranked=0)
        return self._with_first_snippets(_reranked(results, k, depth, reranker, seconds, task or Task()))

    def _with_first_snippets(self, results: Results) -> Results:
        shown = self.with_snippets(results.query, results.hits[:SNIPPETS])
        return replace(results, hits=(*shown, *results.hits[SNIPPETS:]))

    def with_snippets(self, query: Query, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return hits of a query with their snippets; those that have one stay as they are."""
        bare = [hit for hit in hits if not hit.snippet]
        if not bare:
            return tuple(hits)
        readable = not self.languages or reads(self.languages, language(query.semantic_text))
        finder = self._sentence_finder()
        sentences = finder.find(query, [hit.text for hit in bare], by_meaning=readable)
        titles = finder.words_in(query, [hit.title for hit in bare], by_meaning=readable)
        cut = {
            hit.document: replace(
                hit,
                snippet=excerpt.text,
                words=excerpt.words,
                sentence=(hit.start + excerpt.sentence[0], hit.start + excerpt.sentence[1]),
                title_words=title,
            )
            for hit, excerpt, title in zip(bare, sentences, titles, strict=True)
        }
        return tuple(cut.get(hit.document, hit) for hit in hits)

    def _cuttings(self) -> int:
        """Return the bit of the cutting whose passages are searched: that of the model, or that in use."""
        fingerprint = self._encoder.fingerprint if self._encoder is not None else None
        known = [model for model in self.workspace.models() if model.fingerprint == fingerprint]
        return matrices.cuttings_of(self.workspace.connection, known[0] if known else None)

    def _sentence_finder(self) -> SentenceFinder:
        if self._sentences is None:
            static_encoder = ready_static_encoder(self._encoder) if self._encoder is not None else None
            self._sentences = SentenceFinder(static_encoder)
        return self._sentences

    def _final_share(self) -> float:
        total = self._words.passage_count()
        try:
            return min(1.0, len(self.matrix().passages) / total) if total else 0.0
        except NotEncodedError:
            return 0.0

    def _semantic(self, query: Query, allowed: set[int] | None, task: Task) -> tuple[VectorHits, VectorHits]:
        """Return the nearest passages by the model, and of those it has not encoded yet by the draft."""
        query_vector = self._query_vector(query)
        if query_vector is None:
            return VectorHits([]), VectorHits([])
        search: VectorSearch | None = None
        with suppress(NotEncodedError):  # but damaged vectors are said, and not answered by the draft in their place
            search = self.vector_search()
        near = (
            VectorHits([]) if search is None else search.nearest(query_vector, CANDIDATES, allowed=allowed, task=task)
        )
        if search is not None and len(search.matrix.passages) >= self._words.passage_count():
            return near, VectorHits([])
        drafts, asked = self._drafts.get(), self._draft_query_vector(query)
        if drafts is None or asked is None:
            return near, VectorHits([])
        real = search.matrix if search is not None else None
        return near, drafts.nearest(query_vector, asked, CANDIDATES, real, allowed=allowed, task=task)

    def _draft_query_vector(self, query: Query) -> NDArray[np.float32] | None:
        static_encoder = self._sentence_finder().static_encoder
        if static_encoder is None or not query.semantic_parts:
            return None
        vectors = static_encoder.encode([part.text for part in query.semantic_parts]).whole()
        return unit(sum(vector * part.weight for vector, part in zip(vectors, query.semantic_parts, strict=True)))

    def _only_read(self, query: Query, allowed: set[int] | None, k: int, before: Sequence[Hit]) -> list[Hit]:
        """Return documents that are read but not split yet, by their words; below the hits that are known better."""
        wanted = [term.removesuffix("다") if len(term) > 2 else term for term in terms(query.semantic_text)]
        matches = _by_words(documents.not_split(self.workspace.connection), wanted, allowed)[:k] if wanted else []
        names = documents.names(self.workspace.connection, [document for _, document, _ in matches])
        most = min(1.0, before[-1].score) if before else 1.0
        hits = []
        for rank, (score, document, text) in enumerate(matches, len(before) + 1):
            name, share = names[document], score / matches[0][0]
            start, stop = _densest(text, wanted)
            hits.append(
                Hit(
                    rank,
                    document,
                    name.path,
                    name.part,
                    name.title,
                    start,
                    stop,
                    text[start:stop],
                    most * share,
                    None,
                    score,
                    found_rank=rank,
                    draft=True,
                )
            )
        return hits

    def _query_vector(self, query: Query) -> NDArray[np.float32] | None:
        """Return one vector for all that the query says: words and examples, weighted, summed, of length 1."""
        parts: list[tuple[NDArray[np.float32], float]] = []
        if query.semantic_parts:
            vectors = self.encoder.encode([part.text for part in query.semantic_parts], role="query").whole()
            parts += [(unit(vector), part.weight) for vector, part in zip(vectors, query.semantic_parts, strict=True)]
        if query.likes:
            matrix = self.matrix()
            parts += [
                (matrix.document_vector(find_document(self.workspace, like.name).id), like.weight)
                for like in query.likes
            ]
        return unit(np.sum([vector * weight for vector, weight in parts], axis=0)) if parts else None

    def _keyword(self, query: Query, allowed: set[int] | None) -> list[tuple[int, float]]:
        wanted = list(
            dict.fromkeys(term for part in query.semantic_parts if part.weight > 0 for term in terms(part.text))
        )
        return self._words.best(wanted, CANDIDATES, allowed)

    def _all_of(self, allowed: set[int]) -> list[Fused[int]]:
        """Return the first passage of each document, for a query of filters alone."""
        return [
            Fused(passage, 0.0, None, None, None, None)
            for passage, document in passages.first_of_each_document(self.workspace.connection)
            if document in allowed
        ]

    def _hits(self, fused: Sequence[Fused[int]], k: int, drafts: Collection[int] = ()) -> list[Hit]:
        """Return the best passage of each of the first k documents, copies under the first of them.

        What was removed in the meantime is left out.
        """
        connection = self.workspace.connection
        documents_of = passages.documents_of(connection, [each.id for each in fused])
        digests = documents.digests_of(connection, list(dict.fromkeys(documents_of.values())))
        best: dict[int, Fused[int]] = {}  # by document
        first: dict[bytes, int] = {}  # the document of each text
        copies: dict[int, dict[int, None]] = {}  # by the first document
        for each in fused:
            document = documents_of.get(each.id)
            if document is None or document not in digests:
                continue
            leader = first.get(digests[document])
            if leader is None and len(best) < k:
                first[digests[document]], best[document] = document, each
            elif leader is not None and leader != document:
                copies.setdefault(leader, {})[document] = None
        texts = passages.load(connection, [each.id for each in best.values()])
        names = documents.names(connection, list(best))
        hits: list[Hit] = []
        for document, each in best.items():
            passage, name = texts.get(each.id), names.get(document)
            if passage is None or name is None:
                continue
            rank, span = len(hits) + 1, passage.location
            hits.append(
                Hit(
                    rank,
                    document,
                    name.path,
                    name.part,
                    name.title,
                    span.start,
                    span.end,
                    passage.text,
                    each.score,
                    each.semantic_score,
                    each.keyword_score,
                    found_rank=rank,
                    copies=tuple(copies.get(document, ())),
                    draft=each.id in drafts,
                )
            )
        return hits


def _by_words(
    texts: Iterable[tuple[int, str]], wanted: Sequence[str], allowed: Collection[int] | None
) -> list[tuple[float, int, str]]:
    """Rank bare texts by BM25 over those of them that the time allows to look at: score, document, text.

    k1 is 1.2 as usual; b is 0.3 and not 0.75, since these are whole documents, of which only a passage need answer.
    """
    # Words that begin so, as the terms are stems; Korean and other scripts without such words anywhere.
    patterns = [re.compile(rf"\b{re.escape(term)}" if term.isascii() else re.escape(term)) for term in wanted]
    counted: list[tuple[int, str, list[int]]] = []
    characters = looked_at = 0
    end = time.monotonic() + _READING
    for document, text in texts:
        folded = text.casefold()
        characters, looked_at = characters + len(text), looked_at + 1
        counts = [
            len(pattern.findall(folded)) if term in folded else 0
            for term, pattern in zip(wanted, patterns, strict=True)
        ]
        if any(counts) and (allowed is None or document in allowed):
            counted.append((document, text, counts))
        if time.monotonic() > end:
            break
    mean = characters / max(1, looked_at)
    with_term = [sum(1 for *_, counts in counted if counts[row]) for row in range(len(wanted))]
    rarity = [math.log(1 + (looked_at - with_it + 0.5) / (with_it + 0.5)) for with_it in with_term]
    ranked = [
        (
            sum(
                weight * count * 2.2 / (count + 1.2 * (0.7 + 0.3 * len(text) / mean))
                for weight, count in zip(rarity, counts, strict=True)
            ),
            document,
            text,
        )
        for document, text, counts in counted
    ]
    return sorted(ranked, key=lambda each: (-each[0], each[1]))


def _densest(text: str, wanted: Sequence[str]) -> tuple[int, int]:
    """Return the span of a text in which the most distinct terms are close together."""
    folded = text.casefold()
    matches = sorted(
        (match.start(), term) for term in wanted for match in islice(re.finditer(re.escape(term), folded), _PLACES)
    )
    best = max(
        (at for at, _ in matches),
        key=lambda at: (len({term for start, term in matches if at <= start < at + _AROUND}), -at),
        default=0,
    )
    return max(0, best - _AROUND), min(len(text), best + _AROUND)


def _is_pasted(text: str) -> bool:
    """Return whether a query reads like a sentence: more words outside the quotation marks than a condition needs."""
    return len(re.sub(r'"[^"]*"', " ", text).split()) >= _SENTENCE


def find_document(workspace: Workspace, name: str) -> DocumentEntry:
    """Return the document of a path, a path with its part, or a title.

    Raises:
        WorkspaceError: None or several are called so.
    """
    matches = documents.find(workspace.connection, name)
    if len(matches) != 1:
        what = (
            UserMessage("no document is") if not matches else UserMessage("{count} documents are", count=len(matches))
        )
        raise WorkspaceError(
            "“{name}”: {what} called that. Give the path as “docexplorer documents” lists it.", name=name, what=what
        )
    return workspace.document(matches[0])


def _reranked(
    results: Results, k: int, depth: int, reranker: CrossEncoder, seconds: float | None, task: Task
) -> Results:
    words = " ".join(part.text for part in results.query.semantic_parts if part.weight > 0)
    hits = results.hits
    if not words or not hits:
        return replace(results, hits=hits[:k])
    reread_hits, limited, depth = list(hits), _limited(task, seconds), min(depth, len(hits))
    ends = [FIRST_RERANKED, depth] if depth > FIRST_RERANKED else [depth]
    for start, end in zip([0, *ends], ends, strict=False):
        scores = reranker.score([(words, hit.text) for hit in hits[start:end]], task=limited)
        task.check()
        for index, value in enumerate(scores.relevance(), start):
            if scores.done[index - start]:
                hit, cross = hits[index], float(value)
                before = hit.score if hit.found_score is None else hit.found_score
                reread_hits[index] = replace(hit, cross_score=cross, found_score=before, score=reread(cross, before))
        best = sorted(reread_hits, key=lambda hit: (hit.cross_score is None, -hit.score, hit.found_rank))
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(best[:k], 1))
        results = replace(results, hits=ranked, reranked=sum(hit.cross_score is not None for hit in best))
        if end < depth:
            task.publish(results)
    return results


def _limited(task: Task, seconds: float | None) -> Task:
    """Return a task that reports to another, and is cancelled with it or when its time is over."""
    end = None if seconds is None else time.monotonic() + seconds

    def report(progress: Progress) -> None:
        task.report(progress.done, progress.total, progress.note)
        if end is not None and time.monotonic() >= end:
            inner.cancel()

    inner = Task(report)
    if seconds is not None and seconds <= 0:
        inner.cancel()
    return inner
