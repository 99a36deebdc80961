"""The document in focus, with the matching passage highlighted and the reason why it matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.panels.panel import Panel
from explorer.ui.panels.reader.header import ReaderHeader
from explorer.ui.panels.reader.text_view import Span, TextView
from explorer.ui.state.session import Origin
from explorer.ui.widgets.layouts import column, container, hairline
from explorer.ui.widgets.placeholder import ContentStack
from explorer.ui.widgets.word_highlights import Highlight, strengths, strongest_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.models.explain import Contributions
    from explorer.services.documents import TextPage
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.search import Hit


class ReaderPanel(Panel):
    """Shows the document in focus."""

    name = "reader"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    shown_at_first = True
    opening_height = 0

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._page: TextPage | None = None
        self._words: list[Highlight] = []
        self._query_words: list[Span] = []
        self._return: tuple[int, int] | None = None  # a document, and the character to open it at
        self.header, self.view = ReaderHeader(), TextView()
        self.view.verticalScrollBar().valueChanged.connect(self.view_changed)
        self.view.setMinimumHeight(40)
        self.stage = ContentStack(container(column(self.header, hairline(), (self.view, 1))))
        column(self.stage, parent=self)
        self._connect()
        self.retranslate()
        self._on_settings()
        self._load()

    def _connect(self) -> None:
        session, header = self._session, self.header
        session.selection_changed.connect(self._on_selection)
        session.results_changed.connect(self._on_results_changed)
        session.documents_changed.connect(self._on_documents)
        session.graph_changed.connect(self._find_keywords)
        session.settings_changed.connect(self._on_settings)
        session.folder_changed.connect(self._load)
        self.stage.retried.connect(self._load)
        self.view.loaded_changed.connect(self._find_query_words)
        self.view.search_requested.connect(self._actions.search.ask)
        header.stepped.connect(self.step)
        header.opened.connect(lambda: self._with_focus(self._actions.files.open_original))
        header.revealed.connect(lambda: self._with_focus(self._actions.files.reveal))
        header.brackets_toggled.connect(self.view.show_brackets)
        header.keyword_chosen.connect(self._actions.search.ask)

    @property
    def page(self) -> TextPage | None:
        """The document that is shown."""
        return self._page

    @property
    def at(self) -> int:
        """The first visible character of the document."""
        return self.view.top if self._page is not None else 0

    def return_to(self, document: int, at: int) -> None:
        """Open a document at a character when it is next in focus, whatever matches in it."""
        self._return = (document, at)

    def step(self, direction: int) -> None:
        """Go to the next (1) or the previous (-1) result; to a neighbouring document without a search."""
        document = adjacent_result(self._session, direction)
        if document is not None:
            self._session.focus(document, Origin.READER)
            self._load()

    def _with_focus(self, action: Callable[[int], object]) -> None:
        focus = self._session.selection.focus
        if focus is not None:
            action(focus)

    # What is shown

    def _on_selection(self, origin: Origin) -> None:
        if self._return is not None and self._session.selection.focus != self._return[0]:
            self._return = None
        shown = self._page.entry.id if self._page else None
        if origin != Origin.READER and (self._session.selection.focus != shown or self.stage.failed):
            self._load()

    def _load(self) -> None:
        focus = self._session.selection.focus
        self._enable_steps()
        if focus is None:
            self._page = None
            self._actions.runner.cancel("read", notify=False)
            self.stage.set_busy(False)
            self._show_empty()
            return
        self.stage.set_busy(True)
        self._actions.documents.read(focus, self._on_read, self._on_failed)

    def _show_empty(self) -> None:
        self.stage.show_empty(
            self.tr("Select a document in the list or on the map to read it here.")
            if self._session.folder is not None
            else self.tr("Open a folder to read its documents here.")
        )

    def _on_failed(self, error: BaseException) -> None:
        self._page = None
        self.stage.set_busy(False)
        self.stage.show_error(error)

    def _on_read(self, page: TextPage) -> None:
        if page.entry.id != self._session.selection.focus:
            return
        before, self._page = self._page, page
        self.stage.set_busy(False)
        self.stage.show_content()
        self.header.show_page(page)
        if before is not None and (before.entry.id, before.text) == (page.entry.id, page.text):
            return  # only its coverage has changed
        if before is None or before.entry.id != page.entry.id:
            self.header.show_keywords([])
        self._find_keywords()
        hit = self._hit()
        self._words, self._query_words = [], []
        spans = [(passage.start, passage.end) for passage in page.passages]
        saved = self._return if self._return and self._return[0] == page.entry.id else None
        self.view.show_text(page.text, spans, hit.start if hit else 0)
        if saved is not None:
            self.view.go_to(min(saved[1], len(page.text)), first=True)
        self._explain()

    def _find_keywords(self) -> None:
        page = self._page
        if page is None:
            return

        def show(keywords: object) -> None:
            if self._page is not None and self._page.entry.id == page.entry.id and isinstance(keywords, list):
                self.header.show_keywords(keywords)

        self._actions.documents.find_keywords(page.entry.id, show)

    def _on_documents(self) -> None:
        """Read the document again: it may have changed, or more of it may be encoded."""
        page, listing = self._page, self._session.listing
        if page is not None and listing is not None and page.entry.id in listing.rows:
            self._actions.documents.read(page.entry.id, self._on_read, self._on_failed)

    # Why it matched

    def _hit(self) -> Hit | None:
        """Return the search result for the document that is shown."""
        search, page = self._session.search, self._page
        if search is None or search.results is None or page is None:
            return None
        return next((hit for hit in search.results.hits if hit.document == page.entry.id), None)

    def _on_results_changed(self) -> None:
        self._enable_steps()
        if self._page is None:
            return
        hit = self._hit()
        if hit is not None and not (self._return and self._return[0] == hit.document):
            self.view.go_to(hit.start)
        self._return = None
        self._explain()

    def _explain(self) -> None:
        hit, search = self._hit(), self._session.search
        self._words, self._query_words = [], []
        self._highlight()
        self._find_query_words()
        if hit is None or search is None or search.results is None:
            self._actions.runner.cancel("explain", notify=False)
            self.header.show_reason("")
            return
        self._show_reason(hit, [])
        words = search.results.query.semantic_text
        if words and hit.bi_score is not None:
            self._actions.documents.explain(
                words, hit.text, "query", lambda why: self._on_explained(hit, why)
            )

    def _on_explained(self, hit: Hit, why: Contributions) -> None:
        if self._hit() == hit:
            self._words = strengths(why.second, hit.start)
            self._highlight()
            self._show_reason(hit, [word.text for word in strongest_words(why.second)])

    def _find_query_words(self) -> None:
        """Find the words of the query in the part of the text that is laid out."""
        search, page = self._session.search, self._page
        query = search.results.query if search is not None and search.results is not None else None
        if page is None or query is None or not query.semantic_parts:
            return
        pieces = self.view.loaded.pieces

        def show(words: list[list[Span]]) -> None:
            if self._page is page and words:
                self._query_words = [
                    (offset + start, offset + end)
                    for (offset, _), spans in zip(pieces, words, strict=True)
                    for start, end in spans
                ]
                self._highlight()

        self._actions.documents.find_words(query, [page.text[start:end] for start, end in pieces], show)

    def _highlight(self) -> None:
        hit = self._hit()
        self.view.highlight((hit.start, hit.end) if hit else None, self._words, self._query_words)

    def _show_reason(self, hit: Hit, words: list[str]) -> None:
        parts = [self.tr("Result {rank}").format(rank=hit.rank)]
        if hit.cross_score is not None:
            parts.append(self.tr("reranked {score}").format(score=f"{hit.cross_score:.2f}"))
        if hit.bi_score is not None:
            parts.append(self.tr("meaning {score}").format(score=f"{hit.bi_score:.2f}"))
        if hit.keyword_score is not None:
            parts.append(self.tr("words {score}").format(score=f"{hit.keyword_score:.1f}"))
        if words:
            parts.append(", ".join(words))
        tip = self.tr(
            "Meaning is the cosine similarity of query and passage, words is BM25, reranked is the "
            "cross-encoder score. The stronger a word is highlighted, the more it contributes to the "
            "similarity; query words are underlined."
        )
        self.header.show_reason(" · ".join(parts), tip)

    def _enable_steps(self) -> None:
        back, forward = (adjacent_result(self._session, step) is not None for step in (-1, 1))
        self.header.enable_steps(back, forward)

    def _on_settings(self) -> None:
        self.view.set_font_size(self._session.settings.reader_size)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_J and not event.modifiers():
            self.step(1)
        elif event.key() == Qt.Key.Key_K and not event.modifiers():
            self.step(-1)
        else:
            super().keyPressEvent(event)

    def title(self) -> str:
        return self.tr("Reader")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Reader"))
        self.view.setAccessibleName(self.tr("Document text"))
        if self.stage.covered and self._page is None:
            self._show_empty()
        hit = self._hit()
        if hit is not None:
            self._show_reason(hit, [])


def adjacent_result(session: Session, direction: int) -> int | None:
    """Return the result before (-1) or after (1) the document in focus; without a search, the listed document.

    If the document in focus is not a result, the next one is the first of all.
    """
    search, listing, focus = session.search, session.listing, session.selection.focus
    if search is not None and search.results is not None:
        documents = [hit.document for hit in search.results.hits]
        if session.filter is not None:
            documents = [document for document in documents if document in session.filter.documents]
    elif listing is not None and session.filter is None:
        row = listing.rows.get(focus, -1 if direction > 0 else len(listing)) if focus is not None else -1
        return int(listing.ids[row + direction]) if 0 <= row + direction < len(listing) else None
    elif listing is not None and session.filter is not None:
        documents = sorted(session.filter.documents, key=lambda document: listing.rows.get(document, 0))
    else:
        return None
    row = documents.index(focus) if focus in documents else (-1 if direction > 0 else 0)
    return documents[row + direction] if 0 <= row + direction < len(documents) else None
