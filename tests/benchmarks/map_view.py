"""How quickly the map follows the hand at a million points, beside pyqtgraph's ScatterPlotItem in the same run.

Run by hand, on an idle machine:  python tests/benchmarks/map_view.py [--points 1000000] [--clusters 20]

Both sides show the same points in the same colours in a window of the same size and are moved alike; a frame is what
lies between the move and the painted window. Ours may draw each second or fourth point in a frame that follows a slow
one; whole_frame_ms are those that draw all. The sides take turns, so that a busy machine hinders both. Ours is a
pyqtgraph view too, but its points are one picture.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import pyqtgraph  # noqa: E402
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt  # noqa: E402
from PySide6.QtGui import QMouseEvent, QWheelEvent  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from explorer import palette  # noqa: E402
from explorer.rendering.colours import Categories  # noqa: E402
from explorer.ui.map.view import MapView  # noqa: E402

SIZE = 1100, 800
PANS, ZOOMS = 40, 40
Step = Callable[[], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--clusters", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    app = QApplication([])
    positions, clusters = points(chosen.points, chosen.clusters)
    view = ours(positions, clusters)
    report: dict[str, Any] = {"points": chosen.points, "clusters": chosen.clusters, "window": SIZE}
    report["set_positions_ms"] = median(lambda: view.set_positions(positions, animate=False))
    frames: dict[str, list[float]] = {"pan": [], "zoom": []}
    theirs: dict[str, list[float]] = {"pan": [], "zoom": []}
    plot = scatter_plot(positions, clusters, chosen.clusters)
    for _ in range(chosen.rounds):
        settle(app, view)
        frames["pan"] += [frame(view, step) for step in pans(view)]
        settle(app, view)
        frames["zoom"] += [frame(view, step) for step in zooms(view)]
        for kind, steps in plot_moves(plot).items():
            theirs[kind] += [frame(plot, step) for step in steps[:8]]
    for kind, times in frames.items():
        report[f"{kind}_ms"] = percentiles(times)
        report[f"{kind}_pyqtgraph_ms"] = percentiles(theirs[kind])
        report[f"{kind}_times_faster"] = round(float(np.median(theirs[kind]) / np.median(times)), 1)
    report["whole_frame_ms"] = percentiles(wholes(view))
    view.view_box.fit(animate=False)
    report["pick_ms"] = percentiles(picks(view))
    report["lasso_ms"] = percentiles(lassos(view))
    report["filter_ms"] = median(lambda: view.set_filter(clusters % 3 == 0), lambda: view.viewport().repaint())
    print(json.dumps(report, indent=2))


def points(count: int, groups: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Groups of different width and thickness that overlap here and there, as on maps of texts."""
    chance = np.random.default_rng(0)
    of = chance.integers(0, groups, count)
    middles = chance.normal(size=(groups, 2))
    widths = chance.uniform(0.08, 0.35, groups)
    return (middles[of] + chance.normal(size=(count, 2)) * widths[of, None]).astype(np.float32), of


def ours(positions: np.ndarray[Any, Any], clusters: np.ndarray[Any, Any]) -> MapView:
    view = MapView()
    view.resize(*SIZE)
    view.set_positions(positions, animate=False)
    view.set_colouring(Categories(clusters))
    view.show()
    view.view_box.fit(animate=False)
    view.viewport().repaint()
    return view


def scatter_plot(positions: np.ndarray[Any, Any], clusters: np.ndarray[Any, Any], groups: int) -> Any:
    plot = pyqtgraph.PlotWidget(background=palette.BACKGROUND[0])
    plot.hideAxis("left")
    plot.hideAxis("bottom")
    brushes = np.array([pyqtgraph.mkBrush(colour) for colour in palette.qualitative(groups)])
    item = pyqtgraph.ScatterPlotItem(
        x=positions[:, 0], y=positions[:, 1], size=2, pen=None, brush=brushes[clusters], pxMode=True
    )
    plot.addItem(item)
    plot.resize(*SIZE)
    plot.show()
    plot.viewport().repaint()
    return plot


def pans(view: MapView) -> list[Step]:
    """A drag along a curve, as the mouse reports it."""
    way = [QPointF(550 + 150 * math.sin(turn / 6), 400 + 4 * turn) for turn in range(PANS + 1)]
    steps = [lambda at=at: mouse(view, QEvent.Type.MouseMove, at) for at in way[1:]]
    mouse(view, QEvent.Type.MouseButtonPress, way[0])
    mouse(view, QEvent.Type.MouseMove, way[0] + QPointF(9, 0))
    last = steps[-1]
    steps[-1] = lambda: (last(), mouse(view, QEvent.Type.MouseButtonRelease, way[-1]))[0]
    return steps


def zooms(view: MapView) -> list[Step]:
    """Notches of the wheel into the map and out again."""
    half = ZOOMS // 2
    return [lambda turn=turn: wheel(view, turn) for turn in [120] * half + [-120] * half]


def plot_moves(plot: Any) -> dict[str, list[Step]]:
    box = plot.getViewBox()
    box.autoRange()
    return {
        "pan": [lambda: box.translateBy(x=0.02, y=0.01)] * PANS,
        "zoom": [lambda: box.scaleBy((0.8, 0.8))] * 4 + [lambda: box.scaleBy((1.25, 1.25))] * 4,
    }


def mouse(view: MapView, kind: QEvent.Type, at: QPointF) -> None:
    buttons = Qt.MouseButton.LeftButton
    still = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else buttons
    event = QMouseEvent(kind, at, view.mapToGlobal(at), buttons, still, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), event)


def wheel(view: MapView, turn: int) -> None:
    at = QPointF(500, 420)
    event = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def frame(widget: Any, step: Step) -> float:
    """Milliseconds from a move until the window is painted."""
    start = time.perf_counter()
    step()
    widget.viewport().repaint()
    return 1e3 * (time.perf_counter() - start)


def settle(app: QApplication, view: MapView) -> None:
    view.view_box.fit(animate=False)
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        app.processEvents()


def wholes(view: MapView) -> list[float]:
    """Frames of all points in full, as at rest, from the whole map to sixteen times closer."""
    view.view_box.fit(animate=False)
    found = []
    for _ in range(30):
        view.view_box.look_at(view.view_box.camera.closer(1.1, 500, 420))
        found.append(timed(lambda: view.image(1.0)))
    return found


def picks(view: MapView) -> list[float]:
    chance = np.random.default_rng(1)
    places = chance.uniform((100, 100), (SIZE[0] - 100, SIZE[1] - 100), size=(100, 2)).tolist()
    return [timed(lambda at=at: view.row_at(*at)) for at in places]


def lassos(view: MapView) -> list[float]:
    """A line of 400 corners around most of the map."""
    found: list[int] = []
    view.selected.connect(lambda rows, _how: found.append(len(rows)))
    angles = np.linspace(0, 2 * math.pi, 400)
    radii = 300 + 60 * np.sin(7 * angles)
    line = np.stack((550 + radii * np.cos(angles), 400 + radii * np.sin(angles)), axis=1).tolist()
    times = [timed(lambda: view._on_drawn(line, "replace")) for _ in range(7)]
    assert min(found) > 0
    return times


def timed(step: Callable[[], Any]) -> float:
    start = time.perf_counter()
    step()
    return 1e3 * (time.perf_counter() - start)


def median(*steps: Step) -> float:
    return round(float(np.median([sum(timed(step) for step in steps) for _ in range(5)])), 1)


def percentiles(times: list[float]) -> dict[str, float]:
    return {
        name: round(float(np.percentile(times, share)), 2)
        for name, share in (("median", 50), ("p95", 95), ("worst", 100))
    }


if __name__ == "__main__":
    main()
