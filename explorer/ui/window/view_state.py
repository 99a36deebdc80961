"""Per-workspace view state (query, selection, filter, layout), saved as JSON beside the settings."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QTimer

from explorer import paths
from explorer.errors import DataError
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, Scope, combined_filter
from explorer.ui.window.query_bar import MODES
from explorer.ui.window.views import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.ui.window.main_window import MainWindow

_logger = logging.getLogger(__name__)

VERSION = 1
LAYOUT = 2  # version of the saved docks; those of windows that had nothing but docks are ignored
PAUSE = 800  # milliseconds after the last change


def file_of(workspace: Path) -> Path:
    """Return the file of a workspace's view state."""
    return paths.config() / "windows" / f"{blake2b(os.fsencode(workspace), digest_size=12).hexdigest()}.json"


def read(path: Path) -> tuple[dict[str, Any], str]:
    """Return the saved view state, and a sentence if it cannot be read; a damaged file is ignored."""
    try:
        saved = dict(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, TypeError, RecursionError) as error:
        return ({}, f"{path}: the saved view of this folder cannot be read ({error}). It opens with the default view.")
    return (saved, "") if saved.get("version") == VERSION else ({}, "")


def write(path: Path, state: Mapping[str, Any]) -> None:
    """Save a view state, whole or not at all.

    Raises:
        DataError: It cannot be written.
    """
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps({"version": VERSION, **state}, ensure_ascii=False), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise DataError(
            "{file}: the view of this folder cannot be saved ({reason}). Free space or allow writing there.",
            file=path,
            reason=error.strerror,
        ) from error


class ViewState(QObject):
    """Saves the view state of the window's workspace, and restores it when that is opened again."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session, self._actions = window, window.session, window.actions
        self._saved: dict[str, Any] = {}
        self._awaited: set[str] = set()  # not loaded yet, so neither restored nor to be overwritten
        self._workspace: Path | None = None
        self._scope: Scope | None = None  # of the list, to be shown once the search has results
        self._failed = False
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(self._on_pause)
        self._listen()

    def _listen(self) -> None:
        session, window = self._session, self._window
        session.documents_changed.connect(self._on_documents_changed)
        session.map_changed.connect(self._on_map_changed)
        session.query_changed.connect(self._on_query_changed)
        session.results_changed.connect(self._on_results_changed)
        for signal in (
            session.query_changed,
            session.filter_changed,
            session.selection_changed,
            session.comparison_changed,
            session.search_mode_changed,
            session.scope_changed,
            window.docks.moved,
            window.views.view_changed,
            *(page.changed for page in window.views.pages.values()),
            window.map.by_changed,
            window.map.view.camera_changed,
            *(panel.view_changed for panel in window.docks.panels.values()),
        ):
            signal.connect(self._on_changed)
        self._actions.leaving.connect(self.save)

    def restore_docks(self) -> None:
        """Load the view state of the opened workspace; restore the layout and which view is shown."""
        folder = self._session.folder
        self._workspace = folder.workspace if folder is not None else None
        if self._workspace is None:
            return
        self._saved, problem = read(file_of(self._workspace))
        self._awaited = {"documents", "map"}
        if problem:
            _logger.warning("%s", problem)
            self._actions.notify(problem)
        docks = self._saved.get("docks")
        for panel in self._window.docks.panels.values():
            panel.restore_view_state(self._saved)
        queries = self._saved.get("asked")
        self._window.query.set_history(str(query) for query in (queries if isinstance(queries, list) else ()) if query)
        if isinstance(docks, str):
            self._window.restoreState(QByteArray.fromBase64(docks.encode("ascii", "ignore")), LAYOUT)
        self._window.docks.restore()
        layouts, views = self._saved.get("layouts"), self._window.views
        for view, page in views.pages.items():
            layout = layouts.get(view.value) if isinstance(layouts, dict) else None
            page.restore_view_state(layout if isinstance(layout, dict) else {})
        shown = self._saved.get("view")
        views.show_view(next((view for view in views.pages if view.value == shown), View.WORK))

    def _on_documents_changed(self) -> None:
        listing = self._session.listing
        if listing is None or not len(listing) or "documents" not in self._awaited:
            return
        self._awaited.discard("documents")
        saved, session, rows = self._saved, self._session, listing.rows
        focus, pinned, offset = saved.get("focus"), saved.get("other"), saved.get("reading")
        session.mark(document for document in _ids(saved.get("marked")) if document in rows)
        if isinstance(offset, int) and isinstance(focus, int) and focus in rows:
            self._window.docks.reader.return_to(focus, offset)
        session.focus(focus if focus in rows else None)
        session.set_comparison(pinned if pinned in rows else None)
        filtered = saved.get("filter")
        if isinstance(filtered, dict):
            parts = filtered.get("parts")
            singles = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else [filtered]
            made = [_part(part, listing.ids) for part in singles]
            session.set_filter(combined_filter([part for part in made if part.documents]))
        if saved.get("mode") in MODES:
            session.set_search_mode(str(saved["mode"]))
        self._scope = next((scope for scope in Scope if scope.value == saved.get("scope")), None)
        if isinstance(saved.get("query"), str) and saved["query"]:
            self._actions.search.ask(saved["query"])
        else:
            self._show_scope()

    def _on_query_changed(self) -> None:
        search = self._session.search
        if search is None or search.error:
            self._show_scope()

    def _on_results_changed(self) -> None:
        """Show the saved scope, after the results have shown their own."""
        search = self._session.search
        if search is None or (search.results is not None and not search.stale):
            self._show_scope()

    def _show_scope(self) -> None:
        scope, self._scope = self._scope, None
        if scope is not None:
            self._session.set_scope(scope)

    def _on_map_changed(self) -> None:
        layout = self._session.map_layout
        if layout is not None and len(layout.documents) and "map" in self._awaited:
            self._awaited.discard("map")
            state = self._saved.get("map")
            if isinstance(state, dict):
                self._window.map.restore(state)

    def _on_changed(self) -> None:
        if self._workspace is not None and self._session.folder is not None:
            self._pause.start()

    def _on_pause(self) -> None:
        if self._workspace is not None and self._session.folder is not None:
            path, state = file_of(self._workspace), self._state()
            self._actions.runner.start(
                "remember",
                lambda _: write(path, state),
                lambda _: None,
                worker="aside",
                quiet=True,
                must_run=True,
                failed=self._on_failed,
            )

    def _on_failed(self, error: BaseException) -> None:
        if not self._failed:  # report it once; it would fail at every click
            self._failed = True
            self._actions.report_error(error)

    def save(self) -> None:
        """Save at once, because the window or the workspace is about to be closed."""
        self._pause.stop()
        if self._workspace is None or self._session.folder is None:
            return
        try:
            write(file_of(self._workspace), self._state())
        except DataError as error:
            self._on_failed(error)

    def _state(self) -> dict[str, Any]:
        session, docks = self._session, self._window.docks
        selection, search = session.selection, session.search
        scope = session.scope if self._scope is None else self._scope
        now: dict[str, Any] = {
            "docks": bytes(self._window.saveState(LAYOUT).toBase64().data()).decode(),
            "view": self._window.views.current.value,
            "layouts": {view.value: page.view_state() for view, page in self._window.views.pages.items()},
            "asked": self._window.query.history,
        }
        for panel in docks.panels.values():
            now |= panel.view_state()
        if "documents" not in self._awaited:
            now |= {
                "focus": selection.focus,
                "marked": selection.marked.ids.tolist(),
                "other": session.comparison,
                "filter": _filter(session.filter),
                "mode": session.search_mode,
                "query": search.text if search is not None else "",
                "scope": scope.value,
                "reading": docks.reader.at,
            }
        if "map" not in self._awaited:
            now["map"] = self._window.map.state()
        return {**self._saved, **now}


def _filter(value: DocumentFilter | None) -> dict[str, Any] | None:
    if value is None:
        return None
    saved = {"documents": value.documents.ids.tolist(), "why": value.why, "kind": value.kind}
    return saved | ({"parts": [_filter(part) for part in value.parts]} if value.parts else {})


def _part(saved: Mapping[str, Any], there: NDArray[np.int64]) -> DocumentFilter:
    documents = DocumentSet(_ids(saved.get("documents"))).among(there)
    return DocumentFilter(documents, str(saved.get("why", "")), kind=str(saved.get("kind", "")))


def _ids(value: Any) -> list[int]:
    return [document for document in value if isinstance(document, int)] if isinstance(value, list) else []
