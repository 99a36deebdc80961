"""The user's categories: named, corrected by drag and key, undone, exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.ui.map.legend import colouring
from explorer.ui.panels.categories import CategoriesPanel, dragged_documents

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


def add(panel: CategoriesPanel, name: str) -> None:
    QTest.keyClicks(panel.new, name)
    QTest.keyClick(panel.new, Qt.Key.Key_Return)


def test_documents_are_sorted_at_once_and_corrected(make: Any, opened: Any, wait: Wait) -> None:
    session, panel = opened.session, make(CategoriesPanel)
    panel.resize(900, 500)
    assert panel.new.isVisible()
    assert not panel.description.isVisible()  # nothing that is empty takes room
    for name in ("food and cooking", "weather"):
        add(panel, name)
        wait(lambda name=name: session.categories and session.categories[-1].name == name)
    wait(lambda: session.category_labels is not None and len(session.category_labels.names) == 2)
    wait(lambda: not opened.runner.jobs())
    assert panel.description.isVisible()
    assert [line.name for line in panel.lines.rows] == ["food and cooking", "weather", "None of these"]
    assert sum(line.documents for line in panel.lines.rows) == len(session.category_labels.documents)
    panel.list.setCurrentIndex(panel.lines.index(0))
    titles = " ".join(item.title for item in panel.rows.rows[:10]).casefold()
    assert "soup" in titles or "bread" in titles or "recipe" in titles
    confidence = [item.confidence for item in panel.rows.rows]
    assert confidence == sorted(confidence, reverse=True)

    # A correction by key; it is kept as an example, and the document is in its category.
    wrong = panel.rows.rows[-1].document
    panel.documents.setCurrentIndex(panel.rows.index(len(panel.rows.rows) - 1))
    assert session.selection.focus == wrong
    QTest.keyClick(panel.documents, Qt.Key.Key_2)
    wait(lambda: wrong in session.categories[1].examples and not opened.runner.jobs())
    assert session.category_labels.by_document()[wrong] == "weather"
    panel.list.setCurrentIndex(panel.lines.index(1))
    assert (panel.rows.rows[0].document, panel.rows.rows[0].example) == (wrong, True)

    # By dragging; and back by undo.
    dragged = dragged_documents(panel.rows.mimeData([panel.rows.index(0)]))
    assert dragged == [wrong]
    panel.list.dropped.emit(0, dragged)
    wait(lambda: wrong in session.categories[0].examples and not opened.runner.jobs())
    opened.edits.undo.undo("categories")
    wait(lambda: wrong in session.categories[1].examples and not opened.runner.jobs())

    # They colour the map, are a table, and a filter.
    layout = type("Layout", (), {"documents": session.category_labels.documents, "trust": None})()
    shown = colouring(session, layout, "category")
    assert shown.names == ("food and cooking", "weather")
    assert np.array_equal(shown.points.values, session.category_labels.codes)
    table = panel.export_table()
    assert table is not None
    rows = list(table.rows())
    assert len(rows) == len(session.listing)
    assert {row[2] for row in rows} == {"food and cooking", "weather", "None of these"}
    panel.filter.trigger()
    assert session.filter is not None
    assert session.filter.why == "weather"

    # Described otherwise, renamed, removed, and removed no longer.
    panel.list.setCurrentIndex(panel.lines.index(1))
    panel.description.setText("rain, storms and floods")
    panel.description.editingFinished.emit()
    wait(lambda: session.categories[1].description == "rain, storms and floods")
    panel.lines.setData(panel.lines.index(1), "storms")
    wait(lambda: session.categories[1].name == "storms")
    assert session.categories[1].examples == (wrong,)
    for category in session.categories:
        opened.categories.remove(category)
    wait(lambda: not session.categories)
    assert not panel.lines.rows
    opened.edits.undo.undo("categories")
    wait(lambda: [category.name for category in session.categories] == ["storms"])
    opened.categories.remove(session.categories[0])
    wait(lambda: not session.categories and not opened.runner.jobs())
