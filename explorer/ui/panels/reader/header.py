"""What stands above a text: title, where it comes from, key words, and why it was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.corpus.dates import local_time
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.analysis.topics.keywords import Keyword
    from explorer.services.documents import TextPage

KEYWORDS = 7  # that are shown
_TOLD = ("folder", "date", "author", "from")  # metadata on the first line, in this order


class ReaderHeader(Themed, QWidget):
    """The head of the reader.

    Signals:
        stepped: The next (1) or the previous (-1) hit is wanted.
        opened: The original file is wanted.
        revealed: The file manager is wanted.
        bounds_changed: Whether passages are to be marked.
        keyword_chosen: A key word was pressed.
    """

    stepped = Signal(int)
    opened = Signal()
    revealed = Signal()
    bounds_changed = Signal(bool)
    keyword_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page: TextPage | None = None
        self._words: tuple[Keyword, ...] = ()
        self.title = plain_label(wrap=True)
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = self.title.sizePolicy()
        policy.setVerticalPolicy(
            QSizePolicy.Policy.Minimum
        )  # in a low panel the text gives way, not its title
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
        self._buttons = {name: QToolButton() for name in ("up", "down", "passages", "open", "folder")}
        self._buttons["passages"].setCheckable(True)
        self._buttons["up"].clicked.connect(lambda: self.stepped.emit(-1))
        self._buttons["down"].clicked.connect(lambda: self.stepped.emit(1))
        self._buttons["passages"].toggled.connect(self.bounds_changed)
        self._buttons["open"].clicked.connect(self.opened)
        self._buttons["folder"].clicked.connect(self.revealed)
        self._lay_out()
        self.restyle()
        self.retranslate()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.title)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._more)
        row.addWidget(self.facts, 1)
        for button in self._buttons.values():
            button.setIconSize(QSize(18, 18))
            row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self._scroll)
        column.addWidget(self.keywords)
        column.addWidget(self.reason)
        self.reason.hide()

    def show_page(self, page: TextPage) -> None:
        """Tell of a document."""
        self._page = page
        self.title.setText(page.entry.title or page.entry.path)
        known = facts(page)
        self.facts.tell(" · ".join([*known[:2], self.coverage(), *known[2:]]))
        self.details.setText("\n".join(f"{name}: {value}" for name, value in self._all(page)))

    def coverage(self) -> str:
        """The share of the text that is encoded, in words."""
        share = 0.0 if self._page is None else self._page.coverage
        # Never rounded up: 100 % must mean all of it.
        percent = 100 if share >= 1 else min(99, int(share * 100))
        return self.tr("{percent} % encoded").format(percent=percent)

    def show_keywords(self, found: Sequence[Keyword]) -> None:
        """Show the key words; a press searches for one."""
        tip, self._words = self.tr("Search for “{word}”"), tuple(found[:KEYWORDS])
        self.keywords.show_chips(
            [Chip(one.text, one.text, "", tip.format(word=one.text)) for one in self._words]
        )

    def show_reason(self, told: str, tip: str = "") -> None:
        """Say why the document was found; nothing where no search found it."""
        self.reason.tell(told, tip)
        self.reason.setVisible(bool(told))

    def enable_steps(self, back: bool, forward: bool) -> None:
        """Whether there are hits before and after this one."""
        self._buttons["up"].setEnabled(back)
        self._buttons["down"].setEnabled(forward)

    def _all(self, page: TextPage) -> list[tuple[str, str]]:
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
        words = {
            "up": self.tr("Previous result (K)"), "down": self.tr("Next result (J)"),
            "passages": self.tr("Show passage boundaries"),
            "open": self.tr("Open original file"), "folder": self.tr("Show in file manager"),
        }  # fmt: skip
        for name, text in words.items():
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
            self.show_keywords(self._words)

    def restyle(self) -> None:
        for name, button in self._buttons.items():
            button.setIcon(theme.icon(name))
        self._size_title()

    def showEvent(self, event: QShowEvent) -> None:
        """Take the font of the application once it is known."""
        self._size_title()
        super().showEvent(event)

    def _size_title(self) -> None:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() + 3)
        font.setBold(True)
        if font != self.title.font():
            self.title.setFont(font)


def facts(page: TextPage) -> list[str]:
    """The first things people ask of a document: its folder, date and author."""
    known = page.entry.metadata
    folder = str(PurePosixPath(page.entry.path).parent)
    told = {**{name: _value(name, known[name]) for name in _TOLD if name in known}}
    told["folder"] = folder if folder != "." else ""
    return [told[name] for name in _TOLD if told.get(name)]


def _value(name: str, value: object) -> str:
    if name == "modified" and isinstance(value, int | float) and (changed := local_time(value)):
        return f"{changed:%Y-%m-%d %H:%M}"
    if name == "date":
        return str(value)[:10]
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
