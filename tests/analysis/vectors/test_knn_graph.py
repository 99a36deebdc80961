"""The neighbour graph is compared with brute force in float64, and updates with computing it anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.vectors import exact, hnsw
from explorer.analysis.vectors import knn_graph as graphs
from explorer.analysis.vectors.knn_graph import KnnGraph, build, update_rows
from explorer.task import Cancelled, Progress, Task


def reordered(graph: KnnGraph, order: NDArray[np.int64]) -> KnnGraph:
    """The same graph with row `order[i]` as row i; `order` is a permutation of all rows, (N,)."""
    new_rows = np.empty(len(order) + 1, dtype=np.int32)
    new_rows[order] = np.arange(len(order), dtype=np.int32)
    new_rows[-1] = -1  # what a missing neighbour, -1, stays
    return KnnGraph(new_rows[graph.rows[order]], graph.scores[order], graph.exact)


def cosines_of(vectors: Any) -> NDArray[np.float64]:
    """(N, N) in float64; -2 with itself and with rows without a direction."""
    rows = np.where(np.isfinite(vectors).all(1)[:, None], vectors, 0).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(lengths > 0, lengths, 1)[:, None]
    found = np.vecdot(unit[:, None], unit[None]).round(12)
    found[lengths == 0], found[:, lengths == 0] = -2, -2
    np.fill_diagonal(found, -2)
    return found


def brute(vectors: Any, k: int) -> KnnGraph:
    rows, scores = np.full((len(vectors), k), -1, np.int32), np.zeros((len(vectors), k), np.float32)
    for line, marks in enumerate(cosines_of(vectors)):
        best = np.lexsort((np.arange(len(marks)), -marks))[:k]
        best = best[marks[best] > -2]
        rows[line, : len(best)], scores[line, : len(best)] = best, marks[best]
    return KnnGraph(rows, scores)


def same(ours: KnnGraph, theirs: KnnGraph) -> None:
    np.testing.assert_array_equal(ours.rows, theirs.rows)
    np.testing.assert_allclose(ours.scores, theirs.scores, rtol=1e-6, atol=1e-6)
    assert (ours.rows.dtype, ours.scores.dtype) == (np.int32, np.float32)
    assert ours.exact


def vectors_of(seed: int, count: int, width: int = 12) -> NDArray[np.float32]:
    """Rows in clusters, with copies and rows without a direction among them."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((max(1, count // 8), width))
    rows = centres[chance.integers(len(centres), size=count)] + 0.5 * chance.standard_normal((count, width))
    rows[chance.random(count) < 0.05] = 0
    rows[chance.random(count) < 0.2] = rows[0]
    return rows.astype(np.float32)


def clustered(count: int, width: int = 32, seed: int = 0) -> NDArray[np.float32]:
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((max(1, count // 100), width))
    return (centres[chance.integers(len(centres), size=count)] + chance.standard_normal((count, width))).astype(
        np.float32
    )


def near_copies(count: int, noise: float, width: int = 32) -> NDArray[np.float32]:
    chance = np.random.default_rng(9)
    return (chance.standard_normal(width) + noise * chance.standard_normal((count, width))).astype(np.float32)


def recall(found: KnnGraph, true: KnnGraph) -> float:
    return float((found.rows[:, :, None] == true.rows[:, None]).any(2).mean())


@pytest.mark.parametrize("seed", range(12))
def test_the_graph_is_brute_force(seed: int) -> None:
    chance = np.random.default_rng(seed)
    vectors = vectors_of(seed, int(chance.integers(1, 300)))
    k = int(chance.integers(1, 25))
    same(build(vectors, k), brute(vectors, k))
    same(build(vectors.astype(np.float16), k), brute(vectors.astype(np.float16), k))


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_rows_have_few_neighbours(count: int) -> None:
    vectors = np.eye(4, dtype=np.float32)[:count] + 0.1
    made = build(vectors, 15)
    same(made, brute(vectors, 15))
    assert made.rows.shape == (count, 15)
    assert ((made.rows >= 0).sum(axis=1) == max(0, count - 1)).all()
    assert made.symmetric.shape == (count, count)


def test_rows_without_a_direction_have_no_neighbours_and_are_nobodys() -> None:
    vectors = clustered(40)
    vectors[3], vectors[7, 0], vectors[9, 1] = 0, np.nan, np.inf
    made = build(vectors, 5)
    assert (made.rows[[3, 7, 9]] == -1).all()
    assert not np.isin(made.rows, [3, 7, 9]).any()
    assert (np.delete(made.rows, [3, 7, 9], axis=0) >= 0).all()
    nothing = build(np.zeros((6, 4), np.float32), 5)
    assert (nothing.rows == -1).all()
    assert nothing.symmetric.nnz == 0
    same(update_rows(nothing, np.zeros((3, 4), np.float32), [0, 1, 5], 5), reordered(nothing, np.arange(3)))


def test_the_same_text_a_thousand_times() -> None:
    made = build(np.full((3000, 8), 0.35, np.float32), 3)
    assert made.rows[[0, 2, 2999]].tolist() == [[1, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert (made.scores == 1).all()
    more = update_rows(made, np.full((4000, 8), 0.35, np.float32), [*range(3000), *[-1] * 1000], 3)
    assert more.rows[[0, 3999]].tolist() == [[1, 2, 3], [0, 1, 2]]


@pytest.mark.timeout(120)  # telling all pairs apart would take longer
@pytest.mark.parametrize("noise", [1e-5, 1e-4, 3e-3])
def test_thousands_of_near_copies(noise: float) -> None:
    vectors = near_copies(8000, noise)
    made = build(vectors, 10)
    assert (made.rows >= 0).all()
    assert (made.rows != np.arange(8000)[:, None]).all()
    assert (np.diff(np.sort(made.rows, axis=1)) > 0).all()
    assert (made.scores > 1 - 4 * noise**2 - 1e-6).all()
    more = update_rows(made, np.concatenate([vectors, vectors[:5]]), [*range(8000), *[-1] * 5], 10)
    assert (more.scores[[0, 8000], 0] > 1 - 1e-6).all()
    if noise > 1e-3:  # closer together float32 cannot tell the copy from its thousands of near copies
        assert more.rows[8000, 0] == 0
        assert more.rows[0, 0] == 8000


def test_near_copies_leave_the_others_their_neighbours() -> None:
    others = clustered(1500)
    vectors = np.concatenate([others[:700], near_copies(4000, 1e-4), others[700:]])
    made, apart = build(vectors, 6), np.r_[0:700, 4700:5500]
    wanted = brute(others, 6)
    found = np.where(made.rows >= 4700, made.rows - 4000, made.rows)[apart]
    of_others = ~np.isin(made.rows[apart], np.arange(700, 4700)).any(axis=1)
    assert of_others.mean() > 0.5
    np.testing.assert_array_equal(found[of_others], wanted.rows[of_others])


def changed(chance: np.random.Generator, vectors: Any, seed: int) -> tuple[Any, NDArray[np.int64]]:
    """Other rows: some gone, some changed, some new among them; and for each which it was, or -1."""
    stay = np.flatnonzero(chance.random(len(vectors)) > chance.choice([0, 0.02, 0.3]))
    kept = np.where(chance.random(len(stay)) < chance.choice([0, 0.02, 0.5]), -1, stay)
    places = np.sort(chance.integers(0, len(kept) + 1, int(chance.integers(0, 40))))
    kept = np.insert(kept, places, -1)
    fresh = vectors_of(1000 + seed, max(1, len(kept)), vectors.shape[1])
    fresh[chance.random(len(fresh)) < 0.2] = vectors[0] if len(vectors) else 0
    return np.where(kept[:, None] >= 0, vectors[kept] if len(vectors) else 0, fresh[: len(kept)]), kept


@pytest.mark.parametrize("seed", range(30))
def test_an_update_is_computing_anew(seed: int) -> None:
    chance = np.random.default_rng(seed)
    vectors = vectors_of(seed, int(chance.integers(1, 250)))
    made = build(vectors, 6)
    for step in range(3):
        vectors, kept = changed(chance, vectors, 10 * seed + step)
        made = update_rows(made, vectors, kept, 6)
        same(made, build(vectors, 6))


def test_an_update_to_more_or_fewer_neighbours() -> None:
    vectors = vectors_of(5, 120)
    made, kept = build(vectors[:100], 6), [*range(100), *[-1] * 20]
    for k in (3, 6, 9):
        same(update_rows(made, vectors, kept, k), build(vectors, k))
    same(build(vectors, 9).narrowed(4), build(vectors, 4))
    assert made.narrowed(6) is made


def test_an_update_compares_only_what_changed() -> None:
    vectors = clustered(5000)
    made, seen = build(vectors[:4999]), list[Progress]()
    same(update_rows(made, vectors, [*range(4999), -1], task=Task(seen.append)), build(vectors))
    assert 0 < max(progress.total for progress in seen) <= 5000  # products of one strip with every row
    seen.clear()
    update_rows(made, vectors[:4999], np.arange(4999), task=Task(seen.append))
    assert seen == []


def test_the_order_of_rows_does_not_matter() -> None:
    vectors = clustered(400)
    order = np.random.default_rng(1).permutation(400)
    same(build(vectors[order], 8), reordered(build(vectors, 8), order))
    copies = vectors_of(3, 400)
    np.testing.assert_array_equal(build(copies[order], 8).scores, build(copies, 8).scores[order])


def test_symmetric_names_a_pair_both_ways_once() -> None:
    made = KnnGraph(
        np.array([[1, 2], [0, -1], [3, -1], [2, -1]], np.int32),
        np.array([[0.9, 0.2], [0.9, 0], [-0.1, 0], [-0.1, 0]], np.float32),
    )
    wanted = np.zeros((4, 4))
    wanted[0, 1] = wanted[1, 0] = 0.9
    wanted[0, 2] = wanted[2, 0] = 0.2
    np.testing.assert_allclose(made.symmetric.toarray(), wanted, rtol=1e-6)


def test_reordered_keeps_who_is_near_whom() -> None:
    made, order = build(vectors_of(2, 50), 4), np.random.default_rng(0).permutation(50)
    again = reordered(made, order)
    for row in range(50):
        named = [order[other] for other in again.rows[row] if other >= 0]
        assert named == [other for other in made.rows[order[row]] if other >= 0]
    same(reordered(again, np.argsort(order)), made)


def test_a_large_graph_is_approximate_and_stays_good(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = clustered(2000, 24)
    vectors[[5, 60]] = 0
    wanted, less = build(vectors, 10), build(vectors[:1950], 10)
    monkeypatch.setattr(exact, "EXACT_LIMIT", 1000)
    for redo in (graphs.REBUILD_ABOVE, 3):  # few rows are compared with all, for many it is made anew
        monkeypatch.setattr(graphs, "REBUILD_ABOVE", redo)
        made = build(vectors[:1950], 10)
        assert not made.exact
        assert recall(made, less) > 0.98
        more = update_rows(made, vectors, [*range(1950), *[-1] * 50], 10)
        fewer = update_rows(more, vectors[50:], np.arange(50, 2000), 10)
        assert recall(more, wanted) > 0.98
        assert recall(fewer, update_rows(wanted, vectors[50:], np.arange(50, 2000), 10)) > 0.98
        for one, empty in ((made, [5, 60]), (more, [5, 60]), (fewer, [10])):
            assert not one.exact
            assert (one.rows[empty] == -1).all()
            assert not np.isin(one.rows, empty).any()
            assert (np.delete(one.rows, empty, axis=0) >= 0).all()
            assert (one.rows != np.arange(len(one))[:, None]).all()


def test_a_large_graph_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "EXACT_LIMIT", 1000)
    # So weak a search index that any other order of building shows.
    monkeypatch.setattr(hnsw, "CONNECTIVITY", 4)
    monkeypatch.setattr(hnsw, "EXPANSION_ADD", 2)
    vectors = clustered(3000, 24)
    first = build(vectors, 10)
    for _ in range(3):
        np.testing.assert_array_equal(build(vectors, 10).rows, first.rows)


def test_where_the_search_index_leads_nowhere_rows_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "EXACT_LIMIT", 1000)
    monkeypatch.setattr(hnsw, "CONNECTIVITY", 2)
    monkeypatch.setattr(hnsw, "EXPANSION_ADD", 1)
    vectors = clustered(2000, 24)
    assert (hnsw.HnswIndex.build(vectors).all_pairs(vectors, 10).rows < 0).any()
    assert (build(vectors, 10).rows >= 0).all()


def test_progress_and_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, seen = clustered(3000), list[Progress]()
    made = build(vectors, 5, task=Task(seen.append))
    assert seen[-1].done == seen[-1].total > 0
    stopped = Task()
    stopped.cancel()
    for limit in (exact.EXACT_LIMIT, 100):
        monkeypatch.setattr(exact, "EXACT_LIMIT", limit)
        with pytest.raises(Cancelled):
            build(vectors, 5, task=stopped)
        with pytest.raises(Cancelled):
            update_rows(made, vectors, [*range(2990), *[-1] * 10], 5, task=stopped)
    with pytest.raises(Cancelled):
        build(near_copies(8000, 1e-5), 5, task=stopped)
