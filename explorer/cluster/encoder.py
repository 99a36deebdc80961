"""A bi-encoder whose vectors are computed on a cluster, and whose workers read files too."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from explorer.cluster.connection import RayCluster, connect
from explorer.cluster.model_files import pack
from explorer.cluster.pool import Failure, Speed, WorkBatch, WorkerPool
from explorer.cluster.reading import read_files
from explorer.cluster.worker import ClusterWorker
from explorer.corpus.document import Passage
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.batching import Output
from explorer.task import Task

if TYPE_CHECKING:
    from explorer.corpus.readers.process.pool import Reading, ReadRequest


# Seconds of work for one core, so that sending costs little and a lost batch is soon done again.
_BATCH_TEXTS = 256
_BATCH_CHARACTERS = 100_000
# Towards the end of a window batches get smaller, so that no worker waits long for the last one of another. With
# batches of one size, 300 posts were three batches, and two workers at most 1.5 times one.
_SMALLEST_BATCH = 4_000  # characters: half a second; sending and its answer cost 5 ms
_SHARES = 4  # batches that a worker's share of what is left makes
_WINDOW = 4096
_WINDOW_WORKER = 512  # passages of a window for each worker: half a minute's work, of which the end is a small share
_LISTED = 20  # texts that could not be encoded, in one sentence
_HELD = 64  # batches of passages that wait for an earlier one; a batch has about 250,000 characters
_Item = tuple[int, int, str]  # number of the batch, row in it, text
_T = TypeVar("_T")


class ClusterEncoder(BiEncoder):
    """Encodes, splits and reads on the workers of a cluster; the tokenizer and the prompts of the model are here too.

    The cluster is connected to when there is something for it to do: most updates of a folder find nothing.

    Attributes:
        failed: Texts that no worker could split or encode, and why.
    """

    def __init__(
        self,
        connection: AbstractContextManager[RayCluster],
        encoder: BiEncoder,
        *,
        cores: int = 1,
        most: int = 0,
        precision: str = "auto",
        task: Task | None = None,
    ) -> None:
        """Take what connects to the cluster.

        Args:
            connection: Connects to the cluster, once.
            encoder: The model.
            cores: Cores of a worker; one that has a GPU uses that.
            most: How many workers at most; 0 for as many as fit.
            precision: The precision asked for; "auto" for the best of each machine.
            task: Cancel, while files are read, and progress, while the cluster is connected to.
        """
        super().__init__(encoder.folder, encoder.device, encoder.network)
        self.failed: list[tuple[str, str]] = []
        self._connection, self._cores, self._most, self._precision = connection, cores, most, precision
        self._task = task or Task()
        self._ending = ExitStack()
        self._pool: WorkerPool | None = None
        self._speed: Speed | None = None  # from the first text on

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    @property
    def window(self) -> int:
        """The number of passages that are handed over at once."""
        return max(_WINDOW, _WINDOW_WORKER * self.ready)

    @property
    def ready(self) -> int:
        """How many workers are there."""
        return self._pool.workers if self._pool else 0

    @property
    def speed(self) -> UserMessage:
        """The number of workers that encode, and their recent speed."""
        return (self._speed or Speed()).message(self.ready)

    def _connected(self) -> WorkerPool:
        """Connect to the cluster and send it the model's files, if that is not done yet.

        Raises:
            ClusterError: It cannot be used, or no machine of it has room for a worker.
        """
        if self._pool is None:
            self._task.report(0, 0, "connecting to the cluster")
            cluster = self._ending.enter_context(self._connection)
            import ray

            cluster.require_room(self._cores)
            files = ray.put(pack(self.folder.path))
            share = {"num_gpus": 1} if cluster.has_gpu() else {"num_cpus": self._cores}
            # A worker that dies stays dead: the pool starts another where there is room, unlike Ray's restarts.
            kind = ray.remote(max_restarts=0, max_task_retries=0, **share)(ClusterWorker)

            def start() -> tuple[Any, Any]:
                worker = kind.remote()
                return worker, worker.load.remote(files, self.fingerprint, self._cores, self._precision)

            self._pool = WorkerPool(cluster, start, cores=self._cores, most=self._most)
            self._ending.callback(self._pool.close)
        return self._pool

    def stream(self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None) -> Generator[Output]:
        """Yield the vectors batch by batch, in the order in which they arrive.

        Texts that no worker can encode are left out and listed in `failed`.

        Raises:
            Cancelled: The task was cancelled; what was yielded stays valid.
            ClusterError: The cluster cannot be used or is gone; what was yielded stays valid.
        """
        if not texts:
            return
        pool = self._connected()

        def call(worker: Any, batch: WorkBatch[tuple[int, str]]) -> Any:
            return worker.encode.remote([text for _, text in batch.items], role)

        speed = self._speed = self._speed or Speed()
        for result in pool.map(_batches(texts, lambda: pool.size), call, task or Task()):
            if isinstance(result, Failure):
                self.failed.append((result.item[1], result.reason))
                continue
            batch, vectors = result
            rows = np.array([row for row, _ in batch.items], dtype=np.int64)
            speed.add(len(rows))
            yield Output(rows, vectors.astype(np.float32))

    def read_files(self, requests: Iterable[ReadRequest]) -> Generator[Reading]:
        """Read files on the workers; see `reading.read_files`."""
        if (some := _unless_empty(requests)) is not None:
            yield from read_files(self._connected(), some, self._task.silent())

    def split_texts(
        self, batches: Iterable[list[str]], budget: int, task: Task
    ) -> Generator[list[list[Passage] | None]]:
        """Split texts into passages on the workers; see `splitting.split_texts`."""
        if (some := _unless_empty(batches)) is not None:
            yield from split_texts(self._connected(), some, budget, task, self.failed)


class ClusterTask(Task):
    """A task whose progress also tells how many workers there are and how fast they encode."""

    def __init__(self, task: Task, encoder: ClusterEncoder) -> None:
        super().__init__()
        self._task, self._encoder = task, encoder

    def report(self, done: int, total: int, note: str = "", detail: str = "", warning: str = "") -> None:
        """Report with the number of workers, and with their speed where they encode."""
        if note == "encoding":
            detail = self._encoder.speed
        elif self._encoder.ready and not detail:
            detail = UserMessage("{workers:,} workers", workers=self._encoder.ready)
        self._task.report(done, total, note, detail, warning)

    def silent(self) -> Task:
        """Return a task for an inner loop, cancelled with this one."""
        return self._task.silent()

    def cancel(self) -> None:
        """Ask the work to stop."""
        self._task.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether the work was asked to stop."""
        return self._task.cancelled

    def check(self) -> None:
        """Raise Cancelled if the work was asked to stop."""
        self._task.check()

    def enter(self, phase: Enum) -> None:
        """Begin a part of the work."""
        self._task.enter(phase)

    def publish(self, value: Any) -> None:
        """Hand a partial result to whoever started the work."""
        self._task.publish(value)


@contextmanager
def on_cluster(
    address: str, encoder: BiEncoder, task: Task, *, cores: int = 1, precision: str = "auto"
) -> Iterator[tuple[ClusterEncoder | None, Task]]:
    """Give an encoder that works on a cluster, and a task that tells its speed; without an address, none and the task.

    Raises:
        ClusterError: The cluster cannot be used.
        DataError: Some texts could not be encoded; everything else is done.
    """
    if not address:
        yield None, task
        return
    with ClusterEncoder(connect(address), encoder, cores=cores, precision=precision, task=task) as far:
        yield far, ClusterTask(task, far)
        if far.failed:
            listed = [f"“{' '.join(text.split())[:60]}”" for text, _ in far.failed[:_LISTED]]
            raise DataError(
                "{count:,} texts could not be encoded on the cluster: {texts}. {reason} All others are searchable. "
                "Index again without the cluster, or change these documents.",
                count=len(far.failed),
                texts=", ".join(listed) + (" …" if len(far.failed) > _LISTED else ""),
                reason=far.failed[0][1],
            )


def _unless_empty(items: Iterable[_T]) -> Iterator[_T] | None:
    """Return what yields the same items; None if there are none."""
    iterator = iter(items)
    for first in iterator:
        return chain([first], iterator)
    return None


def _batches(texts: Sequence[str], workers: Callable[[], int]) -> Iterator[WorkBatch[tuple[int, str]]]:
    """Yield texts with their rows, longest first; a batch is a fraction of a worker's share of what is left."""
    order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    left = sum(map(len, texts))
    batch: list[tuple[int, str]] = []
    characters = 0
    for row in order:
        batch.append((row, texts[row]))
        characters += len(texts[row])
        enough = min(_BATCH_CHARACTERS, max(_SMALLEST_BATCH, left // (_SHARES * max(1, workers()))))
        if len(batch) >= _BATCH_TEXTS or characters >= enough:
            yield WorkBatch(tuple(batch))
            left -= characters
            batch, characters = [], 0
    if batch:
        yield WorkBatch(tuple(batch))


def split_texts(
    pool: WorkerPool, batches: Iterable[list[str]], budget: int, task: Task, failed: list[tuple[str, str]]
) -> Generator[list[list[Passage] | None]]:
    """Yield the passages of each text, batch by batch and in order, so that passages get the same ids as always.

    Args:
        pool: The workers.
        batches: Texts; taken a few batches ahead of what is yielded.
        budget: How many tokens a passage may have.
        task: Cancel.
        failed: Gets the texts that no worker could split, which have None for their passages, and why.

    Raises:
        Cancelled: The task was cancelled.
        ClusterError: The cluster is gone.
    """
    by_batch: dict[int, list[list[Passage] | None]] = {}  # number of a batch -> passages of its texts
    missing: dict[int, int] = {}  # number of a batch -> texts that are not split yet

    def numbered() -> Iterator[WorkBatch[_Item]]:
        for number, texts in enumerate(batches):
            by_batch[number], missing[number] = [None] * len(texts), len(texts)
            yield WorkBatch(tuple((number, row, text) for row, text in enumerate(texts)))

    def call(worker: Any, batch: WorkBatch[_Item]) -> Any:
        return worker.split.remote([text for _, _, text in batch.items], budget)

    def may_take() -> bool:
        return sum(left == 0 for left in missing.values()) < _HELD

    turn = 0
    for result in pool.map(numbered(), call, task, may_take=may_take):
        if isinstance(result, Failure):
            number, _, text = result.item
            failed.append((text, result.reason))
            missing[number] -= 1
        else:
            batch, answers = result
            for (number, row, _), offsets in zip(batch.items, answers, strict=True):
                by_batch[number][row] = [Passage(start, end) for start, end in offsets.tolist()]
                missing[number] -= 1
        while missing.get(turn) == 0:
            del missing[turn]
            yield by_batch.pop(turn)
            turn += 1
