"""What is done with selected documents by the bar and by the context menu, and taken back by the notice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from explorer.ui.controllers.workspace import Controllers

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(actions: Controllers, wait: Wait, sample_copy: Path, shown: Callable[[Any], Any]) -> MainWindow:
    from explorer.ui.window.main_window import MainWindow

    made = MainWindow(actions.session, actions)
    made.resize(1280, 800)
    shown(made)
    actions.open_folder(sample_copy)
    wait(lambda: actions.session.listing is not None)
    return made


def test_the_bar_is_there_while_something_is_selected_and_picks_stay(window: MainWindow, wait: Wait) -> None:
    session, bar = window.session, window.selection_bar
    assert session.listing is not None
    first, second, third, *_ = session.listing.ids.tolist()
    assert not bar.isVisible()
    session.mark([first, second])
    assert bar.isVisible()
    assert bar.count.text() == "2 selected"
    assert bar.buttons["compare"].isEnabled()
    QTest.mouseClick(bar.buttons["star"], LEFT)
    wait(lambda: session.picks == {first, second})
    session.focus(third)  # no click elsewhere takes the picks away
    session.mark([first, second, third])
    assert not bar.buttons["compare"].isEnabled()  # two can be compared
    QTest.mouseClick(bar.buttons["close"], LEFT)
    assert not bar.isVisible()
    assert session.picks == {first, second}
    window.actions.edits.undo.undo("picks")
    wait(lambda: not session.picks)


def test_the_context_menu_tags_and_the_notice_takes_it_back(window: MainWindow, wait: Wait) -> None:
    session, edits = window.session, window.actions.edits
    assert session.listing is not None
    first, second, *_ = session.listing.ids.tolist()
    edits.add_tag([first], "later")
    wait(lambda: session.tags.get(first) == {"later"} and window.toast.isVisible())
    session.mark([first, second])
    window.show_document_menu(second, QPoint(200, 200))
    menu = _menu()
    tags = next(action.menu() for action in menu.actions() if action.text() == "Tag")
    assert isinstance(tags, QMenu)
    entry = next(action for action in tags.actions() if action.text() == "later")
    assert not entry.isChecked()  # only one of the two has it
    entry.trigger()
    menu.close()
    wait(lambda: session.tags.get(second) == {"later"})
    wait(lambda: window.toast.isVisible() and bool(window.toast.buttons))
    bar = window.selection_bar
    assert window.toast.geometry().bottom() < bar.mapTo(window, QPoint(0, 0)).y()  # the notice covers no button
    QTest.mouseClick(window.toast.buttons[0], LEFT)
    wait(lambda: second not in session.tags)
    assert session.tags == {first: {"later"}}
    assert not window.toast.isVisible()


def _menu() -> QMenu:
    QApplication.processEvents()
    return next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMenu) and widget.isVisible())
