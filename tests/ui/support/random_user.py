"""Random clicks, keys, queries, lassos and changes in the real window, reproducible by their seed.

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

from explorer.ui.app import trim_heap
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
PLAIN_KEYS = [key for key in KEYS if QKeySequence(key)[0].keyboardModifiers() == Qt.KeyboardModifier.NoModifier]
# These would end the walk or lead to another window.
LEFT_OUT = {"Ctrl+Q", "Ctrl+Shift+W", "Ctrl+N", "Ctrl+Shift+O", "F11"}
PROJECT = Path(__file__).resolve().parents[3]
LEFT, RIGHT, NO_KEY = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier
HELD = (NO_KEY, NO_KEY, NO_KEY, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier)
SAMPLE_EVERY = 25  # actions between two measurements of memory


class Walk(QObject):
    """Do one action per turn of the event loop, also while a menu or a dialog runs its own."""

    def __init__(
        self, window: MainWindow, folder: Path, report: Path, *, seed: int, steps: int, faults: Faults
    ) -> None:
        super().__init__()
        self._window, self._folder, self._report, self._faults = window, folder, report, faults
        self._chance, self._left, self._steps = random.Random(seed), steps, steps
        self._inside: list[QWidget | None] = []  # the popups that were open before the actions under way
        self._trail: deque[str] = deque(maxlen=8)  # the latest actions
        self.done: Counter[str] = Counter()
        self.memory: list[tuple[int, float]] = []  # actions done, megabytes
        self._actions: dict[str, tuple[float, Callable[[], None]]] = {
            "click": (30, self._click),
            "key": (25, self._key),
            "query": (8, self._query),
            "wheel": (6, self._wheel),
            "map": (8, self._map),
            "lasso": (5, self._lasso),
            "slider": (2, self._slider),
            "undo": (4, self._undo),
            "look": (2, self._look),
            "resize": (2, self._resize),
            "dock": (4, self._dock),
            "palette": (3, self._palette),
            "menu": (5, self._menu_action),
            "tag": (3, self._tag),
            "close folder": (0.15, self._close_folder),
            "further": (1, self.close_further),
        }
        # Three rounds of everything first, so that no walk leaves something out by chance.
        self._planned = [
            name for _ in range(3) for name in self._chance.sample(list(self._actions), len(self._actions))
        ]
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_turn)

    def start(self) -> None:
        """Begin."""
        self._timer.start(0)

    def _on_turn(self) -> None:
        popup = open_popup()
        if self._inside and (popup is None or popup in self._inside):
            self._timer.start(5)  # QTest turns the loop within a press; nobody presses again before that is done
            return
        if self._left <= 0 and popup is None:
            self._end()
            return
        self._timer.start(self._chance.choice((0, 0, 0, 1, 5, 20)))
        self._left -= 1
        self._inside.append(popup)
        try:
            self._act(popup)
        finally:
            self._inside.pop()
        done = self._steps - self._left
        if done % SAMPLE_EVERY == 0:
            self.memory.append((done, used_memory()))
            self._write_report()

    def _act(self, popup: QWidget | None) -> None:
        session = self._window.session
        if popup is not None:
            self._do("answer", lambda: self._answer(popup))
        elif session.folder is None and not self._window.actions.runner.busy("open") and self._chance.random() < 0.5:
            self._do("open", lambda: self._window.actions.open_folder(self._folder))
        else:
            names = list(self._actions)
            by_chance = self._chance.choices(names, [self._actions[name][0] for name in names])[0]
            name = self._planned.pop() if self._planned else by_chance
            self._do(name, self._actions[name][1])

    def _do(self, name: str, action: Callable[[], None]) -> None:
        self._faults.context = f"action {self._steps - self._left} ({name})"
        self._trail.append(self._faults.context)
        self.done[name] += 1
        action()

    def _add_context(self, detail: object) -> None:
        """Add to the context of the faults to come."""
        self._faults.context += f" {detail}"
        self._trail[-1] = self._faults.context
        _trail_of(self._report).write_text("\n".join(self._trail))  # known even after a crash

    # What a user does

    def _answer(self, popup: QWidget) -> None:
        """A menu or a dialog is open: choose something, or leave it."""
        self._add_context(type(popup).__name__)
        if isinstance(popup, QMenu) and self._chance.random() < 0.5:
            enabled = [
                action
                for action in popup.actions()
                if action.isEnabled() and not action.isSeparator() and not _is_left_out(action)
            ]
            if enabled:
                action = self._chance.choice(enabled)
                self._add_context(action.text())
                self._press_at(popup, popup.actionGeometry(action).center())
                return
        if isinstance(popup, QFileDialog) or self._chance.random() < 0.5:
            _key_to(popup, "Escape")
            if isValid(popup) and popup.isVisible():
                popup.reject() if isinstance(popup, QDialog) else popup.close()
        elif self._chance.random() < 0.6:
            self._click_in(popup)
        else:
            _key_to(popup, self._chance.choice(PLAIN_KEYS if isinstance(popup, QMenu) else KEYS))

    def _click(self) -> None:
        tops = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget.windowHandle()]
        self._click_in(self._chance.choice([self._window, self._window, *tops]))

    def _click_in(self, top: QWidget) -> None:
        visible = [
            child
            for child in top.findChildren(QWidget)
            if child.isVisible() and child.window() is top and child.width() > 4
        ]
        if not visible:
            return
        widget = self._chance.choice(visible)
        at = QPoint(self._chance.randrange(widget.width()), self._chance.randrange(max(1, widget.height())))
        if top.childAt(widget.mapTo(top, at)) is not widget:
            return
        self._add_context(f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()} {at.toTuple()}")
        button = RIGHT if self._chance.random() < 0.08 else LEFT
        self._press_at(widget, at, button, self._chance.choice(HELD), double=self._chance.random() < 0.08)

    def _press_at(
        self,
        widget: QWidget,
        at: QPoint,
        button: Qt.MouseButton = LEFT,
        keys: Qt.KeyboardModifier = NO_KEY,
        *,
        double: bool = False,
    ) -> None:
        top = widget.window()
        handle, spot = top.windowHandle(), widget.mapTo(top, at)
        if handle is None or not QRect(QPoint(), handle.size()).contains(spot):  # a menu grows as it opens
            return
        QTest.mouseMove(handle, spot)
        for press in (QTest.mousePress, QTest.mouseRelease) * (2 if double else 1):
            # A menu may close or shrink as the mouse comes, a box as it is pressed.
            if _exists(handle) and QRect(QPoint(), handle.size()).contains(spot):
                press(handle, button, keys, spot)

    def _key(self) -> None:
        name = self._chance.choice(KEYS)
        self._add_context(name)
        _key_to(QApplication.activeWindow() or self._window, name)

    def _query(self) -> None:
        line, text = self._window.query.line, self._chance.choice(QUERIES)
        self._add_context(text)
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
                QPointF(widget.mapFrom(top, at)),
                QPointF(top.mapToGlobal(at)),
                QPoint(),
                turn,
                Qt.MouseButton.NoButton,
                NO_KEY,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
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
            QPoint(self._chance.randrange(view.width()), self._chance.randrange(view.height())) for _ in range(corners)
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
        """Change the theme, language or font size."""
        new: dict[str, Any] = self._chance.choice(
            (
                {"theme": "dark"},
                {"theme": "light"},
                {"language": "ko"},
                {"language": "en"},
                {"text_size": 13},
                {"text_size": 10},
                {"palette": "colour-blind"},
                {"motion": False},
                {"motion": True},
            )
        )
        self._add_context(new)
        self._window.actions.change_settings(replace(self._window.session.settings, **new))

    def _resize(self) -> None:
        self._window.resize(self._chance.randrange(900, 1600), self._chance.randrange(600, 1000))

    def _dock(self) -> None:
        docks = self._window.docks
        name = self._chance.choice(list(docks.docks))
        dock, what = (docks.docks[name], self._chance.choice(("show", "show", "close", "float", "back", "lay out")))
        self._add_context(f"{what} {name}")
        if self._window.session.folder is None:
            return
        if what == "show":
            docks.show(name)
        elif what == "close":
            dock.close()
        elif what == "lay out":
            docks.lay_out()
        else:
            docks.set_docked(name, what == "float")
            dock.setFloating(what == "float")

    def _palette(self) -> None:
        _key_to(self._window, "Ctrl+K")

    def _menu_action(self) -> None:
        enabled = [action for action in self._window.menus.actions() if action.isEnabled() and not _is_left_out(action)]
        action = self._chance.choice(enabled)
        self._add_context(action.text())
        action.trigger()

    def _tag(self) -> None:
        session, changes = self._window.session, self._window.actions.edits
        if session.listing is not None and len(session.listing):
            documents = [int(self._chance.choice(session.listing.ids)) for _ in range(3)]
            changes.add_tag(documents, self._chance.choice(("one", "two", "세 번째")))
            session.focus(documents[0])
            session.mark(documents, how=self._chance.choice(("replace", "add", "toggle")))

    def _close_folder(self) -> None:
        """Close the folder; the walk opens it again."""
        self._window.actions.close_folder()

    def close_further(self) -> None:
        """Close the other windows: each holds a folder and its models."""
        for other in QApplication.topLevelWidgets():
            if isinstance(other, type(self._window)) and other is not self._window and other.isVisible():
                other.close()

    def _end(self) -> None:
        gc.collect()
        self.memory.append((self._steps, used_memory()))
        self._write_report()
        self._faults.context = "closing"
        self._window.quit_requested.emit()  # further windows too, which the walk may have opened

    def _write_report(self) -> None:
        self._report.write_text(json.dumps({"done": self.done, "memory": self.memory}))


def _trail_of(report: Path) -> Path:
    return report.with_suffix(".trail")


def _exists(handle: QWindow) -> bool:
    """Return whether a window still exists: one that a press has closed must not get the release."""
    return handle in QGuiApplication.allWindows()


def open_popup() -> QWidget | None:
    """Return the menu or dialog that waits for an answer."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def _is_left_out(action: QAction) -> bool:
    return any(key.toString() in LEFT_OUT for key in action.shortcuts())


def _key_to(widget: QWidget, name: str) -> None:
    handle = widget.window().windowHandle()
    if handle is not None and widget.isVisible():
        combined = QKeySequence(name)[0]
        QTest.keyPress(handle, combined.key(), combined.keyboardModifiers())
        if _exists(handle):
            QTest.keyRelease(handle, combined.key(), combined.keyboardModifiers())


def growth(memory: list[tuple[int, float]], warm_up: float = 0.4) -> float:
    """Return the megabytes that the process grows by in 1,000 actions, once it has done everything a few times.

    The slope between the medians of the earlier and the later measurements: a few large results do not bend it.
    """
    last = memory[-1][0]
    seen = [(done, held) for done, held in memory if done >= warm_up * last]
    half = len(seen) // 2
    (early, low), (late, high) = (
        [sorted(part)[len(part) // 2] for part in zip(*rows, strict=True)] for rows in (seen[:half], seen[half:])
    )
    return (high - low) / max(1, late - early) * 1000


def walk(
    folder: Path, report: Path, *, steps: int, seed: int, environment: dict[str, str]
) -> tuple[dict[str, Any], str]:
    """Walk in a separate process; return its report and its faults."""
    environment = environment | {"PYTHONPATH": str(PROJECT), "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.ui.support.random_user", str(folder), str(report), str(steps), str(seed)],
        cwd=report.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    crash = report.with_suffix(".crash").read_text()
    if crash and _trail_of(report).is_file():
        crash = f"{_trail_of(report).read_text()}\n{crash}"
    wrong = report.with_suffix(".faults").read_text() + crash
    if ran.returncode or not report.is_file():
        wrong += f"exit code {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return (json.loads(report.read_text()) if report.is_file() else {}), wrong


def used_memory() -> float:
    """Return the megabytes in use, after free memory was given back as it is when the program is idle."""
    trim_heap()
    return resident()


def resident() -> float:
    """Return the resident memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Run as a program: FOLDER REPORT STEPS SEED."""
    folder, report, steps, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    faults = Faults(report.with_suffix(".faults"))
    walks: list[Walk] = []  # without a reference, Python would delete it

    def story(window: MainWindow) -> None:
        walk = Walk(window, folder, report, seed=seed, steps=steps, faults=faults)
        walks.append(walk)
        walk.start()

    live(folder, story)


if __name__ == "__main__":
    main()
