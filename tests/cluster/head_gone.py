"""Work on a cluster, and wait in the middle of it until the head is gone; run by test_head.py."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from explorer.cluster import connection
from explorer.cluster.datasets import encode_dataset
from explorer.cluster.encoder import ClusterEncoder, ClusterTask
from explorer.errors import ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Progress, Task
from explorer.workspace.workspace import open_workspace


def main(address: str, source: str, model: str) -> None:
    """Say "encoding" once the first vectors are stored, then wait for a line on standard input."""
    connection._HEAD_SILENT, connection._QUIET = 1.0, 0.2  # not the 20 seconds that a busy head is given
    waited = False

    def hear(progress: Progress) -> None:
        nonlocal waited
        if progress.note == "encoding" and progress.done and not waited:
            waited = True
            print("encoding", flush=True)
            sys.stdin.readline()
            while cluster.answers():
                pass

    encoder = BiEncoder.open(Path(model), choose("cpu", threads=1))
    with connection.connect(address) as cluster:
        if Path(source).is_file():
            encode_dataset(cluster, encoder, source, source + ".shards", shard_rows=3, task=Task(hear))
            return
        far = ClusterEncoder(nullcontext(cluster), encoder)
        with far, open_workspace(Path(source), inside=True) as workspace:
            workspace.update(far, readers=far, splitters=far, task=ClusterTask(Task(hear), far))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ExplorerError as error:
        print(error, flush=True)
        sys.exit(3)
