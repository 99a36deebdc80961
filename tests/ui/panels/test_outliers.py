"""Documents that stand apart: ranked, with reasons in the words of the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.analysis.clusters.outliers import Outlier, Reason
from explorer.analysis.clusters.outliers import sentence as in_english
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.panels.outliers import OutlierTexts

Wait = Callable[..., None]


@pytest.mark.parametrize("kind", ["empty", "far", "group", "unreadable", "language", "short", "long"])
def test_every_kind_has_a_sentence_with_its_numbers(qapp: object, kind: Any) -> None:
    reason = Reason(kind, 7.0 if kind in ("language", "short", "long") else 0.21, 905.0, (4, 9), "ko")
    told, english = OutlierTexts().sentence(reason), in_english(reason)
    for number in ("0.21", "905", "7", "2 other"):
        assert (number in told) == (number in english)
    assert ("Korean" in told) == (kind in ("unreadable", "language"))


def test_languages_have_names(qapp: object) -> None:
    words = OutlierTexts()
    assert (words.language("ja"), words.language("qq")) == ("Japanese", "qq")
    assert "Latin" in words.language("latin")


@pytest.mark.bundled
def test_outliers_of_the_sample(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from explorer.ui.panels.outliers import OutliersPanel

    session = actions.session
    panel = OutliersPanel(session, actions)
    panel.resize(600, 300)
    assert "Open a folder" in panel.stage.sentence
    actions.open_folder(sample_copy)
    wait(lambda: session.graph is not None and not actions.runner.jobs())
    assert not actions.runner.busy("outliers")  # nobody sees it
    panel.show()
    wait(lambda: not actions.runner.jobs())
    assert panel.model.rowCount() > 0 or "No outliers found" in panel.stage.sentence

    encoded = session.graph
    assert encoded is not None
    far = [Outlier(3, 9.0, (Reason("far", 0.1, 0.5), Reason("short", 10, 900))), Outlier(1, 4.0, (Reason("empty"),))]
    panel._on_outliers(encoded, far)
    assert panel.model.rowCount() == 2
    assert not panel.stage.covered
    assert "0.10" in str(panel.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    copies = replace(encoded, digests=(encoded.digests[3],) * len(encoded))  # documents of the same text are shown once
    panel.model.show_outliers(far, copies, session.listing)
    assert panel.model.rowCount() == 1
    assert "2 copies" in str(panel.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    panel._on_outliers(encoded, far)
    panel.list.setCurrentIndex(panel.model.index(0))
    assert session.selection.focus == int(encoded.documents[3])
    QTest.keyClick(panel.list, Qt.Key.Key_Down)
    assert session.selection.focus == int(encoded.documents[1])
    session.focus(int(encoded.documents[3]))
    assert panel.list.currentIndex().row() == 0
    panel.mark_all.trigger()
    assert session.selection.marked == {int(encoded.documents[3]), int(encoded.documents[1])}
    actions.close_folder()
    wait(lambda: session.folder is None)
    assert panel.model.rowCount() == 0
    panel.close()
