"""What the shipped cross-encoder is worth: STSb, and the order of the hybrid top 100 before and after it read them.

Run by hand:  python tests/benchmarks/rerank.py [--only stsb cranfield msmarco_mini speed] [--model NAME] [--threads N]

Cranfield is measured on its second half of queries, 113 to 225; the model learned from queries 1 to 72, and the share
of its score in the order was chosen on 73 to 112. It learned from no query and no judgement of msmarco_mini. Intervals
are of 2,000 bootstrap samples. "cross alone" is the order by the cross-encoder's score; "shown" is the program's.
"speed" is that of 100 passages of msmarco_mini for one question, the first 20 rows and all: seconds of the CPU on one
core, in each precision, the best of three.
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
from tests.retrieval_data import plain, read_cranfield, read_msmarco, write_files  # noqa: E402

MEASURED = 113  # Cranfield's second half begins here
ORDERS: dict[str, Callable[[Hit], float]] = {
    "hybrid": lambda hit: hit.found_rank,
    "cross alone": lambda hit: -(hit.cross_score or 0.0),
    "shown": lambda hit: hit.rank,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", choices=list(MEASURES), default=list(MEASURES))
    parser.add_argument("--model", default="")
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    device = choose("cpu", threads=chosen.threads)
    model = CrossEncoder.open(catalog.find(chosen.model) if chosen.model else catalog.reranker(), device)
    for name in chosen.only:
        print(json.dumps({name: MEASURES[name](chosen.data, model, device)}), flush=True)


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


def cranfield(data: Path, model: CrossEncoder, device: Device) -> dict[str, object]:
    whole = read_cranfield(data / "cranfield")
    half = {key: text for key, text in whole.queries.items() if int(key) >= MEASURED}
    return _reranked(Retrieval(whole.corpus, half, whole.relevant), model, device)


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


def msmarco(data: Path, model: CrossEncoder, device: Device) -> dict[str, object]:
    return _reranked(read_msmarco(data / "msmarco_mini"), model, device)


def _reranked(data: Retrieval, model: CrossEncoder, device: Device) -> dict[str, object]:
    """nDCG@10 of each order, with the gain over hybrid."""
    encoder = BiEncoder.open(catalog.bundled(), device)
    asked = {key: text for key, text in data.queries.items() if any(data.relevant.get(key, {}).values())}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DOCEXPLORER_HOME"] = str(Path(folder) / "home")
        with open_workspace(write_files(data, Path(folder) / "texts")) as workspace:
            workspace.update(encoder)
            finder = Searcher(workspace, encoder, languages=["en"])
            began = time.monotonic()
            hits = {key: finder.search(plain(text), k=100, reranker=model).hits for key, text in asked.items()}
            seconds = (time.monotonic() - began) / len(asked)
    values = {
        order: [
            ndcg([hit.path.removesuffix(".txt") for hit in sorted(found, key=key)], data.relevant[query])
            for query, found in hits.items()
        ]
        for order, key in ORDERS.items()
    }
    report: dict[str, object] = {"queries": len(asked), "seconds_a_query": round(seconds, 2)}
    for order, found in values.items():
        change = bootstrap.compare(
            {"": bootstrap.statistic(mean, values["hybrid"])}, {"": bootstrap.statistic(mean, found)}, len(found)
        )[0]
        report[order] = {"ndcg": round(change.after.value, 4)}
        if order != "hybrid":
            report[order] = {"ndcg": round(change.after.value, 4), "gain": _told(change.difference)}
    return report


def _told(interval: Interval) -> dict[str, float]:
    return {name: round(getattr(interval, name), 4) for name in ("value", "low", "high")}


MEASURES = {"stsb": stsb, "cranfield": cranfield, "msmarco_mini": msmarco, "speed": speed}


if __name__ == "__main__":
    main()
