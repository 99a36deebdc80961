"""t-SNE on the neighbour graph: the affinities of its edges, and the descent that draws neighbours together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

EARLY, LATE = (
    50,
    200,
)  # iterations; on 20,000 rows they keep 99 % of the neighbours that 400 on a finer grid keep
EXAGGERATION = 12.0  # of the attraction in the early iterations
PERPLEXITY = 14 / 15  # of the number of neighbours: nearly all of them count
INTERPOLATED = 2_000  # rows from which the interpolated repulsion is faster than the tree
GRID = 1.5  # width of its cells, in units of t-SNE
SHARED = 50_000  # rows from which several cores pay
SEED_SPREAD = 1e-4  # standard deviation to start from
GROWN = 0.15  # root mean square radius to start again from, times the square root of the rows: half-grown
_STEPS = 200_000  # rows times iterations between two pictures

Step = Callable[[NDArray[np.float64], int], None]  # positions (N, 2) and the iterations done


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
    map_ = TSNEEmbedding(start, PrecomputedAffinities(attraction, normalize=False))
    for phase in phases:

        def told(iteration: int, _error: float, reached: NDArray[np.float64], before: int = done) -> bool:
            step(np.asarray(reached), before + iteration)
            return False

        map_.optimize(
            phase.iterations,
            inplace=True,
            exaggeration=phase.exaggeration,
            learning_rate=phase.rate * count,
            momentum=0.8,
            negative_gradient_method="fft" if count >= INTERPOLATED else "bh",
            ints_in_interval=GRID,
            n_jobs=_cores() if count >= SHARED else 1,
            callbacks=told,
            callbacks_every_iters=max(1, min(10, _STEPS // count)),
        )
        done += phase.iterations
    return np.asarray(map_, np.float64)


def _cores() -> int:
    import joblib

    return max(1, int(joblib.cpu_count(only_physical_cores=True)))
