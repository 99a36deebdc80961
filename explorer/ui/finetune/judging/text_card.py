"""One side of a pair that is judged: where it is from, and the passage to read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from explorer.ui.widgets.placeholder import ElidedLabel
from explorer.ui.widgets.themed import Themed

_LINE_HEIGHT = 145  # per cent


class TextCard(Themed, QWidget):
    """A passage in letters made for reading."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self.text = ElidedLabel(), QTextEdit(readOnly=True)
        self.name.setProperty("kind", "faint")
        self.text.setAcceptRichText(False)
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # keys belong to the judging
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.document().setDocumentMargin(16)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 16, 8)
        head.addWidget(self.name)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        self.restyle()

    def show_text(self, name: str, text: str) -> None:
        """Show another passage."""
        self.name.tell(name)
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
            cursor = QTextCursor(self.text.document())
            cursor.select(QTextCursor.SelectionType.Document)
            lines = QTextBlockFormat()
            lines.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor.mergeBlockFormat(lines)
        self.text.setAccessibleName(name)

    def restyle(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(self.font().pointSizeF() + 2)
        self.text.setFont(font)
