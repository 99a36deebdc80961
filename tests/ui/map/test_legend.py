"""The legend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from explorer.rendering.colours import Amounts, Categories, LegendEntry, style
from explorer.ui.map.legend import MapLegend, Ramp, _by_value, columns
from explorer.workspace.storage.documents import Listing

ENTRIES = [
    LegendEntry(4, "space", "#ff0000", 214),
    LegendEntry(1, "hockey", "#00ff00", 198),
    LegendEntry(-1, "none", "#888888", 0),
]
MANY = 100


@pytest.fixture
def legend(qapp: object) -> Iterator[MapLegend]:
    found = MapLegend()
    found.set_entries(ENTRIES)
    found.resize(220, 300)
    found.show()
    yield found
    found.close()
    found.deleteLater()


def click(legend: MapLegend, line: int) -> None:
    lines = legend.findChild(QListWidget)
    at = lines.visualItemRect(lines.item(line)).center()
    QTest.mouseClick(lines.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))


def isolate(legend: MapLegend, *categories: int) -> None:
    """Choose the lines of these categories alone, as clicks would."""
    lines = legend.findChild(QListWidget)
    lines.blockSignals(True)
    for row in range(lines.count()):
        item = lines.item(row)
        item.setSelected(item.data(Qt.ItemDataRole.UserRole).category in categories)
    lines.blockSignals(False)
    lines.viewport().update()
    legend.isolated_changed.emit(legend.isolated())


def test_a_click_shows_a_line_alone_and_another_takes_it_back(legend: MapLegend):
    heard: list[frozenset[int]] = []
    legend.isolated_changed.connect(heard.append)
    click(legend, 0)
    click(legend, 1)
    click(legend, 0)
    click(legend, 1)
    assert heard == [{4}, {4, 1}, {1}, frozenset()]


def test_the_keyboard_does_the_same(legend: MapLegend):
    lines = legend.findChild(QListWidget)
    lines.setCurrentRow(0)
    lines.clearSelection()
    QTest.keyClick(lines, Qt.Key.Key_Down)
    lines.clearSelection()
    QTest.keyClick(lines, Qt.Key.Key_Space)
    assert legend.isolated() == {1}


def test_lines_without_points_are_left_out_and_all_can_be_read_aloud(legend: MapLegend):
    lines = legend.findChild(QListWidget)
    told = [lines.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(lines.count())]
    assert told == ["space, 214 documents", "hockey, 198 documents"]


def test_lines_that_are_drawn_anew_stay_chosen_and_nobody_is_told(legend: MapLegend):
    heard: list[frozenset[int]] = []
    isolate(legend, 4)
    legend.isolated_changed.connect(heard.append)
    legend.set_entries([replace(ENTRIES[1], category=4), replace(ENTRIES[0], category=1)])
    assert legend.isolated() == {1}  # "space", whatever its number is now
    legend.set_entries([*ENTRIES, LegendEntry(-1, "space", "#888888", 5)])
    assert legend.isolated() == {4}  # not those without a value, though they are called so
    legend.release()
    assert legend.isolated() == frozenset()
    legend.set_entries(ENTRIES)
    assert legend.isolated() == frozenset()
    assert heard == []


def test_colours_are_seen(legend: MapLegend):
    image = legend.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(30) for y in range(120)}
    assert {"#ff0000", "#00ff00"} <= colours
    isolate(legend, 4)
    image = legend.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(30) for y in range(120)}
    assert "#ff0000" in colours
    assert "#00ff00" not in colours


@pytest.mark.parametrize("dark", [False, True])
def test_a_ramp_takes_the_place_of_the_lines(legend: MapLegend, dark: bool):
    legend.set_style(style(dark=dark))
    legend.set_ramp(Ramp("0.1", "0.9"))
    assert legend.findChild(QListWidget).isHidden()
    image, middle = legend.grab().toImage(), legend._ramp.mapTo(legend, QPoint(0, 10)).y()
    colours = {image.pixelColor(x, middle).name() for x in range(0, image.width(), 5)}
    assert len(colours) > 10


def test_the_card_folds_to_its_title(legend: MapLegend):
    changes: list[int] = []
    legend.size_changed.connect(lambda: changes.append(legend.sizeHint().height()))
    legend.set_title("Cluster")
    high = legend.sizeHint().height()
    QTest.mouseClick(legend.title, Qt.MouseButton.LeftButton)
    assert legend.folded
    assert not legend.findChild(QListWidget).isVisible()
    assert changes[-1] < high
    legend.fold(folded=False)
    assert legend.findChild(QListWidget).isVisible()


def listing(**fields: list[Any]) -> Listing:
    numbers = np.arange(1, MANY + 1)
    names = [f"{number}.txt" for number in numbers]
    plain = [""] * MANY
    return Listing(numbers, names, plain, names, numbers, plain, plain, np.ones(MANY, np.float32), fields=fields)


def test_a_field_is_offered_where_colours_tell_documents_apart() -> None:
    found = listing(
        same=["a"] * MANY,
        half=["a", None] * (MANY // 2),
        kinds=["a", "b"] * (MANY // 2),
        ids=[f"<{number}@host>" for number in range(MANY)],
        size=list(range(MANY)),
        date=[f"2024-03-{1 + number % 28:02}T10:00:00" for number in range(MANY)],
        at=[f"2024-03-01T10:{number % 60:02}:{number // 60:02}" for number in range(MANY)],
    )
    assert columns(found) == ["half", "kinds", "size", "date"]


def test_dates_are_a_ramp() -> None:
    found = _by_value([f"20{year:02}-05-01T07:00:00+09:00" for year in range(MANY)] + [None, "soon"])
    assert isinstance(found.points, Amounts)
    assert np.isnan(found.points.values[-2:]).all()
    assert (np.diff(found.points.values[:-2]) > 0).all()
    low, high = found.names
    assert "2000-05-01" <= low < "2003" < "2097" < high <= "2099-05-01"


def test_numbers_are_a_ramp_and_words_are_groups() -> None:
    found = _by_value([1, 2.5, None, 4])
    assert isinstance(found.points, Amounts)
    assert found.names == (f"{found.points.low:,.4g}", f"{found.points.high:,.4g}")
    words = _by_value(["b", "a", "b", None, "2024-01-01"])
    assert isinstance(words.points, Categories)
    assert words.names[0] == "b"
    assert words.points.values[3] == -1
