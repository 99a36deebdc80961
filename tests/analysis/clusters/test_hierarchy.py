"""The tree is nested, shows the clustering it was made for, and is the same in any order of rows."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.analysis.clusters.cluster import cluster
from explorer.analysis.clusters.hierarchy import hierarchy
from explorer.task import Cancelled, Task
from tests.analysis.clusters.test_cluster import graph_of, keys_of, unit


def nested_topics() -> np.ndarray:
    rng = np.random.default_rng(0)
    broad = np.repeat(rng.normal(size=(5, 48)), 6, axis=0) + 0.7 * rng.normal(size=(30, 48))
    return unit(np.repeat(broad, 30, axis=0) + 0.6 * rng.normal(size=(900, 48)))


def test_each_finer_cluster_lies_inside_one_coarser_one() -> None:
    vectors = nested_topics()
    vectors[7] = 0
    graph, keys = graph_of(vectors), keys_of(vectors)
    shown = cluster(graph, vectors, keys)
    tree = hierarchy(graph, vectors, keys, shown)
    assert len(tree.levels) >= 3
    assert np.array_equal(tree.levels[tree.shown], shown.labels)
    counts = [len(np.unique(level[level >= 0])) for level in tree.levels]
    assert counts == sorted(set(counts))
    for place in range(1, len(tree.levels)):
        over, level, parents = tree.levels[place - 1], tree.levels[place], tree.parents[place]
        assert np.array_equal(over < 0, level < 0)
        assert np.array_equal(parents[level[level >= 0]], over[level >= 0])
        for label in np.unique(over[over >= 0]):
            assert set(parents[tree.children(place - 1, label)].tolist()) == {label}
    assert (tree.parents[0] == -1).all()
    assert not len(tree.children(len(tree.levels) - 1, 0))


def test_no_part_is_too_small() -> None:
    vectors = nested_topics()
    graph, keys = graph_of(vectors), keys_of(vectors)
    finest = hierarchy(graph, vectors, keys, cluster(graph, vectors, keys), finer=4).levels[-1]
    assert np.bincount(finest[finest >= 0]).min() >= 3


def test_the_order_of_rows_does_not_matter() -> None:
    vectors = nested_topics()
    keys = keys_of(vectors)
    order = np.random.default_rng(1).permutation(len(vectors))
    mixed, mixed_keys = vectors[order], [keys[row] for row in order]
    one = hierarchy(graph_of(vectors), vectors, keys, cluster(graph_of(vectors), vectors, keys))
    other = hierarchy(graph_of(mixed), mixed, mixed_keys, cluster(graph_of(mixed), mixed, mixed_keys))
    assert len(one.levels) == len(other.levels)
    for first, second in zip(one.levels, other.levels, strict=True):
        assert np.array_equal(first[order], second)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_a_few_documents_have_one_level(size: int) -> None:
    vectors = np.tile(np.float32([1, 0]), (size, 1))
    shown = cluster(graph_of(vectors), vectors, keys_of(vectors))
    tree = hierarchy(graph_of(vectors), vectors, keys_of(vectors), shown)
    assert len(tree.levels) == 1
    assert tree.shown == 0


def test_leftovers_alone_have_one_level() -> None:
    vectors = np.zeros((6, 4), np.float32)
    shown = cluster(graph_of(vectors), vectors, keys_of(vectors))
    assert len(hierarchy(graph_of(vectors), vectors, keys_of(vectors), shown).levels) == 1


def test_it_can_be_cancelled() -> None:
    vectors = nested_topics()
    shown, task = cluster(graph_of(vectors), vectors, keys_of(vectors)), Task()
    task.cancel()
    with pytest.raises(Cancelled):
        hierarchy(graph_of(vectors), vectors, keys_of(vectors), shown, task=task)
