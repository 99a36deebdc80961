"""Compares queries with every row: a few by scanning the memory once, many by matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.scoring import (
    BLOCK,
    Matrix,
    Metric,
    PreparedVectors,
    Rows,
    block_of,
    blocks,
    closeness,
    directions,
    exact,
    in_threads,
    lengths_of,
    precision,
    quantised,
)
from explorer.analysis.vectors.selection import Candidates
from explorer.task import Task

FEW = 4  # queries that are scanned; more are multiplied as a matrix
STRIP = 1024  # queries multiplied at once
ANSWERS = 250_000  # answers of one strip
SCAN = 8 * BLOCK  # rows scanned at once by a thread

Answers = tuple[Rows, NDArray[np.float32]]
Report = Callable[[int], None]  # rows of the strip that were compared


def nearness_to_scores(near: NDArray[np.float64], metric: Metric) -> NDArray[np.float32]:
    """Turn what grows with nearness into the score that is reported."""
    values = near if metric == "cosine" else np.minimum(-near, np.finfo(np.float32).max)
    return (values + 0.0).astype(np.float32)


class ExactSearch:
    """A search among given rows.

    Attributes:
        columns: (C,) the rows that are searched, ascending.
    """

    def __init__(
        self,
        vectors: Matrix,
        columns: Rows | None,
        k: int,
        metric: Metric,
        prepared: PreparedVectors | None = None,
        *,
        own: bool = False,
    ) -> None:
        """Set the question.

        Args:
            vectors: (N, n).
            columns: The rows to search, ascending; all if None.
            k: How many to find; there must be as many.
            metric: "cosine" or "euclidean".
            prepared: Spares measuring the rows, where few queries are asked.
            own: Whether a query is itself a row, of the number of its line, and not to be found.
        """
        self._vectors, self._k, self._metric, self._prepared, self._own = vectors, k, metric, prepared, own
        self._whole = columns is None
        self.columns: Rows = np.arange(len(vectors)) if columns is None else columns

    def of(self, queries: Matrix, lines: Rows, task: Task) -> Answers:
        """Answer `queries[lines]` (Q, n): rows (Q, k) and scores (Q, k)."""
        rows, near = np.zeros((len(lines), self._k), np.int64), np.zeros((len(lines), self._k))
        most = STRIP if self._metric == "cosine" else STRIP // 4  # distances take float64 and several copies
        strips = blocks(len(lines), max(1, min(most, ANSWERS // max(1, self._k)))) if self._k else []
        total = len(self.columns) * len(strips)
        for number, strip in enumerate(strips):
            report = _reporter(task, number * len(self.columns), total)
            asked = lines[strip]
            rows[strip], near[strip] = self._strip(block_of(queries, asked), asked, report)
        return rows, nearness_to_scores(near, self._metric)

    def _strip(self, queries: Matrix, lines: Rows, report: Report) -> tuple[Rows, NDArray[np.float64]]:
        unit, lengths = directions(queries)
        rows, near = self._first(lines), np.zeros((len(lines), self._k))
        # To the zero vector every cosine is 0, so the first rows are its nearest.
        asked = np.flatnonzero(lengths > 0) if self._metric == "cosine" else np.arange(len(lines))
        if not len(asked):
            return rows, near
        sign = 1 if self._metric == "cosine" else -1

        def score(query: Rows, row: Rows) -> NDArray[np.float64]:
            return sign * exact(queries, asked[query], self._vectors, row, self._metric)

        candidates = Candidates(len(asked), self._k, score)
        compare = self._scan if len(asked) <= FEW else self._multiply
        compare(unit[asked], lengths[asked], lines[asked], candidates, report)
        if len(asked) <= FEW and self._prepared and self._prepared.steps is not None:
            # What the copy leaves open is narrowed down with the vectors before it is scored in float64.
            rest, candidates = candidates.rows(), Candidates(len(asked), self._k, score)
            plain = PreparedVectors(self._vectors, self._prepared.lengths)
            narrowed = ExactSearch(self._vectors, rest, self._k, self._metric, plain, own=self._own)
            narrowed._scan(unit[asked], lengths[asked], lines[asked], candidates, _silent)
        rows[asked], near[asked] = candidates.best()
        return rows, near

    def _first(self, lines: Rows) -> Rows:
        """The first k rows for each line (Q, k), itself excluded."""
        if not self._own:
            return np.tile(self.columns[: self._k], (len(lines), 1))
        first = np.tile(self.columns[: self._k + 1], (len(lines), 1))
        itself = first == lines[:, None]
        itself[~itself.any(axis=1), -1] = True
        rows: Rows = first[~itself].reshape(-1, self._k)
        return rows

    def _read(self, values: NDArray[Any], part: slice) -> NDArray[Any]:
        return values[part] if self._whole else values[self.columns[part]]

    def _multiply(
        self,
        unit: NDArray[np.float32],
        lengths: NDArray[np.float64],
        lines: Rows,
        candidates: Candidates,
        report: Report,
    ) -> None:
        """Offer the products of all queries (Q, n) with block after block."""
        error = precision(unit.shape[1])
        for part in blocks(len(self.columns)):
            rows = self.columns[part]
            block, sizes = directions(block_of(self._vectors, part if self._whole else rows))
            near, errors = closeness(unit @ block.T, error, lengths, sizes, self._metric)
            if self._own:
                _hide(near, lines, rows)
            candidates.offer(near, errors, rows)
            report(part.stop)

    def _scan(
        self,
        unit: NDArray[np.float32],
        lengths: NDArray[np.float64],
        lines: Rows,
        candidates: Candidates,
        report: Report,
    ) -> None:
        """Offer the products of a few queries, the rows read once by all cores."""

        def look(part: slice) -> tuple[slice, NDArray[Any], NDArray[np.float64]]:
            cosines, error, sizes = self._cosines(unit, part)
            return part, *closeness(cosines, error, lengths, sizes, self._metric)

        for part, near, errors in in_threads(
            look, blocks(len(self.columns), SCAN if self._prepared and self._whole else BLOCK)
        ):
            rows = self.columns[part]
            if self._own:
                _hide(near, lines, rows)
            candidates.offer(near, errors, rows)
            report(part.stop)

    def _cosines(
        self, unit: NDArray[np.float32], part: slice
    ) -> tuple[NDArray[Any], float, NDArray[np.float64]]:
        """Cosines (Q, B) of unit queries with some rows, the bound on their error, and the rows' lengths (B,)."""
        known = self._prepared
        block = np.ascontiguousarray(self._read(known.codes if known else np.asarray(self._vectors), part))
        sizes = self._read(known.lengths, part) if known else lengths_of(block)
        error = precision(unit.shape[1])
        codes: NDArray[Any]
        if known is None or known.steps is None or known.errors is None:
            codes, worth, loss = _rounded(unit, block.dtype)
            scale = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
            error += loss
        else:
            codes, worth, losses = quantised(unit)
            scale = self._read(known.steps, part)
            loss = float(losses.max())
            error += loss + (1 + loss) * float(self._read(known.errors, part).max())
        return _products(codes, worth, block, scale), error, sizes


def _rounded(unit: NDArray[np.float32], kind: np.dtype[Any]) -> tuple[Matrix, NDArray[np.float32], float]:
    """Unit queries (Q, n) in the type of the rows, their worth (Q,) of 1, and the most they lost by it."""
    codes = unit.astype(kind)
    rest = unit.astype(np.float64) - codes
    return codes, np.ones(len(unit), np.float32), float(np.sqrt(np.vecdot(rest, rest).max()))


def _products(
    codes: NDArray[Any], worth: NDArray[np.float32], block: NDArray[Any], scale: NDArray[Any]
) -> NDArray[np.float64]:
    """Products (Q, B) of coded queries (Q, n) with a block (B, n), times their worth (Q,) and scale (B,)."""
    import numkong

    out = np.empty((len(codes), len(block)))
    for line, query in enumerate(codes):
        numkong.dot(query, block, out=out[line])
        out[line] *= worth[line]
    out[:, scale == 0] = 0  # rows that are not finite
    out *= scale
    return out


def _silent(_: int) -> None:
    """Report nothing."""


def _reporter(task: Task, before: int, total: int) -> Report:
    return lambda done: task.report(before + done, total, "comparing")


def _hide(near: NDArray[Any], lines: Rows, rows: Rows) -> None:
    """Set to -inf where a query (Q,) meets itself among rows (B,), ascending."""
    place = np.searchsorted(rows, lines)
    here = np.flatnonzero((place < len(rows)) & (rows[np.minimum(place, len(rows) - 1)] == lines))
    near[here, place[here]] = -np.inf
