"""Uses a workspace whose vectors do not fit into the memory that the process may have, and reads texts that do not.

By hand: python -m tests.faults.short_memory --passages 3000000 --width 384 --megabytes 2048 --overview
         python -m tests.faults.short_memory --texts 400 --megabytes 256

The vectors are memory-mapped; only what the process allocates for itself is limited (RLIMIT_DATA), so that it cannot
hold a copy of them. It fails (exit code 1) where something does not work, or answers otherwise than without a limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.conftest import WORDS, make_checkpoint

ROOT = Path(__file__).resolve().parents[2]
A_DOCUMENT = 10  # passages
CORES = 2  # a machine of little memory has few, and each takes its share of it
WORD, TEXT = "river", "the cold river"


def make(folder: Path, passages: int, width: int) -> None:
    """A workspace of so many passages with vectors; the texts of a few can be found by word."""
    from explorer.workspace.storage import database
    from explorer.workspace.workspace import Workspace

    (folder / "vectors").mkdir(parents=True)
    with Workspace(folder, folder, writable=True) as workspace:
        db = workspace.connection
        db.execute("PRAGMA synchronous = OFF")  # it is thrown away
        with database.transaction(db):
            db.execute("INSERT INTO models VALUES (1, 'a model', 'a model', 'bi', ?, 1)", (width,))
            db.execute("INSERT INTO meta VALUES ('model', 'a model'), ('cutting', 1)")
            db.execute(
                "INSERT INTO files (id, path, name, size, mtime_ns, digest, read_as) "
                "VALUES (1, x'61', 'a', 1, 1, 'a', '{}')"
            )
            db.executemany(
                "INSERT INTO documents (id, file, part, place, title, text, digest, metadata, language, encoding, "
                "confidence, remarks, splitter) VALUES (?, 1, ?, 0, 'title', ?, ?, '{}', 'en', 'utf-8', 1, '[]', 'x')",
                ((one, str(one), TEXT, _key(one)) for one in range(1, passages // A_DOCUMENT + 1)),
            )
            db.executemany(
                "INSERT INTO passages VALUES (?, ?, 2, ?, 0, ?, ?)",
                ((row + 1, row // A_DOCUMENT + 1, row % A_DOCUMENT, len(TEXT), _key(row)) for row in range(passages)),
            )
            db.executemany("INSERT INTO vectors VALUES (1, ?, ?)", ((_key(row), row) for row in range(passages)))
            db.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", ((row, TEXT) for row in range(1, 100)))
    with (folder / "vectors" / "1.f16").open("wb") as file:
        file.writelines(block.tobytes() for block in _vectors(passages, width))


def _key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def _vectors(count: int, width: int) -> Iterator[np.ndarray[Any, Any]]:
    chance = np.random.default_rng(0)
    centres = chance.standard_normal((200, width), np.float32)
    for start in range(0, count, 10_000):
        rows = centres[chance.integers(len(centres), size=min(10_000, count - start))]
        rows = rows + 0.7 * chance.standard_normal(rows.shape, np.float32)
        yield (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f2")


def use(folder: Path, spare: int, overview: bool) -> dict[str, Any]:
    """Search and list with so many bytes more than the process has now, none for no limit; what was found."""
    from explorer.workspace.search.search import Searcher
    from explorer.workspace.search.vector_search import VectorSearch
    from explorer.workspace.storage.documents import list_documents
    from explorer.workspace.storage.vectors import table as matrices
    from explorer.workspace.workspace import Workspace

    os.cpu_count = lambda: CORES
    np.ones((200, 200)) @ np.ones((200, 200))  # what the libraries take for themselves
    with Workspace(folder, None, writable=False) as workspace:
        limit = _used() + spare if spare else resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        told: dict[str, Any] = {"seconds": {}}
        matrix = matrices.load(workspace)
        near, asked = VectorSearch(matrix), np.asarray(matrix.vectors[77], np.float32)
        things: dict[str, Callable[[], Any]] = {
            "list": lambda: len(list_documents(workspace)),
            "word": lambda: len(Searcher(workspace, None).search(WORD, mode="keyword").hits),  # type: ignore[arg-type]
            "near": lambda: near.nearest(asked, 10).passages[0][0],
            "near again": lambda: [one for one, _ in near.nearest(asked, 10).passages],
            "document": lambda: [round(float(value), 3) for value in matrix.document_vector(3)[:5]],
        }
        if overview:
            things["overview"] = lambda: _overview(workspace, matrix)
        for name, thing in things.items():
            began = time.monotonic()
            told[name] = thing()
            told["seconds"][name] = round(time.monotonic() - began, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return told | {"limit_mb": round(limit / 2**20) if spare else None, "peak_resident_mb": round(peak)}


def make_texts(folder: Path, megabytes: int) -> int:
    """Files of that size in all, of one document or of many; returns how many documents there are."""
    chance, documents = np.random.default_rng(0), 0
    words = np.array([word for word in WORDS if word.isascii()])
    folder.mkdir()
    for number in range(megabytes):
        texts = [" ".join(chance.choice(words, 800)) for _ in range(2**20 // 3_800)]
        if number % 2:
            lines = (json.dumps({"id": place, "text": text}) for place, text in enumerate(texts))
            (folder / f"{number}.jsonl").write_text("\n".join(lines))
        else:
            (folder / f"{number}.txt").write_text("\n\n".join(texts))
        documents += len(texts) if number % 2 else 1
    return documents


def read(folder: Path, model: Path, spare: int) -> dict[str, Any]:
    """Index texts with so many bytes more than the process has when its model is there."""
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose
    from explorer.workspace.workspace import Workspace

    os.cpu_count = lambda: CORES
    encoder = BiEncoder.open(model, choose("cpu", precision="float32"))
    encoder.encode(["the cat"] * 300)
    limit = _used() + spare
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    began, before = time.monotonic(), _resident()
    with Workspace(folder.with_name("workspace"), folder, writable=True) as workspace:
        counts = workspace.update(encoder)
        found = len(list(workspace.documents()))
    return {
        "documents": found,
        "passages": counts.encoded,
        "seconds": round(time.monotonic() - began),
        "limit_mb": round(limit / 2**20),
        "peak_more_mb": round((_resident() - before) / 2**20),
    }


def _resident() -> int:
    """Bytes that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _overview(workspace: Any, matrix: Any) -> int:
    from explorer.workspace.overview.overview import compute_overview

    return len(compute_overview(workspace, matrix).clusters)


def _used() -> int:
    """Bytes of memory of its own that this process has."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData"))
    return int(line.split()[1]) * 1024


def run(passages: int, width: int, spare: int, base: Path, *, overview: bool = False) -> dict[str, Any]:
    """Make a workspace and use it with and without a limit, in processes of their own."""
    folder = base / "workspace"
    make(folder, passages, width)
    size = (folder / "vectors" / "1.f16").stat().st_size
    told = {"vectors_mb": round(size / 2**20), "faults": []}
    for name, room in (("limited", spare), ("free", 0)):
        words = ["--child", str(folder), "--bytes", str(room), *(["--overview"] if overview else [])]
        ran = _child(words)
        if ran.returncode:
            told["faults"].append(f"{name}: {ran.stderr[-2000:]}")
            return told
        told[name] = json.loads(ran.stdout)
    measured = ("seconds", "limit_mb", "peak_resident_mb")
    found = [{key: value for key, value in told[name].items() if key not in measured} for name in ("limited", "free")]
    if found[0] != found[1]:
        told["faults"].append(f"other answers: {found[0]} {found[1]}")
    return told


def run_texts(megabytes: int, spare: int, base: Path) -> dict[str, Any]:
    """Make texts and read them with a limit."""
    wanted = make_texts(base / "texts", megabytes)
    make_checkpoint(base / "model", "bert")
    ran = _child(["--child", str(base), "--texts", str(megabytes), "--bytes", str(spare)])
    if ran.returncode:
        return {"faults": [ran.stderr[-2000:]]}
    told = json.loads(ran.stdout)
    wrong = [] if told["documents"] == wanted else [f"{told['documents']} documents of {wanted}"]
    return {"texts_mb": megabytes, **told, "faults": wrong}


def _child(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.short_memory", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(CORES)),
    )


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=3_000_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument(
        "--megabytes", type=int, default=2048, help="of memory for the process, over what it starts with"
    )
    parser.add_argument("--overview", action="store_true", help="clusters and map as well")
    parser.add_argument("--texts", type=int, default=0, help="megabytes of texts to read instead")
    parser.add_argument("--child", type=Path)
    parser.add_argument("--bytes", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.child and chosen.texts:
        print(json.dumps(read(chosen.child / "texts", chosen.child / "model", chosen.bytes)))
        return 0
    if chosen.child:
        print(json.dumps(use(chosen.child, chosen.bytes, chosen.overview)))
        return 0
    spare = chosen.megabytes * 2**20
    with tempfile.TemporaryDirectory() as base:
        if chosen.texts:
            told = run_texts(chosen.texts, spare, Path(base))
        else:
            told = run(chosen.passages, chosen.width, spare, Path(base), overview=chosen.overview)
    print(json.dumps(told, indent=2))
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
