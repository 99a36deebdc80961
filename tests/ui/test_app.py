"""Garbage is collected when nothing is to be done."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

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
from explorer.ui import app
from explorer.ui.app import CHECKS, IdleCollector, WindowManager
from explorer.ui.help.controller import Tour
from explorer.ui.look import theme
from explorer.ui.state.session import OpenFolder
from explorer.ui.window.main_window import MainWindow
from tests.conftest import PROJECT
from tests.ui.conftest import LONGEST
from tests.ui.support.random_user import resident

Wait = Callable[..., None]


class Knot:
    """Refers to itself, so that only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.unfreeze()


def looks(sweeper: IdleCollector, count: int) -> None:
    for _ in range(count):
        sweeper.check()


def test_what_is_thrown_away_is_freed_while_nothing_is_done(qapp: object) -> None:
    idle = [False]
    sweeper = IdleCollector(lambda: idle[0])
    sweeper.check()
    old = Knot()
    gc.collect()  # what survives it is old, and waits for a full collection
    knot, young = weakref.ref(old), weakref.ref(Knot())
    del old
    looks(sweeper, 2 * CHECKS)
    assert young() is None
    assert knot() is not None  # something is being done
    idle[0] = True
    looks(sweeper, CHECKS)
    assert knot() is None


def test_free_memory_is_given_back_while_nothing_is_done(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(app, "trim_heap", lambda: given.append(1))
    idle = [False]
    sweeper = IdleCollector(lambda: idle[0])
    looks(sweeper, 2 * CHECKS)
    assert not given
    idle[0] = True
    looks(sweeper, CHECKS)
    assert given == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of Linux keeps what is free")
def test_what_is_given_back_is_the_systems() -> None:
    blocks = [bytes([one % 255 + 1]) * 60_000 for one in range(2000)]  # 120 MB in pieces that come from the heap
    kept = blocks[-1]
    full = resident()
    del blocks
    app.trim_heap()
    assert resident() < full - 60
    assert len(kept) == 60_000


def test_what_an_import_makes_is_set_aside(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    sweeper = IdleCollector(lambda: True)
    sweeper.check()
    kept = [Knot() for _ in range(100)]
    before = gc.get_freeze_count()
    sweeper.check()
    assert gc.get_freeze_count() <= before
    monkeypatch.setitem(sys.modules, "just_imported", ModuleType("just_imported"))
    sweeper.check()
    assert gc.get_freeze_count() >= before + len(kept)


def test_a_window_that_is_gone_is_freed_though_it_was_set_aside(qapp: object) -> None:
    sweeper = IdleCollector(lambda: True)
    made = Knot()
    knot = weakref.ref(made)
    gc.freeze()
    del made
    looks(sweeper, 2 * CHECKS)
    assert knot() is not None
    sweeper.collect_all()
    assert knot() is None


def test_a_folder_that_is_left_is_freed_when_nothing_is_done(qapp: object) -> None:
    idle = [False]
    sweeper = IdleCollector(lambda: idle[0])
    sweeper.check()
    made = Knot()
    knot = weakref.ref(made)
    gc.freeze()
    del made
    sweeper.plan_full_collection()
    looks(sweeper, 2 * CHECKS)
    assert knot() is not None
    idle[0] = True
    sweeper.check()
    assert knot() is None


@pytest.fixture
def windows(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[WindowManager]:
    monkeypatch.setattr(app, "PATIENCE", LONGEST)  # a busy machine needs more than a user should wait
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
        "from PySide6.QtGui import QFileOpenEvent; from explorer.ui.app import Application\n"
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
