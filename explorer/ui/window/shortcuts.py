"""Keys of a single widget, and names of actions without mnemonics."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

_BEHIND = re.compile(r"\(&\w\)")  # where a name has no such letter, as in Korean, its key stands behind it


def without_key(name: str) -> str:
    """Return the name of a menu or action without its mnemonic."""
    return _BEHIND.sub("", name).replace("&&", "\0").replace("&", "").replace("\0", "&").strip()


def on_key(widget: QWidget, key: Qt.Key | QKeySequence.StandardKey, work: Callable[[], object]) -> None:
    """Call `work` when a key is pressed in a widget, instead of the window's shortcut.

    WORKAROUND: PySide6 forgets the `context` of a QShortcut that is made with a callable, and of two shortcuts for one
    key, such as Esc of a field and of the window, Qt takes neither.
    """
    widget.installEventFilter(_Key(widget, key, work))


class _Key(QObject):
    """Handles one key of a widget."""

    def __init__(self, widget: QWidget, key: Qt.Key | QKeySequence.StandardKey, work: Callable[[], object]) -> None:
        super().__init__(widget)
        self._key, self._work = key, work

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and self._is_mine(event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._work()
                return True
        return super().eventFilter(watched, event)

    def _is_mine(self, event: QKeyEvent) -> bool:
        if isinstance(self._key, QKeySequence.StandardKey):
            return event.matches(self._key)
        return event.key() == self._key and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
