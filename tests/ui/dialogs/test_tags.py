"""A tag is typed, kept and taken off; the box says which documents it means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


@pytest.fixture
def actions(actions: Controllers, wait: Wait, sample_copy: Path) -> Controllers:
    actions.open_folder(sample_copy)
    wait(lambda: actions.session.listing is not None)
    return actions


def box_of(actions: Controllers) -> Any:
    from explorer.ui.dialogs.tags import TagDialog

    box = TagDialog(actions.session, actions)
    box.open()
    return box


def test_typing_tags_what_was_chosen(actions: Controllers, wait: Wait) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    session = actions.session
    assert session.listing is not None
    first, second, third, *_ = session.listing.ids.tolist()
    session.focus(first)
    session.mark([second, third])
    session.set_filter(DocumentFilter(DocumentSet([first, second, third]), "all three"))

    box = box_of(actions)
    assert box.documents() == [second, third]  # marks are meant where there are any
    box.line.setText("to read, 중요")  # QTest types no Korean
    QTest.keyClick(box.line, Qt.Key.Key_Return)
    assert not box.isVisible()
    wait(lambda: session.tags == {second: {"to read", "중요"}, third: {"to read", "중요"}})

    box = box_of(actions)
    QTest.keyClick(box.line, Qt.Key.Key_PageDown)
    assert box.documents() == [first, second, third]
    assert {chip.text for chip in box.on_them.chips} == {"to read (2 of 3)", "중요 (2 of 3)"}
    box.on_them.chosen.emit("중요")
    box.others.chosen.emit("to read")
    wait(lambda: all(session.tags.get(one) == {"to read"} for one in (first, second, third)))
    assert [chip.text for chip in box.on_them.chips] == ["to read"]
    assert box.others.chips == ()
    box.reject()


def test_nothing_chosen_is_said(actions: Controllers) -> None:
    box = box_of(actions)
    assert box.documents() == []
    assert not box.line.isEnabled()
    box.reject()
