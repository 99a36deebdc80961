"""Names that find room."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFont, QImage, QPainter

from explorer.rendering.camera import Camera
from explorer.rendering.colours import style
from explorer.rendering.labels import Label
from explorer.rendering.point_layers import MapPoints
from explorer.ui.map.painter import LabelPainter

CAMERA = Camera(0, 0, 100.0, 600, 400)
COARSE = [Label("space", 0, 0, 900), Label("sports", 1, 1, 500)]
FINE = [Label("orbit", 0, 0, 500), Label("shuttle", 0.02, 0.01, 400), Label("우주 왕복선", 1, -1, 60)]


@pytest.fixture
def names(qapp: object) -> LabelPainter:
    found = LabelPainter(style(), QFont())
    found.set_levels([COARSE, FINE])
    return found


def test_coarser_from_afar_and_finer_close_up(names: LabelPainter):
    assert {name.text for name in names.fit_labels(CAMERA, 1.0)} == {"space", "sports"}
    assert "orbit" in {name.text for name in names.fit_labels(CAMERA, 2.0)}
    assert "orbit" in {name.text for name in names.fit_labels(CAMERA, 500.0)}


def test_no_name_lies_over_another_and_the_larger_one_stays(names: LabelPainter):
    texts = [name.text for name in names.fit_labels(CAMERA, 2.0)]
    assert texts == ["orbit", "우주 왕복선"]
    assert "shuttle" in [name.text for name in names.fit_labels(CAMERA.closer(40, 300, 200), 80.0)]
    chance = np.random.default_rng(0)
    many = [Label(f"name {n}", *chance.normal(size=2).tolist(), n) for n in range(300)]
    names.set_levels([many])
    placed = names.fit_labels(CAMERA, 1.0)
    assert len(placed) > 20
    assert not any(one.overlaps(other) for n, one in enumerate(placed) for other in placed[:n])


def test_names_beside_points_stay_while_the_map_is_dragged(names: LabelPainter):
    points = MapPoints(style())
    points.move(np.random.default_rng(0).normal(size=(500, 2)).astype(np.float32) * 0.3)
    names.settle(CAMERA, 1.0, points)
    space = names.fit_labels(CAMERA, 1.0)[0]
    assert (space.x, space.y) != (300, 200)  # its points lie there
    dragged = CAMERA.moved(30, 20)
    names.settle(dragged, 1.0, points)
    assert (names.fit_labels(dragged, 1.0)[0].x, names.fit_labels(dragged, 1.0)[0].y) == pytest.approx(
        (space.x + 30, space.y + 20)
    )


def test_titles_stand_beside_their_points_and_overlap_nothing(names: LabelPainter):
    titles = [("A title", 100.0, 100.0), ("Another", 100.0, 105.0), ("At the edge", 590.0, 200.0), ("", 5.0, 5.0)]
    placed = names.titles(titles, 4, 600, [])
    assert [one.text for one in placed] == ["A title", "Another", "At the edge"]
    assert placed[0].x > 100 > placed[1].x  # the other side of the point
    assert placed[2].x + placed[2].half_width <= 600
    assert not any(one.overlaps(other) for number, one in enumerate(placed) for other in placed[:number])
    between = [("Between two", 300.0, 100.0), ("left", 270.0, 101.0), ("right", 330.0, 99.0)]
    assert "Between two" not in [one.text for one in names.titles(between, 4, 600, [])]  # it would hide one of them


def test_a_name_whose_part_comes_to_the_edge_finds_another_place(names: LabelPainter):
    points = MapPoints(style())
    points.move(np.random.default_rng(0).normal(size=(500, 2)).astype(np.float32) * 0.2)
    for shift in range(0, 290, 20):
        seen = CAMERA.moved(-shift, 0)
        names.settle(seen, 1.0, points)
        space = names.fit_labels(seen, 1.0)[0]
        assert space.x - space.half_width >= 0
        x, y = ((points.grid.x - seen.x) * 100 + 300, 200 - (points.grid.y - seen.y) * 100)
        inside = (abs(x - space.x) < space.half_width - 5) & (abs(y - space.y) < space.half_height)
        assert not inside.any()


def test_a_name_stands_at_its_place(names: LabelPainter):
    sports = names.fit_labels(CAMERA, 1.0, lift=10)[1]
    assert (sports.x, sports.y) == (400, 90)


def test_long_names_are_shortened_and_empty_ones_left_out(names: LabelPainter):
    names.set_levels([[Label("word " * 40, 0, 0, 5), Label("  ", 1, 1, 4)]])
    (only,) = names.fit_labels(CAMERA, 1.0)
    assert only.text.count("\n") == 2  # wrapped, and cut only after the third line
    assert only.text.endswith("…")


@pytest.mark.parametrize("dark", [False, True])
def test_a_name_is_written_with_a_halo(names: LabelPainter, dark: bool):
    look = style(dark=dark)
    names.set_look(look, QFont())
    image = QImage(600, 400, QImage.Format.Format_RGB32)
    image.fill(0xFF808080)
    painter = QPainter(image)
    names.paint(painter, names.fit_labels(CAMERA, 1.0), 1.0)
    painter.end()
    grey = np.frombuffer(image.constBits(), np.uint32).reshape(400, 600) & 255
    around = grey[185:216, 260:341]
    assert around.min() < 60  # ink or halo, whichever is dark
    assert around.max() > 200
    assert (grey[:150, :300] == 0x80).all()
