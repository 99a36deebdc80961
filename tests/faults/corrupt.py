"""Spoils bytes of everything that lies on the disk, one place after the other, and uses what is left.

By hand: python -m tests.faults.corrupt --damages 300

A bit is turned, a page is overwritten or the end is cut off: of the database, the vectors, the graph, the map, the
settings, the model. It fails (exit code 1) where a command ends without a sentence, or where after a repair and an
update the texts are not all there and found again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from explorer import settings
from tests.conftest import make_checkpoint
from tests.faults.kill_indexing import make_texts

PAGE = 4096
_NO_SENTENCE = ("unexpected", "Traceback")


def turned(data: bytearray, chance: random.Random) -> bytearray:
    """One bit."""
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data


def overwritten(data: bytearray, chance: random.Random) -> bytearray:
    """One page."""
    start = chance.randrange(0, len(data), PAGE)
    data[start : start + PAGE] = chance.randbytes(len(data[start : start + PAGE]))
    return data


def cut(data: bytearray, chance: random.Random) -> bytearray:
    """From somewhere to the end."""
    return data[: chance.randrange(len(data))]


DAMAGES: tuple[Callable[[bytearray, random.Random], bytearray], ...] = (turned, overwritten, cut)


class Desk:
    """A folder of texts with its workspace, settings and model, and a copy of all of it that is sound."""

    def __init__(self, base: Path, files: int) -> None:
        self.base, self.sound, self.used = base, base / "sound", base / "used"
        make_checkpoint(self.sound / "model", "bert")
        make_texts(base / "texts", random.Random(0), files)
        self.texts = base / "texts"
        shutil.copytree(self.sound, self.used)
        self.use()
        settings.save(settings.Settings(text_size=11))
        self.commands = (
            ["documents"],
            ["search", "winter river"],
            ["search", "winter river", "--mode", "keyword"],
            ["duplicates"],
            ["clusters"],
            ["map", "--out", str(base / "map.svg")],
            ["export", "--out", str(base / "all.jsonl")],
            ["doctor"],
        )
        for command in (["index"], *self.commands):
            code, said = self.run(*command)
            assert code == 0, said
        shutil.rmtree(self.sound)
        shutil.copytree(self.used, self.sound)
        self.wanted = self.found()

    def use(self) -> None:
        """Make it the home."""
        os.environ["DOCEXPLORER_HOME"] = str(self.used / "home")

    def files(self) -> list[Path]:
        """What can be spoilt."""
        found = [path for path in self.sound.rglob("*") if path.is_file() and path.stat().st_size]
        return sorted(path.relative_to(self.sound) for path in found)

    def run(self, name: str, *rest: str) -> tuple[int, str]:
        """The exit code of a command and all that it said."""
        from explorer.cli import main as cli_main

        models = {"index", "search", "duplicates", "clusters", "map"}
        model = ["--model", str(self.used / "model")] if name in models - {"clusters", "map"} else []
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(said):
            code = cli_main.main([name, str(self.texts), *rest, *model])
        return code, said.getvalue() + ("" if code == 0 else out.getvalue())

    def found(self) -> list[tuple[str, str]]:
        """The texts, in the order of their names."""
        from explorer.workspace.workspace import open_workspace

        with open_workspace(self.texts, writable=False) as workspace:
            return [(f"{one.path} {one.part}", workspace.text(one.id)) for one in workspace.documents()]


def spoil(desk: Desk, file: Path, chance: random.Random) -> list[str]:
    """Spoil one file of a fresh copy and use it; returns what must not be."""
    shutil.rmtree(desk.used)
    shutil.copytree(desk.sound, desk.used)
    damage = chance.choice(DAMAGES)
    path = desk.used / file
    path.write_bytes(damage(bytearray(path.read_bytes()), chance))
    wrong = []
    for command in (*desk.commands, ["doctor", "--repair"]):
        code, said = desk.run(*command)
        if (code and not said.strip()) or any(word in said for word in _NO_SENTENCE):
            wrong.append(f"{command[0]}: {said.strip() or 'no sentence'}")
    if file.parts[0] == "model":  # only the user can bring another
        shutil.rmtree(desk.used / "model")
        shutil.copytree(desk.sound / "model", desk.used / "model")
    code, said = desk.run("index", "--retry")
    if code:
        wrong.append(f"index after the repair: {said.strip()}")
    elif desk.found() != desk.wanted:
        wrong.append("other texts after the repair")
    else:
        wrong += [
            f"{command[0]} after the repair: {said}"
            for command in (["documents"], ["search", "winter river"], ["doctor"])
            for code, said in [desk.run(*command)]
            if code
        ]
    return [f"{file} {damage.__name__}: {one}" for one in wrong]


def run(damages: int, files: int, seed: int, base: Path) -> dict[str, object]:
    """Spoil one file after the other, each kind as often; returns what came of it."""
    chance, desk = random.Random(seed), Desk(base, files)
    kinds: dict[str, list[Path]] = {}  # by where they lie and what they are
    for file in desk.files():
        if "lock" not in file.suffix and file.suffix != ".log":  # nothing is read from these
            kinds.setdefault(f"{file.parts[0]} {file.suffix}", []).append(file)
    faults: list[str] = []
    done: Counter[str] = Counter()
    for number in range(damages):
        kind = list(kinds)[number % len(kinds)]
        faults += spoil(desk, chance.choice(kinds[kind]), chance)
        done[kind] += 1
    return {"damages": damages, "kinds": done, "faults": faults}


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damages", type=int, default=60)
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        told = run(chosen.damages, chosen.files, chosen.seed, Path(base))
    print(json.dumps(told, indent=2))
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
