"""The window's composition root: settings, and the windows with their sessions and runners."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from explorer import __version__, disk, logs, paths, settings
from explorer.errors import ExplorerError

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType

    from explorer.ui.window.main_window import MainWindow

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

    from explorer.ui.window.idle_gc import IdleCollector
    from explorer.ui.window.window_manager import Application, WindowManager

    chosen, told = settings.load()
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
        if told:
            window.actions.notify(told)
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
