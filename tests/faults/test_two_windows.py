"""Two windows or processes on one workspace: one writes, the other reads and says so; damage is told and mended."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.cli import main as cli_main
from explorer.errors import WorkspaceError
from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.state.session import Session
from explorer.workspace import doctor
from explorer.workspace.storage import database
from explorer.workspace.workspace import open_workspace
from tests.conftest import PROJECT
from tests.ui.conftest import LONGEST
from tests.ui.window.test_unplugged import SENTENCES, Seat, Wait, assert_sentences


@pytest.fixture
def second(seat: Seat, wait: Wait) -> Iterator[Seat]:
    """A further window on the same folder."""
    from explorer.ui.window.main_window import MainWindow

    runner = Runner()
    actions = Controllers(Session(Settings(model=str(seat.model))), runner)
    window = MainWindow(actions.session, actions)
    window.show()
    found = Seat(window, seat.folder, seat.model, wait)
    actions.notified.connect(lambda said: found.told.append(said.sentence))
    found.open(seat.folder)
    yield found
    window.close()
    assert runner.close(60)
    actions.close_workspace()


def test_the_second_window_reads_says_so_and_writes_when_the_first_has_left(seat: Seat, second: Seat) -> None:
    place = second.session.folder
    assert place is not None
    assert not place.writable
    assert any("another window is writing" in one for one in second.told)
    second.search("ship")
    assert second.session.search is not None
    assert second.session.search.results is not None
    second.told.clear()
    first = int(second.session.listing.ids[0]) if second.session.listing else 0
    second.actions.edits.add_tag([first], "from the second")
    second.settle()
    assert_sentences(second.told)

    seat.actions.edits.add_tag([first], "from the first")
    seat.settle()
    seat.actions.close_folder()
    seat.settle()
    second.told.clear()
    second.open(second.folder)

    assert second.told == []
    assert second.session.folder is not None
    assert second.session.folder.writable
    second.wait(lambda: second.session.tags.get(first) == {"from the first"})


def test_a_window_on_a_damaged_workspace_tells_it_and_lives(seat: Seat, tmp_path: Path) -> None:
    assert seat.session.folder is not None
    workspace = seat.session.folder.workspace
    seat.actions.close_folder()
    seat.settle()
    file = workspace / database.FILE
    data = file.read_bytes()
    file.write_bytes(data[:4096] + os.urandom(len(data) - 4096))
    for log in workspace.glob(f"{database.FILE}-*"):
        log.unlink()
    seat.told.clear()

    seat.actions.open_folder(seat.folder)
    seat.settle()

    assert_sentences(seat.told)
    seat.lives(tmp_path / "elsewhere")
    found = doctor.examine(seat.folder, repair=True)
    assert [one.message for one in found if one.state == "problem"] == []
    seat.open(seat.folder)
    assert seat.count() == len(SENTENCES)


@pytest.fixture
def follower(tmp_path: Path, tiny: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A process that follows a folder of two texts."""
    texts = tmp_path / "followed"
    texts.mkdir()
    (texts / "a.txt").write_text("the cold winter river")
    (texts / "b.txt").write_text("a hot summer sea")
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "index", str(texts), "--watch", "--json", "--model", str(tiny)],
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield process, texts
    process.kill()
    process.communicate(timeout=300)


def until(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LONGEST
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def names(texts: Path) -> set[str]:
    try:
        with open_workspace(texts, writable=False) as workspace:
            return {entry.path for entry in workspace.documents()} if workspace.meta("model") else set()
    except (WorkspaceError, sqlite3.OperationalError):  # it is being made
        return set()


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_process_that_slept_goes_on_following_and_lets_go_when_it_dies(
    follower: tuple[subprocess.Popen[bytes], Path], tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process, texts = follower
    until(lambda: names(texts) == {"a.txt", "b.txt"}, process)

    assert cli_main.main(["index", str(texts), "--model", str(tiny)]) == 1
    assert "another window is writing" in capsys.readouterr().err
    process.send_signal(signal.SIGSTOP)  # as a machine that sleeps
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    (texts / "new.txt").write_text("the king plays loud music")
    (texts / "b.txt").unlink()
    assert names(texts) == {"a.txt", "b.txt"}  # who reads meanwhile sees what was there
    process.send_signal(signal.SIGCONT)
    until(lambda: names(texts) == {"a.txt", "new.txt"}, process)

    process.kill()
    process.wait(LONGEST)
    assert cli_main.main(["index", str(texts), "--model", str(tiny)]) == 0
    assert cli_main.main(["doctor", str(texts)]) == 0
