"""What training in bfloat16, with weights and updates in float32, gains in time and costs in the losses.

Run by hand:  python tests/benchmarks/train_precision.py [--data FOLDER] [--examples 640] [--rounds 2]

The bundled model learns STSb's scores by regression on one core, the same examples in the same order with the same
seed, in turns in float32 and in bfloat16. Times are of the CPU, the best round counts; losses are the means of the
first and the last quarter of the steps.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.models.files import catalog  # noqa: E402
from explorer.models.files import model_folder as folders  # noqa: E402
from explorer.models.runtime.device import choose  # noqa: E402
from explorer.task import Progress, Task  # noqa: E402
from explorer.training.data.dataset import make_set  # noqa: E402
from explorer.training.fit.trainer import train  # noqa: E402
from explorer.training.recipe import Recipe  # noqa: E402
from tests.benchmarks.train import SETTINGS, Pairs, read_pairs  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--examples", type=int, default=640)
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    pairs = read_pairs(chosen.data)[: chosen.examples]
    learn(pairs[:32], "float32")  # warm
    seconds: dict[str, list[float]] = {"float32": [], "bfloat16": []}
    losses: dict[str, list[float]] = {}
    for _ in range(chosen.rounds):
        for precision, times in seconds.items():
            spent, losses[precision] = learn(pairs, precision)
            times.append(spent)
    quarter = max(1, len(losses["float32"]) // 4)
    for precision, steps in losses.items():
        report = {
            "cpu seconds": round(min(seconds[precision]), 1),
            "times float32": round(min(seconds["float32"]) / min(seconds[precision]), 2),
            "first losses": round(float(np.mean(steps[:quarter])), 5),
            "last losses": round(float(np.mean(steps[-quarter:])), 5),
        }
        print(json.dumps({precision: report}))


def learn(pairs: Pairs, precision: str) -> tuple[float, list[float]]:
    """Train once; return the CPU seconds of the steps and the loss of each."""
    first, second, scores = zip(*pairs, strict=True)
    recipe = Recipe("regression", batch=16, epochs=1, checkpoint_minutes=1000, **SETTINGS)  # type: ignore[arg-type]
    clock: list[float] = []

    def heard(progress: Progress) -> None:
        if progress.note == "preparing" or progress.done == progress.total:
            clock.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        done = train(
            replace(recipe, precision=precision),
            folders.read(catalog.bundled()),
            make_set("scored", (first, second), scores=scores),
            folder=Path(folder) / "made",
            device=choose("cpu", threads=1, precision="float32"),
            task=Task(heard),
        )
    return clock[-1] - clock[0], [float(loss) for loss in done.losses]


if __name__ == "__main__":
    main()
