"""A data set becomes shards, whatever is in it and whatever is lost on the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from explorer.cluster.connection import RayCluster
from explorer.cluster.datasets import encode_dataset
from explorer.cluster.shard_folder import FAILED
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Cancelled, Task
from explorer.workspace.workspace import open_workspace
from tests.cluster.conftest import Nodes
from tests.cluster.test_units import written

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


def test_shards_hold_every_text_and_are_not_made_twice(cluster: RayCluster, encoder: BiEncoder, tmp_path: Path):
    source, rows = written(tmp_path, "csv")
    out = tmp_path / "shards"
    done = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=20)
    assert (done.shards, done.ready, done.failed) == (3, 0, ())
    next(out.glob("*.parquet")).unlink()
    again = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=20)
    assert (again.shards, again.ready) == (1, 2)
    made = [row for shard in out.glob("*.parquet") for row in parquet.read_table(shard).to_pylist()]
    assert sorted((row["id"], row["text"]) for row in made) == sorted((row["id"], row["text"]) for row in rows)
    schema = parquet.read_schema(next(out.glob("*.parquet")))
    assert schema.metadata[b"explorer.fingerprint"].decode() == encoder.fingerprint
    assert str(schema.field("vector").type) == f"fixed_size_list<element: halffloat>[{encoder.dimension}]"
    # The shards make a workspace without encoding anything.
    with open_workspace(out, inside=True) as workspace:
        assert workspace.import_shards(out, encoder).vectors == len({row["text"] for row in made})
        assert workspace.update(encoder).encoded == 0
        assert workspace.counts()["documents"] == 50
    # So does a folder that merely has them among its files, as one that is opened in the window.
    opened = Path(shutil.copytree(out, tmp_path / "opened", ignore=shutil.ignore_patterns(".docexplorer")))
    with open_workspace(opened, inside=True) as workspace:
        assert workspace.update(encoder).encoded == 0
        assert workspace.counts()["documents"] == 50


def test_a_row_that_cannot_be_read_is_listed_and_not_tried_again(
    cluster: RayCluster, encoder: BiEncoder, tmp_path: Path
):
    lines = [f'{{"text": "the cat {number}"}}' for number in range(4)]
    lines[1] = '{"text": broken'
    source = tmp_path / "texts.jsonl"
    source.write_text("\n".join(lines) + "\n")
    out = tmp_path / "shards"
    done = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2)
    assert [failure[1] for failure in done.failed] == [1]
    assert done.passages == 3
    assert (out / FAILED).is_file()
    again = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2)
    assert (again.shards, again.failed) == (0, ())


def test_a_cancelled_data_set_goes_on_where_it_was(
    cluster: RayCluster, two_nodes: Nodes, encoder: BiEncoder, tmp_path: Path
):
    source, rows = written(tmp_path, "jsonl")
    out = tmp_path / "shards"
    task = Task(lambda _: task.cancel() if list(out.glob("*.parquet")) else None)
    with pytest.raises(Cancelled):
        encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2, precision="float32", task=task)
    ready = len(list(out.glob("*.parquet")))
    assert 0 < ready < 25
    two_nodes.kill()  # the other one does all that is left
    done = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2, precision="float32")
    assert (done.shards, done.ready, done.failed) == (25 - ready, ready, ())
    made = [row for shard in out.glob("*.parquet") for row in parquet.read_table(shard).to_pylist()]
    assert sorted((row["id"], row["text"]) for row in made) == sorted((row["id"], row["text"]) for row in rows)
    vectors = encoder.encode([row["text"] for row in made], role="document").whole()
    assert max(np.abs(np.array(row["vector"]) - own).max() for row, own in zip(made, vectors, strict=True)) < 2e-3
