"""Give batches to workers on a cluster, take the results in any order, and lose nothing when a worker dies."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from explorer.cluster.connection import ClusterError, RayCluster
from explorer.errors import ExplorerError
from explorer.messages import UserMessage
from explorer.task import Task

log = logging.getLogger(__name__)
Item = TypeVar("Item")

_AHEAD = 2  # batches a worker has: one that it works on and one that lies ready
_DEATHS = 3  # workers that an item may cost before it counts as the cause
_START = 180.0  # seconds without a single worker after which the cluster counts as gone
_WAIT = 0.25  # seconds until the caller can cancel
_RESIZE = 5.0  # seconds between two looks for machines that came or went
_OF_LATE = 30.0  # seconds


@dataclass(frozen=True)
class WorkBatch(Generic[Item]):
    """Items for one call of a worker.

    Attributes:
        items: What to work on.
        deaths: How many workers died while they had it.
    """

    items: tuple[Item, ...]
    deaths: int = 0

    def halves(self) -> tuple[WorkBatch[Item], WorkBatch[Item]]:
        """Split it, so that the item which kills workers is found; a half needs one more death to be split again."""
        middle = len(self.items) // 2
        return WorkBatch(self.items[:middle], 1), WorkBatch(self.items[middle:], 1)


@dataclass(frozen=True)
class Failure(Generic[Item]):
    """An item that no worker survived or could do, and why."""

    item: Item
    reason: str


class WorkerPool:
    """Workers of one kind on a cluster; as many as fit, also when machines come and go."""

    def __init__(
        self, cluster: RayCluster, start: Callable[[], tuple[Any, Any]], *, cores: int = 1, most: int = 0
    ) -> None:
        """Take what starts a worker.

        Args:
            cluster: Where.
            start: Starts a worker; returns its handle, and a reference that is ready when the worker is.
            cores: Cores of a worker.
            most: How many workers at most; 0 for as many as fit.
        """
        self._cluster, self._start, self._cores, self._most = cluster, start, cores, most
        self._starts: dict[Any, Any] = {}  # reference -> worker
        self._waiting: deque[WorkBatch[Any]] = deque()
        self._running: dict[Any, tuple[Any, WorkBatch[Any]]] = {}  # reference -> worker, batch
        self._load: dict[Any, int] = {}  # worker -> batches it has
        self._resized = 0.0
        self._alone_since = time.monotonic()

    @property
    def workers(self) -> int:
        """How many workers are ready."""
        return len(self._load)

    @property
    def size(self) -> int:
        """How many workers are ready or about to be."""
        return len(self._load) + len(self._starts)

    def map(
        self,
        batches: Iterator[WorkBatch[Item]],
        call: Callable[[Any, WorkBatch[Item]], Any],
        task: Task,
        *,
        may_take: Callable[[], bool] = lambda: True,
    ) -> Generator[tuple[WorkBatch[Item], Any] | Failure[Item]]:
        """Yield each batch with its result, or an item with why there is none, in the order in which they are ready.

        Args:
            batches: Taken one by one as workers get free, so they never pile up.
            call: Sends a batch to a worker; returns the reference to the result.
            task: Cancel.
            may_take: Whether the caller has room for more results; batches that were taken are finished all the same.

        Raises:
            Cancelled: The task was cancelled.
            ClusterError: The cluster is gone, or no worker can be started.
        """
        self._alone_since = time.monotonic()
        try:
            yield from self._map(batches, call, task, may_take)
        except ConnectionError as error:  # how a connection by ray:// says that the head is gone
            raise self._cluster.gone() from error
        finally:  # also when the caller stops early: nobody wants what is still running
            self._waiting.clear()
            self._running.clear()
            self._load = dict.fromkeys(self._load, 0)

    def _map(
        self,
        batches: Iterator[WorkBatch[Item]],
        call: Callable[[Any, WorkBatch[Item]], Any],
        task: Task,
        may_take: Callable[[], bool],
    ) -> Generator[tuple[WorkBatch[Item], Any] | Failure[Item]]:
        import ray

        exhausted = False
        while True:
            task.check()
            while not exhausted and len(self._waiting) < max(1, self._room()) and may_take():
                batch = next(batches, None)
                if batch is None:
                    exhausted = True
                else:
                    self._waiting.append(batch)
            if self._waiting:  # so that an update with nothing to do starts no worker
                self._resize()
            while self._waiting:
                # What a worker died with gets one of its own, or its neighbour in the queue would be blamed too.
                suspect = self._waiting[0].deaths > 0
                free = [worker for worker, load in self._load.items() if load < (1 if suspect else _AHEAD)]
                if not free:
                    break
                worker = min(free, key=lambda known: self._load[known])
                batch = self._waiting.popleft()
                self._running[call(worker, batch)] = worker, batch
                self._load[worker] += _AHEAD if suspect else 1
            if exhausted and not self._running and not self._waiting:
                return
            ready: list[Any] = []
            if references := [*self._running, *self._starts]:
                ready, _ = ray.wait(references, num_returns=1, timeout=_WAIT)
            else:
                time.sleep(_WAIT)  # no machine has room for a worker now
            for reference in ready:
                if reference in self._starts:
                    self._admit(reference)
                else:
                    yield from self._finish(reference)
            self._cluster.check()
            if self._load:
                self._alone_since = time.monotonic()
            elif time.monotonic() - self._alone_since > _START:
                raise self._gone()

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        import ray

        for worker in (*self._load, *self._starts.values()):
            try:
                ray.kill(worker)
            except Exception as error:  # noqa: BLE001 - it may be gone already, with its machine or with the head
                log.info("a worker could not be ended: %s", type(error).__name__)
        self._load.clear()
        self._starts.clear()
        self._running.clear()

    def _room(self) -> int:
        return sum(_AHEAD - load for load in self._load.values())

    def _resize(self) -> None:
        """Start as many workers as fit on the machines that are there now."""
        now = time.monotonic()
        if now - self._resized < _RESIZE and (self._load or self._starts):
            return
        if not self._cluster.answers():
            return  # Ray would wait for its head, and end this process after a minute
        self._resized = now
        wanted = self._cluster.capacity(self._cores)
        for _ in range(len(self._load) + len(self._starts), min(wanted, self._most) if self._most else wanted):
            worker, ready = self._start()
            self._starts[ready] = worker

    def _admit(self, reference: Any) -> None:
        """Take a worker that has started."""
        import ray

        worker = self._starts.pop(reference)
        try:
            ray.get(reference)
        except ray.exceptions.RayTaskError as error:  # it started and cannot work: so would the next
            cause = error.cause
            raise ClusterError(
                "A worker of the cluster cannot work: {reason}",
                reason=cause if isinstance(cause, ExplorerError) else str(cause),
            ) from error
        except ray.exceptions.RayError as error:  # its machine is gone; _resize starts another
            log.warning("a worker did not start: %s", type(error).__name__)
            return
        self._load[worker] = 0
        log.info("a worker is ready; %d in all", len(self._load))

    def _finish(self, reference: Any) -> Iterator[tuple[WorkBatch[Any], Any] | Failure[Any]]:
        """Yield a finished batch, or give it to another worker."""
        import ray

        worker, batch = self._running.pop(reference)
        if worker in self._load:
            self._load[worker] -= _AHEAD if batch.deaths else 1
        try:
            result = ray.get(reference)
        except ray.exceptions.RayTaskError as error:  # the worker lives, the call failed
            if len(batch.items) == 1:
                yield Failure(batch.items[0], str(error.cause))
            else:
                self._waiting.extendleft(batch.halves())
        except ray.exceptions.RayError as error:
            log.warning("a worker died with a batch of %d: %s", len(batch.items), type(error).__name__)
            self._load.pop(worker, None)
            self._resized = 0.0
            died = WorkBatch(batch.items, batch.deaths + 1)
            if len(died.items) == 1 and died.deaths >= _DEATHS:
                yield Failure(died.items[0], UserMessage("It crashed {count:,} workers of the cluster.", count=_DEATHS))
            elif len(died.items) > 1 and died.deaths >= 2:
                self._waiting.extendleft(died.halves())
            else:
                self._waiting.appendleft(died)
        else:
            yield batch, result

    def _gone(self) -> ClusterError:
        return ClusterError(
            "{address}: no worker of the cluster is left. What was done is saved; start machines again "
            "and run the same command to resume.",
            address=self._cluster.address,
        )


class Speed:
    """Recent texts per second: a mean since the start would be wrong whenever machines come or go."""

    def __init__(self) -> None:
        self._finished: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])  # time, texts until then

    def add(self, texts: int) -> None:
        """Count texts that are finished."""
        now = time.monotonic()
        self._finished.append((now, self._finished[-1][1] + texts))
        while len(self._finished) > 2 and now - self._finished[1][0] > _OF_LATE:
            self._finished.popleft()

    @property
    def rate(self) -> float:
        """Texts per second."""
        (first, before), (last, after) = self._finished[0], self._finished[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def message(self, workers: int) -> UserMessage:
        """Return the speed as text for the progress."""
        return UserMessage("{workers:,} workers, {rate:,.0f} texts per second", workers=workers, rate=self.rate)
