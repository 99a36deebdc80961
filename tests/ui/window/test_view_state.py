"""A workspace comes back as it was left; a damaged file is ignored with a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

from explorer.errors import DataError
from explorer.settings import Settings
from explorer.ui import app
from explorer.ui.app import WindowManager
from explorer.ui.window.main_window import MainWindow
from explorer.ui.window.view_state import file_of, read, write
from explorer.ui.window.views import View
from tests.ui.conftest import LONGEST

Wait = Callable[..., None]


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    path = file_of(tmp_path / "workspace")
    assert read(path) == ({}, "")
    write(path, {"query": "달", "marked": [1, 2]})
    assert read(path) == ({"version": 1, "query": "달", "marked": [1, 2]}, "")
    assert file_of(tmp_path / "other") != path
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("spoilt", [b"{", b"[]", b"\xff\xfe", b"3", b"[1, 2]"])
def test_a_damaged_file_is_ignored_with_a_sentence(tmp_path: Path, spoilt: bytes) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(spoilt)
    found, told = read(path)
    assert found == {}
    assert told == "" or "cannot be read" in told
    path.write_text(json.dumps({"version": 99, "query": "x"}), encoding="utf-8")
    assert read(path) == ({}, "")


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be saved"):
        write(tmp_path / "file" / "kept.json", {})


@pytest.fixture
def windows(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[WindowManager]:
    monkeypatch.setattr(app, "PATIENCE", LONGEST)  # a busy machine needs more than a user should wait
    made = WindowManager(qapp, Settings(theme="light", language="en", motion=False))
    yield made
    made.close_all()
    assert made.end()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def opened(windows: WindowManager, wait: Wait, folder: Path) -> MainWindow:
    """A window on a folder, when all is there."""
    window = windows.open(folder)
    window.resize(1280, 800)
    session = window.session
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing and not window.actions.runner.jobs())
    return window


@pytest.mark.bundled
def test_the_real_window_exports_reports_renames_and_comes_back(
    windows: WindowManager, wait: Wait, sample_copy: Path, tmp_path: Path
) -> None:
    window = opened(windows, wait, sample_copy)
    first = _leave_things(window, wait)
    _export_all(window, wait, tmp_path)
    _rename(window, wait)
    camera = window.map.view.view_box.camera
    window.close()
    wait(lambda: windows.open_windows == ())

    window = opened(windows, wait, sample_copy)
    session = window.session
    wait(lambda: bool(session.search and session.search.results and not session.search.stale))
    assert session.search is not None
    assert session.search.text == "rocket launch"
    assert session.selection == first[0]
    assert window.query.history == ["rocket launch"]
    assert session.filter is not None
    assert session.filter.why == "some"
    assert session.comparison == first[1]
    assert window.map.by == "folder"
    assert window.map.view.terrain == (True, False)
    assert (window.map.view.view_box.camera.x, window.map.view.view_box.camera.scale) == pytest.approx(
        (camera.x, camera.scale)
    )
    assert "encoding" in window.docks.documents.header.columns
    assert window.docks.is_docked("problems")
    assert window.docks.panels["problems"].isVisible()
    assert window.views.current is View.MAP
    assert window.docks.neighbours.measure.currentData() == "euclidean"
    assert session.clusters is not None
    assert "Renamed by hand" in {one.name for one in session.clusters.clusters}


def _leave_things(window: MainWindow, wait: Wait) -> tuple[object, int]:
    """Ask, choose and look at something."""
    session, docks = window.session, window.docks
    window.query.line.setText("rocket launch")
    window.query.line.returnPressed.emit()
    wait(lambda: bool(session.search and session.search.results and not session.search.stale))
    assert session.search is not None
    assert session.search.results is not None
    found = [hit.document for hit in session.search.results.hits]
    window.actions.filter_to(found[:30], "some")
    session.mark(found[:4])
    session.focus(found[0])
    session.set_comparison(found[1])
    docks.documents.header.show_column("encoding", True)
    docks.neighbours.measure.setCurrentIndex(1)
    docks.set_docked("problems", True)
    window.views.show_view(View.MAP)
    window.map.colour_by("folder")
    window.map.view.set_terrain(density=True, contours=False)
    window.map.view.view_box.zoom(3.0, animate=False)
    wait(lambda: not window.actions.runner.jobs())
    return session.selection, found[1]


def _export_all(window: MainWindow, wait: Wait, folder: Path) -> None:
    """Every panel in every format it has, and a report of the marked documents."""
    wanted = []
    for name, _ in window.exports.choices():
        source = window.exports.source(name)
        for ending in source.formats():
            wanted.append(folder / f"{name}.{ending}")
            window.exports.exporter.write(source, wanted[-1])
    window.exports.report(folder / "report.html")
    wait(lambda: not window.actions.runner.jobs())
    assert [path.name for path in wanted if not path.is_file() or not path.stat().st_size] == []
    assert {"map.html", "map.parquet", "documents.csv", "neighbours.jsonl", "clusters.csv"} <= {
        path.name for path in wanted
    }
    report = (folder / "report.html").read_text("utf-8")
    assert report.count("<article") == 4
    assert "rocket launch" in report
    lines = (folder / "documents.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 30  # what the filter shows
    assert json.loads(lines[0])["Score"] > 0


def _rename(window: MainWindow, wait: Wait) -> None:
    """A new name is shown in all places, and nothing is surveyed again."""
    session, surveyed = window.session, []
    window.actions.runner.changed.connect(
        lambda: surveyed.extend(job.key for job in window.actions.runner.jobs() if job.key in ("clusters", "map"))
    )
    model = window.docks.clusters.model
    node = next(node for node in model.nodes() if node.cluster is not None)
    before = node.cluster.name if node.cluster else ""
    model.setData(model.index_of(node.key), "Renamed by hand", Qt.ItemDataRole.EditRole)
    wait(lambda: not window.actions.runner.jobs())
    assert session.clusters is not None
    assert session.map_layout is not None
    assert "Renamed by hand" in {one.name for one in session.clusters.clusters}
    assert "Renamed by hand" in {label.text for label in session.map_layout.labels[0]}
    assert window.actions.edits.undo.undo("clusters")
    wait(lambda: not window.actions.runner.jobs())
    assert before in {one.name for one in session.clusters.clusters}
    assert window.actions.edits.undo.redo("clusters")
    wait(lambda: not window.actions.runner.jobs())
    assert surveyed == []
