"""Documents near to others with the lines that show why: the nearest passage, cut to where they share words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from explorer.analysis.search.query import Query, phrase_spans
from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS, KOREAN_WEAK_WORDS, WEAK_WORDS
from explorer.analysis.text.tokenize import STOP_TERMS, highlight, highlight_all, merge_spans, stem, terms
from explorer.corpus.passages.boundaries import sentences_of
from explorer.task import Task
from explorer.workspace.search.similar import Metric, neighbours
from explorer.workspace.storage import passages
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.static_encoder import StaticEncoder
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace


WIDTH = 200  # characters of a snippet
# Cosines of the draft's words: car and automobile 0.81, price and cost 0.67, cat and dog 0.49, money and bank 0.28.
_NEAR = 0.5
_NEAR_QUERY = 0.3  # of a word to the whole query, where no word is near to one of its words
_MOST_NEAR = 5  # words of a snippet that are marked for their meaning alone
_LEXICAL = 0.5  # what all words of the query are worth beside their meaning
_REMEMBERED = 50_000  # words whose vectors are kept, 50 MB
_LONGEST = 12_000  # characters of a passage that are looked at
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
Span = tuple[int, int]
SHOWN = 220  # characters of a snippet
# White space, with the marks of a quoted line of mail after a line break.
_GAP = re.compile(r"\s*\n[\s>|}]*|\s+")
_READ = 4000  # characters of each document given as example whose words count as shared
_WEAK = KOREAN_WEAK_WORDS | {stem(word) for word in WEAK_WORDS if word.isalpha()}


@dataclass(frozen=True)
class Excerpt:
    """The best sentence of a passage.

    Attributes:
        sentence: Where in the passage it is.
        text: About WIDTH characters of the passage from there on, on one line.
        words: Where in that line the words are that match.
    """

    sentence: Span
    text: str
    words: tuple[Span, ...]


class SentenceFinder:
    """Finds the sentences of hits; remembers the vectors of words, so that the next key press costs little.

    Attributes:
        static_encoder: That of the model; without it only equal words count.
    """

    def __init__(self, static_encoder: StaticEncoder | None = None) -> None:
        self.static_encoder = static_encoder
        self._rows: dict[str, int] = {}
        self._vectors = np.zeros((0, static_encoder.dimension if static_encoder else 0), np.float32)

    def find(self, query: Query, texts: Sequence[str], *, by_meaning: bool = True) -> list[Excerpt]:
        """Find the best sentence of each passage.

        Args:
            query: The query.
            texts: The passages.
            by_meaning: Whether the model reads the language of the query.
        """
        asked = query.semantic_text
        wanted = terms(asked) if asked else []
        read = [_read(text[:_LONGEST]) for text in texts]
        aims = list(dict.fromkeys(_words(asked)[1])) if by_meaning and self.static_encoder else []
        cosines, weights = self._compare(aims, [passage.words for passage in read])
        sentences, stretches, marks = [], [], []
        for passage, near in zip(read, cosines, strict=True):
            exact = [span for part in query.required for span in phrase_spans(passage.text, part.text)]
            best = _best_sentence(passage, wanted, exact, near[:, :-1], weights)
            start, end = _stretch(passage, best)
            sentences.append(passage.sentences[best])
            stretches.append((start, end))
            inside = [row for row, (a, b) in enumerate(passage.spans) if start <= a and b <= end] if aims else []
            marks.append([*exact, *(passage.spans[row] for row in _near_words(near, inside))])
        highlights = highlight_all([passage.text[a:b] for passage, (a, b) in zip(read, stretches, strict=True)], wanted)
        return [
            Excerpt(sentence, *_line(passage.text, (at, end), [*near, *((a + at, b + at) for a, b in same)]))
            for sentence, passage, (at, end), near, same in zip(
                sentences, read, stretches, marks, highlights, strict=True
            )
        ]

    def words_in(self, query: Query, texts: Sequence[str], *, by_meaning: bool = True) -> list[tuple[Span, ...]]:
        """Return where the words are that match in short texts such as titles; the arguments are those of `find`."""
        asked = query.semantic_text
        aims = list(dict.fromkeys(_words(asked)[1])) if by_meaning and self.static_encoder else []
        read = [_words(text) for text in texts]
        cosines, _ = self._compare(aims, [words for _, words in read])
        same = highlight_all(texts, terms(asked) if asked else [])
        marks = []
        for text, (spans, _), near, equal in zip(texts, read, cosines, same, strict=True):
            exact = [span for part in query.required for span in phrase_spans(text, part.text)]
            meant = [spans[row] for row in _near_words(near, range(len(spans)) if aims else ())]
            marks.append(tuple(merge_spans(sorted({*exact, *meant, *equal}))))
        return marks

    def _compare(
        self, aims: Sequence[str], words: Sequence[Sequence[str]]
    ) -> tuple[list[NDArray[np.float32]], NDArray[np.float32]]:
        """Compare the words of passages with those of a query.

        Returns:
            For each passage the cosines of its words with each word of the query and, last, with all of it,
            (W, q + 1); and the share of the query that each of its words has, (q,): rare ones have more.
        """
        if not aims:
            return [np.zeros((len(said), 1), np.float32) for said in words], np.zeros(0, np.float32)
        everything = list(chain.from_iterable(words))
        distinct = {word: row for row, word in enumerate(dict.fromkeys(everything))}
        vectors = self._word_vectors([*aims, *distinct])
        asked, there = vectors[: len(aims)], vectors[len(aims) :]
        weights = np.linalg.norm(asked, axis=1)
        cosines = unit(there) @ unit(np.concatenate([asked, asked.sum(axis=0, keepdims=True)])).T
        rows = np.array([distinct[word] for word in everything], np.int64)
        ends = np.cumsum([len(said) for said in words])[:-1]
        return np.split(cosines[rows], ends), weights / max(float(weights.sum()), 1e-12)

    def _word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the draft's vectors of words, weighted by how rare they are, (W, n)."""
        if len(self._rows) > _REMEMBERED:
            self._rows, self._vectors = {}, self._vectors[:0]
        fresh = [word for word in dict.fromkeys(words) if word not in self._rows]
        if fresh:
            self._rows.update({word: len(self._vectors) + row for row, word in enumerate(fresh)})
            sums = self.static_encoder.sums(fresh) if self.static_encoder else np.zeros((len(fresh), 0), np.float32)
            self._vectors = np.concatenate([self._vectors, sums])
        return self._vectors[[self._rows[word] for word in words]]


class _Passage(NamedTuple):
    text: str
    folded: str
    sentences: list[Span]
    spans: list[Span]  # of its words
    words: list[str]


@lru_cache(maxsize=1024)
def _read(text: str) -> _Passage:
    """Find the sentences and the words of a passage; remembered, as the next key press finds most passages again."""
    sentences = [(piece.start, piece.end) for piece in sentences_of(text)] or [(0, len(text))]
    return _Passage(text, text.lower(), sentences, *_words(text))


def _words(text: str) -> tuple[list[Span], list[str]]:
    """Return the positions of the meaningful words of a text, and the words in lower case."""
    words = [(match.span(), match[0].lower()) for match in _WORD.finditer(text)]
    content_words = [item for item in words if item[1] not in ENGLISH_STOP_WORDS]
    return [span for span, _ in content_words], [word for _, word in content_words]


def _best_sentence(
    passage: _Passage,
    wanted: Sequence[str],
    exact: Sequence[Span],
    cosines: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> int:
    """Return the sentence that best matches the query: exact words, words, and words near in meaning."""
    if len(passage.sentences) == 1:
        return 0
    starts = [start for start, _ in passage.sentences]
    scores = np.zeros(len(starts))
    if wanted:
        # A verb of Korean is a term with its dictionary ending.
        stems = [term[:-1] if len(term) > 2 and term.endswith("다") else term for term in wanted]
        said = [sum(stem in passage.folded[a:b] for stem in stems) for a, b in passage.sentences]
        scores += np.array(said) * (_LEXICAL / len(stems))
    for start, _ in exact:
        scores[max(0, bisect_right(starts, start) - 1)] += 1.0
    if cosines.size:
        # Each word of the query counts as its nearest word in the sentence, as in ColBERT's MaxSim.
        owner = np.searchsorted(starts, [start for start, _ in passage.spans], side="right") - 1
        firsts = np.flatnonzero(np.diff(owner, prepend=-1))
        scores[owner[firsts]] += np.maximum(np.maximum.reduceat(cosines, firsts, axis=0), 0.0) @ weights
    return int(np.argmax(scores))


def _stretch(passage: _Passage, best: int) -> Span:
    """Return the part of a passage to show: the sentence, what follows it, and what precedes it while there is room."""
    start, end = passage.sentences[best]
    end = max(end, min(len(passage.text), start + WIDTH))
    while best > 0 and end - passage.sentences[best - 1][0] <= WIDTH:
        best -= 1
    return passage.sentences[best][0], end


def _near_words(cosines: NDArray[np.float32], inside: Sequence[int]) -> list[int]:
    """Return the words, of those inside the snippet, that are near to the query in meaning."""
    if not inside or cosines.shape[1] < 2:
        return []
    near = cosines[inside, :-1].max(axis=1)
    if near.max() < _NEAR:
        near = cosines[inside, -1] + (_NEAR - _NEAR_QUERY)
    order = np.argsort(-near, kind="stable")[:_MOST_NEAR]
    return [inside[row] for row in order if near[row] >= _NEAR]


def _line(text: str, stretch: Span, marks: Iterable[Span]) -> tuple[str, tuple[Span, ...]]:
    """Return a stretch of a text on one line, and where the marks are in it."""
    start, end = stretch
    inside = merge_spans(sorted({(a - start, b - start) for a, b in marks if start <= a and b <= end}))
    shown, words = cut(text[start:end], inside, WIDTH)
    if end < len(text) and not shown.endswith("…"):
        space = shown.rfind(" ", WIDTH * 3 // 4)
        keep = len(shown) if space < 0 or any(b > space for _, b in words) else space
        shown = shown[:keep] + "…"
    if start > 0 and not shown.startswith("…"):
        shown, words = "…" + shown, tuple((a + 1, b + 1) for a, b in words)
    return shown, words


@dataclass(frozen=True)
class Similar:
    """A document near to what was asked for.

    Attributes:
        document: Its number.
        score: A cosine, or a Euclidean distance.
        text: The part of its nearest passage that shares the most words, on one line.
        words: Where in it the shared words are.
    """

    document: int
    score: float
    text: str
    words: tuple[Span, ...]


def similar(
    workspace: Workspace,
    matrix: VectorTable,
    like: Sequence[int] = (),
    unlike: Sequence[int] = (),
    *,
    words: str = "",
    vector: NDArray[np.float32] | None = None,
    k: int = 10,
    metric: Metric = "cosine",
    task: Task | None = None,
) -> tuple[Similar, ...]:
    """Return the documents nearest to some and to a query, away from others, each with a snippet; nearest first.

    Args:
        workspace: The workspace.
        matrix: The vectors of its passages.
        like: Documents to be near to.
        unlike: Documents to be far from.
        words: The query; what it shares with the documents is marked.
        vector: The query's vector, (n,).
        k: How many.
        metric: "cosine" or "euclidean".
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: One of the documents is not encoded.
    """
    task = task or Task()
    near = neighbours(matrix, like, unlike, vector=vector, k=k, metric=metric, task=task)
    query_vector = np.zeros(matrix.model.dimension, np.float32) if vector is None else vector
    for document in like:
        query_vector = query_vector + matrix.document_vector(document)
    examples = terms(" ".join(workspace.text(document)[:_READ] for document in like))
    shared = frozenset([*terms(words), *(term for term in examples if not _says_little(term))]) - STOP_TERMS
    best = [_nearest_passage(matrix, neighbour.document, query_vector) for neighbour in near]
    texts = passages.texts(workspace.connection, best)
    results = []
    for neighbour, text in zip(near, texts, strict=True):
        task.check()
        spans = highlight(text, shared) if shared else []
        results.append(Similar(neighbour.document, neighbour.score, *cut(text, spans)))
    return tuple(results)


def cut(text: str, spans: Sequence[Span], width: int = SHOWN) -> tuple[str, tuple[Span, ...]]:
    """Return the stretch of a text with the most spans, on one line, and where the spans are in it.

    Example:
        >>> cut("one two three four", [(14, 18)], 9)
        ('…four', ((1, 5),))
    """
    starts = [0, *(max(0, min(start - width // 6, len(text) - width)) for start, _ in spans)]
    best = max(starts, key=lambda at: (sum(at <= start and end <= at + width for start, end in spans), -at))
    if best:
        space = text.find(" ", best, best + 20)
        best = best if space < 0 or any(start <= space for start, _ in spans if start >= best) else space + 1
    before, after = "…" if best else "", "…" if best + width < len(text) else ""
    inside = [(start - best, end - best) for start, end in spans if best <= start and end <= best + width]
    line, inside = _one_line(text[best : best + width], inside)
    return before + line + after, tuple((start + len(before), end + len(before)) for start, end in inside)


def _one_line(text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Return a text with single spaces, without the marks of quoted lines, and where the spans are then."""
    shift = np.zeros(len(text) + 1, np.int64)  # by how much each character moves to the left
    for match in _GAP.finditer(text):
        shift[match.end() :] += match.end() - match.start() - 1
    return _GAP.sub(" ", text), [(start - int(shift[start]), end - int(shift[end])) for start, end in spans]


def _says_little(term: str) -> bool:
    """Return whether two texts that share it need not be about the same: "two", "00"."""
    return term in _WEAK or (term.isdigit() and len(term) < 4)


def _nearest_passage(matrix: VectorTable, document: int, query_vector: NDArray[np.floating]) -> int:
    """Return the passage of a document that is nearest to a vector, (n,)."""
    first, end = np.searchsorted(matrix.documents, [document, document + 1])
    vectors = matrix.vectors[matrix.rows[first:end]].astype(np.float32)  # (P, n)
    return int(matrix.passages[first + int(np.argmax(vectors @ query_vector.astype(np.float32)))])
