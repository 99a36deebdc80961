"""Every view fits small and large windows, in both languages and themes: no text of a control is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QToolButton, QWidget

from explorer.settings import Settings
from explorer.ui.state.session import OpenFolder
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.workspace.storage.documents import Listing

if TYPE_CHECKING:
    from explorer.ui.app import WindowManager
    from explorer.ui.window.main_window import MainWindow

ICON_ONLY = Qt.ToolButtonStyle.ToolButtonIconOnly
SIZES = ((1024, 700), (1280, 800), (1920, 1080), (3840, 2160))


@pytest.fixture
def manager(qapp: QApplication) -> Iterator[WindowManager]:
    from explorer.ui.app import WindowManager
    from explorer.ui.look import language, theme

    windows = WindowManager(qapp, Settings())
    yield windows
    windows.close_all()
    assert windows.end()
    language.use(qapp, "en")
    theme.apply(qapp, theme.LIGHT)


@pytest.mark.parametrize(("language", "theme"), [("en", "light"), ("ko", "dark")])
def test_no_text_of_a_control_is_cut_off(manager: WindowManager, tmp_path: Path, language: str, theme: str) -> None:
    window = manager.open()
    session = window.session
    window.actions.change_settings(replace(session.settings, language=language, theme=theme))
    session.set_folder(OpenFolder(tmp_path, tmp_path, True, ""))
    session.set_documents(_listing(30), ())
    session.focus(0)
    session.mark([1, 2])  # which shows the bar for what is selected
    cut: dict[str, list[str]] = {}
    for width, height in SIZES:
        window.resize(width, height)
        for view in window.views.pages:
            window.views.show_view(view)
            for _ in range(3):  # the tool bar is laid out after what is in it
                QApplication.processEvents()
            assert (window.width(), window.height()) == (width, height), f"{view} does not fit"
            if found := _cut_off(window):
                cut[f"{width} {view.value}"] = found
    session.set_folder(None)
    assert not cut, "\n".join(f"{where}: {found}" for where, found in cut.items())


def _cut_off(window: MainWindow) -> list[str]:
    """Return the texts of visible controls that are narrower than their texts, which they do not shorten themselves."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or isinstance(widget, ElidedLabel):
            continue
        if isinstance(widget, QLabel) and not widget.wordWrap():
            text = widget.text()
        elif isinstance(widget, QAbstractButton):
            only_icon = isinstance(widget, QToolButton) and widget.toolButtonStyle() == ICON_ONLY
            text = "" if only_icon else widget.text()
        elif isinstance(widget, QComboBox):
            text = widget.currentText()
        else:
            continue
        right = widget.mapTo(window, widget.rect().bottomRight())
        outside = right.x() > window.width() or right.y() > window.height()
        if text and (outside or widget.width() < _needed(widget, text)):
            found.append(f"{type(widget).__name__} “{text}”: {widget.width()} of {_needed(widget, text)} px")
    return found


def _needed(widget: QWidget, text: str) -> int:
    """Return the pixels that a text takes; a combo box may be narrower than its longest entry."""
    return widget.fontMetrics().horizontalAdvance(text.replace("&", ""))


def _listing(count: int) -> Listing:
    names = [f"folder/{number}.txt" for number in range(count)]
    many = np.arange(count, dtype=np.int64)
    return Listing(many, names, [""] * count, names, many, ["en"] * count, ["utf-8"] * count, np.ones(count))
