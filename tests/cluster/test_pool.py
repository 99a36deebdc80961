"""A pool gives each batch to a worker once, and again to another where one dies of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from explorer.cluster.connection import ClusterError, RayCluster, _compare_versions, connect
from explorer.cluster.encoder import _batches
from explorer.cluster.pool import Failure, WorkBatch, WorkerPool
from explorer.task import Task

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


class Echo:
    """A worker that doubles numbers, and dies of 13."""

    def ready(self) -> None:
        pass

    def work(self, numbers: list[int]) -> list[int]:
        if 13 in numbers:
            os._exit(1)
        if 17 in numbers:
            raise ValueError("17 is not wanted here")
        return [2 * number for number in numbers]


@pytest.fixture
def pool(cluster: RayCluster) -> Iterator[WorkerPool]:
    kind = ray.remote(num_cpus=1, max_restarts=0)(Echo)

    def start() -> tuple[Any, Any]:
        worker = kind.remote()
        return worker, worker.ready.remote()

    pool = WorkerPool(cluster, start)
    yield pool
    pool.close()


def test_a_poisonous_item_is_isolated_and_the_rest_is_done(pool: WorkerPool):
    batches = iter([WorkBatch(tuple(range(start, start + 8))) for start in range(0, 40, 8)])
    results, failures = {}, {}
    for result in pool.map(batches, lambda worker, batch: worker.work.remote(list(batch.items)), Task()):
        if isinstance(result, Failure):
            failures[result.item] = result.reason
        else:
            results.update(zip(result[0].items, result[1], strict=True))
    assert results == {number: 2 * number for number in range(40) if number not in (13, 17)}
    assert "3 workers" in failures[13]
    assert "not wanted" in failures[17]


def test_batches_are_taken_as_workers_get_free(pool: WorkerPool):
    taken = 0

    def batches() -> Iterator[WorkBatch[int]]:
        nonlocal taken
        for number in range(100, 160):
            taken += 1
            yield WorkBatch((number,))

    done = ahead = 0
    for _ in pool.map(batches(), lambda worker, batch: worker.work.remote(list(batch.items)), Task()):
        done += 1
        ahead = max(ahead, taken - done)
    assert done == 60
    assert ahead <= 2 * 2 + 2 * 2  # two workers: what they have, and as much that waits


def test_batches_hold_every_text_once_and_get_smaller_so_that_no_worker_waits_for_another():
    texts = [chr(97 + number % 26) * (200 + 37 * number % 1000) for number in range(1000)]
    batches = [batch.items for batch in _batches(texts, lambda: 2)]
    assert sorted(item for batch in batches for item in batch) == list(enumerate(texts))
    sizes = [sum(len(text) for _, text in batch) for batch in batches]
    assert sizes[-1] < sizes[0] / 10
    assert max(sizes) < sum(sizes) / 7  # two workers can share them evenly


def test_a_cluster_that_is_not_there_is_a_sentence():
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(ClusterError, match="no Ray cluster answers there"), connect(address):
            pass
    with pytest.raises(ClusterError, match="this is not the address of a cluster"), connect("nowhere"):
        pass


def test_another_version_is_told_before_work_starts(cluster: RayCluster, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("explorer.__version__", "0.0.1")
    with pytest.raises(ClusterError, match="Install the same"):
        _compare_versions(cluster)


def test_everything_that_ray_starts_listens_on_the_loopback_alone(cluster: RayCluster):
    import psutil

    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    listening = set()
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has ended since it was listed
            found = process.net_connections("tcp")
            listening |= {each.laddr.ip for each in found if each.status == psutil.CONN_LISTEN}
    assert listening
    assert all(address.rpartition(":")[2] in ("127.0.0.1", "1") for address in listening), listening
