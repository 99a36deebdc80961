"""Leiden finds the partition of largest modularity on graphs where that is known, in connected communities."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from explorer.analysis.clusters.leiden import compact, inner_edges, leiden, modularity, split_disconnected


def random_graph(size: int, density: float, seed: int) -> csr_matrix:
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((size, size)) * (rng.random((size, size)) < density), 1)
    return csr_matrix((half + half.T).astype(np.float32))


def cliques(count: int, size: int) -> csr_matrix:
    """Cliques in a ring, one edge from each to the next."""
    dense = np.kron(np.eye(count), np.ones((size, size))) - np.eye(count * size)
    for ring in range(count):
        a, b = ring * size, ((ring + 1) % count) * size + 1
        dense[a, b] = dense[b, a] = 1
    return csr_matrix(dense.astype(np.float32))


def test_cliques_in_a_ring_are_found() -> None:
    labels = leiden(cliques(8, 6), 1.0)
    assert np.array_equal(labels, np.repeat(np.arange(8), 6))


def test_close_to_the_best_of_all_partitions() -> None:
    lost = []
    for seed in range(6):
        weights = random_graph(6, 0.6, seed)
        best = max(modularity(weights, np.array(labels, np.int32)) for labels in product(range(3), repeat=6))
        lost.append(best - modularity(weights, leiden(weights, 1.0)))
    assert np.mean(lost) < 0.02


def test_modularity_is_newman_s() -> None:
    weights = random_graph(20, 0.4, 1)
    labels = np.arange(20, dtype=np.int32) % 3
    dense = weights.toarray().astype(float)
    degrees, total = dense.sum(axis=1), dense.sum()
    same = labels[:, None] == labels[None, :]
    expected = ((dense - 1.7 * np.outer(degrees, degrees) / total) * same).sum() / total
    assert modularity(weights, labels, 1.7) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [0.2, 1, 5, 40])
def test_every_community_is_connected(scale: float) -> None:
    weights = random_graph(300, 0.02, 5)
    labels = leiden(weights, scale)
    parts, _ = connected_components(inner_edges(weights, labels), directed=False)
    assert parts == labels.max() + 1


def test_going_on_from_the_result_gains_little() -> None:
    weights = random_graph(400, 0.03, 2)
    once = leiden(weights, 1.0)
    twice = leiden(weights, 1.0, start=once)
    assert modularity(weights, once) - 1e-6 <= modularity(weights, twice) <= modularity(weights, once) + 0.02


@pytest.mark.parametrize("scale", [0.5, 1, 4])
def test_at_least_as_good_as_louvain(scale: float) -> None:
    from sknetwork.clustering import Louvain

    for seed in range(3):
        weights = random_graph(400, 0.03, seed)
        other = Louvain(resolution=scale).fit_predict(weights).astype(np.int32)
        assert modularity(weights, leiden(weights, scale), scale) >= modularity(weights, other, scale) - 0.002


def test_a_start_that_does_not_hang_together_is_cut() -> None:
    weights = csr_matrix(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)).astype(np.float32))
    assert np.array_equal(leiden(weights, 0.1, start=np.zeros(6, np.int32)), [0, 0, 0, 1, 1, 1])


def test_a_good_start_is_kept_and_a_bad_one_left() -> None:
    weights, truth = cliques(6, 8), np.repeat(np.arange(6, dtype=np.int32), 8)
    assert np.array_equal(leiden(weights, 1.0, start=truth), truth)
    mixed = np.random.default_rng(0).integers(0, 6, 48).astype(np.int32)
    assert modularity(weights, leiden(weights, 1.0, start=mixed)) > modularity(weights, mixed) + 0.3


def test_calls_do_not_disturb_each_other() -> None:
    weights = random_graph(500, 0.02, 3)
    first = leiden(weights, 2.0)
    kept = weights.data.copy()
    leiden(random_graph(100, 0.1, 4), 1.0)
    assert np.array_equal(leiden(weights, 2.0), first)
    assert np.array_equal(weights.data, kept)


def test_nodes_without_edges_are_alone() -> None:
    assert np.array_equal(leiden(csr_matrix((4, 4), dtype=np.float32), 1.0), np.arange(4))
    weights = cliques(2, 4)
    weights.resize((10, 10))
    labels = leiden(weights, 1.0)
    assert (labels == labels[8]).sum() == (labels == labels[9]).sum() == 1


def test_communities_are_cut_where_they_do_not_hang_together() -> None:
    weights = csr_matrix(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)).astype(np.float32))
    assert np.array_equal(split_disconnected(weights, np.zeros(6, np.int32)), [0, 0, 0, 1, 1, 1])


def test_compact_numbers_by_first_member() -> None:
    assert np.array_equal(compact(np.array([7, 3, 7, 9, 3])), [0, 1, 0, 2, 1])
