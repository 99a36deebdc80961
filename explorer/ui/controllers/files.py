"""What the user does with the files behind documents and problems: open, show, have them read otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

if TYPE_CHECKING:
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers


class FileController(QObject):
    """Hands files to the programs that the system has for them; one that is gone is told of.

    Signals:
        how_requested: The user wants to say how a file is read: its path, as documents and problems name it.
    """

    how_requested = Signal(str)

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session

    def open_original(self, document: int) -> None:
        """Open a document's file."""
        self.open_path(self._path_of(document))

    def reveal(self, document: int) -> None:
        """Show a document's file in the file manager."""
        self.reveal_path(self._path_of(document))

    def open_path(self, path: str) -> None:
        """Open a file of the folder, given as documents and problems name it."""
        self._at_file(path, lambda file: file)

    def reveal_path(self, path: str) -> None:
        """Show such a file in the file manager."""
        self._at_file(path, lambda file: file.parent)

    def ask_how(self, document: int) -> None:
        """Let the user say how a document's file is read."""
        self.how_requested.emit(self._path_of(document))

    def read_otherwise(self, path: str, *, encoding: str, text_column: str, lines: bool) -> None:
        """Read such a file again in another way, and keep to it."""

        def note(workspace: OpenWorkspace, _: Task) -> None:
            from explorer.workspace.update.read_options import read_otherwise

            read_otherwise(workspace.saving, path, encoding=encoding, text_column=text_column, lines=lines)

        self._actions.with_workspace(
            f"read {path} otherwise", note, lambda _: self._actions.update(), worker="saving", must_run=True
        )

    def _path_of(self, document: int) -> str:
        listing = self._session.listing
        row = listing.rows.get(document) if listing else None
        return "" if listing is None or row is None else listing.paths[row]

    def _at_file(self, name: str, which: Callable[[Path], Path]) -> None:
        place = self._session.folder
        if place is None or not name:
            return
        path = which(place.path / name)
        if not path.exists():
            gone = self.tr("{path}: the file no longer exists.").format(path=path)
            self._actions.notify(gone)
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
