"""Encode a data set on a cluster into Parquet shards, by Ray Data's batch inference.

The source is divided into units: runs of rows that are found again by file and offset. An actor reads a unit, splits
and encodes its texts, and writes one shard, whose name says which unit it is; so finished shards are not made again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

import explorer
from explorer.cluster.connection import ClusterError, RayCluster
from explorer.cluster.model_files import ModelFiles, pack, unpack
from explorer.cluster.pool import Speed
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyarrow.fs import FileSystem

    from explorer.models.bi_encoder import BiEncoder

log = logging.getLogger(__name__)

SHARD_ROWS = 20_000  # about 16 MB of vectors of 384 dimensions: large enough to read well, small enough to do again
FAILED = "failed.jsonl"  # beside the shards: rows that no worker could encode
MADE_BY = ".shards.json"  # beside the shards: what they are of, so that a later run does not add others to them
FORMATS = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".txt": "text"}
_TEXT_COLUMNS = ("text", "content", "body", "document", "passage", "sentence")
_ID_COLUMNS = ("id", "_id", "doc_id", "docid", "pid")
_TRIES = 2  # deaths of an actor by one unit, before the unit is divided
_PIECE = 512  # passages between two notes of the progress: some ten seconds of one core
_LOOK = 0.5  # seconds between two looks at progress and cancel
_STOPPING = 60.0  # seconds in which the actors should have stopped


@dataclass(frozen=True)
class Unit:
    """A run of rows of the source that becomes one shard.

    Attributes:
        path: The file, within its file system.
        kind: Its format.
        row: The number of its first row, from 0.
        rows: How many.
        start: Where the first row begins, in bytes; 0 for Parquet, which finds rows by number.
        end: Where the last one ends.
    """

    path: str
    kind: str
    row: int
    rows: int
    start: int = 0
    end: int = 0

    @property
    def key(self) -> str:
        """What the names of its file's shards begin with."""
        return hashlib.blake2b(self.path.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()

    @property
    def name(self) -> str:
        """The name of its shard: the same in every run."""
        return f"{self.key}-{self.row:012d}-{self.rows}.parquet"


@dataclass(frozen=True)
class Columns:
    """Which columns of a table hold text and id; empty to find them by their names."""

    text: str = ""
    id: str = ""


@dataclass(frozen=True)
class Encoded:
    """What came of a data set.

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
    with_text: bool = True,
    task: Task | None = None,
) -> Encoded:
    """Encode the texts of a data set into shards; those that are there already are not made again.

    Args:
        cluster: Where.
        encoder: The model; the workers get its files from here.
        source: A file, or a folder of files, of FORMATS; a path or an address such as s3://bucket/folder.
        out: The folder of the shards, likewise.
        columns: Where a table has its texts and ids.
        shard_rows: Rows of the source that become one shard.
        cores: Cores of an actor; one on a GPU uses that.
        with_text: Whether the shards hold the texts; if not, they only say where each is.
        task: Progress and cancel; finished shards stay.

    Raises:
        Cancelled: The task was cancelled.
        ClusterError: The cluster is gone.
        DataError: The source cannot be read, or the folder has shards of another model, of other data or options.
    """
    import ray

    task, columns = task or Task(), columns or Columns()
    target, folder = _filesystem(out)
    units = list(find_units(source, shard_rows, task, out))
    origin, _ = _filesystem(source)
    _check_columns(origin, units, columns)
    target.create_dir(folder, recursive=True)
    options = {"model": encoder.fingerprint, "shard-rows": shard_rows, "no-text": not with_text}
    options |= {"text-column": columns.text, "id-column": columns.id}
    _require_same(target, folder, options, _states(origin, units))
    ready = _Ready(target, folder)
    waiting = [part for unit in units for part in ready.missing(origin, unit)]
    done = Encoded(ready=ready.shards)
    total = sum(unit.rows for unit in units)
    files = ray.put(pack(encoder.folder.path))
    made_by = {"model": encoder.folder.path.name, "fingerprint": encoder.fingerprint, "program": explorer.__version__}
    actor = {
        "files": files,
        "made_by": made_by,
        "source": source,
        "out": out,
        "columns": asdict(columns),
        "threads": cores,
        "with_text": with_text,
    }
    counts = _Counts(ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Tally).remote())
    actor["tally"] = counts.tally
    while waiting:
        left = {unit.name: unit for unit in waiting}
        before = len(left)

        def look(left: dict[str, Unit] = left) -> None:
            task.check()
            cluster.check()
            rows, detail = counts.progress(left, cluster)
            task.report(total - sum(unit.rows for unit in left.values()) + rows, total, "encoding", detail)

        try:
            for row in _polled(_run(cluster, waiting, actor, cores), look, counts.stop):
                unit = left.pop(row["name"], None)
                if unit is None:
                    continue  # an actor died after it had written the shard, and another wrote it again
                if row["error"] and unit.rows > 1:
                    left[unit.name] = unit
                elif row["error"]:
                    done = replace(done, failed=(*done.failed, ready.fail(unit, str(row["error"]))))
                else:
                    done = replace(done, shards=done.shards + 1, passages=done.passages + row["passages"])
                    counts.passages = done.passages
        except ray.exceptions.RayError as error:  # not the end of one unit: the work as a whole was given up
            cluster.check()
            log.warning("%d shards are left: %s", len(left), type(error).__name__)
            if len(left) == before:
                reason = getattr(error, "cause", None) or error
                raise ClusterError(
                    "A worker of the cluster cannot work: {reason}", reason=str(reason).strip().split("\n")[0]
                ) from error
            waiting = list(left.values())
            continue
        # What is left has a text that ends its actor, or cannot be read; parts of it tell which.
        for unit in [unit for unit in left.values() if unit.rows == 1]:
            ended = UserMessage("It ended {count:,} workers of the cluster.", count=_TRIES)
            done = replace(done, failed=(*done.failed, ready.fail(unit, ended)))
        waiting = [part for unit in left.values() if unit.rows > 1 for part in _divided(origin, unit)]
    task.report(total, total, "encoding")
    return done


def _polled(
    rows: Iterator[dict[str, Any]], look: Callable[[], None], stop: Callable[[], None]
) -> Iterator[dict[str, Any]]:
    """Yield what a thread takes from `rows`, and call `look` meanwhile: a shard takes minutes, a cancel must not.

    When `look` raises, the actors are asked to stop, and the thread ends with them.
    """
    arrived: SimpleQueue[dict[str, Any] | Exception | None] = SimpleQueue()

    def take() -> None:
        try:
            for row in rows:
                arrived.put(row)
            arrived.put(None)
        except Exception as error:  # noqa: BLE001 - raised by the other thread
            arrived.put(error)

    thread = Thread(target=take, name="shards", daemon=True)
    thread.start()
    while True:
        try:
            look()
        except BaseException:
            stop()
            thread.join(_STOPPING)
            raise
        try:
            item = arrived.get(timeout=_LOOK)
        except Empty:
            continue
        if item is None:
            return
        if isinstance(item, Exception):
            raise item
        yield item


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
        return int(sum(left[name].rows * share for name, (share, _) in active.items())), self._speed.told(len(active))

    def stop(self) -> None:
        """Have the actors stop."""
        self.tally.stop.remote()


def _check_columns(origin: FileSystem, units: Sequence[Unit], columns: Columns) -> None:
    """Make sure that every table has a column of texts: a wrong name would make each of its rows a failure.

    Raises:
        DataError: One has none.
    """
    for unit in {unit.path: unit for unit in reversed(units)}.values():  # the first of each file
        if unit.kind == "text":
            continue
        names = _column_names(origin, unit)
        if names is not None and not _found(names, columns.text, _TEXT_COLUMNS):
            raise _no_texts(unit.path, names)


def _column_names(origin: FileSystem, unit: Unit) -> list[str] | None:
    """Return the columns of a table, by its head or its first row; None if that cannot be read."""
    from pyarrow import parquet

    with origin.open_input_file(unit.path) as stream:
        if unit.kind == "parquet":
            return [str(name) for name in parquet.ParquetFile(stream).schema_arrow.names]
        if unit.kind == "csv":
            return next(csv.reader([_head(stream).decode("utf-8-sig", "replace")]), None)
        stream.seek(unit.start)
        first = next(_lines(stream), b"")
    try:
        row = json.loads(first.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # a row that is listed with the failures
        return None
    return [str(name) for name in row] if isinstance(row, dict) else None


def _states(origin: FileSystem, units: Sequence[Unit]) -> dict[str, list[int]]:
    """Return size and time of each file of the source, by which a change shows."""
    paths = sorted({unit.path for unit in units})
    return {info.path: [info.size, info.mtime_ns or 0] for info in origin.get_file_info(paths)} if paths else {}


def _require_same(target: FileSystem, folder: str, options: dict[str, Any], states: dict[str, list[int]]) -> None:
    """Make sure that the shards of a folder go together, and note what they are of.

    Raises:
        DataError: Those that are there are of another model, of other options, or of files that have changed since.
    """
    from pyarrow.fs import FileType

    noted: dict[str, Any] = {"options": options, "files": {}}
    if target.get_file_info(f"{folder}/{MADE_BY}").type == FileType.File:
        with target.open_input_stream(f"{folder}/{MADE_BY}") as stream:
            noted = json.loads(stream.read())
    if other := [name for name, value in options.items() if noted["options"].get(name) != value]:
        raise DataError(
            "{folder}: its shards were made with another value of {names}. Use the same, or write to another folder.",
            folder=folder,
            names=", ".join(f"--{name}" for name in other),
        )
    for file, state in states.items():
        if noted["files"].get(file, state) != state:
            raise DataError(
                "{file}: this file has changed since shards were made of it. Write to another folder than {folder}.",
                file=file,
                folder=folder,
            )
    noted["files"] |= states
    with target.open_output_stream(f"{folder}/{MADE_BY}") as stream:
        stream.write(json.dumps(noted).encode())


def _divided(origin: FileSystem, unit: Unit) -> list[Unit]:
    """Divide a unit into sixteen, so that one bad row of twenty thousand is found in four steps."""
    parts = [unit]
    for _ in range(4):
        parts = [half for part in parts for half in (halved(origin, part) if part.rows > 1 else [part])]
    return parts


class _Ready:
    """What the folder of shards already holds: shards, and rows that no worker could encode."""

    def __init__(self, target: FileSystem, folder: str) -> None:
        self._target, self._file = target, f"{folder}/{FAILED}"
        names = [PurePosixPath(info.path).name for info in target.get_file_info(_everything(folder))]
        self._names = {name for name in names if name.endswith(".parquet") and not name.startswith(".")}
        self.shards = len(self._names)
        self._failures = b""
        if FAILED in names:
            with target.open_input_stream(self._file) as stream:
                self._failures = stream.read()
        self._names |= {json.loads(line)["name"] for line in self._failures.splitlines()}
        self._keys = {name.partition("-")[0] for name in self._names}

    def missing(self, origin: FileSystem, unit: Unit) -> list[Unit]:
        """Return what of a unit is not there; an earlier run may have done it in halves."""
        if unit.name in self._names:
            return []
        first, last = unit.row, unit.row + unit.rows
        starts = (int(name.split("-")[1]) for name in self._names if name.partition("-")[0] == unit.key)
        if unit.key not in self._keys or unit.rows == 1 or not any(first <= start < last for start in starts):
            return [unit]
        return [part for half in halved(origin, unit) for part in self.missing(origin, half)]

    def fail(self, unit: Unit, reason: str) -> tuple[str, int, str]:
        """Note a row that no worker could encode, so that the next run does not try it again."""
        line = {"name": unit.name, "file": unit.path, "row": unit.row, "reason": reason}
        self._failures += json.dumps(line, ensure_ascii=False).encode() + b"\n"
        with self._target.open_output_stream(self._file) as stream:
            stream.write(self._failures)
        return unit.path, unit.row, reason


def _run(cluster: RayCluster, units: Sequence[Unit], actor: dict[str, Any], cores: int) -> Iterator[dict[str, Any]]:
    """Stream the units through a pool of actors."""
    import ray
    from ray.data import ActorPoolStrategy, DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1  # a unit that ends its actor must not end the work on all others
    room = cluster.require_room(cores)
    share = {"num_gpus": 1} if cluster.has_gpu() else {"num_cpus": cores}
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


class ShardMaker:
    """The process on the cluster that makes shards; an actor of Ray Data."""

    def __init__(
        self,
        files: Any,
        tally: Any,
        made_by: dict[str, str],
        source: str,
        out: str,
        columns: dict[str, str],
        threads: int,
        *,
        with_text: bool,
    ) -> None:
        import ray

        given: ModelFiles = ray.get(files)
        os.environ["RAYON_NUM_THREADS"] = str(threads)  # or the tokenizer takes every core of the machine
        self._tally = tally
        self._encoder = unpack(given, made_by["fingerprint"], threads)
        self._made_by, self._source, self._out = made_by, source, out
        self._columns, self._with_text = Columns(**columns), with_text

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Make the shards of some units; what is wrong with one is said in its row."""
        answers: dict[str, list[Any]] = {"name": [], "passages": [], "error": []}
        for described in batch["unit"]:
            unit = Unit(**json.loads(described))
            count, error = 0, ""
            try:
                count = self._make(unit)
            except Cancelled:
                error = "cancelled"
            except Exception as problem:  # noqa: BLE001 - one bad row must not end the actor and its neighbours
                error = f"{type(problem).__name__}: {problem}"
            for name, value in (("name", unit.name), ("passages", count), ("error", error)):
                answers[name].append(value)
        return {"name": answers["name"], "passages": np.array(answers["passages"]), "error": answers["error"]}

    def _note(self, unit: Unit, share: float, passages: int) -> None:
        """Note the progress; raises Cancelled if the work is over."""
        import ray

        try:
            stopped = ray.get(self._tally.note.remote(unit.name, share, passages), timeout=_STOPPING)
        except ray.exceptions.RayError as error:  # its machine is gone; the work need not be
            log.info("the tally does not answer: %s", type(error).__name__)
            return
        if stopped:
            raise Cancelled

    def _encode(self, unit: Unit, texts: list[str]) -> NDArray[np.float16]:
        vectors = np.zeros((len(texts), self._encoder.dimension), np.float16)
        for first in range(0, len(texts), _PIECE):
            piece = slice(first, first + _PIECE)
            vectors[piece] = self._encoder.encode(texts[piece], role="document").whole()
            self._note(unit, min(1.0, (first + _PIECE) / len(texts)), min(len(texts), first + _PIECE))
        if not np.isfinite(vectors).all():
            raise ValueError("the model gave vectors that are not finite numbers")
        return vectors

    def _make(self, unit: Unit) -> int:
        import pyarrow
        from pyarrow import parquet

        from explorer.corpus.passages import splitter
        from explorer.workspace.update.split import budget_of

        self._note(unit, 0.0, 0)
        filesystem, _ = _filesystem(self._source)
        budget, tokenizer = budget_of(self._encoder), self._encoder.tokenizer
        ids: list[str] = []
        places: list[tuple[int, int, int, int]] = []
        texts: list[str] = []
        for number, (name, text) in enumerate(read_unit(filesystem, unit, self._columns), unit.row):
            passages = splitter.split(text, budget, tokenizer.spans, spans_batch=tokenizer.spans_batch)
            for index, passage in enumerate(passages):
                ids.append(name)
                places.append((number, index, passage.start, passage.end))
                texts.append(text[passage.start : passage.end])
        vectors = self._encode(unit, texts)
        dimension = self._encoder.dimension
        table = pyarrow.table(
            {
                "id": pyarrow.array(ids, pyarrow.string()),
                "source": pyarrow.array([unit.path] * len(ids), pyarrow.string()).dictionary_encode(),
                "row": pyarrow.array([index[0] for index in places], pyarrow.int64()),
                "passage": pyarrow.array([index[1] for index in places], pyarrow.int32()),
                "start": pyarrow.array([index[2] for index in places], pyarrow.int64()),
                "end": pyarrow.array([index[3] for index in places], pyarrow.int64()),
                **({"text": pyarrow.array(texts, pyarrow.string())} if self._with_text else {}),
                "vector": pyarrow.FixedSizeListArray.from_arrays(
                    pyarrow.array(vectors.reshape(-1), pyarrow.float16()), dimension
                ),
            }
        ).replace_schema_metadata({f"explorer.{key}": value for key, value in self._made_by.items()})
        target, folder = _filesystem(self._out)
        # Under its own name only when it is whole: what an actor left behind when it died is never taken for a shard.
        part, whole = f"{folder}/.{unit.name}.part", f"{folder}/{unit.name}"
        with target.open_output_stream(part) as stream:
            parquet.write_table(table, stream, compression="zstd")
        target.move(part, whole)
        return len(ids)


def read_unit(filesystem: FileSystem, unit: Unit, columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield id and text of each row of a unit.

    Raises:
        DataError: A table has no column of texts.
    """
    if unit.kind == "parquet":
        rows = _parquet_rows(filesystem, unit)
    else:
        with filesystem.open_input_file(unit.path) as stream:
            head = _head(stream) if unit.kind == "csv" else b""
            stream.seek(unit.start)
            content = stream.read(unit.end - unit.start).decode("utf-8-sig" if unit.start == 0 else "utf-8")
        if unit.kind == "text":
            # Not by splitlines, to which a form feed or U+2028 is the end of a line too.
            for number, line in enumerate(content.removesuffix("\n").split("\n"), unit.row):
                yield str(number), line.removesuffix("\r")
            return
        if unit.kind == "jsonl":
            rows = (json.loads(line) for line in content.split("\n") if line.strip())
        else:
            names = next(csv.reader([head.decode("utf-8-sig")]))
            rows = csv.DictReader(io.StringIO(content, newline=""), names)
    for number, row in enumerate(rows, unit.row):
        text = _found(row, columns.text, _TEXT_COLUMNS)
        if not text:
            raise _no_texts(unit.path, row)
        name = _found(row, columns.id, _ID_COLUMNS)
        value = row[name[0]] if name else None
        # An empty cell has no passages.
        yield str(number) if value is None else str(value), "" if row[text[0]] is None else str(row[text[0]])


def _no_texts(file: str, columns: Iterable[Any]) -> DataError:
    return DataError(
        "{file}: it is not clear which column holds the texts; it has: {columns}. Name one with --text-column.",
        file=file,
        columns=", ".join(map(str, columns)),
    )


def _parquet_rows(filesystem: FileSystem, unit: Unit) -> Iterator[dict[str, Any]]:
    from pyarrow import parquet

    with filesystem.open_input_file(unit.path) as stream:
        file = parquet.ParquetFile(stream)
        first = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            low, high = max(unit.row, first), min(unit.row + unit.rows, first + count)
            if low < high:
                yield from file.read_row_group(group).slice(low - first, high - low).to_pylist()
            first += count


def _found(names: Iterable[Any], asked: str, usual: Sequence[str]) -> list[Any]:
    """Return the columns that were asked for by name, or have a usual one."""
    return [name for name in names if (name == asked if asked else str(name).lower() in usual)]


def find_units(source: str, rows: int, task: Task, out: str = "") -> Iterator[Unit]:
    """Divide the source into runs of rows; shards in a folder within it are not taken for a part of it.

    Raises:
        DataError: There is nothing that can be read, or the shards would go among the files of the source.
    """
    from pyarrow.fs import FileType

    filesystem, path = _filesystem(source)
    info = filesystem.get_file_info(path)
    infos = [info] if info.type == FileType.File else filesystem.get_file_info(_everything(path))
    paths = sorted(info.path for info in infos if PurePosixPath(info.path).suffix.lower() in FORMATS)
    target = PurePosixPath(_filesystem(out)[1]) if out else None
    if (
        target is not None
        and any(PurePosixPath(file).parent == target for file in paths)
        and target == PurePosixPath(path)
    ):
        raise DataError("{folder}: shards need a folder of their own, not that of the source.", folder=out)
    paths = [file for file in paths if target is None or not PurePosixPath(file).is_relative_to(target)]
    if not paths:
        raise DataError(
            "{source}: there is no file of a known format here ({formats}). Check the name.",
            source=source,
            formats=", ".join(FORMATS),
        )
    for number, file in enumerate(paths):
        task.report(number, len(paths), "looking for files")
        kind = FORMATS[PurePosixPath(file).suffix.lower()]
        if kind == "parquet":
            from pyarrow import parquet

            with filesystem.open_input_file(file) as stream:
                count = parquet.ParquetFile(stream).metadata.num_rows
            yield from (Unit(file, kind, row, min(rows, count - row)) for row in range(0, count, rows))
        else:
            with filesystem.open_input_stream(file) as stream:
                yield from _runs(Unit(file, kind, 0, 0), _records(stream, kind), rows)


def _records(stream: Any, kind: str, *, head: bool = True) -> Iterator[tuple[int, int]]:
    """Yield where each record begins and ends; in a CSV file a line break within quotes is not an end."""
    position = start = 0
    quotes, named = 0, False
    for line in _lines(stream):
        position += len(line)
        if kind == "csv":
            quotes += line.count(b'"')  # a quote that is meant is doubled, so the count stays even
            if quotes % 2:
                continue
            if head and start == 0 and not named:  # the names of the columns
                start, named = position, True
                continue
        if line.strip() or kind == "text":
            yield start, position
        start = position
    if quotes % 2 and start < position:
        yield start, position


def _head(stream: Any) -> bytes:
    """Return the names of a CSV file's columns, as it writes them."""
    head = b""
    for line in _lines(stream):
        head += line
        if head.count(b'"') % 2 == 0:
            break
    return head


def _lines(stream: Any) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(2**22):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def _runs(unit: Unit, records: Iterator[tuple[int, int]], rows: int) -> Iterator[Unit]:
    first: int | None = None
    count, row, end = 0, 0, 0
    for start, end in records:
        first = start if first is None else first
        count += 1
        if count == rows:
            yield replace(unit, row=row, rows=count, start=first, end=end)
            first, count, row = None, 0, row + rows
    if first is not None:
        yield replace(unit, row=row, rows=count, start=first, end=end)


def halved(origin: FileSystem, unit: Unit) -> list[Unit]:
    """Divide a unit of several rows in two."""
    middle = unit.rows // 2
    first, second = replace(unit, rows=middle), replace(unit, row=unit.row + middle, rows=unit.rows - middle)
    if unit.kind == "parquet":
        return [first, second]
    with origin.open_input_file(unit.path) as stream:
        stream.seek(unit.start)
        records = list(_records(io.BytesIO(stream.read(unit.end - unit.start)), unit.kind, head=False))
    border = unit.start + records[middle][0]
    return [replace(first, end=border), replace(second, start=border)]


def _filesystem(address: str) -> tuple[FileSystem, str]:
    """Return the file system of a path or address, and the path in it: by pyarrow, or by fsspec what that lacks.

    Raises:
        DataError: The storage is not known, or does not answer.
    """
    import pyarrow
    from pyarrow import fs

    if "://" not in address:
        return fs.LocalFileSystem(), address.rstrip("/") or "/"
    try:
        try:
            return fs.FileSystem.from_uri(address)  # type: ignore[no-any-return]
        except pyarrow.ArrowInvalid:
            import fsspec

            found, path = fsspec.url_to_fs(address)
            return fs.PyFileSystem(fs.FSSpecHandler(found)), path
    except (pyarrow.ArrowException, ImportError, OSError, ValueError) as error:
        raise DataError(
            "{address}: this storage cannot be opened ({reason}). Check the address and the access to it.",
            address=address,
            reason=str(error).strip().split("\n")[0],
        ) from error


def _everything(folder: str) -> Any:
    from pyarrow.fs import FileSelector

    return FileSelector(folder, recursive=True, allow_not_found=True)
