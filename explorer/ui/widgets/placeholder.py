"""What every panel shows around its content: what to do when it is empty, that it works, why it failed."""

from __future__ import annotations

import html

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.jobs.messages import describe_error
from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

DIMMED = 0.45  # share of the content that is seen through the veil


def plain_label(name: str = "", *, wrap: bool = False) -> QLabel:
    """A label that shows letters as they are, also where a document's title looks like HTML."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    label.setAccessibleName(name)
    return label


def plain_tip(text: str) -> str:
    """A text as a tooltip that wraps and shows it as it is."""
    return f"<p>{html.escape(text).replace(chr(10), '<br>')}</p>" if text else ""


class ElidedLabel(QLabel):
    """One line of a text, cut off where the panel ends; all of it in the tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def tell(self, text: str, tip: str = "") -> None:
        """Show a text, with more of it in the tooltip where there is more to say."""
        self.setText(text)
        self.setToolTip(plain_tip(f"{text}\n{tip}" if tip else text))

    def minimumSizeHint(self) -> QSize:
        """It gives way."""
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what fits."""
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter = QPainter(self)
        self.style().drawItemText(
            painter, self.rect(), Qt.AlignmentFlag.AlignVCenter, self.palette(), self.isEnabled(), text,
            self.foregroundRole(),
        )  # fmt: skip
        painter.end()


class _Veil(QWidget):
    """The ground laid thinly over a content that is not of now; the mouse goes through it.

    An opacity effect would do the same, but Qt then leaves what stood there before in the gaps between widgets.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it in the colour of now."""
        ground = QColor(theme.current().window)
        ground.setAlphaF(1 - DIMMED)
        painter = QPainter(self)
        painter.fillRect(self.rect(), ground)
        painter.end()


class ContentStack(Themed, QWidget):
    """A place for a panel's content, which it covers with a sentence where there is nothing to show.

    Signals:
        chosen: The button below the sentence was pressed.
        retried: "Try again" was pressed after an error.
    """

    chosen = Signal()
    retried = Signal()

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content, self._failed, self._busy = content, False, False
        self._line, self._veil = QProgressBar(textVisible=False), _Veil(self)
        self._sentence = plain_label(wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._button, self._more = QPushButton(), QPushButton()
        self._button.clicked.connect(self._on_pressed)
        self._more.setCheckable(True)
        self._details = QPlainTextEdit(readOnly=True)
        self._more.toggled.connect(self._details.setVisible)
        self._stack = QStackedLayout()
        self._stack.addWidget(content)
        self._stack.addWidget(self._page())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._line)
        column.addLayout(self._stack, 1)
        self.retranslate()
        self.show_content()
        self.set_busy(False)

    def _page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(24, 8, 24, 8)
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(self._sentence)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._button)
        row.addWidget(self._more)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self._details, 3)
        column.addStretch(1)
        return page

    @property
    def covered(self) -> bool:
        """Whether a sentence stands where the content would be."""
        return self._stack.currentIndex() == 1

    @property
    def failed(self) -> bool:
        """Whether that sentence tells of an error."""
        return self.covered and self._failed

    @property
    def sentence(self) -> str:
        """The sentence that is shown; empty where the content is."""
        return self._sentence.text() if self.covered else ""

    def show_content(self) -> None:
        """Show the content."""
        self._stack.setCurrentIndex(0)
        self._lay_veil()

    def show_empty(self, sentence: str, button: str = "") -> None:
        """Say what to do, with a button where there is one."""
        self._say(sentence, button, "", failed=False)

    def show_error(self, error: BaseException) -> None:
        """Say what went wrong, with details on demand."""
        told = describe_error(error)
        self._say(told.sentence, self.tr("Try again"), told.details, failed=True)

    def set_busy(self, busy: bool, done: int = 0, total: int = 0) -> None:
        """Dim the content under a thin line, or show it clear again."""
        self._line.setRange(0, total)
        self._line.setValue(done)
        # Invisible, not hidden: the content must not jump by three pixels.
        policy = self._line.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._line.setSizePolicy(policy)
        self._line.setVisible(busy)
        self._busy = busy
        self._lay_veil()

    def _lay_veil(self) -> None:
        self._veil.setGeometry(self._content.geometry())
        self._veil.setVisible(self._busy and not self.covered)
        self._veil.raise_()

    def _say(self, sentence: str, button: str, details: str, *, failed: bool) -> None:
        self._failed = failed
        self._sentence.setText(sentence)
        self._sentence.setProperty("kind", "error" if failed else "faint")
        self._sentence.style().polish(self._sentence)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._more.setVisible(bool(details))
        self._more.setChecked(False)
        self._details.setPlainText(details)
        self._details.hide()
        self._stack.setCurrentIndex(1)
        self._lay_veil()

    def _on_pressed(self) -> None:
        (self.retried if self._failed else self.chosen).emit()

    def retranslate(self) -> None:
        self._line.setAccessibleName(self.tr("Progress"))
        self._more.setText(self.tr("Details"))
        self._details.setAccessibleName(self.tr("Error details"))
        if self._failed:
            self._button.setText(self.tr("Try again"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The veil is as large as the content."""
        super().resizeEvent(event)
        self._lay_veil()
