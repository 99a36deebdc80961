"""Split documents into passages that fit the model's token limit, and index their words."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from explorer.corpus.document import Passage
from explorer.corpus.passages import splitter
from explorer.task import Task
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage.database import transaction

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.tokenizer import Tokenizer

# Small commits leave the full-text indexes in many small pieces, which cost more to merge than to make.
_CHARACTERS_A_COMMIT, _DOCUMENTS_A_COMMIT = 250_000, 2_500
log = logging.getLogger(__name__)


class TextSplitters(Protocol):
    """What splits texts elsewhere, such as the workers of a cluster."""

    def split_texts(
        self, batches: Iterable[list[str]], budget: int, task: Task
    ) -> Generator[list[list[Passage] | None]]:
        """Yield the passages of each text, batch by batch and in order; None for a text that could not be split."""
        ...


def budget_of(encoder: BiEncoder) -> int:
    """Return how many tokens a passage may have for a model: what its prompt leaves."""
    return encoder.tokenizer.room - len(encoder.tokenizer.spans(encoder.prompt("document")))


def cutting_keys(encoder: BiEncoder) -> tuple[str, str]:
    """Return what the passages for a model are known by, and what earlier versions called them.

    Models with the same tokenizer and the same limit, such as a model and what was trained from it, share them.
    """
    budget = budget_of(encoder)
    tokens = hashlib.blake2b(encoder.tokenizer.whole_copy().to_str().encode(), digest_size=10).hexdigest()
    return f"{budget} tokens {tokens}", f"{budget} {encoder.fingerprint}"


def split_documents(
    connection: sqlite3.Connection,
    tokenizer: Tokenizer,
    budget: int,
    cutting: int,
    key: str,
    task: Task,
    splitters: TextSplitters | None = None,
) -> int:
    """Split the documents that have no passages of a cutting yet; return how many were split.

    The passages of other cuttings stay, so that the vectors of other models keep theirs.

    The words of all others are indexed again first, where the tokenisation of words has changed.

    Args:
        connection: The database.
        tokenizer: The model's.
        budget: How many tokens a passage may have.
        cutting: The id of the cutting.
        key: Its key: stored with each document.
        task: Progress and cancel.
        splitters: What splits the texts; this process if absent.

    Raises:
        Cancelled: The task was cancelled; documents that were split stay so.
        WorkspaceError: The disk is full.
    """
    passages.renew(connection, task)
    waiting = documents.to_split(connection, key)
    taken: deque[dict[int, str]] = deque()  # batches that are being split, in order

    def texts() -> Iterator[list[str]]:
        first = 0
        while first < len(waiting):
            taken.append(_batch(connection, waiting[first : first + _DOCUMENTS_A_COMMIT]))
            first += len(taken[-1])
            yield list(taken[-1].values())

    here = _LocalSplitter(tokenizer)
    done = 0
    task.report(0, len(waiting), "cutting into passages")
    with closing((splitters or here).split_texts(texts(), budget, task.silent())) as results:
        for split_batch in results:
            batch = taken.popleft()
            split = {document: items for document, items in zip(batch, split_batch, strict=True) if items is not None}
            with transaction(connection):
                # A document that could not be split is left as it is, for the next update.
                still_there = {document: batch[document] for document in split}
                passages.add_passages(connection, still_there, list(split.values()), 1 << cutting)
                documents.set_splitter(connection, list(split), key)
            done += len(batch)
            task.report(done, len(waiting), "cutting into passages")
    log.info("split %d documents into passages of at most %d tokens", len(waiting), budget)
    return len(waiting)


class _LocalSplitter:
    """Splits in this process, when the next batch is asked for."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def split_texts(
        self, batches: Iterable[list[str]], budget: int, task: Task
    ) -> Generator[list[list[Passage] | None]]:
        tokenizer = self._tokenizer
        for texts in batches:
            yield [
                *splitter.split_all(
                    texts, budget, tokenizer.spans, counts=tokenizer.count, spans_batch=tokenizer.spans_batch, task=task
                )
            ]


def _batch(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, str]:
    """Return the texts of documents, the first of `ids`, by id: as many as a commit takes."""
    batch: dict[int, str] = {}
    characters = 0
    with closing(documents.texts(connection, ids)) as texts:
        for document, text in zip(ids, texts, strict=False):
            batch[document] = text
            characters += len(text)
            if characters >= _CHARACTERS_A_COMMIT:
                break
    return batch
