"""One switch of theme or language does each widget's work once."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from explorer.ui.look import language, theme
from explorer.ui.widgets.themed import Themed

calls: Counter[str] = Counter()


class Counting(Themed, QWidget):
    """A widget that counts what it is asked to do."""

    def restyle(self) -> None:
        calls[f"restyle {self.objectName()}"] += 1

    def retranslate(self) -> None:
        calls[f"retranslate {self.objectName()}"] += 1


@pytest.fixture
def family(qapp: QApplication) -> QWidget:
    """A shown window with a child and a grandchild."""
    names = ("window", "child", "grandchild")
    parent: QWidget | None = None
    made = []
    for name in names:
        widget = Counting(parent)
        widget.setObjectName(name)
        made.append(widget)
        parent = widget
    made[0].show()
    qapp.processEvents()
    calls.clear()
    return made[0]


def test_a_theme_switch_restyles_each_widget_once(qapp: QApplication, family: QWidget) -> None:
    before = theme.current()
    try:
        theme.apply(qapp, theme.LIGHT if before.dark else theme.DARK)
        qapp.processEvents()
        assert calls == {"restyle window": 1, "restyle child": 1, "restyle grandchild": 1}
    finally:
        theme.apply(qapp, before)


def test_another_palette_or_font_size_restyles_once_too(qapp: QApplication, family: QWidget) -> None:
    try:
        theme.apply(qapp, theme.current(), palette_name="grey")
        qapp.processEvents()
        assert set(calls.values()) == {1}
        theme.apply(qapp, theme.current(), text_size=14)
        qapp.processEvents()
        assert set(calls.values()) == {2}
        assert family.font().pointSize() == 14
    finally:
        theme.apply(qapp, theme.current())


def test_a_language_switch_retranslates_each_widget_once(qapp: QApplication, family: QWidget) -> None:
    try:
        language.use(qapp, "ko")
        qapp.processEvents()
        assert calls == {"retranslate window": 1, "retranslate child": 1, "retranslate grandchild": 1}
    finally:
        language.use(qapp, "en")


def test_a_widget_that_is_gone_is_not_asked(qapp: QApplication, family: QWidget) -> None:
    family.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    theme.apply(qapp, theme.current())
    assert not calls
