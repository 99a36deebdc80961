"""How good, quick and steady the default clusters are, beside scikit-learn's k-means given the true number of classes.

Run by hand, on an idle machine:  python tests/benchmarks/clusters.py [--sets stackoverflow newsgroups news]

Times are ratios within one round; the graph is excluded. k-means begins once, as scikit-learn does by itself since 1.4,
and ten times and keeps the best, as it did before. "kept" is the share of old documents whose cluster keeps its
id when 5 % new ones come.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT))

from explorer.analysis.clusters.cluster import cluster, follow  # noqa: E402
from explorer.analysis.vectors.exact import all_pairs  # noqa: E402
from explorer.analysis.vectors.knn_graph import K, KnnGraph  # noqa: E402
from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402

Texts = tuple[list[str], list[str]]  # texts and their classes
Vectors = NDArray[np.float32]
STARTS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=["stackoverflow", "newsgroups"], choices=list(SETS))
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    model = BiEncoder.open(catalog.bundled())
    for name in chosen.sets:
        texts, classes = SETS[name]()
        vectors = np.asarray(model.encode(texts).whole(), np.float32)
        keys = [blake2b(text.encode(), digest_size=16).digest() for text in texts]
        print(name, json.dumps(measured(vectors, keys, classes, chosen.rounds)), flush=True)


def measured(vectors: Vectors, keys: list[bytes], classes: list[str], rounds: int) -> dict[str, Any]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score

    graph, true = graph_of(vectors), len(set(classes))
    cluster(graph, vectors, keys)  # imports
    ratios: dict[int, list[float]] = {1: [], STARTS: []}
    theirs: dict[int, list[float]] = {1: [], STARTS: []}
    for turn in range(rounds):
        ours = seconds(lambda: cluster(graph, vectors, keys))[0]
        for starts in (1, STARTS):
            means = KMeans(true, n_init=starts, random_state=turn)
            other, fit = seconds(lambda means=means: means.fit(vectors))
            ratios[starts].append(ours / other)
            theirs[starts].append(normalized_mutual_info_score(classes, fit.labels_))
    made = cluster(graph, vectors, keys)
    return {
        "documents": len(vectors),
        "classes": true,
        "clusters": len(made.ids),
        "leftover_share": round(made.leftover_share, 4),
        "nmi": round(normalized_mutual_info_score(classes, made.labels), 4),
        "kmeans_nmi": {starts: [round(value, 4) for value in found] for starts, found in theirs.items()},
        "time_to_kmeans": {starts: round(statistics.median(found), 4) for starts, found in ratios.items()},
        "same_in_three_orders": all(same_shuffled(vectors, keys, made.labels, seed) for seed in range(3)),
        "kept": [round(kept(graph, vectors, keys, seed), 4) for seed in range(3)],
    }


def same_shuffled(vectors: Vectors, keys: list[bytes], labels: NDArray[np.int32], seed: int) -> bool:
    order = np.random.default_rng(seed).permutation(len(vectors))
    again = cluster(graph_of(vectors[order]), vectors[order], [keys[row] for row in order])
    return bool(np.array_equal(again.labels, labels[order]))


def kept(graph: KnnGraph, vectors: Vectors, keys: list[bytes], seed: int) -> float:
    size = round(len(vectors) / 1.05)
    old = np.sort(np.random.default_rng(seed).permutation(len(vectors))[:size])
    some = [keys[row] for row in old]
    before = follow({}, some, cluster(graph_of(vectors[old]), vectors[old], some).labels)
    earlier = dict(zip(some, before.labels.tolist(), strict=True))
    made = cluster(graph, vectors, keys, earlier=earlier)
    after = follow(earlier, keys, made.labels, next_id=before.next_id)
    return float(np.mean(after.labels[old] == before.labels))


def graph_of(vectors: Vectors) -> KnnGraph:
    found = all_pairs(vectors, K)
    return KnnGraph(found.rows.astype(np.int32), found.scores)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def stackoverflow() -> Texts:
    folder = DATA / "stackoverflow_short"
    texts = (folder / "title_StackOverflow.txt").read_text(encoding="utf-8").splitlines()
    return texts, (folder / "label_StackOverflow.txt").read_text(encoding="utf-8").split()


def newsgroups() -> Texts:
    """Messages without their headers."""
    root = DATA / "mini_newsgroups"
    files = sorted(path for path in root.glob("*/*") if path.is_file())
    texts = [path.read_text(encoding="latin-1").partition("\n\n")[2] for path in files]
    return texts, [path.parent.name for path in files]


def news(count: int = 3000) -> Texts:
    with (DATA / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    picked = np.sort(np.random.default_rng(0).permutation(len(rows))[:count])
    return [". ".join(rows[row][1:]) for row in picked], [rows[row][0] for row in picked]


SETS: dict[str, Callable[[], Texts]] = {"stackoverflow": stackoverflow, "newsgroups": newsgroups, "news": news}

if __name__ == "__main__":
    main()
