"""How soon the window answers while a large table is being encoded: open, search, similar, compare, rerank.

    python tests/benchmarks/answers_while_encoding.py [--rows 100000] [--rounds 12] [--home FOLDER]

The real window on a screen of its own reads a table made of the data sets. As soon as its rows are encoded, a person
asks for one thing after another; counted is the time until the answer stands in the window. Wanted: 300 ms, for the
first reranked rows 2 s, in the middle of the rounds. With --home, what is read stays for the next run.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.ui.support.xvfb import screen  # noqa: E402

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

DATA = ROOT.parent / "shared" / "data"
WANTED = {"open": 300.0, "search": 300.0, "similar": 300.0, "compare": 300.0, "rerank": 2000.0}  # milliseconds
QUESTIONS = (
    "oil prices rise", "how to sort a list", "football match lost", "new phone released", "election in europe",
    "regular expression for dates", "company cuts jobs", "space probe lands",
)  # fmt: skip
PATIENCE = 3600.0  # seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--child", type=Path)
    chosen = parser.parse_args()
    if chosen.child:
        child(chosen.child, chosen.rounds)
    with tempfile.TemporaryDirectory() as made, screen() as environment:
        home = chosen.home or Path(made)
        table = home / "table" / f"{chosen.rows}.csv"
        if not table.exists():
            write_table(table, chosen.rows)
        environment |= {"DOCEXPLORER_HOME": str(home / "home"), "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, __file__, "--child", str(table), "--rounds", str(chosen.rounds)]
        subprocess.run(command, env=environment, check=True)
        times: dict[str, list[float]] = json.loads((table.parent / "times.json").read_text())
    late = False
    for name, each in times.items():
        middle = statistics.median(each)
        late |= middle > WANTED[name]
        print(f"{name}: {middle:.0f} ms in the middle, {max(each):.0f} ms at worst, of {len(each)}")
    return int(late)


def write_table(file: Path, rows: int) -> None:
    """Write titles and texts of the data sets, with a number so that no two rows are the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with (DATA / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as source:
        texts = [(title, text) for _, title, text in csv.reader(source)]
    titles = (DATA / "stackoverflow_short" / "title_StackOverflow.txt").read_text("utf-8", "replace").splitlines()
    texts += [(title, title) for title in titles]
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("title", "text"))
        for number, (title, text) in zip(range(rows), itertools.cycle(texts), strict=False):
            writer.writerow((title, f"{text} {number}"))


def child(table: Path, rounds: int) -> None:
    """Run the window on the table."""
    from tests.ui.support.live_app import live

    live(table, lambda window: story(window, table, rounds))


def story(window: MainWindow, table: Path, rounds: int) -> None:
    """Wait for the encoding to begin, then ask."""
    from tests.ui.support.live_app import run_loop_for, until

    session, runner, docks = window.session, window.actions.runner, window.docks
    encoding = lambda: any(job.progress and job.progress.note == "encoding" for job in runner.jobs())  # noqa: E731
    until(encoding, PATIENCE, "the encoding to begin")
    run_loop_for(5)
    times: dict[str, list[float]] = {name: [] for name in WANTED}

    def timed(name: str, ask: Callable[[], object], answered: Callable[[], bool]) -> None:
        begun = time.perf_counter()
        ask()
        until(answered, PATIENCE, name)
        times[name].append((time.perf_counter() - begun) * 1000)

    def answered() -> bool:
        search = session.search
        return search is not None and search.results is not None and not search.stale

    def ask_all(question: str, number: int) -> None:
        timed("search", lambda: window.query.ask(question), answered)
        hits = [hit.document for hit in session.search.results.hits]  # type: ignore[union-attr]
        first, second, reader, similar = hits[1 + number % 5], hits[7 + number % 5], docks.reader, docks.neighbours
        docks.show("neighbours")
        timed("open", lambda: session.focus(first), lambda: reader.page is not None and reader.page.entry.id == first)
        session.focus(None)
        found = lambda: not runner.busy("similar") and bool(similar.model.rows)  # noqa: E731
        timed("similar", lambda: session.focus(first), found)
        timed("compare", lambda: window._show_comparison(first, second), lambda: not runner.busy("compare"))
        window.step_back()
        timed("rerank", window.actions.search.rerank, lambda: bool(session.search.results.reranked))  # type: ignore[union-attr]
        runner.cancel("rerank", notify=False)

    for number, question in zip(range(rounds), itertools.cycle(QUESTIONS), strict=False):
        ask_all(f"{question} {number}", number)
        assert encoding(), "the encoding is over: take more rows"
    (table.parent / "times.json").write_text(json.dumps(times))
    window.actions.runner.cancel("update", notify=False)
    window.close()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
