"""The warning that the model cannot read most of the documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from explorer.models.files import catalog
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.window.status_bar import LanguageWarning
from explorer.workspace.update.model_advice import Advice

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow


pytestmark = pytest.mark.bundled
Wait = Callable[..., None]
LEFT = Qt.MouseButton.LeftButton


def test_the_button_switches_or_leads_to_the_models(actions: Controllers) -> None:
    bar = LanguageWarning(actions.session, actions)
    asked: list[bool] = []
    bar.models_requested.connect(lambda: asked.append(True))

    bar._show(Advice(("ko",), 0.9, "english"))
    assert bar.isVisibleTo(None)
    assert "90 %" in bar.sentence.text()
    assert "in Korean" in bar.sentence.text()
    bar.button.click()
    assert asked == [True]

    bar._show(Advice(("ko",), 0.9, "english", "both"))
    bar.button.click()
    assert actions.session.settings.model == "both"
    bar._show(Advice(("ko",), 0.9, "english", "both"))  # it is being encoded already
    assert bar.isHidden()

    bar._show(Advice(("ko",), 0.9, "english", "other"))
    assert not bar.isHidden()
    bar.close_button.click()
    bar._show(Advice(("ko",), 0.9, "english", "other"))
    assert bar.isHidden()


def test_it_is_said_before_all_is_encoded_in_vain(
    actions: Controllers, tmp_path: Path, wait: Callable[..., None]
) -> None:
    for number in range(150):
        text = f"{number}번째 문서입니다. 바다와 산과 강에 대하여 길게 이야기합니다. " * 30
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    bar = LanguageWarning(actions.session, actions)
    actions.change_settings(replace(actions.session.settings, model=catalog.BUNDLED))
    actions.open_folder(tmp_path)
    wait(lambda: not bar.isHidden())
    assert "in Korean" in bar.sentence.text()
    assert actions.runner.busy("update")
    actions.close_folder()


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
