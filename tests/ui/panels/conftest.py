"""What the panels' tests share: the sample, opened once, and panels that are gone after each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.conftest import LONGEST

Make = Callable[..., Any]


@pytest.fixture(scope="session")
def opened_once(
    indexed_sample: Path, qapp: object, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Any]:
    """The controllers of a window with the sample open; vectors and graph are there, the map need not be drawn."""
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.runner import Runner
    from explorer.ui.state.session import Session

    folder = tmp_path_factory.mktemp("panels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCEXPLORER_HOME", str(folder / "home"))
        actions = Controllers(Session(), Runner())
        actions.open_folder(Path(shutil.copytree(indexed_sample, folder / "workspace")))

        def is_open() -> bool:
            if actions.session.graph is not None:
                for key in ("clusters", "map"):
                    actions.runner.cancel(key, notify=False)
            return actions.session.graph is not None and not actions.runner.jobs()

        QtBot(request).waitUntil(is_open, timeout=int(LONGEST * 1000))
        yield actions
        assert actions.runner.close(60)
        actions.close_workspace()


@pytest.fixture
def opened(opened_once: Any, wait: Any) -> Iterator[Any]:
    """The same with nothing chosen and nothing asked."""
    session = opened_once.session
    yield opened_once
    session.focus(None)
    session.mark(())
    session.set_comparison(None)
    session.set_filter(None)
    opened_once.search.ask("")
    wait(lambda: not opened_once.runner.jobs())


@pytest.fixture
def make(qapp: object, opened: Any, wait: Any) -> Iterator[Make]:
    """Makes panels on the opened sample, shown; they are gone before anything else is."""
    from PySide6.QtCore import QCoreApplication, QEvent

    made: list[Any] = []

    def panel(kind: Any) -> Any:
        made.append(kind(opened.session, opened))
        made[-1].resize(480, 600)
        made[-1].show()
        return made[-1]

    yield panel
    wait(lambda: not opened.runner.jobs())
    for one in made:
        one.close()
        one.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def idle(opened: Any, wait: Any) -> Callable[[], None]:
    """Waits until no job is left."""
    return lambda: wait(lambda: not opened.runner.jobs())
