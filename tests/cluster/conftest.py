"""A real Ray cluster of several nodes on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="package")
def nodes() -> Iterator[Any]:
    """A cluster whose head has no core, so that every worker is on a node that can be killed."""
    pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
    from ray.cluster_utils import Cluster

    # Workers must import this tree, whatever is installed; nothing of it is reported to anyone.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    logging.getLogger("ray").setLevel(logging.ERROR)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        yield cluster
    finally:
        cluster.shutdown()


@pytest.fixture
def two_nodes(nodes: Any) -> Iterator[Any]:
    """The cluster with two nodes of one core each, which go with the test."""
    added = [nodes.add_node(num_cpus=1) for _ in range(2)]
    nodes.added = added
    yield nodes
    for node in nodes.added:
        nodes.remove_node(node, allow_graceful=False)
