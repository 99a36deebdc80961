"""Split documents into passages on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from explorer.cluster.pool import Failure, WorkBatch, WorkerPool
from explorer.corpus.document import Passage
from explorer.task import Task

_HELD = 64  # batches of passages that wait for an earlier one; a batch has about 250,000 characters
_Item = tuple[int, int, str]  # number of the batch, row in it, text


def split_texts(
    pool: WorkerPool, batches: Iterable[list[str]], budget: int, task: Task, failed: list[tuple[str, str]]
) -> Generator[list[list[Passage] | None]]:
    """Yield the passages of each text, batch by batch and in order, so that passages get the same ids as always.

    Args:
        pool: The workers.
        batches: Texts; taken a few batches ahead of what is yielded.
        budget: How many tokens a passage may have.
        task: Cancel.
        failed: Gets the texts that no worker could split, which have None for their passages, and why.

    Raises:
        Cancelled: The task was cancelled.
        ClusterError: The cluster is gone.
    """
    found: dict[int, list[list[Passage] | None]] = {}  # number of a batch -> passages of its texts
    missing: dict[int, int] = {}  # number of a batch -> texts that are not split yet

    def numbered() -> Iterator[WorkBatch[_Item]]:
        for number, texts in enumerate(batches):
            found[number], missing[number] = [None] * len(texts), len(texts)
            yield WorkBatch(tuple((number, row, text) for row, text in enumerate(texts)))

    def call(worker: Any, batch: WorkBatch[_Item]) -> Any:
        return worker.split.remote([text for _, _, text in batch.items], budget)

    def may_take() -> bool:
        return sum(left == 0 for left in missing.values()) < _HELD

    turn = 0
    for result in pool.map(numbered(), call, task, may_take=may_take):
        if isinstance(result, Failure):
            number, _, text = result.item
            failed.append((text, result.reason))
            missing[number] -= 1
        else:
            batch, answers = result
            for (number, row, _), offsets in zip(batch.items, answers, strict=True):
                found[number][row] = [Passage(start, end) for start, end in offsets.tolist()]
                missing[number] -= 1
        while missing.get(turn) == 0:
            del missing[turn]
            yield found.pop(turn)
            turn += 1
