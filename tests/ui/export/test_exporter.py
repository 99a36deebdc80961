"""Export: tables, pictures and the clipboard, written behind the window; errors are sentences."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import Exporter, ExportSource, ExportTable, for_clipboard, source_of
from explorer.ui.jobs.runner import Runner
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session

Wait = Callable[..., None]
ROWS = [("=1+1", 0.5, None), ("a\tb\nc", 2.0, "나"), ("<b>", 3.0, "x")]


class Listing(Panel):
    """A panel that lists something."""

    def __init__(self, text: str = "") -> None:
        super().__init__(Session(), None)
        QLabel(text, self)

    def export_table(self) -> ExportTable | None:
        return ExportTable(("name", "score", "name"), lambda: ROWS)


@pytest.fixture
def exporter(qapp: object) -> Iterator[Exporter]:
    runner, window = Runner(), QWidget()
    actions = Controllers(Session(), runner)
    made = Exporter(actions, window)
    told: list[str] = []
    actions.notified.connect(lambda said: told.append(said.sentence))
    made.heard = told  # type: ignore[attr-defined]
    yield made
    assert runner.close(60)
    window.deleteLater()


def written(exporter: Exporter, wait: Wait, source: ExportSource, path: Path) -> str:
    """What is told when it is done."""
    heard: list[str] = exporter.heard  # type: ignore[attr-defined]
    heard.clear()
    exporter.write(source, path)
    wait(lambda: bool(heard))
    return heard[0]


def test_tables_are_written_in_three_formats(exporter: Exporter, wait: Wait, tmp_path: Path) -> None:
    panel = Listing("seen")
    source = source_of(panel)
    assert source.formats() == ("csv", "jsonl", "parquet", "png", "svg")

    assert written(exporter, wait, source, tmp_path / "table.csv").endswith("table.csv.")
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["name", "score", "name (2)"]
    assert rows[1][0] == "'=1+1"  # no spreadsheet takes it for a formula
    assert rows[2] == ["a\tb\nc", "2.0", "나"]

    written(exporter, wait, source, tmp_path / "table.jsonl")
    first = json.loads((tmp_path / "table.jsonl").read_text("utf-8").splitlines()[0])
    assert first == {"name": "=1+1", "score": 0.5, "name (2)": None}

    from pyarrow import parquet

    written(exporter, wait, source, tmp_path / "table.parquet")
    assert parquet.read_table(tmp_path / "table.parquet").column("score").to_pylist() == [0.5, 2.0, 3.0]
    panel.deleteLater()


def test_pictures_show_the_panel(exporter: Exporter, wait: Wait, tmp_path: Path) -> None:
    panel = Listing("seen")
    panel.resize(120, 40)
    written(exporter, wait, source_of(panel), tmp_path / "panel.png")
    image = QImage(str(tmp_path / "panel.png"))
    assert (image.width(), image.height()) == (240, 80)
    assert len({image.pixel(x, y) for x in range(240) for y in range(80)}) > 2  # letters on a ground
    written(exporter, wait, source_of(panel), tmp_path / "panel.svg")
    drawn = (tmp_path / "panel.svg").read_text("utf-8")
    assert drawn.startswith("<?xml")
    assert "seen" in drawn
    panel.deleteLater()


def test_pages_are_made_behind_the_window(exporter: Exporter, wait: Wait, tmp_path: Path) -> None:
    import threading

    where: list[str] = []

    def page() -> Callable[[object], str]:
        return lambda _task: where.append(threading.current_thread().name) or "<p>여기</p>"  # type: ignore[func-returns-value]

    panel = QLabel()
    written(exporter, wait, ExportSource(panel, page=page), tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == "<p>여기</p>"
    assert where == ["worker aside"]
    panel.deleteLater()


@pytest.mark.parametrize("name", ["table.docx", "table", "table.html"])
def test_an_unknown_format_is_a_sentence(exporter: Exporter, wait: Wait, tmp_path: Path, name: str) -> None:
    panel = Listing()
    assert ".csv, .jsonl, .parquet, .png, .svg" in written(exporter, wait, source_of(panel), tmp_path / name)
    assert list(tmp_path.glob("table*")) == []
    panel.deleteLater()


def test_a_place_that_cannot_be_written_is_a_sentence(exporter: Exporter, wait: Wait, tmp_path: Path) -> None:
    panel = Listing()
    for name in ("table.csv", "panel.png"):
        told = written(exporter, wait, source_of(panel), tmp_path / "missing" / name)
        assert "cannot be written" in told
    assert not (tmp_path / "missing").exists()
    panel.deleteLater()


def test_the_clipboard_gets_text_and_a_table(exporter: Exporter, wait: Wait) -> None:
    heard: list[str] = exporter.heard  # type: ignore[attr-defined]
    panel = Listing()
    exporter.copy(source_of(panel))
    wait(lambda: bool(heard))
    assert heard == ["3 rows copied to the clipboard."]
    data = QGuiApplication.clipboard().mimeData()
    assert data.text().splitlines() == ["name\tscore\tname", "'=1+1\t0.5\t", "a b c\t2.0\t나", "<b>\t3.0\tx"]
    assert "<td>&lt;b&gt;</td>" in data.html()
    exporter.copy(source_of(Panel(Session(), None)))
    assert heard[-1] == "There is no table to copy here."
    panel.deleteLater()


def test_a_copied_table_has_an_end() -> None:
    text, html, count = for_clipboard(ExportTable(("n",), lambda: ((n,) for n in range(100_005))))
    assert count == 100_000
    assert text.count("\n") == html.count("<td>") == 100_000
