"""Closes the real window at random moments of its work, and looks at what is left.

By hand: python -m tests.faults.closing --closings 50

Each closing is a process of its own: the window opens a folder and encodes, draws, trains or downloads, while somebody
sets tags; then it is closed, some time after that work has begun, or after the window is there. It fails (exit code 1)
where the process takes longer than allowed to end, ends with another code than 0, a tag that was shown is gone, or the
doctor finds something.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
KEYS = {"encoding": "update", "laying out": "map", "training": "train", "downloading": "download"}  # of their jobs
LONGEST = 3.0  # seconds from the closing to the end of the process
HANGS = 240.0  # seconds after which a process is taken to hang, also on a busy machine

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow


@dataclass
class Closing:
    """What came of one closing.

    Attributes:
        work: What was going on.
        after: Seconds to the closing.
        since: From when on: "window", when it is there, or "work", when that has begun.
        running: What the workers were doing.
        ended: Seconds that the process took to end.
        code: Its exit code.
        tags: Tags that were shown before.
        wrong: What must not be.
    """

    work: str
    after: float
    since: str
    running: list[str] = field(default_factory=list)
    ended: float = 0.0
    code: int = 0
    tags: int = 0
    wrong: list[str] = field(default_factory=list)


def close_once(indexed: Path, work: str, after: float, since: str, longest: float, hub: str) -> Closing:
    """One process from its start to its end, and a look at the workspace."""
    found = Closing(work, round(after, 2), since)
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        if work == "encoding":  # from the beginning
            shutil.copytree(ROOT / "resources" / "sample" / "space", home / "texts")
            target = home / "texts"
        else:
            target = Path(shutil.copytree(indexed, home / "workspace"))
        env = os.environ | {
            "DOCEXPLORER_HOME": str(home / "home"),
            "HF_HUB_OFFLINE": str(int(not hub)),
            "HF_ENDPOINT": hub,
            "PYTHONPATH": str(ROOT),
        }
        env.setdefault("QT_QPA_PLATFORM", "offscreen")
        command = [sys.executable, "-m", "tests.faults.closing", "--child", work, str(target), made, str(after), since]
        try:
            ran = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=HANGS)
        except subprocess.TimeoutExpired:  # an exception in the story leaves a window that nobody closes
            faults = home / "faults"
            found.wrong.append(f"no end in {HANGS} s\n{faults.read_text() if faults.is_file() else ''}")
            return found
        ended, said = time.time(), home / "closing.json"
        found.code = ran.returncode
        if ran.returncode or not said.is_file():
            found.wrong.append(f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
            return found
        told = json.loads(said.read_text())
        found.running, found.ended, found.tags = (told["running"], round(ended - told["at"], 2), len(told["tags"]))
        if found.ended > longest:
            found.wrong.append(f"the process ended {found.ended} s after the closing")
        faults = (home / "faults").read_text()
        if faults or ran.stderr.strip():
            found.wrong.append(faults + ran.stderr)
        found.wrong += _lost(Path(told["workspace"]), told["tags"]) if told["workspace"] else []
    return found


def _lost(workspace: Path, tags: list[list[Any]]) -> list[str]:
    """What is gone or damaged."""
    from explorer.workspace import doctor
    from explorer.workspace.storage.user.words import tags_of
    from explorer.workspace.workspace import Workspace

    wrong = [f"doctor: {one.message}" for one in doctor.examine(workspace) if one.state != "ok"]
    with Workspace(workspace, None, writable=False) as opened:
        there = tags_of(opened)
    return wrong + [f"tag {tag} of {number} is gone" for number, tag in tags if tag not in there.get(number, ())]


def child(work: str, target: Path, home: Path, after: float, since: str) -> NoReturn:
    """The process that is closed."""
    from PySide6.QtCore import QTimer

    from tests.ui.support.live_app import Faults, live

    faults = Faults(home / "faults")
    timers = []

    def story(window: MainWindow) -> None:
        session, actions = window.session, window.actions
        # A notice without an action is an error or a warning; that documents were tagged can be undone.
        actions.notified.connect(
            lambda told: None if "tagged" in told.sentence else faults.note(f"told: {told.sentence} {told.details}")
        )
        count = iter(range(10**9))

        def tag() -> None:
            listing = session.listing
            if listing is not None and len(listing):
                number = next(count)
                actions.edits.add_tag([int(listing.ids[number % len(listing)])], f"tag {number}")

        def close() -> None:
            shown = [[number, tag] for number, tags in session.tags.items() for tag in tags]
            running = [job.key for job in actions.runner.jobs() if job.status != "waiting" and not job.quiet]
            workspace = str(session.folder.workspace) if session.folder else ""
            said = {"running": running, "tags": shown, "workspace": workspace, "at": time.time()}
            (home / "closing.json").write_text(json.dumps(said))
            window.close()

        timers.append(QTimer(window, interval=30, timeout=tag))
        timers[0].start()
        begun: list[bool] = []

        def look() -> None:
            there = any(job.key == KEYS[work] and job.status == "running" for job in actions.runner.jobs())
            if not begun and (there or since == "window"):
                begun.append(True)
                QTimer.singleShot(int(after * 1000), close)

        actions.runner.changed.connect(look)
        look()
        _begin(work, window, home)

    live(target, story)


def _begin(work: str, window: MainWindow, home: Path) -> None:
    """Have the workers do something long besides what opening does."""
    runner = window.actions.runner
    if work == "training":
        runner.start("train", lambda task: _train(task, home), lambda _: None, worker="model", title="Training")
    elif work == "downloading":
        runner.start("download", lambda task: _download(task, home), lambda _: None, worker="slow", title="Downloading")
    elif work == "laying out":
        from PySide6.QtCore import QTimer

        QTimer(window, interval=700, timeout=lambda: window.actions.overview.refresh(redraw=True)).start()


def _train(task: Any, home: Path) -> object:
    from explorer.models.files import catalog
    from explorer.models.files import model_folder as folder
    from explorer.training.data.dataset import Dataset, prepare_for_training
    from explorer.training.fit.trainer import train
    from explorer.training.recipe import Recipe

    texts = tuple(f"a text of number {number} about the weather in spring" for number in range(400))
    pairs = Dataset.scored(texts, texts[::-1], tuple(float(number % 6) for number in range(400)), 0, 5)
    base = folder.read(catalog.bundled())
    return train(
        Recipe("regression", epochs=50.0), base, prepare_for_training(pairs), folder=home / "trained", task=task
    )


def _download(task: Any, home: Path) -> object:
    """From a hub that never ends its answer."""
    from explorer.models.files import hub
    from tests.models.files.test_hub import NAME

    return hub.download(NAME, home / "models" / "slow", task=task)


@contextmanager
def slow_hub() -> Iterator[str]:
    """The address of a hub whose weights stop coming."""
    from tests.models.files.test_hub import FakeHub, Handler, Server

    fake = FakeHub(stall_after=2000)
    server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"fake": fake}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--closings", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=LONGEST)
    parser.add_argument("--latest", type=float, default=12.0, help="seconds after which every window is closed")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--child", nargs=5)
    chosen = parser.parse_args()
    if chosen.child:
        work, target, home, after, since = chosen.child
        child(work, Path(target), Path(home), float(after), since)
    chance = random.Random(chosen.seed)
    works = list(KEYS)
    moments = [
        (works[place % 4], chance.uniform(0.0, chosen.latest), ("work", "window")[place // 4 % 2])
        for place in range(chosen.closings)
    ]
    with tempfile.TemporaryDirectory() as made, slow_hub() as hub, ThreadPoolExecutor(chosen.at_once) as pool:
        indexed = index(Path(made) / "workspace")
        hubs = {"downloading": hub}
        found = list(pool.map(lambda one: close_once(indexed, *one, chosen.longest, hubs.get(one[0], "")), moments))
    for one in found:
        print(json.dumps(asdict(one), ensure_ascii=False))
    bad = [one for one in found if one.wrong]
    busy = sorted({name for one in found for name in one.running})
    print(
        json.dumps(
            {
                "closings": len(found),
                "wrong": len(bad),
                "slowest_end": max(one.ended for one in found),
                "closed_while_at": busy,
                "tags_kept": sum(one.tags for one in found),
            }
        )
    )
    return int(bool(bad))


def index(folder: Path, texts: Path = ROOT / "resources" / "sample" / "space") -> Path:
    """A workspace of texts, encoded."""
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.models.runtime.device import choose
    from explorer.workspace.workspace import Workspace

    with Workspace(folder, texts, writable=True) as workspace:
        workspace.update(BiEncoder.open(catalog.bundled(), choose("cpu", precision="float32")))
    return folder


if __name__ == "__main__":
    sys.exit(main())
