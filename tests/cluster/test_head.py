"""A head that is gone in the middle of the work is a sentence, and what was done is saved."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import open_workspace

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]
PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def doomed() -> Iterator[Any]:
    """A cluster of its own, with one worker node beside the head."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    try:
        yield cluster
    finally:
        for node in [*cluster.worker_nodes, *([cluster.head_node] if cluster.head_node else [])]:
            node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)


def test_a_head_that_is_gone_is_a_sentence_and_what_was_done_is_saved(doomed: Any, tiny: Path, tmp_path: Path):
    words = "the cat dog sat ran on mat under moon bright river stone quick brown fox jumps over lazy house".split()
    dice = random.Random(5)
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(300):
        (texts / f"{number}.txt").write_text(f"{number} " + " ".join(dice.choices(words, k=400)))
    work = subprocess.Popen(
        [sys.executable, str(PROJECT / "tests" / "cluster" / "head_gone.py"), doomed.address, str(texts), str(tiny)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    )
    try:
        assert work.stdout is not None
        assert work.stdout.readline() == "encoding\n"
        doomed.head_node.kill_gcs_server(check_alive=False)  # what the whole cluster is led by
        said, _ = work.communicate("go on\n", timeout=120)
    finally:
        work.kill()
        work.communicate()
    assert work.returncode == 3
    assert "the head of the cluster no longer answers. What was done is saved" in said
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    with open_workspace(texts, inside=True) as workspace:
        assert workspace.counts()["documents"] == 300
        passages = workspace.counts()["passages"]
        left = workspace.update(encoder).encoded
        assert 0 < left < passages
        matrix = vector_table.load(workspace, encoder.fingerprint)
        assert len(matrix.rows) == passages
        assert np.isfinite(matrix.vectors).all()
