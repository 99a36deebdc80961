"""What the shipped cross-encoder is worth: STSb, and the order of the best of hybrid before and after it read them.

Run by hand:  python tests/benchmarks/rerank.py [--only stsb cranfield msmarco_mini cacm vaswani_npl bills speed]
               [--model NAME] [--encoder NAME] [--depth N] [--threads N] [--bills FOLDER]

The queries that measure: Cranfield's second half, 113 to 225, CACM's last 8, Vaswani's last 20, all of msmarco_mini and
of the held-out Korean bills (see retrieval.py). The model learned from queries 1 to 72, 1 to 40 and 1 to 60 of the
first three; what was chosen was chosen on those between. Intervals are of 2,000 bootstrap samples. "bi-encoder" is the
order by cosine, "cross alone" that by the cross-encoder's score, both among those that were read; "shown" is the
program's. "speed" is that of 100 passages of msmarco_mini for one question, the first 20 rows and all: seconds of the
CPU on one core, in each precision, the best of three.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer import open_workspace  # noqa: E402
from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.cross_encoder import CrossEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.runtime.device import Device, choose  # noqa: E402
from explorer.training.data.beir import Retrieval  # noqa: E402
from explorer.training.measure import bootstrap  # noqa: E402
from explorer.training.measure.bootstrap import Interval  # noqa: E402
from explorer.training.measure.metrics import mean, ndcg, spearman  # noqa: E402
from explorer.workspace.search.search import Hit, Searcher  # noqa: E402
from tests.retrieval_data import plain, read_bills, read_cacm, read_cranfield, read_msmarco, read_vaswani, write_files  # noqa: E402

ORDERS: dict[str, Callable[[Hit], float]] = {
    "hybrid": lambda hit: hit.found_rank,
    "bi-encoder": lambda hit: -(hit.bi_score or -1.0) if hit.cross_score is not None else 2.0,
    "cross alone": lambda hit: -hit.cross_score if hit.cross_score is not None else 0.0,
    "shown": lambda hit: hit.rank,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", choices=[*MEASURES, *SETS], default=[*MEASURES, *SETS])
    parser.add_argument("--model", default=catalog.RERANKER)
    parser.add_argument("--encoder", default=catalog.DEFAULT)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--bills", type=Path, default=None)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    device = choose("cpu", threads=chosen.threads)
    model = CrossEncoder.open(catalog.find(chosen.model), device)
    for name in chosen.only:
        if name in MEASURES:
            print(json.dumps({name: MEASURES[name](chosen.data, model, device)}), flush=True)
        elif name != "bills" or chosen.bills:
            read, first = SETS[name]
            data = _from(read(chosen.bills if name == "bills" else chosen.data / name), first)
            print(json.dumps({name: _reranked(data, model, chosen.encoder, device, chosen.depth)}), flush=True)


def stsb(data: Path, model: CrossEncoder, device: Device) -> dict[str, object]:
    report: dict[str, object] = {}
    for part in ("dev", "test"):
        with (data / "stsb_en" / f"stsb-en-{part}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        began = time.monotonic()
        found = model.score([(row[0], row[1]) for row in rows]).relevance()
        seconds = time.monotonic() - began
        people = [float(row[2]) for row in rows]
        statistic, count = bootstrap.statistic(spearman, found, people), len(rows)
        told = bootstrap.interval(bootstrap.value_of(statistic, count), bootstrap.draw_all(statistic, count))
        report[part] = _told(told) | {"pairs": len(rows), "pairs_a_second": round(len(rows) / seconds, 1)}
    return report


def speed(data: Path, model: CrossEncoder, device: Device) -> dict[str, object]:
    read = read_msmarco(data / "msmarco_mini")
    question = next(iter(read.queries.values()))
    pairs = [(question, text) for text in list(read.corpus.values())[:100]]
    report: dict[str, object] = {"device": device.precision}
    for precision in ("float32", "bfloat16"):
        reader = CrossEncoder.open(model.folder.path, choose("cpu", threads=1, precision=precision))
        best = [float("inf"), float("inf")]
        for _ in range(3):
            for index, part in enumerate((pairs[:20], pairs)):
                began = time.process_time()
                reader.score(part)
                best[index] = min(best[index], time.process_time() - began)
        report[precision] = {"first 20": round(best[0], 2), "100": round(best[1], 2)}
    return report


def _from(data: Retrieval, first: int) -> Retrieval:
    """The same documents with the judged queries from a place on, from the end if it is negative."""
    judged = [key for key in data.queries if any(data.relevant.get(key, {}).values())]
    return Retrieval(data.corpus, {key: data.queries[key] for key in judged[first:]}, data.relevant)


def _reranked(data: Retrieval, model: CrossEncoder, name: str, device: Device, depth: int) -> dict[str, object]:
    """nDCG@10 of each order, with the gain over hybrid."""
    encoder = BiEncoder.open(catalog.find(name), device)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DOCEXPLORER_HOME"] = str(Path(folder) / "home")
        with open_workspace(write_files(data, Path(folder) / "texts")) as workspace:
            workspace.update(encoder)
            finder = Searcher(workspace, encoder, languages=catalog.languages(name))
            began = time.monotonic()
            hits = {
                key: finder.search(plain(text), k=max(10, depth), reranker=model, reranked=depth).hits
                for key, text in data.queries.items()
            }
            seconds = (time.monotonic() - began) / len(hits)
    values = {
        order: [
            ndcg([hit.path.removesuffix(".txt") for hit in sorted(found, key=key)], data.relevant[query])
            for query, found in hits.items()
        ]
        for order, key in ORDERS.items()
    }
    report: dict[str, Any] = {"queries": len(hits), "read": depth, "seconds_a_query": round(seconds, 2)}
    for order, found in values.items():
        report[order] = {"ndcg": round(float(np.mean(found)), 4)}
        for other in () if order == "hybrid" else ("hybrid", "bi-encoder") if order == "cross alone" else ("hybrid",):
            report[order] |= {f"over {other}": _told(_gain(values[other], found))}
    return report


def _gain(before: list[float], after: list[float]) -> Interval:
    """The mean difference with its 95 % interval."""
    both = ({"": bootstrap.statistic(mean, values)} for values in (before, after))
    return bootstrap.compare(*both, len(after))[0].difference


def _told(interval: Interval) -> dict[str, float]:
    return {name: round(getattr(interval, name), 4) for name in ("value", "low", "high")}


MEASURES = {"stsb": stsb, "speed": speed}
SETS = {
    "cranfield": (read_cranfield, 112),
    "msmarco_mini": (read_msmarco, 0),
    "cacm": (read_cacm, -8),
    "vaswani_npl": (read_vaswani, -20),
    "bills": (read_bills, 0),
}


if __name__ == "__main__":
    main()
