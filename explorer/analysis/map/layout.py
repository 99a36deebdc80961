"""Lay out the map: every document as a point near its neighbours, shown while it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.map import methods
from explorer.analysis.map.placement import Positions, align_to, centre_and_scale, on_rim, place
from explorer.analysis.vectors.exact import Matrix, blocks
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.errors import DataError
from explorer.task import Cancelled, Task

Method = Literal["tsne", "pca", "spectral", "isomap", "mds"]
METHODS: tuple[Method, ...] = get_args(Method)
LIMITS: dict[Method, int] = {"spectral": 50_000, "isomap": 5_000, "mds": 3_000}  # documents; more takes minutes

Picture = Callable[[Positions, int, int], None]  # positions (N, 2), steps done, steps in all

_FLAT = 3  # documents that always lie in a plane
_JITTER = 0.01  # of the spread, so that no two points start in one place
_JITTER_AGAIN = 1e-4  # too little to be seen


@dataclass(frozen=True, eq=False)
class FinishedLayout:
    """A map.

    Attributes:
        positions: (N, 2) float32, finite. Without a start they are centred with a root mean square radius of 1;
            with one they lie on it.
        method: How it was made.
        finished: False where it was cancelled; the positions are those reached.
    """

    positions: Positions
    method: Method
    finished: bool = True


def layout(
    graph: KnnGraph,
    vectors: Matrix,
    *,
    method: Method = "tsne",
    seed: int = 0,
    start: NDArray[Any] | None = None,
    on_picture: Picture | None = None,
    task: Task | None = None,
) -> FinishedLayout:
    """Draw the map. The same input gives the same map.

    Documents without neighbours stand on a circle around the others.

    Args:
        graph: The neighbours of each document.
        vectors: (N, n), perhaps memory-mapped.
        method: "tsne" keeps neighbours together; "pca" is instant; the others are for smaller collections.
        seed: Of what is left to chance.
        start: (N, 2) an earlier map to begin from and to lie on; NaN for documents that are not on it.
        on_picture: Given the map as it forms: at once, and then every few steps. Each picture is its own array.
        task: Told of the progress. When it is cancelled the positions reached are returned.

    Raises:
        DataError: There are too many documents for the method.
    """
    limit = LIMITS.get(method, len(graph))
    if len(graph) > limit:
        raise DataError(
            "The map method {method} takes at most {limit:,} documents and there are {count:,}. Choose t-SNE or PCA.",
            method=method,
            limit=limit,
            count=len(graph),
        )
    drawing = _Drawing(graph, vectors, start, on_picture, task or Task())
    try:
        drawing.draw(method, seed)
    except Cancelled:
        return FinishedLayout(drawing.positions, method, finished=False)
    return FinishedLayout(drawing.positions, method)


class _Drawing:
    """A map on its way.

    Attributes:
        positions: (N, 2) what is reached.
    """

    def __init__(
        self, graph: KnnGraph, vectors: Matrix, start: NDArray[Any] | None, on_picture: Picture | None, task: Task
    ) -> None:
        there = (graph.rows >= 0) & (graph.scores > 0)
        linked: NDArray[np.bool_] = there.sum(axis=1) > 0
        linked[graph.rows[there]] = True  # those that others name
        self._graph, self._vectors, self._there = graph, vectors, there
        self._linked = np.flatnonzero(linked)  # (R,)
        self._start = None if start is None or not np.isfinite(start).all(axis=1).any() else start
        self._on_picture, self._task = on_picture, task
        self.positions: Positions = np.zeros((len(graph), 2), np.float32)

    def draw(self, method: Method, seed: int) -> None:
        first = methods.principal(self._vectors, self._linked)
        if self._start is None:
            self._show(first, 0, 1)
        else:
            self.positions = place(self._graph, np.asarray(self._start, np.float32))
            self._tell(0, 1)
        if method == "pca" or len(self._linked) <= _FLAT:
            self._show(first, 1, 1)
        elif method == "tsne":
            self._refine(first, np.random.default_rng(seed))
        elif method == "mds":
            self._show(methods.mds(self._vectors, self._linked, first), 1, 1)
        else:
            links = self._graph.symmetric[self._linked][:, self._linked]
            links = methods.connect_parts(links, self._vectors, self._linked)
            positions = methods.spectral(links, seed) if method == "spectral" else methods.isomap(links)
            self._show(positions, 1, 1)

    def _refine(self, first: NDArray[np.float64], chance: np.random.Generator) -> None:
        """Run t-SNE, from the principal components or from the start."""
        again = self._start is not None
        phases = methods.AGAIN if again else methods.FRESH
        done = 0
        if not again and len(first) > methods.LANDMARKS_ABOVE:
            done = sum(phase.iterations for phase in methods.FRESH)
            first, phases = self._by_landmarks(first, chance), methods.PLACED
        grown = again or done
        places = np.asarray(centre_and_scale(self.positions[self._linked] if again else first), np.float64)
        places += chance.normal(0, _JITTER_AGAIN if grown else _JITTER, places.shape)
        places *= methods.GROWN * len(places) ** 0.5 if grown else methods.SEED_SPREAD
        total = done + sum(phase.iterations for phase in phases)
        renumbered = np.full(len(self._graph) + 1, -1)
        renumbered[self._linked] = np.arange(len(self._linked))
        rows = np.where(self._there, renumbered[self._graph.rows], -1)[self._linked]
        attraction = methods.affinities(rows, self._graph.scores[self._linked])
        self._task.check()
        reached = methods.descend(attraction, places, phases, lambda at, step: self._show(at, done + step, total))
        self._show(reached, total, total)

    def _by_landmarks(self, first: NDArray[np.float64], chance: np.random.Generator) -> NDArray[np.float64]:
        """Run t-SNE on well-spread rows alone, and place the others among their neighbours: (R, 2).

        The map differs from one of all rows only in what the last steps on all rows refine.
        """
        links = self._graph.symmetric[self._linked][:, self._linked].tocsr()
        chosen = methods.landmarks(links, chance)
        index = np.full(len(first), -1)
        index[chosen] = np.arange(len(chosen))
        # While the landmarks move, each row is shown where its nearest landmark is.
        weights = np.where(index[links.indices] >= 0, links.data, -1.0)
        best = np.maximum.reduceat(weights, links.indptr[:-1])
        hits = np.flatnonzero(weights == np.repeat(best, np.diff(links.indptr)))
        owner = np.empty(len(first), np.int64)
        owner[np.searchsorted(links.indptr, hits, side="right") - 1] = index[links.indices[hits]]
        owner[chosen] = np.arange(len(chosen))
        attraction = methods.landmark_affinities(links, chosen)
        self._task.check()
        places = np.asarray(centre_and_scale(first[chosen]), np.float64)
        places = (places + chance.normal(0, _JITTER, places.shape)) * methods.SEED_SPREAD
        total = sum(phase.iterations for phase in (*methods.FRESH, *methods.PLACED))
        reached = methods.descend(
            attraction, places, methods.FRESH, lambda at, step: self._show(at[owner], step, total)
        )
        known = np.full((len(self._graph), 2), np.nan, np.float32)
        known[self._linked[chosen]] = centre_and_scale(reached)
        return np.asarray(place(self._graph, known)[self._linked], np.float64)

    def _show(self, places: NDArray[np.float64], done: int, total: int) -> None:
        """Keep the places of the linked rows (R, 2) as what is reached, the others around them."""
        whole = np.zeros((len(self._graph), 2))
        whole[self._linked] = centre_and_scale(places)
        alone = np.ones(len(whole), bool)
        alone[self._linked] = False
        whole[alone] = on_rim(whole[self._linked], int(alone.sum()))
        self.positions = centre_and_scale(whole) if self._start is None else align_to(whole, self._start)
        self._tell(done, total)

    def _tell(self, done: int, total: int) -> None:
        if self._on_picture is not None:
            self._on_picture(self.positions.copy(), done, total)
        self._task.report(done, total, "drawing the map")


_BLOCK = 16_384
_APART = 1e-6  # of the map's size: moves that part points in one place, of which a tree cannot tell so many


@dataclass(frozen=True, eq=False)
class Trust:
    """The share of true neighbours that a map keeps.

    Attributes:
        rows: (N,) float32, for each row the share of its neighbours in the graph, k of them, that are among the k
            nearest points on the map; 0 for a row without neighbours.
        mean: The mean over the rows that have neighbours; 0 where none has.
    """

    rows: NDArray[np.float32]
    mean: float


def trust(positions: Positions, graph: KnnGraph, *, task: Task | None = None) -> Trust:
    """Compare a map (N, 2) with the graph it was made from."""
    from scipy.spatial import cKDTree

    task, count = task or Task(), len(graph)
    there = (graph.rows >= 0) & (graph.scores > 0)
    sizes = there.sum(axis=1)  # (N,)
    shares = np.zeros(count, np.float32)
    if not sizes.any():
        return Trust(shares, 0.0)
    points = _jitter(positions)
    tree = cKDTree(points)
    for part in blocks(count, _BLOCK):
        lines = np.arange(part.start, part.stop)
        near = _nearest(tree, points[part], lines, int(sizes.max()))  # (B, k)
        within = np.arange(near.shape[1]) < sizes[part, None]
        hits = (np.where(there[part], graph.rows[part], -1)[:, :, None] == near[:, None, :]) & within[:, None, :]
        shares[part] = hits.any(axis=2).sum(axis=1) / np.maximum(1, sizes[part])
        task.report(part.stop, count, "checking the map")
    return Trust(shares, float(shares[sizes > 0].mean(dtype=np.float64)))


def _jitter(positions: Positions) -> NDArray[np.float64]:
    points = np.asarray(positions, np.float64)
    return points + np.random.default_rng(0).normal(0, _APART * float(points.std() or 1.0), points.shape)


def _nearest(tree: object, points: NDArray[np.float64], lines: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The k points of the map nearest to some (B, 2), themselves left out: (B, k)."""
    _, near = tree.query(points, k=k + 1, workers=-1)  # type: ignore[attr-defined]
    own = near == lines[:, None]
    own[~own.any(axis=1), -1] = True  # crowded out by points in the same place
    return np.asarray(near[~own].reshape(len(lines), k), np.int64)
