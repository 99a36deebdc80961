"""Follows the open folder: when its files change, the workspace is brought up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from explorer.corpus.scan.diff import FileState, FolderChanges
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers

LOOK_EVERY = 4.0  # seconds between two looks at the folder
KEY, _KNOWN = "follow", "known files"


class FolderWatcher(QObject):
    """Watches from the end of one update to the next, while the settings want it; the watching needs no workspace."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions = actions
        self._last: object = None
        self._on = actions.session.settings.watch
        actions.updated.connect(self._begin)
        actions.session.settings_changed.connect(self._on_settings_changed)

    def _on_settings_changed(self) -> None:
        before, self._on = self._on, self._actions.session.settings.watch
        if not self._on:
            self.stop()
        elif not before and not self._actions.runner.busy("update"):  # which begins it when it is done
            self._begin()

    def stop(self) -> None:
        """Watch no more until an update comes to its end; files that a stopped one did not read would be new ones."""
        for key in (_KNOWN, KEY):
            self._actions.runner.cancel(key, notify=False)

    def _begin(self) -> None:
        place = self._actions.session.folder
        if place is not None and place.writable and self._actions.session.settings.watch:
            root = place.path
            self._actions.with_workspace(
                _KNOWN,
                lambda workspace, _: workspace.known_files(),
                lambda known: self._watch(root, known),
                worker="aside",
            )

    def _watch(self, root: Path, known: Mapping[str, FileState]) -> None:
        place = self._actions.session.folder
        if place is None or place.path != root or not self._actions.session.settings.watch:
            return  # something changed while the known files were read

        def work(task: Task) -> FolderChanges:
            from explorer.corpus.scan.diff import watch

            return next(watch(root, LOOK_EVERY, task.silent(), known))

        def changed(found: FolderChanges) -> None:
            if found != self._last:  # what an update does not settle is no reason for another
                self._last = found
                self._actions.update()

        self._actions.runner.start(
            KEY,
            work,
            changed,
            worker="watch",
            quiet=True,
            failed=self._actions.report_error,
        )
