"""What can be done with a row of the documents table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from explorer.ui.state.session import Origin, Session

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers


class ContextMenu(QMenu):
    """The menu of a document, gone when it is closed.

    Attributes:
        read: The wish to read it.
    """

    def __init__(self, document: int, session: Session, actions: Controllers, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        marked = session.selection.marked
        only_marked = self.tr("Marked documents")
        self.read = self._add(self.tr("Read"), lambda: session.focus(document, Origin.DOCUMENTS))
        self._add(self.tr("Open file"), lambda: actions.files.open_original(document))
        self._add(self.tr("Show in file manager"), lambda: actions.files.reveal(document))
        self._add(self.tr("Read options…"), lambda: actions.files.ask_how(document))
        self.addSeparator()
        self._add(self.tr("Pin for comparison"), lambda: session.set_comparison(document))
        self._add(self.tr("Mark or unmark"), lambda: session.mark([document], Origin.DOCUMENTS, "toggle"))
        only = self._add(self.tr("Show marked only"), lambda: actions.filter_to(marked, only_marked))
        only.setEnabled(bool(marked))

    def _add(self, text: str, work: Callable[[], object]) -> QAction:
        action = self.addAction(text)
        action.triggered.connect(lambda _=False: work())
        return action
