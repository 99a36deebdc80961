"""How fast a model is trained, beside sentence-transformers' own trainer on the same model, data and batch.

Run by hand, on an idle machine:  python tests/benchmarks/train.py [--data FOLDER] [--rounds 3] [--examples 640]
It needs the trainer's own requirements: pip install accelerate datasets.

Each runs in a process of its own, in turns; ratios are of the same round, because machines are noisy. Both start from
lists of strings and a loaded model, and count the time of the steps with what surrounds them: tokenising, batches,
loss, gradients, clipping, AdamW with weight decay, warm-up. Neither evaluates or saves within the time. On a machine
that others use too, take --threads 1 and the ratio of processor time.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {"learning_rate": 2e-5, "weight_decay": 0.01, "warm_up": 0.1}
LEAST = 1.2

Pairs = list[tuple[str, str, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--examples", type=int, default=640)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    pairs = read_pairs(chosen.data)[: chosen.examples]
    seen: list[dict[str, float]] = []
    with Worker(reference_worker) as theirs, Worker(our_worker) as ours:
        for worker in (theirs, ours):
            worker.ask(pairs[: 2 * chosen.batch], chosen.batch, chosen.threads)  # warm
        for _ in range(chosen.rounds):
            slow, slow_cpu = theirs.ask(pairs, chosen.batch, chosen.threads)
            fast, fast_cpu = ours.ask(pairs, chosen.batch, chosen.threads)
            row = {"theirs": len(pairs) / slow, "ours": len(pairs) / fast}
            seen.append(row | {"ratio": slow / fast, "processor_ratio": slow_cpu / fast_cpu})
            print(json.dumps({key: round(value, 2) for key, value in seen[-1].items()}), flush=True)
    middle = {key: round(statistics.median(row[key] for row in seen), 2) for key in seen[0]}
    print(json.dumps({"examples": len(pairs), "batch": chosen.batch, **middle, "least": LEAST}))
    sys.exit(middle["ratio"] < LEAST)


def read_pairs(data: Path) -> Pairs:
    with (data / "stsb_en" / "stsb-en-train.csv").open(encoding="utf-8", newline="") as file:
        pairs = [(row[0], row[1], float(row[2]) / 5) for row in csv.reader(file)]
    random.Random(0).shuffle(pairs)
    return pairs


class Worker:
    """A process that answers one question at a time."""

    def __init__(self, target: Callable[[Connection], None]) -> None:
        context = get_context("spawn")
        self._line, far = context.Pipe()
        self._process = context.Process(target=target, args=(far,), daemon=True)

    def __enter__(self) -> Worker:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.send(None)
        self._process.join()

    def ask(self, pairs: Pairs, batch: int, threads: int | None) -> tuple[float, float]:
        """Seconds, and seconds of the processor, of one round through the pairs."""
        self._line.send((pairs, batch, threads))
        seconds: tuple[float, float] = self._line.recv()
        return seconds


def serve(line: Connection, answer: Callable[[Pairs, int, int | None], tuple[float, float]]) -> None:
    while (question := line.recv()) is not None:
        line.send(answer(*question))


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def between(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    return end[0] - start[0], end[1] - start[1]


def reference_worker(line: Connection) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.path.insert(0, str(ROOT))
    import torch
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import CosineSimilarityLoss

    from explorer.models.files import catalog
    from explorer.models.runtime.device import physical_cores

    def train(pairs: Pairs, batch: int, threads: int | None) -> tuple[float, float]:
        torch.set_num_threads(threads or physical_cores())
        model = SentenceTransformer(str(catalog.bundled()), device="cpu")
        first, second, scores = zip(*pairs, strict=True)
        data = Dataset.from_dict({"first": list(first), "second": list(second), "label": list(scores)})
        with tempfile.TemporaryDirectory() as folder:
            arguments = SentenceTransformerTrainingArguments(
                output_dir=folder,
                per_device_train_batch_size=batch,
                num_train_epochs=1,
                use_cpu=True,
                learning_rate=SETTINGS["learning_rate"],
                weight_decay=SETTINGS["weight_decay"],
                warmup_steps=SETTINGS["warm_up"],
                save_strategy="no",
                logging_strategy="no",
                report_to=[],
                disable_tqdm=True,
            )
            trainer = SentenceTransformerTrainer(
                model=model, args=arguments, train_dataset=data, loss=CosineSimilarityLoss(model)
            )
            start = now()
            trainer.train()
            return between(start, now())

    serve(line, train)


def our_worker(line: Connection) -> None:
    sys.path.insert(0, str(ROOT))
    import explorer.training.fit.step  # noqa: F401 - loaded before the clock starts, as the other library is
    from explorer.models.files import catalog
    from explorer.models.files import model_folder as folders
    from explorer.models.runtime.device import choose
    from explorer.task import Progress, Task
    from explorer.training.data.dataset import make_set
    from explorer.training.fit.trainer import train as run
    from explorer.training.recipe import Recipe

    def train(pairs: Pairs, batch: int, threads: int | None) -> tuple[float, float]:
        first, second, scores = zip(*pairs, strict=True)
        data = make_set("scored", (first, second), scores=scores)
        recipe = Recipe("regression", batch=batch, epochs=1, checkpoint_minutes=1000, **SETTINGS)
        base, clock = folders.read(catalog.bundled()), list[tuple[float, float]]()

        def heard(progress: Progress) -> None:  # from "preparing", when the model is loaded, to the last step
            if progress.note == "preparing" or progress.done == progress.total:
                clock.append(now())

        with tempfile.TemporaryDirectory() as folder:
            run(
                recipe,
                base,
                data,
                folder=Path(folder) / "made",
                device=choose("cpu", threads=threads, precision="float32"),
                task=Task(heard),
            )
        return between(clock[0], clock[-1])

    serve(line, train)


if __name__ == "__main__":
    main()
