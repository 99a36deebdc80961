"""Encode passages into vectors: each text once per model, however often it occurs."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from explorer.errors import DataError
from explorer.models.files import catalog
from explorer.paths import display_path
from explorer.task import Task
from explorer.workspace.storage import database, files, passages
from explorer.workspace.storage.passages import digest
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.file import VectorWriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.batching import Output
    from explorer.workspace.storage.vectors.file import VectorFile
    from explorer.workspace.storage.vectors.table import StoredModel


_CHECKED = 24  # vectors that are computed here again, spread over all shards
_SAME = 0.995  # the lowest cosine of a vector with the same text's vector computed here; half precision costs 0.0002
_ROWS = 4096
_SHOWN = 12  # digits of a fingerprint that are shown
_LOOKED_AT = 16  # Parquet files of a folder, to find out whether they are shards
_PASSAGES_A_WINDOW = 4096
_BETWEEN_QUESTIONS = 512  # passages of the model: some ten seconds on two cores, then what was asked for comes first
_GOLDEN = (5**0.5 - 1) / 2
_MADE_BY = (b"explorer.fingerprint", b"explorer.model")  # in the metadata of a shard
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TakenIn:
    """The result of an import.

    Attributes:
        shards: Files that were read.
        vectors: Vectors that were new to the workspace.
        checked: Vectors that were compared with the model's own.
    """

    shards: int
    vectors: int
    checked: int


def import_shards(
    connection: sqlite3.Connection, file: VectorFile, model: StoredModel, folder: Path, encoder: BiEncoder, task: Task
) -> TakenIn:
    """Add the vectors of a folder of shards to those of a model; texts are known by their digest.

    A sample is encoded here first and compared, so that vectors of another model or of exchanged rows are refused.

    Raises:
        Cancelled: The task was cancelled; what was taken in stays.
        DataError: The shards are not of this model, not sound, or do not hold their texts.
        WorkspaceError: The workspace cannot be written.
    """
    shards = _parquet_files(folder)
    if not shards:
        raise DataError(
            "{folder}: there are no Parquet shards in it. Make them with “docexplorer encode … --cluster”.",
            folder=folder,
        )
    return _take_in(connection, file, model, shards, encoder, task)


def import_found(
    connection: sqlite3.Connection, file: VectorFile, model: StoredModel, root: Path, encoder: BiEncoder, task: Task
) -> None:
    """Add the vectors of shards that are among the files of a folder, each file once for a model.

    Shards that are refused are a warning: their texts are encoded like all others.

    Raises:
        Cancelled: The task was cancelled; what was taken in stays.
        WorkspaceError: The workspace cannot be written.
    """
    key = f"shards of {encoder.fingerprint}"
    known = {str(digest) for digest in json.loads(str(database.get_meta(connection, key) or "[]"))}
    new_shards = {
        digest: root / path for path, digest in files.with_suffix(connection, ".parquet") if digest not in known
    }
    if not new_shards:
        return
    shards = sorted(path for path in new_shards.values() if _made_by(path)[0])
    if shards:
        try:
            _take_in(connection, file, model, shards, encoder, task)
        except DataError as error:
            log.warning("the shards of this folder were not taken in")
            task.report(0, 0, "taking in vectors", warning=error.message)
    with database.transaction(connection):
        database.set_meta(connection, key, json.dumps(sorted(known | new_shards.keys())))


def model_of_shards(folder: Path) -> str:
    """Return the name of the model on this machine that made the shards in a folder; empty if there is none."""
    for shard in islice(_parquet_files(folder), _LOOKED_AT):
        fingerprint, name = _made_by(shard)
        if fingerprint:
            return catalog.with_fingerprint(fingerprint, name)
    return ""


def _parquet_files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder] if folder.suffix == ".parquet" else []
    try:
        return sorted(path for path in folder.glob("*.parquet") if not path.name.startswith(".") and path.is_file())
    except OSError:
        return []


def _made_by(path: Path) -> tuple[str, str]:
    """Return fingerprint and name of the model that a Parquet file says made its vectors; empty if it is no shard."""
    import pyarrow
    from pyarrow import parquet

    try:
        noted = parquet.read_schema(path).metadata or {}
    except (pyarrow.ArrowException, OSError):
        return "", ""  # its reader has said what is wrong with it
    fingerprint, name = (noted.get(key, b"").decode("utf-8", "replace") for key in _MADE_BY)
    return fingerprint, name


def _take_in(
    connection: sqlite3.Connection,
    file: VectorFile,
    model: StoredModel,
    shards: list[Path],
    encoder: BiEncoder,
    task: Task,
) -> TakenIn:
    checked = _check_sample(shards, encoder, task)
    writer = VectorWriter(connection, file, model.id, encoder.fingerprint)
    writer.recover()
    added = 0
    for index, shard in enumerate(shards):
        task.report(index, len(shards), "taking in vectors")
        for texts, vectors in _batches(shard, encoder):
            task.check()
            keys = [digest(text) for text in texts]
            known = vector_table.known_digests(connection, model.id, keys)
            fresh = {key: row for row, key in enumerate(keys) if key not in known}
            writer.add(list(fresh), vectors[list(fresh.values())])
            added += len(fresh)
        writer.commit()
    task.report(len(shards), len(shards), "taking in vectors")
    log.info("took in %d vectors of %d shards", added, len(shards))
    return TakenIn(len(shards), added, checked)


def _check_sample(shards: list[Path], encoder: BiEncoder, task: Task) -> int:
    """Compare some vectors of the first, middle and last shards with the model's own."""
    chosen = [shards[index] for index in sorted({0, len(shards) // 2, len(shards) - 1})]
    checked = 0
    for shard in chosen:
        texts, vectors = next(_batches(shard, encoder), ([], np.zeros((0, encoder.dimension), np.float32)))
        if not texts:
            continue
        rows = np.linspace(0, len(texts) - 1, min(len(texts), _CHECKED // len(chosen))).astype(int)
        own = encoder.encode([texts[row] for row in rows], role="document", task=task.silent()).whole()
        there = vectors[rows]
        cosines = (own * there).sum(1) / np.maximum(1e-12, np.linalg.norm(own, axis=1) * np.linalg.norm(there, axis=1))
        if cosines.min() < _SAME:
            raise DataError(
                "{shard}: its vectors are not those of this model for their texts (cosine {cosine:.3f}). "
                "Make the shards again.",
                shard=shard,
                cosine=float(cosines.min()),
            )
        checked += len(rows)
    return checked


def _batches(shard: Path, encoder: BiEncoder) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Yield texts and vectors of a shard, some thousand rows at a time."""
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(shard)
        _check_model(shard, encoder)
        _check_schema(shard, file.schema_arrow, encoder)
        for batch in file.iter_batches(_ROWS, columns=["text", "vector"]):
            values = batch.column("vector").flatten().to_numpy(zero_copy_only=False)
            vectors = np.asarray(values, dtype=np.float32).reshape(batch.num_rows, -1)
            lengths = np.linalg.norm(vectors, axis=1)
            if batch.num_rows and not (np.isfinite(lengths).all() and lengths.min() > 0):
                raise DataError("{shard}: it holds vectors that are not numbers. Make it again.", shard=shard)
            yield batch.column("text").to_pylist(), vectors
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError("{shard}: this is not a sound Parquet file. Make it again.", shard=shard) from error


def _check_model(shard: Path, encoder: BiEncoder) -> None:
    fingerprint, name = _made_by(shard)
    if fingerprint == encoder.fingerprint:
        return
    if there := fingerprint and catalog.with_fingerprint(fingerprint, name):
        raise DataError(
            "{shard}: its vectors are of the model {there}, not of {here}. Choose {there} for this folder to use them.",
            shard=shard,
            there=there,
            here=encoder.folder.path.name,
        )
    raise DataError(
        "{shard}: its vectors are of a model that is not on this machine: {there}, fingerprint {fingerprint}. Add that "
        "model to use them.",
        shard=shard,
        there=display_path(name) or "?",
        fingerprint=fingerprint[:_SHOWN] or "?",
    )


def _check_schema(shard: Path, schema: Any, encoder: BiEncoder) -> None:
    from pyarrow import types

    if "text" not in schema.names:
        raise DataError(
            "{shard}: it does not hold the texts, without which its vectors cannot be matched. Make it again "
            "without --no-text.",
            shard=shard,
        )
    kind = schema.field("vector").type if "vector" in schema.names else None
    if kind is None or not types.is_fixed_size_list(kind) or kind.list_size != encoder.dimension:
        raise DataError(
            "{shard}: it holds no vectors of {dimension:,} numbers. Make it again.",
            shard=shard,
            dimension=encoder.dimension,
        )


class Encoder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def fingerprint(self) -> str:
        """What its weights and settings are known by."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def stream(self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None) -> Generator[Output]:
        """Yield the vectors, batch by batch."""
        ...


class EncodingOrder:
    """The encoding order: passages that a search asked for first, then documents on the screen; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[int, None] = {}
        self._shown: dict[int, None] = {}

    def ask(self, passages: Iterable[int]) -> None:
        """Put passages before all others, the last ones asked for first."""
        with self._lock:
            self._asked = {**dict.fromkeys(passages), **self._asked}

    def show(self, documents: Iterable[int]) -> None:
        """Put the passages of documents before those that nobody asked for, in place of the last ones shown."""
        with self._lock:
            self._shown = dict.fromkeys(documents)

    def pop_wanted(self, connection: sqlite3.Connection) -> list[int]:
        """Return the passages that are wanted, best first, and forget them."""
        with self._lock:
            asked, shown = list(self._asked), list(self._shown)
            self._asked, self._shown = {}, {}
        return [*asked, *(passages.ids_of(connection, shown).tolist() if shown else ())]


def spread(ids: Sequence[int]) -> list[int]:
    """Return ids in an order of which every beginning is spread evenly over all of them, and so over all folders."""
    order = np.argsort(np.arange(len(ids)) * _GOLDEN % 1.0, kind="stable")
    return [ids[index] for index in order.tolist()]


def encode_passages(
    connection: sqlite3.Connection,
    file: VectorFile,
    model: StoredModel,
    encoder: Encoder,
    task: Task,
    order: EncodingOrder | None = None,
) -> int:
    """Encode the passages that have no vector of this model yet; return how many were encoded.

    What people look at comes first, then a spread over the folders: stopped early, every folder can be searched.

    Each batch survives the end of the process as soon as it is computed; what a killed process left behind is
    committed first.

    Raises:
        Cancelled: The task was cancelled; what was encoded stays.
        WorkspaceError: The disk is full.
    """
    writer = VectorWriter(connection, file, model.id, encoder.fingerprint)
    writer.recover()
    missing = passages.without_vector(connection, model.id, vector_table.cuttings_of(connection, model))
    if model.kind == "draft" or order is None:
        note, size, order = "sketching" if model.kind == "draft" else "encoding", _PASSAGES_A_WINDOW, EncodingOrder()
    else:
        note, size = "encoding", getattr(encoder, "window", _BETWEEN_QUESTIONS)  # a cluster takes larger pieces
        missing = spread(missing)
    left, done = dict.fromkeys(missing), 0
    while left:
        first = [passage for passage in order.pop_wanted(connection) if passage in left]
        ids = list(islice(dict.fromkeys(chain(first, left)), size))
        texts = {passage.digest: passage.text for passage in passages.load(connection, ids).values()}
        _encode(writer, encoder, texts, task, lambda more: task.report(done + more, len(missing), note))  # noqa: B023
        done += len(ids)
        for passage in ids:
            del left[passage]
    log.info("encoded %d passages with %s", len(missing), model.name)
    return len(missing)


def _encode(
    writer: VectorWriter, encoder: Encoder, texts: dict[bytes, str], task: Task, report: Callable[[int], None]
) -> None:
    """Encode texts, by digest, and commit their vectors."""
    keys, done = list(texts), 0
    for output in encoder.stream(list(texts.values()), role="document", task=task.silent()):
        writer.add([keys[row] for row in output.rows], output.values)
        done += len(output.rows)
        report(done)
    writer.commit()
