"""Queries: search as the user types, find more, rerank; saved searches, and how many of their hits are new."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from explorer.errors import ExplorerError
from explorer.ui.jobs.messages import describe_error
from explorer.ui.state.session import Search

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.search.search import Results


_logger = logging.getLogger(__name__)

HITS = 200  # documents of a query at first
PATIENCE = 10  # times as long as a search took, in which it is not repeated to complete its results
MOST = 2000  # and when the user asks for more; the search does not score more passages than this


class SearchController(QObject):
    """Runs queries and puts their results into the session."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._hits = self._asked = HITS  # documents wanted of a query, and those the last search was asked for
        self._reranked = ""  # the query whose results the cross-encoder is to order
        self._took = self._answered_at = 0.0  # seconds of the last search, and when it ended
        self._session.search_mode_changed.connect(self._ask_again)

    def ask(self, text: str) -> None:
        """Search for a text; the latest query wins."""
        if not text.strip():
            self._actions.runner.cancel("search", notify=False)
            self._session.set_search(None)
            return
        before, mode = self._session.search, self._mode()
        if before is None or before.text != text:
            self._hits, self._reranked = HITS, ""
        settings = self._session.settings
        is_reranked = settings.rerank or self._reranked == text
        hits = self._asked = max(self._hits, settings.rerank_count) if is_reranked else self._hits
        self._actions.runner.cancel("rerank", notify=False)  # it works on the results before these
        self._session.set_search(Search(text, before.results if before else None, stale=True))

        began = time.monotonic()

        def done(results: Results) -> None:
            self._answered_at = time.monotonic()
            self._took = self._answered_at - began
            self._session.set_search(Search(text, results))
            if self._session.settings.rerank or self._reranked == text:
                self.rerank()

        def failed(error: BaseException) -> None:
            notification = describe_error(error)
            if isinstance(error, ExplorerError):
                _logger.info("the query cannot be answered: %s", type(error).__name__)
            else:
                self._actions.notified.emit(notification)
            results = self._session.search.results if self._session.search else None
            where = getattr(error, "position", -1)
            self._session.set_search(Search(text, results, stale=True, error=notification.sentence, where=where))

        self._actions.with_workspace(
            "search",
            lambda workspace, task: workspace.search.search(text, mode, hits, task),
            done,
            failed=failed,
            urgent=True,
        )

    def _ask_again(self) -> None:
        if self._session.search is not None:
            self.ask(self._session.search.text)

    def complete_results(self) -> None:
        """Run the query again if more is known by now: it was asked while the folder was read or the model opened.

        A search that took long is not repeated for a while: the encoding waits for every one.
        """
        search = self._session.search
        if time.monotonic() - self._answered_at < PATIENCE * self._took:
            return
        if search is None or self._actions.runner.busy("search") or self._actions.runner.busy("rerank"):
            return
        if search.results is None or search.results.final_share < 1:
            self.ask(search.text)

    def set_mode(self, mode: str) -> None:
        """Search by meaning, by keyword, or both, in this window and in those opened later."""
        self._session.set_search_mode(mode)
        self._actions.change_settings(replace(self._session.settings, mode=mode))

    def undo_reranking(self) -> None:
        """Show the results in the order of the search again."""
        self._reranked = ""
        self._ask_again()

    def may_find_more(self, count: int) -> bool:
        """Return whether a query with this many results may have more."""
        return count == self._asked and self._asked < MOST

    def find_more(self) -> None:
        """Run the query again for more documents."""
        self._hits = MOST
        self._ask_again()

    def rerank(self, failed: Callable[[BaseException], None] | None = None) -> None:
        """Rerank the top results with the cross-encoder; the user is told of an error that `failed` does not take."""
        search = self._session.search
        if search is None:
            return
        text, results = search.text, search.results
        self._reranked = text
        if results is None or self._actions.runner.busy("search"):
            return  # the results that are on their way are reranked when they are there
        if len(results.hits) == self._asked < self._session.settings.rerank_count:
            self.ask(text)  # for as many as are to be reranked
            return

        def done(results: Results) -> None:
            now = self._session.search
            if now is not None and now.text == text:
                self._session.set_search(Search(text, results))

        self._actions.with_workspace(
            "rerank",
            lambda workspace, task: workspace.search.rerank(results, task),
            done,
            worker="rerank",
            title=self.tr("Reranking the top results"),
            failed=failed,
            partial=done,  # the first twenty come long before the rest
        )

    def stop_reranking(self) -> None:
        """Keep the order of what was reranked so far."""
        self._reranked = ""
        self._actions.runner.cancel("rerank")

    def check_reranker(self, done: Callable[[bool], None]) -> None:
        """Find out whether there is a cross-encoder."""
        self._actions.with_workspace("reranker", lambda workspace, _: workspace.models.has_reranker(), done)

    def _mode(self) -> Any:
        return self._session.search_mode


if TYPE_CHECKING:
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.storage.user.lists import SavedSearch

    Searches = tuple[tuple[SavedSearch, int], ...]


class SavedSearchController(QObject):
    """Saves searches and looks for new matches after each update.

    Attributes:
        searches: The saved searches by name, each with the number of its matches that are new.

    Signals:
        changed: Searches were saved or removed, or have new matches.
    """

    changed = Signal()

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self.searches: Searches = ()
        self._session.folder_changed.connect(self._on_folder_changed)
        actions.updated.connect(self.check)

    def _on_folder_changed(self) -> None:
        self._show(())
        self.check()

    def _show(self, searches: Searches) -> None:
        if searches != self.searches:
            self.searches = searches
            self.changed.emit()

    def check(self) -> None:
        """Look for matches that the user has not seen."""
        self._actions.with_workspace(
            "saved searches", lambda workspace, task: workspace.search.saved(task), self._show, worker="quick"
        )

    def save(self, name: str) -> None:
        """Save the current query with its results marked as seen."""
        from explorer.workspace.storage.user.lists import SavedSearch

        search = self._session.search
        if search is not None:
            self._write(SavedSearch(name, search.text, self._session.search_mode))

    def _write(self, saved: SavedSearch) -> None:
        """Save a search, and that its present results have been seen."""
        search = self._session.search
        hits = search.results.hits if search is not None and search.results is not None else ()
        documents = [hit.document for hit in hits]

        def work(workspace: OpenWorkspace) -> None:
            from dataclasses import replace

            from explorer.workspace.storage.user import lists as user_lists

            seen = user_lists.hits_seen(workspace.digests(documents))
            user_lists.save_search(workspace.saving, replace(saved, seen=seen))

        self._actions.edits.write(work, lambda _: self.check())

    def run(self, saved: SavedSearch) -> None:
        """Run a saved query again; its results count as seen once they are there."""
        self._actions.search.set_mode(saved.mode)
        self._actions.search.ask(saved.query)

        def on_results() -> None:
            search = self._session.search
            if search is None or search.text != saved.query:
                self._session.results_changed.disconnect(on_results)
            elif search.results is not None and not search.stale:
                self._session.results_changed.disconnect(on_results)
                self._write(saved)

        self._session.results_changed.connect(on_results)

    def remove(self, name: str) -> None:
        """Remove a saved search."""

        def work(workspace: OpenWorkspace) -> None:
            from explorer.workspace.storage.user import lists as user_lists

            user_lists.remove_search(workspace.saving, name)

        self._actions.edits.write(work, lambda _: self.check())
