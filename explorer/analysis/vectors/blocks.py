"""Read the rows of a matrix block by block: slices, lengths and unit vectors.

A row that is zero, not finite, or so long that its square overflows counts as the zero vector.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]

BLOCK = 4096  # rows read at once
LONGEST, SHORTEST = 1e150, 1e-150  # lengths whose squares a float64 still holds
_MAX_THREADS = 8  # each holds a block of its own, so more threads would take more memory than time

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def blocks(count: int, size: int = BLOCK) -> list[slice]:
    """Cut `count` rows into slices of `size`."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


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
