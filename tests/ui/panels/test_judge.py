"""A pair is judged with one key; what was said of it shows, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.ui.controllers.workspace import Controllers

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


@pytest.fixture
def actions(actions: Controllers, wait: Wait, sample_copy: Path) -> Controllers:
    actions.open_folder(sample_copy)
    wait(lambda: actions.session.listing is not None)
    return actions


def checked(box: Any) -> list[tuple[str, int]]:
    return [key for key, action in box.choices.items() if action.isChecked()]


def test_a_pair_is_judged_by_keys(actions: Controllers, wait: Wait) -> None:
    from PySide6.QtTest import QTest

    from explorer.ui.panels.judge import JudgePanel

    session = actions.session
    assert session.listing is not None
    first, second, third, *_ = session.listing.ids.tolist()
    box, judged = JudgePanel(session, actions), []
    box.judged.connect(lambda one, other: judged.append((one, other)))
    box.show()
    box.activateWindow()
    wait(box.isActiveWindow)  # or it hears no key
    assert box.pair() is None
    assert not any(action.isEnabled() for action in box.choices.values())
    QTest.keyClicks(box, "5")

    session.focus(first)
    session.set_comparison(second)
    QTest.keyClicks(box, "y")
    wait(lambda: len(session.judgements) == 1)
    assert checked(box) == [("similar", 1)]
    QTest.keyClicks(box, "3")
    wait(lambda: len(session.judgements) == 2)
    assert checked(box) == [("grade", 3)]
    assert judged == [(first, second)] * 2

    actions.edits.undo.undo()
    wait(lambda: len(session.judgements) == 1)
    assert checked(box) == [("similar", 1)]

    box.show_pair(third, first, "a passage", "another")
    assert checked(box) == []
    QTest.keyClicks(box, "n")
    wait(lambda: len(session.judgements) == 2)
    last = session.judgements[-1]
    assert (last.first, last.second, last.value, last.scale) == ("a passage", "another", 0, "similar")
    session.focus(second)
    session.set_comparison(first)
    assert checked(box) == [("similar", 1)]  # the same two, the other way round
    box.close()
