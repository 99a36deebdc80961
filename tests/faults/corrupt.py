"""Spoils bytes of every file of a workspace, uses what is left, and compares what every command then says.

By hand: python -m tests.faults.corrupt --damages 300 --bundled

Eight kinds of damage are done to every file: the databases and their copies, the vectors, their checksums, the graph,
the map, the settings, and a small model of the trial's own. It fails (exit code 1) where a command gives another result
than before without a sentence, or where after a repair and an update not everything is as in a new workspace.

Texts that are encoded again are so in other batches, by which a model's sums differ in their last digits: of 5 of 41
texts, 2 had other numbers in half precision, by 1e-7 before rounding in float32, by up to 0.0009 in bfloat16. So where
vectors were made again they must be equal to that, and so must scores; who belongs to which cluster may then differ.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer import settings
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import open_workspace
from tests.conftest import make_checkpoint
from tests.faults.kill_indexing import make_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGE = 4096
_NO_SENTENCE = ("unexpected", "Traceback")
_TAG = "to read again"
_BY_WORDS = "by words alone"
_CLOSE = 0.004  # between vectors of the same text, in other batches and bfloat16: four times what was seen
_CLOSE_SCORES = 0.02


def _block(data: bytearray, chance: random.Random) -> tuple[int, int]:
    """Where a block begins, and its size: some numbers, a row of the small model's vectors, or a page."""
    size = min(chance.choice((8, 64, PAGE)), max(1, len(data) // 2))
    return chance.randrange(0, max(1, len(data) - size + 1), size), size


def turned(data: bytearray, chance: random.Random) -> bytearray:
    """Turn one bit."""
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data


def overwritten(data: bytearray, chance: random.Random) -> bytearray:
    """Overwrite a block with anything."""
    start, size = _block(data, chance)
    data[start : start + size] = chance.randbytes(size)
    return data


def zeroed(data: bytearray, chance: random.Random) -> bytearray:
    """Overwrite a block with zeros."""
    start, size = _block(data, chance)
    data[start : start + size] = bytes(size)
    return data


def exchanged(data: bytearray, chance: random.Random) -> bytearray:
    """Exchange two blocks."""
    start, size = _block(data, chance)
    other = chance.randrange(0, max(1, len(data) - size + 1), size)
    data[start : start + size], data[other : other + size] = data[other : other + size], data[start : start + size]
    return data


def shifted(data: bytearray, chance: random.Random) -> bytearray:
    """Lose a block, so that all behind it moves up."""
    start, size = _block(data, chance)
    return data[:start] + data[start + size :] + bytes(size)


def cut(data: bytearray, chance: random.Random) -> bytearray:
    """Lose everything from somewhere to the end."""
    return data[: chance.randrange(len(data))]


def lengthened(data: bytearray, chance: random.Random) -> bytearray:
    """Get a block more."""
    return data + chance.randbytes(chance.choice((1, 64, PAGE)))


def deleted(_data: bytearray, _chance: random.Random) -> None:
    """Lose the file."""


DAMAGES: tuple[Callable[[bytearray, random.Random], bytearray | None], ...] = (
    turned, overwritten, zeroed, exchanged, shifted, cut, lengthened, deleted,
)  # fmt: skip


class Trial:
    """A folder of texts with its workspace, settings and model, and a copy of all of it that is sound.

    Attributes:
        results: What each command gives of the sound copy.
    """

    def __init__(self, base: Path, files: int, *, bundled: bool) -> None:
        self.base, self.sound, self.used, self.texts = base, base / "sound", base / "used", base / "texts"
        self.model = "all-MiniLM-L6-v2" if bundled else str(self.used / "model")
        if not bundled:
            make_checkpoint(self.used / "model", "bert")
        make_texts(self.texts, random.Random(0), files)
        os.environ["DOCEXPLORER_HOME"] = str(self.used / "home")
        settings.save(settings.Settings(text_size=11))
        self.commands = (
            ["documents"],
            ["search", "winter river"],
            ["search", "winter river", "--mode", "keyword"],
            ["neighbours", "0/0.txt"],
            ["duplicates"],
            ["clusters", "--members"],
            ["map", "--out", str(base / "map.svg")],
            ["export", "--out", str(base / "all.jsonl")],
        )
        for command in (["index"], ["tag", "0/0.txt", "--add", _TAG], *self.commands, ["doctor"]):
            code, said, _ = self.run(*command)
            assert code == 0, (command, said)
        self.results = [self.run(*command)[2] for command in self.commands]
        self.tags = self.run("tags")[2]
        self.vectors = self.stored_vectors()
        shutil.copytree(self.used, self.sound)

    def stored_vectors(self) -> dict[str, NDArray[np.float32]]:
        """Return the vector of each text, by model and digest."""
        found: dict[str, NDArray[np.float32]] = {}
        with open_workspace(self.texts, writable=False) as workspace:
            for model in workspace.models():
                stored = workspace.vector_file(model).open()
                for key, row in vector_table.row_of_each_text(workspace.connection, model.id):
                    found[f"{model.kind} {key.hex()}"] = stored[row].astype(np.float32)
        return found

    def vector_difference(self) -> float:
        """Return how far the vectors are from the sound ones; infinite if other texts have some."""
        there = self.stored_vectors()
        if there.keys() != self.vectors.keys():
            return float("inf")
        return max(float(np.abs(there[key] - sound).max()) for key, sound in self.vectors.items())

    def files(self) -> list[Path]:
        """Return the files that can be spoilt."""
        found = (path for path in sorted(self.sound.rglob("*")) if path.is_file() and path.stat().st_size)
        return [path.relative_to(self.sound) for path in found if path.suffix not in (".lock", ".log")]  # not read

    def run(self, name: str, *rest: str) -> tuple[int, str, str]:
        """Return the exit code of a command, all that it said, and its result."""
        from explorer.cli import main as cli_main
        from explorer.workspace.storage.vectors import checksums as vector_checksums

        vector_checksums._verified.clear()  # as in a new process: the copies may have the inodes of earlier ones
        model = ["--model", self.model] if name in ("index", "search", "neighbours", "duplicates") else []
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as said:
            code = cli_main.main([name, str(self.texts), *rest, *model, "--json"])
        result = out.getvalue()
        if "--out" in rest and code == 0:
            result += Path(rest[rest.index("--out") + 1]).read_text("utf-8")
        return code, said.getvalue() + ("" if code == 0 else out.getvalue()), result

    def differences(self, what: str, *, repaired: bool, encoded_again: bool = False) -> list[str]:
        """Run every command; return which do not give the sound result, nor a sentence where they may."""
        wrong = []
        expected = list(zip(self.commands, self.results, strict=True))
        for command, wanted in expected if repaired else [*expected, (["tags"], self.tags)]:
            code, said, result = self.run(*command)
            name = " ".join(part for part in command if not part.startswith("/"))
            if any(word in said for word in _NO_SENTENCE) or (code and not said.strip()):
                wrong.append(f"{name} {what}: {said.strip() or 'no sentence'}")
            elif code and repaired:
                wrong.append(f"{name} {what}: {said.strip()}")
            elif (
                code == 0
                and not said.strip()
                and _essence(result, repaired) not in (_essence(wanted, repaired), _BY_WORDS)
                and not (encoded_again and _is_close(command[0], result, wanted))
            ):
                wrong.append(f"{name} {what}: silently different")
        return wrong


def _essence(result: str, repaired: bool) -> str:
    """Return what of a result must be the same.

    A search says itself that it went by words alone, as with a model whose weights are others now. A map that is drawn
    again begins with the places of the one before, so that of it only the documents are the same.
    """
    if '"final_share": 0.0' in result:
        return _BY_WORDS
    if repaired and "<svg" in result:
        return "\n".join(sorted(re.findall("<title>.*?</title>", result, re.DOTALL)))
    return result


def _is_close(command: str, result: str, wanted: str) -> bool:
    """Return whether a result is the same but for the last digits of vectors."""
    if command not in ("search", "neighbours", "duplicates", "clusters"):
        return False
    first, second = json.loads(result), json.loads(wanted)
    return _members(first) == _members(second) if command == "clusters" else _are_close(first, second)


def _members(result: object) -> list[str]:
    """Return all documents that a result names, in order."""
    return sorted(re.findall(r'"document": "([^"]*)"', json.dumps(result)))


def _are_close(first: object, second: object) -> bool:
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_are_close(value, second[key]) for key, value in first.items())
    if isinstance(first, list) and isinstance(second, list):  # of equal scores either may be first
        pairs = zip(sorted(first, key=_without_numbers), sorted(second, key=_without_numbers), strict=False)
        return len(first) == len(second) and all(_are_close(one, two) for one, two in pairs)
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) < _CLOSE_SCORES
    return first == second


def _without_numbers(value: object) -> str:
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", "", json.dumps(value))


def spoil(
    trial: Trial, file: Path, damage: Callable[[bytearray, random.Random], bytearray | None], chance: random.Random
) -> list[str]:
    """Spoil one file of a fresh copy and use it; returns what must not be."""
    shutil.rmtree(trial.used)
    shutil.copytree(trial.sound, trial.used)
    path = trial.used / file
    before = path.stat()
    spoilt = damage(bytearray(path.read_bytes()), chance)
    if spoilt is None:
        path.unlink()
    else:
        path.write_bytes(spoilt)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # what rots on a disk keeps its time
    wrong = trial.differences("after the damage", repaired=False)
    code, said, _ = trial.run("doctor", "--repair")
    if (code and not said.strip()) or any(word in said for word in _NO_SENTENCE):
        wrong.append(f"doctor --repair: {said.strip() or 'no sentence'}")
    if file.parts[0] == "model":  # only the user can bring another
        shutil.rmtree(trial.used / "model")
        shutil.copytree(trial.sound / "model", trial.used / "model")
    code, said, _ = trial.run("index", "--retry")
    if code:
        wrong.append(f"index after the repair: {said.strip()}")
    else:
        far = trial.vector_difference()
        wrong += [f"vectors after the repair: {far}"] if far > _CLOSE else []
        wrong += trial.differences("after the repair", repaired=True, encoded_again=far > 0)
        code, said, _ = trial.run("doctor")
        wrong += [f"doctor after the repair: {said.strip()}"] if code else []
    return [f"{file} {damage.__name__}: {one}" for one in wrong]


def run(damages: int, files: int, seed: int, base: Path, *, bundled: bool = False, start: int = 0) -> dict[str, object]:
    """Spoil every file in every way before any is spoilt in the same way again; returns what came of it."""
    trial = Trial(base, files, bundled=bundled)
    paths = trial.files()
    faults: list[str] = []
    done: Counter[str] = Counter()
    ways: Counter[str] = Counter()
    for number in range(start, start + damages):
        # A turn of all files, each spoilt in another way; the next way in the next turn.
        turn, place = divmod(number, len(paths))
        file, damage = random.Random(seed).sample(paths, len(paths))[place], DAMAGES[(turn + place) % len(DAMAGES)]
        faults += spoil(trial, file, damage, random.Random(f"{seed} {number}"))
        done[_name(file)] += 1
        ways[damage.__name__] += 1
    return {"damages": damages, "pairs": len(paths) * len(DAMAGES), "files": done, "ways": ways, "faults": faults}


def _name(file: Path) -> str:
    """Return a file's name without what is another in every trial."""
    return re.sub(r"-[0-9a-f]{12}|\d{8}T\d{6}Z", "", str(file))


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damages", type=int, default=60)
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the first damage, to go on with a trial in pieces")
    parser.add_argument("--bundled", action="store_true", help="with the real model, which takes longer")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        told = run(chosen.damages, chosen.files, chosen.seed, Path(base), bundled=chosen.bundled, start=chosen.start)
    print(json.dumps(told, indent=2))
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
