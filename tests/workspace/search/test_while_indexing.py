"""Search while a folder is indexed: all that is known answers, and what was asked for is encoded first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.corpus.document import ReadOptions
from explorer.errors import WorkspaceError
from explorer.models.static_encoder import ready_static_encoder
from explorer.services.model_cache import ModelCache
from explorer.services.open_workspace import VectorCache
from explorer.services.search import SearchService
from explorer.settings import Settings
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.search.search import Searcher
from explorer.workspace.update.encode import EncodingOrder, spread
from explorer.workspace.update.sync_files import FileSync
from explorer.workspace.workspace import Workspace

TOPICS = (
    "The striker scored twice and the team won the cup.",
    "Simmer the onions in butter, then add the lentils.",
    "The central bank raised its interest rate again.",
    "A comet will be visible in the northern sky tonight.",
    "The court sentenced the mayor for taking bribes.",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Sixty short texts, some of them in folders, not read yet."""
    root = tmp_path / "texts"
    for number in range(60):
        path = root / f"{'abc'[number % 3]}/{number:02}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{TOPICS[number % 5]} Note {number}.", encoding="utf-8")
    with Workspace(tmp_path / "workspace", root, writable=True) as workspace:
        yield workspace


def stop_at(note: str, done: int) -> Task:
    def hear(progress: Progress) -> None:
        if progress.note == note and progress.done >= done:
            task.cancel()

    task = Task(hear)
    return task


def test_until_the_model_is_open_words_answer_and_conditions_wait_for_nothing(workspace: Workspace) -> None:
    FileSync(workspace.connection, workspace.root, ReadOptions()).run(Task())
    service = SearchService(workspace, workspace, ModelCache(Settings()), VectorCache())
    by_words = service.search("comet", "hybrid", 5, Task())
    assert by_words.hits
    assert (by_words.words_only, by_words.final_share) == (True, 0.0)
    conditions = service.search("folder:a", "hybrid", 5, Task())
    assert (conditions.words_only, conditions.final_share) == (False, 1.0)


@pytest.mark.bundled
def test_what_is_only_read_is_found_by_its_words(workspace: Workspace, bundled: Any) -> None:
    finder = Searcher(workspace, bundled)
    with pytest.raises(WorkspaceError, match="nothing is indexed"):
        finder.search("comet")
    FileSync(workspace.connection, workspace.root, ReadOptions()).run(Task())
    found = finder.search("comets in the sky", k=5)
    assert len(found.hits) == 5
    assert all("comet" in hit.text and hit.draft and "comet" in hit.snippet for hit in found.hits)
    assert found.final_share == 0
    scores = [hit.score for hit in found.hits]
    assert scores[0] == 1.0  # the best answer there is has a full bar
    assert scores == sorted(scores, reverse=True)


@pytest.mark.bundled
def test_of_what_is_only_read_rare_words_count_and_parts_of_words_do_not(tmp_path: Path, bundled: Any) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    texts = {
        "flaw.txt": "A flaw in the control of the begun work, in control and under control again.",
        "law.txt": "A long opening without anything. " * 30 + "The gun control law was passed.",
        "gun.txt": "A gun was found.",
        "rest.txt": "Control of the weather.",
        "more.txt": "Control of the mind.",
    }
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    with Workspace(tmp_path / "workspace", root, writable=True) as workspace:
        FileSync(workspace.connection, workspace.root, ReadOptions()).run(Task())
        hits = Searcher(workspace, bundled).search("gun control laws").hits
    assert [hit.path for hit in hits[:2]] == ["law.txt", "gun.txt"]
    assert "gun control law" in hits[0].snippet


@pytest.mark.bundled
def test_the_draft_answers_where_nothing_is_encoded_and_its_best_are_encoded_next(
    workspace: Workspace, bundled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.workspace.update import encode

    monkeypatch.setattr(encode, "_BETWEEN_QUESTIONS", 6)
    draft = ready_static_encoder(bundled)
    with pytest.raises(Cancelled):
        workspace.update(bundled, static_encoder=draft, task=stop_at("encoding", 7))
    finder = Searcher(workspace, bundled)
    for mode in ("semantic", "hybrid"):
        found = finder.search("astronomy", mode=mode, k=8)  # type: ignore[arg-type]
        assert 0 < found.final_share < 1
        assert finder.search("path:a").final_share == 1  # nothing of it is compared by meaning
        assert sum("comet" in hit.text for hit in found.hits) >= 6
        assert any(hit.draft for hit in found.hits)
    with pytest.raises(Cancelled):
        workspace.update(bundled, static_encoder=draft, task=stop_at("encoding", 7))
    again = finder.search("astronomy", mode="semantic", k=5)
    assert sum(not hit.draft for hit in again.hits) >= 4  # they are final now
    assert workspace.update(bundled, static_encoder=draft).encoded > 0
    last = finder.search("astronomy", mode="semantic", k=12)
    assert last.final_share == 1
    assert not any(hit.draft for hit in last.hits)
    assert all("comet" in hit.text for hit in last.hits)


@pytest.mark.bundled
def test_what_is_on_the_screen_comes_before_the_rest(
    workspace: Workspace, bundled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.workspace.update import encode

    monkeypatch.setattr(encode, "_BETWEEN_QUESTIONS", 4)
    FileSync(workspace.connection, workspace.root, ReadOptions()).run(Task())
    shown = [entry.id for entry in workspace.documents()][-4:]
    twin = workspace.another()
    twin.encoding_order.show(shown)
    twin.close()
    with pytest.raises(Cancelled):
        workspace.update(bundled, task=stop_at("encoding", 1))
    assert set(Searcher(workspace, bundled).matrix().documents.tolist()) <= set(shown)


def test_every_beginning_of_the_order_is_spread() -> None:
    ids = list(range(1000))
    order = spread(ids)
    assert sorted(order) == ids
    assert np.bincount(np.array(order[:50]) // 100, minlength=10).min() >= 4
    assert spread([]) == []


def test_the_last_question_comes_first() -> None:
    order = EncodingOrder()
    order.ask([1, 2])
    order.ask([3, 1])
    with closing(sqlite3.connect(":memory:")) as connection:  # which is asked for documents on the screen alone
        assert order.pop_wanted(connection) == [3, 1, 2]
        assert order.pop_wanted(connection) == []
