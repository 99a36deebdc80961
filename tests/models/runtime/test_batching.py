"""Batches: every text once, within the budget, in halves when memory runs out, several at once."""

from __future__ import annotations

import itertools
import random
import threading

import numpy as np
import pytest
import torch

from explorer.errors import ModelError
from explorer.models.runtime import batching
from explorer.models.runtime.batching import (
    Output,
    Tokens,
    by_length,
    collect,
    effort,
    halving,
    in_parallel,
    padded,
    stream,
)
from explorer.models.runtime.device import Device
from explorer.task import Cancelled, Progress, Task

ONE, TWO, FOUR = (Device("cpu", threads) for threads in (1, 2, 4))


@pytest.fixture(autouse=True)
def _no_thread_is_left_over():
    """Whatever a test does, the workers it started have ended."""
    yield
    assert workers() == []


def workers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("encode-")]


def test_every_row_is_in_one_batch_longest_first_within_the_budget():
    draw = random.Random(7)
    for _ in range(300):
        lengths = [draw.choice([0, 1, 5, 60, 200, 3000]) + draw.randrange(9) for _ in range(draw.randrange(400))]
        budget = draw.choice([1, 16, 512, 16_384])
        batches = list(by_length(lengths, budget))
        assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
        in_order = [lengths[row] for batch in batches for row in batch]
        assert in_order == sorted(in_order, reverse=True)
        for batch in batches:
            longest = max(lengths[row] for row in batch)
            assert len(batch) == 1 or longest * len(batch) <= budget
            assert len(batch) <= batching.ROWS_AT_MOST


def test_batches_are_as_full_as_the_budget_allows():
    assert [len(batch) for batch in by_length([10] * 25, 100)] == [10, 10, 5]


def test_empty_texts_come_in_batches_too():
    assert sum(len(batch) for batch in by_length([0] * 3000, 8)) == 3000


def test_texts_of_one_length_keep_their_order():
    assert list(by_length([4, 9, 4, 9], 8)) == [[1], [3], [0, 2]]


def test_padding_fills_up_on_the_right():
    matrix, mask = padded([[5, 6, 7], [8], []], fill=1)
    assert matrix.tolist() == [[5, 6, 7], [8, 1, 1], [1, 1, 1]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 0]]


def test_padding_of_nothing_but_empty_rows_still_has_a_place():
    matrix, mask = padded([[], []], fill=9)
    assert matrix.tolist() == [[9], [9]]
    assert mask.sum() == 0


def test_effort_grows_with_the_text_as_far_as_the_model_reads_it():
    none, short, long, longer = effort([0, 100, 3072, 10_000], max_tokens=512)
    assert 0 < none < short < long == longer


class Small:
    """A network for which memory holds only so many items; it remembers the batches that fitted."""

    def __init__(self, room: int, error: Exception | None = None) -> None:
        self.room, self.error = room, error or torch.OutOfMemoryError("CUDA out of memory")
        self.fitted: list[list[int]] = []

    def __call__(self, items: list[int]) -> np.ndarray:
        if len(items) > self.room:
            raise self.error
        self.fitted.append(items)
        return np.array([[item, item * item] for item in items], dtype=np.float32)


@pytest.mark.parametrize("count", [1, 3, 4, 7, 50])
def test_what_does_not_fit_is_halved_and_joined_in_order(count):
    network = Small(3)
    found = halving(network, list(range(count)), np.concatenate)
    assert found.tolist() == [[item, item * item] for item in range(count)]
    assert max(map(len, network.fitted)) <= 3


def test_what_fits_is_not_halved():
    network = Small(3)
    halving(network, [1, 2, 3], np.concatenate)
    assert network.fitted == [[1, 2, 3]]


def test_a_single_item_too_large_is_told_in_a_sentence():
    with pytest.raises(ModelError, match="memory is too small for a single text") as raised:
        halving(Small(0), [1, 2, 3, 4], np.concatenate)
    assert isinstance(raised.value.__cause__, torch.OutOfMemoryError)


def test_another_runtime_error_is_not_taken_for_a_lack_of_memory():
    network = Small(3, RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        halving(network, list(range(8)), np.concatenate)
    assert network.fitted == []


@pytest.mark.parametrize("device", [ONE, TWO, FOUR], ids=["one core", "two", "four"])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 100])
def test_every_result_comes(device, count):
    found = list(in_parallel(lambda batch: batch * 10, range(1, count + 1), device))
    assert sorted(found) == [10 * batch for batch in range(1, count + 1)]


def test_few_batches_are_computed_here_and_many_by_workers():
    def where(_batch: int) -> str:
        return threading.current_thread().name

    here = threading.current_thread().name
    assert set(in_parallel(where, range(3), FOUR)) == {here}
    assert set(in_parallel(where, range(50), ONE)) == {here}
    assert here not in set(in_parallel(where, range(50), FOUR))


def test_workers_really_run_at_once():
    together = threading.Barrier(4, timeout=120)

    def meet(_batch: int) -> int:
        return together.wait() + 1  # ends only when four have come

    assert len(list(in_parallel(meet, range(4), FOUR))) == 4


def test_each_worker_computes_on_its_own_cores():
    def cores(_batch: int) -> int:
        return torch.get_num_threads()

    before = torch.get_num_threads()
    assert set(in_parallel(cores, range(50), FOUR)) == {1}
    assert set(in_parallel(cores, range(2), FOUR)) == {4}
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("device", [ONE, TWO], ids=["one core", "two"])
def test_an_error_of_a_worker_reaches_the_caller(device):
    def work(batch: int) -> int:
        if batch == 5:
            raise KeyError("five")
        return batch + 1

    with pytest.raises(KeyError, match="five"):
        list(in_parallel(work, range(100), device))
    assert workers() == []


def test_an_error_of_the_iterator_reaches_the_caller():
    def batches():
        yield from range(20)
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="the disk went away"):
        list(in_parallel(lambda batch: batch + 1, batches(), TWO))


def test_closing_early_stops_the_workers():
    pause = threading.Event()

    def work(batch: int) -> int:
        pause.wait(0.001)
        return batch

    results = in_parallel(work, itertools.count(1), TWO)
    next(results)
    assert len(workers()) == TWO.workers
    results.close()
    assert workers() == []


def tokenised(texts):
    return [Tokens([len(text)] * len(text)) for text in texts]


def numbers(batch: list[Tokens]) -> np.ndarray:
    return np.array([[len(tokens.ids), sum(tokens.ids)] for tokens in batch], dtype=np.float32)


def run(texts: list[str], task: Task, device: Device = TWO, forward=numbers):
    return stream(
        texts, tokenised, forward, work=[len(text) for text in texts], note="testing", device=device, task=task
    )


@pytest.mark.parametrize("device", [ONE, TWO], ids=["one core", "two"])
def test_the_stream_gives_every_text_its_own_values_over_several_windows(device):
    draw = random.Random(1)
    texts = ["x" * draw.randrange(1, 40) for _ in range(2 * batching.WINDOW + 77)]
    values, done = collect(run(texts, Task(), device), len(texts), 2)
    assert done.all()
    assert values[:, 0].tolist() == [len(text) for text in texts]
    assert values[:, 1].tolist() == [len(text) ** 2 for text in texts]


def test_progress_rises_to_the_total():
    told: list[Progress] = []
    texts = ["x" * (1 + row % 30) for row in range(3000)]
    list(run(texts, Task(told.append)))
    done = [progress.done for progress in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, sum(map(len, texts)))
    assert {(progress.total, progress.note) for progress in told} == {(sum(map(len, texts)), "testing")}
    assert len(done) > 20


def test_no_texts_are_no_output():
    told: list[Progress] = []
    assert list(run([], Task(told.append))) == []
    assert (told[-1].done, told[-1].total) == (0, 0)


@pytest.mark.parametrize("device", [ONE, TWO], ids=["one core", "two"])
def test_a_cancel_in_the_middle_ends_the_stream_and_its_workers(device):
    task = Task()
    texts = ["x" * 30] * 5000
    outputs = run(texts, task, device)
    first = next(outputs)
    task.cancel()
    with pytest.raises(Cancelled):
        list(outputs)
    assert first.values[:, 0].tolist() == [30] * len(first.rows)
    assert workers() == []


def test_after_a_cancel_no_further_batch_is_begun():
    task, begun = Task(), []

    def forward(batch: list[Tokens]) -> np.ndarray:
        begun.append(task.cancelled)
        if len(begun) == 4:
            task.cancel()
        return numbers(batch)

    outputs = run(["x" * 30] * 5000, task, forward=forward)
    with pytest.raises(Cancelled):
        list(outputs)
    assert workers() == []
    assert 4 <= len(begun) <= 6  # the other workers may have been past their question


def test_a_stream_cancelled_before_it_begins_does_nothing():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        next(run(["x"], task, forward=lambda _batch: pytest.fail("nothing should be computed")))


def test_what_was_done_before_a_cancel_is_collected():
    def told(progress: Progress) -> None:
        if progress.done > 30 * 1000:
            task.cancel()

    task = Task(told)
    texts = ["x" * 30] * 5000
    values, done = collect(run(texts, task), len(texts), 2)
    assert 1000 <= done.sum() < 5000
    assert (values[done] == [30, 900]).all()
    assert not values[~done].any()


def test_an_error_while_computing_ends_the_workers():
    def failing(_batch: list[Tokens]) -> np.ndarray:
        raise ValueError("broken network")

    with pytest.raises(ValueError, match="broken network"):
        list(run(["x" * 30] * 5000, Task(), forward=failing))


def test_collecting_puts_rows_in_their_places():
    outputs = [
        Output(np.array([3, 0]), np.array([[3.0], [0.5]], dtype=np.float32)),
        Output(np.array([1]), np.array([[1.0]], dtype=np.float32)),
    ]
    values, done = collect(outputs, 4, 1)
    assert values[:, 0].tolist() == [0.5, 1.0, 0.0, 3.0]
    assert done.tolist() == [True, True, False, True]
