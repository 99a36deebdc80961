"""What one process of the window takes with 100,000 rows, a second window and the fine-tuning wizard, part by part.

Run by hand:  python tests/benchmarks/memory.py [--rows 100000] [--keep FOLDER] [--limit 1500]

The rows are real texts in one table, stored as any folder is. Encoding them all takes hours, so a sample is encoded by
the bundled model and the rest by its draft, filled up to the model's dimension; neither clusters nor map are stored
yet. Two processes are measured. The first only loads libraries and the model, one after the other. The second is the
real window, without a screen, from its start to its last folder being closed; clusters and map are made in it.

Of each step: the highest resident memory within it, and what is resident after it when free memory was given back as
it is while the program is idle. "own" is memory of the process alone; "files" are pages of libraries and of mapped
vectors, which the system can drop and read again at any time. Exits with 1 if the highest is above the limit.
--keep leaves the workspace in a folder, and takes it from there the next time.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

if TYPE_CHECKING:
    from explorer.models.runtime.batching import Output
    from explorer.task import Task
    from explorer.ui.window.main_window import MainWindow

LIMIT = 1500  # MB, of all steps
ENCODED = 1024  # texts that the model encodes; the others have vectors of its draft
QUERY = "how do I read a file line by line"
LONGEST = 3600.0  # seconds of a step


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--limit", type=int, default=LIMIT, help="megabytes")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--duplicates", action="store_true", help="look for them too, which compares all pairs twice")
    parser.add_argument("--child", choices=("fill", "parts", "story"))
    parser.add_argument("--home", type=Path)
    chosen = parser.parse_args()
    if chosen.child == "fill":
        fill(chosen.home, chosen.rows)
    elif chosen.child == "parts":
        parts(chosen.home)
    elif chosen.child == "story":
        story(chosen.home, duplicates=chosen.duplicates)
    else:
        return measure(chosen)
    return 0


def measure(chosen: argparse.Namespace) -> int:
    """Run the children and print what they measured."""
    with tempfile.TemporaryDirectory() as made:
        home = chosen.keep or Path(made)
        home.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {
            "DOCEXPLORER_HOME": str(home / "home"),
            "PYTHONPATH": str(ROOT),
            "HF_HUB_OFFLINE": "1",
            "QT_QPA_PLATFORM": "offscreen",
        }
        for child in ("fill", "parts", "story"):
            command = [sys.executable, __file__, "--child", child, "--home", str(home), "--rows", str(chosen.rows)]
            command += ["--duplicates"] * chosen.duplicates
            subprocess.run(command, env=environment, check=True)
        found = {child: json.loads((home / f"{child}.json").read_text()) for child in ("parts", "story")}
    highest = max(step["peak"] for step in found["story"])
    print(json.dumps({"rows": chosen.rows, **found, "highest": highest, "limit": chosen.limit}, indent=1))
    return int(highest > chosen.limit)


class Meter:
    """Measures step by step, and writes what it has to a file."""

    def __init__(self, file: Path) -> None:
        self._file, self.steps, self._before = file, list[dict[str, Any]](), 0.0
        self._began = time.monotonic()

    def step(self, name: str) -> None:
        """Note what the step that ends now took."""
        from explorer.ui.app import trim_heap

        peak = _status("VmHWM")
        trim_heap()
        sizes = _sizes()
        now = time.monotonic()
        self.steps.append(
            {
                "step": name,
                "peak": round(peak),
                "after": round(sizes["Rss"]),
                "own": round(sizes["Anonymous"]),
                "files": round(sizes["Rss"] - sizes["Anonymous"]),
                "proportional": round(sizes["Pss"]),
                "more": round(sizes["Rss"] - self._before),
                "seconds": round(now - self._began, 1),
            }
        )
        print(json.dumps(self.steps[-1]), file=sys.stderr, flush=True)
        self._before, self._began = sizes["Rss"], now
        self._file.write_text(json.dumps(self.steps))
        Path("/proc/self/clear_refs").write_text("5")  # the highest begins again


def _sizes() -> dict[str, float]:
    """Return the kinds of resident memory of this process, in megabytes."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def parts(home: Path) -> None:
    """Load one library after the other, and the model."""
    meter = Meter(home / "parts.json")
    meter.step("interpreter with numpy")
    import PySide6.QtWidgets  # noqa: F401

    meter.step("Qt")
    import torch  # noqa: F401

    meter.step("torch")
    import transformers.models.bert.modeling_bert  # noqa: F401

    meter.step("transformers")
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.models.runtime.device import choose

    model = BiEncoder.open(catalog.bundled(), choose("cpu", precision="float32"))
    meter.step("model")
    model.encode([QUERY]).whole()
    meter.step("first query encoded")


def fill(home: Path, count: int) -> None:
    """Store the texts with vectors, if they are not there yet."""
    texts = home / "texts"
    if (home / "filled").is_file():
        return
    from million import combined

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.models.runtime.batching import Output
    from explorer.models.static_encoder import static_encoder_of
    from explorer.workspace.workspace import open_workspace

    class Quick(BiEncoder):
        """Encodes the first texts itself, and leaves the others to its draft."""

        def stream(
            self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None
        ) -> Generator[Output]:
            nonlocal left
            if left > 0:
                left -= len(texts)
                yield from super().stream(texts, role=role, task=task)
                return
            for output in draft.stream(texts, role=role, task=task):
                values = np.pad(output.values, ((0, 0), (0, self.dimension - draft.dimension)))
                yield Output(output.rows, values.astype(np.float32))

    left, model = ENCODED, Quick.open(catalog.bundled())
    draft = static_encoder_of(model)
    texts.mkdir(exist_ok=True)
    with (texts / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        rows = ((" ".join(text.split()[:8]), text) for text in combined(count)[0])
        csv.writer(file).writerows([("title", "text"), *rows])
    with open_workspace(texts) as workspace:
        workspace.update(model, static_encoder=draft)
    (home / "filled").touch()


def story(home: Path, *, duplicates: bool) -> None:
    """The window; ends with its process."""
    from tests.ui.support import live_app

    meter = Meter(home / "story.json")
    meter.step("interpreter with numpy and Qt")
    live_app.live(None, lambda window: live_app.run_steps(steps(window, home, meter, duplicates=duplicates)))


def steps(window: MainWindow, home: Path, meter: Meter, *, duplicates: bool) -> Iterator[Callable[[], bool]]:
    """Do what somebody does in an hour; yields what each step waits for."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from explorer.ui.window.views import View
    from tests.ui.support.live_app import window as first_window

    session, actions = window.session, window.actions

    def idle(more: Callable[[], object] = lambda: True) -> Callable[[], bool]:
        until = time.monotonic() + LONGEST

        def reached() -> bool:
            assert time.monotonic() < until, meter.steps[-1]
            QApplication.processEvents()
            return bool(more()) and not actions.runner.jobs()

        return reached

    def listed() -> bool:
        return session.listing is not None and len(session.listing) > 0

    yield idle()
    meter.step("empty window")
    actions.open_folder(home / "texts")
    yield listed
    meter.step("workspace open, documents listed")
    yield lambda: session.clusters is not None
    meter.step("model open, clusters shown")
    yield idle(lambda: session.map_layout is not None and not session.map_layout.drawing)
    meter.step("map drawn, all work done")
    window.query.line.setFocus()
    QTest.keyClicks(window.query.line, QUERY)
    yield idle(lambda: session.search is not None and session.search.text == QUERY and not session.search.stale)
    meter.step("search typed, best hit read")
    views = (View.MAP, View.COMPARE, View.OUTLIERS, View.TRENDS, View.CATEGORIES, View.WORK)
    for view in (*views[:2], *[View.DUPLICATES] * duplicates, *views[2:]):
        window.show_view(view)
        QApplication.processEvents()
        yield idle()
        meter.step(f"view {view.value}")
    QTest.keyClicks(window.query.line, " of a text")
    yield idle(lambda: session.search is not None and session.search.text != QUERY and not session.search.stale)
    meter.step("another search")

    window.window_requested.emit(ROOT / "resources" / "sample")
    yield lambda: other() is not None
    second = other()
    assert second is not None
    jobs = second.actions.runner.jobs
    yield lambda: second.session.map_layout is not None and not second.session.map_layout.drawing and not jobs()
    meter.step("second window on the sample, indexed")

    window.finetune.show_wizard()
    wizard = window.finetune.wizard
    yield idle()
    meter.step("wizard")
    wizard.goal.choices["search"].click()
    wizard.forward.click()
    wizard.data.choices["corpus"].click()
    yield idle(lambda: wizard.data.preview is not None)
    meter.step("wizard: examples of the texts")
    wizard.forward.click()
    yield idle(lambda: wizard.model.plan is not None and wizard.model.plan.seconds is not None)
    meter.step("wizard: model and plan")
    wizard.close()
    yield idle()
    meter.step("wizard closed")
    second.close()
    yield lambda: other() is None
    yield idle()
    meter.step("second window closed")
    actions.close_folder()
    yield idle(lambda: session.folder is None)
    settle = time.monotonic() + 3  # the collector looks once a second
    yield lambda: time.monotonic() > settle
    meter.step("folder closed")
    assert first_window() is window
    window.close()
    yield lambda: True


def other() -> MainWindow | None:
    """Return the second window."""
    from PySide6.QtWidgets import QApplication

    from explorer.ui.window.main_window import MainWindow

    windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
    return next((one for one in windows if one.session.folder and one.session.folder.name == "sample"), None)


if __name__ == "__main__":
    sys.exit(main())
