"""Beside the text in the reader: the header with title and facts, and the drawer with all that is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFormLayout, QScrollArea, QSizePolicy, QWidget

from explorer.corpus.dates import local_time
from explorer.ui.look import theme
from explorer.ui.look.language import name_of, translated
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, container, row, tool_button
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.analysis.topics.keywords import Keyword
    from explorer.services.search import TextPage
    from explorer.workspace.search.search import Hit


_FACTS = ("date", "author", "from")  # metadata of the line of facts, in this order
KEYWORDS = 12  # that are shown


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

    def show_position(self, index: int, count: int) -> None:
        """Show the place of the document in the list, from 1; 0 if it is not in the list."""
        self._position = (index, count)
        text = self.tr("{place} of {count}").format(place=f"{index:,}", count=f"{count:,}") if index else ""
        self.position.setText(text)
        self._buttons["left"].setEnabled(index > 1)
        self._buttons["right"].setEnabled(index < count)

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


class WhyView(Themed, QScrollArea):
    """What the score of a search result is made of, and the words that made it match."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self._hit: Hit | None = None
        self._words: tuple[str, ...] = ()
        self._beaten: int | None = None
        self.text = plain_label(wrap=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(container(column(self.text, None, margins=12)))
        self.retranslate()

    def show_hit(self, hit: Hit | None, words: Sequence[str] = (), beaten: int | None = None) -> None:
        """Explain a search result.

        Args:
            hit: The result; None if the document is none.
            words: The words that contribute most.
            beaten: The percentage of the documents that rank below it; None if it is not known.
        """
        self._hit, self._words, self._beaten = hit, tuple(words), beaten
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Why it was found"))
        hit = self._hit
        if hit is None:
            self.text.setText(
                self.tr("This document is not among the results. Search for something to see why a document was found.")
            )
            return
        if not hit.is_scored:
            self.text.setText(self.tr("It meets the conditions of the query, which asks for nothing else."))
            return
        lines = [self.tr("Result {rank}, score {score}").format(rank=hit.rank, score=f"{hit.score:.2f}")]
        if self._beaten is not None:
            lines.append(self.tr("It ranks above {share} % of the documents.").format(share=self._beaten))
        lines.append("")
        if hit.cross_score is not None:
            moved = self.tr("Read together with the query (cross-encoder): {score}; before that it was result {rank}.")
            lines.append(moved.format(score=f"{hit.cross_score:.2f}", rank=hit.found_rank))
        if hit.bi_score is not None:
            lines.append(self.tr("Similar in meaning (cosine): {score}").format(score=f"{hit.bi_score:.2f}"))
        if hit.keyword_score is not None:
            lines.append(self.tr("Words of the query (BM25): {score}").format(score=f"{hit.keyword_score:.1f}"))
        if hit.draft:
            lines.append(self.tr("This is a draft: the passage is not encoded yet, so the score will change."))
        if self._words:
            lines += ["", self.tr("Words that contribute most: {words}").format(words=", ".join(self._words))]
        self.text.setText("\n".join(lines))


class DetailsView(Themed, QScrollArea):
    """Keywords, file and metadata of a document.

    Signals:
        keyword_chosen: A keyword was pressed.
    """

    keyword_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self._page: TextPage | None = None
        self._shown: tuple[Keyword, ...] = ()
        self.keywords, self._form = Chips(""), QFormLayout()
        self.keywords.chosen.connect(self.keyword_chosen)
        self._form.setVerticalSpacing(4)
        self._form.setHorizontalSpacing(16)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self.setWidget(container(column(self.keywords, self._form, None, margins=12, spacing=8)))
        self.retranslate()

    def show_page(self, page: TextPage | None) -> None:
        """Describe a document; None for nothing."""
        self._page = page
        while self._form.rowCount():
            self._form.removeRow(0)
        for name, value in self.facts():
            shown = plain_label(wrap=True)
            shown.setText(value)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label = plain_label(kind="faint")
            label.setText(name)
            self._form.addRow(label, shown)

    def show_keywords(self, keywords: Sequence[Keyword]) -> None:
        """Show keywords; a press on one searches for it."""
        tip, self._shown = self.tr("Search for “{word}”"), tuple(keywords[:KEYWORDS])
        texts = [keyword.text for keyword in self._shown]
        self.keywords.show_chips([Chip(text, text, "", tip.format(word=text)) for text in texts])

    def facts(self) -> list[tuple[str, str]]:
        """Return what is known of the document: names and values."""
        page = self._page
        if page is None:
            return []
        entry = page.entry
        # Never rounded up: 100 % must mean the whole text.
        percent = 100 if page.coverage >= 1 else min(99, int(page.coverage * 100))
        named = [
            (self.tr("file"), " ".join(filter(None, (entry.path, entry.part)))),
            (self.tr("characters"), f"{entry.characters:,}"),
            (self.tr("passages"), f"{len(page.passages):,}"),
            (self.tr("encoded"), self.tr("{percent} %").format(percent=percent)),
            (self.tr("language"), name_of(entry.language) if entry.language else ""),
            (self.tr("encoding"), f"{entry.encoding} ({entry.confidence:.0%})" if entry.encoding else ""),
        ]
        named += [(name, fact(name, value)) for name, value in entry.metadata.items()]
        named += [(self.tr("note"), translated(remark)) for remark in entry.remarks]
        return [(name, value) for name, value in named if value]

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Document details"))
        self.keywords.setAccessibleName(self.tr("Keywords"))
        self.show_page(self._page)
        self.show_keywords(self._shown)
