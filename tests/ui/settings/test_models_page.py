"""The page of models: what there is, what is used, and that switching leaves the window working."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer import paths
from explorer.errors import ModelError
from explorer.models.files import catalog
from explorer.services import encoding_speed
from explorer.services.open_workspace import OpenWorkspace
from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import Notification
from explorer.ui.settings.models_page import ModelsPage
from explorer.workspace.update.sync_files import Counts
from tests.conftest import WORDS, make_checkpoint

Wait = Callable[..., None]


@pytest.fixture
def own_models(checkpoints: dict[str, Path]) -> tuple[Path, Path]:
    """Two models of the user's: one that searches, one that reranks."""
    home = paths.models()
    home.mkdir(parents=True)
    shutil.copytree(checkpoints["bert"], home / "own-bert")
    make_checkpoint(home / "own-cross", "bert", classes=1)
    return home / "own-bert", home / "own-cross"


@pytest.fixture
def settings() -> Settings:
    return Settings(device="cpu", watch=False)


@pytest.fixture
def page(actions: Controllers, wait: Wait, own_models: tuple[Path, Path]) -> Iterator[ModelsPage]:
    made = ModelsPage(actions.session, actions)
    made.show()
    wait(lambda: not actions.runner.jobs())
    yield made
    made.close()


def test_models_are_listed_with_what_can_be_done(page: ModelsPage, actions: Controllers) -> None:
    names = [entry.name for entry in page._model.entries]
    assert {"own-bert", "own-cross", catalog.SUGGESTED[0].name} <= set(names)
    assert not any(entry.kind == "draft" for entry in page._model.entries)

    page.choose("own-bert")
    assert [page.use.isEnabled(), page.fetch.isEnabled(), page.remove.isEnabled()] == [True, False, True]
    page.choose(catalog.SUGGESTED[0].name)
    assert [page.use.isEnabled(), page.fetch.isEnabled(), page.remove.isEnabled()] == [False, True, False]
    page.choose(catalog.RERANKER)  # the one that ships is in use without having been chosen
    assert [page.use.isEnabled(), page.remove.isEnabled()] == [False, False]
    page.choose("own-bert")
    page.use.click()
    assert actions.session.settings.model == "own-bert"
    assert [page.use.isEnabled(), page.remove.isEnabled()] == [False, False]


def test_a_download_without_a_network_says_so(
    page: ModelsPage, actions: Controllers, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    page.choose(catalog.SUGGESTED[0].name)
    page.fetch.click()
    wait(lambda: not actions.runner.jobs())
    assert "offline" in page._failure.text()
    assert page._failure.isVisibleTo(page)
    assert page.entry is not None
    assert page.entry.name == catalog.SUGGESTED[0].name
    assert page.fetch.isEnabled()


def test_a_model_of_the_user_is_removed_and_no_other(
    page: ModelsPage, actions: Controllers, wait: Wait, own_models: tuple[Path, Path]
) -> None:
    actions.models.remove("own-bert")
    wait(lambda: not actions.runner.jobs())
    assert not own_models[0].exists()
    assert "own-bert" not in [entry.name for entry in page._model.entries]
    with pytest.raises(ModelError, match="only downloaded and trained"):
        catalog.remove(catalog.BUNDLED)


def test_a_folder_of_models_is_added_and_taken_off(
    page: ModelsPage, actions: Controllers, wait: Wait, tmp_path: Path, checkpoints: dict[str, Path]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(checkpoints["bert"], elsewhere / "mine")
    actions.models.add_folder(elsewhere)
    wait(lambda: not actions.runner.jobs())
    assert "mine" in [entry.name for entry in page._model.entries]
    page.choose("mine")
    page.remove.click()
    wait(lambda: not actions.runner.jobs())
    assert "mine" not in [entry.name for entry in page._model.entries]
    assert (elsewhere / "mine").is_dir()


def test_switching_keeps_the_old_model_until_the_new_one_is_ready(
    actions: Controllers, wait: Wait, own_models: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = paths.models() / "own-other"
    make_checkpoint(other, "bert", seed=1)
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(12):
        (root / f"{number}.txt").write_text(" ".join(WORDS[number : number + 30]), encoding="utf-8")
    told: list[Notification] = []
    actions.notified.connect(told.append)
    actions.models.use("own-bert")
    actions.open_folder(root)
    wait(lambda: actions.session.graph is not None and not actions.runner.jobs())
    first = actions.session.graph
    in_use: list[str] = []
    actions.runner.changed.connect(lambda: in_use.append(actions.model_in_use))

    update, go_on = OpenWorkspace.update, threading.Event()

    def held(*given: Any, **options: Any) -> Counts:
        assert go_on.wait(300)
        return update(*given, **options)

    monkeypatch.setattr(OpenWorkspace, "update", held)
    actions.models.use("own-other")
    actions.search.ask(WORDS[0])
    wait(lambda: actions.session.search is not None and actions.session.search.results is not None)
    assert actions.model_in_use == "own-bert"
    go_on.set()
    wait(lambda: not actions.runner.jobs())

    assert set(in_use) == {"own-bert", "own-other"}
    assert in_use == sorted(in_use)
    assert actions.session.search is not None
    assert actions.session.search.results is not None
    second = actions.session.graph
    assert first is not None
    assert second is not None
    assert first.model != second.model

    actions.close_folder()  # a window opened later uses what the folder was left with
    wait(lambda: actions.session.folder is None and not actions.runner.jobs())
    actions.open_folder(root)
    wait(lambda: actions.session.graph is not None and not actions.runner.jobs())
    assert actions.model_in_use == "own-other"
    assert [message.sentence for message in told] == []


def test_a_reranker_chosen_later_is_seen_and_reads_as_many_as_wanted(
    actions: Controllers, wait: Wait, own_models: tuple[Path, Path], tmp_path: Path
) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(12):
        (root / f"{number}.txt").write_text(" ".join(WORDS[number : number + 30]), encoding="utf-8")
    actions.models.use("own-bert")
    actions.open_folder(root)
    wait(lambda: actions.session.graph is not None and not actions.runner.jobs())
    actions.models.rerank_with("own-cross")
    actions.change_settings(replace(actions.session.settings, rerank_count=5))
    actions.search.ask(WORDS[0])
    wait(lambda: not actions.runner.jobs())
    actions.search.rerank()
    wait(lambda: not actions.runner.jobs())

    search = actions.session.search
    assert search is not None
    assert search.results is not None
    assert search.results.reranked == 5
    assert len(search.results.hits) > 5
    assert [hit.cross_score is not None for hit in search.results.hits[:6]] == [True] * 5 + [False]


def test_a_changed_file_is_read_without_being_asked(
    actions: Controllers, wait: Wait, own_models: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.ui.controllers import workspace
    from explorer.workspace.update import watch

    monkeypatch.setattr(watch, "REST", 0.05)
    actions.change_settings(replace(actions.session.settings, watch=True, model="own-bert"))
    root = tmp_path / "texts"
    root.mkdir()
    (root / "a.txt").write_text("one two three", encoding="utf-8")
    actions.open_folder(root)
    wait(lambda: actions.runner.busy(workspace.WATCH))
    (root / "b.txt").write_text("four five six", encoding="utf-8")
    wait(lambda: actions.session.listing is not None and len(actions.session.listing) == 2)

    actions.change_settings(replace(actions.session.settings, watch=False))
    wait(lambda: not actions.runner.busy(workspace.WATCH) and not actions.runner.jobs())


def test_the_speed_is_measured_and_shown(
    page: ModelsPage, wait: Wait, own_models: tuple[Path, Path], actions: Controllers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_speed, "_TRIAL_SECONDS", 0.05)
    actions.change_settings(replace(actions.session.settings, model=str(own_models[0]), precision="float32"))
    page.measure.click()
    assert not page.measure.isEnabled()
    wait(page.measure.isEnabled)
    lines = page.speeds.text().splitlines()
    assert lines[0].startswith("CPU, float32: ")
    assert lines[0].endswith("texts per second (in use)")
    assert lines[1].startswith("CPU, bfloat16: ")
