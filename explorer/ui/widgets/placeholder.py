"""Labels for text of any kind, and a frame around a panel's content: empty, busy or failed."""

from __future__ import annotations

import html

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QProgressBar, QPushButton, QSizePolicy, QStackedLayout, QWidget

from explorer.ui.jobs.messages import describe_error
from explorer.ui.look import theme
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.themed import Themed

DIMMED = 0.45  # share of the content that is seen through the veil


def plain_label(name: str = "", *, wrap: bool = False, kind: str = "") -> QLabel:
    """Return a label that shows text as it is, also where a document's title looks like HTML.

    Args:
        name: Its accessible name.
        wrap: Whether long lines wrap.
        kind: A style of the style sheet: "faint", "title", "error", "stale".
    """
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    label.setAccessibleName(name)
    if kind:
        label.setProperty("kind", kind)
    return label


def set_kind(widget: QWidget, kind: str) -> None:
    """Change the style of a widget that is shown; the style sheet reads the property only when it is polished."""
    if widget.property("kind") != kind:
        widget.setProperty("kind", kind)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def plain_tip(text: str) -> str:
    """Return a text as a tooltip that wraps and is not read as HTML."""
    return f"<p>{html.escape(text).replace(chr(10), '<br>')}</p>" if text else ""


class ElidedLabel(QLabel):
    """A line of text, elided to its width; the tooltip has all of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str, tip: str = "") -> None:
        """Show a text; the tooltip repeats it, followed by `tip`."""
        self.setText(text)
        self.setToolTip(plain_tip(f"{text}\n{tip}" if tip else text))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.rect(),
            Qt.AlignmentFlag.AlignVCenter,
            self.palette(),
            self.isEnabled(),
            text,
            self.foregroundRole(),
        )
        painter.end()


class _Veil(QWidget):
    """Dims content that is out of date; the mouse goes through it.

    An opacity effect would do the same, but Qt then leaves stale pixels in the gaps between widgets.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        colour = QColor(theme.current().window)
        colour.setAlphaF(1 - DIMMED)
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour)
        painter.end()


class ContentStack(Themed, QWidget):
    """Shows a panel's content, or a sentence in its place when there is nothing to show.

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
        buttons = row(None, self._button, self._more, None)
        page = column(None, self._sentence, buttons, (self._details, 3), None, margins=(24, 8, 24, 8), spacing=12)
        self._stack.addWidget(content)
        self._stack.addWidget(container(page))
        column(self._line, (self._stack, 1), parent=self)
        # Invisible, not hidden: the content must not jump by three pixels.
        policy = self._line.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._line.setSizePolicy(policy)
        self.retranslate()
        self.show_content()
        self.set_busy(False)

    @property
    def covered(self) -> bool:
        """Whether a sentence is shown in place of the content."""
        return self._stack.currentIndex() == 1

    @property
    def failed(self) -> bool:
        """Whether that sentence reports an error."""
        return self.covered and self._failed

    @property
    def sentence(self) -> str:
        """The sentence that is shown; empty while the content is."""
        return self._sentence.text() if self.covered else ""

    def show_content(self) -> None:
        """Show the content."""
        self._stack.setCurrentIndex(0)
        self._place_veil()

    def show_empty(self, sentence: str, button: str = "") -> None:
        """Show a sentence that says what to do, and a button if it has a text."""
        self._cover(sentence, button, "", failed=False)

    def show_error(self, error: BaseException) -> None:
        """Show what went wrong, with details on demand."""
        shown = describe_error(error)
        self._cover(shown.sentence, self.tr("Try again"), shown.details, failed=True)

    def set_busy(self, busy: bool, done: int = 0, total: int = 0) -> None:
        """Dim the content below a thin progress bar, or end that."""
        self._line.setRange(0, total)
        self._line.setValue(done)
        self._line.setVisible(busy)
        self._busy = busy
        self._place_veil()

    def _place_veil(self) -> None:
        self._veil.setGeometry(self._content.geometry())
        self._veil.setVisible(self._busy and not self.covered)
        self._veil.raise_()

    def _cover(self, sentence: str, button: str, details: str, *, failed: bool) -> None:
        self._failed = failed
        self._sentence.setText(sentence)
        set_kind(self._sentence, "error" if failed else "faint")
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._more.setVisible(bool(details))
        self._more.setChecked(False)
        self._details.setPlainText(details)
        self._details.hide()
        self._stack.setCurrentIndex(1)
        self._place_veil()

    def _on_pressed(self) -> None:
        (self.retried if self._failed else self.chosen).emit()

    def retranslate(self) -> None:
        self._line.setAccessibleName(self.tr("Progress"))
        self._more.setText(self.tr("Details"))
        self._details.setAccessibleName(self.tr("Error details"))
        if self._failed:
            self._button.setText(self.tr("Try again"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_veil()
