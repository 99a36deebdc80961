"""What a panel shows around its content."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import ContentStack


class Content(QPushButton):
    """Red all over, and pressed when it is clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(300, 200)
        self.setStyleSheet("background: #ff0000; border: 0;")
        self.presses = 0
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.presses += 1


@pytest.fixture
def stage(qapp: object) -> Iterator[ContentStack]:
    made = ContentStack(Content())
    made.resize(300, 203)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def colour(stage: ContentStack) -> QColor:
    return stage.grab().toImage().pixelColor(150, 100)


def test_content_that_is_not_of_now_is_dimmed_and_can_be_used(stage: ContentStack) -> None:
    red, ground = QColor("#ff0000"), QColor(theme.current().window)
    assert colour(stage) == red
    stage.set_busy(True)
    assert red.green() < colour(stage).green() < ground.green()
    QTest.mouseClick(stage.window().childAt(150, 100), Qt.MouseButton.LeftButton)
    assert stage.findChild(Content).presses == 1
    stage.set_busy(False)
    assert colour(stage) == red


def test_a_sentence_is_not_dimmed(stage: ContentStack) -> None:
    stage.show_empty("")
    before = stage.grab().toImage().pixelColor(5, 100)
    stage.set_busy(True)
    assert stage.grab().toImage().pixelColor(5, 100) == before
    stage.show_content()
    assert colour(stage) != QColor("#ff0000")
