"""Exact nearest neighbours by cosine, of queries and of every row, and all pairs of rows above a threshold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.task import Task

Matrix = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]

BLOCK = 4096  # rows read at once
LONGEST, SHORTEST = 1e150, 1e-150  # lengths whose squares a float64 still holds
_MAX_THREADS = 8  # each holds a block of its own, so more threads would take more memory than time

_In = TypeVar("_In")
_Out = TypeVar("_Out")
EXACT_LIMIT = 200_000  # rows; above, comparing every row with every other takes minutes
STRIP = 1024  # queries multiplied at once
_FEW = 4  # queries that are scanned, so that the memory is read only once; more are multiplied as a matrix
_STRIP_RESULTS = 250_000  # results of one strip, so that k = 1,000 does not take 1,024 queries at once
_SCAN_BLOCK = 8 * BLOCK  # rows scanned at once by a thread
_PAIRS = 512  # pairs scored in float64 at once by a thread
_SPARE = 16  # candidates beyond 2 k, so that rounding cannot push a true neighbour out
FLOAT32_ERROR = 3e-4  # bound on the error of a cosine summed in float32 over up to 1,200 numbers
_MARGIN = 8e-4  # of the k-th best fast cosine, within which float64 decides; a query rounded to float16 loses 2.5e-4
LIMIT = 500_000
_PAIR_STRIP, _PAIR_BLOCK = 512, 1024  # rows compared at once; small, as every pair may be alike


def blocks(count: int, size: int = BLOCK) -> list[slice]:
    """Cut `count` rows into slices of `size`."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return values ascending, each once.

    numpy 2.4 finds unique integers by hashing, which takes 2.5 s for three million; sorting them takes 0.03 s.
    """
    if not bool((values[1:] > values[:-1]).all()):
        values = np.sort(values)
        values = values[np.concatenate(([True], values[1:] != values[:-1]))]
    return values


def block_of(vectors: Matrix, rows: slice | Rows) -> Matrix:
    """Read some rows as a contiguous (B, n) array of float16, float32 or float64."""
    block = np.ascontiguousarray(np.asarray(vectors)[rows])
    return block if block.dtype in (np.float16, np.float32, np.float64) else block.astype(np.float64)


def lengths_of(block: Matrix) -> NDArray[np.float64]:
    """Return the lengths of the rows of a block, (B,); 0 where a row counts as the zero vector."""
    import numkong

    if not block.size:
        return np.zeros(len(block))
    # WORKAROUND: numpy converts float16 one number at a time; numkong's kernels use the processor's instruction.
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.asarray(numkong.dot(block, block), np.float64))
    return np.where((lengths >= SHORTEST) & (lengths <= LONGEST), lengths, 0.0)


def widen(block: Matrix) -> Matrix:
    """Turn float16 into float32 with the processor's own instruction; return other types as they are."""
    import numkong

    if block.dtype != np.float16 or not block.size:
        return block
    out = np.empty(block.shape, np.float32)
    numkong.astype(block, "float32", out=out)
    return out


def unit_vectors(block: Matrix) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Scale the rows of a block to unit length: (B, n) float32, and the lengths they had, (B,)."""
    lengths = lengths_of(block)
    used = lengths > 0
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=used)
    # Reciprocals of lengths beyond 1e30 are too small for float32, so those blocks are scaled in float64.
    fits = not used.any() or bool(lengths.max() < 1e30 and lengths[used].min() > 1e-30)
    with np.errstate(all="ignore"):  # rows that are not finite give warnings before they are cleared
        unit = widen(block) * scale[:, None].astype(np.float32 if fits else np.float64)
    if not used.all():
        unit[~used] = 0
    return unit.astype(np.float32, copy=False), lengths


def map_threads(work: Callable[[_In], _Out], items: Iterable[_In]) -> Iterator[_Out]:
    """Map in order with one thread per core, a few items ahead; leaving early drops what has not begun."""
    remaining = iter(items)
    first = list(islice(remaining, 2))
    if len(first) < 2:
        yield from map(work, first)
        return
    cores = min(os.cpu_count() or 1, _MAX_THREADS)
    with ThreadPoolExecutor(cores) as pool:
        # Not pool.map: it submits everything at once, and finished blocks would pile up in memory.
        waiting = [pool.submit(work, item) for item in (*first, *islice(remaining, 2 * cores))]
        try:
            while waiting:
                yield waiting.pop(0).result()
                waiting += [pool.submit(work, item) for item in islice(remaining, 1)]
        finally:
            for future in waiting:
                future.cancel()


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query, nearest first; of equals the smaller row.

    Attributes:
        rows: (Q, k) int64; -1 throughout the line of a row that takes no part.
        scores: (Q, k) float32 cosines.
        exact: Whether every row was compared.
    """

    rows: Rows
    scores: NDArray[np.float32]
    exact: bool = True


def choose(count: int) -> Literal["exact", "approximate"]:
    """Return which search suits `count` rows."""
    return "exact" if count <= EXACT_LIMIT else "approximate"


def row_lengths(vectors: Matrix, *, task: Task | None = None) -> NDArray[np.float64]:
    """Measure the rows of vectors (N, n) once, so that each later `nearest` need not: (N,)."""
    task, count = task or Task(), len(vectors)
    lengths = np.zeros(count)
    parts = blocks(count, BLOCK // 4)
    for part, measured in zip(parts, map_threads(lambda part: lengths_of(block_of(vectors, part)), parts), strict=True):
        lengths[part] = measured
        task.report(part.stop, count, "preparing the search")
    return lengths


def nearest(
    vectors: Matrix,
    queries: Matrix,
    k: int,
    *,
    rows: ArrayLike | None = None,
    lengths: NDArray[np.float64] | None = None,
    task: Task | None = None,
) -> Neighbours:
    """Find the k rows nearest to each query by comparing every row.

    Args:
        vectors: (N, n) float16, float32 or float64, perhaps memory-mapped; never copied whole.
        queries: (Q, n) or (n,).
        k: How many; fewer are returned where there are fewer rows.
        rows: Search only these; all if absent.
        lengths: (N,) from `row_lengths(vectors)`; saves measuring the rows at each call.
        task: Progress and cancellation.

    Returns:
        Rows and scores (Q, min(k, rows searched)).
    """
    queries = np.atleast_2d(queries)
    columns = None if rows is None else distinct(np.asarray(rows, np.int64))
    k = max(0, min(k, len(vectors) if columns is None else len(columns)))
    if len(queries) > _FEW and k:
        columns = without_crowds(vectors, np.arange(len(vectors)) if columns is None else columns, k)
    lines = np.arange(len(queries))
    return Neighbours(*search_rows(vectors, columns, queries, lines, k, lengths=lengths, task=task))


def all_pairs(vectors: Matrix, k: int, *, rows: ArrayLike | None = None, task: Task | None = None) -> Neighbours:
    """Find the k rows nearest to every row, itself excluded, by comparing all pairs.

    Args:
        vectors: (N, n).
        k: How many; at most one fewer than the rows that take part.
        rows: The rows that take part; all if absent.
        task: Progress and cancellation.

    Returns:
        Rows and scores (N, k); lines of rows that take no part hold -1 and 0.
    """
    live = np.arange(len(vectors)) if rows is None else distinct(np.asarray(rows, np.int64))
    k = max(0, min(k, len(live) - 1))
    columns = without_crowds(vectors, live, k) if k else live
    all_rows, all_scores = np.full((len(vectors), k), -1, np.int64), np.zeros((len(vectors), k), np.float32)
    all_rows[live], all_scores[live] = search_rows(vectors, columns, vectors, live, k, exclude_self=True, task=task)
    return Neighbours(all_rows, all_scores)


def without_crowds(vectors: Matrix, rows: Rows, k: int) -> Rows:
    """Leave out rows with more than k identical ones before them: those always come first.

    Without this a thousand copies of one page would crowd out all other candidates.
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


def search_rows(
    vectors: Matrix,
    columns: Rows | None,
    queries: Matrix,
    lines: Rows,
    k: int,
    *,
    lengths: NDArray[np.float64] | None = None,
    exclude_self: bool = False,
    task: Task | None = None,
) -> tuple[Rows, NDArray[np.float32]]:
    """Find the k nearest of `queries[lines]` (Q, n) among some rows.

    Args:
        vectors: (N, n).
        columns: The rows to search, ascending; all if None. There must be at least k, itself not counted.
        queries: The matrix the queries are in.
        lines: (Q,) which of its rows are asked.
        k: How many.
        lengths: (N,) of all rows, if known.
        exclude_self: Whether query i is row `lines[i]` of the vectors, which is then not a result.
        task: Progress and cancellation.

    Returns:
        Rows (Q, k) and cosines (Q, k), nearest first.
    """
    task, count = task or Task(), len(vectors) if columns is None else len(columns)
    rows, scores = np.zeros((len(lines), k), np.int64), np.zeros((len(lines), k), np.float32)
    strips = blocks(len(lines), max(1, min(STRIP, _STRIP_RESULTS // k))) if k else []
    for index, strip in enumerate(strips):
        asked = block_of(queries, lines[strip])
        unit, _ = unit_vectors(asked)
        best = _Candidates(len(asked), 2 * k + _SPARE)
        for part, near in _cosines(unit, vectors, columns, lengths):
            here = np.arange(part.start, part.stop) if columns is None else columns[part]
            if exclude_self:
                column = np.searchsorted(here, lines[strip])
                itself = np.flatnonzero(here[np.minimum(column, len(here) - 1)] == lines[strip])
                near[itself, column[itself]] = -np.inf
            best.add(near, here)
            task.report(index * count + part.stop, len(strips) * count, "comparing")
        query, row = best.close_to(k)
        _, row, near = rank_pairs(query, row, cosines_of_pairs(asked, query, vectors, row), k)
        rows[strip], scores[strip] = row.reshape(-1, k), near.reshape(-1, k)
    return rows, scores


def _cosines(
    unit: NDArray[np.float32], vectors: Matrix, columns: Rows | None, lengths: NDArray[np.float64] | None
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield the cosines (Q, B) of unit queries (Q, n) with block after block of the columns."""
    count = len(vectors) if columns is None else len(columns)
    if len(unit) > _FEW:
        for part in blocks(count):
            block, _ = unit_vectors(block_of(vectors, part if columns is None else columns[part]))
            yield part, unit @ block.T
        return

    import numkong

    def scan(part: slice) -> tuple[slice, NDArray[np.float64]]:
        chosen = part if columns is None else columns[part]
        block = np.ascontiguousarray(np.asarray(vectors)[chosen])
        measured = lengths_of(block) if lengths is None else lengths[chosen]
        scale = np.divide(1.0, measured, out=np.zeros_like(measured), where=measured > 0)
        near = np.empty((len(unit), len(block)))
        for line, query in enumerate(unit.astype(block.dtype)):  # the kernels want both of one type
            numkong.dot(query, block, out=near[line])
        near[:, scale == 0] = 0  # rows that are not finite
        near *= scale
        return part, near

    yield from map_threads(scan, blocks(count, _SCAN_BLOCK if columns is None and lengths is not None else BLOCK))


class _Candidates:
    """The best rows of each of Q queries so far, as cosines stream by in ascending order of rows."""

    def __init__(self, queries: int, width: int) -> None:
        self._width = width
        self._floors = np.full((queries, 1), -np.inf)  # at least `width` rows of each query reach this
        self._parts: list[tuple[Rows, Rows, NDArray[Any]]] = []

    def add(self, near: NDArray[Any], rows: Rows) -> None:
        """Add the cosines (Q, B) with some rows (B,); -inf where a row does not count."""
        floors = self._floors.astype(near.dtype)
        if not self._parts and near.shape[1] > self._width:
            floors = self._floors = _low_floors(near, self._width)
            flat = np.flatnonzero((near >= floors) & (near > -np.inf))
        else:
            flat = np.flatnonzero(near > floors)  # of equals the earlier row stays
        query, column = np.divmod(flat, near.shape[1])
        self._parts.append((query, rows[column], near[query, column]))
        if sum(len(part[0]) for part in self._parts) > 4 * self._width * len(floors):
            self._parts = [self._thin()]

    def close_to(self, k: int) -> tuple[Rows, Rows]:
        """Return the pairs of query and row that may be among the k nearest: (P,) and (P,)."""
        query, row, near = self._thin()
        first = np.searchsorted(query, np.arange(len(self._floors)))
        stay = near >= near[first + k - 1][query] - _MARGIN
        return query[stay], row[stay]

    def _thin(self) -> tuple[Rows, Rows, NDArray[Any]]:
        """Keep the best of each query, sorted by query, and raise the floors to the worst of them."""
        query, row, near = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        # One stable sort by query and cosine; equals stay in the order of rows, in which they came.
        order = np.argsort(4.0 * query - near, kind="stable")
        query = query[order]
        rank = np.arange(len(query)) - np.searchsorted(query, query)
        query, order = query[rank < self._width], order[rank < self._width]
        full = np.flatnonzero(np.bincount(query, minlength=len(self._floors)) == self._width)
        last = np.searchsorted(query, full, side="right") - 1
        self._floors[full, 0] = near[order[last]]
        return query, row[order], near[order]


def _low_floors(near: NDArray[Any], width: int) -> NDArray[Any]:
    """Return cosines that at least `width` of each line of near (Q, B) reach: (Q, 1).

    Maxima of groups of columns stand for the columns: much cheaper than finding the best of all, and nearly as high.
    """
    size = near.shape[1] // (8 * width)
    if size > 1:
        groups = near.shape[1] // size
        near = near[:, : groups * size].reshape(len(near), size, groups).max(axis=1)
    return np.partition(near, -width, axis=1)[:, [-width]]


def rank_pairs(query: Rows, rows: Rows, near: NDArray[np.float64], k: int) -> tuple[Rows, Rows, NDArray[np.float64]]:
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


@dataclass(frozen=True)
class SimilarPairs:
    """Similar pairs, the most similar first, then by their rows.

    Attributes:
        rows: (M, 2) int64, the smaller row first.
        scores: (M,) float32 cosines.
        capped: Whether there were more, less similar than these or later among equals.
    """

    rows: Rows
    scores: NDArray[np.float32]
    capped: bool


def radius_pairs(vectors: Matrix, threshold: float, *, limit: int = LIMIT, task: Task | None = None) -> SimilarPairs:
    """Find every pair of rows whose cosine reaches the threshold.

    Args:
        vectors: (N, n), perhaps memory-mapped.
        threshold: The smallest cosine wanted.
        limit: How many pairs are returned at most, the best of all.
        task: Progress and cancellation.

    Returns:
        The pairs; those with the zero vector score 0.
    """
    task, count = task or Task(), len(vectors)
    best = _BestPairs(threshold, max(0, limit))
    total = count * (count - 1) // 2
    for strip in blocks(count, _PAIR_STRIP):
        unit, _ = unit_vectors(block_of(vectors, strip))
        for part in blocks(count, _PAIR_BLOCK):
            if part.stop > strip.start + 1:
                best.add(vectors, *_pairs_above(vectors, unit, strip, part, best.floor))
                task.check()
        before = (2 * count - strip.stop - 1) * strip.stop // 2
        task.report(before, total, "looking for similar pairs")
        if best.full:
            break
    return best.sorted()


def _pairs_above(
    vectors: Matrix, unit: NDArray[np.float32], strip: slice, part: slice, floor: float
) -> tuple[Rows, Rows]:
    """Return pairs of a strip (S, n) with a block that may reach the floor, the smaller row first: (P,) and (P,)."""
    block, _ = unit_vectors(block_of(vectors, part))
    cosines = unit @ block.T
    first, second = np.divmod(np.flatnonzero(cosines >= np.float32(floor - FLOAT32_ERROR)), len(block))
    first, second = first + strip.start, second + part.start
    ordered = first < second
    return first[ordered], second[ordered]


class _BestPairs:
    """The best pairs so far.

    Attributes:
        floor: The score below which no pair is of use.
    """

    def __init__(self, threshold: float, limit: int) -> None:
        self.floor, self._limit, self._capped = threshold, limit, False
        self._first, self._second = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._scores = np.zeros(0)

    @property
    def full(self) -> bool:
        """Whether no later pair can be better than those stored."""
        return self._capped and (self.floor >= 1 or not self._limit)

    def add(self, vectors: Matrix, first: Rows, second: Rows) -> None:
        scores = cosines_of_pairs(vectors, first, vectors, second)
        stay = scores >= self.floor
        self._first = np.concatenate([self._first, first[stay]])
        self._second = np.concatenate([self._second, second[stay]])
        self._scores = np.concatenate([self._scores, scores[stay]])
        if len(self._scores) > 2 * self._limit:
            self._cut()

    def sorted(self) -> SimilarPairs:
        self._cut()
        rows = np.stack([self._first, self._second], axis=1)
        return SimilarPairs(rows, self._scores.astype(np.float32), self._capped)

    def _cut(self) -> None:
        order = np.lexsort((self._second, self._first, -self._scores))
        if len(order) > self._limit:
            order, self._capped = order[: self._limit], True
            self.floor = float(self._scores[order[-1]]) if len(order) else self.floor
        self._first, self._second = self._first[order], self._second[order]
        self._scores = self._scores[order]
