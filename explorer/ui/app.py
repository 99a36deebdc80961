"""The window's composition root: settings, and the windows with their sessions and runners."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from explorer import __version__, disk, logs, paths, settings
from explorer.errors import ExplorerError
from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.look import language, theme
from explorer.ui.state.session import Session
from explorer.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType


_logger = logging.getLogger(__name__)
_qt_logger = logging.getLogger("explorer.ui.qt")

_MISSING = (
    "The window cannot be opened: {what}. On Debian or Ubuntu install what Qt needs: apt install libxcb-cursor0 "
    "libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0 libxcb-randr0 libxkbcommon-x11-0 "
    "libegl1. Everything also works without a window: docexplorer --help"
)

_NO_DISPLAY = (
    "There is no display here, so the window cannot be opened. Everything also works without it: docexplorer --help"
)

HEAPS = 2
_MOST_HEAPS = -8  # what glibc calls M_ARENA_MAX
SWITCH = 0.001  # seconds that a worker computes before the window may have its turn
INTERVAL = 1000  # milliseconds between two checks
CHECKS = 30  # between two collections
PATIENCE = 1.5  # seconds to wait for all work when the program ends; users tolerate about 3
_OFFSET = QPoint(32, 32)  # of a new window from the one before


def why_no_window() -> str:
    """Return why a window cannot be opened here; empty if it probably can.

    Qt ends the whole process when it finds no display or no plugin, so it must not be asked.
    """
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return _MISSING.format(what=error)
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM", "") not in ("", "xcb", "wayland"):
        return ""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return _NO_DISPLAY
    return _plugin_problem() if os.environ.get("DISPLAY") else ""


def _plugin_problem() -> str:
    """Load the xcb plugin as Qt will; return which library is missing."""
    import ctypes

    from PySide6.QtCore import QLibraryInfo

    plugin = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms" / "libqxcb.so"
    if not plugin.is_file():
        return ""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return _MISSING.format(what=error)
    return ""


def _share_heaps() -> None:
    """Let the workers share two heaps.

    The C library of Linux gives each thread its own, and what the one has freed no other can use: each folder that was
    opened took some 50 MB more than the one before, ten times over.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_MOST_HEAPS, HEAPS)


def _log_qt_messages() -> None:
    """Log what Qt complains about, then pass it on: to the handler before this one, or to standard error."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    levels = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
        QtMsgType.QtCriticalMsg: logging.ERROR,
        QtMsgType.QtFatalMsg: logging.CRITICAL,
    }

    def on_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        _qt_logger.log(levels.get(kind, logging.WARNING), "%s: %s", context.category or "default", text)
        if previous is not None:
            previous(kind, context, text)
        elif sys.stderr is not None:  # there is none in a windowed app on Windows
            print(text, file=sys.stderr)  # noqa: T201

    previous = qInstallMessageHandler(on_message)


def run(
    folder: Path | None = None, arguments: Sequence[str] = (), smoke: tuple[Path, Path | None] | None = None
) -> NoReturn:
    """Open the window and stay until it is closed; the process ends with it.

    Args:
        folder: What to open.
        arguments: For Qt.
        smoke: Where the program, trying itself, puts its picture, and the folder it opens: see `ui/smoke.py`.

    Raises:
        ExplorerError: There is no display, or a library that Qt needs is missing.
    """
    problem = why_no_window()
    if problem:
        raise ExplorerError(problem)
    from PySide6.QtGui import QIcon

    chosen, complaint = settings.load()
    paths.use_data(chosen.data_folder)
    disk.close_own_folders()
    logs.start()
    logs.log_uncaught()
    _log_qt_messages()
    _logger.info("window started, version %s", __version__)
    _share_heaps()
    sys.setswitchinterval(SWITCH)
    app = Application([sys.argv[0], *arguments])
    if getattr(sys, "frozen", False):
        # Qt has read them. Programs that the window opens have a Qt of their own.
        for name in ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH"):
            os.environ.pop(name, None)
    app.setApplicationName(paths.APP)
    app.setApplicationVersion(__version__)
    app.setWindowIcon(QIcon(str(paths.resources() / "app" / "icon.svg")))
    app.setDesktopFileName(paths.IDENTIFIER)
    windows = WindowManager(app, chosen)
    app.folder_dropped.connect(windows.open_path)
    collector = IdleCollector(windows.idle, windows)
    windows.windows_closed.connect(collector.collect_all)
    windows.folder_left.connect(collector.plan_full_collection)

    def begin(window: MainWindow) -> None:
        from explorer.analysis.text import korean

        korean.use_process()
        if complaint:
            window.actions.notify(complaint)
        if smoke is not None:
            from explorer.ui.window.self_test import SelfTest

            SelfTest(window, *smoke)

    windows.open(folder, begin)
    code = app.exec()
    windows.end()
    _logger.info("window closed with %d", code)
    # Everything that counts is on the disk, even if a worker is deep in a library that cannot be interrupted. To take
    # the interpreter apart with torch in it would keep the process for seconds more.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


class IdleCollector(QObject):
    """Collects reference cycles from a timer of the UI thread; Python's own collections are off.

    They run in whatever thread allocates, and in the middle of whatever Qt is doing: a widget in a reference cycle was
    then deleted by a worker, or while a change of theme went through all widgets, and the process crashed.

    A full collection stops every thread: with the objects of torch and Qt it takes 250 ms, and imports trigger many of
    them. Objects made by imports live as long as the program, so they are frozen; collecting the rest takes
    milliseconds.
    """

    def __init__(self, idle: Callable[[], bool], parent: QObject | None = None) -> None:
        """Start checking; `idle` returns whether no work is running."""
        super().__init__(parent)
        self._idle = idle
        self._modules, self._checks, self._planned = 0, 0, False
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL)
        self._timer.timeout.connect(self.check)
        self._timer.start()

    def check(self) -> None:
        """Freeze what was imported since; collect if it is time to."""
        self._checks += 1
        gc.collect(1)  # young objects, in a few milliseconds
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            gc.freeze()
        elif self._planned and self._idle():
            self.collect_all()
        elif self._checks >= CHECKS and self._idle():
            self._checks = 0
            gc.collect()
            trim_heap()

    def plan_full_collection(self) -> None:
        """Collect everything once idle: the objects of a folder that is left were frozen with the rest."""
        self._planned = True

    def collect_all(self) -> None:
        """Collect everything, because a window is gone, and freeze what stays."""
        self._planned, self._checks = False, 0
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        trim_heap()


def trim_heap() -> None:
    """Return free memory to the system; the C library of Linux would keep it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not glibc
            ctypes.CDLL(None).malloc_trim(0)


class Application(QApplication):
    """Receives what the desktop asks of the running program.

    Signals:
        folder_dropped: A folder was dropped on the program's icon, or opened with it (macOS).
    """

    folder_dropped = Signal(str)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent):
            self.folder_dropped.emit(event.file())
            return True
        return super().event(event)


class WindowManager(QObject):
    """The open windows, and the unfinished work of those that were closed.

    Signals:
        windows_closed: The work of all closed windows has ended.
        folder_left: A window is about to leave its folder.
    """

    windows_closed = Signal()
    folder_left = Signal()

    def __init__(self, app: QApplication, settings: Settings) -> None:
        super().__init__()
        self._app, self._settings = app, settings
        self._follower = theme.ThemeFollower(app, self)
        self._open: dict[MainWindow, Controllers] = {}
        self._ending: list[Controllers] = []
        self._show(settings)

    @property
    def open_windows(self) -> tuple[MainWindow, ...]:
        """The open windows, oldest first."""
        return tuple(self._open)

    def open(self, folder: Path | None = None, then: Callable[[MainWindow], object] | None = None) -> MainWindow:
        """Open another window, on a folder if one is given.

        Args:
            folder: What to open.
            then: If given, the start page is painted first, and this is called once the window is complete.
        """
        session, runner = Session(self._settings), Runner()
        actions = Controllers(session, runner)

        def later() -> None:
            if folder is not None:
                actions.open_folder(folder)
            if then is not None:
                then(window)

        window = MainWindow(session, actions, later=later if then is not None else None)
        session.settings_changed.connect(lambda: self._on_settings_changed(session))
        window.window_requested.connect(self._on_window_requested)
        window.quit_requested.connect(self.close_all)
        window.closed.connect(lambda: self._on_closed(window))
        actions.leaving.connect(lambda: self.folder_left.emit() if session.folder is not None else None)
        last = next(reversed(self._open), None)
        if last is not None:
            window.resize(last.size())
            window.move(last.pos() + _OFFSET)
        self._open[window] = actions
        window.show()
        if then is None:
            later()
        return window

    def open_path(self, path: str) -> None:
        """Open a folder from the desktop, in a window without a folder or in a new one."""
        unbuilt = next((window for window in self._open if not window.built), None)
        if unbuilt is not None:
            unbuilt.ready.connect(lambda: self.open_path(path))
            return
        empty = next((window for window in self._open if window.session.folder is None), None)
        if empty is not None:
            empty.preview_folder(Path(path))
        else:
            self.open(Path(path))

    def close_all(self) -> None:
        """Close every window."""
        for window in self.open_windows:
            window.close()

    def end(self) -> bool:
        """Wait for all work to end and close the workspaces; return whether it ended in time."""
        waiting = [*self._ending, *self._open.values()]
        until = time.monotonic() + PATIENCE
        ended = [actions.runner.close(max(0.0, until - time.monotonic())) for actions in waiting]
        for actions, done in zip(waiting, ended, strict=True):
            if done:
                actions.close_workspace()
        return all(ended)

    def _on_window_requested(self, folder: object) -> None:
        self.open(folder if isinstance(folder, Path) else None)

    def _on_closed(self, window: MainWindow) -> None:
        # The work of a closed window ends by itself; the other windows must not wait for it.
        actions = self._open.pop(window, None)
        if actions is not None:
            self._ending.append(actions)
            window.deleteLater()
            actions.runner.ended.connect(lambda: self._on_work_ended(actions))
            actions.runner.close(0)

    def _on_work_ended(self, actions: Controllers) -> None:
        actions.runner.close()  # the last thread may still be on its way out
        actions.close_workspace()
        self._ending.remove(actions)
        if not self._ending:
            self.windows_closed.emit()

    def idle(self) -> bool:
        """Return whether no window has work to do."""
        return not any(actions.runner.jobs() for actions in self._open.values())

    def _on_settings_changed(self, session: Session) -> None:
        self._settings = session.settings
        self._show(session.settings)
        for actions in self._open.values():
            actions.session.set_settings(session.settings)

    def _show(self, settings: Settings) -> None:
        self._follower.use(settings.theme, settings.text_size, settings.palette)
        language.use(self._app, settings.language)
