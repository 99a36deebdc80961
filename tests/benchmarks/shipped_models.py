"""Every model that ships, by the same measures: agreement with people, Korean questions, size, and speed.

Run by hand:  python tests/benchmarks/shipped_models.py [--data FOLDER] [--threads N] [--only NAME ...] [--draft]

With --draft, the draft that ships is compared with one that is distilled anew, and nothing else.

Speed is relative to the bundled model, on the texts or pairs of STSb test, timed alternately and the best of three.
The bilingual model was chosen on no part of STSb test; Korean questions were held out of its training.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.models.bi_encoder import BiEncoder, Encoding  # noqa: E402
from explorer.models.cross_encoder import CrossEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.files.catalog import CatalogEntry  # noqa: E402
from explorer.models.runtime.device import Device, choose  # noqa: E402
from explorer.models.static_encoder import StaticEncoder, distil, static_encoder_of  # noqa: E402
from explorer.training.measure.metrics import auc, ndcg, spearman  # noqa: E402

Pairs = list[tuple[str, str, float]]
ROUNDS = 3


class Encoder(Protocol):
    """What makes vectors of texts."""

    def encode(self, texts: Sequence[str]) -> Encoding: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--draft", action="store_true")
    chosen = parser.parse_args()
    device = choose("cpu", threads=chosen.threads)
    bundled = BiEncoder.open(catalog.bundled(), device)
    if chosen.draft:
        print(json.dumps(compared_drafts(bundled)))
        return
    for entry in catalog.entries():
        if entry.source != "shipped" or (chosen.only and entry.name not in chosen.only):
            continue
        report = measured(entry, chosen.data, device, bundled)
        print(json.dumps({entry.name: report}, ensure_ascii=False), flush=True)


def compared_drafts(bundled: BiEncoder) -> dict[str, object]:
    """Whether the draft that ships is what distilling gives, and the largest differences on lines of the sample."""
    files = sorted((ROOT / "resources" / "sample").rglob("*.txt"))
    lines = [line for file in files for line in file.read_text("utf-8").splitlines() if len(line) > 40][:200]
    shipped, anew = static_encoder_of(bundled), distil(bundled)
    stored, fresh = shipped.encode(lines).whole(), anew.encode(lines).whole()  # (200, n)
    return {
        "same fingerprint": shipped.fingerprint == anew.fingerprint,
        "vectors": float(np.abs(stored - fresh).max()),  # at most 0.02
        "cosines": float(np.abs(stored @ stored.T - fresh @ fresh.T).max()),  # at most 0.01
    }


def measured(entry: CatalogEntry, data: Path, device: Device, bundled: BiEncoder) -> dict[str, float]:
    """The measures of a model, with its size in MB and its speed."""
    assert entry.path is not None
    size = round(entry.bytes / 1e6, 1)
    if entry.kind == "cross":
        cross = CrossEncoder.open(entry.path, device)
        tests = english(data, "test")
        pairs = [(first, second) for first, second, _ in tests]
        score = float(spearman(cross.score(pairs).relevance(), [each[2] for each in tests]))
        speed = faster(lambda: cross.score(pairs[:300]), lambda: bundled.encode(_texts(tests[:150])))
        return {"STSb test, Spearman": round(score, 4), "MB": size, "speed": speed}
    model: Encoder = StaticEncoder.open(entry.path) if entry.kind == "draft" else BiEncoder.open(entry.path, device)
    some = _texts(english(data, "test")[:300])
    speed = faster(lambda: model.encode(some), lambda: bundled.encode(some))
    measures = {name: round(float(measure(model, data)), 4) for name, measure in MEASURES.items()}
    return measures | {"MB": size, "speed": speed}


def faster(run: Callable[[], object], beside: Callable[[], object]) -> float:
    """How often a run fits into the time of another that handles as many texts."""
    times: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for kept, each in zip(times, (run, beside), strict=True):
            began = time.perf_counter()
            each()
            kept.append(time.perf_counter() - began)
    return round(min(times[1]) / min(times[0]), 2)


def english(data: Path, part: str) -> Pairs:
    with (data / "stsb_en" / f"stsb-en-{part}.csv").open(encoding="utf-8", newline="") as file:
        return [(first, second, float(score)) for first, second, score in csv.reader(file)]


def korean(data: Path) -> Pairs:
    return [(row[5], row[6], float(row[4])) for row in _tabbed(data / "korsts" / "sts-dev.tsv")]


def questions(data: Path) -> Pairs:
    """Held-out pairs of questions, 1 where they mean the same."""
    rows = _tabbed(data / "ko_question_pair" / "validation.txt")
    return [(first, second, 1 - float(label)) for first, second, label in rows]


def similarity(model: Encoder, pairs: Pairs) -> float:
    return spearman(cosines(model, pairs), [each[2] for each in pairs])


def apart(model: Encoder, pairs: Pairs) -> float:
    return auc([each[2] > 0 for each in pairs], cosines(model, pairs))


def rephrased(model: Encoder, pairs: Pairs) -> float:
    """nDCG@10 of finding a question by another that means the same, among all of the set."""
    texts = sorted(set(_texts(pairs)))
    vectors = model.encode(texts).whole()
    place = {text: number for number, text in enumerate(texts)}
    asked = [(first, second) for first, second, same in pairs if same and first != second]
    found = []
    for first, second in asked:
        near = np.argsort(-vectors @ vectors[place[first]], kind="stable")
        ranking = [texts[number] for number in near[:11].tolist() if texts[number] != first]
        found.append(ndcg(ranking, {second: 1}))
    return float(np.mean(found))


def translated(model: Encoder, data: Path) -> float:
    """Share of Korean sentences whose nearest English sentence is their translation."""
    sides = zip(korean(data), english(data, "dev"), strict=True)
    both = {first[0]: second[0] for first, second in sides}
    there = {text: number for number, text in enumerate(dict.fromkeys(both.values()))}
    near = (model.encode(list(both)).whole() @ model.encode(list(there)).whole().T).argmax(axis=1)
    return float(np.mean(near == [there[text] for text in both.values()]))


MEASURES: dict[str, Callable[[Encoder, Path], float]] = {
    "STSb dev, Spearman": lambda model, data: similarity(model, english(data, "dev")),
    "STSb test, Spearman": lambda model, data: similarity(model, english(data, "test")),
    "KorSTS dev, Spearman": lambda model, data: similarity(model, korean(data)),
    "Korean questions, AUC": lambda model, data: apart(model, questions(data)),
    "Korean questions not the same word for word, AUC": lambda model, data: apart(
        model, [each for each in questions(data) if each[0] != each[1]]
    ),
    "Korean questions rephrased, nDCG@10": lambda model, data: rephrased(model, questions(data)),
    "Korean to English, nearest is the translation": translated,
}


def cosines(model: Encoder, pairs: Pairs) -> NDArray[np.float32]:
    vectors = model.encode(_texts(pairs)).whole()
    values: NDArray[np.float32] = (vectors[: len(pairs)] * vectors[len(pairs) :]).sum(axis=1)
    return values


def _texts(pairs: Pairs) -> list[str]:
    return [*[each[0] for each in pairs], *[each[1] for each in pairs]]


def _tabbed(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


if __name__ == "__main__":
    main()
