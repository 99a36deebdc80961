"""Run the real program as users start it, with a story inside its event loop.

Use it in a separate process: the program ends its process. Faults are appended to a file as they occur, so that they
are known even after a crash.
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
# "offscreen" says the first of every window that is shown, QTest the second when a menu shrinks under the mouse.
_HARMLESS = ("This plugin does not support", "Mouse event at")


class Faults:
    """Record exceptions in slots and threads, and warnings of Qt, in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.context = ""
        file.write_text("", encoding="utf-8")
        faulthandler.enable(file.with_suffix(".crash").open("w"))
        sys.excepthook = self._on_exception
        threading.excepthook = lambda raised: self._on_exception(
            raised.exc_type, raised.exc_value, raised.exc_traceback
        )
        qInstallMessageHandler(self._on_message)

    def note(self, fault: str) -> None:
        """Append a fault, with what was being done."""
        with self._file.open("a", encoding="utf-8") as out:
            out.write(f"{self.context}: {fault}\n" if self.context else f"{fault}\n")

    def _on_exception(
        self, kind: type[BaseException], value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.note("".join(traceback.format_exception(kind, value, trace)))

    def _on_message(self, kind: QtMsgType, _context: object, message: str) -> None:
        harmless = kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) or message.startswith(_HARMLESS)
        if not harmless:
            self.note(f"Qt: {message}")


class _UrlSink(QObject):
    """Swallow the addresses that the program opens in other programs, so that no test starts one."""

    @Slot(QUrl)
    def discard(self, url: QUrl) -> None:
        """Do nothing."""


def live(folder: Path | None, story: Story) -> NoReturn:
    """Run the program on a folder, and the story inside it; the process ends with the program."""
    from explorer.ui import app

    exec_loop: Any = QApplication.exec
    urls = _UrlSink()

    def begin() -> None:
        try:
            until(lambda: window().built, 180, "the window to be built")
            story(window())
        except BaseException:
            traceback.print_exc()  # where the reader of a failed test looks first
            sys.stderr.flush()
            raise

    def with_story(*_: object) -> int:
        for scheme in ("file", "http", "https", "mailto"):
            QDesktopServices.setUrlHandler(scheme, urls, "discard")
        QTimer.singleShot(0, begin)
        return int(exec_loop())

    QApplication.exec = with_story  # type: ignore[method-assign,assignment]
    app.run(folder)


def window() -> MainWindow:
    """Return the main window."""
    from explorer.ui.window.main_window import MainWindow

    return next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))


def until(condition: Callable[[], bool], seconds: float = 60.0, what: str = "") -> None:
    """Run the event loop until a condition holds.

    Raises:
        AssertionError: It does not hold in time.
    """
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"timed out waiting for {what}"
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 10)
        time.sleep(0.001)


def run_loop_for(seconds: float) -> None:
    """Run the event loop for some seconds."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end, seconds + 60)


def run_steps(steps: Iterator[Callable[[], bool]]) -> None:
    """Go on with a story whenever its condition holds; a nested event loop would disturb timings."""
    timer = QTimer(QApplication.instance(), interval=20)
    condition = next(steps)

    def look() -> None:
        nonlocal condition
        if condition():
            try:
                condition = next(steps)
            except StopIteration:
                timer.stop()

    timer.timeout.connect(look)
    timer.start()
