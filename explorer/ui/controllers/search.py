"""What the user does with queries: ask, ask for more, search in another way, have the results read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from explorer.errors import ExplorerError
from explorer.ui.jobs.messages import describe_error
from explorer.ui.state.session import Search

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.search.search import Results

HITS = 200  # documents that a query finds at first
MOST = 2000  # and when more of them are wanted; the search weighs no more passages


class SearchController(QObject):
    """The verbs of queries; what is found is in the session."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._hits = HITS
        self._reranked = ""  # the query whose results are to be in the order of the cross-encoder
        self._asked_in = self._mode()
        self._session.settings_changed.connect(self._on_settings_changed)

    def ask(self, text: str) -> None:
        """Search as the user types; the latest query wins."""
        if not text.strip():
            self._actions.runner.cancel("search", notify=False)
            self._session.set_search(None)
            return
        before, mode = self._session.search, self._mode()
        if before is None or before.text != text:
            self._hits, self._reranked = HITS, ""
        hits, self._asked_in = self._hits, mode
        self._actions.runner.cancel("rerank", notify=False)  # of what was found before
        self._session.set_search(Search(text, before.results if before else None, stale=True))

        def found(results: Results) -> None:
            self._session.set_search(Search(text, results))
            if self._session.settings.rerank or self._reranked == text:
                self.rerank()

        self._actions.with_workspace(
            "search", lambda workspace, task: workspace.search.search(text, mode, hits, task), found,
            failed=lambda error: self._not_found(text, error),
        )  # fmt: skip

    def _not_found(self, text: str, error: BaseException) -> None:
        if not isinstance(error, ExplorerError):
            self._actions.report_error(error)
        results = self._session.search.results if self._session.search else None
        where = getattr(error, "position", -1)
        self._session.set_search(
            Search(text, results, stale=True, error=describe_error(error).sentence, where=where)
        )

    def set_mode(self, mode: str) -> None:
        """Search by meaning, by word, or both."""
        self._actions.change_settings(replace(self._session.settings, mode=mode))

    def _on_settings_changed(self) -> None:
        """Ask again in the way that was chosen, here or in another window."""
        if self._session.search is not None and self._mode() != self._asked_in:
            self.ask(self._session.search.text)

    def undo_reranking(self) -> None:
        """Have the results in the order of the search again."""
        self._reranked = ""
        if self._session.search is not None:
            self.ask(self._session.search.text)

    def may_find_more(self, found: int) -> bool:
        """Whether a query that found so many documents may find more."""
        return found >= self._hits and self._hits < MOST

    def find_more(self) -> None:
        """Ask the query again for more documents."""
        if self._session.search is not None:
            self._hits = MOST
            self.ask(self._session.search.text)

    def rerank(self, failed: Callable[[BaseException], None] | None = None) -> None:
        """Have the cross-encoder read the best results again; an error is told where nobody takes it."""
        search = self._session.search
        if search is None:
            return
        text, mode, hits = search.text, self._mode(), self._hits
        self._reranked = text

        def found(results: Results) -> None:
            now = self._session.search
            if now is not None and now.text == text:
                self._session.set_search(Search(text, results))

        self._actions.with_workspace(
            "rerank", lambda workspace, task: workspace.search.rerank(text, mode, hits, task), found, worker="model",
            title=self.tr("Reranking the top results"), failed=failed,
        )  # fmt: skip

    def stop_reranking(self) -> None:
        """Keep what was read again, and leave the rest as it is from now on."""
        self._reranked = ""
        self._actions.runner.cancel("rerank")

    def check_reranker(self, done: Callable[[bool], None]) -> None:
        """Find out whether there is a cross-encoder."""
        self._actions.with_workspace("reranker", lambda workspace, _: workspace.models.has_reranker(), done)

    def _mode(self) -> Any:
        return self._session.settings.mode
