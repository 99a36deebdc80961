"""Kills indexing at random moments of every stage, resumes it, and compares the end with an undisturbed run.

By hand: python -m tests.faults.kill_indexing --kills 100

It fails (exit code 1) where a row or a vector differs, the doctor finds something, a stage was never hit, or more
vectors were lost by a kill than were in flight. In flight are the batches being computed and those that wait to be
written: one a worker, two a worker in the queue between, and the one that is being written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.conftest import WORDS, make_checkpoint

# The longest wait, in seconds, from the first sign of a stage to the kill; about as long as the stage takes.
STAGES = {
    "Looking through the folder": 0.01,
    "reading": 0.8,
    "cutting into passages": 0.5,
    "sketching": 0.15,
    "encoding": 0.3,
}
_PLACES = (*STAGES, "last")
LAST = 0.1  # for what comes after encoding
KILLS_A_ROUND = 14
# Loaded before the forks, so that a process comes to its work at once.
_LOADED_ONCE = (
    "transformers.models.bert.modeling_bert",
    "explorer.models.bi_encoder",
    "explorer.models.static_encoder",
    "explorer.models.runtime.network",
    "explorer.workspace.workspace",
)
_ENGLISH = [word for word in WORDS if word.isascii()]  # the analyser of Korean takes seconds to load
_BATCH = 0.01  # seconds that computing a batch takes longer than the tiny network does
_SAME = 2e-3  # the last bit of a float16: a text is rounded otherwise in a batch of other lengths


@dataclass
class Tally:
    """What the kills came to.

    Attributes:
        stages: Kills by the stage they hit.
        lost: Vectors computed and lost, a kill that lost any.
        computed: Vectors computed by all processes of all rounds.
        wanted: Vectors that undisturbed runs would have computed.
        furthest: The largest difference of a number in a vector.
        faults: What must not be.
    """

    stages: Counter[str] = field(default_factory=Counter)
    lost: list[int] = field(default_factory=list)
    computed: int = 0
    wanted: int = 0
    furthest: float = 0.0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """Where everything lies: the texts, the model, the workspace, the journal of what was computed."""

    base: Path

    @property
    def texts(self) -> Path:
        return self.base / "texts"

    @property
    def model(self) -> Path:
        return self.base / "model"

    @property
    def journal(self) -> Path:
        return self.base / "computed"

    def workspace(self, number: int) -> Path:
        return self.base / f"workspace-{number}"


def make_texts(root: Path, chance: random.Random, files: int) -> None:
    """Mixed texts: short and long ones, a table, a copy, and a file that cannot be read."""
    for number in range(files):
        path = root / f"{number % 7}" / f"{number}.{'md' if number % 3 else 'txt'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        paragraphs = [" ".join(chance.choices(_ENGLISH, k=24)).capitalize() for _ in range(chance.randint(1, 40))]
        path.write_text(f"Title {number}\n\n" + ".\n\n".join(paragraphs) + ".\n", encoding="utf-8")
    rows = (f'{number},"{" ".join(chance.choices(_ENGLISH, k=20))}"' for number in range(200))
    (root / "table.csv").write_text("id,text\n" + "\n".join(rows), encoding="utf-8")
    (root / "copy.txt").write_bytes((root / "0" / "0.txt").read_bytes())
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    for path in root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # of what is newer another time is remembered


def in_child(work: Callable[[], None]) -> int:
    """Run something in a forked process, which has all modules and none of our threads; returns its number."""
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001 - a forked process must not go on with its parent's work
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def update(place: Place, workspace: int, told: int) -> None:
    """Bring the workspace up to date; write each stage to `told`, and to the journal what is computed."""
    from explorer.models import static_encoder
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime import network
    from explorer.models.runtime.device import choose
    from explorer.task import Progress, Task
    from explorer.workspace.workspace import Workspace

    encoder = BiEncoder.open(place.model, choose("cpu", precision="float32"))
    sketch = static_encoder.static_encoder_of(encoder)
    journal = os.open(place.journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    infer: Any = network.infer

    def counted(net: Any, tokens: list[Any], *rest: Any, **options: Any) -> Any:
        values = infer(net, tokens, *rest, **options)
        time.sleep(_BATCH)
        os.write(journal, f"{len(tokens)}\n".encode())
        return values

    network.infer = counted
    last = ""

    def tell(progress: Progress) -> None:
        nonlocal last
        if progress.note != last:
            last = progress.note
            os.write(told, f"{last}\n".encode())

    with Workspace(place.workspace(workspace), place.texts, writable=True) as opened:
        os.write(told, f"{encoder.device.workers}\n".encode())
        opened.update(encoder, static_encoder=sketch, task=Task(tell))
    os.write(told, b"done\n")


def killed(place: Place, workspace: int, stage: str, wait: float) -> str:
    """Kill an update some time after it has come to a stage or behind it; returns the stage it was in, or "done"."""
    inward, outward = os.pipe()
    number = in_child(lambda: update(place, workspace, outward))
    os.close(outward)
    seen = []
    with os.fdopen(inward) as lines:
        for line in lines:
            seen.append(line.strip())
            if _place(seen) >= _PLACES.index(stage):
                break
        time.sleep(wait)
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        seen += [line.strip() for line in lines]
    return seen[-1] if seen else "starting"


def _place(seen: list[str]) -> int:
    """How far an update has come that has told these stages."""
    told = [_PLACES.index(stage) for stage in seen if stage in STAGES]
    return len(STAGES) if seen[-1] not in STAGES and "encoding" in seen else max(told, default=-1)


def computed(place: Place) -> list[int]:
    """Rows of each batch that was computed so far."""
    return [int(line) for line in place.journal.read_text().split()] if place.journal.exists() else []


def stored(place: Place, workspace: int) -> int:
    """Vectors of the real model that a new process need not compute."""
    from explorer.models.files import model_folder as folders
    from explorer.workspace.storage.vectors.file import VectorJournal

    file = place.workspace(workspace) / "workspace.db"
    if not file.exists():
        return 0
    db = sqlite3.connect(file)
    try:
        row = db.execute("SELECT id, dimension FROM models WHERE kind = 'bi'").fetchone()
        known = {key for (key,) in db.execute("SELECT digest FROM vectors WHERE model = ?", row[:1])} if row else set()
    except sqlite3.OperationalError:  # killed before there was a schema
        return 0
    finally:
        db.close()
    if not row:
        return 0
    path = place.workspace(workspace) / "vectors" / f"{row[0]}.pending"
    return len(known | VectorJournal(path, row[1], folders.read(place.model).fingerprint).load().keys())


_OWNER = "JOIN passages p ON p.id = {} JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file"
_ROWS = {
    "files": "SELECT path, name, size, mtime_ns, digest, read_as, reason, message FROM files",
    "documents": "SELECT f.path, part, place, title, text, d.digest, metadata, language, encoding, confidence, "
    "remarks, splitter FROM documents d JOIN files f ON f.id = d.file",
    "passages": f"SELECT f.path, part, p.place, q.start, q.stop, q.digest FROM passages q {_OWNER.format('q.id')}",
    "terms": f"SELECT f.path, part, p.place, w.terms FROM words w {_OWNER.format('w.rowid')}",
    "words": f"SELECT f.path, part, p.place, v.term, v.offset FROM temp.words_in v {_OWNER.format('v.doc')}",
    "letters": f"SELECT f.path, part, p.place, v.term, v.offset FROM temp.letters_in v {_OWNER.format('v.doc')}",
    "models": "SELECT fingerprint, name, kind, dimension FROM models",
    "meta": "SELECT key, value FROM meta WHERE key NOT IN ('generation', 'documents')",
}


def contents(folder: Path) -> tuple[dict[str, list[Any]], dict[tuple[str, bytes], Any]]:
    """The rows of a workspace without their numbers, and its vectors by kind of model and digest."""
    from explorer.workspace.workspace import Workspace

    vectors = {}
    with Workspace(folder, None, writable=False) as workspace:
        db = workspace.connection
        for name in ("words", "letters"):
            db.execute(f"CREATE VIRTUAL TABLE temp.{name}_in USING fts5vocab('main', '{name}', 'instance')")
        rows = {name: sorted(db.execute(query).fetchall()) for name, query in _ROWS.items()}
        for model in workspace.models():
            values = workspace.vector_file(model).open()
            for key, row in db.execute("SELECT digest, row FROM vectors WHERE model = ?", (model.id,)):
                vectors[model.kind, key] = values[row].astype(np.float32)
    return rows, vectors


def compare(place: Place, workspace: int, tally: Tally) -> None:
    """Note what differs between a workspace and the undisturbed one."""
    from explorer.workspace.doctor import examine

    (rows, vectors), (wanted, true) = contents(place.workspace(workspace)), contents(place.workspace(0))
    tally.faults += [f"round {workspace}: {name} differ" for name in wanted if rows[name] != wanted[name]]
    if vectors.keys() != true.keys():
        tally.faults.append(f"round {workspace}: {len(vectors.keys() ^ true.keys())} texts have vectors in one only")
    apart = max(float(np.abs(vectors[key] - true[key]).max()) for key in vectors.keys() & true.keys())
    tally.furthest = max(tally.furthest, apart)
    if apart > _SAME:
        tally.faults.append(f"round {workspace}: vectors differ by {apart}")
    tally.faults += [found.message for found in examine(place.workspace(workspace)) if found.state != "ok"]


def finished(place: Place, workspace: int) -> int:
    """Run an update to its end; returns how many workers encode at once."""
    inward, outward = os.pipe()
    number = in_child(lambda: update(place, workspace, outward))
    os.close(outward)
    with os.fdopen(inward) as lines:
        workers = int(next(lines))
        for _ in lines:
            pass
    if os.waitpid(number, 0)[1]:
        raise SystemExit("an update failed")
    return workers


def one_round(place: Place, number: int, kills: int, chance: random.Random, tally: Tally, workers: int) -> None:
    """Kill an update again and again, from stage to stage, then let it end and compare."""
    stages = (*_PLACES, "encoding")
    targets = sorted((stages[kill % len(stages)] for kill in range(kills)), key=_PLACES.index)
    for stage in targets:
        before, had = len(computed(place)), stored(place, number)
        hit = killed(place, number, stage, chance.uniform(0, STAGES.get(stage, LAST)))
        batches = computed(place)[before:]
        tally.computed += sum(batches)
        if hit == "done":
            break
        tally.stages[hit] += 1
        lost = sum(batches) - (stored(place, number) - had)
        if lost:
            tally.lost.append(lost)
        if lost > (3 * workers + 1) * max(batches, default=0):
            tally.faults.append(f"round {number}: {lost} vectors were lost while {hit}, in {len(batches)} batches")
    before = len(computed(place))
    finished(place, number)
    tally.computed += sum(computed(place)[before:])
    compare(place, number, tally)


def run(kills: int, files: int, seed: int, base: Path) -> Tally:
    """Make the texts, index them undisturbed, then with that many kills in rounds; returns what came of it."""
    for module in _LOADED_ONCE:
        import_module(module)

    os.environ["DOCEXPLORER_HOME"] = str(base / "home")
    place, chance, tally = Place(base), random.Random(seed), Tally()
    make_texts(place.texts, chance, files)
    os.waitpid(in_child(lambda: make_checkpoint(place.model, "bert") and None), 0)
    workers = finished(place, 0)
    undisturbed = sum(computed(place))
    number = 0
    while (left := kills - sum(tally.stages.values())) > 0:
        number += 1
        one_round(place, number, min(left, KILLS_A_ROUND), chance, tally, workers)
        tally.wanted += undisturbed
    missed = [stage for stage in STAGES if not tally.stages[stage]] if kills >= KILLS_A_ROUND else []
    tally.faults += [f"no kill hit {stage}" for stage in missed]
    return tally


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        tally = run(chosen.kills, chosen.files, chosen.seed, Path(base))
    told = {
        "kills": sum(tally.stages.values()),
        "stages": dict(tally.stages),
        "vectors_wanted": tally.wanted,
        "vectors_computed": tally.computed,
        "kills_that_lost_vectors": len(tally.lost),
        "lost_at_most": max(tally.lost, default=0),
        "largest_difference": tally.furthest,
        "faults": tally.faults,
    }
    print(json.dumps(told, indent=2))
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
