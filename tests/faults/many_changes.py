"""Changes a folder's files again and again while it is followed, also while it is read, and looks at the end.

By hand: python -m tests.faults.many_changes --files 10000

It fails (exit code 1) where the workspace then does not hold exactly what is in the folder, the doctor finds something,
or following did not come to rest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.conftest import WORDS, make_checkpoint

LOOKS = 5  # at which the folder is found changed
WHILE_READING = 40  # files read between two changes
_WORDS = [word for word in WORDS if word.isascii()]


class Folder:
    """A folder that does not rest."""

    def __init__(self, root: Path, count: int, chance: random.Random) -> None:
        self.root, self._chance, self._new = root, chance, count
        self.changes = 0
        for number in range(count):
            self._write(root / f"{number % 50}" / f"{number}.txt")
        self._paths = sorted(root.rglob("*.txt"))

    def change(self, times: int) -> None:
        """Do something to that many files: write, make, remove, move, touch, replace."""
        for _ in range(times):
            self.changes += 1
            place = self._chance.randrange(len(self._paths))
            path = self._paths[place]
            what = self._chance.randrange(6)
            if what == 0:
                self._new += 1
                self._paths.append(self._write(path.with_name(f"{self._new}.txt")))
            elif what == 1 and len(self._paths) > 2:
                self._paths.pop(place).unlink()
            elif what == 2:
                self._new += 1
                self._paths[place] = path.rename(path.parent.parent / f"{self._new % 50}" / f"{self._new}.txt")
            elif what == 3:
                os.utime(path)
            elif what == 4:  # as editors save
                self._write(path.with_suffix(".tmp")).replace(path)
            else:
                self._write(path)

    def texts(self) -> dict[str, str]:
        """What is in it now."""
        return {path.relative_to(self.root).as_posix(): path.read_text() for path in self.root.rglob("*.txt")}

    def _write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(self._chance.choices(_WORDS, k=self._chance.randint(3, 8))))
        return path


def run(files: int, seed: int, base: Path) -> dict[str, object]:
    """Follow a folder that changes; returns what came of it."""
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose
    from explorer.task import Cancelled, Progress, Task
    from explorer.workspace.doctor import examine
    from explorer.workspace.update.watch import UpdateOptions, follow
    from explorer.workspace.workspace import Workspace

    folder = Folder(base / "texts", files, random.Random(seed))
    encoder = BiEncoder.open(make_checkpoint(base / "model", "bert"), choose("cpu", precision="float32"))
    looks = updates = 0

    def hear(progress: Progress) -> None:
        if progress.note == "reading" and progress.done % WHILE_READING == 1 and looks <= LOOKS:
            folder.change(3)

    def wait(_: float) -> None:
        nonlocal looks
        looks += 1
        if looks <= LOOKS:
            folder.change(files // LOOKS)
        elif looks > LOOKS + 6:
            task.cancel()

    task, how, began = Task(hear), UpdateOptions(encoder), time.monotonic()
    with Workspace(base / "workspace", folder.root, writable=True) as workspace:
        workspace.update(encoder)
        try:
            for _ in follow(workspace, how, task, wait=wait):
                updates += 1
        except Cancelled:
            pass
        held = {entry.path: workspace.text(entry.id) for entry in workspace.documents()}
        late = workspace.update(encoder).read
    there = folder.texts()
    faults = [one.message for one in examine(base / "workspace") if one.state != "ok"]
    differ = [path for path in there.keys() | held.keys() if there.get(path) != held.get(path)]
    faults += [f"{path}: not as it is in the folder" for path in sorted(differ)[:5]]
    faults += [f"{late} files were left to a later update"] * bool(late)
    return {
        "files": len(there),
        "changes": folder.changes,
        "updates": updates,
        "seconds": round(time.monotonic() - began, 1),
        "faults": faults,
    }


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    base = Path(tempfile.mkdtemp())
    try:
        told = run(chosen.files, chosen.seed, base)
    finally:
        shutil.rmtree(base)
    print(json.dumps(told, indent=2))
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
