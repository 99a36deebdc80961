"""Similar documents: of the focus, of the marked ones, of the query; refined by examples."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.panels.similar import SHARE, SimilarPanel, button
from explorer.ui.state.session import Session

Idle = Callable[[], None]


def document(session: Session, title: str) -> int:
    assert session.listing is not None
    return int(session.listing.ids[list(session.listing.titles).index(title)])


@pytest.fixture
def panel(make: Any, opened: Any, idle: Idle) -> Any:
    """The panel with the red lentil soup in focus, of which the sample has a second version."""
    made = make(SimilarPanel)
    opened.session.focus(document(opened.session, "Red lentil soup"))
    idle()
    return made


def test_without_a_folder_it_says_what_to_do(qapp: object) -> None:
    session, runner = Session(), Runner()
    made = SimilarPanel(session, Controllers(session, runner))
    assert "Open a folder" in made.stage.sentence
    assert runner.close(60)
    made.deleteLater()


@pytest.mark.bundled
def test_the_nearest_comes_first_with_the_words_they_share(panel: Any) -> None:
    rows = panel.model.rows
    first = rows[0]
    assert panel.model.index(0, 0).data() == "Red lentil soup, the weeknight version"
    assert first.score > 0.9
    assert [one.score for one in rows] == sorted((one.score for one in rows), reverse=True)
    assert "lentil" in {first.text[start:end].lower() for start, end in first.words} | {
        first.text[start:end].lower().rstrip("s") for start, end in first.words
    }
    assert panel.model.index(0, 0).data(SHARE) == pytest.approx(first.score)


@pytest.mark.bundled
def test_a_number_is_told_with_its_percentile(panel: Any) -> None:
    high, low = panel.meaning(0.99), panel.meaning(0.01)
    assert "Cosine similarity 0.99" in high
    assert "100 %" in high or "99 %" in high
    assert "than 0 %" in low
    assert panel.meaning(0.0, distance=True).endswith(panel.meaning(1.0).split("\n")[1])


@pytest.mark.bundled
def test_distances_rank_as_cosines_do(panel: Any, idle: Idle) -> None:
    before = [one.document for one in panel.model.rows]
    cosine = panel.model.rows[0].score
    panel.measure.setCurrentIndex(1)
    idle()
    assert [one.document for one in panel.model.rows][:20] == before[:20]
    assert panel.model.rows[0].score == pytest.approx((2 - 2 * cosine) ** 0.5, abs=1e-3)
    assert panel.model.index(0, 0).data(SHARE) > panel.model.index(30, 0).data(SHARE)


@pytest.mark.bundled
def test_plus_and_minus_refine_and_are_taken_back(panel: Any, opened: Any, idle: Idle) -> None:
    before = [one.document for one in panel.model.rows]
    near = before[0]
    row = panel.list.visualRect(panel.model.index(0, 0))
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=button(row, -1).center())
    idle()
    assert panel.examples == {near: -1}
    assert near not in [one.document for one in panel.model.rows]
    assert opened.session.selection.focus != near  # the button is no choice of the row
    far = panel.model.rows[6].document
    panel.list.setCurrentIndex(panel.model.index(6, 0))
    QTest.keyClick(panel.list, Qt.Key.Key_Plus)
    idle()
    assert panel.examples == {near: -1, far: 1}
    assert [chip.icon for chip in panel.chips.chips] == ["minus", "plus"]
    for _ in range(2):
        QTest.mouseClick(panel.chips.layout().itemAt(0).widget(), Qt.MouseButton.LeftButton)
        idle()
    assert panel.examples == {}
    assert [one.document for one in panel.model.rows] == before


@pytest.mark.bundled
def test_walking_through_the_list_keeps_it_and_enter_goes_on(panel: Any, opened: Any, idle: Idle) -> None:
    rows = [one.document for one in panel.model.rows]
    panel.list.setCurrentIndex(panel.model.index(0, 0))
    QTest.keyClick(panel.list, Qt.Key.Key_J)
    idle()
    assert opened.session.selection.focus == rows[1]
    assert [one.document for one in panel.model.rows] == rows
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    idle()
    assert [one.document for one in panel.model.rows] != rows
    assert rows[1] not in [one.document for one in panel.model.rows]


@pytest.mark.bundled
def test_the_marked_ones_and_the_query_have_neighbours_too(panel: Any, opened: Any, idle: Idle) -> None:
    session = opened.session
    panel.similar_to.setCurrentIndex(1)
    assert "Select documents" in panel.stage.sentence
    two = {document(session, "Red lentil soup"), document(session, "Red lentil soup, the weeknight version")}
    session.mark(two)
    idle()
    assert panel.model.rows
    assert two.isdisjoint(one.document for one in panel.model.rows)
    panel.similar_to.setCurrentIndex(2)
    assert "Type a query" in panel.stage.sentence
    opened.search.ask("soup of lentils")
    idle()
    assert panel.model.rows[0].document in two
    assert panel.about.text() == "close to “soup of lentils”"


@pytest.mark.bundled
def test_c_and_space_compare_and_mark(panel: Any, opened: Any) -> None:
    session, first = opened.session, panel.model.rows[0].document
    compared: list[object] = []
    panel.compared.connect(lambda: compared.append(session.comparison))
    panel.list.setCurrentIndex(panel.model.index(0, 0))
    QTest.keyClick(panel.list, Qt.Key.Key_Space)
    assert session.selection.marked == {first}
    QTest.keyClick(panel.list, Qt.Key.Key_C)
    assert session.comparison == document(session, "Red lentil soup")
    assert session.selection.focus == first
    assert compared == [session.comparison]


@pytest.mark.bundled
def test_what_is_not_encoded_is_an_error_in_place(panel: Any, opened: Any, idle: Idle) -> None:
    opened.session.focus(999_999)
    idle()
    assert "not encoded yet" in panel.stage.sentence
    assert panel.stage.failed


@pytest.mark.bundled
def test_what_is_not_encoded_yet_is_no_error_while_the_folder_is_read(panel: Any, opened: Any, wait: Any) -> None:
    go = threading.Event()
    opened.runner.start("update", lambda _: go.wait(300), lambda _: None, worker="model")
    opened.session.focus(999_999)
    wait(lambda: "once this one" in panel.stage.sentence)
    assert not panel.stage.failed
    go.set()


@pytest.mark.bundled
def test_other_vectors_bring_other_neighbours(panel: Any, opened: Any, idle: Idle) -> None:
    rows = list(panel.model.rows)
    panel.model.show_similar(rows[5:6], ["of the sketch"], [""], distances=False)
    encoded = opened.session.graph
    opened.session.set_graph(replace(encoded, model="the draft"))
    idle()
    assert [one.document for one in panel.model.rows] == [one.document for one in rows]
    opened.session.set_graph(encoded)
    idle()


@pytest.mark.bundled
def test_the_row_is_drawn_with_its_words_bold(panel: Any) -> None:
    picture = panel.list.viewport().grab().toImage()
    row = panel.list.visualRect(panel.model.index(0, 0))
    colours = {picture.pixelColor(QPoint(x, row.center().y())).name() for x in range(row.width())}
    assert len(colours) > 5
