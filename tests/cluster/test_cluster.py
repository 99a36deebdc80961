"""Work on a real cluster gives what work without one gives, whatever dies on the way."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow.fs import LocalFileSystem

from explorer.cluster.connection import ClusterError, connect
from explorer.cluster.datasets import (
    FAILED,
    Columns,
    Unit,
    _filesystem,
    _require_same,
    encode_dataset,
    find_units,
    halved,
    read_unit,
)
from explorer.cluster.encoder import ClusterEncoder, ClusterTask
from explorer.cluster.pool import Failure, WorkBatch, WorkerPool
from explorer.cluster.reading import _Arrived
from explorer.corpus.document import ReadOptions
from explorer.corpus.readers.process.pool import ReadRequest
from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace, open_workspace

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


def echo_pool(cluster: Any) -> WorkerPool:
    kind = ray.remote(num_cpus=1, max_restarts=0)(Echo)

    def start() -> tuple[Any, Any]:
        worker = kind.remote()
        return worker, worker.ready.remote()

    return WorkerPool(cluster, start)


def folder_of_texts(path: Path, count: int) -> Path:
    words = "the cat dog sat ran on mat under moon bright river stone quick brown fox jumps over lazy house".split()
    dice = random.Random(3)
    path.mkdir()
    for number in range(count):
        (path / f"{number}.txt").write_text(f"{number} " + " ".join(dice.choices(words, k=dice.randint(5, 60))))
    return path


def known(workspace: Workspace, fingerprint: str) -> dict[tuple[str, int], np.ndarray]:
    """The vector of every passage, by the path of its document and its place in it."""
    matrix = vector_table.load(workspace, fingerprint)
    paths = {entry.id: entry.path for entry in workspace.documents()}
    vectors: dict[tuple[str, int], np.ndarray] = {}
    for document, row in zip(matrix.documents, matrix.rows, strict=True):
        path = paths[int(document)]
        vectors[path, sum(key[0] == path for key in vectors)] = matrix.vectors[row].astype(np.float32)
    return vectors


def test_a_poisonous_item_is_isolated_and_the_rest_is_done(two_nodes: Any):
    with connect(two_nodes.address) as cluster:
        pool = echo_pool(cluster)
        batches = iter([WorkBatch(tuple(range(start, start + 8))) for start in range(0, 40, 8)])
        results, failures = {}, {}
        for result in pool.map(batches, lambda worker, batch: worker.work.remote(list(batch.items)), Task()):
            if isinstance(result, Failure):
                failures[result.item] = result.reason
            else:
                results.update(zip(result[0].items, result[1], strict=True))
        pool.close()
    assert results == {number: 2 * number for number in range(40) if number not in (13, 17)}
    assert "3 workers" in failures[13]
    assert "not wanted" in failures[17]


def test_an_index_made_on_a_cluster_equals_one_made_without(two_nodes: Any, tiny: Path, tmp_path: Path):
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    texts = folder_of_texts(tmp_path / "texts", 60)
    with open_workspace(texts, inside=True) as workspace:
        workspace.update(encoder)
        expected = known(workspace, encoder.fingerprint)
    again = folder_of_texts(tmp_path / "again", 60)
    notes: list[Progress] = []
    with (
        connect(two_nodes.address) as cluster,
        ClusterEncoder(cluster, encoder) as far,
        open_workspace(again, inside=True) as workspace,
    ):
        task = ClusterTask(Task(notes.append), far)
        done = workspace.update(far, readers=far, splitters=far, task=task)
        found = known(workspace, encoder.fingerprint)
    assert done.encoded == len(expected)
    assert found.keys() == expected.keys()
    assert max(np.abs(found[key] - expected[key]).max() for key in expected) < 2e-3  # half precision
    assert any("workers" in progress.detail for progress in notes)


def test_nodes_killed_at_ten_random_moments_change_nothing(two_nodes: Any, tiny: Path):
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    texts = [f"the cat number {number} sat on the mat" for number in range(6000)]  # 24 batches
    expected = encoder.encode(texts).whole()
    dice, kills = random.Random(7), 0
    with connect(two_nodes.address) as cluster, ClusterEncoder(cluster, encoder) as far:
        while kills < 10:
            found = np.zeros_like(expected)
            moments = sorted(dice.sample(range(22), 2))  # one node, later the other, or what came in its place
            for count, output in enumerate(far.stream(texts)):
                found[output.rows] = output.values
                if count in moments and kills < 10:
                    two_nodes.remove_node(two_nodes.added.pop(0), allow_graceful=False)
                    two_nodes.added.append(two_nodes.add_node(wait=False, num_cpus=1))
                    kills += 1
            assert np.abs(found - expected).max() < 2e-3
    assert kills == 10
    assert not far.failed


def test_a_cancel_ends_the_workers_and_keeps_what_was_done(two_nodes: Any, tiny: Path):
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    task = Task()
    with connect(two_nodes.address) as cluster:
        with ClusterEncoder(cluster, encoder) as far:
            stream = far.stream(["a cat"] * 5000, task=task)
            rows = len(next(stream).rows)
            task.cancel()
            with pytest.raises(Cancelled):
                list(stream)
        assert rows
        both = ray.util.placement_group(
            [{"CPU": 1}, {"CPU": 1}]
        )  # both cores, which are free once the workers are gone
        ray.get(both.ready(), timeout=120)
        ray.util.remove_placement_group(both)


def test_a_cluster_that_is_not_there_is_a_sentence():
    with pytest.raises(ClusterError, match="no Ray cluster answers there"), connect("127.0.0.1:1"):
        pass


def test_another_version_is_told_before_work_starts(two_nodes: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("explorer.__version__", "0.0.1")
    with pytest.raises(ClusterError, match="Install the same"), connect(two_nodes.address):
        pass


def written(folder: Path, kind: str) -> tuple[Path, list[dict[str, str]]]:
    """A data set of 50 rows, with the quotes and line breaks that its format allows."""
    import json

    import pyarrow
    from pyarrow import parquet

    rows = [{"id": f"n{number}", "text": f'the "{number}" cat, sat\non the mat'} for number in range(50)]
    source = folder / f"texts.{kind}"
    if kind == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), source, row_group_size=13)
    elif kind == "jsonl":
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "csv":
        quoted = ('{},"{}"\n'.format(row["id"], row["text"].replace('"', '""')) for row in rows)
        source.write_text("id,text\n" + "".join(quoted))
    else:
        rows = [{"id": str(number), "text": f"the cat number {number}"} for number in range(50)]
        source.write_text("".join(row["text"] + "\n" for row in rows))
    return source, rows


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "txt"])
def test_units_and_their_halves_hold_every_row_once(tmp_path: Path, kind: str):
    source, rows = written(tmp_path, kind)
    units = list(find_units(str(source), 20, Task()))
    assert [(unit.row, unit.rows) for unit in units] == [(0, 20), (20, 20), (40, 10)]
    halves = [half for unit in units for half in halved(LocalFileSystem(), unit)]
    for parts in (units, halves):
        read = [row for unit in parts for row in read_unit(LocalFileSystem(), unit, Columns())]
        assert read == [(row["id"], row["text"]) for row in rows]


def test_shards_hold_every_text_and_are_not_made_twice(two_nodes: Any, tiny: Path, tmp_path: Path):
    from pyarrow import parquet

    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    source, rows = written(tmp_path, "csv")
    out = tmp_path / "shards"
    with connect(two_nodes.address) as cluster:
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


def test_a_row_that_cannot_be_read_is_listed_and_not_tried_again(two_nodes: Any, tiny: Path, tmp_path: Path):
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    lines = [f'{{"text": "the cat {number}"}}' for number in range(4)]
    lines[1] = '{"text": broken'
    source = tmp_path / "texts.jsonl"
    source.write_text("\n".join(lines) + "\n")
    out = tmp_path / "shards"
    with connect(two_nodes.address) as cluster:
        done = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2)
        assert [failure[1] for failure in done.failed] == [1]
        assert done.passages == 3
        assert (out / FAILED).is_file()
        again = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2)
    assert (again.shards, again.failed) == (0, ())


def test_columns_are_asked_for_where_they_are_not_clear(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"what": "a cat"}\n')
    unit = Unit(str(file), "jsonl", 0, 1, 0, file.stat().st_size)
    with pytest.raises(DataError, match="--text-column"):
        list(read_unit(LocalFileSystem(), unit, Columns()))
    assert list(read_unit(LocalFileSystem(), unit, Columns(text="what"))) == [("0", "a cat")]


def test_a_missing_column_is_told_before_work_starts(tiny: Path, tmp_path: Path):
    # Otherwise every single row would be tried by itself, and noted as one that is not to be tried again.
    source = tmp_path / "texts.csv"
    source.write_text("what,id\na cat,1\n")
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    with pytest.raises(DataError, match=r"what, id\. Name one with --text-column"):
        encode_dataset(None, encoder, str(source), str(tmp_path / "shards"))  # type: ignore[arg-type]
    assert not (tmp_path / "shards").exists()


def test_an_empty_cell_is_a_row_without_passages(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": null, "id": 7}\n{"text": "a cat", "id": null}\n')
    unit = Unit(str(file), "jsonl", 0, 2, 0, file.stat().st_size)
    assert list(read_unit(LocalFileSystem(), unit, Columns())) == [("7", ""), ("1", "a cat")]


def test_a_line_of_text_ends_at_a_line_feed_only(tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_bytes("one\x0cpage\u2028two\r\nthree\n\nfour".encode())
    units = list(find_units(str(file), 2, Task()))
    rows = [row for unit in units for row in read_unit(LocalFileSystem(), unit, Columns())]
    assert rows == [("0", "one\x0cpage\u2028two"), ("1", "three"), ("2", ""), ("3", "four")]


def test_shards_within_the_folder_of_the_source_are_no_part_of_it(tmp_path: Path):
    source, _ = written(tmp_path, "jsonl")
    shards = tmp_path / "shards"
    shards.mkdir()
    shutil.copy(source, shards / FAILED)
    assert {unit.path for unit in find_units(str(tmp_path), 20, Task(), str(shards))} == {str(source)}
    with pytest.raises(DataError, match="a folder of their own"):
        list(find_units(str(tmp_path), 20, Task(), str(tmp_path)))


def test_shards_of_another_model_other_options_or_older_data_are_not_added_to(tmp_path: Path):
    storage, folder = LocalFileSystem(), str(tmp_path)
    options = {"model": "one", "shard-rows": 20}
    _require_same(storage, folder, options, {"a.csv": [10, 1]})
    _require_same(storage, folder, options, {"a.csv": [10, 1], "b.csv": [5, 1]})  # a file more is no harm
    with pytest.raises(DataError, match="another value of --model, --shard-rows"):
        _require_same(storage, folder, {"model": "two", "shard-rows": 30}, {"a.csv": [10, 1]})
    with pytest.raises(DataError, match=r"b\.csv: this file has changed"):
        _require_same(storage, folder, options, {"b.csv": [6, 2]})


def test_storage_that_pyarrow_does_not_know_is_opened_by_fsspec(tmp_path: Path):
    source, rows = written(tmp_path, "jsonl")
    for address in (f"file://{source}", f"local://{source}"):
        storage, _ = _filesystem(address)
        units = list(find_units(address, 20, Task()))
        assert [row for unit in units for row in read_unit(storage, unit, Columns())] == [
            (row["id"], row["text"]) for row in rows
        ]
    assert _filesystem("s3://bucket/folder?region=eu-north-1")[1] == "bucket/folder"
    with pytest.raises(DataError, match="this storage cannot be opened"):
        _filesystem("nowhere://bucket/folder")


def test_batches_are_taken_as_workers_get_free(two_nodes: Any):
    taken = 0

    def batches() -> Iterator[WorkBatch[int]]:
        nonlocal taken
        for number in range(100, 160):
            taken += 1
            yield WorkBatch((number,))

    with connect(two_nodes.address) as cluster:
        pool = echo_pool(cluster)
        done = ahead = 0
        for _ in pool.map(batches(), lambda worker, batch: worker.work.remote(list(batch.items)), Task()):
            done += 1
            ahead = max(ahead, taken - done)
        pool.close()
    assert done == 60
    assert ahead <= 2 * 2 + 2 * 2  # two workers: what they have, and as much that waits


def test_files_that_workers_do_not_see_are_read_from_bytes(two_nodes: Any, tiny: Path, tmp_path: Path):
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    folder = folder_of_texts(tmp_path / "texts", 300)
    # A worker does not take a file for the one that is meant if it has another size, as where it sees another folder.
    requests = [
        ReadRequest(path, path.stat().st_size + 1, ReadOptions(), {}) for path in sorted(folder.iterdir(), key=str)
    ]
    with connect(two_nodes.address) as cluster, ClusterEncoder(cluster, encoder) as far:
        readings = [(reading, list(reading.documents(Task()))) for reading in far.read_files(iter(requests))]
    assert [reading.request.path for reading, _ in readings] == [request.path for request in requests]
    assert [documents[0].text for _, documents in readings] == [request.path.read_text() for request in requests]
    assert any(isinstance(reading, _Arrived) for reading, _ in readings)  # later batches had their bytes with them


def test_a_cancelled_data_set_goes_on_where_it_was(two_nodes: Any, tiny: Path, tmp_path: Path):
    from pyarrow import parquet

    encoder = BiEncoder.open(tiny, choose("cpu", threads=1))
    source, rows = written(tmp_path, "jsonl")
    out = tmp_path / "shards"
    task = Task(lambda _: task.cancel() if list(out.glob("*.parquet")) else None)
    with connect(two_nodes.address) as cluster:
        with pytest.raises(Cancelled):
            encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2, task=task)
        ready = len(list(out.glob("*.parquet")))
        assert 0 < ready < 25
        two_nodes.remove_node(two_nodes.added.pop(0), allow_graceful=False)  # the other one does all that is left
        done = encode_dataset(cluster, encoder, str(source), str(out), shard_rows=2)
    assert (done.shards, done.ready, done.failed) == (25 - ready, ready, ())
    made = [row for shard in out.glob("*.parquet") for row in parquet.read_table(shard).to_pylist()]
    assert sorted((row["id"], row["text"]) for row in made) == sorted((row["id"], row["text"]) for row in rows)
    vectors = encoder.encode([row["text"] for row in made], role="document").whole()
    assert max(np.abs(np.array(row["vector"]) - own).max() for row, own in zip(made, vectors, strict=True)) < 2e-3
