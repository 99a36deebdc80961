"""Ids follow their clusters by members, through new documents, splits, merges and renumbering."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.analysis.clusters.cluster import cluster
from explorer.analysis.clusters.stable_ids import follow
from tests.analysis.clusters.test_cluster import graph_of, keys_of, topics


def named(labels: list[int]) -> tuple[list[bytes], np.ndarray]:
    return [b"%d" % row for row in range(len(labels))], np.array(labels, np.int32)


def test_renumbered_clusters_get_their_ids_back() -> None:
    keys, labels = named([0, 0, 0, 1, 1, 2, 2, 2, -1])
    earlier = dict(zip(keys, [7, 7, 7, 3, 3, 5, 5, 5, -1], strict=True))
    followed = follow(earlier, keys, labels, next_id=9)
    assert followed.labels.tolist() == [7, 7, 7, 3, 3, 5, 5, 5, -1]
    assert followed.next_id == 9


def test_new_clusters_never_take_an_old_id() -> None:
    keys, labels = named([0, 0, 0, 1, 1])
    followed = follow({b"gone": 41, b"0": 2, b"1": 2, b"2": 2}, keys, labels, next_id=12)
    assert followed.labels.tolist() == [2, 2, 2, 42, 42]
    assert followed.next_id == 43
    assert follow({}, keys, labels, next_id=12).labels.tolist() == [12, 12, 12, 13, 13]


def test_the_larger_part_of_a_split_cluster_keeps_the_id() -> None:
    keys, labels = named([0] * 4 + [1] * 6)
    followed = follow(dict.fromkeys(keys, 1), keys, labels, next_id=2)
    assert followed.labels.tolist() == [2] * 4 + [1] * 6


def test_merged_clusters_keep_the_id_of_the_larger() -> None:
    keys, labels = named([0] * 10)
    followed = follow(dict(zip(keys, [4] * 3 + [6] * 7, strict=True)), keys, labels, next_id=9)
    assert set(followed.labels.tolist()) == {6}


def test_all_matches_are_weighed_together() -> None:
    # 0 shares most with A, but B fits nothing else: taken greedily, one id would be lost.
    keys, labels = named([0] * 10 + [1] * 5)
    earlier = dict(zip(keys, [1] * 5 + [2] * 5 + [1] * 5, strict=True))
    assert follow(earlier, keys, labels, next_id=3).labels.tolist() == [2] * 10 + [1] * 5


def test_a_cluster_of_strangers_inherits_nothing() -> None:
    keys, labels = named([0] * 20)
    earlier = dict(zip(keys, range(20), strict=True))
    assert follow(earlier, keys, labels, next_id=20).labels.tolist() == [20] * 20


def test_new_documents_do_not_weaken_a_match() -> None:
    keys, labels = named([0] * 100)
    assert set(follow({b"0": 3, b"1": 3}, keys, labels).labels.tolist()) == {3}


def test_nothing_to_follow() -> None:
    assert follow({}, [], np.zeros(0, np.int32)).next_id == 0
    assert follow({b"a": 3}, [b"a"], np.array([-1], np.int32)).labels.tolist() == [-1]


@pytest.mark.parametrize("seed", range(3))
def test_old_documents_keep_their_cluster_when_new_ones_come(seed: int) -> None:
    vectors = topics(10, 60, spread=0.3, seed=seed)
    keys = keys_of(vectors)
    old = np.sort(np.random.default_rng(seed).permutation(600)[:570])
    before = cluster(graph_of(vectors[old]), vectors[old], [keys[row] for row in old])
    earlier = {keys[row]: int(label) for row, label in zip(old, before.labels, strict=True)}
    after = follow(earlier, keys, cluster(graph_of(vectors), vectors, keys, earlier=earlier).labels)
    assert np.mean(after.labels[old] == before.labels) >= 0.95


def test_a_new_topic_gets_a_cluster_of_its_own() -> None:
    vectors = topics(9, 60, spread=0.2)
    keys = keys_of(vectors)
    before = cluster(graph_of(vectors[:480]), vectors[:480], keys[:480])
    earlier = dict(zip(keys, before.labels.tolist(), strict=False))
    after = follow(earlier, keys, cluster(graph_of(vectors), vectors, keys, earlier=earlier).labels)
    assert np.mean(after.labels[480:] >= len(before.ids)) > 0.9
    assert np.mean(after.labels[:480] == before.labels) > 0.95


def test_an_earlier_clustering_that_fits_no_more_is_given_up() -> None:
    vectors = topics(8, 50)
    keys = keys_of(vectors)
    nonsense = dict(zip(keys, (np.arange(400) % 2).tolist(), strict=True))
    fresh = cluster(graph_of(vectors), vectors, keys)
    assert len(cluster(graph_of(vectors), vectors, keys, earlier=nonsense).ids) == len(fresh.ids)
