"""The window's composition root: settings, runner, session, actions, window."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from explorer import __version__, paths, settings
from explorer.errors import ExplorerError

_MISSING = (
    "The window cannot be opened: {what}. On Debian or Ubuntu install what Qt needs: apt install libxcb-cursor0 "
    "libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0 libxcb-randr0 libxkbcommon-x11-0 "
    "libegl1. Everything also works without a window: docexplorer --help"
)

_NO_DISPLAY = (
    "There is no display here, so the window cannot be opened. "
    "Everything also works without it: docexplorer --help"
)


def why_no_window() -> str:
    """Why a window cannot be opened here; empty if it can, as far as can be told beforehand.

    Qt ends the whole process when it finds no display or no plugin, so it must not be asked.
    """
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return _MISSING.format(what=error)
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM", "") not in (
        "",
        "xcb",
        "wayland",
    ):
        return ""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return _NO_DISPLAY
    return _plugin_problem() if os.environ.get("DISPLAY") else ""


def _plugin_problem() -> str:
    """Load the xcb plugin as Qt will; says which library is missing."""
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


def run(folder: Path | None = None, arguments: Sequence[str] = ()) -> int:
    """Open the window and stay until it is closed; returns the exit code.

    Raises:
        ExplorerError: There is no display, or a library that Qt needs is missing.
    """
    problem = why_no_window()
    if problem:
        raise ExplorerError(problem)
    from PySide6.QtWidgets import QApplication

    from explorer.ui import theme
    from explorer.ui.actions import Actions
    from explorer.ui.jobs import Runner
    from explorer.ui.main_window import MainWindow
    from explorer.ui.messages import Message
    from explorer.ui.session import Session

    app = QApplication([sys.argv[0], *arguments])
    app.setApplicationName(paths.APP)
    app.setApplicationDisplayName("Document Similarity Explorer")
    app.setApplicationVersion(__version__)
    chosen, told = settings.load()
    follower = theme.Follower(app)
    follower.use(chosen.theme, chosen.text_size)
    session, runner = Session(chosen), Runner()
    session.settings_changed.connect(lambda: follower.use(session.settings.theme, session.settings.text_size))
    actions = Actions(session, runner)
    window = MainWindow(session, actions)
    window.show()
    if told:
        actions.told.emit(Message(told))
    if folder is not None:
        actions.open_folder(folder)
    code = app.exec()
    ended = runner.close()
    if not ended:
        # A lane is deep in a library that cannot be interrupted. Everything that counts is on the disk already.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    actions.shut()
    return code
