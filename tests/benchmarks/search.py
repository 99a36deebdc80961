"""How fast neighbours are found, beside one pass over the same memory and beside the bare matrix product.

Run by hand, on an idle machine:  python tests/benchmarks/search.py [--rows 1000000] [--rounds 7] [--skip graph]

Ratios are of the same round, because machines are noisy; both sides use all cores. Medians are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.analysis.search.query import parse  # noqa: E402
from explorer.analysis.text.tokenize import analyse  # noqa: E402
from explorer.analysis.vectors.exact import all_pairs, nearest, row_lengths  # noqa: E402
from explorer.analysis.vectors.hnsw import HnswIndex  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.files import model_folder as folders  # noqa: E402
from explorer.workspace.search.search import Searcher  # noqa: E402
from explorer.workspace.storage import database  # noqa: E402
from explorer.workspace.storage.vectors.file import VectorFile  # noqa: E402
from explorer.workspace.workspace import Workspace  # noqa: E402

WIDTH = 384
CHECKSUMS = 1.02  # what a search may cost with them, beside one without


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pair-rows", type=int, default=10_000)
    parser.add_argument("--graph-rows", type=int, default=300_000)
    parser.add_argument("--keyword-rows", type=int, default=100_000)
    parser.add_argument("--memory-rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--skip", nargs="*", default=[], choices=list(PARTS))
    chosen = parser.parse_args()
    report = {}
    for name, part in PARTS.items():
        if name not in chosen.skip:
            report[name] = part(chosen)
            print(name, json.dumps(report[name]), flush=True)
    print(json.dumps(report, indent=2))
    return int(report.get("checksums", {}).get("to_search", 0) > CHECKSUMS)


def query(chosen: argparse.Namespace) -> dict[str, Any]:
    """One query over memory-mapped float16, as a multiple of one pass over that memory by all cores."""
    with tempfile.TemporaryDirectory() as folder:
        vectors = mapped(Path(folder) / "vectors", chosen.rows)
        asked = vectors[77] + np.random.default_rng(1).normal(0, 0.02, WIDTH).astype(np.float32)
        lengths = row_lengths(vectors)
        ways: dict[str, Callable[[], object]] = {
            "pass": lambda: one_pass(vectors),
            "numpy_sum": lambda: vectors.view(np.uint64).sum(),
            "first": lambda: nearest(vectors, asked, 10),
            "later": lambda: nearest(vectors, asked, 10, lengths=lengths),
        }
        measured = seconds(lambda: row_lengths(vectors))
        rounds = [{name: seconds(work) for name, work in ways.items()} for _ in range(chosen.rounds)]
    ratios = {f"{name}_to_pass": middle(row[name] / row["pass"] for row in rounds) for name in list(ways)[1:]}
    best = {f"{name}_best_ms": round(min(row[name] for row in rounds) * 1000, 1) for name in ways}
    return {"rows": chosen.rows, **ratios, **best, "lengths_s": middle([measured])}


def checksums(chosen: argparse.Namespace) -> dict[str, Any]:
    """What the checksums of the vectors add to a search: once in a process, and when the workspace has changed.

    While it has not, a search does not look at them. "to_search" is the worst case, a batch of vectors that is appended
    before every search, as while a folder is encoded.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = VectorFile(Path(folder) / "1.f16", WIDTH, "a model")
        with patch("os.fsync"):  # thirty thousand of them would be all that takes time
            for rows in clustered(chosen.rows, 20_000):
                # As many records as a slow encoding leaves, with a commit each half second.
                for start in range(0, len(rows), 64):
                    file.append(rows[start : start + 64])
        vectors = file.open()
        lengths, asked = row_lengths(vectors), vectors[77].astype(np.float32)
        one_pass(vectors)
        first = []
        for _ in range(chosen.rounds):
            file.checksums.forget_verified()
            first.append(seconds(lambda: file.require_sound(chosen.rows)) / seconds(lambda: one_pass(vectors)))
        again, search = [], []
        for added in range(chosen.rounds):
            again.append(seconds(partial(file.require_sound, chosen.rows + 64 * added)))
            search.append(seconds(lambda: nearest(vectors, asked, 10, lengths=lengths)))
            file.append(vectors[:64])
    cost = 1 + statistics.median(again) / statistics.median(search)
    return {
        "rows": chosen.rows,
        "first_to_pass": middle(first),
        "again_ms": round(statistics.median(again) * 1000, 3),
        "search_ms": round(statistics.median(search) * 1000, 1),
        "to_search": round(cost, 4),
        "most": CHECKSUMS,
    }


def pairs(chosen: argparse.Namespace) -> dict[str, Any]:
    """The 15 nearest of every row, as a multiple of the bare product."""
    rows = next(clustered(chosen.pair_rows, chosen.pair_rows)).astype(np.float32)
    ratios = []
    for _ in range(chosen.rounds):
        bare = seconds(lambda: rows @ rows.T)
        ratios.append(seconds(lambda: all_pairs(rows, 15)) / bare)
    return {"rows": len(rows), "to_product": middle(ratios), "range": [round(min(ratios), 2), round(max(ratios), 2)]}


def graph(chosen: argparse.Namespace) -> dict[str, Any]:
    """Recall@10 of the approximate search and how many times faster than the exact one it answers one query."""
    vectors = np.concatenate(list(clustered(chosen.graph_rows, 20_000)))
    index: list[HnswIndex] = []
    built = seconds(lambda: index.append(HnswIndex.build(vectors)))
    chance = np.random.default_rng(2)
    asked = vectors[chance.choice(len(vectors), 500, replace=False)].astype(np.float32)
    asked += chance.normal(0, 0.01, asked.shape).astype(np.float32)
    true, found = nearest(vectors, asked, 10), index[0].nearest(vectors, asked, 10)
    lengths = row_lengths(vectors)
    ratios = [
        seconds(partial(nearest, vectors, line, 10, lengths=lengths))
        / seconds(partial(index[0].nearest, vectors, line, 10))
        for line in asked[:50]
    ]
    return {
        "rows": len(vectors),
        "recall_at_10": round(float((found.rows[:, :, None] == true.rows[:, None]).any(2).mean()), 4),
        "one_query_speed_up": middle(ratios),
        "build_rows_a_second": round(len(vectors) / built),
    }


def keyword(chosen: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds of a search by word over many passages, for queries of 2 to 4 words, common and rare."""
    with tempfile.TemporaryDirectory() as folder:
        words = sample_words()
        workspace = filled(Path(folder), chosen.keyword_rows, words)
        finder, chance = Searcher(workspace, cast(Any, None)), random.Random(1)
        queries = [parse(" ".join(zipf(words, chance, chance.randint(2, 4)))) for _ in range(200)]
        warm = seconds(finder.warm_up)  # as the window does when it has opened a folder
        times = [seconds(partial(finder._keyword, one, None)) * 1000 for one in queries]
        size = (workspace.folder / database.FILE).stat().st_size
        workspace.close()
    times.sort()
    return {
        "passages": chosen.keyword_rows,
        "warm_up_s": round(warm, 2),
        "median_ms": middle(times),
        "p95_ms": round(times[int(0.95 * len(times))], 1),
        "worst_ms": round(times[-1], 1),
        "database_mb": round(size / 1e6),
    }


def memory(chosen: argparse.Namespace) -> dict[str, Any]:
    """Resident memory in MB of a process that opened a workspace and searched it by meaning, once and again."""
    with tempfile.TemporaryDirectory() as folder:
        filled(Path(folder), chosen.memory_rows, vectors=True).close()
        ran = subprocess.run(
            [sys.executable, "-c", _MEMORY, folder], check=True, capture_output=True, cwd=ROOT, text=True
        )
    return {"passages": chosen.memory_rows, **json.loads(ran.stdout)}


_MEMORY = """
import json, sys, time
from pathlib import Path
from explorer.models.files import catalog
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.search.search import Searcher
from explorer.workspace.workspace import Workspace

def now():
    pages = Path("/proc/self/statm").read_text().split()[1]
    return round(int(pages) * 4096 / 1e6)

workspace = Workspace(Path(sys.argv[1]), None, writable=False)
encoder = BiEncoder.open(catalog.bundled(), choose("cpu", precision="float32"))
told = {"model_mb": now()}
finder = Searcher(workspace, encoder)
for name in ("first", "second", "third"):
    start = time.perf_counter()
    finder.search("the rocket lifted off", mode="semantic")
    told |= {f"{name}_s": round(time.perf_counter() - start, 2), f"{name}_mb": now()}
print(json.dumps(told))
"""


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "query": query,
    "checksums": checksums,
    "pairs": pairs,
    "graph": graph,
    "keyword": keyword,
    "memory": memory,
}


def filled(folder: Path, count: int, words: Sequence[str] = ("word",), *, vectors: bool = False) -> Workspace:
    """A workspace of `count` passages, ten a document: 60 words each in the index, or one word and a vector."""
    workspace, chance = Workspace(folder, folder, writable=True), random.Random(0)
    db = workspace.connection
    model = (catalog_fingerprint(), "all-MiniLM-L6-v2", "bi", WIDTH)
    with database.transaction(db):
        db.execute("INSERT INTO models (id, fingerprint, name, kind, dimension) VALUES (1, ?, ?, ?, ?)", model)
        db.execute("INSERT INTO cuttings (id, key) VALUES (1, 'x')")
        db.execute("INSERT INTO meta (key, value) VALUES ('cutting', '1')")
        db.execute(
            "INSERT INTO files (id, path, name, size, mtime_ns, digest, read_as) VALUES (1, 'a', 'a', 1, 1, '', '')"
        )
        for first in range(0, count, 10):
            texts = [" ".join(zipf(words, chance, 1 if vectors else 60)) for _ in range(10)]
            insert_document(db, first // 10 + 1, first + 1, texts)
        if vectors:
            keys = ((1, row.to_bytes(16, "big"), row - 1) for row in range(1, count + 1))
            db.executemany("INSERT INTO vectors VALUES (?, ?, ?)", keys)
    if vectors:
        (folder / "vectors").mkdir()
        mapped(folder / "vectors" / "1.f16", count)
    return workspace


def insert_document(db: sqlite3.Connection, number: int, first: int, texts: Sequence[str]) -> None:
    db.execute(
        "INSERT INTO documents (id, file, part, place, title, text, digest, metadata, language, encoding, confidence, "
        "remarks, splitter) VALUES (?, 1, ?, 0, 'title', ?, '', '{}', 'en', 'utf-8', 1, '[]', 'x')",
        (number, str(number), "\n".join(texts)),
    )
    start = 0
    for place, text in enumerate(texts):
        row = first + place
        spot = (row, number, 1 << 1, place, start, start + len(text), row.to_bytes(16, "big"))
        db.execute(
            "INSERT INTO passages (id, document, cuttings, place, start, stop, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
            spot,
        )
        db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (row, analyse(text)))
        start += len(text) + 1


def sample_words() -> list[str]:
    """The words of the sample texts, the commonest first."""
    found = Counter(
        word
        for path in sorted((ROOT / "resources" / "sample").rglob("*.[mt][dx]*"))
        for word in re.findall(r"[a-z]+", path.read_text(encoding="utf-8").lower())
    )
    return [word for word, _ in found.most_common()]


@cache
def shares(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 2.7) for rank in range(count)))


def zipf(words: Sequence[str], chance: random.Random, count: int) -> list[str]:
    """Words drawn as texts have them: the n-th commonest as often as 1 / (n + 2.7)."""
    return chance.choices(words, cum_weights=shares(len(words)), k=count)


def catalog_fingerprint() -> str:
    return folders.read(catalog.bundled()).fingerprint


def clustered(count: int, step: int) -> Iterator[np.ndarray[Any, Any]]:
    """Unit float16 rows in clusters whose spread falls off by dimension, as that of embeddings does."""
    chance = np.random.default_rng(0)
    spectrum = (1 + np.arange(WIDTH, dtype=np.float32)) ** -0.5
    centres = chance.standard_normal((max(1, count // 300), WIDTH), np.float32) * spectrum
    for start in range(0, count, step):
        size = min(step, count - start)
        rows = centres[chance.integers(len(centres), size=size)]
        rows += 0.8 * chance.standard_normal((size, WIDTH), np.float32) * spectrum
        yield (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def mapped(path: Path, count: int) -> np.ndarray[Any, Any]:
    with path.open("wb") as file:
        for rows in clustered(count, 20_000):
            file.write(rows.tobytes())
    return np.memmap(path, np.float16, "r", shape=(count, WIDTH))


def one_pass(vectors: np.ndarray[Any, Any], block: int = 1 << 21) -> int:
    """Read all the memory with all cores."""
    words = vectors.view(np.uint64).reshape(-1)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(int(part) for part in pool.map(lambda i: words[i : i + block].sum(), range(0, len(words), block)))


def middle(values: Any) -> float:
    return round(statistics.median(values), 2)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
