"""Lets the disk run full at one place of the work after the other, makes room, and goes on.

By hand: python -m tests.faults.full_disk --sizes 40

The program's home is a disk in memory that is too small by more or less, in a mount namespace of this process alone.
It fails (exit code 1) where a command ends without a sentence, half a file is left, the doctor then finds something,
what was encoded is encoded again, or the texts are not all there when there is room again.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT, make_checkpoint
from tests.faults.kill_indexing import make_texts

ROOM = 1 << 28  # bytes of a disk that holds everything
MORE = 4  # times the room of what is there at the end, that the work needs on its way
_SPARE = 1 << 16  # what a disk has more at least, so that there is a home at all
_NO_SENTENCE = ("unexpected", "Traceback", "in the program itself")


class Disk:
    """A disk in memory of any size, with the program's home on it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()

    def __enter__(self) -> Disk:
        os.environ["DOCEXPLORER_HOME"] = str(self.place / "home")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", self.place], check=True)

    def mount(self, size: int, *, again: bool = False) -> Disk:
        """Make it that large; empty unless it is there already."""
        options = f"{'remount,' * again}size={size}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.place], check=True)
        return self

    def used(self) -> int:
        """Bytes that are taken."""
        return shutil.disk_usage(self.place).used

    def fill(self) -> None:
        """Leave not a byte."""
        with (self.place / "filler").open("wb", 0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))


class Desk:
    """A folder of texts, a model, pairs to learn from, and what is done with them."""

    def __init__(self, base: Path, files: int) -> None:
        self.texts, self.model, self.disk = base / "texts", base / "model", Disk(base / "disk")
        make_checkpoint(self.model, "bert")
        make_texts(self.texts, random.Random(0), files)
        pairs = base / "pairs.csv"
        pairs.write_text("".join(f"a cat sat {one},the dog ran {one},{one % 6}\n" for one in range(40)))
        out = self.disk.place / "out"
        learn = "--objective regression --score-range 0 5 --batch 8 --set steps=4 --name taught".split()
        self.work: dict[str, list[object]] = {
            "index": ["index", self.texts, "--model", self.model],
            "clusters": ["clusters", self.texts],
            "map": ["map", self.texts, "--out", out / "map.svg"],
            "page": ["map", self.texts, "--out", out / "map.html"],
            **{kind: ["export", self.texts, "--out", out / f"all.{kind}"] for kind in ("csv", "jsonl", "parquet")},
            "report": ["report", self.texts, "--out", out / "report.html", "--query", "river", "--model", self.model],
            "train": ["train", pairs, "--base", self.model, *learn],
        }

    def run(self, words: list[object]) -> tuple[int, str, Any]:
        """The exit code of a command, what it said, and its answer."""
        from explorer.cli import main as cli_main

        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = cli_main.main([*map(str, words), "--json"])
        told = out.getvalue()
        return code, said.getvalue() + (told if code else ""), json.loads(told) if code == 0 else None

    def found(self) -> list[tuple[str, str]]:
        """The texts that the workspace has."""
        from explorer.workspace.workspace import open_workspace

        with open_workspace(self.texts, writable=False) as workspace:
            return [(f"{one.path} {one.part}", workspace.text(one.id)) for one in workspace.documents()]

    def encoded(self) -> int:
        """The passages that have their vectors."""
        from explorer.errors import WorkspaceError
        from explorer.workspace.workspace import open_workspace

        with contextlib.suppress(WorkspaceError), open_workspace(self.texts, writable=False) as workspace:
            counted = "SELECT count(*) FROM vectors v JOIN models m ON m.id = v.model WHERE m.kind = 'bi'"
            return int(workspace.connection.execute(counted).fetchone()[0])
        return 0


class Trial:
    """The work on disks that are too small.

    Attributes:
        stopped: How often the full disk stopped each piece of the work.
        faults: What must not be.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.stopped: Counter[str] = Counter()
        self.faults: list[str] = []
        with desk.disk.mount(ROOM) as disk:
            (disk.place / "out").mkdir()
            for name, words in desk.work.items():
                code, said, _ = desk.run(words)
                assert code == 0, (name, said)
            self.needed = disk.used()
            self.wanted, self.vectors = desk.found(), desk.encoded()
            self.names = {path.name for path in (disk.place / "out").iterdir()}

    def on(self, size: int) -> None:
        """Work on a disk of so many bytes, then make room and go on."""
        desk = self.desk
        with desk.disk.mount(size) as disk:
            (disk.place / "out").mkdir()
            for name, words in desk.work.items():
                code, said, _ = desk.run(words)
                if code and "not indexed yet" not in said:
                    self.stopped[name] += 1
                self._expect(not code or said.strip(), size, f"{name} failed without a sentence")
                self._expect(not any(one in said for one in _NO_SENTENCE), size, f"{name}: {said}")
            self._look(size)
            disk.mount(ROOM, again=True)
            before = desk.encoded()
            if before or desk.run(["documents", desk.texts])[0] == 0:
                code, said, _ = desk.run(["doctor", desk.texts])
                begun = "brings it up to date" in said  # not even its tables could be made
                self._expect(code == 0 or begun, size, f"doctor: {said}")
            code, said, told = desk.run(desk.work["index"])
            self._expect(code == 0, size, f"index with room again: {said}")
            if code == 0:
                # Fewer where some had waited in the journal, from which they are taken.
                again = before + told["update"]["encoded"] - self.vectors
                self._expect(again <= 0, size, f"{again} passages were encoded twice")
                self._expect(desk.encoded() == self.vectors, size, "not every passage has its vector")
                self._expect(desk.found() == self.wanted, size, "other texts with room again")

    def window(self) -> None:
        """The window on a disk without a byte: it reads and searches, and says what it could not keep."""
        from explorer import settings
        from explorer.errors import DataError
        from tests.faults.bound import window

        desk = self.desk
        with desk.disk.mount(ROOM) as disk:
            desk.run(desk.work["index"])
            disk.mount(disk.used() + _SPARE, again=True)
            disk.fill()
            told = window(desk.texts, str(desk.model))
            try:
                settings.save(settings.Settings(text_size=13))
                self.faults.append("settings were saved on a full disk")
            except DataError:
                self.stopped["settings"] += 1
        said = told["told"]
        self._expect(told["hits"] and "".join(told["texts"]).strip(), 0, f"the window shows nothing: {told}")
        self._expect(any("Free space" in one for one in said), 0, f"the window does not say it: {said}")
        self._expect(not any(word in one for one in said for word in _NO_SENTENCE), 0, f"the window: {said}")

    def _look(self, size: int) -> None:
        """Nothing half is left of what was written out; it may be of fewer documents."""
        for path in (self.desk.disk.place / "out").iterdir():
            self._expect(path.name in self.names and is_whole(path), size, f"{path.name} is half")

    def _expect(self, good: object, size: int, what: str) -> None:
        if not good:
            self.faults.append(f"{size:,} bytes: {what}")


def is_whole(path: Path) -> bool:
    """Whether a file that was written out has its end."""
    if path.suffix == ".parquet":
        return path.read_bytes()[-4:] == b"PAR1"
    text = path.read_text("utf-8-sig").rstrip()
    if path.suffix == ".jsonl":
        return all(isinstance(json.loads(line), dict) for line in text.splitlines())
    if path.suffix == ".csv":
        return len({len(row) for row in csv.reader(text.splitlines(keepends=True))}) <= 1
    return text.endswith(("</svg>", "</html>"))


def allowed() -> list[str]:
    """What begins a process that may mount a disk for itself; empty where that is not allowed."""
    for words in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        if shutil.which(words[0]) is None:
            return []
        with tempfile.TemporaryDirectory() as place:
            tried = [*words, "mount", "-t", "tmpfs", "-o", "size=65536", "tmpfs", place]
            if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
                return words
    return []


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, default=16, help="disks between none and one that suffices")
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if not chosen.inside:
        words = allowed()
        if not words:
            print("This machine does not allow a disk of one's own.", file=sys.stderr)
            return 2
        again = [*words, sys.executable, "-m", "tests.faults.full_disk", "--inside", *sys.argv[1:]]
        return subprocess.run(again, cwd=PROJECT, check=False).returncode
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as base:
        trial = Trial(Desk(Path(base), chosen.files))
        for number in range(chosen.sizes):
            trial.on(_SPARE + MORE * trial.needed * number // chosen.sizes)
        trial.window()
    print(json.dumps({"needed": trial.needed, "stopped": trial.stopped, "faults": trial.faults}, indent=2))
    sys.stdout.flush()
    os._exit(1 if trial.faults else 0)  # the window's libraries need no farewell


if __name__ == "__main__":
    sys.exit(main())
