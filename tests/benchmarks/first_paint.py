"""How soon the first window is painted, beside a program that imports torch, transformers and sklearn up front.

Run by hand, on an idle machine:  python tests/benchmarks/first_paint.py [--rounds 5]

Each start is a process of its own, in turns: the real program until its window is painted, and a program with an empty
Qt window that imports the three libraries first. Wanted: under a fifth of the time, and no torch before the paint.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.ui.support.xvfb import screen  # noqa: E402

MOST = 0.2
HEAVY = ("torch", "transformers", "sklearn")
EAGER = """
import torch, transformers, sklearn.cluster, sklearn.manifold
from transformers import AutoModel, AutoTokenizer
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import time
class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, lambda: (print(time.time(), flush=True), QApplication.quit()))
app = QApplication([])
window = Window()
window.show()
app.exec()
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", action="store_true")
    chosen = parser.parse_args()
    if chosen.child:
        ours()
    times: dict[str, list[float]] = {"ours": [], "eager": []}
    with tempfile.TemporaryDirectory() as home, screen() as environment:
        environment |= {"DOCEXPLORER_HOME": home, "PYTHONPATH": str(ROOT)}
        for place in range(chosen.rounds + 1):
            for name, command in (("ours", [__file__, "--child"]), ("eager", ["-c", EAGER])):
                begun = time.time()
                ran = subprocess.run(
                    [sys.executable, *command], env=environment, capture_output=True, text=True, check=True
                )
                if place:  # the first round only brings the files into memory
                    times[name].append(float(ran.stdout.split()[0]) - begun)
    middle = {name: statistics.median(found) for name, found in times.items()}
    ratio = statistics.median(mine / theirs for mine, theirs in zip(*times.values(), strict=True))
    print(
        json.dumps(
            {
                "first_paint_s": round(middle["ours"], 2),
                "eager_s": round(middle["eager"], 2),
                "share": round(ratio, 3),
                "most": MOST,
            }
        )
    )
    return int(ratio > MOST)


def ours() -> None:
    """The program as users start it, until its start page has been painted."""
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QApplication

    from explorer.ui import app

    class Eye(QObject):
        """Sees the first paint of the start page or a part of it; one that is covered is not painted."""

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and watched.isWidgetType():
                QTimer.singleShot(0, painted)
            return False

    def painted() -> None:
        early = [name for name in HEAVY if name in sys.modules]
        print(time.time(), flush=True)
        os._exit(int(bool(early)))

    turn: Any = QApplication.exec
    eye = Eye()

    def watched(*_: object) -> int:
        instance = QApplication.instance()
        assert instance is not None
        instance.installEventFilter(eye)
        return int(turn())

    QApplication.exec = watched  # type: ignore[method-assign,assignment]
    app.run()


if __name__ == "__main__":
    sys.exit(main())
