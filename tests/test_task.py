"""A task tells how far the work is, guesses the time left, and stops the work when asked."""

from __future__ import annotations

import threading
from enum import Enum

import pytest

from explorer.task import Cancelled, Progress, Task


class Clock:
    """A clock that a test moves on by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("explorer.task.time.monotonic", clock)
    return clock


class Heard(list[Progress]):
    """A task together with what it told."""

    def __init__(self) -> None:
        super().__init__()
        self.task = Task(self.append)

    def at_pace(self, clock: Clock, steps: range, total: int, seconds: float, note: str = "") -> Progress:
        """Report each step, so many seconds after the one before; returns the last that was told."""
        for done in steps:
            clock.now += seconds
            self.task.report(done, total, note)
        return self[-1]


def test_progress_is_told_as_reported():
    heard = Heard()
    heard.task.report(3, 10, "reading")
    assert (heard[0].done, heard[0].total, heard[0].note) == (3, 10, "reading")


def test_a_task_without_a_listener_can_be_reported_to():
    task = Task()
    task.report(1, 2)
    task.check()
    assert not task.cancelled


@pytest.mark.parametrize("listened", [True, False])
def test_a_cancelled_task_stops_the_work_at_its_next_word(listened):
    task = Heard().task if listened else Task()
    task.cancel()
    assert task.cancelled
    with pytest.raises(Cancelled):
        task.check()
    with pytest.raises(Cancelled):
        task.report(1, 2)


def test_the_last_progress_is_told_before_the_cancel_is_raised():
    heard = Heard()
    heard.task.cancel()
    with pytest.raises(Cancelled):
        heard.task.report(7, 8)
    assert heard[-1].done == 7


def test_cancelling_twice_is_the_same_as_once():
    task = Task()
    task.cancel()
    task.cancel()
    with pytest.raises(Cancelled):
        task.check()


def test_another_thread_can_cancel():
    task = Task()
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        try:
            while True:
                task.check()
                begun.set()
        except Cancelled:
            ended.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert begun.wait(60)
    task.cancel()
    thread.join(60)
    assert ended.is_set()


def test_a_listener_may_cancel():
    task = Task(lambda progress: task.cancel() if progress.done == 3 else None)
    task.report(2, 9)
    with pytest.raises(Cancelled):
        task.report(3, 9)


def test_a_silent_task_tells_nobody_and_stops_with_its_own():
    heard = Heard()
    inner = heard.task.silent()
    inner.report(1, 2)
    assert heard == []
    heard.task.cancel()
    with pytest.raises(Cancelled):
        inner.report(2, 2)


def test_there_is_no_estimate_before_there_is_a_speed(clock):
    heard = Heard()
    heard.task.report(0, 100)
    clock.now += 5
    heard.task.report(0, 100)
    assert [told.seconds_left for told in heard] == [None, None]


def test_there_is_no_estimate_without_a_total(clock):
    assert Heard().at_pace(clock, range(1, 20), 0, 1.0).seconds_left is None


def test_a_steady_pace_is_estimated_exactly(clock):
    heard = Heard()
    heard.task.report(0, 100)
    last = heard.at_pace(clock, range(1, 41), 100, 0.5)
    assert last.seconds_left == pytest.approx(60 * 0.5)


def test_work_that_goes_on_from_the_middle_counts_only_its_own_speed(clock):
    heard = Heard()
    heard.task.report(900, 1000)
    last = heard.at_pace(clock, range(901, 951), 1000, 2.0)
    assert last.seconds_left == pytest.approx(50 * 2.0)


def test_a_recent_speed_counts_more_than_an_old_one(clock):
    heard = Heard()
    heard.task.report(0, 1000)
    heard.at_pace(clock, range(1, 101), 1000, 0.1)
    slow = heard.at_pace(clock, range(101, 141), 1000, 1.0)
    mean_of_all = (1000 - 140) * (100 * 0.1 + 40 * 1.0) / 140
    assert mean_of_all < 0.7 * slow.seconds_left
    assert slow.seconds_left <= (1000 - 140) * 1.0


def test_a_stall_makes_the_estimate_longer(clock):
    heard = Heard()
    heard.task.report(0, 100)
    before = heard.at_pace(clock, range(1, 11), 100, 1.0)
    clock.now += 20
    heard.task.report(10, 100)
    assert heard[-1].seconds_left > 2 * before.seconds_left


def test_nothing_is_left_at_the_end(clock):
    heard = Heard()
    heard.task.report(0, 10)
    assert heard.at_pace(clock, range(1, 11), 10, 1.0).seconds_left == 0


def test_more_than_the_total_leaves_no_negative_time(clock):
    heard = Heard()
    heard.task.report(0, 10)
    assert heard.at_pace(clock, range(1, 15), 10, 1.0).seconds_left == 0


@pytest.mark.parametrize(
    ("done", "total", "note"),
    [(50, 200, "reading"), (50, 100, "encoding"), (2, 100, "reading")],
    ids=["another total", "another note", "begun again"],
)
def test_another_stage_starts_a_new_estimate(clock, done, total, note):
    heard = Heard()
    heard.task.report(0, 100, "reading")
    heard.at_pace(clock, range(1, 41), 100, 10.0, "reading")
    clock.now += 1
    heard.task.report(done, total, note)
    assert heard[-1].seconds_left is None
    clock.now += 1
    heard.task.report(done + 1, total, note)
    assert heard[-1].seconds_left == pytest.approx(total - done - 1)


class Part(Enum):
    FIRST = 1
    SECOND = 2


def test_progress_carries_the_phase_that_was_entered_and_the_warning():
    heard: list[Progress] = []
    task = Task(heard.append)
    task.report(0, 1, "a")
    task.enter(Part.FIRST)
    task.report(0, 1, "a", warning="Memory is short.")
    task.enter(Part.SECOND)
    task.report(1, 1, "a")
    assert [progress.phase for progress in heard] == [None, Part.FIRST, Part.SECOND]
    assert [progress.warning for progress in heard] == ["", "Memory is short.", ""]
