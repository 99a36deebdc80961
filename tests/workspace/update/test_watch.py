"""Following a folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.errors import ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Task
from explorer.workspace.update.watch import UpdateOptions, follow, remembered
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def how(checkpoints: dict[str, Path]) -> UpdateOptions:
    return UpdateOptions(BiEncoder.open(checkpoints["bert"], choose("cpu")))


@pytest.fixture
def workspace(tmp_path: Path, how: UpdateOptions) -> Iterator[Workspace]:
    root = tmp_path / "texts"
    root.mkdir()
    for name in ("a.txt", "b.txt"):
        (root / name).write_text(f"The cat {name} sat on the mat.", encoding="utf-8")
    (root / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    with open_workspace(root) as opened:
        how.once(opened, Task())
        yield opened


def looks(*actions: Callable[[], object]) -> Callable[[float], None]:
    """Instead of waiting between two looks, do one thing after the other."""
    waiting = iter(actions)

    def wait(_seconds: float) -> None:
        next(waiting)()

    return wait


def nothing() -> None:
    pass


def test_what_changes_is_updated_once_it_is_at_rest(workspace: Workspace, how: UpdateOptions) -> None:
    task, root = Task(), workspace.root
    wait = looks(
        nothing,
        lambda: (root / "new.txt").write_text("The king plays loud music."),
        nothing,
        nothing,
        lambda: (root / "a.txt").unlink(),
        nothing,
        nothing,
        task.cancel,
    )
    following = follow(workspace, how, task, wait=wait)
    done = [next(following), next(following)]
    with pytest.raises(Cancelled):
        next(following)
    assert [(counts.read, counts.removed) for counts in done] == [(1, 0), (0, 1)]
    assert [entry.path for entry in workspace.documents()] == ["b.txt", "new.txt"]
    assert all(workspace.coverage(entry.id) == 1.0 for entry in workspace.documents())


def test_what_changed_before_is_seen_too(workspace: Workspace, how: UpdateOptions) -> None:
    (workspace.root / "b.txt").write_text("The queen plays soft music.")
    task = Task()
    done = follow(workspace, how, task, wait=looks(nothing, task.cancel))
    assert next(done).read == 1
    with pytest.raises(Cancelled):
        next(done)


def test_a_vanished_folder_is_a_sentence_and_forgets_nothing(
    workspace: Workspace, how: UpdateOptions
) -> None:
    wait = looks(lambda: shutil.rmtree(workspace.root))
    with pytest.raises(ExplorerError, match="does not exist"):
        next(follow(workspace, how, Task(), wait=wait))
    assert workspace.counts()["documents"] == 2


def test_waiting_ends_when_the_task_is_cancelled(workspace: Workspace, how: UpdateOptions) -> None:
    task = Task(lambda _progress: task.cancel())
    with pytest.raises(Cancelled):
        next(follow(workspace, how, task, interval=60))


def test_files_that_were_read_are_remembered(workspace: Workspace) -> None:
    assert set(remembered(workspace)) == {"a.txt", "b.txt", "bad.png"}
