"""Clocks that are wrong, are set back, or stood still while the machine slept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Progress, Task
from explorer.workspace import doctor
from explorer.workspace.search.search import Searcher
from explorer.workspace.storage.user.words import add_judgement, judgements
from explorer.workspace.update.watch import UpdateOptions, follow
from explorer.workspace.workspace import Workspace

YEAR = 365 * 86_400 * 10**9  # nanoseconds
TIMES = {"1901.txt": -69 * YEAR, "1969.txt": -1, "2038.txt": 69 * YEAR, "2200.txt": 230 * YEAR, "2290.txt": 321 * YEAR}


@pytest.fixture
def encoder(tiny: Path) -> BiEncoder:
    return BiEncoder.open(tiny, choose("cpu", precision="float32"))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, moment in TIMES.items():
        (folder / name).write_text(f"the river in the year {name}")
        try:
            os.utime(folder / name, ns=(moment, moment))
        except OSError:  # a disk that has no such times
            (folder / name).unlink()
    with Workspace(tmp_path / "workspace", folder, writable=True) as opened:
        yield opened


def test_files_of_any_year_are_read_once_and_found_by_it(workspace: Workspace, encoder: BiEncoder) -> None:
    there = {path.name for path in workspace.root.iterdir()}
    assert workspace.update(encoder).read == len(there) >= 3
    again = workspace.update(encoder)
    assert (again.read, again.same) == (0, len(there))
    found = Searcher(workspace, encoder).search("river modified:>2030", k=10)
    assert {hit.path for hit in found.hits} == there - {"1901.txt", "1969.txt"}
    assert all(one.state == "ok" for one in doctor.examine(workspace.folder))


def test_times_that_no_calendar_has_harm_nothing(workspace: Workspace, encoder: BiEncoder) -> None:
    from explorer.ui.panels.reader.header import fact

    times = (99_999_999_999_999_999, -99_999_999_999_999, 1e300, True)
    rows = [json.dumps({"text": f"the moon over row {place}", "modified": one}) for place, one in enumerate(times)]
    (workspace.root / "rows.jsonl").write_text("\n".join(rows))
    workspace.update(encoder)
    found = Searcher(workspace, encoder).search("moon modified:>2030", k=20)
    assert "2038.txt" in {hit.path for hit in found.hits}
    shown = [fact("modified", entry.metadata["modified"]) for entry in workspace.documents()]
    assert "99,999,999,999,999,999" in shown


def test_a_file_saved_by_a_clock_that_was_set_back_is_read_again(workspace: Workspace, encoder: BiEncoder) -> None:
    workspace.update(encoder)
    file = workspace.root / "2038.txt"
    before = file.stat()
    text = file.read_text().replace("river", "stone")  # as long as before
    file.write_text(text)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns - YEAR))

    done = workspace.update(encoder)

    assert done.read == 1
    (entry,) = (one for one in workspace.documents() if one.path == file.name)
    assert workspace.text(entry.id) == text


def test_following_and_judging_go_on_when_the_clock_is_set_back(
    workspace: Workspace, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.update(encoder)
    task, told = Task(), list[str]()
    looks = iter(range(100))

    def wait(_: float) -> None:
        look = next(looks)
        if look == 1:
            monkeypatch.setattr("time.time", lambda: 86_400.0)  # the second day of 1970
            file = workspace.root / "new.txt"
            file.write_text("a new king")
            os.utime(file, (0, 0))
        elif look > 6:
            task.cancel()

    for done in follow(workspace, UpdateOptions(encoder), task, wait=wait):
        told.append(f"{done.read} read, {done.removed} gone")
        task.cancel()
        break
    assert told == ["1 read, 0 gone"]
    first, second = (one.id for one in list(workspace.documents())[:2])
    for value in (1, 0):
        add_judgement(workspace, first, second, value, "similar")
    assert [one.value for one in judgements(workspace)][-1] == 0  # the last one said, whatever its time


@pytest.mark.parametrize("gap", [9 * 3600.0, -3600.0], ids=["slept", "set back"])
def test_a_gap_in_time_does_not_spoil_the_time_left(gap: float, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    heard: list[Progress] = []
    task = Task(heard.append)
    for done in range(50):
        task.report(done, 100)
        now[0] += 1
    usual = heard[-1].seconds_left
    now[0] += gap
    for done in range(50, 53):
        task.report(done, 100)
        now[0] += 1
    assert usual is not None
    assert heard[-1].seconds_left is not None
    assert 0.8 * usual < heard[-1].seconds_left < 1.2 * usual


def test_slow_work_is_not_taken_for_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.process_time", lambda: now[0] * 0.9)
    heard: list[Progress] = []
    task = Task(heard.append)
    for done in range(4):
        task.report(done, 10)
        now[0] += 600
    assert heard[-1].seconds_left == pytest.approx(7 * 600, rel=0.01)
