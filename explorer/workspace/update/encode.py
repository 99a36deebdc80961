"""Encode passages into vectors: each text once per model, however often it occurs."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Protocol

from explorer.corpus.passages import splitter
from explorer.task import Task
from explorer.workspace.storage import documents, passages, vector_table
from explorer.workspace.storage.passages import digest
from explorer.workspace.storage.vector_file import VectorWriter
from explorer.workspace.update.split import budget_of

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.batching import Output
    from explorer.workspace.storage.vector_file import VectorFile
    from explorer.workspace.storage.vector_table import StoredModel

_PASSAGES_A_WINDOW = 4096
_DOCUMENTS_A_WINDOW = 64
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

    def stream(
        self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None
    ) -> Generator[Output]:
        """Yield the vectors, batch by batch."""
        ...


def encode_passages(
    connection: sqlite3.Connection, file: VectorFile, model: StoredModel, encoder: Encoder, task: Task
) -> int:
    """Encode the passages that have no vector of this model yet; return how many were encoded.

    Each batch survives the end of the process as soon as it is computed; what a killed process left behind is
    committed first.

    Raises:
        Cancelled: The task was cancelled; what was encoded stays.
        WorkspaceError: The disk is full.
    """
    writer = VectorWriter(connection, file, model.id, encoder.fingerprint)
    writer.recover()
    missing = passages.without_vector(connection, model.id)
    note = "sketching" if model.kind == "draft" else "encoding"
    for start in range(0, len(missing), _PASSAGES_A_WINDOW):
        window = passages.load(connection, missing[start : start + _PASSAGES_A_WINDOW])
        texts = {passage.digest: passage.text for passage in window.values()}
        _encode(writer, encoder, texts, task, lambda done: task.report(start + done, len(missing), note))  # noqa: B023
    log.info("encoded %d passages with %s", len(missing), model.name)
    return len(missing)


def encode_for_model(
    connection: sqlite3.Connection, file: VectorFile, model: StoredModel, encoder: BiEncoder, task: Task
) -> int:
    """Encode all documents with a model that is to be used next; return how many passages were encoded.

    A model splits documents in its own way, and splitting them again would leave the vectors of the model in use
    without their passages. So the passages that the new model would have are encoded from the texts themselves; the
    next update then finds every vector ready, and switching back finds the old ones.

    Raises:
        Cancelled: The task was cancelled; what was encoded stays, and the next call continues from there.
        WorkspaceError: The disk is full.
    """
    writer = VectorWriter(connection, file, model.id, encoder.fingerprint)
    writer.recover()
    ids = documents.ids(connection)
    encoded = 0
    for start in range(0, len(ids), _DOCUMENTS_A_WINDOW):
        window = ids[start : start + _DOCUMENTS_A_WINDOW]
        texts = _missing(connection, model.id, encoder, window, task)

        def report(done: int, start: int = start, size: int = len(window), of: int = len(texts)) -> None:
            task.report(start + size * done // of, len(ids), "encoding")

        _encode(writer, encoder, texts, task, report)
        encoded += len(texts)
        task.report(start + len(window), len(ids), "encoding")
    log.info("encoded %d passages ahead with %s", encoded, model.name)
    return encoded


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


def _missing(
    connection: sqlite3.Connection, model: int, encoder: BiEncoder, ids: Sequence[int], task: Task
) -> dict[bytes, str]:
    """Return the passages of some documents that have no vector of the model yet, by digest."""
    budget, tokenizer = budget_of(encoder), encoder.tokenizer
    found: dict[bytes, str] = {}
    for text in documents.texts(connection, ids):
        for passage in splitter.split(
            text, budget, tokenizer.spans, spans_batch=tokenizer.spans_batch, task=task.silent()
        ):
            words = text[passage.start : passage.end]
            found.setdefault(digest(words), words)
    known = vector_table.known_digests(connection, model, found)
    return {key: text for key, text in found.items() if key not in known}
