"""Mouse and keyboard input to the real window: what is hidden or covered cannot be clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QInputMethodEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QFileDialog, QLineEdit, QMainWindow, QWidget

from tests.ui.support.live_app import until

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def position_in_window(widget: QWidget, at: QPoint | None = None) -> tuple[QWindow, QPoint]:
    """Return the native window of a widget, and a point of the widget in its coordinates.

    Raises:
        AssertionError: The point is hidden or covered.
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
    """Click on a visible widget."""
    window, spot = position_in_window(widget, at)
    QTest.mouseMove(window, spot)
    QTest.mouseClick(window, LEFT, keys, spot)
    if double:
        QTest.mouseDClick(window, LEFT, keys, spot)


def click_item(
    view: QAbstractItemView, index: QModelIndex, keys: Qt.KeyboardModifier = NO_KEY, *, double: bool = False
) -> None:
    """Scroll to an item of a list, table or tree, and click on it."""
    view.scrollTo(index)
    click(view.viewport(), view.visualRect(index).center(), keys, double=double)


def drag(widget: QWidget, points: Sequence[QPoint], keys: Qt.KeyboardModifier = NO_KEY) -> None:
    """Press at the first point, move through the others, release at the last."""
    window, start = position_in_window(widget, points[0])
    QTest.mousePress(window, LEFT, keys, start)
    for point in points[1:]:
        QTest.mouseMove(window, widget.mapTo(widget.window(), point))
    QTest.mouseRelease(window, LEFT, keys, widget.mapTo(widget.window(), points[-1]))


def press(key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEY) -> None:
    """Press a key in the window that has the keyboard."""
    QTest.keyClick(_keyboard_window(), key, keys)


def type_text(text: str) -> None:
    """Type a text, one letter at a time; what has no key comes as from an input method, as Korean does."""
    for letter in text:
        window = _keyboard_window()
        if letter.isascii():
            QTest.keyClick(window, ord(letter))
        else:
            composed = QInputMethodEvent()
            composed.setCommitString(letter)
            QApplication.sendEvent(QApplication.focusObject(), composed)


def _keyboard_window() -> QWindow:
    """Wait until the right window has the keyboard, and return it.

    The X server gives the keyboard to a new dialog a moment after it is shown; until then, a key goes to the window
    below and is lost, because the dialog blocks it. Without a window manager, nobody gives the keyboard back when a
    dialog closes, so this does.
    """
    modal = QApplication.activeModalWidget()
    if modal is None and QApplication.focusWindow() is not None:
        return QApplication.focusWindow()
    tops = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget.windowHandle()]
    top = modal or next(widget for widget in tops if isinstance(widget, QMainWindow))
    if QApplication.focusWindow() is not top.windowHandle():
        top.activateWindow()
        until(lambda: QApplication.focusWindow() is top.windowHandle(), 180, "a window with the keyboard")
    return top.windowHandle()


def answer_file_dialog(ask: Callable[[], None], answer: str) -> None:
    """Do something that asks for a file or folder, and type the answer into the dialog that opens."""
    answered: list[str] = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog):
            timer.stop()
            line = dialog.findChild(QLineEdit)
            assert line is not None
            line.setText(answer)  # a path may contain characters that have no key
            answered.append(dialog.windowTitle())
            press(Qt.Key.Key_Return)
            if dialog.isVisible():
                QDialog.accept(dialog)

    timer = QTimer(QApplication.instance(), interval=50)
    timer.timeout.connect(look)
    timer.start()
    ask()
    until(lambda: bool(answered), 180, "a dialog that asks for a file")
