"""Background work is seen, can be stopped, and says in a sentence what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from explorer.errors import DataError
from explorer.task import Progress, Task
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import JobState, Runner
from explorer.ui.panels import progress
from explorer.ui.panels.progress import ProgressLine, ProgressPanel, WholeProgressMeter, rough_time
from explorer.ui.state.session import Session
from explorer.workspace.workspace import UpdatePhase

Wait = Callable[..., None]
LEFT = Qt.MouseButton.LeftButton


@dataclass
class Bench:
    runner: Runner
    actions: Controllers
    panel: ProgressPanel
    line: ProgressLine
    go: threading.Event

    def work(self, task: Task) -> None:
        """A third is done, then it waits for the word to go on."""
        while not self.go.wait(0.001):
            task.report(20, 60, "encoding")


@pytest.fixture
def bench(qapp: object) -> Iterator[Bench]:
    session, runner = Session(), Runner()
    actions = Controllers(session, runner)
    made = Bench(runner, actions, ProgressPanel(session, actions), ProgressLine(session, actions), threading.Event())
    made.panel.show()
    made.line.show()
    yield made
    made.panel.close()
    made.line.close()
    assert runner.close(60)
    actions.close_workspace()


def ignore(_: object) -> None:
    pass


def test_a_job_is_shown_with_how_far_it_is_until_it_is_done(bench: Bench, wait: Wait) -> None:
    bench.runner.start("a", bench.work, ignore, title="Reading the folder", worker="model")
    bench.runner.start("b", bench.work, ignore, title="Reranking", worker="model")
    wait(lambda: len(bench.panel.rows) == 2 and "33 %" in next(iter(bench.panel.rows.values())).detail.text())

    first, second = bench.panel.rows.values()
    assert first.title.text() == "Reading the folder"
    assert (first.bar.value(), first.bar.maximum()) == (20, 60)
    assert "encoding" in first.detail.text()
    assert "waiting" in second.detail.text()

    bench.go.set()
    wait(lambda: not bench.panel.rows and len(bench.panel.notices) == 2)
    assert bench.panel.notices[1].sentence.text() == "Reading the folder: done."
    assert not bench.panel.notices[1].more.isVisible()


def test_quiet_jobs_are_not_shown(bench: Bench, wait: Wait) -> None:
    bench.runner.start("search", bench.work, ignore, title="Searching", quiet=True)
    wait(lambda: bench.runner.jobs()[0].progress is not None)

    assert not bench.panel.rows
    bench.go.set()
    wait(lambda: not bench.runner.jobs())
    assert not bench.panel.notices


def test_the_stop_button_stops_its_job_and_no_other(bench: Bench, wait: Wait) -> None:
    bench.runner.start("a", bench.work, ignore, title="A", worker="model")
    bench.runner.start("b", bench.work, ignore, title="B", worker="slow")
    wait(lambda: len(bench.panel.rows) == 2)

    QTest.mouseClick(next(iter(bench.panel.rows.values())).stop, LEFT)

    wait(lambda: [job.title for job in bench.runner.jobs()] == ["B"])
    assert [row.title.text() for row in bench.panel.rows.values()] == ["B"]


def test_an_error_is_a_sentence_with_details_to_copy(bench: Bench, wait: Wait) -> None:
    def fail(task: Task) -> None:
        raise DataError("table.csv has no column of texts. Choose one.")

    bench.runner.start("a", fail, ignore, title="Export")
    wait(lambda: bool(bench.panel.notices) and bench.panel.notices[0].more.isVisible())

    notice = bench.panel.notices[0]
    assert notice.sentence.text() == "table.csv has no column of texts. Choose one."
    assert notice.details is None
    QTest.mouseClick(notice.more, LEFT)
    assert notice.details.isVisible()
    QTest.mouseClick(notice.copy, LEFT)
    assert "Traceback" in QGuiApplication.clipboard().text()
    assert "table.csv" in bench.line.label.accessibleName()
    QTest.mouseClick(bench.panel.clear, LEFT)
    assert not bench.panel.notices


def test_notices_do_not_pile_up(bench: Bench, wait: Wait) -> None:
    for number in range(progress.MAX_NOTICES + 5):
        bench.runner.start(f"{number}", lambda _: None, ignore, title=f"Job {number}")
    wait(lambda: not bench.runner.jobs())

    assert len(bench.panel.notices) == progress.MAX_NOTICES
    assert bench.panel.notices[0].sentence.text() == f"Job {progress.MAX_NOTICES + 4}: done."


def test_the_line_says_the_foremost_job_and_stops_it(bench: Bench, wait: Wait) -> None:
    assert bench.line.label.text() == ""
    bench.runner.start("b", lambda task: bench.work(task), ignore, title="Waits", worker="model")
    bench.runner.start("a", bench.work, ignore, title="Drawing", worker="slow")
    wait(lambda: "33 %" in bench.line.label.text())

    assert bench.line.label.text().startswith("encoding 33 %")
    bench.runner.cancel("a")
    wait(lambda: "(+1)" not in bench.line.label.text())
    QTest.mouseClick(bench.line.stop, LEFT)
    wait(lambda: not bench.runner.jobs() and bench.line.label.text() == "")
    assert not bench.line.stop.isVisible()


def test_a_narrow_line_keeps_its_numbers_and_leaves_the_words_out(bench: Bench, wait: Wait) -> None:
    def work(task: Task) -> None:
        task.enter(UpdatePhase.ENCODE)
        while not bench.go.wait(0.001):
            task.report(60, 100, "encoding")

    bench.runner.start("update", work, ignore, title="Reading the folder", worker="model")
    bench.line.set_room(1920)
    wait(lambda: bench.line.label.text().startswith("64 %"))
    assert bench.line.label.text().endswith("reading for meaning")
    widths = [bench.line.width()]
    for window in (1280, 1024):
        bench.line.set_room(window)
        wait(lambda: bench.line.width() < widths[-1])
        widths.append(bench.line.width())
        assert "64 %" in bench.line.label.text()
        assert "…" not in bench.line.label.text()
    assert bench.line.label.accessibleName().endswith("reading for meaning")


def test_the_line_says_that_work_is_done(bench: Bench, wait: Wait) -> None:
    asked: list[int] = []
    bench.line.details_requested.connect(lambda: asked.append(1))
    bench.line._expiry.setInterval(3_600_000)  # what is said is still there when it is looked at
    bench.runner.start("a", bench.work, ignore, title="Drawing the map")
    wait(lambda: "encoding" in bench.line.label.text())

    bench.go.set()
    wait(lambda: bench.line.label.text() == "Drawing the map: done")
    QTest.mouseClick(bench.line, LEFT)
    assert asked == [1]


def test_what_is_quick_does_not_flicker_in_the_line(bench: Bench, wait: Wait) -> None:
    assert bench.line._delay.interval() == progress.SHOWN_AFTER
    bench.line._delay.setInterval(3_600_000)  # the job is quick however long it waits for a processor
    seen: list[str] = []
    bench.runner.changed.connect(lambda: seen.append(bench.line.label.text()))
    bench.runner.start("a", lambda _: None, ignore, title="Quick")

    wait(lambda: not bench.runner.jobs())
    assert set(seen) == {""}
    assert bench.line.label.text() == ""


@pytest.mark.parametrize(
    ("seconds", "told"), [(0, "0:00"), (69.2, "1:10"), (3599.5, "1:00:00"), (7380, "2:03:00"), (-3, "0:00")]
)
def test_time_left_is_written_as_people_read_it(seconds: float, told: str) -> None:
    assert progress.time_left(seconds) == told


def test_no_job_is_at_a_hundred_per_cent_before_its_end() -> None:
    assert progress.share(Progress(60, 60, "", None)) == "99 %"
    assert progress.share(Progress(3, 0, "", None)) == ""


def test_a_stopping_job_says_so() -> None:
    job = JobState(1, "a", "Reading", "model", "stopping", Progress(1, 2, "reading", 60.0))

    assert progress.short_texts(job) == ("Reading: stopping", "stopping")
    assert progress.long_text(job) == "stopping"


def test_opening_the_real_sample_is_seen(bench: Bench, sample_copy: Path, wait: Wait) -> None:
    titles: set[str] = set()
    bench.runner.changed.connect(lambda: titles.update(row.title.text() for row in bench.panel.rows.values()))
    bench.actions.open_folder(sample_copy)
    bench.runner.changed.connect(lambda: None)

    wait(lambda: bench.actions.session.map_layout is not None and not bench.runner.jobs())
    assert {"Reading the folder", "Grouping the documents", "Drawing the map"} <= titles
    assert not bench.panel.rows


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
