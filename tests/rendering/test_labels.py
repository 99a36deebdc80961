"""Labels: where they stand, that none overlaps another, and how long ones are cut."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering.camera import Camera
from explorer.rendering.labels import FreeRoom, Label, PlacedLabel, by_size, label, place_labels, shorten, text_width

CAMERA = Camera(0, 0, 100.0, 600, 400)


def measure(name: str) -> tuple[str, float]:
    return name, text_width(name, 10)


def test_the_largest_is_placed_first_and_nothing_overlaps():
    spots = np.random.default_rng(0).normal(size=(300, 2)).tolist()
    many = [Label(f"name {size}", x, y, size) for size, (x, y) in enumerate(spots)]
    placed = place_labels(by_size(many), CAMERA, measure, 6)
    assert len(placed) > 20
    assert not any(item.overlaps(other) for row, item in enumerate(placed) for other in placed[:row])
    in_sight = [item.text for item in by_size(many) if abs(item.x) < 2.5 and abs(item.y) < 1.8]
    assert in_sight[0] in {item.text for item in placed}


def test_a_label_at_the_edge_is_moved_into_the_picture():
    right, above = Label("at the right edge", 2.99, 0, 2), Label("above", 0, 2.5, 1)
    first, second = place_labels([right, above], CAMERA, measure, 6, offsets=lambda _: ((0, -4),))
    assert first.x + first.half_width == pytest.approx(600)
    assert second.y < 0  # only just outside: it takes room, so that nothing jumps while the map is dragged
    (still,) = place_labels([right], CAMERA, measure, 6, right=500)
    assert still.x + still.half_width == pytest.approx(500)


def test_a_label_takes_the_first_place_that_is_free():
    ship, boat = Label("ship", 0, 0, 2, cluster=7), Label("boat", 0, 0, 1)
    first, second = place_labels([ship, boat], CAMERA, measure, 6, offsets=lambda _: ((0, 0), (0, 40)))
    assert (first.cluster, first.y, second.y) == (7, 200, 240)
    card = PlacedLabel("", 300, 200, 50, 20)  # something that lies on the map
    (moved,) = place_labels([ship], CAMERA, measure, 6, offsets=lambda _: ((0, 0), (0, 40)), taken=[card])
    assert moved.y == 240


def test_a_label_in_sight_is_whole_at_every_edge():
    corner = Label("two\nlines", -2.99, 1.99, 2)
    (placed,) = place_labels([corner], CAMERA, lambda text: (text, 80), 8)
    assert placed.x - placed.half_width >= 0
    assert placed.y - placed.half_height >= 0
    assert placed.half_height == 16


def test_labels_stand_beside_the_discs_of_points_and_never_over_them():
    chance = np.random.default_rng(0)
    x, y = (chance.normal(middle, 25, 300).astype(np.float32) for middle in (300, 200))
    room = FreeRoom(x, y, 600, 400, radius=5)
    half_width, half_height = 40, 8
    for right, down in room.offsets(300, 200, half_width, half_height):
        beyond_x = np.maximum(abs(x - 300 - right) - half_width, 0)
        beyond_y = np.maximum(abs(y - 200 - down) - half_height, 0)
        assert np.hypot(beyond_x, beyond_y).min() >= 5
    right, down = room.offsets(300, 200, half_width, half_height)[0]
    assert np.hypot(right, down) < 120
    assert room.is_free(300 + right, 200 + down, half_width, half_height)
    assert not room.is_free(300, 200, half_width, half_height)
    assert FreeRoom(x[:0], y[:0], 600, 400).offsets(300, 200, 40, 8)[0] == (0, 0)


def test_a_label_keeps_off_cards_and_inside_the_picture():
    nothing = np.zeros(0, np.float32)
    card = PlacedLabel("", 500, 100, 100, 100)
    room = FreeRoom(nothing, nothing, 600, 400, covered=[card])
    for x, y in ((520.0, 80.0), (2.0, 2.0), (599.0, 399.0)):
        right, down = room.offsets(x, y, 40, 8)[0]
        assert not PlacedLabel("a", x + right, y + down, 40, 8).overlaps(card)
        assert 40 <= x + right <= 560
        assert 8 <= y + down <= 392


def test_where_points_are_everywhere_a_label_hides_few_of_them():
    chance = np.random.default_rng(1)
    x, y = (chance.uniform(0, size, 20_000).astype(np.float32) for size in (600, 400))
    x = np.where(abs(x - 330) < 25, x + 60, x)  # a sparse strip
    places = FreeRoom(x, y, 600, 400, radius=3).offsets(300, 200, 20, 8)
    assert abs(300 + places[0][0] - 330) < 25


def test_long_names_are_cut_to_their_room():
    assert shorten("short", 100, 10) == "short"
    cut = shorten("가" * 50, 100, 10)
    assert cut.endswith("…")
    assert text_width(cut, 10) <= 100
    assert shorten("two\n lines", 500, 10) == "two lines"


def test_a_label_stands_at_one_of_its_documents():
    ring = np.array([[np.cos(turn), np.sin(turn)] for turn in np.linspace(0, 6, 20)], dtype=np.float32)
    found = label("ring", ring)
    assert np.abs(ring - [found.x, found.y]).sum(axis=1).min() < 1e-6
    with pytest.raises(ValueError, match="at least one"):
        label("empty", np.zeros((0, 2), dtype=np.float32))
