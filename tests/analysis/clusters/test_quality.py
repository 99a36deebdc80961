"""Size, cohesion, central documents and stability say what they claim."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.analysis.clusters.cluster import METHODS, Clustering, cluster
from explorer.analysis.clusters.quality import describe, stability
from explorer.task import Cancelled, Task
from tests.analysis.clusters.test_cluster import graph_of, keys_of, topics, unit


def test_size_cohesion_and_centre_by_hand() -> None:
    vectors = unit(np.array([[1, 0], [1, 0.1], [1, -0.1], [0, 1], [0, 1], [-1, 0]], np.float64))
    found = describe(Clustering(np.array([4, 4, 4, 2, 2, -1], np.int32)), vectors, keys_of(vectors))
    assert [(one.cluster_id, one.size) for one in found] == [(2, 2), (4, 3)]
    assert found[0].cohesion == pytest.approx(1)
    assert found[1].cohesion == pytest.approx((1 + 2 / np.sqrt(1.01)) / 3, abs=1e-6)
    assert found[1].central[0] == 0


def test_tight_clusters_cohere_more_than_loose_ones() -> None:
    vectors = np.concatenate([topics(1, 50, spread=0.05), topics(1, 50, spread=0.3, seed=1)])
    labels = np.repeat(np.array([0, 1], np.int32), 50)
    tight, loose = describe(Clustering(labels), vectors, keys_of(vectors))
    assert tight.cohesion > loose.cohesion + 0.1


def test_central_documents_are_different_texts_in_any_order() -> None:
    vectors = topics(1, 40)
    vectors[10:20] = vectors[:1]
    keys = [bytes([row]) for row in range(40)]
    keys[10:20] = keys[:1] * 10
    (one,) = describe(Clustering(np.zeros(40, np.int32)), vectors, keys)
    assert len({keys[row] for row in one.central}) == 5
    order = np.random.default_rng(0).permutation(40)
    (other,) = describe(Clustering(np.zeros(40, np.int32)), vectors[order], [keys[row] for row in order])
    assert [keys[row] for row in one.central] == [keys[order[row]] for row in other.central]


def test_nothing_to_describe() -> None:
    assert describe(Clustering(np.zeros(0, np.int32)), np.zeros((0, 4), np.float32), []) == ()
    assert describe(Clustering(np.full(3, -1, np.int32)), np.ones((3, 4), np.float32), [b"a", b"b", b"c"]) == ()


@pytest.mark.parametrize("method", METHODS)
def test_clear_clusters_are_found_again(method: str) -> None:
    vectors = topics(5, 50)
    keys, graph = keys_of(vectors), graph_of(vectors)
    settings = {} if method == "hdbscan" else {"count": 5}
    sure = stability(graph, vectors, keys, cluster(graph, vectors, keys, method=method, **settings), rounds=3)
    assert len(sure) >= 5
    assert min(sure.values()) > 0.9


def test_a_cluster_drawn_by_lot_is_not_found_again() -> None:
    vectors = topics(5, 50)
    labels = np.repeat(np.arange(5, dtype=np.int32), 50)
    labels[100:] = np.random.default_rng(0).integers(2, 5, 150)
    values = stability(graph_of(vectors), vectors, keys_of(vectors), Clustering(labels))
    assert min(values[0], values[1]) > 0.9
    assert max(values[2], values[3], values[4]) < 0.5


def test_it_can_be_cancelled_and_does_nothing_on_nothing() -> None:
    vectors, task = topics(3, 20), Task()
    made = cluster(graph_of(vectors), vectors, keys_of(vectors))
    task.cancel()
    with pytest.raises(Cancelled):
        stability(graph_of(vectors), vectors, keys_of(vectors), made, task=task)
    empty = np.zeros((0, 4), np.float32)
    assert stability(graph_of(empty), empty, [], Clustering(np.zeros(0, np.int32))) == {}
