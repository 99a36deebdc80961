"""Hostile titles and texts in the window: shown as they are, and nothing in them is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers

IMAGE = '<img src="file:///etc/hostname"><b>bold</b>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(6):
        (root / f"{number}.txt").write_text(f"Note {IMAGE} {number}\n\n{IMAGE} winter river {number} cold sea")
    return root


@pytest.fixture
def settings(tiny: Path) -> Settings:
    return Settings(model=str(tiny), language="en")


def test_titles_and_texts_are_never_taken_for_markup(
    actions: Controllers, wait: Callable[..., None], folder: Path
) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QLabel, QTextEdit, QWidget

    from explorer.ui.window.main_window import MainWindow

    session = actions.session
    window = MainWindow(session, actions)
    window.resize(1280, 800)
    window.show()
    actions.open_folder(folder)
    wait(lambda: session.map_layout is not None and not session.map_layout.drawing and not actions.runner.jobs())
    assert session.listing is not None
    first, second = (int(one) for one in session.listing.ids[:2])
    session.focus(first)
    window.query.ask("winter")
    wait(lambda: session.search is not None and session.search.results is not None)
    window._show_comparison(first, second)
    wait(lambda: not actions.runner.jobs())

    seen = 0
    for widget in window.findChildren(QWidget):
        if isinstance(widget, QLabel) and "<img" in widget.text():
            assert widget.textFormat() == Qt.TextFormat.PlainText, widget.text()
            seen += 1
        if "<img" in widget.toolTip():
            assert not Qt.mightBeRichText(widget.toolTip()), widget.toolTip()
        if isinstance(widget, QTextEdit) and "winter" in widget.toPlainText():
            assert IMAGE in widget.toPlainText()
            assert "<img" not in widget.toHtml()
            seen += 1
    assert seen
    check_cells(window)
    window.close()


def check_cells(window: object) -> None:
    from PySide6.QtCore import QAbstractItemModel, Qt
    from PySide6.QtWidgets import QAbstractItemView

    for view in window.findChildren(QAbstractItemView):  # type: ignore[attr-defined]
        model: QAbstractItemModel | None = view.model()
        cells = [model.index(row, column) for row in range(6) for column in range(12)] if model else []
        for cell in cells:
            tip = str(cell.data(Qt.ItemDataRole.ToolTipRole) or "") if cell.isValid() else ""
            assert "<img" not in tip or not Qt.mightBeRichText(tip), tip
