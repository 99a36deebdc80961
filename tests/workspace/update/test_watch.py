"""Following a folder."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from explorer.corpus.document import Unreadable
from explorer.corpus.scan import diff
from explorer.errors import ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Task
from explorer.workspace.update import watch
from explorer.workspace.update.watch import UpdateOptions, follow, is_remote, remembered, wait_for_changes
from explorer.workspace.workspace import Workspace, open_workspace
from tests.corpus.scan.test_diff import Desk, summary


@pytest.fixture(scope="module")
def how(checkpoints: dict[str, Path]) -> UpdateOptions:
    return UpdateOptions(BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32")))


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


def looks(*actions: Callable[[], object]) -> Callable[[float | None], None]:
    """Instead of waiting between two looks, do one thing after the other."""
    waiting = iter(actions)

    def wait(_seconds: float | None) -> None:
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


def test_a_vanished_folder_is_a_sentence_and_forgets_nothing(workspace: Workspace, how: UpdateOptions) -> None:
    wait = looks(lambda: shutil.rmtree(workspace.root))
    with pytest.raises(ExplorerError, match="does not exist"):
        next(follow(workspace, how, Task(), wait=wait))
    assert workspace.counts()["documents"] == 2


def test_waiting_ends_when_the_task_is_cancelled(workspace: Workspace, how: UpdateOptions) -> None:
    task = Task(lambda _progress: task.cancel())
    with pytest.raises(Cancelled):
        next(follow(workspace, how, task))


def test_files_that_were_read_are_remembered(workspace: Workspace) -> None:
    assert set(remembered(workspace)) == {"a.txt", "b.txt", "bad.png"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = tmp_path / "desk"
    root.mkdir()
    made = Desk(root)
    for name in "abc":
        made.write(f"{name}.txt", f"text {name}")
    made.remember()
    return made


def reported(desk: Desk, *script: Callable[[], object]) -> list[dict[str, object]]:
    """What is reported while a script acts between the looks, until it ends."""
    task, steps, found = Task(), iter(script), []

    def wait(_seconds: float | None) -> None:
        next(steps, task.cancel)()

    with suppress(Cancelled):
        while True:
            changes = wait_for_changes(desk.root, desk.known, task, wait=wait)
            desk.adopt(changes)
            found.append(changes)
    return [{kind: part for kind, part in summary(one).items() if part and kind != "same"} for one in found]


class TestWaiting:
    def test_quiet(self, desk: Desk) -> None:
        assert reported(desk, nothing, nothing) == []

    def test_growing_file_is_told_once(self, desk: Desk) -> None:
        grow = [lambda size=size: desk.write("d.txt", "x" * size) for size in (1, 2, 3)]
        assert reported(desk, *grow, nothing, nothing, nothing) == [{"added": ["d.txt"]}]

    def test_replaced_in_two_steps(self, desk: Desk) -> None:
        remove, put = (desk.root / "a.txt").unlink, lambda: desk.write("a.txt", "TEXT a")
        assert reported(desk, remove, put, nothing, nothing) == [{"changed": ["a.txt"]}]

    def test_move_and_removal(self, desk: Desk) -> None:
        def act() -> None:
            (desk.root / "a.txt").rename(desk.root / "z.txt")
            (desk.root / "b.txt").unlink()

        assert reported(desk, act, nothing, nothing) == [{"removed": ["b.txt"], "moved": [("a.txt", "z.txt")]}]

    def test_what_was_missed_before(self, desk: Desk) -> None:
        desk.write("a.txt", "other")
        assert reported(desk, nothing) == [{"changed": ["a.txt"]}]

    def test_what_cannot_be_read_is_told_once_and_again_when_it_can(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        locked, real = {"d.txt"}, diff.fingerprint

        def held(path: Path, task: Task | None = None) -> str:
            if path.name in locked:
                raise Unreadable("unreadable", "held by another program")
            return real(path, task)

        monkeypatch.setattr(diff, "fingerprint", held)
        desk.write("d.txt", "x")
        found = reported(desk, nothing, nothing, nothing, locked.clear, nothing, nothing)
        assert found == [{"added": ["d.txt"]}, {"changed": ["d.txt"]}]

    def test_the_folder_goes(self, desk: Desk) -> None:
        with pytest.raises(ExplorerError, match="does not exist"):
            wait_for_changes(desk.root, desk.known, Task(), wait=lambda _: desk.root.rename(f"{desk.root}-away"))

    @pytest.mark.parametrize("remote", [False, True])
    def test_waits_for_real(self, desk: Desk, monkeypatch: pytest.MonkeyPatch, remote: bool) -> None:
        monkeypatch.setattr(watch, "is_remote", lambda _: remote)
        monkeypatch.setattr(watch, "_POLL", 0.3)
        (desk.root / "deep" / "er").mkdir(parents=True)
        for path, write in (
            ("d.txt", lambda: desk.write("d.txt", "x")),
            ("deep/er/e.txt", lambda: desk.write("deep/er/e.txt", "y")),
        ):
            timer = threading.Timer(0.8, write)
            timer.start()
            found = wait_for_changes(desk.root, desk.known, Task())
            timer.join()
            assert summary(found)["added"] == [path]
            desk.adopt(found)

    def test_no_walk_while_nothing_changes(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        walks, naps, task = [], [], Task()
        scan = watch.scan
        monkeypatch.setattr(watch, "scan", lambda *args: walks.append(1) or scan(*args))

        def nap() -> None:
            naps.append(1)
            if len(naps) > 15:
                task.cancel()
            task.check()

        with pytest.raises(Cancelled):
            wait_for_changes(desk.root, desk.known, task, on_nap=nap)
        assert len(walks) == 1

    def test_a_busy_hidden_folder_is_not_in_the_way(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        (desk.root / ".docexplorer").mkdir()
        walks, naps = [], []
        scan = watch.scan
        monkeypatch.setattr(watch, "scan", lambda *args: walks.append(1) or scan(*args))

        def nap() -> None:
            naps.append(1)
            (desk.root / ".docexplorer" / "workspace.db-wal").write_text(f"{len(naps)}")
            if len(naps) == 5:
                desk.write("d.txt", "x")

        found = wait_for_changes(desk.root, desk.known, Task(), on_nap=nap)
        assert summary(found)["added"] == ["d.txt"]
        assert len(walks) == 3

    def test_a_folder_that_cannot_be_watched_is_looked_at(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        import watchfiles

        def refused(*_: object, **__: object) -> Iterator[set[object]]:
            raise OSError("OS file watch limit reached")
            yield

        monkeypatch.setattr(watchfiles, "watch", refused)
        monkeypatch.setattr(watch, "_POLL", 0.2)
        timer = threading.Timer(0.5, lambda: desk.write("d.txt", "x"))
        timer.start()
        found = wait_for_changes(desk.root, desk.known, Task())
        timer.join()
        assert summary(found)["added"] == ["d.txt"]


def test_network_drives_are_known(tmp_path: Path) -> None:
    assert not is_remote(tmp_path)
