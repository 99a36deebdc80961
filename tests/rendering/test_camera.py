"""The view of the map: what is seen where."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering.camera import Box, Camera, between, box_of

CAMERA = Camera(1.0, -2.0, 50.0, 800, 600)
BOX = Box(-4, -3, 4, 3)


def test_a_place_and_its_pixel_lead_to_each_other():
    assert CAMERA.on_screen(1.0, -2.0) == (400, 300)
    assert CAMERA.on_screen(2.0, -1.0) == (450, 250)  # y goes up on the map and down on the screen
    assert CAMERA.on_map(*CAMERA.on_screen(3.3, 0.7)) == pytest.approx((3.3, 0.7))


def test_zooming_keeps_what_is_under_the_cursor():
    before = CAMERA.on_map(120, 510)
    closer = CAMERA.closer(3.0, 120, 510)
    assert closer.scale == 150
    assert closer.on_map(120, 510) == pytest.approx(before)


def test_dragging_moves_the_map_with_the_hand():
    at = CAMERA.on_map(100, 100)
    assert CAMERA.moved(30, -20).on_screen(*at) == pytest.approx((130, 80))


def test_the_whole_map_fits_with_a_margin():
    seen = CAMERA.fitted(BOX).seen()
    assert seen.left < BOX.left
    assert seen.right > BOX.right
    assert seen.low < BOX.low
    assert seen.high > BOX.high
    assert CAMERA.fitted(BOX).scale == pytest.approx((600 - 64) / 6)


@pytest.mark.parametrize("box", [Box(3, 3, 3, 3), Box(0, 0, 0, 5), Box(0, 0, 5, 0)])
def test_a_map_of_no_extent_can_be_looked_at(box: Box):
    camera = CAMERA.fitted(box)
    assert np.isfinite(camera.scale)
    assert camera.scale > 0
    assert camera.bounded(box) == camera


def test_one_cannot_get_lost():
    far = CAMERA.fitted(BOX).moved(1e6, 1e6).closer(1e-6, 0, 0).bounded(BOX)
    seen = far.seen()
    assert seen.left < BOX.right
    assert seen.right > BOX.left
    assert far.scale == pytest.approx(0.5 * CAMERA.fitted(BOX).scale)


def test_snapped_views_differ_by_whole_pixels():
    one, other = CAMERA.snapped(2.0), CAMERA.moved(3.3, 4.4).snapped(2.0)
    across = (other.x - one.x) * CAMERA.scale * 2
    assert across == pytest.approx(round(across), abs=1e-6)
    assert abs(CAMERA.snapped(2.0).x - CAMERA.x) <= 0.5 / (CAMERA.scale * 2)


def test_a_zoom_on_the_way_keeps_the_place_under_the_cursor():
    goal = CAMERA.closer(4.0, 120, 510)
    at = CAMERA.on_map(120, 510)
    assert between(CAMERA, goal, 0.4).on_screen(*at) == pytest.approx((120, 510))
    assert between(CAMERA, goal, 1.0) == goal


def test_a_way_without_zoom_is_straight():
    goal = CAMERA.moved(-100, 0)
    assert between(CAMERA, goal, 0.5).x == pytest.approx((CAMERA.x + goal.x) / 2)


def test_the_box_of_nothing_has_no_size():
    assert box_of(np.empty((0, 2), np.float32)) == Box(0, 0, 0, 0)
