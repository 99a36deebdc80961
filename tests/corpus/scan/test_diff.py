"""What was added, changed, removed or moved is told right, with as little reading as can be."""

import hashlib
import os
from collections import deque

import pytest

from explorer.corpus.document import Unreadable
from explorer.corpus.scan import diff as module
from explorer.corpus.scan.diff import FolderChanges, changes, fingerprint, states, watch
from explorer.corpus.scan.scanner import scan
from explorer.errors import ExplorerError
from explorer.task import Cancelled, Task


class Desk:
    """A folder with files, and what is remembered of it."""

    def __init__(self, root):
        self.root = root
        self.known = {}
        self.clock = 1_000_000_000

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        self.touch(path)

    def touch(self, path):
        self.clock += 1_000_000_000
        os.utime(self.root / path, ns=(self.clock, self.clock))

    def look(self):
        return changes(self.known, scan(self.root, Task()).files)

    def remember(self):
        self.known = states(self.known, self.look(), Task())


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    for name in "abc":
        made.write(f"{name}.txt", f"text {name}")
    made.remember()
    return made


@pytest.fixture
def reads(monkeypatch):
    """The names of the files whose content is read."""
    names = []
    real = module.fingerprint
    monkeypatch.setattr(
        module, "fingerprint", lambda path, task=None: names.append(path.name) or real(path, task)
    )
    return names


def summary(found):
    moved = [(move.old, move.entry.path) for move in found.moved]
    added, changed, same = (
        [entry.path for entry in part] for part in (found.added, found.changed, found.same)
    )
    return {"added": added, "changed": changed, "removed": list(found.removed), "moved": moved, "same": same}


class TestFingerprint:
    def test_of_content(self, tmp_path):
        (tmp_path / "a").write_bytes(b"x" * 3_000_000)
        assert fingerprint(tmp_path / "a") == hashlib.blake2b(b"x" * 3_000_000, digest_size=20).hexdigest()

    def test_of_nothing(self, tmp_path):
        with pytest.raises(Unreadable, match="is gone") as caught:
            fingerprint(tmp_path / "a")
        assert caught.value.reason == "vanished"

    def test_of_a_folder(self, tmp_path):
        with pytest.raises(Unreadable):
            fingerprint(tmp_path)

    @pytest.mark.skipif(os.name == "nt", reason="needs pipes")
    def test_of_a_pipe_does_not_wait(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(Unreadable, match="no longer a file"):
            fingerprint(tmp_path / "pipe")

    def test_cancel(self, tmp_path):
        (tmp_path / "a").write_text("x")
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            fingerprint(tmp_path / "a", task)


class TestChanges:
    def test_nothing(self, desk, reads):
        found = desk.look()
        assert not found
        assert summary(found)["same"] == ["a.txt", "b.txt", "c.txt"]
        assert reads == []

    def test_each_kind_at_once(self, desk, reads):
        desk.write("b.txt", "TEXT b")
        desk.write("d.txt", "something new")
        (desk.root / "sub").mkdir()
        (desk.root / "c.txt").rename(desk.root / "sub/c.txt")
        (desk.root / "a.txt").unlink()
        wanted = {
            "added": ["d.txt"],
            "changed": ["b.txt"],
            "removed": ["a.txt"],
            "moved": [("c.txt", "sub/c.txt")],
        }
        assert summary(desk.look()) == wanted | {"same": []}
        assert sorted(reads) == ["b.txt", "c.txt"]

    def test_saved_again_as_it_was(self, desk, reads):
        desk.touch("a.txt")
        assert not desk.look()
        assert reads == ["a.txt"]
        desk.remember()
        reads.clear()
        desk.look()
        assert reads == []

    def test_another_size_needs_no_reading(self, desk, reads):
        desk.write("a.txt", "a longer text")
        assert summary(desk.look())["changed"] == ["a.txt"]
        assert reads == []

    def test_moves_of_copies(self, desk):
        for name in ("x/1.txt", "x/2.txt"):
            desk.write(name, "copy")
        desk.remember()
        (desk.root / "x").rename(desk.root / "y")
        desk.write("y/3.txt", "copy")
        found = summary(desk.look())
        assert found["moved"] == [("x/1.txt", "y/1.txt"), ("x/2.txt", "y/2.txt")]
        assert found["added"] == ["y/3.txt"]

    def test_empty_files_are_not_moved(self, desk):
        desk.write("e.txt", "")
        desk.remember()
        (desk.root / "e.txt").rename(desk.root / "f.txt")
        found = summary(desk.look())
        assert (found["added"], found["removed"], found["moved"]) == (["f.txt"], ["e.txt"], [])

    def test_gone_before_it_was_read(self, desk):
        desk.write("a.txt", "TEXT a")
        (desk.root / "b.txt").unlink()
        desk.write("d.txt", "text b")
        entries = scan(desk.root, Task()).files
        (desk.root / "a.txt").unlink()
        (desk.root / "d.txt").unlink()
        found = summary(changes(desk.known, entries))
        assert found == {
            "added": [],
            "changed": [],
            "removed": ["a.txt", "b.txt"],
            "moved": [],
            "same": ["c.txt"],
        }

    def test_folders_that_could_not_be_opened(self, desk):
        found = changes(desk.known | {"shut/x": desk.known["a.txt"]}, [], unseen=["shut", "b.txt"])
        assert found.removed == ("a.txt", "c.txt")
        assert changes(desk.known, [], unseen=["a"]).removed == ("a.txt", "b.txt", "c.txt")

    def test_states_follow(self, desk):
        desk.write("b.txt", "new")
        (desk.root / "c.txt").rename(desk.root / "d.txt")
        desk.remember()
        assert sorted(desk.known) == ["a.txt", "b.txt", "d.txt"]
        assert desk.known["b.txt"].digest == fingerprint(desk.root / "b.txt")
        assert not desk.look()


class TestWatch:
    @pytest.fixture
    def watching(self, desk):
        """Watch the desk while a script acts between the looks, and stop when it ends."""

        def run(*script, before=desk.known):
            task, steps, found = Task(), iter(script), []

            def wait(seconds):
                assert seconds == 5
                step = next(steps, task.cancel)
                step()

            with pytest.raises(Cancelled):
                deque(map(found.append, watch(desk.root, 5, task, before, wait=wait)), maxlen=0)
            return [
                {kind: part for kind, part in summary(one).items() if part and kind != "same"}
                for one in found
            ]

        return run

    def test_quiet(self, watching):
        assert watching(nothing, nothing) == []

    def test_without_memory(self, watching, desk):
        assert watching(nothing, lambda: desk.write("d.txt", "x"), nothing, before=None) == [
            {"added": ["d.txt"]}
        ]

    def test_growing_file_is_told_once(self, watching, desk):
        grow = [lambda size=size: desk.write("d.txt", "x" * size) for size in (1, 2, 3)]
        assert watching(*grow, nothing, nothing, nothing) == [{"added": ["d.txt"]}]

    def test_replaced_in_two_steps(self, watching, desk):
        remove, put = (desk.root / "a.txt").unlink, lambda: desk.write("a.txt", "TEXT a")
        assert watching(remove, put, nothing, nothing) == [{"changed": ["a.txt"]}]

    def test_move_and_removal(self, watching, desk):
        def act():
            (desk.root / "a.txt").rename(desk.root / "z.txt")
            (desk.root / "b.txt").unlink()

        assert watching(act, nothing, nothing) == [{"removed": ["b.txt"], "moved": [("a.txt", "z.txt")]}]

    def test_what_was_missed_before(self, watching, desk):
        desk.write("a.txt", "other")
        assert watching(nothing) == [{"changed": ["a.txt"]}]

    def test_what_cannot_be_read_is_told_once_and_again_when_it_can(self, watching, desk, monkeypatch):
        locked, real = {"d.txt"}, module.fingerprint

        def held(path, task=None):
            if path.name in locked:
                raise Unreadable("unreadable", "held by another program")
            return real(path, task)

        monkeypatch.setattr(module, "fingerprint", held)
        desk.write("d.txt", "x")
        found = watching(nothing, nothing, nothing, locked.clear, nothing, nothing)
        assert found == [{"added": ["d.txt"]}, {"changed": ["d.txt"]}]

    def test_the_folder_goes(self, desk):
        looks = watch(desk.root, 5, Task(), desk.known, wait=lambda _: desk.root.rename(f"{desk.root}-away"))
        with pytest.raises(ExplorerError, match="does not exist"):
            next(looks)

    def test_waits_for_real(self, desk):
        task = Task()
        looks = watch(desk.root, 0.01, task, desk.known)
        desk.write("d.txt", "x")
        assert summary(next(looks))["added"] == ["d.txt"]
        task.cancel()
        with pytest.raises(Cancelled):
            next(looks)


def nothing():
    pass


def test_changes_are_true_when_there_are_some():
    assert not FolderChanges()
    assert FolderChanges(removed=("a",))
