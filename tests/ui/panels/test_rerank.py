"""Both models' scores and ranks side by side, and how the order changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QVariantAnimation
from PySide6.QtTest import QTest

from explorer.analysis.search.query import Query
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.panels.rerank import (
    AFTER,
    BEFORE,
    BI,
    CROSS,
    MOVED,
    SIDE,
    TITLE,
    RerankModel,
    RerankPanel,
    SlopeChart,
    order,
)
from explorer.ui.state.session import OpenFolder, Search, Session
from explorer.workspace.search.search import Hit, Results

Idle = Callable[[], None]
UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def is_sliding(drawing: SlopeChart) -> bool:
    return drawing._slide.state() == QVariantAnimation.State.Running


def hit(document: int, rank: int, before: int, cross: float | None, bi: float | None = 0.5) -> Hit:
    return Hit(rank, document, f"{document}.txt", "", f"T{document}", 0, 4, "text", 0.5, bi, None, cross, before)


HITS = (
    hit(10, 1, 4, 0.9),
    hit(11, 2, 1, 0.8, None),
    hit(12, 3, 3, 0.7, 0.9),
    hit(13, 4, 2, 0.1, 0.1),
    hit(14, 5, 5, None),
)


def texts(model: RerankModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_the_largest_moves_are_on_top(qapp: object) -> None:
    model = RerankModel()
    model.show_hits(HITS)
    assert texts(model, MOVED) == ["▲ 3", "▼ 2", "▼ 1", "=", ""]
    assert texts(model, TITLE) == ["T10", "T13", "T11", "T12", "T14"]
    assert texts(model, BEFORE) == ["4", "2", "1", "3", "5"]
    assert texts(model, AFTER) == ["1", "4", "2", "3", "5"]
    assert texts(model, BI) == ["0.50", "0.10", "–", "0.90", "0.50"]
    assert texts(model, CROSS) == ["0.90", "0.10", "0.80", "0.70", "–"]


def test_any_column_sorts_both_ways_and_equals_keep_their_order() -> None:
    assert order(HITS, AFTER, UP).tolist() == [0, 1, 2, 3, 4]
    assert order(HITS, BEFORE, DOWN).tolist() == [4, 0, 2, 3, 1]
    assert order(HITS, BI, DOWN).tolist() == [2, 0, 4, 3, 1]
    assert order(HITS, TITLE, DOWN).tolist() == [4, 3, 2, 1, 0]
    assert order((), TITLE, UP).tolist() == []


def test_the_chosen_row_stays_chosen_when_sorted(qapp: object) -> None:
    model = RerankModel()
    model.show_hits(HITS)
    from PySide6.QtCore import QPersistentModelIndex

    kept = QPersistentModelIndex(model.index(1, TITLE))
    model.sort(AFTER, UP)
    assert kept.data() == "T13"


def test_lines_slide_from_the_old_rank_to_the_new(qapp: object, wait: Any) -> None:
    drawing = SlopeChart()
    drawing.resize(300, 200)
    drawing.show()
    drawing.show_hits(HITS, move=True)
    assert is_sliding(drawing)
    start = drawing.lines()
    wait(lambda: not is_sliding(drawing))
    ends = drawing.lines()
    assert np.allclose(start[:, 0], ends[:, 0])
    assert list(np.argsort(ends[:, 1])) == [0, 1, 2, 3]
    assert list(np.argsort(ends[:, 0])) == [1, 3, 2, 0]
    drawing.show_hits(HITS, move=False)
    assert not is_sliding(drawing)
    assert np.allclose(drawing.lines(), ends)
    chosen: list[int] = []
    drawing.chosen.connect(chosen.append)
    QTest.mouseClick(drawing.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(SIDE + 1, round(ends[0, 0])))
    assert chosen == [10]
    drawing.close()
    drawing.deleteLater()


def test_what_cannot_be_done_is_said(qapp: object, tmp_path: Any) -> None:
    session, runner = Session(), Runner()
    panel = RerankPanel(session, Controllers(session, runner))
    assert "Type a query" in panel.stage.sentence
    assert panel.button.isHidden()
    session.set_folder(OpenFolder(tmp_path, tmp_path, writable=True))
    session.set_search(Search("x", Results(Query(), ())))
    assert "No results" in panel.stage.sentence
    session.set_search(Search("x", Results(Query(), HITS)))
    assert not panel.stage.covered
    assert panel.summary.text() == "5 results, in search order"
    session.set_search(Search("x", Results(Query(), HITS, reranked=4)))
    assert panel.summary.text().startswith("4 results reranked; 0 moved")
    assert runner.close(60)
    panel.deleteLater()


@pytest.mark.bundled
def test_the_button_reranks_and_the_table_and_the_focus_follow(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(RerankPanel)
    opened.search.ask("soup of lentils")
    idle()
    assert not panel.stage.covered
    assert not panel.slopes.isVisible()
    QTest.mouseClick(panel.button, Qt.MouseButton.LeftButton)
    assert panel.button.text() == "Stop"
    idle()
    assert session.search.results.reranked > 50
    assert panel.button.text() == "Rerank"
    assert panel.slopes.isVisible()
    assert "reranked;" in panel.summary.text()
    moves = [abs(one.found_rank - one.rank) for one in map(panel.model.hit, range(panel.model.rowCount()))]
    assert moves == sorted(moves, reverse=True)
    panel.table.setFocus()
    panel.table.selectRow(2)
    assert session.selection.focus == panel.model.hit(2).document
    session.focus(panel.model.hit(5).document)
    assert panel.table.selectionModel().selectedRows()[0].row() == 5


@pytest.mark.bundled
def test_an_order_stays_until_it_is_not_wanted(make: Any, opened: Any, idle: Idle) -> None:
    session = opened.session
    opened.search.ask("soup of lentils")
    idle()
    opened.search.rerank()
    idle()
    assert session.search.results.reranked > 50
    opened.search.ask("soup of lentils")  # as after an update
    idle()
    assert session.search.results.reranked > 50
    opened.search.undo_reranking()
    idle()
    assert session.search.results.reranked == 0
    opened.search.rerank()
    opened.search.ask("red lentils")
    idle()
    assert session.search.results.reranked == 0
