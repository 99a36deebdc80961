"""The application and its windows, each on one folder or none, all with the same settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.look import language, theme
from explorer.ui.state.session import Session
from explorer.ui.window.main_window import MainWindow

PATIENCE = 1.5  # seconds to wait for all work when the program ends; users tolerate about 3
_OFFSET = QPoint(32, 32)  # of a new window from the one before


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
        starting = next((window for window in self._open if not window.built), None)
        if starting is not None:
            starting.ready.connect(lambda: self.open_path(path))
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
