"""Commands are found by a few letters and done by the keyboard alone."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.ui.window import command_palette
from explorer.ui.window.command_palette import CommandPalette, match


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("mc", "Merge clusters", "Command"),
        ("map", "Go to map", "Mark all documents"),
        ("er", "Erase a tag", "Merge clusters"),
        ("tag", "Take a tag off", "Start again"),
        ("dc", "Draw the map as clusters", "Index all documents"),
        ("open f", "Open folder", "Compare a file opened before"),
        ("ㅁㅇㄹ", "묶음 이름 바꾸기", ""),
        ("묶ㅇ", "묶음 이름 바꾸기", ""),
    ],
)
def test_beginnings_of_words_come_first(typed: str, better: str, worse: str) -> None:
    found, other = match(typed, better), match(typed, worse)
    assert found is not None
    assert other is None or found[0] > other[0]
    wanted = "".join(typed.split())
    assert len(found[1]) == len(wanted)
    assert list(found[1]) == sorted(set(found[1]))


def test_letters_out_of_order_do_not_match() -> None:
    assert match("pam", "Go to map") is None
    assert match("x", "Go to map") is None
    assert match("ㅎ", "묶음 이름") is None
    assert match("", "anything") == (0.0, ())
    assert match("ess", "Straße essen") is not None


def test_a_leap_to_a_later_word_is_no_dead_end() -> None:
    assert match("abc", "abc a") is not None
    assert match("set", "some text set") is not None


@pytest.fixture
def window(qapp: object) -> Any:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMainWindow

    command_palette._used.clear()
    window = QMainWindow()
    window.resize(800, 600)
    menu = window.menuBar().addMenu("&Edit")
    done: list[str] = []
    for text, key in (("&Undo", "Ctrl+Z"), ("Merge clusters", ""), ("Split && join", "")):
        action = QAction(text, window)
        action.setShortcut(key)
        action.triggered.connect(lambda _, text=text: done.append(text))
        menu.addAction(action)
    off = QAction("Never", window)
    off.setEnabled(False)
    menu.addAction(off)
    window.done = done
    window.show()
    yield window
    window.close()


def texts(palette: CommandPalette) -> list[str]:
    return [str(palette.model.index(row).data()) for row in range(palette.model.rowCount())]


def test_the_keyboard_is_enough(window: Any) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    palette = CommandPalette(window.menuBar().actions()[0].menu().actions(), window)
    palette.open()
    assert texts(palette) == ["Undo", "Merge clusters", "Split & join"]
    QTest.keyClick(palette.line, Qt.Key.Key_Up)
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.done == ["Split && join"]

    again = CommandPalette(window.menuBar().actions()[0].menu().actions(), window)
    again.open()
    assert texts(again)[0] == "Split & join"  # what was used last
    QTest.keyClicks(again.line, "mer")
    assert texts(again) == ["Merge clusters"]
    QTest.keyClick(again.line, Qt.Key.Key_Enter)
    assert window.done == ["Split && join", "Merge clusters"]


def test_nothing_found_is_said_and_escape_leaves(window: Any) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    palette = CommandPalette(window.menuBar().actions()[0].menu().actions(), window)
    palette.open()
    QTest.keyClicks(palette.line, "qqq")
    assert texts(palette) == []
    assert not palette.list.isVisible()
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    QTest.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.done == []
