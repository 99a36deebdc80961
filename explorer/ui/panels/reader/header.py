"""The header of the reader: title, metadata, keywords, and why the document matched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QToolButton, QWidget

from explorer.corpus.dates import local_time
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, row, tool_button
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.analysis.topics.keywords import Keyword
    from explorer.services.documents import TextPage

KEYWORDS = 7  # that are shown
_FACTS = ("date", "author", "from")  # metadata on the first line, in this order


class ReaderHeader(Themed, QWidget):
    """Describes the document in the reader.

    Signals:
        stepped: The next (1) or the previous (-1) result is to be shown.
        opened: The original file is to be opened.
        revealed: The file is to be shown in the file manager.
        brackets_toggled: Whether passage boundaries are to be shown.
        keyword_chosen: A keyword was pressed.
    """

    stepped = Signal(int)
    opened = Signal()
    revealed = Signal()
    brackets_toggled = Signal(bool)
    keyword_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page: TextPage | None = None
        self._keywords: tuple[Keyword, ...] = ()
        self.title = plain_label(wrap=True)
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = self.title.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)  # in a low panel the text shrinks, not its title
        self.title.setSizePolicy(policy)
        self.facts, self.reason = ElidedLabel(), ElidedLabel()
        self.facts.setProperty("kind", "faint")
        self.details = plain_label(wrap=True)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = QToolButton()
        self._more.setCheckable(True)
        self._more.setArrowType(Qt.ArrowType.RightArrow)
        self._more.toggled.connect(self._on_more)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.hide()
        self._scroll.setWidget(self.details)
        self._scroll.setMaximumHeight(140)
        self.keywords = Chips("", lines=1)
        self.keywords.chosen.connect(self.keyword_chosen)
        self._buttons = {name: tool_button(size=18) for name in ("up", "down", "passages", "open", "folder")}
        self._buttons["passages"].setCheckable(True)
        self._buttons["up"].clicked.connect(lambda: self.stepped.emit(-1))
        self._buttons["down"].clicked.connect(lambda: self.stepped.emit(1))
        self._buttons["passages"].toggled.connect(self.brackets_toggled)
        self._buttons["open"].clicked.connect(self.opened)
        self._buttons["folder"].clicked.connect(self.revealed)
        facts = row(self._more, (self.facts, 1), *self._buttons.values(), spacing=4)
        parts = (self.title, facts, self._scroll, self.keywords, self.reason)
        column(*parts, parent=self, margins=8, spacing=4)
        self.reason.hide()
        self.restyle()
        self.retranslate()

    def show_page(self, page: TextPage) -> None:
        """Describe a document."""
        self._page = page
        self.title.setText(page.entry.title or page.entry.path)
        folder, metadata = PurePosixPath(page.entry.path).parent, page.entry.metadata
        facts = [str(folder)] if str(folder) != "." else []
        facts += [_value(name, metadata[name]) for name in _FACTS if metadata.get(name)]
        # Never rounded up: 100 % must mean the whole text.
        percent = 100 if page.coverage >= 1 else min(99, int(page.coverage * 100))
        coverage = self.tr("{percent} % encoded").format(percent=percent)
        self.facts.set_text(" · ".join([*facts[:2], coverage, *facts[2:]]))
        self.details.setText("\n".join(f"{name}: {value}" for name, value in self._details(page)))

    def show_keywords(self, keywords: Sequence[Keyword]) -> None:
        """Show keywords; a press on one searches for it."""
        tip, self._keywords = self.tr("Search for “{word}”"), tuple(keywords[:KEYWORDS])
        texts = [keyword.text for keyword in self._keywords]
        self.keywords.show_chips([Chip(text, text, "", tip.format(word=text)) for text in texts])

    def show_reason(self, reason: str, tip: str = "") -> None:
        """Show why the document matched; hide the line if it is not a result."""
        self.reason.set_text(reason, tip)
        self.reason.setVisible(bool(reason))

    def enable_steps(self, back: bool, forward: bool) -> None:
        """Enable the buttons to the previous and the next result."""
        self._buttons["up"].setEnabled(back)
        self._buttons["down"].setEnabled(forward)

    def _details(self, page: TextPage) -> list[tuple[str, str]]:
        entry = page.entry
        named = [
            (self.tr("file"), " ".join(filter(None, (entry.path, entry.part)))),
            (self.tr("characters"), f"{entry.characters:,}"),
            (self.tr("passages"), f"{len(page.passages):,}"),
            (self.tr("language"), entry.language),
            (self.tr("encoding"), f"{entry.encoding} ({entry.confidence:.0%})" if entry.encoding else ""),
        ]
        named += [(name, _value(name, value)) for name, value in entry.metadata.items()]
        named += [(self.tr("note"), translated(remark)) for remark in entry.remarks]
        return [(name, value) for name, value in named if value]

    def _on_more(self, shown: bool) -> None:
        self._more.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        self._scroll.setVisible(shown)

    def retranslate(self) -> None:
        texts = {
            "up": self.tr("Previous result (K)"),
            "down": self.tr("Next result (J)"),
            "passages": self.tr("Show passage boundaries"),
            "open": self.tr("Open original file"),
            "folder": self.tr("Show in file manager"),
        }
        for name, text in texts.items():
            self._buttons[name].setToolTip(text)
            self._buttons[name].setAccessibleName(text)
        self._more.setAccessibleName(self.tr("Document details"))
        self._more.setToolTip(self._more.accessibleName())
        self.title.setAccessibleName(self.tr("Title"))
        self.facts.setAccessibleName(self.tr("Folder, date and more"))
        self.reason.setAccessibleName(self.tr("Why it matched"))
        self.keywords.setAccessibleName(self.tr("Keywords"))
        if self._page is not None:
            self.show_page(self._page)
            self.show_keywords(self._keywords)

    def restyle(self) -> None:
        for name, button in self._buttons.items():
            button.setIcon(theme.icon(name))
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


def _value(name: str, value: object) -> str:
    if name == "modified" and isinstance(value, int | float) and (changed := local_time(value)):
        return f"{changed:%Y-%m-%d %H:%M}"
    if name == "date":
        return str(value)[:10]
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
