"""The map: what it keeps, that it stays put, and that odd collections have one."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from explorer.analysis.map import layout as map_layout
from explorer.analysis.map.layout import LIMITS, METHODS, FinishedLayout, landmark_affinities, landmarks, layout, trust
from explorer.analysis.map.placement import RIM, align_to, centre_and_scale, on_rim, place_new, place_query
from explorer.analysis.vectors.knn_graph import KnnGraph, build
from explorer.errors import DataError
from explorer.task import Task

Array = np.ndarray[Any, Any]


def topics(count: int, groups: int = 8, *, width: int = 32, noise: float = 0.12, seed: int = 0) -> Array:
    """Unit vectors around a few directions, group i in the rows i, i + groups, ..."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(groups, width))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    rows = centres[np.arange(count) % groups] + noise * chance.normal(size=(count, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


VECTORS = topics(600)
GRAPH = build(VECTORS)


@pytest.fixture(scope="module")
def drawn() -> FinishedLayout:
    return layout(GRAPH, VECTORS)


def radius(positions: Array) -> float:
    return float(np.sqrt((positions.astype(float) ** 2).sum(axis=1).mean()))


def step(first: Array, second: Array) -> float:
    """How far points moved, root mean square."""
    return radius(first - second)


def test_a_map_keeps_far_more_neighbours_than_its_start(drawn: FinishedLayout):
    flat = layout(GRAPH, VECTORS, method="pca")
    assert trust(drawn.positions, GRAPH).mean > 1.7 * trust(flat.positions, GRAPH).mean
    assert trust(drawn.positions, GRAPH).mean > 0.4
    assert drawn.finished
    assert drawn.method == "tsne"
    assert drawn.positions.dtype == np.float32


def test_groups_stay_apart(drawn: FinishedLayout):
    centres = np.array([drawn.positions[group::8].mean(axis=0) for group in range(8)])
    nearest = ((drawn.positions[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == np.arange(600) % 8).mean() > 0.99


def test_the_interpolated_descent_keeps_neighbours_too():
    vectors = topics(2000, groups=20)
    graph = build(vectors)
    assert trust(layout(graph, vectors).positions, graph).mean > 0.3


def test_the_same_input_gives_the_same_map(drawn: FinishedLayout):
    assert np.array_equal(layout(GRAPH, VECTORS).positions, drawn.positions)
    assert not np.array_equal(layout(GRAPH, VECTORS, seed=1).positions, drawn.positions)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_a_framed_map(method: str):
    positions = layout(GRAPH, VECTORS, method=method).positions
    assert np.abs(positions.mean(axis=0)).max() < 1e-5
    assert radius(positions) == pytest.approx(1, abs=1e-5)
    assert len(np.unique(positions, axis=0)) > 500


@pytest.mark.parametrize("method", ["spectral", "isomap"])
def test_parts_that_no_link_joins_have_a_map(method: str):
    vectors = topics(200, groups=2, width=64, noise=0.01)
    graph = build(vectors)
    assert not np.any((graph.rows - np.arange(200)[:, None]) % 2)  # no neighbour in the other group
    positions = layout(graph, vectors, method=method).positions
    assert np.isfinite(positions).all()
    assert np.linalg.norm(positions[::2].mean(axis=0) - positions[1::2].mean(axis=0)) > 0.5


def test_too_many_documents_for_a_method_are_refused():
    many = LIMITS["mds"] + 1
    graph = KnnGraph(np.full((many, 1), -1, np.int32), np.zeros((many, 1), np.float32))
    with pytest.raises(DataError, match=r"mds takes at most 3,000 documents and there are 3,001"):
        layout(graph, np.zeros((many, 2), np.float32), method="mds")


def test_the_first_picture_comes_at_once_and_the_map_forms_before_the_eyes(drawn: FinishedLayout):
    seen: list[tuple[Array, int, int]] = []
    layout(GRAPH, VECTORS, on_picture=lambda *picture: seen.append(picture))
    assert np.array_equal(seen[0][0], layout(GRAPH, VECTORS, method="pca").positions)
    assert np.array_equal(seen[-1][0], drawn.positions)
    done = [picture[1] for picture in seen]
    assert done == sorted(done)
    assert max(after - before for before, after in pairwise(done)) <= 25
    assert done[-1] == seen[-1][2]
    assert all(radius(picture[0]) == pytest.approx(1, abs=1e-4) for picture in seen)


def test_a_cancelled_map_keeps_what_it_reached(drawn: FinishedLayout):
    task, seen = Task(), []

    def look(positions: Array, done: int, _total: int) -> None:
        seen.append(positions)
        if done >= 60:
            task.cancel()

    half = layout(GRAPH, VECTORS, on_picture=look, task=task)
    assert not half.finished
    assert np.array_equal(half.positions, seen[-1])
    assert not np.array_equal(half.positions, drawn.positions)
    assert trust(half.positions, GRAPH).mean > trust(seen[0], GRAPH).mean


def test_cancelled_before_it_began_it_is_still_a_map():
    task = Task()
    task.cancel()
    early = layout(GRAPH, VECTORS, task=task)
    assert not early.finished
    assert radius(early.positions) == pytest.approx(1, abs=1e-5)


def test_a_map_goes_on_from_an_earlier_one_without_a_jump(drawn: FinishedLayout):
    draft = VECTORS + 0.05 * np.random.default_rng(3).normal(size=VECTORS.shape).astype(np.float32)
    turned = layout(build(draft), draft).positions[:, ::-1] * [1, -1]
    old = (turned * 3 + 5).astype(np.float32)
    seen: list[Array] = []
    new = layout(GRAPH, VECTORS, start=old, on_picture=lambda picture, *_: seen.append(picture))
    size = radius(old - old.mean(axis=0))
    assert np.array_equal(seen[0], old)
    assert max(step(before, after) for before, after in pairwise(seen)) < 0.25 * size
    assert trust(new.positions, GRAPH).mean > 0.95 * trust(drawn.positions, GRAPH).mean
    assert step(new.positions, old) < 0.3 * size
    assert step(drawn.positions * 3 + 5, old) > size  # drawn anew it would lie elsewhere


def test_a_map_from_an_earlier_one_has_room_for_new_documents(drawn: FinishedLayout):
    old = drawn.positions.copy()
    old[500:] = np.nan
    again = layout(GRAPH, VECTORS, start=old).positions
    assert np.isfinite(again).all()
    assert step(again[:500], old[:500]) < 0.5


def test_new_documents_move_no_other(drawn: FinishedLayout):
    new = np.arange(0, 600, 20) + 3
    positions = drawn.positions.copy()
    positions[new] = np.nan
    placed = place_new(GRAPH, positions)
    stay = np.setdiff1d(np.arange(600), new)
    assert placed[stay].tobytes() == drawn.positions[stay].tobytes()
    kept = trust(placed, GRAPH).rows
    assert kept[new].mean() > 0.75 * kept[stay].mean()
    mean = positions.copy()
    mean[new] = np.nanmean(positions[GRAPH.rows[new]], axis=1)
    assert kept[new].mean() >= trust(mean, GRAPH).rows[new].mean()
    assert np.isnan(positions[new]).all()  # what was given is not written to


def test_new_documents_that_know_only_each_other_follow_the_one_that_knows_more():
    rows = np.array([[1, -1], [0, -1], [0, 1], [2, 4], [3, -1], [-1, -1]], np.int32)
    graph = KnnGraph(rows, np.where(rows >= 0, 0.5, 0).astype(np.float32))
    positions = np.full((6, 2), np.nan, np.float32)
    positions[:2] = [[0, 0], [1, 0]]
    placed = place_new(graph, positions)
    assert np.isfinite(placed).all()
    assert 0 <= placed[2, 0] <= 1
    assert np.allclose(placed[2], placed[3])
    assert np.allclose(placed[3], placed[4])
    assert np.linalg.norm(placed[5] - placed[:5].mean(axis=0)) > 0.5


def test_a_new_document_stands_with_most_of_its_neighbours_not_between_groups():
    positions = np.array([[0, 0], [0.1, 0], [0, 0.1], [0.1, 0.1], [9, 9], [np.nan, np.nan]], np.float32)
    rows = np.full((6, 5), -1, np.int32)
    rows[5] = np.arange(5)
    graph = KnnGraph(rows, np.where(rows >= 0, 0.6, 0).astype(np.float32))
    assert np.linalg.norm(place_new(graph, positions)[5] - [0.05, 0.05]) < 0.1


def test_a_query_falls_among_its_nearest(drawn: FinishedLayout):
    rows, scores = GRAPH.rows[7], GRAPH.scores[7]
    spot = place_query(drawn.positions, rows, scores)
    assert spot is not None
    nearest = ((drawn.positions - spot) ** 2).sum(axis=1).argsort()[:15]
    assert len(np.intersect1d(nearest, rows)) >= 4
    assert place_query(drawn.positions, rows, np.zeros_like(scores)) is None


def test_alignment_undoes_turning_mirroring_scaling_and_shifting(drawn: FinishedLayout):
    angle = 0.7
    turn = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])
    moved = drawn.positions @ turn * 4 + [3, -2]
    assert np.allclose(align_to(moved, drawn.positions), drawn.positions, atol=1e-4)
    some = drawn.positions.copy()
    some[::2] = np.nan
    assert np.allclose(align_to(moved, some), drawn.positions, atol=1e-4)
    assert np.allclose(align_to(moved, np.full_like(some, np.nan)), moved)


def test_alignment_does_not_shrink_a_map_that_differs():
    chance = np.random.default_rng(0)
    old, new = centre_and_scale(chance.normal(size=(500, 2))), centre_and_scale(chance.normal(size=(500, 2)))
    assert radius(align_to(new, old)) == pytest.approx(1, abs=1e-3)


def test_trust_is_the_share_of_neighbours_kept():
    positions = np.array([[0, 0], [1, 0], [2.1, 0], [3.3, 0]], np.float32)
    rows = np.array([[1, 2], [0, 3], [0, -1], [-1, -1]], np.int32)
    found = trust(positions, KnnGraph(rows, np.where(rows >= 0, 0.5, 0).astype(np.float32)))
    assert found.rows.tolist() == [1, 0.5, 0, 0]
    assert found.mean == pytest.approx(0.5)


def test_trust_is_what_comparing_all_points_gives(drawn: FinishedLayout):
    apart = ((drawn.positions[:, None].astype(float) - drawn.positions) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    near = apart.argsort(axis=1)[:, :15]
    slow = [len(np.intersect1d(one, other)) / 15 for one, other in zip(near, GRAPH.rows, strict=True)]
    assert np.allclose(trust(drawn.positions, GRAPH).rows, slow, atol=1e-6)


def test_trust_of_thousands_of_points_in_one_place_takes_no_longer():
    rows = ((np.arange(60_000)[:, None] + [1, 2, 3]) % 60_000).astype(np.int32)
    graph = KnnGraph(rows, np.ones(rows.shape, np.float32))
    times = []
    for positions in (np.random.default_rng(0).normal(size=(60_000, 2)), np.zeros((60_000, 2))):
        start = time.process_time()
        assert 0 <= trust(positions.astype(np.float32), graph).mean < 0.01
        times.append(time.process_time() - start)
    assert times[1] < 5 * times[0] + 3  # every point with every other would take minutes


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", range(7))
def test_hardly_any_documents_have_a_map(count: int, method: str):
    vectors = VECTORS[:count]
    graph = build(vectors)
    positions = layout(graph, vectors, method=method).positions
    assert positions.shape == (count, 2)
    assert np.isfinite(positions).all()
    assert len(np.unique(positions.round(3), axis=0)) == count
    assert 0 <= trust(positions, graph).mean <= 1


@pytest.mark.parametrize("count", [2, 5, 300, 2000])
@pytest.mark.parametrize("vector", [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
def test_documents_that_are_all_the_same_have_a_map(count: int, vector: list[float]):
    vectors = np.tile(np.array(vector, np.float32), (count, 1))
    positions = layout(build(vectors), vectors).positions
    assert np.isfinite(positions).all()
    assert len(np.unique(positions, axis=0)) > count / 2 or count < 4


@pytest.mark.parametrize("method", METHODS)
def test_documents_without_neighbours_stand_on_the_rim(method: str):
    vectors = VECTORS.copy()
    vectors[[3, 77, 400]] = 0
    positions = layout(build(vectors), vectors, method=method).positions
    others = np.delete(positions, [3, 77, 400], axis=0)
    middle = others.mean(axis=0)
    farthest = np.linalg.norm(others - middle, axis=1).max()
    assert np.allclose(np.linalg.norm(positions[[3, 77, 400]] - middle, axis=1), RIM * farthest, rtol=1e-3)


def test_many_places_on_the_rim_differ():
    rim = on_rim(np.array([[0, 0], [1, 1]], np.float32), 1000)
    assert len(np.unique(rim.round(5), axis=0)) == 1000
    assert len(np.unique(on_rim(np.zeros((0, 2)), 1000).round(5), axis=0)) == 1000


def test_vectors_may_be_half_precision(drawn: FinishedLayout):
    half = layout(GRAPH, VECTORS.astype(np.float16)).positions
    assert trust(half, GRAPH).mean > 0.9 * trust(drawn.positions, GRAPH).mean


class TestLandmarks:
    """Of many documents, well-spread ones are drawn first, and the others placed among them."""

    @pytest.fixture
    def many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(map_layout, "LANDMARKS_ABOVE", 500)

    def test_no_two_are_neighbours_and_all_others_have_one(self) -> None:
        links = GRAPH.symmetric
        chosen = landmarks(links, np.random.default_rng(0))
        assert links[chosen][:, chosen].nnz == 0
        covered = np.zeros(len(GRAPH), bool)
        covered[chosen] = True
        covered[links[chosen].indices] = True
        assert covered.all()
        assert len(chosen) < len(GRAPH) / 4

    def test_they_attract_by_what_they_share(self) -> None:
        chosen = landmarks(GRAPH.symmetric, np.random.default_rng(0))
        found = landmark_affinities(GRAPH.symmetric, chosen)
        assert found.shape == (len(chosen), len(chosen))
        assert found.sum() == pytest.approx(1)
        assert abs(found - found.T).max() < 1e-6
        assert not found.diagonal().any()

    @pytest.mark.usefixtures("many")
    def test_the_map_keeps_nearly_as_many_neighbours(self, drawn: FinishedLayout) -> None:
        pictures = []
        quick = layout(GRAPH, VECTORS, on_picture=lambda at, done, total: pictures.append((at, done, total)))
        assert trust(quick.positions, GRAPH).mean > 0.9 * trust(drawn.positions, GRAPH).mean
        assert np.isfinite(quick.positions).all()
        steps = [done for _, done, _ in pictures[1:]]
        assert steps == sorted(steps)
        assert pictures[-1][1] == pictures[-1][2]
        assert all(at.shape == (600, 2) for at, _, _ in pictures)
        np.testing.assert_array_equal(layout(GRAPH, VECTORS).positions, quick.positions)

    @pytest.mark.usefixtures("many")
    def test_a_cancel_keeps_what_was_reached(self) -> None:
        task = Task(lambda progress: task.cancel() if progress.done > 20 else None)
        stopped = layout(GRAPH, VECTORS, task=task)
        assert not stopped.finished
        assert np.isfinite(stopped.positions).all()
        assert radius(stopped.positions) == pytest.approx(1, abs=0.01)

    def test_few_documents_are_drawn_as_ever(self, drawn: FinishedLayout, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(map_layout, "landmarks", lambda *_: pytest.fail("no landmarks below the limit"))
        np.testing.assert_array_equal(layout(GRAPH, VECTORS).positions, drawn.positions)
