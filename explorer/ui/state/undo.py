"""Undo and redo of the user's changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from explorer.ui.look import theme

MOST = 500  # changes that are remembered


@dataclass(frozen=True, eq=False)
class UndoableEdit:
    """A change that can be undone.

    Attributes:
        text: What it did, in the user's words, as in "Rename a cluster".
        redo: Does it again.
        undo: Takes it back.
        kind: What it changed: "tags", "judgements", "clusters".
    """

    text: str
    redo: Callable[[], None]
    undo: Callable[[], None]
    kind: str = ""


class UndoList(QObject):
    """The changes that can be undone, and those that can be redone.

    Changes of different kinds do not depend on each other, so the last one of a kind can be undone alone.

    Signals:
        undo_changed: What can be undone or redone has changed.
    """

    undo_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._made: list[UndoableEdit] = []
        self._undone: list[UndoableEdit] = []

    def add(self, change: UndoableEdit) -> None:
        """Add a change that was just made; undone changes of its kind can no longer be redone."""
        self._made.append(change)
        del self._made[:-MOST]
        self._undone = [undone for undone in self._undone if undone.kind != change.kind]
        self.undo_changed.emit()

    def clear(self) -> None:
        """Forget all changes."""
        self._made, self._undone = [], []
        self.undo_changed.emit()

    def to_undo(self, kind: str = "") -> str:
        """Return what the next undo would undo; empty if nothing."""
        change = _last(self._made, kind)
        return change.text if change else ""

    def to_redo(self, kind: str = "") -> str:
        """Return what the next redo would redo; empty if nothing."""
        change = _last(self._undone, kind)
        return change.text if change else ""

    def undo(self, kind: str = "") -> bool:
        """Undo the last change, or the last of a kind; return whether there was one."""
        return self.undo_edit(_last(self._made, kind))

    def undo_edit(self, change: UndoableEdit | None) -> bool:
        """Undo a change unless that was done already; return whether it was undone."""
        if change is None or change not in self._made:
            return False
        self._made.remove(change)
        self._undone.append(change)
        change.undo()
        self.undo_changed.emit()
        return True

    def redo(self, kind: str = "") -> bool:
        """Redo the last undone change; return whether there was one."""
        change = _last(self._undone, kind)
        if change is None:
            return False
        self._undone.remove(change)
        self._made.append(change)
        change.redo()
        self.undo_changed.emit()
        return True


class UndoController(QObject):
    """Undo and redo as actions for menus, keys and the command palette.

    Attributes:
        undo: Ctrl+Z.
        redo: Ctrl+Shift+Z.

    Signals:
        stepped: A change was undone or redone: a sentence for the user.
    """

    stepped = Signal(str)

    def __init__(self, changes: UndoList, parent: QWidget) -> None:
        super().__init__(parent)
        self._changes = changes
        self.undo, self.redo = QAction(parent), QAction(parent)
        self.undo.setShortcut(QKeySequence("Ctrl+Z"))
        self.redo.setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        self.undo.triggered.connect(self._on_undo)
        self.redo.triggered.connect(self._on_redo)
        changes.undo_changed.connect(self.retranslate)
        self.retranslate()

    def _on_undo(self) -> None:
        what = self._changes.to_undo()
        if self._changes.undo():
            self.stepped.emit(self.tr("Undone: {what}").format(what=what))

    def _on_redo(self) -> None:
        what = self._changes.to_redo()
        if self._changes.redo():
            self.stepped.emit(self.tr("Redone: {what}").format(what=what))

    def retranslate(self) -> None:
        # The & of a tag such as "R&D" must not become a mnemonic.
        last, following = (text.replace("&", "&&") for text in (self._changes.to_undo(), self._changes.to_redo()))
        self.undo.setText(self.tr("Undo: {what}").format(what=last) if last else self.tr("Undo"))
        self.redo.setText(self.tr("Redo: {what}").format(what=following) if following else self.tr("Redo"))
        self.undo.setEnabled(bool(last))
        self.redo.setEnabled(bool(following))
        self.undo.setIcon(theme.icon("undo"))


def _last(changes: list[UndoableEdit], kind: str) -> UndoableEdit | None:
    return next((change for change in reversed(changes) if not kind or change.kind == kind), None)
