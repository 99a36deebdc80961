"""What the drawer says of the document in the reader: why it was found, and all that is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QScrollArea, QWidget

from explorer.ui.look.language import name_of, translated
from explorer.ui.panels.reader.header import fact
from explorer.ui.widgets.chips import Chip, Chips
from explorer.ui.widgets.layouts import column, container
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.analysis.topics.keywords import Keyword
    from explorer.services.documents import TextPage
    from explorer.workspace.search.search import Hit

KEYWORDS = 12  # that are shown


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
                self.tr("This document is not among the results. Search for something, and see here why.")
            )
            return
        if not hit.is_scored:
            self.text.setText(self.tr("It meets the conditions of the query. Nothing else was asked for."))
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
