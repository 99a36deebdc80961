"""A real Ray cluster of several nodes on this machine, on the loopback alone."""

from __future__ import annotations

import logging
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.cluster.connection import RayCluster, connect, loopback_only
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose

PROJECT = Path(__file__).resolve().parents[2]
SETTINGS = {  # of Ray
    "worker_niceness": "0",  # with Ray's 15, a busy machine would let them wait for minutes
    "enable_worker_prestart": "0",  # no processes for work that never comes
    # A machine that has other things to do must not make nodes give up themselves or each other. A node that was killed
    # refuses the connection, which is no matter of patience: three refusals, a second apart, are enough.
    "agent_register_timeout_ms": "600000",
    "gcs_rpc_server_connect_timeout_s": "300",
    "gcs_server_request_timeout_seconds": "300",
    "health_check_failure_threshold": "3",
    "health_check_period_ms": "1000",
    "health_check_timeout_ms": "300000",
    "raylet_start_wait_time_s": "300",
    "worker_register_timeout_seconds": "600",
}
WORDS = "the cat dog sat ran on mat under moon bright river stone quick brown fox jumps over lazy house".split()


def free_port() -> int:
    """Return a port of the loopback that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def folder_of_texts(path: Path, count: int, words: int = 60) -> Path:
    """Write texts of five to so many words."""
    dice = random.Random(3)
    path.mkdir()
    for number in range(count):
        (path / f"{number}.txt").write_text(f"{number} " + " ".join(dice.choices(WORDS, k=dice.randint(5, words))))
    return path


@pytest.fixture(scope="package")
def ray_environment() -> Iterator[None]:
    """What the processes of Ray need: this tree, whatever is installed; nothing of it is reported to anyone."""
    pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
    with pytest.MonkeyPatch.context() as patch, loopback_only():
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH")))))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        for name, value in SETTINGS.items():
            patch.setenv(f"RAY_{name}", value)
        logging.getLogger("ray").setLevel(logging.ERROR)
        yield


class Nodes:
    """A cluster whose head has no core, so that every worker is on a node that can be killed.

    Attributes:
        address: Of the head.
        client: The same for Ray Client.
    """

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        port = free_port()
        head = {"num_cpus": 0, "include_dashboard": False, "ray_client_server_port": port}
        head |= {"no_monitor": True, "include_log_monitor": False}  # processes that nobody here asks
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.address, self.client = str(self._cluster.address), f"ray://127.0.0.1:{port}"
        self._added: list[Any] = []

    def fill(self, count: int) -> None:
        """Have so many nodes of one core each."""
        while len(self._added) < count:
            self._added.append(self._cluster.add_node(num_cpus=1))

    def kill(self) -> None:
        """Kill the oldest node, at once."""
        self._cluster.remove_node(self._added.pop(0), allow_graceful=False)

    def replace(self) -> None:
        """Kill the oldest node, and start another that comes when it comes."""
        self.kill()
        self._added.append(self._cluster.add_node(wait=False, num_cpus=1))

    def kill_head(self, *, all_of_it: bool) -> None:
        """Kill what leads the cluster, or every process of the head."""
        if all_of_it:
            self._cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)
        else:
            self._cluster.head_node.kill_gcs_server(check_alive=False)

    def close(self) -> None:
        """Kill what is left."""
        for node in [*self._cluster.worker_nodes, *([self._cluster.head_node] if self._cluster.head_node else [])]:
            node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)


@pytest.fixture(scope="package")
def standing(ray_environment: None) -> Iterator[Nodes]:
    """The cluster of all tests."""
    nodes = Nodes()
    try:
        nodes.fill(2)
        yield nodes
    finally:
        nodes.close()


@pytest.fixture(scope="package")
def connected(standing: Nodes) -> Iterator[RayCluster]:
    """The connection of all tests: for each new one, Ray starts all its processes again."""
    with connect(standing.address) as cluster:
        yield cluster


@pytest.fixture
def two_nodes(standing: Nodes) -> Nodes:
    """The cluster with two nodes, whatever an earlier test did to it."""
    standing.fill(2)
    return standing


@pytest.fixture
def cluster(two_nodes: Nodes, connected: RayCluster) -> RayCluster:
    """The connection to two nodes."""
    return connected


@pytest.fixture
def encoder(tiny: Path) -> BiEncoder:
    """A tiny model with one thread."""
    return BiEncoder.open(tiny, choose("cpu", threads=1, precision="float32"))
