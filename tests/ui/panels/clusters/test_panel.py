"""The clusters: shown as a tree, chosen by mouse and keyboard, changed and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.analysis.clusters.cluster import Clustering
from explorer.analysis.clusters.hierarchy import Tree
from explorer.analysis.clusters.methods import ClusterRecipe
from explorer.analysis.topics.topic_words import TopicWord
from explorer.services.overview import Clusters
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.panels.clusters.model import nodes
from explorer.ui.state.session import OpenFolder
from explorer.workspace.overview.clusters import Cluster

Wait = Callable[..., None]

SHOWN = np.array([0, 0, 0, 0, 2, 2, 2, 5, 5, -1], np.int32)
FINE = np.array([0, 0, 1, 1, 2, 2, 2, 3, 3, -1], np.int32)
COARSE = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, -1], np.int32)


def cluster(number: int, name: str, size: int, named: bool = False) -> Cluster:
    words = tuple(TopicWord(word, 1.0) for word in (*name.split(" · "), "further", "words"))
    return Cluster(number, name, named, size, 0.6, words, ())


def clusters(tree: bool = True, granularity: float = 0.3) -> Clusters:
    known = (cluster(0, "sea · ship", 4), cluster(2, "Mine", 3, True), cluster(5, "law · court", 2))
    parents = (np.array([-1, -1], np.int32), np.zeros(6, np.int32), np.array([0, 0, 2, 5], np.int32))
    return Clusters(
        np.arange(100, 110),
        Clustering(SHOWN, ClusterRecipe(granularity=granularity), {2: "Mine"}),
        known,
        Tree((COARSE, SHOWN, FINE), parents, 1) if tree else None,
        {0: 0.9, 2: 0.3} if tree else None,
        ({0: "water", 1: "law"}, {}, {0: "sea", 1: "ship", 2: "x", 3: "y"}),
    )


def outline(rows: Any) -> list[Any]:
    return [(row.key, row.documents.tolist()) if not row.children else (row.key, outline(row.children)) for row in rows]


def test_the_tree_is_made_of_its_levels() -> None:
    sea, mine, law, rest = [100, 101, 102, 103], [104, 105, 106], [107, 108], [109]

    assert outline(nodes(clusters(tree=False))) == [((0, 0), sea), ((0, 2), mine), ((0, 5), law), ((0, -1), rest)]
    rows = nodes(clusters())
    # A coarser cluster of just one is passed over, and so is a finer one that is all of its cluster.
    assert outline(rows) == [
        ((-1, 0), [((0, 0), [((1, 0), sea[:2]), ((1, 1), sea[2:])]), ((0, 2), mine)]),
        ((0, 5), law),
        ((0, -1), rest),
    ]
    assert [row.name for row in rows] == ["water", "law · court", ""]
    assert [row.colour for row in rows[0].children] == [0, 1]
    assert rows[0].children[1].stability == 0.3


@pytest.fixture
def panel(actions: Controllers) -> Iterator[Any]:
    from explorer.ui.panels.clusters.panel import ClustersPanel

    panel = ClustersPanel(actions.session, actions)
    panel.resize(340, 500)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()


def click(panel: Any, key: tuple[int, int], held: Any = None, double: bool = False) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    place = panel.tree.visualRect(panel.model.index_of(key)).center()
    held = held or Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, held, place)
    if double:
        QTest.mouseDClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, held, place)


def test_it_says_what_to_do_when_there_is_nothing(panel: Any, actions: Controllers) -> None:
    assert "Open a folder" in panel.stage.sentence
    actions.session.set_folder(OpenFolder(Path("a"), Path("b"), True))
    assert "encoded" in panel.stage.sentence
    assert not panel.slider.isEnabled()
    actions.session.set_clusters(clusters())
    assert panel.stage.sentence == ""
    assert panel.slider.value() == 30


def test_rows_say_what_they_are(panel: Any, actions: Controllers) -> None:
    from PySide6.QtCore import Qt

    actions.session.set_clusters(clusters())

    def told(key: tuple[int, int], role: Any) -> str:
        return str(panel.model.index_of(key).data(role))

    assert told((0, -1), Qt.ItemDataRole.DisplayRole) == "Unclustered"
    assert told((0, -1), Qt.ItemDataRole.StatusTipRole) == "10.0% of all documents"
    assert told((0, 0), Qt.ItemDataRole.StatusTipRole) == "further, words"
    assert "Stability 0.30" in told((0, 2), Qt.ItemDataRole.ToolTipRole)
    assert "not computed" in told((0, 5), Qt.ItemDataRole.ToolTipRole)
    assert told((0, 5), Qt.ItemDataRole.AccessibleTextRole) == "law · court, 2 documents"
    tree = panel.tree
    assert tree.isExpanded(panel.model.index_of((-1, 0)))  # what is shown is seen,
    assert not tree.isExpanded(panel.model.index_of((0, 0)))  # what is finer is not
    tree.setExpanded(panel.model.index_of((0, 0)), True)
    actions.session.set_clusters(clusters())
    assert tree.isExpanded(panel.model.index_of((0, 0)))  # but what the user opened stays open


def test_click_filters_double_click_zooms_space_selects(panel: Any, actions: Controllers) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    session, zoomed = actions.session, []
    panel.zoom_requested.connect(lambda documents: zoomed.append(documents.tolist()))
    session.set_clusters(clusters())

    click(panel, (0, 2))
    assert session.filter is not None
    assert session.filter.documents == {104, 105, 106}
    click(panel, (0, 5), Qt.KeyboardModifier.ControlModifier)
    assert session.filter is not None
    assert session.filter.documents == {104, 105, 106, 107, 108}
    assert session.filter.why == "Mine, law · court"
    click(panel, (-1, 0), double=True)
    assert zoomed == [[100, 101, 102, 103, 104, 105, 106]]
    assert session.filter.documents == set(range(100, 107))
    QTest.keyClick(panel.tree, Qt.Key.Key_Down)
    assert session.filter.documents == set(range(100, 107))  # arrows look
    QTest.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.selection.marked == {100, 101, 102, 103}
    QTest.keyClick(panel.tree, Qt.Key.Key_Return)
    assert session.filter.documents == {100, 101, 102, 103}
    session.set_filter(None)
    assert panel.selected() == []


def test_focus_and_marks_of_others_are_shown(panel: Any, actions: Controllers) -> None:
    from explorer.ui.panels.clusters.model import FOCUS, MARKED

    session = actions.session
    session.set_clusters(clusters())
    session.focus(105)
    session.mark([100, 109])

    index = panel.model.index_of
    assert [index(key).data(FOCUS) for key in ((0, 0), (0, 2), (-1, 0))] == [False, True, True]
    assert [index(key).data(MARKED) for key in ((0, 0), (0, 2), (0, -1))] == [0.25, 0.0, 1.0]
    session.mark([104])
    assert [index(key).data(MARKED) for key in ((0, 0), (0, 2), (0, -1))] == [0.0, 1 / 3, 0.0]


def test_what_may_be_done_depends_on_what_is_chosen(panel: Any, actions: Controllers) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QAbstractItemView

    session = actions.session
    session.set_folder(OpenFolder(Path("a"), Path("b"), True))
    session.set_clusters(clusters())
    assert panel.assign.isEnabled()
    assert not panel.rename.isEnabled()
    session.mark([107])
    click(panel, (0, 2))
    assert [verb.isEnabled() for verb in (panel.rename, panel.merge, panel.split, panel.move_here)] == [
        True,
        False,
        True,
        True,
    ]
    click(panel, (0, 5), Qt.KeyboardModifier.ControlModifier)
    assert [verb.isEnabled() for verb in (panel.rename, panel.merge, panel.split)] == [False, True, False]
    click(panel, (-1, 0))
    assert not panel.rename.isEnabled()
    click(panel, (0, 2), Qt.KeyboardModifier.ControlModifier)  # beside its group
    panel.rename.trigger()
    assert panel.tree.state() == QAbstractItemView.State.EditingState
    session.set_folder(OpenFolder(Path("a"), Path("b"), False, "read only"))
    session.set_clusters(clusters())
    click(panel, (0, 2))
    assert not any(verb.isEnabled() for verb in (panel.rename, panel.merge, panel.split, panel.assign))


def test_a_name_is_typed_to_its_end_whatever_comes(panel: Any, actions: Controllers, wait: Wait) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit

    session, renamed = actions.session, []
    session.set_folder(OpenFolder(Path("a"), Path("b"), True))
    session.set_clusters(clusters(tree=False))
    panel.model.renamed.connect(lambda *told: renamed.append(told))

    def typed(text: str, key: Any) -> None:
        click(panel, (0, 5))
        panel.rename.trigger()
        line = next(one for one in panel.tree.findChildren(QLineEdit) if one.isVisible())
        QTest.keyClicks(line, text[:3])
        session.set_clusters(clusters(granularity=0.7))
        QTest.keyClicks(line, text[3:])
        assert panel.slider.value() == 30
        QTest.keyClick(line, key)
        wait(lambda: panel.slider.value() == 70)
        assert panel.model.index_of((-1, 0)).isValid()
        session.set_clusters(clusters(tree=False))

    typed("Judges", Qt.Key.Key_Return)
    assert renamed == [(5, "Judges")]
    typed("Lawyers", Qt.Key.Key_Escape)
    assert renamed == [(5, "Judges")]
    panel.rename.trigger()
    session.set_folder(None)  # whose clusters they were is gone
    assert panel.stage.sentence


@pytest.mark.bundled
def test_the_sample_is_changed_and_brought_back(
    panel: Any, actions: Controllers, wait: Wait, sample_copy: Path
) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit

    session, told = actions.session, []
    actions.notified.connect(told.append)

    def settle() -> Clusters:
        wait(lambda: session.clusters is not None and not actions.runner.jobs())
        assert session.clusters is not None
        return session.clusters

    def sizes() -> dict[int, int]:
        return {one.id: one.size for one in settle().clusters}

    actions.open_folder(sample_copy)
    settle()
    before = sizes()
    left = settle().shown.leftover_share
    first, second = list(before)[:2]

    click(panel, (0, first))
    QTest.keyClick(panel.tree, Qt.Key.Key_F2)
    line = panel.tree.findChild(QLineEdit)
    line.setText("내 묶음")
    QTest.keyClick(line, Qt.Key.Key_Return)
    wait(lambda: settle().clusters[0].name == "내 묶음")
    assert settle().clusters[0].named

    click(panel, (0, first))
    click(panel, (0, second), Qt.KeyboardModifier.ControlModifier)
    panel.merge.trigger()
    wait(lambda: sizes().get(first) == before[first] + before[second])
    click(panel, (0, first))
    panel.split.trigger()
    wait(lambda: len(sizes()) == len(before))
    if left:
        panel.assign.trigger()
        wait(lambda: settle().shown.leftover_share == 0)
    assert actions.edits.undo.to_undo()
    while actions.edits.undo.to_undo():
        panel.undo.trigger()
        settle()
    wait(lambda: sizes() == before)
    assert settle().shown.leftover_share == left
    assert not any(one.named for one in settle().clusters)
    actions.edits.undo.redo()
    wait(lambda: settle().clusters[0].name == "내 묶음")

    panel.slider.setValue(100)
    wait(lambda: settle().shown.recipe.granularity == 1)
    assert len(sizes()) > len(before)
    assert told == []
