"""A folder is listed whole, in one order, whatever lies in it."""

import os
import random
import socket
import stat
import sys
import unicodedata
from pathlib import Path

import pytest

from explorer.corpus.scan import scanner
from explorer.corpus.scan.scanner import Count, ScanOptions, preview, scan
from explorer.errors import ExplorerError
from explorer.paths import display_path
from explorer.task import Cancelled, Task

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX file system")


def write(root, path, text="text"):
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target


def paths(found):
    return [entry.path for entry in found.files]


def reasons(found):
    return {entry.path: entry.reason for entry in found.skipped}


@pytest.fixture
def deep_tree(tmp_path, monkeypatch):
    """Makes folders one in another with a file in the last; takes them down again, as pytest could not."""
    if os.name == "nt":
        pytest.skip("needs folders that are entered one by one")
    monkeypatch.chdir(tmp_path)
    made = []

    def make(name, depth):
        for _ in range(depth):
            Path(name).mkdir()
            made.append(name)
            os.chdir(name)
        Path("x.txt").write_text("x")
        os.chdir(tmp_path)
        return tmp_path

    yield make
    for name in made:
        os.chdir(name)
    Path("x.txt").unlink()
    for name in reversed(made):
        os.chdir("..")
        Path(name).rmdir()


class TestFiles:
    def test_all_of_them_in_one_order(self, tmp_path, monkeypatch):
        wanted = ["a/b.txt", "a/z.txt", "a b.txt", "a.txt", "가/나.txt", "z/1/2/3.txt"]
        for path in wanted:
            write(tmp_path, path)
        first = scan(tmp_path, Task())
        assert paths(first) == sorted(wanted, key=lambda path: path.split("/"))
        listing = os.scandir

        class Shuffled:
            def __init__(self, place):
                with listing(place) as entries:
                    self.entries = list(entries)
                random.Random(1).shuffle(self.entries)

            def __enter__(self):
                return iter(self.entries)

            def __exit__(self, *_):
                pass

        monkeypatch.setattr(os, "scandir", Shuffled)
        assert scan(tmp_path, Task()) == first

    def test_what_is_known_of_a_file(self, tmp_path):
        target = write(tmp_path, "a/B.TXT", "12345")
        (entry,) = scan(tmp_path, Task()).files
        status = target.stat()
        assert (entry.path, entry.size, entry.mtime_ns) == ("a/B.TXT", 5, status.st_mtime_ns)
        assert entry.suffix == ".txt"
        assert entry.location.read_text() == "12345"
        if os.name != "nt":
            assert entry.identity == (status.st_dev, status.st_ino)

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any bytes")
    def test_names_that_are_not_utf8(self, tmp_path):
        names = {
            b"caf\xe9.txt": "caf\ufffd.txt",
            "보고서.txt".encode("cp949"): "보고서.txt",
            b"a\nb\x07.txt": "a\ufffdb\ufffd.txt",
        }
        for name in names:
            (tmp_path / os.fsdecode(name)).write_text("x")
        found = scan(tmp_path, Task()).files
        assert {os.fsencode(entry.path): display_path(entry.path) for entry in found} == names
        for entry in found:
            assert entry.location.read_text() == "x"

    def test_decomposed_names_are_shown_composed(self, tmp_path):
        write(tmp_path, unicodedata.normalize("NFD", "한글.txt"))
        (entry,) = scan(tmp_path, Task()).files
        assert display_path(entry.path) == "한글.txt"

    def test_long_paths(self, tmp_path):
        path = "/".join(["n" * 100] * 3 + ["file.txt"])
        write(tmp_path, path)
        assert paths(scan(tmp_path, Task())) == [path]

    def test_trees_deeper_than_python_recurses(self, deep_tree):
        root = deep_tree("d", 1200)
        assert paths(scan(root, Task())) == ["d/" * 1200 + "x.txt"]

    def test_trees_deeper_than_the_system_can_name(self, deep_tree):
        root = deep_tree("deep", 1500)
        assert [entry.reason for entry in scan(root, Task()).skipped] == ["path too long"]

    def test_an_empty_folder(self, tmp_path):
        assert scan(tmp_path, Task()) == scanner.Scan((), (), ())


class TestRoot:
    def test_missing(self, tmp_path):
        with pytest.raises(ExplorerError, match="nowhere does not exist; choose a folder"):
            scan(tmp_path / "nowhere", Task())

    def test_unreadable(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "scandir", refusing(tmp_path))
        with pytest.raises(ExplorerError, match=r"cannot be opened.*permissions"):
            scan(tmp_path, Task())

    @posix
    def test_a_link_to_a_folder(self, tmp_path):
        write(tmp_path, "real/a.txt")
        (tmp_path / "link").symlink_to("real")
        assert paths(scan(tmp_path / "link", Task())) == ["a.txt"]

    def test_cancel(self, tmp_path):
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            scan(tmp_path, task)


def refusing(place):
    """A scandir that refuses one folder, as the tests may run as root, whom nothing is refused."""
    listing = os.scandir

    def scandir(path):
        if str(path) == str(place):
            raise PermissionError(13, "Permission denied")
        return listing(path)

    return scandir


@posix
class TestLinks:
    def test_to_a_file(self, tmp_path):
        write(tmp_path, "a.txt", "abc")
        (tmp_path / "b.txt").symlink_to("a.txt")
        found = scan(tmp_path, Task()).files
        assert [(entry.path, entry.size) for entry in found] == [("a.txt", 3), ("b.txt", 3)]
        assert found[0].identity == found[1].identity

    def test_leading_nowhere_or_in_a_circle(self, tmp_path):
        (tmp_path / "gone").symlink_to("nothing")
        (tmp_path / "self").symlink_to("self")
        (tmp_path / "one").symlink_to("two")
        (tmp_path / "two").symlink_to("one")
        found = scan(tmp_path, Task())
        assert reasons(found) == dict.fromkeys(["gone", "one", "self", "two"], "broken link")

    def test_to_folders_inside(self, tmp_path):
        write(tmp_path, "a/x.txt")
        (tmp_path / "a/up").symlink_to("..")
        (tmp_path / "b").symlink_to("a")
        found = scan(tmp_path, Task())
        assert paths(found) == ["a/x.txt"]
        assert reasons(found) == {"a/up": "link to folder", "b": "link to folder"}

    def test_outside(self, tmp_path):
        write(tmp_path, "out/deep/x.txt")
        root = write(tmp_path, "root/a.txt").parent
        (root / "file").symlink_to("../out/deep/x.txt")
        (root / "folder").symlink_to("../out")
        (root / "other").symlink_to("../out")
        (tmp_path / "out/back").symlink_to("../root")
        found = scan(root, Task())
        assert paths(found) == ["a.txt"]
        assert set(reasons(found).values()) == {"link outside"}
        allowed = scan(root, Task(), ScanOptions(outside=True))
        assert paths(allowed) == ["a.txt", "file", "folder/deep/x.txt"]
        assert reasons(allowed) == {"folder/back": "link to folder", "other": "visited"}

    def test_to_what_holds_the_folder(self, tmp_path):
        root = write(tmp_path, "root/a.txt").parent
        (root / "up").symlink_to("..")
        found = scan(root, Task(), ScanOptions(outside=True))
        assert paths(found) == ["a.txt"]
        assert reasons(found) == {"up/root": "visited"}


class TestTrouble:
    @posix
    def test_pipes_sockets_and_devices_are_not_opened(self, tmp_path, monkeypatch):
        os.mkfifo(tmp_path / "pipe.txt")
        (tmp_path / "link.txt").symlink_to("pipe.txt")
        monkeypatch.chdir(tmp_path)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket.txt")
            found = scan(tmp_path, Task())
        assert reasons(found) == dict.fromkeys(["link.txt", "pipe.txt", "socket.txt"], "not a file")
        assert "pipe.txt is not a file" in found.skipped[1].sentence

    @posix
    def test_a_pipe_named_like_the_ignore_file(self, tmp_path):
        os.mkfifo(tmp_path / ".explorerignore")
        write(tmp_path, "a.txt")
        assert paths(scan(tmp_path, Task())) == ["a.txt"]

    def test_unreadable_folders(self, tmp_path, monkeypatch):
        write(tmp_path, "open/a.txt")
        write(tmp_path, "shut/b.txt")
        monkeypatch.setattr(os, "scandir", refusing(tmp_path / "shut"))
        found = scan(tmp_path, Task())
        assert paths(found) == ["open/a.txt"]
        assert reasons(found) == {"shut": "unreadable"}
        assert found.skipped[0].sentence == "shut cannot be opened (Permission denied); check its permissions."
        assert found.unseen == ("shut",)

    def test_vanishing_files_and_folders(self, tmp_path):
        write(tmp_path, "a/x.txt")
        write(tmp_path, "b/y.txt")
        write(tmp_path, "z.txt")

        def remove(progress):
            (tmp_path / "b/y.txt").unlink(missing_ok=True)
            if progress.done and (tmp_path / "b").exists():
                (tmp_path / "b").rmdir()

        found = scan(tmp_path, Task(remove))
        assert paths(found) == ["a/x.txt", "z.txt"]
        assert reasons(found) == {"b": "vanished"}


class TestIgnoring:
    def test_files_at_any_level(self, tmp_path):
        for path in ["a.txt", "a.log", "sub/a.log", "sub/keep.log", "sub/deep/keep.log", "drafts/x.txt", ".hid/x.txt"]:
            write(tmp_path, path)
        write(tmp_path, ".explorerignore", "*.log\r\n/drafts/\r\n")
        write(tmp_path, "sub/.explorerignore", "!/keep.log")
        found = scan(tmp_path, Task())
        assert paths(found) == ["a.txt", "sub/keep.log"]
        by_rule = {(entry.rule.source, entry.rule.text): (entry.files, entry.folders) for entry in found.ignored}
        assert by_rule[(".explorerignore", "*.log")] == (3, 0)
        assert by_rule[(".explorerignore", "/drafts/")] == (0, 1)
        assert by_rule[("built in", ".*")] == (0, 1)

    def test_an_ignore_file_of_terabytes_is_not_read(self, tmp_path):
        write(tmp_path, "a.txt")
        with (tmp_path / ".explorerignore").open("wb") as file:
            try:
                file.truncate(2**40)
            except OSError:
                pytest.skip("the file system has no files of a terabyte")
        found = scan(tmp_path, Task())
        assert paths(found) == ["a.txt"]
        assert [(entry.path, entry.reason) for entry in found.skipped] == [(".explorerignore", "rules too long")]

    def test_further_rules_weigh_less(self, tmp_path):
        write(tmp_path, "a.md")
        write(tmp_path, "b.md")
        write(tmp_path, ".explorerignore", "!a.md")
        assert paths(scan(tmp_path, Task(), ScanOptions(rules=("*.md",)))) == ["a.md"]

    def test_hidden_files(self, tmp_path):
        write(tmp_path, ".notes.txt")
        write(tmp_path, ".git/config")
        assert paths(scan(tmp_path, Task())) == []
        assert paths(scan(tmp_path, Task(), ScanOptions(hidden=True))) == [".notes.txt"]

    def test_hidden_by_windows(self, tmp_path, monkeypatch):
        write(tmp_path, "a.txt")
        monkeypatch.setattr(scanner, "_is_hidden", lambda status: stat.S_ISREG(status.st_mode))
        found = scan(tmp_path, Task())
        assert paths(found) == []
        assert found.ignored[0].rule.text == "hidden"
        assert paths(scan(tmp_path, Task(), ScanOptions(hidden=True))) == ["a.txt"]


class TestPreview:
    def test_counts_without_reading(self, tmp_path, monkeypatch):
        for number in range(3):
            write(tmp_path, f"{number}.TXT", "12345")
        write(tmp_path, "a.md", "1")
        write(tmp_path, "README", "12")
        write(tmp_path, "node_modules/x.js")
        opened = []
        monkeypatch.setattr(Path, "read_bytes", lambda path: opened.append(path) or b"")
        seen = preview(tmp_path, Task())
        assert dict(seen.suffixes) == {".txt": Count(3, 15), "": Count(1, 2), ".md": Count(1, 1)}
        assert next(iter(seen.suffixes)) == ".txt"
        assert seen.total == Count(5, 18)
        assert seen.families({".txt": "plain", ".md": "plain"}) == {"plain": Count(4, 16), "other": Count(1, 2)}
        assert [(entry.rule.text, entry.examples) for entry in seen.ignored] == [("node_modules/", ("node_modules",))]
        assert opened == []

    def test_progress(self, tmp_path):
        write(tmp_path, "a/x.txt")
        notes = []
        preview(tmp_path, Task(lambda progress: notes.append(progress.note)))
        assert set(notes) == {"Looking through the folder"}
