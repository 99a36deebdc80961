"""Small buttons in lines that break where the panel ends: key words, examples, shared words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QPushButton, QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.themed import Themed

SPACE = 4
LONGEST = 28  # characters


@dataclass(frozen=True)
class Chip:
    """One of them.

    Attributes:
        key: What it stands for.
        text: What it says.
        icon: Name of its icon, if any.
        tip: What a press does.
        closes: Whether a press takes it away; shown by a cross.
    """

    key: str
    text: str
    icon: str = ""
    tip: str = ""
    closes: bool = False


class Chips(Themed, QWidget):
    """Chips, one after the other.

    Signals:
        chosen: A chip was pressed; says its key.
    """

    chosen = Signal(str)

    def __init__(self, name: str, lines: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._chips: tuple[Chip, ...] = ()
        self._flow = Flow(self, lines)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.hide()

    @property
    def chips(self) -> tuple[Chip, ...]:
        """What is shown."""
        return self._chips

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Show others; nothing at all where there are none."""
        self._chips = tuple(chips)
        while (item := self._flow.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.hide()
                button.deleteLater()
        for chip in self._chips:
            self._flow.addWidget(self._button(chip))
        self.setVisible(bool(chips))
        self.updateGeometry()

    def _button(self, chip: Chip) -> QPushButton:
        text = chip.text if len(chip.text) <= LONGEST else chip.text[: LONGEST - 1] + "…"
        button = QPushButton(text.replace("&", "&&") + (" ×" if chip.closes else ""), self)
        colours = theme.current()
        button.setStyleSheet(
            f"QPushButton {{ padding: 2px 8px; border: 1px solid {colours.hairline}; border-radius: 9px; }}"
            f"QPushButton:hover, QPushButton:focus {{ border-color: {colours.accent}; }}"
        )
        button.setAccessibleName(chip.tip or chip.text)
        button.setToolTip(plain_tip(chip.tip or (chip.text if text != chip.text else "")))
        if chip.icon:
            button.setIcon(theme.icon(chip.icon))
            button.setIconSize(QSize(12, 12))
        button.clicked.connect(lambda: self.chosen.emit(chip.key))
        return button

    def restyle(self) -> None:
        self.show_chips(self._chips)


class Flow(QLayout):
    """Lays widgets out like words: from left to right, then on the next line; what fits no line is not seen."""

    def __init__(self, parent: QWidget, lines: int = 0) -> None:
        super().__init__(parent)
        self._lines = lines  # at most; 0 for as many as it takes
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Take one more."""
        self._items.append(item)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One of them."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """One of them, no longer laid out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """None."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """It grows downwards."""
        return True

    def heightForWidth(self, width: int) -> int:
        """What the lines take."""
        return self._lay(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, place: QRect) -> None:
        """Put all in their places."""
        super().setGeometry(place)
        self._lay(place, move=True)

    def sizeHint(self) -> QSize:
        """The widest, and one line."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The widest of them."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.sizeHint())
        return size

    def _lay(self, place: QRect, *, move: bool) -> int:
        x, y, line, count = place.x(), place.y(), 0, 1
        for item in self._items:
            size = item.sizeHint()
            if x > place.x() and x + size.width() > place.right() + 1:
                if count == self._lines:
                    x, size = place.right() + 1, QSize(0, 0)
                else:
                    x, y, line, count = place.x(), y + line + SPACE, 0, count + 1
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, line = x + size.width() + SPACE, max(line, size.height())
        return y + line - place.y()
