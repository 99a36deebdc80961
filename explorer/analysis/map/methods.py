"""The methods that lay out a map: t-SNE on the kNN graph (by openTSNE), PCA, spectral embedding, Isomap and MDS.

t-SNE: van der Maaten and Hinton (2008), https://jmlr.org/papers/v9/vandermaaten08a.html; interpolated repulsion:
Linderman et al. (2019), https://arxiv.org/abs/1712.09005.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.exact import Matrix, block_of, blocks, unit_vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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
    """How strongly each pair of neighbours attracts.

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
    """How strongly landmarks (L,) attract each other, by the neighbours they share: (L, L) symmetric, with sum 1."""
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
    """The places of some rows (R,) along the two axes on which vectors (N, n) differ most: (R, 2)."""
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
    """Slow waves over the graph (R, R) of cosines, which must hang together: (R, 2)."""
    from sklearn.manifold import SpectralEmbedding

    result = SpectralEmbedding(n_components=2, affinity="precomputed", random_state=seed).fit_transform(links)
    return np.asarray(result, np.float64)


def isomap(links: csr_matrix) -> NDArray[np.float64]:
    """Ways along the graph (R, R) of cosines, which must hang together, as distances on the map: (R, 2)."""
    from scipy.sparse.csgraph import shortest_path
    from sklearn.decomposition import KernelPCA

    lengths = links.copy()
    lengths.data = np.sqrt(np.maximum(1e-6, 2 - 2 * lengths.data))
    ways = shortest_path(lengths, directed=False)
    kernel = KernelPCA(n_components=2, kernel="precomputed", eigen_solver="dense")
    return _two(kernel.fit_transform(-0.5 * ways**2))


def mds(vectors: Matrix, rows: NDArray[np.int64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multidimensional scaling of the angles between some rows (R,), from a start (R, 2): (R, 2)."""
    from sklearn.manifold import smacof

    unit, _ = unit_vectors(block_of(vectors, rows))
    apart = np.sqrt(np.maximum(0.0, 2 - 2 * np.asarray(unit @ unit.T, np.float64)))
    np.fill_diagonal(apart, 0)
    if not apart.max(initial=0) > _SAME:
        return start
    result: Any = smacof((apart + apart.T) / 2, n_components=2, init=start, n_init=1, max_iter=100)
    return _two(result[0])


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


def _two(result: NDArray[Any]) -> NDArray[np.float64]:
    """Positions with exactly two columns, where so few rows gave fewer."""
    positions = np.zeros((len(result), 2))
    positions[:, : result.shape[1]] = result[:, :2]
    return positions
