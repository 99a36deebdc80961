"""Read files on the workers of a cluster: by their path where a worker sees the folder, else from bytes sent to it."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from typing import Any

from explorer.cluster.pool import Failure, WorkBatch, WorkerPool
from explorer.cluster.worker import NOT_HERE
from explorer.corpus.document import Document
from explorer.corpus.readers.process import wire
from explorer.corpus.readers.process.pool import Reading, ReadRequest, shared_pool
from explorer.task import Task

_BATCH_FILES = 64
_BATCH_BYTES = 4 * 2**20
_LARGEST = 64 * 2**20  # bytes of a file that is read here: its documents would have to fit in memory twice
_HELD = 32 * 2**20  # bytes of documents that wait for an earlier file
_Item = tuple[int, ReadRequest]


class _Arrived(Reading):
    """A file that a worker has read."""

    def __init__(self, request: ReadRequest, answer: bytes) -> None:
        super().__init__(request)
        self._answer = answer
        self.size = len(answer)

    def documents(self, task: Task) -> Iterator[Document]:
        failure = None
        stream = io.BytesIO(self._answer)
        while (message := wire.receive(stream)) is not None:
            task.check()
            if "document" in message:
                yield message["document"]
            elif "digest" in message:
                self.digest = str(message["digest"])
            elif "refused" in message:
                failure = self.request.refused[message["refused"]]
            elif "failure" in message:
                failure = message["failure"]
        if failure is not None:
            raise failure


class _LocalReading(Reading):
    """A file that a process of this machine reads when its turn comes."""

    def documents(self, task: Task) -> Iterator[Document]:
        with closing(shared_pool().read_files([self.request])) as readings:
            for reading in readings:
                try:
                    yield from reading.documents(task)
                finally:
                    self.digest = reading.digest


def read_files(pool: WorkerPool, requests: Iterable[ReadRequest], task: Task) -> Generator[Reading]:
    """Yield a reading for each file, in order; the workers are ahead of the caller by a few batches each.

    What a worker cannot read, because it does not see the file or dies of it, is read by a process here.

    Raises:
        Cancelled: The task was cancelled.
        ClusterError: The cluster is gone.
    """
    sends = False  # whether bytes must be sent, since a worker did not see a file

    def call(worker: Any, batch: WorkBatch[_Item]) -> Any:
        return worker.read.remote(
            [
                {
                    "path": str(request.path),
                    "size": request.size,
                    "mtime_ns": request.mtime_ns,
                    "options": asdict(request.options),
                    "refused": [*request.refused],
                    "content": _content(request) if sends else None,
                }
                for _, request in batch.items
            ]
        )

    ready: dict[int, Reading] = {}
    turn = held = 0

    def may_take() -> bool:
        return held < _HELD

    for result in pool.map(_batches(requests, ready), call, task, may_take=may_take):
        if isinstance(result, Failure):
            number, request = result.item
            ready[number] = _LocalReading(request)
        else:
            batch, answers = result
            for (number, request), answer in zip(batch.items, answers, strict=True):
                sends = sends or answer == NOT_HERE
                ready[number] = _LocalReading(request) if answer == NOT_HERE else _Arrived(request, answer)
                held += len(answer)
        while turn in ready:
            reading = ready.pop(turn)
            held -= reading.size if isinstance(reading, _Arrived) else 0
            yield reading
            turn += 1
    yield from (ready[number] for number in sorted(ready))


def _batches(requests: Iterable[ReadRequest], here: dict[int, Reading]) -> Iterator[WorkBatch[_Item]]:
    batch: list[_Item] = []
    size = 0
    for number, request in enumerate(requests):
        if request.size > _LARGEST:
            here[number] = _LocalReading(request)
            continue
        batch.append((number, request))
        size += request.size
        if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield WorkBatch(tuple(batch))
            batch, size = [], 0
    if batch:
        yield WorkBatch(tuple(batch))


def _content(request: ReadRequest) -> bytes | None:
    try:
        return request.path.read_bytes()
    except OSError:
        return None  # the worker does not see it either, and the process here says what is wrong
