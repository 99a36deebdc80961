"""Labels: where they stand, that none overlaps another, and how long ones are cut."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering.camera import Camera
from explorer.rendering.labels import Label, by_size, label, place_labels, shorten, text_width

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
    first, second = place_labels([right, above], CAMERA, measure, 6, lift=4)
    assert first.x + first.half_width == pytest.approx(600)
    assert second.y < 0  # only just outside: it takes room, so that nothing jumps while the map is dragged
    (still,) = place_labels([right], CAMERA, measure, 6, right=500)
    assert still.x + still.half_width == pytest.approx(500)


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
