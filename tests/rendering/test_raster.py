"""Points in pixels."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.rendering import raster
from explorer.rendering.camera import Box, Camera
from explorer.rendering.point_grid import build_grid
from explorer.rendering.raster import Field, Layer, Scene, contours, density, heights, paint

CAMERA = Camera(0, 0, 1.0, 200, 100)  # a unit is a pixel
CHANCE = np.random.default_rng(0)
GRID = build_grid(CHANCE.normal(size=(20_000, 2)).astype(np.float32))


def layer(places: list[tuple[float, float]], colour_index: list[int], colours: tuple[str, ...], **more: float) -> Layer:
    found = build_grid(np.array(places, np.float32).reshape(-1, 2))
    return Layer(found, np.array(colour_index, np.int16)[found.rows], colours, **more)


def rgb(scene: Scene, camera: Camera = CAMERA, **more: float) -> np.ndarray:
    seen = paint(scene, camera, more.get("ratio", 1.0), int(more.get("every", 1))).seen
    return np.stack([(seen >> shift) & 255 for shift in (16, 8, 0)], axis=-1).astype(int)


def drawn(picture: np.ndarray) -> np.ndarray:
    return (picture != 255).any(axis=-1)


def test_nothing_but_the_ground():
    picture = rgb(Scene((), "#102030", 3))
    assert picture.shape == (100, 200, 3)
    assert (picture == [16, 32, 48]).all()


@pytest.mark.parametrize("radius", [1.2, 2.0, 3.0, 8.0])
def test_a_disc_lies_where_its_point_is_and_has_its_size(radius: float):
    picture = rgb(Scene((layer([(30.0, 20.0)], [0], ("#ff0000",), opacity=1.0),), "#ffffff", radius))
    down, across = np.nonzero(drawn(picture))
    assert across.mean() + 0.5 == pytest.approx(130, abs=0.3)
    assert down.mean() + 0.5 == pytest.approx(30, abs=0.3)
    covered = (255 - picture[..., 1]).sum() / 255
    assert covered == pytest.approx(np.pi * radius**2, rel=0.16)


def test_the_edge_of_a_disc_is_smooth():
    picture = rgb(Scene((layer([(0.3, 0.1)], [0], ("#000000",), opacity=1.0),), "#ffffff", 6))
    assert len(np.unique(picture[..., 0])) > 8


def test_discs_at_the_edge_are_cut_and_do_not_come_in_on_the_other_side():
    picture = rgb(Scene((layer([(99.5, 0.0)], [0], ("#000000",)),), "#ffffff", 6))
    assert drawn(picture)[50, 195:].all()
    assert not drawn(picture)[:, :150].any()


def test_large_discs_hide_what_is_below():
    places = [(0.0, 0.0), (0.0, 0.0)]
    picture = rgb(Scene((layer(places, [0, 1], ("#ff0000", "#0000ff"), opacity=1.0),), "#ffffff", 6))
    assert picture[50, 100].tolist() == [0, 0, 255]


def test_small_discs_mix():
    places = [(0.5, 0.5), (0.5, 0.5)]
    picture = rgb(Scene((layer(places, [0, 1], ("#ff0000", "#0000ff"), opacity=1.0),), "#ffffff", 2))
    red, green, blue = picture[49, 100]
    assert red == pytest.approx(128, abs=3)
    assert blue == pytest.approx(128, abs=3)
    assert green < 3


def test_later_layers_lie_above():
    low = layer([(0, 0)], [0], ("#00ff00",), opacity=1.0)
    high = layer([(0, 0)], [0], ("#0000ff",), opacity=1.0)
    assert rgb(Scene((low, high), "#ffffff", 5))[50, 100].tolist() == [0, 0, 255]
    assert rgb(Scene((high, low), "#ffffff", 5))[50, 100].tolist() == [0, 255, 0]


@pytest.mark.parametrize("across", [1, 2, 3, 4, 5])
def test_counted_points_lie_where_discs_would(monkeypatch: pytest.MonkeyPatch, across: int):
    monkeypatch.setattr(raster, "ENTRIES", 0)
    places = [(30.5, 20.5)] if across % 2 else [(30.0, 20.0)]
    one = layer(places, [1], ("#00ff00", "#ff0000"), opacity=0.99)
    picture = rgb(Scene((one,), "#ffffff", across / 2))
    weight = (255 - picture[..., 1]).astype(float)
    down, across_at = np.nonzero(drawn(picture))
    assert (weight * np.arange(200)).sum() / weight.sum() + 0.5 == pytest.approx(100 + places[0][0], abs=0.05)
    assert (weight.T * np.arange(100)).sum() / weight.sum() + 0.5 == pytest.approx(50 - places[0][1], abs=0.05)
    assert np.ptp(down) + 1 == np.ptp(across_at) + 1 == across
    assert picture[down[0], across_at[0], 0] == 255  # red on white stays red


def test_many_points_in_a_pixel_mix_by_number(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(raster, "_CULLED", 0)
    colour_index = [0] * 3000 + [1] * 1000
    many = layer([(0.0, 0.0)] * 4000, colour_index, ("#ff0000", "#0000ff"))
    red, green, blue = rgb(Scene((many,), "#ffffff", 1))[49, 99]
    assert red == pytest.approx(191, abs=2)
    assert blue == pytest.approx(64, abs=2)
    assert green == 0


def test_a_million_points_in_one_place_keep_their_colour():
    count = 1_000_000
    found = build_grid(np.zeros((count, 2), np.float32))
    one = Layer(found, np.zeros(count, np.int16), ("#c86432", "#000000"))
    picture = rgb(Scene((one,), "#ffffff", 1))
    assert np.abs(picture[49, 99] - [200, 100, 50]).max() <= 2


def test_counted_points_outside_are_not_seen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(raster, "_CULLED", 0)
    places = [(x, y) for x in (-150.0, 0.0, 150.0) for y in (-80.0, 0.0, 80.0)]
    picture = rgb(Scene((layer(places, [0] * 9, ("#000000", "#ffffff")),), "#ffffff", 2))
    assert drawn(picture)[45:55, 95:105].any()
    assert drawn(picture).sum() <= 25


def test_thick_points_hide_more():
    few, many = (
        rgb(Scene((layer([(0.5, 0.5)] * count, [0] * count, ("#000000",), opacity=0.3),), "#ffffff", 1.5))
        for count in (1, 6)
    )
    assert few[49, 100, 0] == pytest.approx(255 * 0.7, abs=4)
    assert many[49, 100, 0] == pytest.approx(255 * 0.7**6, abs=4)


def test_a_finer_screen_gets_more_pixels_of_the_same_picture():
    scene = Scene((layer([(30.0, 20.0)], [0], ("#000000",)),), "#ffffff", 6)
    fine = rgb(scene, ratio=2.0)
    assert fine.shape == (200, 400, 3)
    _, across = np.nonzero(drawn(fine))
    assert across.mean() / 2 == pytest.approx(130, abs=0.5)
    assert np.ptp(across) == pytest.approx(24, abs=2)


def test_every_fourth_point_is_a_quarter():
    chance = np.random.default_rng(0)
    places = chance.uniform((-100, -50), (100, 50), size=(400, 2)).tolist()
    scene = Scene((layer(places, [0] * 400, ("#000000",)),), "#ffffff", 1.2)
    whole, part = drawn(rgb(scene)).sum(), drawn(rgb(scene, every=4)).sum()
    assert 0.2 < part / whole < 0.32


def test_a_backdrop_shows_between_points():
    backdrop = lambda _camera, width, height: np.full((height, width), 0xFF00FF00, np.uint32)  # noqa: E731
    picture = rgb(Scene((layer([(0, 0)], [0], ("#000000",), opacity=1.0),), "#ffffff", 5, backdrop=backdrop))
    assert picture[10, 10].tolist() == [0, 255, 0]
    assert picture[50, 100].tolist() == [0, 0, 0]


def test_the_rim_of_a_hidden_disc_is_hidden_too():
    places = [(0.0, 0.0), (3.0, 0.0)]
    picture = rgb(Scene((layer(places, [0, 1], ("#ff0000", "#0000ff"), opacity=1.0),), "#ffffff", 8))
    assert (picture[50, 98:109] == [0, 0, 255]).all()
    assert picture[50, 93].tolist() == [255, 0, 0]


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
