"""Small things over the window: a dialog for the keyboard that Esc closes, and a notice that goes away by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QFrame, QPushButton, QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.layouts import row, tool_button
from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import SignalInstance

    from explorer.ui.jobs.messages import Notification


SHOWN = 8000  # milliseconds, counted again while the mouse is over it
_RIM = 40  # pixels above the lower edge of the window
_WIDEST = 720


class Popup(QDialog):
    """A frameless dialog, centred near the top of its window."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.FramelessWindowHint | Qt.WindowType.Dialog)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(width)
        if parent is not None:
            window = parent.window()
            self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, max(40, window.height() // 8))))

    def fit(self) -> None:
        """Set the height to what the content needs."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            wide = layout.hasHeightForWidth()
            self.setFixedHeight(layout.totalHeightForWidth(self.width()) if wide else layout.totalSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().hairline))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


class Toast(Themed, QFrame):
    """Shows the notifications that the user can answer; those without a choice are for the status bar."""

    def __init__(self, window: QWidget, notified: SignalInstance, below: QWidget | None = None) -> None:
        """Show what is notified.

        Args:
            window: The window it is shown over.
            notified: Emits the notifications.
            below: What it must not cover at the lower edge of the window.
        """
        super().__init__(window)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._window, self._below = window, below
        self.sentence, self._close = ElidedLabel(), tool_button()
        self.buttons: list[QPushButton] = []
        self._row = row(spacing=4)
        self._close.clicked.connect(self.hide)
        row((self.sentence, 1), self._row, self._close, parent=self, margins=(12, 6, 6, 6))
        self._timer = QTimer(self, interval=SHOWN, singleShot=True)
        self._timer.timeout.connect(lambda: self._timer.start() if self.underMouse() else self.hide())
        for watched in filter(None, (window, below)):
            watched.installEventFilter(self)
        notified.connect(self.show_notification)
        self.retranslate()
        self.restyle()

    def show_notification(self, notification: Notification) -> None:
        """Show a sentence with its choices; pressing one hides it."""
        if not notification.choices:
            return
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [self._button(text, work) for text, work in notification.choices]
        self.sentence.set_text(notification.sentence)
        self.setAccessibleName(notification.sentence)
        self._move_into_window()
        self.show()
        self.raise_()
        self._timer.start()

    def _button(self, text: str, work: Callable[[], object]) -> QPushButton:
        def press() -> None:
            self.hide()
            work()

        button = QPushButton(text)
        button.clicked.connect(press)
        self._row.addWidget(button)
        return button

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moved = (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)
        if (watched is self._window and event.type() == moved[0]) or (watched is self._below and event.type() in moved):
            self._move_into_window()
        return False

    def retranslate(self) -> None:
        self._close.setAccessibleName(self.tr("Close"))
        self.hide()  # what it says is in another language

    def restyle(self) -> None:
        self._close.setIcon(theme.icon("close"))

    def _move_into_window(self) -> None:
        window, below = self._window, self._below
        rim = _RIM + (below.height() if below is not None and below.isVisible() else 0)
        wanted = self.sentence.fontMetrics().horizontalAdvance(self.sentence.text()) + 60
        wanted += sum(button.sizeHint().width() + 8 for button in self.buttons)
        wide, high = min(wanted, _WIDEST, window.width() - 40), self.sizeHint().height()
        self.setGeometry((window.width() - wide) // 2, window.height() - high - rim, wide, high)
