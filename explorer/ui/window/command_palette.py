"""The command palette (Ctrl+K): search all actions of the window by typing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.row_table import FrozenListModel, Index
from explorer.ui.window.shortcuts import without_key

COMMAND = int(Qt.ItemDataRole.UserRole) + 1
WIDTH, ROWS = 520, 12
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_used: list[str] = []  # what was chosen lately, the last first; one list for all windows


@dataclass(frozen=True, eq=False)
class PaletteCommand:
    """An action in the list.

    Attributes:
        action: What is done.
        text: What it is called.
        where: The menu it is in.
        lit: The places of the letters that match.
    """

    action: QAction
    text: str
    where: str
    lit: tuple[int, ...] = ()


def match(query: str, text: str) -> tuple[float, tuple[int, ...]] | None:
    """Return how well typed letters match a text in order, and where; None if they do not.

    Beginnings of words and letters in a row count more. A Korean initial such as ㅁ matches every syllable that
    begins with it.
    """
    wanted, letters = "".join(query.casefold().split()), text.casefold()
    if len(letters) != len(text):  # a letter that grows when folded, such as ß
        letters = text.lower()
    best: tuple[float, tuple[int, ...]] | None = None
    for start in range(len(letters)):
        scored = _follow(wanted, letters, start, leap=True) or _follow(wanted, letters, start, leap=False)
        if scored and (best is None or scored[0] > best[0]):
            best = scored
    return best if wanted else (0.0, ())


def _follow(wanted: str, letters: str, start: int, *, leap: bool) -> tuple[float, tuple[int, ...]] | None:
    """Match each letter at its next occurrence from `start` on, or at the next word that begins with it."""
    positions: list[int] = []
    score, at = 0.0, start
    for letter in wanted:
        here = [position for position in range(at, len(letters)) if _is_like(letter, letters[position])]
        if not here or (not positions and here[0] != start):
            return None
        begins = [position for position in here if position == 0 or not letters[position - 1].isalnum()]
        position = begins[0] if leap and begins and here[0] != at else here[0]
        score += 3 if position == at and positions else 2 if position in begins else 0
        positions.append(position)
        at = position + 1
    return score - 0.02 * len(letters) - 0.05 * start, tuple(positions)


def _is_like(typed: str, letter: str) -> bool:
    if typed in _INITIALS and "가" <= letter <= "힣":
        return _INITIALS[(ord(letter) - ord("가")) // 588] == typed
    return typed == letter


class CommandPalette(Popup):
    """A search line and the matching actions."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setWindowTitle(self.tr("Commands"))
        self._commands = [
            PaletteCommand(action, without_key(action.text()), _menu_of(action))
            for action in dict.fromkeys(actions)
            if action.isEnabled() and action.isVisible() and without_key(action.text())
        ]
        self.line, self.list, self.model = QLineEdit(), _CommandList(), _Matches(self)
        self.line.setPlaceholderText(self.tr("Type to search commands…"))
        self.line.setAccessibleName(self.tr("Search commands"))
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setModel(self.model)
        self._nothing = plain_label()
        self._nothing.setText(self.tr("No matching commands"))
        self._nothing.setProperty("kind", "faint")
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        for part in (self.line, self.list, self._nothing):
            column.addWidget(part)
        self.line.textChanged.connect(self._on_typed)
        self.line.installEventFilter(self)
        self.list.clicked.connect(lambda _: self._do())
        self._on_typed("")

    def _on_typed(self, query: str) -> None:
        scored = [(match(query, f"{command.text} {command.where}"), command) for command in self._commands]
        rows = [(hit, command) for hit, command in scored if hit is not None]
        if query.strip():
            rows.sort(key=lambda row: -row[0][0])
        else:
            rows.sort(key=lambda row: _used.index(row[1].text) if row[1].text in _used else len(_used))
        self.model.show_rows([replace(command, lit=hit[1]) for hit, command in rows])
        self.list.setCurrentIndex(self.model.index(0))
        self.list.setVisible(bool(rows))
        self._nothing.setVisible(not rows)
        self.list.setFixedHeight(min(max(1, len(rows)), ROWS) * self.list.sizeHintForRow(0) + 2)
        self.fit()

    def _do(self) -> None:
        command = self.list.currentIndex().data(COMMAND)
        if command is None:
            return
        _used[:] = [command.text, *(text for text in _used if text != command.text)][:8]
        self.accept()
        command.action.trigger()

    def _step(self, by: int) -> None:
        count = self.model.rowCount()
        if count:
            self.list.setCurrentIndex(self.model.index((self.list.currentIndex().row() + by) % count))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: ROWS, Qt.Key.Key_PageUp: -ROWS}
            if event.key() in steps:
                self._step(steps[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._do()
                return True
        return super().eventFilter(watched, event)


class _Matches(FrozenListModel["PaletteCommand"]):
    """The commands that match."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self.rows):
            return None
        command = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return command.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(part for part in (command.text, _keys(command.action)) if part)
        return command if role == COMMAND else None


class _CommandList(QListView):
    """The list; the keyboard focus stays in the line above."""

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(_CommandDelegate(self))
        self.setUniformItemSizes(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


class _CommandDelegate(QStyledItemDelegate):
    """Draws a command: its name with matching letters in bold, its menu, its shortcut."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(WIDTH - 40, QFontMetrics(option.font).height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        colours, command = theme.current(), index.data(COMMAND)
        painter.save()
        painter.setFont(option.font)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(colours.chosen))
        line = option.rect.adjusted(8, 0, -8, 0)
        painter.setPen(QColor(colours.faint))
        keys = _keys(command.action)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)
        room = line.adjusted(0, 0, -painter.fontMetrics().horizontalAdvance(keys) - 16, 0)
        x = self._draw_name(painter, room, command)
        if command.where and x < room.right():
            painter.setPen(QColor(colours.faint))
            painter.drawText(
                QRect(x + 10, room.top(), room.right() - x, room.height()), Qt.AlignmentFlag.AlignVCenter, command.where
            )
        painter.restore()

    def _draw_name(self, painter: QPainter, room: QRect, command: PaletteCommand) -> int:
        """Draw the name; return where it ends."""
        painter.setPen(QColor(theme.current().foreground))
        font, x, lit = painter.font(), room.left(), set(command.lit)
        start = 0
        while start < len(command.text) and x < room.right():
            end = start + 1
            while end < len(command.text) and (end in lit) == (start in lit):
                end += 1
            font.setBold(start in lit)
            painter.setFont(font)
            piece = command.text[start:end]
            position = QRect(x, room.top(), room.right() - x, room.height())
            painter.drawText(position, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, piece)
            x += painter.fontMetrics().horizontalAdvance(piece)
            start = end
        font.setBold(False)
        painter.setFont(font)
        return x


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _menu_of(action: QAction) -> str:
    menus = [menu for menu in action.associatedObjects() if isinstance(menu, QMenu)]
    return without_key(menus[0].title()) if menus else ""
