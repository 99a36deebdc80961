"""Scores between vectors: fast ones whose error is bounded, and exact ones for the few that matter.

A row that is zero, not finite, or so long that its square is not a number counts as the zero vector.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from explorer.task import Task

Metric = Literal["cosine", "euclidean"]
Matrix = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]

BLOCK = 4096  # rows read at once
PAIRS = 512  # pairs scored exactly at once by a thread
THREADS = 8  # at most, so that what they hold stays small
LONGEST, SHORTEST = 1e150, 1e-150  # lengths whose squares a float64 still holds

_In = TypeVar("_In")
_Out = TypeVar("_Out")


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


def prepare(
    vectors: Matrix, *, compact: bool = False, codes: NDArray[np.int8] | None = None, task: Task | None = None
) -> PreparedVectors:
    """Measure the rows and, if asked, copy them to int8.

    Args:
        vectors: (N, n), perhaps memory-mapped.
        compact: Whether to make the copy. It has half the bytes of float16 and is scanned in less time; results
            stay exact, because what the copy cannot decide is read from the vectors.
        codes: (N, n) int8 to write the copy into, such as a memory-mapped file; made in memory if absent.
        task: Told of the progress.

    Returns:
        What `nearest` takes as `prepared`, valid while the vectors do not change.
    """
    task = task or Task()
    count = len(vectors)
    lengths = np.zeros(count)
    steps, errors = (np.zeros(count, np.float32), np.zeros(count, np.float32)) if compact else (None, None)
    if compact and codes is None:
        codes = np.zeros(vectors.shape, np.int8)

    def measure(part: slice) -> int:
        block = block_of(vectors, part)
        if codes is None or steps is None or errors is None:
            lengths[part] = lengths_of(block)
        else:
            unit, lengths[part] = directions(block)
            codes[part], steps[part], errors[part] = quantised(unit)
        return len(block)

    done = 0
    for rows in in_threads(measure, blocks(count, BLOCK // 4)):
        done += rows
        task.report(done, count, "preparing the search")
    return PreparedVectors(vectors if codes is None else codes, lengths, steps, errors)


def quantised(
    unit: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Round unit rows (B, n) to int8: the codes (B, n), their steps (B,) and bounds on their errors (B,)."""
    largest = np.abs(unit).max(axis=1, initial=0.0)
    steps = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    codes = np.rint(unit / steps[:, None])
    rest = unit - codes * steps[:, None]
    errors = np.sqrt(np.vecdot(rest, rest)) * np.float32(1 + 1e-4) + np.float32(1e-6)
    return codes.astype(np.int8), steps, errors.astype(np.float32)


def blocks(count: int, size: int = BLOCK) -> list[slice]:
    """Cut `count` rows into slices of `size`."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def block_of(vectors: Matrix, rows: slice | Rows) -> Matrix:
    """Read some rows as a contiguous (B, n) array of float16, float32 or float64."""
    block = np.ascontiguousarray(np.asarray(vectors)[rows])
    return block if block.dtype in (np.float16, np.float32, np.float64) else block.astype(np.float64)


def lengths_of(block: Matrix) -> NDArray[np.float64]:
    """Measure the rows of a block: (B,), 0 where a row counts as the zero vector."""
    import numkong

    if not block.size:
        return np.zeros(len(block))
    # WORKAROUND: numpy converts float16 one number at a time; numkong's kernels use the processor's instruction
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.asarray(numkong.dot(block, block), np.float64))
    return np.where((lengths >= SHORTEST) & (lengths <= LONGEST), lengths, 0.0)


def widened(block: Matrix) -> Matrix:
    """Turn float16 into float32 with the processor's own instruction; other types are returned as they are."""
    import numkong

    if block.dtype != np.float16 or not block.size:
        return block
    out = np.empty(block.shape, np.float32)
    numkong.astype(block, "float32", out=out)
    return out


def directions(block: Matrix) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Bring the rows of a block to unit length: (B, n) float32, and the lengths they had (B,)."""
    lengths = lengths_of(block)
    used = lengths > 0
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=used)
    fits = not used.any() or bool(lengths.max() < 1e30 and lengths[used].min() > 1e-30)
    with np.errstate(all="ignore"):  # rows that are not finite give warnings before they are cleared
        unit = widened(block) * scale[:, None].astype(np.float32 if fits else np.float64)
    if not used.all():
        unit[~used] = 0
    return unit.astype(np.float32, copy=False), lengths


def precision(width: int) -> float:
    """Bound on the error of a cosine that was summed in float32 over `width` numbers, with room to spare."""
    return (width + 16) * 2.0**-22


def closeness(
    cosines: NDArray[Any], error: float, queries: NDArray[np.float64], lengths: NDArray[Any], metric: Metric
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Turn cosines into numbers that grow with nearness, and bound their error.

    Args:
        cosines: (Q, B) approximate cosines.
        error: Bound on their error.
        queries: (Q,) lengths of the queries.
        lengths: (B,) lengths of the rows.
        metric: For "euclidean" the number is the squared distance, negated.

    Returns:
        (Q, B) and (Q, 1).
    """
    if metric == "cosine":
        return cosines, np.full((len(queries), 1), error)
    q = queries[:, None]
    near = 2 * q * lengths * cosines - lengths**2 - q**2
    return near, error * (q + lengths.max(initial=0)) ** 2


def exact(
    vectors: Matrix, rows: Rows, others: Matrix, other_rows: Rows, metric: Metric
) -> NDArray[np.float64]:
    """Score pairs in float64: (P,) of `vectors[rows]` with `others[other_rows]`.

    The last digits are rounded off, so that what is equal on paper is equal here.
    """
    parts = blocks(len(rows), PAIRS)

    def score(part: slice) -> NDArray[np.float64]:
        return _score(_wide(vectors, rows[part]), _wide(others, other_rows[part]), metric)

    return np.concatenate([np.zeros(0), *in_threads(score, parts)])


def _score(a: NDArray[np.float64], b: NDArray[np.float64], metric: Metric) -> NDArray[np.float64]:
    size = _cleared(a) * _cleared(b)
    if metric == "euclidean":
        rest = a - b
        return _rounded(np.sqrt(np.vecdot(rest, rest)))
    cosine = np.divide(np.vecdot(a, b), size, out=np.zeros(len(a)), where=size > 0)
    return np.clip(_rounded(cosine), -1, 1) + 0.0  # no negative zero


def _cleared(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set rows (P, n) that count as zero to zero, in place; return the lengths (P,)."""
    with np.errstate(all="ignore"):
        lengths: NDArray[np.float64] = np.sqrt(np.vecdot(rows, rows))
    unfit = ~((lengths >= SHORTEST) & (lengths <= LONGEST))
    if unfit.any():
        rows[unfit], lengths[unfit] = 0, 0
    return lengths


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.round(values, 12)


def _wide(vectors: Matrix, rows: Rows) -> NDArray[np.float64]:
    """Read rows (P,) as float64 (P, n), a copy."""
    return widened(block_of(vectors, rows)).astype(np.float64)


def in_threads(work: Callable[[_In], _Out], items: Iterable[_In]) -> Iterator[_Out]:
    """Map in order with a thread a core, a few items ahead; leaving early drops what has not begun."""
    todo = iter(items)
    first = list(islice(todo, 2))
    if len(first) < 2:
        yield from map(work, first)
        return
    cores = min(os.cpu_count() or 1, THREADS)
    with ThreadPoolExecutor(cores) as pool:
        waiting = [pool.submit(work, item) for item in (*first, *islice(todo, 2 * cores))]
        try:
            while waiting:
                yield waiting.pop(0).result()
                waiting += [pool.submit(work, item) for item in islice(todo, 1)]
        finally:
            for late in waiting:
                late.cancel()
