"""Files that could not be read are listed with their reason, and can be tried again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import Notification
from explorer.ui.jobs.runner import Runner
from explorer.ui.panels.problems import FILE, REASON, ProblemsPanel
from explorer.ui.state.session import OpenFolder, Session
from explorer.workspace.storage.documents import Listing
from explorer.workspace.storage.files import FileProblem

Wait = Callable[..., None]
NOTHING = Listing(np.zeros(0, np.int64), [], [], [], np.zeros(0, np.int64), [], [], np.zeros(0, np.float32))
PROBLEMS = (
    FileProblem("b/locked.docx", "encrypted", "b/locked.docx needs a password; save it without."),
    FileProblem("a/scan.pdf", "no text layer", "a/scan.pdf is a scan; run OCR on it."),
    FileProblem("c/odd.bin", "some new reason", "c/odd.bin is odd."),
)


@pytest.fixture
def panel(qapp: object) -> Iterator[ProblemsPanel]:
    session, runner = Session(), Runner()
    actions = Controllers(session, runner)
    panel = ProblemsPanel(session, actions)
    panel.resize(700, 300)
    panel.show()
    yield panel
    panel.close()
    assert runner.close(60)
    actions.close_workspace()


def show(panel: ProblemsPanel, *problems: FileProblem, folder: Path = Path("texts")) -> None:
    panel._session.set_folder(OpenFolder(folder, Path("workspace"), True))
    panel._session.set_documents(NOTHING, problems)


def cells(panel: ProblemsPanel, column: int) -> list[Any]:
    return [panel.model.index(row, column).data() for row in range(panel.model.rowCount())]


def test_no_problem_says_so(panel: ProblemsPanel) -> None:
    assert "are listed" in panel.stage.sentence
    show(panel)
    assert panel.stage.sentence == "All files were read."


def test_rows_say_file_and_reason_and_the_sentence_is_whole(panel: ProblemsPanel) -> None:
    show(panel, *PROBLEMS)

    assert not panel.stage.covered
    assert cells(panel, FILE) == ["a/scan.pdf", "b/locked.docx", "c/odd.bin"]
    assert cells(panel, REASON) == ["Images only", "Password required", "some new reason"]
    assert not panel.open.isEnabled()
    panel.table.selectRow(1)
    assert panel.sentence.text() == "b/locked.docx needs a password; save it without."
    assert panel.open.isEnabled()
    panel.table.sortByColumn(FILE, Qt.SortOrder.DescendingOrder)
    assert cells(panel, FILE) == ["c/odd.bin", "b/locked.docx", "a/scan.pdf"]


def test_the_selection_stays_as_the_list_grows(panel: ProblemsPanel) -> None:
    show(panel, *PROBLEMS[:2])
    panel.table.selectRow(1)

    panel._session.set_documents(NOTHING, [FileProblem("a/a.txt", "empty", "It is empty."), *PROBLEMS])

    assert [one.path for one in panel.selected()] == ["b/locked.docx"]


def test_copy_takes_the_selected_rows_as_a_table(panel: ProblemsPanel) -> None:
    show(panel, *PROBLEMS)
    panel.table.selectAll()

    QTest.mouseClick(panel.copy, Qt.MouseButton.LeftButton)

    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 3
    assert lines[0] == "a/scan.pdf\tImages only\ta/scan.pdf is a scan; run OCR on it."


def test_a_file_that_is_gone_is_told_instead_of_opened(panel: ProblemsPanel, tmp_path: Path) -> None:
    told: list[Notification] = []
    panel._actions.notified.connect(told.append)
    show(panel, *PROBLEMS, folder=tmp_path)
    panel.table.selectRow(0)

    QTest.mouseClick(panel.open, Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.reveal, Qt.MouseButton.LeftButton)

    assert len(told) == 2
    assert "scan.pdf" in told[0].sentence


def test_a_mended_file_is_read_when_tried_again(panel: ProblemsPanel, tmp_path: Path, wait: Wait, bundled: Any) -> None:
    """With the real reader and the real model."""
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "good.txt").write_text("A letter about the sea and the ships on it.", "utf-8")
    lost = texts / "lost.txt"
    lost.symlink_to(tmp_path / "nowhere.txt")
    runner = panel._actions.runner
    panel._actions.open_folder(texts)
    wait(lambda: panel.model.rowCount() == 1 and not runner.jobs())
    assert cells(panel, REASON) == ["Broken link"]

    lost.unlink()
    shutil.copy(texts / "good.txt", lost)
    QTest.mouseClick(panel.retry, Qt.MouseButton.LeftButton)

    wait(lambda: panel.stage.sentence == "All files were read." and not runner.jobs())
