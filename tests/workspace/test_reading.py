"""Files that change at the very moment at which they are read: the next reading finds what is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.corpus import readers
from explorer.corpus.document import Document, ReadOptions
from explorer.task import Task
from explorer.workspace.reading import Counts, Reading
from explorer.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "texts").mkdir()
    with Workspace(tmp_path / "workspace", tmp_path / "texts", writable=True) as opened:
        yield opened


def read(workspace: Workspace) -> Counts:
    return Reading(workspace.connection, workspace.root, ReadOptions()).run(Task())


def held(workspace: Workspace) -> dict[str, str]:
    return {entry.path: workspace.text(entry.id) for entry in workspace.documents()}


def write(path: Path, text: str, seconds: int = 1_000_000_000) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (seconds, seconds))


def just_before(
    monkeypatch: pytest.MonkeyPatch, name: str, action: Callable[[], object], *, then: Callable[[], object]
) -> None:
    """Do something just before the file of that name is read, once, and something else just after it."""
    real = readers.read

    def disturbed(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
        if path.name != name:
            return real(path, options, task)
        monkeypatch.setattr(readers, "read", real)
        action()
        documents = [*real(path, options, task)]
        then()
        return iter(documents)

    monkeypatch.setattr(readers, "read", disturbed)


def test_a_file_that_moves_before_it_is_read_is_read_at_its_new_place(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace.root
    write(root / "gone.txt", "The cat sleeps.")
    read(workspace)
    (root / "gone.txt").unlink()
    write(root / "a.txt", "The dog sleeps.")  # as large as one that is gone, so its digest is taken early
    just_before(monkeypatch, "a.txt", lambda: (root / "a.txt").rename(root / "b.txt"), then=lambda: None)
    read(workspace)
    assert held(workspace) == {}
    assert [one.reason for one in workspace.problems()] == ["vanished"]
    read(workspace)
    assert held(workspace) == {"b.txt": "The dog sleeps."}
    assert [*workspace.problems()] == []


def test_a_file_that_is_other_only_while_it_is_read_is_read_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workspace.root / "a.txt"
    write(path, "The cat sleeps.")
    just_before(
        monkeypatch,
        "a.txt",
        lambda: write(path, "A dog.", 1_100_000_000),
        then=lambda: write(path, "The cat sleeps.", 1_200_000_000),
    )
    read(workspace)
    assert held(workspace) == {"a.txt": "A dog."}
    read(workspace)
    assert held(workspace) == {"a.txt": "The cat sleeps."}


def test_a_file_written_twice_in_one_tick_of_the_clock_is_read_again(workspace: Workspace) -> None:
    path = workspace.root / "a.txt"
    path.write_text("The cat sleeps.")
    now = path.stat().st_mtime_ns
    read(workspace)
    path.write_text("The dog sleeps.")
    os.utime(path, ns=(now, now))
    assert read(workspace).read == 1
    assert held(workspace) == {"a.txt": "The dog sleeps."}


def test_a_file_at_rest_is_compared_once_more_and_then_not_opened(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workspace.root / "a.txt"
    path.write_text("The cat sleeps.")
    read(workspace)
    written = path.stat().st_mtime_ns
    monkeypatch.setattr("explorer.workspace.reading.time.time_ns", lambda: written + 10**10)
    assert read(workspace).read == 0
    monkeypatch.setattr("explorer.corpus.changes.fingerprint", lambda *_: pytest.fail("a file was opened"))
    assert read(workspace).same == 1


def test_a_file_dated_beyond_the_clock_is_not_read_again(workspace: Workspace) -> None:
    path = workspace.root / "a.txt"
    path.write_text("The cat sleeps.")
    os.utime(path, (2**33 + 2**32, 2**33 + 2**32))
    assert read(workspace).read == 1
    assert read(workspace).read == 0


def test_what_is_wrong_with_a_file_names_it_as_it_is_called_now(workspace: Workspace) -> None:
    root = workspace.root
    (root / "old.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    read(workspace)
    (root / "old.png").rename(root / "new.png")
    assert read(workspace).moved == 1
    (problem,) = workspace.problems()
    assert problem.path == "new.png"
    assert "new.png" in problem.message
    assert "old.png" not in problem.message
