"""The window as a whole: a folder is opened, searched, grouped and closed, and comes back as it was left."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.settings import Settings
from explorer.ui.actions import Actions
from explorer.ui.jobs import Runner
from explorer.ui.session import Session
from tests.conftest import PROJECT

Wait = Callable[..., None]


@pytest.fixture
def actions(app: object) -> Iterator[Actions]:
    runner = Runner()
    actions = Actions(Session(Settings()), runner)
    yield actions
    assert runner.close(60)
    actions.shut()


def test_without_a_folder_there_is_the_start_page(actions: Actions) -> None:
    from explorer.ui.main_window import MainWindow

    window = MainWindow(actions.session, actions)
    window.show()

    assert window.start.isVisible()
    assert not window.query.isVisible()
    window.close()


@pytest.mark.bundled
def test_a_folder_is_shown_in_all_panels(actions: Actions, wait: Wait, sample_copy: Path) -> None:
    from explorer.ui.main_window import MainWindow

    session = actions.session
    window = MainWindow(session, actions)
    window.resize(1280, 800)
    window.show()

    actions.open_folder(sample_copy)
    wait(lambda: session.chart is not None and not session.chart.drawing and not actions.runner.jobs(), 200)
    window.query.ask("rocket launch")
    wait(
        lambda: (
            session.search is not None and session.search.results is not None and not session.search.stale
        ),
        60,
    )
    assert session.search is not None
    assert session.search.results is not None
    first = session.search.results.hits[0].document
    session.focus(first, "test")
    wait(lambda: not actions.runner.jobs(), 60)

    assert window.map.isVisible()
    assert window.query.line.text() == "rocket launch"
    assert window.map.view.isVisible()
    assert not window.grab().toImage().isNull()
    actions.step_back()
    assert session.search is None
    actions.close_place()
    wait(lambda: session.place is None, 60)
    assert window.start.isVisible()
    window.close()


def test_importing_the_window_loads_no_heavy_library() -> None:
    code = (
        "import sys; import explorer.ui.main_window, explorer.app; "
        "print([name for name in ('torch', 'transformers', 'sklearn') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert ran.stdout.strip() == "[]"


def test_without_a_display_the_program_says_so() -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    ran = subprocess.run(
        [sys.executable, "-m", "explorer"], cwd=PROJECT, capture_output=True, text=True, check=False,
        env=kept | {"QT_QPA_PLATFORM": ""},
    )  # fmt: skip
    assert ran.returncode == 2
    assert "no display" in ran.stderr
