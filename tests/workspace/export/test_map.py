"""Maps as still pictures and tables: what is in them, that names do not overlap, that hostile texts stay texts."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from explorer import palette, paths
from explorer.errors import DataError
from explorer.rendering import picture as rendering
from explorer.rendering.labels import Label, label, text_width
from explorer.rendering.picture import CIRCLES, RATIO, Snapshot
from explorer.rendering.raster import paint
from explorer.task import Cancelled, Task
from explorer.workspace.export.map import HEIGHT, WIDTH, html, lay_out, write_map
from explorer.workspace.export.map_data import MapPicture, colouring, kind, moment

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>\x00&"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_browser = pytest.mark.skipif(CHROMIUM is None or os.name == "nt", reason="Chromium is not on this machine")
MAP_HTML_HOSTILE = (
    "<img src=x onerror=\"document.title='broken'\"></script><script>document.title='broken'</script><!--"
)


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


class Browser:
    """A headless Chromium, spoken to in its DevTools protocol over a pipe."""

    def __init__(self, profile: Path, *options: str) -> None:
        theirs, ours = os.pipe(), os.pipe()  # to it, from it
        arguments = [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--remote-debugging-pipe",
            "--no-first-run",
            "--enable-unsafe-swiftshader",
            "--disable-background-networking",
            "--window-size=1280,800",
            f"--user-data-dir={profile}",
            *options,
            "about:blank",
        ]
        line = f'exec "$@" 3<&{theirs[0]} 4>&{ours[1]}'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", line, "browser", *arguments],
            pass_fds=(theirs[0], ours[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs[0])
        os.close(ours[1])
        self.out, self.back = os.fdopen(theirs[1], "wb"), os.fdopen(ours[0], "rb")
        self.number, self.rest, self.session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{room}.enable")

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        self.out.write(json.dumps(message | ({"sessionId": self.session} if self.session else {})).encode() + b"\0")
        self.out.flush()
        while (answer := self.hear()).get("id") != self.number:
            self.events.append(answer)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def hear(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            got = self.back.read1(1 << 20)
            assert got, "the browser ended"
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, file: Path) -> None:
        self.events.clear()
        self.call("Page.navigate", url=file.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.hear())
        self.settle()

    def run(self, code: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def settle(self) -> None:
        """Waits until everything that was asked for is searched and painted."""
        look = "now => waiting || asked || pointsStale || pace.rest ? requestAnimationFrame(turn) : done(1)"
        self.run(f"new Promise(done => {{ const turn = {look}; requestAnimationFrame(turn); }})")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        for event in ("mousePressed", "mouseReleased"):
            self.mouse(event, x, y, button="left", clickCount=1)

    def press(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")
        self.settle()

    def key(self, name: str) -> None:
        text = {"text": "\r"} if name == "Enter" else {"text": name} if len(name) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)
        self.settle()

    def type(self, text: str) -> None:
        self.run("at('query').focus(), at('query').select(), 1")
        self.call("Input.insertText", text=text)
        self.settle()

    def text(self, selector: str) -> str:
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def screen(self, place: int) -> tuple[float, float]:
        """Where a document lies in the window."""
        x, y = self.run(f"[onScreen({place})[0] + size().left, onScreen({place})[1] + size().top]")
        return x, y

    def shot(self, out: Path) -> None:
        out.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def media(self, **features: str) -> None:
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=wanted)

    def requests(self) -> list[str]:
        names = ("Network.requestWillBeSent", "Network.webSocketCreated")
        told = [event["params"] for event in self.events if event.get("method") in names]
        return [told_one["request"]["url"] if "request" in told_one else told_one["url"] for told_one in told]

    def complaints(self) -> list[dict[str, Any]]:
        """Everything that the console shows, but for the driver's remarks on how screenshots are taken."""
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        told = [event["params"] for event in self.events if event.get("method") in names]
        return [one for one in told if "GL Driver Message" not in one.get("entry", {}).get("text", "")]

    def close(self) -> None:
        self.session = ""
        try:
            self.call("Browser.close")
        except (AssertionError, OSError):
            self.process.kill()
        self.process.wait(20)
        self.out.close()
        self.back.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"), "--lang=en-US", "--force-prefers-reduced-motion")
    yield opened
    opened.close()


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Callable[[MapPicture], Browser]]:
    """Opens a map; afterwards nothing was asked of the network and the console is empty."""
    file = tmp_path / "map.html"

    def opened(picture: MapPicture, **options: Any) -> Browser:
        file.write_text(html(picture, **options), encoding="utf-8")
        browser.open(file)
        return browser

    yield opened
    browser.settle()
    assert set(browser.requests()) == {file.as_uri()}
    assert browser.complaints() == []
    assert browser.run("document.title") != "broken"


def small(**changes: Any) -> MapPicture:
    """Two clusters of three and one that belongs nowhere."""
    positions = np.array([[0, 0], [1, 0], [0, 1], [9, 9], [8, 9], [9, 8], [9, 0]], dtype=np.float32)
    values: dict[str, Any] = {
        "title": "Trial",
        "positions": positions,
        "ids": range(7),
        "titles": ["Lentil soup", "Bread", "Noodles", "Rockets", MAP_HTML_HOSTILE, "달 탐사선", "Alone"],
        "snippets": ["Rinse the LENTILS.", "Flour", "국수를 삶는다", "Into orbit", MAP_HTML_HOSTILE, "달의 뒷면", ""],
        "paths": [f"folder/{place}.txt" for place in range(7)],
        "parts": ["", "row 2", "", "", MAP_HTML_HOSTILE, "", ""],
        "clusters": np.array([4, 4, 4, 7, 7, 7, -1]),
        "names": {4: "food · soup", 7: MAP_HTML_HOSTILE},
        "levels": ((label("food · soup", positions[:3]), label(MAP_HTML_HOSTILE, positions[3:6])),),
        "trust": np.array([1, 0.5, 0.5, 0.25, 0.75, 0.5, np.nan], dtype=np.float32),
        "columns": {
            "kind": ["recipe", "recipe", None, "news", MAP_HTML_HOSTILE, "news", "news"],
            "words": [10, 20, 30, 40, 50, 60, None],
            "date": ["2020-01-01", "2021-01-01", "2022-01-01", None, "2023-01-01", "2024-06-30", "2024-12-31"],
        },
    }
    return MapPicture(**(values | changes))


def many(count: int) -> MapPicture:
    draw = np.random.default_rng(3)
    clusters = draw.integers(0, 40, count)
    middles = draw.normal(0, 20, (40, 2))
    positions = (middles[clusters] + draw.normal(0, 2, (count, 2))).astype(np.float32)
    names = {cluster: f"cluster number {cluster}" for cluster in range(40)}
    levels = tuple(
        tuple(label(names[cluster], positions[clusters == cluster]) for cluster in range(0, 40, step))
        for step in (8, 2, 1)
    )
    return MapPicture(
        "Many",
        positions,
        range(count),
        [f"title {place}" for place in range(count)],
        [f"The text of number {place}, as long as a short text is. " * 4 for place in range(count)],
        [f"{place}.txt" for place in range(count)],
        [""] * count,
        clusters,
        names,
        levels,
        draw.random(count).astype(np.float32),
        {"even": [str(place % 2) + "x" for place in range(count)]},
    )


def lit(browser: Browser, state: int) -> list[int]:
    """The documents in a state: 0 grey context, 1 shown, 2 found."""
    return browser.run(f"[...Array(map.count).keys()].filter(place => ink[4 * place + 3] === {state})")


def colour_at(browser: Browser, x: float, y: float) -> list[int]:
    """What a screenshot shows there."""
    clip = {"x": x - 1, "y": y - 1, "width": 2, "height": 2, "scale": 1}
    shot = base64.b64decode(browser.call("Page.captureScreenshot", clip=clip)["data"])
    image = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))
    return [int(value) for value in image.reshape(-1, 3).mean(axis=0)]


def near(shown: list[int], colour: str) -> bool:
    """Whether a point shows the colour; points are a little transparent."""
    return max(abs(a - b) for a, b in zip(shown, palette.channels(colour), strict=True)) < 45


def test_texts_cannot_end_the_element_they_stand_in():
    page = html(small())
    assert page.count("</script>") == 3
    assert page.count("<script") == 3
    assert "<img" not in page
    assert "\u2028" not in html(small(titles=["a\u2028b", *small().titles[1:]]))


def test_an_unknown_column_is_refused_with_the_ones_there_are():
    with pytest.raises(DataError, match="kind, words, date"):
        html(small(), by="colour")


def test_long_texts_are_cut_so_that_the_file_stays_small():
    assert len(html(small(snippets=["word " * 100_000] * 7))) < len(html(small())) + 10_000


@in_browser
def test_hover_shows_title_text_cluster_and_trust_and_click_pins(page):
    browser = page(small())
    assert browser.run("painter.constructor.name") == "CardPainter"
    browser.mouse("mouseMoved", *browser.screen(0))
    browser.settle()
    card = browser.text("#card")
    assert all(part in card for part in ("Lentil soup", "Rinse the LENTILS.", "folder/0.txt", "food · soup", "100 %"))
    browser.mouse("mouseMoved", 640, 400)
    browser.settle()
    assert browser.run("at('card').hidden") is True
    browser.click(*browser.screen(1))
    browser.mouse("mouseMoved", 640, 400)
    browser.settle()
    assert "row 2" in browser.text("#card.pinned")
    assert "recipe" in browser.text("#card.pinned")
    browser.key("Escape")
    assert browser.run("at('card').hidden") is True


@in_browser
def test_hostile_texts_stay_texts(page):
    browser = page(small(title=MAP_HTML_HOSTILE))
    browser.click(*browser.screen(4))
    browser.run("colourBy('column-0')")
    browser.type("onerror")
    assert MAP_HTML_HOSTILE in browser.text("#card h2")
    assert MAP_HTML_HOSTILE in browser.text("#groups")
    assert browser.run("document.querySelectorAll('img, #card script').length") == 0
    assert browser.run("document.title") == MAP_HTML_HOSTILE


@in_browser
def test_the_page_may_load_and_run_nothing_else(page):
    browser = page(small())
    tried = "fetch('data:,x').then(() => 'went', () => 'refused')"
    assert browser.run(tried) == "refused"
    browser.run("document.body.append(Object.assign(make('script'), {textContent: 'window.ran = 1'}))")
    assert browser.run("window.ran") is None
    browser.events.clear()
    browser.open(Path(browser.run("location.pathname")))


@in_browser
@pytest.mark.parametrize(
    ("typed", "found"),
    [("lentil", [0]), ("LENTILS", [0]), ("달", [5]), ("국수를", [2]), ("달".encode().decode(), [5]), ("zebra", [])],
)
def test_search_lights_what_it_finds_and_leaves_the_rest_as_context(page, typed, found):
    browser = page(small())
    browser.type(typed)
    assert lit(browser, 2) == found
    assert len(lit(browser, 0)) == 7 - len(found)
    assert browser.text("#found") == (f"{len(found)} found" if found else "nothing found")
    browser.press("#clear")
    assert lit(browser, 1) == list(range(7))


@in_browser
def test_korean_in_pieces_is_found(page):
    browser = page(small(titles=[unicodedata.normalize("NFD", "달 탐사선"), *"bcdefg"]))
    browser.type("탐사")
    assert 0 in lit(browser, 2)
    browser.type(unicodedata.normalize("NFD", "탐사"))
    assert 0 in lit(browser, 2)


@in_browser
def test_enter_goes_through_the_matches_and_round(page):
    browser = page(small())
    browser.type("달")
    browser.key("Enter")
    assert browser.text("#found") == "1 of 1"
    assert browser.text("#card h2") == "달 탐사선"
    browser.type("o")
    seen = []
    for _ in range(browser.run("matches.length") + 1):
        browser.key("Enter")
        seen.append(browser.text("#card h2"))
    assert seen[0] == seen[-1]
    assert len(set(seen)) == len(seen) - 1


@in_browser
def test_a_line_of_the_legend_leaves_only_its_points(page):
    browser = page(small())
    assert browser.run("[...document.querySelectorAll('#groups .name')].map(n => n.textContent)") == [
        "food · soup",
        MAP_HTML_HOSTILE,
        "No cluster",
    ]
    browser.press("#groups li:nth-child(1) button")
    assert lit(browser, 1) == [0, 1, 2]
    browser.press("#groups li:nth-child(3) button")
    assert lit(browser, 1) == [0, 1, 2, 6]
    assert "4 shown" in browser.text("#foot")
    browser.press("#all")
    assert lit(browser, 1) == list(range(7))


@in_browser
def test_colours_follow_the_choice(page):
    browser = page(small())
    colours = "[...Array(7).keys()].map(colourOf)"
    by_cluster = browser.run(colours)
    assert by_cluster[:3] == [palette.qualitative(1)[0]] * 3
    assert by_cluster[6] == palette.LEFTOVER[0]
    assert near(colour_at(browser, *browser.screen(6)), by_cluster[6])
    browser.run("colourBy('column-1')")
    by_words = browser.run(colours)
    assert (by_words[0], by_words[5], by_words[6]) == (palette.ramp(0), palette.ramp(1), palette.LEFTOVER[0])
    assert len(set(by_words)) == 7
    browser.run("colourBy('column-2')")
    assert "2020-01-01" in browser.text("#groups")
    browser.press("#trust")
    assert browser.run("at('by').selectedOptions[0].textContent") == "Map trust"
    assert browser.run(colours)[0] == palette.ramp(1)


@in_browser
def test_the_first_colours_can_be_chosen(page):
    browser = page(small(), by="words")
    assert browser.run("at('by').selectedOptions[0].textContent") == "words"


@in_browser
def test_wheel_keys_and_double_click_zoom_and_a_drag_moves(page):
    browser = page(small())
    start = browser.run("view.scale")
    x, y = browser.screen(3)
    assert x > browser.screen(0)[0]
    assert y < browser.screen(0)[1]  # up is up
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    browser.settle()
    assert browser.run("view.scale") > 1.3 * start
    assert browser.screen(3) == pytest.approx((x, y), abs=1)
    browser.run("at('ink').focus()")
    browser.key("0")
    assert browser.run("view.scale") == pytest.approx(start)
    for key, larger in (("+", True), ("-", False)):
        before = browser.run("view.scale")
        browser.key(key)
        assert (browser.run("view.scale") > before) is larger
    for count in (1, 2):
        for event in ("mousePressed", "mouseReleased"):
            browser.mouse(event, 500, 350, button="left", clickCount=count)
    browser.settle()
    assert browser.run("view.scale") == pytest.approx(2 * start, rel=0.01)
    before = browser.screen(0)
    browser.mouse("mousePressed", 500, 350, button="left", clickCount=1)
    browser.mouse("mouseMoved", 560, 390, button="left", buttons=1)
    browser.mouse("mouseReleased", 560, 390, button="left", clickCount=1)
    browser.settle()
    assert browser.screen(0) == pytest.approx((before[0] + 60, before[1] + 40), abs=1)


@in_browser
def test_two_fingers_zoom(page):
    browser = page(small())
    before = browser.run("view.scale")
    for event, half in (("touchStart", 50), ("touchMove", 75), ("touchMove", 100)):
        points = [{"x": 500 - half, "y": 350, "id": 1}, {"x": 500 + half, "y": 350, "id": 2}]
        browser.call("Input.dispatchTouchEvent", type=event, touchPoints=points)
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    browser.settle()
    assert browser.run("view.scale") == pytest.approx(2 * before, rel=0.05)


@in_browser
def test_the_keyboard_alone_reaches_a_document(page):
    browser = page(small())
    browser.run("at('ink').focus()")
    browser.key("j")
    browser.key("j")
    browser.key("Enter")
    assert browser.text("#card.pinned h2") == "Bread"
    assert "Bread" in browser.text("#live")
    browser.key("/")
    assert browser.run("document.activeElement.id") == "query"
    named = "part.getAttribute('aria-label') || part.textContent.trim() || part.labels?.length"
    every = "[...document.querySelectorAll('button, input, select, #ink')]"
    assert browser.run(f"{every}.filter(part => part.checkVisibility() && !({named})).map(part => part.id)") == []


@in_browser
def test_language_and_theme_follow_the_system_and_can_be_switched(page, browser):
    try:
        browser.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
        page(small())
        assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 30)"
        assert colour_at(browser, 640, 690) == [22, 25, 30]
        browser.press("#theme")
        assert colour_at(browser, 640, 690) == [255, 255, 255]
        assert "7 documents" in browser.text("#bar")
        browser.press("#language")
        assert "문서 7개" in browser.text("#bar")
        assert browser.run("document.documentElement.lang") == "ko"
        assert "지도 신뢰도" in browser.text("#trust")
    finally:
        browser.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")


def test_both_languages_say_everything():
    source = (paths.resources() / "map" / "words.js").read_text("utf-8")
    english, korean = source.split("  ko: {")[0], source.split("  ko: {")[1].split("let language")[0]
    keys = [set(re.findall(r'(\w+): (?:"|\[\[)', part)) for part in (english, korean)]
    assert keys[0] == keys[1]
    assert len(keys[0]) > 30


@in_browser
def test_labels_follow_the_zoom_and_do_not_overlap(page):
    browser = page(many(3000))
    counts = []
    for closer in (1, 3, 6):
        browser.run(f"look_at({{x: 0, y: 0, scale: {closer} * fitted().scale}})")
        browser.settle()
        boxes = browser.run("labelsDrawn.map(one => [one.x - one.half, one.y - 8, one.x + one.half, one.y + 8])")
        counts.append((browser.run("levelAt(closeness())"), len(boxes)))
        for place, one in enumerate(boxes):
            for other in boxes[:place]:
                assert one[0] > other[2] or other[0] > one[2] or one[1] > other[3] or other[1] > one[3]
    assert [level for level, _ in counts] == [0, 1, 2]
    assert all(count > 1 for _, count in counts)


@in_browser
def test_forty_thousand_points_can_be_searched_hovered_and_moved(page):
    browser = page(many(40_000))
    assert browser.run("map.count") == 40_000
    browser.mouse("mouseMoved", *browser.screen(37_777))
    browser.settle()
    assert browser.text("#card h2").startswith("title ")
    browser.type("number 4321,")
    assert lit(browser, 2) == [4321]
    browser.press("#clear")
    browser.run("colourBy('column-0')")
    browser.settle()
    assert "20,000" in browser.text("#groups")
    moving = """new Promise(done => {
      const gaps = []; let last = 0;
      const turn = now => {
        if (last) gaps.push(now - last);
        last = now;
        look_at({x: view.x + 0.001, y: view.y, scale: view.scale * 1.002});
        gaps.length < 40 ? requestAnimationFrame(turn) : done(gaps.length);
      };
      requestAnimationFrame(turn);
    })"""
    assert browser.run(moving) == 40
    browser.settle()
    assert browser.run("pace.shown") == 1
    browser.run("pace.every = 8; look_at({...view, x: 0}); drawNow()")
    assert browser.run("pace.shown") >= 8  # a slow machine shows fewer while the view moves
    browser.settle()
    assert browser.run("pace.shown") == 1


@in_browser
def test_without_a_graphics_card_the_same_is_painted(tmp_path):
    browser = Browser(tmp_path / "profile", "--disable-3d-apis", "--force-prefers-reduced-motion")
    try:
        file = tmp_path / "map.html"
        file.write_text(html(small()), encoding="utf-8")
        browser.open(file)
        assert browser.run("painter.constructor.name") == "PlainPainter"
        shown = colour_at(browser, *browser.screen(6))
        assert near(shown, palette.LEFTOVER[0])
        browser.type("alone")
        assert colour_at(browser, *browser.screen(0)) != shown
        assert browser.complaints() == []
    finally:
        browser.close()


@in_browser
@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_maps_work(page, count):
    whole = small()
    browser = page(
        small(
            positions=np.zeros((count, 2), dtype=np.float32),
            ids=range(count),
            clusters=whole.clusters[:count],
            trust=whole.trust[:count],
            columns={},
            levels=(),
            **{name: getattr(whole, name)[:count] for name in ("titles", "snippets", "paths", "parts")},
        )
    )
    assert browser.run("at('empty').hidden") is (count > 0)
    browser.type("bread")
    assert len(lit(browser, 2)) == (count == 2)
    browser.key("Enter")
