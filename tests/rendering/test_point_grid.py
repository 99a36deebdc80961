"""Points found by place."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering.camera import Box
from explorer.rendering.point_grid import build_grid, gather

CHANCE = np.random.default_rng(0)
POSITIONS = (CHANCE.normal(size=(5000, 2)) * [3, 1]).astype(np.float32)


def inside(positions: np.ndarray, box: Box) -> np.ndarray:
    x, y = positions.T
    return np.flatnonzero((x >= box.left) & (x <= box.right) & (y >= box.low) & (y <= box.high))


@pytest.mark.parametrize("box", [Box(-1, -1, 1, 1), Box(-99, -0.1, 99, 0.1), Box(2, -9, 2.1, 9), Box(-9, -9, 9, 9)])
def test_no_point_of_a_box_is_missed_and_few_others_are_touched(box: Box):
    found = build_grid(POSITIONS)
    rows = gather(found.rows, found.spans(box))
    wanted = inside(POSITIONS, box)
    assert np.isin(wanted, rows).all()
    assert len(rows) == len(set(rows.tolist()))
    assert len(rows) < 0.5 * len(POSITIONS) or len(wanted) > 0.3 * len(POSITIONS)


def test_beside_the_map_there_is_nothing():
    assert build_grid(POSITIONS).spans(Box(50, 50, 60, 60)) == []


def test_places_belong_to_their_rows():
    found = build_grid(POSITIONS)
    np.testing.assert_array_equal(POSITIONS[found.rows, 0], found.x)
    np.testing.assert_array_equal(POSITIONS[found.rows, 1], found.y)


def test_a_part_is_found_by_place_too():
    mask = CHANCE.random(len(POSITIONS)) < 0.2
    part = build_grid(POSITIONS).part(mask)
    box = Box(-1, -0.5, 1, 0.5)
    rows = gather(part.rows, part.spans(box))
    assert mask[rows].all()
    assert np.isin(inside(POSITIONS, box)[mask[inside(POSITIONS, box)]], rows).all()
    assert len(part) == mask.sum()


@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_points_in_one_place(count: int):
    found = build_grid(np.full((count, 2), 7.0, np.float32))
    assert len(gather(found.rows, found.spans(Box(6, 6, 8, 8)))) == count
    assert found.spans(Box(8, 8, 9, 9)) == []


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_refused(bad: float):
    positions = POSITIONS.copy()
    positions[17, 1] = bad
    with pytest.raises(ValueError, match="not a number"):
        build_grid(positions)
    with pytest.raises(ValueError, match="pairs"):
        build_grid(np.zeros((4, 3), np.float32))
