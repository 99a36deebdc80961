"""Kills layout, export and migration at random moments, and does the work again.

By hand: python -m tests.faults.kill_work --kills 60

It fails (exit code 1) where the doctor then finds something, a file stands there half, or the work done again comes to
another end than undisturbed. Training has a test of its own with its command.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from tests.conftest import make_checkpoint
from tests.faults import earlier_schemas
from tests.faults.kill_indexing import _LOADED_ONCE, Place, finished, in_child, make_texts

_ALSO = (
    "openTSNE.affinity",
    "sklearn.cluster",
    "sknetwork.clustering.louvain_core",
    "explorer.workspace.overview.overview",
    "explorer.workspace.export.map",
    "explorer.workspace.export.tables",
    "pyarrow.parquet",
)
OUT = "out"  # beside the workspace
# What a migration must bring over, the user's words among it.
_TABLES = ("files", "documents", "passages", "vectors", "user.tags", "user.judgements", "user.document_keys")


def layout(folder: Path) -> None:
    """Graph, clusters, words and map."""
    from explorer.workspace.overview.overview import compute_overview
    from explorer.workspace.storage.vectors import table as matrices
    from explorer.workspace.workspace import Workspace

    with Workspace(folder, None, writable=True) as workspace:
        (model,) = (one for one in workspace.models() if one.kind == "bi")
        compute_overview(workspace, matrices.load(workspace, model.fingerprint))


def export(folder: Path) -> None:
    """All documents, in each format."""
    from explorer.workspace.export.tables import write_rows
    from explorer.workspace.workspace import Workspace

    out = folder / OUT
    out.mkdir(exist_ok=True)
    with Workspace(folder, None, writable=False) as workspace:
        rows = [{"title": one.title, "text": workspace.text(one.id)} for one in workspace.documents()] * 200
    for name in ("all.csv", "all.jsonl", "all.parquet"):
        write_rows(rows, out / name)


def migration(folder: Path) -> None:
    """From an earlier schema to the present one."""
    from explorer.workspace.storage import connection

    connection.connect(folder, writable=True).close()


# The first version, and the last that has the user's words among what is computed.
_EARLIER = {"migration from 1": 1, "migration from 4": 4}
WORKS: dict[str, Callable[[Path], None]] = {"layout": layout, "export": export, **dict.fromkeys(_EARLIER, migration)}


def result(name: str, folder: Path) -> object:
    """What a work came to: something that is equal where the work is."""
    if name == "export":
        # The order of a parquet file's metadata is its writer's business; its size is not.
        return {path.name: path.read_bytes() for path in sorted((folder / OUT).iterdir())}
    if name in _EARLIER:
        db = sqlite3.connect(folder / "workspace.db")
        db.execute("ATTACH ? AS user", (str(folder / "user.db"),))
        tables = sorted(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
        rows = [db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in _TABLES]
        found = (db.execute("PRAGMA user_version").fetchone(), tables, rows)
        db.close()
        return found
    from explorer.workspace.overview.map import kept_positions

    drawn = kept_positions(folder)
    return None if drawn is None else drawn.tobytes()


def timed(name: str, folder: Path) -> float:
    """Do a work to its end in a process of its own; returns the seconds it took.

    Raises:
        SystemExit: It failed.
    """
    began = time.monotonic()
    if os.waitpid(in_child(lambda: WORKS[name](folder)), 0)[1]:
        raise SystemExit(f"{name} failed")
    return time.monotonic() - began


def one_kill(name: str, fresh: Path, folder: Path, wait: float, wanted: object) -> list[str]:
    """Kill a work on a copy, look at what is left, do it again; returns what must not be."""
    from explorer.workspace.doctor import examine

    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(fresh, folder)
    number = in_child(lambda: WORKS[name](folder))
    time.sleep(wait)
    os.kill(number, signal.SIGKILL)
    os.waitpid(number, 0)
    faults = []
    if name == "export" and (folder / OUT).is_dir():
        whole = {path.name: path.read_bytes() for path in (folder / OUT).iterdir() if path.suffix in _WHOLE}
        faults += [f"{name}: {one} is half" for one, data in whole.items() if data != wanted[one]]  # type: ignore[index]
    if name not in _EARLIER:
        faults += [f"{name}: {one.message}" for one in examine(folder) if one.state != "ok"]
    timed(name, folder)
    if name == "export":
        for path in (folder / OUT).iterdir():
            if path.suffix not in _WHOLE:  # what a killed process began to write
                path.unlink()
    if result(name, folder) != wanted:
        faults.append(f"{name}: done again after {wait:.3f} s it came to another end")
    faults += [f"{name} again: {one.message}" for one in examine(folder) if one.state != "ok"]
    return faults


_WHOLE = (".csv", ".jsonl", ".parquet")


def run(kills: int, files: int, seed: int, base: Path) -> dict[str, object]:
    """Make a workspace, and kill each work in turn; returns what came of it."""
    for module in (*_LOADED_ONCE, *_ALSO):
        import_module(module)
    os.environ["DOCEXPLORER_HOME"] = str(base / "home")
    place, chance = Place(base), random.Random(seed)
    make_texts(place.texts, chance, files)
    os.waitpid(in_child(lambda: make_checkpoint(place.model, "bert") and None), 0)
    finished(place, 0)
    faults: list[str] = []
    took: dict[str, float] = {}
    fresh = {name: place.workspace(0) for name in WORKS}
    for name, version in _EARLIER.items():
        fresh[name] = base / f"fresh {name}"
        earlier_schemas.make(fresh[name], base / f"texts {name}", version)
    for name in WORKS:
        calm = base / f"calm-{name}"
        shutil.copytree(fresh[name], calm)
        took[name] = timed(name, calm)
        wanted = result(name, calm)
        for _ in range(max(1, kills // len(WORKS))):
            faults += one_kill(name, fresh[name], base / f"killed-{name}", chance.uniform(0, took[name]), wanted)
    return {"kills": len(WORKS) * max(1, kills // len(WORKS)), "seconds": took, "faults": faults}


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        told = run(chosen.kills, chosen.files, chosen.seed, Path(base))
    print(json.dumps(told, indent=2))
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
