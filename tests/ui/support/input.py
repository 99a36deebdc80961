"""Mouse and keyboard of somebody in front of the real window: what is not in sight cannot be clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QWidget,
)

from tests.ui.support.live_app import until

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def place_of(widget: QWidget, at: QPoint | None = None) -> tuple[QWindow, QPoint]:
    """The window that a widget is in, and where in it a point of the widget is.

    Raises:
        AssertionError: The point cannot be seen there.
    """
    top, at = widget.window(), at or widget.rect().center()
    assert widget.isVisible(), f"{widget} is not shown"
    spot = widget.mapTo(top, at)
    under: Any = top.childAt(spot) or top
    assert under is widget or widget.isAncestorOf(under), f"{widget} is covered by {under}"
    return top.windowHandle(), spot


def click(
    widget: QWidget, at: QPoint | None = None, keys: Qt.KeyboardModifier = NO_KEY, *, double: bool = False
) -> None:
    """Click on what is in sight there."""
    window, spot = place_of(widget, at)
    QTest.mouseMove(window, spot)
    QTest.mouseClick(window, LEFT, keys, spot)
    if double:
        QTest.mouseDClick(window, LEFT, keys, spot)


def click_item(
    view: QAbstractItemView, index: QModelIndex, keys: Qt.KeyboardModifier = NO_KEY, *, double: bool = False
) -> None:
    """Click on an item of a list, table or tree, scrolled to if need be."""
    view.scrollTo(index)
    click(view.viewport(), view.visualRect(index).center(), keys, double=double)


def drag(widget: QWidget, points: Sequence[QPoint], keys: Qt.KeyboardModifier = NO_KEY) -> None:
    """Press at the first point, move through the others, let go at the last."""
    window, start = place_of(widget, points[0])
    QTest.mousePress(window, LEFT, keys, start)
    for point in points[1:]:
        QTest.mouseMove(window, widget.mapTo(widget.window(), point))
    QTest.mouseRelease(window, LEFT, keys, widget.mapTo(widget.window(), points[-1]))


def press(key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEY) -> None:
    """Press a key; the window that has the keyboard hears it."""
    QTest.keyClick(_with_keyboard(), key, keys)


def write(text: str) -> None:
    """Type a text, letter by letter."""
    for letter in text:
        QTest.keyClick(_with_keyboard(), ord(letter) if letter.isascii() else Qt.Key.Key_unknown)


def _with_keyboard() -> QWindow:
    """Return the window that has the keyboard, having waited until the right one has it.

    The X server hands the keyboard to a new box a moment after it is shown. A key that is sent to the window below
    until then is lost, because the box blocks it. Without a window manager nobody gives the keyboard back when a box
    is gone, so this does.
    """
    modal = QApplication.activeModalWidget()
    if modal is None and QApplication.focusWindow() is not None:
        return QApplication.focusWindow()
    tops = [one for one in QApplication.topLevelWidgets() if one.isVisible() and one.windowHandle()]
    top = modal or next(one for one in tops if isinstance(one, QMainWindow))
    if QApplication.focusWindow() is not top.windowHandle():
        top.activateWindow()
        until(lambda: QApplication.focusWindow() is top.windowHandle(), 180, "a window with the keyboard")
    return top.windowHandle()


def answering(question: Callable[[], None], answer: str) -> None:
    """Do something that asks for a file or folder, and type the answer into the box that opens."""
    seen: list[str] = []

    def look() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QFileDialog):
            timer.stop()
            line = box.findChild(QLineEdit)
            assert line is not None
            line.setText(answer)  # a path may hold letters that have no key
            seen.append(box.windowTitle())
            press(Qt.Key.Key_Return)
            if box.isVisible():
                QDialog.accept(box)

    timer = QTimer(QApplication.instance(), interval=50)
    timer.timeout.connect(look)
    timer.start()
    question()
    until(lambda: bool(seen), 180, "a box that asks for a file")
