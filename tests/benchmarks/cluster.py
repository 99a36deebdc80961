"""What a cluster costs and gains: texts a second with no cluster, one and two one-core workers, and what is sent.

    pip install -e '.[cluster]' -c resources/app/shipping/pins.txt
    python tests/benchmarks/cluster.py [--texts 600] [--rounds 3] [--kills 10]
    python tests/benchmarks/cluster.py --on-paper --texts 40

The second needs no Ray, and goes by CPU time, so that it can be trusted on a busy machine too. Of the first, rounds
interleave the three, because the machine is shared; the figures are medians of ratios within a round.
"""

from __future__ import annotations

import argparse
import pickle
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

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
    with ClusterEncoder(cluster, encoder, most=most) as far:
        while far.ready < most:
            list(far.stream(["a text"] * 8))
        yield far


def seconds(encoder: BiEncoder, texts: list[str]) -> float:
    """Wall time of encoding all texts."""
    began = time.perf_counter()
    count = sum(len(output.rows) for output in encoder.stream(texts, role="document", task=Task()))
    assert count == len(texts)
    return time.perf_counter() - began


def compare(texts: list[str], rounds: int) -> dict[str, float]:
    """Print the table and return the medians."""
    encoder = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1))
    alone, one = [], []
    with connect("local") as cluster, workers(cluster, encoder, 1) as single:
        for _ in range(rounds):
            alone.append(seconds(encoder, texts))
            one.append(seconds(single, texts))
    with connect("local") as cluster, workers(cluster, encoder, 2) as double:
        two = [seconds(double, texts) for _ in range(rounds)]
    count = len(texts)
    for name, times in (("no cluster, one core", alone), ("one worker", one), ("two workers", two)):
        print(f"{name:22} {count / statistics.median(times):8.1f} texts a second")
    overhead = statistics.median(far / near for near, far in zip(alone, one, strict=True)) - 1
    gain = statistics.median(first / second for first, second in zip(one, two, strict=True))
    print(f"one worker costs {overhead:+.1%} (limit 15 %); two are {gain:.2f} times one (at least 1.7)")
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


def kill(texts: list[str], kills: int) -> None:
    """Kill nodes at random moments; the vectors must be those of an undisturbed run."""
    from ray.cluster_utils import Cluster as Nodes

    encoder = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1))
    expected = encoder.encode(texts, role="document").whole()
    nodes: Any = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    alive = [nodes.add_node(num_cpus=1) for _ in range(2)]
    dice, done = random.Random(5), 0
    with connect(nodes.address) as cluster, ClusterEncoder(cluster, encoder) as far:
        while done < kills:
            found = np.zeros_like(expected)
            moment = dice.uniform(0, 0.9) * len(texts)
            killed = False
            count = 0
            for output in far.stream(texts, role="document"):
                found[output.rows] = output.values
                count += len(output.rows)
                if count >= moment and not killed:
                    nodes.remove_node(alive.pop(0), allow_graceful=False)
                    alive.append(nodes.add_node(num_cpus=1))
                    killed = True
                    done += 1
            print(f"kill {done}: largest difference {np.abs(found - expected).max():.5f}, {len(far.failed)} failed")
    nodes.shutdown()


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--on-paper", action="store_true", help="only what follows from the speed of one core, no Ray")
    args = parser.parse_args()
    texts = texts_of(args.texts)
    figures = by_cpu_time(texts) if args.on_paper else compare(texts, args.rounds)
    on_paper(figures["rate"], figures["bytes"])
    if args.kills:
        kill(texts, args.kills)


if __name__ == "__main__":
    main()
