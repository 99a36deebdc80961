"""The sources: scopes and facets with counts, which filter the list; folded, a rail of icons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.panels.sources import SourcesPanel, facets_of
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import OpenFolder, Scope, Search
from explorer.workspace.storage.user.lists import SavedSearch
from tests.ui.panels.documents.test_panel import found, listed

LISTING = listed(list("abcd"), colour=["red", "blue", "red", None], date=["2024", "2023", "2024", "2022"])
TAGS = {10: frozenset({"late"}), 20: frozenset({"late", "new"})}


@pytest.fixture
def panel(actions: Controllers) -> Iterator[SourcesPanel]:
    panel = SourcesPanel(actions.session, actions)
    panel.resize(200, 600)
    panel.show()
    actions.session.set_folder(OpenFolder(Path("texts"), Path("workspace"), True))
    actions.session.set_documents(LISTING, ())
    panel._on_facets(facets_of(LISTING, TAGS))
    yield panel
    panel.close()
    panel.deleteLater()


def texts(view: Any) -> list[tuple[str, int | None]]:
    return [(row.text, row.count) for row in view.rows.rows]


def press(view: Any, text: str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    row = next(place for place, row in enumerate(view.rows.rows) if row.text == text)
    spot = view.visualRect(view.rows.index(row, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, spot)


def test_facets_have_the_documents_of_each_value() -> None:
    made = {
        facet.kind: {value: list(documents) for value, documents in facet.values} for facet in facets_of(LISTING, TAGS)
    }
    assert made["tag"] == {"late": [10, 20], "new": [20]}
    assert made["folder"] == {"folder 0": [10, 30], "folder 1": [20, 40]}
    assert made["field:colour"] == {"red": [10, 30], "blue": [20]}
    assert "language" not in made  # all are English
    assert "field:date" not in made


def test_scopes_are_counted_and_chosen(panel: SourcesPanel, actions: Controllers) -> None:
    session = actions.session
    assert texts(panel.scopes) == [("All", 4), ("Picked", 0)]
    session.set_search(Search("x", found(30, 10)))
    session.set_picks(DocumentSet([20]))
    assert texts(panel.scopes) == [("All", 4), ("Found", 2), ("Picked", 1)]
    press(panel.scopes, "Picked")
    assert session.scope is Scope.PICKED
    panel.set_folded(True)
    QTest.mouseClick(panel.rail["found"], Qt.MouseButton.LeftButton)
    assert session.scope is Scope.FOUND


def test_a_click_filters_ctrl_adds_and_again_clears(panel: SourcesPanel, actions: Controllers) -> None:
    session = actions.session
    chosen: Callable[[], list[int]] = lambda: list(session.filter.documents) if session.filter else []  # noqa: E731
    press(panel.facets, "folder 0")
    assert chosen() == [10, 30]
    press(panel.facets, "late", Qt.KeyboardModifier.ControlModifier)
    assert chosen() == [10]
    assert [row.text for row in panel.facets.rows.rows if row.on and not row.heading] == ["late", "folder 0"]
    press(panel.facets, "late")
    assert chosen() == [10, 20]
    press(panel.facets, "late")
    assert session.filter is None


def test_saved_searches_are_listed_say_what_is_new_and_are_asked(panel: SourcesPanel, actions: Controllers) -> None:
    saved = (SavedSearch("storms", "storms and floods", "hybrid"), 3), (SavedSearch("soup", "soup", "keyword"), 0)
    actions.saved_searches._show(saved)
    rows = {row.text: row for row in panel.facets.rows.rows}
    assert next(iter(rows)) == "Saved searches"
    assert (rows["storms"].news, rows["soup"].news) == ("3 new", "")
    assert panel.grab().toImage().isNull() is False  # they are drawn
    asked: list[str] = []
    actions.session.query_changed.connect(lambda: asked.append(actions.session.search.text))
    press(panel.facets, "soup")
    assert asked == ["soup"]
    assert actions.session.search_mode == "keyword"
    press(panel.facets, "Saved searches")
    assert "soup" not in {row.text for row in panel.facets.rows.rows}


def test_headings_fold_and_are_remembered(panel: SourcesPanel) -> None:
    assert ("late", 2) in texts(panel.facets)
    press(panel.facets, "Tags")
    assert ("late", 2) not in texts(panel.facets)
    saved = panel.view_state()
    panel.restore_view_state({"sources": {"closed": 3, "shares": "x"}})  # damaged
    assert ("late", 2) in texts(panel.facets)
    panel.restore_view_state(saved)
    assert ("late", 2) not in texts(panel.facets)
