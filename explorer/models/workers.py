"""Several batches under way at once, by threads that take from one iterator."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain, islice
from typing import Generic, TypeVar

from explorer.models import device as devices
from explorer.models.device import Device

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
    """Threads that take batches from one iterator and put what comes of them into one queue."""

    def __init__(self, work: Callable[[Batch], Result], batches: Iterator[Batch], device: Device) -> None:
        self._work = work
        self._batches = batches
        self._taking = threading.Lock()
        self._stop = threading.Event()
        self._ready: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()
        self._cores = max(1, device.threads // device.workers)
        self._threads = [
            threading.Thread(target=self._run, name=f"encode-{number}", daemon=True)
            for number in range(device.workers)
        ]

    def results(self) -> Iterator[Result]:
        for thread in self._threads:
            thread.start()
        try:
            running = len(self._threads)
            while running:
                result, error = self._ready.get()
                if error is not None:
                    raise error
                if result is None:
                    running -= 1
                else:
                    yield result
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def _run(self) -> None:
        try:
            with devices.threads(self._cores):
                while not self._stop.is_set():
                    with self._taking:
                        batch = next(self._batches, None)
                    if batch is None:
                        break
                    self._ready.put((self._work(batch), None))
            self._ready.put((None, None))
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread
            self._ready.put((None, error))
