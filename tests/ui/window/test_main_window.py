"""The window as a whole: a folder is opened, searched, grouped and closed, and comes back as it was left."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QPushButton, QVBoxLayout, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.state.session import OpenFolder
from explorer.ui.widgets.row_table import ExplicitCurrent
from explorer.ui.window import main_window
from explorer.ui.window.main_window import after_paint
from tests.conftest import PROJECT

Wait = Callable[..., None]


def test_without_a_folder_there_is_the_start_page(actions: Controllers) -> None:
    from explorer.ui.window.main_window import MainWindow

    window = MainWindow(actions.session, actions)
    window.show()

    assert window.start.isVisible()
    assert not window.query.isVisible()
    window.close()


def test_views_are_switched_by_key_and_button_and_esc_goes_back(actions: Controllers, tmp_path: Path) -> None:
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.views import View

    window = MainWindow(actions.session, actions)
    window.resize(1280, 800)
    window.show()
    actions.session.set_folder(OpenFolder(tmp_path, tmp_path, True, ""))
    assert window.views.current is View.WORK
    shown = {action.text(): action for action in window.menus.menus["view"].actions()}

    window.switcher.buttons[View.MAP].click()
    assert window.map.isVisible()
    assert window.docks.reader.isVisible()  # the list and the reader come along
    assert shown["Map"].isChecked()
    shown["Trends"].trigger()
    assert window.docks.trends.isVisible()
    assert not window.docks.reader.isVisible()
    assert window.switcher.more.isChecked()
    window.step_back()
    assert window.views.current is View.MAP
    window.step_back()
    assert window.views.current is View.WORK
    assert window.docks.documents.isVisible()
    window.docks.show("rerank")
    assert window.docks.rerank.isVisible()
    assert not window.docks.neighbours.isVisible()
    actions.session.set_folder(None)
    window.close()


def test_the_keyboard_goes_along_with_the_views_and_nothing_is_chosen_by_that(
    actions: Controllers, wait: Wait, tmp_path: Path
) -> None:
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.views import View
    from explorer.workspace.storage.documents import Listing

    session, names = actions.session, ["a.txt", "b.txt", "c.txt"]
    window = MainWindow(session, actions)
    window.show()
    window.activateWindow()
    wait(window.isActiveWindow)
    session.set_folder(OpenFolder(tmp_path, tmp_path, True, ""))
    ids = np.arange(3)
    session.set_documents(Listing(ids, names, [""] * 3, names, ids, ["en"] * 3, ["utf-8"] * 3, np.ones(3)), ())
    documents = window.docks.documents
    documents.list.setFocus()
    assert session.selection.focus is None  # Qt would have taken the first row

    for view, panel in ((View.OUTLIERS, window.docks.outliers), (View.DUPLICATES, window.docks.duplicates)):
        window.show_view(view)
        panel.stage.show_content()
        assert not documents.list.hasFocus()
        window.step_back()
        assert window.views.current is View.WORK
        assert documents.list.hasFocus()
        assert session.selection.focus is None
    QTest.keyClick(documents.list, Qt.Key.Key_Down)
    assert session.selection.focus == 0
    window.go_query()
    window.show_view(View.TRENDS)
    assert window.query.line.hasFocus()  # it is outside the views
    QTest.keyClicks(window.query.line, "a")
    assert window.views.current is View.WORK  # where the answer is seen
    assert window.query.line.hasFocus()
    window.show_view(View.MAP)
    window.go_query()
    QTest.keyClicks(window.query.line, "b")
    assert window.views.current is View.MAP  # which has the list at its side
    session.set_folder(None)
    window.close()


@pytest.mark.parametrize(
    "place",
    [
        "documents.list_view.DocumentList", "documents.table_view.DocumentsTable", "outliers._OutlierList",
        "similar.SimilarList", "trends.TrendsList", "duplicates._GroupTree", "categories._SortedList",
        "sources.SourceList", "clusters.model.ClusterTree",
    ],
)  # fmt: skip
def test_every_list_of_documents_leaves_the_choice_to_the_user(place: str) -> None:
    module, _, name = place.rpartition(".")
    kind = getattr(importlib.import_module(f"explorer.ui.panels.{module}"), name)
    assert issubclass(kind, ExplicitCurrent)
    assert kind.__mro__.index(ExplicitCurrent) < kind.__mro__.index(QAbstractItemView)


def test_a_panel_can_be_docked_and_put_back(actions: Controllers, tmp_path: Path) -> None:
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.views import View

    window = MainWindow(actions.session, actions)
    window.resize(1280, 800)
    window.show()
    actions.session.set_folder(OpenFolder(tmp_path, tmp_path, True, ""))
    docks = window.docks

    docks.set_docked("trends", True)
    assert docks.trends.isVisible()
    assert window.views.current is View.WORK
    window.views.show_view(View.TRENDS)
    assert docks.docks["trends"].isAncestorOf(docks.trends)  # its view does not take it away
    window.views.show_view(View.WORK)
    docks.docks["trends"].close()
    assert not docks.is_docked("trends")
    docks.show("trends")
    assert docks.trends.isVisible()
    assert window.views.current is View.TRENDS
    actions.session.set_folder(None)
    window.close()


def test_enter_presses_the_button_that_has_the_keyboard(actions: Controllers) -> None:
    from explorer.ui.window.main_window import MainWindow

    window = MainWindow(actions.session, actions)
    window.show()
    pressed: list[str] = []
    button = QPushButton("Here", window.start)
    button.clicked.connect(lambda: pressed.append("here"))
    button.show()
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Return)
    assert pressed == ["here"]
    window.close()


@pytest.mark.bundled
def test_a_folder_is_shown_in_all_panels(actions: Controllers, wait: Wait, sample_copy: Path) -> None:
    from explorer.ui.window.main_window import MainWindow

    session = actions.session
    window = MainWindow(session, actions)
    window.resize(1280, 800)
    window.show()

    actions.open_folder(sample_copy)
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing and not actions.runner.jobs())
    window.query.ask("rocket launch")
    wait(lambda: session.search is not None and session.search.results is not None and not session.search.stale)
    assert session.search is not None
    assert session.search.results is not None
    first = session.search.results.hits[0].document
    session.focus(first)
    wait(lambda: not actions.runner.jobs())

    assert window.query.line.text() == "rocket launch"
    assert window.docks.documents.isVisible()
    window.docks.show("map")
    assert window.map.view.isVisible()
    assert not window.grab().toImage().isNull()
    actions.step_back()
    assert session.search is None
    actions.close_folder()
    wait(lambda: session.folder is None)
    assert window.start.isVisible()
    window.close()


def test_importing_the_window_loads_no_heavy_library() -> None:
    code = (
        "import sys; import explorer.ui.window.main_window, explorer.ui.app; "
        "print([name for name in ('torch', 'transformers', 'sklearn') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert ran.stdout.strip() == "[]"


def test_without_a_display_the_program_says_so() -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    ran = subprocess.run(
        [sys.executable, "-m", "explorer"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
        env=kept | {"QT_QPA_PLATFORM": ""},
    )
    assert ran.returncode == 2
    assert "no display" in ran.stderr


class Painted(QWidget):
    """Notes when it is painted."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._heard.append("painted")


def test_it_comes_once_after_the_next_paint(qapp: QApplication, wait: Wait) -> None:
    heard: list[str] = []
    window = QWidget()
    QVBoxLayout(window).addWidget(Painted(heard))
    after_paint(window, lambda: heard.append("then"))
    assert not heard
    window.resize(200, 100)
    window.show()
    wait(lambda: "then" in heard)
    window.repaint()
    qapp.processEvents()
    assert heard.index("painted") < heard.index("then")
    assert heard.count("then") == 1
    window.deleteLater()


def test_a_window_that_is_never_painted_goes_on_too(qapp: object, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_window, "UNPAINTED", 10)
    heard: list[str] = []
    window = QWidget()
    after_paint(window, lambda: heard.append("then"))
    wait(lambda: heard == ["then"])
    window.deleteLater()
