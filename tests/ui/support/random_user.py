"""A user without a plan: random clicks, keys, queries, lassos and changes in the real window, the same for one seed.

By hand, 5,000 actions: python tests/benchmarks/random_walk.py
"""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QWidget
from shiboken6 import isValid

from explorer.ui.window.idle_gc import give_back
from tests.ui.support.live_app import Faults, live

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

QUERIES = (
    "rocket launch", "soup", "who won the match?", "비 오는 날", '"exact words"', '"unfinished', "-away", "like:",
    "date:>=2020", "title:the rain", "folder:space moon", "price AND", "(((", "cat -dog", "a", "기후 변화",
    "author:Kim", "size:<5", "ㅎ", "  ",
)  # fmt: skip
KEYS = (
    "J K Space Return Up Down Left Right Tab Shift+Tab M G R C T Y N 0 1 2 3 4 5 + - Escape PgUp PgDown Home End / "
    "F2 F5 X Ctrl+A Ctrl+C Ctrl+0 Ctrl++ Ctrl+- Ctrl+L Ctrl+K Shift+Down Shift+Left Delete F1 Alt+1 Alt+3 Alt+7"
).split()
# QTest presses Shift or Ctrl first, and the key after it even in a menu that is gone by then.
PLAIN_KEYS = [
    key for key in KEYS if QKeySequence(key)[0].keyboardModifiers() == Qt.KeyboardModifier.NoModifier
]
# These would end the walk or leave it alone with another window.
LEFT_OUT = {"Ctrl+Q", "Ctrl+Shift+W", "Ctrl+N", "Ctrl+Shift+O", "F11"}
PROJECT = Path(__file__).resolve().parents[3]
LEFT, RIGHT, NO_KEY = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier
HELD = (NO_KEY, NO_KEY, NO_KEY, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier)
A_LOOK = 25  # actions between two looks at the memory


class Walk(QObject):
    """The walk: one action each turn of the event loop, also while a menu or a box has a loop of its own."""

    def __init__(
        self, window: MainWindow, folder: Path, report: Path, *, seed: int, steps: int, faults: Faults
    ) -> None:
        super().__init__()
        self._window, self._folder, self._report, self._faults = window, folder, report, faults
        self._chance, self._left, self._steps = random.Random(seed), steps, steps
        self._inside: list[QWidget | None] = []  # what was asked before the actions that are under way
        self._trail: deque[str] = deque(maxlen=8)  # what was done last
        self.done: Counter[str] = Counter()
        self.memory: list[tuple[int, float]] = []  # actions done, megabytes
        self._doings: dict[str, tuple[float, Callable[[], None]]] = {
            "click": (30, self._click), "key": (25, self._key), "query": (8, self._query), "wheel": (6, self._wheel),
            "map": (8, self._map), "lasso": (5, self._lasso), "slider": (2, self._slider), "undo": (4, self._undo),
            "look": (2, self._look), "resize": (2, self._resize), "dock": (4, self._dock),
            "palette": (3, self._palette), "menu": (5, self._menu_action), "tag": (3, self._tag),
            "place": (0.15, self._place), "further": (1, self.close_further),
        }  # fmt: skip
        # At first everything once in each of three rounds, so that no walk leaves something out by chance.
        self._planned = [
            name for _ in range(3) for name in self._chance.sample(list(self._doings), len(self._doings))
        ]
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_turn)

    def start(self) -> None:
        """Begin."""
        self._timer.start(0)

    def _on_turn(self) -> None:
        asked = _asking()
        if self._inside and (asked is None or asked in self._inside):
            self._timer.start(
                5
            )  # QTest turns the loop within a press; nobody presses again before that is done
            return
        if self._left <= 0 and asked is None:
            self._end()
            return
        self._timer.start(self._chance.choice((0, 0, 0, 1, 5, 20)))
        self._left -= 1
        self._inside.append(asked)
        try:
            self._act(asked)
        finally:
            self._inside.pop()
        done = self._steps - self._left
        if done % A_LOOK == 0:
            self.memory.append((done, held()))
            self._tell()

    def _act(self, asked: QWidget | None) -> None:
        session = self._window.session
        if asked is not None:
            self._do("answer", lambda: self._answer(asked))
        elif (
            session.folder is None
            and not self._window.actions.runner.busy("open")
            and self._chance.random() < 0.5
        ):
            self._do("open", lambda: self._window.actions.open_folder(self._folder))
        else:
            names = list(self._doings)
            by_chance = self._chance.choices(names, [self._doings[one][0] for one in names])[0]
            name = self._planned.pop() if self._planned else by_chance
            self._do(name, self._doings[name][1])

    def _do(self, name: str, doing: Callable[[], None]) -> None:
        self._faults.context = f"action {self._steps - self._left} ({name})"
        self._trail.append(self._faults.context)
        self.done[name] += 1
        doing()

    def _say(self, what: object) -> None:
        """Make the context of a fault more exact."""
        self._faults.context += f" {what}"
        self._trail[-1] = self._faults.context
        _trail_of(self._report).write_text("\n".join(self._trail))  # known even after a crash

    # What a user does

    def _answer(self, asked: QWidget) -> None:
        """A menu or a box is open: choose something, or leave it."""
        self._say(type(asked).__name__)
        if isinstance(asked, QMenu) and self._chance.random() < 0.5:
            able = [
                one
                for one in asked.actions()
                if one.isEnabled() and not one.isSeparator() and not _left_out(one)
            ]
            if able:
                chosen = self._chance.choice(able)
                self._say(chosen.text())
                self._press_at(asked, asked.actionGeometry(chosen).center())
                return
        if isinstance(asked, QFileDialog) or self._chance.random() < 0.5:
            _key_to(asked, "Escape")
            if isValid(asked) and asked.isVisible():
                asked.reject() if isinstance(asked, QDialog) else asked.close()
        elif self._chance.random() < 0.6:
            self._click_in(asked)
        else:
            _key_to(asked, self._chance.choice(PLAIN_KEYS if isinstance(asked, QMenu) else KEYS))

    def _click(self) -> None:
        tops = [one for one in QApplication.topLevelWidgets() if one.isVisible() and one.windowHandle()]
        self._click_in(self._chance.choice([self._window, self._window, *tops]))

    def _click_in(self, top: QWidget) -> None:
        seen = [
            one
            for one in top.findChildren(QWidget)
            if one.isVisible() and one.window() is top and one.width() > 4
        ]
        if not seen:
            return
        widget = self._chance.choice(seen)
        at = QPoint(self._chance.randrange(widget.width()), self._chance.randrange(max(1, widget.height())))
        if top.childAt(widget.mapTo(top, at)) is not widget:
            return
        self._say(f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()} {at.toTuple()}")
        button = RIGHT if self._chance.random() < 0.08 else LEFT
        self._press_at(widget, at, button, self._chance.choice(HELD), double=self._chance.random() < 0.08)

    def _press_at(
        self, widget: QWidget, at: QPoint, button: Qt.MouseButton = LEFT, keys: Qt.KeyboardModifier = NO_KEY, *,
        double: bool = False,
    ) -> None:  # fmt: skip
        top = widget.window()
        handle, spot = top.windowHandle(), widget.mapTo(top, at)
        if handle is None or not QRect(QPoint(), handle.size()).contains(spot):  # a menu grows as it opens
            return
        QTest.mouseMove(handle, spot)
        for press in (QTest.mousePress, QTest.mouseRelease) * (2 if double else 1):
            # A menu may close or shrink as the mouse comes, a box as it is pressed.
            if _there(handle) and QRect(QPoint(), handle.size()).contains(spot):
                press(handle, button, keys, spot)

    def _key(self) -> None:
        name = self._chance.choice(KEYS)
        self._say(name)
        _key_to(QApplication.activeWindow() or self._window, name)

    def _query(self) -> None:
        line, text = self._window.query.line, self._chance.choice(QUERIES)
        self._say(text)
        line.setFocus()
        line.selectAll()
        line.insert(text[: self._chance.randrange(len(text)) + 1])
        line.textEdited.emit(line.text())
        if self._chance.random() < 0.4:
            line.returnPressed.emit()

    def _wheel(self) -> None:
        top = self._window
        at = QPoint(self._chance.randrange(top.width()), self._chance.randrange(top.height()))
        widget = top.childAt(at)
        if widget is not None:
            turn = QPoint(0, self._chance.choice((-240, -120, 120, 240)))
            event = QWheelEvent(
                QPointF(widget.mapFrom(top, at)), QPointF(top.mapToGlobal(at)), QPoint(), turn, Qt.MouseButton.NoButton,
                NO_KEY, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(widget, event)

    def _map(self) -> None:
        self._draw(self._chance.choice(("pan", "pan", "rectangle")), 4)

    def _lasso(self) -> None:
        self._draw("lasso", 14)

    def _draw(self, tool: str, corners: int) -> None:
        panel, view = self._window.map, self._window.map.view
        if not view.isVisible():
            return
        panel.use_tool(tool)
        points = [
            QPoint(self._chance.randrange(view.width()), self._chance.randrange(view.height()))
            for _ in range(corners)
        ]
        handle, top = self._window.windowHandle(), self._window
        keys = self._chance.choice(HELD)
        spots = [view.mapTo(top, point) for point in points]
        QTest.mousePress(handle, LEFT, keys, spots[0])
        for spot in spots[1:]:
            QTest.mouseMove(handle, spot)
        if self._chance.random() < 0.1:
            _key_to(self._window, "Escape")
        QTest.mouseRelease(handle, LEFT, keys, spots[-1])

    def _slider(self) -> None:
        self._window.docks.clusters.slider.setValue(self._chance.randrange(101))

    def _undo(self) -> None:
        _key_to(self._window, self._chance.choice(("Ctrl+Z", "Ctrl+Z", "Ctrl+Shift+Z")))

    def _look(self) -> None:
        """Another theme, language or size of letters."""
        new: dict[str, Any] = self._chance.choice((
            {"theme": "dark"}, {"theme": "light"}, {"language": "ko"}, {"language": "en"}, {"text_size": 13},
            {"text_size": 10}, {"palette": "colour-blind"}, {"motion": False}, {"motion": True},
        ))  # fmt: skip
        self._say(new)
        self._window.actions.change_settings(replace(self._window.session.settings, **new))

    def _resize(self) -> None:
        self._window.resize(self._chance.randrange(900, 1600), self._chance.randrange(600, 1000))

    def _dock(self) -> None:
        docks = self._window.docks
        name = self._chance.choice(list(docks.docks))
        dock, what = (
            docks.docks[name],
            self._chance.choice(("show", "show", "close", "float", "back", "lay out")),
        )
        self._say(f"{what} {name}")
        if self._window.session.folder is None:
            return
        if what == "show":
            docks.show(name)
        elif what == "close":
            dock.close()
        elif what == "lay out":
            docks.lay_out()
        else:
            dock.setFloating(what == "float")

    def _palette(self) -> None:
        _key_to(self._window, "Ctrl+K")

    def _menu_action(self) -> None:
        able = [one for one in self._window.menus.actions() if one.isEnabled() and not _left_out(one)]
        action = self._chance.choice(able)
        self._say(action.text())
        action.trigger()

    def _tag(self) -> None:
        session, changes = self._window.session, self._window.actions.changes
        if session.listing is not None and len(session.listing):
            documents = [int(self._chance.choice(session.listing.ids)) for _ in range(3)]
            changes.add_tag(documents, self._chance.choice(("one", "two", "세 번째")))
            session.focus(documents[0])
            session.mark(documents, how=self._chance.choice(("replace", "add", "toggle")))

    def _place(self) -> None:
        """Leave the folder; the walk comes back to it."""
        self._window.actions.close_folder()

    def close_further(self) -> None:
        """Close the windows that were opened beside the one of the walk: each holds a folder and its models."""
        for other in QApplication.topLevelWidgets():
            if isinstance(other, type(self._window)) and other is not self._window and other.isVisible():
                other.close()

    def _end(self) -> None:
        gc.collect()
        self.memory.append((self._steps, held()))
        self._tell()
        self._faults.context = "closing"
        self._window.quit_requested.emit()  # further windows too, which the walk may have opened

    def _tell(self) -> None:
        self._report.write_text(json.dumps({"done": self.done, "memory": self.memory}))


def _trail_of(report: Path) -> Path:
    return report.with_suffix(".trail")


def _there(handle: QWindow) -> bool:
    """Whether a window still is: what a press has closed must not get the release."""
    return handle in QGuiApplication.allWindows()


def _asking() -> QWidget | None:
    """The menu or box that waits for an answer."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def _left_out(action: QAction) -> bool:
    return any(key.toString() in LEFT_OUT for key in action.shortcuts())


def _key_to(widget: QWidget, name: str) -> None:
    handle = widget.window().windowHandle()
    if handle is not None and widget.isVisible():
        combined = QKeySequence(name)[0]
        QTest.keyPress(handle, combined.key(), combined.keyboardModifiers())
        if _there(handle):
            QTest.keyRelease(handle, combined.key(), combined.keyboardModifiers())


def growth(memory: list[tuple[int, float]], warm_up: float = 0.4) -> float:
    """Megabytes that the process grows by in 1,000 actions once it has done everything a few times.

    The slope between the middles of what was seen before and after, which a few large results in between do not bend.
    """
    last = memory[-1][0]
    seen = [(done, held) for done, held in memory if done >= warm_up * last]
    half = len(seen) // 2
    (early, low), (late, high) = ([sorted(part)[len(part) // 2] for part in zip(*rows, strict=True)]
                                  for rows in (seen[:half], seen[half:]))  # fmt: skip
    return (high - low) / max(1, late - early) * 1000


def walk(
    folder: Path, report: Path, *, steps: int, seed: int, environment: dict[str, str]
) -> tuple[dict[str, Any], str]:
    """Walk in a process of its own; returns what it reports, and what went wrong."""
    environment = environment | {"PYTHONPATH": str(PROJECT), "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.ui.support.random_user", str(folder), str(report), str(steps), str(seed)],
        cwd=report.parent, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    crash = report.with_suffix(".crash").read_text()
    if crash and _trail_of(report).is_file():
        crash = f"{_trail_of(report).read_text()}\n{crash}"
    wrong = report.with_suffix(".faults").read_text() + crash
    if ran.returncode or not report.is_file():
        wrong += f"exit code {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return (json.loads(report.read_text()) if report.is_file() else {}), wrong


def held() -> float:
    """Megabytes that are in use; what is free goes back first, as it does when the program has nothing to do."""
    give_back()
    return resident()


def resident() -> float:
    """Megabytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """As a program of its own: FOLDER REPORT STEPS SEED."""
    folder, report, steps, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    faults = Faults(report.with_suffix(".faults"))
    kept: list[Walk] = []

    def story(window: MainWindow) -> None:
        walk = Walk(window, folder, report, seed=seed, steps=steps, faults=faults)
        kept.append(walk)
        walk.start()

    live(folder, story)


if __name__ == "__main__":
    main()
