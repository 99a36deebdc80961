"""The document in focus, to read: the passage that was found, lit, and why it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.reader.header import ReaderHeader
from explorer.ui.panels.reader.loaded_text import Span
from explorer.ui.panels.reader.text_view import TextView
from explorer.ui.state.session import Origin
from explorer.ui.widgets.placeholder import ContentStack
from explorer.ui.widgets.word_highlights import Lit, strengths, telling

if TYPE_CHECKING:
    from explorer.models.explain import Contributions
    from explorer.services.documents import TextPage
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.search.search import Hit


class ReaderPanel(Panel):
    """The document in focus."""

    name = "reader"
    area = Qt.DockWidgetArea.RightDockWidgetArea
    shown_at_first = True
    opening_height = 0

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._page: TextPage | None = None
        self._words: list[Lit] = []
        self._found: list[Span] = []
        self._back: tuple[int, int] | None = None  # a document, and where in it the reader is to open
        self.header, self.view = ReaderHeader(), TextView()
        self.view.verticalScrollBar().valueChanged.connect(self.view_changed)
        self._line = QFrame(frameShape=QFrame.Shape.HLine)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.header, self._line, self.view):
            column.addWidget(part)
        column.setStretchFactor(self.view, 1)
        self.view.setMinimumHeight(40)
        self.stage = ContentStack(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stage)
        self._connect()
        self.restyle()
        self.retranslate()
        self._on_settings()
        self._load()

    def _connect(self) -> None:
        session, header = self._session, self.header
        session.selection_changed.connect(self._on_selection)
        session.results_changed.connect(self._on_results_changed)
        session.documents_changed.connect(self._on_documents)
        session.graph_changed.connect(self._ask_keywords)
        session.settings_changed.connect(self._on_settings)
        session.folder_changed.connect(self._load)
        self.stage.retried.connect(self._load)
        self.view.loaded_changed.connect(self._ask_words)
        self.view.search_asked.connect(self._actions.search.ask)
        header.stepped.connect(self.step)
        header.opened.connect(lambda: self._with_focus(self._actions.files.open_original))
        header.revealed.connect(lambda: self._with_focus(self._actions.files.reveal))
        header.bounds_changed.connect(self.view.show_bounds)
        header.keyword_chosen.connect(self._actions.search.ask)

    @property
    def page(self) -> TextPage | None:
        """The document that is shown."""
        return self._page

    @property
    def at(self) -> int:
        """The first character that is seen of the document."""
        return self.view.top if self._page is not None else 0

    def return_to(self, document: int, at: int) -> None:
        """When a document comes next, open it at a character, whatever was found in it."""
        self._back = (document, at)

    def step(self, by: int) -> None:
        """Go to the next or the previous hit; to the next document where nothing is searched."""
        document = hit_beside(self._session, by)
        if document is not None:
            self._session.focus(document, Origin.READER)
            self._load()

    def _with_focus(self, verb: object) -> None:
        focus = self._session.selection.focus
        if focus is not None and callable(verb):
            verb(focus)

    # What is shown

    def _on_selection(self, origin: Origin) -> None:
        if self._back is not None and self._session.selection.focus != self._back[0]:
            self._back = None
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
            return  # only its coverage has grown
        if before is None or before.entry.id != page.entry.id:
            self.header.show_keywords([])
        self._ask_keywords()
        hit = self._hit()
        self._words, self._found = [], []
        spans = [(passage.start, passage.end) for passage in page.passages]
        back = self._back if self._back and self._back[0] == page.entry.id else None
        self.view.show_text(page.text, spans, hit.start if hit else 0)
        if back is not None:
            self.view.go_to(min(back[1], len(page.text)), first=True)
        self._explain()

    def _ask_keywords(self) -> None:
        """The key words of what is shown; others with other vectors."""
        page = self._page
        if page is not None:
            self._actions.documents.find_keywords(page.entry.id, lambda found: self._if_shown(page, found))

    def _if_shown(self, page: TextPage, found: object) -> None:
        if self._page is not None and self._page.entry.id == page.entry.id and isinstance(found, list):
            self.header.show_keywords(found)

    def _on_documents(self) -> None:
        """While the folder is read, the document may have changed or be encoded further."""
        page, listing = self._page, self._session.listing
        if page is not None and listing is not None and page.entry.id in listing.rows:
            self._actions.documents.read(page.entry.id, self._on_read, self._on_failed)

    # Why it was found

    def _hit(self) -> Hit | None:
        """How the search found the document that is shown."""
        search, page = self._session.search, self._page
        if search is None or search.results is None or page is None:
            return None
        return next((hit for hit in search.results.hits if hit.document == page.entry.id), None)

    def _on_results_changed(self) -> None:
        self._enable_steps()
        if self._page is None:
            return
        hit = self._hit()
        if hit is not None and not (self._back and self._back[0] == hit.document):
            self.view.go_to(hit.start)
        self._back = None
        self._explain()

    def _explain(self) -> None:
        hit, search = self._hit(), self._session.search
        self._words, self._found = [], []
        self._light()
        self._ask_words()
        if hit is None or search is None or search.results is None:
            self._actions.runner.cancel("explain", notify=False)
            self.header.show_reason("")
            return
        self._tell_reason(hit, [])
        words = search.results.query.semantic_text
        if words and hit.bi_score is not None:
            self._actions.documents.explain(
                words, hit.text, "query", lambda why: self._on_explained(hit, why)
            )

    def _on_explained(self, hit: Hit, why: Contributions) -> None:
        if self._hit() == hit:
            self._words = strengths(why.second, hit.start)
            self._light()
            self._tell_reason(hit, [word.text for word in telling(why.second)])

    def _ask_words(self) -> None:
        """The words of the query in what is laid out of the text."""
        search, page = self._session.search, self._page
        if (
            page is None
            or search is None
            or search.results is None
            or not search.results.query.semantic_parts
        ):
            return
        spans, query = self.view.part.pieces, search.results.query

        def found(places: list[list[Span]]) -> None:
            if self._page is page and places:
                self._found = [
                    (start + at, start + end)
                    for (start, _), here in zip(spans, places, strict=True)
                    for at, end in here
                ]
                self._light()

        self._actions.documents.find_words(query, [page.text[start:end] for start, end in spans], found)

    def _light(self) -> None:
        hit = self._hit()
        self.view.light((hit.start, hit.end) if hit else None, self._words, self._found)

    def _tell_reason(self, hit: Hit, words: list[str]) -> None:
        told = [self.tr("Result {rank}").format(rank=hit.rank)]
        if hit.cross_score is not None:
            told.append(self.tr("reranked {score}").format(score=f"{hit.cross_score:.2f}"))
        if hit.bi_score is not None:
            told.append(self.tr("meaning {score}").format(score=f"{hit.bi_score:.2f}"))
        if hit.keyword_score is not None:
            told.append(self.tr("words {score}").format(score=f"{hit.keyword_score:.1f}"))
        if words:
            told.append(", ".join(words))
        tip = self.tr(
            "Meaning is the cosine similarity of query and passage, words is BM25, reranked is the "
            "cross-encoder score. The stronger a word is highlighted, the more it contributes to the "
            "similarity; query words are underlined."
        )
        self.header.show_reason(" · ".join(told), tip)

    def _enable_steps(self) -> None:
        self.header.enable_steps(
            hit_beside(self._session, -1) is not None, hit_beside(self._session, 1) is not None
        )

    # Manners

    def _on_settings(self) -> None:
        self.view.set_font_size(self._session.settings.reader_size)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J and K walk through the hits."""
        if event.key() == Qt.Key.Key_J and not event.modifiers():
            self.step(1)
        elif event.key() == Qt.Key.Key_K and not event.modifiers():
            self.step(-1)
        else:
            super().keyPressEvent(event)

    def restyle(self) -> None:
        self._line.setStyleSheet(f"color: {theme.current().hairline};")
        self._line.setFixedHeight(1)

    def title(self) -> str:
        return self.tr("Reader")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Reader"))
        self.view.setAccessibleName(self.tr("Document text"))
        if self.stage.covered and self._page is None:
            self._show_empty()
        hit = self._hit()
        if hit is not None:
            self._tell_reason(hit, [])


def hit_beside(session: Session, by: int) -> int | None:
    """The document of the hit before (-1) or after (1) the focus; of the list where nothing is searched.

    From a document that is no hit, the next is the first of all.
    """
    search, listing, focus = session.search, session.listing, session.selection.focus
    if search is not None and search.results is not None:
        order = [hit.document for hit in search.results.hits]
        if session.filter is not None:
            order = [one for one in order if one in session.filter.documents]
    elif listing is not None and session.filter is None:
        at = listing.rows.get(focus, -1 if by > 0 else len(listing)) if focus is not None else -1
        return int(listing.ids[at + by]) if 0 <= at + by < len(listing) else None
    elif listing is not None and session.filter is not None:
        order = sorted(session.filter.documents, key=lambda one: listing.rows.get(one, 0))
    else:
        return None
    at = order.index(focus) if focus in order else (-1 if by > 0 else 0)
    return order[at + by] if 0 <= at + by < len(order) else None
