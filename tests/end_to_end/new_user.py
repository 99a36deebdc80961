"""What a new user does first, counted in key presses and timed, in the real window.

    python tests/end_to_end/new_user.py FOLDER WORK [--question WORDS] [--many QUERY] [--categories A,B,C]

FOLDER contains texts. WORK receives screenshots and `new_user.json`: for each story the keys beside the letters that
were typed, and the seconds from the last of them to what was wanted. Each run has a screen of its own, by Xvfb, with a
window manager where openbox is installed. --language, --theme, --size and --scale say how the window looks.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QPoint, QPointF, Qt  # noqa: E402
from PySide6.QtGui import QWheelEvent  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from explorer import settings  # noqa: E402
from tests.ui.support.input import CTRL, NO_KEY, SHIFT, press, type_text  # noqa: E402
from tests.ui.support.live_app import Faults, live, run_loop_for, until  # noqa: E402
from tests.ui.support.xvfb import screen  # noqa: E402

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

WANTED_KEYS = {"read the first hit": 0, "scan ten hits": 0, "tag what was found and find it by its tag": 4}
WANTED_SECONDS = {"sort into three categories": 60.0}
_CATEGORIES = {"en": "categories", "ko": "분류"}  # as the list of commands is asked for them
_TURNS = 12  # of the wheel, by one notch
_PATIENCE = 600  # seconds for a step on a busy machine


@dataclass(frozen=True)
class Timed:
    """A story: the keys that were pressed beside typed letters, the letters, and the seconds it took to be done."""

    story: str
    keys: int
    letters: int
    seconds: float
    documents: int


class NewUser:
    """Does the stories one after another; the folder is read and encoded already."""

    def __init__(self, window: MainWindow, chosen: argparse.Namespace) -> None:
        self.window, self.session, self.docks, self.chosen = window, window.session, window.docks, chosen
        self.keys = self.letters = 0
        self.told: list[Timed] = []

    def run(self) -> list[Timed]:
        """Do all stories."""
        self._settle()
        self.window.activateWindow()
        until(self.window.isActiveWindow, _PATIENCE, "the window to be active")
        for name, story in (
            ("read the first hit", self._read),
            ("scan ten hits", self._scan),
            ("tag what was found and find it by its tag", self._tag),
            ("sort into three categories", self._sort),
        ):
            self.keys = self.letters = 0
            begun = time.monotonic()
            documents = story()
            self.told.append(Timed(name, self.keys, self.letters, round(time.monotonic() - begun, 2), documents))
            self._picture(name)
        return self.told

    def _read(self) -> int:
        """A query is typed; its best hit is in the reader without another key."""
        self._press(Qt.Key.Key_Slash)
        self._type(self.chosen.question)
        self.keys = 0  # what is counted begins behind the last letter
        until(lambda: self._answered(self.chosen.question), _PATIENCE, "results")
        first = self._hits()[0]
        page = self.docks.reader
        until(lambda: page.page is not None and page.page.entry.id == first.document, _PATIENCE, "the best hit")
        until(lambda: page.view._passage is not None, _PATIENCE, "its sentence to be lit")
        assert self.window.query.line.hasFocus(), "the cursor has left the query"
        return len(self._hits())

    def _scan(self) -> int:
        """Ten hits are seen with what matched in them, by the wheel where the window is low, and none is opened."""
        rows, focus = self.docks.documents.list, self.session.selection.focus
        seen = self._visible()
        for _ in range(_TURNS):
            if len(seen) < 10:
                self._turn_wheel(rows.viewport())
                seen |= self._visible()
        assert len(seen) >= 10, len(seen)
        cards = [self.docks.documents._model.card(row) for row in sorted(seen)[:10]]
        assert all(card.snippet for card in cards)
        assert self.session.selection.focus == focus
        return len(seen)

    def _tag(self) -> int:
        """All that a query finds gets a tag, and the tag finds all of it."""
        self._press(Qt.Key.Key_L, CTRL)  # the cursor is still in the query, where a slash is a letter
        self._type(self.chosen.many)
        self.keys = 0
        until(lambda: self._answered(self.chosen.many), _PATIENCE, "results")
        run_loop_for(0.3)
        wanted = {int(document) for document in self.session.shown}
        self._press(Qt.Key.Key_A, CTRL | SHIFT)
        self._press(Qt.Key.Key_T)
        self._type("later")
        self._press(Qt.Key.Key_Return)
        until(lambda: set(self.session.tags) >= wanted, _PATIENCE, "the tags")
        assert self.window.toast.isVisible(), "no notice with Undo"
        self._press(Qt.Key.Key_Slash)
        self._type("tag:later")
        until(lambda: self._answered("tag:later"), _PATIENCE, "what has the tag")
        until(lambda: {hit.document for hit in self._hits()} == wanted, _PATIENCE, "all that have the tag")
        return len(wanted)

    def _sort(self) -> int:
        """Three names, and every document has its category or none of them."""
        self._press(Qt.Key.Key_K, CTRL)
        self._type(_CATEGORIES[self.chosen.language])
        self._press(Qt.Key.Key_Return)
        panel, names = self.docks.categories, self.chosen.categories.split(",")
        until(lambda: self.window.focusWidget() is panel.new, _PATIENCE, "the field for a name")
        for name in names:
            self._type(name)
            self._press(Qt.Key.Key_Return)
        labels: Callable[[], object] = lambda: self.session.category_labels  # noqa: E731
        until(lambda: labels() is not None and len(labels().names) == len(names), _PATIENCE, "documents to be sorted")  # type: ignore[attr-defined]
        until(lambda: not self.window.actions.runner.jobs(), _PATIENCE, "the workers to rest")
        return sum(line.documents for line in panel.lines.rows)

    # Hands and eyes

    def _press(self, key: Qt.Key, held: Qt.KeyboardModifier = NO_KEY) -> None:
        self.keys += 1
        press(key, held)

    def _type(self, text: str) -> None:
        self.letters += len(text)
        type_text(text)

    def _turn_wheel(self, widget: QWidget) -> None:
        place, still = QPointF(widget.rect().center()), QPoint(0, 0)
        turned = QWheelEvent(
            place,
            QPointF(widget.mapToGlobal(place)),
            still,
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            NO_KEY,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, turned)
        run_loop_for(0.1)

    def _hits(self) -> tuple[object, ...]:
        search = self.session.search
        return search.results.hits if search is not None and search.results is not None else ()

    def _answered(self, text: str) -> bool:
        search = self.session.search
        return search is not None and search.text == text and search.results is not None and not search.stale

    def _visible(self) -> set[int]:
        rows = self.docks.documents.list
        height, step = rows.viewport().height(), 10
        at = [rows.indexAt(QPoint(20, y)) for y in range(1, height, step)]
        whole = [index for index in at if index.isValid() and rows.visualRect(index).bottom() <= height]
        return {index.row() for index in whole if rows.visualRect(index).top() >= 0}

    def _settle(self) -> None:
        runner = self.window.actions.runner
        until(lambda: self.session.map_layout is not None and not runner.jobs(), 3600, "the folder to be read")

    def _picture(self, name: str) -> None:
        run_loop_for(0.3)
        assert self.window.grab().save(str(self.chosen.work / f"{name}.png"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--question", default="rocket launch")
    parser.add_argument("--many", default="path:comp")
    parser.add_argument("--categories", default="religion,computers,sport")
    parser.add_argument("--language", choices=sorted(_CATEGORIES), default="en")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--size", default="1440x900")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--child", action="store_true")
    chosen = parser.parse_args()
    if chosen.child:
        before, _ = settings.load()
        settings.save(replace(before, language=chosen.language, theme=chosen.theme, motion=False))
        live(chosen.folder, lambda window: _be_new(window, chosen))
    chosen.work.mkdir(parents=True, exist_ok=True)
    with screen(chosen.size) as environment, _window_manager(environment):
        environment |= {"PYTHONPATH": str(ROOT), "QT_SCALE_FACTOR": str(chosen.scale)}
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--child"], env=environment, check=True)
    told = [Timed(**one) for one in json.loads((chosen.work / "new_user.json").read_text())]
    for one in told:
        print(f"{one.story}: {one.keys} keys, {one.letters} letters, {one.seconds} s, {one.documents} documents")
    keys = all(one.keys <= WANTED_KEYS.get(one.story, one.keys) for one in told)
    return int(not (keys and all(one.seconds <= WANTED_SECONDS.get(one.story, one.seconds) for one in told)))


@contextmanager
def _window_manager(environment: dict[str, str]) -> Iterator[None]:
    """Run openbox on a screen, if it is installed."""
    found = shutil.which("openbox")
    manager = subprocess.Popen([found], env=environment, stderr=subprocess.DEVNULL) if found else None
    try:
        yield
    finally:
        if manager is not None:
            manager.terminate()
            manager.wait(10)


def _be_new(window: MainWindow, chosen: argparse.Namespace) -> None:
    faults = Faults(chosen.work / "new_user.faults")
    wide, high = (int(side) // chosen.scale for side in chosen.size.split("x"))
    window.setGeometry(0, 0, wide, high)
    try:
        told = NewUser(window, chosen).run()
    except BaseException as error:  # noqa: BLE001 - written to a file, since the process ends here
        faults.note(repr(error))
        window.grab().save(str(chosen.work / "failed.png"))
        sys.stderr.flush()
        os._exit(1)
    (chosen.work / "new_user.json").write_text(json.dumps([asdict(one) for one in told]))
    window.close()


if __name__ == "__main__":
    sys.exit(main())
