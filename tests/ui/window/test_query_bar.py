"""The query box: what was asked is recalled, what was not asked yet is kept, and Down leads to the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.window.query_bar import QueryBar
from tests.ui.window.test_unplugged import Seat, seat

__all__ = ["seat"]


@pytest.fixture
def box(actions: Controllers) -> QueryBar:
    return QueryBar(actions.session, actions)


def press(box: QueryBar, *keys: Qt.Key) -> str:
    for key in keys:
        QTest.keyClick(box.line, key)
    return box.line.text()


def ask(box: QueryBar, text: str) -> None:
    box.line.clear()
    QTest.keyClicks(box.line, text)
    QTest.keyClick(box.line, Qt.Key.Key_Return)


def test_up_and_down_walk_through_what_was_asked_and_back_to_what_was_not(box: QueryBar) -> None:
    for text in ("ships", "cats"):
        ask(box, text)
    box.line.clear()
    QTest.keyClicks(box.line, "kings")

    up, down = Qt.Key.Key_Up, Qt.Key.Key_Down
    assert [press(box, key) for key in (up, up, up, down, down)] == ["cats", "ships", "ships", "cats", "kings"]


def test_the_query_that_stands_there_is_not_recalled_first(box: QueryBar) -> None:
    for text in ("ships", "cats"):
        ask(box, text)

    assert press(box, Qt.Key.Key_Up) == "ships"


def test_down_and_up_step_through_the_results_and_keep_the_query(box: QueryBar) -> None:
    left, stepped = QSignalSpy(box.left), QSignalSpy(box.stepped)
    ask(box, "cats")
    assert left.count() == 1  # Enter goes to the results

    assert press(box, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up) == "cats"
    assert [stepped.at(n)[0] for n in range(stepped.count())] == [1, 1, -1, -1]


def test_what_is_typed_is_read_at_once_and_down_is_the_second_hit(seat: Seat) -> None:
    seat.window.show()
    seat.window.activateWindow()
    seat.window.query.line.setFocus()
    QTest.keyClicks(seat.window.query.line, "ship")
    seat.wait(lambda: bool(seat.session.search and seat.session.search.results and not seat.session.search.stale))
    hits = [hit.document for hit in seat.session.search.results.hits]
    seat.wait(lambda: seat.session.selection.focus == hits[0])
    seat.wait(lambda: seat.window.docks.reader.page is not None)
    assert seat.window.docks.reader.header.position.text() == f"1 of {len(hits)}"

    QTest.keyClick(seat.window.query.line, Qt.Key.Key_Down)
    assert seat.session.selection.focus == hits[1]
    assert seat.window.query.line.text() == "ship"
    QTest.keyClick(seat.window.query.line, Qt.Key.Key_Return)
    assert seat.window.docks.documents.list.currentIndex().row() == 1


def test_a_remark_is_shown_as_it_is_and_moves_nothing(box: QueryBar) -> None:
    box.resize(900, box.sizeHint().height())
    box.show()
    before = box.sizeHint()

    box.line.show_note("<b>Nothing</b> was found.", "faint")

    assert box.sizeHint() == before
    assert box.line._note.textFormat() == Qt.TextFormat.PlainText
    assert "<b>" not in box.line.toolTip()
    assert box.line.accessibleDescription() == "<b>Nothing</b> was found."
    box.close()


def offered(box: QueryBar) -> list[str]:
    completer = box.line._completer
    popup = completer.popup()
    return [popup.model().index(row, 0).data() for row in range(popup.model().rowCount())] if popup.isVisible() else []


def test_fields_and_their_values_are_completed(box: QueryBar, shown: Callable[[QueryBar], QueryBar]) -> None:
    shown(box)
    box.set_facets({"tag": ["good", "follow up"], "folder": ["contracts"]})
    QTest.keyClicks(box.line, "ships ta")
    assert "tag:" in offered(box)
    box.line._on_activated("tag:")
    assert box.line.text() == "ships tag:"
    assert offered(box) == ["good", "follow up"]  # its values at once
    box.line._on_activated("follow up")
    assert box.line.text() == 'ships tag:"follow up"'
    assert offered(box) == []


def test_plain_words_are_not_disturbed(box: QueryBar, shown: Callable[[QueryBar], QueryBar]) -> None:
    shown(box)
    box.set_facets({"tag": ["good"]})
    for text in ("t", "ships and kings", "tag:good"):
        box.line.clear()
        QTest.keyClicks(box.line, text)
        assert offered(box) == []


def test_an_answer_is_worked_on_once(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader explained the document that was about to go, and looked for the words of the query twice."""
    started: Counter[str] = Counter()
    start = Runner.start

    def count(runner: Runner, key: str, *arguments: Any, **options: Any) -> int:
        started[key] += 1
        return start(runner, key, *arguments, **options)

    monkeypatch.setattr(Runner, "start", count)
    for text in ("ship", "king plays"):
        started.clear()
        seat.search(text)
        assert set(started) >= {"search", "read", "words", "explain"}
        assert max(started.values()) == 1, started


def test_a_rerank_of_more_than_were_asked_for_asks_once_more_and_no_oftener(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.ui.controllers.search.HITS", seat.count())  # the folder has no more than that
    searches: list[str] = []
    start = Runner.start

    def count(runner: Runner, key: str, *arguments: Any, **options: Any) -> int:
        searches.extend(key for _ in range(key == "search"))
        assert len(searches) < 5
        return start(runner, key, *arguments, **options)

    monkeypatch.setattr(Runner, "start", count)
    seat.search("cat")
    assert seat.session.search is not None
    assert seat.session.search.results is not None
    assert len(seat.session.search.results.hits) == seat.count()
    seat.actions.search.rerank()
    seat.settle()
    assert len(searches) == 2
    assert not seat.actions.search.may_find_more(seat.count())
