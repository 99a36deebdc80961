"""Work on a cluster gives what work without one gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.cluster.connection import ClusterError, RayCluster
from explorer.cluster.encoder import ClusterEncoder, ClusterTask, on_cluster
from explorer.cluster.reading import _Arrived
from explorer.corpus.document import ReadOptions
from explorer.corpus.readers.process.pool import ReadRequest
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.update.sync_files import Counts
from explorer.workspace.workspace import Workspace, open_workspace
from tests.cluster.conftest import folder_of_texts, free_port

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


@pytest.fixture
def far(cluster: RayCluster, encoder: BiEncoder) -> Iterator[ClusterEncoder]:
    with ClusterEncoder(nullcontext(cluster), encoder, precision="float32") as far:
        yield far


def known(workspace: Workspace, fingerprint: str) -> dict[tuple[str, int], np.ndarray]:
    """The vector of every passage, by the path of its document and its place in it."""
    matrix = vector_table.load(workspace, fingerprint)
    paths = {entry.id: entry.path for entry in workspace.documents()}
    vectors: dict[tuple[str, int], np.ndarray] = {}
    for document, row in zip(matrix.documents, matrix.rows, strict=True):
        path = paths[int(document)]
        vectors[path, sum(key[0] == path for key in vectors)] = matrix.vectors[row].astype(np.float32)
    return vectors


def test_an_index_is_the_same_and_a_cancel_ends_the_workers(encoder: BiEncoder, far: ClusterEncoder, tmp_path: Path):
    texts = folder_of_texts(tmp_path / "texts", 60)
    with open_workspace(texts, inside=True) as workspace:
        workspace.update(encoder)
        expected = known(workspace, encoder.fingerprint)
    again = folder_of_texts(tmp_path / "again", 60)
    notes: list[Progress] = []
    with open_workspace(again, inside=True) as workspace:
        task = ClusterTask(Task(notes.append), far)
        done = workspace.update(far, readers=far, splitters=far, task=task)
        found = known(workspace, encoder.fingerprint)
    assert done.encoded == len(expected)
    assert found.keys() == expected.keys()
    assert max(np.abs(found[key] - expected[key]).max() for key in expected) < 2e-3  # half precision
    assert any("workers" in progress.detail for progress in notes)

    stop = Task()
    stream = far.stream(["a cat"] * 5000, task=stop)
    rows = len(next(stream).rows)
    stop.cancel()
    with pytest.raises(Cancelled):
        list(stream)
    assert rows
    far.__exit__()
    both = ray.util.placement_group([{"CPU": 1}, {"CPU": 1}])  # both cores, which are free once the workers are gone
    ray.get(both.ready(), timeout=120)
    ray.util.remove_placement_group(both)


def test_files_that_workers_do_not_see_are_read_from_bytes(far: ClusterEncoder, tmp_path: Path):
    folder = folder_of_texts(tmp_path / "texts", 300)
    # A worker takes a file for the one that is meant only if size and time agree: it may see another folder there.
    requests = []
    for number, path in enumerate(sorted(folder.iterdir(), key=str)):
        size, changed = path.stat().st_size, path.stat().st_mtime_ns
        wrong = (size + 1, changed) if number % 2 else (size, changed + 10**6)
        requests.append(ReadRequest(path, wrong[0], ReadOptions(), {}, wrong[1]))
    readings = [(reading, list(reading.documents(Task()))) for reading in far.read_files(iter(requests))]
    assert [reading.request.path for reading, _ in readings] == [request.path for request in requests]
    assert [documents[0].text for _, documents in readings] == [request.path.read_text() for request in requests]
    arrived = [isinstance(reading, _Arrived) for reading, _ in readings]
    assert not any(arrived[:64])
    assert any(arrived)  # later batches had their bytes with them
    states = [(request, request.path.stat()) for request in requests[:4]]
    right = [replace(request, size=state.st_size, mtime_ns=state.st_mtime_ns) for request, state in states]
    assert all(isinstance(reading, _Arrived) for reading in far.read_files(iter(right)))


def test_a_cluster_is_connected_to_only_where_there_is_something_to_do(encoder: BiEncoder, tmp_path: Path):
    texts = folder_of_texts(tmp_path / "texts", 5)
    nobody = f"127.0.0.1:{free_port()}"
    with open_workspace(texts, inside=True) as workspace:

        def update() -> Counts:
            with on_cluster(nobody, encoder, Task()) as (far, task):
                assert far is not None
                return workspace.update(far, readers=far, splitters=far, task=task)

        with pytest.raises(ClusterError, match="no Ray cluster answers there"):
            update()
        workspace.update(encoder)
        assert update().encoded == 0
        (texts / "more.txt").write_text("one more cat")
        with pytest.raises(ClusterError, match="no Ray cluster answers there"):
            update()
