"""What the window's tests share: a wait, and no window left open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from explorer.settings import Settings

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LONGEST = 300.0  # seconds that anything may take, on a machine that is busy with other work


@pytest.fixture(autouse=True)
def no_windows_left() -> Iterator[None]:
    """Close and delete the windows and loose panels that a test leaves.

    A change of theme restyles every window there is: with those of all tests before, that takes a minute. And what is
    still there when the interpreter ends is destroyed in no certain order, with half of Python gone.
    """
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication
    from shiboken6 import createdByPython

    before = set(QApplication.topLevelWidgets())
    yield
    for widget in set(QApplication.topLevelWidgets()) - before:
        # Qt's own, such as the list of a combo box, belong to a widget that is deleted here or stays.
        if createdByPython(widget) and widget.parent() is None:
            widget.close()
            widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def no_threads_left() -> Iterator[None]:
    """Fail a test that leaves workers of a runner: inside torch at the interpreter's end, one crashes the process."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("worker "):
            thread.join(LONGEST / 5)
            assert not thread.is_alive(), f"{thread.name} was not ended"


@pytest.fixture
def settings() -> Settings:
    """The user's settings; override it in a module that needs others."""
    return Settings()


@pytest.fixture
def actions(qapp: object, settings: Settings) -> Iterator[Any]:
    """The controllers of a window with no folder open."""
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.runner import Runner
    from explorer.ui.state.session import Session

    runner = Runner()
    actions = Controllers(Session(settings), runner)
    yield actions
    assert runner.close(60)
    actions.close_workspace()


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], object]], None]:
    """Runs the event loop until a condition holds; fails after `LONGEST`."""
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=int(LONGEST * 1000))


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[[Any], Any]:
    """Shows a window that is closed and deleted after the test."""
    from PySide6.QtWidgets import QApplication

    def show(window: Any) -> Any:
        qtbot.addWidget(window)
        window.show()
        QApplication.processEvents()
        return window

    return show
