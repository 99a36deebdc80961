"""Clusters over time: which field holds dates, what rises, and what is said where there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.analysis.clusters.cluster import Clustering
from explorer.services.overview import Clusters, date_fields, over_time
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.state.session import OpenFolder
from explorer.workspace.overview.clusters import Cluster
from explorer.workspace.storage.documents import Listing

Wait = Callable[..., None]


def listing(fields: dict[str, Sequence[Any]], count: int) -> Listing:
    blank = [""] * count
    return Listing(
        np.arange(count),
        blank,
        blank,
        blank,
        np.zeros(count, np.int64),
        blank,
        blank,
        np.ones(count, np.float32),
        fields,
    )


def growing() -> tuple[Listing, Clusters]:
    """Forty months with five documents each: cluster 0 takes over from cluster 1, cluster 2 has hardly any."""
    months = np.repeat(np.arange("2020-01", "2023-05", dtype="datetime64[M]"), 5)
    share = np.repeat(np.arange(40), 5) / 40
    labels = np.where(np.tile([0.1, 0.3, 0.5, 0.7, 0.9], 40) < share, 0, 1).astype(np.int32)
    labels[[0, 50, 100]] = 2
    labels[-1] = -1
    dates: list[str | None] = [f"{month}-05" for month in months]
    dates[7], dates[8] = None, "3999-01-01"
    known = tuple(
        Cluster(number, name, False, int((labels == number).sum()), 0.5, (), ())
        for number, name in enumerate(("new", "old", "rare"))
    )
    found = Clusters(np.arange(200), Clustering(labels), known)
    other = ["2020-01-01" if row % 10 == 0 else None for row in range(200)]
    return listing({"number": list(range(200)), "seen": other, "date": dates}, 200), found


def test_fields_with_dates_are_found() -> None:
    table, _ = growing()
    assert date_fields(table) == ("date", "seen")
    assert date_fields(listing({"title": ["a", "2020"], "n": [1, 2], "none": [None, None]}, 2)) == ()


def test_what_moves_comes_first() -> None:
    table, found = growing()
    told = over_time(table, found)
    assert told.trends is not None
    assert (told.field, told.trends.undated, told.trends.implausible) == ("date", 1, 1)
    rows = [told.trends.clusters[place] for place in told.order]
    assert [(row.label, row.direction) for row in rows][-1] == (2, "too few")
    assert {row.direction for row in rows[:2]} == {"rising", "falling"}
    assert over_time(table, found, "seen").field == "seen"
    assert over_time(table, found, "number").field == "date"


@pytest.fixture
def panel(actions: Controllers) -> Iterator[Any]:
    from explorer.ui.panels.trends import TrendsPanel

    panel = TrendsPanel(actions.session, actions)
    panel.resize(700, 340)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()


def texts(panel: Any) -> list[str]:
    from PySide6.QtCore import Qt

    return [
        str(panel.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(panel.model.rowCount())
    ]


def test_curves_are_listed_marked_and_filtered(panel: Any, actions: Controllers, wait: Wait) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    session, zoomed = actions.session, []
    panel.zoom_requested.connect(zoomed.append)
    assert "Open a folder" in panel.stage.sentence
    table, found = growing()
    session.set_folder(OpenFolder(Path("a"), Path("b"), True))
    session.set_documents(table, ())
    session.set_clusters(found)
    wait(lambda: panel.model.rowCount() == 3)

    assert sorted(text.split(",")[0] for text in texts(panel)) == ["new", "old", "rare"]
    assert any("rising, +" in text and "points per " in text for text in texts(panel))
    assert any(", -" in text for text in texts(panel) if "falling, " in text)
    tips = [str(panel.model.index(row).data(Qt.ItemDataRole.ToolTipRole)) for row in range(3)]
    assert any("p &lt; 0.001" in tip or "p < 0.001" in tip for tip in tips)
    assert not any(" p " in text for text in texts(panel))  # the technical side is in the tooltip
    assert "too few" in texts(panel)[2]
    assert "1 document without a date. 1 with an implausible date" in panel._note.text()
    place = panel.list.visualRect(panel.model.index(2)).center()
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.selection.marked == {0, 50, 100}
    QTest.mouseDClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert zoomed == [[0, 50, 100]]
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    assert session.filter is not None
    assert (session.filter.why, session.filter.documents) == ("rare", {0, 50, 100})
    panel.grab()  # all of it is drawn

    panel.field.setCurrentText("seen")
    panel.field.activated.emit(1)
    wait(lambda: panel._trends.field == "seen")
    panel.same_scale.setChecked(True)
    panel.grab()


def test_no_dates_are_said(panel: Any, actions: Controllers, wait: Wait) -> None:
    _, found = growing()
    actions.session.set_folder(OpenFolder(Path("a"), Path("b"), True))
    assert "encoded" in panel.stage.sentence
    actions.session.set_documents(listing({"n": list(range(200))}, 200), ())
    actions.session.set_clusters(found)
    wait(lambda: "No document has a date" in panel.stage.sentence)
    assert not panel.field.isVisible()


@pytest.mark.bundled
def test_trends_of_the_sample(panel: Any, actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    actions.open_folder(sample_copy)
    wait(lambda: panel.model.rowCount() > 3)
    assert panel.field.currentText() == "date"
    assert "dated documents" in panel._span.text()
