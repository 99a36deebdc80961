"""What the window shows stays true: of the folder that is open, the query that is asked, the texts as they are now."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from explorer.analysis.clusters.outliers import Outlier, Reason
from explorer.services.open_workspace import OpenWorkspace
from explorer.task import Task
from explorer.ui.controllers.workspace import WATCH
from explorer.workspace.update import watch
from explorer.workspace.update.sync_files import Counts
from tests.ui.window.test_unplugged import Seat, seat

__all__ = ["seat"]


def claimed(widget: object, key: Qt.Key) -> bool:
    """Whether a widget takes a key before the shortcuts of the window do."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(widget, event)  # type: ignore[arg-type]
    return event.isAccepted()


def test_a_new_folder_is_considered_though_another_is_open(seat: Seat, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("a bright moon")

    before = seat.session.folder
    seat.window.preview_folder(other)
    seat.wait(lambda: seat.window.start.reading.title.text() == "other" and not seat.actions.runner.jobs())

    assert seat.window.start.pages.currentIndex() == 1
    assert seat.session.folder == before  # it stays open until another is


@pytest.mark.parametrize("late", [False, True], ids=["half-way", "at its end"])
def test_what_is_stopped_half_way_is_not_followed(seat: Seat, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    monkeypatch.setattr(watch, "REST", 1000.0)  # no look at the folder comes between
    seat.wait(lambda: seat.actions.runner.busy(WATCH))
    update, there, go_on = OpenWorkspace.update, threading.Event(), threading.Event()

    def held(workspace: OpenWorkspace, task: Task, **options: Any) -> Counts:
        """Wait for the test before the first question whether to stop, or after the last one."""
        done = update(workspace, task, **options) if late else None
        there.set()
        assert go_on.wait(300)
        return done or update(workspace, task, **options)

    with monkeypatch.context() as patch:
        patch.setattr(OpenWorkspace, "update", held)
        seat.actions.update()
        seat.wait(there.is_set)
        seat.actions.runner.cancel("update")
        go_on.set()
        seat.settle()

    assert seat.actions.runner.busy(WATCH) == late  # a stop that came too late stopped nothing
    seat.actions.update()
    seat.settle()
    assert seat.actions.runner.busy(WATCH)


def test_judgements_in_the_menu_have_no_keys(seat: Seat) -> None:
    menus = [menu for menu in seat.window.findChildren(QMenu) if menu.title() == "How similar are they?"]
    assert len(menus) == 1
    for _ in range(2):
        menus[0].aboutToShow.emit()
    entries = menus[0].actions()

    assert len(entries) == 8
    assert not [entry for entry in entries if entry.shortcuts()]


def test_keys_of_the_map_are_the_maps(seat: Seat) -> None:
    view = seat.window.map.view
    assert claimed(view, Qt.Key.Key_0)
    assert not claimed(view, Qt.Key.Key_T)
    assert not claimed(view, Qt.Key.Key_Escape)


def test_the_box_shows_what_is_asked_also_while_it_has_the_keyboard(seat: Seat, tmp_path: Path) -> None:
    box = seat.window.query
    box.line.setFocus()
    QTest.keyClicks(box.line, "ship")
    box._ask()
    assert seat.session.search is not None

    QTest.keyClicks(box.line, "s")  # typed on, not asked yet
    seat.settle()
    assert box.line.text() in {"ships", "ship"}
    seat.actions.search.ask("moon")
    assert box.line.text() == "moon"
    seat.actions.step_back()
    assert box.line.text() == ""

    QTest.keyClicks(box.line, "king")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("a bright moon")
    seat.open(other)
    assert box.line.text() == ""
    assert seat.session.search is None


def test_another_mode_searches_again(seat: Seat) -> None:
    seat.search("ship")
    assert seat.session.search is not None
    assert seat.session.search.results is not None
    before = seat.session.search.results

    seat.actions.search.set_mode("keyword")
    seat.settle()

    assert seat.session.search.results is not None
    assert seat.session.search.results is not before
    assert all(hit.bi_score is None for hit in seat.session.search.results.hits)


def test_a_text_of_the_same_length_is_read_again(seat: Seat) -> None:
    seat.read_first()
    reader = seat.window.docks.reader
    assert "cat sat" in reader.view.toPlainText()
    path = seat.folder / "0.txt"
    old = path.read_text()
    path.write_text(old.replace("cat sat", "dog ran"))
    os.utime(path, (1, 1))

    seat.actions.update()
    seat.settle()

    assert "dog ran" in reader.view.toPlainText()


def test_a_comparison_follows_its_texts_and_models_only(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, asked = seat.window.docks.compare, list[tuple[int, int]]()
    ids = [int(one) for one in seat.session.listing.ids] if seat.session.listing else []
    monkeypatch.setattr(seat.actions.documents, "compare", lambda first, second, *_: asked.append((first, second)))
    seat.window.docks.show("compare")
    seat.wait(panel.isVisible)
    panel.show_pair(ids[0], ids[1])
    encoded = seat.session.graph
    assert encoded is not None
    assert asked == [(ids[0], ids[1])]

    seat.session.set_graph(replace(encoded))
    assert len(asked) == 1
    seat.session.set_graph(replace(encoded, model="another"))
    assert len(asked) == 2
    seat.session.set_graph(replace(encoded, model="another", digests=(b"new", *encoded.digests[1:])))
    assert len(asked) == 3


def test_outliers_are_named_by_the_vectors_that_they_were_found_in(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, encoded = seat.window.docks.outliers, seat.session.graph
    assert encoded is not None
    monkeypatch.setattr(seat.actions.overview, "find_outliers", lambda *_: None)
    seat.window.docks.show("outliers")
    seat.wait(panel.isVisible)
    panel.load()
    panel._on_outliers(encoded, [Outlier(3, 9.0, (Reason("far", 0.1, 0.5),))])
    assert panel.model.document(0) == int(encoded.documents[3])

    fewer = replace(encoded, documents=encoded.documents[:2], vectors=encoded.vectors[:2], digests=encoded.digests[:2])
    seat.session.set_graph(fewer)
    seat.session.documents_changed.emit()

    assert panel.model.document(0) == int(encoded.documents[3])
