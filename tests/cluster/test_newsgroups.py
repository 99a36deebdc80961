"""The real bundled model on real posts: a workspace made on a cluster whose nodes die equals one that was made here."""

from __future__ import annotations

import random
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.cluster.connection import RayCluster
from explorer.cluster.encoder import ClusterEncoder, ClusterTask
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Progress, Task
from explorer.workspace.storage import passages
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace, open_workspace
from tests.cluster.conftest import Nodes

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900), pytest.mark.bundled, pytest.mark.data]
POSTS = 80  # of 2,000: some hundred passages, half a minute of one core
KILLS = 10


@pytest.fixture
def posts(data_folder: Path, tmp_path: Path) -> Path:
    """Posts of all groups."""
    found = sorted((data_folder / "mini_newsgroups").glob("*/*"))
    for post in random.Random(20).sample(found, POSTS):
        target = tmp_path / "posts" / post.parent.name
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(post, target / post.name)
    return tmp_path / "posts"


def contents(workspace: Workspace, fingerprint: str) -> dict[str, Any]:
    """Everything that must be equal: documents with their texts, passages with their ids, vectors by text."""
    documents = list(workspace.documents())
    paths = {entry.id: entry.path for entry in documents}
    stored = passages.load(workspace.connection, passages.all_ids(workspace.connection))
    places = {
        item.id: (paths[item.location.document], item.location.start, item.location.end, item.digest, item.text)
        for item in stored.values()
    }
    matrix = vector_table.load(workspace, fingerprint)
    vectors = {
        places[int(passage)][3]: matrix.vectors[row].astype(np.float32)
        for passage, row in zip(matrix.passages, matrix.rows, strict=True)
    }
    return {"documents": documents, "passages": places, "vectors": vectors}


def test_a_workspace_made_while_nodes_were_killed_equals_one_made_here(
    two_nodes: Nodes, cluster: RayCluster, posts: Path, tmp_path: Path
):
    from explorer.models.files import catalog

    encoder = BiEncoder.open(catalog.bundled(), choose("cpu", threads=1, precision="float32"))
    copy = Path(shutil.copytree(posts, tmp_path / "copy"))
    with open_workspace(posts, inside=True) as workspace:
        workspace.update(encoder)
        expected = contents(workspace, encoder.fingerprint)
    notes: list[Progress] = []
    dice = random.Random(10)
    # One while files are read, one while they are split, eight while passages are encoded.
    moments = {
        "reading": [dice.random()],
        "cutting into passages": [0.0],
        "encoding": sorted(dice.uniform(0.0, 0.95) for _ in range(8)),
    }
    killed: list[str] = []

    def hear(progress: Progress) -> None:
        notes.append(progress)
        coming = moments.get(progress.note, [])
        if coming and progress.total and progress.done >= coming[0] * progress.total:
            coming.pop(0)
            killed.append(progress.note)
            two_nodes.replace()

    on_cluster = ClusterEncoder(nullcontext(cluster), encoder, precision="float32")
    with on_cluster as far, open_workspace(copy, inside=True) as workspace:
        done = workspace.update(far, readers=far, splitters=far, task=ClusterTask(Task(hear), far))
        found = contents(workspace, encoder.fingerprint)
    assert len(killed) == KILLS, (killed, {note.note for note in notes})
    assert done.read == done.split == POSTS
    assert not far.failed
    assert found["documents"] == expected["documents"]
    assert found["passages"] == expected["passages"]
    assert found["vectors"].keys() == expected["vectors"].keys()
    # Stored in half precision, whose step below 1 is 2 ** -11; batches of other lengths round differently before that.
    # Where a processor has bfloat16, which "auto" takes, the same two differ by up to 0.0013.
    differences = [np.abs(found["vectors"][key] - expected["vectors"][key]).max() for key in expected["vectors"]]
    assert max(differences) <= 2**-11
    assert any(note.note == "encoding" and "workers" in note.detail and note.seconds_left is not None for note in notes)
