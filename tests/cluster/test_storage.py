"""Object storage, with a server of each kind on the loopback: read from it, write to it, and go on there."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from pyarrow import parquet
from pyarrow.fs import FileSelector, LocalFileSystem, copy_files

from explorer.cluster.connection import ClusterError, RayCluster
from explorer.cluster.datasets import encode_dataset
from explorer.cluster.storage import everything, open_storage
from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Progress, Task
from tests.cluster.conftest import free_port
from tests.cluster.test_units import written

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytest.importorskip("moto", reason="no server of object storage is installed: pip install -e '.[cluster-dev]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Bucket:
    """A bucket of a storage server.

    Attributes:
        server: The process.
        address: Of the bucket.
        query: Where the server is, as the end of an address.
    """

    server: subprocess.Popen[bytes]
    address: str
    query: str

    def folder(self, name: str) -> str:
        """Return the address of a folder."""
        return f"{self.address}/{name}?{self.query}"


@contextmanager
def serving(kind: str) -> Iterator[Bucket]:
    """Start a server of the storage of Amazon or Google, with one bucket."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    query = f"endpoint_override=127.0.0.1:{port}&scheme=http"
    if kind == "s3":
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        create = Request(f"{url}/texts", method="PUT")
        address, query = "s3://test:test@texts", query + "&region=us-east-1"
    else:
        program = shutil.which("gcp-storage-emulator", path=str(Path(sys.executable).parent))
        assert program is not None
        command = [program, "start", "--host=127.0.0.1", f"--port={port}", "--in-memory"]
        named = {"data": json.dumps({"name": "texts"}).encode(), "headers": {"Content-Type": "application/json"}}
        create = Request(f"{url}/storage/v1/b?project=p", method="POST", **named)  # type: ignore[arg-type]
        address, query = "gs://anonymous@texts", query + "&retry_limit_seconds=10"
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            assert server.poll() is None
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        urlopen(create).close()
        yield Bucket(server, address, query)
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("kind", ["s3", "gs"])
def test_a_data_set_in_a_bucket_becomes_shards_in_a_bucket(
    cluster: RayCluster, encoder: BiEncoder, tmp_path: Path, kind: str
):
    with serving(kind) as bucket:
        rows = []
        for kind_of_file in ("jsonl", "parquet") if kind == "s3" else ("csv",):
            source, found = written(tmp_path, kind_of_file)
            storage, folder = open_storage(bucket.folder("in"))
            copy_files(str(source), f"{folder}/{source.name}", LocalFileSystem(), storage)
            rows += found
        count = len(rows) // 25  # shards of 25 rows
        into = bucket.folder("made/shards")
        done = encode_dataset(cluster, encoder, bucket.folder("in"), into, shard_rows=25)
        assert (done.shards, done.ready, done.failed) == (count, 0, ())
        storage, folder = open_storage(into)
        shards = [info.path for info in storage.get_file_info(everything(folder)) if info.path.endswith(".parquet")]
        assert len(shards) == count
        lost = shards[: kind == "s3"]
        for shard in lost:
            storage.delete_file(shard)
        again = encode_dataset(cluster, encoder, bucket.folder("in"), into, shard_rows=25)
        assert (again.shards, again.ready) == (len(lost), count - len(lost))
        (tmp_path / "shards").mkdir()
        copy_files(folder, str(tmp_path / "shards"), storage, LocalFileSystem())
        names = [Path(info.path).name for info in storage.get_file_info(FileSelector(folder))]
        assert not [name for name in names if name.endswith(".part")]
    made = [row for shard in (tmp_path / "shards").glob("*.parquet") for row in parquet.read_table(shard).to_pylist()]
    assert sorted((row["id"], row["text"]) for row in made) == sorted((row["id"], row["text"]) for row in rows)


def test_a_bucket_that_is_not_there_is_a_sentence(encoder: BiEncoder, tmp_path: Path):
    source, _ = written(tmp_path, "jsonl")
    with serving("s3") as bucket:
        other = bucket.folder("shards").replace("@texts", "@others")
        for places in ((str(source), other), (other, str(tmp_path / "shards"))):
            with pytest.raises(DataError):
                encode_dataset(None, encoder, *places)  # type: ignore[arg-type]


def test_a_storage_that_is_gone_makes_no_row_a_failure(cluster: RayCluster, encoder: BiEncoder, tmp_path: Path):
    source, _ = written(tmp_path, "jsonl")
    with serving("s3") as bucket:

        def hear(progress: Progress) -> None:
            if progress.note == "encoding":
                bucket.server.kill()

        with pytest.raises((ClusterError, DataError), match="storage"):
            encode_dataset(cluster, encoder, str(source), bucket.folder("shards"), shard_rows=25, task=Task(hear))
