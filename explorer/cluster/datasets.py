"""Encode a data set on a cluster into Parquet shards, by Ray Data's batch inference.

The source is divided into units: runs of rows that are found again by file and offset. An actor reads a unit, splits
and encodes its texts, and writes one shard, whose name says which unit it is; so finished shards are not made again.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import explorer
from explorer.cluster.connection import ClusterError, RayCluster
from explorer.cluster.model_files import pack
from explorer.cluster.pool import Speed
from explorer.cluster.shard_folder import ShardFolder, require_same, states_of
from explorer.cluster.shard_maker import ShardMaker
from explorer.cluster.storage import open_storage, storage_errors
from explorer.cluster.units import Columns, Unit, check_columns, divided, find_units
from explorer.messages import UserMessage
from explorer.task import Task

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder

log = logging.getLogger(__name__)

SHARD_ROWS = 20_000  # about 16 MB of vectors of 384 dimensions: large enough to read well, small enough to do again
_TRIES = 2  # deaths of an actor by one unit, before the unit is divided
_FRUITLESS = 3  # runs that end early without a single shard, one after another, before it is an error
_LOOK = 0.5  # seconds between two looks at progress and cancel
_STOPPING = 10.0  # seconds in which the actors should have stopped; those that have not end with the connection


@dataclass(frozen=True)
class Encoded:
    """The result of encoding a data set.

    Attributes:
        shards: How many were written.
        ready: How many were there already.
        passages: Vectors in the shards that were written.
        failed: Rows that cannot be encoded, as file, row and reason.
    """

    shards: int = 0
    ready: int = 0
    passages: int = 0
    failed: tuple[tuple[str, int, str], ...] = ()


def encode_dataset(
    cluster: RayCluster,
    encoder: BiEncoder,
    source: str,
    out: str,
    *,
    columns: Columns | None = None,
    shard_rows: int = SHARD_ROWS,
    cores: int = 1,
    precision: str = "auto",
    with_text: bool = True,
    task: Task | None = None,
) -> Encoded:
    """Encode the texts of a data set into shards; existing shards are kept.

    Args:
        cluster: Where.
        encoder: The model; the workers get its files from here.
        source: A file, or a folder of files, of FORMATS; a path or an address such as s3://bucket/folder.
        out: The folder of the shards, likewise.
        columns: Where a table has its texts and ids.
        shard_rows: Rows of the source that become one shard.
        cores: Cores of an actor; one on a GPU uses that.
        precision: The precision asked for; "auto" for the best of each machine.
        with_text: Whether the shards hold the texts; if not, they only say where each is.
        task: Progress and cancel; finished shards stay.

    Raises:
        Cancelled: The task was cancelled.
        ClusterError: The cluster is gone.
        DataError: The source cannot be read, or the folder has shards of another model, of other data or options.
    """
    task, columns = task or Task(), columns or Columns()
    with storage_errors():
        target, folder = open_storage(out)
        units = list(find_units(source, shard_rows, task, out))
        origin, _ = open_storage(source)
        check_columns(origin, units, columns)
        target.create_dir(folder, recursive=True)
        options = {"model": encoder.fingerprint, "shard-rows": shard_rows, "no-text": not with_text}
        options |= {"text-column": columns.text, "id-column": columns.id}
        require_same(target, folder, options, states_of(origin, units))
        ready = ShardFolder(target, folder)
        waiting = [part for unit in units for part in ready.missing(origin, unit)]
        made: dict[str, Any] = {"source": source, "out": out, "columns": asdict(columns)}
        made |= {"precision": precision, "with_text": with_text}
        try:
            work = _Work(cluster, encoder, made, sum(unit.rows for unit in units), cores, task) if waiting else None
            while work and waiting:
                left = work.run(waiting, ready)
                if left and work.ended_early:
                    waiting = left
                    continue
                # What is left has a text that ends its actor, or cannot be read; parts of it tell which.
                for unit in (unit for unit in left if unit.rows == 1):
                    work.note_failure(
                        ready, unit, UserMessage("It crashed {count:,} workers of the cluster.", count=_TRIES)
                    )
                waiting = [part for unit in left if unit.rows > 1 for part in divided(origin, unit)]
        except ConnectionError as error:  # how a connection by ray:// says that the head is gone
            raise cluster.gone() from error
    return replace(work.done if work else Encoded(), ready=ready.shards)


class _Work:
    """Runs units on the cluster, several times if need be.

    Attributes:
        done: What has come of it so far.
        ended_early: Whether Ray gave up the last run as a whole, and not single units.
    """

    def __init__(
        self, cluster: RayCluster, encoder: BiEncoder, made: dict[str, Any], rows: int, cores: int, task: Task
    ) -> None:
        import ray

        self.done, self.ended_early = Encoded(), False
        self._cluster, self._rows, self._cores, self._task = cluster, rows, cores, task
        self._fruitless = 0
        self._counts = _Counts(ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Tally).remote())
        folder = encoder.folder.path
        self._actor = made | {
            "files": ray.put(pack(folder)),
            "tally": self._counts.tally,
            "threads": cores,
            "made_by": {"model": folder.name, "fingerprint": encoder.fingerprint, "program": explorer.__version__},
        }

    def run(self, units: Sequence[Unit], ready: ShardFolder) -> list[Unit]:
        """Run units; return those that are left, because they failed, ended their actors, or were given up."""
        import ray

        left = {unit.name: unit for unit in units}

        def look() -> None:
            self._task.check()
            self._cluster.check()
            rows, detail = self._counts.progress(left, self._cluster)
            self._report(rows + self._rows - sum(unit.rows for unit in left.values()), detail)

        self.ended_early = False
        room = self._cluster.require_room(self._cores)
        share = {"num_gpus": 1} if self._cluster.has_gpu() else {"num_cpus": self._cores}
        stream = _stream_by_leader if self._cluster.client else _stream
        try:
            for row in _polled(stream(units, self._actor, share, room), look, self._counts.stop):
                unit = left.pop(row["name"], None)
                if unit is None:
                    continue  # an actor died after it had written the shard, and another wrote it again
                if row["storage"]:
                    raise ClusterError(
                        "A worker of the cluster cannot use the storage: {reason}. Give every machine of the cluster "
                        "access to source and shards, then run the same command to resume.",
                        reason=str(row["error"]).strip().split("\n")[0].rstrip("."),
                    )
                if row["error"] and unit.rows > 1:
                    left[unit.name] = unit
                elif row["error"]:
                    self.note_failure(ready, unit, str(row["error"]))
                else:
                    shards, passages = self.done.shards + 1, self.done.passages + row["passages"]
                    self.done = replace(self.done, shards=shards, passages=passages)
                    self._counts.passages = passages
        except ray.exceptions.RayError as error:  # not the failure of one unit: the work as a whole was given up
            self._cluster.check()
            log.warning("%d shards are left: %s", len(left), type(error).__name__)
            self.ended_early = True
            self._fruitless = self._fruitless + 1 if len(left) == len(units) else 0
            # A worker that cannot open the model never will; one whose machine died was only unlucky.
            if isinstance(error, ray.exceptions.RayTaskError) or self._fruitless == _FRUITLESS:
                reason = getattr(error, "cause", None) or error
                raise ClusterError(
                    "A worker of the cluster cannot work: {reason}", reason=str(reason).strip().split("\n")[0]
                ) from error
        self._report(self._rows - sum(unit.rows for unit in left.values()))
        return list(left.values())

    def note_failure(self, ready: ShardFolder, unit: Unit, reason: str) -> None:
        """Note a row that no worker could encode."""
        self.done = replace(self.done, failed=(*self.done.failed, ready.fail(unit, reason)))

    def _report(self, rows: int, detail: str = "") -> None:
        self._task.report(rows, self._rows, "encoding", detail)


def _polled(
    rows: Generator[dict[str, Any]], look: Callable[[], None], stop: Callable[[], None]
) -> Iterator[dict[str, Any]]:
    """Yield what a thread takes from `rows`, and call `look` meanwhile: a shard takes minutes, a cancel must not.

    When `look` raises, or the caller stops early, the actors are asked to stop, and the thread ends at the next row.
    """
    arrived: SimpleQueue[dict[str, Any] | Exception | None] = SimpleQueue()
    stopped = Event()

    def forward_rows() -> None:
        try:
            with closing(rows):  # which ends the actors, so that none goes through the units that are left
                for row in rows:
                    if stopped.is_set():
                        return
                    arrived.put(row)
            arrived.put(None)
        except Exception as error:  # noqa: BLE001 - raised by the other thread
            arrived.put(error)

    thread = Thread(target=forward_rows, name="shards", daemon=True)
    thread.start()
    item: dict[str, Any] | Exception | None = None
    try:
        while True:
            look()
            try:
                item = arrived.get(timeout=_LOOK)
            except Empty:
                continue
            if not isinstance(item, dict):
                break
            yield item
    except ClusterError:  # nobody is left who could stop; Ray ends this process if it waits for a head that is gone
        raise
    except BaseException:  # also where the caller takes no more
        stopped.set()
        stop()
        thread.join(_STOPPING)
        raise
    if item is not None:
        raise item


class Tally:
    """What the actors have done so far of their units, and whether they are to stop; an actor of Ray itself."""

    def __init__(self) -> None:
        self._units: dict[str, tuple[float, int]] = {}
        self._stopped = False

    def note(self, name: str, share: float, passages: int) -> bool:
        """Note how much of a unit is done; returns whether to stop."""
        self._units[name] = share, passages
        return self._stopped

    def units(self) -> dict[str, tuple[float, int]]:
        """Return the share and the passages that are done, by unit."""
        return self._units

    def stop(self) -> None:
        """Have the actors stop."""
        self._stopped = True


class _Counts:
    """Asks the tally for the progress, without ever waiting for its answer.

    Attributes:
        tally: The actor.
        passages: How many the finished shards have.
    """

    def __init__(self, tally: Any) -> None:
        self.tally = tally
        self.passages = 0
        self._asked: Any = None
        self._units: dict[str, tuple[float, int]] = {}
        self._speed, self._counted = Speed(), 0

    def progress(self, left: dict[str, Unit], cluster: RayCluster) -> tuple[int, UserMessage]:
        """Return how many rows of unfinished units are done, and the speed of all.

        Args:
            left: The unfinished units, by name.
            cluster: Where the tally is.
        """
        import ray

        if cluster.answers():
            self._asked = self._asked or self.tally.units.remote()
            ready, _ = ray.wait([self._asked], timeout=0)
            if ready:
                try:
                    self._units = ray.get(self._asked)
                except ray.exceptions.RayError as error:  # only the progress is coarser
                    log.info("the tally is gone: %s", type(error).__name__)
                self._asked = None
        active = {name: self._units[name] for name in left if name in self._units}
        count = self.passages + sum(done for _, done in active.values())
        if count > self._counted:
            self._speed.add(count - self._counted)
            self._counted = count
        return int(sum(left[name].rows * share for name, (share, _) in active.items())), self._speed.message(
            len(active)
        )

    def stop(self) -> None:
        """Have the actors stop."""
        try:
            self.tally.stop.remote()
        except ConnectionError:
            log.info("the head is gone, and the actors with it")


def _stream(
    units: Sequence[Unit], actor: dict[str, Any], share: dict[str, int], room: int
) -> Generator[dict[str, Any]]:
    """Stream the units through a pool of actors, as many as there is room for."""
    import ray
    from ray.data import ActorPoolStrategy, DataContext

    _quieten()
    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1  # a unit that ends its actor must not end the work on all others
    rows = ray.data.from_items([{"unit": json.dumps(asdict(unit))} for unit in units], override_num_blocks=len(units))
    yield from (
        rows.map_batches(
            ShardMaker,
            fn_constructor_kwargs=actor,
            batch_size=1,
            compute=ActorPoolStrategy(min_size=1, max_size=max(1, min(room, len(units)))),
            max_restarts=4,
            max_task_retries=_TRIES - 1,
            **share,
        ).iter_rows()
    )


def _quieten() -> None:
    """Keep what Ray Data says to developers off standard error; its log file has it."""
    logger = logging.getLogger("ray.data")  # with a level and handlers of its own
    for handler in [handler for handler in logger.handlers if isinstance(handler, logging.StreamHandler)]:
        logger.removeHandler(handler)
    # Options of actors have other names in 2.64; the version is pinned.
    warnings.filterwarnings("ignore", "`ray_remote_args` is deprecated")


class Leader:
    """Streams units in a process on the head; an actor of Ray, since Ray Data does not work through Ray Client."""

    def __init__(self, *args: Any) -> None:
        self._rows = _stream(*args)

    def next_row(self) -> dict[str, Any] | None:
        """Wait for the answer about the next unit; None after the last."""
        return next(self._rows, None)


def _stream_by_leader(*args: Any) -> Generator[dict[str, Any]]:
    import ray

    # On the head, without which nothing works anyway: any other machine may leave the cluster.
    leader = ray.remote(num_cpus=0, resources={"node:__internal_head__": 0.001})(Leader).remote(*args)
    try:
        while (row := ray.get(leader.next_row.remote())) is not None:
            yield row
    finally:
        ray.kill(leader)  # and with it the actors that it started
