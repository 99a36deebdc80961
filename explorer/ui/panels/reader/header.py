"""The header of the reader: title, a line of facts, and the steps through the list."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.corpus.dates import local_time
from explorer.ui.look import theme
from explorer.ui.widgets.layouts import column, row, tool_button
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.services.documents import TextPage

_FACTS = ("date", "author", "from")  # metadata of the line of facts, in this order


class ReaderHeader(Themed, QWidget):
    """Names the document in the reader.

    Signals:
        stepped: The next (1) or the previous (-1) document of the list is to be shown.
        opened: The original file is to be opened.
        revealed: The file is to be shown in the file manager.
        brackets_toggled: Whether passage boundaries are to be shown.
        picked: The document is to be picked, or its pick taken back.
    """

    stepped = Signal(int)
    opened = Signal()
    revealed = Signal()
    brackets_toggled = Signal(bool)
    picked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page: TextPage | None = None
        self._more: tuple[str, ...] = ()  # facts that come from the session: cluster and tags
        self._position = (0, 0)
        self._is_picked = False
        self.title = plain_label(wrap=True)
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = self.title.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)  # in a low panel the text shrinks, not its title
        self.title.setSizePolicy(policy)
        self.facts, self.position = ElidedLabel(), plain_label(kind="faint")
        self.facts.setProperty("kind", "faint")
        self._buttons = {name: tool_button(size=18) for name in ("left", "right", "star", "passages", "open", "folder")}
        self._buttons["passages"].setCheckable(True)
        self._buttons["left"].clicked.connect(lambda: self.stepped.emit(-1))
        self._buttons["right"].clicked.connect(lambda: self.stepped.emit(1))
        self._buttons["star"].clicked.connect(self.picked)
        self._buttons["passages"].toggled.connect(self.brackets_toggled)
        self._buttons["open"].clicked.connect(self.opened)
        self._buttons["folder"].clicked.connect(self.revealed)
        left, right, *others = self._buttons.values()
        steps = column(row(left, self.position, right, spacing=2), None)
        column(
            row((self.title, 1), steps, spacing=8),
            row((self.facts, 1), *others, spacing=2),
            parent=self,
            margins=(24, 8, 8, 6),
            spacing=2,
        )
        self.restyle()
        self.retranslate()

    def show_page(self, page: TextPage) -> None:
        """Name a document."""
        self._page = page
        self.title.setText(page.entry.title or page.entry.path)
        folder, metadata = PurePosixPath(page.entry.path).parent, page.entry.metadata
        facts = [str(folder)] if str(folder) != "." else []
        facts += [fact(name, metadata[name]) for name in _FACTS if metadata.get(name)]
        if page.coverage < 1:  # never rounded up
            facts.append(self.tr("{percent} % encoded").format(percent=min(99, int(page.coverage * 100))))
        self.facts.set_text(" · ".join([*facts, *self._more]))

    def show_more(self, *facts: str) -> None:
        """Add cluster and tags to the line of facts."""
        self._more = tuple(filter(None, facts))
        if self._page is not None:
            self.show_page(self._page)

    def show_position(self, place: int, count: int) -> None:
        """Show the place of the document in the list, from 1; 0 if it is not in the list."""
        self._position = (place, count)
        text = self.tr("{place} of {count}").format(place=f"{place:,}", count=f"{count:,}") if place else ""
        self.position.setText(text)
        self._buttons["left"].setEnabled(place > 1)
        self._buttons["right"].setEnabled(place < count)

    def show_picked(self, picked: bool) -> None:
        """Show whether the document is picked."""
        self._is_picked = picked
        self.restyle()
        self.retranslate()

    def retranslate(self) -> None:
        texts = {
            "left": self.tr("Previous document (K)"),
            "right": self.tr("Next document (J)"),
            "star": self.tr("Remove from picks (P)") if self._is_picked else self.tr("Pick (P)"),
            "passages": self.tr("Show passage boundaries"),
            "open": self.tr("Open original file"),
            "folder": self.tr("Show in file manager"),
        }
        for name, text in texts.items():
            self._buttons[name].setToolTip(text)
            self._buttons[name].setAccessibleName(text)
        self.title.setAccessibleName(self.tr("Title"))
        self.facts.setAccessibleName(self.tr("Folder, date and more"))
        self.position.setAccessibleName(self.tr("Place in the list"))
        if self._page is not None:
            self.show_page(self._page)
        self.show_position(*self._position)

    def restyle(self) -> None:
        for name, button in self._buttons.items():
            filled = name == "star" and self._is_picked
            button.setIcon(theme.icon("star-filled", theme.current().accent) if filled else theme.icon(name))
        self._size_title()

    def showEvent(self, event: QShowEvent) -> None:
        self._size_title()  # the application's font is known only now
        super().showEvent(event)

    def _size_title(self) -> None:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() + 3)
        font.setBold(True)
        if font != self.title.font():
            self.title.setFont(font)


def fact(name: str, value: object) -> str:
    """Return a value of the metadata as it is shown."""
    if name == "modified" and isinstance(value, int | float) and (changed := local_time(value)):
        return f"{changed:%Y-%m-%d %H:%M}"
    if name == "date":
        return str(value)[:10]
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
