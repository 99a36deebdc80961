"""Keys that belong to one widget, not to the whole window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


def on_key(widget: QWidget, key: Qt.Key | QKeySequence.StandardKey, work: Callable[[], object]) -> None:
    """Do something when a key is pressed while the widget has the keyboard.

    WORKAROUND: PySide6 forgets the `context` of a QShortcut that is made with a callable, and the key is then taken
    from the whole window.
    """
    shortcut = QShortcut(QKeySequence(key), widget)
    shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
    shortcut.activated.connect(work)
