"""What graph, clusters with topics and a usable map cost beside the encoding of the same texts.

Run by hand, on an idle machine:  python tests/benchmarks/overview.py [--texts 10000] [--sets titles posts]

Each set has its own process. Neither side's imports are in its share (the model is open before the clock starts); what
the imports of graph, clusters and map take, once a process, is told beside it, with the share that counts them.
"kept" is the share of true neighbours that are near on the map; a map is called usable once it keeps USABLE of what the
finished one keeps.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT))

USABLE = 0.95
WORDS = 50  # of a piece of a post


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--here", action="store_true", help="measure the one set in this process")
    chosen = parser.parse_args()
    if chosen.here:
        print(json.dumps(measured(SETS[chosen.sets[0]]()[: chosen.texts])))
        return
    for name in chosen.sets:
        words = [sys.executable, __file__, "--here", "--texts", str(chosen.texts), "--sets", name]
        told = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        print(name, json.dumps(told, indent=2), flush=True)


def measured(texts: list[str]) -> dict[str, Any]:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog

    encoder = BiEncoder.open(catalog.bundled())
    clock = Clock()
    vectors = np.asarray(encoder.encode(texts).whole(), np.float32)
    clock.lap("encoding")

    import openTSNE.affinity  # noqa: F401
    import sklearn.cluster  # noqa: F401
    import sknetwork.clustering.louvain_core  # noqa: F401

    from explorer.analysis.clusters.cluster import cluster
    from explorer.analysis.map.layout import layout, trust
    from explorer.analysis.topics.topic_words import count_terms, topics
    from explorer.analysis.vectors.knn_graph import build

    clock.lap("imports")
    graph = build(vectors)
    clock.lap("graph")
    keys = [blake2b(text.encode(), digest_size=16).digest() for text in texts]
    found = cluster(graph, vectors, keys)
    clock.lap("clusters")
    counts = count_terms(texts)
    clock.lap("words")
    told = topics(counts, found.labels)
    clock.lap("topics")
    seen: list[tuple[float, int, np.ndarray[Any, Any]]] = []
    start = time.perf_counter()
    layout(graph, vectors, on_picture=lambda at, done, _: seen.append((time.perf_counter() - start, done, at)))
    best = trust(seen[-1][2], graph).mean
    usable = next(one for one in seen if trust(one[2], graph).mean >= USABLE * best)
    at = {"first picture": seen[0], "usable map": usable, "finished map": seen[-1]}
    encoding, imports = clock.laps["encoding"], clock.laps["imports"]
    before = sum(clock.laps.values()) - encoding - imports
    return {
        "texts": len(texts),
        "clusters": len(told),
        "seconds": {name: round(value, 2) for name, value in clock.laps.items()}
        | {name: round(one[0], 2) for name, one in at.items()},
        "share_of_encoding": {name: round((before + one[0]) / encoding, 4) for name, one in at.items()},
        "share_with_imports": {name: round((imports + before + one[0]) / encoding, 4) for name, one in at.items()},
        "iterations": {name: one[1] for name, one in at.items()},
        "kept": {name: round(trust(one[2], graph).mean, 4) for name, one in at.items()},
    }


class Clock:
    """Seconds from lap to lap."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name], self._last = now - self._last, now


def titles() -> list[str]:
    return (DATA / "stackoverflow_short" / "title_StackOverflow.txt").read_text(encoding="utf-8").splitlines()


def posts() -> list[str]:
    """Pieces of messages without their headers."""
    pieces = []
    for path in sorted(path for path in (DATA / "mini_newsgroups").glob("*/*") if path.is_file()):
        words = path.read_text(encoding="latin-1").partition("\n\n")[2].split()
        pieces += [" ".join(words[start : start + WORDS]) for start in range(0, len(words), WORDS)]
    return pieces


SETS: dict[str, Callable[[], list[str]]] = {"titles": titles, "posts": posts}

if __name__ == "__main__":
    main()
