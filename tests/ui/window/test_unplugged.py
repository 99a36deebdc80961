"""What the window needs is taken away while it is open: it says a sentence, and lives on."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.state.session import Session

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

Wait = Callable[..., None]
SENTENCES = ("the cat sat on the mat", "a quick brown fox jumps", "the ship sails the cold sea", "the king plays music")


@dataclass
class Seat:
    """A window on a folder of a few texts, encoded by a tiny model, and what it has told."""

    window: MainWindow
    folder: Path
    model: Path
    wait: Wait
    told: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    @property
    def session(self) -> Session:
        return self.window.session

    @property
    def actions(self) -> Controllers:
        return self.window.actions

    def open(self, folder: Path) -> None:
        self.actions.open_folder(folder)
        self.settle()
        self.wait(lambda: self.session.folder is not None and self.session.listing is not None)

    def settle(self) -> None:
        self.wait(lambda: not self.actions.runner.jobs())

    def count(self) -> int:
        return len(self.session.listing) if self.session.listing else 0

    def search(self, text: str) -> None:
        self.actions.search.ask(text)
        self.settle()

    def read_first(self) -> None:
        assert self.session.listing is not None
        self.session.focus(None)
        self.session.focus(int(self.session.listing.ids[0]))
        self.settle()

    def lives(self, elsewhere: Path) -> None:
        """The window still paints, and another folder can be opened in it."""
        elsewhere.mkdir()
        (elsewhere / "other.txt").write_text("a bright moon over the river")
        assert not self.window.grab().isNull()
        self.told.clear()
        self.open(elsewhere)
        assert self.session.folder is not None
        assert self.session.folder.path == elsewhere
        assert self.count() == 1
        assert self.told == []


@pytest.fixture
def seat(qapp: object, wait: Wait, tiny: Path, tmp_path: Path) -> Iterator[Seat]:
    from explorer.ui.window.main_window import MainWindow

    folder, model = tmp_path / "texts", tmp_path / "model"
    folder.mkdir()
    for number, sentence in enumerate(SENTENCES):
        (folder / f"{number}.txt").write_text(f"{sentence} and so on {number}")
    shutil.copytree(tiny, model)
    runner = Runner()
    actions = Controllers(Session(Settings(model=str(model))), runner)
    window = MainWindow(actions.session, actions)
    window.resize(1200, 800)
    window.show()
    found = Seat(window, folder, model, wait)
    actions.notified.connect(lambda said: (found.told.append(said.sentence), found.details.append(said.details)))
    found.open(folder)
    assert found.count() == len(SENTENCES)
    assert found.told == [], found.details
    yield found
    window.close()
    assert runner.close(60)
    actions.close_workspace()


def assert_sentences(told: list[str]) -> None:
    """What was told can be read by a user, and is not the sentence of last resort."""
    assert told
    for sentence in told:
        assert sentence.endswith((".", "?")), sentence
        assert " " in sentence
        assert "Traceback" not in sentence
        assert "An unexpected error occurred" not in sentence, sentence


def test_a_folder_that_vanishes_is_told_and_nothing_is_forgotten(seat: Seat, tmp_path: Path) -> None:
    seat.folder.rename(tmp_path / "away")

    seat.actions.update()
    seat.settle()
    assert_sentences(seat.told)
    assert seat.count() == len(SENTENCES)
    seat.read_first()
    assert "cat sat" in seat.window.docks.reader.view.toPlainText()
    seat.search("ship")
    assert seat.session.search is not None
    assert seat.session.search.results is not None
    seat.told.clear()
    seat.actions.files.open_original(seat.session.selection.focus or 0)
    assert_sentences(seat.told)

    (tmp_path / "away").rename(seat.folder)
    seat.told.clear()
    seat.actions.update()
    seat.settle()
    assert seat.told == []
    assert seat.count() == len(SENTENCES)
    seat.lives(tmp_path / "elsewhere")


def test_a_workspace_deleted_underneath_is_told(seat: Seat, tmp_path: Path) -> None:
    assert seat.session.folder is not None
    shutil.rmtree(seat.session.folder.workspace)
    (seat.folder / "new.txt").write_text("green tea in winter, hot and loud")

    seat.actions.update()
    seat.settle()
    seat.read_first()
    seat.search("ship")
    seat.actions.edits.add_tag([int(seat.session.listing.ids[0])] if seat.session.listing else [], "tag")
    seat.settle()

    assert_sentences(seat.told)
    seat.lives(tmp_path / "elsewhere")
    seat.open(seat.folder)
    assert seat.count() == len(SENTENCES) + 1  # read again from the beginning


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond a little, as on a disk without room."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file sizes")
def test_a_full_disk_is_told_and_what_was_there_stays(seat: Seat, tmp_path: Path) -> None:
    for number in range(30):
        (seat.folder / f"more {number}.txt").write_text(" ".join(SENTENCES) * 200 + str(number))

    with full_disk():
        seat.actions.update()
        seat.settle()
        assert_sentences(seat.told)
        seat.told.clear()
        seat.actions.edits.add_tag([int(seat.session.listing.ids[0])] if seat.session.listing else [], "tag " * 20)
        seat.settle()
        seat.read_first()
        assert "cat sat" in seat.window.docks.reader.view.toPlainText()

    seat.told.clear()
    seat.actions.update()
    seat.settle()
    assert seat.told == []
    assert seat.count() == len(SENTENCES) + 30
    seat.lives(tmp_path / "elsewhere")


def test_a_model_folder_that_is_removed_is_told(seat: Seat, tmp_path: Path) -> None:
    shutil.rmtree(seat.model)
    seat.search("ship")  # what is loaded stays usable
    assert seat.session.search is not None
    assert seat.session.search.results is not None
    assert seat.told == []

    seat.open(seat.folder)
    seat.search("ship")

    said = [*seat.told, seat.session.search.error] if seat.session.search else seat.told
    assert_sentences([one for one in said if one])
    assert seat.count() == len(SENTENCES)
    seat.read_first()
    assert "cat sat" in seat.window.docks.reader.view.toPlainText()
    assert not seat.window.grab().isNull()
