"""What a user does on the first day and on the next, in the real window; the tests run it as a program.

    python tests/end_to_end/story.py first FOLDER WORK      python tests/end_to_end/story.py next FOLDER WORK

FOLDER contains texts. WORK receives screenshots, exports and the state that the next day is compared with. The exit
code is that of the program.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from tests.ui.support.input import ALT, CTRL, SHIFT, answer_file_dialog, click, click_item, drag, press, type_text
from tests.ui.support.live_app import Faults, live, run_loop_for, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ui.window.main_window import MainWindow

QUERY = "rocket launch"


class Day:
    """One day with the window; each method does one thing and checks what the user would see."""

    def __init__(self, window: MainWindow, folder: Path, work: Path) -> None:
        self.window, self.folder, self.work = window, folder, work
        self.session, self.actions, self.docks = window.session, window.actions, window.docks
        self.errors: list[str] = []
        self.actions.notified.connect(lambda message: self.errors.append(message.details) if message.details else None)

    def begin(self) -> None:
        """The window is there and has the keyboard."""
        self.window.activateWindow()
        until(self.window.isActiveWindow, 180, "the window to be active")
        assert self.window.start.isVisible()
        self.picture("start")

    def open_folder(self) -> None:
        """Choose the folder in the box, read what reading it means, agree, and watch it being read."""
        start, seen = self.window.start, []
        self.session.documents_changed.connect(
            lambda: seen.append(len(self.session.listing) if self.session.listing else 0)
        )
        answer_file_dialog(lambda: click(start.open), str(self.folder))
        until(lambda: start.reading.read_button.isVisible() and start.reading.read_button.isEnabled(), 180, "the plan")
        self.picture("plan")
        click(start.reading.read_button)
        until(lambda: self.session.folder is not None, 180, "the place")
        until(lambda: any(job.progress for job in self.actions.runner.jobs()), 120, "progress")
        self.picture("reading")
        self.settle()
        count = sum(1 for file in self.folder.rglob("*") if file.is_file())
        assert seen[-1] >= count * 0.9, (seen, count)
        assert self.session.map_layout is not None
        assert len(self.session.map_layout.documents) == seen[-1]
        self.picture("read")

    def search(self) -> None:
        """Type a query; the best answers come on top of the list, and the best is read at once."""
        press(Qt.Key.Key_Slash)
        type_text(QUERY)
        until(self.answered, 180, "results")
        assert self.hits()[0].path.startswith("space"), self.hits()[0].path
        until(lambda: self.row_of(self.hits()[0].document) == 0, 180, "the best result on top")
        until(lambda: self.focus() == self.hits()[0].document, 60, "the best result to be read by itself")
        assert self.window.query.line.hasFocus(), "the cursor has left the query"
        rows = self.docks.documents.view
        click_item(rows, rows.model().index(0, 0))
        assert self.focus() == self.hits()[0].document
        until(lambda: bool(self.docks.reader.view.toPlainText()), 180, "the text")
        self.picture("search")

    def rerank(self) -> None:
        """R has the cross-encoder read the results again."""
        before = [hit.document for hit in self.hits()]
        press(Qt.Key.Key_R)
        until(lambda: bool(self.session.search.results.reranked), 240, "the reranking")
        hits = self.hits()
        assert sorted(hit.document for hit in hits) == sorted(before)
        assert self.docks.rerank.isVisible()
        assert self.docks.rerank.table.model().rowCount() == len(hits)
        self.picture("rerank")

    def walk_similar(self) -> None:
        """J goes on in the list of similar documents; C lays the row beside the document that it is like."""
        like, rows = self.focus(), self.docks.neighbours.list
        self.docks.show("neighbours")
        self.wait_for_workers()
        click_item(rows, rows.model().index(0, 0))
        press(Qt.Key.Key_J)
        until(lambda: rows.currentIndex().row() == 1, 180, "the next row")
        second = self.docks.neighbours.model.rows[1].document
        assert self.focus() == second
        press(Qt.Key.Key_C)
        until(self.docks.compare.isVisible, 180, "the comparison to be in front")
        assert (self.session.comparison, self.focus()) == (like, second)
        self.wait_for_workers()
        self.picture("similar")
        press(Qt.Key.Key_Escape)
        until(self.docks.documents.isVisible, 180, "the list again")

    def ask_help(self) -> None:
        """F1 opens the help, Esc closes it."""
        before = {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()}
        press(Qt.Key.Key_F1)
        until(lambda: QApplication.activeWindow() not in {None, *before}, 180, "the help")
        self.picture("help")
        press(Qt.Key.Key_Escape)
        until(
            lambda: {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()} == before, 30, "its end"
        )
        self.window.activateWindow()  # as a window manager would
        until(self.window.isActiveWindow, 180, "the window to be active")

    def click_map(self) -> None:
        """A click on a point puts its document in focus, in the map and in the reader."""
        press(Qt.Key.Key_M)
        until(self.window.map.isVisible, 180, "the map")
        run_loop_for(0.5)
        rows = [row for row in range(len(self.session.map_layout.documents)) if self.alone(row)]
        document = int(self.session.map_layout.documents[rows[0]])
        click(self.window.map.view, self.point(rows[0]))
        assert self.focus() == document
        self.wait_for_workers()
        text = self.docks.reader.view.toPlainText()
        assert text.strip()[:20] in self.text_of(document)
        self.picture("map")

    def lasso(self) -> None:
        """A line around some points marks them."""
        panel, view = self.window.map, self.window.map.view
        click(panel._tools["lasso"])
        wide, high = view.width(), view.height()
        corners = [
            QPoint(round(wide * (0.5 + 0.42 * math.cos(turn))), round(high * (0.5 + 0.42 * math.sin(turn))))
            for turn in (step * math.tau / 24 for step in range(25))
        ]
        drag(view, corners)
        marked = self.session.selection.marked
        assert 0 < len(marked) < len(self.session.map_layout.documents), len(marked)
        click(panel._tools["pan"])
        self.picture("lasso")

    def name_cluster(self) -> None:
        """F2 gives a cluster a name of the user's."""
        press(Qt.Key.Key_1, ALT)
        until(self.docks.clusters.isVisible, 180, "the clusters")
        tree = self.docks.clusters.tree
        named = [node for node in self.docks.clusters.model.nodes() if node.cluster is not None]
        largest = next(node for node in named if not node.is_unclustered)
        click_item(tree, self.docks.clusters.model.index_of(largest.key))
        press(Qt.Key.Key_F2)
        type_text("My own name")
        press(Qt.Key.Key_Return)
        until(lambda: "My own name" in self.cluster_names(), 120, "the new name")
        self.settle()
        self.picture("named")

    def compare(self) -> None:
        """C keeps one document; the next in focus is laid beside it."""
        table = self.docks.documents.view
        click_item(table, table.model().index(0, 0))
        first = self.focus()
        self.session.set_comparison(None)
        press(Qt.Key.Key_C)
        click_item(table, table.model().index(1, 0))
        assert self.session.comparison == first
        assert self.focus() != first
        press(Qt.Key.Key_C)
        until(self.docks.compare.isVisible, 180, "the comparison to be in front")
        until(lambda: any(self.docks.compare.head.scores.text()), 120, "the comparison")
        self.wait_for_workers()
        self.picture("compare")

    def tag(self) -> None:
        """T, a word, Enter."""
        press(Qt.Key.Key_Escape)  # back to the list
        press(Qt.Key.Key_Escape)  # the marks go, so that the tag is for the focus alone
        press(Qt.Key.Key_T)
        until(lambda: QApplication.activeModalWidget() is not None or _popup() is not None, 180, "the tag box")
        type_text("to read")
        press(Qt.Key.Key_Return)
        until(lambda: self.session.tags.get(self.focus()) == {"to read"}, 180, "the tag")
        self.picture("tag")

    def judge(self) -> None:
        """Look for it in the list of commands, open the panel, and say that two are alike."""
        press(Qt.Key.Key_K, CTRL)
        type_text("judge")
        self.picture("palette")
        press(Qt.Key.Key_Escape)
        self.docks.show("judge")  # more than one command has the word
        until(self.docks.judge.isVisible, 180, "the panel")
        press(Qt.Key.Key_Y)
        until(lambda: len(self.session.judgements) == 1, 180, "the judgement")
        press(Qt.Key.Key_Z, CTRL)
        until(lambda: not self.session.judgements, 180, "the judgement taken back")
        press(Qt.Key.Key_Z, CTRL | SHIFT)
        until(lambda: len(self.session.judgements) == 1, 180, "the judgement again")
        judgement = self.session.judgements[0]
        assert {judgement.first_document, judgement.second_document} == {self.focus(), self.session.comparison}
        self.picture("judge")

    def export(self) -> None:
        """What a panel lists goes to a file."""
        press(Qt.Key.Key_1, ALT)
        click_item(self.docks.documents.view, self.docks.documents.view.model().index(1, 0))
        file = self.work / "documents.csv"
        answer_file_dialog(lambda: press(Qt.Key.Key_E, CTRL), str(file))
        until(file.is_file, 180, "the file")
        self.wait_for_workers()
        rows = file.read_text("utf-8-sig").splitlines()
        assert len(rows) > self.docks.documents.table.model().rowCount(), rows[:3]

    def leave(self) -> None:
        """Remember what is seen, and quit."""
        run_loop_for(1.2)  # what is remembered behind the window
        (self.work / "left.json").write_text(json.dumps(self.state()))
        assert not self.errors, self.errors
        (self.work / "closing").write_text(str(time.time()))
        press(Qt.Key.Key_Q, CTRL)

    def come_back(self) -> None:
        """The next day: the folder is on the start page; a click, and everything is as it was."""
        until(lambda: bool(self.window.start.rows), 180, "the folder opened before")
        row = self.window.start.rows[0]
        until(lambda: row.recent.documents is not None, 180, "its counts")
        self.picture("start again")
        click(row)
        self.settle()
        until(self.answered, 120, "results")
        until(lambda: bool(self.session.tags and self.session.judgements), 180, "tags and judgements")
        self.wait_for_workers()
        self.picture("back")
        before, now = json.loads((self.work / "left.json").read_text()), self.state()
        assert now == before, {key: (before[key], now[key]) for key in before if now[key] != before[key]}

    # What is seen

    def state(self) -> dict[str, Any]:
        """Return what must be the same on the next day."""
        session = self.session
        return {
            "query": session.search.text,
            "line": self.window.query.line.text(),
            "focus": self.focus(),
            "other": session.comparison,
            "marked": sorted(session.selection.marked),
            "tags": {str(key): sorted(value) for key, value in session.tags.items()},
            "judgements": [[saved.first, saved.second, saved.scale, saved.value] for saved in session.judgements],
            "clusters": sorted(self.cluster_names()),
            "documents": len(session.listing),
            "map": [round(float(value), 2) for value in session.map_layout.positions[:3].ravel()],
            "view": self.window.views.current.value,
        }

    def hits(self) -> Any:
        return self.session.search.results.hits

    def focus(self) -> int | None:
        return self.session.selection.focus

    def answered(self) -> bool:
        search = self.session.search
        return search is not None and search.results is not None and not search.stale and search.text == QUERY

    def row_of(self, document: int) -> int:
        return self.docks.documents._model.row_of(document)

    def cluster_names(self) -> set[str]:
        return {cluster.name for cluster in self.session.clusters.clusters}

    def text_of(self, document: int) -> str:
        listing = self.session.listing
        name = listing.paths[listing.rows[document]]
        return (self.folder / name).read_text("utf-8", "replace")

    def point(self, row: int) -> QPoint:
        view = self.window.map.view
        x, y = view._points.at(row, view.view_box.camera)
        return QPoint(round(x), round(y))

    def alone(self, row: int) -> bool:
        """Whether a point is the one that is hit in the middle of it, and not the focus."""
        view, spot = self.window.map.view, self.point(row)
        inside = view.rect().adjusted(40, 40, -40, -40).contains(spot)
        other = int(self.session.map_layout.documents[row]) != self.focus()
        return inside and other and view.row_at(spot.x(), spot.y()) == row

    def settle(self) -> None:
        """Wait until the map is drawn and no worker is busy."""
        done: Callable[[], bool] = lambda: (  # noqa: E731
            self.session.map_layout is not None
            and not self.session.map_layout.drawing
            and not self.actions.runner.jobs()
        )
        until(done, 300, "everything to be read and drawn")

    def wait_for_workers(self) -> None:
        until(lambda: not self.actions.runner.jobs(), 120, "the workers to run_loop_for")

    def picture(self, name: str) -> None:
        """Save a screenshot."""
        run_loop_for(0.25)
        image = self.window.screen().grabWindow(0)
        assert image.save(str(self.work / f"{name}.png")), name


def _popup() -> object:
    return QApplication.activePopupWidget()


FIRST = (
    "begin",
    "open_folder",
    "search",
    "rerank",
    "walk_similar",
    "ask_help",
    "click_map",
    "lasso",
    "name_cluster",
    "compare",
    "tag",
    "judge",
    "export",
    "leave",
)
NEXT = ("begin", "come_back", "leave")


def main() -> None:
    which, folder, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    faults = Faults(work / f"{which}.faults")

    def story(window: MainWindow) -> None:
        day, part = Day(window, folder, work), ""
        try:
            for part in FIRST if which == "first" else NEXT:
                faults.context = part
                begun = time.monotonic()
                getattr(day, part)()
                print(f"{part} {time.monotonic() - begun:.1f} s", flush=True)
        except BaseException as error:  # noqa: BLE001 - written to a file, since the process ends here
            faults.note(f"{part}: {error!r}; errors: {day.errors}")
            day.picture(f"failed at {part}")
            sys.stderr.flush()
            os._exit(1)

    live(None, story)


if __name__ == "__main__":
    main()
