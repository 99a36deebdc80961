"""Every model that ships, by the same measures: agreement with people, Korean questions, size, and speed.

Run by hand:  python tests/benchmarks/shipped_models.py [--data FOLDER] [--threads N] [--only NAME ...]
                                                        [--translations FOLDER] [--draft]

Each model gives a line of JSON, and at the end all of them the table of the README. FOLDER of --translations holds
Debian's packages libreoffice-l10n-LANGUAGE 7.4.7, unpacked: sentences of the interface and their English originals.
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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "resources" / "models" / "explorer-gte-ko-en")]
import parallel  # noqa: E402

from explorer.models.bi_encoder import BiEncoder, Encoding  # noqa: E402
from explorer.models.cross_encoder import CrossEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.files.catalog import CatalogEntry  # noqa: E402
from explorer.models.runtime.device import Device, choose  # noqa: E402
from explorer.models.static_encoder import StaticEncoder, distil, static_encoder_of  # noqa: E402
from explorer.training.measure.metrics import auc, ndcg, spearman  # noqa: E402

Report = dict[str, Any]  # measures by name
Pairs = list[tuple[str, str, float]]
ROUNDS = 3
SENTENCES, SHORT, LONG = 500, 50, 200  # of a language's interface, and the letters of their originals
# The languages that gettext calls otherwise than the cards do.
GETTEXT = {"zh": ("zh_CN", "zh_TW")}
TRANSLATED = "nearest English one is the translation, by language"


class Encoder(Protocol):
    """What makes vectors of texts."""

    def encode(self, texts: Sequence[str]) -> Encoding: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--translations", type=Path)
    parser.add_argument("--draft", action="store_true")
    chosen = parser.parse_args()
    device = choose("cpu", threads=chosen.threads)
    bundled = BiEncoder.open(catalog.bundled(), device)
    if chosen.draft:
        print(json.dumps(compared_drafts(bundled)))
        return
    reports: dict[str, Report] = {}
    for entry in catalog.entries():
        if entry.source != "shipped" or (chosen.only and entry.name not in chosen.only):
            continue
        report = reports[entry.name] = measured(entry, chosen.data, device, bundled)
        if chosen.translations and entry.kind == "bi":
            report[TRANSLATED] = by_language(opened(entry, device), chosen.translations, entry.languages)
        print(json.dumps({entry.name: report}, ensure_ascii=False), flush=True)
    print("\n".join(table(reports)))


def table(reports: Mapping[str, Report]) -> list[str]:
    """The rows of the README's table, but for the one that says what each model is."""
    lines = ["| | " + " | ".join(reports) + " |", "|---" * (len(reports) + 1) + "|"]
    for title, (name, shown) in ROWS.items():
        cells = [shown(report[name]) if name in report else "" for report in reports.values()]
        lines.append("| " + " | ".join([title, *cells]) + " |")
    return lines


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


def opened(entry: CatalogEntry, device: Device) -> Encoder:
    assert entry.path is not None
    return StaticEncoder.open(entry.path) if entry.kind == "draft" else BiEncoder.open(entry.path, device)


def measured(entry: CatalogEntry, data: Path, device: Device, bundled: BiEncoder) -> Report:
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
    model = opened(entry, device)
    some = _texts(english(data, "test")[:300])
    speed = faster(lambda: model.encode(some), lambda: bundled.encode(some))
    measures: Report = {name: round(float(measure(model, data)), 4) for name, measure in MEASURES.items()}
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


def by_language(model: Encoder, folder: Path, languages: Sequence[str]) -> dict[str, float]:
    """Share of sentences whose nearest of 500 English ones is their original, for each language but English."""
    found = {}
    for name in [name for code in languages if code != "en" for name in GETTEXT.get(code, (code,))]:
        pairs = {
            english: text
            for text, english in sorted(parallel.interface(folder, name))
            if SHORT <= len(english) <= LONG and text != english and not set("<>{}") & set(english)
        }
        some = sorted(pairs.items())[:: max(1, len(pairs) // SENTENCES)][:SENTENCES]
        originals = model.encode([english for english, _ in some]).whole()  # (N, n)
        near = (model.encode([text for _, text in some]).whole() @ originals.T).argmax(axis=1)
        found[name] = round(float(np.mean(near == np.arange(len(some)))), 3)
    return found


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


def hundredths(value: float) -> str:
    return f"{100 * value:.1f}"


def thousandths(value: float) -> str:
    return f"{value:.3f}"


def plainly(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def from_to(shares: dict[str, float]) -> str:
    others = [share for name, share in shares.items() if name != "ko"]
    return f"{100 * min(others):.0f} to {100 * max(others):.0f} %" if others else ""


# The titles of the README's rows, each with the measure it shows and how.
ROWS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "size": ("MB", lambda value: f"{plainly(value)} MB"),
    "STSb test, Spearman": ("STSb test, Spearman", hundredths),
    "STSb dev, Spearman": ("STSb dev, Spearman", hundredths),
    "KorSTS dev, Spearman": ("KorSTS dev, Spearman", hundredths),
    "Korean question pairs, AUC": ("Korean questions, AUC", thousandths),
    "Korean questions rephrased, nDCG@10": ("Korean questions rephrased, nDCG@10", thousandths),
    "a Korean sentence's nearest English one is its translation": (
        "Korean to English, nearest is the translation",
        lambda value: f"{100 * value:.0f} %",
    ),
    "the same for sentences in 13 other languages, lowest to highest": (TRANSLATED, from_to),
    "texts (or pairs) per second beside all-MiniLM-L6-v2 at equal precision": ("speed", plainly),
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
