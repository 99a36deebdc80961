"""What the window takes for a million documents, part by part: opening, searching, filtering, colouring, memory.

Run by hand, on an idle machine:  python tests/benchmarks/million_rows.py [--rows 1000000] [--keep FOLDER]

The first process reads a table of so many lines until its first thousands are stored and listed: seconds of CPU, those
of the reading process included. The second measures the panels of the window, without a screen, on a list of made-up
rows: milliseconds of CPU until the session has changed and all events are done. With --keep, a third one measures what
they wait for in the background, on a workspace that `memory.py --keep FOLDER --rows 1000000` made: opening it, listing
its documents from the database and from the saved list, and searching (the texts are real; a sample has vectors of the
model, the rest those of its draft). Times of the third are of the clock. Peak memory is each process's own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

ROUNDS = 3
HITS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--queries", type=int, default=30)
    parser.add_argument("--child", choices=("reading", "panels", "services"))
    chosen = parser.parse_args()
    if chosen.child == "reading":
        print(json.dumps(reading(chosen.rows), indent=1))
    elif chosen.child == "panels":
        print(json.dumps(panels(chosen.rows), indent=1))
    elif chosen.child == "services":
        print(json.dumps(services(chosen.keep, chosen.queries), indent=1))
    else:
        for child in ["reading", "panels", *["services"] * (chosen.keep is not None)]:
            subprocess.run([sys.executable, __file__, "--child", child, *sys.argv[1:]], check=True)


def reading(count: int) -> dict[str, Any]:
    """Return the seconds of CPU until the first rows of a table are in the database, and listed."""
    from explorer.corpus.document import ReadOptions
    from explorer.corpus.readers.process.pool import shared_pool
    from explorer.task import Cancelled, Task
    from explorer.workspace.storage.documents import list_documents
    from explorer.workspace.update.sync_files import FileSync
    from explorer.workspace.workspace import Workspace

    task, found = Task(), dict[str, float]()

    def used() -> float:
        readers = (
            Path(f"/proc/{process}/stat").read_text().rpartition(")")[2] for process in shared_pool().processes()
        )
        ticks = sum(sum(map(int, fields.split()[11:13])) for fields in readers)
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        (home / "texts").mkdir()
        with (home / "texts" / "rows.csv").open("w", encoding="utf-8") as file:
            file.write("title,text\n")
            file.writelines(f"title {row},{'some plain words of a text ' * 4}{row}\n" for row in range(count))
        with Workspace(home / "workspace", home / "texts", writable=True) as workspace:
            began = used()

            def stored() -> None:
                found["stored"] = round(used() - began, 2)
                found["rows"] = len(list_documents(workspace))
                found["listed"] = round(used() - began, 2)
                task.cancel()

            sync = FileSync(workspace.connection, workspace.source, ReadOptions(), on_stored=stored)
            with suppress(Cancelled):
                sync.run(task)
    return {"lines": count, "cpu_seconds": found}


def panels(count: int) -> dict[str, Any]:
    """Return the milliseconds of CPU of each thing that the user does to the panels."""
    import lasso
    from PySide6.QtWidgets import QApplication

    from explorer.analysis.clusters.cluster import Clustering, ClusterRecipe
    from explorer.analysis.search.query import parse
    from explorer.services.overview import Clusters, MapLayout
    from explorer.settings import Settings
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.runner import Runner
    from explorer.ui.panels.sources import SourcesPanel, facets_of
    from explorer.ui.state.session import Search, Session
    from explorer.workspace.search.search import Hit, Results

    app = QApplication([])
    session, runner = Session(Settings()), Runner()
    actions = Controllers(session, runner)
    shown: list[Any] = [kind(session, actions) for kind in (*lasso.PANELS, SourcesPanel)]
    for panel in (*shown[:3], shown[-1]):
        panel.resize(1000, 700)
        panel.show()
    app.processEvents()
    found: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], object]) -> None:
        began = time.process_time()
        work()
        app.processEvents()
        found.setdefault(name, []).append(1000 * (time.process_time() - began))

    listing, ids = made_up(count), np.arange(1, count + 1)
    labels, chance = (ids % 200).astype(np.int32), np.random.default_rng(0)
    spots = chance.normal(size=(200, 2))[labels] + 0.2 * chance.normal(size=(count, 2))
    layout = MapLayout(ids, spots.astype(np.float32), trust=np.ones(count, np.float32), mean_trust=1.0)
    hits = tuple(
        Hit(rank, int(row), "a", "", "title", 0, 4, "text", 1 - rank / 1000, 0.5, 1.0, snippet="text")
        for rank, row in enumerate(chance.permutation(ids)[:HITS], 1)
    )
    timed("list shown", lambda: session.set_documents(listing, []))
    timed("facets, in the background", lambda: facets_of(listing, {}))
    timed("clusters shown", lambda: session.set_clusters(Clusters(ids, Clustering(labels, ClusterRecipe(), {}), ())))
    timed("map shown", lambda: session.set_map_layout(layout))
    half = facets_of(listing, {})[0].values[0][1]
    documents, map_panel = shown[1], shown[0]

    def type_in(text: str) -> None:
        documents.field.setText(text)
        documents._typing.stop()
        documents._sort_rows()

    for _ in range(ROUNDS):
        timed("results shown", lambda: session.set_search(Search("a", Results(parse("a"), hits))))
        timed("all shown again", lambda: session.set_search(None))
        timed("filter by a facet", lambda: actions.filter_to(half, "half", kind="folder"))
        timed("filter cleared", lambda: session.set_filter(None))
        for text in ("7123", "word12"):
            timed(f"typed “{text}”", lambda: type_in(text))  # noqa: B023
        type_in("")
        for by in ("field:topic", "folder", "cluster"):
            map_panel._by.setCurrentIndex(map_panel._by.findData(by))
            timed(f"coloured by {by.removeprefix('field:')}", map_panel._colour)
    peak = status("VmHWM")
    lasso.close(shown, runner)
    times = {name: round(statistics.median(values), 1) for name, values in found.items()}
    return {"rows": count, "milliseconds": times, "peak_mb": peak}


def made_up(count: int) -> Any:
    """Return a list of rows of two tables with a title, a text, a topic and a date."""
    from explorer.workspace.storage.columns import CodedColumn, TextBuilder
    from explorer.workspace.storage.documents import Listing

    chance, numbers = random.Random(0), np.random.default_rng(0)
    lines = [" ".join(f"word{chance.randrange(5000)}" for _ in range(8)) for _ in range(5000)]
    parts, titles, openings = TextBuilder(), TextBuilder(), TextBuilder()
    for row in range(count):
        line = lines[row % len(lines)]
        parts.add(f"row {row}")
        titles.add(f"{line} {row}")
        openings.add(f"{line} {line}")

    def coded(*values: str) -> CodedColumn[str]:
        return CodedColumn(numbers.integers(0, len(values), count).astype(np.int32), values)

    months = [f"20{month // 12:02d}-{month % 12 + 1:02d}-01" for month in range(240)]
    fields = {"topic": coded(*(f"topic {number}" for number in range(20))), "date": coded(*months)}
    return Listing(
        np.arange(1, count + 1),
        coded("news/one.csv", "posts/two.csv"),
        parts.finished(),
        titles.finished(),
        np.full(count, 90),
        coded("en", "ko"),
        coded("utf-8"),
        np.ones(count, np.float32),
        fields,
        openings.finished(),
    )


def services(home: Path, queries: int) -> dict[str, Any]:
    """Return seconds of opening and milliseconds of searching a workspace."""
    os.environ["DOCEXPLORER_HOME"] = str(home / "home")
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.settings import Settings
    from explorer.task import Task
    from explorer.workspace.storage import listing_cache

    steps: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        result = work()
        steps[name] = round(time.perf_counter() - began, 2)
        return result

    opened = timed("opened", lambda: OpenWorkspace.open(home / "texts", Settings()))
    saved = opened.main.folder / listing_cache.FILE
    there = saved.is_file()
    listing, _ = timed("listed from the saved list" if there else "listed from the database", opened.list_documents)
    listed_mb = status("RssAnon")
    timed("numbers for the status bar", opened.facts)
    timed("model opened", opened.models.encoder)
    timed("ready for the first search", opened.search.warm_up)
    chance, texts = random.Random(2), listing.openings
    times: dict[str, list[float]] = {}
    for mode in ("semantic", "keyword", "hybrid"):
        for _ in range(queries):
            words = texts[chance.randrange(len(texts))].split() or ["word"]
            asked = " ".join(chance.sample(words, min(len(words), chance.randint(2, 4))))
            began = time.perf_counter()
            opened.search.search(asked, mode, HITS, Task())  # type: ignore[arg-type]
            times.setdefault(mode, []).append(1000 * (time.perf_counter() - began))
    sizes = {name: status(name) for name in ("VmHWM", "VmRSS", "RssAnon", "RssFile")}
    opened.close()
    return {
        "documents": len(listing),
        "seconds": steps,
        "own memory with the list, MB": listed_mb,
        "search_ms": {
            mode: {"median": round(statistics.median(some), 1), "worst": round(max(some), 1)}
            for mode, some in times.items()
        },
        "memory_mb": sizes,
    }


def status(name: str) -> int:
    """Return a size from the process's status, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    main()
