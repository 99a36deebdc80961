"""Texts that stand there more than once: found on demand, by kind, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.ui.controllers.workspace import Controllers

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


@pytest.fixture
def panel(actions: Controllers) -> Iterator[Any]:
    from explorer.ui.panels.duplicates import DuplicatesPanel

    panel = DuplicatesPanel(actions.session, actions)
    panel.resize(700, 300)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()


def names(panel: Any) -> list[list[str]]:
    model = panel.model
    return [
        [str(model.index(row, 0, model.index(group, 0)).data()) for row in range(model.rowCount(model.index(group, 0)))]
        for group in range(model.rowCount())
    ]


def test_duplicates_of_the_sample(panel: Any, actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QPushButton

    session, compared, told = actions.session, [], []
    actions.notified.connect(told.append)
    panel.compare_requested.connect(lambda one, other: compared.append((one, other)))
    assert "Open a folder" in panel.stage.sentence

    actions.open_folder(sample_copy)
    wait(lambda: session.map_layout is not None and not actions.runner.jobs())
    assert "more than once" in panel.stage.sentence
    QTest.mouseClick(panel.stage.findChild(QPushButton), Qt.MouseButton.LeftButton)
    wait(lambda: not actions.runner.busy("duplicates") and not panel.stage.covered)

    everything = names(panel)
    kinds = {group.kind for group in panel.groups()}
    assert {"exact", "near"} <= kinds
    assert any("lentil" in name for group in everything for name in group)
    panel.tabs.setCurrentIndex(1)
    assert {group.kind for group in panel.groups()} == {"exact"}
    assert panel.tabs.tabText(1).endswith(str(len(panel.groups())))
    panel.tabs.setCurrentIndex(0)

    model = panel.model
    member = model.index(1, 0, model.index(0, 0))
    panel.tree.expand(model.index(0, 0))
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=panel.tree.visualRect(member).center())
    places = panel.groups()[0].places
    assert session.selection.focus == places[1].document
    QTest.keyClick(panel.tree, Qt.Key.Key_C)
    assert compared == [(places[1].document, places[0].document)]
    panel.mark_copies.trigger()
    assert places[1].document in session.selection.marked
    assert places[0].document not in session.selection.marked

    def loose() -> int:  # quotations do not depend on the slider
        return sum(group.kind == "near" and group.score < 0.99 for group in panel.groups())

    assert loose() > 0
    panel.slider.setValue(99)
    wait(lambda: not actions.runner.busy("duplicates") and not loose())
    assert {"exact"} <= {group.kind for group in panel.groups()}

    actions.refresh()
    wait(lambda: panel._note.property("kind") == "stale")
    actions.close_folder()
    wait(lambda: session.folder is None)
    assert panel.stage.covered
    assert panel.model.rowCount() == 0
    assert told == []
