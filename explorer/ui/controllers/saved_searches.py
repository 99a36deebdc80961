"""Saved searches: queries with a name, and how many documents match that the user has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

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
        """Save the current query with its results as seen."""
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
        """Ask a saved query again; its results count as seen once they are there."""
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
