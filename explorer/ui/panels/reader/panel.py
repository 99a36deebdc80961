"""The document in focus, with the matching passage highlighted and the reason why it matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.panels.panel import Panel
from explorer.ui.panels.reader.header import DetailsView, ReaderHeader, WhyView
from explorer.ui.panels.reader.text_view import Span, TextView
from explorer.ui.state.session import Origin
from explorer.ui.widgets.layouts import column, container, hairline
from explorer.ui.widgets.placeholder import ContentStack
from explorer.ui.widgets.word_highlights import Highlight, strengths, strongest_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.models.explain import Contributions
    from explorer.services.search import TextPage
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.search import Hit, Results


class ReaderPanel(Panel):
    """Shows the document in focus; while none is, the first one of the list.

    Attributes:
        why: Why the document was found.
        details: All that is known of it.
    """

    name = "reader"
    area = Qt.DockWidgetArea.RightDockWidgetArea

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._page: TextPage | None = None
        self._words: list[Highlight] = []
        self._query_words: list[Span] = []
        self._located: tuple[Results, Hit] | None = None  # a hit whose sentence was found later than its passage
        self._return: tuple[int, int] | None = None  # a document, and the character to open it at
        self.header, self.view = ReaderHeader(), TextView()
        self.why, self.details = WhyView(), DetailsView()  # in the drawer
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
        self._actions.encoding_advanced.connect(self._on_documents)
        session.graph_changed.connect(self._find_keywords)
        session.settings_changed.connect(self._on_settings)
        session.folder_changed.connect(self._load)
        self.stage.retried.connect(self._load)
        self.view.loaded_changed.connect(self._find_query_words)
        self.view.search_requested.connect(self._actions.search.ask)
        header.stepped.connect(self.step)
        header.opened.connect(lambda: self._with_document(self._actions.files.open_original))
        header.revealed.connect(lambda: self._with_document(self._actions.files.reveal))
        header.brackets_toggled.connect(self.view.show_brackets)
        header.picked.connect(
            lambda: self._with_document(lambda document: self._actions.edits.toggle_picks([document]))
        )
        self.details.keyword_chosen.connect(self._actions.search.ask)
        session.shown_changed.connect(self._on_shown)
        for signal in (session.picks_changed, session.tags_changed, session.clusters_changed):
            signal.connect(self._show_place)

    @property
    def page(self) -> TextPage | None:
        """The document that is shown."""
        return self._page

    @property
    def _document(self) -> int | None:
        """The document to show: the one in focus, else the first one of the list."""
        focus, shown = self._session.selection.focus, self._session.shown
        return int(shown[0]) if focus is None and len(shown) else focus

    @property
    def at(self) -> int:
        """The first visible character of the document."""
        return self.view.top if self._page is not None else 0

    def return_to(self, document: int, at: int) -> None:
        """Open a document at a character when it is next in focus, whatever matches in it."""
        self._return = (document, at)

    def step(self, direction: int) -> None:
        """Go to the next (1) or the previous (-1) document of the list; from one that is not in it, to the first."""
        shown, index = self._session.shown, self._position()
        at = index - 1 + direction if index else 0
        if 0 <= at < len(shown):
            self._session.focus(int(shown[at]), Origin.READER)
            self._load()

    def _position(self) -> int:
        """Return the place of the document in the list, from 1; 0 if it is not there."""
        document = self._document
        rows = np.flatnonzero(self._session.shown == (-1 if document is None else document))
        return int(rows[0]) + 1 if len(rows) else 0

    def _show_place(self) -> None:
        session, document = self._session, self._document
        self.header.show_position(self._position(), len(session.shown))
        self.header.show_picked(document is not None and document in session.picks)
        tags = session.tags.get(document, ()) if document is not None else ()
        self.header.show_more(self._cluster(document), " ".join(f"#{tag}" for tag in sorted(tags)))

    def _cluster(self, document: int | None) -> str:
        """Return the name of a document's cluster; empty if it has none."""
        clusters = self._session.clusters
        if clusters is None or document is None:
            return ""
        row = int(np.searchsorted(clusters.documents, document))
        if row >= len(clusters.documents) or clusters.documents[row] != document:
            return ""
        label = int(clusters.shown.labels[row])
        return next((cluster.name for cluster in clusters.clusters if cluster.id == label), "")

    def _with_document(self, action: Callable[[int], object]) -> None:
        document = self._document
        if document is not None:
            action(document)

    # What is shown

    def _on_selection(self, origin: Origin) -> None:
        if self._return is not None and self._session.selection.focus != self._return[0]:
            self._return = None
        shown = self._page.entry.id if self._page else None
        if origin != Origin.READER and (self._document != shown or self.stage.failed):
            self._load()

    def _on_shown(self) -> None:
        """Follow the list: the place in it, and while nothing is in focus the first document."""
        shown = self._page.entry.id if self._page else None
        if self._session.selection.focus is None and self._document != shown:
            self._load()
        else:
            self._show_place()

    def _load(self) -> None:
        document = self._document
        self._show_place()
        if document is None:
            self._page = None
            self.details.show_page(None)
            self.details.show_keywords([])
            self.why.show_hit(None)
            self._actions.runner.cancel("read", notify=False)
            self.stage.set_busy(False)
            self._show_empty()
            return
        if self.stage.covered:
            self.stage.show_empty("")  # what it asked for is done
        self.stage.set_busy(True)
        self._actions.documents.read(document, self._on_read, self._on_failed)

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
        if page.entry.id != self._document:
            return
        before, self._page = self._page, page
        self.stage.set_busy(False)
        self.stage.show_content()
        self.header.show_page(page)
        self.details.show_page(page)
        if before is not None and (before.entry.id, before.text) == (page.entry.id, page.text):
            return  # only its coverage has changed
        if before is None or before.entry.id != page.entry.id:
            self.details.show_keywords([])
        self._find_keywords()
        hit = self._hit()
        self._words, self._query_words = [], []
        spans = [(passage.start, passage.end) for passage in page.passages]
        saved = self._return if self._return and self._return[0] == page.entry.id else None
        self.view.show_text(page.text, spans, sentence_of(hit)[0] if hit else 0)  # and its words of the query are found
        if saved is not None:
            self.view.go_to(min(saved[1], len(page.text)), first=True)
        self._explain()

    def _find_keywords(self) -> None:
        page = self._page
        if page is None:
            return

        def show(keywords: object) -> None:
            if self._page is not None and self._page.entry.id == page.entry.id and isinstance(keywords, list):
                self.details.show_keywords(keywords)

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
        results, located = self._located or (None, None)
        if located is not None and results is search.results and located.document == page.entry.id:
            return located
        return next((hit for hit in search.results.hits if hit.document == page.entry.id), None)

    def _locate(self, results: Results, hit: Hit) -> None:
        """Find the sentence of a hit that came without: what matched is a sentence, not the passage around it."""

        def show(located: Hit) -> None:
            if self._hit() == hit:
                self._located = (results, located)
                if self._return is None or self._return[0] != located.document:
                    self.view.go_to(sentence_of(located)[0])
                self._explain()

        self._actions.documents.find_sentence(results, hit, show)

    def _on_results_changed(self) -> None:
        if self._page is None or self._page.entry.id != self._document:
            return  # the document that is on its way is explained when it is there
        hit = self._hit()
        if hit is not None and not (self._return and self._return[0] == hit.document):
            self.view.go_to(sentence_of(hit)[0])
        self._return = None
        self._query_words = []
        self._find_query_words()
        self._explain()

    def _explain(self) -> None:
        hit, search = self._hit(), self._session.search
        self._words = []
        self._highlight()
        if hit is None or search is None or search.results is None:
            self._actions.runner.cancel("explain", notify=False)
            self.why.show_hit(None)
            return
        self.why.show_hit(hit, beaten=self._beaten(hit))
        if not self._is_located(hit):
            self._locate(search.results, hit)
            return
        words = search.results.query.semantic_text
        if words and hit.bi_score is not None:
            self._actions.documents.explain(words, hit.text, "query", lambda why: self._on_explained(hit, why))

    def _on_explained(self, hit: Hit, why: Contributions) -> None:
        if self._hit() == hit:
            # Only in the sentence that is lit: on a whole page of coloured words nothing is found.
            first, last = sentence_of(hit)
            self._words = [word for word in strengths(why.second, hit.start) if first <= word[0] and word[1] <= last]
            self._highlight()
            words = [word.text for word in strongest_words(why.second)]
            self.why.show_hit(hit, words, self._beaten(hit))

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
        lit = sentence_of(hit) if hit is not None and hit.is_scored and self._is_located(hit) else None
        self.view.highlight(lit, self._words, self._query_words)

    def _is_located(self, hit: Hit) -> bool:
        """Return whether the sentence of a hit is known, or known not to be found."""
        return bool(hit.snippet) or (self._located is not None and self._located[1] is hit)

    def _beaten(self, hit: Hit) -> int | None:
        """Return the percentage of the folder's documents that the hit ranks above."""
        listing = self._session.listing
        if listing is None or not len(listing):
            return None
        return min(99, int(100 * (len(listing) - hit.rank) / len(listing)))

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


def sentence_of(hit: Hit) -> Span:
    """Return where the sentence that matched is; the passage if that is not known."""
    return hit.sentence if hit.sentence[1] > hit.sentence[0] else (hit.start, hit.end)
