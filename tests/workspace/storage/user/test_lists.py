"""Picks, saved searches and categories are kept, taken back, and find their documents again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import DataError, WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.storage.connection import delete_cache
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.user import lists as user_lists
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.storage.user.lists import SavedSearch, UserCategory
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(5):
        (root / f"{number}.txt").write_text(f"The cat number {number} sat on the mat.", encoding="utf-8")
    return root


@pytest.fixture
def workspace(texts: Path, encoder: BiEncoder) -> Iterator[Workspace]:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        yield workspace


def ids(workspace: Workspace) -> dict[str, int]:
    return {entry.path: entry.id for entry in workspace.documents()}


def said(workspace: Workspace) -> list[object]:
    names = {document: path for path, document in ids(workspace).items()}
    kept = [(known.name, [names[one] for one in known.examples]) for known in user_lists.categories(workspace)]
    return [[names[one] for one in user_lists.picks(workspace)], user_lists.saved_searches(workspace), kept]


def test_picks_keep_their_order(workspace: Workspace) -> None:
    zero, one, two, *_ = ids(workspace).values()
    assert user_lists.add_picks(workspace, [two, 999]) == (two,)
    assert user_lists.add_picks(workspace, [two, zero, one]) == (zero, one)
    assert user_lists.picks(workspace) == (two, zero, one)
    assert user_lists.remove_picks(workspace, [zero, 999]) == (zero,)
    assert user_lists.picks(workspace) == (two, one)


def test_searches_are_saved_by_name(workspace: Workspace) -> None:
    seen = user_lists.hits_seen([b"0123456789abcdef", b"f" * 16])
    saved = user_lists.save_search(workspace, SavedSearch(" my  cats ", " cat tag:x ", "hybrid", seen))
    assert saved == SavedSearch("my cats", "cat tag:x", "hybrid", seen)
    assert user_lists.saved_searches(workspace) == (saved,)
    other = user_lists.save_search(workspace, SavedSearch("my cats", "dog", "keyword"))
    assert user_lists.saved_searches(workspace) == (other,)
    assert user_lists.remove_search(workspace, "my cats")
    assert not user_lists.remove_search(workspace, "my cats")
    for bad in (
        SavedSearch("", "x", "hybrid"),
        SavedSearch("x", "  ", "hybrid"),
        SavedSearch("x" * 101, "x", "hybrid"),
    ):
        with pytest.raises(DataError):
            user_lists.save_search(workspace, bad)


def test_a_document_is_an_example_of_one_category(workspace: Workspace) -> None:
    zero, one, two, *_ = ids(workspace).values()
    user_lists.set_category(workspace, UserCategory("sport", "games  and\nteams"))
    user_lists.set_category(workspace, UserCategory("money"))
    assert user_lists.set_examples(workspace, [zero, one, 999], "sport") == {zero: None, one: None}
    assert user_lists.set_examples(workspace, [one, two], "money") == {one: "sport", two: None}
    assert user_lists.categories(workspace) == (
        UserCategory("sport", "games and teams", (zero,)),
        UserCategory("money", "", (one, two)),
    )
    assert user_lists.set_examples(workspace, [two], None) == {two: "money"}
    assert user_lists.set_category(workspace, UserCategory("cash", "coins"), instead_of="money").examples == (one,)
    with pytest.raises(DataError, match="already"):
        user_lists.set_category(workspace, UserCategory("sport"), instead_of="cash")
    with pytest.raises(DataError, match="no category"):
        user_lists.set_examples(workspace, [two], "weather")
    removed = user_lists.remove_category(workspace, "sport")
    assert removed is not None
    assert user_lists.remove_category(workspace, "sport") is None
    user_lists.restore_category(workspace, removed)
    assert {known.name: known.examples for known in user_lists.categories(workspace)} == {
        "cash": (one,),
        "sport": (zero,),
    }


@pytest.fixture
def full(workspace: Workspace) -> Path:
    """A closed workspace with a bit of everything."""
    zero, one, *_ = ids(workspace).values()
    user_lists.add_picks(workspace, [one, zero])
    user_lists.save_search(workspace, SavedSearch("cats", "cat", "hybrid", user_lists.hits_seen([b"x" * 16])))
    user_lists.set_category(workspace, UserCategory("sport"))
    user_lists.set_examples(workspace, [one], "sport")
    workspace.close()
    return workspace.folder


def test_they_outlive_the_cache_and_a_renamed_file(full: Path, texts: Path, encoder: BiEncoder) -> None:
    delete_cache(full)
    (texts / "1.txt").rename(texts / "new name.txt")
    (texts / "2.txt").unlink()
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        assert said(workspace) == [
            ["0.txt", "new name.txt"],
            (SavedSearch("cats", "cat", "hybrid", frozenset({b"x" * 8})),),
            [("sport", ["new name.txt"])],
        ]


def test_words_of_the_first_version_open_and_lose_nothing(full: Path, texts: Path) -> None:
    with open_workspace(texts) as workspace:
        user_words.add_tag(workspace, [1], "mine")
    with closing(sqlite3.connect(full / user_database.FILE)) as db:
        for table in ("picks", "saved_searches", "categories", "category_examples"):
            db.execute(f"DROP TABLE {table}")
        db.execute("PRAGMA user_version = 1")
        db.commit()
    with open_workspace(texts, writable=False) as reader:
        assert said(reader) == [[], (), []]
        assert user_words.tags_of(reader) == {1: {"mine"}}
    with open_workspace(texts) as workspace:
        assert user_words.tags_of(workspace) == {1: {"mine"}}
        user_lists.add_picks(workspace, [1])
        assert user_database.version(workspace.connection) == user_database.VERSION
    with open_workspace(texts, writable=False) as reader:
        assert user_lists.picks(reader) == (1,)
        with pytest.raises(WorkspaceError):
            user_lists.add_picks(reader, [2])
