"""Maps as still pictures and tables: what is in them, that names do not overlap, that hostile texts stay texts."""

from __future__ import annotations

import base64
import csv
import io
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from explorer import palette
from explorer.errors import DataError
from explorer.rendering import picture as rendering
from explorer.rendering.labels import Label, label, text_width
from explorer.rendering.picture import CIRCLES, RATIO, Snapshot
from explorer.rendering.raster import paint
from explorer.task import Cancelled, Task
from explorer.workspace.export.map import HEIGHT, WIDTH, lay_out, write_map
from explorer.workspace.export.map_colours import colouring
from explorer.workspace.export.map_data import MapPicture, kind, moment

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>\x00&"


def picture(count: int = 60, **changes: Any) -> MapPicture:
    draw = np.random.default_rng(5)
    clusters = np.arange(count) % 3
    positions = (np.array([[0, 0], [9, 0], [0, 9]])[clusters] + draw.normal(0, 0.5, (count, 2))).astype(np.float32)
    clusters[::10] = -1
    names = {0: "food · soup", 1: "우주 · 로켓", 2: HOSTILE}
    level = tuple(label(names[one], positions[clusters == one]) for one in range(3) if (clusters == one).any())
    values: dict[str, Any] = {
        "title": "Trial <1>",
        "positions": positions,
        "ids": range(count),
        "titles": [f"=title {place}" for place in range(count)],
        "snippets": ["text"] * count,
        "paths": [f"{place}.txt" for place in range(count)],
        "parts": ["row 1"] * count,
        "clusters": clusters,
        "names": names,
        "levels": (level,),
        "trust": np.linspace(0, 1, count, dtype=np.float32),
        "columns": {"kind": ["a"] * (count - 1) + ["b"] * min(count, 1), "title": ["=cmd()"] * count},
    }
    return MapPicture(**(values | changes))


def points(shown: MapPicture) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Where each document is drawn, in pixels, (N, 2)."""
    camera = lay_out(shown).camera
    return np.array([camera.on_screen(x, y) for x, y in shown.positions.tolist()])


def boxes(layout: Snapshot) -> list[tuple[float, float, float, float]]:
    size = layout.label_size
    return [
        (
            name.x - text_width(name.text, size) / 2,
            name.y - size / 2,
            name.x + text_width(name.text, size) / 2,
            name.y + size / 2,
        )
        for name in layout.labels
    ]


def read_svg(out: Path) -> tuple[ElementTree.Element, str]:
    root = ElementTree.fromstring(out.read_text("utf-8"))
    return root, " ".join("".join(part.itertext()) for part in root.iter(f"{SVG}text"))


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"\.png, \.svg, \.csv or \.html"):
        write_map(picture(), tmp_path / "map.gif")


@pytest.mark.parametrize("suffix", ["png", "svg", "csv", "html"])
@pytest.mark.parametrize("count", [0, 1, 2, 60])
def test_every_format_takes_few_points(tmp_path, suffix, count):
    out = tmp_path / f"map.{suffix.upper()}"
    assert write_map(picture(count), out).points == count
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == [out.name]


def test_the_same_map_gives_the_same_files(tmp_path):
    for suffix in ("png", "svg", "csv", "html"):
        one, other = tmp_path / f"1.{suffix}", tmp_path / f"2.{suffix}"
        write_map(picture(), one)
        write_map(picture(), other)
        assert one.read_bytes() == other.read_bytes()


def test_a_cancelled_writing_leaves_the_old_file(tmp_path):
    out = tmp_path / "map.svg"
    out.write_text("old")
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        write_map(picture(), out, task=task)
    assert out.read_text() == "old"


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "missing" / "map.svg", tmp_path / "file" / "map.png"):
        with pytest.raises(DataError, match="cannot be written"):
            write_map(picture(), out)


def test_the_table_has_all_that_is_known_and_no_formulas(tmp_path):
    out = tmp_path / "map.csv"
    write_map(picture(trust=np.full(60, np.nan, dtype=np.float32)), out)
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8-sig"))))
    assert len(rows) == 60
    assert list(rows[0]) == [
        "id",
        "path",
        "part",
        "title",
        "x",
        "y",
        "cluster",
        "cluster_name",
        "trust",
        "kind",
        "metadata_title",
    ]
    assert rows[0] | {"x": "", "y": ""} == {
        "id": "0",
        "path": "0.txt",
        "part": "row 1",
        "title": "'=title 0",
        "x": "",
        "y": "",
        "cluster": "-1",
        "cluster_name": "",
        "trust": "",
        "kind": "a",
        "metadata_title": "'=cmd()",
    }
    assert rows[1]["cluster_name"] == "우주 · 로켓"
    assert float(rows[1]["x"]) == pytest.approx(float(picture().positions[1, 0]), abs=1e-4)


def test_the_svg_has_a_circle_for_each_point_in_its_place(tmp_path):
    out = tmp_path / "map.svg"
    write_map(picture(), out)
    root, texts = read_svg(out)
    circles = [one for one in root.iter(f"{SVG}circle") if one.get("r") != "5" or one.find(f"{SVG}title") is not None]
    assert len([one for one in circles if one.find(f"{SVG}title") is not None]) == 60
    x, y = points(picture())[3]
    [found] = [one for one in circles if one.findtext(f"{SVG}title") == "=title 3"]
    assert (float(found.get("cx")), float(found.get("cy"))) == pytest.approx((x, y), abs=0.06)
    assert "food · soup" in texts
    assert "no cluster" in texts
    assert "60 documents · map trust 50 %" in texts


def test_hostile_texts_stay_texts_in_svg(tmp_path):
    out = tmp_path / "map.svg"
    write_map(picture(title=HOSTILE, titles=[HOSTILE] * 60), out)
    root, texts = read_svg(out)
    assert not list(root.iter(f"{SVG}script"))
    assert HOSTILE.replace("\x00", "") in texts


def test_many_points_become_one_picture(tmp_path):
    out = tmp_path / "map.svg"
    count = CIRCLES + 1
    write_map(picture(count), out)
    root, _ = read_svg(out)
    [image] = root.iter(f"{SVG}image")
    points = Image.open(io.BytesIO(base64.b64decode(image.get("href").split(",")[1])))
    assert points.size == (WIDTH * RATIO, HEIGHT * RATIO)
    assert len(list(root.iter(f"{SVG}circle"))) == 4  # of the legend
    assert out.stat().st_size < 3_000_000


def test_the_words_can_be_korean(tmp_path):
    write_map(picture(), tmp_path / "map.svg", language="ko")
    _, texts = read_svg(tmp_path / "map.svg")
    assert "문서 60개 · 지도 신뢰도 50%" in texts
    assert "묶음 없음" in texts


def test_the_png_shows_each_point_in_the_colour_of_its_cluster():
    shown = picture(levels=())
    layout = lay_out(shown)
    content, _ = rendering.png(layout)
    image = np.asarray(Image.open(io.BytesIO(content)).convert("RGB")).astype(int)
    assert image.shape == (HEIGHT * RATIO, WIDTH * RATIO, 3)
    spots = points(shown)
    far = np.linalg.norm(spots[:, None] - spots[None], axis=2) + 1e9 * np.eye(len(spots))
    alone = np.flatnonzero(far.min(axis=1) > 3 * layout.scene.radius)
    assert len(alone) > 10
    colours = {entry.text: entry.colour for entry in colouring(shown).entries()}
    for place in alone:
        x, y = (spots[place] * RATIO).astype(int)
        colour = colours.get(shown.name(int(shown.clusters[place])), palette.LEFTOVER[0])
        wanted = 0.85 * np.array(palette.channels(colour)) + 0.15 * 255
        np.testing.assert_allclose(image[y, x], wanted, atol=2)


def test_the_picture_looks_as_it_always_did(tmp_path):
    count, draw = 3000, np.random.default_rng(3000)
    clusters = np.arange(count) % 14
    spots = draw.normal(0, 4, (14, 2))[clusters] + draw.normal(0, 0.8, (count, 2))
    clusters[::11] = -1
    names = {cluster: f"name {cluster}" for cluster in range(14)}
    shown = picture(count, positions=spots.astype(np.float32), clusters=clusters, names=names, levels=(), columns={})
    write_map(shown, tmp_path / "map.png")
    # Without heading and legend, whose letters depend on the fonts of the machine.
    small = Image.open(tmp_path / "map.png").convert("RGB").resize((320, 200), Image.Resampling.BOX)
    seen = np.asarray(small.crop((0, 14, 248, 200))).astype(int)
    wanted = np.asarray(Image.open(Path(__file__).with_name("still_map.png")).convert("RGB")).astype(int)
    difference = abs(seen - wanted)
    assert difference.mean() < 1
    assert np.percentile(difference, 99) < 24


def points_alone(shown: MapPicture) -> np.ndarray[Any, np.dtype[np.uint32]]:
    layout = lay_out(shown)
    return paint(layout.scene, layout.camera, RATIO).seen


def test_edges_are_smooth_and_the_order_of_points_does_not_matter():
    shown = picture(levels=())
    image = points_alone(shown)
    assert len(np.unique(image & 255)) > 50
    turned = MapPicture(
        shown.title,
        shown.positions[::-1],
        shown.ids[::-1],
        shown.titles[::-1],
        shown.snippets,
        shown.paths[::-1],
        shown.parts,
        shown.clusters[::-1],
        shown.names,
        (),
        shown.trust[::-1],
    )
    np.testing.assert_array_equal(points_alone(turned), image)


def test_right_is_right_and_up_is_up():
    shown = picture()
    spots = points(shown)
    assert spots[:, 0].argmax() == shown.positions[:, 0].argmax()
    assert spots[:, 1].argmin() == shown.positions[:, 1].argmax()
    assert (spots > 0).all()
    assert (spots < [WIDTH, HEIGHT]).all()


def test_names_and_legend_are_written_on_the_png():
    with_names, without = (lay_out(picture(levels=levels)) for levels in (picture().levels, ()))
    one, _ = rendering.png(with_names)
    other, _ = rendering.png(without)
    difference = np.asarray(Image.open(io.BytesIO(one))) != np.asarray(Image.open(io.BytesIO(other)))
    down, across, _ = np.nonzero(difference)
    food = next(name for name in with_names.labels if name.text == "food · soup")
    near = (abs(across / 2 - food.x) < 60) & (abs(down / 2 - food.y) < 12)
    assert near.sum() > 300


def test_letters_without_a_font_are_reported(monkeypatch):
    rendering._font.cache_clear()
    monkeypatch.setattr(rendering, "_WIDE_FONTS", ())
    monkeypatch.setattr(rendering, "_PLAIN_FONTS", ())
    try:
        content, remarks = rendering.png(lay_out(picture()))
    finally:
        rendering._font.cache_clear()
    assert len(remarks) == 1
    assert "Korean" in remarks[0]
    assert Image.open(io.BytesIO(content)).size[0] == WIDTH * RATIO


@pytest.mark.parametrize("count", [3, 40, 400])
def test_names_never_overlap_and_stay_in_the_picture(count):
    draw = np.random.default_rng(count)
    spots = draw.normal(0, 4, (count, 2))
    level = tuple(Label(f"이름 number {place}", *spots[place].tolist(), place) for place in range(count))
    layout = lay_out(picture(levels=(level,)))
    assert layout.labels
    found = boxes(layout)
    for place, one in enumerate(found):
        assert one[0] >= 0
        assert one[2] <= WIDTH
        for other in found[:place]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
    assert f"이름 number {count - 1}" in {name.text for name in layout.labels}  # the largest is there


def test_the_finest_level_that_fits_is_taken():
    spots = np.random.default_rng(0).normal(0, 4, (500, 2))
    crowd = tuple(Label(f"a rather long name {place}", *spots[place].tolist(), 1) for place in range(500))
    coarse = (Label("everything", 0, 0, 60),)
    assert [name.text for name in lay_out(picture(levels=(coarse, crowd))).labels] == ["everything"]
    three = picture().levels[0]
    assert len(lay_out(picture(levels=(coarse, three))).labels) == 3


def test_a_long_legend_says_how_many_more_there_are():
    many = picture(200, clusters=np.arange(200) % 100, names={}, levels=())
    texts = [text.text for text in lay_out(many).texts]
    [more] = [text for text in texts if re.fullmatch(r"and \d+ more", text)]
    rows = sum(text.isdigit() and int(text) == 2 for text in texts)  # each cluster has two documents
    assert int(more.split()[1]) + len(lay_out(many).swatches) == 100
    assert rows >= 20


def test_colours_by_number_date_and_text():
    dates = [f"20{place:02d}-01-01" for place in range(60)]
    shown = picture(columns={"n": [*range(59), 10_000], "d": dates, "t": [None, *["x"] * 20, *["y"] * 39]})
    numbers = colouring(shown, "n")
    assert np.bincount(numbers.points.values).min() >= 8  # one stray value does not take all the colours
    assert colouring(shown, "d").entries()[0].text.startswith("2001-")
    texts = colouring(shown, "t")
    assert [(entry.text, entry.count) for entry in texts.entries()] == [("y", 39), ("x", 20)]
    assert texts.rest == 1
    assert colouring(shown, "trust").points.values.max() == 5
    with pytest.raises(DataError, match="cluster, trust, n, d, t"):
        colouring(shown, "nothing")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2.5, None], "number"), (["1", "-2.5", ""], "number"), (["2020-01", "2020-05-06", None], "date"),
        (["2020-05-06T07:08:09+09:00"], "date"), (["2020-13-01"], "text"), ([True, False], "text"),
        (["1", "x"], "text"), (["nan", "1"], "text"), ([None, ""], "text"), ([], "text"),
    ],
)  # fmt: skip
def test_what_a_column_holds_is_recognised(values, found):
    assert kind(values) == found


def test_a_date_without_a_zone_is_that_day_everywhere():
    assert moment("1970-01-02") == 86_400
    assert moment("1970-01-01T09:00:00+09:00") == 0


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ValueError, match="do not fit"):
        picture(titles=["one"])
    with pytest.raises(ValueError, match="not a number"):
        picture(positions=np.full((60, 2), np.nan, dtype=np.float32))
