"""What the window's tests share: one application without a screen, and no Qt warning left unseen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from explorer.settings import Settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

LONGEST = 300.0  # seconds that anything may take, on a machine that has much else to do
LOOK = 5  # milliseconds between two looks at what no event tells of
_NO_SCREEN = "This plugin does not support"  # what "offscreen" says of every window that is shown


@pytest.fixture(scope="session")
def app() -> object:
    """The one QApplication of the run, speaking English as the program does."""
    from PySide6.QtWidgets import QApplication

    from explorer.ui.look import language

    running = QApplication.instance() or QApplication(["tests"])
    assert isinstance(running, QApplication)
    language.use(running, "en")
    return running


@pytest.fixture(autouse=True)
def no_qt_warnings() -> Iterator[None]:
    """A warning of Qt fails the test that caused it."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    heard: list[str] = []

    def hear(kind: QtMsgType, _context: object, message: str) -> None:
        harmless = kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) or message.startswith(_NO_SCREEN)
        if not harmless:
            heard.append(message)

    qInstallMessageHandler(hear)
    yield
    qInstallMessageHandler(None)
    assert not heard, heard


@pytest.fixture(autouse=True)
def no_windows_left() -> Iterator[None]:
    """No window outlives its test: a change of theme would go through those of all tests before, for a minute."""
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication, QMainWindow

    there = set(QApplication.topLevelWidgets())
    yield
    for left in set(QApplication.topLevelWidgets()) - there:
        if isinstance(left, QMainWindow):
            left.close()
            left.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def settings() -> Settings:
    """What the user has chosen; tests with other wishes have a fixture of their own."""
    return Settings()


@pytest.fixture
def actions(app: object, settings: Settings) -> Iterator[Any]:
    """The verbs of a window with no folder open."""
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.runner import Runner
    from explorer.ui.state.session import Session

    runner = Runner()
    actions = Controllers(Session(settings), runner)
    yield actions
    assert runner.close(60)
    actions.shut()


def until(holds: Callable[[], bool]) -> None:
    """Turn the event loop until something holds; the processor is left to the workers meanwhile.

    Raises:
        AssertionError: It does not come to hold.
    """
    from PySide6.QtCore import QEventLoop, QTimer
    from PySide6.QtWidgets import QApplication

    flags = QEventLoop.ProcessEventsFlag
    end, tick = time.monotonic() + LONGEST, QTimer(interval=LOOK)
    tick.start()
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        QApplication.processEvents(flags.AllEvents | flags.WaitForMoreEvents)
    tick.stop()


@pytest.fixture
def wait(app: object) -> Callable[[Callable[[], bool]], None]:
    """Turns the event loop until something holds; fails after a while."""
    return until


@pytest.fixture
def shown() -> Iterator[Callable[[Any], Any]]:
    """Shows a window, which is closed and gone after the test."""
    from PySide6.QtWidgets import QApplication

    windows: list[Any] = []

    def show(window: Any) -> Any:
        windows.append(window)
        window.show()
        QApplication.processEvents()
        return window

    yield show
    for window in windows:
        window.close()
        window.deleteLater()
    QApplication.processEvents()
