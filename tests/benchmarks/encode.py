"""How fast texts become vectors, beside sentence-transformers and beside the machine's own matrix product.

Run by hand, on an idle machine:  python tests/benchmarks/encode.py [--data FOLDER] [--rounds 5] [--one-core]

With --one-core both libraries compute on one core and the time is the CPU's, which a busy machine does not change much.

Each library runs in a process of its own, in turns, on the same texts; ratios are of the same round, because
machines are noisy. Both start from a list of strings and end with an array. Tokens are counted after truncation.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BATCHES = (8, 16, 64)
LAYERS, WIDTH, INNER = 6, 384, 1536


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--corpora", nargs="+", default=["titles", "news", "posts", "mixed"])
    parser.add_argument("--memory-texts", type=int, default=100_000)
    parser.add_argument("--one-core", action="store_true")
    chosen = parser.parse_args()
    if chosen.one_core:
        os.environ["BENCHMARK_ONE_CORE"] = os.environ["OMP_NUM_THREADS"] = "1"  # the workers inherit it
    corpora = read_corpora(chosen.data)
    report: dict[str, Any] = {"rounds": chosen.rounds, "corpora": {}}
    with Worker(reference_worker) as theirs, Worker(our_worker) as ours:
        for name in chosen.corpora:
            texts = corpora[name]
            report["corpora"][name] = compare(texts, theirs, ours, chosen.rounds)
            print(name, json.dumps(report["corpora"][name]), flush=True)
        report["draft"] = draft(corpora["titles"], ours, chosen.rounds)
    report["import_ms"] = import_time()
    print("draft", json.dumps(report["draft"]), "import", report["import_ms"], flush=True)
    if chosen.memory_texts:
        with Worker(our_worker) as ours:
            report["memory"] = ours.ask("memory", chosen.memory_texts)
    print(json.dumps(report, indent=2))


def compare(texts: list[str], theirs: Worker, ours: Worker, rounds: int) -> dict[str, Any]:
    """Ratios of tokens a second: to the reference's default batch, to its best, and to the matrix product."""
    tokens, work = ours.ask("count", texts)
    best_batch = min(BATCHES, key=lambda batch: theirs.ask("encode", (texts, batch)))
    ours.ask("encode", texts)
    seen: list[dict[str, float]] = []
    for _ in range(rounds):
        default, mine = theirs.ask("encode", (texts, 32)), ours.ask("encode", texts)
        best, rate = theirs.ask("encode", (texts, best_batch)), ours.ask("product", None)
        seen.append(
            {
                "to_default": default / mine,
                "to_best": best / mine,
                "of_product": work / mine / rate,
                "tokens_a_second": tokens / mine,
            }
        )
    middle = {key: round(statistics.median(row[key] for row in seen), 2) for key in seen[0]}
    spread = [round(min(row["to_default"] for row in seen), 2), round(max(row["to_default"] for row in seen), 2)]
    return {"texts": len(texts), "tokens": tokens, **middle, "to_default_range": spread, "their_best_batch": best_batch}


def draft(texts: list[str], ours: Worker, rounds: int) -> dict[str, float]:
    """How many times more texts a second the draft encoder takes than the bi-encoder, on short texts."""
    ratios = [ours.ask("encode", texts) / ours.ask("draft", texts) for _ in range(rounds)]
    return {"to_bi_encoder": round(statistics.median(ratios), 1)}


def import_time() -> float:
    """Milliseconds of `import explorer`, the best of several fresh processes."""
    code = "import time; t = time.perf_counter(); import explorer; print((time.perf_counter() - t) * 1000)"
    runs = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT).stdout for _ in range(5)
    ]
    return round(min(map(float, runs)), 1)


def read_corpora(data: Path) -> dict[str, list[str]]:
    chance = random.Random(0)
    posts = [
        path.read_bytes().decode("latin-1").split("\n\n", 1)[-1]
        for path in sorted((data / "mini_newsgroups").glob("*/*"))
    ]
    titles = (
        (data / "stackoverflow_short" / "title_StackOverflow.txt")
        .read_text(encoding="utf-8", errors="replace")
        .splitlines()
    )
    with (data / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as file:
        news = [f"{row[1]}. {row[2]}" for row in csv.reader(file)]
    picked = {
        "titles": chance.sample(titles, 1500),
        "news": chance.sample(news, 500),
        "posts": chance.sample(posts, 120),
    }
    picked["mixed"] = [*picked["titles"][:750], *picked["news"][:200], *picked["posts"][:50]]
    chance.shuffle(picked["mixed"])
    return picked


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

    def ask(self, what: str, value: Any) -> Any:
        self._line.send((what, value))
        return self._line.recv()


def serve(line: Connection, answers: dict[str, Callable[[Any], Any]]) -> None:
    while (question := line.recv()) is not None:
        line.send(answers[question[0]](question[1]))


def seconds(work: Callable[[], object]) -> float:
    clock = time.process_time if "BENCHMARK_ONE_CORE" in os.environ else time.perf_counter
    start = clock()
    work()
    return clock() - start


def reference_worker(line: Connection) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.path.insert(0, str(ROOT))
    from sentence_transformers import SentenceTransformer

    from explorer.models.files import catalog

    model = SentenceTransformer(str(catalog.bundled()), device="cpu")
    serve(
        line,
        {"encode": lambda asked: seconds(lambda: model.encode(asked[0], batch_size=asked[1], show_progress_bar=False))},
    )


def our_worker(line: Connection) -> None:
    sys.path.insert(0, str(ROOT))
    import torch

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.models.runtime.device import choose
    from explorer.models.static_encoder import static_encoder_of

    model = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1 if "BENCHMARK_ONE_CORE" in os.environ else None))
    sketch = static_encoder_of(model)

    def count(texts: list[str]) -> tuple[int, float]:
        lengths = [len(tokens.ids) for tokens in model.tokenizer.encode(texts)]
        return sum(lengths), sum(length * flops_a_token(length) for length in lengths)

    def product(_: None) -> float:
        """Floating-point operations a second of a large matrix product on the same cores."""
        a, b = torch.randn(2048, 2048), torch.randn(2048, 2048)
        torch.mm(a, b)
        return 20 * 2 * 2048**3 / seconds(lambda: [torch.mm(a, b) for _ in range(20)])

    def memory(texts: int) -> dict[str, float]:
        """Resident memory in MB after 10 % and at the end of many texts, the vectors themselves taken off."""
        chance = random.Random(0)
        words = ["orbit", "contract", "kimchi", "printer", "goal", "river", "clause", "violin", "storm", "garden"]
        many = [" ".join(chance.choices(words, k=chance.randint(3, 12))) for _ in range(texts)]
        marks, done = [], 0
        for output in model.stream(many):
            done += len(output.rows)
            if done >= texts * (len(marks) + 1) / 10:
                marks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return {"texts": texts, "mb_after_tenth": round(marks[0]), "mb_at_end": round(marks[-1])}

    answers = {
        "encode": lambda texts: seconds(lambda: model.encode(texts)),
        "draft": lambda texts: seconds(lambda: sketch.encode(texts)),
        "count": count,
        "product": product,
        "memory": memory,
    }
    serve(line, answers)


def flops_a_token(length: int) -> float:
    """Multiplications and additions of one token in a text of this length: six layers of linear maps and attention."""
    return LAYERS * (2 * 4 * WIDTH * WIDTH + 2 * 2 * WIDTH * INNER + 4 * length * WIDTH)


if __name__ == "__main__":
    main()
