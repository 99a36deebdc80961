"""Small buttons that wrap like words: keywords, examples, shared words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QPushButton, QSizePolicy, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.themed import Themed

SPACING = 4  # pixels
MAX_CHARACTERS = 28


@dataclass(frozen=True)
class Chip:
    """A button of `Chips`.

    Attributes:
        key: Identifies it in the signal.
        text: Its label.
        icon: The name of its icon, if any.
        tip: What a press does.
        closes: Whether a press removes it; shown by a cross.
    """

    key: str
    text: str
    icon: str = ""
    tip: str = ""
    closes: bool = False


class Chips(Themed, QWidget):
    """A flow of chips.

    Signals:
        chosen: A chip was pressed; carries its key.
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
        """The chips that are shown."""
        return self._chips

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Replace the chips; hide the widget if there are none."""
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
        text = chip.text if len(chip.text) <= MAX_CHARACTERS else chip.text[: MAX_CHARACTERS - 1] + "…"
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
    """Lays widgets out like words; those beyond the last line are not visible."""

    def __init__(self, parent: QWidget, lines: int = 0) -> None:
        super().__init__(parent)
        self._lines = lines  # at most; 0 for no limit
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._arrange(area, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.sizeHint())
        return size

    def _arrange(self, area: QRect, *, move: bool) -> int:
        """Compute where the items go, move them there if asked, and return the height."""
        x, y, height, lines = area.x(), area.y(), 0, 1
        for item in self._items:
            size = item.sizeHint()
            if x > area.x() and x + size.width() > area.right() + 1:
                if lines == self._lines:
                    x, size = area.right() + 1, QSize(0, 0)
                else:
                    x, y, height, lines = area.x(), y + height + SPACING, 0, lines + 1
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, height = x + size.width() + SPACING, max(height, size.height())
        return y + height - area.y()
