"""Index a folder of files made to hurt, and damaged copies of every format.

    python -m tests.faults.hostile_folder --count 2000            2,000 of them, the formats in turn
    python -m tests.faults.hostile_folder --each 2000             2,000 of every format

Each is read or listed, the honest ones are all there, and the memory of the program and its readers together stays
under 2 GB. Exit code 0, or 1 and what was wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from explorer.corpus.document import ReadOptions, Unreadable
from explorer.corpus.readers.process import limits
from explorer.corpus.readers.process.pool import shared_pool
from explorer.task import Task
from explorer.workspace.update.sync_files import FileSync
from explorer.workspace.workspace import open_workspace
from tests.corpus.readers import foreign_files
from tests.corpus.readers.office import ole_files
from tests.security import hostile_files

MOST_MEMORY = 2 * 2**30
HONEST = 5


def seeds() -> dict[str, bytes]:
    """A whole file of every format that is not plain text."""
    made = {suffix: make()[0] for suffix, (_, make) in foreign_files.BY_LIBRARIES.items()}
    made[".msg"] = ole_files.msg("Subject", "Body", {"a.txt": b"attached", "b.docx": made[".docx"]})
    made[".rtf"] = rb"{\rtf1\ansi{\header Head}{\*\shpinst{\shptxt Box}} Body{\*\annotation Why?}\par}" * 20
    made[".pages"] = _zipped({"Index.zip": b"", "QuickLook/Preview.pdf": hostile_files.nested_forms(1, 2)})
    made[".xlsm"] = made[".xlsx"]
    made[".bmp"], made[".tiff"] = _picture("BMP"), _picture("TIFF")
    return made


def _zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def _picture(kind: str) -> bytes:
    from PIL import Image

    made = io.BytesIO()
    Image.new("RGB", (20, 20), "white").save(made, kind)
    return made.getvalue()


def fill(folder: Path, count: int, seed: int = 5) -> None:
    """Write hostile files, damaged ones, and a few honest ones."""
    bombs = {
        "nested.pdf": hostile_files.nested_forms(),
        "endless.pdf": hostile_files.endless_form(),
        "flate.pdf": hostile_files.flate_bomb(),
        "bomb.parquet": hostile_files.parquet_bomb(),
        "zips.zip": hostile_files.zip_of_zips(),
    }
    for name, data in bombs.items():
        (folder / name).write_bytes(data)
    whole, luck = seeds(), random.Random(seed)
    for number in range(count):
        suffix = list(whole)[number % len(whole)]
        (folder / f"damaged{number}{suffix}").write_bytes(damaged(luck, whole[suffix]))
    for number in range(HONEST):
        (folder / f"honest{number}.html").write_text(f"<p>An honest page, number {number}.")


def damaged(luck: random.Random, data: bytes) -> bytes:
    copy = bytearray(data)
    if luck.random() < 0.3:
        return bytes(copy[: luck.randrange(1, len(copy))])
    for _ in range(luck.choice((1, 5, 40))):
        copy[luck.randrange(len(copy))] = luck.randrange(256)
    return bytes(copy)


class PeakMemory(threading.Thread):
    """Watches the memory of this process and its readers."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            own = limits.resident(os.getpid())
            self.most = max(self.most, own + sum(map(limits.resident, shared_pool().processes())))

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        self.start()
        try:
            yield
        finally:
            self._ended.set()
            self.join()


def check(root: Path, seconds: float) -> tuple[list[str], str]:
    """Index the folder twice; returns what was wrong, and a line of figures."""
    bombs = ("nested.pdf", "endless.pdf", "flate.pdf", "bomb.parquet", "zips.zip")
    faults, peak, since = [], PeakMemory(), time.monotonic()
    with open_workspace(root) as workspace, peak.watching():
        sync = FileSync(workspace.connection, root, ReadOptions(seconds=seconds))
        sync.run(Task())
        took = time.monotonic() - since
        problems = {problem.path: problem for problem in workspace.problems()}
        read = {entry.path for entry in workspace.documents()}
        again = FileSync(workspace.connection, root, ReadOptions(seconds=seconds)).run(Task()).read
    files = {path.name for path in root.iterdir() if path.is_file()}
    faults += [f"{name} is neither read nor listed" for name in sorted(files - read - problems.keys())]
    faults += [f"honest{number}.html is lost" for number in range(HONEST) if f"honest{number}.html" not in read]
    faults += [f"{name} is not listed" for name in bombs if name not in problems]
    known = {*Unreadable.REASONS, "uncertain"}  # the last is read, and listed to be checked
    faults += [f"{one.path}: {one.reason}" for one in problems.values() if one.reason not in known]
    for one in problems.values():
        if one.reason == "crash" and one.path not in bombs:
            print(f"{one.path}: {one.message}", file=sys.stderr)
    faults += [f"{again} files were tried again"] if again else []
    faults += [f"{peak.most / 2**20:,.0f} MB of memory"] if peak.most > MOST_MEMORY else []
    reasons = Counter(problem.reason for problem in problems.values())
    reasons_told = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return faults, (
        f"{len(files)} files in {took:.0f} s: {len(read)} read, {len(problems)} listed ({reasons_told}); "
        f"{peak.most / 2**20:,.0f} MB at most"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--each", type=int, default=0, help="damaged files of every format, in place of --count")
    parser.add_argument("--seconds", type=float, default=20.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["DOCEXPLORER_HOME"] = str(Path(name) / "home")
        root = Path(name) / "texts"
        root.mkdir()
        fill(root, chosen.each * len(seeds()) if chosen.each else chosen.count)
        faults, figures = check(root, chosen.seconds)
    print(figures, *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
