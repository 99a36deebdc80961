"""Loses power at every moment of writing our own files: what was not synced is lost, old, torn or in another order.

By hand: python -m tests.faults.torn_writes --states 2000

`os.fsync`, `os.replace`, `os.truncate` and `os.unlink` are listened to, so that at each of them it is known what is on
the disk for good. A state of the disk after a power failure then has, of every file, what was synced last and any part
of what was written since, by sectors; and every name that its folder had when that was synced, or has now. It fails
(exit code 1) where a file then gives other vectors or arrays than were written. SQLite's own files are its own affair.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from explorer.workspace.storage import array_cache
from explorer.workspace.storage.vectors import checksums as vector_checksums
from explorer.workspace.storage.vectors.file import VectorFile, VectorJournal

SECTOR = 64  # bytes that are written whole or not at all; smaller than a disk's, for smaller files
WIDTH = 8
IGNORED: tuple[str, ...] = ()  # suffixes of files whose syncs do nothing, to try the trial


@dataclass
class Moment:
    """What was on the disk, and what was promised, at one moment.

    Attributes:
        synced: The contents of each file, by inode, as they were synced last.
        written: The contents of each file, by inode, as programs saw them.
        names: The inodes by name, as the folder was synced last.
        seen: The same as programs saw them.
        promised: What the work had been told to be safe.
    """

    synced: dict[int, bytes]
    written: dict[int, bytes]
    names: dict[str, int]
    seen: dict[str, int]
    promised: Any


@dataclass
class Recorder:
    """Records a moment before and after everything that makes something last."""

    folder: Path
    moments: list[Moment] = field(default_factory=list)
    promised: Any = None
    _synced: dict[int, bytes] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def note(self) -> None:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        seen = {str(path.relative_to(self.folder)): path.stat().st_ino for path in files}
        written = {path.stat().st_ino: path.read_bytes() for path in files}
        self.moments.append(Moment(dict(self._synced), written, dict(self._names), seen, self.promised))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Listen to what the work does."""
        real = {name: getattr(os, name) for name in ("fsync", "replace", "truncate", "unlink")}

        def fsync(number: int) -> None:
            self.note()
            real["fsync"](number)
            state = os.fstat(number)
            if stat.S_ISDIR(state.st_mode):
                files = [path for path in self.folder.rglob("*") if path.is_file()]
                self._names = {str(path.relative_to(self.folder)): path.stat().st_ino for path in files}
            elif not Path(f"/proc/self/fd/{number}").resolve().name.endswith(IGNORED or ("/",)):
                self._synced[state.st_ino] = Path(f"/proc/self/fd/{number}").read_bytes()
                # The first sync of a new file also brings its name to the disk on the usual file systems.
                for path in self.folder.rglob("*"):
                    name = str(path.relative_to(self.folder))
                    if path.is_file() and path.stat().st_ino == state.st_ino and ".part" not in name:
                        self._names[name] = state.st_ino
            self.note()

        def listening(name: str) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                self.note()
                done = real[name](*arguments, **named)
                self.note()
                return done

            return call

        os.fsync = fsync
        for name in ("replace", "truncate", "unlink"):
            setattr(os, name, listening(name))
        try:
            yield
        finally:
            for name, function in real.items():
                setattr(os, name, function)


def after_power_failure(moment: Moment, folder: Path, chance: random.Random) -> None:
    """Write one of the states that the disk may be in."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in {*moment.names, *moment.seen}:
        choices = [names[name] for names in (moment.names, moment.seen) if name in names]
        inode = chance.choice(choices + ([-1] if name not in moment.names or name not in moment.seen else []))
        if inode == -1:
            continue
        old, new = moment.synced.get(inode, b""), moment.written.get(inode, moment.synced.get(inode, b""))
        length = chance.choice([len(old), len(new), chance.randint(min(len(old), len(new)), max(len(old), len(new)))])
        content = bytearray(old[:length].ljust(length, b"\0"))
        for start in range(0, length, SECTOR):
            if chance.random() < 0.5:
                part = new[start : min(start + SECTOR, length)]
                content[start : start + len(part)] = part
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(content))


def vectors_of(row: int, count: int) -> np.ndarray:
    return np.random.default_rng(row).normal(size=(count, WIDTH)).astype(np.float16)


def write_vectors(recorder: Recorder, chance: random.Random) -> None:
    """Append, as an update does; a row is promised once the append has ended, since only then the database names it."""
    file = VectorFile(recorder.folder / "1.f16", WIDTH, "model")
    recorder.promised = 0
    for _ in range(6):
        count = chance.randint(1, 12)
        journal = VectorJournal(recorder.folder / "1.pending", WIDTH, "model")
        journal.add([bytes([recorder.promised]) * 16], vectors_of(recorder.promised, 1).astype(np.float32))
        first = file.append(vectors_of(recorder.promised, count).astype(np.float32), [b"k" * 16] * count)
        recorder.promised = first + count
        recorder.note()
        journal.clear()
        if chance.random() < 0.3:
            file.trim(recorder.promised)


def check_vectors(folder: Path, promised: int, wanted: np.ndarray) -> list[str]:
    """Open the file as the next writer does."""
    vector_checksums._verified.clear()
    file = VectorFile(folder / "1.f16", WIDTH, "model")
    VectorJournal(folder / "1.pending", WIDTH, "model").load()
    wrong = []
    if file.rows() < promised:
        wrong.append(f"{promised - file.rows()} promised rows are missing")
    elif file.checksums.damaged(promised):
        wrong.append("promised rows are called damaged")
    elif not np.array_equal(file.open()[:promised], wanted[:promised]):
        wrong.append("promised rows are others, and nothing says so")
    else:
        file.trim(promised)
        file.append(np.ones((2, WIDTH), np.float32), [b"k" * 16] * 2)
        if file.checksums.damaged(promised + 2):
            wrong.append("rows written after the failure are called damaged")
    return wrong


def write_arrays(recorder: Recorder, chance: random.Random) -> None:
    """Replace a file of arrays; the last one that was written to its end is promised."""
    recorder.promised = -1
    for number in range(5):
        values = np.full(chance.randint(10, 200), number)
        array_cache.write_arrays(recorder.folder / "map.arrays", "test", {"values": values})
        recorder.promised = number
        recorder.note()


def check_arrays(folder: Path, promised: int, _wanted: np.ndarray) -> list[str]:
    """Read what is there: the promised arrays or later ones, and never a mixture."""
    found = array_cache.read_arrays(folder / "map.arrays", "test")
    if found is None:
        return ["the arrays are gone"] if promised >= 0 else []
    values = found["values"]
    return [] if len(set(values.tolist())) == 1 and values[0] >= promised else ["the arrays are others"]


WORKS = {"vectors": (write_vectors, check_vectors), "arrays": (write_arrays, check_arrays)}


def run(states: int, seed: int, base: Path) -> dict[str, Any]:
    """Try states of the disk at all moments, in turn; returns what came of it."""
    chance, faults, moments = random.Random(seed), list[str](), dict[str, int]()
    for name, (work, check) in WORKS.items():
        recorder = Recorder(base / name)
        recorder.folder.mkdir()
        with recorder.recording():
            work(recorder, random.Random(seed))
        whole = base / name / "1.f16"
        wanted = np.fromfile(whole, "<f2").reshape(-1, WIDTH) if whole.exists() else np.zeros((0, WIDTH))
        moments[name] = len(recorder.moments)
        for number in range(states):
            moment = recorder.moments[number % len(recorder.moments)]
            after_power_failure(moment, base / "disk", chance)
            faults += [f"{name}, moment {number}: {one}" for one in check(base / "disk", moment.promised, wanted)]
    return {"states": states * len(WORKS), "moments": moments, "faults": faults}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        told = run(chosen.states, chosen.seed, Path(base))
    print(json.dumps(told, indent=2))
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
