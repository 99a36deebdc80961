"""What the user does reaches the workspace, and what comes of it reaches the session."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer import paths
from explorer.task import Task
from explorer.ui.controllers.workspace import Controllers
from explorer.workspace.workspace import UpdatePhase

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


def settled(actions: Controllers) -> bool:
    return not actions.runner.jobs()


def test_opening_a_folder_reads_groups_and_draws_it(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    session, told = actions.session, []
    actions.notified.connect(told.append)
    pictures: list[bool] = []
    session.map_changed.connect(lambda: pictures.append(session.map_layout is not None and session.map_layout.drawing))

    actions.open_folder(sample_copy)
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing and settled(actions))

    assert told == []
    assert session.folder is not None
    assert session.folder.path.name == "sample"
    assert session.listing is not None
    assert len(session.listing) > 150
    assert session.clusters is not None
    assert session.clusters.tree is not None
    assert session.clusters.stability
    assert session.map_layout is not None
    assert session.map_layout.labels
    assert session.map_layout.mean_trust > 0.3
    assert any(pictures)
    assert not pictures[-1]
    assert str(session.folder.path) in session.settings.recent


def test_the_map_as_it_was_left_is_shown_at_once(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    session = actions.session
    actions.open_folder(sample_copy)
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing and settled(actions))
    assert session.map_layout is not None
    left = session.map_layout
    actions.close_folder()
    wait(lambda: session.folder is None)
    known: list[bool] = []
    session.map_changed.connect(lambda: session.map_layout and known.append(session.graph is not None))

    actions.open_folder(sample_copy)
    wait(lambda: session.map_layout is not None)
    assert session.map_layout is not None
    assert not known[0]  # before anything was computed
    assert (session.map_layout.positions == left.positions).all()
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing and settled(actions))


def test_a_sketch_of_the_map_comes_while_documents_are_encoded(
    actions: Controllers, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.workspace.workspace import Workspace

    shutil.copytree(paths.resources() / "sample" / "space", tmp_path / "unread")

    session, runner = actions.session, actions.runner
    updates: set[int] = set()
    runner.changed.connect(lambda: updates.update(job.id for job in runner.jobs() if job.key == "update"))
    encode, go_on = Workspace._encode, threading.Event()

    def slowly(workspace: Workspace, encoder: Any, kind: str, cutting: int, task: Any) -> int:
        return encode(workspace, encoder, kind, cutting, task) if kind == "draft" or go_on.wait(300) else 0

    monkeypatch.setattr(Workspace, "_encode", slowly)
    actions.open_folder(tmp_path / "unread")
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing)
    assert session.map_layout is not None
    assert session.map_layout.draft
    assert session.clusters is not None
    assert runner.busy("update")

    go_on.set()
    wait(lambda: session.map_layout is not None and not session.map_layout.draft and settled(actions))
    assert len(updates) == 1  # nothing began it anew


def test_the_folder_is_read_while_the_model_is_opened(
    actions: Controllers, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.services.model_cache import ModelCache

    shutil.copytree(paths.resources() / "sample" / "space", tmp_path / "unread")
    encoder, go_on, session = ModelCache.encoder, threading.Event(), actions.session
    monkeypatch.setattr(ModelCache, "encoder", lambda cache: encoder(cache) if go_on.wait(300) else None)
    actions.open_folder(tmp_path / "unread")
    wait(lambda: session.listing is not None and len(session.listing) > 0)
    assert not go_on.is_set()
    go_on.set()
    actions.close_folder()
    wait(lambda: session.folder is None)


def test_the_latest_query_is_answered(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    session = actions.session
    actions.open_folder(sample_copy)
    wait(lambda: session.listing is not None)

    for text in ("r", "ro", "rocket launch"):
        actions.search.ask(text)
    wait(lambda: session.search is not None and session.search.results is not None and not session.search.stale)

    assert session.search is not None
    assert session.search.text == "rocket launch"
    assert session.search.results is not None
    assert any(hit.path.startswith("space") for hit in session.search.results.hits[:3])
    actions.search.ask('"unfinished')
    wait(lambda: session.search is not None and bool(session.search.error))
    actions.search.ask("")
    assert session.search is None
    pages: list[Any] = []
    near: list[Any] = []
    focus = int(session.listing.ids[0]) if session.listing else 0
    actions.documents.read(focus, pages.append)
    actions.documents.find_similar([focus], [], "", "cosine", near.append, near.append)
    wait(lambda: bool(pages and near))
    assert pages[0].coverage == 1
    assert pages[0].text
    assert focus not in [one.document for one in near[0]]


def test_changes_of_clusters_are_shown_and_undone(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    session = actions.session
    actions.open_folder(sample_copy)
    wait(lambda: session.clusters is not None and settled(actions))
    assert session.clusters is not None
    largest = session.clusters.clusters[0].id

    def rename(compute_overview: Any) -> Any:
        from explorer.analysis.clusters.edits import rename

        return [rename(compute_overview.clusters.shown, compute_overview.encoded.keys, largest, "내 묶음")]

    actions.overview.change_clusters(rename)
    wait(lambda: session.clusters is not None and session.clusters.clusters[0].name == "내 묶음")
    actions.edits.undo_clusters()
    wait(lambda: session.clusters is not None and session.clusters.clusters[0].name != "내 묶음")


def test_an_update_that_finds_nothing_new_computes_nothing_again(
    actions: Controllers, wait: Wait, sample_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.workspace.overview import clusters, documents

    session, counted, described = actions.session, list[int](), list[int]()
    count_terms, describe = documents.term_counts, clusters.describe_clusters
    monkeypatch.setattr(documents, "term_counts", lambda *a, **k: (counted.append(1), count_terms(*a, **k))[1])
    monkeypatch.setattr(clusters, "describe_clusters", lambda *a: (described.append(1), describe(*a))[1])
    actions.open_folder(sample_copy)
    wait(lambda: session.map_layout is not None and bool(session.map_layout.labels) and settled(actions))
    assert len(counted) == len(described)  # the labels of the map need no counts of their own
    shown, layout, before = session.clusters, session.map_layout, len(counted)
    actions.update()
    wait(lambda: settled(actions))
    assert len(counted) == before
    assert (session.clusters, session.map_layout) == (shown, layout)


def test_what_is_wanted_of_a_survey_is_wanted_of_the_one_that_replaces_it(
    actions: Controllers, wait: Wait, sample_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.services.overview import MapLayout, OverviewService

    session, drawn, opened = actions.session, list[bool](), list[bool]()
    session.folder_changed.connect(lambda: opened.append(True))

    def draw(_: Any, encoded: Any, *, redraw: bool, **_options: Any) -> MapLayout:
        drawn.append(redraw)
        return MapLayout(encoded.documents, encoded.vectors[:, :2])  # what it looks like is no matter here

    monkeypatch.setattr(OverviewService, "draw", draw)

    def granularity() -> float:
        wait(lambda: session.clusters is not None and settled(actions))
        assert session.clusters is not None
        return session.clusters.shown.recipe.granularity

    def busy() -> threading.Event:
        """Have the worker of surveys wait until the event is set."""
        free = threading.Event()
        actions.runner.start("busy", lambda _: free.wait(300), lambda _: None, worker="slow")
        return free

    actions.open_folder(sample_copy)
    usual = granularity()
    assert usual < 1
    drawn.clear()
    free = busy()
    actions.overview.refresh(granularity=0.9)
    actions.overview.refresh(granularity=1.0)
    actions.overview.refresh(redraw=True)
    actions.overview.refresh()  # as when an update ends
    free.set()
    assert granularity() == 1.0
    assert drawn == [True]
    actions.overview.refresh()
    assert granularity() == 1.0
    assert drawn == [True, False]  # once is enough

    free = busy()
    actions.overview.refresh(redraw=True, granularity=0.0)
    actions.open_folder(sample_copy)
    free.set()
    wait(lambda: len(opened) > 1)
    assert granularity() == 1.0  # what was wanted of the folder that was left is not wanted of this one
    assert not any(drawn[1:])


def test_going_from_place_to_place_while_it_works(
    actions: Controllers, wait: Wait, sample_copy: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "one.txt").write_text("a single text")
    session = actions.session

    for _ in range(4):
        actions.open_folder(sample_copy)
        wait(lambda: session.folder is not None and session.folder.workspace == sample_copy)
        actions.open_folder(other)
        wait(lambda: session.folder is not None and session.folder.path == other)
    wait(lambda: session.listing is not None and len(session.listing) == 1 and settled(actions))
    actions.close_folder()
    wait(lambda: settled(actions))

    assert session.folder is None


def test_a_folder_that_is_not_there_gets_a_sentence(actions: Controllers, wait: Wait, tmp_path: Path) -> None:
    told: list[Any] = []
    actions.notified.connect(told.append)

    actions.open_folder(tmp_path / "gone")

    wait(lambda: bool(told))
    assert "gone" in told[0].sentence
    assert actions.session.folder is None


def test_documents_are_listed_while_they_are_read_and_not_while_they_are_encoded(
    actions: Controllers, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[bool] = []
    monkeypatch.setattr(actions, "refresh", lambda: listed.append(True) or 1)
    advanced: list[bool] = []
    actions.encoding_advanced.connect(lambda: advanced.append(True))
    go_on, end = threading.Event(), threading.Event()

    def update(task: Task) -> None:
        task.enter(UpdatePhase.READ)
        task.report(2, 2, "reading")
        go_on.wait()
        task.enter(UpdatePhase.ENCODE)
        task.report(2, 2, "encoding")
        end.wait()

    def phase() -> object:
        return next((job.progress.phase for job in actions.runner.jobs() if job.progress), None)

    actions.runner.start("update", update, lambda _: None, worker="model")
    try:
        wait(lambda: phase() is UpdatePhase.READ)
        for _ in range(3):
            actions._on_refresh_due()
        assert (len(listed), len(advanced)) == (3, 0)
        go_on.set()
        wait(lambda: phase() is UpdatePhase.ENCODE)
        for _ in range(3):
            actions._on_refresh_due()
        assert (len(listed), len(advanced)) == (4, 2)  # once more for what was read last
    finally:
        go_on.set()
        end.set()
    wait(lambda: not actions.runner.jobs())
