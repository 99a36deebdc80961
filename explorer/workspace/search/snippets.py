"""Documents near to others with the lines that show why: the nearest passage, cut to where they share words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.text.stop_words import KOREAN_WEAK_WORDS, WEAK_WORDS
from explorer.analysis.text.tokenize import STOP_TERMS, highlight, stem, terms
from explorer.task import Task
from explorer.workspace.search.similar import Metric, neighbours
from explorer.workspace.storage import passages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

Span = tuple[int, int]
SHOWN = 220  # characters of a snippet
# White space, with the marks of a quoted line of mail after a line break.
_GAP = re.compile(r"\s*\n[\s>|}]*|\s+")
_READ = 4000  # characters of each document given as example whose words count as shared
_WEAK = KOREAN_WEAK_WORDS | {stem(word) for word in WEAK_WORDS if word.isalpha()}


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
    workspace: Workspace, matrix: VectorTable, like: Sequence[int] = (), unlike: Sequence[int] = (), *, words: str = "",
    vector: NDArray[np.float32] | None = None, k: int = 10, metric: Metric = "cosine", task: Task | None = None,
) -> tuple[Similar, ...]:  # fmt: skip
    """The documents nearest to some and to a query, away from others, each with a snippet; nearest first.

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
    found = neighbours(matrix, like, unlike, vector=vector, k=k, metric=metric, task=task)
    query_vector = np.zeros(matrix.model.dimension, np.float32) if vector is None else vector
    for document in like:
        query_vector = query_vector + matrix.document_vector(document)
    examples = terms(" ".join(workspace.text(document)[:_READ] for document in like))
    shared = frozenset([*terms(words), *(term for term in examples if not _says_little(term))]) - STOP_TERMS
    best = [_nearest_passage(matrix, neighbour.document, query_vector) for neighbour in found]
    texts = passages.texts(workspace.connection, best)
    results = []
    for neighbour, text in zip(found, texts, strict=True):
        task.check()
        spans = highlight(text, shared) if shared else []
        results.append(Similar(neighbour.document, neighbour.score, *cut(text, spans)))
    return tuple(results)


def cut(text: str, spans: Sequence[Span], width: int = SHOWN) -> tuple[str, tuple[Span, ...]]:
    """The stretch of a text with the most spans, on one line, and where the spans are in it.

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
    kept, inside = _one_line(text[best : best + width], inside)
    return before + kept + after, tuple((start + len(before), end + len(before)) for start, end in inside)


def _one_line(text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Return a text with single spaces, without the marks of quoted lines, and where the spans are then."""
    shift = np.zeros(len(text) + 1, np.int64)  # by how much each character moves to the left
    for match in _GAP.finditer(text):
        shift[match.end() :] += match.end() - match.start() - 1
    return _GAP.sub(" ", text), [(start - int(shift[start]), end - int(shift[end])) for start, end in spans]


def _says_little(term: str) -> bool:
    """Whether two texts that share it need not be about the same: "two", "00"."""
    return term in _WEAK or (term.isdigit() and len(term) < 4)


def _nearest_passage(matrix: VectorTable, document: int, query_vector: NDArray[np.floating]) -> int:
    """Return the passage of a document that is nearest to a vector, (n,)."""
    first, end = np.searchsorted(matrix.documents, [document, document + 1])
    vectors = matrix.vectors[matrix.rows[first:end]].astype(np.float32)  # (P, n)
    return int(matrix.passages[first + int(np.argmax(vectors @ query_vector.astype(np.float32)))])
