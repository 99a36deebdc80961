"""What the user does with the files behind documents and problems: open them, show them in the file manager."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from explorer.ui.messages import Message

if TYPE_CHECKING:
    from explorer.ui.actions import Actions


class FileVerbs(QObject):
    """Hands files to the programs that the system has for them; one that is gone is told of."""

    def __init__(self, actions: Actions) -> None:
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

    def _path_of(self, document: int) -> str:
        listing = self._session.listing
        row = listing.rows.get(document) if listing else None
        return "" if listing is None or row is None else listing.paths[row]

    def _at_file(self, name: str, which: Callable[[Path], Path]) -> None:
        place = self._session.place
        if place is None or not name:
            return
        path = which(place.folder / name)
        if not path.exists():
            gone = self.tr("{path}: the file is not there any more.").format(path=path)
            self._actions.told.emit(Message(gone))
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
