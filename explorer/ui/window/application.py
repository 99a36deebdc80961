"""The program as the desktop sees it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Hears what the desktop asks of a program that runs.

    Signals:
        folder_dropped: A folder was dropped on the program's icon, or opened with it (macOS).
    """

    folder_dropped = Signal(str)

    def event(self, event: QEvent) -> bool:
        """Take what is to be opened."""
        if isinstance(event, QFileOpenEvent):
            self.folder_dropped.emit(event.file())
            return True
        return super().event(event)
