"""Work goes on behind the window; what it says arrives in the UI thread, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from explorer.task import Task
from explorer.ui.jobs.runner import Runner

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def runner(qapp: object) -> Iterator[Runner]:
    runner = Runner()
    yield runner
    assert runner.close(60)


def blocked(task: Task) -> None:
    """Runs until it is cancelled."""
    stop = threading.Event()
    while not stop.wait(0.001):
        task.check()


def test_result_arrives_in_the_ui_thread(runner: Runner, wait: Wait) -> None:
    got: list[tuple[int, threading.Thread]] = []

    runner.start("sum", lambda _: 1 + 1, lambda value: got.append((value, threading.current_thread())))

    wait(lambda: bool(got))
    assert got == [(2, threading.main_thread())]
    assert runner.jobs() == ()


def test_the_latest_of_a_key_wins(runner: Runner, wait: Wait) -> None:
    got: list[str] = []
    stopped: list[str] = []

    runner.start("query", blocked, lambda _: got.append("first"), stopped=lambda: stopped.append("first"))
    runner.start("query", lambda _: "x", lambda _: got.append("second"))

    wait(lambda: bool(got) and not runner.jobs())
    assert got == ["second"]
    assert stopped == []


def test_cancel_is_told_and_keeps_what_was_returned(runner: Runner, wait: Wait) -> None:
    heard: list[str] = []
    begun = threading.Event()

    def partial(task: Task) -> str:
        begun.set()
        while not task.cancelled:
            pass
        return "what was done"

    runner.start("a", blocked, heard.append, stopped=lambda: heard.append("stopped"))
    wait(lambda: runner.jobs()[0].status == "running")
    runner.cancel("a")
    wait(lambda: heard == ["stopped"])
    runner.start("b", partial, heard.append)
    wait(begun.is_set)
    runner.cancel("b")
    wait(lambda: heard == ["stopped", "what was done"])


def test_workers_do_not_wait_for_each_other(runner: Runner, wait: Wait) -> None:
    got: list[int] = []

    runner.start("encode", blocked, got.append, worker="model")
    runner.start("search", lambda _: 1, got.append, worker="quick")

    wait(lambda: got == [1])
    assert [job.key for job in runner.jobs()] == ["encode"]


def test_a_question_goes_before_what_waits_for_the_same_worker(runner: Runner, wait: Wait) -> None:
    begun, go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def hold(_: Task) -> None:
        begun.set()
        go_on.wait(60)

    runner.start("first", hold, lambda _: order.append("first"))
    wait(begun.is_set)
    for name in ("words", "counts"):
        runner.start(name, lambda _: None, lambda _, name=name: order.append(name))
    runner.start("search", lambda _: None, lambda _: order.append("search"), urgent=True)
    go_on.set()
    wait(lambda: not runner.jobs())
    assert order == ["first", "search", "words", "counts"]


def test_errors_reach_the_handler_or_the_signal(runner: Runner, wait: Wait) -> None:
    mine: list[BaseException] = []
    said: list[tuple[str, Any]] = []
    runner.failed.connect(lambda title, error: said.append((title, error)))

    def fail(task: Task) -> None:
        raise ValueError("no")

    runner.start("a", fail, mine.append, failed=mine.append)
    runner.start("b", fail, mine.append, title="Reading")

    wait(lambda: bool(mine) and bool(said))
    assert [str(error) for error in mine] == ["no"]
    assert [(title, str(error)) for title, error in said] == [("Reading", "no")]


def test_progress_is_throttled_but_its_end_is_told(runner: Runner, wait: Wait) -> None:
    seen: list[int] = []
    ended: list[None] = []

    def count(task: Task) -> None:
        for done in range(1, 20_001):
            task.report(done, 20_000, "counting")

    def look() -> None:
        seen.extend(job.progress.done for job in runner.jobs() if job.progress)

    runner.changed.connect(look)
    runner.start("count", count, ended.append)

    wait(lambda: bool(ended))
    assert len(seen) < 200
    assert seen == sorted(seen)


def test_partial_results_come_in_order(runner: Runner, wait: Wait) -> None:
    got: list[int] = []
    ended: list[None] = []

    def work(task: Task) -> None:
        for value in range(100):
            task.publish(value)

    runner.start("layout", work, ended.append, partial=got.append)

    wait(lambda: bool(ended))
    assert got == list(range(100))


def test_nothing_is_said_after_closing(qapp: object, wait: Wait) -> None:
    from PySide6.QtWidgets import QApplication

    heard: list[object] = []
    for _ in range(30):
        runner = Runner()
        for number in range(6):
            worker: Any = "model" if number % 2 else "quick"
            runner.start(f"job {number}", blocked, heard.append, stopped=lambda: heard.append(0), worker=worker)
        QApplication.processEvents()

        assert runner.close(60)
        QApplication.processEvents()
        assert heard == []


def test_what_nobody_wants_any_more_is_handed_back(runner: Runner, wait: Wait) -> None:
    got: list[str] = []
    back: list[str] = []

    begun = threading.Event()

    def late(task: Task) -> str:
        begun.set()
        while not task.cancelled:
            pass
        return "opened"

    runner.start("open", late, got.append, dropped=back.append)
    wait(begun.is_set)
    runner.start("open", lambda _: "second", got.append, dropped=back.append)

    wait(lambda: got == ["second"])
    assert back == ["opened"]


def test_a_box_that_was_closed_meanwhile_gets_no_answer_and_harms_no_one(
    qapp: object, wait: Callable[..., None]
) -> None:
    from PySide6.QtWidgets import QLabel
    from shiboken6 import delete

    runner, label = Runner(), QLabel()
    heard: list[str] = []
    delete(label)
    runner.start("ask", lambda _task: "answer", label.setText, worker="quick")
    runner.start("other", lambda _task: "answer", heard.append, worker="quick")
    wait(lambda: heard == ["answer"])
    assert runner.close(60)


def test_the_end_of_the_owner_cancels_its_jobs(runner: Runner, wait: Wait) -> None:
    from PySide6.QtCore import QObject
    from shiboken6 import delete

    owner, begun, cancelled = QObject(), threading.Event(), threading.Event()
    heard: list[str] = []

    def work(task: Task) -> str:
        begun.set()
        while not task.cancelled:
            begun.wait(0.005)
        cancelled.set()
        return "late"

    runner.start("long", work, heard.append, owner=owner)
    runner.start("next", lambda _: "waiting", heard.append, owner=owner)
    runner.start("other", lambda _: "other", heard.append)
    assert begun.wait(60)
    delete(owner)
    wait(lambda: heard and not runner.jobs())
    assert cancelled.is_set()
    assert heard == ["other"]


def test_a_drain_waits_for_all_workers_and_the_latest_wins(runner: Runner, wait: Wait) -> None:
    gate, heard = threading.Event(), list[str]()

    def hold(_: Task) -> None:
        gate.wait(60)

    runner.start("slow work", hold, lambda _: heard.append("slow"), worker="slow")
    runner.drain(("quick", "slow"), lambda: heard.append("first"))
    runner.drain(("quick", "slow"), lambda: heard.append("drained"))
    runner.start("quick work", lambda _: None, lambda _: heard.append("quick"))
    wait(lambda: heard == ["quick"])
    gate.set()
    wait(lambda: not runner.jobs())
    assert heard == ["quick", "slow", "drained"]


def test_a_held_job_keeps_no_worker_and_runs_once_released(runner: Runner, wait: Wait) -> None:
    heard: list[str] = []
    number = runner.start("held", lambda _: "held", heard.append, held=True)
    runner.start("other", lambda _: "other", heard.append)
    wait(lambda: heard == ["other"])
    assert [job.key for job in runner.jobs()] == ["held"]
    runner.release(number)
    wait(lambda: heard == ["other", "held"])
    runner.start("held", lambda _: "never", heard.append, held=True)
    runner.cancel("held")
    wait(lambda: not runner.jobs())


def test_what_a_job_holds_is_freed_in_the_ui_thread(runner: Runner, wait: Wait) -> None:
    """A QObject that a worker is the last to hold would be deleted there, and crash Qt."""
    freed: list[threading.Thread] = []

    class Work:
        def __call__(self, _: Task) -> None:
            pass

        def __del__(self) -> None:
            freed.append(threading.current_thread())

    for number in range(500):
        runner.start(f"job {number}", Work(), lambda _: None)
    wait(lambda: len(freed) == 500)
    assert set(freed) == {threading.main_thread()}


def test_the_end_of_all_workers_is_told(qapp: object, wait: Wait) -> None:
    ended: list[str] = []
    idle, busy, gate = Runner(), Runner(), threading.Event()
    idle.ended.connect(lambda: ended.append("idle"))
    busy.ended.connect(lambda: ended.append("busy"))
    # Kept: on a busy machine the worker may take it up only after it was cancelled, and would leave it out.
    busy.start("work", lambda _: gate.wait(60), lambda _: None, must_run=True)
    busy.close(0)
    idle.close(0)
    wait(lambda: ended == ["idle"])
    gate.set()
    wait(lambda: ended == ["idle", "busy"])
    assert busy.close(60)


def test_background_work_gives_way_to_what_a_person_waits_for(
    runner: Runner, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.ui.jobs.runner.WAIT", 60.0)  # a busy machine may take longer than a second
    order: list[str] = []
    reading, go_on, checked = threading.Event(), threading.Event(), threading.Event()

    def encode(task: Task) -> None:
        reading.wait(60)
        task.check()  # a document is being opened meanwhile
        order.append("encoded")
        checked.set()

    def read(_task: Task) -> None:
        reading.set()
        go_on.wait(60)
        order.append("read")

    runner.start("update", encode, lambda _: None, worker="model")
    runner.start("read", read, lambda _: None, worker="read")
    wait(reading.is_set)
    go_on.set()
    wait(checked.is_set)
    assert order == ["read", "encoded"]
