"""How well the right texts are found: by meaning, by word, and by both, with the program's own index and search.

Run by hand:  python tests/benchmarks/retrieval.py [--only cranfield msmarco_mini ...] [--model NAME] [--beside NAME]
               [--bills FOLDER]

Korean bills come from the source package of PyPI's korean-assembly-bills; --bills is its folder "data". The weights of
hybrid were chosen on parts of these sets: see explorer/analysis/search/ranking.py. Intervals are of 2,000 bootstrap
samples of the queries. --beside names another model, over which the gain is told, mode by mode.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer import open_workspace  # noqa: E402
from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.training.data.beir import Retrieval  # noqa: E402
from explorer.workspace.search.search import Searcher  # noqa: E402
from tests.retrieval_data import read_bills, read_cacm, read_cranfield, read_msmarco, read_vaswani, scores, write_files  # noqa: E402

READERS = {
    "cranfield": read_cranfield,
    "msmarco_mini": read_msmarco,
    "cacm": read_cacm,
    "vaswani_npl": read_vaswani,
    "bills": read_bills,
}
MODES = ("semantic", "keyword", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", default=list(READERS), choices=list(READERS))
    parser.add_argument("--model", default=catalog.DEFAULT)
    parser.add_argument("--beside", default="")
    parser.add_argument("--bills", type=Path, default=None)
    chosen = parser.parse_args()
    models = [
        (BiEncoder.open(catalog.find(name)), catalog.languages(name)) for name in (chosen.model, chosen.beside) if name
    ]
    for name in chosen.only:
        folder = chosen.bills if name == "bills" else chosen.data / name
        if folder is not None:
            data = READERS[name](folder)
            found, *others = (_found(data, *model) for model in models)
            print(json.dumps({name: _report(found, *others)}), flush=True)


def _found(data: Retrieval, encoder: BiEncoder, languages: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The scores of every query, by mode."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DOCEXPLORER_HOME"] = str(Path(folder) / "home")
        with open_workspace(write_files(data, Path(folder) / "texts")) as workspace:
            workspace.update(encoder)
            finder = Searcher(workspace, encoder, languages=languages)
            return {mode: np.array(scores(finder, data, mode)) for mode in MODES}


def _report(found: dict[str, np.ndarray], other: dict[str, np.ndarray] | None = None) -> dict[str, object]:
    report: dict[str, object] = {mode: round(float(values.mean()), 4) for mode, values in found.items()}
    for mode in MODES[:2]:
        report[f"hybrid - {mode}"] = _gain(found["hybrid"] - found[mode])
    for mode in MODES if other is not None else ():
        report[f"{mode} - the other's"] = _gain(found[mode] - other[mode])
    return report


def _gain(differences: np.ndarray) -> dict[str, float]:
    """The mean difference with its 95 % interval."""
    random = np.random.default_rng(0)
    means = random.choice(differences, (2000, len(differences))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {"mean": round(float(differences.mean()), 4), "low": round(low, 4), "high": round(high, 4)}


if __name__ == "__main__":
    main()
