"""Encode passages into vectors: each text once per model, however often it occurs."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from explorer.task import Task
from explorer.workspace.storage import passages
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.file import VectorWriter

if TYPE_CHECKING:
    from explorer.models.runtime.batching import Output
    from explorer.workspace.storage.vectors.file import VectorFile
    from explorer.workspace.storage.vectors.table import StoredModel

_PASSAGES_A_WINDOW = 4096
_BETWEEN_QUESTIONS = 512  # passages of the model: some ten seconds on two cores, then what was asked for comes first
_GOLDEN = (5**0.5 - 1) / 2
log = logging.getLogger(__name__)


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
    """What is to be encoded first: passages that a search asked for, then documents on the screen; for any thread."""

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

    def take(self, connection: sqlite3.Connection) -> list[int]:
        """Return the passages that are wanted, best first, and forget them."""
        with self._lock:
            asked, shown = list(self._asked), list(self._shown)
            self._asked, self._shown = {}, {}
        return [*asked, *(passages.ids_of(connection, shown).tolist() if shown else ())]


def spread(ids: Sequence[int]) -> list[int]:
    """Return ids in an order of which every beginning is spread evenly over all of them, and so over all folders."""
    order = np.argsort(np.arange(len(ids)) * _GOLDEN % 1.0, kind="stable")
    return [ids[place] for place in order.tolist()]


def encode_passages(
    connection: sqlite3.Connection, file: VectorFile, model: StoredModel, encoder: Encoder, task: Task,
    order: EncodingOrder | None = None,
) -> int:  # fmt: skip
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
        first = [passage for passage in order.take(connection) if passage in left]
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
