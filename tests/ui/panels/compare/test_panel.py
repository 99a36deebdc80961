"""Two documents side by side: passages joined, words lit, what differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.panels.compare.panel import ComparePanel
from explorer.ui.panels.compare.passages import GAP, Connectors, PassageList
from explorer.ui.state.session import Session
from explorer.workspace.search.compare import Aligned, Stretch

Idle = Callable[[], None]


def stretch(number: int, *, matched: bool = True) -> Stretch:
    text = f"Passage {number} " + "with some words in it " * (5 + number % 7)
    return Stretch(number * 1000, number * 1000 + len(text), text, number, 0.5, matched)


@pytest.fixture
def column(qapp: object) -> Any:
    made = PassageList()
    made.resize(260, 300)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_a_book_is_laid_out_only_where_it_is_seen(column: PassageList) -> None:
    column.show_passages([stretch(number) for number in range(5000)])
    QApplication.processEvents()
    assert 0 < len(column._layouts) < 20
    column.choose(4000)
    top, bottom = column.extent(4000)
    assert 0 <= top < bottom <= 400
    assert len(column._layouts) < 60


def test_what_is_measured_does_not_overlap(column: PassageList) -> None:
    column.show_passages([stretch(number) for number in range(50)])
    bar = column.verticalScrollBar()
    for value in range(0, bar.maximum(), 150):
        bar.setValue(value)
        column.viewport().grab()
    extents = column.extents(np.arange(50))
    assert np.allclose(extents[1:, 0] - extents[:-1, 1], GAP)
    assert (extents[:, 1] > extents[:, 0]).all()


def test_mouse_and_keys_choose_passages_and_copy_them(column: PassageList) -> None:
    chosen: list[int] = []
    column.chosen.connect(chosen.append)
    column.chosen.connect(column.choose)
    column.show_passages([stretch(number) for number in range(20)])
    column.viewport().grab()
    top, bottom = column.extent(1)
    QTest.mouseClick(column.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(40, int((top + bottom) / 2)))
    QTest.keyClick(column, Qt.Key.Key_Down)
    QTest.keyClick(column, Qt.Key.Key_Up)
    assert chosen == [1, 2, 1]
    QTest.keyClick(column, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == stretch(1).text


def test_ribbons_join_matched_pairs_in_view_and_can_be_chosen(column: PassageList) -> None:
    other = PassageList()
    other.resize(260, 300)
    for one in (column, other):
        one.show_passages([stretch(number) for number in range(100)])
        one.viewport().grab()
    ribbons = Connectors(column, other)
    ribbons.resize(56, 300)
    pairs = [
        Aligned(0, 1, 0.9, True, True),
        Aligned(1, 1, 0.6, False, True),
        Aligned(0, 0, 0.1, True, False),
        Aligned(90, 90, 0.9, True, True),
    ]
    ribbons.show_pairs(pairs, 0.5)
    assert [at for at, _ in ribbons.bands()] == [0, 1]  # neither what is not matched nor what is out of view
    chosen: list[tuple[int, int]] = []
    ribbons.chosen.connect(lambda first, second: chosen.append((first, second)))
    QTest.mouseClick(ribbons, Qt.MouseButton.LeftButton, pos=QPoint(2, int(column.extent(0)[0]) + 20))
    assert chosen == [(0, 1)]
    ribbons.deleteLater()
    other.deleteLater()


def test_without_a_folder_it_says_what_to_do(qapp: object) -> None:
    session, runner = Session(), Runner()
    panel = ComparePanel(session, Controllers(session, runner))
    assert "Open a folder" in panel.stage.sentence
    assert runner.close(60)
    panel.deleteLater()


def document(session: Session, title: str) -> int:
    assert session.listing is not None
    return int(session.listing.ids[list(session.listing.titles).index(title)])


@pytest.mark.bundled
def test_one_is_kept_and_another_chosen(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ComparePanel)
    soup = document(session, "Red lentil soup")
    other = document(session, "Red lentil soup, the weeknight version")
    assert "Choose a document" in panel.stage.sentence
    session.focus(soup)
    QTest.keyClick(panel, Qt.Key.Key_C)
    assert session.comparison == soup
    assert "Red lentil soup" in panel.stage.sentence
    session.focus(other)
    idle()
    head = panel.head
    assert [label.text() for label in head.titles] == ["Red lentil soup", "Red lentil soup, the weeknight version"]
    assert "similarity 0.9" in head.scores.text()
    assert "% matched" in head.scores.text()
    assert "only here" in head.only[0].text()
    assert head.shared.chips
    assert panel.pair is panel.comparison.pairs[0]
    panel.swap_sides()
    idle()
    assert panel.comparison.first.entry.id == other
    assert session.selection.focus == soup


@pytest.mark.bundled
def test_words_changes_and_wording_are_lit(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ComparePanel)
    panel.show_pair(document(session, "Red lentil soup"), document(session, "Red lentil soup, the weeknight version"))
    idle()
    seen = []
    for choice in range(3):
        panel.head.choice.setCurrentIndex(choice)
        QApplication.processEvents()
        marks = panel.right._marks
        text = panel.comparison.second.passages[panel.pair.second].text
        assert marks
        seen.append(" | ".join(text[start:end] for start, end, _ in marks[panel.pair.second]))
    assert "lentil" in seen[0].lower()
    assert "the weeknight version" in seen[1]
    assert len(set(seen)) == 3


@pytest.mark.bundled
def test_a_passage_brings_its_nearest_and_its_reasons(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ComparePanel)
    longest = np.argsort(-session.listing.characters)[:2]
    panel.show_pair(*(int(session.listing.ids[row]) for row in longest))
    idle()
    place = len(panel.comparison.first.passages) - 1
    panel.choose(0, place)
    best = panel.comparison.first.passages[place].best
    assert (panel.left.current, panel.right.current) == (place, best)
    assert (panel.pair.first, panel.pair.second) == (place, best)
    assert f"passages {place + 1} and {best + 1}" in panel.head.pair_scores.text()
    assert panel.pair.why is None  # not among those that the comparison explains
    idle()
    assert panel.left._marks[place]


@pytest.mark.bundled
def test_two_marked_ones_are_compared_at_a_press(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ComparePanel)
    two = [int(one) for one in session.listing.ids[:2]]
    session.mark(two)
    assert "Two documents are selected" in panel.stage.sentence
    QTest.mouseClick(panel.stage._button, Qt.MouseButton.LeftButton)
    idle()
    assert [panel.comparison.first.entry.id, panel.comparison.second.entry.id] == sorted(two)


@pytest.mark.bundled
def test_a_panel_that_nobody_sees_does_not_work(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ComparePanel)
    panel.hide()
    panel.show_pair(*(int(one) for one in session.listing.ids[:2]))
    idle()
    assert panel.comparison is None
    panel.show()
    idle()
    assert panel.comparison is not None


@pytest.mark.bundled
def test_a_document_that_is_gone_is_an_error_in_place(make: Any, opened: Any, idle: Idle) -> None:
    panel = make(ComparePanel)
    panel.show_pair(int(opened.session.listing.ids[0]), 999_999)
    idle()
    assert "There is no document" in panel.stage.sentence
