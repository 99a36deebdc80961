"""How long the window's event loop keeps a beat waiting while it opens a model, encodes, draws the map and trains.

Run by hand, on an idle machine:  python tests/benchmarks/latency.py [--data FOLDER] [--documents 600]

The real window opens a folder of newsgroup postings and Korean texts on a screen of its own; a timer of 5 ms in its UI
thread notes by how much each beat comes late. A second process does nothing but beat at the same time: what it misses,
the machine misses. Wanted: median under 16 ms, 99 % under 50 ms, worst under 200 ms, the import of torch included.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer  # noqa: E402

from tests.ui.support.xvfb import screen  # noqa: E402

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

BEAT = 5  # milliseconds
WANTED = {"median": 16, "p99": 50, "worst": 200}
PHASES = {"update": "encoding", "clusters": "grouping", "map": "layout", "train": "training"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--documents", type=int, default=600)
    parser.add_argument("--examples", type=int, default=96)
    parser.add_argument("--slow", type=int, default=10**9, help="note where the threads are in later beats than this")
    parser.add_argument("--tell", type=int, default=0, help="of how many of these")
    parser.add_argument("--child", choices=("window", "idle"))
    parser.add_argument("--work", type=Path)
    chosen = parser.parse_args()
    if chosen.child == "idle":
        idle(chosen.work)
    elif chosen.child == "window":
        live(chosen)
    else:
        sys.exit(measure(chosen))


def measure(chosen: argparse.Namespace) -> int:
    """Both processes at once; returns whether a figure was missed."""
    with tempfile.TemporaryDirectory() as made, screen() as env:
        work = Path(made)
        copy_texts(chosen.data, work / "texts", chosen.documents)
        env |= {"DOCEXPLORER_HOME": str(work / "home"), "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, __file__, "--work", made, "--data", str(chosen.data), "--child"]
        beside = subprocess.Popen([*command, "idle"], env=env)
        more = ["--examples", str(chosen.examples), "--slow", str(chosen.slow), "--tell", str(chosen.tell)]
        code = subprocess.run([*command, "window", *more], env=env, check=False).returncode
        (work / "end").touch()
        beside.wait(20)
        found = json.loads((work / "window.json").read_text()) | {"exit_code": code}
        found["a_process_that_does_nothing"] = json.loads((work / "idle.json").read_text())
    for name, figures in found.items():
        print(json.dumps({name: figures}))
    return int(any(found["all"][name] > most for name, most in WANTED.items()))


def copy_texts(data: Path, into: Path, count: int) -> None:
    files = sorted(file for file in (data / "mini_newsgroups").rglob("*") if file.is_file())
    step = max(1, len(files) // count)
    for file in files[::step][:count]:
        place = into / file.parent.name / f"{file.name}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    shutil.copytree(ROOT / "resources" / "sample", into / "sample")  # with Korean, which has an analyser of its own


class Heart(QObject):
    """Beats in the UI thread, and remembers by how much each beat was late and what was going on."""

    def __init__(self, slow: float = 1e9) -> None:
        super().__init__()
        self.late: list[tuple[str, float]] = []
        self.phase = "start"
        self.slow: list[tuple[str, float, dict[str, str]]] = []
        self._limit, self._last = slow / 1000, time.perf_counter()
        self._ui = threading.get_ident()
        self._timer = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start()
        if slow < 1e9:  # the watcher itself disturbs a little
            threading.Thread(target=self._watch, daemon=True).start()

    def _on_beat(self) -> None:
        now = time.perf_counter()
        self.late.append((self.phase, max(0.0, (now - self._last) * 1000 - BEAT)))
        self._last = now

    def _watch(self) -> None:
        """Look where every thread is when a beat is missed; tells nothing when the interpreter itself was held."""
        seen = 0.0
        while True:
            time.sleep(0.01)
            if self._last != seen and time.perf_counter() - self._last > self._limit:
                seen = self._last
                names = {thread.ident: thread.name for thread in threading.enumerate()}
                frames = {
                    "ui" if number == self._ui else names.get(number, "?"): where(frame)
                    for number, frame in sys._current_frames().items()
                    if number != threading.get_ident()
                }
                self.slow.append((self.phase, round((time.perf_counter() - self._last) * 1000), frames))

    def figures(self) -> dict[str, Any]:
        found = {"all": summary([late for _, late in self.late])}
        for phase in dict(self.late):
            found[phase] = summary([late for name, late in self.late if name == phase])
        return found


def where(frame: Any) -> str:
    calls = [f"{Path(call.filename).name}:{call.lineno} {call.name}" for call in traceback.extract_stack(frame)]
    return " > ".join(calls[-4:])


def summary(late: list[float]) -> dict[str, float]:
    middle, high = np.percentile(late, [50, 99])
    return {
        "beats": len(late),
        "median": round(float(middle), 1),
        "p99": round(float(high), 1),
        "worst": round(max(late), 1),
        "over_50": sum(one > 50 for one in late),
    }


def idle(work: Path) -> None:
    """Beat until the other has ended."""
    app = QCoreApplication([])
    heart = Heart()
    QTimer(app, interval=200, timeout=lambda: (work / "end").exists() and app.quit()).start()
    app.exec()
    (work / "idle.json").write_text(json.dumps(heart.figures()["all"]))


def live(chosen: argparse.Namespace) -> None:
    """The window, opening the folder while it beats."""
    from tests.ui.support import live_app

    live_app.live(None, lambda window: live_app.run_steps(story(window, chosen)))


def story(window: MainWindow, chosen: argparse.Namespace) -> Iterator[Callable[[], bool]]:
    """What happens; each part begins when what was awaited holds."""
    session, actions = window.session, window.actions
    runner = actions.runner
    actions.notified.connect(lambda told: print("told:", told.sentence, told.details, file=sys.stderr))
    begun = time.monotonic()
    yield lambda: time.monotonic() - begun > 1
    heart = Heart(chosen.slow)
    runner.changed.connect(lambda: follow(heart, runner))
    heart.phase = "opening"
    actions.open_folder(chosen.work / "texts")
    yield lambda: session.map_layout is not None and not session.map_layout.drawing and not runner.jobs()
    train(window, chosen)
    yield lambda: not runner.jobs()
    found = heart.figures() | {"cores": os.cpu_count()}
    slow = sorted(heart.slow, key=lambda one: -one[1])[: chosen.tell]
    (chosen.work / "window.json").write_text(json.dumps(found))
    for phase, late, frames in slow:
        print(f"{late} ms {phase}", *(f"  {name}: {frame}" for name, frame in frames.items()), sep="\n")
    window.close()
    yield lambda: True


def follow(heart: Heart, runner: Any) -> None:
    running = [PHASES[job.key] for job in runner.jobs() if job.status == "running" and job.key in PHASES]
    if running:
        heart.phase = " + ".join(sorted(set(running)))


def train(window: MainWindow, chosen: argparse.Namespace) -> None:
    """As the wizard does it: a training in the model worker."""
    with (chosen.data / "stsb_en" / "stsb-en-train.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row, _ in zip(csv.reader(file), range(chosen.examples), strict=False)]

    def work(task: Any) -> object:
        from explorer.models.files import catalog, model_folder
        from explorer.training.data.dataset import Dataset, prepare_for_training
        from explorer.training.fit.trainer import train
        from explorer.training.recipe import Recipe

        first, second, scores = zip(*rows, strict=True)
        pairs = Dataset.scored(first, second, tuple(map(float, scores)), 0, 5)
        base = model_folder.read(catalog.bundled())
        recipe = Recipe(objective="regression", batch=16, epochs=1)
        return train(recipe, base, prepare_for_training(pairs), folder=chosen.work / "trained", task=task)

    window.actions.runner.start("train", work, lambda _: None, worker="model", title="Training")


if __name__ == "__main__":
    main()
