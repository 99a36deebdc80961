"""Stream texts through a network in length-sorted batches within a token budget, several at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from explorer.errors import ModelError
from explorer.models.runtime import device as devices
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.device import Device

Item = TypeVar("Item")
Text = TypeVar("Text")
Result = TypeVar("Result")

WINDOW = 2048  # texts that are tokenised and sorted by length together; bounds the memory
ROWS_AT_MOST = 1024


@dataclass(frozen=True)
class Tokens:
    """A sequence for the network: its ids, and for a pair which text each id belongs to."""

    ids: list[int]
    types: list[int] | None = None


@dataclass(frozen=True)
class Output:
    """The network's output for a batch.

    Attributes:
        rows: Which of the texts the values belong to, (B,).
        values: (B, m), float32.
    """

    rows: NDArray[np.int64]
    values: NDArray[np.float32]


def stream(
    texts: Sequence[Text],
    tokenise: Callable[[Sequence[Text]], list[Tokens]],
    forward: Callable[[list[Tokens]], NDArray[np.float32]],
    *,
    work: Sequence[int],
    note: str,
    device: Device,
    task: Task,
) -> Generator[Output]:
    """Yield the network's output batch by batch, in the order in which batches are ready.

    Args:
        texts: Texts or pairs.
        tokenise: Returns the tokens of a window of texts.
        forward: Returns the output (B, m) of a batch.
        work: How much each text counts in the progress.
        note: The progress note.
        device: Decides how much goes into a batch, and how many batches run at once.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled; what was yielded stays valid.
        ModelError: The device's memory is too small for a single text.
    """

    def output(batch: tuple[list[int], list[Tokens]]) -> Output:
        task.check()
        rows, tokens = batch
        return Output(np.array(rows, dtype=np.int64), halving(forward, tokens, np.concatenate))

    finished, total = 0, sum(work)
    task.report(0, total, note)
    batches = _windows(texts, tokenise, device.token_budget, task)
    with closing(in_parallel(output, batches, device)) as outputs:
        for result in outputs:
            yield result
            finished += sum(work[row] for row in result.rows)
            task.report(finished, total, note)


def collect(outputs: Iterable[Output], count: int, width: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Collect streamed values in the order of the texts, (N, m), and which are done, (N,); a cancel ends it early."""
    values = np.zeros((count, width), dtype=np.float32)
    done = np.zeros(count, dtype=np.bool_)
    try:
        for output in outputs:
            values[output.rows] = output.values
            done[output.rows] = True
    except Cancelled:
        pass
    return values, done


def effort(characters: Iterable[int], max_tokens: int) -> list[int]:
    """Estimate the work of each text: its characters as far as the model reads them, plus a constant."""
    return [min(count, 6 * max_tokens) + 8 for count in characters]


def by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group rows of similar length, longest first, so that there is little padding.

    Args:
        lengths: Tokens of each text.
        budget: Tokens of a batch, padding included; a longer text gets a batch of its own.

    Yields:
        The rows of one batch.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    start = 0
    while start < len(order):
        fit = max(1, budget // max(1, lengths[order[start]]))
        end = start + min(fit, ROWS_AT_MOST)
        yield order[start:end]
        start = end


def padded(rows: Sequence[Sequence[int]], fill: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pad rows on the right to one matrix, (B, T), and return it with the mask of real tokens, (B, T)."""
    shape = (len(rows), max(1, *map(len, rows)))
    matrix, mask = np.full(shape, fill, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for index, row in enumerate(rows):
        matrix[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return matrix, mask


def halving(
    forward: Callable[[list[Text]], Result], items: list[Text], rejoin: Callable[[list[Result]], Result]
) -> Result:
    """Compute the result of a batch, in halves if the device's memory is too small for it.

    Raises:
        ModelError: A single item is too large for the memory.
    """
    try:
        return forward(items)
    except (RuntimeError, MemoryError) as error:
        if not devices.out_of_memory(error):
            raise
        if len(items) == 1:
            raise ModelError(
                "The device's memory is too small for a single text with this model. "
                "Close other programs, or choose the CPU or a smaller model in the settings."
            ) from error
    devices.free_memory()
    middle = len(items) // 2
    return rejoin([halving(forward, part, rejoin) for part in (items[:middle], items[middle:])])


def _windows(
    texts: Sequence[Text], tokenise: Callable[[Sequence[Text]], list[Tokens]], budget: int, task: Task
) -> Iterator[tuple[list[int], list[Tokens]]]:
    for start in range(0, len(texts), WINDOW):
        task.check()
        tokens = tokenise(texts[start : start + WINDOW])
        for rows in by_length([len(item.ids) for item in tokens], budget):
            yield [start + row for row in rows], [tokens[row] for row in rows]


def in_parallel(work: Callable[[Item], Result], batches: Iterable[Item], device: Device) -> Generator[Result]:
    """Yield the results of `work` for each batch, in the order in which they are ready.

    On a CPU each worker computes on its own cores: for networks of this size that wastes less than splitting every
    product over all cores. Few batches are computed one after the other, on all cores. Closing the iterator stops the
    workers after their current batch. Not an executor: its threads would delay the exit of the program until the batch
    is done, and each thread here sets its own number of cores.
    """
    batches = iter(batches)
    workers = device.workers
    first = list(islice(batches, 2 * workers))
    with devices.threads(device.threads):
        if workers == 1 or len(first) < workers:
            yield from map(work, chain(first, batches))
        else:
            yield from _Pool(work, chain(first, batches), device).results()


class _Pool(Generic[Item, Result]):
    """Threads that take batches from one iterator and put the results into one short queue."""

    def __init__(self, work: Callable[[Item], Result], batches: Iterator[Item], device: Device) -> None:
        self._work = work
        self._batches = batches
        self._taking = threading.Lock()
        self._stop = threading.Event()
        # Short, so that finished batches do not pile up before a slow consumer.
        self._ready: queue.Queue[_Done[Result]] = queue.Queue(2 * device.workers)
        self._cores = device.cores_each
        names = [f"encode-{index}" for index in range(device.workers)]
        self._threads = [threading.Thread(target=self._run, name=name, daemon=True) for name in names]

    def results(self) -> Iterator[Result]:
        for thread in self._threads:
            thread.start()
        try:
            running = len(self._threads)
            while running:
                done = self._ready.get()
                if done.error is not None:
                    raise done.error
                running -= done.ended
                yield from done.results
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def _run(self) -> None:
        try:
            with devices.threads(self._cores):
                while not self._stop.is_set():
                    with self._taking:
                        batch = list(islice(self._batches, 1))
                    if not batch:
                        break
                    self._give(_Done((self._work(batch[0]),)))
            self._give(_Done(ended=True))
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread
            self._give(_Done(error=error))

    def _give(self, done: _Done[Result]) -> None:
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._ready.put(done, timeout=0.1)
                return


@dataclass(frozen=True)
class _Done(Generic[Result]):
    """A message of a worker: a result, an error, or its end."""

    results: tuple[Result, ...] = ()
    error: BaseException | None = None
    ended: bool = False
