"""Find documents far from all the others, the farthest first, and say why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.analysis.vectors.exact import Matrix, block_of, blocks, lengths_of
from explorer.analysis.vectors.knn_graph import KnnGraph

Kind = Literal["empty", "far", "few", "group", "unreadable", "language", "short", "long"]
Numbers = NDArray[np.float64]

STANDS_OUT = 2.5  # deviations farther than usual from which a document counts as an outlier

_DEPTH = 5  # the neighbour whose nearness counts, so that a few far from the rest do not hide each other
_LEAST = 5  # documents below which nothing can be called unusual
_GROUP_GAP = 2.0  # how much farther the rest must be than the group for it to be one
_NEAR = 0.85  # share of the usual cosine from which on the nearest document cannot be called far
_GRAIN = 0.05  # cosine below which differences do not count: near-copies are alike, and so are strangers
_ODD_LENGTH = 3.5  # deviations from the usual length
_RARE = 0.01  # share of the documents below which a language is rare
_SPREAD = 1.4826  # from the median of the deviations to a standard deviation


@dataclass(frozen=True)
class Reason:
    """Why a document is an outlier, as numbers; `sentence` puts it in English.

    Attributes:
        kind: "empty": its vector is zero. "far": far from every other document. "few": near to fewer documents than
            most are, though the nearest is no farther than usual. "group": far from the rest together
            with a few that are near it. "unreadable": in a language that the model cannot read. "language": in a
            language hardly any other document is in. "short", "long": of unusual length.
        value: The document's own number: a cosine, a count of documents in its language, a length.
        typical: The usual number to compare it with.
        members: The others of its group.
        language: The code of its language.
    """

    kind: Kind
    value: float = 0.0
    typical: float = 0.0
    members: tuple[int, ...] = ()
    language: str = ""


@dataclass(frozen=True)
class Outlier:
    """A document far from the others.

    Attributes:
        row: Its row.
        score: How many deviations farther from the others than usual; infinite for an empty document.
        reasons: Where it stands first, then what may explain that.
    """

    row: int
    score: float
    reasons: tuple[Reason, ...]


def outliers(
    graph: KnnGraph,
    vectors: Matrix,
    *,
    languages: Sequence[str] | None = None,
    unreadable: Collection[str] = (),
    lengths: ArrayLike | None = None,
    threshold: float = STANDS_OUT,
    limit: int = 100,
) -> list[Outlier]:
    """Find the documents that are far from the others.

    Args:
        graph: The neighbour graph of the documents.
        vectors: (N, n), to tell documents without content.
        languages: A code for each document; empty where unknown.
        unreadable: Codes of languages that the model cannot read.
        lengths: (N,) characters or words of each document.
        threshold: The least score.
        limit: How many at most.

    Returns:
        The farthest first; of equals the smaller row. Among fewer than five documents only empty ones are told.
    """
    some = _some(vectors)
    score = np.where(some, _farness(graph, some), np.inf)
    farthest = np.flatnonzero(score >= threshold)
    farthest = farthest[np.lexsort((farthest, -score[farthest]))][: max(0, limit)]
    explain = _Explanations(graph, some, languages, unreadable, lengths)
    return [Outlier(int(row), float(score[row]), explain.reasons(int(row))) for row in farthest]


def sentence(reason: Reason) -> str:
    """Return the reason in English, as a whole sentence.

    Example:
        >>> sentence(Reason("far", 0.21, 0.68))
        'It is far from every other document: its nearest has a similarity of 0.21, usual is 0.68.'
    """
    value, typical = reason.value, reason.typical
    texts: dict[Kind, str] = {
        "empty": "It holds nothing the model can compare.",
        "far": "It is far from every other document: "
        f"its nearest has a similarity of {value:.2f}, usual is {typical:.2f}.",
        "few": "Hardly any documents are like it: beyond the nearest few the similarity falls "
        f"to {value:.2f}, usual is {typical:.2f}.",
        "group": f"It and {_others(len(reason.members))} near it are far from the rest: "
        f"the next has a similarity of {value:.2f}, usual is {typical:.2f}.",
        "unreadable": f"It is in a language that the model cannot read ({reason.language}).",
        "language": f"Hardly any other document is in its language ({reason.language}): "
        f"{value:.0f} of {typical:.0f} are.",
        "short": f"It is much shorter than the rest: {value:,.0f} against {typical:,.0f}.",
        "long": f"It is much longer than the rest: {value:,.0f} against {typical:,.0f}.",
    }
    return texts[reason.kind]


def _others(count: int) -> str:
    return "one other" if count == 1 else f"{count} others"


def _some(vectors: Matrix) -> NDArray[np.bool_]:
    """Return which rows (N,) are not zero."""
    nonzero = [lengths_of(block_of(vectors, part)) > 0 for part in blocks(len(vectors))]
    return np.concatenate([np.zeros(0, bool), *nonzero])


def _farness(graph: KnnGraph, some: NDArray[np.bool_]) -> Numbers:
    """Return how far each row (N,) is from the others, in deviations.

    Measured to the fifth neighbour on the scale of the whole corpus: with documents of another kind planted among
    titles and news that found them far better than comparing with the neighbours' own distances (as LOF does).
    """
    if some.sum() < _LEAST or not graph.rows.shape[1]:
        return np.zeros(len(some))
    last = np.minimum((graph.rows >= 0).sum(axis=1), _DEPTH) - 1
    cosines = graph.scores[np.arange(len(graph)), np.maximum(last, 0)]
    near = np.where(last >= 0, np.clip(cosines, 0, 1), 0).astype(np.float64)
    return _deviations(-np.log(near + _GRAIN), some)


def _deviations(values: Numbers, some: NDArray[np.bool_]) -> Numbers:
    """Return how far above the median of `some` each value is, in robust deviations; all (N,)."""
    middle = np.median(values[some])
    spread = _SPREAD * np.median(np.abs(values[some] - middle))
    # Where most documents are alike to the last digit, a hair's breadth must not count as far.
    return np.asarray((values - middle) / max(spread, _GRAIN), np.float64)


class _Explanations:
    """The typical values of the corpus, to explain what deviates from them."""

    def __init__(
        self,
        graph: KnnGraph,
        some: NDArray[np.bool_],
        languages: Sequence[str] | None,
        unreadable: Collection[str],
        lengths: ArrayLike | None,
    ) -> None:
        self._graph, self._some = graph, some
        self._languages, self._unreadable = languages or (), unreadable
        self._spoken = Counter(code for code in self._languages if code)
        self._lengths = np.maximum(np.asarray(() if lengths is None else lengths, np.float64), 0)
        self._usual_length = float(np.median(self._lengths)) if self._lengths.size else 0.0
        everything = np.ones(self._lengths.shape, bool)
        self._size = _deviations(np.log1p(self._lengths), everything) if self._lengths.size else self._lengths

    def reasons(self, row: int) -> tuple[Reason, ...]:
        """Return how isolated the row is first, then what may explain it."""
        return (self._isolation(row), *self._language(row), *self._length(row))

    def _isolation(self, row: int) -> Reason:
        if not self._some[row]:
            return Reason("empty")
        there = self._graph.rows[row] >= 0
        cosines, rows = self._graph.scores[row][there].astype(np.float64), self._graph.rows[row][there]
        size = _group(cosines[:_DEPTH])
        usual = self._usual(size)
        if len(cosines) > size and cosines[size] >= _NEAR * usual:  # what counts is the fifth: see _farness
            last = min(len(cosines), _DEPTH) - 1
            return Reason("few", float(cosines[last]), self._usual(last))
        if not size:
            return Reason("far", float(cosines[0]) if len(cosines) else 0.0, usual)
        return Reason("group", float(cosines[size]), usual, tuple(int(other) for other in rows[:size]))

    def _usual(self, rank: int) -> float:
        return float(np.median(self._graph.scores[self._some, min(rank, self._graph.scores.shape[1] - 1)]))

    def _language(self, row: int) -> tuple[Reason, ...]:
        code = self._languages[row] if self._languages else ""
        if not code:
            return ()
        count, total = self._spoken[code], self._spoken.total()
        if code in self._unreadable:
            return (Reason("unreadable", count, total, language=code),)
        if count <= max(1, _RARE * total) and total >= _LEAST:
            return (Reason("language", count, total, language=code),)
        return ()

    def _length(self, row: int) -> tuple[Reason, ...]:
        if not self._lengths.size or abs(self._size[row]) < _ODD_LENGTH:
            return ()
        kind: Kind = "short" if self._size[row] < 0 else "long"
        return (Reason(kind, float(self._lengths[row]), self._usual_length),)


def _group(cosines: Numbers) -> int:
    """Return how many of the neighbours are so much nearer than the next that they and the row are a group."""
    distances = np.maximum(1 - cosines, _GRAIN)
    jumps = distances[1:] / distances[:-1]
    if not jumps.size or jumps.max() < _GROUP_GAP:
        return 0
    return int(jumps.argmax()) + 1
