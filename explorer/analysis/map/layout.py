"""Lay out the map by t-SNE, PCA, spectral embedding, Isomap or MDS; positions are shown while they are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.map.placement import Positions, align_to, centre_and_scale, on_rim, place_new
from explorer.analysis.vectors.exact import Matrix, block_of, blocks, unit_vectors
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.errors import DataError
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


Method = Literal["tsne", "pca", "spectral", "isomap", "mds"]
METHODS: tuple[Method, ...] = get_args(Method)
LIMITS: dict[Method, int] = {"spectral": 50_000, "isomap": 5_000, "mds": 3_000}  # documents; more takes minutes

Picture = Callable[[Positions, int, int], None]  # positions (N, 2), steps done, steps in all

_FLAT = 3  # documents that always lie in a plane
_JITTER = 0.01  # of the spread, so that no two points start in one place
_JITTER_AGAIN = 1e-4  # too little to be seen
# Iterations; on 20,000 rows they keep 99 % of the neighbours that 400 on a finer grid keep.
EARLY, LATE = 50, 200
EXAGGERATION = 12.0  # of the attraction in the early iterations
PERPLEXITY = 14 / 15  # of the number of neighbours: nearly all of them count
INTERPOLATED = 2_000  # rows from which the interpolated repulsion is faster than the tree
GRID = 1.5  # width of its cells, in units of t-SNE
SHARED = 50_000  # rows from which several cores pay
SEED_SPREAD = 1e-4  # standard deviation to start from
GROWN = 0.15  # root mean square radius to start again from, times the square root of the rows: half-grown
_STEPS = 200_000  # rows times iterations between two pictures

Step = Callable[[NDArray[np.float64], int], None]  # positions (N, 2) and the iterations done
SAMPLE = 50_000  # rows that the axes are computed from
_SAME = 1e-3  # distance of unit vectors that float32 cannot tell from 0


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
        start: (N, 2) an earlier map to start from and to be aligned with; NaN for documents that are not on it.
        on_picture: Given the map as it forms: at once, and then every few steps. Each picture is its own array.
        task: Receives the progress. When it is cancelled the positions reached are returned.

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
    """A map that is being computed.

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
        first = principal(self._vectors, self._linked)
        if self._start is None:
            self._show(first, 0, 1)
        else:
            self.positions = place_new(self._graph, np.asarray(self._start, np.float32))
            self._tell(0, 1)
        if method == "pca" or len(self._linked) <= _FLAT:
            self._show(first, 1, 1)
        elif method == "tsne":
            self._refine(first, np.random.default_rng(seed))
        elif method == "mds":
            self._show(mds(self._vectors, self._linked, first), 1, 1)
        else:
            links = self._graph.symmetric[self._linked][:, self._linked]
            links = connect_parts(links, self._vectors, self._linked)
            positions = spectral(links, seed) if method == "spectral" else isomap(links)
            self._show(positions, 1, 1)

    def _refine(self, first: NDArray[np.float64], chance: np.random.Generator) -> None:
        """Run t-SNE, from the principal components or from the start."""
        again = self._start is not None
        phases = AGAIN if again else FRESH
        done = 0
        if not again and len(first) > LANDMARKS_ABOVE:
            done = sum(phase.iterations for phase in FRESH)
            first, phases = self._by_landmarks(first, chance), PLACED
        grown = again or done
        places = np.asarray(centre_and_scale(self.positions[self._linked] if again else first), np.float64)
        places += chance.normal(0, _JITTER_AGAIN if grown else _JITTER, places.shape)
        places *= GROWN * len(places) ** 0.5 if grown else SEED_SPREAD
        total = done + sum(phase.iterations for phase in phases)
        renumbered = np.full(len(self._graph) + 1, -1)
        renumbered[self._linked] = np.arange(len(self._linked))
        rows = np.where(self._there, renumbered[self._graph.rows], -1)[self._linked]
        attraction = affinities(rows, self._graph.scores[self._linked])
        self._task.check()
        reached = descend(attraction, places, phases, lambda at, step: self._show(at, done + step, total))
        self._show(reached, total, total)

    def _by_landmarks(self, first: NDArray[np.float64], chance: np.random.Generator) -> NDArray[np.float64]:
        """Run t-SNE on well-spread rows alone, and place the others among their neighbours: (R, 2).

        The map differs from one of all rows only in what the last steps on all rows refine.
        """
        links = self._graph.symmetric[self._linked][:, self._linked].tocsr()
        chosen = landmarks(links, chance)
        index = np.full(len(first), -1)
        index[chosen] = np.arange(len(chosen))
        # While the landmarks move, each row is shown where its nearest landmark is.
        weights = np.where(index[links.indices] >= 0, links.data, -1.0)
        best = np.maximum.reduceat(weights, links.indptr[:-1])
        hits = np.flatnonzero(weights == np.repeat(best, np.diff(links.indptr)))
        owner = np.empty(len(first), np.int64)
        owner[np.searchsorted(links.indptr, hits, side="right") - 1] = index[links.indices[hits]]
        owner[chosen] = np.arange(len(chosen))
        attraction = landmark_affinities(links, chosen)
        self._task.check()
        places = np.asarray(centre_and_scale(first[chosen]), np.float64)
        places = (places + chance.normal(0, _JITTER, places.shape)) * SEED_SPREAD
        total = sum(phase.iterations for phase in (*FRESH, *PLACED))
        reached = descend(attraction, places, FRESH, lambda at, step: self._show(at[owner], step, total))
        known = np.full((len(self._graph), 2), np.nan, np.float32)
        known[self._linked[chosen]] = centre_and_scale(reached)
        return np.asarray(place_new(self._graph, known)[self._linked], np.float64)

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
    """Return the k points of the map nearest to some (B, 2), themselves left out: (B, k)."""
    _, near = tree.query(points, k=k + 1, workers=-1)  # type: ignore[attr-defined]
    own = near == lines[:, None]
    own[~own.any(axis=1), -1] = True  # crowded out by points in the same place
    return np.asarray(near[~own].reshape(len(lines), k), np.int64)


@dataclass(frozen=True)
class TsnePhase:
    """A stretch of the descent.

    Attributes:
        iterations: How many.
        exaggeration: Of the attraction.
        rate: The learning rate, a row.
    """

    iterations: int
    exaggeration: float
    rate: float


FRESH = (TsnePhase(EARLY, EXAGGERATION, 1 / EXAGGERATION), TsnePhase(LATE, 1, 2))
AGAIN = (TsnePhase(EARLY, 4, 1 / 4), TsnePhase(150, 1, 2))
PLACED = (TsnePhase(10, 4, 1 / 4), TsnePhase(90, 1, 2))  # after the landmarks are drawn and the others placed by them
LANDMARKS_ABOVE = 100_000  # rows


def affinities(rows: NDArray[np.integer], scores: NDArray[np.floating]) -> csr_matrix:
    """Return how strongly each pair of neighbours attracts.

    Args:
        rows: (N, k) the neighbours; -1 where there is none.
        scores: (N, k) their cosines.

    Returns:
        (N, N) symmetric, with sum 1.
    """
    from scipy.sparse import csr_matrix

    count, k = rows.shape
    weights, sizes = np.zeros((count, k)), (rows >= 0).sum(axis=1)
    order = np.argsort(rows < 0, axis=1, kind="stable")  # what is there comes first
    rows, scores = np.take_along_axis(rows, order, 1), np.take_along_axis(scores, order, 1)
    for size in np.unique(sizes[sizes > 0]):
        lines = np.flatnonzero(sizes == size)
        weights[lines, :size] = _calibrate(scores[lines, :size], count)
    first, there = np.repeat(np.arange(count), k), rows.ravel() >= 0
    one_way = csr_matrix((weights.ravel()[there], (first[there], rows.ravel()[there])), shape=(count, count))
    both = (one_way + one_way.T).tocsr()
    both.sort_indices()
    return both / both.sum()


def landmarks(links: csr_matrix, chance: np.random.Generator) -> NDArray[np.int64]:
    """Return rows (L,) that are well spread over a graph (N, N): no two are neighbours, every other is one's neighbour.

    That is a maximal independent set, found by Luby's algorithm. Each row must have a neighbour.
    Of a graph with 15 neighbours a row about every eighth is taken.
    """
    starts, others = links.indptr[:-1], links.indices
    rank = chance.permutation(len(starts)).astype(np.int32)
    chosen, open_rows = np.zeros(len(starts), bool), np.ones(len(starts), bool)
    while open_rows.any():
        rivals = np.where(open_rows, rank, -1)
        fresh = open_rows & (rivals > np.maximum.reduceat(rivals[others], starts))
        chosen |= fresh
        open_rows &= ~(fresh | np.logical_or.reduceat(fresh[others], starts))
    return np.flatnonzero(chosen)


def landmark_affinities(links: csr_matrix, rows: NDArray[np.int64]) -> csr_matrix:
    """Return how strongly landmarks (L,) attract each other by shared neighbours: (L, L) symmetric, with sum 1."""
    across = links[rows]
    shared = (across @ across.T).tocsr()
    shared.setdiag(0)
    shared.eliminate_zeros()
    sums = np.asarray(shared.sum(axis=1)).ravel()
    shared.data /= np.repeat(np.maximum(sums, 1e-12), np.diff(shared.indptr))
    both = (shared + shared.T).tocsr()
    both.sort_indices()
    return both / max(both.sum(), 1e-12)


def _calibrate(scores: NDArray[np.floating], count: int) -> NDArray[np.float64]:
    """Weights (L, k) with sum 1 a line, falling off with distance so that about PERPLEXITY of them count."""
    from openTSNE.affinity import joint_probabilities_nn

    lines, k = scores.shape
    perplexity = min(PERPLEXITY * k, (count - 1) / 3)
    if k == 1 or perplexity <= 1:
        return np.full((lines, k), 1 / k)
    distances = np.sqrt(np.maximum(0.0, 2 - 2 * np.asarray(scores, np.float64)))
    table = joint_probabilities_nn(
        np.tile(np.arange(k), (lines, 1)),
        distances,
        [perplexity],
        symmetrize=False,
        normalization="point-wise",
        n_reference_samples=k,
    )
    return np.asarray(table.todense(), np.float64)


def descend(
    attraction: csr_matrix, start: NDArray[np.float64], phases: tuple[TsnePhase, ...], step: Step
) -> NDArray[np.float64]:
    """Move positions downhill.

    Args:
        attraction: (N, N), from `affinities`.
        start: (N, 2) float64, in units of t-SNE, no two in one place.
        phases: What to do, one after the other.
        step: Called every few iterations; what it raises ends the descent.

    Returns:
        (N, 2).
    """
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PrecomputedAffinities

    count, done = len(start), 0
    embedding = TSNEEmbedding(start, PrecomputedAffinities(attraction, normalize=False))
    for phase in phases:

        def on_iteration(iteration: int, _error: float, reached: NDArray[np.float64], before: int = done) -> bool:
            step(np.asarray(reached), before + iteration)
            return False

        embedding.optimize(
            phase.iterations,
            inplace=True,
            exaggeration=phase.exaggeration,
            learning_rate=phase.rate * count,
            momentum=0.8,
            negative_gradient_method="fft" if count >= INTERPOLATED else "bh",
            ints_in_interval=GRID,
            n_jobs=_cores() if count >= SHARED else 1,
            callbacks=on_iteration,
            callbacks_every_iters=max(1, min(10, _STEPS // count)),
        )
        done += phase.iterations
    return np.asarray(embedding, np.float64)


def _cores() -> int:
    import joblib

    return max(1, int(joblib.cpu_count(only_physical_cores=True)))


def principal(vectors: Matrix, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the places of some rows (R,) along the two axes on which vectors (N, n) differ most: (R, 2)."""
    from scipy.linalg import eigh
    from threadpoolctl import threadpool_limits

    width, count = vectors.shape[1], len(rows)
    some = rows[np.unique(np.linspace(0, count - 1, min(count, SAMPLE)).astype(np.int64))]
    total, square = np.zeros(width), np.zeros((width, width))
    for part in blocks(len(some)):
        unit, _ = unit_vectors(block_of(vectors, some[part]))
        total += unit.sum(axis=0, dtype=np.float64)
        square += unit.T @ unit
    mean = total / max(1, len(some))
    spread = square / max(1, len(some)) - np.outer(mean, mean)
    with threadpool_limits(1, "blas"):  # on a busy machine threads wait for each other a hundred times as long
        result = eigh(spread, subset_by_index=[max(0, width - 2), width - 1])[1]
    axes = result[:, ::-1]  # (n, 2), the largest first
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])  # one of two equal signs
    positions = np.zeros((count, 2))
    for part in blocks(count):
        unit, _ = unit_vectors(block_of(vectors, rows[part]))
        positions[part, : axes.shape[1]] = unit @ axes - mean @ axes
    return positions


def spectral(links: csr_matrix, seed: int) -> NDArray[np.float64]:
    """Lay out the connected graph (R, R) of cosines by the eigenvectors of its Laplacian: (R, 2)."""
    from sklearn.manifold import SpectralEmbedding

    result = SpectralEmbedding(n_components=2, affinity="precomputed", random_state=seed).fit_transform(links)
    return np.asarray(result, np.float64)


def isomap(links: csr_matrix) -> NDArray[np.float64]:
    """Lay out the connected graph (R, R) of cosines by its shortest paths: (R, 2)."""
    from scipy.sparse.csgraph import shortest_path
    from sklearn.decomposition import KernelPCA

    lengths = links.copy()
    lengths.data = np.sqrt(np.maximum(1e-6, 2 - 2 * lengths.data))
    ways = shortest_path(lengths, directed=False)
    kernel = KernelPCA(n_components=2, kernel="precomputed", eigen_solver="dense")
    return _two_columns(kernel.fit_transform(-0.5 * ways**2))


def mds(vectors: Matrix, rows: NDArray[np.int64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lay out rows (R,) by multidimensional scaling of their angles, from a start (R, 2): (R, 2)."""
    from sklearn.manifold import smacof

    unit, _ = unit_vectors(block_of(vectors, rows))
    apart = np.sqrt(np.maximum(0.0, 2 - 2 * np.asarray(unit @ unit.T, np.float64)))
    np.fill_diagonal(apart, 0)
    if not apart.max(initial=0) > _SAME:
        return start
    result: Any = smacof((apart + apart.T) / 2, n_components=2, init=start, n_init=1, max_iter=100)
    return _two_columns(result[0])


def connect_parts(links: csr_matrix, vectors: Matrix, rows: NDArray[np.int64]) -> csr_matrix:
    """Tie the parts of a graph (R, R) together: the most typical row of each part to that of the largest."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    count, part_of = connected_components(links, directed=False)
    if count == 1:
        return links
    unit, _ = unit_vectors(block_of(vectors, rows))
    typical = unit @ unit.mean(axis=0)
    heads = np.array([np.flatnonzero(part_of == part)[typical[part_of == part].argmax()] for part in range(count)])
    main = heads[np.bincount(part_of).argmax()]
    others = heads[heads != main]
    weight = np.maximum(0.01, unit[others] @ unit[main])
    ties = csr_matrix((weight, (others, np.full(len(others), main))), shape=links.shape)
    return (links + ties + ties.T).tocsr()


def _two_columns(result: NDArray[Any]) -> NDArray[np.float64]:
    """Return positions with exactly two columns, where so few rows gave fewer."""
    positions = np.zeros((len(result), 2))
    positions[:, : result.shape[1]] = result[:, :2]
    return positions
