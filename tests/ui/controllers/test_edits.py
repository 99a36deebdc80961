"""What the user says is saved at once, shown, taken back, and there again the next day."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.ui.controllers.workspace import Controllers
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import Workspace

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


def opened(actions: Controllers, wait: Wait, folder: Path) -> list[int]:
    actions.open_folder(folder)
    wait(lambda: actions.session.listing is not None)
    assert actions.session.listing is not None
    numbers: list[int] = actions.session.listing.ids.tolist()
    return numbers


def test_tags_and_judgements_are_kept_and_undone(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    first, second, third, *_ = opened(actions, wait, sample_copy)
    session, changes = actions.session, actions.edits

    for tag in ("read", " read", "law", "old"):  # in a row, without waiting: none may replace another
        changes.add_tag([first, second], tag)
    changes.remove_tag([first, third], "old")
    changes.judge(first, second, 1, "similar")
    changes.judge(first, second, 4, "grade", first_text="this", second_text="that")
    wait(lambda: len(session.judgements) == 2)
    assert session.tags == {first: {"read", "law"}, second: {"read", "law", "old"}}

    assert changes.undo.to_undo() == "Rate a pair"
    changes.undo.undo()
    changes.undo.undo()
    changes.undo.undo("tags")
    wait(lambda: "old" in session.tags[first] and not session.judgements)
    changes.undo.redo("judgements")
    wait(lambda: len(session.judgements) == 1)
    changes.undo.undo("judgements")
    wait(lambda: not session.judgements)
    changes.undo.redo("judgements")
    changes.undo.redo("judgements")
    wait(lambda: len(session.judgements) == 2)
    assert [one.value for one in session.judgements] == [1, 4]

    kept = dict(session.tags)
    actions.close_folder()
    wait(lambda: session.folder is None)
    assert (session.tags, session.judgements, changes.undo.to_undo()) == ({}, (), "")
    opened(actions, wait, sample_copy)
    wait(lambda: len(session.judgements) == 2)
    assert session.tags == kept
    assert session.judgements[1].first == "this"


def test_what_was_said_just_before_leaving_is_kept(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    first, *_ = opened(actions, wait, sample_copy)
    for number in range(20):
        actions.edits.add_tag([first], f"tag {number}")
    actions.close_folder()
    wait(lambda: actions.session.folder is None)
    opened(actions, wait, sample_copy)
    for number in range(20, 40):
        actions.edits.add_tag([first], f"tag {number}")
    assert actions.runner.close(60)
    actions.close_workspace()
    with Workspace(sample_copy, None, writable=True) as workspace:
        assert [len(tags) for tags in user_words.tags_of(workspace).values()] == [40]


def test_what_cannot_be_written_is_told(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    told: list[Any] = []
    actions.notified.connect(told.append)
    with Workspace(sample_copy, None, writable=True) as other:
        first, second, *_ = opened(actions, wait, sample_copy)
        told.clear()
        actions.edits.add_tag([first], "mine")
        actions.edits.judge(first, second, 1, "similar")
        wait(lambda: len(told) == 2)
        assert "another window" in told[0].sentence
        assert user_words.tags_of(other) == {}
    assert actions.session.tags == {}
    assert actions.edits.undo.to_undo() == ""


def test_an_empty_tag_is_refused(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    told: list[Any] = []
    actions.notified.connect(told.append)
    first, *_ = opened(actions, wait, sample_copy)
    actions.edits.add_tag([first], "  ")
    wait(lambda: bool(told))
    assert "letter" in told[0].sentence


def test_what_is_said_waits_behind_nothing(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    first, *_ = opened(actions, wait, sample_copy)
    release = threading.Event()
    for worker in ("quick", "slow", "model", "aside"):
        actions.runner.start(f"long {worker}", lambda _: release.wait(300), lambda _: None, worker=worker)

    actions.edits.add_tag([first], "at once")
    try:
        wait(lambda: actions.session.tags.get(first) == {"at once"})
    finally:
        release.set()
