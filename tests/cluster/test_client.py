"""Work through Ray Client, ray://, by which this machine is no part of the cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from explorer.models.bi_encoder import BiEncoder
from explorer.workspace.workspace import open_workspace
from tests.cluster.conftest import PROJECT, Nodes, folder_of_texts
from tests.cluster.test_units import written

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


def run(*arguments: str) -> dict[str, object]:
    """Run the program, and return its answer."""
    command = [sys.executable, "-m", "explorer", *arguments, "--json"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_a_folder_is_indexed_through_a_client(two_nodes: Nodes, tiny: Path, encoder: BiEncoder, tmp_path: Path):
    texts = folder_of_texts(tmp_path / "texts", 40)
    run("index", str(texts), "--inside", "--model", str(tiny), "--cluster", two_nodes.client)
    with open_workspace(texts, inside=True) as workspace:
        assert workspace.counts()["documents"] == 40
        assert workspace.update(encoder).encoded == 0


def test_a_data_set_is_encoded_through_a_client(two_nodes: Nodes, tiny: Path, tmp_path: Path):
    source, rows = written(tmp_path, "jsonl")
    out = tmp_path / "shards"
    command = ("encode", str(source), "--out", str(out), "--shard-rows", "20", "--model", str(tiny))
    assert run(*command, "--cluster", two_nodes.client)["shards"] == 3
    made = [row for shard in out.glob("*.parquet") for row in parquet.read_table(shard).to_pylist()]
    assert sorted((row["id"], row["text"]) for row in made) == sorted((row["id"], row["text"]) for row in rows)
