"""How long a lasso around a million points takes on the UI thread, from the closed line to marks in every panel.

Run by hand, on an idle machine:  python tests/benchmarks/lasso.py [--points 1000000] [--rounds 5]

Prints the median milliseconds of each part: finding the rows inside the line, changing the selection (without those
who listen), what each panel does with it, and the whole. The map is drawn after that, with the next frame; its time is
given beside. Exits with 1 if the whole takes longer than the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from explorer.analysis.clusters.cluster import Clustering, ClusterRecipe  # noqa: E402
from explorer.services.overview import Clusters, MapLayout  # noqa: E402
from explorer.settings import Settings  # noqa: E402
from explorer.ui.controllers.workspace import Controllers  # noqa: E402
from explorer.ui.jobs.runner import Runner  # noqa: E402
from explorer.ui.map.input import inside_line  # noqa: E402
from explorer.ui.map.panel import MapPanel  # noqa: E402
from explorer.ui.panels.clusters.panel import ClustersPanel  # noqa: E402
from explorer.ui.panels.compare.panel import ComparePanel  # noqa: E402
from explorer.ui.panels.documents.panel import DocumentsPanel  # noqa: E402
from explorer.ui.panels.outliers import OutliersPanel  # noqa: E402
from explorer.ui.panels.reader.panel import ReaderPanel  # noqa: E402
from explorer.ui.panels.rerank import RerankPanel  # noqa: E402
from explorer.ui.panels.similar import SimilarPanel  # noqa: E402
from explorer.ui.state.session import Origin, Session  # noqa: E402
from explorer.workspace.storage.documents import Listing  # noqa: E402

LIMIT = 150  # milliseconds for the whole
PANELS = (MapPanel, DocumentsPanel, ClustersPanel, ReaderPanel, ComparePanel, SimilarPanel, OutliersPanel, RerankPanel)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    app = QApplication([])
    report = measure(app, chosen.points, chosen.rounds)
    print(json.dumps(report, indent=1))
    return 0 if report["whole"] < LIMIT else 1


def measure(app: QApplication, count: int, rounds: int = 5) -> dict[str, Any]:
    """Return the median milliseconds of each part for a lasso around all points."""
    session, runner = Session(Settings()), Runner()
    actions = Controllers(session, runner)
    panels: list[Any] = [kind(session, actions) for kind in PANELS]
    fill(session, count)
    for panel in panels[:3]:  # what is on the screen beside the map: the documents and the clusters
        panel.resize(1000, 700)
        panel.show()
    app.processEvents()
    view = panels[0].view
    right, bottom = view.width() - 2.0, view.height() - 2.0
    line = [(2.0, 2.0), (right, 2.0), (right, bottom), (2.0, bottom)]
    corners = np.array([view.view_box.camera.on_map(x, y) for x, y in line])
    parts: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        found = work()
        parts.setdefault(name, []).append(1000 * (time.perf_counter() - started))
        return found

    for _ in range(rounds):
        session.mark(())
        app.processEvents()
        timed("whole", lambda: view._on_drawn(line, "replace"))
        assert len(session.selection.marked) == count
        timed("next frame", lambda: view.grab())
        rows = timed("rows inside the line", lambda: inside_line(view._points.grid, corners))
        documents = session.map_layout.documents[rows]
        session.mark(())
        app.processEvents()
        session.blockSignals(True)
        timed("selection", lambda: session.mark(documents, Origin.MAP))  # noqa: B023
        session.blockSignals(False)
        for panel in panels:
            slot = getattr(panel, "_on_selection_changed", None) or panel.load
            takes_origin = slot.__func__.__code__.co_argcount > 1
            timed(type(panel).__name__, lambda: slot(Origin.MAP) if takes_origin else slot())  # noqa: B023
    close(panels, runner)
    return {"points": count, **{name: round(statistics.median(times), 1) for name, times in parts.items()}}


def fill(session: Session, count: int) -> None:
    """Open a folder of so many documents, in an order of files that is not that of their ids."""
    chance = np.random.default_rng(0)
    ids = np.arange(1, count + 1)
    texts = ["a text"] * count
    session.set_documents(
        Listing(
            chance.permutation(ids),
            texts,
            [""] * count,
            texts,
            np.full(count, 9),
            ["en"] * count,
            ["utf-8"] * count,
            np.ones(count, np.float32),
            {},
            texts,
        ),
        [],
    )
    labels = (ids % 20).astype(np.int32)
    session.set_clusters(Clusters(ids, Clustering(labels, ClusterRecipe(), {}), ()))
    spots = chance.normal(size=(20, 2))[labels] + 0.2 * chance.normal(size=(count, 2))
    session.set_map_layout(MapLayout(ids, spots.astype(np.float32), trust=np.ones(count, np.float32), mean_trust=1.0))


def close(panels: list[QWidget], runner: Runner) -> None:
    for panel in panels:
        panel.close()
    runner.close(60)


if __name__ == "__main__":
    sys.exit(main())
