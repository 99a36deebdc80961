"""What was added, changed, removed or moved is told right, with as little reading as can be."""

import hashlib
import os

import pytest

from explorer.corpus.document import Unreadable
from explorer.corpus.scan import diff as module
from explorer.corpus.scan.diff import FileState, FolderChanges, changes, fingerprint
from explorer.corpus.scan.scanner import scan
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
        self.adopt(self.look())

    def adopt(self, found):
        """Remember what was found; a file that cannot be read without a digest."""
        for path in (*found.removed, *(move.old for move in found.moved)):
            self.known.pop(path, None)
        fresh = (*found.added, *found.changed, *(move.entry for move in found.moved))
        for entry in (*fresh, *found.same):
            try:
                content = module.fingerprint(entry.location)
            except Unreadable:
                content = ""
            self.known[entry.path] = FileState(entry.size, entry.mtime_ns, content)


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
    monkeypatch.setattr(module, "fingerprint", lambda path, task=None: names.append(path.name) or real(path, task))
    return names


def summary(found):
    moved = [(move.old, move.entry.path) for move in found.moved]
    added, changed, same = ([entry.path for entry in part] for part in (found.added, found.changed, found.same))
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
        wanted = {"added": ["d.txt"], "changed": ["b.txt"], "removed": ["a.txt"], "moved": [("c.txt", "sub/c.txt")]}
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
        assert found == {"added": [], "changed": [], "removed": ["a.txt", "b.txt"], "moved": [], "same": ["c.txt"]}

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


def nothing():
    pass


def test_changes_are_true_when_there_are_some():
    assert not FolderChanges()
    assert FolderChanges(removed=("a",))


def test_a_file_of_terabytes_is_known_by_size_and_time(tmp_path):
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        try:
            file.truncate(2**40)
        except OSError:
            pytest.skip("the file system has no files of a terabyte")
    os.utime(path, ns=(10**9, 10**9))
    before = fingerprint(path)
    assert fingerprint(path) == before
    os.utime(path, ns=(2 * 10**9, 2 * 10**9))
    assert fingerprint(path) != before
