"""Where points lie thick."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering.camera import Box
from explorer.rendering.density import Field, contours, density, heights
from explorer.rendering.point_grid import build_grid

CHANCE = np.random.default_rng(0)
GRID = build_grid(CHANCE.normal(size=(20_000, 2)).astype(np.float32))


def test_no_point_is_lost():
    assert density(GRID).values.sum() == pytest.approx(len(GRID), rel=1e-6)


def test_the_top_is_in_the_middle():
    field = density(GRID)
    row, column = np.unravel_index(field.values.argmax(), field.values.shape)
    rows, columns = field.values.shape
    assert field.box.left + (column + 0.5) / columns * (field.box.right - field.box.left) == pytest.approx(0, abs=0.5)
    assert field.box.low + (row + 0.5) / rows * (field.box.high - field.box.low) == pytest.approx(0, abs=0.5)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_a_line_encloses_its_share_of_the_points(share: float):
    field = density(GRID)
    (height,) = heights(field, [share])
    line = max(contours(field, height), key=len)
    # Half of a normal distribution lies within sqrt(2 ln 2) of its middle, and so on.
    assert np.hypot(*line.T).mean() == pytest.approx(np.sqrt(-2 * np.log(1 - share)), rel=0.08)


def test_lines_are_closed_and_whole():
    lines = contours(density(GRID), heights(density(GRID), [0.5])[0])
    assert all((line[0] == line[-1]).all() for line in lines)
    assert len(lines) < 12


def test_a_line_goes_between_high_and_low():
    values = np.zeros((5, 5))
    values[2, 2] = 1.0
    (line,) = contours(Field(values, Box(0, 0, 5, 5)), 0.5)
    assert {tuple(corner) for corner in line.tolist()} == {(2.0, 2.5), (3.0, 2.5), (2.5, 2.0), (2.5, 3.0)}


def test_a_saddle_gives_two_lines():
    values = np.zeros((4, 4))
    values[1, 1] = values[2, 2] = 1.0
    assert len(contours(Field(values, Box(0, 0, 4, 4)), 0.5)) == 2


@pytest.mark.parametrize("places", [[(2.0, 3.0)], [(1.0, 1.0)] * 9, [(0.0, 0.0), (5.0, 0.0)]])
def test_hardly_any_points(places: list[tuple[float, float]]):
    field = density(build_grid(np.array(places, np.float32)))
    assert field.values.sum() == pytest.approx(len(places))
    assert all(contours(field, height) for height in heights(field))


def test_no_points_no_lines():
    assert heights(density(build_grid(np.empty((0, 2), np.float32)))) == []
