"""Which points are meant."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering.point_grid import build_grid
from explorer.ui.map.input import Direction, inside_line, nearest, towards

CHANCE = np.random.default_rng(0)
POSITIONS = CHANCE.uniform(-1, 1, size=(20_000, 2)).astype(np.float32)
GRID = build_grid(POSITIONS)


def test_the_nearest_point_is_found():
    for x, y in CHANCE.uniform(-1, 1, size=(50, 2)).tolist():
        far = np.hypot(POSITIONS[:, 0] - x, POSITIONS[:, 1] - y)
        assert nearest([GRID], x, y, 0.2) == far.argmin()


def test_out_of_reach_is_nothing():
    assert nearest([GRID], 1.5, 0.0, 0.2) == -1
    assert nearest([build_grid(np.empty((0, 2), np.float32))], 0, 0, 9.0) == -1


def test_without_a_limit_there_is_always_one():
    far = np.hypot(POSITIONS[:, 0] - 50, POSITIONS[:, 1])
    assert nearest([GRID], 50.0, 0.0, np.inf) == far.argmin()


def test_what_is_meant_comes_before_what_is_nearer():
    close, far = (build_grid(np.array([[0.1, 0], [9, 9]], np.float32)), build_grid(np.array([[0.01, 0]], np.float32)))
    assert nearest([close, far], 0, 0, 0.5) == 0
    assert nearest([far, close], 0, 0, 0.05) == 0


def test_a_lasso_is_exact():
    angles = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    radii = 0.6 + 0.25 * np.sin(5 * angles)
    line = np.stack((radii * np.cos(angles), radii * np.sin(angles)), axis=1)
    rows = inside_line(GRID, line)
    assert 0.2 < len(rows) / len(POSITIONS) < 0.5
    np.testing.assert_array_equal(rows, np.flatnonzero(even_odd(POSITIONS, line)))


def even_odd(points: np.ndarray, line: np.ndarray) -> np.ndarray:
    inside = np.zeros(len(points), bool)
    for (x0, y0), (x1, y1) in zip(line, np.roll(line, -1, axis=0), strict=True):
        if y0 != y1:
            between = (points[:, 1] >= min(y0, y1)) & (points[:, 1] < max(y0, y1))
            inside ^= between & (x0 + (points[:, 1] - y0) * (x1 - x0) / (y1 - y0) > points[:, 0])
    return inside


def test_a_lasso_that_goes_round_twice_has_no_hole():
    angles = np.linspace(0, 4 * np.pi, 200)
    line = 0.5 * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    far = np.hypot(*POSITIONS.T)
    rows = inside_line(GRID, line)
    assert np.isin(np.flatnonzero(far < 0.49), rows).all()
    assert (far[rows] < 0.51).all()


@pytest.mark.parametrize("line", [[], [(0, 0), (1, 1)], [(5, 5), (6, 5), (6, 6)], [(0, 0), (1, 0), (0.5, 0)]])
def test_a_lasso_around_nothing(line: list[tuple[float, float]]):
    assert len(inside_line(GRID, np.array(line, float).reshape(-1, 2))) == 0


@pytest.mark.parametrize(("direction", "wanted"), [("right", 1), ("left", 2), ("up", 3), ("down", -1)])
def test_arrows_lead_to_the_neighbour_in_that_direction(direction: Direction, wanted: int):
    places = np.array([[0, 0], [1, 0.2], [-2, 0], [0.3, 3], [0, -1], [0.2, 0]], np.float32)
    assert towards(places, 0, [0, 1, 2, 3], direction) == wanted  # 4 and 5 are no neighbours, though near


def test_a_document_without_neighbours_leads_nowhere():
    assert towards(POSITIONS, 0, [], "up") == -1
    assert towards(np.zeros((2, 2), np.float32), 0, [1], "up") == -1
