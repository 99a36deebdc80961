"""Length-sorted batches within a token budget, streamed through a network, halved when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from explorer.errors import ModelError
from explorer.models.runtime import device as devices
from explorer.models.runtime.thread_pool import in_parallel
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.device import Device

Text = TypeVar("Text")
Result = TypeVar("Result")

WINDOW = 2048  # texts that are tokenised and sorted by length together: memory stays flat beyond them
ROWS_AT_MOST = 1024


@dataclass(frozen=True)
class Tokens:
    """A sequence for the network: its ids, and for a pair which text each belongs to."""

    ids: list[int]
    types: list[int] | None = None


@dataclass(frozen=True)
class Output:
    """What the network gave for a batch.

    Attributes:
        rows: Which of the texts the values belong to, (B,).
        values: (B, m), float32.
    """

    rows: NDArray[np.int64]
    values: NDArray[np.float32]


def stream(
    texts: Sequence[Text],
    tokenise: Callable[[Sequence[Text]], list[Tokens]],
    forward: Callable[[list[Tokens]], NDArray[np.float32]],
    *,
    work: Sequence[int],
    note: str,
    device: Device,
    task: Task,
) -> Generator[Output]:
    """The network's output batch by batch, in the order in which batches are ready.

    Args:
        texts: Texts or pairs.
        tokenise: Gives their tokens, a window of them at a time.
        forward: Gives the output (B, m) of a batch.
        work: How much each text counts in the progress.
        note: What the progress says is being done.
        device: How much goes into a batch, and how many batches run at once.
        task: Hears of the progress.

    Raises:
        Cancelled: The task was cancelled; what was yielded stays valid.
        ModelError: The device's memory is too small for a single text.
    """

    def output(batch: tuple[list[int], list[Tokens]]) -> Output:
        task.check()
        rows, tokens = batch
        return Output(np.array(rows, dtype=np.int64), halving(forward, tokens, np.concatenate))

    finished, total = 0, sum(work)
    task.report(0, total, note)
    batches = _windows(texts, tokenise, device.token_budget, task)
    with closing(in_parallel(output, batches, device)) as outputs:
        for result in outputs:
            yield result
            finished += sum(work[row] for row in result.rows)
            task.report(finished, total, note)


def collect(
    outputs: Iterable[Output], count: int, width: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The streamed values in the order of the texts, (N, m), and which are there, (N,); cancelling ends it early."""
    values = np.zeros((count, width), dtype=np.float32)
    done = np.zeros(count, dtype=np.bool_)
    try:
        for output in outputs:
            values[output.rows] = output.values
            done[output.rows] = True
    except Cancelled:
        pass
    return values, done


def effort(characters: Iterable[int], max_tokens: int) -> list[int]:
    """How much work each text is, about: its characters as far as the model reads them, and a little for each."""
    return [min(count, 6 * max_tokens) + 8 for count in characters]


def by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Rows grouped so that texts of like length meet, longest first, and padding is rare.

    Args:
        lengths: Tokens of each text.
        budget: Tokens of a batch, padding included; a longer text goes alone.

    Yields:
        The rows of one batch.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    start = 0
    while start < len(order):
        fit = max(1, budget // max(1, lengths[order[start]]))
        end = start + min(fit, ROWS_AT_MOST)
        yield order[start:end]
        start = end


def padded(rows: Sequence[Sequence[int]], fill: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of unequal length as one matrix filled up on the right, (B, T), and its mask of real places, (B, T)."""
    shape = (len(rows), max(1, *map(len, rows)))
    matrix, mask = np.full(shape, fill, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for place, row in enumerate(rows):
        matrix[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return matrix, mask


def halving(
    forward: Callable[[list[Text]], Result], items: list[Text], rejoin: Callable[[list[Result]], Result]
) -> Result:
    """The result for a batch; where the device's memory is too small for it, in halves.

    Raises:
        ModelError: A single item is too large for the memory.
    """
    try:
        return forward(items)
    except (RuntimeError, MemoryError) as error:
        if not devices.out_of_memory(error):
            raise
        if len(items) == 1:
            raise ModelError(
                "The device's memory is too small for a single text with this model. "
                "Close other programs, or choose the CPU or a smaller model in the settings."
            ) from error
    devices.free_memory()
    middle = len(items) // 2
    return rejoin([halving(forward, part, rejoin) for part in (items[:middle], items[middle:])])


def _windows(
    texts: Sequence[Text], tokenise: Callable[[Sequence[Text]], list[Tokens]], budget: int, task: Task
) -> Iterator[tuple[list[int], list[Tokens]]]:
    for start in range(0, len(texts), WINDOW):
        task.check()
        tokens = tokenise(texts[start : start + WINDOW])
        for rows in by_length([len(each.ids) for each in tokens], budget):
            yield [start + row for row in rows], [tokens[row] for row in rows]
