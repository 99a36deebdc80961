"""The map in the window follows the session, and tells it what the user points at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from explorer.services.overview import MapLayout
from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.map.panel import MapPanel
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, Session
from explorer.workspace.storage.documents import Listing
from tests.ui.map.test_legend import isolate

IDS = np.array([10, 20, 30, 40], np.int64)


def listing(first: int = 0) -> Listing:
    """The documents from one on."""
    titles, count = ["One", "", "Three", "Four"][first:], 4 - first
    fields: dict[str, list[Any]] = {
        "author": ["Kim", "Lee", "Kim", None],
        "pages": [1, 2, 3, 4],
        "place": ["Seoul", None, "Seoul", "Busan"],
        "same": ["x"] * 4,
    }
    return Listing(
        IDS[first:],
        [f"{number}.txt" for number in IDS[first:]],
        [""] * count,
        titles,
        np.full(count, 9),
        ["en"] * count,
        ["utf-8"] * count,
        np.ones(count, np.float32),
        {name: values[first:] for name, values in fields.items()},
        ["a text"] * count,
    )


def chart() -> MapLayout:
    places = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)
    return MapLayout(IDS, places, trust=np.full(4, 0.5, np.float32), mean_trust=0.5)


@pytest.fixture
def panel(qapp: object) -> Iterator[MapPanel]:
    runner = Runner()
    session = Session(Settings())
    panel = MapPanel(session, Controllers(session, runner))
    session.set_documents(listing(), [])
    session.set_map_layout(chart())
    panel.resize(600, 400)
    panel.show()
    yield panel
    panel.close()
    assert runner.close(60)


def choose(panel: MapPanel, by: str) -> None:
    place = panel._by.findData(by)
    assert place >= 0
    panel._by.setCurrentIndex(place)
    panel._by.activated.emit(place)


def test_clicks_focus_and_mark(panel: MapPanel) -> None:
    session = panel._session
    panel.view.clicked.emit(2, Qt.KeyboardModifier.NoModifier)
    panel.view.clicked.emit(1, Qt.KeyboardModifier.ControlModifier)
    panel.view.clicked.emit(3, Qt.KeyboardModifier.ControlModifier)
    assert session.selection.focus == 30
    assert session.selection.marked == {20, 40}
    panel.view.selected.emit(np.array([0, 1]), "intersect")
    assert session.selection.marked == {20}
    panel.view.clicked.emit(-1, Qt.KeyboardModifier.NoModifier)
    assert session.selection.marked == frozenset()


def test_a_lasso_around_very_many_points_is_quick(panel: MapPanel) -> None:
    count, session = 200_000, panel._session
    spots = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    session.set_map_layout(MapLayout(np.arange(count) * 3, spots, trust=np.ones(count, np.float32), mean_trust=1.0))
    wide, high = panel.view.width(), panel.view.height()
    started = time.thread_time()  # not the time that other processes take
    panel.view._on_drawn([(-9, -9), (wide + 9, -9), (wide + 9, high + 9), (-9, high + 9)], "replace")
    # A fifth of the million of tests/benchmarks/lasso.py, with room for a slow machine. Loops in Python took 0.5 s.
    assert time.thread_time() - started < 0.25
    assert len(session.selection.marked) == count
    assert len(panel.view._points.marks) == count


def test_only_fields_that_tell_apart_can_colour(panel: MapPanel) -> None:
    keys = [panel._by.itemData(place) for place in range(panel._by.count())]
    assert keys == ["cluster", "trust", "score", "field:author", "field:pages", "field:place"]


def test_the_legend_of_a_field_filters(panel: MapPanel) -> None:
    session = panel._session
    assert not panel.legend.isVisible()
    choose(panel, "field:author")
    assert panel.legend.isVisible()
    assert panel._colouring is not None
    assert [(one.text, one.count) for one in panel._colouring.entries("other")] == [
        ("Kim", 2),
        ("Lee", 1),
        ("other", 1),
    ]
    panel.legend.isolated_changed.emit(frozenset([0]))
    assert session.filter == DocumentFilter(DocumentSet([10, 30]), "Kim")
    panel.legend.isolated_changed.emit(frozenset())
    assert session.filter is None
    choose(panel, "field:pages")
    choose(panel, "trust")
    choose(panel, "cluster")
    assert not panel.legend.isVisible()


def test_what_the_legend_filters_outlasts_new_colours(panel: MapPanel) -> None:
    session, kim = panel._session, DocumentFilter(DocumentSet([10, 30]), "Kim")
    choose(panel, "field:author")
    isolate(panel.legend, 0)
    session.set_tags({10: frozenset(["a"])})
    session.set_clusters(None)
    session.set_map_layout(chart())
    panel.restyle()
    assert session.filter == kim
    assert panel.legend.isolated() == {0}
    session.set_documents(listing(1), [])  # the first is gone from the folder
    assert session.filter == DocumentFilter(DocumentSet([30]), "Kim")
    assert panel.legend.isolated() == {0}


def test_a_filter_that_is_not_the_legend_s_chooses_no_line_of_it(panel: MapPanel) -> None:
    session, other = panel._session, DocumentFilter(DocumentSet([20]), "a cluster")
    choose(panel, "field:author")
    isolate(panel.legend, 0)
    panel._actions.step_back()
    assert session.filter is None
    assert panel.legend.isolated() == frozenset()
    isolate(panel.legend, 0)
    session.set_filter(other)
    session.set_map_layout(chart())
    assert panel.legend.isolated() == frozenset()
    assert session.filter == other
    isolate(panel.legend, -1)
    choose(panel, "field:place")
    assert panel.legend.isolated() == frozenset()  # those without a place are not those without an author
    assert session.filter == DocumentFilter(DocumentSet([40]), "other")


def test_when_the_last_tag_goes_the_colours_are_those_of_clusters(panel: MapPanel) -> None:
    session = panel._session
    session.set_tags({10: frozenset(["a"])})
    choose(panel, "tag")
    assert panel.legend.isVisible()
    session.set_tags({})
    assert panel.by == "cluster"
    assert not panel.legend.isVisible()
    assert panel._colouring is not None
    assert "a" not in panel._colouring.names


def test_a_card_says_what_a_point_is(panel: MapPanel) -> None:
    assert (panel._describe(0).title, panel._describe(1).title) == ("One", "20.txt")
    assert panel._describe(0).text == "a text"


def test_density_and_contours_are_on_from_the_start(panel: MapPanel) -> None:
    assert panel.view.terrain == (True, True)


def test_without_a_folder_the_map_is_empty(panel: MapPanel) -> None:
    panel._session.set_folder(None)
    panel._session.focus(10)
    panel.zoom_to([10])
    assert panel._trust.text() == ""


def test_the_view_stays_with_a_few_new_points_and_not_on_another_map(panel: MapPanel) -> None:
    def show(count: int) -> None:
        numbers = np.arange(10, 10 * count + 1, 10)
        places = np.array([[number, number % 30] for number in numbers], np.float32)
        trust = np.full(count, 0.5, np.float32)
        panel._session.set_map_layout(MapLayout(numbers, places, trust=trust, mean_trust=0.5))

    panel.view.view_box.zoom(3)
    assert not panel.view.view_box.home
    show(6)
    assert not panel.view.view_box.home
    show(100)
    assert panel.view.view_box.home


@pytest.mark.parametrize("upper", [True, False])
def test_the_legend_is_where_it_hides_few_points(panel: MapPanel, upper: bool) -> None:
    away = np.array([[0, 0], [1.3, 1], [1.3, 1], [1.3, 1]], np.float32)
    places = away if upper else away * [1, -1]
    panel._session.set_map_layout(MapLayout(IDS, places.astype(np.float32), trust=np.ones(4), mean_trust=0.5))
    panel.resize(1000, 700)
    QApplication.processEvents()
    card = panel.legend.geometry()
    assert card.right() > 900
    assert (card.center().y() > 350) is upper
    hidden = [panel.view.view_box.points.at(row, panel.view.view_box.camera) for row in range(4)]
    assert not any(card.contains(int(x), int(y)) for x, y in hidden)


def test_a_narrow_map_folds_its_legend_until_the_user_unfolds_it(panel: MapPanel) -> None:
    panel.resize(1000, 600)
    QApplication.processEvents()
    assert not panel.legend.folded
    panel.resize(600, 600)
    QApplication.processEvents()
    assert panel.legend.folded
    assert panel.state()["folded"] is None  # nobody has chosen it
    panel.legend.title.click()
    panel.resize(500, 600)
    QApplication.processEvents()
    assert not panel.legend.folded
    assert panel.state()["folded"] is False
