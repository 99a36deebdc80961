"""All keys of the window, taken from its actions as they are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QMenu, QTextBrowser, QVBoxLayout, QWidget

from explorer.ui.look import theme
from explorer.ui.window.shortcuts import without_key


class ShortcutsDialog(QDialog):
    """The keys by menu."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(460, 620)
        self.text = QTextBrowser(openLinks=False)
        self.text.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.text.setHtml(_page(by_menu(actions)))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)


def by_menu(actions: Sequence[QAction]) -> dict[str, list[tuple[str, str]]]:
    """For each menu its actions that have keys: what they do, and the keys."""
    found: dict[str, list[tuple[str, str]]] = {}
    for action in actions:
        keys = [one.toString(QKeySequence.SequenceFormat.NativeText) for one in action.shortcuts()]
        menus = [one for one in action.associatedObjects() if isinstance(one, QMenu)]
        if keys and menus:
            rows = found.setdefault(without_key(menus[0].title()), [])
            rows.append((without_key(action.text()), " · ".join(keys)))
    return found


def _page(found: dict[str, list[tuple[str, str]]]) -> str:
    faint = theme.current().faint
    parts = []
    for menu, rows in found.items():
        parts.append(
            f"<tr><td colspan=2 style='padding: 14px 0 4px 0; color: {faint}'><b>{escape(menu)}</b></td></tr>"
        )
        parts += [
            f"<tr><td style='padding: 2px 24px 2px 0'>{escape(text)}</td><td><b>{escape(keys)}</b></td></tr>"
            for text, keys in rows
        ]
    return f"<table>{''.join(parts)}</table>"  # one table, so that all keys stand in one column
