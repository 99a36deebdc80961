"""The HTML map in a real browser: what it shows, that nothing leaves it, and that hostile texts stay texts."""

from __future__ import annotations

import base64
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

import numpy as np
import pytest
from PIL import Image

from explorer import palette, paths
from explorer.errors import DataError
from explorer.rendering.labels import label
from explorer.workspace.export.map_data import MapPicture
from explorer.workspace.export.map_html import html

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_browser = pytest.mark.skipif(CHROMIUM is None or os.name == "nt", reason="Chromium is not on this machine")
HOSTILE = "<img src=x onerror=\"document.title='broken'\"></script><script>document.title='broken'</script><!--"


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
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

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
        "titles": ["Lentil soup", "Bread", "Noodles", "Rockets", HOSTILE, "달 탐사선", "Alone"],
        "snippets": ["Rinse the LENTILS.", "Flour", "국수를 삶는다", "Into orbit", HOSTILE, "달의 뒷면", ""],
        "paths": [f"folder/{place}.txt" for place in range(7)],
        "parts": ["", "row 2", "", "", HOSTILE, "", ""],
        "clusters": np.array([4, 4, 4, 7, 7, 7, -1]),
        "names": {4: "food · soup", 7: HOSTILE},
        "levels": ((label("food · soup", positions[:3]), label(HOSTILE, positions[3:6])),),
        "trust": np.array([1, 0.5, 0.5, 0.25, 0.75, 0.5, np.nan], dtype=np.float32),
        "columns": {
            "kind": ["recipe", "recipe", None, "news", HOSTILE, "news", "news"],
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
    browser = page(small(title=HOSTILE))
    browser.click(*browser.screen(4))
    browser.run("colourBy('column-0')")
    browser.type("onerror")
    assert HOSTILE in browser.text("#card h2")
    assert HOSTILE in browser.text("#groups")
    assert browser.run("document.querySelectorAll('img, #card script').length") == 0
    assert browser.run("document.title") == HOSTILE


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
        HOSTILE,
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
        for kind in ("mousePressed", "mouseReleased"):
            browser.mouse(kind, 500, 350, button="left", clickCount=count)
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
    for kind, half in (("touchStart", 50), ("touchMove", 75), ("touchMove", 100)):
        points = [{"x": 500 - half, "y": 350, "id": 1}, {"x": 500 + half, "y": 350, "id": 2}]
        browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
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
