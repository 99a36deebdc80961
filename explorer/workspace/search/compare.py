"""Compare two documents: matching passages, the words that make them similar, and what is only in one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.text.diff import Difference, Run, common_runs, differences
from explorer.analysis.topics.keywords import Contrast, contrast
from explorer.analysis.topics.passage_alignment import align, disagree, match_level
from explorer.errors import WorkspaceError
from explorer.task import Task
from explorer.workspace.storage import passages
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.analysis.topics.topic_words import TermCounts
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.explain import Contributions
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

EXPLAINED = 3  # pairs whose words are explained at once; the rest when asked for
RERANKED = 100  # pairs that the cross-encoder scores
_BACKGROUND = 400  # passages of other documents that tell what is usual


@dataclass(frozen=True)
class Stretch:
    """A passage of one of the documents.

    Attributes:
        start: Where it begins in its document.
        end: Where it ends.
        text: The passage.
        best: The nearest passage of the other document, by its place there.
        score: Their cosine.
        matched: Whether that is near enough to count; else this part is in one document only.
    """

    start: int
    end: int
    text: str
    best: int
    score: float
    matched: bool


@dataclass(frozen=True)
class ComparedText:
    """One of the documents: itself, its passages in order, and the share of their characters that is matched."""

    entry: DocumentEntry
    passages: tuple[Stretch, ...]
    matched: float


@dataclass(frozen=True)
class Aligned:
    """Two passages, one of them the nearest to the other.

    Attributes:
        first: The passage's place in the first document.
        second: The other's in the second.
        score: Their cosine.
        mutual: Whether each is the nearest to the other.
        matched: Whether they are near enough to count.
        cross_score: The cross-encoder's score, 0..1; None where it was not asked.
        disagree: Whether the two models say different things of the pair, see `explain.disagree`.
        why: What their words add to the cosine; None but for the nearest pairs.
        differences: What was changed between them; None but for the same pairs.
    """

    first: int
    second: int
    score: float
    mutual: bool
    matched: bool
    cross_score: float | None = None
    disagree: bool | None = None
    why: Contributions | None = None
    differences: tuple[Difference, ...] | None = None


@dataclass(frozen=True)
class Comparison:
    """What two documents have in common, and what not.

    Attributes:
        first: The first document.
        second: The second.
        cosine: Of the whole documents.
        level: The cosine from which passages count as matched, see `explain.match_level`.
        pairs: The best match of each passage, both ways, nearest first.
        runs: What is in both word for word.
        words: The key words they share, and those of only one.
    """

    first: ComparedText
    second: ComparedText
    cosine: float
    level: float
    pairs: tuple[Aligned, ...]
    runs: tuple[Run, ...]
    words: Contrast


def compare(
    workspace: Workspace,
    matrix: VectorTable,
    first: int,
    second: int,
    *,
    encoder: BiEncoder | None = None,
    reranker: CrossEncoder | None = None,
    explained: int = EXPLAINED,
    counts: TermCounts | None = None,
    task: Task | None = None,
) -> Comparison:
    """Compare two documents side by side.

    Args:
        workspace: The workspace.
        matrix: The vectors of its passages.
        first: Id of a document.
        second: Id of another.
        encoder: The model of the vectors, to explain the nearest pairs by their words; without it they are not.
        reranker: Scores the RERANKED nearest pairs by reading both passages together.
        explained: How many pairs get their words and differences explained; `models.explain` and
            `wording.differences` tell them of any other.
        counts: The words of all documents, so that rare ones come first. They take seconds to make, so that only
            who has them anyway gives them.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: One of the documents is gone, has no text, or is not encoded yet.
    """
    task = task or Task()
    ours, theirs = (_Passages.load(workspace, matrix, document_id) for document_id in (first, second))
    alignment = align(ours.vectors, theirs.vectors, task=task)
    level = _level(matrix, first, second, max(len(ours.texts), len(theirs.texts)))
    pairs = [
        Aligned(pair.first, pair.second, pair.score, pair.mutual, pair.score >= level) for pair in alignment.pairs()
    ]
    pairs = _explained(pairs, ours, theirs, encoder, explained, task)
    if reranker is not None:
        pairs = _scored(pairs, ours, theirs, reranker, level, task)
    text, other = workspace.text(first), workspace.text(second)
    task.check()
    return Comparison(
        _side(ours, alignment.first, alignment.first_scores, level),
        _side(theirs, alignment.second, alignment.second_scores, level),
        float(np.clip(matrix.document_vector(first) @ matrix.document_vector(second), -1, 1)),
        level,
        tuple(pairs),
        common_runs(text, other),
        contrast(text, other, corpus=counts),
    )


@dataclass(frozen=True, eq=False)
class _Passages:
    """The encoded passages of a document, with their vectors, (P, n)."""

    entry: DocumentEntry
    spans: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    vectors: NDArray[np.float32]

    @classmethod
    def load(cls, workspace: Workspace, matrix: VectorTable, document_id: int) -> _Passages:
        entry, text = workspace.document(document_id), workspace.text(document_id)
        if not text.strip():
            raise WorkspaceError("{file}: this document has no text to compare. Choose another.", file=entry.path)
        start, end = np.searchsorted(matrix.documents, [document_id, document_id + 1])
        stored = passages.load(workspace.connection, matrix.passages[start:end].tolist())
        known = {passage: (each.location.start, each.location.end) for passage, each in stored.items()}
        here = [row for row in range(start, end) if int(matrix.passages[row]) in known]
        if not here:
            raise WorkspaceError(
                "{file}: this document is not encoded yet. Wait for the update to finish.", file=entry.path
            )
        spans = tuple(known[int(matrix.passages[row])] for row in here)
        texts = tuple(text[begin:stop] for begin, stop in spans)
        return cls(entry, spans, texts, unit(matrix.vectors[matrix.rows[here]]))


def _level(matrix: VectorTable, first: int, second: int, candidates: int) -> float:
    """Return the match level by passages from all over the folder, without those of the two documents."""
    others = np.flatnonzero((matrix.documents != first) & (matrix.documents != second))
    if len(others) > _BACKGROUND:
        others = others[np.linspace(0, len(others) - 1, _BACKGROUND).astype(np.int64)]
    return match_level(unit(matrix.vectors[matrix.rows[others]]), matrix.documents[others], candidates)


def _explained(
    pairs: list[Aligned], ours: _Passages, theirs: _Passages, encoder: BiEncoder | None, count: int, task: Task
) -> list[Aligned]:
    """Return the pairs, the first of them with what their words add and what was changed."""
    texts = [(ours.texts[pair.first], theirs.texts[pair.second]) for pair in pairs[:count]]
    explained = [replace(pair, differences=differences(*both)) for pair, both in zip(pairs, texts, strict=False)]
    if encoder is not None and texts:
        from explorer.models.explain import explain_pairs

        reasons = explain_pairs(encoder, texts, task=task)
        explained = [replace(pair, why=why) for pair, why in zip(explained, reasons, strict=True)]
    return [*explained, *pairs[count:]]


def _scored(
    pairs: list[Aligned], ours: _Passages, theirs: _Passages, reranker: CrossEncoder, level: float, task: Task
) -> list[Aligned]:
    best, rest = pairs[:RERANKED], pairs[RERANKED:]
    scores = reranker.score([(ours.texts[pair.first], theirs.texts[pair.second]) for pair in best], task=task)
    task.check()
    relevance = scores.relevance()
    apart = disagree(np.array([pair.score for pair in best]), relevance, level)
    scored = [
        replace(pair, cross_score=float(score), disagree=bool(differ))
        for pair, score, differ in zip(best, relevance, apart, strict=True)
    ]
    return [*scored, *rest]


def _side(passages: _Passages, best: NDArray[np.int64], scores: NDArray[np.float32], level: float) -> ComparedText:
    parts = tuple(
        Stretch(start, end, text, int(there), float(score), bool(score >= level))
        for (start, end), text, there, score in zip(passages.spans, passages.texts, best, scores, strict=True)
    )
    sizes = [part.end - part.start for part in parts]
    matched = sum(size for part, size in zip(parts, sizes, strict=True) if part.matched)
    return ComparedText(passages.entry, parts, matched / max(1, sum(sizes)))
