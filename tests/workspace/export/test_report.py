"""Reports: what they tell, that hostile texts stay texts, and that a browser loads and runs nothing for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.errors import DataError
from explorer.rendering.labels import label
from explorer.workspace.export import report as reports
from explorer.workspace.export.map_data import MapPicture
from explorer.workspace.export.report import LONG, SHORT, Report, ReportItem, html, write_report
from tests.workspace.export.test_map import MAP_HTML_HOSTILE as HOSTILE
from tests.workspace.export.test_map import Browser, in_browser


def a_map(count: int = 6) -> MapPicture:
    positions = np.array([[place % 7, place // 7] for place in range(count)], np.float32)
    return MapPicture(
        "letters",
        positions,
        range(count),
        [f"Letter {place} {HOSTILE}" for place in range(count)],
        [""] * count,
        [f"{place}.txt" for place in range(count)],
        [""] * count,
        np.zeros(count, np.int64),
        {0: HOSTILE},
        ((label(HOSTILE, positions),),),
        np.ones(count, np.float32),
    )


def a_report(**changes: object) -> Report:
    items = (
        ReportItem(
            0,
            "Lentils",
            "soup/lentils.txt",
            "Rinse the red lentils, then cook them.",
            passage=(6, 21),
            score=0.75,
            cluster="food · soup",
            tags=("recipe",),
            facts=(("author", "Kim"),),
        ),
        ReportItem(
            1, HOSTILE, HOSTILE, HOSTILE * 3, HOSTILE, cluster=HOSTILE, tags=(HOSTILE,), facts=((HOSTILE, HOSTILE),)
        ),
        ReportItem(4, "", "plain.txt", "Nothing else is known."),
    )
    made = Report("letters", "Marked documents", items, 40, "today", "soup & rice", "model", picture=a_map())
    return replace(made, **changes)  # type: ignore[arg-type]


def test_it_tells_what_was_chosen_with_scores_clusters_and_the_passage() -> None:
    page = html(a_report())
    assert "Report on letters" in page
    assert "3 of 40 (7.5%)" in page
    assert "soup &amp; rice" in page
    assert "the <mark>red lentils, th</mark>" not in page
    assert "Rinse <mark>the red lentils</mark>, then cook them." in page
    assert all(part in page for part in ("0.75", "food · soup", "author: Kim", ">recipe<", "soup/lentils.txt"))
    assert page.index("Lentils") < page.index("plain.txt")


def test_hostile_texts_are_escaped_everywhere() -> None:
    page = html(a_report(title=HOSTILE, why=HOSTILE, query=HOSTILE, model=HOSTILE))
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("<title>") == 1 + 6 - 3 + 1  # of the page, of the map, of the chosen points on it


def test_the_policy_allows_nothing_but_its_own_style() -> None:
    page = html(a_report())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert "unsafe" not in policy[1]
    assert "style=" not in page.partition("</head>")[2]  # the policy would not let it work


def test_a_long_text_is_shown_in_part_and_kept_whole_below() -> None:
    text = "begin " + "x " * SHORT + "here it is" + " y" * LONG + " end"
    start = text.index("here")
    page = html(a_report(items=(ReportItem(0, "Long", "long.txt", text, passage=(start, start + 10)),)))
    above, below = page.split("<details>")
    assert "<mark>here it is</mark>" in above
    assert "begin" not in above.partition("Texts")[2]
    assert "begin" in below
    assert " end<" not in below
    assert f"{len(text) - LONG:,} more characters" in below


def test_it_speaks_korean() -> None:
    page = html(a_report(left_out=7), "ko")
    assert '<html lang="ko">' in page
    assert "letters 보고서" in page
    assert "전체 40개 중 3개" in page
    assert "7개는" in page


def test_the_map_shows_the_chosen_among_the_others() -> None:
    drawn = reports.drawing(a_map(), {0: 0, 1: 1, 4: -1}, "Map")
    assert drawn.count("<circle") == 6
    assert len(re.findall(r'<g class="g0">|<g class="g1">|<g class="share">', drawn)) == 3
    many = reports.drawing(a_map(20_000), {19_999: 0}, "Map")
    assert reports.CONTEXT / 2 < many.count("<circle") <= reports.CONTEXT + 1
    assert '<g class="g0">' in many


def test_points_stay_inside_the_drawing() -> None:
    drawn = reports.drawing(a_map(50), {}, "Map")
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.-]+)" cy="([\d.-]+)"', drawn)]
    assert all(0 < x < reports.WIDTH and 0 < y < reports.HEIGHT for x, y in places)
    assert "nan" not in reports.drawing(a_map(1), {0: 0}, "Map")


def test_a_file_that_cannot_be_written_is_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_report(a_report(), tmp_path / "missing" / "report.html")
    assert list(tmp_path.iterdir()) == []


class Reading(Browser):
    """A browser for pages that are there at once."""

    def settle(self) -> None:
        """Nothing to wait for: no script runs."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Reading(tmp_path_factory.mktemp("profile"), "--lang=en-US")
    yield opened
    opened.close()


@in_browser
def test_a_browser_shows_it_and_asks_for_nothing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(a_report(title=HOSTILE), file)
    browser.open(file)
    assert set(browser.requests()) == {file.as_uri()}
    assert browser.complaints() == []
    assert HOSTILE in browser.run("document.title")
    assert browser.run("document.querySelectorAll('script, img, iframe').length") == 0
    assert browser.run("document.querySelector('#d2 .text').innerText") == HOSTILE * 3
    assert browser.run("getComputedStyle(document.querySelector('svg .g0')).fill") != "rgb(0, 0, 0)"
    assert browser.run("fetch('data:,x').then(() => 'went', () => 'refused')") == "refused"


@in_browser
def test_it_is_dark_where_the_reader_wants_that_and_light_on_paper(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(a_report(), file)
    browser.open(file)
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.media(prefers_color_scheme="light")
    assert browser.run(ground) == "rgb(255, 255, 255)"
    browser.media(prefers_color_scheme="dark")
    assert browser.run(ground) == "rgb(22, 25, 30)"
    browser.call("Emulation.setEmulatedMedia", media="print", features=[])
    assert browser.run(ground) == "rgb(255, 255, 255)"
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
