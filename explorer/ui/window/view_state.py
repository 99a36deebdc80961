"""A workspace as it was left: what was asked, chosen and looked at, kept in a file of its own beside the settings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QTimer

from explorer import paths
from explorer.errors import DataError
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter
from explorer.ui.window.query_bar import MODES

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

VERSION = 1
PAUSE = 800  # milliseconds after the last change

Kept = Mapping[str, Any]


def file_of(workspace: Path) -> Path:
    """Where it is kept how a workspace was left."""
    return paths.config() / "windows" / f"{blake2b(os.fsencode(workspace), digest_size=12).hexdigest()}.json"


def read(path: Path) -> tuple[dict[str, Any], str]:
    """What was kept, and a sentence where it cannot be read; a damaged file is ignored."""
    try:
        found = dict(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, TypeError, RecursionError) as error:
        return (
            {},
            f"{path}: how this folder was left cannot be read ({error}). It opens as if for the first time.",
        )
    return (found, "") if found.get("version") == VERSION else ({}, "")


def write(path: Path, kept: Kept) -> None:
    """Keep it, whole or not at all.

    Raises:
        DataError: It cannot be written.
    """
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps({"version": VERSION, **kept}, ensure_ascii=False), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise DataError(
            "{file}: how this folder was left cannot be saved ({reason}). Free space or allow writing there.",
            file=path,
            reason=error.strerror,
        ) from error


class ViewState(QObject):
    """Keeps how the window's workspace is looked at, and brings it back when that is opened again."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session, self._actions = window, window.session, window.actions
        self._kept: dict[str, Any] = {}
        self._awaited: set[str] = set()  # what has not come yet, and so cannot be restored or kept anew
        self._workspace: Path | None = None
        self._tab: int | None = None  # of the documents, to be shown when the search has answered
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
            session.query_changed, session.filter_changed, session.selection_changed, session.comparison_changed,
            session.search_mode_changed, window.docks.moved, window.map.by_changed, window.map.view.camera_changed,
            *(panel.view_changed for panel in window.docks.panels.values()),
        ):  # fmt: skip
            signal.connect(self._on_changed)
        self._actions.leaving.connect(self.save)

    # Bringing it back

    def restore_docks(self) -> bool:
        """A place was opened: read how it was left and put the docks there; returns whether that is known."""
        place = self._session.folder
        self._workspace = place.workspace if place is not None else None
        if self._workspace is None:
            return False
        self._kept, told = read(file_of(self._workspace))
        self._awaited = {"documents", "map"}
        if told:
            self._actions.notify(told)
        docks = self._kept.get("docks")
        for panel in self._window.docks.panels.values():
            panel.restore_view_state(self._kept)
        asked = self._kept.get("asked")
        self._window.query.recall(str(one) for one in (asked if isinstance(asked, list) else ()) if one)
        if not isinstance(docks, str):
            return False
        return self._window.restoreState(QByteArray.fromBase64(docks.encode("ascii", "ignore")))

    def _on_documents_changed(self) -> None:
        listing = self._session.listing
        if listing is None or not len(listing) or "documents" not in self._awaited:
            return
        self._awaited.discard("documents")
        kept, session, there = self._kept, self._session, listing.rows
        focus, other, at = kept.get("focus"), kept.get("other"), kept.get("reading")
        session.mark(one for one in _numbers(kept.get("marked")) if one in there)
        if isinstance(at, int) and focus in there:
            self._window.docks.reader.return_to(focus, at)
        session.focus(focus if focus in there else None)
        session.set_comparison(other if other in there else None)
        chosen = kept.get("filter")
        if isinstance(chosen, dict):
            documents = DocumentSet(one for one in _numbers(chosen.get("documents")) if one in there)
            session.set_filter(DocumentFilter(documents, str(chosen.get("why", ""))) if documents else None)
        if kept.get("mode") in MODES:
            session.set_search_mode(str(kept["mode"]))
        tab, count = kept.get("tab"), self._window.docks.documents.tabs.count()
        self._tab = tab if isinstance(tab, int) and 0 <= tab < count else None
        if isinstance(kept.get("query"), str) and kept["query"]:
            self._actions.search.ask(kept["query"])
        else:
            self._turn_tab()

    def _on_query_changed(self) -> None:
        search = self._session.search
        if search is None or search.error:
            self._turn_tab()

    def _on_results_changed(self) -> None:
        """Turn to the tab that was left, after the results have brought their own to the front."""
        search = self._session.search
        if search is None or (search.results is not None and not search.stale):
            self._turn_tab()

    def _turn_tab(self) -> None:
        tab, self._tab = self._tab, None
        if tab is not None:
            self._window.docks.documents.tabs.setCurrentIndex(tab)

    def _on_map_changed(self) -> None:
        chart = self._session.map_layout
        if chart is not None and len(chart.documents) and "map" in self._awaited:
            self._awaited.discard("map")
            state = self._kept.get("map")
            if isinstance(state, dict):
                self._window.map.restore(state)

    # Keeping it

    def _on_changed(self) -> None:
        if self._workspace is not None and self._session.folder is not None:
            self._pause.start()

    def _on_pause(self) -> None:
        """Write behind the window; a disk may be slow."""
        if self._workspace is not None and self._session.folder is not None:
            path, kept = file_of(self._workspace), self._gather()
            self._actions.runner.start(
                "remember", lambda _: write(path, kept), lambda _: None, worker="aside", quiet=True, must_run=True,
                failed=self._on_failed,
            )  # fmt: skip

    def _on_failed(self, error: BaseException) -> None:
        if not self._failed:  # once; it would fail at every click
            self._failed = True
            self._actions.report_error(error)

    def save(self) -> None:
        """Keep it at once, because the window or the workspace is about to be left."""
        self._pause.stop()
        if self._workspace is None or self._session.folder is None:
            return
        try:
            write(file_of(self._workspace), self._gather())
        except DataError as error:
            self._on_failed(error)

    def _gather(self) -> dict[str, Any]:
        session, docks = self._session, self._window.docks
        chosen, search = session.selection, session.search
        tab = docks.documents.tabs.currentIndex() if self._tab is None else self._tab
        now: dict[str, Any] = {
            "docks": bytes(self._window.saveState().toBase64().data()).decode(),
            "asked": self._window.query.asked,
        }
        for panel in docks.panels.values():
            now |= panel.view_state()
        if "documents" not in self._awaited:
            now |= {
                "focus": chosen.focus, "marked": chosen.marked.ids.tolist(), "other": session.comparison,
                "filter": _filter(session.filter), "mode": session.search_mode,
                "query": search.text if search is not None else "", "tab": tab,
                "reading": docks.reader.at,
            }  # fmt: skip
        if "map" not in self._awaited:
            now["map"] = self._window.map.state()
        return {**self._kept, **now}


def _filter(chosen: DocumentFilter | None) -> dict[str, Any] | None:
    return None if chosen is None else {"documents": chosen.documents.ids.tolist(), "why": chosen.why}


def _numbers(value: Any) -> list[int]:
    return [one for one in value if isinstance(one, int)] if isinstance(value, list) else []
