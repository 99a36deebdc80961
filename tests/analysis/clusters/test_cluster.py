"""Clusters are the same in any order of files, leave out what belongs nowhere, and work on odd collections."""

from __future__ import annotations

from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.clusters.cluster import Clustering, assign_leftovers, cluster, follow
from explorer.analysis.clusters.methods import METHODS, resolution
from explorer.analysis.vectors.exact import all_pairs
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Cancelled, Task

Vectors = NDArray[np.float32]


def unit(points: NDArray[np.floating]) -> Vectors:
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0).astype(np.float32)


def topics(count: int, size: int, *, spread: float = 0.12, width: int = 32, seed: int = 0) -> Vectors:
    """`count` bundles of `size` directions, one bundle after the other."""
    rng = np.random.default_rng(seed)
    centres = unit(rng.normal(size=(count, width)))
    return unit(np.repeat(centres, size, axis=0) + spread * rng.normal(size=(count * size, width)))


def graph_of(vectors: Vectors, k: int = 15) -> KnnGraph:
    live = np.flatnonzero(vectors.any(axis=1))
    if len(live) < 2:
        return KnnGraph(np.full((len(vectors), 0), -1, np.int32), np.zeros((len(vectors), 0), np.float32))
    found = all_pairs(vectors, k, rows=live)
    return KnnGraph(found.rows.astype(np.int32), found.scores)


def keys_of(vectors: Vectors) -> list[bytes]:
    return [blake2b(b"%d" % row + vector.tobytes(), digest_size=16).digest() for row, vector in enumerate(vectors)]


def clustered(vectors: Vectors, **settings: object) -> Clustering:
    return cluster(graph_of(vectors), vectors, keys_of(vectors), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_clear_topics_are_found(method: str) -> None:
    made = clustered(topics(6, 60), method=method, **({} if method == "hdbscan" else {"count": 6}))
    labels = made.labels.reshape(6, 60)
    majority = [np.bincount(line + 1).argmax() - 1 for line in labels]
    assert len(set(majority)) == 6
    assert min(majority) >= 0
    assert np.mean(labels == np.array(majority)[:, None]) > 0.9


def test_labels_go_from_the_largest_on() -> None:
    vectors = np.concatenate([topics(1, size, seed=size) for size in (30, 90, 60)])
    made = clustered(vectors)
    assert made.ids == tuple(range(len(made.ids)))
    sizes = np.bincount(made.labels[made.labels >= 0])
    assert (np.diff(sizes) <= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_does_not_matter(method: str) -> None:
    vectors = topics(8, 40, spread=0.25)
    vectors[5] = 0
    vectors[100:120] = vectors[100]  # more copies than neighbours, so that ties are broken by row
    vectors[200] = vectors[201]
    keys = keys_of(vectors)
    whole = cluster(graph_of(vectors), vectors, keys, method=method)
    assert len(whole.ids) > 1
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(vectors))
        again = cluster(graph_of(vectors[order]), vectors[order], [keys[row] for row in order], method=method)
        assert np.array_equal(again.labels, whole.labels[order])


def test_the_same_call_gives_the_same_twice_and_another_seed_is_allowed() -> None:
    vectors = topics(8, 50, spread=0.35)
    assert np.array_equal(clustered(vectors).labels, clustered(vectors).labels)
    assert len(clustered(vectors, seed=7).labels) == 400


def test_granularity_moves_smoothly_from_few_to_many() -> None:
    rng = np.random.default_rng(0)
    broad = np.repeat(rng.normal(size=(6, 48)), 10, axis=0) + 0.6 * rng.normal(size=(60, 48))
    vectors = unit(np.repeat(broad, 40, axis=0) + 0.5 * rng.normal(size=(2400, 48)))
    graph, keys = graph_of(vectors), keys_of(vectors)
    counts = [len(cluster(graph, vectors, keys, granularity=step / 10).ids) for step in range(11)]
    assert counts[0] <= 8
    assert counts[-1] >= 60
    assert all(later >= 0.8 * earlier for earlier, later in pairwise(counts))


@pytest.mark.parametrize("size", [10, 300, 3000, 10**6])
def test_resolution_grows_and_is_one_in_the_middle(size: int) -> None:
    values = [resolution(step / 20, size) for step in range(21)]
    assert np.all(np.diff(values) > 0)
    assert values[10] == pytest.approx(1)


@pytest.mark.parametrize("count", [2, 5, 12])
def test_a_wanted_number_is_met(count: int) -> None:
    assert abs(len(clustered(topics(12, 40), count=count).ids) - count) <= 1


def test_what_belongs_nowhere_is_left_over_and_can_be_assigned() -> None:
    rng = np.random.default_rng(3)
    strays = unit(rng.normal(size=(6, 256)))
    vectors = np.concatenate([topics(5, 80, width=256, spread=0.04), strays])
    made = clustered(vectors)
    assert (made.labels[-6:] == -1).all()
    assert made.leftover_share < 0.03
    whole = assign_leftovers(made, vectors)
    assert whole.leftover_share == 0
    assert np.array_equal(whole.labels[made.labels >= 0], made.labels[made.labels >= 0])
    centres = np.stack([vectors[made.labels == number].mean(axis=0) for number in made.ids])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    assert np.array_equal(whole.labels[-6:], (strays @ centres.T).argmax(axis=1))


def test_noise_alone_is_not_declared_leftover() -> None:
    assert clustered(unit(np.random.default_rng(0).normal(size=(800, 64)))).leftover_share <= 0.11


def test_one_half_of_near_copies_does_not_make_leftovers_of_the_rest() -> None:
    vectors = np.concatenate([topics(1, 300, spread=0.002), topics(5, 60, spread=0.25, seed=1)])
    assert clustered(vectors).leftover_share < 0.1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7])
def test_a_few_documents(method: str, size: int) -> None:
    vectors = topics(1, size) if size else np.zeros((0, 8), np.float32)
    made = clustered(vectors, method=method)
    assert made.labels.shape == (size,)
    assert made.labels.dtype == np.int32
    if 0 < size <= 3:
        assert made.ids == (0,)
        assert made.leftover_share == 0


@pytest.mark.parametrize("method", METHODS)
def test_all_identical_is_one_cluster(method: str) -> None:
    vectors = np.repeat(topics(1, 1), 500, axis=0)
    made = clustered(vectors, method=method)
    assert set(made.labels.tolist()) == {0}


@pytest.mark.parametrize("method", METHODS)
def test_zero_vectors_are_leftovers_even_when_assigned(method: str) -> None:
    vectors = topics(4, 30)
    vectors[::10] = 0
    made = assign_leftovers(clustered(vectors, method=method), vectors)
    assert np.array_equal(np.flatnonzero(made.labels < 0), np.arange(0, 120, 10))
    nothing = np.zeros((20, 8), np.float32)
    empty = clustered(nothing, method=method)
    assert (empty.labels == -1).all()
    assert empty.leftover_share == 1
    assert assign_leftovers(empty, nothing).leftover_share == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_graph_in_pieces(method: str) -> None:
    vectors = np.zeros((90, 6), np.float32)
    for piece in range(3):  # at right angles: no cosine above 0 between pieces
        rows = slice(30 * piece, 30 * piece + 30)
        vectors[rows, 2 * piece : 2 * piece + 2] = [1, 0.2] + 0.05 * np.random.default_rng(piece).random((30, 2))
    made = clustered(unit(vectors), method=method, **({} if method == "hdbscan" else {"count": 3}))
    for label in made.ids:
        assert len(set((made.members(label) // 30).tolist())) == 1
    assert len(made.ids) >= 3


def test_more_clusters_than_documents() -> None:
    for method in ("kmeans", "agglomerative", "leiden"):
        assert len(clustered(topics(2, 5), method=method, count=1000).ids) <= 10


def test_thirty_thousand_near_copies() -> None:
    count, k = 30_000, 15
    vectors = unit(np.ones(8) + 1e-3 * np.random.default_rng(0).normal(size=(count, 8)))
    rows = ((np.arange(count)[:, None] + np.arange(1, k + 1)) % count).astype(np.int32)
    scores = np.full((count, k), 0.99999, np.float32)
    made = cluster(KnnGraph(rows, scores), vectors, [b"%08d" % row for row in range(count)])
    assert made.leftover_share < 0.1
    assert len(made.ids) >= 1


def test_a_page_copied_a_thousand_times_takes_nobody_s_neighbours() -> None:
    vectors = topics(4, 50)
    vectors = np.concatenate([vectors, np.repeat(vectors[:1], 1000, axis=0)])
    made = clustered(vectors)
    assert len(set(made.labels[200:].tolist())) == 1
    assert made.labels[200] == made.labels[0] == np.bincount(made.labels[:50] + 1).argmax() - 1
    assert len(made.ids) == 4


def test_topics_are_found_where_every_page_has_more_copies_than_neighbours() -> None:
    made = clustered(np.repeat(topics(3, 20), 20, axis=0))
    assert len(made.ids) == 3
    assert all(len(set(made.labels[start : start + 400].tolist())) == 1 for start in (0, 400, 800))


def test_settings_out_of_range_are_refused() -> None:
    for settings in ({"granularity": 1.5}, {"count": 0}, {"method": "magic"}):
        with pytest.raises(ValueError, match=r"granularity|clusters|method"):
            clustered(topics(2, 5), **settings)
    with pytest.raises(ValueError, match="keys"):
        cluster(graph_of(topics(2, 5)), topics(2, 5), [b"a"])


@pytest.mark.parametrize("method", METHODS)
def test_cancelled_work_stops(method: str) -> None:
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        clustered(topics(4, 30), method=method, task=task)


def test_cancelled_on_the_way() -> None:
    vectors, notes = topics(6, 60), []

    def note(progress: object) -> None:
        notes.append(progress)
        if len(notes) == 3:
            task.cancel()

    task = Task(note)
    with pytest.raises(Cancelled):
        clustered(vectors, count=6, task=task)
    assert len(notes) == 3


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
