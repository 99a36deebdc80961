"""Watch the open folder and update the workspace when its files change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from explorer.corpus.scan.diff import FileState, FolderChanges
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers

KEY, _KNOWN = "follow", "known files"


class FolderWatcher(QObject):
    """Watches from the end of one update to the next, if the settings say so. Watching needs no workspace."""

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
        """Stop watching until an update ends; files that a stopped update did not read would count as new."""
        for key in (_KNOWN, KEY):
            self._actions.runner.cancel(key, notify=False)

    def _begin(self) -> None:
        folder = self._actions.session.folder
        if folder is not None and folder.writable and self._actions.session.settings.watch:
            root = folder.source
            self._actions.with_workspace(
                _KNOWN,
                lambda workspace, _: workspace.known_files(),
                lambda known: self._watch(root, known),
                worker="aside",
            )

    def _watch(self, root: Path, known: Mapping[str, FileState]) -> None:
        folder = self._actions.session.folder
        if folder is None or folder.source != root or not self._actions.session.settings.watch:
            return  # something changed while the known files were read

        def work(task: Task) -> FolderChanges:
            from explorer.workspace.update.watch import wait_for_changes

            return wait_for_changes(root, known, task.silent())

        def done(changes: FolderChanges) -> None:
            if changes != self._last:  # an update did not settle these; another would not either
                self._last = changes
                self._actions.update()

        self._actions.runner.start(KEY, work, done, worker="watch", quiet=True, failed=self._actions.report_error)
