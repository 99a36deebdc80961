"""The plain ways to a map: principal components, and scikit-learn's embeddings for smaller collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.blocks import Matrix, block_of, blocks, unit_vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SAMPLE = 50_000  # rows that the axes are computed from
_SAME = 1e-3  # distance of unit vectors that float32 cannot tell from 0


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
    with threadpool_limits(
        1, "blas"
    ):  # on a busy machine threads wait for each other a hundred times as long
        found = eigh(spread, subset_by_index=[max(0, width - 2), width - 1])[1]
    axes = found[:, ::-1]  # (n, 2), the largest first
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])  # one of two equal signs
    places = np.zeros((count, 2))
    for part in blocks(count):
        unit, _ = unit_vectors(block_of(vectors, rows[part]))
        places[part, : axes.shape[1]] = unit @ axes - mean @ axes
    return places


def spectral(links: csr_matrix, seed: int) -> NDArray[np.float64]:
    """Slow waves over the graph (R, R) of cosines, which must hang together: (R, 2)."""
    from sklearn.manifold import SpectralEmbedding

    found = SpectralEmbedding(n_components=2, affinity="precomputed", random_state=seed).fit_transform(links)
    return np.asarray(found, np.float64)


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
    found: Any = smacof((apart + apart.T) / 2, n_components=2, init=start, n_init=1, max_iter=100)
    return _two(found[0])


def connect_parts(links: csr_matrix, vectors: Matrix, rows: NDArray[np.int64]) -> csr_matrix:
    """Tie the parts of a graph (R, R) together: the most typical row of each part to that of the largest."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    count, part_of = connected_components(links, directed=False)
    if count == 1:
        return links
    unit, _ = unit_vectors(block_of(vectors, rows))
    typical = unit @ unit.mean(axis=0)
    heads = np.array(
        [np.flatnonzero(part_of == part)[typical[part_of == part].argmax()] for part in range(count)]
    )
    main = heads[np.bincount(part_of).argmax()]
    others = heads[heads != main]
    weight = np.maximum(0.01, unit[others] @ unit[main])
    ties = csr_matrix((weight, (others, np.full(len(others), main))), shape=links.shape)
    return (links + ties + ties.T).tocsr()


def _two(found: NDArray[Any]) -> NDArray[np.float64]:
    """Positions with exactly two columns, where so few rows gave fewer."""
    places = np.zeros((len(found), 2))
    places[:, : found.shape[1]] = found[:, :2]
    return places
