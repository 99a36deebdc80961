"""How fast neighbours are found, beside one pass over the same memory and beside the bare matrix product.

Run by hand, on an idle machine:  python tests/benchmarks/search.py [--rows 1000000] [--rounds 7] [--skip graph]

Ratios are of the same round, because machines are noisy; both sides use all cores. Medians are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.index.approximate import Approximate  # noqa: E402
from explorer.index.neighbours import all_pairs, nearest, prepare  # noqa: E402

WIDTH = 384


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pair-rows", type=int, default=10_000)
    parser.add_argument("--graph-rows", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--skip", nargs="*", default=[], choices=list(PARTS))
    chosen = parser.parse_args()
    report = {}
    for name, part in PARTS.items():
        if name not in chosen.skip:
            report[name] = part(chosen)
            print(name, json.dumps(report[name]), flush=True)
    print(json.dumps(report, indent=2))


def query(chosen: argparse.Namespace) -> dict[str, Any]:
    """One query over memory-mapped float16, as a multiple of one pass over that memory by all cores."""
    with tempfile.TemporaryDirectory() as folder:
        vectors = mapped(Path(folder) / "vectors", chosen.rows)
        asked = vectors[77] + np.random.default_rng(1).normal(0, 0.02, WIDTH).astype(np.float32)
        ready, copy = prepare(vectors), prepare(vectors, compact=True)
        ways: dict[str, Callable[[], object]] = {
            "pass": lambda: one_pass(vectors),
            "numpy_sum": lambda: vectors.view(np.uint64).sum(),
            "unprepared": lambda: nearest(vectors, asked, 10),
            "prepared": lambda: nearest(vectors, asked, 10, prepared=ready),
            "compact": lambda: nearest(vectors, asked, 10, prepared=copy),
        }
        prepared = seconds(lambda: prepare(vectors))
        rounds = [{name: seconds(work) for name, work in ways.items()} for _ in range(chosen.rounds)]
    ratios = {f"{name}_to_pass": middle(row[name] / row["pass"] for row in rounds) for name in list(ways)[1:]}
    best = {f"{name}_best_ms": round(min(row[name] for row in rounds) * 1000, 1) for name in ways}
    return {"rows": chosen.rows, **ratios, **best, "prepare_s": middle([prepared])}


def pairs(chosen: argparse.Namespace) -> dict[str, Any]:
    """The 15 nearest of every row, as a multiple of the bare product."""
    rows = next(clustered(chosen.pair_rows, chosen.pair_rows)).astype(np.float32)
    ratios = []
    for _ in range(chosen.rounds):
        bare = seconds(lambda: rows @ rows.T)
        ratios.append(seconds(lambda: all_pairs(rows, 15)) / bare)
    return {
        "rows": len(rows),
        "to_product": middle(ratios),
        "range": [round(min(ratios), 2), round(max(ratios), 2)],
    }


def graph(chosen: argparse.Namespace) -> dict[str, Any]:
    """Recall@10 of the approximate search and how many times faster than the exact one it answers one query."""
    vectors = np.concatenate(list(clustered(chosen.graph_rows, 20_000)))
    index: list[Approximate] = []
    built = seconds(lambda: index.append(Approximate.build(vectors)))
    chance = np.random.default_rng(2)
    asked = vectors[chance.choice(len(vectors), 500, replace=False)].astype(np.float32)
    asked += chance.normal(0, 0.01, asked.shape).astype(np.float32)
    true, found = nearest(vectors, asked, 10), index[0].nearest(vectors, asked, 10)
    ready = prepare(vectors)
    ratios = [
        seconds(partial(nearest, vectors, line, 10, prepared=ready))
        / seconds(partial(index[0].nearest, vectors, line, 10))
        for line in asked[:50]
    ]
    return {
        "rows": len(vectors),
        "recall_at_10": round(float((found.rows[:, :, None] == true.rows[:, None]).any(2).mean()), 4),
        "one_query_speed_up": middle(ratios),
        "build_rows_a_second": round(len(vectors) / built),
    }


# Keyword search and the memory of an opened workspace are measured by functions to be added here.
PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "query": query,
    "pairs": pairs,
    "graph": graph,
}


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
        return sum(
            int(part) for part in pool.map(lambda i: words[i : i + block].sum(), range(0, len(words), block))
        )


def middle(values: Any) -> float:
    return round(statistics.median(values), 2)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
