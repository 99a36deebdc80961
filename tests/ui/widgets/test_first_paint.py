"""What waits for a paint comes after it, and comes also where nothing is painted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from explorer.ui.widgets import first_paint
from explorer.ui.widgets.first_paint import after_paint

Wait = Callable[..., None]


class Painted(QWidget):
    """Notes when it is painted."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._heard.append("painted")


def test_it_comes_once_after_the_next_paint(qapp: QApplication, wait: Wait) -> None:
    heard: list[str] = []
    window = QWidget()
    QVBoxLayout(window).addWidget(Painted(heard))
    after_paint(window, lambda: heard.append("then"))
    assert not heard
    window.resize(200, 100)
    window.show()
    wait(lambda: "then" in heard)
    window.repaint()
    qapp.processEvents()
    assert heard.index("painted") < heard.index("then")
    assert heard.count("then") == 1
    window.deleteLater()


def test_a_window_that_is_never_painted_goes_on_too(qapp: object, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_paint, "UNPAINTED", 10)
    heard: list[str] = []
    window = QWidget()
    after_paint(window, lambda: heard.append("then"))
    wait(lambda: heard == ["then"])
    window.deleteLater()
