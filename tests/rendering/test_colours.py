"""The colours of points."""

from __future__ import annotations

import numpy as np
import pytest

from explorer import palette
from explorer.rendering.colours import RAMP, Amounts, Categories, amounts, point_colours


@pytest.mark.parametrize("dark", [False, True])
def test_categories_have_the_colours_of_the_theme_and_leftovers_are_grey(dark: bool):
    found = point_colours(Categories(np.array([2, 0, -1, 1])), dark=dark)
    colours = [found.colours[place] for place in found.index]
    one, two, three = palette.qualitative(3, dark=dark)
    assert colours == [three, one, palette.LEFTOVER[dark], two]


def test_own_colours_are_used_and_what_has_none_is_left_over():
    found = point_colours(Categories(np.array([0, 1, 5]), ("#111111", "#222222")), dark=False)
    assert [found.colours[place] for place in found.index] == ["#111111", "#222222", palette.LEFTOVER[0]]


def test_amounts_go_along_the_ramp():
    found = point_colours(Amounts(np.array([0.0, 0.5, 1.0, np.nan, -9.0, 9.0]), 0.0, 1.0), dark=False)
    colours = [found.colours[place] for place in found.index]
    assert colours[0] == colours[4] == palette.ramp(0)
    assert colours[2] == colours[5] == palette.ramp(1)
    assert colours[1] in (palette.ramp(31 / (RAMP - 1)), palette.ramp(32 / (RAMP - 1)))
    assert colours[3] == palette.LEFTOVER[0]


def test_one_odd_amount_does_not_flatten_the_rest():
    found = amounts([*np.linspace(0, 1, 999), 1e6])
    assert found.high < 1.1


def test_equal_and_missing_amounts():
    same = point_colours(amounts([3.0, 3.0, np.nan]), dark=False)
    assert same.index[0] == same.index[1]
    assert same.colours[same.index[2]] == palette.LEFTOVER[0]
    assert amounts([np.nan]).high > amounts([np.nan]).low
    assert len(point_colours(Categories(np.empty(0, np.int64)), dark=False).index) == 0
