"""Self-test: drive the real window, take a screenshot, close it.

`docexplorer --smoke PICTURE.png [FOLDER]`, for whoever packages it. What happened is written beside the picture.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from explorer.analysis.text import korean

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

QUERY = "the printer stopped working"  # of the sample; any folder finds something
PATIENCE = 500.0  # seconds for a step, which takes a few where nothing else is at work

Step = tuple[str, Callable[[], object]]  # what is awaited, and whether it is there


class SelfTest(QObject):
    """Opens a folder, searches, reranks and reads, each step once the one before is done."""

    def __init__(self, window: MainWindow, picture: Path, folder: Path | None) -> None:
        super().__init__(window)
        self._window, self._picture, self._folder = window, picture, folder
        self._report: dict[str, Any] = {"done": False, "painted": None, "sentences": []}
        self._has_painted = False
        window.actions.notified.connect(lambda message: self._report["sentences"].append(message.sentence))
        for part in (window.start, *window.start.findChildren(QWidget)):  # one that is covered is not painted
            part.installEventFilter(self)
        self._steps = self._story()
        self._awaited, self._holds = next(self._steps)
        self._until = time.monotonic() + PATIENCE
        self._look = QTimer(self, interval=20)
        self._look.timeout.connect(self._on_look)
        self._look.start()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self._has_painted:
            self._has_painted = True
            QTimer.singleShot(0, lambda: self._report.update(painted=time.time()))
        return False

    def _story(self) -> Iterator[Step]:
        session, actions = self._window.session, self._window.actions
        yield "the start page to be painted", lambda: self._report["painted"]
        if self._folder is None:
            return
        actions.open_folder(self._folder)
        yield (
            "the map to be drawn",
            lambda: session.map_layout and not session.map_layout.drawing and not self._busy(),
        )
        self._report["documents"] = len(session.listing.ids) if session.listing else 0
        self._window.query.ask(QUERY)
        yield ("the search to answer", lambda: session.search and session.search.results and not session.search.stale)
        able: list[bool] = []
        actions.search.check_reranker(able.append)
        yield "to know whether there is a cross-encoder", lambda: able
        if able[0]:
            actions.search.rerank()
        yield "the work to end", lambda: not self._busy()
        results = session.search.results if session.search else None
        hits = results.hits if results else ()
        self._report.update(hits=[hit.path for hit in hits], reranked=results.reranked if results else 0, able=able[0])
        self._report["korean_apart"] = korean.uses_process()
        if hits:
            session.focus(hits[0].document)
        yield "the reader to show the best hit", lambda: not self._busy()

    def _busy(self) -> bool:
        return bool(self._window.actions.runner.jobs())

    def _on_look(self) -> None:
        if self._holds():
            self._until = time.monotonic() + PATIENCE
            try:
                self._awaited, self._holds = next(self._steps)
            except StopIteration:
                self._end(done=True)
        elif time.monotonic() > self._until:
            self._report["waited_in_vain_for"] = self._awaited
            self._end(done=False)

    def _end(self, *, done: bool) -> None:
        self._look.stop()
        self._report["done"] = self._window.grab().save(str(self._picture)) and done
        said = json.dumps(self._report, ensure_ascii=False, indent=1)
        self._picture.with_suffix(".json").write_text(said, encoding="utf-8")
        if self._report["done"]:
            self._window.close()
        else:
            QCoreApplication.exit(1)
