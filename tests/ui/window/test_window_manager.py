"""Several windows: each with its own session, all with one set of settings; closing one leaves the others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)

from explorer.settings import Settings
from explorer.ui.help.controller import Tour
from explorer.ui.look import theme
from explorer.ui.state.session import OpenFolder
from explorer.ui.window import window_manager
from explorer.ui.window.main_window import MainWindow
from explorer.ui.window.window_manager import WindowManager
from tests.conftest import PROJECT
from tests.ui.conftest import LONGEST

Wait = Callable[..., None]


@pytest.fixture
def windows(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[WindowManager]:
    monkeypatch.setattr(window_manager, "PATIENCE", LONGEST)  # a busy machine needs more than a user should wait
    made = WindowManager(qapp, Settings(theme="light", language="en"))
    yield made
    made.close_all()
    assert made.end()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme.apply(qapp, theme.LIGHT)


def test_it_is_told_that_a_folder_is_left(windows: WindowManager, tmp_path: Path) -> None:
    window, left = windows.open(), []
    windows.folder_left.connect(lambda: left.append(True))
    window.actions.close_folder()
    assert not left  # there was none
    window.session.set_folder(OpenFolder(tmp_path, tmp_path, writable=True))
    window.actions.close_folder()
    assert left == [True]


def test_a_further_window_is_asked_for_by_key(windows: WindowManager, wait: Wait) -> None:
    first = windows.open()
    first.activateWindow()
    wait(first.isActiveWindow)
    QTest.keyClick(first, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert len(windows.open_windows) == 2
    second = windows.open_windows[1]
    assert second.session is not first.session
    assert second.actions.runner is not first.actions.runner


def test_closing_one_window_leaves_the_other(windows: WindowManager, wait: Wait) -> None:
    first, second = windows.open(), windows.open()
    first.actions.runner.start("work", lambda _: None, lambda _: None)
    first.close()
    assert windows.open_windows == (second,)
    done: list[int] = []
    second.actions.runner.start("work", lambda _: 7, done.append)
    wait(lambda: done == [7])


def test_the_search_mode_belongs_to_the_window(windows: WindowManager) -> None:
    first, second = windows.open(), windows.open()
    first.actions.search.set_mode("keyword")
    assert (first.session.search_mode, second.session.search_mode) == ("keyword", "hybrid")
    assert second.session.settings.mode == "keyword"  # for windows that are opened later
    assert windows.open().session.search_mode == "keyword"


def test_what_the_desktop_asks_for_is_opened_in_an_empty_window_or_a_further_one(
    windows: WindowManager, wait: Wait, tmp_path: Path
) -> None:
    first = windows.open()
    windows.open_path(str(tmp_path))
    assert windows.open_windows == (first,)
    assert first.start.pages.currentIndex() == 1  # what reading it means

    first.session.set_folder(OpenFolder(tmp_path, tmp_path, True))
    windows.open_path(str(tmp_path / "none"))
    assert len(windows.open_windows) == 2
    first.session.set_folder(None)


def test_the_program_hears_the_desktop() -> None:
    """In a process of its own: there is one program in each."""
    script = (
        "from PySide6.QtGui import QFileOpenEvent; from explorer.ui.window.window_manager import Application\n"
        "app = Application([]); app.folder_dropped.connect(print); app.sendEvent(app, QFileOpenEvent('some/folder'))"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "some/folder", done.stderr


def test_settings_are_the_same_in_all_windows(windows: WindowManager) -> None:
    first, second = windows.open(), windows.open()
    first.actions.change_settings(replace(first.session.settings, theme="dark", palette="grey"))
    assert second.session.settings.palette == "grey"
    assert theme.current().dark
    red, green, blue = (int(theme.colours(3)[2][place : place + 2], 16) for place in (1, 3, 5))
    assert max(red, green, blue) - min(red, green, blue) <= 2
    assert windows.open().session.settings.theme == "dark"


def test_every_action_has_a_name_a_menu_and_a_key_of_its_own(windows: WindowManager) -> None:
    window = windows.open()
    actions = window.menus.actions()
    assert len(actions) > 70
    assert all(action.text().strip() for action in actions)
    keys = Counter(
        key.toString()
        for action in {id(action): action for action in actions}.values()
        for key in action.shortcuts()
        if action.shortcutContext() == Qt.ShortcutContext.WindowShortcut
    )
    assert [key for key, count in keys.items() if count > 1] == []
    wanted = ("/", "J", "K", "Space", "T", "C", "R", "G", "M", "Ctrl+K", "Ctrl+Z", "F1", "Esc", "Return")
    told = {key.toString() for action in actions for key in action.shortcuts()}
    assert {QKeySequence(key).toString() for key in wanted} <= told


def test_what_needs_a_folder_waits_for_one(windows: WindowManager) -> None:
    window = windows.open()
    by_name = {action.text(): action for action in window.menus.actions()}
    assert not by_name["Rerank results"].isEnabled()
    assert by_name["Open folder…"].isEnabled()


def test_every_control_has_an_accessible_name(windows: WindowManager) -> None:
    window = windows.open()
    for name in window.docks.docks:
        window.docks.set_docked(name, True)
    kinds = (QAbstractButton, QAbstractItemView, QAbstractSlider, QComboBox, QLineEdit, QTabBar, QTextEdit)
    nameless = [
        f"{type(one).__name__} in {_path(one)}"
        for kind in kinds
        for one in window.findChildren(kind)
        if not one.accessibleName() and not _says_itself(one) and not _is_qts_own(one)
    ]
    assert nameless == []


def _says_itself(widget: QWidget) -> bool:
    return isinstance(widget, QAbstractButton) and (bool(widget.text().strip()) or widget.isHidden())


def _is_qts_own(widget: QWidget) -> bool:
    """Parts of other controls: they are told with these."""
    own = type(widget).__name__ in ("QComboBoxListView", "QHeaderView", "QTableCornerButton") or isinstance(
        widget, QScrollBar
    )
    inner = widget.objectName().startswith("qt_") or isinstance(widget.parent(), QLineEdit | QComboBox | QTabBar)
    frame = widget.parent()
    listed = isinstance(widget, QAbstractItemView) and isinstance(frame.parent() if frame else None, QComboBox)
    docked = isinstance(widget, QTabBar) and isinstance(widget.parent(), MainWindow)
    return own or inner or listed or docked


def _path(widget: QWidget) -> str:
    names, at = [], widget.parent()
    while at is not None:
        names.append(at.objectName() or type(at).__name__)
        at = at.parent()
    return " < ".join(names[:5])


def test_the_tour_goes_round_the_real_window_and_can_be_left(windows: WindowManager) -> None:
    window = windows.open()
    window.resize(1100, 720)
    window.help.take_tour()
    tour = window.help.tour
    assert isinstance(tour, Tour)
    seen = [tour.step.part]
    while window.help.tour is not None:
        box = tour.callout.geometry()
        assert window.rect().contains(box)
        tour.callout.next.click()
        if window.help.tour is not None:
            seen.append(tour.step.part)
    assert window.query in seen
    assert window.map in seen
    window.help.take_tour()
    assert window.help.tour is not None
    QTest.keyClick(window.help.tour.callout, Qt.Key.Key_Escape)
    assert window.help.tour is None


def test_palettes_go_on_for_as_many_clusters_as_there_are(qapp: QApplication) -> None:
    for name in ("clear", "colour-blind", "grey"):
        theme.apply(qapp, theme.LIGHT, 10, name)
        colours = theme.colours(40)
        assert len(set(colours)) > 35
        assert theme.colours(5) == colours[:5]
        assert theme.colour(39) == colours[39]
    theme.apply(qapp, theme.LIGHT)


def test_undo_tells_what_it_took_back(windows: WindowManager) -> None:
    from explorer.ui.state.undo import UndoableEdit

    window = windows.open()
    told: list[str] = []
    window.actions.notified.connect(lambda said: told.append(said.sentence))
    window.actions.edits.undo.add(UndoableEdit("Rename a cluster", lambda: None, lambda: None))
    undo = next(action for action in window.menus.actions() if action.text().startswith("Undo: "))
    assert isinstance(undo, QAction)
    undo.trigger()
    assert told == ["Undone: Rename a cluster"]
