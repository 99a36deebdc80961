"""What a million documents cost from vectors to graph, clusters with names and map, beside their encoding.

Run by hand:  python tests/benchmarks/million.py [--texts 1000000] [--store] [--encoded 500] [--growth 50000 100000]

The texts are real ones of the data sets (titles, news, posts, abstracts, passages, sentences), and joined pairs of them
where there are not enough. All vectors are the draft's, as encoding a million texts takes hours; the time of their
encoding is that of a real sample of them, times their number. Times are of the CPU, so that a busy machine tells the
same as an idle one; peak memory is the process's. With --store the rows also go through the workspace: read, stored,
split, indexed by word. NMI is on the labelled titles alone; recall is of the graph's neighbours, against every row
compared, for a sample. --growth measures smaller numbers first and says what ten million would take by the growth from
the last to the largest.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT))

TEN_MILLION = 10_000_000
CHECKED = 300  # rows whose neighbours are compared with all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--encoded", type=int, default=500)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--growth", type=int, nargs="*", default=[])
    parser.add_argument("--here", action="store_true", help="measure in this process")
    chosen = parser.parse_args()
    if chosen.here:
        print(json.dumps(measured(chosen.texts, chosen.encoded, store=chosen.store)))
        return
    reports = []
    for count in [*chosen.growth, chosen.texts]:
        words = [sys.executable, __file__, "--here", "--texts", str(count), "--encoded", str(chosen.encoded)]
        words += ["--store"] * chosen.store
        told = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
        reports.append(json.loads(told))
        print(json.dumps(reports[-1], indent=2), flush=True)
    if len(reports) > 1:
        print(json.dumps(on_paper(reports[-2], reports[-1]), indent=2))


def on_paper(small: dict[str, Any], large: dict[str, Any]) -> dict[str, Any]:
    """CPU seconds of each stage for ten million, by the power at which it grew from one number to the next."""
    told = {}
    for stage, seconds in large["cpu_seconds"].items():
        ratio = max(seconds, 1e-3) / max(small["cpu_seconds"].get(stage, 0), 1e-3)
        power = max(0.5, math.log(ratio) / math.log(large["texts"] / small["texts"]))
        told[stage] = {"power": round(power, 2), "seconds": round(seconds * (TEN_MILLION / large["texts"]) ** power)}
    grown = (large["peak_mb"] - small["peak_mb"]) / (large["texts"] - small["texts"])
    return {"texts": TEN_MILLION, "stages": told, "peak_gb": round((large["peak_mb"] + grown * TEN_MILLION) / 1024, 1)}


def measured(count: int, encoded: int, *, store: bool) -> dict[str, Any]:
    from explorer.analysis.clusters.cluster import cluster
    from explorer.analysis.map.layout import layout, trust
    from explorer.analysis.topics.topic_words import count_terms, topics
    from explorer.analysis.vectors.knn_graph import build
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.models.static_encoder import static_encoder_of

    texts, labels = combined(count)
    model = BiEncoder.open(catalog.bundled())
    clock = Clock()
    if store:
        with tempfile.TemporaryDirectory() as folder:
            stored(texts, Path(folder), model, clock)
    clock.lap("")
    model.encode(random.Random(1).sample(texts, min(encoded, count)))
    clock.lap("encoding")
    clock.laps["encoding"] *= count / min(encoded, count)
    draft = static_encoder_of(model)
    vectors = draft.encode(texts).whole().astype(np.float16)
    del model
    clock.lap("draft vectors")
    graph = build(vectors)
    clock.lap("graph")
    keys = [blake2b(b"%d" % row, digest_size=16).digest() for row in range(count)]
    found = cluster(graph, np.asarray(vectors), keys)
    clock.lap("clusters")
    told = topics(count_terms(texts), found.labels)
    clock.lap("words and names")
    shown: list[int] = []
    drawn = layout(graph, vectors, on_picture=lambda _at, done, _total: shown.append(done))
    clock.lap("map")
    encoding = clock.laps.pop("encoding")
    ours = sum(clock.laps[name] for name in ("graph", "clusters", "words and names", "map"))
    return {
        "texts": count,
        "cpu_seconds": {name: round(value, 1) for name, value in clock.laps.items() if name},
        "encoding_cpu_seconds": round(encoding),
        "share_of_encoding": round(ours / encoding, 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "clusters": len(told),
        "nmi_of_titles": round(nmi(found.labels, labels), 3),
        "recall_of_graph": round(recall(graph.rows, vectors), 3),
        "neighbours_kept_by_map": round(trust(drawn.positions, graph).mean, 3),
        "pictures": len(shown),
    }


def stored(texts: list[str], folder: Path, model: Any, clock: Clock) -> None:
    """Read the texts as rows of a table, store, split and index them."""
    from explorer.corpus.document import ReadOptions
    from explorer.task import Task
    from explorer.workspace.storage import connection as connections
    from explorer.workspace.storage import passages
    from explorer.workspace.update.split import budget_of, cutting_keys, split_documents
    from explorer.workspace.update.sync_files import FileSync

    (folder / "rows").mkdir()
    (folder / "workspace").mkdir()
    with (folder / "rows" / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    database = connections.connect(folder / "workspace", writable=True)
    clock.lap("")
    FileSync(database, folder / "rows", ReadOptions()).run(Task())
    clock.lap("reading and storing")
    cutting, key = passages.cutting(database, *cutting_keys(model))
    split_documents(database, model.tokenizer, budget_of(model), cutting, key, Task())
    clock.lap("splitting")
    database.close()


def nmi(clusters: np.ndarray[Any, Any], labels: list[str]) -> float:
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(labels, clusters[: len(labels)]))


def recall(rows: np.ndarray[Any, Any], vectors: np.ndarray[Any, Any]) -> float:
    """The share of true neighbours among those of the graph, for some rows."""
    some = np.linspace(0, len(vectors) - 1, min(CHECKED, len(vectors))).astype(int)
    shares = []
    for row in some:
        scores = np.concatenate(
            [
                np.asarray(vectors[start : start + 65536], np.float32) @ np.asarray(vectors[row], np.float32)
                for start in range(0, len(vectors), 65536)
            ]
        )
        scores[row] = -2
        least = np.partition(scores, -rows.shape[1])[-rows.shape[1]]
        shares.append((scores[rows[row]] >= least - 1e-3).mean())
    return float(np.mean(shares))


class Clock:
    """CPU seconds from lap to lap."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.process_time()

    def lap(self, name: str) -> None:
        now = time.process_time()
        self.laps[name], self._last = now - self._last, now
        if name:
            print(f"{name}: {self.laps[name]:.1f} s", file=sys.stderr, flush=True)


def combined(count: int) -> tuple[list[str], list[str]]:
    """Texts, the labelled titles first, and the labels of these; pairs of texts are joined as far as needed."""
    folder = DATA / "stackoverflow_short"
    titles = (folder / "title_StackOverflow.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    labels = (folder / "label_StackOverflow.txt").read_text(encoding="utf-8").split()
    others: list[str] = []
    with (DATA / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as file:
        others += [part for row in csv.reader(file) for part in row[1:3]]
    for path in sorted((DATA / "mini_newsgroups").glob("*/*")):
        words = path.read_text(encoding="latin-1").partition("\n\n")[2].split()
        others += [" ".join(words[start : start + 40]) for start in range(0, len(words), 40)]
    with (DATA / "msmarco_mini" / "corpus.jsonl").open(encoding="utf-8") as file:
        others += [str(json.loads(line)["text"]) for line in file]
    for name in ("cacm/cacm.all", "cranfield/cran.all.1400"):
        text = (DATA / name).read_text(encoding="latin-1")
        others += [
            " ".join(part.split())
            for part in re.findall(r"^\.[TW]\s*$(.*?)(?=^\.[A-Z])", text, re.MULTILINE | re.DOTALL)
        ]
    others = [text for text in dict.fromkeys(others) if len(text) > 20]
    chance = random.Random(0)
    chance.shuffle(others)
    texts = [*titles, *others]
    short = [text for text in texts if len(text) < 200]
    while len(texts) < count:
        texts.append(f"{chance.choice(short)} {chance.choice(short)}")
    return texts[:count], labels[:count]


if __name__ == "__main__":
    main()
