"""Several batches under way at once, by threads that take from one iterator."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic, TypeVar

from explorer.models.runtime import device as devices
from explorer.models.runtime.device import Device

Batch = TypeVar("Batch")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Batch], Result], batches: Iterable[Batch], device: Device
) -> Generator[Result]:
    """Results of `work` for each batch, in the order in which they are ready.

    On a CPU each worker computes on its own cores: for networks of this size that wastes less than
    splitting every product over all cores. Few batches are computed one after the other, on all cores.
    Closing the iterator stops the workers after the batch they are at.
    """
    batches = iter(batches)
    workers = device.workers
    first = list(islice(batches, 2 * workers))
    with devices.threads(device.threads):
        if workers == 1 or len(first) < workers:
            yield from map(work, chain(first, batches))
        else:
            yield from _Pool(work, chain(first, batches), device).results()


class _Pool(Generic[Batch, Result]):
    """Threads that take batches from one iterator and put what comes of them into one short queue."""

    def __init__(self, work: Callable[[Batch], Result], batches: Iterator[Batch], device: Device) -> None:
        self._work = work
        self._batches = batches
        self._taking = threading.Lock()
        self._stop = threading.Event()
        # Short, so that finished batches do not pile up before a slow consumer.
        self._ready: queue.Queue[_Done[Result]] = queue.Queue(2 * device.workers)
        self._cores = device.cores_each
        names = [f"encode-{number}" for number in range(device.workers)]
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
    """What a worker has to say: a result, an error, or that it has ended."""

    results: tuple[Result, ...] = ()
    error: BaseException | None = None
    ended: bool = False
