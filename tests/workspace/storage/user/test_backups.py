"""Backups of the user's words: when they are made, which are kept, and that one brings everything back."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from explorer import paths
from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.storage.user import backups
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu"))


@pytest.fixture
def texts(tmp_path: Path, encoder: BiEncoder) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for number, words in enumerate(("cat dog", "river stone", "king queen")):
        (root / f"{number}.txt").write_text(f"the {words} under the moon")
    with open_workspace(root) as workspace:
        workspace.update(encoder)
    return root


def tag(root: Path, file: str, name: str) -> None:
    with open_workspace(root) as workspace:
        (document,) = [entry.id for entry in workspace.documents() if entry.path == file]
        user_words.add_tag(workspace, [document], name)


def tags(root: Path) -> set[tuple[str, str]]:
    with open_workspace(root, writable=False) as workspace:
        names = {entry.id: entry.path for entry in workspace.documents()}
        return {(names[one], name) for one, name in workspace.connection.execute("SELECT document, tag FROM tags")}


def test_nothing_said_makes_no_backup_and_something_does(texts: Path) -> None:
    assert backups.list_backups(texts) == []
    tag(texts, "1.txt", "good")
    (made,) = backups.list_backups(texts)
    assert made.counts == {"tags": 1}
    assert not made.path.is_relative_to(paths.data() / "workspaces")
    assert made.path.stat().st_size < 100_000
    with open_workspace(texts):
        pass
    assert len(backups.list_backups(texts)) == 1  # nothing new was said


def test_a_workspace_that_stays_open_is_backed_up_meanwhile(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_workspace(texts) as workspace:
        (document,) = [entry.id for entry in workspace.documents() if entry.path == "1.txt"]
        user_words.add_tag(workspace, [document], "first")
        user_words.add_tag(workspace, [document], "second")
        assert backups.list_backups(texts) == []  # it was opened a moment ago
        monkeypatch.setattr("explorer.workspace.workspace._BACKUP_SECONDS", 0.0)
        with workspace.another() as saving:  # as the window has it
            user_words.add_tag(saving, [document], "third")
        assert [one.counts for one in backups.list_backups(texts)] == [{"tags": 2}]


def test_a_deleted_workspace_gets_its_words_back(texts: Path, encoder: BiEncoder) -> None:
    tag(texts, "1.txt", "good")
    tag(texts, "2.txt", "bad")
    with open_workspace(texts) as workspace:
        folder = workspace.folder
    shutil.rmtree(folder)
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
    assert tags(texts) == set()
    backups.restore(folder, texts, backups.list_backups(texts)[0].path)
    with open_workspace(texts) as workspace:
        assert workspace.update(encoder).encoded == 0  # the vectors were kept
    assert tags(texts) == {("1.txt", "good"), ("2.txt", "bad")}


def test_ids_of_another_day_do_not_move_a_tag_to_another_document(texts: Path, encoder: BiEncoder) -> None:
    tag(texts, "2.txt", "good")
    backup = backups.list_backups(texts)[0].path
    (texts / "2.txt").rename(texts.parent / "2.txt")
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
    (texts / "3.txt").write_text("a quick brown fox")  # SQLite gives it the id that is free now
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        folder = workspace.folder
    (texts.parent / "2.txt").rename(texts / "2.txt")
    backups.restore(folder, texts, backup)
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
    assert tags(texts) == {("2.txt", "good")}


def test_what_was_there_can_be_had_again(texts: Path) -> None:
    tag(texts, "1.txt", "first")
    old = backups.list_backups(texts)[0]
    old.path.rename(old.path.with_name("user-20250101T000000Z.db"))  # some time ago
    tag(texts, "1.txt", "second")
    newest, first = backups.list_backups(texts)
    assert [newest.counts, first.counts] == [{"tags": 2}, {"tags": 1}]
    with open_workspace(texts, writable=False) as workspace:
        folder = workspace.folder
    backups.restore(folder, texts, first.path)
    assert newest in backups.list_backups(texts)


def test_a_damaged_or_foreign_backup_is_refused(texts: Path, tmp_path: Path) -> None:
    tag(texts, "1.txt", "good")
    backup = backups.list_backups(texts)[0].path
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as db:
        db.execute("CREATE TABLE document_keys (id)")
        db.execute("CREATE VIEW tags AS SELECT 1")
    with open_workspace(texts, writable=False) as workspace:
        folder = workspace.folder
    before = (folder / user_database.FILE).read_bytes()
    damaged = backup.with_name("user-20200101T000000Z.db")
    damaged.write_bytes(backup.read_bytes()[:5000])
    for bad in (damaged, tmp_path / "foreign.db", tmp_path / "nothing.db"):
        with pytest.raises(WorkspaceError):
            backups.restore(folder, texts, bad)
    assert (folder / user_database.FILE).read_bytes() == before
    assert [one.path for one in backups.list_backups(texts)] == [backup]


def test_minutes_then_days_then_weeks(tmp_path: Path) -> None:
    now = datetime(2026, 5, 20, 12, tzinfo=UTC)
    ages = [timedelta(minutes=10 * step) for step in range(20)]
    ages += [timedelta(days=step, hours=hour) for step in range(1, 90) for hour in (1, 2)]
    files = [tmp_path / (now - age).strftime("user-%Y%m%dT%H%M%SZ.db") for age in sorted(ages)]
    kept = [one for one in files if one not in backups.superfluous(files)]
    assert kept[: backups.NEWEST] == files[: backups.NEWEST]
    assert backups.NEWEST + backups.DAYS <= len(kept) <= backups.NEWEST + backups.DAYS + backups.WEEKS
    assert backups.superfluous(kept) == []


def test_cards_and_recipes_of_trained_models_are_copied(texts: Path) -> None:
    model = paths.models() / "mine"
    model.mkdir(parents=True)
    (model / "recipe.json").write_text("{}")
    (model / "README.md").write_text("# mine")
    (model / "model.safetensors").write_bytes(b"large")
    tag(texts, "1.txt", "good")
    copies = paths.data() / "backups" / "models" / "mine"
    assert {one.name for one in copies.iterdir()} == {"recipe.json", "README.md"}
