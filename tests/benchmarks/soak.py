"""Four hours of random use in a fraction of the time: memory, handles and the pace of the window stay what they were.

Run by hand:  python tests/benchmarks/soak.py [--steps 7200] [--minutes 20] [--seed 0]

Somebody who does something every two seconds does 7,200 things in four hours. Between them the window comes to rest
now and then: everything is set as at first, what it holds is counted, and the same few things are done and timed. It
fails (exit code 1) where one of them takes longer late than early, where memory, open files, threads or objects of
Qt grow, and on all that fails a random walk.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QObject  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from explorer.ui.app import trim_heap  # noqa: E402
from tests.faults.closing import index  # noqa: E402
from tests.ui.support.live_app import Faults, live, until  # noqa: E402
from tests.ui.support.random_user import Walk, growth, open_popup, resident  # noqa: E402
from tests.ui.support.xvfb import screen  # noqa: E402

if TYPE_CHECKING:
    from explorer.settings import Settings
    from explorer.ui.window.main_window import MainWindow

A_REST = 200  # actions between two rests
WARM_UP = 0.3  # the part of the run in which everything is done for the first time
ENOUGH = 10  # rests, before which most of what grows is loaded for the first time
ROUNDS = 3  # of the timed things at each rest; the quickest counts
# What may be added in 1,000 actions, and how many times longer something may take.
MOST = {"megabytes": 20.0, "files": 2.0, "threads": 2.0, "objects": 300.0}
SLOWER = 1.5


class Soak(Walk):
    """A random walk that rests, counts what the process holds, and times the same few things."""

    rests: list[dict[str, Any]]

    def __init__(self, *args: Any, minutes: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self.rests, self._until, self._due = [], time.monotonic() + minutes * 60, A_REST
        self._settings: Settings = self._window.session.settings
        self.setParent(self._window)

    def _on_turn(self) -> None:
        done = self._steps - self._left
        if time.monotonic() > self._until:
            self._steps, self._left = done, 0
        if open_popup() is None and not self._inside and (done >= self._due or self._left <= 0):
            self._due = done + A_REST
            self._faults.context = f"rest after {done}"
            try:
                self._rest(done)
            except AssertionError as error:
                self._faults.note(repr(error))
                self._left = 0
        super()._on_turn()

    def _rest(self, done: int) -> None:
        """Set everything as at first, count, and time."""
        window, session, actions = self._window, self._window.session, self._window.actions
        self.close_further()
        for other in QApplication.topLevelWidgets():
            if other is not window and other.isVisible() and other.parent() is not None:
                other.close()
        actions.change_settings(replace(self._settings, recent=session.settings.recent))
        until(lambda: not actions.runner.jobs(), 600, "the workers to rest")  # they may be leaving the folder
        if session.folder is None:
            actions.open_folder(self._folder)
        until(lambda: session.listing is not None and not actions.runner.jobs(), 600, "the folder")
        session.set_filter(None)
        session.mark(())
        window.resize(1400, 900)
        window.docks.lay_out()
        rounds = [self._times() for _ in range(ROUNDS)]
        actions.search.ask("")
        until(lambda: not actions.runner.jobs(), 120, "the workers to rest")
        gc.collect()
        loose = resident()
        trim_heap()
        self.rests.append(
            {
                "done": done,
                "megabytes": resident(),
                "megabytes_untrimmed": loose,
                **held(),
                "seconds": {name: min(one[name] for one in rounds) for name in rounds[0]},
            }
        )
        self._write_report()

    def _times(self) -> dict[str, float]:
        session, actions, docks = self._window.session, self._window.actions, self._window.docks
        assert session.listing is not None
        ids = [int(one) for one in session.listing.ids[:2]]

        def search() -> None:
            actions.search.ask("")
            actions.search.ask("rocket launch")
            until(lambda: session.search is not None and not session.search.stale, 60, "the results")

        def read() -> None:
            for number in ids:
                session.focus(number)
                until(lambda number=number: _shown(docks.reader.page) == number, 60, "the page")

        def show() -> None:
            for name in ("outliers", "documents", "clusters"):
                docks.show(name)
                QApplication.processEvents()

        things: dict[str, Callable[[], object]] = {
            "search": search,
            "read": read,
            "show": show,
            "paint": self._window.grab,
        }
        found = {}
        for name, thing in things.items():
            began = time.perf_counter()
            thing()
            found[name] = time.perf_counter() - began
            until(lambda: not actions.runner.jobs(), 120, "the workers to rest")
        return found

    def _write_report(self) -> None:
        self._report.write_text(json.dumps({"done": self.done, "memory": self.memory, "rests": self.rests}))


def _shown(page: Any) -> int:
    return page.entry.id if page is not None else -1


def held() -> dict[str, int]:
    """Handles of this process: open files, threads, widgets, and all objects of Qt that belong to a window."""
    tops = QApplication.topLevelWidgets()
    return {
        "files": _entries("/proc/self/fd"),
        "threads": _entries("/proc/self/task"),
        "windows": len(tops),
        "objects": sum(len(top.findChildren(QObject)) for top in tops if top.parent() is None),
        "python_objects": len(gc.get_objects()) + gc.get_freeze_count(),
    }


def _entries(folder: str) -> int:
    return sum(1 for _ in Path(folder).iterdir())


def judged(rests: Sequence[dict[str, Any]]) -> tuple[dict[str, float], dict[str, float], list[str]]:
    """What grew in 1,000 actions, how many times longer things take late than early, and what must not be."""
    grown = {
        name: round(growth([(one["done"], one[name]) for one in rests], WARM_UP), 1)
        for name in (*MOST, "megabytes_untrimmed", "windows", "python_objects")
    }
    warm = [one for one in rests if one["done"] >= WARM_UP * rests[-1]["done"]]
    half = len(warm) // 2
    slower = {
        name: round(
            min(one["seconds"][name] for one in warm[half:]) / min(one["seconds"][name] for one in warm[:half]), 2
        )
        for name in warm[0]["seconds"]
    }
    wrong = [f"{name} grow by {grown[name]} in 1,000 actions" for name, most in MOST.items() if grown[name] > most]
    wrong += [f"to {name} takes {times} times as long" for name, times in slower.items() if times > SLOWER]
    return grown, slower, wrong


def child(folder: Path, report: Path, steps: int, minutes: float, seed: int) -> None:
    """The process that is watched."""
    faults = Faults(report.with_suffix(".faults"))

    def story(window: MainWindow) -> None:
        Soak(window, folder, report, seed=seed, steps=steps, faults=faults, minutes=minutes).start()

    live(folder, story)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=7200)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=2, type=Path)
    chosen = parser.parse_args()
    if chosen.child:
        child(*chosen.child, chosen.steps, chosen.minutes, chosen.seed)
    with tempfile.TemporaryDirectory() as made, screen() as environment:
        home, report = Path(made), Path(made) / "soak.json"
        index(home / "workspace", ROOT / "resources" / "sample")
        environment |= {"DOCEXPLORER_HOME": str(home / "home"), "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        words = ["--child", str(home / "workspace"), str(report), "--steps", str(chosen.steps)]
        words += ["--minutes", str(chosen.minutes), "--seed", str(chosen.seed)]
        began = time.monotonic()
        ran = subprocess.run(
            [sys.executable, __file__, *words], cwd=home, env=environment, capture_output=True, text=True, check=False
        )
        minutes = (time.monotonic() - began) / 60
        wrong = [(home / name).read_text() for name in ("soak.faults", "soak.crash") if (home / name).is_file()]
        found = json.loads(report.read_text()) if report.is_file() else {"done": {}, "rests": []}
    if ran.returncode:
        wrong.append(f"exit code {ran.returncode}\n{ran.stdout}\n{ran.stderr}")
    told: dict[str, Any] = {"seed": chosen.seed, "minutes": round(minutes, 1), "actions": sum(found["done"].values())}
    if len(found["rests"]) >= ENOUGH:
        grown, slower, bad = judged(found["rests"])
        told |= {"in_1000_actions": grown, "most": MOST, "times_as_long": slower, "at_most": SLOWER}
        wrong += bad
    else:
        wrong.append("too short a run to tell")
    wrong = [one for one in wrong if one.strip()]
    print(json.dumps(told | {"wrong": wrong, "rests": found["rests"]}, indent=1))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
