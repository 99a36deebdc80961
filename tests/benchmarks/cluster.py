"""What a cluster costs and gains: texts a second with no cluster, one and two one-core workers, and what is sent.

    pip install -e '.[cluster]' -c resources/app/shipping/pins.txt
    python tests/benchmarks/cluster.py [--texts 600] [--rounds 3]
    python tests/benchmarks/cluster.py --on-paper --texts 40

The second needs no Ray, and goes by CPU time, so that it can be trusted on a busy machine too. Of the first, rounds
interleave the measurements, because the machine is shared; the figures are medians of ratios within a round. Two plain
processes without Ray show what the machine can give; what follows from CPU time holds on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from explorer.cluster.connection import RayCluster, connect
from explorer.cluster.encoder import ClusterEncoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.models.runtime.device import choose
from explorer.task import Task
from tests.conftest import DATA

HOURS = 3600
GIGABIT = 1e9 / 8  # bytes a second of a usual network


def texts_of(count: int) -> list[str]:
    """Posts as the splitter leaves them: up to some 1,000 characters."""
    posts = sorted((DATA / "mini_newsgroups").glob("*/*"))
    random.Random(1).shuffle(posts)
    return [post.read_text("latin-1")[-1000:] for post in posts[:count]]


@contextmanager
def workers(cluster: RayCluster, encoder: BiEncoder, most: int) -> Iterator[ClusterEncoder]:
    """Workers that are ready, so that their start is not measured."""
    with ClusterEncoder(nullcontext(cluster), encoder, most=most) as far:
        while far.ready < most:
            list(far.stream(["a text"] * 8))
        yield far


def seconds(encoder: BiEncoder, texts: list[str]) -> float:
    """Wall time of encoding all texts."""
    began = time.perf_counter()
    count = sum(len(output.rows) for output in encoder.stream(texts, role="document", task=Task()))
    assert count == len(texts)
    return time.perf_counter() - began


def cpu_seconds() -> tuple[float, float]:
    """CPU time so far of the workers of this machine, and of all else: this process, and those of Ray itself."""
    import psutil  # Ray brings it

    workers, rest = 0.0, sum(os.times()[:2])
    for process in psutil.Process().children(recursive=True):
        try:
            spent = sum(process.cpu_times()[:2])
            if "ClusterWorker" in " ".join(process.cmdline()):
                workers += spent
            else:
                rest += spent
        except psutil.NoSuchProcess:
            continue
    return workers, rest


@contextmanager
def plain_processes(count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that encode as this one would, without Ray; each takes "FIRST COUNT" and says when it is done."""
    command = [sys.executable, __file__, "--plain"]
    pipe = subprocess.PIPE
    started = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(count)]
    try:
        for process in started:
            assert process.stdout is not None
            process.stdout.readline()
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def plain() -> None:
    """Encode the texts that standard input asks for, until it ends."""
    encoder = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1))
    seconds(encoder, ["a text"] * 8)
    print("ready", flush=True)
    for line in sys.stdin:
        first, step, count = map(int, line.split())
        seconds(encoder, texts_of(count)[first::step])
        print("done", flush=True)


def together(processes: list[subprocess.Popen[str]], count: int) -> float:
    """Wall time in which the processes, which share the texts, encode all."""
    began = time.perf_counter()
    for number, process in enumerate(processes):
        assert process.stdin is not None
        process.stdin.write(f"{number} {len(processes)} {count}\n")
        process.stdin.flush()
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    return time.perf_counter() - began


def compare(texts: list[str], rounds: int) -> dict[str, float]:
    """Print the table and return the medians."""
    encoder = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1))
    count = len(texts)
    alone, one, two, plain_one, plain_two = [], [], [], [], []
    cpu: list[tuple[float, float, float]] = []  # of one worker, of two, of all else with two
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray's own spelling; or anything else on the machine comes before them
    with connect("local") as cluster, plain_processes(2) as processes:
        for _ in range(rounds):
            alone.append(seconds(encoder, texts))
            plain_one.append(together(processes[:1], count))
            plain_two.append(together(processes, count))
            with workers(cluster, encoder, 1) as far:
                before = cpu_seconds()
                one.append(seconds(far, texts))
                single = cpu_seconds()[0] - before[0]
            with workers(cluster, encoder, 2) as far:
                before = cpu_seconds()
                two.append(seconds(far, texts))
                double, rest = (after - start for after, start in zip(cpu_seconds(), before, strict=True))
            cpu.append((single, double, rest))
    named = (("this process, one core", alone), ("one plain process", plain_one), ("two plain processes", plain_two))
    for name, times in (*named, ("one worker", one), ("two workers", two)):
        print(f"{name:22} {count / statistics.median(times):8.1f} texts a second")
    overhead, given, gain = (
        statistics.median(first / second for first, second in zip(firsts, seconds, strict=True))
        for firsts, seconds in ((one, alone), (plain_one, plain_two), (one, two))
    )
    print(f"one worker costs {overhead - 1:+.1%} (limit 15 %); two are {gain:.2f} times one (at least 1.7)")
    print(f"two plain processes are {given:.2f} times one: what this machine has to give just now")
    single, double, rest = (statistics.median(column) / count * 1000 for column in zip(*cpu, strict=True))
    print(f"CPU time a text: one worker {single:.1f} ms, two {double:.1f} ms, this process and Ray {rest:.1f} ms")
    print(f"by CPU time two are {2 * single / (double + rest):.2f} times one, all on two cores")
    return {"rate": count / statistics.median(one), "bytes": bytes_of(encoder, texts)}


def bytes_of(encoder: BiEncoder, texts: list[str]) -> float:
    """Print and return what is sent for a text."""
    sent, back = len(pickle.dumps(texts)) / len(texts), 2 * encoder.dimension
    print(f"sent for a text: {sent:,.0f} bytes there, {back:,} back")
    return sent + back


def by_cpu_time(texts: list[str]) -> dict[str, float]:
    """Return how many texts one core encodes in a second of CPU time, and what would be sent for each."""
    encoder = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1))
    seconds(encoder, texts[:8])  # what is only done once
    began = time.process_time()
    seconds(encoder, texts)
    rate = len(texts) / (time.process_time() - began)
    print(f"one core: {rate:.1f} texts a second of CPU time")
    return {"rate": rate, "bytes": bytes_of(encoder, texts)}


def on_paper(rate: float, size: float) -> None:
    """What 100 million passages would take, from the figures above."""
    print("100,000,000 passages on paper, one-core workers like the one above:")
    for count in (8, 64, 512):
        hours = 1e8 / (rate * count) / HOURS
        print(f"  {count:4} workers: {hours:8.1f} h, {rate * count * size / 1e6:7.2f} MB/s through this machine")
    most = GIGABIT / (rate * size)
    print(f"  1 Gbit/s carries what {most:,.0f} workers take; {1e8 * size / 1e9:,.0f} GB are sent in all")
    print("  `index` ends at what its single writer stores in a second (tests/benchmarks/million.py);")
    print("  `encode --cluster`, whose workers write shards themselves, at what the storage takes.")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--on-paper", action="store_true", help="only what follows from the speed of one core, no Ray")
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.plain:
        plain()
        return
    texts = texts_of(args.texts)
    figures = by_cpu_time(texts) if args.on_paper else compare(texts, args.rounds)
    on_paper(figures["rate"], figures["bytes"])


if __name__ == "__main__":
    main()
