"""The real program for tests: started as users start it, with a story that runs inside its event loop.

Used in a process of its own, since the program ends its process. What goes wrong is appended to a file line by line,
so that it is known even after a crash.
"""

from __future__ import annotations

import faulthandler
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from PySide6.QtCore import QEventLoop, QObject, QTimer, QtMsgType, QUrl, Slot, qInstallMessageHandler
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

Story = Callable[["MainWindow"], None]
# What "offscreen" says of every window that is shown, and what the mouse of a test says when a menu shrank under it.
_HARMLESS = ("This plugin does not support", "Mouse event at")


class Faults:
    """What went wrong: exceptions in slots and threads, and warnings of Qt."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.context = ""
        file.write_text("", encoding="utf-8")
        faulthandler.enable(file.with_suffix(".crash").open("w"))
        sys.excepthook = self._on_exception
        threading.excepthook = lambda found: self._on_exception(
            found.exc_type, found.exc_value, found.exc_traceback
        )
        qInstallMessageHandler(self._on_message)

    def note(self, what: str) -> None:
        """Remember something that must not be."""
        with self._file.open("a", encoding="utf-8") as out:
            out.write(f"{self.context}: {what}\n" if self.context else f"{what}\n")

    def _on_exception(
        self, kind: type[BaseException], value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.note("".join(traceback.format_exception(kind, value, trace)))

    def _on_message(self, kind: QtMsgType, _context: object, message: str) -> None:
        harmless = kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) or message.startswith(_HARMLESS)
        if not harmless:
            self.note(f"Qt: {message}")


class _Opened(QObject):
    """Takes what the program would hand to other programs, so that no test starts one."""

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        """Do nothing with it."""


def live(folder: Path | None, story: Story) -> NoReturn:
    """Run the program on a folder and the story within; the process ends with the program."""
    from explorer.ui import app

    turn: Any = QApplication.exec
    opened = _Opened()

    def begin() -> None:
        try:
            until(lambda: window().furnished, 180, "the window to be furnished")
            story(window())
        except BaseException:
            traceback.print_exc()  # where the reader of a failed test looks first
            sys.stderr.flush()
            raise

    def with_story(*_: object) -> int:
        for scheme in ("file", "http", "https", "mailto"):
            QDesktopServices.setUrlHandler(scheme, opened, "take")
        QTimer.singleShot(0, begin)
        return int(turn())

    QApplication.exec = with_story  # type: ignore[method-assign,assignment]
    app.run(folder)


def window() -> MainWindow:
    """The program's window."""
    from explorer.ui.window.main_window import MainWindow

    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))


def until(holds: Callable[[], bool], seconds: float = 60.0, what: str = "") -> None:
    """Turn the event loop until something holds.

    Raises:
        AssertionError: It does not come to hold.
    """
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited in vain: {what}"
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 10)
        time.sleep(0.001)


def rest(seconds: float) -> None:
    """Turn the event loop for a while."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end, seconds + 60)


def unfold(steps: Iterator[Callable[[], bool]]) -> None:
    """Let a story go on whenever what it waits for holds, without a loop of its own that would disturb times."""
    timer = QTimer(QApplication.instance(), interval=20)
    awaited = next(steps)

    def look() -> None:
        nonlocal awaited
        if awaited():
            try:
                awaited = next(steps)
            except StopIteration:
                timer.stop()

    timer.timeout.connect(look)
    timer.start()
