"""The settings: every field can be chosen, and what is chosen reaches those who use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from explorer import paths, settings
from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.settings.dialog import PAGES, SettingsDialog
from explorer.ui.settings.pages import ChoiceField, IntegerBox, Line, Slide, Switch

Wait = Callable[..., None]
OWN_PLACE = {"model", "reranker", "data_folder", "recent", "model_folders"}  # not a plain control each


@pytest.fixture
def dialog(actions: Controllers, wait: Wait) -> Iterator[SettingsDialog]:
    made = SettingsDialog(actions.session, actions)
    made.show()
    wait(lambda: not actions.runner.jobs())
    yield made
    made.close()


def test_every_setting_has_a_place(dialog: SettingsDialog) -> None:
    shown = {name for page in dialog.pages.values() for name in page.names}
    assert shown | OWN_PLACE == {one.name for one in fields(Settings)}
    assert not shown & OWN_PLACE


def test_a_choice_is_taken_kept_and_shown(dialog: SettingsDialog, actions: Controllers) -> None:
    for page in dialog.pages.values():
        for name, control in page.fields.controls.items():
            value = _another(control)
            assert getattr(actions.session.settings, name) == value, name
            assert getattr(settings.load()[0], name) == value, name
    assert len({name for page in dialog.pages.values() for name in page.names}) == 17

    actions.change_settings(replace(actions.session.settings, theme="dark", text_size=20))
    general = dialog.pages["general"].fields.controls
    assert isinstance(general["theme"], ChoiceField)
    assert general["theme"].currentData() == "dark"
    assert isinstance(general["text_size"], IntegerBox)
    assert general["text_size"].value() == 20


def test_the_wheel_scrolls_the_page_and_changes_no_setting(dialog: SettingsDialog, actions: Controllers) -> None:
    before = actions.session.settings
    down, nowhere = QPoint(0, -120), QPointF(5, 5)
    for page in dialog.pages.values():
        for control in page.fields.controls.values():
            control.clearFocus()
            event = QWheelEvent(
                nowhere,
                nowhere,
                QPoint(),
                down,
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(control, event)
    assert actions.session.settings == before


def _another(control: object) -> object:
    """Choose another value as a hand would; returns it."""
    if isinstance(control, ChoiceField):
        place = (control.currentIndex() + 1) % control.count()
        control.setCurrentIndex(place)
        control.activated.emit(place)
        return control.itemData(place)
    if isinstance(control, Switch):
        control.click()
        return control.isChecked()
    if isinstance(control, Line):
        control.setText("auto")
        control.editingFinished.emit()
        return "auto"
    assert isinstance(control, IntegerBox | Slide)
    control.setValue(control.value() + (1 if isinstance(control, IntegerBox) else 10))
    return control.value() if isinstance(control, IntegerBox) else control.value() / 100


def test_a_page_goes_back_to_its_defaults(dialog: SettingsDialog, actions: Controllers) -> None:
    actions.change_settings(replace(Settings(), text_size=14, mode="keyword", recent=("/a",)))
    dialog.show_page("general")
    dialog.reset.click()
    assert actions.session.settings == replace(Settings(), mode="keyword", recent=("/a",))


def test_another_data_folder_counts_from_the_next_start(
    dialog: SettingsDialog, actions: Controllers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.ui.settings.pages import DataSettingsPage

    page = dialog.pages["data"]
    assert isinstance(page, DataSettingsPage)
    before, elsewhere = paths.data(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    page.changed.emit("data_folder", str(elsewhere))

    assert paths.data() == before
    assert page.where.text() == str(elsewhere)
    assert str(before) in page._note.text()
    monkeypatch.delenv(paths.HOME_VARIABLE)
    paths.use_data(actions.session.settings.data_folder)
    assert paths.data() == elsewhere
    assert paths.models() == elsewhere / "models"
    paths.use_data("")
    assert paths.data() == paths.usual_data()


def test_the_pages_are_reached_by_keyboard_and_all_is_named(dialog: SettingsDialog) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QSlider, QWidget

    dialog.list.setFocus()
    for place in range(1, len(PAGES)):
        QTest.keyClick(dialog.list, Qt.Key.Key_Down)
        assert dialog.list.currentRow() == place
    for widget in dialog.findChildren(QWidget):
        mute = not isinstance(widget, QAbstractButton | QComboBox | QAbstractSpinBox | QSlider)
        if not mute and not widget.objectName().startswith("qt_"):
            assert widget.accessibleName(), widget


def test_many_windows_hear_of_a_change(dialog: SettingsDialog, actions: Controllers) -> None:
    heard: list[str] = []
    actions.session.settings_changed.connect(lambda: heard.append(actions.session.settings.palette))
    actions.change_settings(replace(actions.session.settings, palette="grey"))
    actions.change_settings(replace(actions.session.settings, palette="grey"))
    assert heard == ["grey"]
