"""Neighbours are compared with brute force in float64 on the stored numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.vectors.exact import (
    EXACT_LIMIT,
    Neighbours,
    all_pairs,
    choose,
    nearest,
    radius_pairs,
    row_lengths,
)
from explorer.analysis.vectors.hnsw import HnswIndex
from explorer.errors import DataError
from explorer.task import Cancelled, Progress, Task

TYPES = (np.float16, np.float32, np.float64)


def scores_of(queries: Any, vectors: Any) -> NDArray[np.float64]:
    """Cosines (Q, N) in float64, rows that are not finite taken as zero."""
    a, b = (np.where(np.isfinite(x).all(1)[:, None], x, 0) for x in map(np.float64, (queries, vectors)))
    size = np.sqrt((a**2).sum(1))[:, None] * np.sqrt((b**2).sum(1))
    dots = (a[:, None] * b[None]).sum(2)
    return np.divide(dots, size, out=np.zeros_like(dots), where=size > 0).round(12)


def brute(queries: Any, vectors: Any, k: int, rows: Any = None, *, own: bool = False) -> Neighbours:
    scores = scores_of(queries, vectors)
    found = []
    for line, marks in enumerate(scores):
        columns = np.arange(len(vectors)) if rows is None else np.unique(rows)
        columns = columns[columns != line] if own else columns
        found.append(columns[np.lexsort((columns, -marks[columns]))][:k])
    best = np.array(found, np.int64).reshape(len(scores), -1)
    return Neighbours(best, np.take_along_axis(scores, best, 1).astype(np.float32))


def same(ours: Neighbours, theirs: Neighbours) -> None:
    np.testing.assert_array_equal(ours.rows, theirs.rows)
    np.testing.assert_allclose(ours.scores, theirs.scores, rtol=1e-6, atol=1e-6)
    assert ours.rows.dtype == np.int64
    assert ours.scores.dtype == np.float32
    assert ours.exact


def vectors_of(seed: int, count: int, width: int, kind: Any = np.float16) -> Any:
    """Unit rows in clusters, with copies, zeros and rows of other lengths among them."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((max(1, count // 8), width))
    rows = centres[chance.integers(len(centres), size=count)] + 0.5 * chance.standard_normal((count, width))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[chance.random(count) < 0.1] *= 30
    rows[chance.random(count) < 0.05] = 0
    rows[chance.random(count) < 0.15] = rows[0]
    return rows.astype(kind)


@pytest.mark.parametrize("seed", range(24))
def test_nearest_is_brute_force(seed: int) -> None:
    chance = np.random.default_rng(seed)
    count, width, k = (int(chance.integers(1, top)) for top in (400, 80, 25))
    vectors = vectors_of(seed, count, width, TYPES[seed % 3])
    queries = chance.standard_normal((int(chance.integers(1, 12)), width)).astype(np.float32)
    rows = None if seed % 2 else chance.choice(count, max(1, count // 2), replace=False)
    expected = brute(queries, vectors, k, rows)
    for lengths in (None, row_lengths(vectors)):
        same(nearest(vectors, queries, k, rows=rows, lengths=lengths), expected)


@pytest.mark.parametrize("seed", range(12))
def test_all_pairs_is_brute_force(seed: int) -> None:
    chance = np.random.default_rng(100 + seed)
    count, width, k = (int(chance.integers(2, top)) for top in (300, 60, 20))
    vectors = vectors_of(seed, count, width, TYPES[seed % 3])
    expected = brute(vectors, vectors, min(k, count - 1), own=True)
    same(all_pairs(vectors, k), expected)


def test_many_rows_and_blocks() -> None:
    vectors = vectors_of(1, 9000, 12)
    queries = vectors[[5, 8999, 40, 41, 42, 43]].astype(np.float32)
    expected = brute(queries, vectors, 10)
    same(nearest(vectors, queries, 10), expected)
    first = Neighbours(expected.rows[:1], expected.scores[:1])
    for lengths in (None, row_lengths(vectors)):
        same(nearest(vectors, queries[0], 10, lengths=lengths), first)


def test_a_crowd_of_copies_comes_in_order() -> None:
    vectors = np.concatenate([np.ones((6000, 4)), vectors_of(0, 50, 4)]).astype(np.float16)
    for count in (1, 6):  # few queries are scanned, more are multiplied
        assert nearest(vectors, np.ones((count, 4), np.float32), 3).rows.tolist() == [[0, 1, 2]] * count
    assert all_pairs(vectors[:2000], 2).rows[:3].tolist() == [[1, 2], [0, 2], [0, 1]]


def test_memory_mapped_and_not_contiguous(tmp_path: Path) -> None:
    vectors = vectors_of(3, 500, 32)
    vectors.tofile(tmp_path / "vectors")
    mapped = np.memmap(tmp_path / "vectors", np.float16, "r", shape=(500, 32))
    expected = all_pairs(vectors, 7)
    same(all_pairs(mapped, 7), expected)
    same(all_pairs(np.asfortranarray(vectors), 7), expected)
    wide = np.repeat(np.repeat(vectors, 2, 0), 2, 1)
    same(all_pairs(wide[::2, ::2], 7), expected)
    same(nearest(mapped, vectors[:2], 9, lengths=row_lengths(mapped)), brute(vectors[:2], vectors, 9))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_rows(count: int, kind: Any) -> None:
    vectors = np.eye(4)[:count].astype(kind)
    queries = np.ones((2, 4), np.float32)
    for k in (0, 1, 10):
        assert nearest(vectors, queries, k).rows.shape == (2, min(k, count))
        assert all_pairs(vectors, k).rows.shape == (count, min(k, max(0, count - 1)))
    assert nearest(vectors, np.zeros((0, 4)), 3).rows.shape == (0, min(3, count))
    assert radius_pairs(vectors, 0.0).rows.shape == (count * (count - 1) // 2, 2)


def test_identical_rows_come_in_order() -> None:
    vectors = np.full((50, 8), 0.35, np.float16)
    found = all_pairs(vectors, 3)
    assert found.rows[0].tolist() == [1, 2, 3]
    assert found.rows[2].tolist() == [0, 1, 3]
    assert found.rows[49].tolist() == [0, 1, 2]
    assert (found.scores == 1).all()


def test_zeros_and_what_is_not_finite_score_zero() -> None:
    vectors = np.zeros((6, 4), np.float16)
    vectors[1], vectors[2, 0], vectors[3, 1], vectors[4] = 1, np.nan, np.inf, -1
    same(all_pairs(vectors, 5), brute(vectors, vectors, 5, own=True))
    for count in (2, 6):  # few queries are scanned, more are multiplied
        found = nearest(vectors, vectors[:count], 6, lengths=row_lengths(vectors))
        same(found, brute(vectors[:count], vectors, 6))
    assert nearest(vectors, np.full(4, np.nan), 3).rows.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("size", [1e-30, 1e-6, 1e30, 1e37])
def test_lengths_far_from_one(size: float) -> None:
    vectors = (vectors_of(5, 200, 10, np.float64) * size).astype(np.float32)
    expected = brute(vectors.astype(np.float64), vectors, 5, own=True)
    same(all_pairs(vectors, 5), expected)
    found = nearest(vectors, vectors[:2], 5, lengths=row_lengths(vectors))
    same(found, brute(vectors[:2], vectors, 5))


def pairs_of(vectors: Any, threshold: float) -> list[tuple[int, int]]:
    scores = scores_of(vectors, vectors)
    first, second = np.triu_indices(len(vectors), 1)
    near = scores[first, second] >= threshold
    first, second = first[near], second[near]
    order = np.lexsort((second, first, -scores[first, second]))
    return list(zip(first[order].tolist(), second[order].tolist(), strict=True))


@pytest.mark.parametrize("threshold", [-2.0, 0.0, 0.5, 0.9, 1.0])
def test_radius_pairs_is_brute_force(threshold: float) -> None:
    for seed, kind in enumerate(TYPES):
        vectors = vectors_of(seed, 300, 20, kind)
        found = radius_pairs(vectors, threshold)
        assert list(map(tuple, found.rows.tolist())) == pairs_of(vectors, threshold)
        assert not found.capped


@pytest.mark.parametrize("limit", [0, 1, 10, 2000])
def test_radius_pairs_keeps_the_best(limit: int) -> None:
    vectors = vectors_of(2, 500, 20)
    found = radius_pairs(vectors, 0.3, limit=limit)
    assert list(map(tuple, found.rows.tolist())) == pairs_of(vectors, 0.3)[:limit]
    assert found.capped


def test_the_same_page_many_times_is_capped() -> None:
    found = radius_pairs(np.ones((3000, 4), np.float16), 0.99, limit=100)
    assert found.rows[-1].tolist() == [0, 100]
    assert found.capped


@pytest.mark.parametrize("queries", [1, 10])
def test_cancel_and_progress(queries: int) -> None:
    seen: list[Progress] = []
    vectors = vectors_of(0, 20_000, 4)
    nearest(vectors, vectors[1 : queries + 1], 3, task=Task(seen.append))
    assert seen[-1].done == seen[-1].total
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        nearest(vectors, vectors[:queries], 3, task=task)
    for stage in (all_pairs, radius_pairs):
        with pytest.raises(Cancelled):
            stage(vectors, 2, task=task)
    with pytest.raises(Cancelled):
        HnswIndex.build(vectors, task=task)


def test_choice() -> None:
    assert choose(EXACT_LIMIT) == "exact"
    assert choose(EXACT_LIMIT + 1) == "approximate"


def clustered(count: int) -> Any:
    chance = np.random.default_rng(0)
    spectrum = (1 + np.arange(64)) ** -0.5
    centres = chance.standard_normal((count // 100, 64)) * spectrum
    rows = centres[chance.integers(len(centres), size=count)]
    rows = rows + 0.8 * chance.standard_normal((count, 64)) * spectrum
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def recall(found: Neighbours, true: Neighbours) -> float:
    return float((found.rows[:, :, None] == true.rows[:, None]).any(2).mean())


def test_approximate_is_saved_opened_and_extended(tmp_path: Path) -> None:
    vectors = clustered(5000)
    index = HnswIndex.build(vectors[:4000])
    index.save(tmp_path / "graph")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["graph"]
    index = HnswIndex.open(tmp_path / "graph", mapped=False)
    index.add(vectors, np.arange(4000, 5000))
    index.save(tmp_path / "graph")
    index = HnswIndex.open(tmp_path / "graph")
    assert len(index) == 5000
    queries = vectors[::50].astype(np.float32)
    found = index.nearest(vectors, queries, 10)
    true = nearest(vectors, queries, 10)
    assert not found.exact
    assert recall(found, true) > 0.95  # threads build it in another order each time
    one = index.nearest(vectors, queries[0], 10)
    assert len(np.intersect1d(one.rows, nearest(vectors, queries[0], 10).rows)) >= 9


def test_approximate_pairs_leave_out_the_row_itself() -> None:
    vectors = clustered(3000)
    found = HnswIndex.build(vectors).all_pairs(vectors, 10)
    assert (found.rows != np.arange(3000)[:, None]).all()
    assert recall(found, all_pairs(vectors, 10)) > 0.95


def test_approximate_takes_what_is_degenerate() -> None:
    vectors = vectors_of(4, 40, 8)
    vectors[1], vectors[2] = 0, np.nan
    index = HnswIndex.build(vectors)
    found = index.nearest(vectors, vectors[:3], 60)
    assert found.rows.shape == (3, 40)
    assert np.isfinite(found.scores).all()
    empty = HnswIndex.build(vectors[:0])
    assert empty.nearest(vectors[:0], vectors[:1], 5).rows.shape == (1, 0)


def test_a_file_that_is_no_graph(tmp_path: Path) -> None:
    (tmp_path / "graph").write_bytes(b"no graph" * 100)
    for name in ("graph", "missing"):
        with pytest.raises(DataError, match=name):
            HnswIndex.open(tmp_path / name)
