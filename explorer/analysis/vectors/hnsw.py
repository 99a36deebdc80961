"""A graph to walk instead of comparing with every row: nearly the nearest, for hundreds of thousands of rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.analysis.vectors.exact import Neighbours
from explorer.analysis.vectors.exhaustive import nearness_to_scores
from explorer.analysis.vectors.scoring import (
    Matrix,
    Metric,
    Rows,
    block_of,
    blocks,
    directions,
    exact,
    quantised,
)
from explorer.analysis.vectors.selection import ranked
from explorer.errors import DataError
from explorer.task import Task

if TYPE_CHECKING:
    from usearch.index import Index

LINKS = 16  # of a row in the graph
EFFORT_ADD = 96  # rows looked at to place a row
EFFORT_SEARCH = 192  # rows looked at to answer a query
CANDIDATES = 4  # rows scored exactly for each one wanted
CHUNK = 4096


class HnswIndex:
    """An HNSW graph over int8 copies of the rows; what it proposes is scored exactly from the vectors.

    Made for rows of about one length, as models give them: there both metrics have the same order.

    Example:
        >>> index = Approximate.build(vectors, task=task)
        >>> index.save(path)
        >>> Approximate.open(path).nearest(vectors, queries, 10)
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    @classmethod
    def build(cls, vectors: Matrix, *, task: Task | None = None) -> HnswIndex:
        """Place all rows of vectors (N, n) in a new graph.

        Raises:
            Cancelled: The task was cancelled.
        """
        from usearch.index import Index

        built = cls(
            Index(
                ndim=vectors.shape[1],
                metric="cos",
                dtype="i8",
                connectivity=LINKS,
                expansion_add=EFFORT_ADD,
                expansion_search=EFFORT_SEARCH,
            )
        )
        built.add(vectors, np.arange(len(vectors)), task=task)
        return built

    @classmethod
    def open(cls, path: Path, *, mapped: bool = True) -> HnswIndex:
        """Open what `save` wrote.

        Args:
            path: The file.
            mapped: Whether to leave it on the disk; then rows can be neither added nor removed.

        Raises:
            DataError: The file is missing or is no such graph.
        """
        from usearch.index import Index

        try:
            index = Index.restore(str(path), view=mapped)
        except (OSError, RuntimeError, ValueError) as error:
            raise DataError(f"{path} cannot be read as a search index ({error}); build it anew.") from error
        if index is None:
            raise DataError(f"{path} is not a search index; build it anew.")
        index.expansion_search = EFFORT_SEARCH
        return cls(index)

    def save(self, path: Path) -> None:
        """Write the graph to a file, which appears only when it is whole."""
        half = path.with_name(path.name + ".part")
        self._index.save(str(half))
        half.replace(path)

    def __len__(self) -> int:
        return len(self._index)

    def add(
        self, vectors: Matrix, rows: ArrayLike, *, threads: int | None = None, task: Task | None = None
    ) -> None:
        """Place `vectors[rows]` in the graph, under their numbers.

        Args:
            vectors: (N, n).
            rows: Which of them.
            threads: How many at once; as many as there are cores if absent. Only one gives the same graph each time.
            task: Told of the progress.

        Raises:
            Cancelled: The task was cancelled; the rows before are placed.
        """
        task, rows = task or Task(), np.asarray(rows, np.int64)
        for part in blocks(len(rows), CHUNK):
            codes = _codes(vectors, rows[part])
            self._index.add(rows[part].astype(np.uint64), codes, threads=threads or _cores())
            task.report(part.stop, len(rows), "building the search index")

    def remove(self, rows: ArrayLike) -> None:
        """Take rows out, so that they are not found again."""
        self._index.remove(np.asarray(rows, np.uint64))

    def nearest(
        self,
        vectors: Matrix,
        queries: Matrix,
        k: int,
        *,
        metric: Metric = "cosine",
        task: Task | None = None,
    ) -> Neighbours:
        """Find nearly the k nearest rows of each query.

        Args:
            vectors: (N, n), those the graph was built of.
            queries: (Q, n) or (n,).
            k: How many; fewer are returned where there are fewer rows.
            metric: "cosine" or "euclidean".
            task: Told of the progress.

        Returns:
            Rows and scores (Q, k), `exact` False; -1 and 0 in the rare places where the graph led to fewer.
        """
        queries = np.atleast_2d(queries)
        return self._of(vectors, queries, np.arange(len(queries)), min(k, len(self)), metric, task, own=False)

    def all_pairs(
        self, vectors: Matrix, k: int, *, metric: Metric = "cosine", task: Task | None = None
    ) -> Neighbours:
        """Find nearly the k nearest rows of every row (N, k), itself excluded."""
        lines = np.arange(len(vectors))
        return self._of(vectors, vectors, lines, min(k, len(self) - 1), metric, task, own=True)

    def _of(
        self,
        vectors: Matrix,
        queries: Matrix,
        lines: Rows,
        k: int,
        metric: Metric,
        task: Task | None,
        *,
        own: bool,
    ) -> Neighbours:
        task, k = task or Task(), max(0, k)
        rows, scores = np.full((len(lines), k), -1, np.int64), np.zeros((len(lines), k), np.float32)
        sign = 1 if metric == "cosine" else -1
        for part in blocks(len(lines), CHUNK // 4) if k else []:
            line, row = self._proposed(_codes(queries, lines[part]), k)
            if own:
                other = lines[part][line] != row
                line, row = line[other], row[other]
            near = sign * exact(queries, lines[part][line], vectors, row, metric)
            line, row, near = ranked(line, row, near, k)
            place = np.arange(len(line)) - np.searchsorted(line, line)
            rows[part.start + line, place] = row
            scores[part.start + line, place] = nearness_to_scores(near, metric)
            task.report(part.stop, len(lines), "searching")
        return Neighbours(rows, scores, exact=False)

    def _proposed(self, codes: NDArray[np.int8], k: int) -> tuple[Rows, Rows]:
        """What the graph proposes for coded queries (Q, n): pairs of query and row, (P,) and (P,)."""
        count = min(len(self), CANDIDATES * (k + 1) + 16)
        found = self._index.search(codes, count, threads=_cores())
        keys = np.asarray(found.keys).reshape(len(codes), -1)
        counts = np.asarray(getattr(found, "counts", [keys.shape[1]]))
        line, place = np.nonzero(np.arange(keys.shape[1]) < counts[:, None])
        return line, keys[line, place].astype(np.int64)


def _codes(vectors: Matrix, rows: Rows) -> NDArray[np.int8]:
    return quantised(directions(block_of(vectors, rows))[0])[0]


def _cores() -> int:
    return os.cpu_count() or 1
