"""Exact nearest neighbours by cosine, of queries and of every row.

Fast float32 (or int8) scores choose candidates within a proven error; float64 scores of the stored numbers decide
among them. Many queries are multiplied block by block; a few are scanned, so that the memory is read only once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.analysis.vectors.blocks import (
    BLOCK,
    LONGEST,
    SHORTEST,
    Matrix,
    Rows,
    block_of,
    blocks,
    lengths_of,
    map_threads,
    unit_vectors,
    widen,
)
from explorer.task import Task

EXACT_LIMIT = 200_000  # rows; above, comparing every row with every other takes minutes
STRIP = 1024  # queries multiplied at once
CANDIDATE_ROOM = 500_000  # candidates held before they are thinned
_FEW = 4  # queries that are scanned; more are multiplied as a matrix
_STRIP_RESULTS = 250_000  # results of one strip, so that k = 1,000 does not take 1,024 queries at once
_SCAN_BLOCK = 8 * BLOCK  # rows scanned at once by a thread
_PAIRS = 512  # pairs scored in float64 at once by a thread
_GROUPS = 256  # groups of columns in a block, whose maxima give a lower bound of the k-th best

_Scorer = Callable[[Rows, Rows], NDArray[np.float64]]  # (P,) queries, (P,) rows -> (P,) cosines
_Report = Callable[[int], None]  # rows of the strip that were compared


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query, nearest first; of equals the smaller row.

    Attributes:
        rows: (Q, k) int64; -1 throughout the line of a row that takes no part.
        scores: (Q, k) float32 cosines.
        exact: Whether these are certainly the nearest.
    """

    rows: Rows
    scores: NDArray[np.float32]
    exact: bool = True


@dataclass(frozen=True)
class PreparedVectors:
    """What is computed once so that every later query reads the memory only once.

    Attributes:
        codes: (N, n) the vectors themselves, or their int8 copy.
        lengths: (N,) float64; 0 for rows that count as the zero vector.
        steps: (N,) float32, what one unit of an int8 code is worth in the unit vector; None without a copy.
        errors: (N,) float32, bound on the distance of the unit vector from its code; None without a copy.
    """

    codes: NDArray[Any]
    lengths: NDArray[np.float64]
    steps: NDArray[np.float32] | None = None
    errors: NDArray[np.float32] | None = None


def choose(count: int) -> Literal["exact", "approximate"]:
    """Return which search suits `count` rows."""
    return "exact" if count <= EXACT_LIMIT else "approximate"


def prepare(vectors: Matrix, *, compact: bool = False, task: Task | None = None) -> PreparedVectors:
    """Measure the rows and, if asked, copy them to int8.

    Args:
        vectors: (N, n), perhaps memory-mapped.
        compact: Whether to make the copy. It has half the bytes of float16 and is scanned in less time; results
            stay exact, because what the copy cannot decide is read from the vectors.
        task: Progress and cancellation.

    Returns:
        What `nearest` takes as `prepared`, valid while the vectors do not change.
    """
    task = task or Task()
    count = len(vectors)
    lengths = np.zeros(count)
    codes = np.zeros(vectors.shape, np.int8) if compact else None
    steps, errors = (np.zeros(count, np.float32), np.zeros(count, np.float32)) if compact else (None, None)

    def measure(part: slice) -> int:
        block = block_of(vectors, part)
        if codes is None or steps is None or errors is None:
            lengths[part] = lengths_of(block)
        else:
            unit, lengths[part] = unit_vectors(block)
            codes[part], steps[part], errors[part] = quantize(unit)
        return len(block)

    done = 0
    for rows in map_threads(measure, blocks(count, BLOCK // 4)):
        done += rows
        task.report(done, count, "preparing the search")
    return PreparedVectors(vectors if codes is None else codes, lengths, steps, errors)


def nearest(
    vectors: Matrix,
    queries: Matrix,
    k: int,
    *,
    rows: ArrayLike | None = None,
    prepared: PreparedVectors | None = None,
    task: Task | None = None,
) -> Neighbours:
    """Find the k rows nearest to each query, exactly.

    Args:
        vectors: (N, n) float16, float32 or float64, perhaps memory-mapped; never copied whole.
        queries: (Q, n) or (n,).
        k: How many; fewer are returned where there are fewer rows.
        rows: Search only these; all if absent.
        prepared: From `prepare(vectors)`; saves measuring the rows at each call.
        task: Progress and cancellation.

    Returns:
        Rows and scores (Q, min(k, rows searched)).

    Raises:
        Cancelled: The task was cancelled.
    """
    queries = np.atleast_2d(queries)
    columns = None if rows is None else np.unique(np.asarray(rows, np.int64))
    k = max(0, min(k, len(vectors) if columns is None else len(columns)))
    search = ExactSearch(vectors, columns, k, prepared)
    return Neighbours(*search.search(queries, np.arange(len(queries)), task or Task()))


def all_pairs(
    vectors: Matrix, k: int, *, rows: ArrayLike | None = None, task: Task | None = None
) -> Neighbours:
    """Find the k rows nearest to every row, itself excluded, exactly.

    Args:
        vectors: (N, n).
        k: How many; at most one fewer than the rows that take part.
        rows: The rows that take part; all if absent.
        task: Progress and cancellation.

    Returns:
        Rows and scores (N, k); lines of rows that take no part hold -1 and 0.

    Raises:
        Cancelled: The task was cancelled.
    """
    live = np.arange(len(vectors)) if rows is None else np.unique(np.asarray(rows, np.int64))
    k = max(0, min(k, len(live) - 1))
    columns = without_crowds(vectors, live, k) if k else live
    search = ExactSearch(vectors, columns, k, exclude_self=True)
    all_rows, all_scores = np.full((len(vectors), k), -1, np.int64), np.zeros((len(vectors), k), np.float32)
    all_rows[live], all_scores[live] = search.search(vectors, live, task or Task())
    return Neighbours(all_rows, all_scores)


def without_crowds(vectors: Matrix, rows: Rows, k: int) -> Rows:
    """Leave out rows with more than k identical ones before them: those always come first.

    Without this a thousand copies of one page would each have to be told apart from all the others.
    """
    copies: dict[bytes, int] = {}
    stay = np.zeros(len(rows), bool)
    for part in blocks(len(rows)):
        block = block_of(vectors, rows[part])
        for index, (row, length) in enumerate(zip(block, lengths_of(block), strict=True), part.start):
            key = blake2b(row.tobytes(), digest_size=16).digest() if length else b""
            copies[key] = copies.get(key, 0) + 1
            stay[index] = copies[key] <= k + 1
    return rows[stay]


class ExactSearch:
    """A search for the k nearest among given rows.

    Attributes:
        columns: (C,) the rows that are searched, ascending.
    """

    def __init__(
        self,
        vectors: Matrix,
        columns: Rows | None,
        k: int,
        prepared: PreparedVectors | None = None,
        *,
        exclude_self: bool = False,
    ) -> None:
        """Set up the search.

        Args:
            vectors: (N, n).
            columns: The rows to search, ascending; all if None.
            k: How many to find; there must be as many.
            prepared: Saves measuring the rows for a few queries.
            exclude_self: Whether query i is row `lines[i]` itself, which is then not a result.
        """
        self._vectors, self._k, self._prepared, self._exclude_self = vectors, k, prepared, exclude_self
        self._whole = columns is None
        self.columns: Rows = np.arange(len(vectors)) if columns is None else columns

    def search(self, queries: Matrix, lines: Rows, task: Task) -> tuple[Rows, NDArray[np.float32]]:
        """Find the nearest of `queries[lines]` (Q, n): rows (Q, k) and cosines (Q, k)."""
        rows, scores = np.zeros((len(lines), self._k), np.int64), np.zeros((len(lines), self._k))
        strips = blocks(len(lines), max(1, min(STRIP, _STRIP_RESULTS // self._k))) if self._k else []
        total = len(self.columns) * len(strips)
        for index, strip in enumerate(strips):
            before = index * len(self.columns)

            def report(done: int, before: int = before) -> None:
                task.report(before + done, total, "comparing")

            rows[strip], scores[strip] = self._search_strip(
                block_of(queries, lines[strip]), lines[strip], report
            )
        return rows, scores.astype(np.float32)

    def _search_strip(
        self, queries: Matrix, lines: Rows, report: _Report
    ) -> tuple[Rows, NDArray[np.float64]]:
        unit, lengths = unit_vectors(queries)
        rows, scores = self._first_rows(lines), np.zeros((len(lines), self._k))
        # To the zero vector every cosine is 0, so the first rows are its nearest.
        asked = np.flatnonzero(lengths > 0)
        if not len(asked):
            return rows, scores

        def score(query: Rows, row: Rows) -> NDArray[np.float64]:
            return cosines_of_pairs(queries, asked[query], self._vectors, row)

        candidates = _Candidates(len(asked), self._k, score)
        compare = self._scan if len(asked) <= _FEW else self._multiply
        compare(unit[asked], lines[asked], candidates, report)
        if len(asked) <= _FEW and self._prepared and self._prepared.steps is not None:
            # What the int8 copy leaves open is narrowed down with the vectors before it is scored in float64.
            rest, candidates = candidates.rows(), _Candidates(len(asked), self._k, score)
            plain = PreparedVectors(self._vectors, self._prepared.lengths)
            narrowed = ExactSearch(self._vectors, rest, self._k, plain, exclude_self=self._exclude_self)
            narrowed._scan(unit[asked], lines[asked], candidates, lambda _: None)
        rows[asked], scores[asked] = candidates.best()
        return rows, scores

    def _first_rows(self, lines: Rows) -> Rows:
        """Return the first k rows for each line (Q, k), itself excluded."""
        if not self._exclude_self:
            return np.tile(self.columns[: self._k], (len(lines), 1))
        first = np.tile(self.columns[: self._k + 1], (len(lines), 1))
        itself = first == lines[:, None]
        itself[~itself.any(axis=1), -1] = True
        rows: Rows = first[~itself].reshape(-1, self._k)
        return rows

    def _read(self, values: NDArray[Any], part: slice) -> NDArray[Any]:
        return values[part] if self._whole else values[self.columns[part]]

    def _multiply(
        self, unit: NDArray[np.float32], lines: Rows, candidates: _Candidates, report: _Report
    ) -> None:
        """Offer the products of all queries (Q, n) with block after block."""
        error = float32_error(unit.shape[1])
        for part in blocks(len(self.columns)):
            rows = self.columns[part]
            block, _ = unit_vectors(block_of(self._vectors, part if self._whole else rows))
            self._offer(unit @ block.T, error, lines, rows, candidates)
            report(part.stop)

    def _scan(self, unit: NDArray[np.float32], lines: Rows, candidates: _Candidates, report: _Report) -> None:
        """Offer the products of a few queries, the rows read once by all cores."""
        parts = blocks(len(self.columns), _SCAN_BLOCK if self._prepared and self._whole else BLOCK)
        for part, cosines, error in map_threads(lambda part: (part, *self._cosines(unit, part)), parts):
            self._offer(cosines, error, lines, self.columns[part], candidates)
            report(part.stop)

    def _offer(
        self, cosines: NDArray[Any], error: float, lines: Rows, rows: Rows, candidates: _Candidates
    ) -> None:
        """Offer cosines (Q, B) of a block to the candidates, without those of a row with itself."""
        if self._exclude_self:
            column = np.searchsorted(rows, lines)
            here = np.flatnonzero((column < len(rows)) & (rows[np.minimum(column, len(rows) - 1)] == lines))
            cosines[here, column[here]] = -np.inf
        candidates.offer(cosines, error, rows)

    def _cosines(self, unit: NDArray[np.float32], part: slice) -> tuple[NDArray[np.float64], float]:
        """Return cosines (Q, B) of unit queries with some rows, and the bound on their error."""
        known = self._prepared
        block = np.ascontiguousarray(self._read(known.codes if known else np.asarray(self._vectors), part))
        error = float32_error(unit.shape[1])
        codes: NDArray[Any]
        if known is None or known.steps is None or known.errors is None:
            lengths = self._read(known.lengths, part) if known else lengths_of(block)
            scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
            codes, steps = unit.astype(block.dtype), np.ones(len(unit), np.float32)
            lost = unit.astype(np.float64) - codes  # what rounding the queries to the rows' type costs
            error += float(np.sqrt(np.vecdot(lost, lost).max()))
        else:
            codes, steps, losses = quantize(unit)
            scale = self._read(known.steps, part)
            loss = float(losses.max())
            # |q·r - q'·r'| <= |q - q'| |r| + |q'| |r - r'|, with |r| = 1 and |q'| <= 1 + loss
            error += loss + (1 + loss) * float(self._read(known.errors, part).max())
        return _scaled_products(codes, steps, block, scale), error


class _Candidates:
    """The rows that may be among the k nearest of each of Q queries, as approximate scores stream by.

    The k-th best of the maxima of groups is a lower bound of the k-th best of all, and costs one pass and a small
    partition instead of a partition of the whole block.
    """

    def __init__(self, queries: int, k: int, score: _Scorer) -> None:
        self._k, self._score = k, score
        self._room = max(CANDIDATE_ROOM, 2 * queries * k)
        self._floors = np.full((queries, k), -np.inf)  # the k best lower bounds so far, unordered
        self._queries: list[Rows] = []
        self._rows: list[Rows] = []
        self._upper: list[NDArray[np.float64]] = []
        self._held = 0

    def offer(self, near: NDArray[Any], error: float, rows: Rows) -> None:
        """Add the rows of a block that may be among the nearest.

        Args:
            near: (Q, B) approximate cosines; -inf where a row is not a candidate.
            error: Bound on their error.
            rows: (B,) the rows.
        """
        bound = np.float64(error)  # a Python float would leave float32 scores float32, and the bounds inexact
        tops = _block_tops(near, self._k)
        self._floors = _largest(np.concatenate([self._floors, tops - bound], axis=1), self._k)
        floor = self._floors.min(axis=1, keepdims=True)
        # The bar is rounded down to the type of the scores: comparing mixed types would copy the block.
        bar = np.nextafter((floor - bound).astype(near.dtype), np.array(-np.inf, near.dtype))
        flat = np.flatnonzero((near >= bar) & (near > -np.inf) if np.isneginf(bar).any() else near >= bar)
        query, column = np.divmod(flat, near.shape[1])
        self._add(query, rows[column], near[query, column] + bound)

    def rows(self) -> Rows:
        """Return all rows that are candidates of any query, ascending (C,)."""
        self._thin()
        return np.unique(self._rows[0])

    def best(self) -> tuple[Rows, NDArray[np.float64]]:
        """Score the candidates exactly: rows (Q, k) and cosines (Q, k), nearest first, then the smaller row.

        Needs at least k rows offered to each query.
        """
        self._thin()
        _, row, near = self._rank()
        return row.reshape(-1, self._k), near.reshape(-1, self._k)

    def _add(self, query: Rows, rows: Rows, upper: NDArray[np.float64]) -> None:
        self._queries.append(query)
        self._rows.append(rows)
        self._upper.append(upper)
        self._held += len(rows)
        if self._held > self._room:
            self._thin()
        if self._held > self._room:
            # Near copies that no bound tells apart: score them now, and keep the best k of each query.
            query, rows, _ = self._rank()
            self._hold(query, rows, np.full(len(rows), np.inf))

    def _hold(self, query: Rows, rows: Rows, upper: NDArray[np.float64]) -> None:
        self._queries, self._rows, self._upper = [query], [rows], [upper]
        self._held = len(rows)

    def _thin(self) -> None:
        """Drop candidates that the lower bounds have since overtaken."""
        query, rows, upper = (np.concatenate(x) for x in (self._queries, self._rows, self._upper))
        stay = upper >= self._floors.min(axis=1)[query]
        self._hold(query[stay], rows[stay], upper[stay])

    def _rank(self) -> tuple[Rows, Rows, NDArray[np.float64]]:
        """Return the best k of each query by exact cosine: three flat arrays, query after query."""
        query, rows = np.concatenate(self._queries), np.concatenate(self._rows)
        return rank_pairs(query, rows, self._score(query, rows), self._k)


def rank_pairs(
    query: Rows, rows: Rows, near: NDArray[np.float64], k: int
) -> tuple[Rows, Rows, NDArray[np.float64]]:
    """Sort pairs (P,) by query, nearness and row, and keep the first k of each query."""
    order = np.lexsort((rows, -near, query))
    query, rows, near = query[order], rows[order], near[order]
    stay = np.arange(len(query)) - np.searchsorted(query, query) < k
    return query[stay], rows[stay], near[stay]


def cosines_of_pairs(vectors: Matrix, rows: Rows, others: Matrix, other_rows: Rows) -> NDArray[np.float64]:
    """Score pairs in float64: (P,) cosines of `vectors[rows]` with `others[other_rows]`.

    The last digits are rounded off, so that what is equal on paper is equal here.
    """

    def score(part: slice) -> NDArray[np.float64]:
        a, b = _float64_rows(vectors, rows[part]), _float64_rows(others, other_rows[part])
        size = _clear_unfit(a) * _clear_unfit(b)
        cosines: NDArray[np.float64] = np.divide(np.vecdot(a, b), size, out=np.zeros(len(a)), where=size > 0)
        return np.clip(np.round(cosines, 12), -1, 1) + 0.0  # no negative zero

    return np.concatenate([np.zeros(0), *map_threads(score, blocks(len(rows), _PAIRS))])


def float32_error(width: int) -> float:
    """Return a bound on the error of a cosine that was summed in float32 over `width` numbers, with room to spare."""
    return (width + 16) * 2.0**-22


def quantize(
    unit: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Round unit rows (B, n) to int8: the codes (B, n), their steps (B,) and bounds on their errors (B,)."""
    largest = np.abs(unit).max(axis=1, initial=0.0)
    steps = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    codes = np.rint(unit / steps[:, None])
    rest = unit - codes * steps[:, None]
    errors = np.sqrt(np.vecdot(rest, rest)) * np.float32(1 + 1e-4) + np.float32(1e-6)
    return codes.astype(np.int8), steps, errors.astype(np.float32)


def _scaled_products(
    codes: NDArray[Any], steps: NDArray[np.float32], block: NDArray[Any], scale: NDArray[Any]
) -> NDArray[np.float64]:
    """Return products (Q, B) of coded queries (Q, n) with a block (B, n), times steps (Q,) and scale (B,)."""
    import numkong

    out = np.empty((len(codes), len(block)))
    for line, query in enumerate(codes):
        numkong.dot(query, block, out=out[line])
        out[line] *= steps[line]
    out[:, scale == 0] = 0  # rows that are not finite
    out *= scale
    return out


def _clear_unfit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set rows (P, n) that count as zero to zero, in place; return the lengths (P,)."""
    with np.errstate(all="ignore"):
        lengths: NDArray[np.float64] = np.sqrt(np.vecdot(rows, rows))
    unfit = ~((lengths >= SHORTEST) & (lengths <= LONGEST))
    if unfit.any():
        rows[unfit], lengths[unfit] = 0, 0
    return lengths


def _float64_rows(vectors: Matrix, rows: Rows) -> NDArray[np.float64]:
    """Read rows (P,) as float64 (P, n), a copy."""
    return widen(block_of(vectors, rows)).astype(np.float64)


def _block_tops(near: NDArray[Any], k: int) -> NDArray[Any]:
    """Return at least k of the large scores of a block, found cheaply: the maxima of groups of columns."""
    size = near.shape[1] // max(_GROUPS, 16 * k)
    if size < 2:
        return near
    width = near.shape[1] // size
    grouped = near[:, : width * size].reshape(len(near), size, width).max(axis=1)
    return _largest(np.concatenate([grouped, near[:, width * size :]], axis=1), k)


def _largest(values: NDArray[Any], k: int) -> NDArray[Any]:
    """Return the k largest of each line, in no order."""
    return np.partition(values, values.shape[1] - k, axis=1)[:, -k:] if values.shape[1] > k else values
