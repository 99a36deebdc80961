"""The query box: what was asked is recalled, what was not asked yet is kept, and Down leads to the results."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest

from explorer.ui.controllers.workspace import Controllers
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
    assert [press(box, key) for key in (up, up, up, down, down)] == [
        "cats",
        "ships",
        "ships",
        "cats",
        "kings",
    ]


def test_the_query_that_stands_there_is_not_recalled_first(box: QueryBar) -> None:
    for text in ("ships", "cats"):
        ask(box, text)

    assert press(box, Qt.Key.Key_Up) == "ships"


def test_down_keeps_the_query(box: QueryBar) -> None:
    left = QSignalSpy(box.left)
    ask(box, "cats")

    assert press(box, Qt.Key.Key_Down) == "cats"
    assert left.count() == 1


def test_down_leads_to_the_results(seat: Seat) -> None:
    seat.window.show()
    seat.search("ship")

    QTest.keyClick(seat.window.query.line, Qt.Key.Key_Down)

    panel = seat.window.docks.documents
    first = panel.table.currentIndex().row()
    assert first == 0
    assert seat.session.selection.focus is not None


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
