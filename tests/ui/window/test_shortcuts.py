"""A key of one widget is not taken from the others."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from explorer.ui.window.shortcuts import on_key


def test_a_key_works_where_the_keyboard_is(qapp: object, wait: Callable[..., None]) -> None:
    window, heard = QWidget(), []
    mine, other = QLineEdit(window), QLineEdit(window)
    column = QVBoxLayout(window)
    column.addWidget(mine)
    column.addWidget(other)
    on_key(mine, Qt.Key.Key_Escape, lambda: heard.append("escape"))
    window.show()
    window.activateWindow()
    wait(window.isActiveWindow)

    other.setFocus()
    QTest.keyClick(other, Qt.Key.Key_Escape)
    assert heard == []
    mine.setFocus()
    QTest.keyClick(mine, Qt.Key.Key_Escape)
    assert heard == ["escape"]
    window.close()
