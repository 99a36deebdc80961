"""One percentage for the whole work on a folder, which never goes back, and a time as people say it."""

from __future__ import annotations

from explorer.task import Progress
from explorer.ui.jobs.runner import JobState
from explorer.ui.jobs.whole_progress import WholeProgressMeter, rough_time
from explorer.workspace.workspace import UpdatePhase


def job(
    key: str, done: int = 0, total: int = 0, phase: UpdatePhase | None = None, left: float | None = None,
    status: str = "running",
) -> JobState:  # fmt: skip
    return JobState(1, key, key, "model", status, Progress(done, total, "", left, phase=phase))


def test_the_percentage_grows_through_all_parts(qapp: object) -> None:
    meter = WholeProgressMeter()
    seen = [
        meter.measure([job("update", 0, 0)]),
        meter.measure([job("update", 50, 100, UpdatePhase.READ)]),
        meter.measure([job("update", 90, 100, UpdatePhase.SPLIT)]),
        meter.measure([job("update", 0, 100, UpdatePhase.ENCODE, 700.0), job("map", 1, 2)]),
        meter.measure([job("update", 50, 100, UpdatePhase.ENCODE, 400.0)]),
        meter.measure([job("clusters", 1, 2)]),
        meter.measure([job("map", 1, 2)]),
    ]
    percents = [whole.percent if whole is not None else None for whole in seen]
    assert percents == [None, 6, 15, 22, 57, 95, 98]
    assert [whole.seconds_left for whole in seen if whole is not None][3:5] == [700.0, 400.0]
    assert len({whole.words for whole in seen if whole is not None}) == 6
    assert meter.measure([]) is None
    again = meter.measure([job("clusters", 1, 2)])  # only grouped again: a whole of its own
    assert again is not None
    assert again.percent == 25


def test_what_follows_a_stopped_update_is_not_the_end_of_it(qapp: object) -> None:
    meter = WholeProgressMeter()
    meter.measure([job("update", 20, 100, UpdatePhase.ENCODE)])
    stopping = meter.measure([job("update", 20, 100, UpdatePhase.ENCODE, status="stopping")])
    assert stopping is not None
    assert stopping.percent == 36
    grouping = meter.measure([job("clusters", 1, 2)])
    assert grouping is not None
    assert grouping.percent == 25


def test_times_are_rough(qapp: object) -> None:
    assert [rough_time(seconds) for seconds in (20, 70, 250, 7800)] == [
        "less than 1 min",
        "1 min",
        "4 min",
        "2 h 10 min",
    ]
