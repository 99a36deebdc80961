"""Split documents into passages that fit the model's token limit, and index their words."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from explorer.corpus.passages import splitter
from explorer.task import Task
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage.database import transaction

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.tokenizer import Tokenizer

_DOCUMENTS_A_COMMIT = 16
log = logging.getLogger(__name__)


def budget_of(encoder: BiEncoder) -> int:
    """Return how many tokens a passage may have for a model: what its prompt leaves."""
    return encoder.tokenizer.room - len(encoder.tokenizer.spans(encoder.prompt("document")))


def split_documents(
    connection: sqlite3.Connection, tokenizer: Tokenizer, budget: int, key: str, task: Task
) -> int:
    """Split the documents that have no passages of this kind yet; return how many were split.

    The words of all others are indexed again first, where the tokenisation of words has changed.

    Args:
        connection: The database.
        tokenizer: The model's.
        budget: How many tokens a passage may have.
        key: What the passages are made by: stored with each document.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled; documents that were split stay so.
        WorkspaceError: The disk is full.
    """
    passages.renew(connection, task)
    waiting = documents.to_split(connection, key)
    for start in range(0, len(waiting), _DOCUMENTS_A_COMMIT):
        task.report(start, len(waiting), "cutting into passages")
        with transaction(connection):
            for document in waiting[start : start + _DOCUMENTS_A_COMMIT]:
                passages.drop_passages(connection, document)
                text = documents.text(connection, document)
                found = splitter.split(
                    text, budget, tokenizer.spans, spans_batch=tokenizer.spans_batch, task=task
                )
                passages.add_passages(connection, document, text, found)
                documents.set_splitter(connection, document, key)
    task.report(len(waiting), len(waiting), "cutting into passages")
    log.info("split %d documents into passages of at most %d tokens", len(waiting), budget)
    return len(waiting)
